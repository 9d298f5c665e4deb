// SPDX-License-Identifier: Apache-2.0
// Findings about a space file, in the format of compilers.
#include "report/diags.h"

#include "base/mem.h"
#include "base/show.h"
#include "report/screen.h"

#include <stdio.h>

void ct_report_place(const char *file, int line, int column)
{
    struct ct_arena arena = {0};

    if (!*file)
        return;
    fprintf(ct_screen_err(), "%s:", ct_show_line(&arena, file));
    ct_arena_release(&arena);
    if (line)
        fprintf(ct_screen_err(), "%d:", line);
    if (line && column)
        fprintf(ct_screen_err(), "%d:", column);
    fputc(' ', ct_screen_err());
}

void ct_report_diags(struct ct_diags *diags, bool quiet)
{
    ct_diags_sort(diags);
    for (size_t i = 0; i < diags->count; i++) {
        const struct ct_diag *diag = &diags->items[i];

        if (quiet && diag->severity == CT_WARNING)
            continue;
        ct_report_place(diag->file, diag->line, diag->column);
        fprintf(ct_screen_err(), "%s: %s\n",
                diag->severity == CT_ERROR ? "error" : "warning", diag->message);
    }
    if (diags->failed)
        fprintf(ct_screen_err(), "cltune: out of memory; messages may be missing\n");
}
