// SPDX-License-Identifier: Apache-2.0
// Tables of programs and kernels by handle.
#include "layer/objects.h"

#include "base/mem.h"
#include "base/str.h"
#include "layer/exec.h"
#include "spacefile/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

struct link {
    const void *handle;
    void *record;
    struct link *next;
};

static struct link *programs[BUCKETS];
static struct link *kernels[BUCKETS];
static pthread_rwlock_t tables = PTHREAD_RWLOCK_INITIALIZER;

/* --- the tables; the caller holds the lock --- */

static size_t bucket_of(const void *handle)
{
    uint64_t bits = (uint64_t)(uintptr_t)handle;

    return (size_t)((bits * 0x9e3779b97f4a7c15u) >> 54);
}

static void *find(struct link **table, const void *handle)
{
    for (struct link *link = table[bucket_of(handle)]; link; link = link->next)
        if (link->handle == handle)
            return link->record;
    return NULL;
}

static bool insert(struct link **table, const void *handle, void *record)
{
    struct link *link = ct_mem_array(1, sizeof(*link));
    struct link **head = &table[bucket_of(handle)];

    if (!link)
        return false;
    *link = (struct link){handle, record, *head};
    *head = link;
    atomic_fetch_add(&ct_layer_generation, 1);
    return true;
}

static void *take_out(struct link **table, const void *handle)
{
    atomic_fetch_add(&ct_layer_generation, 1);
    for (struct link **at = &table[bucket_of(handle)]; *at; at = &(*at)->next) {
        struct link *link = *at;
        void *record = link->record;

        if (link->handle != handle)
            continue;
        *at = link->next;
        free(link);
        return record;
    }
    return NULL;
}

/* --- programs --- */

/* The program if this was the last reference, NULL otherwise.  The caller holds the lock. */
static struct ct_layer_program *unreference(struct ct_layer_program *program)
{
    return program && !--program->references ? program : NULL;
}

/* Frees a program without references, if it is any.  Without the lock: drivers may call programs back when
 * objects are released. */
static void free_program(struct ct_layer_program *program)
{
    if (!program)
        return;
    ct_exec_forget_program(program);
    if (program->uninformed)
        ct_real.clReleaseKernel(program->uninformed);
    free(program->source);
    free(program->options);
    free(program);
}

void ct_objects_add_program(cl_program handle, cl_context context, char *source,
                            size_t length, const char *unusable)
{
    struct ct_layer_program *program = ct_mem_array(1, sizeof(*program));
    struct ct_layer_program *old;
    bool kept;

    if (!program) {
        free(source);
        return;
    }
    *program = (struct ct_layer_program){.handle = handle,
                                         .context = context,
                                         .source = source,
                                         .length = length,
                                         .options = ct_mem_copy("", 0),
                                         .unusable = unusable,
                                         .references = 1};
    pthread_rwlock_wrlock(&tables);
    old = unreference(take_out(programs, handle));
    kept = program->options && insert(programs, handle, program);
    pthread_rwlock_unlock(&tables);
    free_program(old);
    if (!kept)
        free_program(program);
}

/* The identity: of the source nothing but comments and blanks may change, and of the options
 * blanks. */
static struct ct_hash hash_of(const struct ct_layer_program *program)
{
    struct ct_str text;
    struct ct_hash hash = {""};
    bool blank = true;

    ct_str_init(&text);
    ct_source_strip(program->source, program->length, &text);
    ct_str_putc(&text, '\0');
    for (const char *at = program->options; *at; at++) {
        bool space = isspace((unsigned char)*at) != 0;

        if (!space && blank)
            ct_str_putc(&text, ' ');
        if (!space)
            ct_str_putc(&text, *at);
        blank = space;
    }
    if (!text.failed)
        hash = ct_hash_bytes(text.data, text.length);
    ct_str_release(&text);
    return hash;
}

static const char mixed[] = "its program was built with other options for another device";

/* Whether one of the program's devices has a build with other options than another: `options` of a
 * record are those of all. */
