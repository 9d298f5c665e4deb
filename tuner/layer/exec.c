// SPDX-License-Identifier: Apache-2.0
// Replaces launches.
#include "layer/exec.h"

#include "layer/ask.h"
#include "layer/saved.h"
#include "layer/times.h"
#include "layer/variant.h"
#include "layer/verify.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Launches of either kind that --report times first, in turns; the very first of each is not timed:
 * drivers compile there. */
enum { TRIAL_LAUNCHES = 12 };

/* Builds take seconds, rarely a minute. */
enum { SETTLER_S = 60 };

/* What a launch does without the lock, which protects all other members that change. */
enum shortcut { NO_SHORTCUT, AS_IT_IS, OTHER_SIZES };

/* Launches of a program's kernels of one name with one shape: programs may make a new kernel for each
 * launch. */
struct ct_exec_shape {
    struct ct_exec_shape *next;
    char *kernel;
    struct ct_hash hash; /* the program's, which may be built anew with other options */
    cl_device_id device;
    cl_uint dimensions;
    size_t global[3];
    bool has_local;
    size_t local[3];
    _Atomic(enum shortcut) shortcut;
    bool active; /* launches are replaced; never again once they are not */
    bool busy;   /* being verified by a thread */
    struct ct_ask_answer answer;
    const struct ct_exec_program *build; /* NULL: the program's own */
    size_t new_global[3];
    size_t new_local[3];
    bool driver_chooses;
    unsigned long verified;
    struct ct_saved *saved;
};

static unsigned long verify_count;
static bool reports;
static pid_t beginner; /* the process that has begun */
/* A thread finds out what to do with a new shape; the lock protects both. */
static bool settling;
static pthread_t settler;
static pthread_cond_t settled = PTHREAD_COND_INITIALIZER;

/* A child that the program has forked has nothing to report. */
static void finish(void)
{
    if (!reports || getpid() != beginner)
        return;
    ct_times_harvest_last();
    ct_saved_report();
}

bool ct_exec_begin(void)
{
    const char *verify = ct_layer_variable("CLTUNE_EXEC_VERIFY");

    beginner = getpid();
    verify_count = verify ? strtoul(verify, NULL, 10) : 0;
    reports = ct_layer_variable("CLTUNE_EXEC_REPORT") != NULL;
    ct_times_begin(ct_saved_add_time);
    if (reports)
        atexit(finish);
    pthread_atfork(NULL, NULL, ct_ask_forget);
    return true;
}

bool ct_exec_reports(void)
{
    return reports;
}

/* --- records --- */

void ct_exec_set(const struct ct_layer_kernel *kernel, cl_uint index)
{
    if (index >= kernel->argument_count)
        return;
    for (struct ct_variant_kernel *variant = kernel->variants; variant;
         variant = variant->next)
        variant->stale[index] = variant->any_stale = true;
}

void ct_exec_forget_kernel(struct ct_layer_kernel *kernel)
{
    ct_variant_kernels_free(kernel->variants);
    kernel->variants = NULL;
}

void ct_exec_forget_program(struct ct_layer_program *program)
{
    while (program->shapes) {
        struct ct_exec_shape *shape = program->shapes;

        program->shapes = shape->next;
        ct_ask_release(&shape->answer);
        free(shape->kernel);
        free(shape);
    }
    ct_variant_programs_free(program->variants);
    program->variants = NULL;
}

/* --- what fits --- */

static size_t product(const size_t *sizes, cl_uint count)
{
    size_t all = 1;

    for (cl_uint i = 0; i < count; i++)
        all *= sizes[i];
    return all;
}

static bool divides(const size_t *global, const size_t *local, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        if (!local[i] || global[i] % local[i])
            return false;
    return true;
}

/* Work-items that a group of the kernel can have at most on the device. */
static size_t group_max(cl_kernel kernel, cl_device_id device)
{
    size_t most = 0;

    ct_real.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                     sizeof(most), &most, NULL);
    return most;
}

