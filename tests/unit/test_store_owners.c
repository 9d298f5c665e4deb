// SPDX-License-Identifier: Apache-2.0
// One experiment of several kernels and problems: each keeps its own row, and a new
// measurement counts for all.
#define _GNU_SOURCE 1 /* nftw */
#include "store_world.h"

/* As populate, for another kernel name and problem size in the same file. */
static struct world neighbour(const struct world *w, const char *name, int64_t n)
{
    struct ct_db_kernel kernel = {.name = name,
                                  .source_hash = ct_hash_bytes("source", 6),
                                  .space_path = "fir.ini",
                                  .parameters = "{}",
                                  .constraints = "[]"};
    struct ct_db_value size = {"n", ct_value_int(n)};
    struct world other = *w;

    assert_int_equal(ct_db_kernel_put(w->db, &kernel, &other.kernel, NULL), CT_OK);
    assert_int_equal(ct_db_problem_put(w->db, &size, 1, &other.problem, NULL), CT_OK);
    other.run.kernel_id = other.kernel;
    other.run.problem_id = other.problem;
    assert_int_equal(ct_db_run_begin(w->db, &other.run, NULL), CT_OK);
    return other;
}

static struct ct_db_result stored(const struct world *w, unsigned n,
                                  struct ct_arena *arena)
{
    struct ct_hash hash = experiment(n);
    struct ct_db_result r;

    assert_int_equal(ct_db_result_get_of(w->db, w->device, w->kernel, w->problem, &hash,
                                         arena, &r, NULL),
                     CT_OK);
    return r;
}

/* What a search does with a result that it finds: it puts it again as its own. */
static void take(const struct world *w, unsigned n)
{
    struct ct_arena arena = {0};
    struct ct_db_result r = stored(w, n, &arena);

    r.run_id = w->run.id;
    assert_int_equal(ct_db_result_put(w->db, &r, NULL), CT_OK);
    ct_arena_release(&arena);
}

/* The best time of a subject under an objective, or -1. */
static double best(const struct world *w, const char *objective)
{
    struct ct_arena arena = {0};
    struct ct_db_result top;
    size_t count;
    double value = -1;

    assert_int_equal(ct_db_best_top(w->db, w->device, w->kernel, w->problem, objective,
                                    false, 1, &arena, &top, &count, NULL),
                     CT_OK);
    if (count)
        value = top.time_ns;
    ct_arena_release(&arena);
    return value;
}

static void check(struct world *w)
{
    assert_int_equal(check_file(w->db), CT_OK);
    assert_int_equal(
        number(w->db, "SELECT count(*) FROM result WHERE measured_unix_s < 9"), 0);
}

static void test_belongs_to_all(void **state)
{
    struct world a;
    struct world b;
    struct world c;
    struct ct_arena arena = {0};

    (void)state;
    populate(&a, opened(in_folder("a.db")));
    b = neighbour(&a, "other", 1024);
    c = neighbour(&a, "fir", 2048);
    for (unsigned n = 1; n <= 3; n++) {
        assert_int_equal(put_time(&a, n, 10 * n, NULL), CT_OK);
        take(&b, n);
        take(&c, n);
    }
    assert_true(best(&a, "time") == 10 && best(&b, "time") == 10);
    assert_true(best(&c, "time") == 10);
    assert_int_equal(number(a.db, "SELECT count(*) FROM result WHERE attempts = 1"), 9);
    assert_int_equal(number(a.db, "SELECT count(*) FROM score"), 9);
    /* Each is asked for its own. */
    assert_int_equal(stored(&a, 1, &arena).stored.kernel_id, a.kernel);
    assert_int_equal(stored(&b, 1, &arena).stored.kernel_id, b.kernel);
    assert_int_equal(stored(&c, 1, &arena).stored.problem_id, c.problem);
    /* Measured again for one, it counts for all. */
    assert_int_equal(put_time(&b, 1, 25, NULL), CT_OK);
    assert_true(best(&a, "time") == 20 && best(&b, "time") == 20);
    assert_true(stored(&c, 1, &arena).time_ns == 25);
    assert_int_equal(stored(&c, 1, &arena).attempts, 2);
    assert_int_equal(stored(&c, 1, &arena).run_id, c.run.id);
    assert_int_equal(number(a.db, "SELECT count(*) FROM result"), 9);
    check(&a);
    ct_arena_release(&arena);
    ct_db_close(a.db);
}

