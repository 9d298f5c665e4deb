// SPDX-License-Identifier: Apache-2.0
// Answers from the nearest evidence, and the public library's manners.
#define _GNU_SOURCE 1 /* nftw */
#include "lookup_world.h"

#include "base/rng.h"

/* --- the device itself --- */

static void test_exact(void **state)
{
    (void)state;
    put((struct what){.device = &h200, .wg = 1, .value = 30});
    put((struct what){.device = &h200, .wg = 2, .value = 10});
    put((struct what){.device = &h200, .wg = 3, .value = 5, .status = "wrong"});
    put((struct what){.device = &h200, .wg = 4, .value = 20});
    put((struct what){.device = &a100, .wg = 1, .value = 7});
    expect(of_device("fir", &h200), "fir NVIDIA H200/550 n=1024 -D WG=2 time=10\n");
    /* Names as another driver would give them. */
    expect(QUERY(.kernel = "fir", .device_name = "h200 "),
           "fir NVIDIA H200/550 n=1024 -D WG=2 time=10\n");
    /* The best, measured again, is slower: the next one leads. */
    put((struct what){.device = &h200, .wg = 2, .value = 40});
    expect(of_device("fir", &h200), "fir NVIDIA H200/550 n=1024 -D WG=4 time=20\n");
    expect(QUERY(.kernel = "fir"), "fir NVIDIA A100/550 n=1024 -D WG=1 time=7\n"
                                   "fir NVIDIA H200/550 n=1024 -D WG=4 time=20\n");
    expect(QUERY(.device_pattern = "a100"),
           "fir NVIDIA A100/550 n=1024 -D WG=1 time=7\n");
    expect(QUERY(.device_pattern = "NVIDIA"),
           "fir NVIDIA A100/550 n=1024 -D WG=1 time=7\n"
           "fir NVIDIA H200/550 n=1024 -D WG=4 time=20\n");
    /* A whole name means that device alone. */
    put((struct what){.device = &a100_sxm, .wg = 5, .value = 6});
    expect(QUERY(.device_pattern = "nvidia a100"),
           "fir NVIDIA A100/550 n=1024 -D WG=1 time=7\n");
    expect(QUERY(.device_pattern = "a100"),
           "fir NVIDIA A100/550 n=1024 -D WG=1 time=7\n"
           "fir NVIDIA A100-SXM4/550 n=1024 -D WG=5 time=6\n");
}

static void test_drivers(void **state)
{
    cltunedb_query query = of_device("fir", &h200_new);

    (void)state;
    put((struct what){.device = &h200, .wg = 1, .value = 5, .measured_unix_s = 1000});
    expect(query,
           "fir NVIDIA H200/550 n=1024 -D WG=1 time=5 [same device, other driver]\n");
    put((struct what){.device = &h200_new, .wg = 2, .value = 9, .measured_unix_s = 2000});
    expect(query, "fir NVIDIA H200/560 n=1024 -D WG=2 time=9\n");
    query.driver_version = "550";
    expect(query, "fir NVIDIA H200/550 n=1024 -D WG=1 time=5\n");
    /* No driver, or one never seen: the one measured last. */
    query.driver_version = NULL;
    expect(query, "fir NVIDIA H200/560 n=1024 -D WG=2 time=9\n");
    query.driver_version = "570";
    expect(query,
           "fir NVIDIA H200/560 n=1024 -D WG=2 time=9 [same device, other driver]\n");
    expect(QUERY(.device_pattern = "h200"),
           "fir NVIDIA H200/560 n=1024 -D WG=2 time=9\n");
    /* A slice of the device is not the device. */
    query.compute_units = 16;
    expect(query, "fir NVIDIA H200/560 n=1024 -D WG=2 time=9 [same architecture]\n");
}

