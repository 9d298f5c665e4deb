// SPDX-License-Identifier: Apache-2.0
// Merges results: each experiment of a kernel and problem on a device has one row, of which the better
// founded one stays.
#include "db/merge.h"

#include "db/adhoc.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All columns but the identity, those that it maps first. */
#define RESULT_COLUMNS                                                                   \
    "device_id, run_id, kernel_id, problem_id, experiment, status, measured_unix_s,"     \
    " rounds, time_ns, configuration, attempts, configuration_hash, phase,"              \
    " objective_value, low_ns, high_ns, launches_per_sample, build_ns, first_ns,"        \
    " check_ns, measure_ns, deadline_ns, binary_bytes, verified, stopped_early,"         \
    " wall_clock, superseded, mismatch_buffer, mismatch_element, mismatch_expected,"     \
    " mismatch_seen, mismatch_count, mismatch_guard, end_to_end_ns, end_to_end_low_ns,"  \
    " end_to_end_high_ns, timer_ns, raw_ns, twin_of, metrics, resources, observed,"      \
    " samples_ns, rounds_ns, flags, message, log"

/* Columns after the identity in the statement that reads. */
enum {
    DEVICE = 1,
    RUN,
    KERNEL,
    PROBLEM,
    EXPERIMENT,
    STATUS,
    MEASURED,
    ROUNDS,
    TIME,
    CONFIGURATION,
    ATTEMPTS,
    HASH,
    METRICS = 40,
    OBSERVED = 42,
    FLAGS = 45,
    MESSAGE,
    LOG,
    COLUMNS = LOG,
    MACROS, /* of the kernel, which follow from the problem */
};

/* Rows of one source being copied. */
struct copying {
    struct ct_merge *m;
    struct ct_db_use from;
    struct ct_db_use find;
    struct ct_db_use drop;
    struct ct_db_use add;
    struct ct_db_use any; /* whether a subject has results */
};

/* --- subjects --- */

static int compare_subjects(const struct ct_merge_subject *a,
                            const struct ct_merge_subject *b)
{
    if (a->kernel_id != b->kernel_id)
        return a->kernel_id < b->kernel_id ? -1 : 1;
    if (a->problem_id != b->problem_id)
        return a->problem_id < b->problem_id ? -1 : 1;
    return (a->device_id > b->device_id) - (a->device_id < b->device_id);
}

/* Notes the subject of a result, which is usually that of the result before. */
static enum ct_status note_subject(struct copying *c, const struct ct_merge_subject *of,
                                   struct ct_err *err)
{
    struct ct_merge *m = c->m;
    size_t low = 0;
    size_t high = m->subject_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_subjects(&m->subjects[middle], of);

        if (!order)
            return CT_OK;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (!ct_mem_grow(&m->subjects, &m->subject_capacity, m->subject_count + 1,
                     sizeof(*m->subjects)))
        return ct_err_nomem(err);
    memmove(&m->subjects[low + 1], &m->subjects[low],
            (m->subject_count - low) * sizeof(*m->subjects));
    m->subjects[low] = *of;
    m->subject_count++;
    ct_db_bind_int(&c->any, 1, of->kernel_id);
    ct_db_bind_int(&c->any, 2, of->problem_id);
    ct_db_bind_int(&c->any, 3, of->device_id);
    m->subjects[low].mixed = ct_db_row(&c->any);
    ct_adhoc_again(&c->any);
    return CT_OK;
}

/* --- which row stays --- */

/* Orders two rows of one experiment: those of a play-off after others, then by time of measurement;
 * what follows only has to be the same for everybody. */
