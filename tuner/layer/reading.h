// SPDX-License-Identifier: Apache-2.0
// Reads a buffer or an image from its device piece by piece, the next one while the last is used.
#ifndef CT_LAYER_READING_H
#define CT_LAYER_READING_H

#include "layer/arguments.h"

/* Pieces of a few MiB stay in a processor's cache until they are hashed and written, and need no
 * memory that the system would have to find first. */
enum { CT_READING_PIECE_BYTES = 2 << 20 };

struct ct_reading;

/* Starts to read all of the argument's memory, also where the host may not read it.  `error`: 0,
 * ENOMEM or a failure of layer/memory.h, for which NULL is returned.  The caller ends it with
 * ct_reading_end.  Nothing may write to the memory meanwhile. */
struct ct_reading *ct_reading_begin(cl_command_queue queue,
                                    const struct ct_argument_info *info, int *error);

/* How many pieces there are. */
size_t ct_reading_count(const struct ct_reading *reading);

/* Starts with the first piece again. */
void ct_reading_rewind(struct ct_reading *reading);

/* The next of the pieces, valid until the next call; waits for it.  Images have no gaps between rows.
 * NULL if the device refuses, or does not begin: `error` is a failure of layer/memory.h then. */
const void *ct_reading_next(struct ct_reading *reading, size_t *length, int *error);

/* Waits for what is still being read.  NULL is allowed.  False after CT_MEMORY_STUCK: what the device may
 * still write to is left to it. */
bool ct_reading_end(struct ct_reading *reading);

#endif
