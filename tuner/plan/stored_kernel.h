// SPDX-License-Identifier: Apache-2.0
// What the database keeps of a space file, and of one of its configurations.
#ifndef CT_PLAN_STORED_KERNEL_H
#define CT_PLAN_STORED_KERNEL_H

#include "db/store.h"
#include "plan/binding.h"

/* Stores the kernel of a bound space file, with parameters, constraints and the file's place;
 * `plan` is any plan of it.  Errors as for ct_db_kernel_put. */
enum ct_status ct_stored_kernel_put(struct ct_db *db, const struct ct_binding *binding,
                                    const struct ct_plan *plan, int64_t *kernel_id,
                                    struct ct_err *err);

/* Stores its problem.  Errors as for ct_db_problem_put. */
enum ct_status ct_stored_problem_put(struct ct_db *db, const struct ct_binding *binding,
                                     int64_t *problem_id, struct ct_err *err);

/* Appends the problem as canonical JSON. */
enum ct_status ct_stored_problem(const struct ct_binding *binding, struct ct_str *out,
                                 struct ct_err *err);

/* Appends a configuration, one value per parameter, as canonical JSON. */
enum ct_status ct_stored_config(const struct ct_spec *spec, const struct ct_value *values,
                                struct ct_str *out, struct ct_err *err);

/* Appends what a build elsewhere needs: the options of the first program without include folders,
 * which belong to this machine; nothing for a plan that only copies.  False if out of memory. */
bool ct_stored_flags(const struct ct_plan *plan, struct ct_str *out);

#endif
