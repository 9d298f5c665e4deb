// SPDX-License-Identifier: Apache-2.0
// What a worker process keeps between requests: device, data sets, known signatures, and the
// times of its phases.
#ifndef CT_WORKER_SESSION_H
#define CT_WORKER_SESSION_H

#include "base/hash.h"
#include "device/device.h"
#include "plan/program_text.h"
#include "protocol/protocol.h"
#include "protocol/shared_cache.h"
#include "worker/timing/sample.h"
#include "worker/timing/timer.h"
#include "worker/timing/watch.h"

#include <stdbool.h>
#include <stdint.h>

/* A kernel declaration that has been compared with such arguments before. */
struct ct_signature {
    struct ct_hash key;
    size_t arg_count;
    bool *is_const; /* one per argument: a pointer to const */
};

struct ct_session {
    int socket; /* phases are announced here; -1: not announced */
    struct ct_opencl *cl;
    struct ct_device *device;
    struct ct_str chosen; /* worker/open.h: to be opened when it is needed; empty: none */
    bool host_only;       /* data sets are made for host code: not put on the device */
    const char *driver_cache; /* PoCL's, if it is cltune's; NULL: the user's, or none */
    struct ct_dataset *datasets[CT_SESSION_DATASETS]; /* most recently used first */
    struct ct_watch *watch; /* worker/timing/watch.h; NULL: nothing is watched */
    /* Steps of the device's clock and the wall clock, once measured (worker/timing/timer.h). */
    struct ct_timer timer;
    struct ct_sampler_cold cold;
    struct ct_interleave *interleave; /* worker/timing/interleave.h; NULL: none */
    struct ct_device_expected
        *device_expected;                /* worker/reference/expected.h; NULL: none yet */
    struct ct_shared_cache shared_cache; /* offered by this and other workers */
    struct {
        unsigned count; /* programs compiled a second time after a refusal */
        bool helped;    /* one of them then compiled */
    } rebuilds;
    struct ct_device_check
        *device_check; /* worker/reference/device_check.h; NULL: none yet */
    bool inputs_only;  /* data sets are never compared with: no reference is run */
    uint64_t busy_ns;  /* when the device last finished a launch; 0: never */
    struct ct_program_texts *texts; /* of programs; NULL: all macros count as used */
    struct ct_kept_programs
        *kept_programs; /* worker/build/kept_programs.h; NULL: none yet */
    struct ct_host_codes
        *host_codes; /* worker/host/codes.h; NULL: nothing is remembered */
    struct ct_host_ahead *host_ahead; /* worker/host_ahead.h; NULL: none */
    struct ct_signature *signatures;
    size_t signature_count;
    size_t signature_capacity;
    uint64_t signatures_taken; /* serial of the last shared cache item that was read */
    struct ct_command_truth *command_truth; /* worker/command/command.h; NULL: none yet */
    struct ct_command_ahead *command_ahead; /* worker/command/ahead.h; NULL: none */
    enum ct_phase phase;
    enum ct_culprit culprit; /* who was announced last */
    uint64_t phase_since_ns;
    uint64_t announced_ns; /* when the phase was last announced */
    uint64_t spent_ns[CT_PHASE_COUNT];
};

/* Announces a phase, which starts its deadline, and accounts the time of the previous one.  If
 * the main process is gone, the next request will show it. */
void ct_session_phase(struct ct_session *session, enum ct_phase phase,
                      enum ct_culprit culprit);

/* The same for a culprit with a name, as used in a sentence. */
void ct_session_phase_of(struct ct_session *session, enum ct_phase phase,
                         enum ct_culprit culprit, const char *who);

/* Announces the current phase again, so that its deadline starts again. */
void ct_session_alive(struct ct_session *session, enum ct_culprit culprit);

/* How long to be silent while samples are taken: announcements wake the main process, so they
 * come at most ten times a second unless the deadline is shorter than that. */
uint64_t ct_session_patience_ns(const struct ct_request *request);

/* Announces the current phase again if `next_ns` more would outlast the patience. */
void ct_session_keep_alive(struct ct_session *session, uint64_t patience_ns,
                           uint64_t next_ns);

/* Starts the accounting anew, in the given phase and without an announcement. */
void ct_session_start(struct ct_session *session, enum ct_phase phase);

/* Accounts the current phase's time up to now. */
void ct_session_book(struct ct_session *session);

/* Creates the watch and measures the clocks' steps, the first time.  CT_E_DEVICE (broken),
 * CT_E_NOMEM. */
enum ct_status ct_session_instruments(struct ct_session *session, struct ct_err *err);

/* Whether the device is a CPU device, which shares its processors with everything else. */
bool ct_session_on_processor(const struct ct_session *session);

/* Whether the device has had nothing to do for so long (50 ms) that it may have lowered its clocks. */
bool ct_session_was_idle(const struct ct_session *session);

/* Frees everything but the socket. */
void ct_session_release(struct ct_session *session);

/* How a step of an evaluation ended. */
enum ct_step {
    CT_STEP_DONE,
    CT_STEP_FAILED, /* the configuration failed: see the outcome */
    CT_STEP_ERROR,  /* cltune failed, or the space file is wrong: see err */
};

/* Ends an evaluation as a failure of the configuration in the current phase. */
enum ct_step ct_session_fail(const struct ct_session *session, struct ct_outcome *outcome,
                             enum ct_result_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for an error from the device layer: CT_RESULT_CRASHED if the device may be lost, else
 * `refused`; anything but CT_E_DEVICE is an error of cltune's. */
enum ct_step ct_session_device_failed(const struct ct_session *session,
                                      struct ct_outcome *outcome,
                                      enum ct_result_status refused, struct ct_err *err);

/* Evaluates a plan on the session's device (evaluate.c), with what a builder has handed over.
 * CT_OK fills the outcome; errors as for ct_runner_evaluate. */
struct ct_handover;
enum ct_status ct_session_evaluate(struct ct_session *session, const struct ct_plan *plan,
                                   const struct ct_request *request,
                                   const struct ct_handover *handover,
                                   struct ct_outcome *outcome, struct ct_err *err);

/* Makes the plan's data set, and if the request says so its programs, for evaluations to come.  Errors and failures are those that an
 * evaluation would have. */
enum ct_status ct_session_prepare(struct ct_session *session, const struct ct_plan *plan,
                                  const struct ct_request *request,
                                  struct ct_outcome *outcome, struct ct_err *err);

/* Evaluates the plan's baseline (baseline.c), likewise. */
enum ct_status ct_session_baseline(struct ct_session *session, const struct ct_plan *plan,
                                   const struct ct_request *request,
                                   struct ct_outcome *outcome, struct ct_err *err);

#endif
