// SPDX-License-Identifier: Apache-2.0
// Recorded spaces from every format, and replay of spaces small enough to follow by hand.
#include "replay/replay.h"
#include "replay/sources.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include <cmocka.h>

/* Writes a file of the test's own folder; the name lives until the next call. */
static const char *write_file(const char *name, const char *text, bool packed)
{
    static char path[256];
    const char *folder = getenv("TMPDIR");

    snprintf(path, sizeof(path), "%s/ct_replay_%d_%s", folder ? folder : "/tmp",
             (int)getpid(), name);
    if (packed) {
        gzFile file = gzopen(path, "wb");

        assert_non_null(file);
        assert_int_equal(gzwrite(file, text, (unsigned)strlen(text)), strlen(text));
        assert_int_equal(gzclose(file), Z_OK);
    } else {
        FILE *file = fopen(path, "wb");

        assert_non_null(file);
        assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
        assert_int_equal(fclose(file), 0);
    }
    return path;
}

static struct ct_recorded *read_text(const char *name, const char *text, bool packed)
{
    const char *path = write_file(name, text, packed);
    struct ct_recorded *recorded = NULL;
    struct ct_err err = CT_ERR_INIT;

    if (ct_recorded_read(path, &recorded, &err))
        print_error("%s\n", err.message);
    unlink(path);
    assert_non_null(recorded);
    return recorded;
}

static void refuse_as(enum ct_status expected, const char *name, const char *text,
                      const char *message)
{
    const char *path = write_file(name, text, false);
    struct ct_recorded *recorded = NULL;
    struct ct_err err = CT_ERR_INIT;

    assert_int_equal(ct_recorded_read(path, &recorded, &err), expected);
    unlink(path);
    if (!strstr(err.message, message))
        print_error("%s\n", err.message);
    assert_non_null(strstr(err.message, message));
    assert_null(recorded);
}

static void refuse(const char *name, const char *text, const char *message)
{
    refuse_as(CT_E_USAGE, name, text, message);
}

/* The record of A = a, B = b. */
static const struct ct_record *record_of(const struct ct_recorded *recorded, int64_t a,
                                         struct ct_value b)
{
    struct ct_value values[2] = {ct_value_int(a), b};
    uint64_t index;

    assert_true(ct_space_find(recorded->space, values, &index));
    return &recorded->records[index];
}

/* The same five configurations in every format: (A, B) = (2, x) 3 ms, (2, y) 2 ms,
 * (10, x) failed to build, (10, y) crashed, (1, y) 1 ms. */
static void check_five(struct ct_recorded *recorded)
{
    struct ct_value x = ct_value_text("x");
    struct ct_value y = ct_value_text("y");
    struct ct_value missing[2] = {ct_value_int(1), x};
    uint64_t index;
    uint32_t config[2];

    assert_int_equal(ct_space_count(recorded->space), 5);
    assert_true(recorded->best_ns == 1e6);
    assert_true(record_of(recorded, 2, x)->time_ns == 3e6);
    assert_true(record_of(recorded, 2, y)->time_ns == 2e6);
    assert_true(record_of(recorded, 1, y)->time_ns == 1e6);
    assert_true(record_of(recorded, 1, y)->compile_ns == 20e6);
    assert_true(record_of(recorded, 1, y)->bench_ns == 300e6);
    assert_int_equal(record_of(recorded, 10, x)->failure, CT_FAILURE_BUILD);
    assert_true(isnan(record_of(recorded, 10, x)->time_ns));
    assert_int_equal(record_of(recorded, 10, y)->failure, CT_FAILURE_CRASHED);
    assert_false(ct_space_find(recorded->space, missing, &index));
    /* Numbers are in order: 1 comes first although it came last. */
    ct_space_config(recorded->space, 0, config);
    assert_true(config[0] == 0 && config[1] == 1);
    ct_recorded_free(recorded);
}

