// SPDX-License-Identifier: Apache-2.0
// Finds the nearest evidence for a query: kernels, problems, and the rows of `best`.
#include "db/lookup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_text(const char *text)
{
    return text && *text;
}

/* --- kernels and problems --- */

static enum ct_status load_kernels(struct ct_look *look, struct ct_err *err)
{
    bool one = has_text(look->query.kernel);
    struct ct_db_use use =
        ct_db_use_begin(look->db, one ? CT_SQL_FIND_KERNEL : CT_SQL_FIND_KERNELS);
    size_t capacity = 0;

    free(look->kernels);
    look->kernels = NULL;
    look->kernel_count = 0;
    if (one)
        ct_db_bind_text(&use, 1, look->query.kernel);
    while (ct_db_row(&use)) {
        if (!ct_mem_grow(&look->kernels, &capacity, look->kernel_count + 1,
                         sizeof(*look->kernels))) {
            use.rc = SQLITE_NOMEM;
            break;
        }
        look->kernels[look->kernel_count].id = ct_db_int(&use, 0);
        look->kernels[look->kernel_count++].name = ct_db_text(&use, 1, &look->arena);
    }
    return ct_db_done(&use, err);
}

enum ct_status ct_look_find_problem(struct ct_look *look, int64_t id,
                                    const struct ct_look_problem **out,
                                    struct ct_err *err)
{
    struct ct_db_use use;
    struct ct_look_problem *problem;
    enum ct_status status;

    for (size_t i = 0; i < look->problem_count; i++) {
        if (look->problems[i]->id == id) {
            *out = look->problems[i];
            return CT_OK;
        }
    }
    problem = ct_arena_alloc(&look->arena, sizeof(*problem));
    if (!problem ||
        !ct_mem_grow(&look->problems, &look->problem_capacity, look->problem_count + 1,
                     sizeof(struct ct_look_problem *)))
        return ct_err_nomem(err);
    problem->id = id;
    problem->json = "{}";
    use = ct_db_use_begin(look->db, CT_SQL_FIND_PROBLEM);
    ct_db_bind_int(&use, 1, id);
    if (ct_db_row(&use))
        problem->json = ct_db_text(&use, 0, &look->arena);
    status = ct_db_done(&use, err);
    if (status == CT_OK)
        status = ct_db_parse(&look->arena, problem->json, &problem->values,
                             &problem->count, err);
    look->problems[look->problem_count++] = problem;
    *out = problem;
    return status;
}

/* The distance of two sizes: the logarithm of their ratio.  If there is none (0 and below), the
 * inverse hyperbolic sine replaces it, which is nearly a logarithm. */
static double distance(double a, double b)
{
    if (a == b)
        return 0;
    return a > 0 && b > 0 ? log(a / b) : asinh(a) - asinh(b);
}

double ct_look_distance(const cltunedb_query *query,
                        const struct ct_look_problem *problem)
{
    double sum = 0;

    for (size_t i = 0; i < query->problem_count; i++) {
        const cltunedb_value *want = &query->problem[i];
        const struct ct_db_value *have = NULL;
        double d = INFINITY;

        for (size_t j = 0; j < problem->count && !have; j++)
            if (strcmp(problem->values[j].name, want->name) == 0)
                have = &problem->values[j];
        if (!have)
            return INFINITY;
        if (want->kind == CLTUNEDB_TEXT) {
            if (have->value.kind == CT_TEXT && want->s &&
                !strcmp(have->value.u.s, want->s))
                d = 0;
        } else if (have->value.kind != CT_TEXT) {
            d = distance(want->kind == CLTUNEDB_INT ? (double)want->i : want->r,
                         have->value.kind == CT_INT ? (double)have->value.u.i
                                                    : have->value.u.r);
        }
        sum += d * d;
    }
    return sqrt(sum);
}

/* --- rows that may answer --- */

static enum ct_status add_row(struct ct_look *look, struct ct_db_use *use,
                              const struct ct_look_device *device, size_t version,
                              struct ct_err *err)
{
    const char *wanted = look->query.objective;
    struct ct_look_row row = {.device = device, .version = version};
    enum ct_status status =
        ct_look_find_problem(look, ct_db_int(use, 0), &row.problem, err);

