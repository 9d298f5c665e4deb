// SPDX-License-Identifier: Apache-2.0
// Which devices there are (VIRTUALCL_DEVICES), and which of them are taken away
// (VIRTUALCL_GONE) or become slower (VIRTUALCL_SLOW) meanwhile.

#include "vcl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct _cl_device_id devices[VCL_DEVICES];
static cl_uint device_count;
static atomic_uint in_use; // by this process: the index of its last context's device + 1

static void reject(const char *text)
{
    fprintf(stderr, "virtual OpenCL: VIRTUALCL_DEVICES: what is '%s'?\n", text);
    abort();
}

// One word behind a model: cpu, or slow=PERCENT more time.
static void read_word(struct _cl_device_id *device, const char *word, size_t length,
                      const char *all)
{
    int64_t percent;
    if (vcl_is(word, length, "cpu"))
        device->cpu = true;
    else if (length > 5 && strncmp(word, "slow=", 5) == 0 &&
             vcl_read_whole(word + 5, length - 5, false, &percent) && percent <= 10000)
        device->percent = 100 + (cl_ulong)percent;
    else
        reject(all);
}

static void read_device(struct _cl_device_id *device, const char *text, size_t length,
                        const char *all)
{
    size_t word = strcspn(text, ":,");
    int64_t model;
    if (!vcl_read_whole(text, word, false, &model) || model >= VCL_MODELS)
        reject(all);
    device->model = (unsigned)model;
    while (word < length) {
        const char *next = text + word + 1;
        size_t more = strcspn(next, ":,");
        read_word(device, next, more, all);
        word += 1 + more;
    }
}

static void start(void)
{
    const char *text = getenv("VIRTUALCL_DEVICES");
    const char *all = text && *text ? text : "0,1";
    for (text = all; *text;) {
        size_t length = strcspn(text, ",");
        struct _cl_device_id *device = &devices[device_count];
        if (device_count == VCL_DEVICES)
            reject(all);
        device->object.kind = VCL_DEVICE;
        device->object.dispatch = vcl_dispatch();
        device->index = device_count++;
        device->percent = 100;
        read_device(device, text, length, all);
        text += length + (text[length] == ',');
    }
}

cl_uint vcl_device_count(void)
{
    pthread_once(&once, start);
    return device_count;
}

cl_device_id vcl_device(unsigned index)
{
    pthread_once(&once, start);
    return &devices[index];
}

// Whether the file that a variable names for a device exists.
static bool has_file(const char *variable, unsigned index)
{
    const char *prefix = getenv(variable);
    char path[512];
    if (!prefix || !*prefix)
        return false;
    snprintf(path, sizeof path, "%s.%u", prefix, index);
    return access(path, F_OK) == 0;
}

cl_ulong vcl_device_time(cl_device_id device, cl_ulong time_ns)
{
    cl_ulong percent =
        has_file("VIRTUALCL_SLOW", device->index) ? 2 * device->percent : device->percent;
    return (device->model == 0 ? time_ns : time_ns / 10) * percent / 100;
}

void vcl_device_use(cl_device_id device)
{
    atomic_store(&in_use, device->index + 1);
}

bool vcl_device_is_gone(void)
{
    unsigned used = atomic_load(&in_use);
    return used && has_file("VIRTUALCL_GONE", used - 1);
}
