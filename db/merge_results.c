// SPDX-License-Identifier: Apache-2.0
// Merges results: each experiment of a kernel and problem on a device has one row, of which the better
// founded one stays.
//
// All new results are written by one statement.  Those of kernels, devices and problems that had some are
// looked up first: one that replaces a stored result is written, in the same way, by a second statement.
#include "db/merge.h"

#include "db/adhoc.h"
#include "db/merge_feed.h"
#include "db/merge_fits.h"

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
    VALUE = 14,
    END_TO_END = 34,
    METRICS = 40,
    OBSERVED = 42,
    FLAGS = 45,
    MESSAGE,
    LOG,
    COLUMNS = LOG,
    MACROS, /* of the kernel, which follow from the problem; for contributions */
    FITS, /* whether the row fulfils those conditions of the schema that SQLite checks */
};

/* Rows of one source being copied. */
struct copying {
    struct ct_merge *m;
    struct ct_err *err;
    enum ct_status status;
    struct ct_db_use from;
    struct ct_merge_fits fits;
    struct ct_db_use any;  /* whether a subject has results */
    struct ct_db_use find; /* the stored result of an experiment of a mixed subject */
    struct ct_merge_ids
        replacing; /* results of the source, and those that they replace */
    size_t replaced;
    bool again;   /* the pass over these */
    int64_t last; /* identity of a stored result */
    int64_t latest_unix_s;
    int64_t ids[4]; /* of the row: device, run, kernel, problem in the source */
    bool mapped;    /* these are those of a row */
    struct ct_merge_row *row;
    uint32_t objective;         /* of the run */
    struct ct_merge_subject of; /* the same in the target */
    int64_t run;
    uint32_t subject; /* the number of `of`, if noted */
    bool noted;
    struct ct_str flags; /* of the row, if it is given away */
    struct ct_str metrics;
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

/* Finds or notes the subject of a row. */
static enum ct_status note_subject(struct copying *c)
{
    struct ct_merge *m = c->m;
    size_t low = 0;
    size_t high = m->subject_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_subjects(&m->subjects[m->ordered_subjects[middle]], &c->of);

        if (!order) {
            c->subject = m->ordered_subjects[middle];
            return CT_OK;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (!ct_mem_grow(&m->subjects, &m->subject_capacity, m->subject_count + 1,
                     sizeof(*m->subjects)) ||
        !ct_mem_grow(&m->ordered_subjects, &m->ordered_capacity, m->subject_count + 1,
                     sizeof(*m->ordered_subjects)))
        return ct_err_nomem(c->err);
    memmove(&m->ordered_subjects[low + 1], &m->ordered_subjects[low],
            (m->subject_count - low) * sizeof(*m->ordered_subjects));
    c->subject = (uint32_t)m->subject_count;
    m->ordered_subjects[low] = c->subject;
    m->subjects[m->subject_count] = c->of;
    ct_db_bind_int(&c->any, 1, c->of.kernel_id);
    ct_db_bind_int(&c->any, 2, c->of.problem_id);
    ct_db_bind_int(&c->any, 3, c->of.device_id);
    m->subjects[m->subject_count++].mixed = ct_db_row(&c->any);
    ct_adhoc_again(&c->any);
    return CT_OK;
}

/* Looks up what the row refers to, which is to be in the source. */
static enum ct_status map_references(struct copying *c, const int64_t ids[4])
{
    const struct ct_merge *m = c->m;
    const struct ct_merge_ids *const all[] = {&m->devices, &m->runs, &m->kernels,
                                              &m->problems};
    int64_t to[4];

