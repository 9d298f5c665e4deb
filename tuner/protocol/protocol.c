// SPDX-License-Identifier: Apache-2.0
// Frames and message contents.
#define _GNU_SOURCE // MSG_CMSG_CLOEXEC
#include "protocol/protocol.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Magic number of a frame, the type, the length. */
static const uint32_t magic = 0x6d746c63;

void ct_frame_put_head(struct ct_str *out, enum ct_message type, size_t length)
{
    ct_wire_put_u32(out, magic);
    ct_wire_put_u32(out, (uint32_t)type);
    ct_wire_put_u64(out, length);
}

ptrdiff_t ct_frame_send(int fd, const char *bytes, size_t length, int passed, int flags)
{
    union {
        struct cmsghdr head; /* for its alignment */
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    struct iovec piece = {(void *)(uintptr_t)bytes, length};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

    if (passed >= 0) {
        struct cmsghdr *head;

        message.msg_control = control.room;
        message.msg_controllen = sizeof(control.room);
        head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &passed, sizeof(int));
    }
    return sendmsg(fd, &message, flags | MSG_NOSIGNAL);
}

/* Closes a descriptor, unless there is none. */
static void drop(int *passed)
{
    if (*passed >= 0)
        close(*passed);
    *passed = -1;
}

/* Like recv(); a descriptor received with it replaces `*passed`. */
static ssize_t receive_bytes(int fd, char *bytes, size_t length, int flags, int *passed)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(4 * sizeof(int))];
    } control;
    struct iovec piece = {bytes, length};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof(control.room)};
    ssize_t got = recvmsg(fd, &message, flags | MSG_CMSG_CLOEXEC);

    if (got < 0)
        return got;
    for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head;
         head = CMSG_NXTHDR(&message, head)) {
        size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < count; i++) {
            drop(passed);
            memcpy(passed, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
        }
    }
    return got;
}

static enum ct_status send_all(int fd, const char *bytes, size_t length, int passed,
                               struct ct_err *err)
{
    while (length) {
        ptrdiff_t sent = ct_frame_send(fd, bytes, length, passed, 0);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return ct_err_set(err, CT_E_WORKER, "sending a message: %s", strerror(errno));
        passed = -1;
        bytes += sent;
        length -= (size_t)sent;
    }
    return CT_OK;
}

enum ct_status ct_protocol_send(int fd, enum ct_message type,
                                const struct ct_str *payload, struct ct_err *err)
{
    return ct_protocol_send_fd(fd, type, payload, -1, err);
}

enum ct_status ct_protocol_send_fd(int fd, enum ct_message type,
                                   const struct ct_str *payload, int passed,
                                   struct ct_err *err)
{
    struct ct_str head;
    enum ct_status status;

    if (payload->failed)
        return ct_err_nomem(err);
    if (payload->length > CT_PROTOCOL_MAX)
        return ct_err_set(err, CT_E_WORKER, "the message of %zu bytes is too long",
                          payload->length);
    ct_str_init(&head);
    ct_frame_put_head(&head, type, payload->length);
    /* Small messages are sent in one piece: the other process wakes once. */
    if (payload->length < 65536)
        ct_str_add(&head, payload->data, payload->length);
    if (head.failed)
        status = ct_err_nomem(err);
    else
        status = send_all(fd, head.data, head.length, passed, err);
    if (!status && payload->length >= 65536)
        status = send_all(fd, payload->data, payload->length, -1, err);
    ct_str_release(&head);
    return status;
}

void ct_frame_init(struct ct_frame *frame)
{
    memset(frame, 0, sizeof(*frame));
    ct_str_init(&frame->payload);
    frame->passed = -1;
    frame->ahead.passed = -1;
}

void ct_frame_release(struct ct_frame *frame)
{
    drop(&frame->passed);
    drop(&frame->ahead.passed);
    ct_str_release(&frame->payload);
    ct_frame_init(frame);
}

/* The head is complete: is it valid? */
static bool head_good(struct ct_frame *frame, enum ct_message *type)
{
    struct ct_wire_reader in;
    uint32_t start;
    uint32_t number;
    uint64_t length;

    ct_wire_reader_init(&in, frame->head, sizeof(frame->head));
    start = ct_wire_get_u32(&in);
    number = ct_wire_get_u32(&in);
    length = ct_wire_get_u64(&in);
    if (start != magic || !number || number >= CT_MSG_COUNT || length > CT_PROTOCOL_MAX)
        return false;
    *type = (enum ct_message)number;
    frame->length = (size_t)length;
    return true;
}

