// SPDX-License-Identifier: Apache-2.0
// Sessions of the engine on the virtual driver, looked at through an observer: events, budgets, what
// is resumed, who is in the play-off.
#define _GNU_SOURCE // folder.h
#include "folder.h"
#include "virtual_driver.h"

#include "schedule/measure.h"
#include "tune/compare.h"
#include "tune/devices.h"
#include "tune/search.h"
#include "tune/search_impl.h"
#include "worker/worker_main.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* What an observer has seen. */
struct seen {
    size_t counts[CT_EVENT_WARNING + 1];
    enum ct_event_kind order[256];
    size_t count;
    size_t stored;     /* among those that were evaluated */
    size_t entrants;   /* of the last play-off */
    char warning[512]; /* the last one */
};

static void look_on(void *user, const struct ct_event *event)
{
    struct seen *seen = user;

    seen->counts[event->kind]++;
    if (seen->count < 256 && event->kind != CT_EVENT_ACTIVITY &&
        event->kind != CT_EVENT_ROUND)
        seen->order[seen->count++] = event->kind;
    if (event->kind == CT_EVENT_EVALUATED)
        seen->stored += event->entry->stored;
    if (event->kind == CT_EVENT_PLAYOFF)
        seen->entrants = event->count;
    if (event->kind == CT_EVENT_WARNING)
        snprintf(seen->warning, sizeof(seen->warning), "%s", event->text);
}

/* A space file of the command line's tests, and what its sessions share. */
struct session {
    struct ct_arena arena;
    const struct ct_devinfo *device;
    struct ct_spec *spec;
    char db[128];
    struct seen seen;
    struct ct_observer observer;
    struct ct_tune_options options;
    struct ct_setting keep; /* only these values of a parameter; NULL: all of all */
};

static void open_session(struct session *s, const char *file)
{
    const struct ct_devinfo **devices;
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    static int number;

    memset(s, 0, sizeof(*s));
    assert_int_equal(ct_devices_match(&s->arena, "VideoCore", &devices, &err), CT_OK);
    s->device = devices[0];
    assert_int_equal(ct_spec_load(file, &s->spec, &diags, &err), CT_OK);
    ct_diags_release(&diags);
    snprintf(s->db, sizeof(s->db), "%s/%d.db", test_folder, number++);
    s->observer = (struct ct_observer){look_on, &s->seen};
    s->options = (struct ct_tune_options){
        .db = s->db, .seed = 1, .jobs = 1, .deadlines = ct_tune_deadlines(0, 0)};
}

static void close_session(struct session *s)
{
    ct_spec_free(s->spec);
    ct_arena_release(&s->arena);
}

static struct ct_binding *bind(const struct session *s)
{
    const struct ct_binding_options wanted = {.device = s->device,
                                              .restrict_ = &s->keep,
                                              .restrict_count = s->keep.name ? 1 : 0};
    struct ct_diags diags = {0};
    struct ct_binding *binding;

    assert_int_equal(ct_binding_new(s->spec, &wanted, &binding, &diags, NULL), CT_OK);
    ct_diags_release(&diags);
    return binding;
}

/* Searches; the caller frees. */
static struct ct_search *search(struct session *s)
{
    struct ct_binding *binding = bind(s);
    struct ct_space *space;
    struct ct_search *search;
    struct ct_err err = CT_ERR_INIT;

    memset(&s->seen, 0, sizeof(s->seen));
    assert_int_equal(ct_space_new(binding, NULL, &space, &err), CT_OK);
    assert_int_equal(ct_search_new(&s->options, &s->observer, s->device, s->spec, binding,
                                   space, &search, &err),
                     CT_OK);
    if (ct_search_run(search, &err) || ct_search_found(search, &err)) {
        print_error("%s\n", err.message);
        fail();
    }
    return search;
}

/* --- tests --- */

