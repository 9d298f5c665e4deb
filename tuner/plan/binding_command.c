// SPDX-License-Identifier: Apache-2.0
// Plans a configuration of a program.
#include "plan/binding_plan.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The largest program or input whose contents count. */
static const uint64_t most_bytes = (uint64_t)1 << 30;
/* What a run may write unless the file says so. */
static const double disk_bytes = 0x1p30;

/* --- words --- */

static void add_word(struct ct_planner *p, struct ct_plan_words *words, const char *text,
                     size_t length)
{
    const char *kept = ct_arena_copy(p->arena, text, length);

    if (!kept && !p->status)
        p->status = ct_err_nomem(p->err);
    words->words[words->count++] = kept;
}

static size_t count_words(const char *text)
{
    size_t count = 0;

    for (text += strspn(text, " \t"); *text; count++) {
        text += strcspn(text, " \t");
        text += strspn(text, " \t");
    }
    return count;
}

static void plan_words(struct ct_planner *p, const struct ct_spec_words *from,
                       struct ct_plan_words *words)
{
    const char **filled = ct_planner_alloc(p, from->count, sizeof(*filled));
    size_t room = 0;

    for (size_t i = 0; !p->status && i < from->count; i++) {
        filled[i] = ct_planner_fill(p, &from->items[i].text);
        if (filled[i])
            room += from->items[i].splits ? count_words(filled[i]) : 1;
    }
    words->words = ct_planner_alloc(p, room, sizeof(*words->words));
    for (size_t i = 0; !p->status && i < from->count; i++) {
        const char *text = filled[i];

        if (!text)
            break;
        if (!from->items[i].splits) {
            add_word(p, words, text, strlen(text));
            continue;
        }
        for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
            add_word(p, words, text, strcspn(text, " \t"));
            text += strcspn(text, " \t");
        }
    }
}

/* --- files --- */

static void hash_file(struct ct_planner *p, const struct ct_template *at,
                      const char *path, struct ct_hash *hash)
{
    char why[CT_FILE_WHY_SIZE];
    int error = path ? ct_source_hash_file(p->cache, path, most_bytes, hash) : 0;

    if (error)
        CT_PLANNER_FAIL(p, at->place, "cannot read '%s': %s", at->text,
                        ct_file_why(why, error, most_bytes));
}

/* The slot of the name in `${NAME}` at `at`, whose end it gives; -1 after an error. */
static int slot_at(struct ct_planner *p, const struct ct_spec_file *from, const char *at,
                   const char **end)
{
    const char *close = strchr(at, '}');
    size_t length = close ? (size_t)(close - at) - 2 : 0;
    const char *name = close ? ct_arena_copy(p->arena, at + 2, length) : NULL;
    int slot = name ? ct_spec_find(p->binding->spec, name) : -1;

    if (slot < 0 || p->env[slot].kind == CT_NONE) {
        CT_PLANNER_FAIL(p, from->path.place,
                        "'${%s}' in '%s' is no name of this file with a value; write "
                        "$${ for the characters themselves",
                        name ? name : "", from->path.text);
        return -1;
    }
    *end = close + 1;
    return slot;
}

/* A template's text with the names replaced. */
static const char *fill_text(struct ct_planner *p, const struct ct_spec_file *from,
                             const char *text)
{
    struct ct_str out;

    ct_str_init(&out);
    while (*text && !p->status) {
        const char *end;
        int slot;

        if (ct_str_starts(text, "$${")) {
            ct_str_puts(&out, "${");
            text += 3;
        } else if (ct_str_starts(text, "${")) {
            slot = slot_at(p, from, text, &end);
            if (slot >= 0) {
                ct_value_print(&out, p->env[slot]);
                text = end;
            }
        } else {
            ct_str_putc(&out, *text++);
        }
    }
    return ct_planner_keep(p, &out);
}

static void plan_template(struct ct_planner *p, const struct ct_spec_file *from,
                          struct ct_plan_file *file)
{
    const char *path = ct_planner_path(p, &from->path);
    struct ct_err why = CT_ERR_INIT;
    const char *text;
    size_t length;

    file->name = from->name;
    if (!path)
        return;
    if (ct_reader_slurp(path, p->arena, &text, &length, &why)) {
        CT_PLANNER_FAIL(p, from->path.place, "cannot read '%s': %s", from->path.text,
                        why.message);
        return;
    }
    file->text = fill_text(p, from, text);
}

