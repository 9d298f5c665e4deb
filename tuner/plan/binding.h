// SPDX-License-Identifier: Apache-2.0
// A specification bound to a problem and a device: values of the parameters, constraints, plans
// of configurations.
#ifndef CT_PLAN_BINDING_H
#define CT_PLAN_BINDING_H

#include "plan/plan.h"
#include "spacefile/spec.h"

/* NAME=TEXT from the command line.  For problem names TEXT is an expression over
 * literals; for parameters a list as in [param] (`pow2(1, 8), 12`). */
struct ct_setting {
    const char *name;
    const char *text;
};

struct ct_binding_options {
    const struct ct_devinfo *device; /* NULL: device names have no value */
    size_t problem_count;
    const struct ct_setting *problem; /* overrides of [problem] */
    size_t restrict_count;
    /* --param: keep only these values of a parameter */
    const struct ct_setting *restrict_;
    size_t assume_count;
    /* --assume: values of device names without a device */
    const struct ct_setting *assume;
};

/* The values of a parameter after restriction, in file order, without duplicates. */
struct ct_domain {
    size_t count;
    const struct ct_value *values;
};

struct ct_binding {
    struct ct_arena arena;
    const struct ct_spec *spec; /* borrowed */
    /* Values by slot of all names that do not depend on parameters; CT_NONE for the rest. */
    struct ct_value *fixed;
    struct ct_domain *domains; /* one per parameter */
    /* For each parameter the index, within its domain, of the value it has while inactive
     * (its first value in the file; restriction keeps it when the condition can be
     * false). */
    uint32_t *inactive;
    const char *device_name; /* "" without a device; for [default PATTERN] */
    const char *device_vendor;
    const char *device_type;
    struct ct_domain *all; /* one per parameter: its values before restriction */
    /* For each parameter whether the first value of its domain is only there for inactive
     * configurations, because a restriction removed it. */
    bool *only_inactive;
};

/* Binds.  Errors (an unknown name, a value that is in no list, an empty domain, a problem that is
 * not a number, a type that is invalid for a parameter) are added to `diags`, and so are warnings
 * (a missing file, a default that violates a constraint): CT_E_SPEC for those of the file,
 * CT_E_USAGE for those of the settings (their place is the file name "command line"). `err`
 * repeats the first.  `spec` must outlive the binding. */
enum ct_status ct_binding_new(const struct ct_spec *spec,
                              const struct ct_binding_options *options,
                              struct ct_binding **out, struct ct_diags *diags,
                              struct ct_err *err);
void ct_binding_free(struct ct_binding *binding);

/* Fills env (symbol_count values) for a configuration: config[p] is an index into the
 * domain of parameter p.  Names that fail to evaluate are CT_NONE. */
void ct_binding_evaluate(const struct ct_binding *binding, const uint32_t *config,
                         struct ct_value *env);

/* Whether parameter `param` is active in an environment.  A condition that needs a missing device
 * counts as true, one that cannot be evaluated as false. */
bool ct_binding_active(const struct ct_binding *binding, size_t param,
                       const struct ct_value *env);

enum ct_verdict {
    CT_HOLDS,
    CT_VIOLATED,
    CT_FAILED,    /* it cannot be evaluated (division by zero): counts as violated */
    CT_UNDECIDED, /* it needs a limit that is not known: no device, or not reported */
};

/* Marks, by slot, everything that the marked slots depend on, down to parameters. */
void ct_binding_mark_uses(const struct ct_binding *binding, bool *marked);

/* Decides constraint number `index` in an environment. */
enum ct_verdict ct_binding_decide(const struct ct_binding *binding, size_t index,
                                  const struct ct_value *env);

/* The default configuration: [default PATTERN] sections that match the device (any part of its
 * name, vendor or type) before [default], the first one that names a parameter decides;
 * parameters not named have their first value, inactive ones too.  A default outside the
 * restricted domains is still returned: `values` (param_count of them) are values, not indices.
 * CT_E_SPEC if a value is in no list, an inactive parameter is given another value than its
 * first, or a constraint is violated (named in `err`). */
enum ct_status ct_binding_default(const struct ct_binding *binding,
                                  struct ct_value *values, struct ct_err *err);

/* The same values whether or not they satisfy the constraints: the basis of a partially named
 * configuration. */
enum ct_status ct_binding_start(const struct ct_binding *binding, struct ct_value *values,
                                struct ct_err *err);

/* Reads "NAME=VALUE" settings into values; parameters not named keep their `values`, or get their
 * first value if the settings make them inactive.  A text may be unquoted unless it is a defined
 * name.  Texts in `values` are owned by the binding. CT_E_USAGE with "did you mean". */
enum ct_status ct_binding_parse(const struct ct_binding *binding,
                                const struct ct_setting *settings, size_t count,
                                struct ct_value *values, struct ct_err *err);

/* As ct_binding_evaluate, with the parameters' values themselves. */
void ct_binding_evaluate_values(const struct ct_binding *binding,
                                const struct ct_value *values, struct ct_value *env);

/* Values of a configuration given as indices. */
void ct_binding_values(const struct ct_binding *binding, const uint32_t *config,
                       struct ct_value *values);

/* Appends "WG=16 VEC=4 STYLE=evenodd": text in single quotes only if it is not a word. Inactive
 * parameters are left out unless `env` is NULL. */
void ct_binding_print(const struct ct_binding *binding, const struct ct_value *values,
                      const struct ct_value *env, struct ct_str *out);

/* Appends one parameter of that: "STYLE=evenodd". */
void ct_binding_print_param(const struct ct_binding *binding, size_t param,
                            struct ct_value value, struct ct_str *out);

/* Evaluates metric number `index` for a configuration and its observed quantities.  False if it
 * cannot be evaluated, for example if it uses an unknown quantity. */
bool ct_binding_metric(const struct ct_binding *binding, size_t index,
                       const struct ct_value *values,
                       const struct ct_quantities *observed, double *out);

/* Most launches of a plan, once its loops are unrolled. */
enum { CT_BINDING_LAUNCHES_MAX = 100000 };

/* Plans a configuration: text templates filled in, sources read (spacefile/source.h; `cache` as
 * there; C and data files likewise), sizes computed, global sizes rounded up, loops unrolled, the
 * plan of the reference made.  The plan lives in `arena`.  A count, size or argument that cannot
 * be evaluated or does not fit its type is CT_E_SPEC with the place in the file; so are a missing
 * source, include or data file, more launches than CT_BINDING_LAUNCHES_MAX or none at all, and an
 * image or a double as an argument where the device is known to have none.
 *
 * Programs: the first is that of [kernel], unless no launch uses it.  `swap` exchanges what names
 * of buffers mean in launches, also those after the loop; checks, references and fills are about
 * the memory as declared. */
struct ct_source_cache;
enum ct_status ct_binding_plan(const struct ct_binding *binding,
                               const struct ct_value *values,
                               struct ct_source_cache *cache, struct ct_arena *arena,
                               struct ct_plan *plan, struct ct_err *err);

/* Only the programs and launches of that plan: no file of data is read. */
enum ct_status ct_binding_plan_launches(const struct ct_binding *binding,
                                        const struct ct_value *values,
                                        struct ct_source_cache *cache,
                                        struct ct_arena *arena, struct ct_plan *plan,
                                        struct ct_err *err);

#endif