bool ct_frame_may_continue(const struct ct_frame *frame)
{
    return !frame->ahead.whole || frame->ahead.begin < frame->ahead.end;
}

/* Like recv(), of what was read ahead, or of the stream. */
static ssize_t next_bytes(struct ct_frame *frame, int fd, int flags, char *bytes,
                          size_t wanted)
{
    const size_t room = sizeof(frame->ahead.bytes);

    if (frame->ahead.begin == frame->ahead.end) {
        ssize_t got;

        frame->ahead.whole = false;
        if (!frame->reads_ahead || wanted >= room)
            return receive_bytes(fd, bytes, wanted, flags, &frame->passed);
        got = receive_bytes(fd, frame->ahead.bytes, room, flags, &frame->ahead.passed);
        if (got <= 0)
            return got;
        frame->ahead.begin = 0;
        frame->ahead.end = (size_t)got;
        frame->ahead.whole = (size_t)got < room;
    }
    if (wanted > frame->ahead.end - frame->ahead.begin)
        wanted = frame->ahead.end - frame->ahead.begin;
    memcpy(bytes, frame->ahead.bytes + frame->ahead.begin, wanted);
    frame->ahead.begin += wanted;
    /* One read never goes beyond bytes that were sent with a descriptor, so it belongs to the last message
     * of which there is something. */
    if (frame->ahead.begin == frame->ahead.end && frame->ahead.passed >= 0) {
        drop(&frame->passed);
        frame->passed = frame->ahead.passed;
        frame->ahead.passed = -1;
    }
    return (ssize_t)wanted;
}

enum ct_frame_state ct_frame_read(struct ct_frame *frame, int fd, int flags,
                                  enum ct_message *type)
{
    char chunk[65536];

    /* The previous message has been handled. */
    if (frame->head_length == sizeof(frame->head) &&
        frame->payload.length == frame->length) {
        frame->head_length = 0;
        drop(&frame->passed);
        ct_str_reset(&frame->payload);
    }
    for (;;) {
        bool in_head = frame->head_length < sizeof(frame->head);
        size_t missing = in_head ? sizeof(frame->head) - frame->head_length
                                 : frame->length - frame->payload.length;
        ssize_t got;

        if (missing > sizeof(chunk))
            missing = sizeof(chunk);
        got = next_bytes(frame, fd, flags, chunk, missing);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return CT_FRAME_AGAIN;
        if (got <= 0)
            return CT_FRAME_END;
        if (in_head) {
            memcpy(frame->head + frame->head_length, chunk, (size_t)got);
            frame->head_length += (size_t)got;
            if (frame->head_length < sizeof(frame->head))
                continue;
            if (!head_good(frame, type))
                return CT_FRAME_BAD;
        } else {
            ct_str_add(&frame->payload, chunk, (size_t)got);
            if (frame->payload.failed)
                return CT_FRAME_BAD;
        }
        if (frame->payload.length == frame->length)
            return head_good(frame, type) ? CT_FRAME_DONE : CT_FRAME_BAD;
    }
}

enum ct_status ct_protocol_receive(int fd, enum ct_message *type, struct ct_str *payload,
                                   int *passed, struct ct_err *err)
{
    struct ct_frame frame;
    enum ct_frame_state state;
    enum ct_status status = CT_OK;

    ct_frame_init(&frame);
    state = ct_frame_read(&frame, fd, 0, type);
    if (state == CT_FRAME_DONE) {
        ct_str_release(payload);
        *payload = frame.payload;
        ct_str_init(&frame.payload);
        if (passed) {
            *passed = frame.passed;
            frame.passed = -1;
        }
    } else if (state == CT_FRAME_END) {
        status = ct_err_set(err, CT_E_NOT_FOUND, "the other process has ended");
    } else {
        status = ct_err_set(err, CT_E_WORKER, "the message is damaged");
    }
    ct_frame_release(&frame);
    return status;
}

void ct_request_put(struct ct_str *out, const struct ct_request *request)
{
    ct_wire_put_u64(out, request->seed);
    ct_wire_put_f64(out, request->race.leader_ns);
    ct_wire_put_f64(out, request->race.resolution);
    ct_wire_put_u32(out, request->race.samples);
    ct_wire_put_u32(out, request->race.off);
    ct_wire_put_f64(out, request->race.agreeing);
    ct_wire_put_f64(out, request->race.second_look);
    ct_wire_put_f64(out, request->race.beat_ns);
    ct_wire_put_u32(out, request->step.slot);
    ct_wire_put_u32(out, request->step.sample);
    ct_wire_put_u32(out, request->step.last);
    ct_wire_put_u32(out, request->again);
    ct_wire_put_u32(out, request->copies);
    ct_wire_put_u64(out, request->limit_ns);
    ct_wire_put_u64(out, request->measure_deadline_ns);
    ct_wire_put_u64(out, request->build_deadline_ns);
    ct_wire_put_u32(out, request->ahead);
    ct_wire_put_u32(out, request->differences);
    ct_wire_put_u32(out, request->load);
    ct_wire_put_u32(out, request->load_only);
    ct_wire_put_text(out, request->dump);
}

