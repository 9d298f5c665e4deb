// SPDX-License-Identifier: Apache-2.0
// The entries of `args`: buffers, scalars, local memory, samplers, choices between them.
#include "spacefile/spec_impl.h"

#include <string.h>

/* Where an argument stands. */
struct standing {
    bool host;   /* of a host function */
    bool member; /* of a structure */
};

static void parse_arg(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                      size_t end, struct standing in, struct ct_spec_arg *arg);

static void parse_buffer_arg(struct ct_spec_builder *b, const struct ct_text *text,
                             size_t begin, size_t end, const char *word,
                             struct ct_spec_arg *arg)
{
    if (strcmp(word, "null") == 0 && ct_spec_find_buffer(b->spec, word) < 0) {
        arg->kind = CT_ARG_NULL;
        return;
    }
    arg->kind = CT_ARG_BUFFER;
    if (ct_spec_find_buffer(b->spec, word) < 0 && ct_spec_find(b->spec, word) >= 0)
        CT_SPEC_COMPLAIN(
            b, arg->place,
            "'%s' is not a buffer; write a scalar argument with its type, such as "
            "uint(%s)",
            word, word);
    else
        arg->buffer = ct_spec_buffer_at(b, text, begin, end);
}

static void unknown_type(struct ct_spec_builder *b, const char *word,
                         struct ct_place place)
{
    static const char *const names[] = {"char",   "uchar", "short",   "ushort", "int",
                                        "uint",   "long",  "ulong",   "half",   "float",
                                        "double", "local", "sampler", "struct", "bytes"};

    CT_SPEC_COMPLAIN(b, place,
                     "'%s' is not an OpenCL type%s; an argument is a buffer, null, "
                     "type(expression), struct(...), bytes('...'), local(bytes) or "
                     "sampler(...)",
                     word, ct_spec_hint(b, word, names, sizeof(names) / sizeof(*names)));
}

/* --- samplers --- */

const char *const ct_spec_addressings[5] = {"none", "clamp", "clamp_to_edge", "repeat",
                                            "mirrored_repeat"};

/* One word of a sampler; `given` has a bit for each property set. */
static bool sampler_word(const char *word, struct ct_plan_sampler *sampler,
                         unsigned *given, struct ct_str *why)
{
    static const char *const names[] = {"none",       "clamp",           "clamp_to_edge",
                                        "repeat",     "mirrored_repeat", "unnormalized",
                                        "normalized", "nearest",         "linear"};
    enum { ADDRESSINGS = 5, COUNT = sizeof(names) / sizeof(names[0]) };
    int index = ct_spec_find_word(names, COUNT, word);
    unsigned bit = index < ADDRESSINGS ? 1 : index < ADDRESSINGS + 2 ? 2 : 4;

    if (index < 0) {
        const char *likely = ct_str_suggest(word, names, COUNT);

        if (!*word)
            ct_str_puts(why, "a property of the sampler is missing here");
        else if (likely)
            ct_str_addf(why, "'%s' is not a property of a sampler; did you mean '%s'?",
                        word, likely);
        else
            ct_str_addf(
                why,
                "'%s' is not a property of a sampler; use none, clamp, clamp_to_edge, "
                "repeat or mirrored_repeat, nearest or linear, normalized or unnormalized",
                word);
        return false;
    }
    if (*given & bit) {
        ct_str_addf(why, "'%s' contradicts an earlier property of the sampler", word);
        return false;
    }
    *given |= bit;
    if (bit == 1)
        sampler->addressing = (enum ct_addressing)index;
    else if (bit == 2)
        sampler->normalized = index == ADDRESSINGS + 1;
    else
        sampler->linear = index == ADDRESSINGS + 3;
    return true;
}

/* The two repeat modes require normalized coordinates. */
static bool sampler_fits(const struct ct_plan_sampler *sampler, struct ct_str *why)
{
    bool fits =
        sampler->normalized || (sampler->addressing != CT_ADDRESS_REPEAT &&
                                sampler->addressing != CT_ADDRESS_MIRRORED_REPEAT);

    if (!fits)
        ct_str_addf(why, "'%s' requires normalized coordinates",
                    ct_spec_addressings[sampler->addressing]);
    return fits;
}

bool ct_spec_sampler(const char *words, struct ct_plan_sampler *sampler,
                     struct ct_str *why)
{
    struct ct_text text = {NULL, words, strlen(words), NULL};
    unsigned given = 0;

