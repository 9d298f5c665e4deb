// SPDX-License-Identifier: Apache-2.0
// Lists of what a database holds.
#define _GNU_SOURCE 1 /* nftw */
#include "store_world.h"

/* Runs of kernels on devices: what is stored where. */
static struct world on(struct ct_db *db, const char *kernel, int source,
                       const char *device, const char *driver, int64_t n)
{
    struct ct_devinfo info = device_info(device, driver);
    struct ct_db_kernel k = {.name = kernel,
                             .source_hash = ct_hash_bytes(&source, sizeof(source)),
                             .space_path = "k.ini",
                             .parameters = "{\"WG\":[1]}",
                             .constraints = "[1]"};
    struct ct_db_value size = {"n", ct_value_int(n)};
    struct world w = {.db = db, .run = ct_db_run_init};

    assert_int_equal(ct_db_device_put(db, &info, &w.device, NULL), CT_OK);
    assert_int_equal(ct_db_kernel_put(db, &k, &w.kernel, NULL), CT_OK);
    assert_int_equal(ct_db_problem_put(db, &size, 1, &w.problem, NULL), CT_OK);
    w.run.device_id = w.device;
    w.run.kernel_id = w.kernel;
    w.run.problem_id = w.problem;
    w.run.objective = "time";
    assert_int_equal(ct_db_run_begin(db, &w.run, NULL), CT_OK);
    return w;
}

/* The experiment's number makes it another one on each kernel and problem. */
static void put_some(struct world *w, unsigned first, double time_ns, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(put_time(w, first + i, time_ns + i, NULL), CT_OK);
}

static struct ct_db *fill(void)
{
    struct ct_db *db = opened(in_folder("a.db"));
    struct world w = on(db, "fir", 1, "NVIDIA H200", "550", 8);
    struct ct_db_result r = ct_db_result_init;

    put_some(&w, 0, 70, 2);
    w = on(db, "fir", 2, "NVIDIA H200", "550", 8);
    put_some(&w, 10, 50, 3);
    w.run.objective = "gflops";
    w.run.maximize = true;
    assert_int_equal(ct_db_run_begin(db, &w.run, NULL), CT_OK);
    put_some(&w, 20, 5, 1);
    w = on(db, "fir", 2, "NVIDIA H200", "560", 8);
    put_some(&w, 30, 40, 1);
    w = on(db, "fir", 2, "NVIDIA H200", "550", 16);
    put_some(&w, 40, 90, 1);
    w = on(db, "fir", 2, "NVIDIA A100", "550", 8);
    put_some(&w, 50, 60, 1);
    w = on(db, "copy", 3, "NVIDIA A100", "550", 8);
    put_some(&w, 60, 10, 1);
    w = on(db, "bad", 4, "NVIDIA A100", "550", 8);
    r.run_id = w.run.id;
    r.experiment = experiment(70);
    r.status = "crashed";
    r.configuration = "{}";
    assert_int_equal(ct_db_result_put(db, &r, NULL), CT_OK);
    return db;
}

#define QUERY(...) ((cltunedb_query){.struct_bytes = sizeof(cltunedb_query), __VA_ARGS__})