/* Whether another kernel can take the place of the launch's own: its arguments are all known. */
static bool is_plain(const struct ct_layer_launch *launch)
{
    const struct ct_layer_kernel *kernel = launch->record;

    if (launch->task || launch->offset || kernel->special || kernel->program->unusable ||
        !*kernel->program->hash.text || !kernel->program->source)
        return false;
    return !kernel->unknown_count;
}

/* A shape that OpenCL may refuse stays as it is. */
static bool is_legal(const struct ct_layer_launch *launch, cl_device_id device)
{
    if (!product(launch->global, launch->dimensions))
        return false;
    return !launch->local ||
           (divides(launch->global, launch->local, launch->dimensions) &&
            product(launch->local, launch->dimensions) <=
                group_max(launch->kernel, device));
}

static bool has_local_memory(const struct ct_layer_kernel *kernel)
{
    for (cl_uint i = 0; i < kernel->argument_count; i++)
        if (!kernel->arguments[i].bytes)
            return true;
    return false;
}

/* The kernel to launch, with the launch's arguments; NULL if it cannot be had. */
static cl_kernel kernel_for(const struct ct_layer_launch *launch,
                            const struct ct_exec_shape *shape)
{
    return shape->build ? ct_variant_kernel_of(launch->record, shape->build)
                        : launch->kernel;
}

/* NULL, or why the replaced launch cannot be. */
static const char *check_fit(const struct ct_layer_launch *launch,
                             const struct ct_exec_shape *shape)
{
    cl_kernel kernel = kernel_for(launch, shape);
    size_t required[3] = {0};
    size_t items = product(shape->new_local, shape->dimensions);
    size_t sizes[3] = {0};
    cl_ulong used = 0;
    cl_ulong room = 0;

    if (!kernel)
        return "its kernel cannot be made here";
    ct_real.clGetKernelWorkGroupInfo(kernel, shape->device,
                                     CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(required),
                                     required, NULL);
    ct_real.clGetKernelWorkGroupInfo(kernel, shape->device, CL_KERNEL_LOCAL_MEM_SIZE,
                                     sizeof(used), &used, NULL);
    ct_real.clGetDeviceInfo(shape->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(room), &room,
                            NULL);
    ct_real.clGetDeviceInfo(shape->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(sizes),
                            sizes, NULL);
    if (used > room)
        return "it needs more local memory than the device has";
    if (shape->driver_chooses)
        return required[0] ? "its source asks for a work-group" : NULL;
    if (!divides(shape->new_global, shape->new_local, shape->dimensions))
        return "its work-group does not divide the global size";
    if (items > group_max(kernel, shape->device))
        return "its work-group is too large for the kernel here";
    for (cl_uint i = 0; i < shape->dimensions; i++) {
        if (sizes[i] && shape->new_local[i] > sizes[i])
            return "its work-group is too large for the device";
        if (required[0] && shape->new_local[i] != required[i])
            return "its source asks for another work-group";
    }
    /* The program has made as much local memory as its own groups need. */
    if (has_local_memory(launch->record) &&
        (!launch->local || items > product(launch->local, launch->dimensions)))
        return "the program has made local memory for its own work-group";
    return NULL;
}

/* --- shapes --- */

static bool has_sizes(const struct ct_exec_shape *shape,
                      const struct ct_layer_launch *launch)
{
    bool same = shape->dimensions == launch->dimensions &&
                shape->has_local == (launch->local != NULL);

    for (cl_uint i = 0; i < launch->dimensions && same; i++)
        same = shape->global[i] == launch->global[i] &&
               (!launch->local || shape->local[i] == launch->local[i]);
    return same;
}

