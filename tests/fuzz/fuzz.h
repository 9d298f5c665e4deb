// SPDX-License-Identifier: Apache-2.0
// Shared by the fuzzing targets: checks that stop the fuzzer, names, text with places.
#ifndef CT_TESTS_FUZZ_H
#define CT_TESTS_FUZZ_H

#include "base/diag.h"
#include "spacefile/expr/expr.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A property that holds for every input; its failure is a finding. */
#define FUZZ_CHECK(condition)                                                            \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__,       \
                    #condition);                                                         \
            abort();                                                                     \
        }                                                                                \
    } while (0)

/* What libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The names in generated expressions: integers i j k, reals r q, texts s t, u (which never has a
 * value) and v (whose kind is only known when evaluating). */
#define FUZZ_NAMES "ijkrqstuv"
enum { FUZZ_NAME_COUNT = sizeof(FUZZ_NAMES) - 1 };

static inline int fuzz_find(void *diags, const char *name, size_t length,
                            struct ct_place place)
{
    static const char names[] = FUZZ_NAMES;

    for (int i = 0; i < FUZZ_NAME_COUNT; i++)
        if (length == 1 && names[i] == name[0])
            return i;
    ct_diags_add(diags, CT_ERROR, "f", place.line, place.column, "unknown name '%.*s'",
                 length > 40 ? 40 : (int)length, name);
    return -1;
}

static inline enum ct_kind fuzz_kind(void *diags, int slot)
{
    static const enum ct_kind kinds[FUZZ_NAME_COUNT] = {
        CT_INT, CT_INT, CT_INT, CT_REAL, CT_REAL, CT_TEXT, CT_TEXT, CT_NONE, CT_NONE};

    (void)diags;
    return kinds[slot];
}

/* Text with a place for each character.  It has exactly the given length and no zero at its end,
 * so that reading beyond it is detected.  fuzz_text_free frees it. */
static inline struct ct_text fuzz_text(const void *bytes, size_t length)
{
    char *text = malloc(length ? length : 1);
    struct ct_place *places = malloc((length + 1) * sizeof(*places));

    FUZZ_CHECK(text && places);
    if (length)
        memcpy(text, bytes, length);
    for (size_t i = 0; i <= length; i++)
        places[i] = (struct ct_place){1 + (int)(i / 64), 1 + (int)(i % 64)};
    return (struct ct_text){"f", text, length, places};
}

static inline void fuzz_text_free(struct ct_text *text)
{
    free((void *)text->text);
    free((void *)text->places);
}

/* Every finding has a message and a place within the text. */
static inline void fuzz_check_diags(const struct ct_diags *diags, int lines)
{
    size_t errors = 0;

    FUZZ_CHECK(!diags->failed);
    for (size_t i = 0; i < diags->count; i++) {
        const struct ct_diag *diag = &diags->items[i];

        FUZZ_CHECK(diag->message && *diag->message && diag->file);
        FUZZ_CHECK(diag->line >= 0 && diag->line <= lines && diag->column >= 0);
        errors += diag->severity == CT_ERROR;
    }
    FUZZ_CHECK(errors == diags->errors);
}

#endif