static int compare_rows(struct ct_db_use *from, struct ct_db_use *to)
{
    /* Columns of `find`, and those of the source that they are compared with. */
    static const int integers[][2] = {{2, MEASURED}, {3, ATTEMPTS}};
    static const int texts[][2] = {{4, STATUS}, {6, CONFIGURATION}};
    bool mine = ct_db_int(from, ROUNDS) > 0;
    bool theirs = ct_db_int(to, 1) > 0;
    double times[2] = {ct_db_real(from, TIME), ct_db_real(to, 5)};

    if (mine != theirs)
        return mine ? 1 : -1;
    for (size_t i = 0; i < 2; i++) {
        int64_t a = ct_db_int(from, integers[i][1]);
        int64_t b = ct_db_int(to, integers[i][0]);

        if (a != b)
            return a > b ? 1 : -1;
    }
    for (size_t i = 0; i < 2; i++) {
        int order = strcmp(ct_db_peek(from, texts[i][1]), ct_db_peek(to, texts[i][0]));

        if (order)
            return order;
    }
    if (isnan(times[0]) || isnan(times[1]))
        return isnan(times[1]) - isnan(times[0]);
    return (times[0] < times[1]) - (times[0] > times[1]);
}

/* --- copying --- */

/* Whether an object of canonical JSON has a member of that name. */
static bool has_name(const char *json, const char *name, size_t length)
{
    for (const char *at = json; (at = strchr(at, '"')); at++)
        if (strncmp(at + 1, name, length) == 0 && strncmp(at + 1 + length, "\":", 2) == 0)
            return true;
    return false;
}

/* One option, with its quotes; `-D NAME` is one. */
static const char *end_of_option(const char *at)
{
    bool quoted = false;
    const char *end = at;

    if (strncmp(at, "-D", 2) == 0 && (at[2] == ' ' || at[2] == '\t'))
        end += 2 + strspn(at + 2, " \t");
    for (; *end && (quoted || (*end != ' ' && *end != '\t')); end++) {
        if (*end == '\\' && end[1])
            end++;
        else if (*end == '"')
            quoted = !quoted;
    }
    return end;
}

/* Appends what others need of the options: the configuration, macros of the problem, and what OpenCL
 * defines.  Anything else may name a file or folder. */
static void put_known_options(struct ct_str *out, struct ct_db_use *from)
{
    const char *flags = ct_db_peek(from, FLAGS);

    for (const char *at = flags + strspn(flags, " \t"); *at; at += strspn(at, " \t")) {
        const char *end = end_of_option(at);
        const char *name = at + strspn(at, "\"");
        bool known = strncmp(name, "-cl-", 4) == 0;

        if (strncmp(name, "-D", 2) == 0) {
            size_t length;

            name += 2;
            name += strspn(name, " \t\"");
            length = strcspn(name, "= \t\"");
            known = length && (has_name(ct_db_peek(from, CONFIGURATION), name, length) ||
                               has_name(ct_db_peek(from, MACROS), name, length));
        }
        if (known) {
            ct_str_puts(out, out->length ? " " : "");
            ct_str_add(out, at, (size_t)(end - at));
        }
        at = end;
    }
}

/* Metrics whose names are plain: any other may be a path. */
static void put_known_metrics(struct ct_str *out, const char *text)
{
    json_t *metrics = json_loads(text, 0, NULL);
    const char *name;
    json_t *value;
    void *next;

    json_object_foreach_safe(metrics, next, name, value)
    {
        if (strspn(name,
                   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") !=
                strlen(name) ||
            !json_is_number(value))
            json_object_del(metrics, name);
    }
    if (json_object_size(metrics)) {
        char *kept =
            json_dumps(metrics, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));

        out->failed |= !kept;
        if (kept)
            ct_str_puts(out, kept);
        free(kept);
    } else if (*text) {
        ct_str_puts(out, "{}");
    }
    json_decref(metrics);
}

/* Refuses to give a path away: the word of options or values that has a slash. */
static enum ct_status check_gift(struct copying *c, const char *flags, struct ct_err *err)
{
    const char *const texts[] = {flags, ct_db_peek(&c->from, CONFIGURATION)};