static const char five_tsv[] = "# a comment\n"
                               "A\tB\ttime_ms\tstatus\tcompile_ms\tbench_ms\tother\n"
                               "2\tx\t3\tok\t10\t100\t-\n"
                               "2\ty\t2.0\tok\t10\t100\t-\n"
                               "\n"
                               "10\tx\t\tcompile\t5\t\t-\n"
                               "10\ty\t7\truntime\t10\t50\t-\n"
                               "1\ty\t1\tok\t20\t300\t-\r\n"
                               "2\tx\t9\tok\t1\t1\trepeated: the first counts\n";

static void test_tsv(void **state)
{
    struct ct_recorded *recorded;

    (void)state;
    check_five(read_text("five.tsv", five_tsv, false));
    recorded = read_text("five.tsv.gz", five_tsv, true);
    assert_non_null(strstr(recorded->name, "five"));
    assert_null(strstr(recorded->name, ".tsv"));
    assert_null(strchr(recorded->name, '/'));
    check_five(recorded);
    refuse_as(CT_E_NOT_FOUND, "a.tsv", "", "no configuration");
    refuse("b.tsv", "A\tB\n1\t2\n", "no column 'time_ms'");
    refuse("c.tsv", "time_ms\n1\n", "no column 'time_ms' after");
    refuse("d.tsv", "A\ttime_ms\n1\t2\t3\n", "3 fields, but 2");
    refuse("e.tsv", "A\ttime_ms\n1\tfast\n", "'fast' is not a number");
    refuse_as(CT_E_NOT_FOUND, "f.tsv", "A\ttime_ms\n1\t\n2\t\n", "nothing to find");
    refuse("g.tsv", "A B\ttime_ms\n1\t2\n", "'A B' is no parameter name");
    refuse("h.tsv", "if\ttime_ms\n1\t2\n", "not a recorded space");
}

static const char five_cache[] =
    "{\"device_name\": \"d\", \"tune_params_keys\": [\"A\", \"B\"], \"tune_params\": {},"
    "\"cache\": {"
    "\"2,x\": {\"A\": 2, \"B\": \"x\", \"time\": 3, \"compile_time\": 10,"
    " \"benchmark_time\": 100},"
    "\"2,y\": {\"A\": 2, \"B\": \"y\", \"time\": 2.0, \"compile_time\": 10,"
    " \"benchmark_time\": 60, \"verification_time\": 40},"
    "\"10,x\": {\"A\": 10, \"B\": \"x\", \"time\": \"CompilationFailedConfig\"},"
    "\"10,y\": {\"A\": 10, \"B\": \"y\", \"time\": 1e20},"
    "\"1,y\": {\"A\": 1, \"B\": \"y\", \"time\": 1, \"compile_time\": 20,"
    " \"benchmark_time\": 200, \"verification_time\": 100}";

static void test_kernel_tuner(void **state)
{
    char text[2000];

    (void)state;
    snprintf(text, sizeof(text), "%s}}", five_cache);
    check_five(read_text("five.json", text, false));
    check_five(read_text("five.json.gz", text, true));
    snprintf(text, sizeof(text), "%s,\n", five_cache); /* not closed */
    check_five(read_text("open.json", text, false));
    refuse("a.json", "{\"cache\": {}}", "tune_params_keys");
    refuse("b.json", "{\"other\": 1}", "neither \"cache\"");
    refuse("c.json", "{\"tune_params_keys\": [\"A\"], \"cache\": {\"1\": {\"time\": 1}}}",
           "configuration 1 has no 'A'");
    refuse("d.json", "{\"cache\": [}", "");
}

