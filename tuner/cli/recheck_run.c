// SPDX-License-Identifier: Apache-2.0
// One recheck: stored configurations planned anew, timed against each other, stored.
#include "cli/recheck.h"
#include "cli/trusted.h"

#include "schedule/interleaved.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rounds beyond the least are for doubtful cases, and a recheck is a matter of seconds.
 */
#define LIMIT_NS 20000000000

enum { ROUND_SAMPLES = 100 }; /* of all entrants, where they take turns */

/* --- planning --- */

/* Binds to the problem that the numbers are about. */
static enum ct_status bind(struct ct_recheck *recheck, struct ct_err *err)
{
    struct ct_settings problem = {0};
    struct ct_setting *items;
    struct ct_db_value *values;
    size_t count;
    int told = 0;
    enum ct_status status = ct_db_parse(&recheck->arena, recheck->subject->problem_json,
                                        &values, &count, err);

    if (status)
        return status;
    items = ct_arena_array(&recheck->arena, count, sizeof(*items));
    if (!items)
        return ct_err_nomem(err);
    for (size_t i = 0; i < count; i++) {
        struct ct_str text;

        ct_str_init(&text);
        if (values[i].value.kind == CT_TEXT)
            ct_str_addf(&text, "'%s'", values[i].value.u.s);
        else
            ct_value_print(&text, values[i].value);
        items[i].name = values[i].name;
        items[i].text = ct_arena_copy(&recheck->arena, text.data, text.length);
        ct_str_release(&text);
        if (!items[i].text)
            return ct_err_nomem(err);
    }
    problem.items = items;
    problem.count = count;
    recheck->search.binding = ct_cli_bind(recheck->spec, &recheck->options,
                                          recheck->search.device, &problem, &told);
    return recheck->search.binding ? CT_OK : CT_E_SPEC;
}

static enum ct_status load(struct ct_recheck *recheck, struct ct_err *err)
{
    const char *path =
        recheck->options.space ? recheck->options.space : recheck->subject->space_path;
    struct ct_search *search = &recheck->search;
    int told = 0;

    /* It can have C compiled and run, and its name comes from the database. */
    if (recheck->options.space)
        ct_trust_space(path);
    else if (access(path, F_OK) == 0 && !ct_trusted_space(path))
        return ct_err_set(err, CT_E_USAGE,
                          "the database names %s as the space file of %s, which can run "
                          "C code and which you have not searched yet: look at it, then "
                          "confirm it with --space %s",
                          path, recheck->subject->kernel, path);
    recheck->spec = ct_cli_load(path, &recheck->options, &told);
    if (!recheck->spec) {
        if (!recheck->options.space)
            ct_cli_warn("%s is where the space file of %s was; --space FILE tells where "
                        "it is now",
                        path, recheck->subject->kernel);
        return CT_E_SPEC;
    }
    if (strcmp(recheck->spec->name, recheck->subject->kernel) != 0)
        return ct_err_at(err, CT_E_USAGE, path, 0, 0,
                         "this is the space file of %s, not of %s", recheck->spec->name,
                         recheck->subject->kernel);
    search->spec = recheck->spec;
    search->sources = ct_source_cache_new();
    search->env = ct_mem_array(recheck->spec->symbol_count, sizeof(*search->env));
    if (!search->sources || !search->env)
        return ct_err_nomem(err);
    return ct_search_choose_objective(search, err);
}

/* The values of a stored configuration; what has been added to the space since has its
 * first value. */
static enum ct_status read_values(struct ct_recheck *recheck, struct ct_rechecked *one,
                                  struct ct_err *err)
{
    const struct ct_spec *spec = recheck->spec;
    struct ct_db_value *values;
    size_t count;
    enum ct_status status =
        ct_db_parse(&recheck->arena, one->then->configuration, &values, &count, err);

