// SPDX-License-Identifier: Apache-2.0
// Explains failures by exhaustive search over terms that all of them fulfil.
#include "tune/conjunction.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>

enum relation { EQUAL, AT_LEAST, AT_MOST, RELATIONS };

struct term {
    size_t param;
    enum relation relation;
    struct ct_value bound;
    uint64_t *fulfil; /* bits: which of those that worked fulfil it */
};

struct terms {
    const struct ct_conjunction_input *input;
    struct term *items;
    size_t count;
    size_t words;
};

static bool is_number(struct ct_value value)
{
    return value.kind == CT_INT || value.kind == CT_REAL;
}

static bool fulfils(const struct term *term, struct ct_value value)
{
    if (term->relation == EQUAL || !is_number(value))
        return term->relation == EQUAL && ct_value_equal(term->bound, value);
    return term->relation == AT_LEAST
               ? ct_value_number(value) >= ct_value_number(term->bound)
               : ct_value_number(value) <= ct_value_number(term->bound);
}

/* Sets the tightest bound that all failures fulfil; false if there is none. */
static bool tighten(const struct ct_conjunction_input *input, struct term *term)
{
    term->bound = input->failed[term->param];
    for (size_t i = 0; i < input->failed_count; i++) {
        struct ct_value value = input->failed[i * input->width + term->param];

        if (term->relation == EQUAL ? !ct_value_equal(term->bound, value)
                                    : !is_number(value) || !is_number(term->bound))
            return false;
        if (!fulfils(term, value))
            term->bound = value;
    }
    return true;
}

/* Adds a term if it excludes something that worked. */
static bool add_term(struct terms *terms, struct term term)
{
    const struct ct_conjunction_input *input = terms->input;
    size_t kept = 0;

    if (!tighten(input, &term))
        return true;
    term.fulfil = ct_mem_array(terms->words, sizeof(*term.fulfil));
    if (!term.fulfil)
        return false;
    for (size_t i = 0; i < input->worked_count; i++)
        if (fulfils(&term, input->worked[i * input->width + term.param])) {
            term.fulfil[i / 64] |= UINT64_C(1) << i % 64;
            kept++;
        }
    if (kept < input->worked_count)
        terms->items[terms->count++] = term;
    else
        free(term.fulfil);
    return true;
}

/* Whether something that worked fulfils all of them. */
static bool is_contradicted(const struct terms *terms, const size_t *chosen, size_t count)
{
    for (size_t w = 0; w < terms->words; w++) {
        uint64_t bits = UINT64_MAX;

        for (size_t i = 0; i < count; i++)
            bits &= terms->items[chosen[i]].fulfil[w];
        if (bits)
            return true;
    }
    return false;
}

/* Finds terms chosen[at..count), each after the one before it. */
static bool choose(const struct terms *terms, size_t *chosen, size_t at, size_t count)
{
    if (at == count)
        return !is_contradicted(terms, chosen, count);
    for (chosen[at] = at ? chosen[at - 1] + 1 : 0; chosen[at] < terms->count;
         chosen[at]++)
        if (choose(terms, chosen, at + 1, count))
            return true;
    return false;
}

static void put_term(const struct terms *terms, const struct term *term,
                     struct ct_str *out)
{
    const struct ct_conjunction_input *input = terms->input;
    bool above_zero = false; /* 0 worked, and nothing between it and the bound */

    if (term->relation == AT_LEAST && ct_value_number(term->bound) > 0)
        for (size_t i = 0; i < input->worked_count; i++) {
            double value = ct_value_number(input->worked[i * input->width + term->param]);

            if (value < ct_value_number(term->bound) && value > 0) {
                above_zero = false;
                break;
            }
            above_zero = above_zero || value == 0;
        }
    ct_str_puts(out, input->names[term->param]);
    if (above_zero) {
        ct_str_puts(out, ">0");
        return;
    }
    ct_str_puts(out, term->relation == EQUAL      ? "="
                     : term->relation == AT_LEAST ? ">="
                                                  : "<=");
    ct_value_print(out, term->bound);
}

bool ct_conjunction_put(const struct ct_conjunction_input *input, struct ct_str *out)
{
    struct terms terms = {.input = input, .words = input->worked_count / 64 + 1};
    size_t chosen[CT_CONJUNCTION_TERMS] = {0};
    size_t length = 0;
    bool enough = true;

    if (input->failed_count < CT_CONJUNCTION_WITNESSES || !input->worked_count)
        return false;
    terms.items = ct_mem_array(input->width * RELATIONS, sizeof(*terms.items));
    enough = terms.items != NULL;
    for (size_t p = 0; p < input->width; p++)
        for (int r = 0; r < RELATIONS && enough; r++)
            enough =
                add_term(&terms, (struct term){.param = p, .relation = (enum relation)r});
    for (size_t count = 1; count <= CT_CONJUNCTION_TERMS && enough && !length; count++)
        length = choose(&terms, chosen, 0, count) ? count : 0;
    for (size_t i = 0; i < length; i++) {
        ct_str_puts(out, i ? " && " : "");
        put_term(&terms, &terms.items[chosen[i]], out);
    }
    for (size_t t = 0; t < terms.count; t++)
        free(terms.items[t].fulfil);
    free(terms.items);
    return length > 0;
}
