// SPDX-License-Identifier: Apache-2.0
// Baselines on one processor and on all: what they may run on, copies, threads of their
// own, static data.
#define _GNU_SOURCE // folder.h
#include "measure_plan.h"
#include "worker/worker_main.h"

#include "protocol/bind.h"

static struct ct_runner *runner;
static unsigned processors;
static uint64_t limit_ns; /* of the next ones */

#define HEAD                                                                             \
    "#define _GNU_SOURCE\n"                                                              \
    "#include <pthread.h>\n"                                                             \
    "#include <sched.h>\n"                                                               \
    "#include <string.h>\n"                                                              \
    "#include <time.h>\n"                                                                \
    "#include <unistd.h>\n"                                                              \
    "static inline int may_use(void)\n"                                                  \
    "{\n"                                                                                \
    "    cpu_set_t set;\n"                                                               \
    "    sched_getaffinity(0, sizeof(set), &set);\n"                                     \
    "    return CPU_COUNT(&set);\n"                                                      \
    "}\n"                                                                                \
    "static inline void right(const float *in, float *out, unsigned n, float f)\n"       \
    "{\n"                                                                                \
    "    for (unsigned i = 0; i < n; i++) out[i] = f * in[i];\n"                         \
    "}\n"                                                                                \
    "static inline void spin(long ns)\n"                                                 \
    "{\n"                                                                                \
    "    struct timespec a, b;\n"                                                        \
    "    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);\n"                                  \
    "    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);\n"                               \
    "    while ((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec < ns);\n"    \
    "}\n"
#define SCALE "void scale(const float *in, float *out, unsigned n, float f)\n"

/* Runs a baseline of that text, whose output has `count` elements. */
static enum ct_status try_run(const char *text, bool all, uint64_t count,
                              struct ct_outcome *outcome, struct ct_err *err)
{
    static char path[128];
    struct ct_measure_options how = options(60);
    struct plan p;

    snprintf(path, sizeof(path), "%s/baseline.c", test_folder);
    write_file(path, text);
    plan_init(&p, "");
    p.buffers[1].count = count;
    p.plan.baseline = p.plan.reference;
    p.plan.baseline.c_path = path;
    p.plan.baseline.c_hash = ct_hash_bytes(text, strlen(text));
    p.plan.baseline.libs = "-lpthread";
    how.all_processors = all;
    how.limit_ns = limit_ns;
    return ct_runner_baseline(runner, &p.plan, &how, outcome, err);
}

static struct ct_outcome run(const char *text, bool all)
{
    struct ct_outcome outcome;
    struct ct_err err = CT_ERR_INIT;

    if (try_run(text, all, PLAN_COUNT, &outcome, &err))
        fail_msg("%s", err.message);
    return outcome;
}

static void expect_baseline(const char *text, bool all, enum ct_result_status status,
                            unsigned copies)
{
    struct ct_outcome outcome = run(text, all);

    if (outcome.status != status)
        print_error("%s\n", outcome.message);
    assert_int_equal(outcome.status, status);
    assert_int_equal(outcome.copies, copies);
    ct_outcome_release(&outcome);
}

/* Threads of its own, and libraries that count processors when they are loaded. */
static const char bound[] = HEAD "static int at_load, in_thread;\n"
                                 "__attribute__((constructor)) static void load(void)\n"
                                 "{ at_load = may_use(); }\n"
                                 "static void *work(void *x)\n"
                                 "{ in_thread = may_use(); return x; }\n" SCALE "{\n"
                                 "    pthread_t thread;\n"
                                 "    pthread_create(&thread, NULL, work, NULL);\n"
                                 "    pthread_join(thread, NULL);\n"
                                 "    right(in, out, n, f);\n"
                                 "    out[0] += at_load != 1;\n"
                                 "    out[1] += in_thread != 1;\n"
                                 "    out[2] += may_use() != 1;\n"
                                 "}\n";

