// SPDX-License-Identifier: Apache-2.0
// Which results of a kernel are comparable.
#ifndef CT_PLAN_IDENTITY_H
#define CT_PLAN_IDENTITY_H

#include "base/devinfo.h"
#include "base/hash.h"
#include "plan/plan.h"
#include "spacefile/spec.h"

/* The version of a kernel: its sources and everything in the space file that affects what a
 * configuration means and when it is right: options, names of parameters, definitions, buffers,
 * launches, checks, reference, and whether caches are cold when it is timed. Not values of
 * parameters, constraints, sizes of the problem, defaults, metrics, baseline, nor the kernel's
 * name: results stay comparable when those change.  `plan` is any plan of the specification, for
 * the hashes of the files.  An empty text if out of memory. */
struct ct_hash ct_spec_version(const struct ct_spec *spec, const struct ct_plan *plan);

/* Seed of the random inputs.  Constant: that of a search concerns choices, and other inputs would
 * be another experiment. */
enum { CT_INPUT_SEED = 1 };

/* Identity of an experiment: the plan, the device, its driver and the seed of its inputs. */
struct ct_hash ct_experiment_hash(const struct ct_plan *plan,
                                  const struct ct_devinfo *device);

#endif
