// SPDX-License-Identifier: Apache-2.0
// Whether a device that has no results can run what was measured on others.
//
// A result says what it needs: the work-group and the local memory of its launches, and the
// constraints of its kernel that name limits of the device.  Against these stand the limits that
// are known of the device: those in the query; else those stored with it, when it was measured
// with other kernels; else those of its architecture.
#include "db/lookup.h"

#include "base/devinfo.h"
#include "base/str.h"
#include "spacefile/expr/expr.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char group_limit[] = "DEVICE_MAX_WORK_GROUP_SIZE";
static const char *const item_limits[3] = {"DEVICE_MAX_WORK_ITEM_SIZES_0",
                                           "DEVICE_MAX_WORK_ITEM_SIZES_1",
                                           "DEVICE_MAX_WORK_ITEM_SIZES_2"};
static const char local_limit[] = "DEVICE_LOCAL_MEM_SIZE";
static const char driver_version[] = "DRIVER_VERSION";

/* --- limits that are known --- */

/* What every device of an architecture has.  VideoCore IV: its 12 processors are the work-items
 * of VC4CL's only work-group.  NVIDIA: "CUDA C++ Programming Guide", table of technical
 * specifications per compute capability; OpenCL offers no more local memory than 48 KiB. */
static const struct {
    const char *architectures; /* separated by blanks */
    int64_t group;
    int64_t items[3];    /* below `group`; 0: that decides */
    int64_t local_bytes; /* 0: differs */
} architecture_limits[] = {
    {"videocore4", 12, {0, 0, 0}, 0},
    {"kepler maxwell pascal volta turing ampere ada hopper blackwell",
     1024,
     {0, 0, 64},
     49152},
};

static bool is_word_of(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; length && *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");

        if (n == length && memcmp(at, word, n) == 0)
            return true;
        at += n;
    }
    return false;
}

static struct ct_value architecture_limit(const char *architecture, const char *name)
{
    static const struct ct_value unknown = {.kind = CT_NONE};
    int64_t limit = 0;

    for (size_t i = 0; i < sizeof(architecture_limits) / sizeof(architecture_limits[0]);
         i++) {
        if (!is_word_of(architecture_limits[i].architectures, architecture))
            continue;
        if (strcmp(name, group_limit) == 0)
            limit = architecture_limits[i].group;
        else if (strcmp(name, local_limit) == 0)
            limit = architecture_limits[i].local_bytes;
        for (size_t d = 0; d < 3; d++)
            if (strcmp(name, item_limits[d]) == 0)
                limit = architecture_limits[i].items[d];
    }
    return limit ? ct_value_int(limit) : unknown;
}

static struct ct_value given_limit(const cltunedb_query *query, const char *name)
{
    static const struct ct_value unknown = {.kind = CT_NONE};

    for (size_t i = 0; i < query->limit_count; i++) {
        const cltunedb_value *value = &query->limits[i];

        if (strcmp(value->name, name) == 0)
            return value->kind == CLTUNEDB_INT    ? ct_value_int(value->i)
                   : value->kind == CLTUNEDB_REAL ? ct_value_real(value->r)
                                                  : ct_value_text(value->s);
    }
    return unknown;
}

/* The least that a device of the same architecture reports: those that a work-group must keep to
 * differ little within one. */
static struct ct_value relatives_limit(const struct ct_look *look, const char *name)
{
    struct ct_value least = {.kind = CT_NONE};
    bool alike = strcmp(name, group_limit) == 0 || strcmp(name, local_limit) == 0;

    for (size_t d = 0; d < 3; d++)
        alike |= strcmp(name, item_limits[d]) == 0;
    for (size_t i = 0; alike && i < look->relative_count; i++)
        for (size_t k = 0; k < look->relatives[i].count; k++) {
            const struct ct_db_value *limit = &look->relatives[i].limits[k];

            if (strcmp(limit->name, name) == 0 && limit->value.kind == CT_INT &&
                (least.kind == CT_NONE || limit->value.u.i < least.u.i))
                least = limit->value;
        }
    return least;
}

