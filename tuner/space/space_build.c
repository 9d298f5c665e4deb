// SPDX-License-Identifier: Apache-2.0
// Constructs a space: its components one after the other, and its statistics.
#include "space/space_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- beginning and ending --- */

static bool begin_build(struct ct_build *build, const struct ct_binding *binding,
                        const struct ct_space_options *options, struct ct_err *err)
{
    size_t params = binding->spec->param_count;
    uint64_t used_bytes;

    memset(build, 0, sizeof(*build));
    build->binding = binding;
    build->spec = binding->spec;
    build->err = err;
    build->granted_bytes = options && options->memory_max_bytes
                               ? options->memory_max_bytes
                               : CT_SPACE_MEMORY_BYTES;
    used_bytes = options ? options->memory_used_bytes : 0;
    build->memory.limit_bytes =
        build->granted_bytes > used_bytes ? build->granted_bytes - used_bytes : 0;
    build->enumerate = options && options->enumerate;
    if (!ct_dag_init(&build->dag, params, &build->memory))
        return false;
    build->values = ct_mem_array(params, sizeof(*build->values));
    build->leader = ct_mem_array(params, sizeof(*build->leader));
    if (!build->values || !build->leader)
        return false;
    for (size_t p = 0; p < params; p++) {
        struct ct_space_values *values = &build->values[p];

        values->count = values->domain_count = binding->domains[p].count;
        values->indices =
            ct_space_memory_new(&build->memory, values->count, sizeof(*values->indices));
        if (!values->indices)
            return false;
        for (size_t i = 0; i < values->count; i++)
            values->indices[i] = (uint32_t)i;
        build->leader[p] = p;
    }
    return true;
}

static void end_build(struct ct_build *build)
{
    for (size_t p = 0; build->values && p < build->spec->param_count; p++)
        ct_space_memory_free(&build->memory, build->values[p].indices,
                             build->values[p].domain_count, sizeof(uint32_t));
    free(build->values);
    free(build->leader);
    ct_space_memory_free(&build->memory, build->roots, build->root_room,
                         sizeof(*build->roots));
    ct_dag_release(&build->dag);
}

/* --- messages --- */

/* The parameters of a component: "A, B and 3 more". */
static void put_params(const struct ct_build *build,
                       const struct ct_component_build *component, struct ct_str *out)
{
    enum { SHOWN = 6 };

    for (size_t i = 0; i < component->param_count && i < SHOWN; i++)
        ct_str_addf(
            out, "%s%s", i ? ", " : "",
            build->spec->slots.symbols[build->spec->params[component->params[i]].slot]
                .name);
    if (component->param_count > SHOWN)
        ct_str_addf(out, " and %zu more", component->param_count - SHOWN);
}

/* "1024 MiB", "10 KiB" */
static void put_limit(const struct ct_build *build, struct ct_str *out)
{
    static const char *const units[] = {"B", "KiB", "MiB"};
    uint64_t size = build->granted_bytes;
    size_t unit = 0;

    for (; unit < 2 && size >= 1024 && size % 1024 == 0; size /= 1024)
        unit++;
    ct_str_addf(out, "%llu %s", (unsigned long long)size, units[unit]);
}