void ct_request_get(struct ct_wire_reader *in, struct ct_arena *arena,
                    struct ct_request *request)
{
    request->seed = ct_wire_get_u64(in);
    request->race.leader_ns = ct_wire_get_f64(in);
    request->race.resolution = ct_wire_get_f64(in);
    request->race.samples = ct_wire_get_u32(in);
    request->race.off = ct_wire_get_u32(in) != 0;
    request->race.agreeing = ct_wire_get_f64(in);
    request->race.second_look = ct_wire_get_f64(in);
    request->race.beat_ns = ct_wire_get_f64(in);
    request->step.slot = ct_wire_get_u32(in);
    request->step.sample = ct_wire_get_u32(in) != 0;
    request->step.last = ct_wire_get_u32(in) != 0;
    request->again = ct_wire_get_u32(in) != 0;
    request->copies = ct_wire_get_u32(in);
    request->limit_ns = ct_wire_get_u64(in);
    request->measure_deadline_ns = ct_wire_get_u64(in);
    request->build_deadline_ns = ct_wire_get_u64(in);
    request->ahead = ct_wire_get_u32(in);
    request->differences = ct_wire_get_u32(in);
    request->load = ct_wire_get_u32(in) != 0;
    request->load_only = ct_wire_get_u32(in) != 0;
    request->dump = ct_wire_get_text(in, arena);
}

/* The numbers of an outcome in message order, for both directions.  Strings and lists, whose
 * lengths vary, come before them. */
enum field_kind { FIELD_U32, FIELD_U64, FIELD_F64, FIELD_BOOL };

static const struct field {
    enum field_kind kind;
    size_t offset;
    size_t count; /* elements of an array, eight bytes each */
} fields[] = {
    {FIELD_U32, offsetof(struct ct_outcome, mismatch.buffer), 1},
    {FIELD_U64, offsetof(struct ct_outcome, mismatch.element), 1},
    {FIELD_F64, offsetof(struct ct_outcome, mismatch.expected), 1},
    {FIELD_F64, offsetof(struct ct_outcome, mismatch.seen), 1},
    {FIELD_U64, offsetof(struct ct_outcome, mismatch.wrong_count), 1},
    {FIELD_BOOL, offsetof(struct ct_outcome, mismatch.guard), 1},
    {FIELD_BOOL, offsetof(struct ct_outcome, dump.timed), 1},
    {FIELD_U64, offsetof(struct ct_outcome, binary_bytes), 1},
    {FIELD_U32, offsetof(struct ct_outcome, programs_kept), 1},
    {FIELD_U32, offsetof(struct ct_outcome, samples.launches), 1},
    {FIELD_U32, offsetof(struct ct_outcome, samples.interleaved), 1},
    {FIELD_F64, offsetof(struct ct_outcome, time_ns), 1},
    {FIELD_F64, offsetof(struct ct_outcome, low_ns), 1},
    {FIELD_F64, offsetof(struct ct_outcome, high_ns), 1},
    {FIELD_F64, offsetof(struct ct_outcome, end_to_end.time_ns), 1},
    {FIELD_F64, offsetof(struct ct_outcome, end_to_end.low_ns), 1},
    {FIELD_F64, offsetof(struct ct_outcome, end_to_end.high_ns), 1},
    {FIELD_BOOL, offsetof(struct ct_outcome, stopped_early), 1},
    {FIELD_BOOL, offsetof(struct ct_outcome, wall_clock), 1},
    {FIELD_U32, offsetof(struct ct_outcome, race.saved), 1},
    {FIELD_U64, offsetof(struct ct_outcome, race.saved_ns), 1},
    {FIELD_U32, offsetof(struct ct_outcome, race.added), 1},
    {FIELD_U64, offsetof(struct ct_outcome, race.added_ns), 1},
    {FIELD_U32, offsetof(struct ct_outcome, samples.retaken), 1},
    {FIELD_F64, offsetof(struct ct_outcome, samples.timer_ns), 1},
    {FIELD_U32, offsetof(struct ct_outcome, cold.copies), 1},
    {FIELD_BOOL, offsetof(struct ct_outcome, cold.incomplete), 1},
    {FIELD_U64, offsetof(struct ct_outcome, spent_ns), CT_PHASE_COUNT},
    {FIELD_BOOL, offsetof(struct ct_outcome, verified), 1},
    {FIELD_U32, offsetof(struct ct_outcome, copies), 1},
    {FIELD_U32, offsetof(struct ct_outcome, observed.known), 1},
    {FIELD_F64, offsetof(struct ct_outcome, observed.value), CT_QUANTITY_COUNT},
};

