// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // dladdr
#include "device/examine.h"

#include "base/clock.h"
#include "device/internal.h"
#include "device/nvml.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- the loader --- */

/* From ocl_icd.h and cl_icd.h of the Khronos loader, which headers of OpenCL do not include. */
typedef cl_int (*loader_info_function)(cl_uint name, size_t size, void *value,
                                       size_t *size_ret);
typedef void *(*extension_function)(const char *name);
enum { LOADER_VERSION = 2, LOADER_NAME = 3 };

static void put_loader_name(const struct ct_opencl *cl, struct ct_str *out)
{
    static const char function[] = "clGetICDLoaderInfoOCLICD";
    loader_info_function ask;
    extension_function find;
    char name[128] = "";
    char version[128] = "";

    if (!ct_library_find(cl->library, function, &ask, sizeof(ask)) &&
        ct_library_find(cl->library, "clGetExtensionFunctionAddress", &find,
                        sizeof(find))) {
        void *address = find(function);

        memcpy(&ask, &address, sizeof(ask));
    }
    if (ask && ask(LOADER_NAME, sizeof(name) - 1, name, NULL) == CL_SUCCESS &&
        ask(LOADER_VERSION, sizeof(version) - 1, version, NULL) == CL_SUCCESS)
        ct_str_addf(out, "%s %s", name, version);
    else
        ct_str_addf(out, "a loader without a name, or a single vendor's library");
}

void ct_examine_loader(struct ct_findings *out)
{
    struct ct_opencl *cl = NULL;
    struct ct_err err = CT_ERR_INIT;
    struct ct_str name;
    Dl_info where = {.dli_fname = "libOpenCL.so.1"};

    /* Asked for its name, ocl-icd loads all drivers: without, none can crash this worker. */
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
    unsetenv("OCL_ICD_FILENAMES");
    /* The message says what to install. */
    if (ct_opencl_load(&cl, &err)) {
        ct_findings_add(out, CT_FINDING_BAD, "loader", "", "%s", err.message);
        return;
    }
    ct_str_init(&name);
    put_loader_name(cl, &name);
    dladdr((void *)(uintptr_t)cl->clGetPlatformIDs, &where);
    ct_findings_add(out, CT_FINDING_GOOD, "loader", "", "%s: %s", name.data,
                    where.dli_fname);
    ct_str_release(&name);
    ct_opencl_free(cl);
}

/* --- a driver --- */

typedef cl_int (*platforms_function)(cl_uint room, cl_platform_id *platforms,
                                     cl_uint *count);

/* Where drivers for loaders have their platforms: an extension, that some export by name too. */
static platforms_function find_platforms(void *library)
{
    static const char name[] = "clIcdGetPlatformIDsKHR";
    platforms_function found = NULL;
    extension_function ask;

    if (ct_library_find(library, "clGetExtensionFunctionAddress", &ask, sizeof(ask))) {
        void *address = ask(name);

        memcpy(&found, &address, sizeof(found));
    }
    if (!found)
        ct_library_find(library, name, &found, sizeof(found));
    return found;
}

static const char *load_remedy(const char *why, const char *library)
{
    if (!strstr(why, "No such file"))
        return "reinstall this driver, or remove its .icd file";
    /* "libfoo.so.1: cannot open ...": the library itself, or one that it needs. */
    if (!strncmp(why, library, strlen(library)))
        return "install the package that has this library, or remove the .icd file";
    return "install the package that has the library that it needs";
}

static void count_platforms(const char *library, platforms_function platforms,
                            struct ct_findings *out)
{
    /* What a driver without devices answers: CL_PLATFORM_NOT_FOUND_KHR. */
    const cl_int none = -1001;
    struct ct_err err = CT_ERR_INIT;
    cl_uint count = 0;
    cl_int code = platforms(0, NULL, &count);

    if (code != CL_SUCCESS && code != none) {
        ct_opencl_fail(&err, "clIcdGetPlatformIDsKHR", code);
        ct_findings_add(out, CT_FINDING_BAD, "driver",
                        "see the driver's documentation on its requirements", "%s: %s",
                        library, err.message);
    } else if (!count || code == none) {
        ct_findings_add(out, CT_FINDING_NOTE, "driver",
                        "if it should have: is its kernel module loaded, and may you "
                        "open its device files (groups render and video)?",
                        "%s is loaded, and has no device here", library);
    } else {
        ct_findings_add(out, CT_FINDING_GOOD, "driver", "", "%s: %u platform%s", library,
                        (unsigned)count, count == 1 ? "" : "s");
    }
}

