// SPDX-License-Identifier: Apache-2.0
// Programs that a worker has built from source and may need again: those of configurations that
// differ only in their launches.  Drivers that keep what they have compiled take a twentieth of a
// second to find it (PoCL 3.1, which preprocesses a source for that).
#ifndef CT_WORKER_BUILD_KEPT_PROGRAMS_H
#define CT_WORKER_BUILD_KEPT_PROGRAMS_H

#include "protocol/compile.h"
#include "worker/session.h"

/* Builds a program as ct_program_build, or shares the one that the session has built from the same
 * text, if all of that is known (compile->text): then counts it in `*shared`, and the log is what it was.
 * `ahead`: for an evaluation to come, until which others are forgotten before it.  The caller frees the
 * program.  Errors as for ct_program_build. */
enum ct_status ct_kept_program(struct ct_session *session,
                               const struct ct_compile *compile, struct ct_program **out,
                               struct ct_str *log, bool ahead, uint32_t *shared,
                               struct ct_err *err);

/* Frees them; what is in use stays until it is freed, too. */
void ct_kept_programs_forget(struct ct_session *session);

#endif