/* The sizes to use; false if they are those of the program. */
static bool choose_sizes(struct ct_exec_shape *shape)
{
    bool same = true;

    for (cl_uint i = 0; i < shape->dimensions; i++) {
        shape->new_global[i] =
            shape->answer.has_global ? shape->answer.global[i] : shape->global[i];
        if (shape->answer.has_local)
            shape->new_local[i] = shape->answer.local[i];
        else if (shape->has_local)
            shape->new_local[i] = shape->local[i];
        same = same && shape->new_global[i] == shape->global[i] &&
               shape->new_local[i] == shape->local[i];
    }
    shape->driver_chooses = !product(shape->new_local, shape->dimensions);
    return !same;
}

/* Finds out what to do with a new shape.  Builds last, and call the program back: the caller holds no
 * lock. */
static void settle_shape(const struct ct_layer_launch *launch,
                         struct ct_exec_shape *shape)
{
    const char *why = NULL;
    bool other;

    if (!is_legal(launch, shape->device) || !ct_ask(launch, &shape->answer))
        return;
    other = choose_sizes(shape);
    if (ct_variant_is_needed(launch->record->program, &shape->answer)) {
        shape->build =
            ct_variant_program(launch->record->program, shape->device, &shape->answer);
        if (!shape->build)
            why = "it does not build here";
    } else if (!other) {
        return;
    }
    if (!why)
        why = check_fit(launch, shape);
    if (why) {
        ct_layer_say("%s keeps the program's configuration, not %s: %s",
                     launch->record->name, shape->answer.text, why);
        return;
    }
    shape->active = true;
    if (reports)
        shape->saved = ct_saved_new(launch, shape->answer.text);
}

/* A new shape that no list has yet; NULL if out of memory. */
static struct ct_exec_shape *make_shape(const struct ct_layer_launch *launch,
                                        cl_device_id device)
{
    struct ct_exec_shape *shape = ct_mem_array(1, sizeof(*shape));
    size_t bytes = launch->dimensions * sizeof(size_t);

    if (!shape)
        return NULL;
    shape->kernel = ct_mem_copy(launch->record->name, strlen(launch->record->name));
    if (!shape->kernel) {
        free(shape);
        return NULL;
    }
    shape->hash = launch->record->program->hash;
    shape->device = device;
    shape->dimensions = launch->dimensions;
    memcpy(shape->global, launch->global, bytes);
    shape->has_local = launch->local != NULL;
    if (launch->local)
        memcpy(shape->local, launch->local, bytes);
    settle_shape(launch, shape);
    return shape;
}

/* The caller holds the lock.  The context of a program keeps its devices, so that their handles stay what
 * they are as long as its shapes do. */
static struct ct_exec_shape *find_shape(const struct ct_layer_launch *launch,
                                        cl_device_id device)
{
    const struct ct_layer_program *program = launch->record->program;
    struct ct_exec_shape *shape = program->shapes;

    while (shape && !(strcmp(shape->kernel, launch->record->name) == 0 &&
                      strcmp(shape->hash.text, program->hash.text) == 0 &&
                      shape->device == device && has_sizes(shape, launch)))
        shape = shape->next;
    return shape;
}

/* A thread's last launch; the next one most often is the same. */
struct last_launch {
    const struct ct_layer_kernel *kernel;
    struct ct_exec_shape *shape; /* lives while the generation is the same */
    cl_command_queue queue;
    unsigned generation;
};

static CT_LAYER_THREAD struct last_launch own_last;

/* The shape of the thread's last launch if this one is the same, else NULL.  Needs no lock. */
static struct ct_exec_shape *same_shape(const struct ct_layer_launch *launch)
{
    const struct last_launch *last = &own_last;

    return last->kernel == launch->record && last->queue == launch->queue &&
                   last->generation ==
                       atomic_load_explicit(&ct_layer_generation, memory_order_acquire) &&
                   has_sizes(last->shape, launch)
               ? last->shape
               : NULL;
}

/* Waits for a thread that makes a shape; the caller holds the lock.  False if that is this very thread, which
 * a driver has called back, or if it takes too long: it may wait for this one. */
