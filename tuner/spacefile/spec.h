// SPDX-License-Identifier: Apache-2.0
// The checked specification: what a space file says, with every name resolved.
#ifndef CT_SPACEFILE_SPEC_H
#define CT_SPACEFILE_SPEC_H

#include "base/devinfo.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "spacefile/expr/expr.h"
#include "base/hash.h"
#include "spacefile/kinds.h"
#include "spacefile/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ct_symbol_class {
    CT_SYM_PROBLEM,
    CT_SYM_LET,
    CT_SYM_PARAM,
    CT_SYM_DERIVED,
    CT_SYM_DEVICE, /* DEVICE_...; slot = the property's number */
    CT_SYM_KERNEL, /* KERNEL_...: facts known after building */
    CT_SYM_RESULT, /* time_ns and the other quantities of base/quantity.h: known after
                      measuring, in metrics only */
    CT_SYM_LOOP,   /* number of the pass, in the launches of a loop only */
};

/* A name of the one namespace; its index in `symbols` is its slot in expressions. */
struct ct_symbol {
    const char *name;
    enum ct_symbol_class class;
    enum ct_kind kind;
    struct ct_place place;      /* of its definition; line 0 for reserved names */
    const struct ct_expr *expr; /* value of problem, let and derived names */
    bool per_config;            /* depends on a parameter, directly or not */
    bool used;
    int loop_slot; /* of a name of [let] that depends on the pass of a loop: that pass's
                      slot; else 0, which is a device's */
};

/* One entry of a parameter's list, or a run of entries that are plain numbers of one
 * kind: long lists are written by programs, and an expression for each number would cost
 * more than the rest of the file. */
struct ct_list_item {
    struct ct_place place;
    enum {
        CT_ITEM_VALUE,
        CT_ITEM_RANGE,
        CT_ITEM_POW2,
        CT_ITEM_DIVISORS,
        CT_ITEM_NUMBERS
    } form;
    const struct ct_expr *a;    /* value, first of a range, argument */
    const struct ct_expr *b;    /* last of a range, second argument */
    const struct ct_expr *step; /* NULL: 1 */
    size_t number_count;
    const struct ct_value *numbers;
    const uint32_t *number_at;  /* where they stand in `text` */
    const struct ct_text *text; /* the list */
};

struct ct_param {
    int slot;
    struct ct_place place;
    size_t item_count;
    const struct ct_list_item *items;
    const struct ct_expr *condition; /* NULL: always active */
    /* What the list comes to where no name is in it; else NULL. */
    const struct ct_value *values;
    size_t value_count;
};

/* `name = expression [if condition]` in [define], [derive], [metric] or [constraint]. */
struct ct_named_expr {
    const char *name;
    struct ct_place place;
    const struct ct_expr *expr;
    const struct ct_expr *condition; /* NULL: always */
};

/* Text with ${NAME} in it: literal pieces between slots. */
struct ct_template {
    const char *text; /* as written */
    struct ct_place place;
    size_t piece_count;
    const struct ct_template_piece {
        const char *literal; /* before the name */
        int slot;            /* -1 after the last literal */
    } * pieces;
};

/* What a buffer holds: its `fill` or `expect`. */
struct ct_spec_fill {
    enum ct_fill_kind kind;
    struct ct_place place;
    const struct ct_expr *a; /* NULL where the fill has no such argument */
    const struct ct_expr *b;
    size_t source_count;
    int *sources;            /* indices into buffers */
    struct ct_template path; /* of file() and c() */
    const char *function;    /* of c() */
};

/* A [buffer] or an [image].  They stand in such an order that what a fill is made of
 * comes before it. */
struct ct_spec_buffer {
    const char *name;
    struct ct_place place;
    struct ct_template type;     /* of a buffer's elements */
    const struct ct_expr *count; /* of a buffer's elements */
    size_t dims;                 /* of an image, 1 to 3; 0: a buffer */
    const struct ct_expr *size[3];
    enum ct_channel_order order;
    enum ct_channel_type channel;
    struct ct_spec_fill fill;
    enum ct_check_kind check;
    const struct ct_expr *tolerance; /* NULL: the check has none */
    const struct ct_expr *compare;   /* NULL: all */
    enum ct_reduce reduce;
    const struct ct_expr *planes; /* NULL: none */
    enum ct_restore restore;
    enum ct_transfer transfer;
    const struct ct_expr *transfer_by; /* a text that names it instead, or NULL */
    bool has_expect;
    struct ct_spec_fill expect;
};

