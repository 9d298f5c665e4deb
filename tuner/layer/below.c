// SPDX-License-Identifier: Apache-2.0
// What all of the layer uses: OpenCL below it, the lock, messages.
#define _GNU_SOURCE // dprintf
#include "layer/real.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct _cl_icd_dispatch ct_real;
pthread_mutex_t ct_layer_lock = PTHREAD_MUTEX_INITIALIZER;

const char *ct_layer_variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

void ct_layer_say(const char *format, ...)
{
    char text[1024];
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (length > 0)
        dprintf(STDERR_FILENO, "cltune: %s\n", text);
}
