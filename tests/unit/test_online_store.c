// SPDX-License-Identifier: Apache-2.0
// Online tuning by its public interface: what is stored, and what is used again.
#define _GNU_SOURCE
#include "online_world.h"

#include "spacefile/trusted.h"

static const char best_flags[] = "-D WG=128 -D V=4";

static void test_tunes_and_stores(void **state)
{
    struct program p = a_program();
    char flags[256];

    (void)state;
    run_program(&p, 400);
    assert_int_equal(p.config->phase, CLTUNEDB_TUNE_SETTLED);
    assert_string_equal(p.config->flags, best_flags);
    assert_string_equal(p.config->program_flags[0], best_flags);
    assert_true(p.tried > 20);
    /* The end is stored when it is reached: the program may never say that it is done. */
    best_of("Card", flags, sizeof(flags));
    assert_string_equal(flags, best_flags);
    assert_int_equal(number_in(user_db, "SELECT count(*) FROM run WHERE status = 'done'"),
                     1);
    finish(&p);
    assert_int_equal(p.done, CLTUNEDB_OK);
    assert_int_equal(number_in(user_db, "SELECT count(*) FROM inflight"), 0);
    assert_int_equal(number_in(user_db, "SELECT count(*) FROM run"), 1);
}

static void test_begins_where_it_ended(void **state)
{
    struct program first = a_program();
    struct program second = a_program();
    int64_t results;

    (void)state;
    run_to_end(&first, 400);
    results = number_in(user_db, "SELECT count(*) FROM result");
    run_to_end(&second, 400);
    assert_int_equal(second.tried, 0);
    assert_int_equal(second.seen[128][4], 400);
    assert_int_equal(number_in(user_db, "SELECT count(*) FROM result"), results);
    assert_int_equal(number_in(user_db, "SELECT count(*) FROM run"), 1);
}