/* An entry of `args`. */
struct ct_spec_arg {
    enum ct_arg_kind kind;
    struct ct_place place;
    int buffer;                  /* index into buffers */
    struct ct_type type;         /* of a scalar */
    const struct ct_expr *value; /* of a scalar; bytes of local memory */
    struct ct_plan_sampler sampler;
    struct ct_template sampler_words; /* that depend on a parameter; text NULL: none do */
    const struct ct_expr *condition;  /* NULL: always there */
    /* `test ? yes : no`: then `kind` and what belongs to it mean nothing.  NULL:
     * plain. */
    const struct ct_expr *test;
    const struct ct_spec_arg *yes;
    const struct ct_spec_arg *no;
};

/* What is compiled together: [kernel] with [define], or a launch's own.  In the latter a
 * `source` or `options` that is not given is that of [kernel], and `define` adds to
 * [define]. */
struct ct_spec_program {
    size_t source_count; /* concatenated */
    struct ct_template *sources;
    struct ct_template options; /* text NULL: not given */
    size_t include_count;
    struct ct_template *includes; /* folders, relative to the file's */
    size_t define_count;
    struct ct_named_expr *defines;
};

struct ct_spec_launch {
    const char *name;
    struct ct_place place;
    enum ct_launch_kind kind;
    int from;         /* of a copy: index into buffers */
    int to;           /* of a copy or a zero */
    int loop;         /* index into loops, or -1 */
    bool has_program; /* it is its own program */
    struct ct_spec_program program;
    const struct ct_expr *when;    /* NULL: always */
    const struct ct_expr *require; /* NULL: nothing; may use KERNEL_... */
    struct ct_template kernel;
    struct ct_place args_place; /* of the key `args`, for messages about them */
    size_t arg_count;
    const struct ct_spec_arg *args;
    size_t global_count; /* 1 to 3 */
    const struct ct_expr *global[3];
    size_t local_count; /* 0: the driver chooses */
    const struct ct_expr *local[3];
};

/* Repeats the launches from `first` on. */
struct ct_spec_loop {
    const char *name; /* that of the pass's number in expressions, too */
    struct ct_place place;
    int slot;
    size_t first; /* index into launches */
    size_t launch_count;
    const struct ct_expr *count;
    int swap[2]; /* buffers exchanged after each pass, or -1 */
    struct ct_place swap_place;
};

struct ct_spec_host {
    bool present; /* there is C code */
    struct ct_place place;
    struct ct_template c; /* path of the file */
    const char *function;
    const char *libs;
    struct ct_place args_place; /* of the key `args`; line 0 without one */
    size_t arg_count;
    const struct ct_spec_arg *args;
};

/* The section [reference]: at most one of C code, a kernel and a configuration is there. */
struct ct_spec_reference {
    bool present; /* there is a section */
    struct ct_place place;
    struct ct_spec_host host; /* C code */
    bool has_kernel;
    struct ct_spec_launch launch; /* its own program; no name of it varies */
    size_t setting_count;         /* of `config`; 0: there is none */
    struct ct_spec_setting {
        const char *name;
        const char *text;
        struct ct_place place;
    } * settings;
    struct ct_place config_place;
};

/* An entry of [env]. */
struct ct_spec_env {
    const char *name;
    struct ct_place place;
    struct ct_template value; /* text NULL: the variable is taken out */
};

enum ct_spec_objective {
    CT_OBJECTIVE_TIME,
    CT_OBJECTIVE_END_TO_END,
    CT_OBJECTIVE_METRIC,
    CT_OBJECTIVE_QUANTITY, /* any other of base/quantity.h */
};

/* One [default] or [default PATTERN] section. */
struct ct_spec_default {
    const char *pattern; /* NULL: for every device */
    struct ct_place place;
    size_t count;
    const struct ct_default_value {
        size_t param; /* index into params */
        const struct ct_expr *value;
        struct ct_place place;
    } * values;
};

/* A value as text; NULL: not given. */
struct ct_spec_word {
    const char *text;
    struct ct_place place;
};