static void one_processor_is_one(void **state)
{
    (void)state;
    expect_baseline(bound, false, CT_RESULT_OK, 1);
    if (processors > 1) {
        struct ct_outcome outcome = run(bound, true);

        assert_int_equal(outcome.status, CT_RESULT_WRONG);
        /* All three of them. */
        assert_int_equal(outcome.mismatch.wrong_count, 3);
        ct_outcome_release(&outcome);
    }
    /* Nothing of it stays. */
    expect_baseline(bound, false, CT_RESULT_OK, 1);
}

static void nobody_stays_bound(void **state)
{
    struct ct_outcome outcome;

    (void)state;
    expect_baseline(HEAD SCALE "{ right(in, out, n, f); }\n", false, CT_RESULT_OK, 1);
    outcome = run(HEAD SCALE "{ right(in, out, n, f); out[0] += may_use() == 1; }\n",
                  processors > 1);
    if (processors > 1)
        /* The first call is of a thread that may run everywhere, copies' are not. */
        assert_contains(outcome.message, "concurrent copies");
    ct_outcome_release(&outcome);
}

/* A copy a processor, bound to one each; inputs are shared, outputs are not. */
static void copies_run_on_all(void **state)
{
    static const char text[] =
        HEAD "static const float *inputs;\n"
             "static float *outputs[64];\n"
             "static int count;\n"
             "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n" SCALE "{\n"
             "    static __thread float *mine;\n"
             "    int twice = 0;\n"
             "    pthread_mutex_lock(&mutex);\n"
             "    if (!mine && may_use() == 1) {\n"
             "        for (int i = 0; i < count; i++) twice |= outputs[i] == out;\n"
             "        if (count < 64) outputs[count++] = mine = out;\n"
             "        twice |= inputs && inputs != in;\n"
             "        inputs = in;\n"
             "    }\n"
             "    pthread_mutex_unlock(&mutex);\n"
             "    usleep(2000);\n"
             "    right(in, out, n, f);\n"
             "    out[0] += twice;\n"
             "}\n";

    (void)state;
    expect_baseline(text, true, CT_RESULT_OK, processors);
}

/* What is checked finds its arrays as they were at first, though calls came before. */
static void what_is_checked_begins_anew(void **state)
{
    (void)state;
    expect_baseline(HEAD SCALE "{\n"
                               "    unsigned bits;\n"
                               "    memcpy(&bits, out, sizeof(bits));\n"
                               "    right(in, out, n, f);\n"
                               "    if (bits != 0xFFFFFFFF) out[0] = 1e9f;\n"
                               "}\n",
                    true, CT_RESULT_OK, processors);
}

/* The time is that of all copies divided by their number. */
static void copies_share_the_time(void **state)
{
    static const char text[] = HEAD SCALE "{ usleep(100000); right(in, out, n, f); }\n";
    struct ct_outcome outcome;
    bool shared = processors == 1;

    (void)state;
    /* A busy machine makes some sleeps longer, but not all. */
    for (int tries = 0; tries < 10 && (!tries || !shared); tries++) {
        outcome = run(text, true);
        assert_int_equal(outcome.status, CT_RESULT_OK);
        assert_int_equal(outcome.samples.launches % processors, 0);
        assert_true(outcome.high_ns >= outcome.time_ns);
        /* A call alone cannot be shorter than this. */
        shared = shared || outcome.time_ns < 100e6;
        ct_outcome_release(&outcome);
    }
    assert_true(shared);
    outcome = run(text, false);
    assert_true(outcome.time_ns >= 100e6);
    assert_int_equal(outcome.samples.launches, 1);
    ct_outcome_release(&outcome);
}

/* Code that keeps several processors busy is left alone. */
static void threads_of_its_own(void **state)
{
    static const char text[] =
        HEAD "static void *work(void *x) { spin(5000000); return x; }\n" SCALE "{\n"
             "    pthread_t threads[4];\n"
             "    for (int i = 0; i < 4; i++)\n"
             "        pthread_create(&threads[i], NULL, work, NULL);\n"
             "    for (int i = 0; i < 4; i++)\n"
             "        pthread_join(threads[i], NULL);\n"
             "    right(in, out, n, f);\n"
             "}\n";

    (void)state;
    expect_baseline(text, true, CT_RESULT_OK, 1);
}

