// SPDX-License-Identifier: Apache-2.0
// Who won a play-off: what is answered.
#define _GNU_SOURCE 1 /* nftw */
#include "store_playoff.h"

#include "db/cltunedb.h"

/* As populate, on another device of the same architecture. */
static struct world beside(const struct world *w)
{
    struct ct_devinfo info = device_info("NVIDIA H100", "550.1");
    struct world other = *w;

    assert_int_equal(ct_db_device_put(w->db, &info, &other.device, NULL), CT_OK);
    other.run.device_id = other.device;
    assert_int_equal(ct_db_run_begin(w->db, &other.run, NULL), CT_OK);
    return other;
}

static const cltunedb_answer *answer_of(cltunedb_query query, cltunedb_answers **answers)
{
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb *handle;

    assert_int_equal(cltunedb_open(in_folder("a.db"), &handle, message, sizeof(message)),
                     CLTUNEDB_OK);
    if (cltunedb_find(handle, &query, answers, message, sizeof(message)) != CLTUNEDB_OK)
        fail_msg("%s", message);
    cltunedb_close(handle);
    return cltunedb_answer_at(*answers, 0);
}

static void test_answers(void **state)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    cltunedb_answers *answers;
    const cltunedb_answer *a;
    struct ct_db_ranked ranked_all[2];
    struct ct_db_result r;
    struct world other;
    struct world w;

    (void)state;
    play(&w);
    query.kernel = "fir";
    a = answer_of(query, &answers);
    assert_string_equal(a->experiment, experiment(3).text);
    assert_true(a->rounds == 3 && a->standing == 0 && a->tied_count == 1);
    assert_true(a->time_ns == 11.5 && a->low_ns == 10.5 && !a->verified);
    assert_true(isnan(a->end_to_end_ns) && !*a->observed_json);
    cltunedb_free(answers);
    /* A device like it: the pick, not one that was luckier before or is tied. */
    assert_int_equal(put_time(&w, 5, 10.5, NULL), CT_OK);
    query.device_name = "NVIDIA H100";
    a = answer_of(query, &answers);
    assert_string_equal(a->experiment, experiment(3).text);
    assert_true(a->evidence == CLTUNEDB_SAME_ARCHITECTURE && a->standing == 0);
    assert_true(a->relative_performance == 1);
    cltunedb_free(answers);
    /* Two devices with picks of their own agree on what is tied on both. */
    other = beside(&w);
    for (unsigned n = 11; n <= 12; n++) {
        r = result_of(&other, n, n);
        r.configuration = n == 11 ? "{\"WG\":1}" : "{\"WG\":77}";
        assert_int_equal(ct_db_result_put(w.db, &r, NULL), CT_OK);
    }
    ranked_all[0] = ranked(12, 12, false);
    ranked_all[1] = ranked(11, 12, true);
    assert_int_equal(ct_db_rankings_put(w.db, other.run.id, ranked_all, 2, NULL), CT_OK);
    query.device_name = "NVIDIA GH200 480GB";
    a = answer_of(query, &answers);
    assert_string_equal(a->configuration_json, "{\"WG\":1}");
    assert_true(a->standing == 1 && a->tied_count == 0 && a->rounds == 3);
    cltunedb_free(answers);
    query.device_name = "NVIDIA H200";
    r = result_of(&w, 6, 1);
    r.verified = true;
    r.end_to_end.time_ns = 4;
    r.observed = "{\"host_load\":0.5}";
    assert_int_equal(ct_db_result_put(w.db, &r, NULL), CT_OK);
    a = answer_of(query, &answers);
    assert_true(!a->rounds && a->standing == -1 && !a->tied_count && a->verified);
    assert_true(a->end_to_end_ns == 4);
    assert_string_equal(a->observed_json, "{\"host_load\":0.5}");
    cltunedb_free(answers);
    ct_db_close(w.db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_answers),
    };

    main_process = getpid();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
