// SPDX-License-Identifier: Apache-2.0
// Bests that stay true, and queries that scan nothing.
#define _GNU_SOURCE 1 /* nftw */
#include "lookup_world.h"

#include "base/rng.h"

/* Small tables may be read as a whole, `result`, `run`, `score` and `best` never. */
static void test_plans(void **state)
{
    int steps = 0;

    (void)state;
    for (int i = 0; i < CT_SQL_COUNT; i++) {
        sqlite3_stmt *stmt;
        struct ct_str text;

        ct_str_init(&text);
        ct_str_addf(&text, "EXPLAIN QUERY PLAN %s", ct_sql_text[i]);
        if (sqlite3_prepare_v2(db->sql, text.data, -1, &stmt, NULL) != SQLITE_OK)
            fail_msg("%s: %s", ct_sql_text[i], sqlite3_errmsg(db->sql));
        while (sqlite3_step(stmt) == SQLITE_ROW) {
            const char *step = (const char *)sqlite3_column_text(stmt, 3);

            steps++;
            if (strstr(step, "SCAN") && !strstr(step, "SCAN device") &&
                !strstr(step, "SCAN kernel"))
                fail_msg("%s: %s", step, ct_sql_text[i]);
            /* Sorting means that an index is missing; these sort a handful. */
            if (strstr(step, "TEMP B-TREE") && i != CT_SQL_FIND_OF_CONFIGURATION &&
                i != CT_SQL_FIND_KERNEL && i != CT_SQL_FIND_KERNELS)
                fail_msg("%s: %s", step, ct_sql_text[i]);
        }
        sqlite3_finalize(stmt);
        ct_str_release(&text);
    }
    assert_true(steps > 30);
}

/* A model of what competes: results of 3 configurations in 2 experiments each, under two
 * objectives. */
enum { EXPERIMENTS = 6, OBJECTIVES = 2 };

struct model {
    double time_ns;
    double value[OBJECTIVES];
    int64_t measured;
    int objective; /* of its run */
    bool stored;
    bool has[OBJECTIVES];
};

static void model_put(struct model *all, int e, int objective, double value,
                      double time_ns, int64_t measured, bool ok)
{
    struct model *m = &all[e];
    bool again = m->stored && m->time_ns == time_ns && m->measured == measured;
    int other = 1 - objective;
    const struct model *duplicate = &all[e ^ 1];
    bool newer = duplicate->stored && duplicate->measured > measured;

    m->has[other] = ok && m->has[other] && (again || other == 0);
    if (other == 0 && !again)
        m->value[0] = time_ns; /* objective 0 is the time; the other has no metric */
    m->has[objective] =
        ok &&
        !(newer && (duplicate->has[objective] || duplicate->objective == objective));
    m->value[objective] = value;
    if (!newer)
        all[e ^ 1].has[objective] = false;
    m->stored = true;
    m->objective = objective;
    m->time_ns = time_ns;
    m->measured = measured;
}

static void compare_model(const struct model *all, int64_t run_id)
{
    struct ct_arena arena = {0};
    struct ct_db_result *top = ct_arena_array(&arena, EXPERIMENTS, sizeof(*top));
    struct ct_db_result first;
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_RUN_GET);
    int64_t ids[3] = {0};
    size_t count;

    ct_db_bind_int(&use, 1, run_id);
    assert_true(ct_db_row(&use));
    for (int i = 0; i < 3; i++)
        ids[i] = ct_db_int(&use, i);
    assert_int_equal(ct_db_done(&use, NULL), CT_OK);
    for (int o = 0; o < OBJECTIVES; o++) {
        double best = NAN;
        size_t expected = 0;

        for (int e = 0; e < EXPERIMENTS; e++) {
            if (!all[e].has[o])
                continue;
            expected++;
            if (isnan(best) || (o ? all[e].value[o] > best : all[e].value[o] < best))
                best = all[e].value[o];
        }
        assert_int_equal(ct_db_best_top(db, ids[0], ids[1], ids[2], o ? "gflops" : "time",
                                        o, EXPERIMENTS, &arena, top, &count, NULL),
                         CT_OK);
        assert_int_equal(count, expected);
        assert_int_equal(ct_db_best_top(db, ids[0], ids[1], ids[2], o ? "gflops" : "time",
                                        o, 1, &arena, &first, &count, NULL),
                         CT_OK);
        assert_int_equal(count, expected > 0);
        if (!expected)
            continue;
        assert_string_equal(first.experiment.text, top[0].experiment.text);
        use = ct_db_use_begin(db, CT_SQL_FIND_BEST);
        ct_db_bind_int(&use, 1, ids[1]);
        ct_db_bind_int(&use, 2, ids[0]);
        while (ct_db_row(&use))
            if (!strcmp(ct_db_peek(&use, 1), o ? "gflops" : "time"))
                assert_true(ct_db_real(&use, 3) == best);
        assert_int_equal(ct_db_done(&use, NULL), CT_OK);
    }
    ct_arena_release(&arena);
}

static void test_best_random(void **state)
{
    struct what base = {.device = &h200};
    struct what flops = {.device = &h200, .objective = "gflops", .maximize = true};
    int64_t runs[OBJECTIVES] = {put_run(&base), put_run(&flops)};
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 3);
    for (int sequence = 0; sequence < 60; sequence++) {
        struct model all[EXPERIMENTS] = {{0}};

        assert_int_equal(sqlite3_exec(db->sql,
                                      "DELETE FROM best; DELETE FROM score;"
                                      "DELETE FROM result",
                                      NULL, NULL, NULL),
                         SQLITE_OK);
        for (int step = 0; step < 40; step++) {
            int e = (int)ct_rng_below(&rng, EXPERIMENTS);
            int o = (int)ct_rng_below(&rng, OBJECTIVES);
            bool ok = ct_rng_below(&rng, 4) > 0;
            bool again = all[e].stored && ct_rng_below(&rng, 3) == 0;
            struct what w = o ? flops : base;

            w.wg = e / 2;
            w.variant = e % 2;
            w.status = ok ? "ok" : "wrong";
            w.time_ns = again ? all[e].time_ns : (double)(1 + ct_rng_below(&rng, 8));
            w.measured_unix_s =
                again ? all[e].measured : (int64_t)(1000 + ct_rng_below(&rng, 6));
            w.value = o ? (double)(1 + ct_rng_below(&rng, 8)) : w.time_ns;
            put_result(&w, runs[o]);
            model_put(all, e, o, w.value, w.time_ns, w.measured_unix_s, ok);
            compare_model(all, runs[0]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOKUP_TEST(test_plans),
        LOOKUP_TEST(test_best_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
