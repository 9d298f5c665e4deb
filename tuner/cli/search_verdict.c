// SPDX-License-Identifier: Apache-2.0
// Can this device beat the processor at all?  The best configuration against the baseline
// on one core and on all, without transfers and with them.
#include "cli/json.h"
#include "cli/search.h"

#include "protocol/bind.h"
#include "report/format.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- measuring --- */

static unsigned processors(void)
{
    struct ct_bind *bind = ct_bind_new();
    unsigned count = bind ? ct_bind_count(bind) : 1;

    ct_bind_free(bind);
    return count;
}

/* Keeps why the baseline on all processors is not compared with. */
static enum ct_status note_missing(struct ct_search *search, const char *status,
                                   const char *message, struct ct_err *err)
{
    struct ct_str text;

    ct_str_init(&text);
    ct_str_addf(&text, "%s%s%s", status, *status ? ": " : "", message);
    if (text.failed) {
        ct_str_release(&text);
        return ct_err_nomem(err);
    }
    search->baseline_all_missing = ct_mem_copy(text.data, text.length);
    ct_str_release(&text);
    return search->baseline_all_missing ? CT_OK : ct_err_nomem(err);
}

/* The same code on all processors, where there are several. */
static enum ct_status measure_all(struct ct_search *search, const struct ct_plan *plan,
                                  struct ct_err *err)
{
    struct ct_err own = CT_ERR_INIT;
    struct ct_outcome *all = &search->baseline_all;
    enum ct_status status;

    if (search->processors < 2)
        return CT_OK;
    status = ct_scheduler_baseline(search->scheduler, plan, true, all, &own);
    if (status == CT_E_INTERRUPTED)
        return ct_err_set(err, status, "interrupted");
    if (status)
        return note_missing(search, "", own.message, err);
    search->has_baseline_all = all->status == CT_RESULT_OK;
    if (!search->has_baseline_all) {
        status =
            note_missing(search, ct_result_status_name(all->status), all->message, err);
        ct_outcome_release(all);
    }
    return status;
}

enum ct_status ct_search_measure_baseline(struct ct_search *search, struct ct_err *err)
{
    struct ct_err own = CT_ERR_INIT;
    struct ct_plan plan;
    enum ct_status status;

    if (!search->spec->baseline.present || search->options->no_baseline)
        return CT_OK;
    ct_search_values(search, search->default_index);
    ct_arena_release(&search->arena);
    status = ct_search_plan(search, &search->arena, &plan, err);
    if (status)
        return status;
    status =
        ct_scheduler_baseline(search->scheduler, &plan, false, &search->baseline, &own);
    if (status == CT_E_INTERRUPTED)
        return ct_err_set(err, status, "interrupted");
    if (status) {
        ct_cli_warn("no baseline: %s", own.message);
        return CT_OK;
    }
    search->has_baseline = search->baseline.status == CT_RESULT_OK;
    if (!search->has_baseline) {
        ct_cli_warn("no baseline: %s: %s", ct_result_status_name(search->baseline.status),
                    search->baseline.message);
        ct_outcome_release(&search->baseline);
        return CT_OK;
    }
    search->processors = processors();
    status = measure_all(search, &plan, err);
    return status ? status : ct_search_store_baseline(search, &plan, err);
}

/* The pick of the play-off, or the best where there was none; NULL: nothing worked. */
static const struct ct_evaluated *winner(const struct ct_search *search)
{
    const struct ct_evaluated *best = NULL;

    for (size_t i = 0; i < search->done_count; i++) {
        const struct ct_evaluated *entry = &search->done[i];

        if (entry->status != CT_RESULT_OK || isnan(entry->value))
            continue;
        if (entry->place == 1 && !*entry->twin_of.text)
            return entry;
        if ((!best || ct_search_cost(search, entry) < ct_search_cost(search, best)))
            best = entry;
    }
    return best;
}

enum ct_status ct_search_measure_transfers(struct ct_search *search, struct ct_err *err)
{
    const struct ct_evaluated *best = winner(search);
    struct ct_plan plan;
    struct ct_job job = {.plan = &plan, .full = true, .alone = true, .again = true};
    struct ct_report report = {0};
    enum ct_status status;

