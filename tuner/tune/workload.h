// SPDX-License-Identifier: Apache-2.0
// What a session works on: one space file, bound to one problem and one device, and space for one
// configuration at a time.
#ifndef CT_TUNE_WORKLOAD_H
#define CT_TUNE_WORKLOAD_H

#include "base/devinfo.h"
#include "plan/binding.h"
#include "plan/plan.h"
#include "space/space.h"
#include "spacefile/source.h"
#include "tune/options.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CT_OUTSIDE = -1
}; /* the default configuration may lie outside a restricted space */

struct ct_workload {
    const struct ct_devinfo *device; /* borrowed */
    const struct ct_spec *spec;      /* borrowed */
    struct ct_binding *binding;      /* owned */
    struct ct_space *space;          /* owned; NULL if single configurations are enough */
    struct ct_source_cache *sources;
    enum ct_cache_state cache;
    int64_t default_index; /* in the space, or CT_OUTSIDE */
    struct ct_value *default_values;
    /* Space for one configuration. */
    struct ct_arena arena; /* of its plan */
    struct ct_value *values;
    struct ct_value *env;
    uint32_t *config;
};

/* Takes over binding and space, also on failure.  CT_E_NOMEM, or as for ct_binding_default. */
enum ct_status ct_workload_init(struct ct_workload *work, const struct ct_devinfo *device,
                                const struct ct_spec *spec, struct ct_binding *binding,
                                struct ct_space *space, enum ct_cache_state cache,
                                struct ct_err *err);
void ct_workload_release(struct ct_workload *work);

/* Copies the values of configuration `index` of the space, or of the default outside it, to
 * work->values. */
void ct_workload_values(const struct ct_workload *work, int64_t index);

/* Makes the plan of the configuration in work->values, in `arena`; `needs`: quantities to observe
 * besides those of the space file's metrics.  Errors as for ct_binding_plan. */
enum ct_status ct_workload_plan(const struct ct_workload *work, uint32_t needs,
                                struct ct_arena *arena, struct ct_plan *plan,
                                struct ct_err *err);

/* The same for configuration `index`, in the workload's own arena: valid until the next such
 * call. */
enum ct_status ct_workload_plan_of(struct ct_workload *work, uint32_t needs,
                                   int64_t index, struct ct_plan *plan,
                                   struct ct_err *err);

/* Identity of an experiment: the plan, the device, its driver and the seed of its inputs. */
struct ct_hash ct_workload_experiment(const struct ct_workload *work,
                                      const struct ct_plan *plan);

/* Appends a configuration, without inactive parameters. */
void ct_workload_put_config(const struct ct_workload *work, const struct ct_value *values,
                            struct ct_str *out);

/* Metric `name` of the configuration in work->values; NaN if there is none. */
double ct_workload_metric(const struct ct_workload *work, const char *name,
                          const struct ct_quantities *observed);

/* CT_E_IO if an included file changed since it was read: the build may be a mixture. */
enum ct_status ct_workload_check_sources(const struct ct_workload *work,
                                         struct ct_err *err);

#endif
