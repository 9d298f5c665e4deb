// SPDX-License-Identifier: Apache-2.0
// Writes a draft as the text of a space file.
#include "init/draft.h"

#include "base/show.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Where comments begin. */
enum { COMMENT_COLUMN = 40, NAME_WIDTH = 7 };

const char *ct_draft_format(struct ct_draft *draft, const char *format, ...)
{
    struct ct_str text;
    const char *copy;
    va_list args;

    ct_str_init(&text);
    va_start(args, format);
    ct_str_vaddf(&text, format, args);
    va_end(args);
    copy = text.failed ? NULL : ct_arena_copy(&draft->arena, text.data, text.length);
    ct_str_release(&text);
    draft->failed = draft->failed || !copy;
    return copy ? copy : "";
}

void ct_draft_add(struct ct_draft *draft, struct ct_draft_lines *lines,
                  struct ct_draft_line line)
{
    if (ct_mem_grow(&lines->items, &lines->room, lines->count + 1, sizeof(*lines->items)))
        lines->items[lines->count++] = line;
    else
        draft->failed = true;
}

const struct ct_draft_line *ct_draft_find(const struct ct_draft_lines *lines,
                                          const char *name)
{
    for (size_t i = 0; i < lines->count; i++)
        if (!lines->items[i].is_off && strcmp(lines->items[i].name, name) == 0)
            return &lines->items[i];
    return NULL;
}

/* --- lines --- */

/* A comment of one line, whatever the text holds. */
static void put_comment(const char *text, struct ct_str *out)
{
    ct_show_add(out, text, strlen(text), CT_SHOW_LINE);
}

static void put_decide(const char *decide, struct ct_str *out)
{
    if (!decide)
        return;
    ct_str_puts(out, CT_DRAFT_DECIDE);
    put_comment(decide, out);
    ct_str_putc(out, '\n');
}

static void put_line(const char *name, const char *value, const char *note, bool is_off,
                     size_t width, struct ct_str *out)
{
    size_t begin = out->length;

    ct_str_addf(out, "%s%-*s = ", is_off ? "; " : "", (int)width, name);
    if (is_off)
        put_comment(value, out);
    else
        ct_str_puts(out, value);
    if (note) {
        size_t used = out->length - begin;

        ct_str_addf(out, "%*s ; ",
                    (int)(used < COMMENT_COLUMN ? COMMENT_COLUMN - used : 1) - 1, "");
        put_comment(note, out);
    }
    ct_str_putc(out, '\n');
}

static void put_lines(const struct ct_draft_lines *lines, const char *section,
                      const char *head, struct ct_str *out)
{
    size_t width = 1;
    bool is_empty = true;

    for (size_t i = 0; i < lines->count; i++) {
        size_t length = strlen(lines->items[i].name);

        width = length > width && length < 24 ? length : width;
        is_empty = is_empty && lines->items[i].is_off;
    }
    if (!lines->count)
        return;
    /* A section without entries would be a mistake. */
    ct_str_addf(out, "\n%s[%s]%s\n", is_empty ? "; " : "", section, head);
    for (size_t i = 0; i < lines->count; i++) {
        const struct ct_draft_line *line = &lines->items[i];

        put_decide(line->decide, out);
        put_line(line->name, line->value, line->note, line->is_off, width, out);
    }
}

/* --- sections --- */

static void put_key(const char *key, const char *value, struct ct_str *out)
{
    if (value && *value)
        put_line(key, value, NULL, false, NAME_WIDTH, out);
}

static void put_kernel(const struct ct_draft *draft, struct ct_str *out)
{
    ct_str_puts(out, "; ");
    put_comment(draft->origin, out);
    ct_str_puts(out, "\n; Lines that begin with DECIDE name what is guessed: check them, "
                     "then remove them.\n\n[kernel]\n");
    put_key("name", draft->name, out);
    put_key("source", draft->source, out);
    put_key("options", draft->options, out);
    put_key("include", draft->include, out);
}

static void put_memory(const struct ct_draft_arg *arg, bool truth, struct ct_str *out)
{
    bool is_image = arg->memory == CT_DRAFT_IMAGE;

    ct_str_addf(out, "\n[%s %s]\n", is_image ? "image" : "buffer", arg->name);
    put_decide(arg->decide, out);
    put_key(is_image ? "format" : "type", arg->type, out);
    put_key(is_image ? "size" : "count", arg->count, out);
    put_key("fill", arg->fill, out);
    put_key("check", truth ? arg->check : NULL, out);
}

static void put_sizes(const char *key, const char *const *sizes, size_t dims,
                      struct ct_str *out)
{
    ct_str_addf(out, "%-*s =", (int)NAME_WIDTH, key);
    for (size_t d = 0; d < dims; d++)
        ct_str_addf(out, "%s %s", d ? "," : "", sizes[d]);
    ct_str_putc(out, '\n');
}

static void put_launch(const struct ct_draft *draft, struct ct_str *out)
{
    ct_str_addf(out, "\n[launch %s]\n", draft->function);
    put_decide(draft->launch_decide, out);
    for (size_t i = 0; i < draft->arg_count; i++)
        if (!draft->args[i].memory)
            put_decide(draft->args[i].decide, out);
    put_key("kernel", draft->function, out);
    if (draft->arg_count)
        ct_str_addf(out, "%-*s = ", (int)NAME_WIDTH, "args");
    for (size_t i = 0; i < draft->arg_count; i++) {
        const struct ct_draft_arg *arg = &draft->args[i];

        ct_str_addf(out, "%s%s", i ? ",\n          " : "",
                    arg->memory ? arg->name : arg->text);
    }
    ct_str_puts(out, draft->arg_count ? "\n" : "");
    put_sizes("global", draft->global, draft->dims, out);
    if (draft->local[0])
        put_sizes("local", draft->local, draft->dims, out);
}

static void put_reference(const struct ct_draft *draft, struct ct_str *out)
{
    if (!draft->has_outputs)
        return;
    ct_str_puts(
        out, "\n; The reference is the unmodified kernel in its default configuration.\n"
             "" CT_DRAFT_DECIDE "your own reference: C code, another kernel or expected "
             "contents\n[reference]\nconfig  =");
    for (size_t i = 0; i < draft->defaults.count; i++)
        ct_str_addf(out, " %s=%s", draft->defaults.items[i].name,
                    draft->defaults.items[i].value);
    ct_str_putc(out, '\n');
}

void ct_draft_put(const struct ct_draft *draft, bool truth, struct ct_str *out)
{
    put_kernel(draft, out);
    put_lines(&draft->problem, "problem", "", out);
    put_lines(&draft->lets, "let", "", out);
    put_lines(&draft->params, "param",
              "                                 ; each becomes -D NAME=value", out);
    put_lines(&draft->defines, "define", "", out);
    put_lines(&draft->constraints, "constraint", "", out);
    for (size_t i = 0; i < draft->arg_count; i++)
        if (draft->args[i].memory)
            put_memory(&draft->args[i], truth, out);
    put_launch(draft, out);
    if (truth)
        put_reference(draft, out);
}

void ct_draft_release(struct ct_draft *draft)
{
    struct ct_draft_lines *lists[] = {&draft->problem, &draft->lets,
                                      &draft->params,  &draft->defaults,
                                      &draft->defines, &draft->constraints};

    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        free(lists[i]->items);
    ct_arena_release(&draft->arena);
    *draft = (struct ct_draft){0};
}
