// SPDX-License-Identifier: Apache-2.0
// Who won a play-off: stored, and kept while it holds.
#define _GNU_SOURCE 1 /* nftw */
#include "store_playoff.h"

static void test_playoff(void **state)
{
    const struct ct_db_ranked again[] = {ranked(4, 9, false), ranked(3, 9.5, true)};
    struct ct_arena arena = {0};
    struct ct_db_result r;
    struct world w;

    (void)state;
    play(&w);
    assert_int_equal(number(w.db, "SELECT value = 11.5 FROM best"), 1);
    r = stored(&w, 3, &arena);
    assert_true(r.time_ns == 11.5 && r.low_ns == 10.5 && r.high_ns == 12.5);
    assert_true(r.objective_value == 11.5 && r.playoff.raw_ns == 12 &&
                r.playoff.rounds == 3);
    assert_memory_equal(r.playoff.rounds_ns, three_rounds, sizeof(three_rounds));
    assert_int_equal(r.attempts, 1);
    r = stored(&w, 4, &arena);
    assert_true(r.time_ns == 13 && isnan(r.playoff.raw_ns) && !r.playoff.rounds &&
                r.rank.number == -1);
    /* The next one ends what the last one said, and forgets no raw time. */
    w.run.strategy = "random";
    assert_int_equal(ct_db_run_begin(w.db, &w.run, NULL), CT_OK);
    assert_int_equal(ct_db_rankings_put(w.db, w.run.id, again, 2, NULL), CT_OK);
    assert_string_equal(order(&w), "4:0 3:1= 1:- 2:-");
    r = stored(&w, 3, &arena);
    assert_true(r.playoff.raw_ns == 12 && r.time_ns == 9.5 && r.run_id == w.run.id);
    r = stored(&w, 4, &arena);
    assert_true(r.playoff.raw_ns == 13);
    /* Nobody played: nothing is known. */
    assert_int_equal(ct_db_rankings_put(w.db, w.run.id, NULL, 0, NULL), CT_OK);
    assert_string_equal(order(&w), "4:- 3:- 1:- 2:-");
    assert_int_equal(check_file(w.db), CT_OK);
    ct_arena_release(&arena);
    ct_db_close(w.db);
}

/* Puts what is stored once more, as a search that takes it over does. */
static void put_again(struct world *w, unsigned n)
{
    struct ct_arena arena = {0};
    struct ct_db_result r = stored(w, n, &arena);

    assert_int_equal(ct_db_result_put(w->db, &r, NULL), CT_OK);
    ct_arena_release(&arena);
}

static void test_raw_results(void **state)
{
    struct world w;

    (void)state;
    play(&w);
    /* Better by up to a tenth may be luck. */
    assert_int_equal(put_time(&w, 5, 10.35, NULL), CT_OK);
    assert_string_equal(order(&w), "3:0 1:1= 2:2 5:- 4:-");
    assert_int_equal(put_time(&w, 6, 10.34, NULL), CT_OK);
    assert_string_equal(order(&w), "6:- 5:- 1:- 3:- 2:- 4:-");
    assert_int_equal(number(w.db, "SELECT value = 10.34 FROM best"), 1);
    assert_int_equal(number(w.db, "SELECT sum(tied) FROM score"), 0);
    ct_db_close(w.db);
}

/* What the play-off knew and left out, or ranked below its pick, challenges nobody. */
static void test_no_challenge(void **state)
{
    const struct ct_db_ranked ranked_all[] = {ranked(3, 12, true), ranked(1, 9, true)};
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(put_time(&w, 1, 10, NULL), CT_OK);
    assert_int_equal(put_time(&w, 2, 5, NULL), CT_OK);
    assert_int_equal(put_time(&w, 3, 10, NULL), CT_OK);
    assert_int_equal(ct_db_rankings_put(w.db, w.run.id, ranked_all, 2, NULL), CT_OK);
    assert_string_equal(order(&w), "3:0 1:1= 2:-");
    for (unsigned n = 1; n <= 3; n++)
        put_again(&w, n);
    assert_string_equal(order(&w), "3:0 1:1= 2:-");
    ct_db_close(w.db);
}

