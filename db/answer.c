// SPDX-License-Identifier: Apache-2.0
// Turns stored results into answers, and orders them.
#include "db/lookup.h"

#include "db/problem_flags.h"
#include "db/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *ct_look_copy(struct ct_arena *arena, const char *text, bool *failed)
{
    const char *copy = ct_arena_copy(arena, text, strlen(text));

    if (!copy)
        *failed = true;
    return copy;
}

/* The named values of a JSON text, in the form of the public header. */
static enum ct_status list_values(struct ct_arena *arena, const char *json,
                                  const cltunedb_value **out, size_t *count,
                                  struct ct_err *err)
{
    struct ct_db_value *values;
    cltunedb_value *list;
    enum ct_status status = ct_db_parse(arena, json, &values, count, err);

    if (status != CT_OK)
        return status;
    list = ct_arena_array(arena, *count, sizeof(*list));
    if (!list)
        return ct_err_nomem(err);
    for (size_t i = 0; i < *count; i++) {
        struct ct_value value = values[i].value;

        list[i].name = values[i].name;
        list[i].s = "";
        if (value.kind == CT_INT) {
            list[i].kind = CLTUNEDB_INT;
            list[i].i = value.u.i;
            list[i].r = (double)value.u.i;
        } else if (value.kind == CT_REAL) {
            list[i].kind = CLTUNEDB_REAL;
            list[i].r = value.u.r;
        } else {
            list[i].kind = CLTUNEDB_TEXT;
            list[i].s = value.u.s;
        }
    }
    *out = list;
    return CT_OK;
}

/* The default's time is the run's.  That of a run which did not end has no play-off behind it: an
 * earlier one's is used, if there is any. */
static enum ct_status default_time(struct ct_look *look, const struct ct_look_row *row,
                                   double *time_ns, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(look->db, CT_SQL_RUN_DEFAULT);

    ct_db_bind_int(&use, 1, look->kernels[row->version].id);
    ct_db_bind_int(&use, 2, row->problem->id);
    ct_db_bind_int(&use, 3, row->device->id);
    if (ct_db_row(&use))
        *time_ns = ct_db_real(&use, 0);
    return ct_db_done(&use, err);
}

static enum ct_status read_numbers(struct ct_look *look, const struct ct_look_row *row,
                                   cltunedb_answer *answer, struct ct_err *err)
{
    struct ct_arena *arena = &look->answers->arena;
    struct ct_db_use use = ct_db_use_begin(look->db, CT_SQL_FIND_RESULT);
    enum ct_status status;

    ct_db_bind_int(&use, 1, row->result_id);
    ct_db_bind_text(&use, 2, row->objective);
    ct_db_bind_text(&use, 3, ct_db_direction(row->maximize));
    if (ct_db_row(&use)) {
        answer->experiment = ct_db_text(&use, 0, arena);
        answer->configuration_json = ct_db_text(&use, 1, arena);
        answer->flags = ct_db_text(&use, 2, arena);
        answer->time_ns = ct_db_real(&use, 3);
        answer->low_ns = ct_db_real(&use, 4);
        answer->high_ns = ct_db_real(&use, 5);
        answer->metrics_json = ct_db_text(&use, 6, arena);
        answer->measured_unix_s = ct_db_int(&use, 7);
        answer->default_time_ns = ct_db_real(&use, 8);
        answer->default_value = ct_db_real(&use, 9);
        answer->verified = ct_db_int(&use, 10) != 0;
        answer->rounds = (uint32_t)ct_db_int(&use, 11);
        answer->end_to_end_ns = ct_db_real(&use, 12);
        answer->end_to_end_low_ns = ct_db_real(&use, 13);
        answer->end_to_end_high_ns = ct_db_real(&use, 14);
        answer->observed_json = ct_db_text(&use, 15, arena);
        answer->problem_macros_json = ct_db_text(&use, 16, arena);
        answer->space_file = ct_db_text(&use, 17, arena);
        answer->space_hash = ct_db_text(&use, 18, arena);
    } else if (use.rc == SQLITE_OK) {
        use.rc = SQLITE_CORRUPT;
    }
    status = ct_db_done(&use, err);
    if (status == CT_OK && isnan(answer->default_time_ns))
        status = default_time(look, row, &answer->default_time_ns, err);
    return status;
}

