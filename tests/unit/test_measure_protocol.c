// SPDX-License-Identifier: Apache-2.0
// Frames over a socket pair, contents of messages, arguments against declarations.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "worker/build/args.h"
#include "protocol/protocol.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void pair(int fds[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
}

static void messages_arrive_whole(void **state)
{
    static const size_t lengths[] = {0, 1, 100, 65535, 70000};
    struct ct_str sent;
    struct ct_str got;
    enum ct_message type;
    int fds[2];

    (void)state;
    pair(fds);
    ct_str_init(&got);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
        ct_str_init(&sent);
        for (size_t k = 0; k < lengths[i]; k++)
            ct_str_putc(&sent, (char)(k * 7));
        assert_int_equal(ct_protocol_send(fds[0], CT_MSG_EVALUATE, &sent, NULL), CT_OK);
        assert_int_equal(ct_protocol_receive(fds[1], &type, &got, NULL, NULL), CT_OK);
        assert_int_equal(type, CT_MSG_EVALUATE);
        assert_int_equal(got.length, lengths[i]);
        assert_memory_equal(got.data, sent.data, lengths[i]);
        ct_str_release(&sent);
    }
    close(fds[0]);
    assert_int_equal(ct_protocol_receive(fds[1], &type, &got, NULL, NULL),
                     CT_E_NOT_FOUND);
    ct_str_release(&got);
    close(fds[1]);
}

/* Two messages, delivered byte by byte. */
static void pieces_are_put_together(void **state)
{
    struct ct_str bytes;
    struct ct_frame frame;
    enum ct_message type;
    size_t done = 0;
    int fds[2];

    (void)state;
    pair(fds);
    ct_str_init(&bytes);
    ct_frame_put_head(&bytes, CT_MSG_PHASE, 5);
    ct_str_puts(&bytes, "hello");
    ct_frame_put_head(&bytes, CT_MSG_OPENED, 0);
    ct_frame_init(&frame);
    for (size_t i = 0; i < bytes.length; i++) {
        enum ct_frame_state seen;

        assert_int_equal(write(fds[0], bytes.data + i, 1), 1);
        seen = ct_frame_read(&frame, fds[1], MSG_DONTWAIT, &type);
        if (i == 16 + 5 - 1) {
            assert_int_equal(seen, CT_FRAME_DONE);
            assert_int_equal(type, CT_MSG_PHASE);
            assert_string_equal(frame.payload.data, "hello");
            done++;
        } else if (i == bytes.length - 1) {
            assert_int_equal(seen, CT_FRAME_DONE);
            assert_int_equal(type, CT_MSG_OPENED);
            assert_int_equal(frame.payload.length, 0);
            done++;
        } else {
            assert_int_equal(seen, CT_FRAME_AGAIN);
        }
    }
    assert_int_equal(done, 2);
    close(fds[0]);
    assert_int_equal(ct_frame_read(&frame, fds[1], MSG_DONTWAIT, &type), CT_FRAME_END);
    close(fds[1]);
    ct_frame_release(&frame);
    ct_str_release(&bytes);
}