static bool await_settler(void)
{
    struct timespec until;
    bool good = true;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += SETTLER_S;
    while (settling && good)
        good = !pthread_equal(settler, pthread_self()) &&
               !pthread_cond_timedwait(&settled, &ct_layer_lock, &until);
    return !settling;
}

/* The launch's shape, made if it is new; NULL if its device is not known, if out of memory, or if it
 * cannot be made now. */
static struct ct_exec_shape *shape_of(const struct ct_layer_launch *launch)
{
    struct ct_exec_shape *shape = same_shape(launch);
    struct ct_layer_program *program = launch->record->program;
    cl_device_id device = shape ? shape->device : ct_layer_device_of(launch->queue);

    if (shape || !device)
        return shape;
    pthread_mutex_lock(&ct_layer_lock);
    shape = find_shape(launch, device);
    if (!shape && await_settler() && !(shape = find_shape(launch, device))) {
        settling = true;
        settler = pthread_self();
        pthread_mutex_unlock(&ct_layer_lock);
        shape = make_shape(launch, device);
        pthread_mutex_lock(&ct_layer_lock);
        if (shape) {
            shape->next = program->shapes;
            program->shapes = shape;
        }
        settling = false;
        pthread_cond_broadcast(&settled);
    }
    pthread_mutex_unlock(&ct_layer_lock);
    if (shape)
        own_last = (struct last_launch){launch->record, shape, launch->queue,
                                        atomic_load(&ct_layer_generation)};
    return shape;
}

/* --- launches --- */

static struct ct_layer_launch replaced(const struct ct_layer_launch *launch,
                                       const struct ct_exec_shape *shape)
{
    struct ct_layer_launch other = *launch;

    other.kernel = kernel_for(launch, shape);
    other.global = shape->new_global;
    other.local = shape->driver_chooses ? NULL : shape->new_local;
    return other;
}

/* What the next launches need not take the lock for. */
static enum shortcut shortcut_of(const struct ct_exec_shape *shape)
{
    if (!shape->active)
        return AS_IT_IS;
    return shape->busy || shape->build || shape->saved || shape->verified < verify_count
               ? NO_SHORTCUT
               : OTHER_SIZES;
}

/* The program keeps its own launches of this shape from now on. */
static void give_up(const struct ct_layer_launch *launch, struct ct_exec_shape *shape,
                    const char *why)
{
    pthread_mutex_lock(&ct_layer_lock);
    shape->active = false;
    atomic_store(&shape->shortcut, AS_IT_IS);
    pthread_mutex_unlock(&ct_layer_lock);
    ct_layer_say("%s keeps the program's configuration from now on, not %s: %s",
                 launch->record->name, shape->answer.text, why);
}

/* Both ways on copies, and then as the program asks; what differs is never replaced. */
static cl_int run_both(const struct ct_layer_launch *launch, struct ct_exec_shape *shape)
{
    struct ct_layer_launch other = replaced(launch, shape);
    enum ct_verify_outcome outcome = CT_VERIFY_UNKNOWN;
    char why[256] = "its kernel cannot be made here";

    if (other.kernel)
        outcome = ct_verify(launch, &other, why, sizeof(why));
    pthread_mutex_lock(&ct_layer_lock);
    shape->busy = false;
    shape->active = outcome == CT_VERIFY_EQUAL;
    shape->verified += shape->active;
    pthread_mutex_unlock(&ct_layer_lock);
    if (outcome != CT_VERIFY_EQUAL)
        give_up(launch, shape, why);
    if (outcome == CT_VERIFY_DIFFER)
        ct_ask_tell_wrong(launch, &shape->answer);
    return ct_layer_enqueue(launch, launch->event);
}

/* Enqueues one way or the other, timed if that is wanted.  The lock is not held: drivers may wait here
 * for what other threads have yet to enqueue.  The arguments of a replacement stay as they are, as
 * no thread may set those of the program's kernel while it is launched. */