/* The section [measure]; zeros: not given. */
struct ct_spec_measure {
    struct ct_spec_word objective;
    struct ct_spec_word direction;
    struct ct_spec_word strategy;
    struct ct_spec_word by;     /* of each value of this parameter the best is shown */
    struct ct_spec_word target; /* read by the search, which knows what the objective is
                                   measured in */
    uint64_t evaluations;
    uint64_t no_progress;
    uint64_t samples;
    double duration_s;
    double fraction;
    unsigned cold; /* caches are cold: index into ct_spec_caches */
};

/* What `objective` and `direction` come to. */
struct ct_spec_optimized {
    enum ct_spec_objective objective;
    size_t metric;             /* index into metrics, for CT_OBJECTIVE_METRIC */
    enum ct_quantity quantity; /* for CT_OBJECTIVE_QUANTITY */
    bool maximize;             /* the best is the largest */
};

struct ct_spec {
    struct ct_arena arena;
    const char *path; /* as the user named it */
    const char *dir;  /* absolute folder of the file */
    struct {
        const char *name;               /* [kernel] name */
        bool present;                   /* false: a file that only declares a space */
        struct ct_spec_program program; /* of [kernel] and [define] */
    } kernel;
    struct {
        size_t count;
        struct ct_symbol *symbols; /* one a slot */
        size_t order_count; /* problem, let and derived slots so that each follows what it
                                      uses */
        const int *order;
        size_t derived_count; /* those of [derive], in file order: they become macros */
        const int *derived;
        const int *by_name; /* in the order of their names (strcmp) */
    } slots;
    size_t param_count;
    struct ct_param *params;
    size_t constraint_count;
    struct ct_named_expr *constraints;
    size_t buffer_count;
    struct ct_spec_buffer *buffers;
    size_t launch_count;
    struct ct_spec_launch *launches;
    size_t loop_count;
    struct ct_spec_loop *loops;
    struct ct_spec_reference reference;
    struct ct_spec_host baseline;
    size_t env_count;
    struct ct_spec_env *env;
    size_t default_count;
    struct ct_spec_default *defaults;
    size_t metric_count;
    struct ct_named_expr *metrics;
    struct ct_spec_measure measure;
    struct ct_spec_optimized optimized;
};

/* Reads and checks a space file.  Everything wrong with it is added to `diags`, in one
 * go; CT_E_SPEC when there was any error (then *out is NULL and `err` repeats the first),
 * CT_E_IO with `err` filled when the file cannot be read, CT_E_NOMEM.  Warnings alone
 * leave the status CT_OK. */
enum ct_status ct_spec_load(const char *path, struct ct_spec **out,
                            struct ct_diags *diags, struct ct_err *err);

/* The same for text in memory; `path` names it in messages and gives the folder that its
 * relative paths start from. */
enum ct_status ct_spec_parse(const char *path, const char *text, size_t length,
                             struct ct_spec **out, struct ct_diags *diags,
                             struct ct_err *err);

/* Slot of a name, or -1. */
int ct_spec_find(const struct ct_spec *spec, const char *name);

/* Index of a parameter by name, or -1. */
int ct_spec_find_param(const struct ct_spec *spec, const char *name);

/* Appends what a message says of a name that is no parameter: the likely one, or all of
 * them where they are few. */
void ct_spec_put_params(const struct ct_spec *spec, const char *name, struct ct_str *out);

void ct_spec_free(struct ct_spec *spec);

/* What a metric is computed from, as a set: the bit of each enum ct_quantity. */
uint32_t ct_spec_metric_uses(const struct ct_spec *spec, size_t metric);

/* What any metric of the file is computed from. */
uint32_t ct_spec_metrics_use(const struct ct_spec *spec);

/* The objective of a name: time, end_to_end, a metric of the file, or a quantity (where a
 * metric has the same name, that).  `*which` is the number of the metric or quantity.
 * False when there is none; `*hint` is then the likely name or NULL. */
bool ct_spec_find_objective(const struct ct_spec *spec, const char *name,
                            enum ct_spec_objective *objective, size_t *which,
                            const char **hint);

/* Appends the specification as the text of a space file, in one way of writing: what is
 * read from it is the same specification, and is printed as the same text.  Comments and
 * the order of sections are lost; warnings may differ. */
void ct_spec_print(const struct ct_spec *spec, struct ct_str *out);

