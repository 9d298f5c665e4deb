// SPDX-License-Identifier: Apache-2.0
// Writers and readers of one database, with random kills: store_stress FILE WRITERS READERS SECONDS
//
// Prints what was done, and exits 1 unless every result that a writer reported as stored is there, none
// twice and none that nobody wrote, and no writer and no reader failed.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "base/rng.h"
#include "db/cltunedb.h"
#include "db/maintain.h"
#include "db/store.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, RESULTS = 1 << 20 };

enum state { UNTRIED, TRIED, STORED };

/* What outlives a killed process. */
struct shared {
    atomic_bool stop;
    atomic_uint next[MOST]; /* result of each writer */
    atomic_ulong looked_up[MOST];
    unsigned char states[MOST][RESULTS];
};

static struct shared *shared;
static const char *file;

static int complain(const char *what, const char *message)
{
    fprintf(stderr, "%s: %s\n", what, message);
    return 1;
}

static struct ct_hash experiment(unsigned writer, unsigned n)
{
    const unsigned both[] = {writer, n};

    return ct_hash_bytes(both, sizeof(both));
}

/* --- writers --- */

static enum ct_status begin(struct ct_db *db, struct ct_db_run *run, struct ct_err *err)
{
    struct ct_devinfo info = {.platform_name = "Test",
                              .platform_version = "OpenCL 3.0",
                              .driver_version = "1",
                              .type = "GPU"};
    const struct ct_db_kernel kernel = {.name = "stress",
                                        .source_hash = ct_hash_bytes("source", 6),
                                        .space_path = "stress.ini",
                                        .parameters = "{}",
                                        .constraints = "[]"};
    const struct ct_db_value size = {"n", ct_value_int(1024)};
    enum ct_status status;

    *run = ct_db_run_init;
    info.props[CT_DEVICE_NAME] = ct_value_text("Card");
    info.props[CT_DEVICE_VENDOR] = ct_value_text("Vendor");
    info.props[CT_DEVICE_MAX_COMPUTE_UNITS] = ct_value_int(1);
    run->objective = "time";
    run->strategy = "random";
    run->version = "test";
    status = ct_db_device_put(db, &info, &run->device_id, err);
    if (status == CT_OK)
        status = ct_db_kernel_put(db, &kernel, &run->kernel_id, err);
    if (status == CT_OK)
        status = ct_db_problem_put(db, &size, 1, &run->problem_id, err);
    return status == CT_OK ? ct_db_run_begin(db, run, err) : status;
}

static enum ct_status put(struct ct_db *db, const struct ct_db_run *run, unsigned writer,
                          unsigned n, struct ct_err *err)
{
    struct ct_db_result result = ct_db_result_init;
    double times[10];
    char configuration[64];

    snprintf(configuration, sizeof(configuration), "{\"N\":%u,\"WRITER\":%u}", n, writer);
    for (int i = 0; i < 10; i++)
        times[i] = 1000.0 + (n * 7919U + writer) % 100003U;
    result.run_id = run->id;
    result.experiment = experiment(writer, n);
    result.status = "ok";
    result.configuration = configuration;
    result.objective_value = result.time_ns = times[0];
    result.samples.ns = times;
    result.samples.count = 10;
    result.samples.launches = 1;
    shared->states[writer][n] = TRIED;
    return ct_db_result_put(db, &result, err);
}

/* Stores results one by one, and in groups, until it is killed or told to stop. */
static int write_results(unsigned writer)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_db_run run;
    struct ct_db *db = NULL;
    enum ct_status status = ct_db_open(file, NULL, &db, &err);

    if (status == CT_OK)
        status = begin(db, &run, &err);
    while (status == CT_OK && !atomic_load(&shared->stop)) {
        unsigned first = atomic_load(&shared->next[writer]);
        unsigned count = first % 3 == 0 ? 5 : 1;

        if (first + count > RESULTS)
            break;
        /* One that is killed here leaves a gap. */
        atomic_store(&shared->next[writer], first + count);
        if (count > 1)
            status = ct_db_begin(db, &err);
        for (unsigned i = 0; i < count && status == CT_OK; i++)
            status = put(db, &run, writer, first + i, &err);
        if (count > 1 && status == CT_OK)
            status = ct_db_commit(db, &err);
        if (status == CT_OK)
            memset(&shared->states[writer][first], STORED, count);
    }
    ct_db_close(db);
    return status == CT_OK ? 0 : complain("writer", err.message);
}

/* --- readers --- */

/* Looks the best up, with the database open a hundred times, then opens it again. */
static int read_results(unsigned reader)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb_answers *answers;
    cltunedb *db = NULL;
    cltunedb_status code = CLTUNEDB_OK;

    query.kernel = "stress";
    query.device_name = "Card";
    query.device_vendor = "Vendor";
    query.device_type = "GPU";
    query.driver_version = "1";
    while (code == CLTUNEDB_OK && !atomic_load(&shared->stop)) {
        code = cltunedb_open(file, &db, message, sizeof(message));
        for (int i = 0; i < 100 && code == CLTUNEDB_OK; i++) {
            answers = NULL;
            code = cltunedb_find(db, &query, &answers, message, sizeof(message));
            cltunedb_free(answers);
            atomic_fetch_add(&shared->looked_up[reader], 1);
        }
        cltunedb_close(db);
        db = NULL;
    }
    return code == CLTUNEDB_OK ? 0 : complain("reader", message);
}