static void test_sources(void **state)
{
    (void)state;
    put((struct what){.device = &h200, .wg = 1, .value = 5, .source = 1});
    put((struct what){.device = &h200, .wg = 1, .value = 5, .source = 1, .n = 2048});
    put((struct what){.device = &a100, .wg = 2, .value = 9, .source = 2});
    expect(QUERY(.kernel = "fir"),
           "fir NVIDIA A100/550 n=1024 -D WG=2 time=9\n"
           "fir NVIDIA H200/550 n=1024 -D WG=1 time=5 [outdated]\n"
           "fir NVIDIA H200/550 n=2048 -D WG=1 time=5 [outdated]\n");
    put((struct what){.device = &h200, .wg = 3, .value = 8, .source = 2});
    expect(QUERY(.device_pattern = "h200"),
           "fir NVIDIA H200/550 n=1024 -D WG=3 time=8\n");
    /* Groups answer from the newest source that one of them has. */
    expect(of_device("fir", &h100),
           "fir NVIDIA H200/550 n=1024 -D WG=3 time=8 [same architecture]\n");
}

static void test_problems(void **state)
{
    cltunedb_value n = {.name = "n", .kind = CLTUNEDB_INT, .i = 10};
    cltunedb_value m = {.name = "m", .kind = CLTUNEDB_INT, .i = 10};
    cltunedb_query query = QUERY(.kernel = "fir", .problem = &n, .problem_count = 1);

    (void)state;
    put((struct what){.device = &h200, .wg = 1, .value = 5, .n = 10});
    put((struct what){.device = &h200, .wg = 2, .value = 5, .n = 9});
    put((struct what){.device = &h200, .wg = 3, .value = 5, .n = 100});
    expect(QUERY(.kernel = "fir"), "fir NVIDIA H200/550 n=9 -D WG=2 time=5\n"
                                   "fir NVIDIA H200/550 n=10 -D WG=1 time=5\n"
                                   "fir NVIDIA H200/550 n=100 -D WG=3 time=5\n");
    expect(query, "fir NVIDIA H200/550 n=10 -D WG=1 time=5\n");
    n.i = 40; /* 4 times 10, but 100 is only 2.5 times that: nearer as ratios go */
    expect(query, "fir NVIDIA H200/550 n=100 -D WG=3 time=5 [distance 0.92]\n");
    n.i = 0;
    expect(query, "fir NVIDIA H200/550 n=9 -D WG=2 time=5 [distance 2.89]\n");
    n.kind = CLTUNEDB_REAL;
    n.r = 9.0;
    expect(query, "fir NVIDIA H200/550 n=9 -D WG=2 time=5\n");
    query.problem = &m;
    expect(query, "no stored problem of kernel fir has all the requested sizes; a stored "
                  "one is {\"n\":100}");
    /* Another device's same problem is farther than this device's nearest. */
    put((struct what){.device = &h100, .wg = 7, .value = 5, .n = 50});
    query = of_device("fir", &h200);
    n = (cltunedb_value){.name = "n", .kind = CLTUNEDB_INT, .i = 50};
    query.problem = &n;
    query.problem_count = 1;
    expect(query, "fir NVIDIA H200/550 n=100 -D WG=3 time=5 [distance 0.69]\n");
    query.driver_version = "1";
    expect(query, "fir NVIDIA H200/550 n=100 -D WG=3 time=5 [same device, other driver] "
                  "[distance 0.69]\n");
}

static void test_objectives(void **state)
{
    struct what gflops = {.device = &h200, .objective = "gflops", .maximize = true};

    (void)state;
    gflops.time_ns = 5;
    for (int wg = 1; wg <= 3; wg++) {
        gflops.wg = wg;
        gflops.value = wg == 2 ? 100 : wg;
        put(gflops);
    }
    expect(QUERY(.kernel = "fir"), "fir NVIDIA H200/550 n=1024 -D WG=2 gflops=100\n");
    expect(QUERY(.kernel = "fir", .objective = "time"),
           "kernel fir was tuned for gflops, not for time");
    put((struct what){.device = &h200, .wg = 5, .value = 3});
    expect(QUERY(.kernel = "fir"), "fir NVIDIA H200/550 n=1024 -D WG=5 time=3\n");
    expect(QUERY(.kernel = "fir", .objective = "gflops"),
           "fir NVIDIA H200/550 n=1024 -D WG=2 gflops=100\n");
    gflops.device = &h100;
    gflops.value = 10;
    put(gflops); /* WG=3 there: 1/1, and 3/100 on the H200 */
    gflops.wg = 2;
    gflops.value = 6;
    put(gflops);
    expect(
        QUERY(.kernel = "fir", .device_name = "GH200", .objective = "gflops"),
        "fir NVIDIA H100/550 n=1024 -D WG=2 gflops=6 [same architecture] [0.800 of 2]\n");
}