    if (!search->has_baseline || !best)
        return CT_OK;
    ct_search_values(search, best->index);
    ct_arena_release(&search->arena);
    status = ct_search_plan(search, &search->arena, &plan, err);
    plan.end_to_end = true;
    if (!status)
        status = ct_scheduler_submit(search->scheduler, &job, err);
    if (!status)
        status = ct_scheduler_wait(search->scheduler, &report, err);
    if (status)
        return status == CT_E_NOT_FOUND ? CT_OK : status;
    if (report.outcome.status == CT_RESULT_OK)
        search->transfers = (struct ct_range){report.outcome.end_to_end_ns,
                                              report.outcome.end_to_end_low_ns,
                                              report.outcome.end_to_end_high_ns};
    ct_outcome_release(&report.outcome);
    return CT_OK;
}

void ct_search_release_baseline(struct ct_search *search)
{
    if (search->has_baseline)
        ct_outcome_release(&search->baseline);
    if (search->has_baseline_all)
        ct_outcome_release(&search->baseline_all);
    free(search->baseline_all_missing);
    search->baseline_all_missing = NULL;
}

/* --- judging --- */

enum side {
    NOT_KNOWN,
    DEVICE,    /* is faster */
    PROCESSOR, /* is faster */
    EQUAL,     /* the intervals leave both possible */
};

/* The device against the baseline: how many times as fast it is. */
struct versus {
    enum side side;
    double ratio;
    double low;
    double high;
};

static struct versus compare(const struct ct_outcome *baseline, bool known,
                             struct ct_range device)
{
    struct versus v = {NOT_KNOWN, 0, 0, 0};

    if (!known || !(device.low > 0) || !(baseline->low_ns > 0))
        return v;
    v.ratio = baseline->time_ns / device.middle;
    v.low = baseline->low_ns / device.high;
    v.high = baseline->high_ns / device.low;
    v.side = v.low > 1 ? DEVICE : v.high < 1 ? PROCESSOR : EQUAL;
    return v;
}

/* The four comparisons. */
struct verdict {
    const struct ct_evaluated *best;
    struct versus one;
    struct versus all;
    struct versus one_transfers;
    struct versus all_transfers;
};

static bool verdict_find(const struct ct_search *search, struct verdict *v)
{
    struct ct_range time;

    memset(v, 0, sizeof(*v));
    v->best = winner(search);
    if (!search->has_baseline || !v->best)
        return false;
    time = (struct ct_range){v->best->time_ns, v->best->low_ns, v->best->high_ns};
    v->one = compare(&search->baseline, true, time);
    v->all = compare(&search->baseline_all, search->has_baseline_all, time);
    v->one_transfers = compare(&search->baseline, true, search->transfers);
    v->all_transfers =
        compare(&search->baseline_all, search->has_baseline_all, search->transfers);
    return v->one.side != NOT_KNOWN;
}

/* The hardest of the comparisons is the answer: all processors, and transfers. */
static const char *answer(const struct verdict *v)
{
    static const char *const names[] = {[NOT_KNOWN] = "unknown",
                                        [DEVICE] = "device",
                                        [PROCESSOR] = "processor",
                                        [EQUAL] = "equal"};
    const struct versus *hardest = v->all_transfers.side != NOT_KNOWN ? &v->all_transfers
                                   : v->one_transfers.side != NOT_KNOWN
                                       ? &v->one_transfers
                                   : v->all.side != NOT_KNOWN ? &v->all
                                                              : &v->one;

    return names[hardest->side];
}

/* --- in words --- */

static bool is_processor(const struct ct_search *search)
{
    return strcmp(search->device->type, "CPU") == 0;
}

/* Of a device that is a processor; 0: it is none. */
static int64_t cores(const struct ct_search *search)
{
    return is_processor(search)
               ? ct_devinfo_int(search->device, CT_DEVICE_MAX_COMPUTE_UNITS, 1)
               : 0;
}

