// SPDX-License-Identifier: Apache-2.0
// What goes into the store comes out again.
#define _GNU_SOURCE 1 /* setgroups, unshare */
#include "store_world.h"

/* --- what goes in comes out --- */

static void test_values(void **state)
{
    const struct ct_db_value values[] = {
        {"b", ct_value_real(0.1 + 0.2)},
        {"Z", ct_value_int(-5)},
        {"a\"\\", ct_value_text("x\n\"y\"\xc3\xa9")},
        {"c", ct_value_real(1e20)},
        {"d", ct_value_real(3)},
        {"e", ct_value_int(INT64_MIN)},
    };
    const struct ct_db_value twice[] = {{"a", ct_value_int(1)}, {"a", ct_value_int(1)}};
    const struct ct_db_value nan = {"a", ct_value_real(NAN)};
    struct ct_arena arena = {0};
    struct ct_db_value *back;
    struct ct_str text;
    size_t count;

    (void)state;
    ct_str_init(&text);
    assert_int_equal(ct_db_canonical(&text, values, 6, NULL), CT_OK);
    assert_string_equal(text.data,
                        "{\"Z\":-5,\"a\\\"\\\\\":\"x\\u000a\\\"y\\\"\xc3\xa9\","
                        "\"b\":0.30000000000000004,\"c\":1e+20,\"d\":3.0,"
                        "\"e\":-9223372036854775808}");
    assert_int_equal(ct_db_parse(&arena, text.data, &back, &count, NULL), CT_OK);
    assert_int_equal(count, 6);
    assert_string_equal(back[1].name, "a\"\\");
    assert_string_equal(back[1].value.u.s, "x\n\"y\"\xc3\xa9");
    assert_true(back[2].value.kind == CT_REAL && back[2].value.u.r == 0.1 + 0.2);
    assert_true(back[4].value.kind == CT_REAL && back[4].value.u.r == 3);
    assert_true(back[5].value.kind == CT_INT && back[5].value.u.i == INT64_MIN);
    ct_str_reset(&text);
    assert_int_equal(ct_db_canonical(&text, NULL, 0, NULL), CT_OK);
    assert_string_equal(text.data, "{}");
    assert_int_equal(ct_db_canonical(&text, twice, 2, NULL), CT_E_INTERNAL);
    assert_int_equal(ct_db_canonical(&text, &nan, 1, NULL), CT_E_INTERNAL);
    assert_int_equal(ct_db_parse(&arena, "[1]", &back, &count, NULL), CT_E_DB);
    assert_int_equal(ct_db_parse(&arena, "{\"a\":[1]}", &back, &count, NULL), CT_E_DB);
    assert_int_equal(ct_db_parse(&arena, "{\"a\":1", &back, &count, NULL), CT_E_DB);
    ct_str_release(&text);
    ct_arena_release(&arena);
}