/* A path of the space file's as a path of the system's: relative ones start from the
 * file's folder.  Owned by the arena; NULL when memory is short. */
char *ct_spec_path(const struct ct_spec *spec, struct ct_arena *arena, const char *path);

/* Most values that one parameter can have, and all parameters of a file together: they
 * take 16 bytes each, several times. */
enum { CT_SPEC_VALUES_MAX = 1000000, CT_SPEC_VALUES_TOTAL_MAX = 8 * CT_SPEC_VALUES_MAX };

enum ct_expansion {
    CT_EXPANDED,
    CT_EXPANSION_WRONG,   /* diagnoses have been added */
    CT_EXPANSION_UNKNOWN, /* it uses a name without a value: a device limit, most likely */
    CT_EXPANSION_NOMEM,
};

/* The values of a list in an environment (values by slot), in the list's order.  A value
 * that stands in the list twice is a mistake where both are written down, and dropped
 * where one comes from a range, a call or names: `16, divisors(n)` is right for every n.
 * An empty range, a value that cannot be computed and more than CT_SPEC_VALUES_MAX values
 * are mistakes; `file` names the place in messages.  The values live in `arena` or are
 * those of the only item; texts are borrowed. */
enum ct_expansion ct_spec_expand(const struct ct_list_item *items, size_t item_count,
                                 const struct ct_value *env, const char *file,
                                 struct ct_arena *arena, const struct ct_value **values,
                                 size_t *count, struct ct_diags *diags);

/* Index of a value in a list of values, or -1. */
long ct_spec_find_value(const struct ct_value *values, size_t count,
                        struct ct_value value);

/* Appends what a message says of a value that is not in a list: the nearest numbers that
 * are ("; the nearest are 2 and 4"), or the likely text. */
void ct_spec_put_nearest(struct ct_str *out, const struct ct_value *values, size_t count,
                         struct ct_value value);

/* --- the language as data, for the checks and the reference manual --- */

struct ct_spec_section_rule {
    const char *kind;
    enum { CT_NAMED_NEVER, CT_NAMED_ALWAYS, CT_NAMED_MAYBE } named;
    bool free_keys; /* keys are the file's own names */
    const char *help;
};
extern const struct ct_spec_section_rule ct_spec_sections[];
extern const size_t ct_spec_section_count;

/* Names of the language's words, by enumerator. */
extern const char *const ct_spec_restores[2];
extern const char *const ct_spec_transfers[3];
extern const char *const ct_spec_folds[4];
extern const char *const ct_spec_orders[4];    /* CL_... */
extern const char *const ct_spec_channels[10]; /* CL_... */
extern const char *const ct_spec_addressings[5];
extern const char *const ct_spec_caches[2];

/* Index of a word in a list of names, or -1. */
int ct_spec_find_word(const char *const *names, size_t count, const char *word);

struct ct_spec_builder;
struct ct_reader_entry;

/* How the value of a key is read, checked and printed. */
enum ct_spec_form {
    CT_FORM_OWN, /* by functions of its own */
    CT_FORM_COUNT,
    CT_FORM_SECONDS,
    CT_FORM_SHARE,
    CT_FORM_WORD,
    CT_FORM_TEXT,
};

/* A row of keys.def, which says what a form stores. */
struct ct_spec_key_rule {
    const char *section;
    const char *key;
    bool required;
    bool raw;   /* the value is text as it stands, not an expression */
    bool empty; /* the value may be empty */
    enum ct_spec_form form;
    size_t offset; /* of what is read, in the section's object */
    double largest;
    const char *const *words;
    size_t word_count;
    const char *what; /* a word is, for messages */
    /* Reads the value; checks it, where the form reads it. */
    void (*read)(struct ct_spec_builder *builder, const struct ct_reader_entry *entry,
                 void *object);
    const char *help;
};
extern const struct ct_spec_key_rule ct_spec_keys[];
extern const size_t ct_spec_key_count;

/* A share of a whole, "0.05" or "5%": more than 0, at most 1.  False: it is none. */
bool ct_spec_share(const char *text, double *out);

/* A value of an objective: a time with its unit ("1.2 ms", in nanoseconds then), or a
 * number without.  False: it is neither. */
bool ct_spec_goal(const char *text, double *out, bool *is_time);

#endif