/* A failure is everybody's, an interruption nobody else's. */
static void test_failures(void **state)
{
    struct ct_db_result r = ct_db_result_init;
    struct ct_arena arena = {0};
    struct world a;
    struct world b;

    (void)state;
    populate(&a, opened(in_folder("a.db")));
    b = neighbour(&a, "other", 1024);
    assert_int_equal(put_time(&a, 1, 10, NULL), CT_OK);
    take(&b, 1);
    r.run_id = b.run.id;
    r.experiment = experiment(1);
    r.configuration = "{\"WG\":1}";
    r.status = "interrupted";
    assert_int_equal(ct_db_result_put(a.db, &r, NULL), CT_OK);
    assert_true(best(&a, "time") == 10 && best(&b, "time") == -1);
    r.status = "wrong";
    assert_int_equal(ct_db_result_put(a.db, &r, NULL), CT_OK);
    assert_true(best(&a, "time") == -1);
    assert_string_equal(stored(&a, 1, &arena).status, "wrong");
    /* What works again has to be taken: it may have metrics now. */
    assert_int_equal(put_time(&b, 1, 15, NULL), CT_OK);
    assert_true(best(&a, "time") == -1 && best(&b, "time") == 15);
    assert_int_equal(stored(&a, 1, &arena).stored.kernel_id, b.kernel);
    take(&a, 1);
    assert_true(best(&a, "time") == 15);
    assert_int_equal(stored(&a, 1, &arena).stored.kernel_id, a.kernel);
    check(&a);
    ct_arena_release(&arena);
    ct_db_close(a.db);
}

static enum ct_status put_metric(const struct world *w, unsigned n, double time_ns,
                                 const char *metrics)
{
    struct ct_db_result r = ct_db_result_init;

    r.run_id = w->run.id;
    r.experiment = experiment(n);
    r.status = "ok";
    r.configuration = "{\"WG\":1}";
    r.time_ns = r.objective_value = time_ns;
    r.metrics = metrics;
    return ct_db_result_put(w->db, &r, NULL);
}

/* Metrics are of one problem: they are never another's, nor of another measurement. */
static void test_metrics(void **state)
{
    struct ct_arena arena = {0};
    struct ct_db_result r;
    struct world a;
    struct world b;

    (void)state;
    populate(&a, opened(in_folder("a.db")));
    b = neighbour(&a, "fir", 2048);
    assert_int_equal(put_metric(&a, 1, 10, "{\"rate\":1.0}"), CT_OK);
    r = stored(&b, 1, &arena);
    r.run_id = b.run.id;
    r.metrics = "{\"rate\":2.0}";
    assert_int_equal(ct_db_result_put(a.db, &r, NULL), CT_OK);
    assert_string_equal(stored(&a, 1, &arena).metrics, "{\"rate\":1.0}");
    /* What is measured anew for one: the other takes it over, and loses nothing. */
    assert_int_equal(put_metric(&a, 1, 20, "{\"rate\":0.5}"), CT_OK);
    assert_true(best(&a, "time") == 20 && best(&b, "time") == 10);
    r = stored(&b, 1, &arena);
    assert_true(r.time_ns == 20 && r.stored.problem_id == a.problem);
    r.run_id = b.run.id;
    r.metrics = "{\"rate\":1.0}";
    assert_int_equal(ct_db_result_put(a.db, &r, NULL), CT_OK);
    assert_true(best(&b, "time") == 20);
    r = stored(&b, 1, &arena);
    assert_true(r.time_ns == 20 && r.stored.problem_id == b.problem);
    assert_int_equal(number(a.db, "SELECT count(*) FROM result WHERE superseded"), 0);
    check(&a);
    ct_arena_release(&arena);
    ct_db_close(a.db);
}

