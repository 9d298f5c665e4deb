// SPDX-License-Identifier: Apache-2.0
// Is the device faster than the host at all?  The answer in words and as JSON.
#include "plan/json.h"
#include "report/format.h"
#include "report/search_impl.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *answer_name(const struct ct_host_verdict *verdict)
{
    static const char *const names[] = {[CT_VERSUS_UNKNOWN] = "unknown",
                                        [CT_VERSUS_DEVICE] = "device",
                                        [CT_VERSUS_HOST] = "processor",
                                        [CT_VERSUS_EQUAL] = "equal"};

    return names[ct_host_verdict_answer(verdict)];
}

/* --- in words --- */

static bool is_processor(const struct ct_search *search)
{
    return strcmp(search->work.device->type, "CPU") == 0;
}

/* Of a CPU device; 0: it is none. */
static int64_t device_cores(const struct ct_search *search)
{
    return is_processor(search)
               ? ct_devinfo_int(search->work.device, CT_DEVICE_MAX_COMPUTE_UNITS, 1)
               : 0;
}

/* What computes: a driver on this CPU's cores, or a device. */
static void put_device(const struct ct_search *search, struct ct_str *out)
{
    const char *platform = search->work.device->platform_name;

    if (!is_processor(search)) {
        ct_str_puts(out, ct_devinfo_text(search->work.device, CT_DEVICE_NAME));
        return;
    }
    ct_str_addf(out, "%s on %" PRId64 " core%s",
                strcmp(platform, "Portable Computing Language") == 0 ? "PoCL" : platform,
                device_cores(search), device_cores(search) == 1 ? "" : "s");
}

static void put_where(const struct ct_search *search, bool all, struct ct_str *out)
{
    ct_str_addf(out, "%s ", search->work.spec->baseline.function);
    if (all)
        ct_str_addf(out, "on all %u", search->host.processors);
    else
        ct_str_puts(out, "on one core");
}

/* One comparison as a sentence of its own. */
static void put_clause(const struct ct_search *search, const struct ct_versus *v,
                       bool all, struct ct_str *out)
{
    char number[CT_FORMAT_SIZE];

    switch (v->winner) {
    case CT_VERSUS_UNKNOWN:
        break;
    case CT_VERSUS_DEVICE:
        put_device(search, out);
        ct_str_addf(out, " is %s times as fast as ", ct_format_real(number, v->ratio));
        put_where(search, all, out);
        if (!all && device_cores(search) > 1)
            ct_str_addf(out, " (%s times per core)",
                        ct_format_real(number, v->ratio / (double)device_cores(search)));
        break;
    case CT_VERSUS_HOST:
        ct_str_puts(out, "the host CPU wins: ");
        put_where(search, all, out);
        ct_str_addf(out, " is %s times as fast as ",
                    ct_format_real(number, 1 / v->ratio));
        put_device(search, out);
        break;
    case CT_VERSUS_EQUAL:
        put_device(search, out);
        ct_str_puts(out, " and ");
        put_where(search, all, out);
        ct_str_puts(out, " are tied");
        break;
    }
}

/* The baseline on one core and on all. */
static void put_pair(const struct ct_search *search, const struct ct_versus *one,
                     const struct ct_versus *all, struct ct_str *out)
{
    char number[CT_FORMAT_SIZE];

    put_clause(search, one, false, out);
    if (all->winner == CT_VERSUS_UNKNOWN)
        return;
    if (all->winner != one->winner) {
        ct_str_puts(out, "; ");
        put_clause(search, all, true, out);
        return;
    }
    if (all->winner == CT_VERSUS_DEVICE)
        ct_str_addf(out, ", %s times as fast as on all %u",
                    ct_format_real(number, all->ratio), search->host.processors);
    else if (all->winner == CT_VERSUS_HOST)
        ct_str_addf(out, ", on all %u %s times", search->host.processors,
                    ct_format_real(number, 1 / all->ratio));
    else
        ct_str_addf(out, ", also on all %u", search->host.processors);
}

static void put_transfers(const struct ct_search *search, const struct ct_host_verdict *v,
                          struct ct_str *out)
{
    const struct ct_versus *one = &v->one_transfers;
    const struct ct_versus *all = &v->all_transfers;
    bool turned = one->winner == CT_VERSUS_HOST;
    char number[CT_FORMAT_SIZE];

    if (one->winner == CT_VERSUS_UNKNOWN)
        return;
    if (one->winner != v->one.winner || all->winner != v->all.winner ||
        one->winner == CT_VERSUS_EQUAL ||
        (all->winner != CT_VERSUS_UNKNOWN && all->winner != one->winner)) {
        ct_str_puts(out, "; with transfers: ");
        put_pair(search, one, all, out);
        return;
    }
    ct_str_addf(out, "; with transfers %s",
                ct_format_real(number, turned ? 1 / one->ratio : one->ratio));
    if (all->winner != CT_VERSUS_UNKNOWN)
        ct_str_addf(out, " and %s",
                    ct_format_real(number, turned ? 1 / all->ratio : all->ratio));
    ct_str_puts(out, " times");
}

