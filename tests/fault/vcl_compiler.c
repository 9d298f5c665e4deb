// SPDX-License-Identifier: Apache-2.0
// The real time that compiling takes, what a cache on disk saves of it, and its faults.

#include "vcl.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool vcl_paced(void)
{
    const char *wish = getenv("VIRTUALCL_PACE");
    return !wish || strcmp(wish, "0") != 0;
}

static cl_ulong clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (cl_ulong)now.tv_sec * 1000000000u + (cl_ulong)now.tv_nsec;
}

cl_ulong vcl_wall_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

void vcl_work(cl_ulong time_ns)
{
    const char *how = getenv("VIRTUALCL_COMPILE");
    if (!vcl_paced() || time_ns == 0)
        return;
    if (how && strcmp(how, "burn") == 0) {
        cl_ulong until_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + time_ns;
        while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
            ;
        return;
    }
    if (how && *how && strcmp(how, "sleep") != 0) {
        fprintf(stderr, "virtual OpenCL: VIRTUALCL_COMPILE: 'sleep' or 'burn'\n");
        abort();
    }
    struct timespec rest = {.tv_sec = (time_t)(time_ns / 1000000000u),
                            .tv_nsec = (long)(time_ns % 1000000000u)};
    while (nanosleep(&rest, &rest) != 0)
        ;
}

// ---- the cache: an empty file stands for what would be in it

static bool cache_path(struct vcl_text *path, const char *kind, uint64_t key)
{
    const char *folder = getenv("VIRTUALCL_CACHE");
    if (!folder || !*folder)
        return false;
    vcl_text_print(path, "%s/%s-%016llx", folder, kind, (unsigned long long)key);
    return true;
}

static bool cache_has(const char *kind, uint64_t key)
{
    struct vcl_text path = {0};
    bool there = cache_path(&path, kind, key) && access(path.data, F_OK) == 0;
    vcl_text_free(&path);
    return there;
}

// A cache that cannot be written is none, as with real drivers.
static void cache_put(const char *kind, uint64_t key)
{
    struct vcl_text path = {0};
    if (cache_path(&path, kind, key)) {
        int file = open(path.data, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (file >= 0)
            close(file);
    }
    vcl_text_free(&path);
}

// ---- building

static void run_faults(const struct vcl_module *module, enum vcl_point point,
                       cl_int *status)
{
    struct vcl_faults faults = {0};
    for (size_t i = 0; i < module->count; i++)
        vcl_faults_draw(module, &module->signatures[i], 0, &faults);
    *status = vcl_fault_run(&faults, point, NULL);
}

static uint64_t options_digest(cl_device_id device, const char *options)
{
    const char *driver = vcl_device_driver(device);
    uint64_t hash = vcl_hash(VCL_HASH, options, strlen(options));
    hash = vcl_hash(hash, driver, strlen(driver));
    return vcl_hash(hash, &device->model, sizeof device->model);
}

static void log_begin(cl_device_id device, const char *options,
                      const struct vcl_module *module)
{
    struct vcl_text macros = vcl_options_text(&module->macros);
    for (size_t i = 0; i < macros.length; i++)
        if (macros.data[i] == ' ' || macros.data[i] == '\t')
            macros.data[i] = '_';
    vcl_log("build_begin device=%u code=%016llx options=%016llx macros=%s", device->index,
            (unsigned long long)module->digest,
            (unsigned long long)options_digest(device, options), vcl_text_get(&macros));
    vcl_text_free(&macros);
}

cl_int vcl_compiler_build(cl_device_id device, const char *source, const char *options,
                          struct vcl_module *module)
{
    // What takes no time comes first, so that the log can say what is being built.
    cl_int status = vcl_compile(device, source, options, module);
    uint64_t key = module->digest ^ options_digest(device, options);
    bool cached = !status && cache_has("build", key);
    log_begin(device, options, module);
    if (!cached)
        vcl_work(module->build_ns);
    if (!status) {
        run_faults(module, VCL_AT_BUILD, &status);
        if (status)
            vcl_error(module, 0, "the fault build_error");
    }
    if (!status)
        cache_put("build", key);
    vcl_log("build_end device=%u code=%016llx status=%d cached=%d", device->index,
            (unsigned long long)module->digest, status, cached);
    return status;
}

cl_int vcl_compiler_load(cl_device_id device, struct vcl_build *build)
{
    struct vcl_module *module = &build->module;
    cl_int status =
        vcl_compile(device, build->stored_code,
                    build->stored_argument_info ? "-cl-kernel-arg-info" : "", module);
    vcl_log("load_begin device=%u code=%016llx", device->index,
            (unsigned long long)module->digest);
    if (!status) {
        vcl_work(module->load_ns);
        run_faults(module, VCL_AT_LOAD, &status);
        if (status)
            vcl_error(module, 0, "the fault load_error");
    }
    vcl_log("load_end device=%u code=%016llx status=%d", device->index,
            (unsigned long long)module->digest, status);
    return status;
}

// ---- compiling for a local size

static bool has_line(const struct vcl_text *text, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = vcl_text_get(text); *at; at += strcspn(at, "\n") + 1)
        if (strncmp(at, line, length) == 0)
            return true;
    return false;
}

void vcl_compiler_first(struct vcl_build *build, const struct vcl_signature *signature,
                        const size_t local[3])
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (signature->first_ns == 0)
        return;
    struct vcl_text line = {0};
    vcl_text_print(&line, "%s %zux%zux%zu\n", signature->name, local[0], local[1],
                   local[2]);
    pthread_mutex_lock(&lock);
    bool done = has_line(&build->locals, line.data);
    uint64_t key = vcl_hash(build->module.digest, line.data, line.length);
    if (!done && !cache_has("first", key)) {
        unsigned long long code = build->module.digest;
        int shown = (int)line.length - 1;
        vcl_log("first_begin code=%016llx kernel=%.*s", code, shown, line.data);
        vcl_work(signature->first_ns);
        vcl_log("first_end code=%016llx kernel=%.*s", code, shown, line.data);
        cache_put("first", key);
    }
    if (!done)
        vcl_text_add(&build->locals, line.data, line.length);
    pthread_mutex_unlock(&lock);
    vcl_text_free(&line);
}
