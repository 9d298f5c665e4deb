// SPDX-License-Identifier: Apache-2.0
// Messages between the main process and a worker: framed, bounded, over a stream socket.
#ifndef CT_PROTOCOL_PROTOCOL_H
#define CT_PROTOCOL_PROTOCOL_H

#include "base/devinfo.h"
#include "base/err.h"
#include "base/overhead.h"
#include "base/str.h"
#include "base/wire.h"
#include "plan/plan.h"
#include "protocol/outcome.h"

#include <stdbool.h>
#include <stdint.h>

/* argv[1] of a worker process; main() passes control to ct_worker_main. */
#define CT_WORKER_ARGUMENT "--ct-worker"

/* The worker's end of the socket pair. */
enum { CT_PROTOCOL_FD = 3 };

/* Longest message; a longer one comes from a corrupted worker. */
enum { CT_PROTOCOL_MAX = 256 * 1024 * 1024 };

enum ct_message {
    /* Requests; a worker answers each with any number of CT_MSG_PHASE and one reply. */
    CT_MSG_LIST = 1, /* -> CT_MSG_DEVICES */
    CT_MSG_OPEN,     /* struct ct_devinfo -> CT_MSG_OPENED */
    CT_MSG_CHOOSE,   /* the same, but the device is opened when it is needed */
    CT_MSG_EVALUATE, /* struct ct_request, plan, struct ct_handover -> CT_MSG_OUTCOME */
    CT_MSG_BASELINE, /* the same */
    /* struct ct_request, plan -> CT_MSG_OUTCOME: makes the data that an evaluation needs, and nothing
     * that is its own */
    CT_MSG_PREPARE,
    CT_MSG_BUILD, /* struct ct_request, plan, struct ct_build_order -> CT_MSG_BUILT */
    /* text name, u64 bytes, with a descriptor: see protocol/shared_cache.h; no reply */
    CT_MSG_GIVE,
    CT_MSG_COMPILE, /* plan, whose host code is compiled while the device is opened; no reply */
    CT_MSG_MEASURE_OVERHEADS, /* struct ct_devinfo -> CT_MSG_OVERHEADS */
    /* u32 enum ct_examination, then the text or struct ct_devinfo that it names -> CT_MSG_FINDINGS */
    CT_MSG_EXAMINE,
    CT_MSG_DESCRIBE, /* struct ct_devinfo, plan with one program -> CT_MSG_DESCRIBED */
    /* From the worker. */
    /* u32 phase, u32 enum ct_culprit, text (NULL: none) naming the culprit, u64 shared objects with code
     * that are mapped (0 unless it is CT_PHASE_FIRST on a processor): what starts now */
    CT_MSG_PHASE,
    CT_MSG_DEVICES, /* u64 count, struct ct_devinfo ... */
    CT_MSG_OPENED,
    CT_MSG_OUTCOME,   /* struct ct_outcome */
    CT_MSG_BUILT,     /* struct ct_outcome, struct ct_built */
    CT_MSG_OVERHEADS, /* CT_OVERHEAD_COUNT times three f64: struct ct_overhead */
    CT_MSG_FINDINGS,  /* struct ct_findings */
    CT_MSG_DESCRIBED, /* struct ct_described */
    CT_MSG_KEEP,      /* as CT_MSG_GIVE; any number of them before a reply */
    CT_MSG_ERROR,     /* u32 enum ct_status, text */
    CT_MSG_COUNT
};

/* What is examined, and what names it. */
enum ct_examination {
    CT_EXAMINE_LOADER, /* nothing */
    CT_EXAMINE_DRIVER, /* text: its library */
    CT_EXAMINE_BUILD,  /* struct ct_devinfo, as for the following */
    CT_EXAMINE_RUN,
    CT_EXAMINE_CLOCK,
    CT_EXAMINE_SENSORS,
    CT_EXAMINE_COUNT
};

/* Whose code runs in a phase, and is to blame if the worker does not survive it. */
enum ct_culprit {
    CT_CULPRIT_NONE,          /* cltune's, or the driver's before any configuration */
    CT_CULPRIT_CONFIGURATION, /* the plan's programs */
    /* the user's C code, or a reference on the device, named like "the reference f in file.c" */
    CT_CULPRIT_HOST,
    CT_CULPRIT_BASELINE,
    CT_CULPRIT_COUNT
};

enum { CT_SAMPLE_DEFAULT = 10 }; /* samples of a configuration */

/* How many samples a configuration gets. */
struct ct_race {
    /* best time so far (end to end if the plan asks for that); 0: none, nothing stops early */
    double leader_ns;
    /* The smallest relative difference between two configurations that one process each can
     * resolve (A/A test); 0: unknown. */
    double resolution;
    uint32_t samples; /* 0: the default number */
    bool off;         /* all configurations get all samples */
    double
        agreeing; /* samples that differ by this share at most are enough; 0: none are */
    /* What is stopped early, and takes up to so many times as long as the leader, is timed once more later;
     * 0: nothing is. */
    double second_look;
    double beat_ns; /* the first sample that takes as long is the last one; 0: none is */
};

/* An evaluation whose build the worker keeps, so that samples of several plans can be interleaved
 * in one process (worker/timing/interleave.h). */
