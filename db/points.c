// SPDX-License-Identifier: Apache-2.0
// What a kernel's configurations reach on several devices and for several problems.
#include "db/points.h"

#include "db/lookup.h"
#include "db/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is read. */
struct reading {
    struct ct_look look;
    const struct ct_db_points_query *query;
    struct ct_db_points *out;
    bool failed; /* out of memory */
};

/* --- which devices --- */

/* Whether the pattern of `length` bytes selects a device; `exact`: it is some device's whole name. */
static bool fits_one(const char *pattern, bool exact, const struct ct_look_device *d)
{
    return exact ? strcasecmp(pattern, d->name) == 0
                 : ct_name_matches(pattern, d->name, d->vendor, d->type);
}

/* Marks the devices of one pattern; returns how many there are. */
static size_t mark_devices(struct ct_look *look, const char *pattern, bool *wanted)
{
    bool exact = false;
    size_t count = 0;

    for (size_t i = 0; i < look->device_count; i++)
        exact = exact || strcasecmp(pattern, look->devices[i].name) == 0;
    for (size_t i = 0; i < look->device_count; i++)
        if (fits_one(pattern, exact, &look->devices[i])) {
            wanted[i] = true;
            count++;
        }
    return count;
}

/* Marks the devices that the query selects.  A list is split at commas, unless it is a name. */
static enum ct_status select_devices(struct reading *r, bool *wanted, struct ct_err *err)
{
    struct ct_look *look = &r->look;
    const char *list = r->query->devices;
    char *copy;

    if (!list || !*list) {
        for (size_t i = 0; i < look->device_count; i++)
            wanted[i] = true;
        return CT_OK;
    }
    if (mark_devices(look, list, wanted))
        return CT_OK;
    copy = ct_arena_copy(&look->arena, list, strlen(list));
    if (!copy)
        return ct_err_nomem(err);
    for (char *at = copy; at;) {
        char *comma = strchr(at, ',');

        if (comma)
            *comma = '\0';
        at += strspn(at, " ");
        if (!*at || !mark_devices(look, at, wanted))
            return ct_err_set(err, CT_E_NOT_FOUND, "no stored device matches '%s'", at);
        at = comma ? comma + 1 : NULL;
    }
    return CT_OK;
}

/* Whether a row's device was measured later with another driver. */
static bool has_newer_driver(const struct ct_look *look, const struct ct_look_row *row)
{
    const struct ct_look_device *a = row->device;
    const struct ct_look_row *newest = row;

    for (size_t i = 0; i < look->row_count; i++) {
        const struct ct_look_row *other = &look->rows[i];
        const struct ct_look_device *b = other->device;

        if (strcmp(a->name_key, b->name_key) != 0 ||
            strcmp(a->vendor_key, b->vendor_key) != 0 || strcmp(a->type, b->type) != 0 ||
            a->compute_units != b->compute_units)
            continue;
        if (other->measured_unix_s > newest->measured_unix_s ||
            (other->measured_unix_s == newest->measured_unix_s &&
             b->id > newest->device->id))
            newest = other;
    }
    return newest->device != a;
}

/* --- which problems --- */

/* The weight of a problem; 0: it is not selected. */
static double weight_of(const struct ct_db_points_query *query,
                        const struct ct_look_problem *problem)
{
    double weight = 1;

    for (size_t i = 0; i < query->size_count; i++) {
        const struct ct_db_points_size *size = &query->sizes[i];
        double found = 0;

        for (size_t k = 0; k < size->count && !(found > 0); k++) {
            cltunedb_value value = size->values[k];
            cltunedb_query one = CLTUNEDB_QUERY_INIT;

            value.name = size->name;
            one.problem = &value;
            one.problem_count = 1;
            if (ct_look_distance(&one, problem) == 0)
                found = size->weights ? size->weights[k] : 1;
        }
        weight *= found;
    }
    return weight;
}