/* What computes: a driver on cores of the very processor, or a device. */
static void put_device(const struct ct_search *search, struct ct_str *out)
{
    const char *platform = search->device->platform_name;

    if (!is_processor(search)) {
        ct_str_puts(out, ct_devinfo_text(search->device, CT_DEVICE_NAME));
        return;
    }
    ct_str_addf(out, "%s on %" PRId64 " core%s",
                strcmp(platform, "Portable Computing Language") == 0 ? "PoCL" : platform,
                cores(search), cores(search) == 1 ? "" : "s");
}

static void put_where(const struct ct_search *search, bool all, struct ct_str *out)
{
    ct_str_addf(out, "%s ", search->spec->baseline.function);
    if (all)
        ct_str_addf(out, "on all %u", search->processors);
    else
        ct_str_puts(out, "on one core");
}

/* One comparison as a sentence of its own. */
static void put_clause(const struct ct_search *search, const struct versus *v, bool all,
                       struct ct_str *out)
{
    char number[CT_FORMAT_SIZE];

    switch (v->side) {
    case NOT_KNOWN:
        break;
    case DEVICE:
        put_device(search, out);
        ct_str_addf(out, " is %s times as fast as ", ct_format_real(number, v->ratio));
        put_where(search, all, out);
        if (!all && cores(search) > 1)
            ct_str_addf(out, " (%s times per core)",
                        ct_format_real(number, v->ratio / (double)cores(search)));
        break;
    case PROCESSOR:
        ct_str_puts(out, "the processor wins: ");
        put_where(search, all, out);
        ct_str_addf(out, " is %s times as fast as ",
                    ct_format_real(number, 1 / v->ratio));
        put_device(search, out);
        break;
    case EQUAL:
        put_device(search, out);
        ct_str_puts(out, " and ");
        put_where(search, all, out);
        ct_str_puts(out, " cannot be told apart");
        break;
    }
}

/* The baseline on one core and on all. */
static void put_pair(const struct ct_search *search, const struct versus *one,
                     const struct versus *all, struct ct_str *out)
{
    char number[CT_FORMAT_SIZE];

    put_clause(search, one, false, out);
    if (all->side == NOT_KNOWN)
        return;
    if (all->side != one->side) {
        ct_str_puts(out, "; ");
        put_clause(search, all, true, out);
        return;
    }
    if (all->side == DEVICE)
        ct_str_addf(out, ", %s times as fast as on all %u",
                    ct_format_real(number, all->ratio), search->processors);
    else if (all->side == PROCESSOR)
        ct_str_addf(out, ", on all %u %s times", search->processors,
                    ct_format_real(number, 1 / all->ratio));
    else
        ct_str_addf(out, ", nor on all %u", search->processors);
}

static void put_transfers(const struct ct_search *search, const struct verdict *v,
                          struct ct_str *out)
{
    const struct versus *one = &v->one_transfers;
    const struct versus *all = &v->all_transfers;
    bool turned = one->side == PROCESSOR;
    char number[CT_FORMAT_SIZE];

    if (one->side == NOT_KNOWN)
        return;
    if (one->side != v->one.side || all->side != v->all.side || one->side == EQUAL ||
        (all->side != NOT_KNOWN && all->side != one->side)) {
        ct_str_puts(out, "; with transfers: ");
        put_pair(search, one, all, out);
        return;
    }
    ct_str_addf(out, "; with transfers %s",
                ct_format_real(number, turned ? 1 / one->ratio : one->ratio));
    if (all->side != NOT_KNOWN)
        ct_str_addf(out, " and %s",
                    ct_format_real(number, turned ? 1 / all->ratio : all->ratio));
    ct_str_puts(out, " times");
}

/* What the device's work costs the host; of a processor it is the work itself. */
static void put_cost(const struct ct_search *search, const struct verdict *v,
                     const char *between, struct ct_str *out)
{
    double load = ct_quantities_get(&v->best->observed, CT_QUANTITY_HOST_LOAD);
    char number[CT_FORMAT_SIZE];

    if (is_processor(search) || isnan(load))
        return;
    ct_str_puts(out, between);
    if (load > 1)
        ct_str_addf(out, "the driver keeps %s cores busy while the device works",
                    ct_format_real(number, load));
    else
        ct_str_addf(out, "the driver keeps %s of a core busy while the device works",
                    ct_format_real(number, load));
}