    if (status != CT_OK)
        return status;
    row.objective = ct_db_text(use, 1, &look->arena);
    row.maximize = strcmp(ct_db_peek(use, 2), "maximize") == 0;
    row.value = ct_db_real(use, 3);
    row.result_id = ct_db_int(use, 4);
    row.measured_unix_s = ct_db_int(use, 5);
    row.distance = ct_look_distance(&look->query, row.problem);
    if (has_text(wanted) && strcmp(wanted, row.objective) != 0) {
        look->other_objective = row.objective;
        return CT_OK;
    }
    if (isinf(row.distance)) {
        look->other_problem = row.problem->json;
        return CT_OK;
    }
    if (!ct_mem_grow(&look->rows, &look->row_capacity, look->row_count + 1,
                     sizeof(*look->rows)))
        return ct_err_nomem(err);
    look->rows[look->row_count++] = row;
    return CT_OK;
}

enum ct_status ct_look_load_rows(struct ct_look *look, cltunedb_evidence evidence,
                                 size_t first, size_t end, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    look->row_count = 0;
    for (size_t d = 0; d < look->device_count && status == CT_OK; d++) {
        if (look->devices[d].evidence != evidence)
            continue;
        for (size_t k = first; k < end && status == CT_OK; k++) {
            struct ct_db_use use = ct_db_use_begin(look->db, CT_SQL_FIND_BEST);

            ct_db_bind_int(&use, 1, look->kernels[k].id);
            ct_db_bind_int(&use, 2, look->devices[d].id);
            while (status == CT_OK && ct_db_row(&use))
                status = add_row(look, &use, &look->devices[d], k, err);
            if (status == CT_OK)
                status = ct_db_done(&use, err);
            else
                ct_db_done(&use, NULL);
        }
    }
    return status;
}

/* Keeps one objective: the wanted one is all that is left by now; if none was named, "time"
 * before others. */
static void prefer_time(struct ct_look *look)
{
    bool timed = false;
    size_t kept = 0;

    for (size_t i = 0; i < look->row_count; i++)
        timed |= strcmp(look->rows[i].objective, "time") == 0;
    for (size_t i = 0; i < look->row_count; i++)
        if (!timed || strcmp(look->rows[i].objective, "time") == 0)
            look->rows[kept++] = look->rows[i];
    look->row_count = kept;
}

/* Whether two rows are of one device, whatever its driver. */
static int compare_identity(const struct ct_look_device *a,
                            const struct ct_look_device *b)
{
    int order = strcmp(a->name_key, b->name_key);

    if (!order)
        order = strcmp(a->vendor_key, b->vendor_key);
    if (!order)
        order = strcmp(a->type, b->type);
    if (!order)
        order =
            (a->compute_units > b->compute_units) - (a->compute_units < b->compute_units);
    return order;
}

static int by_identity(const void *left, const void *right)
{
    const struct ct_look_row *a = left;
    const struct ct_look_row *b = right;

    return compare_identity(a->device, b->device);
}

static int by_question(const void *left, const void *right)
{
    const struct ct_look_row *a = left;
    const struct ct_look_row *b = right;
    int order = (a->problem->id > b->problem->id) - (a->problem->id < b->problem->id);

    if (!order)
        order = strcmp(a->objective, b->objective);
    return order ? order : (int)a->maximize - (int)b->maximize;
}

/* The end of the run of rows, from `first` on, that `compare` finds equal. */
static size_t run_end(const struct ct_look *look, size_t first,
                      int (*compare)(const void *, const void *))
{
    size_t end = first + 1;

    while (end < look->row_count && compare(&look->rows[first], &look->rows[end]) == 0)
        end++;
    return end;
}

/* Of the rows [first, end) of one device those of the newest driver; returns how many, moved to
 * `to`. */