enum { FIELD_COUNT = sizeof(fields) / sizeof(fields[0]), ELEMENT_BYTES = 8 };

static void put_number(struct ct_str *out, enum field_kind kind, const void *from)
{
    switch (kind) {
    case FIELD_U32:
        ct_wire_put_u32(out, *(const uint32_t *)from);
        break;
    case FIELD_U64:
        ct_wire_put_u64(out, *(const uint64_t *)from);
        break;
    case FIELD_F64:
        ct_wire_put_f64(out, *(const double *)from);
        break;
    case FIELD_BOOL:
        ct_wire_put_u32(out, *(const bool *)from);
        break;
    }
}

static void get_number(struct ct_wire_reader *in, enum field_kind kind, void *to)
{
    switch (kind) {
    case FIELD_U32:
        *(uint32_t *)to = ct_wire_get_u32(in);
        break;
    case FIELD_U64:
        *(uint64_t *)to = ct_wire_get_u64(in);
        break;
    case FIELD_F64:
        *(double *)to = ct_wire_get_f64(in);
        break;
    case FIELD_BOOL:
        *(bool *)to = ct_wire_get_u32(in) != 0;
        break;
    }
}

static void put_inspected(struct ct_str *out, const struct ct_outcome *outcome)
{
    ct_wire_put_u64(out, outcome->differences.count);
    for (size_t i = 0; i < outcome->differences.count; i++) {
        const struct ct_mismatch *item = &outcome->differences.items[i];

        ct_wire_put_u32(out, item->buffer);
        ct_wire_put_u64(out, item->element);
        ct_wire_put_u32(out, item->unwritten);
        ct_wire_put_text(out, item->expected_text);
        ct_wire_put_text(out, item->seen_text);
    }
    ct_wire_put_u64(out, outcome->dump.count);
    for (size_t i = 0; i < outcome->dump.count; i++) {
        ct_wire_put_u32(out, outcome->dump.items[i].buffer);
        ct_wire_put_u32(out, (uint32_t)outcome->dump.items[i].kind);
    }
}

void ct_outcome_put(struct ct_str *out, const struct ct_outcome *outcome)
{
    ct_wire_put_u32(out, (uint32_t)outcome->status);
    ct_wire_put_u32(out, (uint32_t)outcome->phase);
    ct_wire_put_text(out, outcome->message);
    ct_wire_put_text(out, outcome->build_log);
    ct_wire_put_text(out, outcome->doubt ? outcome->doubt : "");
    ct_wire_put_u64(out, outcome->fact_count);
    for (size_t i = 0; i < outcome->fact_count; i++) {
        ct_wire_put_u64(out, outcome->facts[i].work_group_size);
        ct_wire_put_u64(out, outcome->facts[i].local_mem_bytes);
        ct_wire_put_u64(out, outcome->facts[i].private_mem_bytes);
        ct_wire_put_u64(out, outcome->facts[i].preferred_multiple);
        ct_wire_put_u64(out, outcome->facts[i].registers);
        ct_wire_put_u64(out, outcome->facts[i].spill_bytes);
    }
    ct_wire_put_u64(out, outcome->samples.count);
    for (size_t i = 0; i < outcome->samples.count; i++)
        ct_wire_put_f64(out, outcome->samples.ns[i]);
    put_inspected(out, outcome);
    for (size_t f = 0; f < FIELD_COUNT; f++)
        for (size_t i = 0; i < fields[f].count; i++)
            put_number(out, fields[f].kind,
                       (const char *)outcome + fields[f].offset + i * ELEMENT_BYTES);
}

static const char *text_or_empty(struct ct_wire_reader *in, struct ct_arena *arena)
{
    const char *text = ct_wire_get_text(in, arena);

    return text ? text : "";
}