/* Why a component could not be built, with advice. */
static enum ct_status too_large(struct ct_build *build,
                                const struct ct_component_build *component,
                                size_t culprit, bool listing)
{
    const struct ct_spec *spec = build->spec;
    const struct ct_named_expr *constraint = NULL;
    struct ct_str params;
    struct ct_str what;

    if (culprit != SIZE_MAX && build->roots[culprit].constraint != SIZE_MAX)
        constraint = &spec->constraints[build->roots[culprit].constraint];
    ct_str_init(&params);
    ct_str_init(&what);
    put_params(build, component, &params);
    if (build->tried > CT_SPACE_TRIED_MAX) {
        ct_str_addf(&what, "requires trying more than %llu combinations",
                    (unsigned long long)CT_SPACE_TRIED_MAX);
    } else {
        ct_str_puts(&what, "requires more than ");
        put_limit(build, &what);
    }
    if (constraint)
        ct_err_at(build->err, CT_E_SPEC, spec->path, constraint->place.line,
                  constraint->place.column,
                  "the space of the parameters %s %s%s; constraint '%s' (%s) connects "
                  "them: use --param to keep fewer values, or simplify it%s",
                  params.data, what.data, listing ? " even as a list" : "",
                  constraint->name, constraint->expr->text,
                  listing ? "" : ", or use --enumerate to list the space");
    else
        ct_err_set(
            build->err, CT_E_SPEC,
            "the space of the parameters %s %s%s: use --param to keep fewer values%s",
            params.data, what.data, listing ? " even as a list" : "",
            listing ? "" : ", or use --enumerate to list the space");
    ct_str_release(&params);
    ct_str_release(&what);
    return CT_E_SPEC;
}

/* Why nothing could be built. */
static enum ct_status not_begun(const struct ct_build *build)
{
    struct ct_str limit;

    if (build->too_deep)
        return ct_err_at(
            build->err, CT_E_SPEC, build->spec->path, 0, 0,
            "names that are computed from other names nest too deeply: shorten the "
            "chain");
    if (!build->memory.over)
        return ct_err_nomem(build->err);
    ct_str_init(&limit);
    put_limit(build, &limit);
    ct_err_set(build->err, CT_E_SPEC,
               "the values of the parameters alone require more than %s: use --param "
               "to keep fewer",
               limit.data);
    ct_str_release(&limit);
    return CT_E_SPEC;
}

/* --- components --- */

/* The members of each component side by side, so that no component searches those of others:
 * parameters in order, roots in order. */
struct members {
    size_t *param_end; /* by leader: behind its last parameter in `params` */
    size_t *params;
    size_t *root_end; /* by leader: behind its last root in `roots` */
    uint32_t *roots;  /* those not done yet */
};

static void members_release(struct members *members)
{
    free(members->param_end);
    free(members->params);
    free(members->root_end);
    free(members->roots);
}

/* The component of a root is that of any parameter that it depends on. */
static size_t leader_of_root(const struct ct_build *build, size_t r)
{
    const uint64_t *support = ct_dag_at(&build->dag, build->roots[r].node)->support;
    size_t word = 0;

    while (!support[word])
        word++;
    return build->leader[word * 64 + (size_t)__builtin_ctzll(support[word])];
}

/* Turns counts into positions: they become ends as members are inserted. */
static void counts_to_begins(size_t *counts, size_t count)
{
    size_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        size_t own = counts[i];

        counts[i] = sum;
        sum += own;
    }
}

static bool members_init(const struct ct_build *build, struct members *members)
{
    size_t params = build->spec->param_count;
    size_t *leaders = ct_mem_array(build->root_count, sizeof(*leaders));

    members->param_end = ct_mem_array(params, sizeof(*members->param_end));
    members->params = ct_mem_array(params, sizeof(*members->params));
    members->root_end = ct_mem_array(params, sizeof(*members->root_end));
    members->roots = ct_mem_array(build->root_count, sizeof(*members->roots));
    if (!leaders || !members->param_end || !members->params || !members->root_end ||
        !members->roots) {
        free(leaders);
        return false;
    }
    for (size_t p = 0; p < params; p++)
        members->param_end[build->leader[p]]++;
    counts_to_begins(members->param_end, params);
    for (size_t p = 0; p < params; p++)
        members->params[members->param_end[build->leader[p]]++] = p;
    for (size_t r = 0; r < build->root_count; r++)
        if (!build->roots[r].done)
            members->root_end[leaders[r] = leader_of_root(build, r)]++;
    counts_to_begins(members->root_end, params);
    for (size_t r = 0; r < build->root_count; r++)
        if (!build->roots[r].done)
            members->roots[members->root_end[leaders[r]]++] = (uint32_t)r;
    free(leaders);
    return true;
}

/* The parameters and open roots of the component that `leader` leads.  Leaders are the first of
 * their parameters, in any order: the members of one begin where those of the leader before it
 * end. */
