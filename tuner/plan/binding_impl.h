// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the binding.
#ifndef CT_PLAN_BINDING_IMPL_H
#define CT_PLAN_BINDING_IMPL_H

#include "plan/binding.h"

/* The place of errors in settings. */
#define CT_BINDING_PLACE "command line"

/* Reads a parameter's list as given on the command line into values; it may use names that do not
 * depend on parameters.  Values are those of the parameter's own list (texts are borrowed from
 * the binding), without duplicates.  False if the text is invalid (diagnoses name the setting) or
 * memory is short (diags->failed). */
bool ct_binding_read_list(const struct ct_binding *binding, size_t param,
                          const struct ct_setting *setting, struct ct_arena *arena,
                          const struct ct_value **values, size_t *count,
                          struct ct_diags *diags);

/* Reads a value without names: a number, or, for `text`, any text. */
bool ct_binding_read_value(const struct ct_binding *binding,
                           const struct ct_setting *setting, bool text,
                           struct ct_arena *arena, struct ct_value *out,
                           struct ct_diags *diags);

/* --- binding_check.c --- */

/* Checks a binding before any configuration is planned: invalid types (errors), missing files and
 * an invalid default (warnings).  False if out of memory. */
bool ct_binding_check(const struct ct_binding *binding, struct ct_diags *diags);

/* Reports why `expr` cannot be evaluated, following names to their definitions. */
void ct_binding_explain(const struct ct_binding *binding, const struct ct_expr *expr,
                        enum ct_eval failed, const struct ct_value *env,
                        struct ct_str *out);

#endif
