// SPDX-License-Identifier: Apache-2.0
// Moves the contents of buffers and images between a device and files.
#ifndef CT_LAYER_MEMORY_H
#define CT_LAYER_MEMORY_H

#include "layer/arguments.h"

#include "base/hash.h"

/* Failures of OpenCL, besides errno. */
enum { CT_MEMORY_DEVICE = -1 };

/* Reads a buffer or an image, waiting for it, hashes it, and writes it into a new file `path`
 * behind room for a head (NULL: only hashes).  0, an errno, or CT_MEMORY_DEVICE. */
int ct_memory_save(cl_command_queue queue, const struct ct_argument_info *info,
                   const char *path, struct ct_hash *hash);

/* Fills a buffer from such a file. */
int ct_memory_load(cl_command_queue queue, cl_mem buffer, const char *path);

/* Width, height and depth of an image in pixels (those it lacks are 1), bytes of a pixel, and its
 * format. */
bool ct_memory_image(cl_mem image, size_t size[3], size_t *pixel_bytes,
                     cl_image_format *format);

#endif
