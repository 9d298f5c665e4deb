// SPDX-License-Identifier: Apache-2.0
// The user's C code, compiled on demand and loaded into a worker.
//
// A generated shim includes the C file and calls the function with an argument for each of the
// plan's, so that the compiler checks their number and types: a scalar is its value in C's type
// of the same size (half: uint16_t), a vector a pointer to its components, a buffer a pointer to
// its elements or, of vectors, to their components (float2: float *). Functions may take void *
// instead and may ignore the sign; the element type of a half buffer is their choice.  float
// _Complex * is refused: take float * or void *, and cast.
#ifndef CT_WORKER_HOST_HOST_H
#define CT_WORKER_HOST_HOST_H

#include "base/err.h"
#include "plan/plan.h"
#include "worker/host/codes.h"

enum ct_host_kind {
    CT_HOST_REFERENCE, /* -O2 -ffp-contract=off: the same result everywhere */
    CT_HOST_BASELINE,  /* -O3 -march=native: a fair opponent */
    CT_HOST_FILL,      /* as for references */
    CT_HOST_CHECK, /* the same; its result goes behind the last argument, as uint64_t */
};

struct ct_host_code;

/* Compiles the plan's reference or baseline with $CC (else cc) unless the cache folder holds the
 * result, and loads it.  `codes` (NULL: none) remembers where the result is.  One that is damaged (a checksum is appended to the code) or owned by
 * another user is compiled again.  The cache's key covers the preprocessed text, flags,
 * libraries, compiler and processor.  CT_E_SPEC with the compiler's first errors if it does not
 * compile or link, and if the C file is not the one the plan was made with (`c_hash`); CT_E_IO if
 * there is no compiler, no place for the result, or no C file. */
enum ct_status ct_host_load(struct ct_host_codes *codes, const struct ct_plan *plan,
                            enum ct_host_kind kind, struct ct_host_code **out,
                            struct ct_err *err);

/* Compiles what ct_host_load will load, into the cache folder; several threads may do so.  Nothing
 * happens without such a folder or if the code is known or being compiled already.  Whatever goes
 * wrong will do so, and be told, when the code is loaded. */
void ct_host_compile(struct ct_host_codes *codes, const struct ct_plan *plan,
                     enum ct_host_kind kind);

/* The parts of a plan that code is made from, as its reference, for the function that `fill` names: it
 * gets `own_count` arguments, of which those that are buffers are like `buffer`, and then the fill's.
 * They refer to the buffer and the fill, and are the arena's.  CT_E_NOMEM. */
enum ct_status ct_host_of_fill(struct ct_arena *arena,
                               const struct ct_plan_buffer *buffer,
                               const struct ct_fill *fill, const struct ct_plan_arg *own,
                               size_t own_count, struct ct_plan *plan,
                               struct ct_err *err);

/* Calls the function: one pointer per argument, to the buffer's or scalar's bytes. */
void ct_host_call(const struct ct_host_code *code, void **args);

/* The same; undoes its changes to the process (worker/host/hostguard.h). */
void ct_host_call_guarded(const struct ct_host_code *code, void **args);

void ct_host_free(struct ct_host_code *code);

/* Fills in pointers to copies of values (scalars, bytes; NULL for null), owned by the arena.
 * False if out of memory. */
bool ct_host_copy_values(struct ct_arena *arena, const struct ct_plan_arg *args,
                         size_t count, void **pointers);

#endif
