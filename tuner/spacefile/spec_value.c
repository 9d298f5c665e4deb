// SPDX-License-Identifier: Apache-2.0
// Values completely described by keys.def: how each form is read, checked and printed.
#include "spacefile/spec_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const ct_spec_caches[2] = {"warm", "cold"};
const char *const ct_spec_switches[2] = {"off", "on"};

int ct_spec_read_word(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                      size_t end, const char *what, const char *const *names,
                      size_t count)
{
    const char *word;
    const char *hint;
    struct ct_str all;
    int index;

    ct_expr_trim(text, &begin, &end);
    word = ct_spec_copy(b, text->text + begin, end - begin);
    index = word ? ct_spec_find_word(names, count, word) : -1;
    if (!word || index >= 0)
        return index;
    ct_str_init(&all);
    for (size_t i = 0; i < count; i++)
        ct_str_addf(&all, "%s%s",
                    i == 0          ? "; use "
                    : i + 1 < count ? ", "
                                    : " or ",
                    names[i]);
    hint = ct_spec_hint(b, word, names, count);
    CT_SPEC_COMPLAIN(b, ct_text_place(text, begin), "'%s' is not a valid %s%s", word,
                     what, *hint ? hint : all.data);
    ct_str_release(&all);
    return -1;
}

/* --- literal numbers --- */

/* A decimal number from 0 upwards (no sign, no "inf", no hexadecimal digits); returns the end of
 * it and following blanks; NULL: invalid. */
static const char *read_plain(const char *text, double *out)
{
    char *rest;

    if ((*text < '0' || *text > '9') && *text != '.')
        return NULL;
    *out = strtod(text, &rest);
    if (rest == text || memchr(text, 'x', (size_t)(rest - text)) ||
        memchr(text, 'X', (size_t)(rest - text)) || !isfinite(*out))
        return NULL;
    return rest + strspn(rest, " \t");
}

bool ct_spec_share(const char *text, double *out)
{
    double number;
    const char *rest = read_plain(text, &number);

    if (rest && strcmp(rest, "%") == 0)
        number /= 100;
    else if (!rest || *rest)
        return false;
    *out = number;
    return number > 0 && number <= 1;
}

bool ct_spec_goal(const char *text, double *out, bool *is_time)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    bool negative = *text == '-';
    const char *rest = read_plain(text + negative, out);

    if (!rest)
        return false;
    if (negative)
        *out = -*out;
    *is_time = *rest != '\0';
    if (!*rest)
        return true;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(rest, units[i].name) == 0) {
            *out *= units[i].ns;
            return *out > 0;
        }
    return false;
}

/* A number with a unit of time, without sign; false: invalid. */
static bool read_seconds(const char *text, double *out)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {"m", 60}, {"h", 3600}};
    double number;
    const char *rest = read_plain(text, &number);

    for (size_t i = 0; rest && i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(rest, units[i].name) == 0) {
            *out = number * units[i].seconds;
            return *out > 0 && *out < 1e10;
        }
    return false;
}

/* A number of bytes; false: invalid. */
static bool read_bytes(const char *text, double *out)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30},
                 {"K", 0x1p10},   {"M", 0x1p20},   {"G", 0x1p30}};
    double number;
    const char *rest = read_plain(text, &number);

    for (size_t i = 0; rest && i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(rest, units[i].name) == 0) {
            *out = number * units[i].bytes;
            return *out >= 1 && *out <= 0x1p60;
        }
    return false;
}

/* --- forms --- */

static void read_count(struct ct_spec_builder *b, const struct ct_spec_key_rule *rule,
                       const struct ct_reader_entry *entry, uint64_t *out)
{
    char quoted[32];
    char limit[48] = "of at least 1";
    double number;

    snprintf(quoted, sizeof(quoted), "'%s'", rule->key);
    if (!ct_spec_constant(b, &entry->value, 0, entry->value.length, quoted, &number))
        return;
    if (rule->largest < 1e15)
        snprintf(limit, sizeof(limit), "from 1 to %.0f", rule->largest);
    if (number < 1 || number > rule->largest || number != (double)(uint64_t)number)
        CT_SPEC_COMPLAIN(b, ct_text_place(&entry->value, 0),
                         "%s must be a whole number %s", quoted, limit);
    else
        *out = (uint64_t)number;
}

CT_SPEC_PARSER(ct_spec_check_nothing)
{
    (void)builder;
    (void)entry;
    (void)object;
}

void ct_spec_read_value(struct ct_spec_builder *b, const struct ct_spec_key_rule *rule,
                        const struct ct_reader_entry *entry, void *field)
{
    const struct ct_text *text = &entry->value;
    int word;

    switch (rule->form) {
    case CT_FORM_OWN:
        break;
    case CT_FORM_COUNT:
        read_count(b, rule, entry, field);
        break;
    case CT_FORM_SECONDS:
        if (!read_seconds(text->text, field))
            CT_SPEC_COMPLAIN(
                b, ct_text_place(text, 0),
                "'%s' must be a number with a unit s, min or h, such as '90 s'",
                rule->key);
        break;
    case CT_FORM_SHARE:
        if (!ct_spec_share(text->text, field))
            CT_SPEC_COMPLAIN(b, ct_text_place(text, 0),
                             "'%s' must be a share of the valid configurations, such as "
                             "0.05 or 5%%",
                             rule->key);
        break;
    case CT_FORM_BYTES:
        if (!read_bytes(text->text, field))
            CT_SPEC_COMPLAIN(b, ct_text_place(text, 0),
                             "'%s' must be a number with a unit KiB, MiB or GiB, such as "
                             "'64 MiB'",
                             rule->key);
        break;
    case CT_FORM_WORD:
        word = ct_spec_read_word(b, text, 0, text->length, rule->what, rule->words,
                                 rule->word_count);
        if (word >= 0)
            *(unsigned *)field = (unsigned)word;
        break;
    case CT_FORM_TEXT:
        *(struct ct_spec_word *)field =
            (struct ct_spec_word){.text = text->text, .place = ct_text_place(text, 0)};
        rule->read(b, entry, field);
        break;
    }
}

static void put_real(struct ct_str *out, const char *key, double value, const char *unit)
{
    if (!(value > 0))
        return;
    ct_str_addf(out, "%s = ", key);
    ct_value_print(out, ct_value_real(value));
    ct_str_addf(out, "%s\n", unit);
}

void ct_spec_put_value(struct ct_str *out, const struct ct_spec_key_rule *rule,
                       const void *field)
{
    const struct ct_spec_word *text = field;
    const uint64_t *count = field;
    const unsigned *word = field;
    const double *real = field;

    switch (rule->form) {
    case CT_FORM_OWN:
        break;
    case CT_FORM_COUNT:
        if (*count)
            ct_str_addf(out, "%s = %llu\n", rule->key, (unsigned long long)*count);
        break;
    case CT_FORM_SECONDS:
        put_real(out, rule->key, *real, " s");
        break;
    case CT_FORM_SHARE:
        put_real(out, rule->key, *real, "");
        break;
    case CT_FORM_BYTES:
        put_real(out, rule->key, *real / 0x1p10, " KiB");
        break;
    case CT_FORM_WORD:
        if (*word)
            ct_str_addf(out, "%s = %s\n", rule->key, rule->words[*word]);
        break;
    case CT_FORM_TEXT:
        if (text->text)
            ct_str_addf(out, "%s = %s\n", rule->key, text->text);
        break;
    }
}