static void test_t4(void **state)
{
    static const char results[] =
        "{\"metadata\": {\"timeunit\": \"%s\"}, \"results\": ["
        "{\"configuration\": {\"A\": 2, \"B\": \"x\"}, \"invalidity\": \"correct\","
        " \"objectives\": [\"time\"], \"measurements\": ["
        "{\"name\": \"power\", \"value\": 9, \"unit\": \"W\"},"
        "{\"name\": \"time\", \"value\": 3, \"unit\": \"ms\"}]},"
        "{\"configuration\": {\"A\": 2, \"B\": \"y\"}, \"invalidity\": \"correct\","
        " \"measurements\": [{\"name\": \"time\", \"value\": 0.002, \"unit\": \"s\"}]},"
        "{\"configuration\": {\"A\": 10, \"B\": \"x\"}, \"invalidity\": \"compile\"},"
        "{\"configuration\": {\"A\": 10, \"B\": \"y\"}, \"invalidity\": \"runtime\"},"
        "{\"configuration\": {\"A\": 1, \"B\": \"y\"}, \"invalidity\": \"correct\","
        " \"times\": {\"compilation_time\": %s, \"framework\": %s, \"runtimes\": [%s]},"
        " \"measurements\": [{\"name\": \"time\", \"value\": 1, \"unit\": \"\"}]}]}";
    char text[2000];

    (void)state;
    snprintf(text, sizeof(text), results, "miliseconds", "20", "100", "150, 50");
    check_five(read_text("t4.json", text, false));
    snprintf(text, sizeof(text), results, "seconds", "0.02", "0.1", "0.15, 0.05");
    check_five(read_text("t4.json.gz", text, true));
    refuse_as(CT_E_NOT_FOUND, "a.json", "{\"results\": []}", "no configuration");
    refuse("b.json", "{\"results\": [1]}", "not T4 results");
}

static void test_unreadable(void **state)
{
    struct ct_recorded *recorded = NULL;
    struct ct_err err = CT_ERR_INIT;
    const char *path;
    FILE *file;

    (void)state;
    assert_int_equal(ct_recorded_read("/nowhere/at.tsv", &recorded, &err), CT_E_USAGE);
    assert_non_null(strstr(err.message, "/nowhere/at.tsv"));
    path = write_file("cut.tsv.gz", five_tsv, true);
    file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), 60), 0);
    fclose(file);
    assert_int_equal(ct_recorded_read(path, &recorded, &err), CT_E_USAGE);
    unlink(path);
    /* A regular file whose first bytes nobody can read: the user's choice is no mistake. */
    assert_int_equal(ct_recorded_read("/proc/self/mem", &recorded, &err), CT_E_IO);
    assert_null(recorded);
}

/* --- replay by hand --- */

/* Five configurations in the order of `exhaustive`: failed, 4, 2, 1, 3 ms; evaluating
 * each takes 10, 20, 30, 40, 50 ms. */
static const char hand_tsv[] = "A\ttime_ms\tstatus\tcompile_ms\tbench_ms\n"
                               "1\t\truntime\t10\t0\n2\t4\tok\t10\t10\n"
                               "3\t2\tok\t10\t20\n4\t1\tok\t10\t30\n5\t3\tok\t10\t40\n";

static void test_by_hand(void **state)
{
    struct ct_recorded *recorded = read_text("hand.tsv", hand_tsv, false);
    struct ct_replay_options options = {.repeats = 2, .evaluations = 8, .batch = 1};
    struct ct_replay replay;
    struct ct_err err = CT_ERR_INIT;
    double values[2];

    (void)state;
    for (options.batch = 1; options.batch < 8; options.batch += 3) {
        assert_int_equal(ct_replay_run(recorded, "exhaustive", &options, &replay, &err),
                         CT_OK);
        assert_true(replay.counts[0] == 5 && replay.counts[1] == 5 && replay.asked == 10);
        for (size_t r = 0; r < 2; r++) {
            const double *best = replay.best_ns + r * 8;
            const double *spent = replay.spent_ns + r * 8;

            assert_true(best[0] == INFINITY && best[1] == 4e6 && best[2] == 2e6);
            assert_true(best[3] == 1e6 && best[4] == 1e6);
            assert_true(spent[0] == 10e6 && spent[3] == 100e6 && spent[4] == 150e6);
        }
        assert_int_equal(ct_replay_reach(&replay, recorded, 0.5, values), 2);
        assert_true(values[0] == 3 && values[1] == 3);
        assert_int_equal(ct_replay_reach(&replay, recorded, 0.95, values), 2);
        assert_true(values[0] == 4);
        ct_replay_reach_ns(&replay, recorded, 0.5, values);
        assert_true(values[0] == 60e6);
        assert_true(ct_replay_fraction(&replay, recorded, 1) == 0);
        assert_true(ct_replay_fraction(&replay, recorded, 2) == 0.25);
        assert_true(ct_replay_fraction(&replay, recorded, 400) == 1);
        ct_replay_release(&replay);
    }
    /* Two of five reach half: (5 + 1) / (2 + 1) draws of 30 ms. */
    assert_true(ct_replay_random_ns(recorded, 0.5) == 60e6);
    /* Three evaluations do not reach the best: twice three, and twice what was spent. */
    options = (struct ct_replay_options){.repeats = 1, .evaluations = 3, .batch = 1};
    assert_int_equal(ct_replay_run(recorded, "exhaustive", &options, &replay, &err),
                     CT_OK);
    assert_int_equal(ct_replay_reach(&replay, recorded, 0.95, values), 0);
    assert_true(values[0] == 6);
    ct_replay_reach_ns(&replay, recorded, 0.95, values);
    assert_true(values[0] == 120e6);
    ct_replay_release(&replay);
    assert_int_equal(ct_replay_run(recorded, "rando", &options, &replay, &err),
                     CT_E_USAGE);
    ct_recorded_free(recorded);
}

