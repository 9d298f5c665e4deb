// SPDX-License-Identifier: Apache-2.0
// What online tuning works on: a space file, bound to the program's problem and device.
#ifndef CT_ONLINE_WORK_H
#define CT_ONLINE_WORK_H

#include "db/cltunedb-tune.h"
#include "db/store.h"
#include "plan/binding.h"
#include "space/space.h"

/* Zeros: nothing is open. */
struct ct_online_work {
    struct ct_arena arena; /* of the device's texts */
    struct ct_devinfo device;
    struct ct_spec *spec;
    struct ct_binding *binding;
    struct ct_space *space;
    struct ct_source_cache *sources;
    uint64_t
        default_index; /* of the default, or of the valid configuration nearest to it */
    struct ct_value *values; /* of the last configuration that was used */
    uint32_t *config;
};

/* Opens `space_file` for a request.  CT_E_USAGE: a fact or the device's name is missing, or a name of the
 * problem is unknown; CT_E_SPEC, CT_E_IO: the file; CT_E_NOT_FOUND: no configuration is valid;
 * CT_E_NOMEM.  Always release. */
enum ct_status ct_online_work_open(struct ct_online_work *work,
                                   const cltunedb_tune_request *request,
                                   const char *space_file, struct ct_err *err);
void ct_online_work_release(struct ct_online_work *work);

/* The index of a stored configuration; false if it is not valid here. */
bool ct_online_work_find(struct ct_online_work *work, const struct ct_db_value *values,
                         size_t count, uint64_t *index);

/* Plans configuration `index`, in `arena`, and leaves its values in work->values.  CT_E_SPEC: the
 * space file has no plan for it. */
enum ct_status ct_online_work_plan(struct ct_online_work *work, uint64_t index,
                                   struct ct_arena *arena, struct ct_plan *plan,
                                   struct ct_err *err);

/* Whether the device has a plan's work-groups and local memory, whether or not the space file has a
 * constraint for that. */
bool ct_online_work_fits(const struct ct_online_work *work, const struct ct_plan *plan);

#endif