/* The host's cost of the device's work; of a CPU device that is the work itself. */
static void put_cost(const struct ct_search *search, const struct ct_host_verdict *v,
                     const char *between, struct ct_str *out)
{
    double load = ct_quantities_get(&v->best->observed, CT_QUANTITY_HOST_LOAD);
    char number[CT_FORMAT_SIZE];

    if (is_processor(search) || isnan(load))
        return;
    ct_str_puts(out, between);
    if (load > 1)
        ct_str_addf(out, "the driver keeps %s cores busy while the device runs",
                    ct_format_real(number, load));
    else
        ct_str_addf(out, "the driver keeps %s of a core busy while the device runs",
                    ct_format_real(number, load));
}

static void put_verdict(const struct ct_search *search, const struct ct_host_verdict *v,
                        const char *between, struct ct_str *out)
{
    put_pair(search, &v->one, &v->all, out);
    put_transfers(search, v, out);
    if (search->host.all_missing)
        ct_str_addf(out, "%s%s on all %u cores is not compared: %s", between,
                    search->work.spec->baseline.function, search->host.processors,
                    search->host.all_missing);
    put_cost(search, v, between, out);
}

static void print_metrics(const struct ct_search *search,
                          const struct ct_outcome *baseline, FILE *out)
{
    struct ct_quantities known = ct_outcome_quantities(baseline);
    char text[CT_FORMAT_SIZE];

    /* The baseline needs no transfers. */
    ct_quantities_set(&known, CT_QUANTITY_END_TO_END_NS, baseline->time_ns);
    ct_workload_values(&search->work, search->work.default_index);
    for (size_t m = 0; m < search->work.spec->metric_count; m++) {
        double value;

        if (ct_binding_metric(search->work.binding, m, search->work.values, &known,
                              &value))
            fprintf(out, ", %s %s", search->work.spec->metrics[m].name,
                    ct_format_real(text, value));
    }
}

static void print_baseline(const struct ct_search *search, FILE *out)
{
    const struct ct_outcome *all = &search->host.all;
    char time[CT_FORMAT_SIZE];

    if (!search->host.has_one)
        return;
    fprintf(out, "baseline  %s on one core: %s", search->work.spec->baseline.function,
            ct_format_time(time, search->host.one.time_ns));
    print_metrics(search, &search->host.one, out);
    if (search->host.has_all) {
        fprintf(out, "; on all %u (%s): %s", search->host.processors,
                all->copies > 1 ? "a copy on each" : "with threads of its own",
                ct_format_time(time, all->time_ns));
        print_metrics(search, all, out);
    }
    putc('\n', out);
}

void ct_report_verdict(const struct ct_search *search, FILE *out)
{
    struct ct_host_verdict v;
    struct ct_str text;

    print_baseline(search, out);
    if (!ct_host_verdict_find(search, &v))
        return;
    ct_str_init(&text);
    put_verdict(search, &v, "\n          ", &text);
    fprintf(out, "verdict   %s\n", text.data ? text.data : "");
    ct_str_release(&text);
}

/* --- as JSON --- */

static json_t *versus_json(const struct ct_versus *v)
{
    return v->winner == CT_VERSUS_UNKNOWN
               ? json_null()
               : json_pack("{s:o, s:o, s:o}", "ratio", ct_json_time(v->ratio), "low",
                           ct_json_time(v->low), "high", ct_json_time(v->high));
}

static json_t *baseline_json(const struct ct_outcome *baseline, bool known,
                             const struct ct_versus *v, const struct ct_versus *transfers)
{
    if (!known)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:i, s:o, s:o}", "time_ns", baseline->time_ns,
                     "low_ns", baseline->low_ns, "high_ns", baseline->high_ns, "copies",
                     (int)baseline->copies, "device", versus_json(v),
                     "device_with_transfers", versus_json(transfers));
}

struct json_t *ct_report_verdict_json(const struct ct_search *search)
{
    struct ct_host_verdict v;
    struct ct_str text;
    json_t *json;
    double load;

    if (!ct_host_verdict_find(search, &v))
        return json_null();
    ct_str_init(&text);
    put_verdict(search, &v, "; ", &text);
    load = is_processor(search)
               ? NAN
               : ct_quantities_get(&v.best->observed, CT_QUANTITY_HOST_LOAD);
    json = json_pack(
        "{s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o}", "winner", answer_name(&v),
        "text", text.data ? text.data : "", "baseline",
        search->work.spec->baseline.function, "processors", (int)search->host.processors,
        "one", baseline_json(&search->host.one, true, &v.one, &v.one_transfers), "all",
        baseline_json(&search->host.all, search->host.has_all, &v.all, &v.all_transfers),
        "all_missing",
        search->host.all_missing ? ct_json_text(search->host.all_missing) : json_null(),
        "end_to_end_ns", ct_json_time(search->host.transfers.middle), "host_load",
        isnan(load) ? json_null() : json_real(load));
    ct_str_release(&text);
    return json ? json : json_null();
}
