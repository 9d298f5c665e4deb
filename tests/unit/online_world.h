// SPDX-License-Identifier: Apache-2.0
// What the tests of online tuning share: a kernel with its space file, a device that can be slow, and
// a program that tunes.  Who includes it defines _GNU_SOURCE first, for nftw.
#ifndef CT_TESTS_ONLINE_WORLD_H
#define CT_TESTS_ONLINE_WORLD_H

#include "db/cltunedb-tune.h"
#include "db/internal.h"

#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static char space_file[96];
static char user_db[96];
static char system_db[96];

static inline void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char space_text[] = "[kernel]\n"
                                 "name = k\n"
                                 "source = k.cl\n"
                                 "[problem]\n"
                                 "n = 1000\n"
                                 "[param]\n"
                                 "WG = 16, 32, 64, 128, 256, 512\n"
                                 "V = 1, 2, 4, 8\n"
                                 "[buffer out]\n"
                                 "type = float\n"
                                 "count = n\n"
                                 "[launch k]\n"
                                 "kernel = k\n"
                                 "args = out\n"
                                 "global = n\n"
                                 "local = WG\n";

static inline int setup(void **state)
{
    char path[96];

    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/cltune-online-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(space_file, sizeof(space_file), "%s/k.ini", folder);
    snprintf(user_db, sizeof(user_db), "%s/user.db", folder);
    snprintf(system_db, sizeof(system_db), "%s/system.db", folder);
    snprintf(path, sizeof(path), "%s/k.cl", folder);
    write_text(path, "__kernel void k(__global float *out) { out[0] = V; }\n");
    write_text(space_file, space_text);
    setenv("CLTUNE_DB", user_db, 1);
    setenv("CLTUNE_DB_PATH", system_db, 1);
    setenv("XDG_DATA_DIRS", folder, 1);
    setenv("XDG_DATA_HOME", folder, 1);
    return 0;
}

static inline int erase(const char *name, const struct stat *info, int kind,
                        struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(name);
}

static inline int teardown(void **state)
{
    (void)state;
    return nftw(folder, erase, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- the program --- */

struct program {
    const char *device;
    const char *driver;
    int64_t most_items; /* of a work-group */
    int64_t n;
    uint64_t budget;
    const char *database;
    const char *space; /* NULL: space_file */
    const cltunedb_tune_file *files;
    size_t file_count;
    double factor;     /* of all times */
    int64_t broken_wg; /* this work-group fails, as ... */
    cltunedb_tune_outcome failure;
    unsigned tried; /* launches of new configurations */
    unsigned seen[513][9];
    cltunedb_tune *tune;
    const cltunedb_tune_config *config; /* of the last launch */
    cltunedb_status done;
    char message[CLTUNEDB_MESSAGE_BYTES];
};

static inline struct program a_program(void)
{
    return (struct program){.device = "Card",
                            .driver = "1.0",
                            .most_items = 512,
                            .n = 1000,
                            .budget = 200,
                            .factor = 1};
}

static inline int64_t value_of(const cltunedb_tune_config *config, const char *name)
{
    for (size_t i = 0; i < config->value_count; i++)
        if (strcmp(config->values[i].name, name) == 0)
            return config->values[i].i;
    fail();
    return 0;
}

/* The fastest is WG=128, V=4. */
static inline double time_of(const struct program *p, int64_t wg, int64_t v)
{
    return p->factor *
           (1000 + 300 * fabs(log2((double)wg / 128)) + 200 * fabs(log2((double)v / 4)));
}

static inline cltunedb_status begin(struct program *p)
{
    const cltunedb_value facts[] = {
        {"PLATFORM_NAME", CLTUNEDB_TEXT, 0, 0, "Platform"},
        {"DEVICE_NAME", CLTUNEDB_TEXT, 0, 0, p->device},
        {"DEVICE_VENDOR", CLTUNEDB_TEXT, 0, 0, "Vendor"},
        {"DEVICE_TYPE", CLTUNEDB_INT, 4, 4, ""},
        {"DRIVER_VERSION", CLTUNEDB_TEXT, 0, 0, p->driver},
        {"DEVICE_MAX_COMPUTE_UNITS", CLTUNEDB_INT, 8, 8, ""},
        {"DEVICE_MAX_WORK_GROUP_SIZE", CLTUNEDB_INT, p->most_items, 0, ""},
        {"DEVICE_FROM_A_LATER_VERSION", CLTUNEDB_INT, 1, 1, ""},
    };
    const cltunedb_value size = {"n", CLTUNEDB_INT, p->n, (double)p->n, ""};
    cltunedb_tune_request request = CLTUNEDB_TUNE_REQUEST_INIT;

    request.space_file = p->space ? p->space : space_file;
    request.files = p->files;
    request.file_count = p->file_count;
    request.database = p->database;
    request.device = facts;
    request.device_count = sizeof(facts) / sizeof(facts[0]);
    request.problem = &size;
    request.problem_count = 1;
    request.budget_launches = p->budget;
    return cltunedb_tune_begin(&request, &p->tune, p->message, sizeof(p->message));
}

/* Asks for a configuration, without launching it. */
static inline void ask(struct program *p)
{
    assert_int_equal(
        cltunedb_tune_next(p->tune, &p->config, p->message, sizeof(p->message)),
        CLTUNEDB_OK);
}

static inline void launch(struct program *p)
{
    int64_t wg;
    int64_t v;

    ask(p);
    wg = value_of(p->config, "WG");
    v = value_of(p->config, "V");
    assert_true(wg <= p->most_items);
    assert_int_equal(p->config->launch_count, 1);
    assert_string_equal(p->config->launches[0].kernel, "k");
    assert_int_equal(p->config->launches[0].local[0], wg);
    assert_int_equal(p->config->launches[0].global[0] % (size_t)wg, 0);
    p->seen[wg][v]++;
    p->tried += p->config->phase == CLTUNEDB_TUNE_TRYING;
    if (wg == p->broken_wg)
        cltunedb_tune_report(p->tune, p->failure, 0);
    else if (p->config->measure)
        cltunedb_tune_report(p->tune, CLTUNEDB_TUNE_RAN, time_of(p, wg, v));
}

static inline void finish(struct program *p)
{
    p->done = cltunedb_tune_done(p->tune, p->message, sizeof(p->message));
    p->tune = NULL;
}

static inline void run_program(struct program *p, unsigned launches)
{
    assert_int_equal(begin(p), CLTUNEDB_OK);
    for (unsigned i = 0; i < launches; i++)
        launch(p);
}

static inline void run_to_end(struct program *p, unsigned launches)
{
    run_program(p, launches);
    finish(p);
}

/* --- the databases --- */

static inline int64_t number_in(const char *path, const char *sql)
{
    sqlite3_stmt *stmt;
    sqlite3 *db;
    int64_t value;

    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    value = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return value;
}

/* The bytes of a file; the caller frees. */
static inline char *bytes_of(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes;

    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

/* The options of the stored best for a device. */
static inline void best_of(const char *device, char *out, size_t room)
{
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    cltunedb_answers *answers = NULL;
    cltunedb *db = NULL;

    assert_int_equal(cltunedb_open(NULL, &db, message, sizeof(message)), CLTUNEDB_OK);
    query.kernel = "k";
    query.device_name = device;
    assert_int_equal(cltunedb_find(db, &query, &answers, message, sizeof(message)),
                     CLTUNEDB_OK);
    snprintf(out, room, "%s", cltunedb_answer_at(answers, 0)->flags);
    cltunedb_free(answers);
    cltunedb_close(db);
}

#endif