    if (status)
        return status;
    one->values =
        ct_arena_array(&recheck->arena, spec->param_count, sizeof(*one->values));
    if (!one->values)
        return ct_err_nomem(err);
    status = ct_binding_start(recheck->search.binding, one->values, err);
    for (size_t i = 0; i < count && !status; i++) {
        int p = ct_spec_find_param(spec, values[i].name);

        if (p < 0)
            return ct_err_set(err, CT_E_SPEC, "%s has no parameter %s any more",
                              spec->path, values[i].name);
        one->values[p] = values[i].value;
    }
    return status;
}

static enum ct_status plan(struct ct_recheck *recheck, struct ct_rechecked *one,
                           struct ct_err *err)
{
    enum ct_status status = read_values(recheck, one, err);

    if (status)
        return status;
    recheck->search.values = one->values;
    status = ct_search_plan(&recheck->search, &recheck->arena, &one->plan, err);
    if (!status)
        one->experiment = ct_search_experiment(&recheck->search, &one->plan);
    return status;
}

/* Whether two stored results are of one program: measuring both tells nothing. */
static bool same_program(const struct ct_db_result *a, const struct ct_db_result *b)
{
    return strcmp(a->twin_of, b->experiment.text) == 0 ||
           strcmp(b->twin_of, a->experiment.text) == 0 ||
           (*a->twin_of && strcmp(a->twin_of, b->twin_of) == 0);
}

static bool is_new(const struct ct_recheck *recheck, const struct ct_db_result *result)
{
    for (size_t i = 0; i < recheck->count; i++)
        if (same_program(recheck->ones[i].then, result))
            return false;
    return true;
}

/* Whether its stored value can be compared by ratios; one that is not known may be. */
static bool has_ratio(const struct ct_recheck *recheck, const struct ct_db_result *result)
{
    return isnan(result->objective_value) ||
           ct_search_positive(&recheck->search, result->objective_value) > 0;
}

/* The pick and its runners-up, as many as are wanted, can be planned and compared.
 * CT_E_SPEC when the pick cannot be compared. */
static enum ct_status gather(struct ct_recheck *recheck, struct ct_err *err)
{
    const struct ct_db_subject_best *subject = recheck->subject;
    uint64_t wanted =
        recheck->options.runners_up ? recheck->options.runners_up : CT_RECHECK_AGAINST;

    recheck->ones =
        ct_arena_array(&recheck->arena, subject->top_count, sizeof(*recheck->ones));
    recheck->entrants =
        ct_arena_array(&recheck->arena, subject->top_count, sizeof(*recheck->entrants));
    if (!recheck->ones || !recheck->entrants)
        return ct_err_nomem(err);
    if (!has_ratio(recheck, &subject->top[0]))
        return ct_err_set(err, CT_E_SPEC,
                          "the %s of the stored best of %s is %g, and configurations are "
                          "compared by ratios here: give the metric a range above zero, "
                          "or measure everything again with 'cltune search --fresh'",
                          subject->objective, subject->kernel,
                          subject->top[0].objective_value);
    for (size_t i = 0; i < subject->top_count && recheck->count < wanted + 1; i++) {
        struct ct_rechecked *one = &recheck->ones[recheck->count];
        struct ct_err why = CT_ERR_INIT;
        enum ct_status status;

        if (!is_new(recheck, &subject->top[i]) || !has_ratio(recheck, &subject->top[i]))
            continue;
        memset(one, 0, sizeof(*one));
        one->then = &subject->top[i];
        status = plan(recheck, one, &why);
        if (status && status != CT_E_SPEC) {
            *err = why;
            return status;
        }
        if (status && !i)
            recheck->refused =
                ct_arena_copy(&recheck->arena, why.message, strlen(why.message));
        if (status && i)
            continue;
        recheck->entrants[recheck->count].plan = &one->plan;
        recheck->count++;
        if (recheck->refused)
            break;
    }
    return CT_OK;
}

/* --- timing --- */