static bool collect_component(struct ct_build *build, const struct members *members,
                              size_t leader, struct ct_component_build *component)
{
    size_t first_param = leader ? members->param_end[leader - 1] : 0;
    size_t first_root = leader ? members->root_end[leader - 1] : 0;
    size_t params = members->param_end[leader] - first_param;
    size_t roots = members->root_end[leader] - first_root;

    component->params = ct_mem_array(params, sizeof(*component->params));
    component->roots = ct_mem_array(roots, sizeof(*component->roots));
    if (!component->params || !component->roots)
        return false;
    memcpy(component->params, members->params + first_param,
           params * sizeof(*component->params));
    component->param_count = params;
    /* Roots that do not contain the leader itself belong to it through others: last. */
    for (int through = 0; through < 2; through++)
        for (size_t i = first_root; i < first_root + roots; i++) {
            uint32_t r = members->roots[i];
            const uint64_t *support =
                ct_dag_at(&build->dag, build->roots[r].node)->support;
            int touches = (int)(support[leader / 64] >> leader % 64 & 1);

            if (touches != through)
                component->roots[component->root_count++] = r;
        }
    return true;
}

static enum ct_status build_diagram(struct ct_build *build,
                                    struct ct_component_build *component,
                                    struct ct_diagram *diagram)
{
    struct ct_level *levels = ct_mem_array(component->param_count, sizeof(*levels));
    size_t culprit = SIZE_MAX;
    bool ok = levels != NULL;

    ok = ok && (component->param_count == 1 || ct_build_set_order(build, component));
    ok = ok && ct_build_levels(build, component, levels, &culprit) &&
         ct_build_reduce(build, component, levels, diagram);
    if (levels)
        ct_build_levels_free(build, levels, component->param_count);
    free(levels);
    if (ok)
        return CT_OK;
    free(diagram->level_node);
    free(diagram->node_edge);
    free(diagram->node_valid);
    free(diagram->edges);
    memset(diagram, 0, sizeof(*diagram));
    if (!build->memory.over && build->tried <= CT_SPACE_TRIED_MAX)
        return ct_err_nomem(build->err);
    if (culprit == SIZE_MAX && component->root_count)
        culprit = component->roots[0];
    if (!build->enumerate)
        return too_large(build, component, culprit, false);
    build->memory.over = false;
    build->dag.failed = false;
    build->tried = 0;
    for (size_t i = 0; i < component->root_count; i++) {
        struct ct_root *root = &build->roots[component->roots[i]];

        root->tried = root->removed = root->failed = 0;
    }
    if (ct_build_list(build, component, diagram))
        return CT_OK;
    free(diagram->listed);
    memset(diagram, 0, sizeof(*diagram));
    if (build->memory.over || build->tried > CT_SPACE_TRIED_MAX)
        return too_large(build, component, culprit, true);
    return ct_err_nomem(build->err);
}

static enum ct_status build_component(struct ct_build *build,
                                      const struct members *members, size_t leader,
                                      struct ct_diagram *diagram)
{
    struct ct_component_build component = {0};
    enum ct_status status = CT_OK;

    if (!collect_component(build, members, leader, &component))
        status = ct_err_nomem(build->err);
    else
        status = build_diagram(build, &component, diagram);
    /* The diagram keeps the order, also of an empty component. */
    diagram->params = component.params;
    diagram->param_count = component.param_count;
    free(component.roots);
    return status;
}

/* --- all of it --- */

static enum ct_status build_components(struct ct_space *space, struct ct_build *build)
{
    size_t params = space->param_count;
    struct members members = {0};
    enum ct_status status = CT_OK;