/* CT_E_NOT_FOUND unless each value of each size selects some point. */
static enum ct_status check_sizes(const struct reading *r, struct ct_err *err)
{
    for (size_t i = 0; i < r->query->size_count; i++)
        for (size_t k = 0; k < r->query->sizes[i].count; k++) {
            struct ct_db_points_size size = r->query->sizes[i];
            struct ct_db_points_query one = {.sizes = &size, .size_count = 1};
            struct ct_str text;
            bool found = false;

            size.values += k;
            size.weights = NULL;
            size.count = 1;
            for (size_t p = 0; p < r->out->point_count && !found; p++) {
                const struct ct_db_point *point = &r->out->points[p];
                struct ct_look_problem problem = {
                    .values = (struct ct_db_value *)(uintptr_t)point->sizes,
                    .count = point->size_count};

                found = weight_of(&one, &problem) > 0;
            }
            if (found)
                continue;
            ct_str_init(&text);
            ct_value_print(&text, size.values->kind == CLTUNEDB_INT
                                      ? ct_value_int(size.values->i)
                                  : size.values->kind == CLTUNEDB_REAL
                                      ? ct_value_real(size.values->r)
                                      : ct_value_text(size.values->s));
            ct_err_set(err, CT_E_NOT_FOUND,
                       "kernel %s has no result for %s=%s on the selected devices; "
                       "search with -p %s=%s first",
                       r->out->kernel, size.name, text.data, size.name, text.data);
            ct_str_release(&text);
            return CT_E_NOT_FOUND;
        }
    return CT_OK;
}

/* --- which rows --- */

/* The objective and the direction that all rows are kept for. */
static enum ct_status choose_objective(struct reading *r, struct ct_err *err)
{
    const struct ct_look *look = &r->look;
    const struct ct_look_row *chosen = NULL;

    for (size_t i = 0; i < look->row_count; i++)
        if (!chosen || strcmp(look->rows[i].objective, "time") == 0)
            chosen = &look->rows[i];
    if (!chosen)
        return CT_OK;
    for (size_t i = 0; i < look->row_count; i++)
        if (strcmp(chosen->objective, "time") != 0 &&
            (strcmp(look->rows[i].objective, chosen->objective) != 0 ||
             look->rows[i].maximize != chosen->maximize))
            return ct_err_set(err, CT_E_USAGE,
                              "kernel %s was tuned for %s and %s: use --objective to "
                              "choose",
                              r->out->kernel, chosen->objective, look->rows[i].objective);
    r->out->objective = ct_look_copy(&r->out->arena, chosen->objective, &r->failed);
    r->out->maximize = chosen->maximize;
    return r->failed ? ct_err_nomem(err) : CT_OK;
}

/* Keeps the rows that are selected. */
static enum ct_status filter_rows(struct reading *r, struct ct_err *err)
{
    struct ct_look *look = &r->look;
    bool *wanted = ct_mem_array(look->device_count + 1, sizeof(*wanted));
    enum ct_status status = wanted ? select_devices(r, wanted, err) : ct_err_nomem(err);
    size_t newest = SIZE_MAX;
    size_t kept = 0;

    if (status == CT_OK)
        status = choose_objective(r, err);
    for (size_t i = 0; wanted && status == CT_OK && i < look->row_count; i++) {
        const struct ct_look_row *row = &look->rows[i];

        if (!wanted[row->device - look->devices] ||
            strcmp(row->objective, r->out->objective) != 0 ||
            row->maximize != r->out->maximize)
            continue;
        if (!(weight_of(r->query, row->problem) > 0)) {
            look->other_problem = row->problem->json;
            continue;
        }
        newest = row->version < newest ? row->version : newest;
        look->rows[kept++] = *row;
    }
    free(wanted);
    if (status != CT_OK)
        return status;
    look->row_count = kept;
    kept = 0;
    for (size_t i = 0; i < look->row_count; i++)
        if (look->rows[i].version == newest)
            look->rows[kept++] = look->rows[i];
    r->out->outdated = look->row_count - kept;
    look->row_count = kept;
    if (!kept && look->other_problem && *r->out->objective)
        return ct_err_set(
            err, CT_E_NOT_FOUND,
            "kernel %s has no result for these sizes; a stored problem is %s",
            r->out->kernel, look->other_problem);
    return kept ? CT_OK : ct_look_nothing(look, err);
}

/* --- points --- */

static enum ct_status copy_values(struct ct_arena *arena, const char *json,
                                  const struct ct_db_value **out, size_t *count,
                                  struct ct_err *err)
{
    struct ct_db_value *values = NULL;
    enum ct_status status = ct_db_parse(arena, json, &values, count, err);

