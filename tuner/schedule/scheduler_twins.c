// SPDX-License-Identifier: Apache-2.0
// Configurations whose programs are the same are compiled once.
//
// A work-group size of which the source knows nothing, or a number of work-items, leaves the
// program as it is.  The second of two such builds finds what the first has stored, or the driver
// in its own cache, so it waits for the first to end.  Only the first: if that stores nothing,
// because the program is refused, or kills its compiler, the others do not fail one after the
// other, too.
#include "schedule/scheduler_impl.h"

#include <string.h>

/* Of all its programs; "": nothing tells that they are the same. */
static struct ct_hash programs_key(struct ct_scheduler *scheduler,
                                   const struct ct_plan *plan)
{
    struct ct_hash none = {""};
    struct ct_hash all;
    struct ct_str form;

    ct_str_init(&form);
    for (size_t i = 0; i < plan->program_count; i++) {
        const struct ct_program_text *text = NULL;
        struct ct_hash key;

        if (ct_program_text_get(scheduler->texts, &plan->programs[i], &text, NULL) ||
            !*text->hash.text) {
            ct_str_release(&form);
            return none;
        }
        key = ct_program_text_build_key(scheduler->texts, plan, i);
        ct_wire_put_text(&form, key.text);
    }
    all = form.failed || !form.length ? none : ct_hash_bytes(form.data, form.length);
    ct_str_release(&form);
    return all;
}

struct ct_hash ct_scheduler_twin_key(struct ct_scheduler *scheduler,
                                     const struct ct_plan *plan)
{
    struct ct_hash none = {""};

    return plan->command ||
                   (scheduler->options.no_cache && !ct_scheduler_compiles_late(scheduler))
               ? none
               : programs_key(scheduler, plan);
}

bool ct_scheduler_waits_for_twin(const struct ct_scheduler *scheduler,
                                 const struct ct_hash *key)
{
    uint64_t ended;

    if (!*key->text || ct_map_find_hash(&scheduler->built_once, key, &ended))
        return false;
    for (unsigned i = 0; i < scheduler->builder_count; i++)
        if (scheduler->builders[i].busy &&
            !strcmp(scheduler->builders[i].twins.text, key->text))
            return true;
    return false;
}

void ct_scheduler_note_twin(struct ct_scheduler *scheduler, struct ct_worker_slot *slot)
{
    /* Without memory, others do not wait for long either: nobody works on it now. */
    if (*slot->twins.text)
        ct_map_put_hash(&scheduler->built_once, &slot->twins, 1);
    slot->twins.text[0] = '\0';
}
