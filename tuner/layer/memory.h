// SPDX-License-Identifier: Apache-2.0
// Moves the contents of buffers and images between a device and files.
#ifndef CT_LAYER_MEMORY_H
#define CT_LAYER_MEMORY_H

#include "layer/arguments.h"

#include "base/hash.h"

/* Failures of OpenCL, besides errno. */
enum {
    CT_MEMORY_DEVICE = -1,
    /* A command does not begin (ct_layer_await): it waits for something that the program does later.  The
     * queue must not be waited for, nor released, as some drivers wait for it then. */
    CT_MEMORY_STUCK = -2,
};

/* What makes two contents the same. */
struct ct_memory_digest {
    struct ct_hash all;
    struct ct_hash *pieces; /* that they were read in */
    size_t count;
};

/* Reads a buffer or an image, waiting for it, and writes it into a new file `path` behind room for a
 * head (NULL: no file); but not if it still is what `before` was made of (may be NULL).  The caller
 * releases the digest, also after an error.  0, an errno, or one of the above. */
int ct_memory_save(cl_command_queue queue, const struct ct_argument_info *info,
                   const char *path, const struct ct_memory_digest *before,
                   struct ct_memory_digest *digest);

/* Of a digest that is all zero, too. */
void ct_memory_release(struct ct_memory_digest *digest);

/* A buffer or an image like the argument's own, of which the host may read and write everything; NULL
 * if it cannot be had. */
cl_mem ct_memory_like(cl_context context, const struct ct_argument_info *info);

/* Fills one that ct_memory_like has made from such a file; 0, an errno, or CT_MEMORY_DEVICE. */
int ct_memory_load(cl_command_queue queue, const struct ct_argument_info *info, cl_mem to,
                   const char *path);

/* Fills it with bytes of 0xff. */
bool ct_memory_poison(cl_command_queue queue, const struct ct_argument_info *info,
                      cl_mem to);

/* Enqueues a copy between two that are like the argument's own. */
bool ct_memory_copy(cl_command_queue queue, const struct ct_argument_info *info,
                    cl_mem from, cl_mem to);

/* Bytes of its contents, without what is between rows; 0 if they are not known. */
size_t ct_memory_length(const struct ct_argument_info *info);

/* Reads all of one that ct_memory_like has made, waiting for it.  0 or one of the above; after
 * CT_MEMORY_STUCK the device may still write to `bytes`. */
int ct_memory_read(cl_command_queue queue, const struct ct_argument_info *info,
                   cl_mem from, void *bytes);

/* Waits for a command that was enqueued, and releases its event.  0 or one of the above. */
int ct_memory_await(cl_command_queue queue, cl_event event);

/* Width, height and depth of an image in pixels (those it lacks are 1), bytes of a pixel, and its
 * format. */
bool ct_memory_image(cl_mem image, size_t size[3], size_t *pixel_bytes,
                     cl_image_format *format);

#endif