    space->components = ct_mem_array(params, sizeof(*space->components));
    space->component_of = ct_mem_array(params, sizeof(*space->component_of));
    space->level_of = ct_mem_array(params, sizeof(*space->level_of));
    space->component_stats = ct_mem_array(params, sizeof(*space->component_stats));
    if (!space->components || !space->component_of || !space->level_of ||
        !space->component_stats || !members_init(build, &members))
        status = ct_err_nomem(build->err);
    for (size_t p = 0; p < params && !status; p++)
        if (build->leader[p] == p)
            status = build_component(build, &members, p,
                                     &space->components[space->component_count++]);
    members_release(&members);
    if (!status && !ct_build_note_sizes(space))
        status = ct_err_nomem(build->err);
    return status;
}

static bool has_conditions(const struct ct_binding *binding)
{
    for (size_t p = 0; p < binding->spec->param_count; p++)
        if (binding->spec->params[p].condition || binding->only_inactive[p])
            return true;
    return false;
}

static void free_parts(struct ct_space *space)
{
    for (size_t c = 0; c < space->component_count; c++) {
        struct ct_diagram *diagram = &space->components[c];

        free(diagram->params);
        free(diagram->level_node);
        free(diagram->node_edge);
        free(diagram->node_valid);
        free(diagram->edges);
        free(diagram->listed);
    }
    free(space->components);
    free(space->component_of);
    free(space->level_of);
    free(space->component_stats);
}

/* Configurations without duplicates: those of the space with conditions alone.  Nothing else
 * depends on their number: failing to compute it is no error. */
static enum ct_status count_canonical(struct ct_space *space,
                                      const struct ct_space_options *options,
                                      struct ct_err *err)
{
    struct ct_space_options limits = options ? *options : (struct ct_space_options){0};
    struct ct_space alone = {.binding = space->binding,
                             .param_count = space->param_count};
    struct ct_build build;
    enum ct_status status = CT_OK;

    limits.enumerate = false;
    space->stats.canonical = 1;
    space->stats.canonical_exact = true;
    for (size_t p = 0; p < space->param_count; p++) {
        uint64_t count = space->binding->domains[p].count;
        uint64_t product;

        if (__builtin_mul_overflow(space->stats.canonical, count, &product))
            space->stats.canonical_exact = false;
        space->stats.canonical = ct_space_times(space->stats.canonical, count);
    }
    if (!has_conditions(space->binding))
        return CT_OK;
    if (!begin_build(&build, space->binding, &limits, NULL) ||
        !ct_build_import(&build, true) || !ct_build_prepare(&build))
        status = not_begun(&build);
    else if (!build.empty)
        status = build_components(&alone, &build);
    space->stats.canonical = build.empty ? 0 : status ? UINT64_MAX : alone.count;
    space->stats.canonical_exact = build.empty || (!status && alone.stats.valid_exact);
    if (status == CT_E_SPEC)
        status = CT_OK;
    if (status)
        status = ct_err_nomem(err);
    space->stats.tried += build.tried;
    if (build.memory.peak_bytes > space->stats.peak_bytes)
        space->stats.peak_bytes = build.memory.peak_bytes;
    free_parts(&alone);
    end_build(&build);
    return status;
}

enum ct_status ct_space_build(struct ct_space *space,
                              const struct ct_space_options *options, struct ct_err *err)
{
    struct ct_build build;
    enum ct_status status = count_canonical(space, options, err);

    if (status)
        return status;
    space->stats.bytes = sizeof(*space) + space->binding->spec->constraint_count *
                                              sizeof(*space->constraints);
    if (!begin_build(&build, space->binding, options, err) ||
        !ct_build_import(&build, false) || !ct_build_prepare(&build))
        status = not_begun(&build);
    else if (!build.empty)
        status = build_components(space, &build);
    if (!status)
        ct_build_note_constraints(space, &build);
    space->stats.valid = space->count;
    space->stats.valid_exact = space->stats.valid_exact || build.empty;
    space->stats.tried += build.tried;
    if (build.memory.peak_bytes > space->stats.peak_bytes)
        space->stats.peak_bytes = build.memory.peak_bytes;
    end_build(&build);
    return status;
}

void ct_space_free(struct ct_space *space)
{
    if (!space)
        return;
    free_parts(space);
    free(space->constraints);
    free(space);
}