static void expect_bests(struct ct_db *db, cltunedb_query query, const char *expected)
{
    struct ct_db_subject_best *list = NULL;
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_str text;
    size_t count;

    ct_str_init(&text);
    if (ct_db_list(db, &query, 2, &arena, &list, &count, &err) != CT_OK) {
        assert_null(list);
        assert_int_equal(count, 0);
        ct_str_puts(&text, err.message);
    }
    for (size_t i = 0; list && i < count; i++) {
        const struct ct_db_subject_best *b = &list[i];

        assert_string_equal(b->of.space_path, "k.ini");
        assert_int_equal(strlen(b->source_hash.text), 32);
        assert_string_equal(b->of.device_type, "GPU");
        assert_string_equal(b->of.device_vendor, "NVIDIA Corporation");
        assert_int_equal(b->of.compute_units, 132);
        ct_str_addf(&text, "%s%s %s/%s %s %s%s:", b->of.kernel,
                    b->of.outdated ? "(old)" : "", b->of.device_name,
                    b->of.driver_version, b->of.problem_json, b->objective,
                    b->maximize ? "+" : "");
        for (size_t t = 0; t < b->top_count; t++) {
            assert_int_equal(b->top[t].stored.device_id, b->of.device_id);
            assert_int_equal(b->top[t].stored.kernel_id, b->of.kernel_id);
            assert_int_equal(b->top[t].stored.problem_id, b->of.problem_id);
            ct_str_addf(&text, " %g", b->top[t].time_ns);
        }
        ct_str_putc(&text, '\n');
    }
    assert_string_equal(text.data, expected);
    ct_str_release(&text);
    ct_arena_release(&arena);
}

static void test_subjects(void **state)
{
    const cltunedb_value n = {.name = "n", .kind = CLTUNEDB_INT, .i = 16};
    const cltunedb_value between = {.name = "n", .kind = CLTUNEDB_INT, .i = 15};
    const cltunedb_value m = {.name = "m", .kind = CLTUNEDB_INT, .i = 16};
    struct ct_db *db = fill();

    (void)state;
    expect_bests(db, QUERY(.kernel = NULL),
                 "copy NVIDIA A100/550 {\"n\":8} time: 10\n"
                 "fir NVIDIA A100/550 {\"n\":8} time: 60\n"
                 "fir NVIDIA H200/550 {\"n\":16} time: 90\n"
                 "fir NVIDIA H200/550 {\"n\":8} gflops+: 5\n"
                 "fir NVIDIA H200/550 {\"n\":8} time: 50 51\n"
                 "fir NVIDIA H200/560 {\"n\":8} time: 40\n"
                 "fir(old) NVIDIA H200/550 {\"n\":8} time: 70 71\n");
    /* A device, whatever its driver and however its name is written. */
    expect_bests(db,
                 QUERY(.kernel = "fir", .device_name = "h200", .driver_version = "570",
                       .objective = "time"),
                 "fir NVIDIA H200/550 {\"n\":16} time: 90\n"
                 "fir NVIDIA H200/550 {\"n\":8} time: 50 51\n"
                 "fir NVIDIA H200/560 {\"n\":8} time: 40\n"
                 "fir(old) NVIDIA H200/550 {\"n\":8} time: 70 71\n");
    expect_bests(db, QUERY(.device_pattern = "a100", .driver_version = "1"),
                 "copy NVIDIA A100/550 {\"n\":8} time: 10\n"
                 "fir NVIDIA A100/550 {\"n\":8} time: 60\n");
    expect_bests(db, QUERY(.problem = &n, .problem_count = 1),
                 "fir NVIDIA H200/550 {\"n\":16} time: 90\n");
    /* Nothing stands in for what was not measured. */
    expect_bests(db, QUERY(.kernel = "copy", .problem = &between, .problem_count = 1),
                 "no stored problem of kernel copy has all the requested sizes; a "
                 "stored one is {\"n\":8}");
    expect_bests(db, QUERY(.kernel = "copy", .problem = &m, .problem_count = 1),
                 "no stored problem of kernel copy has all the requested sizes; a "
                 "stored one is {\"n\":8}");
    expect_bests(db, QUERY(.kernel = "copy", .objective = "gflops"),
                 "kernel copy was tuned for time, not for gflops");
    ct_db_close(db);
}