void ct_examine_driver(const char *library, struct ct_findings *out)
{
    /* As loaders do; drivers do not survive unloading. */
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    platforms_function platforms;

    if (!handle) {
        const char *why = dlerror();

        why = why ? why : "no reason given";
        ct_findings_add(out, CT_FINDING_BAD, "driver", load_remedy(why, library), "%s",
                        why);
        return;
    }
    platforms = find_platforms(handle);
    if (!platforms)
        ct_findings_add(out, CT_FINDING_BAD, "driver",
                        "the .icd file must name a vendor's OpenCL library",
                        "%s is a library, but no OpenCL driver: it lacks "
                        "clIcdGetPlatformIDsKHR",
                        library);
    else
        count_platforms(library, platforms, out);
}

/* --- a device --- */

enum { ITEMS = 4096, LAUNCHES = 64 };

/* Exact in any arithmetic, and different everywhere. */
static const char source[] = "kernel void doctor(global uint *out, uint seed)\n"
                             "{\n"
                             "    uint i = get_global_id(0);\n"
                             "    out[i] = i * 2654435761u + seed;\n"
                             "}\n";

struct patient {
    struct ct_device *device;
    struct ct_program *program;
    struct ct_kernel *kernel;
    struct ct_buffer *buffer;
    uint64_t build_ns;
};

/* Builds the kernel; false if that is found to fail. */
static bool build_kernel(struct patient *p, struct ct_findings *out)
{
    uint64_t start_ns = ct_clock_now_ns();
    struct ct_err err = CT_ERR_INIT;
    struct ct_str log;

    ct_str_init(&log);
    if (ct_program_build(p->device, source, "", &p->program, &log, &err) ||
        ct_kernel_new(p->program, "doctor", &p->kernel, &err)) {
        ct_findings_add(out, CT_FINDING_BAD, "compiles",
                        "the driver's compiler is missing or broken: reinstall it with "
                        "all that it recommends",
                        "no: %s%s%s", err.message, log.length ? ": " : "", log.data);
        ct_str_release(&log);
        return false;
    }
    p->build_ns = ct_clock_now_ns() - start_ns;
    ct_str_release(&log);
    return true;
}

/* Runs the kernel once, then checks; counts wrong results. */
static enum ct_status run(struct patient *p, struct ct_event *event, size_t *wrong,
                          struct ct_err *err)
{
    static const uint64_t global[] = {ITEMS};
    const uint32_t seed = 12345;
    uint32_t *results = calloc(ITEMS, sizeof(*results));
    enum ct_status status = results ? CT_OK : ct_err_nomem(err);

    if (!status && !p->buffer)
        status = ct_buffer_new(p->device, ITEMS * sizeof(*results), CT_HOME_DEVICE,
                               &p->buffer, err);
    if (!status)
        status = ct_kernel_set_buffer(p->kernel, 0, p->buffer, err);
    if (!status)
        status = ct_kernel_set_value(p->kernel, 1, &seed, sizeof(seed), err);
    if (!status)
        status = ct_kernel_launch(p->kernel, 1, global, NULL, event, err);
    if (!status)
        status = ct_device_finish(p->device, err);
    if (!status)
        status = ct_event_executed(p->device, *event, err);
    if (!status)
        status = ct_buffer_read(p->buffer, results, err);
    *wrong = 0;
    for (uint32_t i = 0; results && !status && i < ITEMS; i++)
        *wrong += results[i] != (uint32_t)(i * 2654435761U + seed);
    free(results);
    return status;
}

static void release(struct patient *p)
{
    ct_buffer_free(p->buffer);
    ct_kernel_free(p->kernel);
    ct_program_free(p->program);
}

void ct_examine_build(struct ct_device *device, struct ct_findings *out)
{
    struct patient p = {.device = device};

    if (build_kernel(&p, out))
        ct_findings_add(out, CT_FINDING_GOOD, "compiles", "", "in %.0f ms",
                        (double)p.build_ns / 1e6);
    release(&p);
}

