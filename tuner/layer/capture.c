// SPDX-License-Identifier: Apache-2.0
// Groups of equal launches: counted, timed by their events, and captured once.
#include "layer/capture.h"

#include "layer/arguments.h"
#include "layer/counters.h"
#include "layer/log.h"
#include "layer/snapshot.h"
#include "layer/times.h"

#include "base/map.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PUT_OFF_MOST = 2 };

/* Launches of one kernel with one shape. */
struct shape_group {
    char *kernel;
    bool settled;     /* captured, or it cannot be */
    unsigned put_off; /* how often it waited for what the program had yet to do */
};

static struct {
    int log;
    struct ct_capture_counter *counters;
    struct shape_group *groups;
    size_t group_count;
    size_t group_capacity;
    struct ct_map group_of; /* from the hash of what makes it one: its index */
    struct ct_snapshot_settings snapshot;
    const char *kernel;    /* the only one to capture; NULL: all */
    unsigned long number;  /* of its launch, from 1; 0: the first of each shape */
    unsigned long matched; /* launches of `kernel` so far */
    bool writing;
    bool crowded;   /* said that there are too many groups */
    pid_t beginner; /* the process that has begun */
} state = {.log = -1};

/* Not in a child that the program has forked: the events are its parent's. */
static void harvest_at_exit(void)
{
    if (getpid() == state.beginner)
        ct_times_harvest_last();
}

/* Adds the time of a launch (ct_times_taker). */
static void add_time(void *of, bool replaced, uint64_t time_ns)
{
    struct ct_capture_counter *counter = of;

    (void)replaced;
    counter->timed++;
    counter->time_ns += time_ns;
}

bool ct_capture_writes(void)
{
    return ct_layer_variable("CLTUNE_CAPTURE_WRITE") != NULL;
}

bool ct_capture_begin(void)
{
    const char *folder = ct_layer_variable("CLTUNE_CAPTURE");
    const char *number = ct_layer_variable("CLTUNE_CAPTURE_LAUNCH");
    const char *most = ct_layer_variable("CLTUNE_CAPTURE_MAX_BYTES");
    size_t size = CT_COUNTERS_MOST * sizeof(*state.counters);
    void *mapped = MAP_FAILED;
    int counts = ct_log_open(folder, "counts");

    state.log = ct_log_open(folder, "jsonl");
    if (counts >= 0 && ftruncate(counts, (off_t)size) == 0)
        mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, counts, 0);
    if (counts >= 0)
        close(counts);
    if (state.log < 0 || mapped == MAP_FAILED) {
        ct_layer_say("nothing is captured: cannot write to %s: %s", folder,
                     strerror(errno));
        return false;
    }
    state.counters = mapped;
    state.kernel = ct_layer_variable("CLTUNE_CAPTURE_KERNEL");
    state.number = number ? strtoul(number, NULL, 10) : 0;
    state.writing = ct_capture_writes();
    state.snapshot = (struct ct_snapshot_settings){
        .folder = folder,
        .max_bytes = most ? strtoull(most, NULL, 10) : (uint64_t)1 << 30,
        .log = state.log};
    state.beginner = getpid();
    ct_times_begin(add_time);
    atexit(harvest_at_exit);
    return true;
}

/* --- what a launch is; without the lock, as the driver is asked --- */

/* What the launches of a new group have in common, without the group's number. */
static void describe_group(const struct ct_layer_launch *launch, struct ct_str *line)
{
    const struct ct_layer_kernel *kernel = launch->record;
    cl_device_id device = ct_layer_device_of(launch->queue);
    char text[256];

    ct_str_puts(line, ",\"kernel\":");
    ct_log_quote(line, kernel->name);
    ct_str_addf(line, ",\"program\":\"%s\",\"options\":", kernel->program->hash.text);
    ct_log_quote(line, kernel->program->options);
    ct_str_puts(line, ",\"global\":");
    ct_log_sizes(line, launch->global, launch->dimensions);
    if (launch->local) {
        ct_str_puts(line, ",\"local\":");
        ct_log_sizes(line, launch->local, launch->dimensions);
    }
    ct_str_puts(line, ",\"device\":");
    ct_log_quote(line, ct_layer_device_text(device, CL_DEVICE_NAME, text, sizeof(text)));
    if (kernel->program->unusable) {
        ct_str_puts(line, ",\"unusable\":");
        ct_log_quote(line, kernel->program->unusable);
    }
    ct_str_putc(line, '}');
}

static void put_sizes(struct ct_str *key, const size_t *sizes, cl_uint count)
{
    ct_str_putc(key, sizes ? 'y' : 'n');
    if (sizes)
        ct_str_add(key, sizes, count * sizeof(*sizes));
}

/* The hash of what equal devices have in common; "" if out of memory. */
static struct ct_hash kind_of(cl_command_queue queue)
{
    /* By the queue: the handle of a device that the program has released may be another device's. */
    static CT_LAYER_THREAD struct {
        cl_command_queue queue;
        struct ct_hash kind;
        unsigned generation;
    } last;
    unsigned generation = atomic_load(&ct_layer_generation);
    struct ct_str key;

    if (queue == last.queue && generation == last.generation && *last.kind.text)
        return last.kind;
    last.kind = (struct ct_hash){""};
    ct_str_init(&key);
    ct_layer_put_device(&key, ct_layer_device_of(queue));
    if (!key.failed)
        last.kind = ct_hash_bytes(key.data, key.length);
    ct_str_release(&key);
    last.queue = queue;
    last.generation = generation;
    return last.kind;
}