/* --- groups --- */

static void test_ladder(void **state)
{
    const struct device gh200 = {"NVIDIA GH200 480GB", "NVIDIA Corporation", "GPU", "1",
                                 132};

    (void)state;
    put((struct what){.device = &h200, .kernel = "arch", .wg = 1, .value = 5});
    put((struct what){.device = &a100, .kernel = "arch", .wg = 2, .value = 5});
    put((struct what){.device = &a100,
                      .kernel = "vendor",
                      .wg = 3,
                      .value = 5,
                      .measured_unix_s = 2000});
    put((struct what){.device = &mi210, .kernel = "vendor", .wg = 4, .value = 5});
    put((struct what){.device = &mi210, .kernel = "type", .wg = 5, .value = 5});
    put((struct what){.device = &xeon, .kernel = "type", .wg = 6, .value = 5});
    put((struct what){.device = &xeon, .kernel = "any", .wg = 7, .value = 5});
    expect(
        of_device(NULL, &gh200),
        "any pthread-skylake-avx512-Intel(R) Xeon(R) Processor/3.1 n=1024 -D WG=7 time=5 "
        "[any device]\n"
        "arch NVIDIA H200/550 n=1024 -D WG=1 time=5 [same architecture]\n"
        "type gfx90a:xnack-/6.0 n=1024 -D WG=5 time=5 [same type]\n"
        "vendor NVIDIA A100/550 n=1024 -D WG=3 time=5 [same vendor and type]\n");
    /* A pattern that matches nothing is taken for a name. */
    expect(QUERY(.kernel = "arch", .device_pattern = "H100"),
           "arch NVIDIA H200/550 n=1024 -D WG=1 time=5 [same architecture]\n");
    expect(QUERY(.kernel = "vendor", .device_pattern = "VideoCore IV"),
           "vendor NVIDIA A100/550 n=1024 -D WG=3 time=5 [same type] [0.500 of 2]\n");
    /* One that matches a device without results of the kernel speaks of its like. */
    expect(QUERY(.kernel = "vendor", .device_pattern = "h200"),
           "vendor NVIDIA A100/550 n=1024 -D WG=3 time=5 [same vendor and type]\n");
    expect(QUERY(.kernel = "type", .device_pattern = "nvidia"),
           "type gfx90a:xnack-/6.0 n=1024 -D WG=5 time=5 [same type]\n");
    expect(QUERY(.kernel = "type", .device_type = "cpu"),
           "type pthread-skylake-avx512-Intel(R) Xeon(R) Processor/3.1 n=1024 -D WG=6 "
           "time=5 "
           "[same type]\n");
}

/* Three ampere cards; the question is about a fourth. */
static const struct device cards[3] = {
    {"GeForce RTX 3090", "NVIDIA Corporation", "GPU", "1", 82},
    {"GeForce RTX 3080", "NVIDIA Corporation", "GPU", "1", 68},
    {"GeForce RTX 3070", "NVIDIA Corporation", "GPU", "1", 46},
};

static void put_card(int card, int wg, double value, const char *status, int64_t n)
{
    put((struct what){.device = &cards[card],
                      .wg = wg,
                      .value = value,
                      .status = status,
                      .n = n,
                      .measured_unix_s = 1000 + card});
}