static void test_raw_maximum(void **state)
{
    struct ct_db_ranked ranked_all[] = {ranked(1, 100, false), ranked(2, 101, true)};
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    w.run.objective = "gflops";
    w.run.maximize = true;
    assert_int_equal(ct_db_run_begin(w.db, &w.run, NULL), CT_OK);
    assert_int_equal(put_time(&w, 1, 90, NULL), CT_OK);
    assert_int_equal(put_time(&w, 2, 120, NULL), CT_OK);
    assert_int_equal(ct_db_rankings_put(w.db, w.run.id, ranked_all, 2, NULL), CT_OK);
    assert_int_equal(put_time(&w, 3, 110, NULL), CT_OK);
    assert_int_equal(put_time(&w, 4, 1, NULL), CT_OK);
    assert_string_equal(order(&w), "1:0 2:1= 3:- 4:-");
    assert_int_equal(put_time(&w, 4, 110.5, NULL), CT_OK);
    assert_string_equal(order(&w), "4:- 3:- 2:- 1:-");
    ct_db_close(w.db);
}

static void test_measured_again(void **state)
{
    struct ct_db_result r;
    struct world w;

    (void)state;
    play(&w);
    for (unsigned n = 1; n <= 4; n++)
        put_again(&w, n);
    assert_string_equal(order(&w), "3:0 1:1= 2:2 4:-");
    /* One that is not the pick loses its own standing alone. */
    assert_int_equal(put_time(&w, 1, 11, NULL), CT_OK);
    assert_string_equal(order(&w), "3:0 2:2 1:- 4:-");
    assert_int_equal(put_time(&w, 3, 11.75, NULL), CT_OK);
    assert_string_equal(order(&w), "1:- 3:- 2:- 4:-");
    ct_db_close(w.db);
    /* The same time at another second is another measurement. */
    assert_int_equal(remove(in_folder("a.db")), 0);
    play(&w);
    r = result_of(&w, 3, 11.5);
    r.measured_unix_s = 5;
    assert_int_equal(ct_db_result_put(w.db, &r, NULL), CT_OK);
    assert_string_equal(order(&w), "1:- 3:- 2:- 4:-");
    ct_db_close(w.db);
}

static void test_pick_gone(void **state)
{
    struct ct_db_result r;
    struct world w;

    (void)state;
    play(&w);
    r = result_of(&w, 3, NAN);
    r.status = "wrong";
    assert_int_equal(ct_db_result_put(w.db, &r, NULL), CT_OK);
    assert_string_equal(order(&w), "1:- 2:- 4:-");
    ct_db_close(w.db);
    /* A newer experiment of the pick's configuration stands for it. */
    assert_int_equal(remove(in_folder("a.db")), 0);
    play(&w);
    r = result_of(&w, 3, 12.75);
    r.experiment = experiment(7);
    assert_int_equal(ct_db_result_put(w.db, &r, NULL), CT_OK);
    assert_string_equal(order(&w), "1:- 2:- 7:- 4:-");
    ct_db_close(w.db);
    /* Another version of the kernel asks for the pick, too: each has a row of its own,
     * and the standing is the first one's. */
    assert_int_equal(remove(in_folder("a.db")), 0);
    play(&w);
    {
        struct ct_db_kernel kernel = {.name = "fir",
                                      .source_hash = ct_hash_bytes("new", 3),
                                      .space_path = "",
                                      .parameters = "{}",
                                      .constraints = "[]"};
        struct world old = w;

        assert_int_equal(ct_db_kernel_put(w.db, &kernel, &w.kernel, NULL), CT_OK);
        w.run.kernel_id = w.kernel;
        assert_int_equal(ct_db_run_begin(w.db, &w.run, NULL), CT_OK);
        {
            struct ct_arena arena = {0};

            r = stored(&w, 3, &arena);
            r.run_id = w.run.id;
            assert_int_equal(ct_db_result_put(w.db, &r, NULL), CT_OK);
            ct_arena_release(&arena);
        }
        assert_string_equal(order(&w), "3:-");
        assert_string_equal(order(&old), "3:0 1:1= 2:2 4:-");
    }
    ct_db_close(w.db);
}

static void put_duplicate(struct world *w, unsigned n, unsigned of, double time_ns)
{
    struct ct_hash root = experiment(of);
    struct ct_db_result r = result_of(w, n, time_ns);

    r.twin_of = root.text;
    assert_int_equal(ct_db_result_put(w->db, &r, NULL), CT_OK);
}