static void run_once(struct patient *p, struct ct_findings *out)
{
    struct ct_event event = {NULL};
    struct ct_err err = CT_ERR_INIT;
    size_t wrong;

    if (run(p, &event, &wrong, &err))
        ct_findings_add(out, CT_FINDING_BAD, "runs",
                        "update or reinstall the driver; its log or dmesg may say more",
                        "no: %s", err.message);
    else if (wrong)
        ct_findings_add(out, CT_FINDING_BAD, "runs",
                        "update the driver; do not trust what it computes",
                        "%zu of %d results are wrong", wrong, ITEMS);
    else
        ct_findings_add(out, CT_FINDING_GOOD, "runs", "", "%d of %d results are right",
                        ITEMS, ITEMS);
    ct_event_free(p->device, &event);
}

static const char wall_clock[] = "searches use the host's clock instead, which includes "
                                 "the time that a launch takes to begin";

/* The smallest difference between two durations that are not equal, which is the clock's step if
 * it is coarse; 0 if all are equal. */
static uint64_t least_step(const uint64_t *durations_ns, size_t count)
{
    uint64_t least = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (durations_ns[i] > durations_ns[k] &&
                (!least || durations_ns[i] - durations_ns[k] < least))
                least = durations_ns[i] - durations_ns[k];
    return least;
}

/* Times launches; false if the driver does not tell. */
static bool time_launches(struct patient *p, uint64_t *durations_ns, size_t *backwards,
                          struct ct_findings *out)
{
    for (size_t i = 0; i < LAUNCHES; i++) {
        struct ct_event event = {NULL};
        struct ct_err err = CT_ERR_INIT;
        uint64_t start_ns = 0;
        uint64_t end_ns = 0;
        size_t wrong;
        bool known = !run(p, &event, &wrong, &err) &&
                     ct_event_times(p->device, event, &start_ns, &end_ns);

        ct_event_free(p->device, &event);
        if (!known) {
            ct_findings_add(
                out, CT_FINDING_NOTE, "profiles", wall_clock,
                "the driver does not report when launches began and ended%s%s",
                err.message[0] ? ": " : "", err.message);
            return false;
        }
        *backwards += end_ns < start_ns;
        durations_ns[i] = end_ns - start_ns;
    }
    return true;
}

static void run_often(struct patient *p, struct ct_findings *out)
{
    uint64_t durations_ns[LAUNCHES];
    size_t backwards = 0;
    int64_t stated_ns =
        ct_devinfo_int(&p->device->info, CT_DEVICE_PROFILING_TIMER_RESOLUTION, 0);
    uint64_t step_ns;

    if (!time_launches(p, durations_ns, &backwards, out))
        return;
    step_ns = least_step(durations_ns, LAUNCHES);
    if (backwards)
        ct_findings_add(out, CT_FINDING_NOTE, "profiles", wall_clock,
                        "%zu of %d launches end before they begin", backwards, LAUNCHES);
    else if (!step_ns)
        ct_findings_add(out, CT_FINDING_NOTE, "profiles", wall_clock,
                        "all of %d launches took %" PRIu64
                        " ns: the clock of launches does not advance, or is coarse",
                        LAUNCHES, durations_ns[0]);
    else
        ct_findings_add(out, CT_FINDING_GOOD, "profiles", "",
                        "launch times have a resolution of %" PRIu64
                        " ns (the driver says %" PRId64 " ns)",
                        step_ns, stated_ns);
}

void ct_examine_run(struct ct_device *device, struct ct_findings *out)
{
    struct patient p = {.device = device};

    if (build_kernel(&p, out))
        run_once(&p, out);
    release(&p);
}

void ct_examine_clock(struct ct_device *device, struct ct_findings *out)
{
    struct patient p = {.device = device};

    if (build_kernel(&p, out))
        run_often(&p, out);
    release(&p);
}

void ct_examine_sensors(struct ct_device *device, struct ct_findings *out)
{
    struct ct_nvml *nvml;

    if (!ct_info_has(&device->info, "cl_nv_device_attribute_query"))
        return;
    nvml = ct_nvml_open(device);
    if (nvml)
        ct_findings_add(out, CT_FINDING_GOOD, "sensors", "",
                        "NVML reads clocks, power and temperature");
    else
        ct_findings_add(out, CT_FINDING_NOTE, "sensors",
                        "libnvidia-ml.so.1 comes with NVIDIA's driver (Debian: "
                        "libnvidia-ml1)",
                        "no NVML: clocks, power and temperature are unknown");
    ct_nvml_close(nvml);
}
