// SPDX-License-Identifier: Apache-2.0
// What the tests of look-ups share: a database of their own, results of several devices in
// it, and questions.  Who includes it defines _GNU_SOURCE first, for nftw.
#ifndef CT_TESTS_LOOKUP_WORLD_H
#define CT_TESTS_LOOKUP_WORLD_H

#include "db/cltunedb.h"
#include "db/internal.h"

#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static char path[96];
static struct ct_db *db;

static inline int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/cltune-lookup-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/a b%%?#.db", folder);
    return ct_db_open(path, NULL, &db, NULL) == CT_OK ? 0 : -1;
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
    ct_db_close(db);
    return nftw(folder, erase, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- storing --- */

struct device {
    const char *name;
    const char *vendor;
    const char *type;
    const char *driver;
    int units;
};

static const struct device h200 = {"NVIDIA H200", "NVIDIA Corporation", "GPU", "550",
                                   132};
static const struct device h200_new = {"NVIDIA H200", "NVIDIA Corporation", "GPU", "560",
                                       132};
static const struct device h100 = {"NVIDIA H100", "NVIDIA Corporation", "GPU", "550",
                                   114};
static const struct device a100 = {"NVIDIA A100", "NVIDIA Corporation", "GPU", "550",
                                   108};
static const struct device a100_sxm = {"NVIDIA A100-SXM4", "NVIDIA Corporation", "GPU",
                                       "550", 108};
static const struct device mi210 = {"gfx90a:xnack-", "Advanced Micro Devices, Inc.",
                                    "GPU", "6.0", 104};
static const struct device xeon = {"pthread-skylake-avx512-Intel(R) Xeon(R) Processor",
                                   "GenuineIntel", "CPU", "3.1", 2};

/* What to store, with what most tests leave at their defaults. */
struct what {
    const struct device *device;
    const char *kernel; /* "fir" */
    int source;
    int64_t n;             /* problem {"n":n}; 0: 1024 */
    const char *objective; /* "time" */
    bool maximize;
    int wg;             /* the configuration */
    int variant;        /* of the experiment */
    const char *status; /* "ok" */
    double value;
    double time_ns;          /* 0: the value */
    int64_t measured_unix_s; /* 0: 1000 */
    double default_time_ns;  /* 0: not known */
};

static inline int64_t put_run(const struct what *w)
{
    struct ct_devinfo info = {.platform_name = "P",
                              .platform_version = "1",
                              .driver_version = w->device->driver,
                              .type = w->device->type};
    struct ct_db_kernel kernel = {.name = w->kernel ? w->kernel : "fir",
                                  .space_path = "x",
                                  .parameters = "{}",
                                  .constraints = "[]"};
    struct ct_db_value size = {"n", ct_value_int(w->n ? w->n : 1024)};
    struct ct_db_run run = ct_db_run_init;

    run.objective = w->objective ? w->objective : "time";
    run.maximize = w->maximize;
    run.status = "done";
    info.props[CT_DEVICE_NAME] = ct_value_text(w->device->name);
    info.props[CT_DEVICE_VENDOR] = ct_value_text(w->device->vendor);
    info.props[CT_DEVICE_MAX_COMPUTE_UNITS] = ct_value_int(w->device->units);
    kernel.source_hash = ct_hash_bytes(&w->source, sizeof(w->source));
    assert_int_equal(ct_db_device_put(db, &info, &run.device_id, NULL), CT_OK);
    assert_int_equal(ct_db_kernel_put(db, &kernel, &run.kernel_id, NULL), CT_OK);
    assert_int_equal(ct_db_problem_put(db, &size, 1, &run.problem_id, NULL), CT_OK);
    assert_int_equal(ct_db_run_begin(db, &run, NULL), CT_OK);
    run.default_time_ns = w->default_time_ns != 0 ? w->default_time_ns : NAN;
    assert_int_equal(ct_db_run_end(db, &run, NULL), CT_OK);
    return run.id;
}

static inline void put_result(const struct what *w, int64_t run_id)
{
    struct ct_db_result r = ct_db_result_init;
    char text[200];
    char configuration[32];
    char flags[32];

    snprintf(configuration, sizeof(configuration), "{\"WG\":%d}", w->wg);
    snprintf(flags, sizeof(flags), "-D WG=%d", w->wg);
    snprintf(text, sizeof(text), "%s %d %lld %s %d", w->kernel ? w->kernel : "",
             w->source, (long long)w->n, configuration, w->variant);
    r.run_id = run_id;
    r.experiment = ct_hash_bytes(text, strlen(text));
    r.status = w->status ? w->status : "ok";
    r.configuration = configuration;
    r.flags = flags;
    r.objective_value = w->value;
    r.time_ns = w->time_ns != 0 ? w->time_ns : w->value;
    r.measured_unix_s = w->measured_unix_s ? w->measured_unix_s : 1000;
    assert_int_equal(ct_db_result_put(db, &r, NULL), CT_OK);
}

static inline void put(struct what w)
{
    put_result(&w, put_run(&w));
}

/* --- asking --- */

/* The answers to a question, one line each; the message when there are none. */
static inline struct ct_str ask(cltunedb_query query)
{
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb_answers *answers = NULL;
    cltunedb *handle = NULL;
    struct ct_str out;

    ct_str_init(&out);
    assert_int_equal(cltunedb_open(path, &handle, message, sizeof(message)), CLTUNEDB_OK);
    if (cltunedb_find(handle, &query, &answers, message, sizeof(message)) !=
        CLTUNEDB_OK) {
        assert_null(answers);
        ct_str_puts(&out, message);
    }
    cltunedb_close(handle);
    for (size_t i = 0; i < cltunedb_answer_count(answers); i++) {
        const cltunedb_answer *a = cltunedb_answer_at(answers, i);

        ct_str_addf(&out, "%s %s/%s n=%lld %s %s=%g", a->kernel, a->device_name,
                    a->driver_version, (long long)a->problem[0].i, a->flags, a->objective,
                    a->objective_value);
        if (a->evidence != CLTUNEDB_SAME_DRIVER)
            ct_str_addf(&out, " [%s]", cltunedb_evidence_text(a->evidence));
        if (a->problem_distance > 0)
            ct_str_addf(&out, " [distance %.2f]", a->problem_distance);
        if (a->device_count != 1 || a->relative_performance < 1)
            ct_str_addf(&out, " [%.3f of %u]", a->relative_performance, a->device_count);
        if (a->outdated)
            ct_str_puts(&out, " [outdated]");
        ct_str_putc(&out, '\n');
    }
    assert_null(cltunedb_answer_at(answers, cltunedb_answer_count(answers)));
    cltunedb_free(answers);
    return out;
}

#define QUERY(...) ((cltunedb_query){.struct_bytes = sizeof(cltunedb_query), __VA_ARGS__})

static inline void expect(cltunedb_query query, const char *answers)
{
    struct ct_str got = ask(query);

    assert_string_equal(got.data, answers);
    ct_str_release(&got);
}

static inline cltunedb_query of_device(const char *kernel, const struct device *d)
{
    return QUERY(.kernel = kernel, .device_name = d->name, .device_vendor = d->vendor,
                 .device_type = d->type, .driver_version = d->driver,
                 .compute_units = (uint32_t)d->units);
}

#define LOOKUP_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