static bool is_mixed(cl_program handle)
{
    cl_uint count = 0;
    cl_device_id *devices = NULL;
    char texts[2][4096] = {"", ""};
    int known = 0;
    bool differs = false;

    if (!ct_real.clGetProgramInfo(handle, CL_PROGRAM_NUM_DEVICES, sizeof(count), &count,
                                  NULL) &&
        count > 1)
        devices = ct_mem_array(count, sizeof(cl_device_id));
    if (!devices || ct_real.clGetProgramInfo(handle, CL_PROGRAM_DEVICES,
                                             count * sizeof(cl_device_id), devices, NULL))
        count = 0;
    for (cl_uint i = 0; i < count && !differs; i++) {
        cl_build_status status = CL_BUILD_NONE;

        if (ct_real.clGetProgramBuildInfo(handle, devices[i], CL_PROGRAM_BUILD_STATUS,
                                          sizeof(status), &status, NULL) ||
            status != CL_BUILD_SUCCESS ||
            ct_real.clGetProgramBuildInfo(handle, devices[i], CL_PROGRAM_BUILD_OPTIONS,
                                          sizeof(texts[0]) - 1, texts[known], NULL))
            continue;
        differs = known && strcmp(texts[0], texts[1]) != 0;
        known = 1;
    }
    free(devices);
    return differs;
}

void ct_objects_built(cl_program handle, const char *options, const char *why)
{
    struct ct_layer_program *program;
    bool differs = is_mixed(handle);
    char *copy = ct_mem_copy(options ? options : "", options ? strlen(options) : 0);

    pthread_rwlock_wrlock(&tables);
    program = find(programs, handle);
    if (program && copy) {
        free(program->options);
        program->options = copy;
        program->without_options = !options;
        copy = NULL;
        if (!program->unusable || program->unusable == mixed)
            program->unusable = differs ? mixed : NULL;
        if (why)
            program->unusable = why;
        if (program->source)
            program->hash = hash_of(program);
    }
    pthread_rwlock_unlock(&tables);
    free(copy);
}

bool ct_objects_is_usable(cl_program handle)
{
    const struct ct_layer_program *program;
    bool usable;

    pthread_rwlock_rdlock(&tables);
    program = find(programs, handle);
    usable = program && program->source && !program->unusable;
    pthread_rwlock_unlock(&tables);
    return usable;
}

void ct_objects_inform(cl_program handle, bool informed)
{
    struct ct_layer_program *program;

    pthread_rwlock_rdlock(&tables);
    program = find(programs, handle);
    if (program)
        atomic_store(&program->informed, informed);
    pthread_rwlock_unlock(&tables);
}

void ct_objects_inform_as(cl_program handle, cl_program part)
{
    const struct ct_layer_program *of;
    struct ct_layer_program *program;

    pthread_rwlock_wrlock(&tables);
    of = find(programs, part);
    program = find(programs, handle);
    if (program && of && atomic_load(&of->informed)) {
        atomic_store(&program->informed, true);
        program->without_options = of->without_options;
    }
    pthread_rwlock_unlock(&tables);
}

bool ct_objects_is_informed(cl_program handle)
{
    struct ct_layer_program *program;
    bool informed;

    pthread_rwlock_rdlock(&tables);
    program = find(programs, handle);
    informed = program && atomic_load(&program->informed);
    pthread_rwlock_unlock(&tables);
    return informed;
}

/* The options of both steps; false if one is for linking only, or out of memory. */
static bool put_link_options(const char *compiled, const char *linked, struct ct_str *out)
{
    linked = linked ? linked : "";
    ct_str_addf(out, "%s%s%s", compiled, *linked ? " " : "", linked);
    return !out->failed && !strstr(linked, "-create-library") &&
           !strstr(linked, "-enable-link");
}

bool ct_objects_linked(cl_program handle, cl_context context, cl_program part,
                       const char *options)
{
    const struct ct_layer_program *of;
    char *source = NULL;
    struct ct_str all;
    size_t length = 0;
    bool usable = false;

    ct_str_init(&all);
    pthread_rwlock_rdlock(&tables);
    of = find(programs, part);
    if (of && of->source && !of->unusable) {
        length = of->length;
        source = ct_mem_copy(of->source, length);
        usable = put_link_options(of->options, options, &all) && source;
    }
    pthread_rwlock_unlock(&tables);
    if (usable) {
        ct_objects_add_program(handle, context, source, length, NULL);
        ct_objects_built(handle, all.data, NULL);
    } else {
        free(source);
    }
    ct_str_release(&all);
    return usable;
}

void ct_objects_release_program(cl_program handle)
{
    struct ct_layer_program *program;
    cl_uint count = 0;

    if (ct_real.clGetProgramInfo(handle, CL_PROGRAM_REFERENCE_COUNT, sizeof(count),
                                 &count, NULL) ||
        count != 1)
        return;
    pthread_rwlock_wrlock(&tables);
    program = unreference(take_out(programs, handle));
    pthread_rwlock_unlock(&tables);
    free_program(program);
}

