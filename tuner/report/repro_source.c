// SPDX-License-Identifier: Apache-2.0
// The programs of a configuration as C strings, with what they include.
#include "report/repro_impl.h"

#include "spacefile/source.h"
#include "protocol/compile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 40 };

/* Where one text is unfolded. */
struct unfolding {
    struct ct_source_cache *sources;
    const struct ct_plan_program *program;
    struct ct_str *out;
    size_t left; /* included files that stay directives */
    bool is_c;   /* those in angle brackets are the compiler's */
};

/* A directive with a name: #include "x.h", #line 7 "x.cl". */
struct directive {
    const char *name;
    size_t length;
    bool quoted;
};

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* What follows `# WORD` on this line; NULL: it is another line. */
static const char *after_directive(const char *line, const char *word)
{
    const char *at = skip_blanks(line);
    size_t length = strlen(word);

    if (*at != '#')
        return NULL;
    at = skip_blanks(at + 1);
    return strncmp(at, word, length) == 0 && !isalnum((unsigned char)at[length]) &&
                   at[length] != '_'
               ? skip_blanks(at + length)
               : NULL;
}

static bool read_name(const char *at, struct directive *out)
{
    const char *end;

    if (*at != '"' && *at != '<')
        return false;
    end = at + 1 + strcspn(at + 1, *at == '"' ? "\"\n" : ">\n");
    if (*end == '\n' || !*end)
        return false;
    *out = (struct directive){at + 1, (size_t)(end - at - 1), *at == '"'};
    return true;
}

/* Folders of this machine are nobody's business. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void put_line_mark(struct ct_str *out, size_t line, const char *path)
{
    const char *name = base_name(path);

    ct_str_addf(out, "#line %zu", line);
    if (!name[strcspn(name, "\"\\\n")])
        ct_str_addf(out, " \"%s\"", name);
    ct_str_putc(out, '\n');
}

static bool has_once(const char *text)
{
    for (const char *at = text; at && *at;) {
        const char *rest = after_directive(at, "pragma");

        if (rest && strncmp(rest, "once", 4) == 0)
            return true;
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return false;
}

static void unfold(struct unfolding *u, const char *text, const char *path, int depth);

/* Puts an included file in place of its directive; false if it has to stay. */
static bool put_included(struct unfolding *u, const struct directive *directive,
                         const char *from, int depth)
{
    char *name = ct_mem_copy(directive->name, directive->length);
    const char *path = NULL;
    const char *text = name
                           ? ct_source_included(u->sources, from, name, directive->quoted,
                                                u->program->include_count,
                                                u->program->include_dirs, &path)
                           : NULL;
    bool once;

    free(name);
    if (!text || depth >= DEPTH_MOST)
        return false;
    once = has_once(text);
    if (once) {
        struct ct_hash hash = ct_hash_bytes(path, strlen(path));

        ct_str_addf(u->out, "#ifndef CLTUNE_ONCE_%s\n#define CLTUNE_ONCE_%s\n", hash.text,
                    hash.text);
    }
    put_line_mark(u->out, 1, path);
    unfold(u, text, path, depth + 1);
    ct_str_puts(u->out, once ? "#endif\n" : "");
    return true;
}

/* The text with included files in place of their directives. */
static void unfold(struct unfolding *u, const char *text, const char *path, int depth)
{
    char *from = ct_mem_copy(path, strlen(path));
    size_t number = 0;

    for (const char *at = text; from && *at;) {
        size_t length = strcspn(at, "\n");
        const char *included = after_directive(at, "include");
        const char *marked = after_directive(at, "line");
        struct directive directive;

        number++;
        if (included && read_name(included, &directive) &&
            put_included(u, &directive, from, depth)) {
            put_line_mark(u->out, number + 1, from);
        } else if (marked && isdigit((unsigned char)*marked)) {
            number = strtoul(marked, NULL, 10) - 1;
            if (read_name(skip_blanks(marked + strspn(marked, "0123456789")),
                          &directive)) {
                free(from);
                from = ct_mem_copy(directive.name, directive.length);
            }
            if (from)
                put_line_mark(u->out, number + 1, from);
        } else {
            const char *once = after_directive(at, "pragma");

            if (included && !(u->is_c && *included == '<'))
                u->left++;
            if (!(once && depth && strncmp(once, "once", 4) == 0))
                ct_str_add(u->out, at, length);
            ct_str_putc(u->out, '\n');
        }
        at += length + (at[length] == '\n' ? 1 : 0);
    }
    if (!from)
        u->out->failed = true;
    free(from);
}

void ct_repro_unfold_c(const struct ct_repro *repro, const char *text, const char *path,
                       struct ct_str *out, size_t *left)
{
    struct ct_plan_program program = {0};
    struct unfolding u = {.sources = repro->run.work.sources,
                          .program = &program,
                          .out = out,
                          .is_c = true};

    put_line_mark(out, 1, path);
    unfold(&u, text, path, 0);
    *left += u.left;
}

static void put_lines(struct ct_str *out, const char *text, size_t *count)
{
    *count = 0;
    for (const char *at = text; *at; ++*count) {
        size_t length = strcspn(at, "\n");

        length += at[length] == '\n';
        /* Compilers need not take longer strings. */
        if (length > 2000)
            length = 2000;
        ct_str_puts(out, "    \"");
        ct_repro_put_escaped(out, at, length);
        ct_str_puts(out, "\",\n");
        at += length;
    }
    if (!*count)
        ct_str_puts(out, "    \"\",\n");
}

/* One program: its lines, and its entry in the table. */
static enum ct_status put_program(const struct ct_repro *repro, size_t index,
                                  struct ct_str *out, struct ct_str *table, size_t *left,
                                  struct ct_err *err)
{
    struct ct_plan_program program = repro->run.plan.programs[index];
    struct ct_str text;
    struct unfolding u = {.sources = repro->run.work.sources,
                          .program = &repro->run.plan.programs[index],
                          .out = &text};
    struct ct_compile compile;
    enum ct_status status;
    size_t count;

    ct_str_init(&text);
    unfold(&u, program.source, program.source_path, 0);
    program.source = text.data;
    program.source_path = base_name(program.source_path);
    if (!u.left)
        program.include_count = 0;
    *left += u.left;
    status = ct_compile_init(&compile, &program, "", NULL, err);
    if (!status) {
        ct_str_addf(out, "static const char *const lines_%zu[] = {\n", index);
        put_lines(out, compile.source.data, &count);
        ct_str_puts(out, "};\n\n");
        ct_str_addf(table, "    {lines_%zu, %zu, ", index, count ? count : 1);
        ct_repro_put_string(table, compile.options.data);
        ct_str_puts(table, "},\n");
    }
    ct_compile_release(&compile);
    ct_str_release(&text);
    return status;
}

enum ct_status ct_repro_put_programs(const struct ct_repro *repro, struct ct_str *out,
                                     size_t *left, struct ct_err *err)
{
    struct ct_str table;
    enum ct_status status = CT_OK;

    *left = 0;
    ct_str_init(&table);
    for (size_t i = 0; !status && i < repro->run.plan.program_count; i++)
        status = put_program(repro, i, out, &table, left, err);
    ct_str_addf(out, "static const struct program programs[] = {\n%s};\n\n",
                table.data ? table.data : "");
    if (!status && (table.failed || out->failed))
        status = ct_err_nomem(err);
    ct_str_release(&table);
    return status;
}
