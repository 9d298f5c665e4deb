// SPDX-License-Identifier: Apache-2.0
// Shared by the files that build and check a specification.
#ifndef CT_SPACEFILE_SPEC_IMPL_H
#define CT_SPACEFILE_SPEC_IMPL_H

#include "spacefile/reader/reader.h"
#include "spacefile/spec.h"

/* What an expression may name. */
enum ct_spec_use {
    CT_USE_NOTHING, /* literals only */
    CT_USE_PROBLEM, /* problem names */
    CT_USE_FIXED,   /* and names that do not depend on parameters */
    CT_USE_CONFIG,  /* and parameters */
    CT_USE_METRIC,  /* and observed quantities */
    CT_USE_LET,     /* and passes of a loop: then only its launches may use the name */
    CT_USE_LAUNCH,  /* parameters and the pass of the loop around it */
    CT_USE_REQUIRE, /* parameters and facts of the built kernel */
};

/* A symbol's definition before it is compiled. */
struct ct_spec_definition {
    const struct ct_reader_entry *entry; /* NULL: a reserved name */
    bool cyclic;
};

struct ct_spec_builder {
    struct ct_spec *spec;
    struct ct_diags *diags;
    const struct ct_reader_file *file;
    /* The language: spec_keys.c. */
    const struct ct_spec_section_rule *sections;
    size_t section_count;
    const struct ct_spec_key_rule *keys;
    size_t key_count;
    /* By section: its rule, or NULL if it was rejected. */
    const struct ct_spec_section_rule **rules;
    struct ct_spec_definition *definitions; /* by slot */
    bool *buffer_used;                      /* by buffer */
    enum ct_spec_use use;                   /* of the expression being compiled */
    bool in_reference; /* of a kernel as the reference: what varies is noted */
    int loop;          /* around the launch being compiled, or -1 */
    /* The expression being compiled, for messages. */
    const struct ct_text *text;
    size_t begin;
    size_t end;
    bool number;  /* a number is required */
    bool settled; /* the specification is finished: uses are no longer recorded */
    bool nomem;
};

#define CT_SPEC_COMPLAIN(b, at, ...)                                                     \
    ct_diags_add((b)->diags, CT_ERROR, (b)->file->path, (at).line, (at).column,          \
                 __VA_ARGS__)
#define CT_SPEC_WARN(b, at, ...)                                                         \
    ct_diags_add((b)->diags, CT_WARNING, (b)->file->path, (at).line, (at).column,        \
                 __VA_ARGS__)

/* --- spec.c --- */

/* Zeroed memory owned by the specification; NULL sets b->nomem. */
void *ct_spec_alloc(struct ct_spec_builder *b, size_t count, size_t size_bytes);
char *ct_spec_copy(struct ct_spec_builder *b, const char *text, size_t length);

/* "; did you mean 'x'?", or "" (never NULL). */
const char *ct_spec_hint(struct ct_spec_builder *b, const char *word,
                         const char *const *names, size_t count);

/* --- spec_section.c --- */

/* Assigns every section its rule and checks names, keys and repetition. */
void ct_spec_check_sections(struct ct_spec_builder *b);

/* Passes every entry of a section with a table of keys to its parse function. */
void ct_spec_read_section(struct ct_spec_builder *b,
                          const struct ct_reader_section *section, void *object);

/* Sections of a kind, in file order: the next at or after *index, or NULL. */
const struct ct_reader_section *ct_spec_next(const struct ct_spec_builder *b,
                                             const char *kind, size_t *index);

/* Entries in all sections of a kind. */
size_t ct_spec_count_entries(const struct ct_spec_builder *b, const char *kind);

/* --- spec_symbols.c --- */

/* The parameter whose symbol has this slot; -1: none. */
int ct_spec_param_at(const struct ct_spec *spec, int slot);

/* --- spec_names.c --- */

/* Collects the names of problem, let, parameters and derived; reports clashes. */
void ct_spec_collect(struct ct_spec_builder *b);

/* Orders the definitions, reports cycles, compiles all of them. */
void ct_spec_compile_symbols(struct ct_spec_builder *b);

/* --- spec_expr.c --- */

/* Compiles part of an entry's value; NULL after diagnoses. */
const struct ct_expr *ct_spec_compile(struct ct_spec_builder *b,
                                      const struct ct_text *text, size_t begin,
                                      size_t end, enum ct_spec_use use);

/* The same if text (and, for `integer`, a real) is an error; `what` names it. */
const struct ct_expr *ct_spec_compile_number(struct ct_spec_builder *b,
                                             const struct ct_text *text, size_t begin,
                                             size_t end, enum ct_spec_use use,
                                             bool integer, const char *what);

/* A literal number, without names; false after a diagnosis. */
bool ct_spec_constant(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                      size_t end, const char *what, double *out);

/* Cuts a trailing `if EXPR` off text[*begin, *end) and compiles it; NULL without one. */
const struct ct_expr *ct_spec_compile_condition(struct ct_spec_builder *b,
                                                const struct ct_text *text, size_t begin,
                                                size_t *end, enum ct_spec_use use);

/* Text with ${NAME}. */
void ct_spec_template(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                      size_t end, struct ct_template *out);

/* Whether a template uses no names. */
bool ct_spec_is_plain(const struct ct_template *text);

/* --- spec_list.c --- */

/* Cuts the word `replaces` off the end of a list's values; false if it is not there. */
bool ct_spec_cut_replaces(const struct ct_text *text, size_t *end);

/* Compiles `values [replaces] [if condition]`. */
void ct_spec_compile_list(struct ct_spec_builder *b, const struct ct_text *text,
                          struct ct_param *param, enum ct_kind *kind);