static void test_mean(void **state)
{
    static const double times[3][4] = {{10, 11, 9, 8}, {40, 22, 20, 0}, {30, 16, 15, 0}};
    const cltunedb_value n = {.name = "n", .kind = CLTUNEDB_INT, .i = 4096};
    const cltunedb_value usual = {.name = "n", .kind = CLTUNEDB_INT, .i = 1024};
    const cltunedb_query query = QUERY(.kernel = "fir", .device_name = "RTX 3060",
                                       .problem = &usual, .problem_count = 1);
    cltunedb_query near = query;
    const struct device old = {"GeForce RTX 3070", "NVIDIA Corporation", "GPU", "0", 46};

    (void)state;
    for (int card = 0; card < 3; card++)
        for (int wg = 0; wg < 4; wg++)
            if (times[card][wg] > 0)
                put_card(card, wg + 1, times[card][wg], "ok", 0);
    /* WG=4 is the fastest, but known on one card only. */
    expect(query, "fir GeForce RTX 3070/1 n=1024 -D WG=3 time=15 [same architecture] "
                  "[0.963 of 3]\n");
    /* The group's nearest problem, not each member's. */
    put_card(1, 9, 50, "ok", 4000);
    near.problem = &n;
    expect(near, "fir GeForce RTX 3080/1 n=4000 -D WG=9 time=50 [same architecture] "
                 "[distance 0.02]\n");
    /* An older driver's results do not count twice. */
    put((struct what){.device = &old, .wg = 1, .value = 1, .measured_unix_s = 10});
    expect(query, "fir GeForce RTX 3070/1 n=1024 -D WG=3 time=15 [same architecture] "
                  "[0.963 of 3]\n");
    /* Wrong once, for whatever problem: not recommended. */
    put_card(1, 3, 1, "wrong", 4096);
    expect(query, "fir GeForce RTX 3070/1 n=1024 -D WG=2 time=16 [same architecture] "
                  "[0.858 of 3]\n");
    put_card(2, 2, 1, "crashed", 4096);
    expect(query, "fir GeForce RTX 3070/1 n=1024 -D WG=1 time=30 [same architecture] "
                  "[0.600 of 3]\n");
    put_card(0, 1, 1, "timeout", 4096); /* too slow there is neither wrong nor a crash */
    expect(query, "fir GeForce RTX 3070/1 n=1024 -D WG=1 time=30 [same architecture] "
                  "[0.600 of 3]\n");
    put_card(0, 1, 1, "wrong", 2);
    expect(query, "fir GeForce RTX 3090/1 n=1024 -D WG=4 time=8 [same architecture] "
                  "[0.333 of 3]\n");
}

static double brute_force(double times[3][6], bool bad[6])
{
    double leading = -1;

    for (int wg = 0; wg < 6; wg++) {
        double sum = 0;

        for (int card = 0; card < 3; card++) {
            double best = INFINITY;

            for (int other = 0; other < 6; other++)
                if (times[card][other] > 0 && times[card][other] < best)
                    best = times[card][other];
            if (times[card][wg] > 0)
                sum += best / times[card][wg];
        }
        if (!bad[wg] && sum / 3 > leading)
            leading = sum / 3;
    }
    return leading;
}

static void test_mean_random(void **state)
{
    struct ct_rng rng;
    int compared = 0;

    (void)state;
    ct_rng_seed(&rng, 4);
    for (int round = 0; round < 60; round++) {
        double times[3][6] = {{0}};
        bool bad[6] = {false};
        char kernel[16];
        char expected[32];
        struct ct_str got;
        double mean;

        snprintf(kernel, sizeof(kernel), "k%d", round);
        for (int card = 0; card < 3; card++) {
            times[card][0] = 100 + card; /* every card has something */
            for (int wg = 0; wg < 6; wg++) {
                uint64_t kind = ct_rng_below(&rng, 6);
                struct what w = {.device = &cards[card], .kernel = kernel, .wg = wg};

                w.status = kind == 0 && wg ? "wrong" : "ok";
                bad[wg] |= kind == 0 && wg;
                if (kind == 1 && wg)
                    continue;
                if (kind != 0 && wg)
                    times[card][wg] = (double)(1 + ct_rng_below(&rng, 50));
                w.value = wg ? times[card][wg] : times[card][0];
                put(w);
            }
        }
        mean = brute_force(times, bad);
        got = ask(QUERY(.kernel = kernel, .device_name = "RTX 3060"));
        snprintf(expected, sizeof(expected), "[%.3f of 3]", mean);
        if (!strstr(got.data, expected))
            fail_msg("%s is not in %s", expected, got.data);
        compared++;
        ct_str_release(&got);
    }
    assert_int_equal(compared, 60);
}

/* --- the public library --- */

