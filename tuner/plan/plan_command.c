// SPDX-License-Identifier: Apache-2.0
// Programs in plans.
#include "plan/plan_command.h"

#include <string.h>

enum { TEXT_BYTES = 1, READ_BYTES = 12 }; /* at least, for counts */

static void put_words(struct ct_str *out, const struct ct_plan_words *words)
{
    ct_wire_put_u64(out, words->count);
    for (size_t i = 0; i < words->count; i++)
        ct_wire_put_text(out, words->words[i]);
}

/* What a run does and what is read from it. */
static void put_work(struct ct_str *out, const struct ct_plan_command *command)
{
    put_words(out, &command->run);
    put_words(out, &command->setup);
    ct_wire_put_u32(out, command->shell);
    ct_wire_put_text(out, command->input_hash.text);
    ct_wire_put_text(out, command->program_hash.text);
    ct_wire_put_u32(out, command->exit_status);
    ct_wire_put_text(out, command->expect);
    ct_wire_put_text(out, command->reject);
    ct_wire_put_text(out, command->compare);
    ct_wire_put_u64(out, command->read_count);
    for (size_t i = 0; i < command->read_count; i++) {
        ct_wire_put_text(out, command->reads[i].name);
        ct_wire_put_text(out, command->reads[i].pattern);
        ct_wire_put_text(out, command->reads[i].file);
        ct_wire_put_f64(out, command->reads[i].unit_ns);
        ct_wire_put_u32(out, command->reads[i].quantity);
    }
}

void ct_plan_command_put(struct ct_str *out, const struct ct_plan_command *command)
{
    ct_wire_put_u32(out, command != NULL);
    if (!command)
        return;
    put_work(out, command);
    put_words(out, &command->cleanup);
    ct_wire_put_text(out, command->folder);
    ct_wire_put_text(out, command->input);
    ct_wire_put_u64(out, command->limit_ns);
    ct_wire_put_u64(out, command->disk_bytes);
    ct_wire_put_u32(out, command->parallel_setup);
    ct_wire_put_u64(out, command->file_count);
    for (size_t i = 0; i < command->file_count; i++) {
        ct_wire_put_text(out, command->files[i].name);
        ct_wire_put_text(out, command->files[i].path);
        ct_wire_put_text(out, command->files[i].hash.text);
        ct_wire_put_text(out, command->files[i].text);
    }
}

void ct_plan_command_form(struct ct_str *form, const struct ct_plan_command *command)
{
    ct_wire_put_text(form, "program");
    put_work(form, command);
    for (size_t i = 0; i < command->file_count; i++) {
        ct_wire_put_text(form, command->files[i].name);
        ct_wire_put_text(form, command->files[i].hash.text);
        ct_wire_put_text(form, command->files[i].text);
    }
}

/* --- reading --- */

struct source {
    struct ct_wire_reader *in;
    struct ct_arena *arena;
};

static void *get_array(const struct source *s, size_t *count, size_t least_bytes,
                       size_t size_bytes)
{
    size_t wanted = ct_wire_get_count(s->in, least_bytes);
    void *array = ct_arena_array(s->arena, wanted ? wanted : 1, size_bytes);

    *count = array ? wanted : 0;
    s->in->failed |= !array;
    return array;
}

/* A text that is always there. */
static const char *get_text(const struct source *s)
{
    const char *text = ct_wire_get_text(s->in, s->arena);

    s->in->failed |= !text;
    return text ? text : "";
}

static void get_hash(const struct source *s, struct ct_hash *hash)
{
    const char *text = get_text(s);

    if (strlen(text) >= sizeof(hash->text))
        s->in->failed = true;
    else
        memcpy(hash->text, text, strlen(text) + 1);
}

static void get_words(const struct source *s, struct ct_plan_words *words)
{
    words->words = get_array(s, &words->count, TEXT_BYTES, sizeof(*words->words));
    for (size_t i = 0; i < words->count; i++)
        words->words[i] = get_text(s);
}

static void get_reads(const struct source *s, struct ct_plan_command *command)
{
    command->reads =
        get_array(s, &command->read_count, READ_BYTES, sizeof(*command->reads));
    for (size_t i = 0; i < command->read_count; i++) {
        struct ct_plan_read *read = &command->reads[i];

        read->name = get_text(s);
        read->pattern = get_text(s);
        read->file = ct_wire_get_text(s->in, s->arena);
        read->unit_ns = ct_wire_get_f64(s->in);
        read->quantity = ct_wire_get_u32(s->in);
    }
}

struct ct_plan_command *ct_plan_command_get(struct ct_wire_reader *in,
                                            struct ct_arena *arena)
{
    struct source s = {in, arena};
    struct ct_plan_command *command;

    if (!ct_wire_get_u32(in))
        return NULL;
    command = ct_arena_alloc(arena, sizeof(*command));
    if (!command) {
        in->failed = true;
        return NULL;
    }
    get_words(&s, &command->run);
    get_words(&s, &command->setup);
    command->shell = ct_wire_get_u32(in) != 0;
    get_hash(&s, &command->input_hash);
    get_hash(&s, &command->program_hash);
    command->exit_status = ct_wire_get_u32(in);
    command->expect = ct_wire_get_text(in, arena);
    command->reject = ct_wire_get_text(in, arena);
    command->compare = ct_wire_get_text(in, arena);
    get_reads(&s, command);
    get_words(&s, &command->cleanup);
    command->folder = ct_wire_get_text(in, arena);
    command->input = ct_wire_get_text(in, arena);
    command->limit_ns = ct_wire_get_u64(in);
    command->disk_bytes = ct_wire_get_u64(in);
    command->parallel_setup = ct_wire_get_u32(in) != 0;
    command->files =
        get_array(&s, &command->file_count, TEXT_BYTES, sizeof(*command->files));
    for (size_t i = 0; i < command->file_count; i++) {
        command->files[i].name = get_text(&s);
        command->files[i].path = ct_wire_get_text(in, arena);
        get_hash(&s, &command->files[i].hash);
        command->files[i].text = ct_wire_get_text(in, arena);
    }
    return command;
}
