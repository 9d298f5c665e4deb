/* SPDX-License-Identifier: Apache-2.0 */
/* libcltunedb: loads a program binary that `cltune best --format binary -o FILE` wrote, and
 * refuses it for another device or driver than the one it was built with.  Needs no OpenCL. */
#ifndef CLTUNEDB_BINARY_H
#define CLTUNEDB_BINARY_H

/*-******************************************************************************
 *  The binary is in FILE, and what it is for in FILE.json (doc/binary.schema.json).
 *
 *      cltunedb_binary_device device = CLTUNEDB_BINARY_DEVICE_INIT;
 *      cltunedb_binary *binary;
 *      char message[CLTUNEDB_MESSAGE_BYTES];
 *
 *      device.name = name;             // CL_DEVICE_NAME
 *      device.vendor = vendor;         // CL_DEVICE_VENDOR
 *      device.type = "GPU";
 *      device.driver_version = driver; // CL_DRIVER_VERSION
 *      if (cltunedb_binary_load("fir.bin", &device, &binary, message, sizeof(message)) ==
 *          CLTUNEDB_OK) {
 *          const cltunedb_binary_program *p = &binary->programs[0];
 *          const unsigned char *bytes = p->bytes;
 *          program = clCreateProgramWithBinary(context, 1, &id, &p->size, &bytes, NULL,
 *                                              &error);
 *          ... clBuildProgram(program, 1, &id, p->options, NULL, NULL) ...
 *          cltunedb_binary_free(binary);
 *      } else
 *          ... say message, build from source ...
 *
 *  A binary is code that the driver runs: load only files that you would run.  The hash finds
 *  damage, not forgery.
 ********************************************************************************/

#include "cltunedb.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* The device that is to run it.  Set to CLTUNEDB_BINARY_DEVICE_INIT, then fill in: the first four
 * are necessary, the others are compared if they are given. */
typedef struct {
    size_t struct_bytes;          /* sizeof(cltunedb_binary_device) */
    const char *name;             /* CL_DEVICE_NAME */
    const char *vendor;           /* CL_DEVICE_VENDOR */
    const char *type;             /* "GPU", "CPU", "ACCELERATOR" or "CUSTOM" */
    const char *driver_version;   /* CL_DRIVER_VERSION */
    const char *platform_name;    /* CL_PLATFORM_NAME */
    const char *platform_version; /* CL_PLATFORM_VERSION */
} cltunedb_binary_device;

#define CLTUNEDB_BINARY_DEVICE_INIT                                                      \
    {                                                                                    \
        sizeof(cltunedb_binary_device), NULL, NULL, NULL, NULL, NULL, NULL               \
    }

typedef struct {
    const unsigned char *bytes; /* for clCreateProgramWithBinary */
    size_t size;
    const char *options; /* for clBuildProgram */
} cltunedb_binary_program;

/* A launch of a kernel as it was tuned, in order.  Copies and fills between launches are in the
 * space file only. */
typedef struct {
    const char *kernel; /* for clCreateKernel */
    size_t program;     /* index into `programs` */
    unsigned dims;      /* 1 to 3 */
    size_t global[3];   /* 1 beyond dims */
    size_t local[3];    /* 1 beyond dims; all 0: the driver chooses (NULL) */
    size_t times;       /* launches like this in a row */
} cltunedb_binary_launch;

/* New fields go to the end; callers only hold pointers. */
typedef struct {
    const char *kernel; /* as in cltunedb_answer, like what follows */
    const cltunedb_value *problem;
    size_t problem_count;
    const cltunedb_value *configuration;
    size_t configuration_count;
    const char *flags;
    const char *experiment;
    const cltunedb_binary_program *programs; /* at least one */
    size_t program_count;
    const cltunedb_binary_launch *launches;
    size_t launch_count;
} cltunedb_binary;

/*! cltunedb_binary_load() : reads FILE and FILE.json.
 *  `path` : FILE.
 *  `device` : the device that is to run it.
 *  `out` : receives the binary, to be freed with cltunedb_binary_free(); NULL on failure.
 *  `message`, `message_bytes` : as for cltunedb_open().
 * @return : CLTUNEDB_OK; CLTUNEDB_E_NOT_FOUND if there is no such file, or it is for another
 *      device, driver or platform: build from source; CLTUNEDB_E_DATABASE if one of the files is
 *      damaged, incomplete, larger than 256 MiB (FILE.json: 16 MiB), unreadable or of a newer
 *      version; CLTUNEDB_E_ARGUMENT if an argument or a necessary text of `device` is NULL;
 *      CLTUNEDB_E_MEMORY. */
cltunedb_status cltunedb_binary_load(const char *path,
                                     const cltunedb_binary_device *device,
                                     cltunedb_binary **out, char *message,
                                     size_t message_bytes);

/*! cltunedb_binary_free() : frees it; NULL is allowed. */
void cltunedb_binary_free(cltunedb_binary *binary);

#if defined(__cplusplus)
}
#endif

#endif