    *out = values;
    return status;
}

static enum ct_status add_point(struct reading *r, const struct ct_look_row *row,
                                struct ct_err *err)
{
    struct ct_arena *arena = &r->out->arena;
    struct ct_db_point *point = &r->out->points[r->out->point_count];
    struct ct_db_use use;
    const char *limits = "{}";
    enum ct_status status;

    *point = (struct ct_db_point){
        .device_name = ct_look_copy(arena, row->device->name, &r->failed),
        .device_vendor = ct_look_copy(arena, row->device->vendor, &r->failed),
        .device_type = ct_look_copy(arena, row->device->type, &r->failed),
        .driver_version = ct_look_copy(arena, row->device->driver, &r->failed),
        .compute_units = row->device->compute_units,
        .problem_json = ct_look_copy(arena, row->problem->json, &r->failed),
        .weight = weight_of(r->query, row->problem),
        .device_id = row->device->id,
        .problem_id = row->problem->id,
    };
    if (r->failed)
        return ct_err_nomem(err);
    use = ct_db_use_begin(r->look.db, CT_SQL_FIND_LIMITS);
    ct_db_bind_int(&use, 1, row->device->id);
    if (ct_db_row(&use))
        limits = ct_db_text(&use, 0, arena);
    status = ct_db_done(&use, err);
    if (status == CT_OK)
        status = copy_values(arena, limits && *limits ? limits : "{}", &point->limits,
                             &point->limit_count, err);
    if (status == CT_OK)
        status = copy_values(arena, point->problem_json, &point->sizes,
                             &point->size_count, err);
    r->out->point_count += status == CT_OK;
    return status;
}

static int compare_values(struct ct_value a, struct ct_value b)
{
    double x, y;

    if ((a.kind == CT_TEXT) != (b.kind == CT_TEXT))
        return a.kind == CT_TEXT ? 1 : -1;
    if (a.kind == CT_TEXT)
        return strcmp(a.u.s, b.u.s);
    x = ct_value_number(a);
    y = ct_value_number(b);
    return (x > y) - (x < y);
}

/* Sizes come in the order of their names. */
static int by_device_and_problem(const void *left, const void *right)
{
    const struct ct_db_point *a = left;
    const struct ct_db_point *b = right;
    int order = strcmp(a->device_name, b->device_name);

    if (!order)
        order = strcmp(a->device_vendor, b->device_vendor);
    if (!order)
        order = strcmp(a->device_type, b->device_type);
    if (!order)
        order =
            (a->compute_units > b->compute_units) - (a->compute_units < b->compute_units);
    for (size_t i = 0; !order && i < a->size_count && i < b->size_count; i++) {
        order = strcmp(a->sizes[i].name, b->sizes[i].name);
        if (!order)
            order = compare_values(a->sizes[i].value, b->sizes[i].value);
    }
    return order ? order : strcmp(a->problem_json, b->problem_json);
}

static enum ct_status read_points(struct reading *r, struct ct_err *err)
{
    struct ct_look *look = &r->look;
    enum ct_status status = CT_OK;

    r->out->points =
        ct_arena_array(&r->out->arena, look->row_count, sizeof(*r->out->points));
    if (!r->out->points)
        return ct_err_nomem(err);
    r->out->kernel_id = look->kernels[look->rows[0].version].id;
    for (size_t i = 0; i < look->row_count && status == CT_OK; i++)
        if (!has_newer_driver(look, &look->rows[i]))
            status = add_point(r, &look->rows[i], err);
    if (status == CT_OK)
        qsort(r->out->points, r->out->point_count, sizeof(*r->out->points),
              by_device_and_problem);
    return status == CT_OK ? check_sizes(r, err) : status;
}

/* --- interface --- */

/* Points at which nothing can be used have no answer. */
static enum ct_status check_points(const struct reading *r, struct ct_err *err)
{
    const struct ct_db_points *out = r->out;
    bool *served = ct_mem_array(out->point_count, sizeof(*served));
    enum ct_status status = CT_OK;

    if (!served)
        return ct_err_nomem(err);
    for (size_t i = 0; i < out->cell_count; i++)
        served[out->cells[i].point] = true;
    for (size_t i = 0; i < out->point_count && status == CT_OK; i++)
        if (!served[i])
            status = ct_err_set(
                err, CT_E_NOT_FOUND,
                "every configuration of kernel %s failed on %s for %s: leave it out with "
                "-d or -p",
                out->kernel, out->points[i].device_name, out->points[i].problem_json);
    free(served);
    return status;
}

