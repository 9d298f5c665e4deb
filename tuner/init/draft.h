// SPDX-License-Identifier: Apache-2.0
// A space file before it is text: guesses about one kernel, or what a T1 description says.
#ifndef CT_INIT_DRAFT_H
#define CT_INIT_DRAFT_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CT_DRAFT_DIMS = 3 };

/* A line NAME = VALUE. */
struct ct_draft_line {
    const char *name;
    const char *value;
    const char *note;   /* a comment behind it; NULL: none */
    const char *decide; /* what a person must decide about it; NULL: nothing */
    bool is_off;        /* a suggestion: written as a comment */
};

struct ct_draft_lines {
    struct ct_draft_line *items;
    size_t count;
    size_t room;
};

enum ct_draft_memory { CT_DRAFT_NO_MEMORY, CT_DRAFT_BUFFER, CT_DRAFT_IMAGE };

struct ct_draft_arg {
    enum ct_draft_memory memory;
    const char *name;
    const char *type;   /* of a buffer; the format of an image */
    const char *count;  /* of a buffer; the size of an image */
    const char *fill;   /* NULL: none */
    const char *check;  /* NULL: it is not compared */
    const char *text;   /* what is no memory: its entry in `args` */
    const char *decide; /* as above */
};

struct ct_draft {
    struct ct_arena arena; /* owns all texts */
    bool failed;           /* out of memory */
    const char *origin;    /* a sentence for the first line */
    const char *function;
    const char *name; /* in the database */
    const char *source;
    const char *options; /* "" for none */
    const char *include; /* "" for none */
    struct ct_draft_lines problem;
    struct ct_draft_lines lets;
    struct ct_draft_lines params;
    struct ct_draft_lines defaults; /* of the parameters that are on */
    struct ct_draft_lines defines;
    struct ct_draft_lines constraints;
    struct ct_draft_arg *args;
    size_t arg_count;
    size_t dims;
    const char *global[CT_DRAFT_DIMS];
    const char *local[CT_DRAFT_DIMS]; /* NULL: the driver chooses */
    const char *launch_decide;
    bool has_outputs; /* something is compared */
};

/* Texts of the draft; never NULL: "" if out of memory, which draft->failed says. */
const char *ct_draft_format(struct ct_draft *draft, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a line; its texts are borrowed, or the draft's. */
void ct_draft_add(struct ct_draft *draft, struct ct_draft_lines *lines,
                  struct ct_draft_line line);

/* The line of this name that is on, or NULL. */
const struct ct_draft_line *ct_draft_find(const struct ct_draft_lines *lines,
                                          const char *name);

/* Appends the text of the space file; without `truth`, nothing is compared. */
void ct_draft_put(const struct ct_draft *draft, bool truth, struct ct_str *out);

/* Before each line that a person must decide. */
#define CT_DRAFT_DECIDE "; DECIDE: "

void ct_draft_release(struct ct_draft *draft);

#endif
