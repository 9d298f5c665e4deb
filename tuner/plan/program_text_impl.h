// SPDX-License-Identifier: Apache-2.0
// What program_text.c reads of a program and program_keys.c uses.  Private to tuner/plan.
#ifndef CT_PLAN_PROGRAM_TEXT_IMPL_H
#define CT_PLAN_PROGRAM_TEXT_IMPL_H

#include "base/mem.h"
#include "base/str.h"
#include "plan/program_text.h"

/* Its first member is what others see of it. */
struct ct_text {
    struct ct_program_text shown;
    /* What was asked for: copies, in the arena. */
    const char *source;
    const char *source_path;
    const char *options;
    const char **include_dirs;
    size_t include_count;
    struct ct_hash identity; /* of all of that but the path, and of what was read */
    struct ct_arena arena;
    struct ct_program_file *files;
    size_t file_room;
    const char **words; /* sorted, without duplicates */
    size_t word_count;
    size_t word_room;
    bool whole;
    struct ct_str form; /* what is hashed */
};

/* Whether this may be a part of a name. */
bool ct_word_character(unsigned char c);

/* Compares two elements of `words`. */
int ct_words_compare(const void *a, const void *b);

#endif
