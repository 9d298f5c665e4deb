// SPDX-License-Identifier: Apache-2.0
// When faults happen: by chance, in some processes, at some launches.

#include "vcl.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    bool counts; // over all processes: needs the file
} forms[] = {
    [VCL_ALWAYS] = {"", false},      [VCL_CHANCE] = {"chance", false},
    [VCL_UNTIL] = {"until", true},   [VCL_PROCESS] = {"process", true},
    [VCL_EVERY] = {"every", false},  [VCL_FROM] = {"from", false},
    [VCL_AT] = {"at", false},        [VCL_FIRST] = {"first", true},
    [VCL_BEYOND] = {"beyond", true},
};

static const char *counters(void)
{
    const char *path = getenv("VIRTUALCL_COUNTERS");
    return path && *path ? path : NULL;
}

bool vcl_condition_read(const char *text, size_t length, struct vcl_fault *fault,
                        const char **problem)
{
    const char *colon = memchr(text, ':', length);
    size_t name = colon ? (size_t)(colon - text) : length, when = VCL_CHANCE;
    while (when <= VCL_BEYOND && !vcl_is(text, name, forms[when].name))
        when++;
    *problem = "bad condition";
    if (!colon || when > VCL_BEYOND)
        return false;
    fault->when = (enum vcl_when)when;
    const char *number = colon + 1;
    size_t digits = length - name - 1;
    bool good =
        when == VCL_CHANCE
            ? vcl_read_millionths(number, digits, &fault->limit) &&
                  fault->limit <= 1000000
            : vcl_read_whole(number, digits, false, &fault->limit) && fault->limit > 0;
    if (good && forms[when].counts && !counters()) {
        *problem = "VIRTUALCL_COUNTERS is not set for the condition";
        good = false;
    }
    return good;
}

void vcl_condition_write(const struct vcl_fault *fault, struct vcl_text *out)
{
    long long limit = fault->limit;
    if (fault->when == VCL_CHANCE)
        vcl_text_print(out, " chance:%lld.%06lld", limit / 1000000, limit % 1000000);
    else if (fault->when != VCL_ALWAYS)
        vcl_text_print(out, " %s:%lld", forms[fault->when].name, limit);
}

// ---- the file: one line for each process, or launch, that came to a key

static void give_up(const char *what)
{
    fprintf(stderr, "virtual OpenCL: VIRTUALCL_COUNTERS: %s: %s\n", what,
            strerror(errno));
    abort();
}

// The lines of the open file that equal the key, and one more added.
static unsigned long count_in(int file, const char *key)
{
    struct vcl_text text = {0}, line = {0};
    char block[4096];
    ssize_t got;
    unsigned long count = 1;
    while ((got = read(file, block, sizeof block)) > 0)
        vcl_text_add(&text, block, (size_t)got);
    for (const char *at = vcl_text_get(&text); *at;) {
        size_t length = strcspn(at, "\n");
        count += vcl_is(at, length, key);
        at += length + (at[length] == '\n');
    }
    vcl_text_print(&line, "%s\n", key);
    if (got < 0 || write(file, line.data, line.length) != (ssize_t)line.length)
        give_up("cannot be read and written");
    vcl_text_free(&text);
    vcl_text_free(&line);
    return count;
}

static unsigned long count_line(const char *path, const char *key)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        give_up("cannot be opened");
    while (fcntl(file, F_SETLKW, &lock) < 0)
        if (errno != EINTR)
            give_up("cannot be locked");
    unsigned long count = count_in(file, key);
    close(file); // unlocks
    return count;
}

unsigned long vcl_process_number(const char *key)
{
    // What this process came to before; another process after a fork starts anew.
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct known {
        char *key;
        unsigned long number;
    } * known;
    static size_t count;
    static long process;
    const char *path = counters();
    unsigned long number = 0;
    if (!path)
        return 0;
    pthread_mutex_lock(&lock);
    if (process != vcl_process()) {
        process = vcl_process();
        while (count > 0)
            free(known[--count].key);
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(known[i].key, key) == 0)
            number = known[i].number;
    if (!number) {
        number = count_line(path, key);
        known = vcl_grow(known, count, sizeof *known);
        known[count].key = vcl_copy(key, strlen(key));
        known[count++].number = number;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

// ---- drawing

// The same for a seed, a fault and the process's number among those that come to it.
static bool by_chance(const char *key, int64_t millionths)
{
    const char *seed = getenv("VIRTUALCL_SEED");
    unsigned long number = vcl_process_number(key);
    if (!number)
        number = (unsigned long)vcl_process();
    uint64_t hash = vcl_hash(VCL_HASH, seed ? seed : "", seed ? strlen(seed) : 0);
    hash = vcl_hash(hash, key, strlen(key));
    hash = vcl_hash(hash, &number, sizeof number);
    // The low bits of FNV-1a follow the last bytes; these depend on all.
    hash ^= hash >> 32;
    hash *= 0x9E3779B97F4A7C15u;
    return (int64_t)((hash >> 32) % 1000000) < millionths;
}

static bool happens(const struct vcl_module *module,
                    const struct vcl_signature *signature, const struct vcl_fault *fault,
                    cl_ulong number)
{
    cl_ulong limit = (cl_ulong)fault->limit;
    struct vcl_text key = {0};
    bool yes = true;
    vcl_text_print(&key, "%016llx %s ", (unsigned long long)module->digest,
                   signature->name);
    vcl_fault_write(fault, &key);
    switch (fault->when) {
    case VCL_ALWAYS:
        break;
    case VCL_CHANCE:
        yes = by_chance(key.data, fault->limit);
        break;
    case VCL_UNTIL:
        yes = vcl_process_number(key.data) <= limit;
        break;
    case VCL_PROCESS:
        yes = vcl_process_number(key.data) == limit;
        break;
    case VCL_EVERY:
        yes = number % limit == 0;
        break;
    case VCL_FROM:
        yes = number >= limit;
        break;
    case VCL_AT:
        yes = number == limit;
        break;
    case VCL_FIRST:
        yes = count_line(counters(), key.data) <= limit;
        break;
    case VCL_BEYOND:
        yes = count_line(counters(), key.data) > limit;
        break;
    }
    vcl_text_free(&key);
    return yes;
}

void vcl_faults_draw(const struct vcl_module *module,
                     const struct vcl_signature *signature, cl_ulong number,
                     struct vcl_faults *out)
{
    for (size_t i = 0; i < signature->fault_count; i++) {
        const struct vcl_fault *fault = &signature->faults[i];
        bool building =
            vcl_fault_is_at(fault, VCL_AT_BUILD) || vcl_fault_is_at(fault, VCL_AT_LOAD);
        if (building != (number == 0) || !happens(module, signature, fault, number))
            continue;
        out->bits |= (cl_ulong)1 << fault->kind;
        out->number[fault->kind] = fault->number;
    }
}