static void get_facts(struct ct_wire_reader *in, struct ct_outcome *outcome)
{
    outcome->fact_count = ct_wire_get_count(in, 48);
    outcome->facts =
        ct_arena_array(&outcome->arena, outcome->fact_count, sizeof(*outcome->facts));
    if (!outcome->facts) {
        in->failed = true;
        outcome->fact_count = 0;
    }
    for (size_t i = 0; i < outcome->fact_count; i++) {
        outcome->facts[i].work_group_size = ct_wire_get_u64(in);
        outcome->facts[i].local_mem_bytes = ct_wire_get_u64(in);
        outcome->facts[i].private_mem_bytes = ct_wire_get_u64(in);
        outcome->facts[i].preferred_multiple = ct_wire_get_u64(in);
        outcome->facts[i].registers = ct_wire_get_u64(in);
        outcome->facts[i].spill_bytes = ct_wire_get_u64(in);
    }
}

static void get_samples(struct ct_wire_reader *in, struct ct_outcome *outcome)
{
    outcome->samples.count = ct_wire_get_count(in, 8);
    outcome->samples.ns = ct_arena_array(&outcome->arena, outcome->samples.count,
                                         sizeof(*outcome->samples.ns));
    if (!outcome->samples.ns) {
        in->failed = true;
        outcome->samples.count = 0;
    }
    for (size_t i = 0; i < outcome->samples.count; i++)
        outcome->samples.ns[i] = ct_wire_get_f64(in);
}

/* A short text into an array of CT_MISMATCH_TEXT. */
static void get_short(struct ct_wire_reader *in, struct ct_arena *arena, char *text)
{
    const char *got = text_or_empty(in, arena);
    size_t length = strlen(got);

    if (length >= CT_MISMATCH_TEXT)
        in->failed = true;
    else
        memcpy(text, got, length + 1);
}

static void get_differences(struct ct_wire_reader *in, struct ct_outcome *outcome)
{
    struct ct_mismatch *items;
    size_t count = ct_wire_get_count(in, 24);

    items = ct_arena_array(&outcome->arena, count, sizeof(*items));
    if (!items)
        in->failed = true;
    for (size_t i = 0; items && i < count; i++) {
        items[i].buffer = ct_wire_get_u32(in);
        items[i].element = ct_wire_get_u64(in);
        items[i].unwritten = ct_wire_get_u32(in) != 0;
        get_short(in, &outcome->arena, items[i].expected_text);
        get_short(in, &outcome->arena, items[i].seen_text);
    }
    outcome->differences.items = items;
    outcome->differences.count = items ? count : 0;
}

static void get_dumped(struct ct_wire_reader *in, struct ct_outcome *outcome)
{
    struct ct_dumped *items;
    size_t count = ct_wire_get_count(in, 8);

    items = ct_arena_array(&outcome->arena, count, sizeof(*items));
    if (!items)
        in->failed = true;
    for (size_t i = 0; items && i < count; i++) {
        uint32_t kind;

        items[i].buffer = ct_wire_get_u32(in);
        kind = ct_wire_get_u32(in);
        in->failed = in->failed || kind >= CT_DUMP_COUNT;
        items[i].kind = in->failed ? CT_DUMP_AFTER : (enum ct_dump_kind)kind;
    }
    outcome->dump.items = items;
    outcome->dump.count = items ? count : 0;
}

void ct_outcome_get(struct ct_wire_reader *in, struct ct_outcome *outcome)
{
    uint32_t status = ct_wire_get_u32(in);
    uint32_t phase = ct_wire_get_u32(in);

    if (status >= CT_RESULT_STATUS_COUNT || phase >= CT_PHASE_COUNT) {
        in->failed = true;
        return;
    }
    outcome->status = (enum ct_result_status)status;
    outcome->phase = (enum ct_phase)phase;
    outcome->message = text_or_empty(in, &outcome->arena);
    outcome->build_log = text_or_empty(in, &outcome->arena);
    outcome->doubt = text_or_empty(in, &outcome->arena);
    if (!*outcome->doubt)
        outcome->doubt = NULL;
    get_facts(in, outcome);
    get_samples(in, outcome);
    get_differences(in, outcome);
    get_dumped(in, outcome);
    for (size_t f = 0; f < FIELD_COUNT; f++)
        for (size_t i = 0; i < fields[f].count; i++)
            get_number(in, fields[f].kind,
                       (char *)outcome + fields[f].offset + i * ELEMENT_BYTES);
}

bool ct_outcome_answers(const struct ct_outcome *outcome, enum ct_message request)
{
    bool measures = request == CT_MSG_EVALUATE || request == CT_MSG_BASELINE;

    return !measures || outcome->status != CT_RESULT_OK || outcome->samples.count > 0;
}