/* A limit of one device that may ask; `asker` is NULL if none of them is stored. */
static struct ct_value limit_of(const struct ct_look *look,
                                const struct ct_look_asker *asker, const char *name)
{
    struct ct_value value = given_limit(&look->query, name);

    for (size_t i = 0; asker && value.kind == CT_NONE && i < asker->count; i++)
        if (strcmp(asker->limits[i].name, name) == 0)
            value = asker->limits[i].value;
    if (value.kind == CT_NONE)
        value = architecture_limit(look->architecture, name);
    return value.kind == CT_NONE ? relatives_limit(look, name) : value;
}

static enum ct_status read_limits(struct ct_look *look, int64_t device_id,
                                  struct ct_look_asker *out, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(look->db, CT_SQL_FIND_LIMITS);
    const char *json = "{}";
    enum ct_status status;

    ct_db_bind_int(&use, 1, device_id);
    if (ct_db_row(&use))
        json = ct_db_text(&use, 0, &look->arena);
    status = ct_db_done(&use, err);
    if (status == CT_OK)
        status = ct_db_parse(&look->arena, json, &out->limits, &out->count, err);
    return status;
}

/* Fills look->askers and look->relatives; once. */
static enum ct_status load_askers(struct ct_look *look, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    if (look->askers)
        return CT_OK;
    look->askers =
        ct_arena_array(&look->arena, look->device_count, sizeof(*look->askers));
    look->relatives =
        ct_arena_array(&look->arena, look->device_count, sizeof(*look->relatives));
    if (!look->askers || !look->relatives)
        return ct_err_nomem(err);
    for (size_t i = 0; i < look->device_count && status == CT_OK; i++) {
        const struct ct_look_device *device = &look->devices[i];

        if (device->evidence <= CLTUNEDB_SAME_DEVICE)
            status =
                read_limits(look, device->id, &look->askers[look->asker_count++], err);
        else if (device->evidence == CLTUNEDB_SAME_ARCHITECTURE)
            status = read_limits(look, device->id,
                                 &look->relatives[look->relative_count++], err);
    }
    return status;
}

/* --- what a result needs --- */

/* One verdict in the making. */
struct judging {
    struct ct_look *look;
    const struct ct_look_asker *asker;
    struct ct_look_fit *fit;
};

static void note_unknown(struct judging *j, const char *name)
{
    if (ct_str_contains_nocase(j->fit->unknown.data, name))
        return;
    if (j->fit->unknown.length)
        ct_str_puts(&j->fit->unknown, ", ");
    ct_str_puts(&j->fit->unknown, name);
}

/* At least `needed` of a limit; `optional`: nothing is said if it is not known. */
static void need_at_least(struct judging *j, const char *name, uint64_t needed,
                          bool optional)
{
    struct ct_value limit = limit_of(j->look, j->asker, name);

    if (limit.kind == CT_NONE && !optional)
        note_unknown(j, name);
    if (limit.kind != CT_INT || limit.u.i < 0 || (uint64_t)limit.u.i >= needed ||
        !j->fit->fits)
        return;
    j->fit->fits = false;
    ct_str_addf(&j->fit->reason, "needs a %s of %llu, and has %lld", name,
                (unsigned long long)needed, (long long)limit.u.i);
}

static uint64_t member(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));

    return value > 0 ? (uint64_t)value : 0;
}