/* The result's rank in the last play-off of its subject. */
static enum ct_status read_ranking(struct ct_look *look, const struct ct_look_row *row,
                                   cltunedb_answer *answer, struct ct_err *err)
{
    const struct ct_subject of = {row->device->id, look->kernels[row->version].id,
                                  row->problem->id, row->objective, row->maximize};
    struct ct_db_use use = ct_db_use_begin(look->db, CT_SQL_SCORE_RANKED);
    uint32_t tied = 0;

    answer->standing = -1;
    ct_subject_bind(&use, &of);
    ct_db_bind_int(&use, 6, INT64_MAX);
    while (ct_db_row(&use)) {
        if (ct_db_int(&use, 1) == row->result_id)
            answer->standing = ct_db_ranking(&use, 2);
        tied += ct_db_int(&use, 3) != 0;
    }
    answer->tied_count = answer->standing == 0 ? tied : 0;
    return ct_db_done(&use, err);
}

/* Appends values; of equal names the first counts. */
static size_t add_names(struct ct_problem_macros_name *names, size_t at,
                        const cltunedb_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++, at++) {
        names[at].name = values[i].name;
        names[at].value = values[i].kind == CLTUNEDB_INT    ? ct_value_int(values[i].i)
                          : values[i].kind == CLTUNEDB_REAL ? ct_value_real(values[i].r)
                                                            : ct_value_text(values[i].s);
    }
    return at;
}

/* Options for the queried problem. */
static enum ct_status set_problem_flags(struct ct_look *look, cltunedb_answer *answer,
                                        struct ct_err *err)
{
    struct ct_arena *arena = &look->answers->arena;
    size_t most =
        answer->configuration_count + look->query.problem_count + answer->problem_count;
    struct ct_problem_macros_name *names;
    struct ct_str flags;
    struct ct_str unknown;
    size_t count;
    bool failed = false;
    bool known;

    answer->problem_flags = answer->flags;
    answer->stale_macros = "";
    if (!(answer->problem_distance > 0))
        return CT_OK;
    names = ct_mem_array(most, sizeof(*names));
    if (!names)
        return ct_err_nomem(err);
    ct_str_init(&flags);
    ct_str_init(&unknown);
    count = add_names(names, 0, answer->configuration, answer->configuration_count);
    count = add_names(names, count, look->query.problem, look->query.problem_count);
    count = add_names(names, count, answer->problem, answer->problem_count);
    known = ct_problem_macros_apply(answer->flags, answer->problem_macros_json, names,
                                    count, answer->configuration_count, &flags, &unknown);
    answer->problem_flags = known ? ct_look_copy(arena, flags.data, &failed) : NULL;
    answer->stale_macros = known ? "" : ct_look_copy(arena, unknown.data, &failed);
    failed |= flags.failed || unknown.failed;
    free(names);
    ct_str_release(&unknown);
    ct_str_release(&flags);
    return failed ? ct_err_nomem(err) : CT_OK;
}

