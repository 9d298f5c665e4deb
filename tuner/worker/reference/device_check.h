// SPDX-License-Identifier: Apache-2.0
// Compares outputs with their expected contents on the device, where both are: reading 256 MB back
// and comparing them takes a fifth of a second, the device a millisecond.
//
// A kernel of our own counts the scalars that are plainly right: the same bits, or within a
// tolerance that is narrowed by more than rounding could widen it.  Only if it has counted all of
// them are the outputs right; in every other case (one differs, a launch was not executed, the
// driver refused something) the caller compares on the host, which decides.
#ifndef CT_WORKER_REFERENCE_DEVICE_CHECK_H
#define CT_WORKER_REFERENCE_DEVICE_CHECK_H

#include "worker/data/dataset.h"

/* Whether the buffer on the device is right for certain.  `compared` is the buffer as it is
 * compared, `rms` the root mean square of its expected contents.  False, without an error, if that
 * is not known: on CPU devices, for outputs of less than a megabyte, types and layouts that the
 * kernel does not know, if the kernel fails its own test, and for every 16th comparison of a
 * buffer, which is the host's.  CLTUNE_COMPARE=host in the environment leaves all to the host; CLTUNE_COMPARE=device
 * has CPU devices and small outputs compared here, too. */
bool ct_device_check_right(struct ct_session *session, struct ct_dataset_buffer *buffer,
                           const struct ct_plan_buffer *compared, double rms);

/* Does ahead what ct_device_check_right does once: builds and tests the kernel, and sends the
 * expected contents.  Nothing where the device does not compare. */
void ct_device_check_prepare(struct ct_session *session, struct ct_dataset_buffer *buffer,
                             const struct ct_plan_buffer *compared, double rms);

/* Frees the session's programs. */
void ct_device_check_forget(struct ct_session *session);

#endif