static void events_come_in_their_order(void **state)
{
    static const enum ct_event_kind frame[] = {CT_EVENT_BEGIN,       CT_EVENT_EVALUATED,
                                               CT_EVENT_NOISE_BEGIN, CT_EVENT_NOISE,
                                               CT_EVENT_LOOP,        CT_EVENT_EVALUATED};
    struct session s;
    struct ct_search *done;

    (void)state;
    open_session(&s, "tests/cli/spaces/virtual.ini");
    done = search(&s);
    for (size_t i = 0; i < sizeof(frame) / sizeof(frame[0]); i++)
        assert_int_equal(s.seen.order[i], frame[i]);
    assert_int_equal(s.seen.counts[CT_EVENT_EVALUATED], 18);
    assert_int_equal(s.seen.counts[CT_EVENT_PLAYOFF], 1);
    assert_int_equal(s.seen.counts[CT_EVENT_WARNING], 0);
    assert_int_equal(s.seen.order[s.seen.count - 3], CT_EVENT_LOOP_END);
    assert_int_equal(s.seen.order[s.seen.count - 2], CT_EVENT_PLAYOFF);
    assert_int_equal(s.seen.order[s.seen.count - 1], CT_EVENT_END);
    /* The play-off's rounds, and every configuration's turn on the device. */
    assert_in_range(s.seen.counts[CT_EVENT_ROUND], 2, done->playoff.processes);
    assert_true(s.seen.counts[CT_EVENT_ACTIVITY] >= 18);
    assert_int_equal(done->results.evaluated, 18);
    assert_int_equal(done->budget.end, CT_SEARCH_WHOLE);
    /* The default is timed beside the winner. */
    assert_int_equal(done->playoff.entrants + 1, s.seen.entrants);
    assert_int_equal(ct_results_best(&done->results, &done->objective)->rank, 1);
    ct_search_free(done);
    close_session(&s);
}

static void what_is_stored_is_resumed(void **state)
{
    struct session s;
    struct ct_search *done;
    int64_t best;

    (void)state;
    open_session(&s, "tests/cli/spaces/virtual.ini");
    s.options.budget.evaluations = 7;
    s.options.strategy = "exhaustive";
    done = search(&s);
    assert_int_equal(done->results.evaluated, 7);
    assert_int_equal(done->budget.end, CT_SEARCH_EVALUATIONS);
    ct_search_free(done);
    s.options.budget.evaluations = 0;
    done = search(&s);
    assert_int_equal(done->results.reused, 7);
    assert_int_equal(done->results.evaluated, 11);
    best = ct_results_best(&done->results, &done->objective)->index;
    ct_search_free(done);
    /* A third one has nothing to do, and nothing to play off. */
    done = search(&s);
    assert_int_equal(done->results.reused, 18);
    assert_int_equal(done->results.evaluated, 0);
    assert_int_equal(s.seen.counts[CT_EVENT_PLAYOFF], 0);
    assert_int_equal(ct_results_best(&done->results, &done->objective)->index, best);
    assert_int_equal(ct_results_best(&done->results, &done->objective)->rank, 1);
    ct_search_free(done);
    /* What is stored does not count for one that wants everything anew. */
    s.options.fresh = true;
    s.options.rough = true;
    done = search(&s);
    assert_int_equal(done->results.evaluated, 18);
    assert_int_equal(s.seen.counts[CT_EVENT_NOISE] + s.seen.counts[CT_EVENT_PLAYOFF], 0);
    ct_search_free(done);
    close_session(&s);
}

static void a_target_ends_the_search(void **state)
{
    struct session s;
    struct ct_search *done;

    (void)state;
    open_session(&s, "tests/cli/spaces/virtual.ini");
    s.options.budget.target = "200us";
    s.options.strategy = "random";
    done = search(&s);
    assert_int_equal(done->budget.end, CT_SEARCH_TARGET);
    assert_true(ct_search_target_reached(done));
    assert_true(done->results.evaluated < 18);
    assert_true(ct_results_best(&done->results, &done->objective)->time_ns <= 200000);
    ct_search_free(done);
    close_session(&s);
}

/* Those that come near the leader are entrants; the default is timed beside the winner. */
static void leaders_are_entrants(void **state)
{
    struct session s;
    struct ct_search *done;
    size_t tied = 0;

    (void)state;
    open_session(&s, "tests/cli/spaces/playoff.ini");
    s.keep = (struct ct_setting){"A", "1,3,4,5"};
    done = search(&s);
    assert_int_equal(done->playoff.entrants, 2);
    assert_int_equal(s.seen.entrants, 3);
    for (size_t i = 0; i < done->results.done_count; i++) {
        const struct ct_evaluated *entry = &done->results.done[i];

        tied += entry->tied;
        assert_int_equal(entry->played,
                         entry->rank > 0 || entry->index == done->work.default_index);
    }
    assert_int_equal(tied, done->playoff.tied);
    assert_true(ct_search_gain(done, ct_results_best(&done->results, &done->objective)) >
                1);
    ct_search_free(done);
    close_session(&s);
}