    for (size_t begin = 0; begin <= text.length;) {
        size_t comma = ct_expr_find_char(&text, begin, text.length, ',');
        size_t stop = comma;
        char word[32];
        size_t length;

        ct_expr_trim(&text, &begin, &stop);
        length = stop - begin < sizeof(word) - 1 ? stop - begin : sizeof(word) - 1;
        memcpy(word, words + begin, length);
        word[length] = '\0';
        if (!sampler_word(word, sampler, &given, why))
            return false;
        begin = comma + 1;
    }
    return sampler_fits(sampler, why);
}

/* `sampler(clamp, nearest)`; the defaults are none, nearest, unnormalized. */
static void parse_sampler(struct ct_spec_builder *b, const struct ct_text *text,
                          size_t begin, size_t end, struct ct_spec_arg *arg)
{
    struct ct_place place = arg->place;
    unsigned given = 0;
    struct ct_str why;

    arg->kind = CT_ARG_SAMPLER;
    ct_spec_template(b, text, begin, end, &arg->sampler_words);
    if (!ct_spec_is_plain(&arg->sampler_words))
        return; /* its kind depends on a parameter */
    arg->sampler_words = (struct ct_template){0};
    ct_expr_trim(text, &begin, &end);
    if (begin == end)
        return;
    ct_str_init(&why);
    while (begin <= end && !why.length) {
        size_t comma = ct_expr_find_char(text, begin, end, ',');
        size_t stop = comma;
        const char *word;

        ct_expr_trim(text, &begin, &stop);
        word = ct_spec_copy(b, text->text + begin, stop - begin);
        if (word && !sampler_word(word, &arg->sampler, &given, &why))
            place = ct_text_place(text, begin);
        begin = word ? comma + 1 : end + 1;
    }
    if (why.length || !sampler_fits(&arg->sampler, &why))
        CT_SPEC_COMPLAIN(b, place, "%s", why.data);
    b->nomem = b->nomem || why.failed;
    ct_str_release(&why);
}

/* --- choices --- */

/* Position of the `:` that belongs to the `?` before `at`, or `end`. */
static size_t find_colon(const struct ct_text *text, size_t at, size_t end)
{
    size_t depth = 0;

    for (at = ct_expr_find_outside(text, at, end); at < end;
         at = ct_expr_find_outside(text, at + 1, end)) {
        if (text->text[at] == '?')
            depth++;
        else if (text->text[at] == ':' && !depth--)
            return at;
    }
    return end;
}

static void parse_choice(struct ct_spec_builder *b, const struct ct_text *text,
                         size_t begin, size_t question, size_t end, struct standing in,
                         struct ct_spec_arg *arg)
{
    struct ct_spec_arg *sides = ct_spec_alloc(b, 2, sizeof(*sides));
    size_t colon = find_colon(text, question + 1, end);
    size_t from[2] = {question + 1, colon + 1};
    size_t to[2] = {colon, end};

    if (!sides)
        return;
    if (colon == end) {
        CT_SPEC_COMPLAIN(b, ct_text_place(text, question),
                         "'?' between arguments requires a ':'");
        return;
    }
    arg->test = ct_spec_compile_number(b, text, begin, question, CT_USE_LAUNCH, false,
                                       "a condition");
    for (int i = 0; i < 2; i++) {
        ct_expr_trim(text, &from[i], &to[i]);
        sides[i].place = ct_text_place(text, from[i]);
        if (from[i] == to[i])
            CT_SPEC_COMPLAIN(b, sides[i].place, "an argument is missing here");
        else
            parse_arg(b, text, from[i], to[i], in, &sides[i]);
    }
    arg->yes = &sides[0];
    arg->no = &sides[1];
}

/* --- entries --- */

/* `word(...)`: the parentheses are at `open` and `end - 1`. */
static void parse_call(struct ct_spec_builder *b, const struct ct_text *text,
                       const char *word, size_t open, size_t end, struct standing in,
                       struct ct_spec_arg *arg)
{
    bool local = strcmp(word, "local") == 0;
    bool sampler = strcmp(word, "sampler") == 0;

