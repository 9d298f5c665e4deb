// SPDX-License-Identifier: Apache-2.0
// cltune search with weights: one search for several problems.
#ifndef CT_CLI_SEARCH_JOINT_H
#define CT_CLI_SEARCH_JOINT_H

#include "base/devinfo.h"
#include "cli/sweep.h"
#include "tune/options.h"

/* Searches on one device and shows the results; returns the exit status. */
int ct_cli_search_joint(const struct ct_options *options,
                        const struct ct_tune_options *tune, const struct ct_spec *spec,
                        struct ct_sweep *sweep, const struct ct_devinfo *device);

#endif
