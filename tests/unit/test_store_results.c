// SPDX-License-Identifier: Apache-2.0
// Results come out of the store as they went in, and take each other's place.
#define _GNU_SOURCE 1 /* nftw */
#include "store_world.h"

/* Overwrites the start of a longer text. */
static void poke(char *text, const char *with)
{
    while (*with)
        *text++ = *with++;
}

/* A log too long to be kept, with bytes that are no text, cut within a character; to be
 * freed. */
static char *odd_log(void)
{
    char *log = ct_mem_array(100001, 1);

    assert_non_null(log);
    memset(log, 'x', 100000);
    poke(log, "bad \xff\xc3( byte");
    poke(log + CT_DB_LOG_BYTES - 1, "\xc3\xa9");
    return log;
}

static const double round_trip_samples[] = {1.5, -0.0, 1e300, 5e-324};

/* A result with something of everything but the log and whose duplicate it is. */
static struct ct_db_result full_result(int64_t run_id)
{
    struct ct_db_result in = ct_db_result_init;

    in.run_id = run_id;
    in.experiment = experiment(1);
    in.status = "wrong";
    in.failure.phase = "check";
    in.configuration = "{\"WG\":1}";
    in.flags = "-D WG=1";
    in.time_ns = 1.25;
    in.samples.ns = round_trip_samples;
    in.samples.count = 4;
    in.samples.launches = 4000000000U;
    in.metrics = "{\"gflops\":3.5}";
    in.observed = "{\"host_load\":1.0}";
    in.end_to_end.time_ns = 30;
    in.end_to_end.low_ns = 20;
    in.end_to_end.high_ns = 40;
    in.samples.timer_ns = 0.5;
    in.playoff.rounds = 3;
    in.playoff.rounds_ns = round_trip_samples;
    in.playoff.raw_ns = 1.5;
    in.spent.build_ns = UINT64_MAX;
    in.spent.check_ns = 7;
    in.failure.message = "outputs differ";
    in.mismatch.buffer = "output";
    in.mismatch.element = 12;
    in.mismatch.expected = 1;
    in.mismatch.seen = INFINITY;
    in.mismatch.count = 3;
    in.mismatch.guard = true;
    in.samples.wall_clock = true;
    in.measured_unix_s = 1700000000;
    return in;
}

/* What was put comes back, with the numbers of its play-off. */
static void check_first(const struct ct_db_result *out, const struct ct_db_result *in)
{
    const double *samples = round_trip_samples;

    assert_string_equal(out->status, "wrong");
    assert_string_equal(out->failure.phase, "check");
    assert_string_equal(out->flags, "-D WG=1");
    assert_string_equal(out->experiment.text, in->experiment.text);
    assert_true(out->time_ns == 1.25 && isnan(out->low_ns) &&
                isnan(out->objective_value));
    assert_int_equal(out->samples.count, 4);
    assert_memory_equal(out->samples.ns, samples, sizeof(round_trip_samples));
    assert_string_equal(out->observed, "{\"host_load\":1.0}");
    assert_true(out->end_to_end.time_ns == 30 && out->end_to_end.low_ns == 20);
    assert_true(out->end_to_end.high_ns == 40 && out->samples.timer_ns == 0.5);
    assert_true(out->playoff.rounds == 3 && out->playoff.raw_ns == 1.5 &&
                out->rank.number == -1);
    assert_memory_equal(out->playoff.rounds_ns, samples, 3 * sizeof(*samples));
}

static void check_second(const struct ct_db_result *out, const struct ct_db_result *in,
                         int64_t kernel_id)
{
    assert_true(out->playoff.rounds == 3 && !out->playoff.rounds_ns);
    assert_true(out->samples.launches == 4000000000U && out->spent.build_ns == INT64_MAX);
    assert_true(out->mismatch.guard && out->samples.wall_clock && !out->verified);
    assert_string_equal(out->twin_of, in->twin_of);
    assert_true(out->mismatch.expected == 1 && isnan(out->mismatch.seen));
    assert_string_equal(out->stored.objective, "time");
    assert_int_equal(out->stored.kernel_id, kernel_id);
    assert_int_equal(out->attempts, 2);
    assert_int_equal(out->measured_unix_s, 1700000000);
    assert_memory_equal(out->failure.log, "bad ?\?( byte", 12);
    assert_non_null(
        strstr(out->failure.log + CT_DB_LOG_BYTES - 1, "\n[83617 bytes more]\n"));
    assert_true(strlen(out->failure.log) < CT_DB_LOG_BYTES + 30);
}

static void test_round_trip(void **state)
{
    struct ct_hash duplicate = experiment(2);
    struct ct_arena arena = {0};
    struct ct_db_result in;
    struct ct_db_result out;
    struct world w;
    char *log = odd_log();

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    in = full_result(w.run.id);
    in.failure.log = log;
    in.twin_of = duplicate.text;
    assert_int_equal(ct_db_result_put(w.db, &in, NULL), CT_OK);
    assert_int_equal(ct_db_result_get(w.db, w.device, &in.experiment, &arena, &out, NULL),
                     CT_OK);
    check_first(&out, &in);
    in.playoff.rounds_ns = NULL; /* how many is known, the times are not */
    assert_int_equal(ct_db_result_put(w.db, &in, NULL), CT_OK);
    assert_int_equal(ct_db_result_get(w.db, w.device, &in.experiment, &arena, &out, NULL),
                     CT_OK);
    check_second(&out, &in, w.kernel);
    ct_arena_release(&arena);
    free(log);
    ct_db_close(w.db);
}

/* A later result of the same experiment takes the row over; empty texts and no samples
 * are fine. */
static void test_replaced(void **state)
{
    struct ct_arena arena = {0};
    struct ct_db_result in = ct_db_result_init;
    struct ct_db_result out;
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(put_time(&w, 1, 5, NULL), CT_OK);
    in.run_id = w.run.id;
    in.experiment = experiment(1);
    in.status = NULL;
    assert_int_equal(ct_db_result_put(w.db, &in, NULL), CT_E_INTERNAL);
    in.status = "timeout";
    in.configuration = "{}";
    in.failure.deadline_ns = 5;
    in.flags = NULL;
    assert_int_equal(ct_db_result_put(w.db, &in, NULL), CT_OK);
    assert_int_equal(ct_db_result_get(w.db, w.device, &in.experiment, &arena, &out, NULL),
                     CT_OK);
    assert_true(out.attempts == 2 && out.failure.deadline_ns == 5 &&
                out.samples.count == 0);
    assert_string_equal(out.flags, "");
    assert_string_equal(out.failure.log, "");
    assert_int_equal(number(w.db, "SELECT count(*) FROM result"), 1);
    in.experiment = experiment(99);
    assert_int_equal(ct_db_result_get(w.db, w.device, &in.experiment, &arena, &out, NULL),
                     CT_E_NOT_FOUND);
    ct_arena_release(&arena);
    ct_db_close(w.db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_round_trip),
        STORE_TEST(test_replaced),
    };

    main_process = getpid();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
