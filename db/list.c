// SPDX-License-Identifier: Apache-2.0
// Lists what a database holds: subjects with a best, and those with results.
#include "db/lookup.h"

#include <stdlib.h>
#include <string.h>

/* A list under construction. */
struct listing {
    struct ct_look look;
    struct ct_arena *arena; /* the caller's */
    size_t top;
    struct ct_db_subject_best *bests;
    size_t best_capacity;
    struct ct_db_record *records;
    size_t record_capacity;
    size_t count;
    bool failed; /* out of memory */
};

/* Whether a newer source of the kernel was used since. */
static bool outdated(const struct ct_look *look, size_t version)
{
    const struct ct_look_kernel *kernels = look->kernels;

    return version && strcmp(kernels[version].name, kernels[version - 1].name) == 0;
}

static bool is_asked(const struct ct_look_device *device)
{
    return device->evidence <= CLTUNEDB_SAME_DEVICE;
}

/* --- what both lists have in common --- */

/* What is listed of a kernel's version and a problem on a device.  CT_E_NOMEM. */
static enum ct_status set_listed(struct listing *list,
                                 const struct ct_look_device *device, size_t version,
                                 const struct ct_look_problem *problem,
                                 struct ct_db_listed *out, struct ct_err *err)
{
    const struct ct_look_kernel *kernel = &list->look.kernels[version];
    struct ct_arena *arena = list->arena;

    *out = (struct ct_db_listed){
        .device_id = device->id,
        .kernel_id = kernel->id,
        .problem_id = problem->id,
        .kernel = ct_look_copy(arena, kernel->name, &list->failed),
        .space_path = "",
        .space_file = "",
        .outdated = outdated(&list->look, version),
        .problem_json = ct_look_copy(arena, problem->json, &list->failed),
        .device_name = ct_look_copy(arena, device->name, &list->failed),
        .device_vendor = ct_look_copy(arena, device->vendor, &list->failed),
        .device_type = ct_look_copy(arena, device->type, &list->failed),
        .driver_version = ct_look_copy(arena, device->driver, &list->failed),
        .compute_units = device->compute_units,
    };
    return list->failed ? ct_err_nomem(err) : CT_OK;
}

static int compare_listed(const struct ct_db_listed *a, const struct ct_db_listed *b)
{
    int order = strcmp(a->kernel, b->kernel);

    if (!order)
        order = (int)a->outdated - (int)b->outdated;
    if (!order)
        order = strcmp(a->device_name, b->device_name);
    if (!order)
        order = strcmp(a->driver_version, b->driver_version);
    if (!order)
        order = (a->device_id > b->device_id) - (a->device_id < b->device_id);
    if (!order)
        order = (a->kernel_id > b->kernel_id) - (a->kernel_id < b->kernel_id);
    return order ? order : strcmp(a->problem_json, b->problem_json);
}

/* Ends a list: sorts its items of `size` bytes and moves them into the caller's arena, unless
 * `status` is a failure. */
static enum ct_status hand_out(struct listing *list, enum ct_status status, void *items,
                               size_t size, int (*compare)(const void *, const void *),
                               void *out, size_t *count, struct ct_err *err)
{
    void *moved = NULL;

    ct_look_end(&list->look);
    if (status == CT_OK) {
        qsort(items, list->count, size, compare);
        moved = ct_arena_array(list->arena, list->count, size);
        if (moved)
            memcpy(moved, items, list->count * size);
        else
            status = ct_err_nomem(err);
    }
    free(items);
    memcpy(out, &moved, sizeof(moved));
    *count = moved ? list->count : 0;
    return status;
}

/* --- subjects with a best --- */

static enum ct_status read_source(struct listing *list, struct ct_db_subject_best *best,
                                  struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(list->look.db, CT_SQL_FIND_SOURCE);

    ct_db_bind_int(&use, 1, best->of.kernel_id);
    if (ct_db_row(&use)) {
        best->of.space_path = ct_db_text(&use, 0, list->arena);
        best->of.space_file = ct_db_text(&use, 4, list->arena);
        best->source_hash = ct_db_hash(&use, 1);
    }
    return ct_db_done(&use, err);
}

static enum ct_status add_best(struct listing *list, const struct ct_look_row *row,
                               struct ct_err *err)
{
    struct ct_db_result *top = ct_arena_array(list->arena, list->top, sizeof(*top));
    struct ct_db_subject_best *best;
    enum ct_status status;

    if (!top || !ct_mem_grow(&list->bests, &list->best_capacity, list->count + 1,
                             sizeof(*list->bests)))
        return ct_err_nomem(err);
    best = &list->bests[list->count];
    *best = (struct ct_db_subject_best){
        .objective = ct_look_copy(list->arena, row->objective, &list->failed),
        .maximize = row->maximize,
        .top = top,
    };
    status = set_listed(list, row->device, row->version, row->problem, &best->of, err);
    if (status == CT_OK)
        status = read_source(list, best, err);
    if (status == CT_OK)
        status = ct_db_best_top(list->look.db, best->of.device_id, best->of.kernel_id,
                                best->of.problem_id, best->objective, best->maximize,
                                list->top, list->arena, top, &best->top_count, err);
    list->count += status == CT_OK;
    return status;
}

