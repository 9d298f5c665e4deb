// SPDX-License-Identifier: Apache-2.0
// The pages of doc/ that the program carries, and their sections.
#ifndef CT_CLI_MANUAL_TOPICS_H
#define CT_CLI_MANUAL_TOPICS_H

#include "base/mem.h"
#include "base/str.h"

/* The words of all marks `<!-- help: WORD... -->` and the names of all pages, each once, in
 * alphabetical order; owned by the arena.  NULL if out of memory. */
const char **ct_manual_topics(struct ct_arena *arena, size_t *count);

/* Appends the page doc/TOPIC.md without its title, else the sections marked with the topic. */
void ct_manual_put_topic(const char *topic, struct ct_str *out);

/* Appends the title of the page doc/TOPIC.md, else of the first section marked with the topic. */
void ct_manual_put_title(const char *topic, struct ct_str *out);

#endif