static cl_int enqueue(const struct ct_layer_launch *launch, struct ct_exec_shape *shape,
                      bool replace)
{
    struct ct_layer_launch other = replace ? replaced(launch, shape) : *launch;
    struct ct_saved *saved = shape->saved;
    cl_event own = NULL;
    cl_event *event = launch->event ? launch->event : saved ? &own : NULL;
    uint64_t before;
    cl_int code;

    code = other.kernel ? ct_layer_enqueue(&other, event) : CL_INVALID_KERNEL_ARGS;
    if (code && replace) {
        cl_int own_code = ct_layer_enqueue(launch, launch->event);
        char why[64];

        /* What the program asks for is refused as well: that is its own affair. */
        if (own_code)
            return own_code;
        snprintf(why, sizeof(why), "the launch failed with code %d", code);
        give_up(launch, shape, why);
        return CL_SUCCESS;
    }
    if (code || !saved)
        return code;
    pthread_mutex_lock(&ct_layer_lock);
    before = saved->launches[replace]++;
    pthread_mutex_unlock(&ct_layer_lock);
    if (launch->event)
        ct_real.clRetainEvent(*event);
    if (before)
        ct_times_await(*event, saved, replace);
    else
        ct_real.clReleaseEvent(*event);
    return code;
}

/* A launch like the thread's last one, if only its sizes are replaced: without the lock, which takes
 * as long as all the rest.  False if it is another one, or is refused. */
static bool launch_again(const struct ct_layer_launch *launch, cl_int *code)
{
    const struct ct_exec_shape *shape = same_shape(launch);

    if (!shape)
        return false;
    switch (atomic_load_explicit(&shape->shortcut, memory_order_relaxed)) {
    case AS_IT_IS:
        *code = ct_layer_enqueue(launch, launch->event);
        return true;
    case OTHER_SIZES:
        *code = ct_real.clEnqueueNDRangeKernel(
            launch->queue, launch->kernel, launch->dimensions, NULL, shape->new_global,
            shape->driver_chooses ? NULL : shape->new_local, launch->wait_count,
            launch->waits, launch->event);
        return *code == CL_SUCCESS;
    default:
        return false;
    }
}

/* What to do with a launch, decided under the lock. */
enum way { OWN_WAY, OTHER_WAY, BOTH_WAYS };

static enum way choose_way(struct ct_exec_shape *shape)
{
    enum way way = OTHER_WAY;

    pthread_mutex_lock(&ct_layer_lock);
    atomic_store_explicit(&shape->shortcut, shortcut_of(shape), memory_order_relaxed);
    if (!shape->active || shape->busy)
        way = OWN_WAY;
    else if (shape->verified < verify_count)
        way = BOTH_WAYS;
    shape->busy = shape->busy || way == BOTH_WAYS;
    pthread_mutex_unlock(&ct_layer_lock);
    return way;
}

/* Whether a launch that may be replaced is the program's own: in turns at first, so that both are timed
 * under the same conditions. */
static bool is_own_turn(const struct ct_saved *saved)
{
    bool turn;

    if (!saved)
        return false;
    pthread_mutex_lock(&ct_layer_lock);
    turn = saved->launches[0] + saved->launches[1] < TRIAL_LAUNCHES &&
           saved->launches[0] <= saved->launches[1];
    pthread_mutex_unlock(&ct_layer_lock);
    return turn;
}

cl_int ct_exec_launch(const struct ct_layer_launch *launch)
{
    struct ct_exec_shape *shape;
    cl_int code;

    if (!is_plain(launch))
        return ct_layer_enqueue(launch, launch->event);
    if (launch_again(launch, &code))
        return code;
    shape = shape_of(launch);
    switch (shape ? choose_way(shape) : OWN_WAY) {
    case BOTH_WAYS:
        return run_both(launch, shape);
    case OTHER_WAY:
        return enqueue(launch, shape, !is_own_turn(shape->saved));
    default:
        return ct_layer_enqueue(launch, launch->event);
    }
}
