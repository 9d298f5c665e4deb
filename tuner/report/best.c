// SPDX-License-Identifier: Apache-2.0
// Hands the results of a look-up to an export format.
#include "report/best.h"

#include "base/mem.h"
#include "base/show.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/stale.h"
#include "report/warn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the format gets, and what it lives in. */
struct making {
    const struct ct_report_question *best;
    struct ct_arena arena;
    struct ct_export_set set;
    struct ct_export_answer *answers;
    struct ct_stored_results results;
    struct ct_arena record_arena;
    cltunedb_answers *fallback;
    struct ct_str notes;
    struct ct_str out;
};

static const struct ct_export_value *
export_values(struct ct_arena *arena, const cltunedb_value *values, size_t count)
{
    struct ct_export_value *out = ct_arena_array(arena, count, sizeof(*out));

    for (size_t i = 0; out && i < count; i++) {
        out[i].name = values[i].name;
        out[i].value = values[i].kind == CLTUNEDB_INT    ? ct_value_int(values[i].i)
                       : values[i].kind == CLTUNEDB_REAL ? ct_value_real(values[i].r)
                                                         : ct_value_text(values[i].s);
    }
    return out;
}

/* " -p NAME=VALUE" of each. */
static void put_settings(struct ct_str *out, const cltunedb_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ct_str_puts(out, " -p ");
        ct_export_put_values(out, &values[i], 1);
    }
}

/* The macros of the options belong to another problem, and cannot be computed for this one. */
static enum ct_status fail_stale(const cltunedb_answer *a, const cltunedb_query *query,
                                 const char *stored, const char *asked,
                                 const char *unknown, struct ct_err *err)
{
    struct ct_str search;
    struct ct_str other;
    enum ct_status status;

    ct_str_init(&search);
    ct_str_init(&other);
    put_settings(&search, query->problem, query->problem_count);
    put_settings(&other, a->problem, a->problem_count);
    status = ct_err_set(err, CT_E_NOT_FOUND,
                        "the best of %s is for %s, and %s cannot be computed for %s: "
                        "search with%s, or ask for the stored problem with%s",
                        a->kernel, stored, unknown, asked, search.data, other.data);
    ct_str_release(&other);
    ct_str_release(&search);
    return status;
}

/* Adds a note unless it is there already. */
static void note_once(struct ct_str *notes, const char *line)
{
    if (!strstr(notes->data, line))
        ct_str_puts(notes, line);
}

/* The options for the asked problem, with a note if that is not the measured one. */
static enum ct_status set_flags(struct making *m, const cltunedb_answer *a,
                                struct ct_export_answer *out, struct ct_err *err)
{
    const cltunedb_query *query = m->best->query;
    const bool known = a->problem_flags != NULL;
    struct ct_str stored, asked, note;
    enum ct_status status = CT_OK;

    ct_str_init(&stored);
    ct_str_init(&asked);
    ct_str_init(&note);
    ct_export_put_values(&asked, query->problem, query->problem_count);
    ct_export_put_values(&stored, a->problem, a->problem_count);
    ct_str_addf(&note, "there is no result for %s: this is the best for %s\n", asked.data,
                stored.data);
    if (!known && !m->best->format->tells_staleness)
        status = fail_stale(a, query, stored.data, asked.data, a->stale_macros, err);
    else if (a->problem_distance > 0 && !m->best->format->tells_staleness)
        note_once(&m->notes, note.data);
    out->flags = known ? a->problem_flags : a->flags;
    out->stale = a->stale_macros;
    out->asked = a->problem_distance > 0
                     ? ct_arena_copy(&m->arena, asked.data, asked.length)
                     : NULL;
    if (status == CT_OK && asked.failed)
        status = ct_err_nomem(err);
    ct_str_release(&note);
    ct_str_release(&asked);
    ct_str_release(&stored);
    return status;
}

/* What is not known of the device, or NULL; with a note about it. */
static const char *note_limits(struct making *m, const cltunedb_answer *a)
{
    struct ct_str sentence;

    if (!*a->unknown_limits)
        return NULL;
    if (m->best->format->tells_staleness)
        return a->unknown_limits;
    ct_str_init(&sentence);
    ct_export_put_limits(&sentence, a->unknown_limits);
    ct_show_add(&m->notes, sentence.data, sentence.length, CT_SHOW_LINE);
    ct_str_putc(&m->notes, '\n');
    ct_str_release(&sentence);
    return a->unknown_limits;
}

/* Why an answer may be out of date, once for all answers. */
static void note_stale(struct making *m, const cltunedb_answer *a)
{
    struct ct_str lines;

    ct_str_init(&lines);
    ct_stale_put(&lines, a);
    for (char *line = lines.data, *end; (end = strchr(line, '\n')); line = end + 1) {
        struct ct_str one;

        ct_str_init(&one);
        ct_str_add(&one, line, (size_t)(end - line) + 1);
        note_once(&m->notes, one.data);
        ct_str_release(&one);
    }
    ct_str_release(&lines);
}