static double cost(void *user, size_t entrant, const struct ct_outcome *outcome)
{
    struct ct_recheck *recheck = user;
    struct ct_rechecked *one = &recheck->ones[entrant];
    struct ct_quantities known = ct_outcome_quantities(outcome);

    one->verified = outcome->verified;
    one->wall_clock = one->wall_clock || outcome->wall_clock;
    one->binary_bytes = outcome->binary_bytes;
    recheck->search.values = one->values;
    return ct_search_positive(&recheck->search,
                              ct_search_value(&recheck->search, &known));
}

static enum ct_status play(struct ct_recheck *recheck, struct ct_err *err)
{
    const struct ct_scheduler_options scheduler = {
        .jobs = recheck->options.jobs,
        .deadlines = ct_cli_deadlines(&recheck->options),
        .seed = CT_INPUT_SEED,
        .expected = recheck->count,
        .slow = recheck->options.quiet ? NULL : ct_cli_tell_slow,
        .slow_after_ns = CT_CLI_SLOW_NS,
    };
    /* The stored pick is timed beside the winner, so that then and now compare.  It comes
     * first: among ties it stays the pick. */
    bool turns = ct_search_by_time(&recheck->search);
    const struct ct_playoff_options how = {
        .limit_ns = LIMIT_NS,
        .interleaved = turns,
        .samples = turns ? CT_INTERLEAVED_LEAST : 0,
        .most_samples = CT_INTERLEAVED_MOST,
        .round_samples = ROUND_SAMPLES,
        .seed = 1,
        .beside = 0,
        .cost = cost,
        .user = recheck,
    };
    enum ct_status status = ct_scheduler_new(recheck->search.device, &scheduler,
                                             &recheck->search.scheduler, err);

    if (!status)
        status = ct_playoff_run(recheck->search.scheduler, recheck->entrants,
                                recheck->count, NULL, &how, &recheck->playoff, err);
    recheck->played = true;
    if (recheck->search.scheduler)
        ct_scheduler_free(recheck->search.scheduler);
    recheck->search.scheduler = NULL;
    return status;
}

static enum ct_recheck_verdict recheck_verdict(const struct ct_recheck *recheck)
{
    if (recheck->refused || recheck->entrants[0].status != CT_RESULT_OK ||
        recheck->playoff.winner == SIZE_MAX)
        return CT_RECHECK_FAILED;
    return recheck->entrants[0].standing.place == CT_PLACE_LOST ? CT_RECHECK_BEATEN
                                                                : CT_RECHECK_HOLDS;
}

/* --- the whole --- */

enum ct_status ct_recheck_run(struct ct_recheck *recheck,
                              const struct ct_options *options,
                              const struct ct_db_subject_best *subject,
                              const struct ct_devinfo *device, struct ct_err *err)
{
    struct ct_search *search = &recheck->search;
    enum ct_status status;

    recheck->subject = subject;
    recheck->options = *options;
    recheck->options.objective = subject->objective;
    search->options = &recheck->options;
    search->device = device;
    search->strategy_name = "recheck";
    status = ct_cli_cache_state(options, &search->cold, err);
    if (!status)
        status = load(recheck, err);
    if (!status)
        status = bind(recheck, err);
    if (!status)
        status = gather(recheck, err);
    if (!status && !recheck->refused)
        status = play(recheck, err);
    if (!status) {
        recheck->verdict = recheck_verdict(recheck);
        status = recheck->refused ? CT_OK : ct_recheck_store(recheck, err);
    }
    if (status && recheck->spec)
        ct_cli_place_launch(recheck->spec, err);
    return status;
}

void ct_recheck_release(struct ct_recheck *recheck)
{
    struct ct_search *search = &recheck->search;

    if (recheck->played)
        ct_playoff_release(&recheck->playoff);
    ct_db_close(search->db);
    ct_arena_release(&search->orphan_arena);
    if (search->sources)
        ct_source_cache_free(search->sources);
    free(search->env);
    if (search->binding)
        ct_binding_free(search->binding);
    if (recheck->spec)
        ct_spec_free(recheck->spec);
    ct_arena_release(&recheck->arena);
}