/* QUDA #1558: with tuning off, defaults were written over the cache. */
static void test_off_writes_nothing(void **state)
{
    struct program tuned = a_program();
    struct program off = a_program();
    struct program other = a_program();
    size_t lengths[2];
    char *bytes[2];

    (void)state;
    off.budget = other.budget = 0;
    run_to_end(&off, 10);
    assert_int_equal(access(user_db, F_OK), -1);
    run_to_end(&tuned, 400);
    bytes[0] = bytes_of(user_db, &lengths[0]);
    off = a_program();
    off.budget = 0;
    run_to_end(&off, 100);
    assert_int_equal(off.seen[128][4], 100);
    /* What fails without tuning is not stored either. */
    other.device = "Other Card";
    other.broken_wg = 128;
    other.failure = CLTUNEDB_TUNE_BUILD_FAILED;
    run_program(&other, 3);
    assert_int_not_equal(value_of(other.config, "WG"), 128);
    finish(&other);
    assert_int_equal(other.done, CLTUNEDB_OK);
    bytes[1] = bytes_of(user_db, &lengths[1]);
    assert_int_equal(lengths[0], lengths[1]);
    assert_memory_equal(bytes[0], bytes[1], lengths[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* QUDA #87: sizes of another architecture are used where they are illegal.  launch() asserts
 * that no work-group is too large. */
static void test_sizes_of_another_device(void **state)
{
    struct program large = a_program();
    struct program small = a_program();
    struct program off = a_program();

    (void)state;
    run_to_end(&large, 400);
    small.device = off.device = "Small Card";
    small.most_items = off.most_items = 64;
    off.budget = 0;
    run_to_end(&off, 20);
    run_program(&small, 400);
    assert_string_equal(small.config->flags, "-D WG=64 -D V=4");
    assert_int_equal(small.seen[128][4], 0);
    finish(&small);
    assert_int_equal(small.done, CLTUNEDB_OK);
}

/* Runs a program in a child that dies after some reports, while another configuration runs. */
static void die(struct program *p, unsigned reports)
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (!child) {
        run_program(p, reports);
        do
            ask(p);
        while (p->config->phase == CLTUNEDB_TUNE_TRYING &&
               p->seen[value_of(p->config, "WG")][value_of(p->config, "V")] &&
               (launch(p), 1));
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

/* QUDA #969: a run that dies loses everything; and what it died of is tried again. */
static void test_death(void **state)
{
    struct program first = a_program();
    struct program second = a_program();
    int64_t before;
    char sql[300];

    (void)state;
    die(&first, 60);
    before = number_in(user_db, "SELECT count(*) FROM result");
    assert_true(before >= 14);
    assert_int_equal(number_in(user_db, "SELECT count(*) FROM inflight"), 1);
    run_to_end(&second, 400);
    assert_int_equal(second.done, CLTUNEDB_OK);
    assert_int_equal(number_in(user_db, "SELECT count(*) FROM inflight"), 0);
    assert_int_equal(
        number_in(user_db, "SELECT count(*) FROM result WHERE status = 'crashed'"), 1);
    snprintf(sql, sizeof(sql),
             "SELECT json_extract(configuration, '$.WG') * 10 + "
             "json_extract(configuration, '$.V') FROM result WHERE status = 'crashed'");
    before = number_in(user_db, sql);
    assert_int_equal(second.seen[before / 10][before % 10], 0);
    /* What was measured before the death was not measured again. */
    assert_true(second.tried < 60);
}

static void test_an_end_is_no_death(void **state)
{
    struct program first = a_program();
    struct program second = a_program();

    (void)state;
    run_program(&first, 20);
    do
        launch(&first);
    while (first.config->measure &&
           number_in(user_db, "SELECT count(*) FROM inflight") == 0);
    finish(&first);
    assert_int_equal(number_in(user_db, "SELECT count(*) FROM inflight"), 0);
    run_to_end(&second, 400);
    assert_int_equal(
        number_in(user_db, "SELECT count(*) FROM result WHERE status <> 'ok'"), 0);
}

static void test_a_slower_best_is_tuned_again(void **state)
{
    struct program fast = a_program();
    struct program slow = a_program();
    struct program later = a_program();

    (void)state;
    run_to_end(&fast, 400);
    slow.factor = 1.5;
    run_program(&slow, 4000);
    assert_true(slow.tried > 10);
    assert_string_equal(slow.config->flags, best_flags);
    finish(&slow);
    assert_int_equal(number_in(user_db, "SELECT CAST(value AS INTEGER) FROM best"), 1500);
    later.factor = 1.5;
    run_to_end(&later, 4000);
    assert_int_equal(later.tried, 0);
    /* 9% more are no reason. */
    later = a_program();
    later.factor = 1.5 * 1.09;
    run_to_end(&later, 4000);
    assert_int_equal(later.tried, 0);
}

/* Launches of a best that are measured before it has been compared for the first time. */
static unsigned watched(struct program *p)
{
    unsigned count = 0;

    while (ask(p), p->config->phase != CLTUNEDB_TUNE_SETTLED)
        launch(p);
    while (launch(p), p->config->measure)
        count++;
    return count;
}

/* Each time a best is found to be slower it takes twice as many times to say so. */
static void test_the_watch_becomes_more_patient(void **state)
{
    struct program p = a_program();
    unsigned counts[3];

    (void)state;
    run_program(&p, 1);
    for (size_t i = 0; i < 3; i++) {
        counts[i] = watched(&p);
        p.factor *= 2;
        for (unsigned k = 0; k < 20000 && p.config->phase == CLTUNEDB_TUNE_SETTLED; k++)
            launch(&p);
        assert_int_not_equal(p.config->phase, CLTUNEDB_TUNE_SETTLED);
    }
    finish(&p);
    assert_int_equal(p.done, CLTUNEDB_OK);
    /* The first one warms up. */
    assert_int_equal(counts[1] - 1, 2 * (counts[0] - 1));
    assert_int_equal(counts[2] - 1, 4 * (counts[0] - 1));
}

static void test_wrong_ones_are_not_used_again(void **state)
{
    struct program first = a_program();
    struct program second = a_program();

    (void)state;
    first.broken_wg = 128;
    first.failure = CLTUNEDB_TUNE_WRONG;
    run_program(&first, 400);
    assert_int_not_equal(value_of(first.config, "WG"), 128);
    finish(&first);
    assert_true(number_in(user_db, "SELECT count(*) FROM result WHERE status = 'wrong'") >
                0);
    /* Nor on another device, where those that ran here may run. */
    second.device = "Other Card";
    run_to_end(&second, 400);
    for (int v = 1; v <= 8; v *= 2)
        assert_true(!first.seen[128][v] || !second.seen[128][v]);
    assert_true(second.tried > 0);
}

static void test_layers(void **state)
{
    struct program vendor = a_program();
    struct program user = a_program();
    struct program other = a_program();
    size_t lengths[2];
    char *bytes[2];

    (void)state;
    vendor.database = system_db;
    run_to_end(&vendor, 400);
    assert_int_equal(access(user_db, F_OK), -1);
    bytes[0] = bytes_of(system_db, &lengths[0]);
    run_to_end(&user, 100);
    assert_int_equal(user.tried, 0);
    assert_int_equal(user.seen[128][4], 100);
    /* Another driver: it tries first what was best with the old one. */
    other.driver = "2.0";
    run_program(&other, 1);
    assert_string_equal(other.config->flags, best_flags);
    assert_int_equal(other.config->phase, CLTUNEDB_TUNE_TRYING);
    for (int i = 0; i < 400; i++)
        launch(&other);
    finish(&other);
    assert_int_equal(other.done, CLTUNEDB_OK);
    assert_true(number_in(user_db, "SELECT count(*) FROM result") > 0);
    bytes[1] = bytes_of(system_db, &lengths[1]);
    assert_int_equal(lengths[0], lengths[1]);
    assert_memory_equal(bytes[0], bytes[1], lengths[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void test_a_layer_confirms_and_slows(void **state)
{
    struct program vendor = a_program();
    struct program user = a_program();
    char flags[256];

    (void)state;
    vendor.database = system_db;
    run_to_end(&vendor, 400);
    /* The user's card is slower than the vendor's: tuned again, into the user's layer. */
    user.factor = 2;
    run_to_end(&user, 4000);
    assert_int_equal(user.done, CLTUNEDB_OK);
    assert_int_equal(number_in(user_db, "SELECT CAST(value AS INTEGER) FROM best"), 2000);
    best_of("Card", flags, sizeof(flags));
    assert_string_equal(flags, best_flags);
}

static void test_another_version_is_tuned(void **state)
{
    struct program first = a_program();
    struct program second = a_program();
    char path[96];

    (void)state;
    run_to_end(&first, 400);
    snprintf(path, sizeof(path), "%s/k.cl", folder);
    write_text(path, "__kernel void k(__global float *out) { out[0] = V + WG; }\n");
    run_to_end(&second, 400);
    assert_true(second.tried > 10);
    assert_int_equal(number_in(user_db, "SELECT count(*) FROM kernel"), 2);
}

static void test_a_damaged_database(void **state)
{
    struct program p = a_program();
    size_t length;
    char *bytes;

    (void)state;
    write_text(user_db, "nonsense");
    run_program(&p, 400);
    assert_string_equal(p.config->flags, best_flags);
    assert_non_null(strstr(cltunedb_tune_fault(p.tune), "is not a cltune database"));
    finish(&p);
    assert_int_equal(p.done, CLTUNEDB_E_DATABASE);
    assert_non_null(strstr(p.message, user_db));
    bytes = bytes_of(user_db, &length);
    assert_int_equal(length, 8);
    free(bytes);
}

/* A request that is refused, with this in its message. */
static void refused(const cltunedb_tune_request *request, cltunedb_status expected,
                    const char *part)
{
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb_tune *tune = (cltunedb_tune *)(uintptr_t)1;

    assert_int_equal(cltunedb_tune_begin(request, &tune, message, sizeof(message)),
                     expected);
    if (!strstr(message, part))
        fail_msg("'%s' does not have '%s'", message, part);
    assert_null(tune);
}

static void test_bad_requests(void **state)
{
    const cltunedb_value name = {"DEVICE_NAME", CLTUNEDB_TEXT, 0, 0, "Card"};
    const cltunedb_value tiny[] = {
        name, {"DEVICE_MAX_WORK_GROUP_SIZE", CLTUNEDB_INT, 8, 8, ""}};
    const cltunedb_value sizes[] = {{"m", CLTUNEDB_INT, 5, 5, ""},
                                    {"n", CLTUNEDB_TEXT, 0, 0, "5"}};
    cltunedb_tune_request request = CLTUNEDB_TUNE_REQUEST_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    const cltunedb_tune_config *config;
    cltunedb_tune *tune;

    (void)state;
    refused(NULL, CLTUNEDB_E_ARGUMENT, "NULL");
    refused(&request, CLTUNEDB_E_ARGUMENT, "neither a space file nor a kernel");
    request.kernel = "k";
    request.device = &name;
    request.device_count = 1;
    refused(&request, CLTUNEDB_E_NOT_FOUND, "no database at");
    request.space_file = "/nonexistent/k.ini";
    refused(&request, CLTUNEDB_E_ARGUMENT, "/nonexistent/k.ini");
    request.space_file = space_file;
    request.kernel = "other";
    refused(&request, CLTUNEDB_E_ARGUMENT, "is the space file of kernel k, not of other");
    request.kernel = NULL;
    request.device_count = 0;
    refused(&request, CLTUNEDB_E_ARGUMENT, "does not name the device");
    request.device_count = 1;
    request.problem = &sizes[0];
    request.problem_count = 1;
    refused(&request, CLTUNEDB_E_ARGUMENT, "'m'");
    request.problem = &sizes[1];
    refused(&request, CLTUNEDB_E_ARGUMENT, "'n' is not a name with a number");
    request.problem = NULL;
    refused(&request, CLTUNEDB_E_ARGUMENT, "that it does not have");
    request.problem_count = 0;
    request.budget_ms = -1;
    refused(&request, CLTUNEDB_E_ARGUMENT, "budget of -1 ms");
    request.budget_ms = 0;
    /* Nothing can run: known when it is asked for. */
    request.device = tiny;
    request.device_count = 2;
    request.budget_launches = 50;
    assert_int_equal(cltunedb_tune_begin(&request, &tune, message, sizeof(message)),
                     CLTUNEDB_OK);
    assert_int_equal(cltunedb_tune_next(tune, &config, message, sizeof(message)),
                     CLTUNEDB_E_NOT_FOUND);
    assert_non_null(strstr(message, "no configuration of"));
    assert_null(config);
    cltunedb_tune_done(tune, NULL, 0);
    snprintf(message, sizeof(message),
             "%s[constraint]\nc = WG <= DEVICE_MAX_WORK_GROUP_SIZE\n", space_text);
    write_text(space_file, message);
    refused(&request, CLTUNEDB_E_NOT_FOUND, "no configuration is valid on Card");
    write_text(space_file, "[kernel]\nnam = k\n");
    refused(&request, CLTUNEDB_E_ARGUMENT, "k.ini:1:1: ");
    assert_int_equal(cltunedb_tune_next(NULL, &config, message, sizeof(message)),
                     CLTUNEDB_E_ARGUMENT);
    cltunedb_tune_report(NULL, CLTUNEDB_TUNE_RAN, 1);
    assert_int_equal(cltunedb_tune_done(NULL, NULL, 0), CLTUNEDB_OK);
}

static void test_finds_the_space_file(void **state)
{
    const cltunedb_value name = {"DEVICE_NAME", CLTUNEDB_TEXT, 0, 0, "Card"};
    cltunedb_tune_request request = CLTUNEDB_TUNE_REQUEST_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    struct program p = a_program();
    cltunedb_tune *tune;

    (void)state;
    run_to_end(&p, 10);
    request.kernel = "k";
    request.device = &name;
    request.device_count = 1;
    /* It may be anybody's, until the user has searched it. */
    refused(&request, CLTUNEDB_E_ARGUMENT, "but you have not searched it yet");
    ct_trust_space(space_file);
    assert_int_equal(cltunedb_tune_begin(&request, &tune, message, sizeof(message)),
                     CLTUNEDB_OK);
    cltunedb_tune_done(tune, NULL, 0);
    request.kernel = "unknown";
    refused(&request, CLTUNEDB_E_NOT_FOUND,
            "does not say where the space file of unknown");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_tunes_and_stores),
        CASE(test_begins_where_it_ended),
        CASE(test_off_writes_nothing),
        CASE(test_sizes_of_another_device),
        CASE(test_death),
        CASE(test_an_end_is_no_death),
        CASE(test_a_slower_best_is_tuned_again),
        CASE(test_the_watch_becomes_more_patient),
        CASE(test_wrong_ones_are_not_used_again),
        CASE(test_layers),
        CASE(test_a_layer_confirms_and_slows),
        CASE(test_another_version_is_tuned),
        CASE(test_a_damaged_database),
        CASE(test_bad_requests),
        CASE(test_finds_the_space_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