/* One answer in the form that formats read. */
static enum ct_status set_answer(struct making *m, const cltunedb_answer *a,
                                 struct ct_export_answer *out, struct ct_err *err)
{
    struct ct_str objective;
    enum ct_status status;

    *out = (struct ct_export_answer){
        .version = CT_VERSION,
        .kernel = a->kernel,
        .device = a->device_name,
        .vendor = a->device_vendor,
        .type = a->device_type,
        .driver = a->driver_version,
        .evidence = cltunedb_evidence_text(a->evidence),
        .experiment = a->experiment,
        .problem_count = a->problem_count,
        .problem = export_values(&m->arena, a->problem, a->problem_count),
        .config_count = a->configuration_count,
        .config = export_values(&m->arena, a->configuration, a->configuration_count),
        .time_ns = a->time_ns,
        .default_time_ns = a->default_time_ns > 0 ? a->default_time_ns : 0,
        .unverified = !a->verified,
        .stored = a,
    };
    if (!out->problem || !out->config)
        return ct_err_nomem(err);
    ct_str_init(&objective);
    if (ct_export_put_objective(&objective, a))
        out->objective = ct_arena_copy(&m->arena, objective.data, objective.length);
    ct_str_release(&objective);
    status = set_flags(m, a, out, err);
    if (status == CT_OK && !m->best->format->tells_staleness)
        note_stale(m, a);
    if (status == CT_OK)
        out->unknown_limits = note_limits(m, a);
    return status;
}

/* --- what some formats also want --- */

/* The query that selects the subject of an answer, and others that is_of tells apart. */
static cltunedb_query query_of(const cltunedb_answer *a)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;

    query.kernel = a->kernel;
    query.device_pattern = *a->device_name ? a->device_name : NULL;
    query.problem = a->problem;
    query.problem_count = a->problem_count;
    return query;
}

static bool is_of(const struct ct_db_listed *of, const cltunedb_answer *a)
{
    return of->outdated == (a->outdated != 0) &&
           strcmp(of->device_name, a->device_name) == 0 &&
           strcmp(of->device_vendor, a->device_vendor) == 0 &&
           of->compute_units == a->compute_units &&
           strcmp(of->driver_version, a->driver_version) == 0 &&
           strcmp(of->problem_json, a->problem_json) == 0;
}

static int by_configuration(const void *left, const void *right)
{
    const struct ct_stored_result *a = left;
    const struct ct_stored_result *b = right;
    int order = strcmp(a->result.configuration, b->result.configuration);

    return order ? order : strcmp(a->result.experiment.text, b->result.experiment.text);
}

static enum ct_status read_record(struct making *m, const cltunedb_answer *a,
                                  struct ct_err *err)
{
    const struct ct_db_options reading = {.mode = CT_DB_READ};
    cltunedb_query query = query_of(a);
    struct ct_db_record *records = NULL;
    struct ct_db *db = NULL;
    size_t count = 0;
    enum ct_status status = ct_db_open(a->layer_path, &reading, &db, err);

    if (status == CT_OK)
        status = ct_db_records(db, &query, &m->record_arena, &records, &count, err);
    for (size_t i = 0; i < count && !m->set.space; i++)
        if (is_of(&records[i].of, a))
            m->set.space = &records[i];
    ct_db_close(db);
    return status;
}

/* All results of the only answer's kernel, device and problem, and its space. */
static enum ct_status read_results(struct making *m, const cltunedb_answer *a,
                                   struct ct_err *err)
{
    cltunedb_query query = query_of(a);
    size_t kept = 0;
    enum ct_status status = ct_stored_results_read(a->layer_path, &query, NULL,
                                                   CT_STORED_BY_AGE, &m->results, err);

    if (status == CT_OK)
        status = read_record(m, a, err);
    if (status != CT_OK)
        return status;
    for (size_t i = 0; i < m->results.count; i++)
        if (is_of(m->results.items[i].of, a))
            m->results.items[kept++] = m->results.items[i];
    m->results.count = kept;
    if (kept)
        qsort(m->results.items, kept, sizeof(*m->results.items), by_configuration);
    m->set.results = &m->results;
    return m->set.space ? CT_OK
                        : ct_err_set(err, CT_E_DB, "a result vanished while it was read");
}

/* The configuration that does best on average over all devices, for those that are not listed. */
static enum ct_status read_fallback(struct making *m, const cltunedb_answer *first,
                                    struct ct_err *err)
{
    cltunedb_query query = query_of(first);
    char message[CLTUNEDB_MESSAGE_BYTES];
    struct ct_export_answer *out = ct_arena_alloc(&m->arena, sizeof(*out));
    cltunedb *db = NULL;
    cltunedb_status found;