/* Right alone, wrong together. */
static void static_data_shows(void **state)
{
    static const char text[] = HEAD "static volatile unsigned at;\n" SCALE "{\n"
                                    "    for (at = 0; at < n; at++) {\n"
                                    "        unsigned i = at;\n"
                                    "        if (i % 50 == 0) usleep(1000);\n"
                                    "        if (i < n) out[i] = f * in[i];\n"
                                    "    }\n"
                                    "}\n";
    struct ct_outcome outcome;

    (void)state;
    expect_baseline(text, false, CT_RESULT_OK, 1);
    if (processors < 2)
        return;
    outcome = run(text, true);
    assert_int_equal(outcome.status, CT_RESULT_WRONG);
    assert_contains(outcome.message, "spoil each other's results");
    assert_contains(outcome.message, "was never written");
    ct_outcome_release(&outcome);
}

/* Where time is short, what is checked must suffice; where it is not, a limit changes nothing. */
static void the_limit_is_kept(void **state)
{
    static const char text[] = HEAD SCALE "{ usleep(200000); right(in, out, n, f); }\n";
    struct ct_outcome outcome;

    (void)state;
    limit_ns = 10000000;
    outcome = run(text, false);
    assert_int_equal(outcome.samples.count, 2);
    assert_true(outcome.time_ns >= 200e6);
    ct_outcome_release(&outcome);
    outcome = run(text, true);
    assert_int_equal(outcome.samples.count, 2);
    assert_int_equal(outcome.copies, processors);
    assert_true(outcome.time_ns >= 200e6 / processors);
    ct_outcome_release(&outcome);
    limit_ns = 10000000000;
    outcome = run(HEAD SCALE "{ right(in, out, n, f); }\n", false);
    assert_int_equal(outcome.samples.count, options(60).race.samples);
    ct_outcome_release(&outcome);
    limit_ns = 0;
}

/* Making them is a part of it; on one processor there are none. */
static void copies_are_left_out_that_take_too_long(void **state)
{
    static const char text[] = HEAD SCALE "{ right(in, out, n, f); }\n";
    const uint64_t large = 8 << 20;
    struct ct_err err = CT_ERR_INIT;
    struct ct_outcome outcome;

    (void)state;
    if (processors < 2)
        skip();
    limit_ns = 100000;
    assert_int_equal(try_run(text, true, large, &outcome, &err), CT_E_NOT_FOUND);
    assert_contains(err.message, "copying its data for ");
    assert_contains(err.message, "use --baseline SHARE to allow more");
    assert_int_equal(try_run(text, false, large, &outcome, &err), CT_OK);
    assert_int_equal(outcome.copies, 1);
    ct_outcome_release(&outcome);
    limit_ns = 0;
    assert_int_equal(try_run(text, true, large, &outcome, &err), CT_OK);
    assert_int_equal(outcome.copies, processors);
    ct_outcome_release(&outcome);
}

static int set_up(void **state)
{
    struct ct_bind *bind = ct_bind_new();

    if (!bind || set_up_folder(state))
        return -1;
    processors = ct_bind_count(bind);
    ct_bind_free(bind);
    runner = runner_new();
    return 0;
}

static int tear_down(void **state)
{
    ct_runner_free(runner);
    return remove_folder(state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_processor_is_one),
        cmocka_unit_test(nobody_stays_bound),
        cmocka_unit_test(copies_run_on_all),
        cmocka_unit_test(copies_share_the_time),
        cmocka_unit_test(threads_of_its_own),
        cmocka_unit_test(static_data_shows),
        cmocka_unit_test(what_is_checked_begins_anew),
        cmocka_unit_test(the_limit_is_kept),
        cmocka_unit_test(copies_are_left_out_that_take_too_long),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