/* An objective that is a metric stays; one that follows from the measurement follows. */
static void test_objectives(void **state)
{
    struct world a;
    struct world b;
    struct world c;
    struct ct_db_result r = ct_db_result_init;

    (void)state;
    populate(&a, opened(in_folder("a.db")));
    b = a;
    b.run.objective = "rate";
    b = neighbour(&b, "fir", 2048);
    c = a;
    c.run.objective = "energy_j";
    c = neighbour(&c, "fir", 4096);
    assert_int_equal(put_time(&a, 1, 10, NULL), CT_OK);
    take(&b, 1);
    take(&c, 1);
    assert_true(best(&b, "rate") == 10 && best(&c, "energy_j") == 10);
    r.run_id = a.run.id;
    r.experiment = experiment(1);
    r.status = "ok";
    r.configuration = "{\"WG\":1}";
    r.time_ns = r.objective_value = 20;
    r.observed = "{\"energy_j\":0.5}";
    assert_int_equal(ct_db_result_put(a.db, &r, NULL), CT_OK);
    assert_true(best(&a, "time") == 20 && best(&b, "rate") == 10);
    assert_true(best(&c, "energy_j") == 20);
    assert_int_equal(number(a.db, "SELECT value = 0.5 FROM best"
                                  " WHERE objective = 'energy_j'"),
                     1);
    check(&a);
    ct_db_close(a.db);
}

/* Play-offs are a subject's own, and so are their duplicates. */
static void test_standings(void **state)
{
    const struct ct_db_ranked ranked_all[] = {{.experiment = experiment(2),
                                               .value = 8,
                                               .time_ns = 8,
                                               .end_to_end_ns = NAN,
                                               .rounds = 5},
                                              {.experiment = experiment(1),
                                               .value = 9,
                                               .time_ns = 9,
                                               .end_to_end_ns = NAN,
                                               .rounds = 5}};
    struct ct_hash root = experiment(1);
    struct ct_db_result r = ct_db_result_init;
    struct ct_arena arena = {0};
    struct world a;
    struct world b;

    (void)state;
    populate(&a, opened(in_folder("a.db")));
    b = neighbour(&a, "other", 1024);
    r.run_id = a.run.id;
    r.experiment = experiment(3);
    r.status = "ok";
    r.configuration = "{\"WG\":3}";
    r.objective_value = r.time_ns = 10;
    r.twin_of = root.text;
    assert_int_equal(ct_db_result_put(a.db, &r, NULL), CT_OK);
    for (unsigned n = 1; n <= 2; n++)
        assert_int_equal(put_time(&a, n, 10 * n, NULL), CT_OK);
    for (unsigned n = 1; n <= 3; n++)
        take(&b, n);
    assert_int_equal(ct_db_rankings_put(a.db, b.run.id, ranked_all, 2, NULL), CT_OK);
    assert_true(best(&a, "time") == 10 && best(&b, "time") == 8);
    assert_true(stored(&a, 3, &arena).time_ns == 10 &&
                stored(&b, 3, &arena).time_ns == 9);
    assert_int_equal(ct_db_rankings_put(a.db, a.run.id, &ranked_all[1], 1, NULL), CT_OK);
    assert_true(best(&a, "time") == 9 && best(&b, "time") == 8);
    assert_int_equal(number(a.db, "SELECT count(*) FROM score WHERE standing = 0"), 2);
    /* The pick measured again ends the standings of all whose pick it is. */
    assert_int_equal(put_time(&a, 2, 30, NULL), CT_OK);
    assert_int_equal(number(a.db, "SELECT count(*) FROM score WHERE standing = 0"), 1);
    assert_true(best(&a, "time") == 9 && best(&b, "time") == 9);
    check(&a);
    ct_arena_release(&arena);
    ct_db_close(a.db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_belongs_to_all), STORE_TEST(test_failures),
        STORE_TEST(test_metrics),        STORE_TEST(test_objectives),
        STORE_TEST(test_standings),
    };

    main_process = getpid();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