static void test_duplicates(void **state)
{
    struct ct_db_ranked ranked_all[] = {ranked(1, 12, false), ranked(6, 13, true)};
    struct ct_arena arena = {0};
    struct ct_db_result r;
    struct world w;
    struct world other;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    for (unsigned n = 1; n <= 3; n++)
        assert_int_equal(put_time(&w, n, 9 + n, NULL), CT_OK);
    put_duplicate(&w, 5, 1, 2);
    put_duplicate(&w, 6, 2, 3); /* stands itself, for the program of 2 */
    put_duplicate(&w, 7, 2, 4);
    put_duplicate(&w, 8, 3, 5);
    other = w;
    other.run.problem_id = 0;
    assert_int_equal(ct_db_problem_put(w.db, NULL, 0, &other.problem, NULL), CT_OK);
    other.run.problem_id = other.problem;
    assert_int_equal(ct_db_run_begin(w.db, &other.run, NULL), CT_OK);
    put_duplicate(&other, 9, 1, 6); /* of another problem */
    assert_int_equal(ct_db_rankings_put(w.db, w.run.id, ranked_all, 2, NULL), CT_OK);
    assert_string_equal(order(&w), "1:0 6:1= 8:- 3:- 5:- 2:- 7:-");
    assert_string_equal(order(&other), "9:-");
    r = stored(&w, 5, &arena);
    assert_true(r.time_ns == 12 && r.objective_value == 12 && r.playoff.raw_ns == 2);
    assert_true(r.playoff.rounds == 3 && r.low_ns == 11);
    r = stored(&w, 2, &arena);
    assert_true(r.time_ns == 13 && r.playoff.raw_ns == 11);
    r = stored(&w, 7, &arena);
    assert_true(r.time_ns == 13 && r.playoff.raw_ns == 4);
    r = stored(&w, 6, &arena);
    assert_true(r.time_ns == 13 && r.playoff.raw_ns == 3);
    r = stored(&w, 8, &arena);
    assert_true(r.time_ns == 5 && !r.playoff.rounds);
    /* A program that stands under two names has each one's own times. */
    ranked_all[1].experiment = experiment(5);
    assert_int_equal(ct_db_rankings_put(w.db, w.run.id, ranked_all, 2, NULL), CT_OK);
    r = stored(&w, 1, &arena);
    assert_true(r.time_ns == 12);
    r = stored(&w, 5, &arena);
    assert_true(r.time_ns == 13);
    r = stored(&w, 9, &arena);
    assert_true(r.time_ns == 6 && !r.playoff.rounds);
    ct_arena_release(&arena);
    ct_db_close(w.db);
}