/* --- the processes --- */

static pid_t start(unsigned number, unsigned writers)
{
    pid_t child = fork();

    if (child == 0)
        _exit(number < writers ? write_results(number) : read_results(number - writers));
    return child;
}

static bool ended_well(pid_t child)
{
    int status = 0;

    return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* Kills one of the processes after another and starts it again; *kills counts.  False: one has failed
 * by itself. */
static bool disturb(pid_t *children, unsigned writers, unsigned count, double seconds,
                    unsigned *kills)
{
    const struct timespec pause = {0, 50 * 1000 * 1000};
    time_t end = time(NULL) + (time_t)seconds;
    struct ct_rng rng;
    bool sound = true;

    ct_rng_seed(&rng, 1);
    while (time(NULL) < end) {
        unsigned victim = (unsigned)ct_rng_below(&rng, count);
        struct timespec chance = {0, (long)ct_rng_below(&rng, 20000000)};
        int status = 0;

        nanosleep(&pause, NULL);
        nanosleep(&chance, NULL);
        kill(children[victim], SIGKILL);
        waitpid(children[victim], &status, 0);
        sound &= WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        children[victim] = start(victim, writers);
        ++*kills;
    }
    return sound;
}

/* Whether a writer's results are there: all that it reported, and none that it has not tried. */
static bool check_writer(struct ct_db *db, unsigned writer, int64_t device,
                         uint64_t *stored, uint64_t *lost)
{
    unsigned count = atomic_load(&shared->next[writer]);
    struct ct_arena arena = {0};
    bool sound = true;

    for (unsigned n = 0; n < count && sound; n++) {
        const struct ct_hash hash = experiment(writer, n);
        struct ct_db_result result;
        enum ct_status status =
            ct_db_result_get(db, device, &hash, &arena, &result, NULL);

        sound = status == CT_OK || status == CT_E_NOT_FOUND;
        *stored += status == CT_OK;
        *lost += status != CT_OK && shared->states[writer][n] == STORED;
        ct_arena_release(&arena);
    }
    return sound;
}

static bool check_all(unsigned writers, double seconds, unsigned kills)
{
    struct ct_db_contents contents = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db = NULL;
    struct ct_db_run run;
    uint64_t stored = 0;
    uint64_t lost = 0;
    unsigned long looked_up = 0;
    bool sound = ct_db_open(file, NULL, &db, &err) == CT_OK &&
                 begin(db, &run, &err) == CT_OK &&
                 ct_db_contents_read(db, &contents, &err) == CT_OK;

    for (unsigned i = 0; i < writers && sound; i++)
        sound = check_writer(db, i, run.device_id, &stored, &lost);
    for (unsigned i = 0; i < MOST; i++)
        looked_up += atomic_load(&shared->looked_up[i]);
    ct_db_close(db);
    if (err.code)
        complain("check", err.message);
    printf("%.0f stored/s, %.0f looked up/s, %u killed, %llu lost, %lld too many\n",
           (double)stored / seconds, (double)looked_up / seconds, kills,
           (unsigned long long)lost, (long long)(contents.results - stored));
    return sound && !lost && contents.results == stored && stored && looked_up;
}

int main(int argc, char **argv)
{
    unsigned writers = argc == 5 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    unsigned readers = argc == 5 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    double seconds = argc == 5 ? strtod(argv[4], NULL) : 0;
    struct ct_err err = CT_ERR_INIT;
    struct ct_db *db = NULL;
    struct ct_db_run run;
    pid_t children[2 * MOST];
    unsigned kills = 0;
    bool sound;

    if (!writers || !readers || writers > MOST || readers > MOST || seconds < 1) {
        fprintf(stderr, "usage: store_stress FILE WRITERS READERS SECONDS\n");
        return 2;
    }
    file = argv[1];
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return complain("mmap", "no memory");
    /* Readers find something from the start. */
    if (ct_db_open(file, NULL, &db, &err) != CT_OK || begin(db, &run, &err) != CT_OK ||
        put(db, &run, 0, 0, &err) != CT_OK)
        return complain("begin", err.message);
    shared->states[0][0] = STORED;
    atomic_store(&shared->next[0], 1);
    ct_db_close(db);
    for (unsigned i = 0; i < writers + readers; i++)
        children[i] = start(i, writers);
    sound = disturb(children, writers, writers + readers, seconds, &kills);
    atomic_store(&shared->stop, true);
    for (unsigned i = 0; i < writers + readers; i++)
        sound &= ended_well(children[i]);
    return check_all(writers, seconds, kills) && sound ? 0 : 1;
}
