// SPDX-License-Identifier: Apache-2.0
// Evaluates sizes by recursive descent.
#include "init/resolve.h"

#include "spacefile/source_word.h"

#include <inttypes.h>
#include <string.h>

enum { DEEPEST = 16, LARGEST = 1 << 30, WORD = 64, ATOMS_MOST = 1000 };

struct reader {
    const struct ct_subject *subject;
    struct ct_draft *draft;
    const char *at;
    struct ct_str *out;
    bool has_names; /* of parameters */
    int depth;
    int atoms; /* read so far: macros of macros can stand for any number */
};

static bool read_sum(struct reader *r, int64_t *number);

static void skip(struct reader *r)
{
    r->at += strspn(r->at, " ");
}

/* A name or a number. */
static bool read_word(struct reader *r, int64_t *number)
{
    const struct ct_subject *s = r->subject;
    const struct ct_draft_line *line;
    size_t length = strcspn(r->at, " ()+-*/");
    char word[WORD];

    if (!length || length >= sizeof(word))
        return false;
    memcpy(word, r->at, length);
    word[length] = '\0';
    r->at += length;
    line = ct_draft_find(&r->draft->defaults, word);
    if (line) {
        r->has_names = true;
        ct_str_puts(r->out, word);
        return ct_code_integer(s->code, line->value, number);
    }
    for (size_t i = 0; i < s->undefined_count; i++)
        if (strcmp(s->undefined[i].name, word) == 0) {
            const char *value = ct_guess_macro_value(&s->undefined[i]);

            ct_str_puts(r->out, value);
            return ct_code_integer(s->code, value, number);
        }
    if (ct_code_integer(s->code, word, number)) {
        ct_str_addf(r->out, "%" PRId64, *number);
        return true;
    }
    return false;
}

/* A macro whose value is an expression. */
static bool read_macro(struct reader *r, int64_t *number)
{
    size_t length = (size_t)(ct_word_skip(r->at) - r->at);
    const struct ct_code_macro *macro;
    const char *after = r->at + length;
    char word[WORD];
    bool good;

    if (!length || length >= sizeof(word))
        return false;
    memcpy(word, r->at, length);
    word[length] = '\0';
    macro = ct_code_find_macro(r->subject->code, word);
    if (!macro || macro->has_arguments || !*macro->value ||
        ct_draft_find(&r->draft->defaults, word))
        return false;
    ct_str_putc(r->out, '(');
    r->at = macro->value;
    good = read_sum(r, number) && !*r->at;
    ct_str_putc(r->out, ')');
    r->at = after;
    return good;
}

static bool read_atom(struct reader *r, int64_t *number)
{
    size_t mark;
    const char *at;
    bool good;

    skip(r);
    if (++r->depth > DEEPEST || ++r->atoms > ATOMS_MOST)
        return false;
    mark = r->out->length;
    at = r->at;
    if (*r->at == '(') {
        ct_str_putc(r->out, *r->at++);
        good = read_sum(r, number) && *r->at == ')';
        ct_str_putc(r->out, ')');
        r->at += good;
    } else {
        good = read_word(r, number);
        if (!good) {
            r->at = at;
            r->out->length = mark;
            good = read_macro(r, number);
        }
    }
    r->depth--;
    skip(r);
    return good && *number >= 0 && *number <= LARGEST;
}

static bool read_product(struct reader *r, int64_t *number)
{
    bool good = read_atom(r, number);

    while (good && (*r->at == '*' || *r->at == '/')) {
        char sign = *r->at++;
        int64_t other;

        ct_str_addf(r->out, " %c ", sign);
        good = read_atom(r, &other) && (sign == '*' || other);
        if (good)
            *number = sign == '*' ? *number * other : *number / other;
        good = good && *number <= LARGEST;
    }
    return good;
}

static bool read_sum(struct reader *r, int64_t *number)
{
    bool good = read_product(r, number);

    while (good && (*r->at == '+' || *r->at == '-')) {
        char sign = *r->at++;
        int64_t other;

        ct_str_addf(r->out, " %c ", sign);
        good = read_product(r, &other);
        if (good)
            *number += sign == '+' ? other : -other;
    }
    return good;
}

const char *ct_resolve_size(const struct ct_subject *subject, struct ct_draft *draft,
                            const char *text, int64_t *number)
{
    struct ct_str out;
    struct reader r = {.subject = subject, .draft = draft, .at = text, .out = &out};
    const char *found = NULL;

    ct_str_init(&out);
    if (read_sum(&r, number) && !*r.at && *number > 0)
        found = r.has_names ? ct_draft_format(draft, "%.*s", (int)out.length, out.data)
                            : ct_draft_format(draft, "%" PRId64, *number);
    ct_str_release(&out);
    return found;
}