static void test_subjects(void **state)
{
    struct ct_devinfo other = device_info("NVIDIA H200", "560.2");
    struct ct_devinfo same = device_info("NVIDIA H200", "550.1");
    struct ct_db_kernel kernel = {.name = "fir",
                                  .source_hash = ct_hash_bytes("source", 6),
                                  .space_path = "fir.ini",
                                  .parameters = "{\"WG\":[1,2,4]}",
                                  .constraints = "[]"};
    struct ct_db_value sizes[] = {{"m", ct_value_int(2)}, {"n", ct_value_int(1024)}};
    struct ct_db_value swapped[] = {{"n", ct_value_int(1024)}, {"m", ct_value_int(2)}};
    struct world w;
    int64_t id;
    int64_t id2;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(ct_db_device_put(w.db, &same, &id, NULL), CT_OK);
    assert_int_equal(id, w.device);
    assert_int_equal(ct_db_device_put(w.db, &other, &id, NULL), CT_OK);
    assert_int_not_equal(id, w.device);
    same.props[CT_DEVICE_MAX_COMPUTE_UNITS] = ct_value_int(16);
    assert_int_equal(ct_db_device_put(w.db, &same, &id2, NULL), CT_OK);
    assert_true(id2 != id && id2 != w.device);
    assert_int_equal(number(w.db, "SELECT name_key = 'h200' AND vendor_key = 'nvidia' AND"
                                  " architecture_key = 'hopper' AND limits ->>"
                                  " 'DEVICE_MAX_COMPUTE_UNITS' = 132 FROM device"),
                     1);
    /* A grown space is the same kernel; another source is not, and coming back to the old
     * source makes that the newest again. */
    assert_int_equal(ct_db_kernel_put(w.db, &kernel, &id, NULL), CT_OK);
    assert_int_equal(id, w.kernel);
    assert_int_equal(number(w.db, "SELECT parameters = '{\"WG\":[1,2,4]}' FROM kernel"),
                     1);
    kernel.source_hash = ct_hash_bytes("changed", 7);
    assert_int_equal(ct_db_kernel_put(w.db, &kernel, &id2, NULL), CT_OK);
    assert_int_not_equal(id2, id);
    assert_int_equal(number(w.db, "SELECT id FROM kernel ORDER BY used_unix_s DESC"),
                     id2);
    kernel.source_hash = ct_hash_bytes("source", 6);
    assert_int_equal(ct_db_kernel_put(w.db, &kernel, &id2, NULL), CT_OK);
    assert_int_equal(id2, id);
    assert_int_equal(number(w.db, "SELECT id FROM kernel ORDER BY used_unix_s DESC"), id);
    assert_int_equal(number(w.db, "SELECT count(DISTINCT used_unix_s) FROM kernel"), 2);
    assert_int_equal(ct_db_problem_put(w.db, sizes, 2, &id, NULL), CT_OK);
    assert_int_equal(ct_db_problem_put(w.db, swapped, 2, &id2, NULL), CT_OK);
    assert_int_equal(id, id2);
    assert_int_not_equal(id, w.problem);
    ct_db_close(w.db);
}

static void test_mistakes(void **state)
{
    struct ct_db_result r = ct_db_result_init;
    struct ct_db_run run = {.id = 99, .status = "done"};
    struct ct_err err = CT_ERR_INIT;
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    r.run_id = w.run.id;
    r.experiment = experiment(1);
    r.status = "fine";
    r.configuration = "{}";
    assert_int_equal(ct_db_result_put(w.db, &r, &err), CT_E_INTERNAL);
    r.status = "ok";
    r.configuration = "{";
    assert_int_equal(ct_db_result_put(w.db, &r, &err), CT_E_INTERNAL);
    r.configuration = "[]";
    assert_int_equal(ct_db_result_put(w.db, &r, &err), CT_E_INTERNAL);
    r.configuration = "{}";
    r.observed = "{";
    assert_int_equal(ct_db_result_put(w.db, &r, &err), CT_E_INTERNAL);
    r.observed = "";
    r.run_id = 99;
    assert_int_equal(ct_db_result_put(w.db, &r, &err), CT_E_INTERNAL);
    assert_int_equal(ct_db_run_end(w.db, &run, &err), CT_E_INTERNAL);
    w.run.status = "odd";
    assert_int_equal(ct_db_run_end(w.db, &w.run, &err), CT_E_INTERNAL);
    w.run.device_id = 99;
    assert_int_equal(ct_db_run_begin(w.db, &w.run, &err), CT_E_INTERNAL);
    assert_int_equal(number(w.db, "SELECT count(*) FROM result"), 0);
    ct_db_close(w.db);
}

static void test_groups(void **state)
{
    struct ct_db_result bad = ct_db_result_init;
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    bad.run_id = w.run.id;
    bad.experiment = experiment(7);
    bad.status = "no such status";
    bad.configuration = "{}";
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    assert_int_equal(ct_db_begin(w.db, NULL), CT_E_INTERNAL);
    assert_int_equal(put_time(&w, 1, 5, NULL), CT_OK);
    assert_int_equal(ct_db_result_put(w.db, &bad, NULL), CT_E_INTERNAL);
    /* It had taken the stored one out of the competition before it failed. */
    bad.experiment = experiment(1);
    assert_int_equal(ct_db_result_put(w.db, &bad, NULL), CT_E_INTERNAL);
    assert_int_equal(number(w.db, "SELECT count(*) FROM score"), 1);
    assert_int_equal(put_time(&w, 2, 4, NULL), CT_OK);
    assert_int_equal(ct_db_commit(w.db, NULL), CT_OK);
    assert_int_equal(ct_db_commit(w.db, NULL), CT_E_INTERNAL);
    assert_int_equal(number(w.db, "SELECT count(*) FROM result"), 2);
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    assert_int_equal(put_time(&w, 3, 3, NULL), CT_OK);
    ct_db_rollback(w.db);
    assert_int_equal(number(w.db, "SELECT count(*) FROM result"), 2);
    assert_int_equal(number(w.db, "SELECT value FROM best"), 4);
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    assert_int_equal(put_time(&w, 3, 3, NULL), CT_OK);
    ct_db_close(w.db);
    w.db = opened(in_folder("a.db"));
    assert_int_equal(number(w.db, "SELECT count(*) FROM result"), 2);
    ct_db_close(w.db);
}