    for (size_t i = 0; i < 2; i++) {
        const char *slash = strchr(texts[i], '/');
        const char *begin = slash;

        if (!slash)
            continue;
        while (begin > texts[i] && !strchr(" \t,{", begin[-1]))
            begin--;
        return ct_err_set(
            err, CT_E_DB,
            "a result of %s may give away a path ('%.*s') and is not exported; "
            "choose other kernels, or export without --contribute",
            ct_db_path(c->from.db), (int)strcspn(begin, " \t,}"), begin);
    }
    return CT_OK;
}

static int64_t insert_result(struct copying *c, const struct ct_merge_subject *of,
                             int64_t run, const char *flags)
{
    const bool contribute = c->m->selection->contribute;
    struct ct_str metrics;
    int64_t id;

    ct_str_init(&metrics);
    ct_db_bind_int(&c->add, DEVICE, of->device_id);
    ct_db_bind_int(&c->add, RUN, run);
    ct_db_bind_int(&c->add, KERNEL, of->kernel_id);
    ct_db_bind_int(&c->add, PROBLEM, of->problem_id);
    for (int i = EXPERIMENT; i <= COLUMNS; i++) {
        if (i == HASH) {
            /* Computed again: it decides what competes with what. */
            ct_db_bind_int(&c->add, i,
                           ct_db_hash_configuration(ct_db_peek(&c->from, CONFIGURATION)));
        } else if (contribute && i == FLAGS) {
            ct_db_bind_text(&c->add, i, flags);
        } else if (contribute && i == METRICS) {
            put_known_metrics(&metrics, ct_db_peek(&c->from, METRICS));
            ct_db_bind_text(&c->add, i, metrics.data ? metrics.data : "");
        } else if (contribute && (i == MESSAGE || i == LOG || i == OBSERVED)) {
            ct_db_bind_text(&c->add, i, "");
        } else {
            ct_adhoc_copy(&c->add, i, &c->from, i);
        }
    }
    if (metrics.failed && c->add.rc == SQLITE_OK)
        c->add.rc = SQLITE_NOMEM;
    while (ct_db_row(&c->add)) {
    }
    id = c->add.rc == SQLITE_OK ? sqlite3_last_insert_rowid(c->add.db->sql) : 0;
    ct_adhoc_again(&c->add);
    ct_str_release(&metrics);
    return id;
}

/* The row that is stored already; `*order` compares the source's with it. */
static int64_t find_result(struct copying *c, const struct ct_merge_subject *of,
                           int *order)
{
    int64_t id = 0;

    ct_db_bind_int(&c->find, 1, of->device_id);
    ct_adhoc_copy(&c->find, 2, &c->from, EXPERIMENT);
    ct_db_bind_int(&c->find, 3, of->kernel_id);
    ct_db_bind_int(&c->find, 4, of->problem_id);
    if (ct_db_row(&c->find)) {
        id = ct_db_int(&c->find, 0);
        *order = compare_rows(&c->from, &c->find);
    }
    ct_adhoc_again(&c->find);
    return id;
}

/* Longer texts are nothing that cltune has written. */
static enum ct_status check_lengths(struct copying *c, struct ct_err *err)
{
    enum { NOTE = 64 }; /* of a text that was cut */

    if (sqlite3_column_bytes(c->from.stmt, LOG) <= CT_DB_LOG_BYTES + NOTE &&
        sqlite3_column_bytes(c->from.stmt, MESSAGE) <= CT_DB_MESSAGE_BYTES + NOTE)
        return CT_OK;
    return ct_err_set(
        err, CT_E_DB,
        "%s has a message or log that is longer than cltune stores, and is not "
        "merged",
        ct_db_path(c->from.db));
}