/* What a play-off for one objective does to the others. */
static void test_objectives(void **state)
{
    struct ct_db_ranked ranked_all[] = {ranked(4, 30, false)};
    struct ct_arena arena = {0};
    struct ct_db_result r;
    struct world flops;
    struct world other;
    struct world w;

    (void)state;
    play(&w);
    flops = other = w;
    flops.run.objective = "gflops";
    flops.run.maximize = true;
    assert_int_equal(ct_db_run_begin(w.db, &flops.run, NULL), CT_OK);
    other.run.objective = "odd";
    assert_int_equal(ct_db_run_begin(w.db, &other.run, NULL), CT_OK);
    for (unsigned n = 3; n <= 4; n++) {
        r = stored(&w, n, &arena);
        r.run_id = flops.run.id;
        r.objective_value = 10 + n;
        assert_int_equal(ct_db_result_put(w.db, &r, NULL), CT_OK);
        r.run_id = other.run.id;
        r.objective_value = 40 + n;
        assert_int_equal(ct_db_result_put(w.db, &r, NULL), CT_OK);
    }
    assert_string_equal(order(&w), "3:0 1:1= 2:2 4:-");
    assert_string_equal(order(&flops), "4:- 3:-");
    /* The pick for the time plays for gflops: it stays the pick, with the new time; what
     * cannot be told from the play-off stays as it was. */
    ranked_all[0] = ranked(3, 50, false);
    ranked_all[0].time_ns = 14;
    ranked_all[0].metrics = "{\"gflops\":50.0}";
    ranked_all[0].observed = "{\"host_load\":1.0}";
    ranked_all[0].end_to_end_ns = 70;
    assert_int_equal(ct_db_rankings_put(w.db, flops.run.id, ranked_all, 1, NULL), CT_OK);
    assert_string_equal(order(&flops), "3:0 4:-");
    assert_string_equal(order(&w), "3:0 1:1= 2:2 4:-");
    assert_string_equal(order(&other), "3:- 4:-");
    assert_int_equal(number(w.db, "SELECT value = 14 FROM best WHERE objective = 'time'"),
                     1);
    assert_int_equal(number(w.db, "SELECT value FROM best WHERE objective = 'odd'"), 43);
    r = stored(&w, 3, &arena);
    assert_string_equal(r.metrics, "{\"gflops\":50.0}");
    assert_string_equal(r.observed, "{\"host_load\":1.0}");
    assert_true(r.end_to_end.time_ns == 70);
    /* Not said again: kept. */
    ranked_all[0].metrics = ranked_all[0].observed = NULL;
    ranked_all[0].end_to_end_ns = NAN;
    assert_int_equal(ct_db_rankings_put(w.db, flops.run.id, ranked_all, 1, NULL), CT_OK);
    r = stored(&w, 3, &arena);
    assert_string_equal(r.metrics, "{\"gflops\":50.0}");
    assert_string_equal(r.observed, "{\"host_load\":1.0}");
    assert_true(r.end_to_end.time_ns == 70);
    ct_arena_release(&arena);
    ct_db_close(w.db);
}

