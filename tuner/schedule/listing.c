// SPDX-License-Identifier: Apache-2.0
// Asks a short-lived worker for the devices, and for the overheads of using one.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS, MAP_NORESERVE
#include "schedule/runner_impl.h"
#include "schedule/measure.h"

#include <sys/mman.h>
#include <sys/resource.h>

/* PoCL and its compiler take 200 MiB of address space, other drivers up to this. */
enum { DRIVER_MIB = 256 };

enum ct_status ct_ask_worker(struct ct_worker *worker, bool *started,
                             enum ct_message request, const struct ct_str *payload,
                             enum ct_phase phase, enum ct_message wanted,
                             const char *purpose, struct ct_err *err)
{
    struct ct_deadlines deadlines = ct_deadlines_default(60);
    struct ct_exchange x;
    struct ct_str death;
    enum ct_status status;

    *started = false;
    if (ct_worker_interrupted())
        return ct_runner_interrupted(err);
    status = ct_worker_start(worker, NULL, 0, err);
    if (status)
        return status;
    *started = true;
    ct_exchange_run(&x, worker, request, payload, phase, &deadlines);
    if (x.end == CT_WORKER_STOP)
        return ct_runner_interrupted(err);
    if (x.end == CT_WORKER_LATE)
        return ct_err_set(err, CT_E_DEVICE, "%s took over %.0f s", purpose,
                          (double)deadlines.ns[phase] / 1e9);
    if (x.end == CT_WORKER_DEAD) {
        ct_str_init(&death);
        ct_worker_death(worker, &death);
        status = ct_err_set(err, CT_E_DEVICE,
                            "an OpenCL driver failed while %s: the worker process %s",
                            purpose, death.data);
        ct_str_release(&death);
        return status;
    }
    return x.reply == wanted ? CT_OK : ct_exchange_error(worker, err);
}

/* The smallest limit on a process's memory, in MiB; 0: none. */
static uint64_t memory_limit_mib(void)
{
    static const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
    uint64_t least = 0;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct rlimit limit;
        uint64_t mib;

        if (getrlimit(kinds[i], &limit) || limit.rlim_cur == RLIM_INFINITY)
            continue;
        mib = limit.rlim_cur / 1024 / 1024;
        least = !least || mib < least ? mib + !mib : least;
    }
    return least;
}

/* Whether a driver with its compiler does not fit into the address space of a process like this. */
static bool lacks_room(void)
{
    size_t size_bytes = (size_t)DRIVER_MIB << 20;
    void *room = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (room == MAP_FAILED)
        return true;
    munmap(room, size_bytes);
    return false;
}

/* The OpenCL loader silently skips drivers that it cannot load. */
static enum ct_status no_device(struct ct_err *err)
{
    uint64_t limit_mib = memory_limit_mib();

    if (limit_mib && lacks_room())
        return ct_err_set(
            err, CT_E_NO_DEVICE,
            "no OpenCL device could be used: the memory limit of %llu MiB per "
            "process (ulimit -v, ulimit -d) is too low to load a driver; raise the "
            "limit",
            (unsigned long long)limit_mib);
    return ct_err_set(err, CT_E_NO_DEVICE,
                      "no OpenCL device found: install a driver (pocl-opencl-icd for the "
                      "CPU, or your vendor's) and check /etc/OpenCL/vendors");
}

static enum ct_status read_devices(const struct ct_worker *worker, struct ct_arena *arena,
                                   struct ct_devinfo **out, size_t *count,
                                   struct ct_err *err)
{
    struct ct_wire_reader in;
    size_t devices;
    struct ct_devinfo *list;

    ct_wire_reader_init(&in, worker->frame.payload.data, worker->frame.payload.length);
    devices = ct_wire_get_count(&in, 8);
    list = ct_arena_array(arena, devices ? devices : 1, sizeof(*list));
    if (!list)
        return ct_err_nomem(err);
    for (size_t i = 0; i < devices; i++)
        ct_devinfo_get(&in, arena, &list[i]);
    if (in.failed)
        return ct_err_set(err, CT_E_WORKER, "the worker sent a damaged list of devices");
    if (!devices)
        return no_device(err);
    *out = list;
    *count = devices;
    return CT_OK;
}

enum ct_status ct_measure_devices(struct ct_arena *arena, struct ct_devinfo **out,
                                  size_t *count, struct ct_err *err)
{
    struct ct_worker worker = {.socket = -1, .output = -1};
    struct ct_str nothing;
    enum ct_status status;
    bool started;

    ct_str_init(&nothing);
    status = ct_ask_worker(&worker, &started, CT_MSG_LIST, &nothing, CT_PHASE_START,
                           CT_MSG_DEVICES, "listing the devices", err);
    if (!status)
        status = read_devices(&worker, arena, out, count, err);
    /* It has opened nothing, and some drivers take a tenth of a second to be unloaded. */
    if (started)
        ct_worker_end(&worker, status != CT_OK);
    return status;
}

static enum ct_status read_overheads(const struct ct_worker *worker,
                                     struct ct_overhead out[CT_OVERHEAD_COUNT],
                                     struct ct_err *err)
{
    struct ct_wire_reader in;

    ct_wire_reader_init(&in, worker->frame.payload.data, worker->frame.payload.length);
    for (int i = 0; i < CT_OVERHEAD_COUNT; i++) {
        out[i].ns = ct_wire_get_f64(&in);
        out[i].low_ns = ct_wire_get_f64(&in);
        out[i].high_ns = ct_wire_get_f64(&in);
    }
    return in.failed ? ct_err_set(err, CT_E_WORKER, "the worker sent damaged overheads")
                     : CT_OK;
}

enum ct_status ct_measure_overheads(const struct ct_devinfo *device,
                                    struct ct_overhead out[CT_OVERHEAD_COUNT],
                                    struct ct_err *err)
{
    struct ct_worker worker = {.socket = -1, .output = -1};
    struct ct_str payload;
    enum ct_status status;
    bool started;

    ct_str_init(&payload);
    ct_devinfo_put(&payload, device);
    if (payload.failed)
        return ct_err_nomem(err);
    status = ct_ask_worker(&worker, &started, CT_MSG_MEASURE_OVERHEADS, &payload,
                           CT_PHASE_DATA, CT_MSG_OVERHEADS, "measuring overheads", err);
    if (!status)
        status = read_overheads(&worker, out, err);
    if (started)
        ct_worker_end(&worker, true);
    ct_str_release(&payload);
    return status;
}