/* CT_E_USAGE if the query leaves the kernel open and there are several. */
static enum ct_status choose_kernel(struct reading *r, struct ct_err *err)
{
    const struct ct_look *look = &r->look;

    for (size_t i = 1; i < look->kernel_count; i++)
        if (strcmp(look->kernels[0].name, look->kernels[i].name) != 0)
            return ct_err_set(err, CT_E_USAGE,
                              "the database has several kernels, %s and %s among them: "
                              "name one",
                              look->kernels[0].name, look->kernels[i].name);
    r->out->kernel = ct_look_copy(
        &r->out->arena, look->kernel_count ? look->kernels[0].name : "", &r->failed);
    return r->failed ? ct_err_nomem(err) : CT_OK;
}

static enum ct_status read_macros(struct reading *r, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(r->look.db, CT_SQL_POINT_MACROS);

    r->out->problem_macros = "";
    ct_db_bind_int(&use, 1, r->out->kernel_id);
    if (ct_db_row(&use))
        r->out->problem_macros = ct_db_text(&use, 0, &r->out->arena);
    return ct_db_done(&use, err);
}

enum ct_status ct_db_points_read(struct ct_db *db, const struct ct_db_points_query *query,
                                 struct ct_db_points *out, struct ct_err *err)
{
    struct reading r = {.query = query, .out = out};
    cltunedb_query all = CLTUNEDB_QUERY_INIT;
    enum ct_status status;

    *out = (struct ct_db_points){.objective = ""};
    all.kernel = query->kernel;
    all.objective = query->objective;
    status = ct_look_begin(&r.look, db, &all, err);
    if (status == CT_OK)
        status = choose_kernel(&r, err);
    if (status == CT_OK)
        status =
            ct_look_load_rows(&r.look, CLTUNEDB_SAME_DRIVER, 0, r.look.kernel_count, err);
    if (status == CT_OK)
        status = filter_rows(&r, err);
    if (status == CT_OK)
        status = read_points(&r, err);
    if (status == CT_OK)
        status = ct_db_cells_read(db, out, err);
    if (status == CT_OK)
        status = check_points(&r, err);
    if (status == CT_OK)
        status = read_macros(&r, err);
    ct_look_end(&r.look);
    return status;
}

void ct_db_points_release(struct ct_db_points *points)
{
    free(points->cells);
    ct_arena_release(&points->arena);
    *points = (struct ct_db_points){.objective = ""};
}

enum ct_status ct_db_points_result(struct ct_db *db, struct ct_db_points *points,
                                   const struct ct_db_cell *cell,
                                   struct ct_db_point_result *out, struct ct_err *err)
{
    const struct ct_db_point *point = &points->points[cell->point];
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_POINT_RESULT);
    enum ct_status status;
    int64_t newest = INT64_MIN;
    bool found = false;

    *out = (struct ct_db_point_result){.configuration = "{}", .flags = ""};
    ct_db_bind_int(&use, 1, points->kernel_id);
    ct_db_bind_int(&use, 2, cell->configuration);
    ct_db_bind_int(&use, 3, point->device_id);
    ct_db_bind_int(&use, 4, point->problem_id);
    ct_db_bind_text(&use, 5, points->objective);
    ct_db_bind_text(&use, 6, ct_db_direction(points->maximize));
    /* One score, but for databases that were changed by others: the newest. */
    while (ct_db_row(&use)) {
        if (found && ct_db_int(&use, 3) < newest)
            continue;
        found = true;
        newest = ct_db_int(&use, 3);
        out->configuration = ct_db_text(&use, 0, &points->arena);
        out->flags = ct_db_text(&use, 1, &points->arena);
        out->value = points->maximize ? -ct_db_real(&use, 2) : ct_db_real(&use, 2);
    }
    status = ct_db_done(&use, err);
    if (status == CT_OK && !found)
        status = ct_err_set(err, CT_E_DB, "a result vanished while it was read");
    return status == CT_OK ? copy_values(&points->arena, out->configuration, &out->values,
                                         &out->value_count, err)
                           : status;
}