/* The score by hand: times 5, 4, 3, 2, 1 (slowest first), N = 5, median 3, target
 * 1 + 0.05 * 2 = 1.1: index 4, budget ceil(4 / 2) = 2 evaluations of 10 ms = 20 ms.  Of
 * the 50 points 0.4 ms apart those below 10 ms and up to 14.8 ms are 1 draw (rank
 * round(1 * 6 / 2) = 3, 2 ms), the 13 from 15.2 ms on (15 rounds to 2) ... */
static void test_score(void **state)
{
    static const char text[] = "A\ttime_ms\tstatus\tcompile_ms\tbench_ms\n"
                               "1\t5\tok\t4\t6\n2\t1\tok\t4\t6\n3\t3\tok\t4\t6\n"
                               "4\t2\tok\t4\t6\n5\t4\tok\t4\t6\n";
    struct ct_recorded *recorded = read_text("score.tsv", text, false);
    struct ct_replay_options options = {.repeats = 1, .evaluations = 5, .batch = 1};
    struct ct_replay replay;
    struct ct_err err = CT_ERR_INIT;
    double score;

    (void)state;
    assert_int_equal(ct_replay_run(recorded, "exhaustive", &options, &replay, &err),
                     CT_OK);
    assert_int_equal(ct_replay_score(&replay, recorded, &score, &err), CT_OK);
    /* One draw: round(3) -> 2 ms; two draws (from 15.2 ms): round(4) -> 1 ms, the
     * optimum.  Found: nothing before 10 ms (24 points, 0 each), 5 ms until 20 ms (the
     * points from 10 to 14.8 ms: 13, (2 - 5) / (2 - 1) = -3 each; from 15.2 to 19.6 ms:
     * 12 that are not the optimum where random search has it, 0 each), and at 20 ms the
     * optimum (1). */
    assert_true(fabs(score - (13 * -3.0 + 1) / 50) < 1e-12);
    ct_replay_release(&replay);
    ct_recorded_free(recorded);
}

/* An even number of configurations, failures, and repeats: times 6, 5, 4, 3, 2, 1 (slowest first), N
 * = 6, median 3.5, target 1.125, of which i = 5 are slower, so b = ceil(5 / 2) = 3 evaluations of 10
 * ms.  Two configurations failed; they take as long. */
