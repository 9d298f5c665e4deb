// SPDX-License-Identifier: Apache-2.0
// Which words occur in a source.
#include "spacefile/source_words.h"

#include "spacefile/source.h"
#include "spacefile/source_word.h"

#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool ct_source_words_add(struct ct_arena *arena, struct ct_source_words *words,
                         const char *text)
{
    const char *at = text;

    while (*at) {
        const char *start = at;

        if (ct_word_digit(
                (unsigned char)*at)) { /* 0x1p3f is one token and uses no name */
            at = ct_word_skip(at);
            continue;
        }
        if (!ct_word_starts((unsigned char)*at)) {
            at++;
            continue;
        }
        at = ct_word_skip(at);
        if (!ct_mem_grow(&words->words, &words->room, words->count + 1, sizeof(char *)))
            return false;
        words->words[words->count] = ct_arena_copy(arena, start, (size_t)(at - start));
        if (!words->words[words->count])
            return false;
        words->count++;
    }
    return true;
}

void ct_source_words_sort(struct ct_source_words *words)
{
    size_t kept = 0;

    if (!words->count)
        return;
    qsort(words->words, words->count, sizeof(char *), by_text);
    for (size_t i = 1; i < words->count; i++)
        if (strcmp(words->words[i], words->words[kept]) != 0)
            words->words[++kept] = words->words[i];
    words->count = kept + 1;
}

bool ct_source_uses(const struct ct_source *source, const char *name)
{
    const struct ct_source_words *words = source->words;

    return words->count &&
           bsearch(&name, words->words, words->count, sizeof(char *), by_text);
}