    if ((local || sampler) && in.member) {
        CT_SPEC_COMPLAIN(b, arg->place, "a struct has no %s",
                         local ? "local memory" : "samplers");
    } else if ((local || sampler) && in.host) {
        CT_SPEC_COMPLAIN(b, arg->place, "host functions have no %s",
                         local ? "local memory" : "samplers");
    } else if (local) {
        arg->kind = CT_ARG_LOCAL;
        arg->value = ct_spec_compile_number(b, text, open + 1, end - 1, CT_USE_LAUNCH,
                                            true, "a size of local memory");
    } else if (sampler) {
        parse_sampler(b, text, open + 1, end - 1, arg);
    } else if (strcmp(word, "struct") == 0) {
        ct_spec_struct(b, text, open + 1, end - 1, in.host, arg);
    } else if (strcmp(word, "bytes") == 0) {
        ct_spec_bytes(b, text, open + 1, end - 1, arg);
    } else if (ct_type_read(word, &arg->type)) {
        ct_spec_values(b, text, open + 1, end - 1, in.member, arg);
    } else {
        unknown_type(b, word, arg->place);
    }
}

/* One entry of args without its condition. */
static void parse_arg(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                      size_t end, struct standing in, struct ct_spec_arg *arg)
{
    size_t question = ct_expr_find_char(text, begin, end, '?');
    const char *open = memchr(text->text + begin, '(', end - begin);
    size_t at = open ? (size_t)(open - text->text) : end;
    size_t word_begin = begin;
    size_t word_end = at;
    const char *word;

    if (question < end) {
        parse_choice(b, text, begin, question, end, in, arg);
        return;
    }
    if (text->text[begin] == '(' && text->text[end - 1] == ')' &&
        ct_expr_find_outside(text, begin, end) == end) {
        begin++;
        end--;
        ct_expr_trim(text, &begin, &end);
        if (begin == end)
            CT_SPEC_COMPLAIN(b, arg->place, "an argument is missing here");
        else
            parse_arg(b, text, begin, end, in, arg);
        return;
    }
    ct_expr_trim(text, &word_begin, &word_end);
    word = ct_spec_copy(b, text->text + word_begin, word_end - word_begin);
    if (!word)
        return;
    if (!ct_expr_is_word(word, word_end - word_begin) ||
        (open &&
         (ct_expr_find_outside(text, at, end) < end || text->text[end - 1] != ')')))
        CT_SPEC_COMPLAIN(
            b, arg->place,
            "an argument is a buffer's name, null, type(expression), struct(...), "
            "bytes('...'), local(bytes) or sampler(...), and may end in 'if condition'");
    else if (!open && in.member)
        CT_SPEC_COMPLAIN(b, arg->place,
                         "a member of a struct is type(expression), struct(...) or "
                         "bytes('...'), not '%s'",
                         word);
    else if (!open)
        parse_buffer_arg(b, text, begin, end, word, arg);
    else
        parse_call(b, text, word, at, end, in, arg);
}

void ct_spec_read_member(struct ct_spec_builder *b, const struct ct_text *text,
                         size_t begin, size_t end, bool host, struct ct_spec_arg *arg)
{
    parse_arg(b, text, begin, end, (struct standing){host, true}, arg);
}

struct ct_spec_arg *ct_spec_read_args(struct ct_spec_builder *b,
                                      const struct ct_text *text, bool host,
                                      size_t *count)
{
    struct ct_spec_arg *args;
    size_t room = 1;

    *count = 0;
    if (!text->length)
        return NULL;
    for (size_t at = ct_expr_find_char(text, 0, text->length, ','); at < text->length;
         at = ct_expr_find_char(text, at + 1, text->length, ','))
        room++;
    args = ct_spec_alloc(b, room, sizeof(*args));
    for (size_t begin = 0; args && *count < room;) {
        size_t comma = ct_expr_find_char(text, begin, text->length, ',');
        struct ct_spec_arg *arg = &args[(*count)++];
        size_t end = comma;

        ct_expr_trim(text, &begin, &end);
        arg->place = ct_text_place(text, begin);
        if (begin == end) {
            CT_SPEC_COMPLAIN(b, arg->place, "an argument is missing here");
        } else {
            arg->condition =
                ct_spec_compile_condition(b, text, begin, &end, CT_USE_LAUNCH);
            ct_expr_trim(text, &begin, &end);
            parse_arg(b, text, begin, end, (struct standing){host, false}, arg);
        }
        begin = comma + 1;
    }
    return args;
}