static void test_score_even(void **state)
{
    static const char text[] =
        "A\ttime_ms\tstatus\tcompile_ms\tbench_ms\n"
        "1\t\tcompile\t10\t0\n2\t2\tok\t4\t6\n3\t6\tok\t4\t6\n4\t5\tok\t4\t6\n"
        "5\t4\tok\t4\t6\n6\t3\tok\t4\t6\n7\t\truntime\t4\t6\n8\t1\tok\t4\t6\n";
    struct ct_recorded *recorded = read_text("even.tsv", text, false);
    struct ct_replay_options options = {.repeats = 3, .evaluations = 8, .batch = 1};
    struct ct_replay replay;
    struct ct_err err = CT_ERR_INIT;
    double score;

    (void)state;
    assert_int_equal(ct_replay_run(recorded, "exhaustive", &options, &replay, &err),
                     CT_OK);
    /* The third repeat finds the optimum at once, the second one 3 ms: the median counts. */
    replay.best_ns[2 * 8 + 0] = 1e6;
    replay.best_ns[1 * 8 + 0] = 3e6;
    for (size_t k = 1; k < 8; k++) {
        replay.best_ns[2 * 8 + k] = 1e6;
        replay.best_ns[1 * 8 + k] = 3e6;
    }
    assert_int_equal(ct_replay_score(&replay, recorded, &score, &err), CT_OK);
    /* Points 0.6 ms apart up to 30 ms.  Random search: one draw until 15 ms (24 points), rank
     * round(3.5) = 4: 2 ms; from 15 ms on rank round(14 / 3) = 5, the optimum.  The first repeat
     * has nothing until 20 ms, 2 ms from there.  Before 10 ms (16 points) all count as random:
     * 0.  From 10.2 to 14.4 ms (8 points) 2 (as random), 3 and 1: median 2, so 0.  From 15 ms on
     * (26 points) the optimum is expected, and the median (of 1 or 2, 3 and 1) is the
     * optimum until 19.8 ms (9 points: 1, 3 and 1), then 2. */
    assert_true(fabs(score - 9.0 / 50) < 1e-12);
    ct_replay_release(&replay);
    ct_recorded_free(recorded);
}

/* Repeats differ, the seed decides, and more repeats change nothing about the first. */
static void test_repeats(void **state)
{
    char text[4000] = "A\tB\ttime_ms\n";
    struct ct_recorded *recorded;
    struct ct_replay_options options = {
        .repeats = 3, .evaluations = 20, .seed = 7, .batch = 1};
    struct ct_replay one;
    struct ct_replay two;
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    for (int a = 0; a < 12; a++)
        for (int b = 0; b < 12; b++)
            snprintf(text + strlen(text), 40, "%d\t%d\t%d\n", a, b,
                     10 + (a * 7 + b * 5) % 31);
    recorded = read_text("many.tsv", text, false);
    for (size_t s = 0; s < ct_strategy_count; s++) {
        const char *name = ct_strategies[s]->name;
        size_t bytes = 3 * 20 * sizeof(double);

        options.repeats = 3;
        options.seed = 7;
        assert_int_equal(ct_replay_run(recorded, name, &options, &one, &err), CT_OK);
        options.repeats = 5;
        assert_int_equal(ct_replay_run(recorded, name, &options, &two, &err), CT_OK);
        assert_memory_equal(one.best_ns, two.best_ns, bytes);
        ct_replay_release(&two);
        options.repeats = 3;
        options.seed = 8;
        assert_int_equal(ct_replay_run(recorded, name, &options, &two, &err), CT_OK);
        if (strcmp(name, "exhaustive") != 0)
            assert_memory_not_equal(one.best_ns, two.best_ns, bytes);
        ct_replay_release(&two);
        ct_replay_release(&one);
    }
    ct_recorded_free(recorded);
}