enum ct_status ct_look_answer(struct ct_look *look, const struct ct_look_row *row,
                              size_t newest, size_t members, double relative,
                              const char *unknown, struct ct_err *err)
{
    struct cltunedb_answers *answers = look->answers;
    struct ct_arena *arena = &answers->arena;
    bool failed = false;
    cltunedb_answer *answer;
    enum ct_status status;

    if (!ct_mem_grow(&answers->items, &answers->capacity, answers->count + 1,
                     sizeof(*answers->items)))
        return ct_err_nomem(err);
    answer = &answers->items[answers->count];
    answer->kernel = ct_look_copy(arena, look->kernels[row->version].name, &failed);
    answer->device_name = ct_look_copy(arena, row->device->name, &failed);
    answer->device_vendor = ct_look_copy(arena, row->device->vendor, &failed);
    answer->device_type = ct_look_copy(arena, row->device->type, &failed);
    answer->driver_version = ct_look_copy(arena, row->device->driver, &failed);
    answer->compute_units = row->device->compute_units;
    answer->layer_path = "";
    answer->problem_json = ct_look_copy(arena, row->problem->json, &failed);
    answer->problem_distance = row->distance;
    answer->unknown_limits = ct_look_copy(arena, unknown, &failed);
    answer->objective = ct_look_copy(arena, row->objective, &failed);
    answer->maximize = row->maximize;
    answer->objective_value = row->value;
    answer->evidence = row->device->evidence;
    answer->outdated = row->version != newest;
    answer->device_count = (uint32_t)members;
    answer->relative_performance = relative;
    answer->coverage = relative;
    if (failed)
        return ct_err_nomem(err);
    status = read_numbers(look, row, answer, err);
    if (status == CT_OK)
        status = read_ranking(look, row, answer, err);
    if (status == CT_OK)
        status = list_values(arena, answer->problem_json, &answer->problem,
                             &answer->problem_count, err);
    if (status == CT_OK)
        status = list_values(arena, answer->configuration_json, &answer->configuration,
                             &answer->configuration_count, err);
    if (status == CT_OK)
        status = set_problem_flags(look, answer, err);
    if (status == CT_OK)
        answers->count++;
    return status;
}

/* --- order --- */

static int compare_values(const cltunedb_value *a, const cltunedb_value *b)
{
    int by_name = strcmp(a->name, b->name);

    if (by_name)
        return by_name;
    if (a->kind == CLTUNEDB_TEXT && b->kind == CLTUNEDB_TEXT)
        return strcmp(a->s, b->s);
    if (a->kind == CLTUNEDB_TEXT || b->kind == CLTUNEDB_TEXT)
        return a->kind == CLTUNEDB_TEXT ? 1 : -1;
    if (a->r != b->r)
        return a->r < b->r ? -1 : 1;
    return (a->i > b->i) - (a->i < b->i);
}

static int compare_problems(const cltunedb_answer *a, const cltunedb_answer *b)
{
    size_t n = a->problem_count < b->problem_count ? a->problem_count : b->problem_count;

    for (size_t i = 0; i < n; i++) {
        int order = compare_values(&a->problem[i], &b->problem[i]);

        if (order)
            return order;
    }
    return (a->problem_count > b->problem_count) - (a->problem_count < b->problem_count);
}

/* Answers of groups: whose device it is only says where it was measured last. */
static int compare_candidates(const cltunedb_answer *a, const cltunedb_answer *b)
{
    int order = compare_problems(a, b);

    if (!order)
        order = strcmp(a->objective, b->objective);
    if (!order)
        order = (a->candidate > b->candidate) - (a->candidate < b->candidate);
    return order ? order : strcmp(a->experiment, b->experiment);
}

static int compare_answers(const void *left, const void *right)
{
    const cltunedb_answer *a = left;
    const cltunedb_answer *b = right;
    bool grouped = a->evidence >= CLTUNEDB_SAME_ARCHITECTURE &&
                   b->evidence >= CLTUNEDB_SAME_ARCHITECTURE;
    int order = strcmp(a->kernel, b->kernel);

    if (!order && grouped)
        return compare_candidates(a, b);
    if (!order)
        order = strcmp(a->device_name, b->device_name);
    if (!order)
        order = strcmp(a->device_vendor, b->device_vendor);
    if (!order)
        order =
            (a->compute_units > b->compute_units) - (a->compute_units < b->compute_units);
    if (!order)
        order = strcmp(a->driver_version, b->driver_version);
    if (!order)
        order = compare_problems(a, b);
    if (!order)
        order = strcmp(a->objective, b->objective);
    if (!order)
        order = strcmp(a->experiment, b->experiment);
    return order;
}

void ct_look_sort(struct cltunedb_answers *answers)
{
    if (answers->count)
        qsort(answers->items, answers->count, sizeof(*answers->items), compare_answers);
}

void ct_lookup_free(struct cltunedb_answers *answers)
{
    while (answers) {
        struct cltunedb_answers *next = answers->next;

        free(answers->items);
        ct_arena_release(&answers->arena);
        free(answers);
        answers = next;
    }
}
