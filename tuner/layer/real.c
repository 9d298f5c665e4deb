// SPDX-License-Identifier: Apache-2.0
// Both ways into the layer: a loader's table (CL/cl_layer.h), or symbols in front of the loader's.
#define _GNU_SOURCE // RTLD_NEXT, dlvsym
#include "layer/real.h"

#include "layer/capture.h"
#include "layer/exec.h"

#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct _cl_icd_dispatch given; /* to the loader */
atomic_int ct_layer_current_task = CT_LAYER_UNKNOWN;
static bool by_loader;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

/* In a child that was forked from a program with OpenCL, which cannot use it: idle from now on. */
static void stop(void)
{
    atomic_store(&ct_layer_current_task, CT_LAYER_IDLE);
}

/* Both are asked for where a program is run under capture that itself runs another under exec:
 * the innermost one, which is exec. */
static void choose_mode(void)
{
    enum ct_layer_task wanted = CT_LAYER_IDLE;

    if (ct_layer_variable("CLTUNE_EXEC") && ct_exec_begin())
        wanted = CT_LAYER_EXEC;
    else if (ct_layer_variable("CLTUNE_CAPTURE") && ct_capture_begin())
        wanted = CT_LAYER_CAPTURE;
    if (wanted != CT_LAYER_IDLE)
        pthread_atfork(NULL, NULL, stop);
    atomic_store(&ct_layer_current_task, (int)wanted);
}

/* --- a loader with layers --- */

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size,
                                               void *value, size_t *size_ret)
{
    static const char text[] = "cltune";
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *source = name == CL_LAYER_API_VERSION ? (const void *)&version : text;
    size_t needed = name == CL_LAYER_API_VERSION ? sizeof(version) : sizeof(text);

    if (name != CL_LAYER_API_VERSION && name != CL_LAYER_NAME)
        return CL_INVALID_VALUE;
    if (value && size < needed)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, source, needed);
    if (size_ret)
        *size_ret = needed;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint num_entries,
                                            const cl_icd_dispatch *target,
                                            cl_uint *num_entries_ret,
                                            const cl_icd_dispatch **layer)
{
    enum { MOST = sizeof(ct_real) / sizeof(void *) };
    size_t count = num_entries < MOST ? num_entries : MOST;

    if (!target || !num_entries_ret || !layer)
        return CL_INVALID_VALUE;
    /* A shorter table is an older loader's. */
    memcpy(&ct_real, (const void *)target,
           count * sizeof(void *)); // cppcheck-suppress pointerSize
    given = ct_real;
    by_loader = true;
    choose_mode();
    if (atomic_load(&ct_layer_current_task) != CT_LAYER_IDLE) {
#define CT_WRAPPED(name)                                                                 \
    if (ct_real.name)                                                                    \
        given.name = name;
#include "layer/entries.def"
    }
    *num_entries_ret = (cl_uint)count;
    *layer = &given;
    return CL_SUCCESS;
}

/* --- LD_PRELOAD --- */

typedef void *find_function(void *handle, const char *name);

/* The system's own dlsym, since ours has its name.  Other C libraries than glibc have no way to find
 * theirs behind ours: there the layer has none, and programs that open the loader themselves need one
 * with layers. */
#ifdef __GLIBC__
static find_function *system_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17",
                                           "GLIBC_2.4"};
    static find_function *_Atomic found;

    for (size_t i = 0; !atomic_load(&found) && i < sizeof(versions) / sizeof(*versions);
         i++) {
        void *address = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        find_function *function;

        memcpy(&function, &address, sizeof(function));
        atomic_store(&found, function);
    }
    return atomic_load(&found);
}
#else
static find_function *system_dlsym(void)
{
    return dlsym;
}
#endif

/* Takes the functions from `handle`, a loader that the program has opened, or RTLD_NEXT. */
static void find_all(void *handle)
{
    find_function *find = system_dlsym();

    if (!find)
        return;
#define CT_WRAPPED(name)                                                                 \
    if (!ct_real.name) {                                                                 \
        void *address = find(handle, #name);                                             \
        memcpy(&ct_real.name, &address, sizeof(address));                                \
    }
#define CT_CALLED(name) CT_WRAPPED(name)
#include "layer/entries.def"
}

static void prepare(void)
{
    if (by_loader)
        return;
    find_all(RTLD_NEXT);
    choose_mode();
}

void ct_layer_prepare(void)
{
    pthread_once(&prepared, prepare);
}

#ifdef __GLIBC__
/* Whether the layer was loaded in front of everything else, by its name in LD_PRELOAD. */
static bool is_preloaded(void)
{
    const char *list = getenv("LD_PRELOAD");

    return list && strstr(list, "cltune-layer") != NULL;
}

static void *ours(const char *name)
{
#define CT_WRAPPED(entry)                                                                \
    if (strcmp(name, #entry) == 0) {                                                     \
        cl_api_##entry function = entry;                                                 \
        void *address;                                                                   \
        memcpy(&address, &function, sizeof(address));                                    \
        return address;                                                                  \
    }
#include "layer/entries.def"
    return NULL;
}

/* Programs that open the loader themselves ask it for its functions: here they get the layer's.
 * All other questions are passed on by a jump, as the answer depends on who asks. */
void *dlsym(void *handle, const char *name)
{
    find_function *find = system_dlsym();
    void *wrapper;

    if (!find)
        return NULL;
    if (name[0] != 'c' || name[1] != 'l' || by_loader || handle == RTLD_NEXT ||
        !is_preloaded())
        return find(handle, name);
    wrapper = ours(name);
    if (!wrapper || !find(handle, name))
        return find(handle, name);
    find_all(handle);
    ct_layer_prepare();
    return wrapper;
}
#endif