static void judge_launch(struct judging *j, const json_t *launch)
{
    const json_t *local = json_object_get(launch, "local_size");
    uint64_t bytes = member(launch, "local_mem_bytes");
    uint64_t items = 1;

    for (size_t d = 0; d < 3 && json_array_size(local) == 3; d++) {
        json_int_t size = json_integer_value(json_array_get(local, d));

        /* 0: the driver chose, and will choose there. */
        if (size > 1 && __builtin_mul_overflow(items, (uint64_t)size, &items))
            items = UINT64_MAX;
        if (size > 1)
            need_at_least(j, item_limits[d], (uint64_t)size, true);
    }
    if (json_array_size(local) != 3)
        note_unknown(j, "the work-group of the result");
    else if (items > 1)
        need_at_least(j, group_limit, items, false);
    if (bytes)
        need_at_least(j, local_limit, bytes, false);
}

/* --- constraints --- */

/* The names in an expression, with their values; CT_NONE: not known. */
struct scope_names {
    struct judging *judging;
    const struct ct_look_result *result;
    struct ct_arena *arena;
    size_t count;
    size_t capacity;
    const char **names;
    struct ct_value *values;
};

/* Whether a stored device reports a property; devices that were stored before the version of their
 * driver was do not tell. */
static struct ct_value limit_or_absent(const struct judging *j, const char *name)
{
    struct ct_value value = limit_of(j->look, j->asker, name);
    bool property = false;
    bool all = false;

    for (int i = 0; i < CT_DEVPROP_COUNT; i++)
        property = property || strcmp(ct_devprops[i].name, name) == 0;
    for (size_t i = 0; j->asker && i < j->asker->count; i++)
        all = all || strcmp(j->asker->limits[i].name, driver_version) == 0;
    return value.kind == CT_NONE && property && all ? ct_value_absent() : value;
}

static struct ct_value value_of(const struct scope_names *scope, const char *name)
{
    const struct ct_look_result *r = scope->result;

    for (size_t i = 0; i < r->config_count; i++)
        if (strcmp(r->config[i].name, name) == 0)
            return r->config[i].value;
    for (size_t i = 0; i < r->problem->count; i++)
        if (strcmp(r->problem->values[i].name, name) == 0)
            return r->problem->values[i].value;
    return limit_or_absent(scope->judging, name);
}

static void add_name(void *context, const char *name, size_t length)
{
    struct scope_names *scope = context;

    if (scope->count == scope->capacity)
        return;
    scope->names[scope->count] = ct_arena_copy(scope->arena, name, length);
    if (!scope->names[scope->count])
        return;
    scope->values[scope->count] = value_of(scope, scope->names[scope->count]);
    scope->count++;
}

static int find_name(void *context, const char *name, size_t length,
                     struct ct_place place)
{
    const struct scope_names *scope = context;

    (void)place;
    for (size_t i = 0; i < scope->count; i++)
        if (strlen(scope->names[i]) == length &&
            memcmp(scope->names[i], name, length) == 0)
            return (int)i;
    return -1;
}

static enum ct_kind kind_of_name(void *context, int slot)
{
    const struct scope_names *scope = context;

    return scope->values[slot].kind;
}

/* known() may ask for what a device can report. */
static bool askable(void *context, int slot, struct ct_place place)
{
    const struct scope_names *scope = context;

    (void)place;
    for (int i = 0; i < CT_DEVPROP_COUNT; i++)
        if (strcmp(ct_devprops[i].name, scope->names[slot]) == 0)
            return true;
    return false;
}

/* Texts are a stranger's if the database is. */
enum { CONSTRAINT_BYTES = 4000 };

