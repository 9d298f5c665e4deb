// SPDX-License-Identifier: Apache-2.0
// A space given by an explicit list of configurations instead of constraints: recorded results.
#ifndef CT_SPACE_SPACE_LISTED_SET_H
#define CT_SPACE_SPACE_LISTED_SET_H

#include "space/space.h"

/* Makes a space of exactly `count` configurations, `configs` holding param_count value indices
 * (within the binding's domains) each, in any order; repeated ones count once. Constraints and
 * conditions of the specification are ignored.  Indices follow the ascending order of the
 * configurations.  `binding` must outlive the space, `configs` need not.  Freed with
 * ct_space_free.  CT_E_NOMEM. */
enum ct_status ct_space_new_listed(const struct ct_binding *binding,
                                   const uint32_t *configs, size_t count,
                                   struct ct_space **out, struct ct_err *err);

#endif