static void put_verdict(const struct ct_search *search, const struct verdict *v,
                        const char *between, struct ct_str *out)
{
    put_pair(search, &v->one, &v->all, out);
    put_transfers(search, v, out);
    if (search->baseline_all_missing)
        ct_str_addf(out, "%son all %u cores %s is left out: %s", between,
                    search->processors, search->spec->baseline.function,
                    search->baseline_all_missing);
    put_cost(search, v, between, out);
}

static void print_metrics(struct ct_search *search, const struct ct_outcome *baseline)
{
    struct ct_quantities known = ct_outcome_quantities(baseline);
    char text[CT_FORMAT_SIZE];

    /* It needs no transfers. */
    ct_quantities_set(&known, CT_QUANTITY_END_TO_END_NS, baseline->time_ns);
    ct_search_values(search, search->default_index);
    for (size_t m = 0; m < search->spec->metric_count; m++) {
        double value;

        if (ct_binding_metric(search->binding, m, search->values, &known, &value))
            printf(", %s %s", search->spec->metrics[m].name, ct_format_real(text, value));
    }
}

static void print_baseline(struct ct_search *search)
{
    const struct ct_outcome *all = &search->baseline_all;
    char time[CT_FORMAT_SIZE];

    if (!search->has_baseline)
        return;
    printf("baseline  %s on one core: %s", search->spec->baseline.function,
           ct_format_time(time, search->baseline.time_ns));
    print_metrics(search, &search->baseline);
    if (search->has_baseline_all) {
        printf("; on all %u (%s): %s", search->processors,
               all->copies > 1 ? "a copy on each" : "with threads of its own",
               ct_format_time(time, all->time_ns));
        print_metrics(search, all);
    }
    putchar('\n');
}

void ct_search_print_verdict(struct ct_search *search)
{
    struct verdict v;
    struct ct_str text;

    print_baseline(search);
    if (!search->spec->baseline.present && *search->printed == 1)
        printf("verdict   not known, for lack of host code to beat: name some in a "
               "[baseline] section\n");
    if (!verdict_find(search, &v))
        return;
    ct_str_init(&text);
    put_verdict(search, &v, "\n          ", &text);
    printf("verdict   %s\n", text.data ? text.data : "");
    ct_str_release(&text);
}

/* --- as JSON --- */

static json_t *versus_json(const struct versus *v)
{
    return v->side == NOT_KNOWN ? json_null()
                                : json_pack("{s:f, s:f, s:f}", "ratio", v->ratio, "low",
                                            v->low, "high", v->high);
}

static json_t *baseline_json(const struct ct_outcome *baseline, bool known,
                             const struct versus *v, const struct versus *transfers)
{
    if (!known)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:i, s:o, s:o}", "time_ns", baseline->time_ns,
                     "low_ns", baseline->low_ns, "high_ns", baseline->high_ns, "copies",
                     (int)baseline->copies, "device", versus_json(v),
                     "device_with_transfers", versus_json(transfers));
}

static json_t *real_json(double value)
{
    return isfinite(value) && value > 0 ? json_real(value) : json_null();
}

struct json_t *ct_search_verdict_json(const struct ct_search *search)
{
    struct verdict v;
    struct ct_str text;
    json_t *json;
    double load;

    if (!verdict_find(search, &v))
        return json_null();
    ct_str_init(&text);
    put_verdict(search, &v, "; ", &text);
    load = is_processor(search)
               ? NAN
               : ct_quantities_get(&v.best->observed, CT_QUANTITY_HOST_LOAD);
    json = json_pack(
        "{s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o}", "winner", answer(&v), "text",
        text.data ? text.data : "", "baseline", search->spec->baseline.function,
        "processors", (int)search->processors, "one",
        baseline_json(&search->baseline, true, &v.one, &v.one_transfers), "all",
        baseline_json(&search->baseline_all, search->has_baseline_all, &v.all,
                      &v.all_transfers),
        "all_missing",
        search->baseline_all_missing ? ct_json_text(search->baseline_all_missing)
                                     : json_null(),
        "end_to_end_ns", real_json(search->transfers.middle), "host_load",
        isnan(load) ? json_null() : json_real(load));
    ct_str_release(&text);
    return json ? json : json_null();
}