static size_t keep_newest_driver(struct ct_look *look, size_t first, size_t end,
                                 size_t to)
{
    const struct ct_look_row *newest = &look->rows[first];
    const struct ct_look_device *device;
    size_t kept = 0;

    for (size_t i = first; i < end; i++) {
        const struct ct_look_row *row = &look->rows[i];

        if (row->measured_unix_s > newest->measured_unix_s ||
            (row->measured_unix_s == newest->measured_unix_s &&
             row->device->id > newest->device->id))
            newest = row;
    }
    device = newest->device;
    for (size_t i = first; i < end; i++)
        if (look->rows[i].device == device)
            look->rows[to + kept++] = look->rows[i];
    return kept;
}

/* Of `count` rows those of the newest source; returns how many. */
static size_t keep_newest_version(struct ct_look_row *rows, size_t count)
{
    size_t version = SIZE_MAX;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        version = rows[i].version < version ? rows[i].version : version;
    for (size_t i = 0; i < count; i++)
        if (rows[i].version == version)
            rows[kept++] = rows[i];
    return kept;
}

/* Of `count` rows those with the nearest problem; returns how many. */
static size_t keep_nearest(struct ct_look_row *rows, size_t count)
{
    const double equal = 1e-12;
    double least = INFINITY;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        least = rows[i].distance < least ? rows[i].distance : least;
    for (size_t i = 0; i < count; i++)
        if (rows[i].distance <= least + equal)
            rows[kept++] = rows[i];
    return kept;
}

/* Answers from the devices themselves: for each its best, under its newest driver and the newest
 * source that was measured there. */
static enum ct_status answer_each(struct ct_look *look, size_t newest, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    size_t end;

    qsort(look->rows, look->row_count, sizeof(*look->rows), by_identity);
    for (size_t first = 0; first < look->row_count && status == CT_OK; first = end) {
        struct ct_look_row *rows = &look->rows[first];
        size_t count;

        end = run_end(look, first, by_identity);
        count = keep_newest_driver(look, first, end, first);
        count = keep_newest_version(rows, count);
        count = keep_nearest(rows, count);
        for (size_t i = 0; i < count && status == CT_OK; i++)
            status = ct_look_answer(look, &rows[i], newest, 1, 1, "", err);
    }
    return status;
}

/* Answers from a group of other devices, for each problem and objective. */
static enum ct_status answer_group(struct ct_look *look, size_t newest,
                                   struct ct_err *err)
{
    enum ct_status status = CT_OK;
    size_t kept = 0;
    size_t end;

    look->row_count = keep_newest_version(look->rows, look->row_count);
    qsort(look->rows, look->row_count, sizeof(*look->rows), by_identity);
    for (size_t first = 0; first < look->row_count; first = end) {
        end = run_end(look, first, by_identity);
        kept += keep_newest_driver(look, first, end, kept);
    }
    look->row_count = keep_nearest(look->rows, kept);
    qsort(look->rows, look->row_count, sizeof(*look->rows), by_question);
    for (size_t first = 0; first < look->row_count && status == CT_OK; first = end) {
        end = run_end(look, first, by_question);
        status = ct_look_group(look, &look->rows[first], end - first, newest, err);
    }
    return status;
}

/* Answers for one name, whose versions are kernels [first, end): the nearest evidence
 * that gives an answer. */
static enum ct_status answer_kernel(struct ct_look *look, size_t first, size_t end,
                                    struct ct_err *err)
{
    size_t before = look->answers->count;
    enum ct_status status = CT_OK;

    for (int level = CLTUNEDB_SAME_DRIVER; level <= CLTUNEDB_ANY_DEVICE; level++) {
        status = ct_look_load_rows(look, (cltunedb_evidence)level, first, end, err);
        if (status != CT_OK)
            return status;
        if (!look->row_count)
            continue;
        prefer_time(look);
        status = level <= CLTUNEDB_SAME_DEVICE ? answer_each(look, first, err)
                                               : answer_group(look, first, err);
        if (status != CT_OK || look->answers->count > before)
            return status;
    }
    return status;
}

/* --- interface --- */

enum ct_status ct_look_nothing(struct ct_look *look, struct ct_err *err)
{
    const char *path = ct_db_path(look->db);
    const char *kernel = look->query.kernel;
    const char **names;
    const char *near = NULL;

