// SPDX-License-Identifier: Apache-2.0
// The device that a worker uses.
#ifndef CT_WORKER_OPEN_H
#define CT_WORKER_OPEN_H

#include "base/wire.h"
#include "worker/session.h"

/* Opens the device that the payload of CT_MSG_OPEN describes.  CT_E_NO_DEVICE if it is another one
 * now, or with the reason why there is none; CT_E_WORKER, CT_E_DEVICE. */
enum ct_status ct_open_device(struct ct_session *session, struct ct_wire_reader *in,
                              struct ct_err *err);

/* Notes the same payload for ct_open_needed.  CT_E_NOMEM. */
enum ct_status ct_open_choose(struct ct_session *session, const struct ct_str *payload,
                              struct ct_err *err);

/* Opens the chosen device, unless one is open. */
enum ct_status ct_open_needed(struct ct_session *session, struct ct_err *err);

/* Why there may be no device: PoCL has none if it cannot write its cache.  CT_OK if it can. */
enum ct_status ct_open_explain(struct ct_err *err);

#endif