static void judge_constraint(struct judging *j, const struct ct_look_result *result,
                             const char *name, const char *expression)
{
    size_t length = strlen(expression);
    struct ct_arena arena = {0};
    struct ct_diags diags = {0};
    struct scope_names scope = {j, result, &arena, 0, length / 2 + 1, NULL, NULL};
    struct ct_place *places = ct_arena_array(&arena, length + 1, sizeof(*places));
    struct ct_text text = {"", expression, length, places};
    struct ct_scope names = {find_name, kind_of_name, &scope, askable};
    const struct ct_expr *expr = NULL;
    struct ct_value value;
    enum ct_eval eval = CT_EVAL_TYPE;

    scope.names = ct_arena_array(&arena, scope.capacity, sizeof(*scope.names));
    scope.values = ct_arena_array(&arena, scope.capacity, sizeof(*scope.values));
    if (places && scope.names && scope.values && length <= CONSTRAINT_BYTES) {
        ct_expr_each_name(&text, 0, length, add_name, &scope);
        expr = ct_expr_compile(&arena, &text, 0, length, &names, &diags);
    }
    if (expr)
        eval = ct_expr_eval(expr, scope.values, &value);
    for (size_t i = 0; eval == CT_EVAL_UNKNOWN && i < scope.count; i++)
        if (scope.values[i].kind == CT_NONE)
            note_unknown(j, scope.names[i]);
    if (eval == CT_EVAL_OK && !ct_value_true(value) && j->fit->fits) {
        j->fit->fits = false;
        ct_str_addf(&j->fit->reason, "does not satisfy the constraint %s, %s", name,
                    expression);
    }
    ct_diags_release(&diags);
    ct_arena_release(&arena);
}

static void judge_constraints(struct judging *j, const struct ct_look_result *result,
                              const json_t *constraints)
{
    size_t i;
    json_t *item;

    json_array_foreach(constraints, i, item)
    {
        const char *name = json_string_value(json_object_get(item, "name"));
        const char *text = json_string_value(json_object_get(item, "device"));

        /* Older versions stored the text of the file alone. */
        if (!text)
            text = json_string_value(json_object_get(item, "expression"));
        if (text && (strstr(text, "DEVICE_") || strstr(text, driver_version)))
            judge_constraint(j, result, name ? name : "", text);
    }
}

/* --- interface --- */

void ct_look_fit_init(struct ct_look_fit *fit)
{
    fit->fits = true;
    ct_str_init(&fit->unknown);
    ct_str_init(&fit->reason);
}

void ct_look_fit_release(struct ct_look_fit *fit)
{
    ct_str_release(&fit->unknown);
    ct_str_release(&fit->reason);
}

static void judge(struct judging *j, const struct ct_look_result *result,
                  const json_t *resources, const json_t *constraints)
{
    size_t i;
    json_t *launch;

    json_array_foreach(resources, i, launch)
    {
        judge_launch(j, launch);
    }
    judge_constraints(j, result, constraints);
}

enum ct_status ct_look_fits(struct ct_look *look, const struct ct_look_row *row,
                            struct ct_look_fit *fit, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_use use = ct_db_use_begin(look->db, CT_SQL_FIND_NEEDS);
    struct ct_look_result result = {.problem = row->problem};
    const char *resources = "";
    const char *constraints = "";
    const char *config = "{}";
    enum ct_status status;

    ct_db_bind_int(&use, 1, row->result_id);
    if (ct_db_row(&use)) {
        resources = ct_db_text(&use, 0, &arena);
        config = ct_db_text(&use, 1, &arena);
        constraints = ct_db_text(&use, 2, &arena);
    }
    status = ct_db_done(&use, err);
    if (status == CT_OK)
        status = ct_db_parse(&arena, config, &result.config, &result.config_count, err);
    if (status == CT_OK)
        status = load_askers(look, err);
    if (status == CT_OK) {
        json_t *needs = json_loads(resources, 0, NULL);
        json_t *list = json_loads(constraints, 0, NULL);
        struct judging j = {look, NULL, fit};

        if (!look->asker_count)
            judge(&j, &result, needs, list);
        for (size_t i = 0; i < look->asker_count; i++) {
            j.asker = &look->askers[i];
            judge(&j, &result, needs, list);
        }
        json_decref(list);
        json_decref(needs);
        if (fit->unknown.failed || fit->reason.failed)
            status = ct_err_nomem(err);
    }
    ct_arena_release(&arena);
    return status;
}
