// SPDX-License-Identifier: Apache-2.0
// What the files of the binding share.
#ifndef CT_PLAN_BINDING_IMPL_H
#define CT_PLAN_BINDING_IMPL_H

#include "plan/binding.h"

/* Where mistakes in settings stand. */
#define CT_BINDING_PLACE "command line"

/* Reads a parameter's list as given on the command line into values; names may be those
 * that no parameter changes.  Values are those of the parameter's own list (texts are
 * borrowed from the binding), and the same value twice is one.  False when the text is
 * wrong (diagnoses name the setting) or memory is short (diags->failed). */
bool ct_binding_read_list(const struct ct_binding *binding, size_t param,
                          const struct ct_setting *setting, struct ct_arena *arena,
                          const struct ct_value **values, size_t *count,
                          struct ct_diags *diags);

/* Reads a value without names: a number, or, for `text`, whatever stands there. */
bool ct_binding_read_value(const struct ct_binding *binding,
                           const struct ct_setting *setting, bool text,
                           struct ct_arena *arena, struct ct_value *out,
                           struct ct_diags *diags);

/* Whether evaluating `expr` fails for want of a device limit alone. */
bool ct_binding_lacks_device(const struct ct_binding *binding, const struct ct_expr *expr,
                             const struct ct_value *env);

/* Marks, by slot, everything that the marked slots are made of, parameters at last. */
void ct_binding_mark_uses(const struct ct_binding *binding, bool *marked);

/* --- binding_check.c --- */

/* What can be told of a binding before any configuration is planned: types that a
 * parameter makes wrong (errors), files that are not there and a default that is none
 * (warnings).  False when memory is short. */
bool ct_binding_check(const struct ct_binding *binding, struct ct_diags *diags);

/* Says why `expr` cannot be evaluated, following names to what they are made of. */
void ct_binding_explain(const struct ct_binding *binding, const struct ct_expr *expr,
                        enum ct_eval failed, const struct ct_value *env,
                        struct ct_str *out);

#endif