    if (!out)
        return ct_err_nomem(err);
    /* A device that is like none. */
    query.device_name = "-";
    query.device_pattern = NULL;
    query.objective = first->objective;
    query.problem =
        m->best->query->problem_count ? m->best->query->problem : query.problem;
    query.problem_count = m->best->query->problem_count ? m->best->query->problem_count
                                                        : query.problem_count;
    found = cltunedb_open(m->best->db_path, &db, message, sizeof(message));
    if (found == CLTUNEDB_OK)
        found = cltunedb_find(db, &query, &m->fallback, message, sizeof(message));
    cltunedb_close(db);
    if (found == CLTUNEDB_E_NOT_FOUND)
        return CT_OK;
    if (found != CLTUNEDB_OK)
        return ct_err_set(err, CT_E_DB, "%s", message);
    if (cltunedb_answer_count(m->fallback) != 1)
        return CT_OK;
    m->set.fallback = out;
    return set_answer(m, cltunedb_answer_at(m->fallback, 0), out, err);
}

/* --- interface --- */

static bool same_question(const cltunedb_answer *a, const cltunedb_answer *b)
{
    return strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->problem_json, b->problem_json) == 0 &&
           strcmp(a->objective, b->objective) == 0 && a->maximize == b->maximize;
}

bool ct_report_fits(const struct ct_report_question *best,
                    const cltunedb_answers *answers)
{
    const struct ct_export *format = best->format;
    size_t count = cltunedb_answer_count(answers);

    if (count == 1)
        return true;
    if (!format->put_all || format->one)
        return false;
    for (size_t i = 1; format->one_problem && i < count; i++)
        if (!best->all_devices || !same_question(cltunedb_answer_at(answers, 0),
                                                 cltunedb_answer_at(answers, i)))
            return false;
    return true;
}

static enum ct_status make_output(struct making *m, const cltunedb_answers *answers,
                                  struct ct_err *err)
{
    const struct ct_export *format = m->best->format;
    size_t count = cltunedb_answer_count(answers);
    bool all = format->put_all && (!format->put || m->best->all_devices);
    enum ct_status status = CT_OK;

    m->answers = ct_arena_array(&m->arena, count, sizeof(*m->answers));
    if (!m->answers)
        return ct_err_nomem(err);
    for (size_t i = 0; i < count && status == CT_OK; i++)
        status = set_answer(m, cltunedb_answer_at(answers, i), &m->answers[i], err);
    m->set.query = m->best->query;
    m->set.count = count;
    m->set.answers = m->answers;
    m->set.template_path = m->best->template_path;
    if (status == CT_OK && format->all_results)
        status = read_results(m, cltunedb_answer_at(answers, 0), err);
    if (status == CT_OK && all && format->one_problem)
        status = read_fallback(m, cltunedb_answer_at(answers, 0), err);
    if (status == CT_OK)
        status = all ? format->put_all(&m->out, &m->set, &m->notes, err)
                     : format->put(&m->out, m->answers, &m->notes, err);
    if (status == CT_OK && m->out.failed)
        status = ct_err_nomem(err);
    return status;
}

enum ct_status ct_report_best(const struct ct_report_question *best,
                              const cltunedb_answers *answers, struct ct_err *err)
{
    struct making m = {.best = best};
    enum ct_status status;

    ct_str_init(&m.notes);
    ct_str_init(&m.out);
    status = make_output(&m, answers, err);
    if (status == CT_E_NOT_FOUND)
        ct_str_reset(&m.notes);
    for (char *line = m.notes.data, *end; (end = strchr(line, '\n')); line = end + 1)
        ct_report_warn("%.*s", (int)(end - line), line);
    if (status == CT_OK)
        ct_print_bytes(m.out.data, m.out.length);
    cltunedb_free(m.fallback);
    ct_stored_results_release(&m.results);
    ct_arena_release(&m.record_arena);
    ct_str_release(&m.out);
    ct_str_release(&m.notes);
    ct_arena_release(&m.arena);
    return status;
}

void ct_report_too_many(const cltunedb_answers *answers, const char *format)
{
    size_t count = cltunedb_answer_count(answers);

    fprintf(ct_screen_err(),
            "cltune best: %zu answers match, but format %s holds only one; add the "
            "kernel's name, --device, --problem or --objective:\n",
            count, format);
    for (size_t i = 0; i < count && i < 20; i++) {
        cltunedb_answer a = *cltunedb_answer_at(answers, i);
        struct ct_arena arena = {0};
        struct ct_str problem;

        ct_export_show_texts(&arena, &a);
        ct_str_init(&problem);
        ct_export_put_values(&problem, a.problem, a.problem_count);
        fprintf(ct_screen_err(), "  %s, %s (driver %s), %s%s%s\n", a.kernel,
                a.device_name, a.driver_version, problem.data, *problem.data ? ", " : "",
                a.objective);
        ct_str_release(&problem);
        ct_arena_release(&arena);
    }
    if (count > 20)
        fprintf(ct_screen_err(), "  ... and %zu more\n", count - 20);
}
