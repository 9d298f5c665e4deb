// SPDX-License-Identifier: Apache-2.0
// The list of findings.
#include "base/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ct_diags_add(struct ct_diags *diags, enum ct_severity severity, const char *file,
                  int line, int column, const char *format, ...)
{
    char text[CT_ERR_MESSAGE_SIZE];
    struct ct_diag *item;
    va_list args;

    if (severity == CT_ERROR)
        diags->errors++;
    if (!ct_mem_grow(&diags->items, &diags->capacity, diags->count + 1, sizeof(*item))) {
        diags->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    item = &diags->items[diags->count];
    item->severity = severity;
    item->line = line;
    item->column = column;
    item->file = ct_arena_copy(&diags->arena, file, strlen(file));
    item->message = ct_arena_copy(&diags->arena, text, strlen(text));
    if (!item->file || !item->message) {
        diags->failed = true;
        return;
    }
    diags->count++;
}

static bool comes_after(const struct ct_diag *a, const struct ct_diag *b)
{
    int files = strcmp(a->file, b->file);

    if (files)
        return files > 0;
    if (a->line != b->line)
        return a->line > b->line;
    return a->column > b->column;
}

void ct_diags_sort(struct ct_diags *diags)
{
    /* Insertion: stable, and lists of findings are short. */
    for (size_t i = 1; i < diags->count; i++) {
        struct ct_diag item = diags->items[i];
        size_t j = i;

        for (; j > 0 && comes_after(&diags->items[j - 1], &item); j--)
            diags->items[j] = diags->items[j - 1];
        diags->items[j] = item;
    }
}

void ct_diags_release(struct ct_diags *diags)
{
    free(diags->items);
    ct_arena_release(&diags->arena);
    memset(diags, 0, sizeof(*diags));
}