    for (int i = 0; i < 4; i++) {
        const struct ct_merge_id *id = ct_merge_ids_find(all[i], ids[i]);

        if (!id && m->checked)
            return ct_merge_missing(ct_db_path(c->from.db), "result", c->err);
        to[i] = id ? id->to : 0;
        if (id && i == 1)
            c->objective = m->objectives.of_runs[id - m->runs.items];
    }
    c->mapped = true;
    c->noted = false;
    memcpy(c->ids, ids, sizeof(c->ids));
    c->of = (struct ct_merge_subject){
        .device_id = to[0], .kernel_id = to[2], .problem_id = to[3]};
    c->run = to[1];
    return CT_OK;
}

/* Maps what the source's row refers to, mostly the same as the row before; false: it is not copied,
 * or c->status is a failure. */
static bool map_row(struct copying *c)
{
    const struct ct_merge *m = c->m;
    int64_t ids[4];
    bool same = c->mapped;

    for (int i = 0; i < 4; i++) {
        ids[i] = ct_db_int(&c->from, DEVICE + i);
        same &= ids[i] == c->ids[i];
    }
    if (!same) {
        c->status = map_references(c, ids);
        if (c->status != CT_OK)
            return false;
    }
    c->row->objective = c->objective;
    if (!c->of.device_id || !c->of.kernel_id || !c->of.problem_id || !c->run)
        return false;
    if (m->selection->contribute && !ct_merge_id_of(&m->leaders, ct_db_int(&c->from, 0)))
        return false;
    if (!c->noted)
        c->status = note_subject(c);
    c->noted = c->status == CT_OK;
    /* What a layer above has measured hides what it has. */
    return c->noted && !(m->selection->layer && m->subjects[c->subject].mixed);
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

/* --- rows that are written --- */

/* Notes the source's row, the first time that it is read. */
static enum ct_status note_row(struct copying *c)
{
    struct ct_merge *m = c->m;

    if (!ct_mem_grow(&m->rows, &m->row_capacity, m->row_count + 1, sizeof(*m->rows)))
        return ct_err_nomem(c->err);
    c->row = &m->rows[m->row_count++];
    *c->row = (struct ct_merge_row){
        .from = ct_db_int(&c->from, 0),
        .value = ct_db_real(&c->from, VALUE),
        .time_ns = ct_db_real(&c->from, TIME),
        .end_to_end_ns = ct_db_real(&c->from, END_TO_END),
        .ok = strcmp(ct_db_peek(&c->from, STATUS), "ok") == 0,
    };
    return CT_OK;
}

/* Whether the target has no other result of the row's configuration and subject.  It has one now. */
static enum ct_status note_configuration(struct copying *c)
{
    const int64_t of[] = {c->of.kernel_id, c->of.problem_id, c->of.device_id};
    uint64_t key = (uint64_t)c->row->configuration_hash;

    if (!c->m->configurations)
        return CT_OK;
    /* Two that get the same key are compared once more, by SQLite. */
    for (size_t i = 0; i < 3; i++)
        key = (key ^ (uint64_t)of[i]) * 0x9e3779b97f4a7c15U;
    c->row->alone = !ct_map_has(c->m->configurations, key);
    if (c->row->alone && !ct_map_put(c->m->configurations, key, 0))
        return ct_err_nomem(c->err);
    return CT_OK;
}

/* Notes where the source's row now is. */
static enum ct_status place_row(struct copying *c, int64_t to)
{
    c->row->to = to;
    c->row->subject = c->subject;
    /* Computed again: it decides what competes with what. */
    c->row->configuration_hash =
        ct_db_hash_configuration(ct_db_peek(&c->from, CONFIGURATION));
    return note_configuration(c);
}

/* Refuses what cltune has not written. */
static enum ct_status check_row(struct copying *c)
{
    enum { NOTE = 64 }; /* of a text that was cut */
    const char *path = ct_db_path(c->from.db);

    if (sqlite3_column_bytes(c->from.stmt, LOG) > CT_DB_LOG_BYTES + NOTE ||
        sqlite3_column_bytes(c->from.stmt, MESSAGE) > CT_DB_MESSAGE_BYTES + NOTE)
        return ct_err_set(
            c->err, CT_E_DB,
            "%s has a message or log that is longer than cltune stores, and is not "
            "merged",
            path);
    if (ct_db_int(&c->from, MEASURED) > c->latest_unix_s)
        return ct_merge_future(path, c->err);
    if (!ct_merge_row_fits(&c->fits, c->from.stmt) || !ct_db_int(&c->from, FITS))
        return ct_merge_refuse(path, "CHECK constraint failed", c->err);
    return CT_OK;
}

/* Whether no result of the target can have the row's experiment.  It has now.  The name is hashed,
 * although it is a hash: a file can have any. */
static bool is_first_of_experiment(struct copying *c)
{
    const char *name = ct_db_peek(&c->from, EXPERIMENT);
    uint64_t key;

    if (!c->m->seen)
        return false;
    key = ct_hash_head(name, strlen(name));
    if (ct_map_has(c->m->seen, key))
        return false;
    if (!ct_map_put(c->m->seen, key, 0))
        c->status = ct_err_nomem(c->err);
    return c->status == CT_OK;
}

/* Decides about a row of a mixed subject: true if it is new; one that replaces another is noted. */
static bool is_new(struct copying *c)
{
    int64_t id = 0;
    int order = 0;

    ct_db_bind_int(&c->find, 1, c->of.device_id);
    ct_adhoc_copy(&c->find, 2, &c->from, EXPERIMENT);
    ct_db_bind_int(&c->find, 3, c->of.kernel_id);
    ct_db_bind_int(&c->find, 4, c->of.problem_id);
    if (ct_db_row(&c->find)) {
        id = ct_db_int(&c->find, 0);
        order = compare_rows(&c->from, &c->find);
    }
    ct_adhoc_again(&c->find);
    if (id && order > 0)
        c->status = ct_merge_ids_add(&c->replacing, ct_db_int(&c->from, 0), id, c->err);
    /* The same row: what refers to it in the source refers to this one. */
    else if (id && order == 0)
        c->status = place_row(c, id);
    return !id && c->find.rc == SQLITE_OK;
}

/* Whether the mapped row is written in the first pass; counts and checks it. */
static bool is_due(struct copying *c)
{
    c->m->done->results++;
    c->status = check_row(c);
    if (c->status != CT_OK)
        return false;
    if (!is_first_of_experiment(c) && c->status == CT_OK &&
        c->m->subjects[c->subject].mixed && !is_new(c))
        return false;
    if (c->status != CT_OK)
        return false;
    c->m->done->added++;
    return true;
}

static int compare_identities(const void *a, const void *b)
{
    const struct ct_merge_row *left = a;
    const struct ct_merge_row *right = b;

    return (left->from > right->from) - (left->from < right->from);
}

static struct ct_merge_row *find_row(const struct ct_merge *m, int64_t from)
{
    struct ct_merge_row key = {.from = from};

    /* Mostly there are no gaps. */
    if (m->row_count && from >= m->rows[0].from) {
        uint64_t guess = (uint64_t)from - (uint64_t)m->rows[0].from;

        if (guess < m->row_count && m->rows[guess].from == from)
            return &m->rows[guess];
    }
    return m->row_count ? bsearch(&key, m->rows, m->row_count, sizeof(*m->rows),
                                  compare_identities)
                        : NULL;
}

/* Goes to the next row of the source that this pass looks at. */
static bool next_row(struct copying *c)
{
    int64_t from;

    if (!c->again) {
        if (!ct_db_row(&c->from))
            return false;
        c->status = note_row(c);
        return c->status == CT_OK;
    }
    if (c->replaced == c->replacing.count)
        return false;
    ct_adhoc_again(&c->from);
    from = c->replacing.items[c->replaced++].from;
    ct_db_bind_int(&c->from, 1, from);
    c->row = find_row(c->m, from);
    return ct_db_row(&c->from);
}

static bool next_result(void *user)
{
    struct copying *c = user;

    while (c->status == CT_OK && c->find.rc == SQLITE_OK && next_row(c)) {
        if (!map_row(c) || (!c->again && !is_due(c)))
            continue;
        if (c->m->selection->contribute) {
            const struct ct_merge_gift gift = {
                .flags = ct_db_peek(&c->from, FLAGS),
                .configuration = ct_db_peek(&c->from, CONFIGURATION),
                .macros = ct_db_peek(&c->from, MACROS),
                .metrics = ct_db_peek(&c->from, METRICS),
            };

            c->status = ct_merge_give(&gift, ct_db_path(c->from.db), &c->flags,
                                      &c->metrics, c->err);
        }
        if (c->status == CT_OK)
            c->status = place_row(c, ++c->last);
        return c->status == CT_OK;
    }
    return false;
}

static void result_text(sqlite3_context *to, const char *text)
{
    sqlite3_result_text(to, text ? text : "", -1, SQLITE_STATIC);
}

static void result_value(void *user, sqlite3_context *to, int column)
{
    const struct copying *c = user;
    const bool contribute = c->m->selection->contribute;

    if (column == 0)
        sqlite3_result_int64(to, c->last);
    else if (column == DEVICE)
        sqlite3_result_int64(to, c->of.device_id);
    else if (column == RUN)
        sqlite3_result_int64(to, c->run);
    else if (column == KERNEL)
        sqlite3_result_int64(to, c->of.kernel_id);
    else if (column == PROBLEM)
        sqlite3_result_int64(to, c->of.problem_id);
    else if (column == HASH)
        sqlite3_result_int64(to, c->row->configuration_hash);
    else if (contribute && column == FLAGS)
        result_text(to, c->flags.data);
    else if (contribute && column == METRICS)
        result_text(to, c->metrics.data);
    else if (contribute && (column == MESSAGE || column == LOG || column == OBSERVED))
        result_text(to, "");
    else
        ct_merge_feed_copy(to, c->from.stmt, column);
}

/* Begins reading the results of the source: all of them, or one after the other by their identities. */
static struct ct_db_use begin_from(struct ct_merge *m, struct ct_merge_fits *fits,
                                   bool one)
{
    struct ct_db_use use;
    struct ct_str checks;
    struct ct_str sql;

    ct_str_init(&checks);
    ct_str_init(&sql);
    fits->count = 0;
    ct_merge_fits_find(fits, "result", RESULT_COLUMNS, 1, &checks);
    ct_str_addf(&sql,
                "SELECT id, " RESULT_COLUMNS ", %s, coalesce(%s, 1) FROM result"
                " %s",
                m->selection->contribute ? "(SELECT problem_macros FROM kernel"
                                           " WHERE kernel.id = kernel_id)"
                                         : "''",
                checks.length ? checks.data : "1", one ? "WHERE id = ?1" : "ORDER BY id");
    use = ct_adhoc_begin(m->from, sql.data);
    if ((sql.failed || checks.failed) && use.rc == SQLITE_OK)
        use.rc = SQLITE_NOMEM;
    ct_str_release(&checks);
    ct_str_release(&sql);
    return use;
}

/* Writes the rows that next_result chooses.  Their conditions were checked when they were read, where
 * SQLite does it far faster than for each row that it inserts. */
static enum ct_status write_results(struct copying *c)
{
    const struct ct_merge_feed feed = {next_result, result_value, c};
    struct ct_db *to = c->m->to;
    struct ct_err own = CT_ERR_INIT;
    enum ct_status status;
    struct ct_str sql;

    ct_str_init(&sql);
    ct_str_puts(&sql, "INSERT INTO result (id, " RESULT_COLUMNS ") SELECT c0");
    for (int i = 1; i <= COLUMNS; i++)
        ct_str_addf(&sql, ", c%d", i);
    ct_str_puts(&sql, " FROM feed");
    if (sql.failed)
        return ct_err_nomem(c->err);
    sqlite3_exec(to->sql, "PRAGMA ignore_check_constraints = ON", NULL, NULL, NULL);
    status = ct_merge_feed_run(to, sql.data, &feed, &own);
    sqlite3_exec(to->sql, "PRAGMA ignore_check_constraints = OFF", NULL, NULL, NULL);
    ct_str_release(&sql);
    if (c->status != CT_OK || status == CT_OK)
        return c->status;
    if (c->err)
        *c->err = own;
    return status;
}

/* --- rows that were written --- */

const struct ct_merge_row *ct_merge_row_of(const struct ct_merge *m, int64_t from)
{
    return find_row(m, from);
}

/* The greatest identity in the target. */
static enum ct_status find_last(struct copying *c)
{
    struct ct_db_use use =
        ct_adhoc_begin(c->m->to, "SELECT coalesce(max(id), 0) FROM result");

    enum ct_status status;

    if (ct_db_row(&use))
        c->last = ct_db_int(&use, 0);
    status = ct_adhoc_end(&use, c->err);
    if (status == CT_OK && c->last > INT64_MAX / 2)
        status = ct_db_fail(c->m->to, SQLITE_FULL, c->err); /* as SQLite itself says */
    return status;
}

/* Removes the rows that are replaced, and their scores; the bests are found anew later. */
static enum ct_status drop_replaced(struct copying *c)
{
    static const char *const steps[] = {"DELETE FROM score WHERE result_id = ?1",
                                        "DELETE FROM result WHERE id = ?1"};
    enum ct_status status = CT_OK;

    for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]) && status == CT_OK; k++) {
        struct ct_db_use drop = ct_adhoc_begin(c->m->to, steps[k]);

        for (size_t i = 0; i < c->replacing.count && drop.rc == SQLITE_OK; i++) {
            ct_db_bind_int(&drop, 1, c->replacing.items[i].to);
            while (ct_db_row(&drop)) {
            }
            ct_adhoc_again(&drop);
        }
        status = ct_adhoc_end(&drop, c->err);
    }
    return status;
}

