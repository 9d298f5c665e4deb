// SPDX-License-Identifier: Apache-2.0
#include "worker/examine.h"

#include "device/examine.h"
#include "worker/open.h"

typedef void (*examination)(struct ct_device *device, struct ct_findings *out);

/* Those of a device. */
static const examination of_device[CT_EXAMINE_COUNT] = {
    [CT_EXAMINE_BUILD] = ct_examine_build,
    [CT_EXAMINE_RUN] = ct_examine_run,
    [CT_EXAMINE_CLOCK] = ct_examine_clock,
    [CT_EXAMINE_SENSORS] = ct_examine_sensors,
};

static enum ct_status examine_driver(struct ct_wire_reader *in,
                                     struct ct_findings *findings, struct ct_err *err)
{
    struct ct_arena arena = {0};
    const char *library = ct_wire_get_text(in, &arena);
    enum ct_status status =
        library ? CT_OK : ct_err_set(err, CT_E_WORKER, "the request is damaged");

    if (!status)
        ct_examine_driver(library, findings);
    ct_arena_release(&arena);
    return status;
}

enum ct_status ct_examine_answer(struct ct_session *session, struct ct_wire_reader *in,
                                 struct ct_str *reply, struct ct_err *err)
{
    struct ct_findings findings = {0};
    uint32_t what = ct_wire_get_u32(in);
    enum ct_status status = CT_OK;

    if (in->failed || what >= CT_EXAMINE_COUNT)
        status = ct_err_set(err, CT_E_WORKER, "the request is damaged");
    else if (what == CT_EXAMINE_LOADER)
        ct_examine_loader(&findings);
    else if (what == CT_EXAMINE_DRIVER)
        status = examine_driver(in, &findings, err);
    else
        status = ct_open_device(session, in, err);
    if (!status && session->device && of_device[what])
        of_device[what](session->device, &findings);
    if (!status)
        ct_findings_put(reply, &findings);
    ct_findings_release(&findings);
    return status;
}
