// SPDX-License-Identifier: Apache-2.0
// The evaluations that a worker keeps.
#include "worker/timing/interleave.h"

#include "worker/evaluate.h"

#include <stdlib.h>
#include <string.h>

struct slot {
    struct ct_arena arena; /* owns the plan */
    struct ct_plan plan;
    struct ct_hash hash;
    struct ct_evaluation ev;
    uint32_t sampled; /* samples since the evaluation */
    bool verified;
};

struct ct_interleave {
    struct slot *slots[CT_INTERLEAVE_SLOTS]; /* NULL: free */
};

static void free_slot(struct slot *slot)
{
    if (!slot)
        return;
    ct_evaluation_release(&slot->ev);
    ct_arena_release(&slot->arena);
    free(slot);
}

void ct_interleave_free(struct ct_interleave *interleave)
{
    for (size_t i = 0; interleave && i < CT_INTERLEAVE_SLOTS; i++)
        free_slot(interleave->slots[i]);
    free(interleave);
}

/* The request's slot; NULL if there is none, or out of memory. */
static struct slot **find_interleaved(struct ct_session *session,
                                      const struct ct_request *request,
                                      struct ct_err *err)
{
    uint32_t number = request->step.slot;

    if (!number || number > CT_INTERLEAVE_SLOTS) {
        ct_err_set(err, CT_E_WORKER, "the request is damaged");
        return NULL;
    }
    if (!session->interleave)
        session->interleave = calloc(1, sizeof(*session->interleave));
    if (!session->interleave) {
        ct_err_nomem(err);
        return NULL;
    }
    return &session->interleave->slots[number - 1];
}

static struct slot *make_slot(struct ct_arena *arena, const struct ct_plan *plan,
                              const struct ct_hash *hash)
{
    struct slot *slot = calloc(1, sizeof(*slot));

    if (!slot)
        return NULL;
    slot->arena = *arena;
    memset(arena, 0, sizeof(*arena));
    slot->plan = *plan;
    slot->hash = *hash;
    return slot;
}

static enum ct_step sample_more(struct slot *slot, struct ct_err *err)
{
    enum ct_step step;

    slot->ev.outcome->verified = slot->verified;
    step = ct_evaluation_more(&slot->ev, err);
    if (step == CT_STEP_DONE)
        slot->ev.outcome->samples.interleaved = ++slot->sampled;
    return step;
}

enum ct_status ct_session_interleave(struct ct_session *session, struct ct_arena *arena,
                                     const struct ct_plan *plan,
                                     const struct ct_request *request,
                                     const struct ct_handover *handover,
                                     struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_hash hash = ct_plan_hash(plan);
    struct slot **at = find_interleaved(session, request, err);
    struct slot *slot = at ? *at : NULL;
    bool kept = slot && *hash.text && !strcmp(slot->hash.text, hash.text);
    enum ct_step step = CT_STEP_DONE;

    if (!at)
        return err->code;
    if (!kept) {
        free_slot(slot);
        slot = *at = make_slot(arena, plan, &hash);
        if (!slot)
            return ct_err_nomem(err);
        slot->ev = (struct ct_evaluation){.session = session, .plan = &slot->plan};
    }
    slot->ev.request = request;
    slot->ev.handover = handover;
    slot->ev.outcome = slot->ev.pipeline.outcome = outcome;
    ct_evaluation_begin(session, outcome);
    if (!kept || !request->step.sample) {
        ct_evaluation_release(&slot->ev);
        slot->sampled = 0;
        step = ct_evaluation_run(&slot->ev, err);
        slot->verified = outcome->verified;
    }
    if (step == CT_STEP_DONE && request->step.sample)
        step = sample_more(slot, err);
    if (step != CT_STEP_DONE) {
        free_slot(slot);
        *at = NULL;
    }
    ct_evaluation_end(session, outcome);
    return step == CT_STEP_ERROR ? err->code : CT_OK;
}