/* --- kernels --- */

/* Frees a kernel that is in no table, if it is any, and what only it held.  Without the lock. */
static void drop_kernel(struct ct_layer_kernel *kernel)
{
    struct ct_layer_program *program;

    if (!kernel)
        return;
    pthread_rwlock_wrlock(&tables);
    program = unreference(kernel->program);
    pthread_rwlock_unlock(&tables);
    ct_exec_forget_kernel(kernel);
    for (cl_uint i = 0; kernel->arguments && i < kernel->argument_count; i++)
        free(kernel->arguments[i].bytes);
    free_program(program);
    free(kernel->arguments);
    free(kernel->name);
    free(kernel);
}

static char *name_of(cl_kernel handle)
{
    size_t size = 0;
    char *name;

    if (ct_real.clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, 0, NULL, &size))
        return NULL;
    name = ct_mem_array(size + 1, 1);
    if (name &&
        ct_real.clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, size, name, NULL))
        name[0] = '\0';
    return name;
}

void ct_objects_set(struct ct_layer_kernel *kernel, cl_uint index, size_t size_bytes,
                    const void *value, bool pointer)
{
    struct ct_layer_argument *argument;

    if (index >= kernel->argument_count)
        return;
    argument = &kernel->arguments[index];
    kernel->unknown_count -= !ct_layer_argument_is_known(argument);
    if (!value || argument->size_bytes != size_bytes || !argument->bytes) {
        free(argument->bytes);
        argument->bytes = value ? ct_mem_array(size_bytes, 1) : NULL;
    }
    argument->size_bytes = size_bytes;
    argument->set = !value || argument->bytes;
    argument->pointer = pointer;
    kernel->unknown_count += !ct_layer_argument_is_known(argument);
    if (argument->bytes)
        memcpy(argument->bytes, value, size_bytes);
}

void ct_objects_add_kernel(cl_kernel handle, cl_program program, cl_kernel model)
{
    struct ct_layer_kernel *kernel = ct_mem_array(1, sizeof(*kernel));
    struct ct_layer_kernel *earlier;
    const struct ct_layer_kernel *old;
    bool kept;

    if (!kernel)
        return;
    kernel->handle = handle;
    kernel->name = name_of(handle);
    ct_real.clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof(kernel->argument_count),
                            &kernel->argument_count, NULL);
    kernel->arguments =
        ct_mem_array(kernel->argument_count + 1u, sizeof(*kernel->arguments));
    kernel->unknown_count = kernel->argument_count;
    pthread_rwlock_wrlock(&tables);
    earlier = take_out(kernels, handle);
    old = model ? find(kernels, model) : NULL;
    kernel->program = old ? old->program : find(programs, program);
    if (kernel->program)
        kernel->program->references++;
    if (old && kernel->arguments) {
        kernel->special = old->special;
        for (cl_uint i = 0; i < old->argument_count; i++)
            if (old->arguments[i].set)
                ct_objects_set(kernel, i, old->arguments[i].size_bytes,
                               old->arguments[i].bytes, old->arguments[i].pointer);
    }
    kept = kernel->name && kernel->arguments && kernel->program &&
           insert(kernels, handle, kernel);
    pthread_rwlock_unlock(&tables);
    drop_kernel(earlier);
    if (!kept)
        drop_kernel(kernel);
}

void ct_objects_release_kernel(cl_kernel handle)
{
    struct ct_layer_kernel *kernel;
    cl_uint count = 0;

    if (ct_real.clGetKernelInfo(handle, CL_KERNEL_REFERENCE_COUNT, sizeof(count), &count,
                                NULL) ||
        count != 1)
        return;
    pthread_rwlock_wrlock(&tables);
    kernel = take_out(kernels, handle);
    pthread_rwlock_unlock(&tables);
    drop_kernel(kernel);
}

struct ct_layer_kernel *ct_objects_kernel(cl_kernel handle)
{
    /* Programs call for one kernel many times in a row. */
    static CT_LAYER_THREAD struct {
        cl_kernel handle;
        struct ct_layer_kernel *record;
        unsigned generation;
    } last;
    unsigned generation =
        atomic_load_explicit(&ct_layer_generation, memory_order_acquire);

    if (handle && handle == last.handle && generation == last.generation)
        return last.record;
    pthread_rwlock_rdlock(&tables);
    last.record = find(kernels, handle);
    pthread_rwlock_unlock(&tables);
    last.handle = handle;
    last.generation = generation;
    return last.record;
}
