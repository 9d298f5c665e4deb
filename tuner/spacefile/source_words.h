// SPDX-License-Identifier: Apache-2.0
// The words of a source and its includes, for "is this name used?" questions.
#ifndef CT_SPACEFILE_SOURCE_WORDS_H
#define CT_SPACEFILE_SOURCE_WORDS_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

/* Starts as {0}; `words` is the caller's to free, the words are in an arena. */
struct ct_source_words {
    const char **words; /* sorted, without duplicates, after ct_source_words_sort() */
    size_t count;
    size_t room;
};

/* Adds the words of a text without comments.  False if out of memory. */
bool ct_source_words_add(struct ct_arena *arena, struct ct_source_words *words,
                         const char *text);

void ct_source_words_sort(struct ct_source_words *words);

#endif