/* Results of elsewhere are matched by names and values, in whatever order they are. */
static void test_priors(void **state)
{
    struct ct_recorded *here = read_text(
        "here.tsv", "A\tB\ttime_ms\n1\tx\t5\n1\ty\t6\n2\tx\t7\n2\ty\t8\n", false);
    struct ct_recorded *there =
        read_text("there.tsv", "B\tA\ttime_ms\ny\t2\t3\nx\t9\t4\nx\t1\t\n", false);
    struct ct_recorded *other = read_text("other.tsv", "A\tC\ttime_ms\n1\t1\t3\n", false);
    struct ct_recorded *none = read_text("none.tsv", "A\tB\ttime_ms\n5\tx\t3\n", false);
    struct ct_replay_transfer *priors = NULL;
    struct ct_err err = CT_ERR_INIT;
    size_t count = 0;

    (void)state;
    assert_int_equal(ct_replay_transfers(here, there, &priors, &count, &err), CT_OK);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++) {
        const struct ct_record *record = &here->records[priors[i].index];

        /* A = 2, B = y worked there; A = 1, B = x did not. */
        assert_true(record->time_ns == (priors[i].result.ok ? 8e6 : 5e6));
        if (priors[i].result.ok)
            assert_true(priors[i].result.objective == 3e6);
    }
    assert_true(priors[0].result.ok != priors[1].result.ok);
    free(priors);
    assert_int_equal(ct_replay_transfers(here, other, &priors, &count, &err), CT_E_USAGE);
    assert_non_null(strstr(err.message, "their parameters differ"));
    assert_int_equal(ct_replay_transfers(here, none, &priors, &count, &err), CT_E_USAGE);
    assert_non_null(strstr(err.message, "they have no configuration in common"));
    ct_recorded_free(here);
    ct_recorded_free(there);
    ct_recorded_free(other);
    ct_recorded_free(none);
}

/* 30 configurations, each slower than the next by a tenth: after 20 in order much better
 * ones remain; those who have no estimate state none. */
static void test_chances(void **state)
{
    static const char *const names[] = {"exhaustive", "surrogate"};
    char text[1000] = "A\ttime_ms\n";
    struct ct_recorded *recorded;
    struct ct_replay_options options = {
        .repeats = 2, .evaluations = 30, .seed = 1, .batch = 1, .chance = true};
    struct ct_replay replay;
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    for (int a = 0; a < 30; a++)
        snprintf(text + strlen(text), 40, "%d\t%g\n", a, 100 * pow(1.1, -a));
    recorded = read_text("chance.tsv", text, false);
    for (size_t s = 0; s < 2; s++) {
        assert_int_equal(ct_replay_run(recorded, names[s], &options, &replay, &err),
                         CT_OK);
        for (size_t r = 0; r < 2; r++) {
            const struct ct_replay_chance *chances =
                replay.chances + r * CT_REPLAY_CHANCES;

            assert_true(isnan(chances[0].stated) == (s == 0));
            assert_true(isnan(chances[1].stated)); /* there are no 50 */
            assert_true(chances[0].remained == (s == 0));
            if (s)
                assert_true(chances[0].stated < 0.1);
        }
        ct_replay_release(&replay);
    }
    options.chance = false;
    assert_int_equal(ct_replay_run(recorded, "random", &options, &replay, &err), CT_OK);
    assert_null(replay.chances);
    ct_replay_release(&replay);
    ct_recorded_free(recorded);
}

/* --- islands --- */

enum { ISLAND_SPACE = 40, ISLAND_MOST = 4 * ISLAND_SPACE };

/* Forty configurations, each of which takes more than a second, and its own time. */
static struct ct_recorded *read_slow_space(void)
{
    char text[2000] = "A\ttime_ms\tstatus\tcompile_ms\tbench_ms\n";

    for (int a = 0; a < ISLAND_SPACE; a++)
        snprintf(text + strlen(text), 40, "%d\t%d\tok\t0\t%d\n", a, 10 + a * 7 % 31,
                 1000 + (a * 37 + 11) % 101);
    return read_text("slow.tsv", text, false);
}

static void run_islands(const struct ct_recorded *recorded, const char *name,
                        size_t islands, uint64_t seed, struct ct_replay *out)
{
    const struct ct_replay_options options = {.repeats = 2,
                                              .evaluations = ISLAND_MOST,
                                              .seed = seed,
                                              .batch = 1,
                                              .islands = islands};
    struct ct_err err = CT_ERR_INIT;

    assert_int_equal(ct_replay_run(recorded, name, &options, out, &err), CT_OK);
}

/* What an island begins after another one has ended it is none that it has read of; all of the space is
 * covered, and results come in the order of the clock. */