static void test_no_subjects(void **state)
{
    struct ct_db *db = fill();
    struct ct_db_subject_best *list = NULL;
    struct ct_arena arena = {0};
    cltunedb_query query = QUERY(.kernel = "fir");
    size_t count;

    (void)state;
    query.device_name = "NVIDIA H100";
    assert_int_equal(ct_db_list(db, &query, 1, &arena, &list, &count, NULL),
                     CT_E_NOT_FOUND);
    query.device_pattern = "h100";
    assert_int_equal(ct_db_list(db, &query, 1, &arena, &list, &count, NULL), CT_E_USAGE);
    query = QUERY(.kernel = "fi");
    assert_int_equal(ct_db_begin(db, NULL), CT_OK);
    assert_int_equal(ct_db_list(db, &query, 1, &arena, &list, &count, NULL),
                     CT_E_INTERNAL);
    ct_db_rollback(db);
    assert_int_equal(ct_db_list(db, &query, 1, &arena, &list, &count, NULL),
                     CT_E_NOT_FOUND);
    query.kernel = "copy"; /* 0 is taken for 1 */
    assert_int_equal(ct_db_list(db, &query, 0, &arena, &list, &count, NULL), CT_OK);
    assert_true(count == 1 && list && list[0].top_count == 1);
    ct_arena_release(&arena);
    ct_db_close(db);
}

static enum ct_status count_one(void *user, const struct ct_db_known *known,
                                struct ct_err *err)
{
    (void)known;
    (void)err;
    ++*(uint64_t *)user;
    return CT_OK;
}

static void expect_records(struct ct_db *db, cltunedb_query query, const char *expected)
{
    struct ct_db_record *list = NULL;
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_str text;
    size_t count;

    ct_str_init(&text);
    if (ct_db_records(db, &query, &arena, &list, &count, &err) != CT_OK)
        ct_str_puts(&text, err.message);
    for (size_t i = 0; list && i < count; i++) {
        const struct ct_db_record *r = &list[i];
        uint64_t results = 0;

        assert_string_equal(r->of.space_path, "k.ini");
        assert_string_equal(r->parameters, "{\"WG\":[1]}");
        assert_string_equal(r->constraints, "[1]");
        ct_str_addf(&text, "%s%s %s/%s %s: %llu\n", r->of.kernel,
                    r->of.outdated ? "(old)" : "", r->of.device_name,
                    r->of.driver_version, r->of.problem_json,
                    (unsigned long long)r->result_count);
        assert_int_equal(ct_db_results_each(db, r->of.device_id, r->of.kernel_id,
                                            r->of.problem_id, count_one, &results, NULL),
                         CT_OK);
        assert_int_equal(results, r->result_count);
    }
    assert_string_equal(text.data, expected);
    ct_str_release(&text);
    ct_arena_release(&arena);
}

static void test_records(void **state)
{
    const cltunedb_value n = {.name = "n", .kind = CLTUNEDB_INT, .i = 16};
    struct ct_db *db = fill();

    (void)state;
    expect_records(db, QUERY(.objective = "ignored"),
                   "bad NVIDIA A100/550 {\"n\":8}: 1\n"
                   "copy NVIDIA A100/550 {\"n\":8}: 1\n"
                   "fir NVIDIA A100/550 {\"n\":8}: 1\n"
                   "fir NVIDIA H200/550 {\"n\":16}: 1\n"
                   "fir NVIDIA H200/550 {\"n\":8}: 4\n"
                   "fir NVIDIA H200/560 {\"n\":8}: 1\n"
                   "fir(old) NVIDIA H200/550 {\"n\":8}: 2\n");
    expect_records(db, QUERY(.kernel = "fir", .device_pattern = "a100"),
                   "fir NVIDIA A100/550 {\"n\":8}: 1\n");
    expect_records(db, QUERY(.problem = &n, .problem_count = 1),
                   "fir NVIDIA H200/550 {\"n\":16}: 1\n");
    expect_records(db, QUERY(.kernel = "copy", .problem = &n, .problem_count = 1),
                   "no stored problem of kernel copy has all the requested sizes; a "
                   "stored one is {\"n\":8}");
    ct_db_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_subjects),
        STORE_TEST(test_no_subjects),
        STORE_TEST(test_records),
    };

    main_process = getpid();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
