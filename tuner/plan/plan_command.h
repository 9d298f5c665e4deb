// SPDX-License-Identifier: Apache-2.0
// The part of a plan that is a program: as bytes between processes, and as an identity.
#ifndef CT_PLAN_PLAN_COMMAND_H
#define CT_PLAN_PLAN_COMMAND_H

#include "plan/plan.h"

/* Appends a command, or that there is none (NULL). */
void ct_plan_command_put(struct ct_str *out, const struct ct_plan_command *command);

/* Reads it; NULL if there is none.  Owned by the arena.  Check in->failed afterwards, which is
 * also set if memory is short. */
struct ct_plan_command *ct_plan_command_get(struct ct_wire_reader *in,
                                            struct ct_arena *arena);

/* Appends what makes two commands the same work: no folders, no limits. */
void ct_plan_command_form(struct ct_str *form, const struct ct_plan_command *command);

#endif