static enum ct_status copy_result(struct copying *c, struct ct_err *err)
{
    struct ct_merge *m = c->m;
    int64_t from_id = ct_db_int(&c->from, 0);
    const struct ct_merge_subject of = {
        .device_id = ct_merge_id_of(&m->devices, ct_db_int(&c->from, DEVICE)),
        .kernel_id = ct_merge_id_of(&m->kernels, ct_db_int(&c->from, KERNEL)),
        .problem_id = ct_merge_id_of(&m->problems, ct_db_int(&c->from, PROBLEM)),
    };
    int64_t run = ct_merge_id_of(&m->runs, ct_db_int(&c->from, RUN));
    struct ct_str flags;
    int order = 0;
    int64_t id;
    enum ct_status status;

    if (!of.device_id || !of.kernel_id || !of.problem_id || !run ||
        (m->selection->contribute && !ct_merge_id_of(&m->leaders, from_id)))
        return CT_OK;
    m->done->results++;
    status = check_lengths(c, err);
    if (status == CT_OK)
        status = note_subject(c, &of, err);
    if (status != CT_OK)
        return status;
    id = find_result(c, &of, &order);
    if (id && order < 0)
        return CT_OK;
    /* The same row: what refers to it in the source refers to this one. */
    if (id && order == 0)
        return ct_merge_ids_add(&m->results, from_id, id, err);
    if (id) {
        ct_db_bind_int(&c->drop, 1, id);
        while (ct_db_row(&c->drop)) {
        }
        ct_adhoc_again(&c->drop);
    }
    m->done->added += !id;
    m->done->replaced += id != 0;
    ct_str_init(&flags);
    if (m->selection->contribute) {
        put_known_options(&flags, &c->from);
        status = flags.failed ? ct_err_nomem(err)
                              : check_gift(c, flags.data ? flags.data : "", err);
    }
    if (status == CT_OK) {
        id = insert_result(c, &of, run, flags.data ? flags.data : "");
        status = id ? ct_merge_ids_add(&m->results, from_id, id, err) : CT_OK;
    }
    ct_str_release(&flags);
    return status;
}

static struct ct_db_use begin_add(struct ct_db *db)
{
    struct ct_db_use use;
    struct ct_str sql;

    ct_str_init(&sql);
    ct_str_puts(&sql, "INSERT INTO result (" RESULT_COLUMNS ") VALUES (");
    ct_adhoc_marks(&sql, COLUMNS);
    ct_str_putc(&sql, ')');
    use = ct_adhoc_begin(db, sql.data);
    if (sql.failed)
        use.rc = SQLITE_NOMEM;
    ct_str_release(&sql);
    return use;
}

enum ct_status ct_merge_results(struct ct_merge *m, struct ct_err *err)
{
    struct copying c = {
        .m = m,
        .from = ct_adhoc_begin(m->from,
                               "SELECT id, " RESULT_COLUMNS ", (SELECT problem_macros"
                               " FROM kernel WHERE kernel.id = kernel_id) FROM result"
                               " ORDER BY id"),
        .find = ct_adhoc_begin(
            m->to, "SELECT id, rounds, measured_unix_s, attempts, status, time_ns,"
                   " configuration FROM result WHERE device_id = ?1 AND experiment = ?2"
                   " AND kernel_id = ?3 AND problem_id = ?4"),
        .drop = ct_adhoc_begin(m->to, "DELETE FROM result WHERE id = ?1"),
        .add = begin_add(m->to),
        .any = ct_adhoc_begin(
            m->to, "SELECT 1 FROM result WHERE kernel_id = ?1 AND problem_id = ?2"
                   " AND device_id = ?3 LIMIT 1"),
    };
    struct ct_db_use *const all[] = {&c.from, &c.find, &c.drop, &c.add, &c.any};
    enum ct_status status = CT_OK;

    while (status == CT_OK && c.find.rc == SQLITE_OK && c.drop.rc == SQLITE_OK &&
           c.add.rc == SQLITE_OK && ct_db_row(&c.from))
        status = copy_result(&c, err);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        enum ct_status own = ct_adhoc_end(all[i], status == CT_OK ? err : NULL);

        status = status == CT_OK ? own : status;
    }
    return status;
}