static void plan_files(struct ct_planner *p, const struct ct_spec_command *from,
                       struct ct_plan_command *command)
{
    command->files = ct_planner_alloc(p, from->file_count + from->template_count,
                                      sizeof(*command->files));
    for (size_t i = 0; !p->status && i < from->file_count; i++) {
        struct ct_plan_file *file = &command->files[command->file_count++];

        file->name = from->files[i].name;
        file->path = ct_planner_path(p, &from->files[i].path);
        hash_file(p, &from->files[i].path, file->path, &file->hash);
    }
    for (size_t i = 0; !p->status && i < from->template_count; i++)
        plan_template(p, &from->templates[i], &command->files[command->file_count++]);
    if (!p->status && from->input.text) {
        command->input = ct_planner_path(p, &from->input);
        hash_file(p, &from->input, command->input, &command->input_hash);
    }
}

/* --- the program --- */

/* The path of a program in PATH, or NULL. */
static const char *find_program(struct ct_planner *p, const char *name)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        size_t length = strcspn(path, ":");
        const char *full = ct_arena_format(p->arena, "%.*s/%s", (int)length, path, name);

        if (full && !access(full, X_OK))
            return full;
        path += length + (path[length] == ':');
    }
    return NULL;
}

/* A program that is installed is part of the experiment; one that the set-up makes follows from the
 * files. */
static void plan_program(struct ct_planner *p, const struct ct_spec_command *from,
                         struct ct_plan_command *command)
{
    const char *name = command->run.count ? command->run.words[0] : "";
    const char *path;

    if (!*name) {
        CT_PLANNER_FAIL(p, from->command.place, "the command is empty");
        return;
    }
    if (command->shell || strchr(name, '/'))
        path = *name == '/' ? name : NULL;
    else
        path = find_program(p, name);
    if (!path && !command->shell && !strchr(name, '/'))
        CT_PLANNER_FAIL(
            p, from->command.place,
            "there is no program '%s' in PATH; write ./%s if the set-up makes "
            "it",
            name, name);
    if (path && !command->shell)
        ct_source_hash_file(p->cache, path, most_bytes, &command->program_hash);
}

static const char *pattern_of(struct ct_planner *p, const struct ct_spec_word *word)
{
    const char *kept =
        word->text ? ct_arena_copy(p->arena, word->text + 1, strlen(word->text) - 2)
                   : NULL;

    if (word->text && !kept && !p->status)
        p->status = ct_err_nomem(p->err);
    return kept;
}

static void plan_reads(struct ct_planner *p, const struct ct_spec_command *from,
                       struct ct_plan_command *command)
{
    const struct ct_spec *spec = p->binding->spec;

    command->reads = ct_planner_alloc(p, from->read_count, sizeof(*command->reads));
    for (size_t i = 0; !p->status && i < from->read_count; i++) {
        const struct ct_spec_read *read = &from->reads[i];

        command->reads[command->read_count++] = (struct ct_plan_read){
            .name = read->name,
            .pattern = read->pattern,
            .file = read->file,
            .unit_ns = read->unit_ns,
            .quantity =
                read->slot >= 0 ? (uint32_t)spec->slots.symbols[read->slot].quantity : 0,
        };
    }
}

void ct_planner_command(struct ct_planner *p, struct ct_plan *plan)
{
    const struct ct_spec_command *from = &p->binding->spec->command;
    struct ct_plan_command *command = ct_planner_alloc(p, 1, sizeof(*command));

    plan->command = command;
    if (!command)
        return;
    command->shell = from->shell != 0;
    command->parallel_setup = from->parallel_setup != 0;
    command->exit_status = (uint32_t)from->exit_status;
    command->compare = from->compare.text;
    command->limit_ns = (uint64_t)(from->limit_s * 1e9);
    command->disk_bytes =
        (uint64_t)(from->disk_bytes > 0 ? from->disk_bytes : disk_bytes);
    plan_words(p, &from->command, &command->run);
    if (!p->status)
        plan_words(p, &from->setup, &command->setup);
    if (!p->status)
        plan_words(p, &from->cleanup, &command->cleanup);
    if (!p->status)
        plan_program(p, from, command);
    command->expect = pattern_of(p, &from->expect);
    command->reject = pattern_of(p, &from->reject);
    if (!p->status && from->folder.text && command->parallel_setup)
        CT_PLANNER_FAIL(
            p, from->folder.place,
            "with 'parallel_setup = on' each configuration requires a folder of "
            "its own; remove 'folder'");
    if (!p->status && from->folder.text)
        command->folder = ct_planner_path(p, &from->folder);
    if (!p->status)
        plan_files(p, from, command);
    if (!p->status)
        plan_reads(p, from, command);
}