static void test_answer(void **state)
{
    cltunedb_query query = QUERY(.kernel = "fir");
    cltunedb_answers *answers;
    const cltunedb_answer *a;
    cltunedb *handle;
    char message[8] = "kept";

    (void)state;
    put((struct what){.device = &h200, .wg = 2, .value = 10, .default_time_ns = 40});
    assert_int_equal(cltunedb_open(path, &handle, message, sizeof(message)), CLTUNEDB_OK);
    assert_int_equal(cltunedb_find(handle, &query, &answers, message, sizeof(message)),
                     CLTUNEDB_OK);
    cltunedb_close(handle);
    assert_string_equal(message, "kept");
    assert_int_equal(cltunedb_answer_count(answers), 1);
    a = cltunedb_answer_at(answers, 0);
    assert_string_equal(a->configuration_json, "{\"WG\":2}");
    assert_int_equal(a->configuration_count, 1);
    assert_string_equal(a->configuration[0].name, "WG");
    assert_true(a->configuration[0].kind == CLTUNEDB_INT && a->configuration[0].i == 2);
    assert_true(a->configuration[0].r == 2 && !*a->configuration[0].s);
    assert_string_equal(a->problem_json, "{\"n\":1024}");
    assert_true(a->time_ns == 10 && a->default_time_ns == 40 && isnan(a->low_ns));
    assert_string_equal(a->device_vendor, "NVIDIA Corporation");
    assert_true(a->compute_units == 132 && a->measured_unix_s == 1000 && !a->maximize);
    assert_int_equal(strlen(a->experiment), 32);
    cltunedb_free(answers);
    cltunedb_free(NULL);
    cltunedb_close(NULL);
    assert_int_equal(cltunedb_answer_count(NULL), 0);
    assert_int_equal(cltunedb_version(), 100);
    for (int level = 0; level < 6; level++)
        assert_true(*cltunedb_evidence_text((cltunedb_evidence)level));
}

static void test_questions(void **state)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES];
    cltunedb_answers *answers;
    cltunedb *handle;
    struct ct_str got;

    (void)state;
    got = ask(QUERY(.kernel = "fir"));
    assert_non_null(strstr(got.data, "has no kernel fir"));
    ct_str_release(&got);
    put((struct what){.device = &h200, .kernel = "transpose", .wg = 2, .value = 10});
    got = ask(QUERY(.kernel = "transpos"));
    assert_non_null(strstr(got.data, "did you mean transpose?"));
    ct_str_release(&got);
    put((struct what){.device = &h200, .kernel = "bad", .wg = 2, .status = "wrong"});
    got = ask(QUERY(.kernel = "bad"));
    assert_non_null(strstr(got.data, "no matching successful result of kernel bad"));
    ct_str_release(&got);
    expect(QUERY(.device_name = "a", .device_pattern = "b"),
           "a query names its device by a pattern or by a description, not by both");
    assert_int_equal(cltunedb_open(path, &handle, NULL, 0), CLTUNEDB_OK);
    query.struct_bytes = 0;
    assert_int_equal(cltunedb_find(handle, &query, &answers, message, sizeof(message)),
                     CLTUNEDB_E_ARGUMENT);
    /* An older program knows of no objective; what is behind its question is not read. */
    query.struct_bytes = offsetof(cltunedb_query, objective);
    query.objective = "nonsense";
    assert_int_equal(cltunedb_find(handle, &query, &answers, message, sizeof(message)),
                     CLTUNEDB_OK);
    cltunedb_free(answers);
    query.struct_bytes = sizeof(query);
    assert_int_equal(cltunedb_find(handle, &query, &answers, message, 5),
                     CLTUNEDB_E_NOT_FOUND);
    assert_int_equal(strlen(message), 4);
    assert_int_equal(cltunedb_find(handle, NULL, &answers, message, sizeof(message)),
                     CLTUNEDB_E_ARGUMENT);
    cltunedb_close(handle);
    assert_int_equal(
        cltunedb_open("/nonexistent/x.db", &handle, message, sizeof(message)),
        CLTUNEDB_E_NOT_FOUND);
    assert_null(handle);
    assert_int_equal(cltunedb_open(folder, &handle, message, sizeof(message)),
                     CLTUNEDB_E_DATABASE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOKUP_TEST(test_exact),      LOOKUP_TEST(test_drivers),
        LOOKUP_TEST(test_sources),    LOOKUP_TEST(test_problems),
        LOOKUP_TEST(test_objectives), LOOKUP_TEST(test_ladder),
        LOOKUP_TEST(test_mean),       LOOKUP_TEST(test_mean_random),
        LOOKUP_TEST(test_answer),     LOOKUP_TEST(test_questions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