/* What a group found is not known any more once it was undone. */
static void test_lost_group(void **state)
{
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    assert_int_equal(ct_db_run_begin(w.db, &w.run, NULL), CT_OK);
    assert_int_equal(put_time(&w, 1, 5, NULL), CT_OK);
    /* As SQLite does when the disk is full. */
    assert_int_equal(sqlite3_exec(w.db->sql, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(ct_db_commit(w.db, NULL), CT_E_DB);
    assert_int_equal(w.db->subject.run_id, 0);
    ct_db_close(w.db);
}

static void test_runs(void **state)
{
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(number(w.db, "SELECT status = 'running' AND ended_unix_s IS NULL"
                                  " AND started_unix_s > 0 FROM run"),
                     1);
    w.run.status = "running";
    w.run.default_time_ns = 12.5;
    w.run.default_value = NAN;
    w.run.evaluated_count = -1;
    assert_int_equal(ct_db_run_end(w.db, &w.run, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT status = 'running' AND default_time_ns = 12.5"
                                  " AND default_value IS NULL AND ended_unix_s IS NULL"
                                  " AND evaluated_count IS NULL FROM run"),
                     1);
    w.run.status = "interrupted";
    w.run.evaluated_count = 3;
    assert_int_equal(ct_db_run_end(w.db, &w.run, NULL), CT_OK);
    assert_int_equal(
        number(w.db, "SELECT resolution IS NULL AND playoff_resolution IS NULL AND"
                     " samples IS NULL AND noise_processes IS NULL AND noise_within IS"
                     " NULL AND noise_between IS NULL AND drift IS NULL AND"
                     " race_saved_ns IS NULL AND baseline_all_time_ns IS NULL AND"
                     " baseline_all_processors IS NULL AND observed = '' FROM run"),
        1);
    w.run.noise.resolution = 0.01;
    w.run.noise.playoff_resolution = 0.02;
    w.run.noise.samples = 3;
    w.run.noise.processes = 4;
    w.run.noise.within = 0.05;
    w.run.noise.between = 0.06;
    w.run.noise.drift = -0.07;
    w.run.race_saved_ns = 8;
    w.run.baseline_all_time_ns = 9;
    w.run.baseline_all_processors = 10;
    w.run.observed = "{\"throttled\":0}";
    assert_int_equal(ct_db_run_end(w.db, &w.run, NULL), CT_OK);
    assert_int_equal(
        number(w.db, "SELECT resolution = 0.01 AND playoff_resolution = 0.02 AND"
                     " samples = 3 AND noise_processes = 4 AND noise_within = 0.05 AND"
                     " noise_between = 0.06 AND drift = -0.07 AND race_saved_ns = 8 AND"
                     " baseline_all_time_ns = 9 AND baseline_all_processors = 10 AND"
                     " observed = '{\"throttled\":0}' FROM run"),
        1);
    assert_int_equal(number(w.db, "SELECT status = 'interrupted' AND evaluated_count = 3"
                                  " AND ended_unix_s >= started_unix_s FROM run"),
                     1);
    ct_db_close(w.db);
}

static int batch_body(void)
{
    struct ct_hash hashes[3] = {experiment(1), experiment(2), experiment(3)};
    struct world w;

    populate(&w, opened(in_folder("a.db")));
    if (ct_db_batch_begin(w.db, w.run.id, hashes, 3, NULL) != CT_OK)
        return 1;
    if (put_time(&w, 2, 5, NULL) != CT_OK)
        return 2;
    raise(SIGKILL);
    return 3;
}

static size_t orphans(struct world *w, struct ct_arena *arena, struct ct_db_orphan **list)
{
    size_t count = 99;

    assert_int_equal(ct_db_orphans(w->db, w->device, arena, list, &count, NULL), CT_OK);
    return count;
}

static void test_in_flight(void **state)
{
    struct ct_hash mine[2] = {experiment(10), experiment(11)};
    struct ct_hash hash;
    struct ct_db_owner other;
    struct ct_db_run killed;
    char late[160];
    struct ct_arena arena = {0};
    struct ct_db_orphan *list;
    struct world w;

    (void)state;
    assert_int_equal(in_child(batch_body), 99);
    populate(&w, opened(in_folder("a.db")));
    assert_int_equal(orphans(&w, &arena, &list), 2);
    assert_true(list[0].run_id == 1 && list[0].since_unix_s > 0);
    /* Mine are no orphans while I live. */
    assert_int_equal(ct_db_batch_begin(w.db, w.run.id, mine, 2, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT count(*) FROM inflight"), 4);
    assert_int_equal(number(w.db, "PRAGMA synchronous"), 1);
    assert_int_equal(orphans(&w, &arena, &list), 2);
    assert_int_equal(put_time(&w, 1, 5, NULL), CT_OK);
    assert_int_equal(orphans(&w, &arena, &list), 1);
    assert_string_equal(list[0].experiment.text, experiment(3).text);
    assert_int_equal(ct_db_batch_begin(w.db, w.run.id, mine, 1, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT count(*) FROM inflight"), 2);
    hash = experiment(3);
    assert_int_equal(ct_db_orphan_end(w.db, w.device, &hash, NULL), CT_OK);
    assert_int_equal(orphans(&w, &arena, &list), 0);
    assert_int_equal(number(w.db, "SELECT count(*) FROM inflight"), 1);
    assert_int_equal(in_child(batch_body), 99);
    assert_int_equal(orphans(&w, &arena, &list), 2);
    /* The child's run is the third of the file. */
    killed = w.run;
    killed.id = 3;
    killed.status = "interrupted";
    assert_int_equal(ct_db_run_end(w.db, &killed, NULL), CT_OK);
    assert_int_equal(orphans(&w, &arena, &list), 0);
    assert_int_equal(ct_db_run_end(w.db, &w.run, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT count(*) FROM inflight"), 0);
    assert_int_equal(ct_db_batch_begin(w.db, 99, mine, 1, NULL), CT_E_INTERNAL);
    assert_int_equal(ct_db_begin(w.db, NULL), CT_OK);
    assert_int_equal(ct_db_batch_begin(w.db, w.run.id, mine, 1, NULL), CT_E_INTERNAL);
    ct_db_close(w.db);
    ct_arena_release(&arena);
    assert_true(ct_db_owner_alive(ct_db_owner_self().text));
    /* The number of a process that is gone may be another's by now. */
    other = ct_db_owner_self();
    *strchr(other.text, ' ') = '\0';
    snprintf(late, sizeof(late), "%s 7%s", other.text,
             strchr(other.text + strlen(other.text) + 1, ' '));
    assert_false(ct_db_owner_alive(late));
    assert_false(ct_db_owner_alive(""));
    assert_false(ct_db_owner_alive("1 1 another-boot"));
}

static void test_baselines_and_ceilings(void **state)
{
    struct ct_db_baseline b = {.host_cpu = "xeon",
                               .function = "volk",
                               .time_ns = 9,
                               .low_ns = 8,
                               .high_ns = NAN};
    struct ct_db_ceiling c = {
        .name = "launch", .unit = "ns", .value = 5, .low = 4, .high = NAN};
    struct ct_db_ceiling *list;
    struct ct_arena arena = {0};
    struct world w;
    size_t count;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    b.kernel_id = w.kernel;
    b.problem_id = w.problem;
    assert_int_equal(ct_db_baseline_put(w.db, &b, NULL), CT_OK);
    b.time_ns = 7;
    assert_int_equal(ct_db_baseline_put(w.db, &b, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT count(*) FROM baseline"), 1);
    assert_int_equal(number(w.db, "SELECT kernel_id = 1 AND problem_id = 1 AND"
                                  " function = 'volk' AND time_ns = 7 AND"
                                  " high_ns IS NULL AND measured_unix_s > 0 AND"
                                  " processors IS NULL AND all_time_ns IS NULL"
                                  " FROM baseline"),
                     1);
    b.processors = 2;
    b.all_time_ns = 4;
    b.all_low_ns = 3;
    b.all_high_ns = 5;
    assert_int_equal(ct_db_baseline_put(w.db, &b, NULL), CT_OK);
    assert_int_equal(number(w.db, "SELECT processors = 2 AND all_time_ns = 4 AND"
                                  " all_low_ns = 3 AND all_high_ns = 5 AND time_ns = 7"
                                  " FROM baseline"),
                     1);
    c.device_id = w.device;
    assert_int_equal(ct_db_ceiling_put(w.db, &c, NULL), CT_OK);
    c.value = 6;
    assert_int_equal(ct_db_ceiling_put(w.db, &c, NULL), CT_OK);
    c.name = "copy";
    assert_int_equal(ct_db_ceiling_put(w.db, &c, NULL), CT_OK);
    assert_int_equal(ct_db_ceilings(w.db, w.device, &arena, &list, &count, NULL), CT_OK);
    assert_int_equal(count, 2);
    assert_string_equal(list[0].name, "copy");
    assert_true(list[1].value == 6 && list[1].low == 4 && isnan(list[1].high));
    assert_int_equal(ct_db_ceilings(w.db, 99, &arena, &list, &count, NULL), CT_OK);
    assert_int_equal(count, 0);
    ct_arena_release(&arena);
    ct_db_close(w.db);
}

static enum ct_status note(void *user, const struct ct_db_known *known,
                           struct ct_err *err)
{
    unsigned *seen = user;

    assert_string_equal(known->experiment.text, experiment(*seen).text);
    assert_string_equal(known->status, "ok");
    assert_string_equal(known->objective, "time");
    assert_non_null(strstr(known->configuration, "WG"));
    assert_true(known->objective_value == 100 - *seen);
    assert_true(known->build_ns == *seen && known->first_ns == *seen + 1);
    assert_true(known->check_ns == *seen + 2 && known->measure_ns == *seen + 3);
    assert_string_equal(known->metrics, *seen % 2 ? "{\"a\":1.0}" : "");
    assert_int_equal(known->verified, *seen % 2);
    ++*seen;
    return *seen == 20 ? ct_err_set(err, CT_E_INTERRUPTED, "enough") : CT_OK;
}

static enum ct_status put_known(struct world *w, unsigned n)
{
    struct ct_db_result r = ct_db_result_init;

    r.run_id = w->run.id;
    r.experiment = experiment(n);
    r.status = "ok";
    r.configuration = "{\"WG\":1}";
    r.objective_value = r.time_ns = 100 - n;
    r.spent.build_ns = n;
    r.spent.first_ns = n + 1;
    r.spent.check_ns = n + 2;
    r.spent.measure_ns = n + 3;
    r.verified = n % 2;
    r.metrics = n % 2 ? "{\"a\":1.0}" : "";
    return ct_db_result_put(w->db, &r, NULL);
}

static void test_known(void **state)
{
    struct ct_err err = CT_ERR_INIT;
    unsigned seen = 0;
    struct world w;

    (void)state;
    populate(&w, opened(in_folder("a.db")));
    for (unsigned i = 0; i < 15; i++)
        assert_int_equal(put_known(&w, i), CT_OK);
    assert_int_equal(
        ct_db_results_each(w.db, w.device, w.kernel, w.problem, note, &seen, NULL),
        CT_OK);
    assert_int_equal(seen, 15);
    for (unsigned i = 15; i < 30; i++)
        assert_int_equal(put_known(&w, i), CT_OK);
    seen = 0;
    assert_int_equal(
        ct_db_results_each(w.db, w.device, w.kernel, w.problem, note, &seen, &err),
        CT_E_INTERRUPTED);
    assert_string_equal(err.message, "enough");
    assert_int_equal(seen, 20);
    ct_db_close(w.db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_values),     STORE_TEST(test_subjects),
        STORE_TEST(test_mistakes),   STORE_TEST(test_groups),
        STORE_TEST(test_runs),       STORE_TEST(test_in_flight),
        STORE_TEST(test_known),      STORE_TEST(test_baselines_and_ceilings),
        STORE_TEST(test_lost_group),
    };

    main_process = getpid();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