static void check_islands(const struct ct_recorded *recorded,
                          const struct ct_replay *replay, size_t repeat, size_t islands)
{
    const uint64_t *indices = replay->indices + repeat * replay->evaluations;
    const double *ends_ns = replay->spent_ns + repeat * replay->evaluations;
    size_t count = replay->counts[repeat];
    bool seen[ISLAND_SPACE] = {false};
    size_t different = 0;

    for (size_t b = 0; b < count; b++) {
        double begins_ns = ends_ns[b] - recorded->records[indices[b]].bench_ns;

        assert_true(b == 0 || ends_ns[b] >= ends_ns[b - 1]);
        for (size_t a = 0; a < b; a++)
            assert_true(indices[a] != indices[b] || ends_ns[a] >= begins_ns);
        different += !seen[indices[b]];
        seen[indices[b]] = true;
    }
    assert_int_equal(different, ISLAND_SPACE);
    assert_true(count <= islands * ISLAND_SPACE);
}

static void check_same(const struct ct_replay *a, const struct ct_replay *b, bool same)
{
    bool equal = true;

    for (size_t r = 0; r < a->repeats; r++) {
        size_t at = r * a->evaluations;

        equal = equal && a->counts[r] == b->counts[r] &&
                !memcmp(a->indices + at, b->indices + at,
                        a->counts[r] * sizeof(*a->indices)) &&
                !memcmp(a->spent_ns + at, b->spent_ns + at,
                        a->counts[r] * sizeof(*a->spent_ns));
    }
    assert_true(equal == same);
}

static void test_islands(void **state)
{
    struct ct_recorded *recorded = read_slow_space();
    struct ct_replay one;

    (void)state;
    for (size_t s = 0; s < ct_strategy_count; s++) {
        const char *name = ct_strategies[s]->name;

        run_islands(recorded, name, 1, 7, &one);
        for (size_t islands = 2; islands <= 4; islands += 2) {
            struct ct_replay replay;
            struct ct_replay again;
            size_t last;

            run_islands(recorded, name, islands, 7, &replay);
            run_islands(recorded, name, islands, 7, &again);
            check_same(&replay, &again, true);
            check_islands(recorded, &replay, 0, islands);
            check_islands(recorded, &replay, 1, islands);
            ct_replay_release(&again);
            /* Random choices are others for another seed; they share the work, and nearly all of it is
             * done once. */
            if (strcmp(name, "random") == 0) {
                run_islands(recorded, name, islands, 8, &again);
                check_same(&replay, &again, false);
                ct_replay_release(&again);
                last = replay.counts[0] - 1;
                assert_true(replay.counts[0] <= ISLAND_SPACE + 4 * islands);
                assert_true(replay.spent_ns[last] * (double)islands <
                            1.5 * one.spent_ns[ISLAND_SPACE - 1]);
            }
            ct_replay_release(&replay);
        }
        ct_replay_release(&one);
    }
    ct_recorded_free(recorded);
}

/* Two that are alike end everything together: the limit is that of both.  (10 + 0, 10 + 10, ... ms.) */
static void test_islands_by_hand(void **state)
{
    static const double ends_ns[] = {10e6, 10e6, 30e6, 30e6, 60e6};
    static const double best_ns[] = {INFINITY, INFINITY, 4e6, 4e6, 2e6};
    struct ct_recorded *recorded = read_text("hand.tsv", hand_tsv, false);
    const struct ct_replay_options options = {
        .repeats = 1, .evaluations = 5, .batch = 1, .islands = 2};
    struct ct_replay replay;
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    assert_int_equal(ct_replay_run(recorded, "exhaustive", &options, &replay, &err),
                     CT_OK);
    assert_int_equal(replay.counts[0], 5);
    for (size_t i = 0; i < 5; i++) {
        assert_true(replay.spent_ns[i] == ends_ns[i]);
        assert_true(replay.best_ns[i] == best_ns[i]);
        assert_int_equal(replay.indices[i], i / 2);
    }
    ct_replay_release(&replay);
    ct_recorded_free(recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tsv),        cmocka_unit_test(test_kernel_tuner),
        cmocka_unit_test(test_t4),         cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_by_hand),    cmocka_unit_test(test_score),
        cmocka_unit_test(test_score_even), cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_priors),     cmocka_unit_test(test_chances),
        cmocka_unit_test(test_islands),    cmocka_unit_test(test_islands_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