/* After a new measurement other objectives follow what they are about. */
static void test_followers(void **state)
{
    static const char *const names[] = {"end_to_end", "energy_j", "gflops"};
    struct world of[3];
    struct ct_db_result r;
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    for (int i = 0; i < 3; i++) {
        of[i] = w;
        of[i].run.objective = names[i];
        assert_int_equal(ct_db_run_begin(w.db, &of[i].run, NULL), CT_OK);
        r = result_of(&of[i], 1, 5);
        r.measured_unix_s = 9;
        assert_int_equal(ct_db_result_put(w.db, &r, NULL), CT_OK);
    }
    r = result_of(&w, 1, 6);
    r.end_to_end.time_ns = 60;
    r.observed = "{\"energy_j\":0.25,\"gflops\":2.0}";
    r.metrics = "{\"gflops\":3.0}";
    assert_int_equal(ct_db_result_put(w.db, &r, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT count(*) FROM best"), 4);
    assert_int_equal(
        number(w.db, "SELECT sum(CASE objective WHEN 'end_to_end' THEN value = 60"
                     " WHEN 'energy_j' THEN value = 0.25 WHEN 'gflops' THEN value = 3"
                     " WHEN 'time' THEN value = 6 END) FROM best"),
        4);
    r = result_of(&w, 1, 7);
    assert_int_equal(ct_db_result_put(w.db, &r, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT count(*) FROM best"), 1);
    ct_db_close(w.db);
}

static void test_mistakes(void **state)
{
    struct ct_db_ranked bad[6][2];
    struct ct_db_result r;
    struct ct_err err;
    struct world w;

    (void)state;
    play(&w);
    r = result_of(&w, 8, NAN);
    r.status = "wrong";
    assert_int_equal(ct_db_result_put(w.db, &r, NULL), CT_OK);
    for (int i = 0; i < 6; i++) {
        bad[i][0] = ranked(4, 5, false);
        bad[i][1] = ranked(1, 6, false);
    }
    bad[0][1].experiment = experiment(99);
    bad[1][1].experiment = experiment(8);
    bad[2][1].value = NAN;
    bad[3][1].rounds = 0;
    bad[4][1].experiment = experiment(4);
    for (int i = 0; i < 5; i++) {
        err = (struct ct_err)CT_ERR_INIT;
        assert_int_equal(ct_db_rankings_put(w.db, w.run.id, bad[i], 2, &err),
                         CT_E_INTERNAL);
        assert_non_null(strstr(err.message, bad[i][1].experiment.text));
        assert_string_equal(order(&w), "3:0 1:1= 2:2 4:-");
    }
    assert_int_equal(ct_db_rankings_put(w.db, 99, bad[5], 2, NULL), CT_E_INTERNAL);
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    assert_int_equal(ct_db_rankings_put(w.db, w.run.id, bad[5], 2, NULL), CT_OK);
    assert_int_equal(ct_db_rankings_put(w.db, w.run.id, bad[0], 2, NULL), CT_E_INTERNAL);
    assert_string_equal(order(&w), "4:0 1:1 3:- 2:-");
    ct_db_rollback(w.db);
    assert_string_equal(order(&w), "3:0 1:1= 2:2 4:-");
    ct_db_close(w.db);
}

/* A random result, of one of four configurations in one of two experiments each. */
static void put_random(struct world *w, struct ct_rng *rng)
{
    unsigned n = (unsigned)ct_rng_below(rng, 8);
    struct ct_db_result r = result_of(w, n / 2, (double)(20 + ct_rng_below(rng, 6)));
    struct ct_hash root = experiment(n ^ 1);

    r.experiment = experiment(n);
    if (ct_rng_below(rng, 4) == 0)
        r.twin_of = root.text;
    if (ct_rng_below(rng, 5) == 0)
        r.status = "crashed";
    r.measured_unix_s = (int64_t)(1 + ct_rng_below(rng, 3));
    assert_int_equal(ct_db_result_put(w->db, &r, NULL), CT_OK);
}

/* A play-off of those that lead, with random times; returns how many they are. */
static size_t rank_leaders(struct world *w, struct ct_rng *rng, bool tied)
{
    struct ct_db_ranked ranked_all[3];
    struct ct_db_result top[3];
    struct ct_arena arena = {0};
    size_t count = 0;

    assert_int_equal(ct_db_best_top(w->db, w->device, w->kernel, w->problem, "time",
                                    false, 3, &arena, top, &count, NULL),
                     CT_OK);
    for (size_t i = 0; i < count; i++) {
        ranked_all[i] = ranked(0, (double)(20 + ct_rng_below(rng, 6)), tied);
        ranked_all[i].experiment = top[i].experiment;
    }
    assert_int_equal(ct_db_rankings_put(w->db, w->run.id, ranked_all, count, NULL),
                     CT_OK);
    ct_arena_release(&arena);
    return count;
}

static void check_standings(struct ct_db *db)
{
    assert_int_equal(number(db,
                            "SELECT count(*) FROM score WHERE standing IS NOT NULL"
                            " AND NOT EXISTS (SELECT 1 FROM score WHERE standing = 0)"),
                     0);
    assert_int_equal(
        number(db, "SELECT (SELECT count(*) FROM score) = 0 AND"
                   " (SELECT count(*) FROM best) = 0 OR (SELECT result_id = first"
                   " AND value = rank FROM best, (SELECT result_id AS first, rank"
                   " FROM score ORDER BY standing NULLS LAST, rank, result_id"
                   " LIMIT 1))"),
        1);
    assert_int_equal(number(db, "SELECT count(*) FROM score JOIN result ON result.id ="
                                " result_id WHERE rank <> time_ns OR status <> 'ok'"),
                     0);
}

/* Whatever happens: standings begin with a pick, and `best` is the first of the order. */
static void test_random(void **state)
{
    struct ct_rng rng;
    struct world w;
    int kept = 0;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    ct_rng_seed(&rng, 6);
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    for (int step = 0; step < 3000; step++) {
        size_t count = 0;

        put_random(&w, &rng);
        if (ct_rng_below(&rng, 6) == 0)
            count = rank_leaders(&w, &rng, step % 2 > 0);
        kept += count == 0 &&
                number(w.db, "SELECT count(*) FROM score WHERE standing = 0") == 1;
        check_standings(w.db);
    }
    assert_int_equal(ct_db_commit(w.db, NULL), CT_OK);
    assert_in_range(kept, 100, 2500);
    ct_db_close(w.db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_playoff),        STORE_TEST(test_raw_results),
        STORE_TEST(test_raw_maximum),    STORE_TEST(test_no_challenge),
        STORE_TEST(test_measured_again), STORE_TEST(test_pick_gone),
        STORE_TEST(test_duplicates),     STORE_TEST(test_objectives),
        STORE_TEST(test_followers),      STORE_TEST(test_mistakes),
        STORE_TEST(test_random),
    };

    main_process = getpid();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