/* --- spec_expand.c --- */

/* Whether an item uses no names. */
bool ct_spec_is_literal(const struct ct_list_item *item);

/* --- spec_data.c --- */

void ct_spec_read_buffers(struct ct_spec_builder *b);

/* Index of a buffer or image, or -1. */
int ct_spec_find_buffer(const struct ct_spec *spec, const char *name);

/* The buffer that text[begin, end) names, marked as used; -1 after a diagnosis. */
int ct_spec_buffer_at(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                      size_t end);

/* --- spec_fill.c --- */

/* Reads `kind(arguments)`. */
void ct_spec_read_fill(struct ct_spec_builder *b, const struct ct_text *text,
                       struct ct_spec_fill *fill);

/* Orders buffers after the sources of their fills; reports cycles. */
void ct_spec_order_buffers(struct ct_spec_builder *b);

/* --- spec_arg.c --- */

/* Reads the words of a sampler; false with the reason. */
bool ct_spec_sampler(const char *words, struct ct_plan_sampler *sampler,
                     struct ct_str *why);

/* Reads one member of a structure. */
void ct_spec_read_member(struct ct_spec_builder *b, const struct ct_text *text,
                         size_t begin, size_t end, bool host, struct ct_spec_arg *arg);

/* Reads `args`; `host`: of a host function. */
struct ct_spec_arg *ct_spec_read_args(struct ct_spec_builder *b,
                                      const struct ct_text *text, bool host,
                                      size_t *count);

/* --- spec_tuple.c --- */

/* Rewrites parameters that go together as single ones with a constraint. */
void ct_spec_expand_tuples(struct ct_spec_builder *b, struct ct_reader_file *file);

/* --- spec_keywords.c --- */

/* Whether OpenCL C reserves a word. */
bool ct_spec_is_keyword(const char *name);

/* --- spec_record.c --- */

/* Read what is between the parentheses of `type(...)` (`member`: of a structure, where several
 * values of a scalar are an array), struct(...) and bytes(...). */
void ct_spec_values(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                    size_t end, bool member, struct ct_spec_arg *arg);
void ct_spec_struct(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                    size_t end, bool host, struct ct_spec_arg *arg);
void ct_spec_bytes(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                   size_t end, struct ct_spec_arg *arg);

/* --- spec_program.c --- */

/* Paths separated by commas. */
void ct_spec_read_paths(struct ct_spec_builder *b, const struct ct_text *text,
                        const char *what, struct ct_template **paths, size_t *count);

/* `NAME=expression [if condition], ...` of a launch. */
void ct_spec_read_defines(struct ct_spec_builder *b, const struct ct_text *text,
                          struct ct_spec_program *program);

/* --- spec_launch.c --- */

void ct_spec_read_launches(struct ct_spec_builder *b);

/* --- spec_reference.c --- */

void ct_spec_read_hosts(struct ct_spec_builder *b);

/* --- spec_value.c --- */

/* Reads a value by its rule, which is not CT_FORM_OWN, into `field`. */
void ct_spec_read_value(struct ct_spec_builder *b, const struct ct_spec_key_rule *rule,
                        const struct ct_reader_entry *entry, void *field);

/* Appends `key = value` and a line feed; nothing if the value is not given. */
void ct_spec_put_value(struct ct_str *out, const struct ct_spec_key_rule *rule,
                       const void *field);

/* The index of the word text[begin, end); -1 after a diagnosis. */
int ct_spec_read_word(struct ct_spec_builder *b, const struct ct_text *text, size_t begin,
                      size_t end, const char *what, const char *const *names,
                      size_t count);

/* --- spec_command.c --- */

/* The unit in ns of a name of [read] that is a time, such as time_ms; else 0. */
double ct_spec_time_unit(const char *name);

/* Reads [program] and [read]. */
void ct_spec_read_command(struct ct_spec_builder *b);

/* The program's numbers as metrics of their own names, after the file's own. */
void ct_spec_add_read_metrics(struct ct_spec_builder *b);

/* Marks the names that a template's file uses. */
void ct_spec_use_templates(struct ct_spec_builder *b);

/* Prints [program] and [read]. */
void ct_spec_print_command(const struct ct_spec *spec, struct ct_str *out);

/* --- spec_measure.c --- */

void ct_spec_read_measure(struct ct_spec_builder *b);

/* After metrics and parameters are known: resolves the objective, and whether `by` exists. */
void ct_spec_resolve_measure(struct ct_spec_builder *b);

/* --- spec_rest.c: kernel, define, constraint, default, metric, env --- */

void ct_spec_read_rest(struct ct_spec_builder *b);

/* --- spec_check.c --- */

/* Checks that require everything to be read; `errors`: number of errors before this file. */
void ct_spec_check(struct ct_spec_builder *b, size_t errors);

/* The word that a list's entry defines as NAME_word=1, or NULL. */
const char *ct_spec_text_word(const struct ct_list_item *item);

/* --- spec_unused.c --- */

/* Warns of unused names, buffers and macros. */
void ct_spec_check_unused(struct ct_spec_builder *b);

/* --- the functions named in keys.def --- */

#define CT_SPEC_PARSER(name)                                                             \
    void name(struct ct_spec_builder *builder, const struct ct_reader_entry *entry,      \
              void *object)
#define CT_KEY(section, key, flags, read, help)            CT_SPEC_PARSER(read);
#define CT_KEY_OF(section, key, member, flags, read, help) CT_SPEC_PARSER(read);
#define CT_KEY_TEXT(section, key, member, check, help)     CT_SPEC_PARSER(check);
#include "spacefile/keys.def"

#endif
