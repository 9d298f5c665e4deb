// SPDX-License-Identifier: Apache-2.0
// The manual: a page for every command, made of its table and of what doc/ says about it, and a page
// for every topic of doc/.
//
// A page doc/NAME.md is the topic NAME.  A line `<!-- help: WORD... -->` before a heading makes the
// section below it a part of the pages of these commands, and the topics of the other words.
#ifndef CT_CLI_MANUAL_H
#define CT_CLI_MANUAL_H

#include "base/mem.h"
#include "cli/cli.h"

/* A page. */
struct ct_manual_page {
    const char *topic; /* "search", "measuring" */
    const char *name;  /* as a manual page: "cltune-search", "libcltunedb" */
    int section;       /* 1, 3, 5, 7 */
    const char *title; /* one line about it */
    const struct ct_command *command; /* NULL: a topic of doc/ */
};

/* All pages: the program's own ("cltune"), the commands, the topics in alphabetical order; owned
 * by the arena.  NULL if out of memory. */
struct ct_manual_page *ct_manual_pages(struct ct_arena *arena,
                                       const struct ct_command *const *commands,
                                       size_t *count);

/* Appends a page as Markdown (report/markup.h).  `commands` are all. */
void ct_manual_put(const struct ct_manual_page *page,
                   const struct ct_command *const *commands, struct ct_str *out);

#endif
