// SPDX-License-Identifier: Apache-2.0
// Keeps the last programs that were built.
#include "worker/build/kept_programs.h"

#include <stdlib.h>
#include <string.h>

/* Where the parameter that changes slowest is one of launches, all others' values come in between;
 * PoCL takes 1 MiB for a program. */
struct ct_kept_programs {
    struct {
        struct ct_hash key;
        struct ct_program *program; /* NULL: none */
        char *log;
        bool ahead; /* loaded for an evaluation to come: others are forgotten before */
    } items[CT_PROGRAMS_KEPT];
    size_t next;
};

static struct ct_hash key_of(const struct ct_compile *compile)
{
    struct ct_hash key = {""};
    struct ct_str form;

    if (!*compile->text.text)
        return key;
    ct_str_init(&form);
    ct_wire_put_text(&form, compile->text.text);
    ct_wire_put_text(&form, compile->source.data);
    ct_wire_put_text(&form, compile->options.data);
    if (!form.failed)
        key = ct_hash_bytes(form.data, form.length);
    ct_str_release(&form);
    return key;
}

static void forget(struct ct_kept_programs *kept, size_t at)
{
    ct_program_free(kept->items[at].program);
    free(kept->items[at].log);
    kept->items[at].program = NULL;
    kept->items[at].log = NULL;
}

/* The slot of the next program to be forgotten; CT_PROGRAMS_KEPT: all are for evaluations to come. */
static size_t next_slot(const struct ct_kept_programs *kept)
{
    for (size_t i = 0; i < CT_PROGRAMS_KEPT; i++) {
        size_t at = (kept->next + i) % CT_PROGRAMS_KEPT;

        if (!kept->items[at].program || !kept->items[at].ahead)
            return at;
    }
    return CT_PROGRAMS_KEPT;
}

/* Without memory nothing is kept, and nothing instead of what is wanted more. */
static void keep(struct ct_session *session, const struct ct_hash *key,
                 struct ct_program *program, const struct ct_str *log, size_t from,
                 bool ahead)
{
    struct ct_kept_programs *kept = session->kept_programs;
    size_t at;
    char *copy;

    if (!kept)
        kept = session->kept_programs = ct_mem_array(1, sizeof(*kept));
    at = kept ? next_slot(kept) : CT_PROGRAMS_KEPT;
    if (kept && ahead && at == CT_PROGRAMS_KEPT)
        at = kept->next;
    if (at == CT_PROGRAMS_KEPT)
        return;
    copy = ct_mem_copy(log->data + from, log->length - from);
    if (!copy)
        return;
    forget(kept, at);
    kept->items[at].key = *key;
    kept->items[at].program = ct_program_share(program);
    kept->items[at].log = copy;
    kept->items[at].ahead = ahead;
    kept->next = (at + 1) % CT_PROGRAMS_KEPT;
}

enum ct_status ct_kept_program(struct ct_session *session,
                               const struct ct_compile *compile, struct ct_program **out,
                               struct ct_str *log, bool ahead, uint32_t *shared,
                               struct ct_err *err)
{
    struct ct_kept_programs *kept = session->kept_programs;
    struct ct_hash key = key_of(compile);
    size_t from = log->length;
    enum ct_status status;

    for (size_t i = 0; kept && *key.text && i < CT_PROGRAMS_KEPT; i++)
        if (kept->items[i].program && !strcmp(kept->items[i].key.text, key.text)) {
            *out = ct_program_share(kept->items[i].program);
            ++*shared;
            kept->items[i].ahead = ahead;
            ct_str_puts(log, kept->items[i].log);
            return CT_OK;
        }
    status = ct_program_build(session->device, compile->source.data,
                              compile->options.data, out, log, err);
    if (!status && *key.text && !log->failed)
        keep(session, &key, *out, log, from, ahead);
    return status;
}

void ct_kept_programs_forget(struct ct_session *session)
{
    for (size_t i = 0; session->kept_programs && i < CT_PROGRAMS_KEPT; i++)
        forget(session->kept_programs, i);
    free(session->kept_programs);
    session->kept_programs = NULL;
}