/* Writes the rows that replace others, after removing these. */
static enum ct_status replace_rows(struct copying *c)
{
    struct ct_merge *m = c->m;
    enum ct_status own;

    c->status = drop_replaced(c);
    own = ct_adhoc_end(&c->from, c->status == CT_OK ? c->err : NULL);
    c->from = begin_from(m, &c->fits, true);
    c->status = c->status == CT_OK ? own : c->status;
    c->again = true;
    m->done->replaced += c->replacing.count;
    if (c->status == CT_OK)
        c->status = write_results(c);
    return c->status;
}

enum ct_status ct_merge_results(struct ct_merge *m, struct ct_err *err)
{
    struct copying c = {
        .m = m,
        .err = err,
        .latest_unix_s = ct_db_when(0) + CT_MERGE_DAY_S,
        .any = ct_adhoc_begin(
            m->to, "SELECT 1 FROM result WHERE kernel_id = ?1 AND problem_id = ?2"
                   " AND device_id = ?3 LIMIT 1"),
        .find = ct_adhoc_begin(
            m->to, "SELECT id, rounds, measured_unix_s, attempts, status, time_ns,"
                   " configuration FROM result WHERE device_id = ?1 AND experiment = ?2"
                   " AND kernel_id = ?3 AND problem_id = ?4"),
    };
    struct ct_db_use *const all[] = {&c.from, &c.any, &c.find};
    enum ct_status status;

    ct_str_init(&c.flags);
    ct_str_init(&c.metrics);
    c.from = begin_from(m, &c.fits, false);
    status = find_last(&c);
    if (status == CT_OK)
        status = write_results(&c);
    if (status == CT_OK && c.replacing.count && c.from.rc == SQLITE_OK &&
        c.find.rc == SQLITE_OK)
        status = replace_rows(&c);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        enum ct_status own = ct_adhoc_end(all[i], status == CT_OK ? err : NULL);

        status = status == CT_OK ? own : status;
    }
    ct_str_release(&c.flags);
    ct_str_release(&c.metrics);
    free(c.replacing.items);
    return status;
}