/* Several messages of one read, of which one comes with a descriptor. */
static void messages_are_read_ahead(void **state)
{
    struct ct_frame frame;
    enum ct_message type;
    struct ct_str bytes;
    int passed[2];
    int fds[2];

    (void)state;
    pair(fds);
    assert_int_equal(pipe(passed), 0);
    ct_frame_init(&frame);
    frame.reads_ahead = true;
    ct_str_init(&bytes);
    ct_frame_put_head(&bytes, CT_MSG_PHASE, 3);
    ct_str_puts(&bytes, "one");
    ct_frame_put_head(&bytes, CT_MSG_PHASE, 3);
    ct_str_puts(&bytes, "two");
    assert_int_equal(write(fds[0], bytes.data, bytes.length), (ssize_t)bytes.length);
    ct_str_reset(&bytes);
    ct_str_puts(&bytes, "three");
    assert_int_equal(ct_protocol_send_fd(fds[0], CT_MSG_KEEP, &bytes, passed[1], NULL),
                     CT_OK);
    ct_str_reset(&bytes);
    ct_str_puts(&bytes, "four");
    assert_int_equal(ct_protocol_send(fds[0], CT_MSG_OUTCOME, &bytes, NULL), CT_OK);

    assert_int_equal(ct_frame_read(&frame, fds[1], MSG_DONTWAIT, &type), CT_FRAME_DONE);
    assert_string_equal(frame.payload.data, "one");
    assert_int_equal(frame.passed, -1);
    assert_true(ct_frame_may_continue(&frame));
    assert_int_equal(ct_frame_read(&frame, fds[1], MSG_DONTWAIT, &type), CT_FRAME_DONE);
    assert_string_equal(frame.payload.data, "two");
    assert_int_equal(frame.passed, -1);
    assert_int_equal(ct_frame_read(&frame, fds[1], MSG_DONTWAIT, &type), CT_FRAME_DONE);
    assert_int_equal(type, CT_MSG_KEEP);
    assert_string_equal(frame.payload.data, "three");
    assert_true(frame.passed >= 0);
    assert_int_equal(write(frame.passed, "x", 1), 1);
    assert_int_equal(ct_frame_read(&frame, fds[1], MSG_DONTWAIT, &type), CT_FRAME_DONE);
    assert_string_equal(frame.payload.data, "four");
    assert_int_equal(frame.passed, -1);
    assert_false(ct_frame_may_continue(&frame));
    assert_int_equal(ct_frame_read(&frame, fds[1], MSG_DONTWAIT, &type), CT_FRAME_AGAIN);
    ct_frame_release(&frame);
    ct_str_release(&bytes);
    close(passed[0]);
    close(passed[1]);
    close(fds[0]);
    close(fds[1]);
}

/* Of all lengths around that of what is read at once, one behind the other. */
static void long_messages_are_read_ahead(void **state)
{
    static const size_t lengths[] = {4080, 4079, 4081, 0, 4096, 8192, 3, 70000, 12};
    enum { COUNT = sizeof(lengths) / sizeof(*lengths) };
    struct ct_frame frame;
    enum ct_message type;
    size_t seen = 0;
    int fds[2];

    (void)state;
    pair(fds);
    ct_frame_init(&frame);
    frame.reads_ahead = true;
    for (size_t i = 0; i < COUNT; i++) {
        struct ct_str sent;

        ct_str_init(&sent);
        for (size_t k = 0; k < lengths[i]; k++)
            ct_str_putc(&sent, (char)(i + k * 7));
        assert_int_equal(ct_protocol_send(fds[0], CT_MSG_PHASE, &sent, NULL), CT_OK);
        ct_str_release(&sent);
    }
    close(fds[0]);
    while (seen < COUNT) {
        assert_int_equal(ct_frame_read(&frame, fds[1], 0, &type), CT_FRAME_DONE);
        assert_int_equal(frame.payload.length, lengths[seen]);
        for (size_t k = 0; k < lengths[seen]; k++)
            assert_int_equal(frame.payload.data[k], (char)(seen + k * 7));
        assert_true(ct_frame_may_continue(&frame) || seen == COUNT - 1);
        seen++;
    }
    assert_int_equal(ct_frame_read(&frame, fds[1], 0, &type), CT_FRAME_END);
    ct_frame_release(&frame);
    close(fds[1]);
}