    if (look->too_small)
        return ct_err_set(
            err, CT_E_NOT_FOUND,
            "%s has no result%s%s that fits the device: the best %s; search "
            "on the device itself",
            path, has_text(kernel) ? " of kernel " : "", has_text(kernel) ? kernel : "",
            look->too_small);
    if (has_text(kernel) && look->other_problem)
        return ct_err_set(
            err, CT_E_NOT_FOUND,
            "no stored problem of kernel %s has all the requested sizes; a stored "
            "one is %s",
            kernel, look->other_problem);
    if (has_text(kernel) && look->other_objective)
        return ct_err_set(err, CT_E_NOT_FOUND, "kernel %s was tuned for %s, not for %s",
                          kernel, look->other_objective, look->query.objective);
    if (!has_text(kernel) || look->kernel_count)
        return ct_err_set(err, CT_E_NOT_FOUND, "%s has no matching successful result%s%s",
                          path, has_text(kernel) ? " of kernel " : "",
                          has_text(kernel) ? kernel : "");
    look->query.kernel = NULL;
    if (load_kernels(look, NULL) == CT_OK) {
        names = ct_arena_array(&look->arena, look->kernel_count, sizeof(*names));
        for (size_t i = 0; names && i < look->kernel_count; i++)
            names[i] = look->kernels[i].name;
        if (names)
            near = ct_str_suggest(kernel, names, look->kernel_count);
    }
    return ct_err_set(err, CT_E_NOT_FOUND, "%s has no kernel %s%s%s%s", path, kernel,
                      near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

enum ct_status ct_look_begin(struct ct_look *look, struct ct_db *db,
                             const cltunedb_query *query, struct ct_err *err)
{
    size_t size = query->struct_bytes;
    enum ct_status status;

    *look = (struct ct_look){.db = db, .architecture = ""};
    if (size < sizeof(size))
        return ct_err_set(err, CT_E_USAGE,
                          "the query was not initialized with CLTUNEDB_QUERY_INIT");
    /* An older program's query struct is shorter: the missing fields are unknown. */
    memcpy(&look->query, query, size < sizeof(look->query) ? size : sizeof(look->query));
    if (db->grouped)
        return ct_err_set(err, CT_E_INTERNAL,
                          "%s: a look-up inside a transaction is not supported",
                          db->path);
    status = ct_db_read_begin(db, err);
    look->reading = status == CT_OK;
    if (status == CT_OK)
        status = ct_look_load_devices(look, err);
    if (status == CT_OK)
        status = ct_look_rate_devices(look, err);
    return status == CT_OK ? load_kernels(look, err) : status;
}

void ct_look_end(struct ct_look *look)
{
    if (look->reading)
        ct_db_read_end(look->db);
    free(look->devices);
    free(look->kernels);
    free(look->problems);
    free(look->rows);
    ct_arena_release(&look->arena);
}

static enum ct_status look_up(struct ct_look *look, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    size_t end;

    look->answers = ct_mem_array(1, sizeof(*look->answers));
    if (!look->answers)
        return ct_err_nomem(err);
    for (size_t first = 0; first < look->kernel_count && status == CT_OK; first = end) {
        const char *name = look->kernels[first].name;

        for (end = first + 1; end < look->kernel_count; end++)
            if (strcmp(look->kernels[end].name, name) != 0)
                break;
        status = answer_kernel(look, first, end, err);
    }
    if (status == CT_OK && !look->answers->count)
        status = ct_look_nothing(look, err);
    return status;
}

enum ct_status ct_lookup_find(struct ct_db *db, const cltunedb_query *query,
                              struct cltunedb_answers **out, struct ct_err *err)
{
    struct ct_look look;
    enum ct_status status = ct_look_begin(&look, db, query, err);

    *out = NULL;
    if (status == CT_OK)
        status = look_up(&look, err);
    ct_look_end(&look);
    if (status == CT_OK) {
        ct_look_sort(look.answers);
        *out = look.answers;
    } else {
        ct_lookup_free(look.answers);
    }
    return status;
}