static enum ct_status add_bests(struct listing *list, struct ct_err *err)
{
    struct ct_look *look = &list->look;
    enum ct_status status = CT_OK;

    for (int level = CLTUNEDB_SAME_DRIVER; level <= CLTUNEDB_SAME_DEVICE; level++) {
        status =
            ct_look_load_rows(look, (cltunedb_evidence)level, 0, look->kernel_count, err);
        for (size_t i = 0; i < look->row_count && status == CT_OK; i++) {
            if (look->rows[i].distance > 0)
                look->other_problem = look->rows[i].problem->json;
            else
                status = add_best(list, &look->rows[i], err);
        }
        if (status != CT_OK)
            return status;
    }
    return list->count ? status : ct_look_nothing(look, err);
}

static int compare_bests(const void *left, const void *right)
{
    const struct ct_db_subject_best *a = left;
    const struct ct_db_subject_best *b = right;
    int order = compare_listed(&a->of, &b->of);

    if (!order)
        order = strcmp(a->objective, b->objective);
    return order ? order : (int)a->maximize - (int)b->maximize;
}

enum ct_status ct_db_list(struct ct_db *db, const cltunedb_query *query, size_t top,
                          struct ct_arena *arena, struct ct_db_subject_best **out,
                          size_t *count, struct ct_err *err)
{
    struct listing list = {.arena = arena, .top = top ? top : 1};
    enum ct_status status = ct_look_begin(&list.look, db, query, err);

    if (status == CT_OK)
        status = add_bests(&list, err);
    return hand_out(&list, status, list.bests, sizeof(*list.bests), compare_bests, out,
                    count, err);
}

/* --- subjects with results --- */

static enum ct_status describe_record(struct listing *list, struct ct_db_record *record,
                                      struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(list->look.db, CT_SQL_FIND_SOURCE);

    record->parameters = record->constraints = "";
    ct_db_bind_int(&use, 1, record->of.kernel_id);
    if (ct_db_row(&use)) {
        record->of.space_path = ct_db_text(&use, 0, list->arena);
        record->of.space_file = ct_db_text(&use, 4, list->arena);
        record->parameters = ct_db_text(&use, 2, list->arena);
        record->constraints = ct_db_text(&use, 3, list->arena);
    }
    return ct_db_done(&use, err);
}

static const struct ct_look_device *find_device(const struct ct_look *look, int64_t id)
{
    for (size_t i = 0; i < look->device_count; i++)
        if (look->devices[i].id == id)
            return is_asked(&look->devices[i]) ? &look->devices[i] : NULL;
    return NULL;
}

/* Appends the record in the current row of `use`, if it matches. */
static enum ct_status add_record(struct listing *list, struct ct_db_use *use,
                                 size_t version, struct ct_err *err)
{
    struct ct_look *look = &list->look;
    const struct ct_look_device *device = find_device(look, ct_db_int(use, 1));
    const struct ct_look_problem *problem;
    struct ct_db_record *record;
    enum ct_status status = CT_OK;

    if (device)
        status = ct_look_find_problem(look, ct_db_int(use, 0), &problem, err);
    if (!device || status != CT_OK)
        return status;
    if (ct_look_distance(&look->query, problem) > 0) {
        look->other_problem = problem->json;
        return CT_OK;
    }
    if (!ct_mem_grow(&list->records, &list->record_capacity, list->count + 1,
                     sizeof(*list->records)))
        return ct_err_nomem(err);
    record = &list->records[list->count];
    *record = (struct ct_db_record){.result_count = (uint64_t)ct_db_int(use, 2)};
    status = set_listed(list, device, version, problem, &record->of, err);
    if (status == CT_OK)
        status = describe_record(list, record, err);
    list->count += status == CT_OK;
    return status;
}

static enum ct_status add_records(struct listing *list, struct ct_err *err)
{
    struct ct_look *look = &list->look;
    enum ct_status status = CT_OK;

    for (size_t k = 0; k < look->kernel_count && status == CT_OK; k++) {
        struct ct_db_use use = ct_db_use_begin(look->db, CT_SQL_FIND_RECORDS);

        ct_db_bind_int(&use, 1, look->kernels[k].id);
        while (status == CT_OK && ct_db_row(&use))
            status = add_record(list, &use, k, err);
        if (status == CT_OK)
            status = ct_db_done(&use, err);
        else
            ct_db_done(&use, NULL);
    }
    if (status == CT_OK && !list->count)
        status = ct_look_nothing(look, err);
    return status;
}

static int compare_records(const void *left, const void *right)
{
    const struct ct_db_record *a = left;
    const struct ct_db_record *b = right;

    return compare_listed(&a->of, &b->of);
}

enum ct_status ct_db_records(struct ct_db *db, const cltunedb_query *query,
                             struct ct_arena *arena, struct ct_db_record **out,
                             size_t *count, struct ct_err *err)
{
    struct listing list = {.arena = arena};
    enum ct_status status = ct_look_begin(&list.look, db, query, err);

    if (status == CT_OK)
        status = add_records(&list, err);
    return hand_out(&list, status, list.records, sizeof(*list.records), compare_records,
                    out, count, err);
}