struct ct_interleave_step {
    uint32_t slot; /* the plan's slot in its worker, from 1 on; 0: not interleaved */
    /* another sample of the plan kept in the slot; otherwise, and if nothing is kept (any more),
     * it is evaluated first */
    bool sample;
    bool last; /* afterwards the outputs are compared again */
};

/* The most one worker keeps: plans for that, data sets, and programs built from source. */
enum { CT_INTERLEAVE_SLOTS = 64, CT_SESSION_DATASETS = 4, CT_PROGRAMS_KEPT = 64 };

/* Of whatever a baseline's limit leaves no time for. */
#define CT_BASELINE_TOO_LONG                                                             \
    "too long for the time that the baseline may take; use --baseline SHARE to allow "   \
    "more"

/* The part of an evaluation's request before the plan. */
struct ct_request {
    uint64_t seed;
    struct ct_race race;
    struct ct_interleave_step step;
    bool again; /* this plan's outputs have been compared in another process before */
    uint32_t copies; /* of a baseline: 1 on one processor, 0 on all of them */
    /* Of a baseline: from when on, once its data are there, it does no more than it must, and without
     * copies where making these would take half of that (CT_E_NOT_FOUND); 0: it takes its time. */
    uint64_t limit_ns;
    uint32_t differences; /* how many wrong values of each buffer the outcome names */
    bool load;            /* CT_MSG_PREPARE: makes the programs, too */
    bool load_only;       /* and no data */
    const char *dump; /* folder for the buffers' contents, absolute; NULL: not written */
    uint64_t build_deadline_ns;
    /* Programs that will be asked for next ([program] parallel_setup): so many plans follow. */
    uint32_t ahead;
    uint64_t measure_deadline_ns; /* announce phases often enough for this */
};

/* --- sending and receiving --- */

/* Sends one message, waiting as long as necessary.  CT_E_WORKER if the other end is gone (no
 * signal is raised) or the message is too long. */
enum ct_status ct_protocol_send(int fd, enum ct_message type,
                                const struct ct_str *payload, struct ct_err *err);

/* The same with a descriptor, duplicated for the other process. */
enum ct_status ct_protocol_send_fd(int fd, enum ct_message type,
                                   const struct ct_str *payload, int passed,
                                   struct ct_err *err);

/* Waits for one message, whose payload replaces the contents of `payload`.  `*passed` (may be
 * NULL) becomes the caller's descriptor that came with it, or -1.  CT_E_NOT_FOUND at the end of
 * the stream, CT_E_WORKER if the stream is damaged. */
enum ct_status ct_protocol_receive(int fd, enum ct_message *type, struct ct_str *payload,
                                   int *passed, struct ct_err *err);

/* Non-blocking reception. */
struct ct_frame {
    unsigned char head[16];
    size_t head_length;
    size_t length; /* of the payload, once the head is complete */
    struct ct_str payload;
    /* a descriptor that came with it; -1: none.  Closed at the next message unless the caller has
     * taken it and set this to -1 */
    int passed;
    /* Set by a caller that reads all of the stream with this frame: several short messages may be read in one
     * go. */
    bool reads_ahead;
    struct {
        char bytes[4096];
        size_t begin; /* of what no message has taken */
        size_t end;
        int passed; /* a descriptor that came with them; -1: none */
        bool whole; /* they are all there was to read */
    } ahead;
};

enum ct_frame_state {
    CT_FRAME_AGAIN, /* nothing more to read now */
    CT_FRAME_DONE,  /* a complete message: frame->payload, *type */
    CT_FRAME_END,   /* the other end is gone */
    CT_FRAME_BAD,   /* damaged, or out of memory */
};

void ct_frame_init(struct ct_frame *frame);
void ct_frame_release(struct ct_frame *frame);

/* Reads what is available, without waiting if `flags` is MSG_DONTWAIT.  After CT_FRAME_DONE the
 * caller may read the payload until the next call. */
enum ct_frame_state ct_frame_read(struct ct_frame *frame, int fd, int flags,
                                  enum ct_message *type);

/* Whether it is worth reading again before the descriptor is polled: false if the last read has left
 * nothing. */
bool ct_frame_may_continue(const struct ct_frame *frame);

/* Sends bytes of one message, with a descriptor unless `passed` is -1, like send(): the number of
 * bytes sent, or -1 and errno. */
ptrdiff_t ct_frame_send(int fd, const char *bytes, size_t length, int passed, int flags);

/* Appends the head of a message with a payload of `length` bytes. */
void ct_frame_put_head(struct ct_str *out, enum ct_message type, size_t length);

/* --- contents --- */

void ct_request_put(struct ct_str *out, const struct ct_request *request);

/* The arena owns the texts.  Check in->failed afterwards. */
void ct_request_get(struct ct_wire_reader *in, struct ct_arena *arena,
                    struct ct_request *request);

void ct_outcome_put(struct ct_str *out, const struct ct_outcome *outcome);

/* Fills a zeroed outcome, whose arena owns the rest.  Check in->failed afterwards. */
void ct_outcome_get(struct ct_wire_reader *in, struct ct_outcome *outcome);

/* Whether an outcome can be the answer to such a request: who was asked to measure has samples, unless it
 * failed. */
bool ct_outcome_answers(const struct ct_outcome *outcome, enum ct_message request);

#endif