static void damage_is_noticed(void **state)
{
    static const struct {
        size_t at;
        char byte;
    } damages[] = {{0, 'x'}, {4, 99}, {4, 0}, {15, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
        struct ct_str bytes;
        struct ct_frame frame;
        enum ct_message type;
        int fds[2];

        pair(fds);
        ct_str_init(&bytes);
        ct_frame_init(&frame);
        ct_frame_put_head(&bytes, CT_MSG_PHASE, 5);
        bytes.data[damages[i].at] = damages[i].byte;
        assert_int_equal(write(fds[0], bytes.data, bytes.length), (ssize_t)bytes.length);
        assert_int_equal(ct_frame_read(&frame, fds[1], MSG_DONTWAIT, &type),
                         CT_FRAME_BAD);
        close(fds[0]);
        close(fds[1]);
        ct_frame_release(&frame);
        ct_str_release(&bytes);
    }
}

static void nobody_listens(void **state)
{
    struct ct_str empty;
    struct ct_err err = CT_ERR_INIT;
    int fds[2];

    (void)state;
    pair(fds);
    close(fds[1]);
    ct_str_init(&empty);
    /* SIGPIPE would end this test. */
    assert_int_equal(ct_protocol_send(fds[0], CT_MSG_LIST, &empty, &err), CT_E_WORKER);
    close(fds[0]);
}

static struct ct_mismatch difference = {.buffer = 1,
                                        .element = 23,
                                        .unwritten = true,
                                        .expected_text = "1.5",
                                        .seen_text = "NaN"};
static struct ct_dumped dumped[2] = {{0, CT_DUMP_AFTER}, {1, CT_DUMP_TRUTH}};

static struct ct_outcome example(double samples[3], struct ct_kernel_facts facts[1])
{
    return (struct ct_outcome){
        .status = CT_RESULT_WRONG,
        .phase = CT_PHASE_CHECK,
        .message = "a sentence",
        .build_log = "a log",
        .mismatch = {.buffer = 1,
                     .element = 2,
                     .expected = 3.5,
                     .seen = -4.5,
                     .wrong_count = 6,
                     .guard = true},
        .differences = {.count = 1, .items = &difference},
        .dump = {.count = 2, .items = dumped, .timed = true},
        .binary_bytes = 7,
        .fact_count = 1,
        .facts = facts,
        .samples.count = 3,
        .samples.ns = samples,
        .samples.launches = 9,
        .samples.interleaved = 2,
        .time_ns = 10,
        .low_ns = 11,
        .high_ns = 12,
        .end_to_end.time_ns = 13,
        .end_to_end.low_ns = 14,
        .end_to_end.high_ns = 15,
        .stopped_early = true,
        .wall_clock = true,
        .race.saved = 16,
        .race.saved_ns = 17,
        .race.added = 18,
        .race.added_ns = 19,
        .samples.retaken = 20,
        .samples.timer_ns = 21,
        .cold.copies = 22,
        .cold.incomplete = true,
        .spent_ns = {1, 2, 3, 4, 5, 6},
        .verified = true,
        .copies = 7,
    };
}

static void requests_travel(void **state)
{
    const struct ct_request sent = {
        .seed = 1,
        .race = {.leader_ns = 2.5, .resolution = 0.5, .samples = 3, .off = true},
        .step = {.slot = 4, .sample = true, .last = true},
        .again = true,
        .copies = 5,
        .measure_deadline_ns = 6,
        .differences = 7,
        .dump = "/tmp/x",
    };
    struct ct_request got = {0};
    struct ct_arena arena = {0};
    struct ct_wire_reader in;
    struct ct_str bytes;

    (void)state;
    ct_str_init(&bytes);
    ct_request_put(&bytes, &sent);
    ct_wire_reader_init(&in, bytes.data, bytes.length);
    ct_request_get(&in, &arena, &got);
    assert_false(in.failed);
    assert_int_equal(in.at, bytes.length);
    assert_true(got.seed == 1 && got.copies == 5 && got.measure_deadline_ns == 6);
    assert_true(got.race.leader_ns == 2.5 && got.race.resolution == 0.5);
    assert_true(got.race.samples == 3 && got.race.off);
    assert_true(got.step.slot == 4 && got.step.sample && got.step.last);
    assert_true(got.again);
    assert_int_equal(got.differences, 7);
    assert_string_equal(got.dump, "/tmp/x");
    ct_arena_release(&arena);
    ct_str_release(&bytes);
}

static void outcomes_travel(void **state)
{
    double samples[3] = {1.5, 2.5, 3.5};
    struct ct_kernel_facts facts[1] = {{1, 2, 3, 4, 5, 6}};
    struct ct_outcome sent = example(samples, facts);
    struct ct_outcome got = {0};
    struct ct_wire_reader in;
    struct ct_str bytes;

    (void)state;
    ct_str_init(&bytes);
    ct_outcome_put(&bytes, &sent);
    ct_wire_reader_init(&in, bytes.data, bytes.length);
    ct_outcome_get(&in, &got);
    assert_false(in.failed);
    assert_int_equal(in.at, bytes.length);
    assert_int_equal(got.status, CT_RESULT_WRONG);
    assert_int_equal(got.phase, CT_PHASE_CHECK);
    assert_string_equal(got.message, "a sentence");
    assert_string_equal(got.build_log, "a log");
    assert_int_equal(got.mismatch.element, 2);
    assert_true(got.mismatch.seen == -4.5 && got.mismatch.guard);
    assert_int_equal(got.differences.count, 1);
    assert_int_equal(got.differences.items[0].buffer, 1);
    assert_int_equal(got.differences.items[0].element, 23);
    assert_true(got.differences.items[0].unwritten);
    assert_string_equal(got.differences.items[0].expected_text, "1.5");
    assert_string_equal(got.differences.items[0].seen_text, "NaN");
    assert_int_equal(got.dump.count, 2);
    assert_int_equal(got.dump.items[1].buffer, 1);
    assert_int_equal(got.dump.items[1].kind, CT_DUMP_TRUTH);
    assert_true(got.dump.timed);
    assert_int_equal(got.binary_bytes, 7);
    assert_memory_equal(got.facts, facts, sizeof(facts));
    assert_memory_equal(got.samples.ns, samples, sizeof(samples));
    assert_int_equal(got.samples.launches, 9);
    assert_int_equal(got.samples.interleaved, 2);
    assert_true(got.time_ns == 10 && got.low_ns == 11 && got.high_ns == 12);
    assert_true(got.end_to_end.time_ns == 13 && got.end_to_end.low_ns == 14 &&
                got.end_to_end.high_ns == 15);
    assert_true(got.stopped_early && got.wall_clock && got.verified);
    assert_int_equal(got.copies, 7);
    assert_true(got.race.saved == 16 && got.race.saved_ns == 17);
    assert_true(got.race.added == 18 && got.race.added_ns == 19);
    assert_true(got.samples.retaken == 20 && got.samples.timer_ns == 21);
    assert_true(got.cold.copies == 22 && got.cold.incomplete);
    assert_memory_equal(got.spent_ns, sent.spent_ns, sizeof(sent.spent_ns));
    ct_outcome_release(&got);
    /* Every shorter message is refused, none is read beyond its end. */
    for (size_t length = 0; length < bytes.length; length++) {
        ct_wire_reader_init(&in, bytes.data, length);
        ct_outcome_get(&in, &got);
        assert_true(in.failed);
        ct_outcome_release(&got);
    }
    ct_str_release(&bytes);
}

static void successes_have_samples(void **state)
{
    double sample = 1;
    struct ct_outcome outcome = {.status = CT_RESULT_OK, .message = "", .build_log = ""};

    (void)state;
    assert_false(ct_outcome_answers(&outcome, CT_MSG_EVALUATE));
    assert_false(ct_outcome_answers(&outcome, CT_MSG_BASELINE));
    assert_true(ct_outcome_answers(&outcome, CT_MSG_PREPARE));
    assert_true(ct_outcome_answers(&outcome, CT_MSG_BUILD));
    outcome.status = CT_RESULT_CRASHED;
    assert_true(ct_outcome_answers(&outcome, CT_MSG_EVALUATE));
    outcome.status = CT_RESULT_OK;
    outcome.samples.ns = &sample;
    outcome.samples.count = 1;
    assert_true(ct_outcome_answers(&outcome, CT_MSG_EVALUATE));
}

static void deadlines_have_bounds(void **state)
{
    (void)state;
    assert_int_equal(ct_deadlines_default(2.5).ns[CT_PHASE_FIRST], 2500000000);
    assert_int_equal(ct_deadlines_default(2.5).ns[CT_PHASE_MEASURE], 2500000000);
    assert_int_equal(ct_deadlines_default(2.5).ns[CT_PHASE_BUILD], 120000000000);
    /* References are not hurried, but have more time where launches have. */
    assert_int_equal(ct_deadlines_default(0.1).ns[CT_PHASE_DATA], 300000000000);
    assert_int_equal(ct_deadlines_default(10).ns[CT_PHASE_DATA], 300000000000);
    assert_int_equal(ct_deadlines_default(20).ns[CT_PHASE_DATA], 600000000000);
    assert_int_equal(ct_deadlines_default(1e300).ns[CT_PHASE_DATA], 1000000000000000000);
    assert_int_equal(ct_deadlines_default(-1).ns[CT_PHASE_FIRST], 1);
    assert_int_equal(ct_deadlines_default(1e300).ns[CT_PHASE_FIRST], 1000000000000000000);
}

struct argument_case {
    enum ct_arg_kind kind;
    struct ct_type type;
    struct ct_kernel_arg declared;
    bool good;
    uint32_t dims; /* of the buffer as an image */
};

static const struct argument_case argument_cases[] = {
    {CT_ARG_SCALAR, {CT_T_UINT, 1}, {"n", "uint", CT_ADDRESS_PRIVATE, false}, true, 0},
    {CT_ARG_SCALAR, {CT_T_UINT, 1}, {"n", "int", CT_ADDRESS_PRIVATE, false}, true, 0},
    {CT_ARG_SCALAR,
     {CT_T_UINT, 1},
     {"", "unsigned int", CT_ADDRESS_PRIVATE, false},
     true,
     0},
    {CT_ARG_SCALAR, {CT_T_UINT, 1}, {"n", "float", CT_ADDRESS_PRIVATE, false}, false, 0},
    {CT_ARG_SCALAR, {CT_T_UINT, 1}, {"n", "ulong", CT_ADDRESS_PRIVATE, false}, false, 0},
    {CT_ARG_SCALAR, {CT_T_UINT, 1}, {"n", "my_t", CT_ADDRESS_PRIVATE, false}, true, 0},
    {CT_ARG_SCALAR, {CT_T_FLOAT, 4}, {"n", "float4", CT_ADDRESS_PRIVATE, false}, true, 0},
    {CT_ARG_SCALAR,
     {CT_T_FLOAT, 4},
     {"n", "float3", CT_ADDRESS_PRIVATE, false},
     false,
     0},
    {CT_ARG_SCALAR,
     {CT_T_FLOAT, 4},
     {"n", "double2", CT_ADDRESS_PRIVATE, false},
     false,
     0},
    {CT_ARG_SCALAR, {CT_T_UINT, 1}, {"n", "uint*", CT_ADDRESS_GLOBAL, false}, false, 0},
    {CT_ARG_BUFFER, {0}, {"n", "float*", CT_ADDRESS_GLOBAL, true}, true, 0},
    {CT_ARG_BUFFER, {0}, {"n", "float4*", CT_ADDRESS_CONSTANT, true}, true, 0},
    {CT_ARG_BUFFER, {0}, {"n", "float*", CT_ADDRESS_LOCAL, false}, false, 0},
    {CT_ARG_BUFFER, {0}, {"n", "uint", CT_ADDRESS_PRIVATE, false}, false, 0},
    {CT_ARG_BUFFER, {0}, {"n", "image2d_t", CT_ADDRESS_GLOBAL, false}, false, 0},
    {CT_ARG_LOCAL, {0}, {"n", "float*", CT_ADDRESS_LOCAL, false}, true, 0},
    {CT_ARG_LOCAL, {0}, {"n", "float*", CT_ADDRESS_GLOBAL, false}, false, 0},
    {CT_ARG_BUFFER, {0}, {"n", "image2d_t", CT_ADDRESS_GLOBAL, true}, true, 2},
    {CT_ARG_BUFFER, {0}, {"n", "image3d_t", CT_ADDRESS_GLOBAL, true}, false, 2},
    {CT_ARG_BUFFER, {0}, {"n", "image2d_array_t", CT_ADDRESS_GLOBAL, 1}, false, 2},
    {CT_ARG_BUFFER, {0}, {"n", "float*", CT_ADDRESS_GLOBAL, true}, false, 2},
    {CT_ARG_SAMPLER, {0}, {"n", "sampler_t", CT_ADDRESS_PRIVATE, false}, true, 0},
    {CT_ARG_SAMPLER, {0}, {"n", "uint", CT_ADDRESS_PRIVATE, false}, false, 0},
    {CT_ARG_SCALAR,
     {CT_T_UINT, 1},
     {"n", "sampler_t", CT_ADDRESS_PRIVATE, false},
     false,
     0},
    {CT_ARG_NULL, {0}, {"n", "float*", CT_ADDRESS_GLOBAL, false}, true, 0},
    {CT_ARG_NULL, {0}, {"n", "foo*", CT_ADDRESS_CONSTANT, false}, true, 0},
    {CT_ARG_NULL, {0}, {"n", "float*", CT_ADDRESS_LOCAL, false}, false, 0},
    {CT_ARG_NULL, {0}, {"n", "float", CT_ADDRESS_PRIVATE, false}, false, 0},
    {CT_ARG_BYTES, {0}, {"n", "foo", CT_ADDRESS_PRIVATE, false}, true, 0},
    {CT_ARG_BYTES, {0}, {"n", "float", CT_ADDRESS_PRIVATE, false}, false, 0},
    {CT_ARG_BYTES, {0}, {"n", "foo*", CT_ADDRESS_GLOBAL, false}, false, 0},
};

static void arguments_fit_declarations(void **state)
{
    struct ct_plan_buffer buffers[1] = {{.name = "data", .type = {CT_T_FLOAT, 2}}};
    struct ct_plan plan = {.buffer_count = 1, .buffers = buffers};

    (void)state;
    for (size_t i = 0; i < sizeof(argument_cases) / sizeof(*argument_cases); i++) {
        const struct argument_case *c = &argument_cases[i];
        struct ct_plan_arg arg = {.kind = c->kind, .type = c->type};
        struct ct_plan_launch launch = {
            .name = "l", .kernel = "k", .arg_count = 1, .args = &arg};
        struct ct_err err = CT_ERR_INIT;

        buffers[0].image.dims = c->dims;
        assert_int_equal(ct_args_check(&plan, &launch, 0, &c->declared, &err),
                         c->good ? CT_OK : CT_E_SPEC);
        if (!c->good) {
            assert_non_null(strstr(err.message, "argument 1 of kernel k"));
            assert_non_null(strstr(err.message, c->declared.type));
        }
    }
}

/* What the elements of buffers are, against what the kernel takes them for. */
static void buffers_fit_pointers(void **state)
{
    static const struct {
        struct ct_type type;
        const char *declared;
        bool good;
    } cases[] = {
        {{CT_T_FLOAT, 1}, "float*", true},   {{CT_T_FLOAT, 2}, "float*", true},
        {{CT_T_FLOAT, 2}, "float4*", true},  {{CT_T_FLOAT, 1}, "int*", false},
        {{CT_T_FLOAT, 1}, "double*", false}, {{CT_T_DOUBLE, 2}, "float4*", false},
        {{CT_T_DOUBLE, 1}, "long*", false},  {{CT_T_INT, 1}, "uint*", true},
        {{CT_T_INT, 1}, "uint4*", true},     {{CT_T_INT, 1}, "unsigned int *", true},
        {{CT_T_INT, 1}, "long*", false},     {{CT_T_INT, 1}, "float*", false},
        {{CT_T_UCHAR, 1}, "uint*", false},   {{CT_T_FLOAT, 1}, "uchar*", true},
        {{CT_T_FLOAT, 1}, "char*", true},    {{CT_T_FLOAT, 1}, "unsigned char*", true},
        {{CT_T_FLOAT, 1}, "void*", true},    {{CT_T_FLOAT, 1}, "struct point*", true},
        {{CT_T_FLOAT, 1}, "my_t*", true},    {{CT_T_HALF, 1}, "ushort*", true},
        {{CT_T_HALF, 4}, "short4*", true},   {{CT_T_USHORT, 1}, "half*", true},
        {{CT_T_HALF, 1}, "float*", false},   {{CT_T_SHORT, 1}, "int*", false},
        {{CT_T_CHAR, 1}, "uchar*", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ct_plan_buffer buffer = {.name = "data", .type = cases[i].type};
        struct ct_plan plan = {.buffer_count = 1, .buffers = &buffer};
        struct ct_plan_arg arg = {.kind = CT_ARG_BUFFER};
        struct ct_plan_launch launch = {
            .name = "l", .kernel = "k", .arg_count = 1, .args = &arg};
        struct ct_kernel_arg declared = {.name = "x", .address = CT_ADDRESS_GLOBAL};
        struct ct_err err = CT_ERR_INIT;
        char type[16];

        snprintf(declared.type, sizeof(declared.type), "%s", cases[i].declared);
        if (ct_args_check(&plan, &launch, 0, &declared, &err) !=
            (cases[i].good ? CT_OK : CT_E_SPEC))
            fail_msg("case %zu: %s", i, cases[i].declared);
        if (cases[i].good)
            continue;
        ct_type_name(cases[i].type, type);
        assert_non_null(strstr(err.message, "argument 1 of kernel k"));
        assert_non_null(strstr(err.message, " x`"));
        assert_non_null(strstr(err.message, cases[i].declared));
        assert_non_null(strstr(err.message, type));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_arrive_whole),
        cmocka_unit_test(pieces_are_put_together),
        cmocka_unit_test(messages_are_read_ahead),
        cmocka_unit_test(long_messages_are_read_ahead),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(requests_travel),
        cmocka_unit_test(outcomes_travel),
        cmocka_unit_test(successes_have_samples),
        cmocka_unit_test(deadlines_have_bounds),
        cmocka_unit_test(arguments_fit_declarations),
        cmocka_unit_test(buffers_fit_pointers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