/* Failures are believed when something has worked after them, and each is reported once. */
static void failures_are_results(void **state)
{
    struct session s;
    struct ct_search *done;
    struct ct_str first;

    (void)state;
    open_session(&s, "tests/cli/spaces/faults.ini");
    s.options.deadlines = ct_tune_deadlines(1, 5);
    s.options.rough = true;
    done = search(&s);
    assert_int_equal(done->results.done_count, 14);
    assert_int_equal(done->results.status_counts[CT_RESULT_OK] + s.seen.stored, 1);
    assert_true(done->results.status_counts[CT_RESULT_WRONG] > 0);
    assert_true(done->results.status_counts[CT_RESULT_CRASHED] > 0);
    assert_true(done->results.status_counts[CT_RESULT_TIMEOUT] > 0);
    ct_str_init(&first);
    ct_results_put_first_failure(&done->results, &first);
    assert_non_null(strstr(first.data, "FAULT="));
    ct_str_release(&first);
    ct_search_free(done);
    close_session(&s);
}

/* A strategy that remembers what it is told. */
struct listener {
    struct ct_strategy base;
    struct ct_strategy_result told;
};

static void listen(struct ct_strategy *strategy, uint64_t index,
                   const struct ct_strategy_result *result)
{
    (void)index;
    ((struct listener *)strategy)->told = *result;
}

/* What did not end in time when it was timed works, and is at least that slow: a bound, and no
 * failure.  Any other timeout is one. */
static void a_late_launch_is_a_bound(void **state)
{
    static const struct ct_strategy_class class = {.name = "listener", .tell = listen};
    struct listener listener = {.base = {&class}};
    struct ct_outcome late = {.status = CT_RESULT_TIMEOUT,
                              .phase = CT_PHASE_MEASURE,
                              .deadline_ns = 1500000000,
                              .message = "",
                              .build_log = ""};
    struct ct_evaluated entry = {.index = 3};
    struct ct_plan plan = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_strategy *own;
    struct ct_search *done;
    struct session s;

    (void)state;
    open_session(&s, "tests/cli/spaces/virtual.ini");
    s.options.rough = true;
    done = search(&s);
    own = done->proposer.strategy;
    done->proposer.strategy = &listener.base;
    for (int timed = 1; timed >= 0; timed--) {
        late.phase = timed ? CT_PHASE_MEASURE : CT_PHASE_FIRST;
        entry.experiment = done->results.done[0].experiment;
        assert_int_equal(ct_search_record(done, &plan, &late, NULL, &entry, &err), CT_OK);
        ct_search_learn(done, &entry);
        assert_int_equal(listener.told.ok, timed);
        assert_int_equal(listener.told.censored, timed);
        assert_int_equal(listener.told.failure,
                         timed ? CT_FAILURE_NONE : CT_FAILURE_TIMEOUT);
        assert_true(!timed || listener.told.objective == 1.5e9);
    }
    ct_search_learn(done, &done->results.done[0]);
    assert_true(listener.told.ok && !listener.told.censored);
    done->proposer.strategy = own;
    ct_search_free(done);
    close_session(&s);
}

static void a_comparison_has_ratios_to_the_first(void **state)
{
    static const struct ct_setting slow[] = {{"WG", "1"}, {"VEC", "1"}};
    static const struct ct_setting fast[] = {{"WG", "12"}, {"VEC", "16"}};
    struct session s;
    struct ct_compare compare;
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    open_session(&s, "tests/cli/spaces/virtual.ini");
    assert_int_equal(ct_compare_init(&compare, &s.options, &s.observer, s.device, s.spec,
                                     bind(&s), 2, 6, &err),
                     CT_OK);
    assert_int_equal(ct_compare_choose(&compare, 0, slow, 2, &err), CT_OK);
    assert_int_equal(ct_compare_choose(&compare, 1, fast, 2, &err), CT_OK);
    assert_int_equal(ct_compare_run(&compare, &err), CT_OK);
    assert_int_equal(s.seen.counts[CT_EVENT_COMPARE], 1);
    assert_int_equal(compare.rivals[0].count, 6);
    assert_true(compare.rivals[0].ratio.middle == 1);
    assert_true(compare.rivals[1].ratio.high < 1);
    ct_compare_release(&compare);
    close_session(&s);
}

/* Where the virtual driver counts processes. */
static int set_up(void **state)
{
    char counters[96];

    if (make_folder(state) || !use_virtual_driver())
        return -1;
    snprintf(counters, sizeof(counters), "%s/counters", test_folder);
    return setenv("VIRTUALCL_COUNTERS", counters, 1);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_in_their_order),
        cmocka_unit_test(what_is_stored_is_resumed),
        cmocka_unit_test(a_target_ends_the_search),
        cmocka_unit_test(leaders_are_entrants),
        cmocka_unit_test(failures_are_results),
        cmocka_unit_test(a_late_launch_is_a_bound),
        cmocka_unit_test(a_comparison_has_ratios_to_the_first),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