/* What launches of one group have in common; "" if out of memory. */
static struct ct_hash hash_of(const struct ct_layer_launch *launch)
{
    const struct ct_layer_kernel *kernel = launch->record;
    struct ct_hash kind = kind_of(launch->queue);
    struct ct_hash hash = {""};
    struct ct_str key;

    if (!*kind.text)
        return hash;
    ct_str_init(&key);
    ct_str_puts(&key, kind.text);
    ct_str_add(&key, kernel->name, strlen(kernel->name) + 1);
    ct_str_puts(&key, kernel->program->hash.text);
    ct_str_addf(&key, "%u", launch->dimensions);
    put_sizes(&key, launch->global, launch->dimensions);
    put_sizes(&key, launch->local, launch->dimensions);
    put_sizes(&key, launch->offset, launch->dimensions);
    ct_arguments_put_shape(kernel, &key);
    if (!key.failed)
        hash = ct_hash_bytes(key.data, key.length);
    ct_str_release(&key);
    return hash;
}

/* --- groups; the caller holds the lock --- */

/* Makes room for one more group, with its kernel's name. */
static bool add_group(const struct ct_hash *hash, const char *kernel)
{
    char *name;

    if (!*hash->text || state.group_count >= CT_COUNTERS_MOST ||
        !ct_mem_grow(&state.groups, &state.group_capacity, state.group_count + 1,
                     sizeof(*state.groups)))
        return false;
    name = ct_mem_copy(kernel, strlen(kernel));
    if (!name || !ct_map_put_hash(&state.group_of, hash, state.group_count)) {
        free(name);
        return false;
    }
    state.groups[state.group_count++] = (struct shape_group){.kernel = name};
    return true;
}

/* A line about the newest group: its number, and what was said of it. */
static void log_group(const struct ct_str *text)
{
    struct ct_str line;

    ct_str_init(&line);
    ct_str_addf(&line, "{\"group\":%zu", state.group_count - 1);
    ct_str_add(&line, text->data, text->length);
    ct_log_line(state.log, &line);
    ct_str_release(&line);
}

/* The group with the hash, -1 if there is none. */
static long find_group(const struct ct_hash *hash)
{
    uint64_t index;

    return ct_map_find_hash(&state.group_of, hash, &index) ? (long)index : -1;
}

/* A new group, unless another thread has made it; -1 if there is no room for one more. */
static long make_group(const struct ct_hash *hash, const char *kernel,
                       const struct ct_str *text)
{
    long group = find_group(hash);

    if (group >= 0)
        return group;
    if (add_group(hash, kernel)) {
        log_group(text);
        return (long)state.group_count - 1;
    }
    if (!state.crowded)
        ct_layer_say("there are more than %d different launches: further ones are not "
                     "counted",
                     (int)CT_COUNTERS_MOST);
    state.crowded = true;
    return -1;
}

static bool is_wanted(const struct shape_group *group)
{
    bool named = !state.kernel || strcmp(state.kernel, group->kernel) == 0;

    if (!state.writing || !named)
        return false;
    state.matched++;
    if (state.number)
        return state.matched == state.number;
    return !group->settled;
}

/* --- launches --- */

/* The group of a launch, -1 if there is no room for one more. */
static long group_of(const struct ct_layer_launch *launch)
{
    struct ct_hash hash = hash_of(launch);
    struct ct_str text;
    long group;

    pthread_mutex_lock(&ct_layer_lock);
    group = find_group(&hash);
    pthread_mutex_unlock(&ct_layer_lock);
    if (group >= 0)
        return group;
    ct_str_init(&text);
    describe_group(launch, &text);
    pthread_mutex_lock(&ct_layer_lock);
    group = make_group(&hash, launch->record->name, &text);
    pthread_mutex_unlock(&ct_layer_lock);
    ct_str_release(&text);
    return group;
}

cl_int ct_capture_launch(const struct ct_layer_launch *launch)
{
    cl_event own = NULL;
    /* Not even an event more for a launch that runs nothing: see ct_layer_is_empty. */
    cl_event *event = launch->event || ct_layer_is_empty(launch) ? launch->event : &own;
    bool wanted;
    long group;
    cl_int code;

    /* No queue: OpenCL says so. */
    if (!ct_layer_device_of(launch->queue))
        return ct_layer_enqueue(launch, launch->event);
    group = group_of(launch);
    pthread_mutex_lock(&ct_layer_lock);
    wanted = group >= 0 && is_wanted(&state.groups[group]);
    /* One thread captures a shape. */
    if (wanted)
        state.groups[group].settled = true;
    pthread_mutex_unlock(&ct_layer_lock);
    if (wanted) {
        enum ct_snapshot_outcome outcome =
            ct_snapshot_take(launch, &state.snapshot, (size_t)group, event, &code);

        pthread_mutex_lock(&ct_layer_lock);
        if (outcome == CT_SNAPSHOT_LATER)
            state.groups[group].settled = ++state.groups[group].put_off > PUT_OFF_MOST;
        else if (outcome == CT_SNAPSHOT_FULL)
            state.writing = false;
        pthread_mutex_unlock(&ct_layer_lock);
    } else {
        code = ct_layer_enqueue(launch, event);
    }
    if (!code && group >= 0)
        __atomic_fetch_add(&state.counters[group].launches, 1, __ATOMIC_RELAXED);
    if (code || group < 0 || !event) {
        if (!code && own)
            ct_real.clReleaseEvent(own);
        return code;
    }
    if (launch->event)
        ct_real.clRetainEvent(*event);
    ct_times_await(*event, &state.counters[group], false);
    return code;
}
