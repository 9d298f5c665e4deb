// SPDX-License-Identifier: Apache-2.0
// Images and samplers, on device 0, which must have images.
#define _GNU_SOURCE // folder.h
#include "measure_plan.h"
#include "worker/worker_main.h"

static struct ct_runner *runner;

static const char image_source[] =
    "kernel void shift(read_only image2d_t in, write_only image2d_t out, sampler_t s)\n"
    "{\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imagef(out, at, read_imagef(in, s, at + (int2)(1, 0)));\n"
    "}\n"
    "kernel void fetch(read_only image2d_t in, global float *out)\n"
    "{\n"
    "    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    out[at.y * get_global_size(0) + at.x] = read_imagef(in, s, at).x;\n"
    "}\n"
    "kernel void shift1(read_only image1d_t in, write_only image1d_t out, sampler_t s)\n"
    "{\n"
    "    int at = get_global_id(0);\n"
    "    write_imagef(out, at, read_imagef(in, s, at + 1));\n"
    "}\n"
    "kernel void fetch1(read_only image1d_t in, global float *out)\n"
    "{\n"
    "    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;\n"
    "    int at = get_global_id(0);\n"
    "    out[at] = read_imagef(in, s, at).x;\n"
    "}\n"
    "kernel void fetch3(read_only image3d_t in, global uint *out)\n"
    "{\n"
    "    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;\n"
    "    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "    size_t i = (at.z * get_global_size(1) + at.y) * get_global_size(0) + at.x;\n"
    "    out[i] = read_imageui(in, s, at).x;\n"
    "}\n";

enum { WIDE = 12, HIGH = 5, PIXELS = WIDE * HIGH };

struct picture {
    struct ct_plan plan;
    struct ct_plan_program program;
    struct ct_plan_buffer buffers[3];
    struct ct_plan_launch launches[3];
    struct ct_plan_arg args[3];
};

static struct ct_fill ramp(double from, double step)
{
    return (struct ct_fill){.kind = CT_FILL_RAMP, .a = from, .b = step};
}

/* Two images `in` and `out` of one float a pixel, and a buffer `copy` of as many. */
static void picture_init(struct picture *p)
{
    static const char *const names[] = {"in", "out", "copy"};

    memset(p, 0, sizeof(*p));
    p->program = (struct ct_plan_program){
        .source = image_source,
        .source_path = "image.cl",
        .options = "-cl-std=CL1.2",
        .source_hash = ct_hash_bytes(image_source, sizeof(image_source)),
    };
    for (size_t i = 0; i < 3; i++) {
        p->buffers[i] = (struct ct_plan_buffer){
            .name = names[i],
            .type = {CT_T_FLOAT, 1},
            .count = PIXELS,
            .compare = PIXELS,
        };
        if (i < 2)
            p->buffers[i].image = (struct ct_plan_image){.dims = 2,
                                                         .size = {WIDE, HIGH, 1},
                                                         .order = CT_ORDER_R,
                                                         .channel = CT_CHANNEL_FLOAT};
    }
    p->buffers[0].fill = ramp(1, 1);
    p->args[0] = (struct ct_plan_arg){.kind = CT_ARG_BUFFER, .buffer = 0};
    p->args[1] = (struct ct_plan_arg){.kind = CT_ARG_BUFFER, .buffer = 2};
    p->launches[0] = (struct ct_plan_launch){.name = "l",
                                             .kernel = "fetch",
                                             .dims = 2,
                                             .global = {WIDE, HIGH},
                                             .arg_count = 2,
                                             .args = p->args};
    p->plan = (struct ct_plan){.program_count = 1,
                               .programs = &p->program,
                               .buffer_count = 3,
                               .buffers = p->buffers,
                               .launch_count = 1,
                               .launches = p->launches};
}

static void expecting(struct picture *p, size_t buffer, struct ct_fill fill)
{
    p->buffers[buffer].check = CT_CHECK_EXACT;
    p->buffers[buffer].has_expect = true;
    p->buffers[buffer].expect = fill;
}

static void evaluate(const struct picture *p, enum ct_result_status status,
                     struct ct_outcome *outcome)
{
    struct ct_measure_options how = options(60);
    struct ct_err err = CT_ERR_INIT;

    if (ct_runner_evaluate(runner, &p->plan, &how, outcome, &err))
        fail_msg("%s", err.message);
    if (outcome->status != status)
        fail_msg("%s: %s\n%s", ct_result_status_name(outcome->status), outcome->message,
                 outcome->build_log);
    if (status == CT_RESULT_OK)
        assert_true(outcome->verified);
}

static void evaluate_only(const struct picture *p, enum ct_result_status status)
{
    struct ct_outcome outcome;

    evaluate(p, status, &outcome);
    ct_outcome_release(&outcome);
}

static void images_are_filled_and_read(void **state)
{
    struct picture p;

    (void)state;
    picture_init(&p);
    expecting(&p, 2, ramp(1, 1));
    /* Nobody writes it: what it was filled with comes back. */
    expecting(&p, 0, ramp(1, 1));
    evaluate_only(&p, CT_RESULT_OK);
    expecting(&p, 2, ramp(2, 1));
    evaluate_only(&p, CT_RESULT_WRONG);
}

static void samplers_are_arguments(void **state)
{
    static const struct {
        enum ct_addressing addressing;
        float last; /* what lies right of a row of 1 .. WIDE */
    } cases[] = {{CT_ADDRESS_CLAMP_TO_EDGE, WIDE}, {CT_ADDRESS_CLAMP, 0}};
    char path[128];
    struct picture p;

    (void)state;
    snprintf(path, sizeof(path), "%s/shift.c", test_folder);
    for (size_t c = 0; c < 2; c++) {
        char text[400];

        snprintf(
            text, sizeof(text),
            "void row(float *x, unsigned long n)\n"
            "{ for (unsigned long i = 0; i < n; i++) x[i] = (float)(i %% %d + 1); }\n"
            "void shifted(float *x, unsigned long n)\n"
            "{ for (unsigned long i = 0; i < n; i++)\n"
            "    x[i] = i %% %d == %d ? %g.f : (float)(i %% %d + 2); }\n",
            WIDE, WIDE, WIDE - 1, (double)cases[c].last, WIDE);
        write_file(path, text);
        picture_init(&p);
        p.buffers[0].fill =
            (struct ct_fill){.kind = CT_FILL_C, .path = path, .function = "row"};
        p.launches[0].kernel = "shift";
        p.launches[0].arg_count = 3;
        p.args[1].buffer = 1;
        p.args[2] = (struct ct_plan_arg){.kind = CT_ARG_SAMPLER,
                                         .sampler = {.addressing = cases[c].addressing}};
        expecting(&p, 1,
                  (struct ct_fill){
                      .kind = CT_FILL_C, .path = path, .function = "shifted", .seed = c});
        /* The same path with another text: another plan. */
        p.buffers[1].expect.path_hash = ct_hash_bytes(text, strlen(text));
        evaluate_only(&p, CT_RESULT_OK);
    }
}

/* Both images and the launch get one dimension. */
static void flatten(struct picture *p, const char *kernel)
{
    for (size_t i = 0; i < 2; i++) {
        p->buffers[i].image.dims = 1;
        p->buffers[i].image.size[0] = PIXELS;
        p->buffers[i].image.size[1] = 1;
    }
    p->launches[0].kernel = kernel;
    p->launches[0].dims = 1;
    p->launches[0].global[0] = PIXELS;
    p->launches[0].global[1] = 0;
}

static void images_have_one_dimension(void **state)
{
    static const enum ct_transfer transfers[] = {CT_TRANSFER_WRITE, CT_TRANSFER_MAP,
                                                 CT_TRANSFER_HOST};
    struct ct_outcome outcome;
    struct picture p;

    (void)state;
    for (size_t t = 0; t < 3; t++) {
        picture_init(&p);
        flatten(&p, "fetch1");
        p.plan.end_to_end = true;
        p.buffers[0].transfer = transfers[t];
        expecting(&p, 0, ramp(1, 1));
        expecting(&p, 2, ramp(1, 1));
        evaluate(&p, CT_RESULT_OK, &outcome);
        assert_true(outcome.end_to_end.time_ns > 0);
        ct_outcome_release(&outcome);
    }
    expecting(&p, 2, ramp(2, 1));
    evaluate_only(&p, CT_RESULT_WRONG);
    /* Written, with a sampler: nothing lies behind the last pixel. */
    picture_init(&p);
    flatten(&p, "shift1");
    p.launches[0].arg_count = 3;
    p.args[1].buffer = 1;
    p.args[2] = (struct ct_plan_arg){.kind = CT_ARG_SAMPLER,
                                     .sampler = {.addressing = CT_ADDRESS_CLAMP}};
    expecting(&p, 1, ramp(2, 1));
    p.buffers[1].compare = PIXELS - 1;
    evaluate_only(&p, CT_RESULT_OK);
    p.buffers[1].compare = PIXELS;
    evaluate(&p, CT_RESULT_WRONG, &outcome);
    assert_true(outcome.mismatch.element == PIXELS - 1 && outcome.mismatch.seen == 0);
    ct_outcome_release(&outcome);
}

static void images_of_one_dimension_are_copied_and_zeroed(void **state)
{
    struct picture p;

    (void)state;
    picture_init(&p);
    flatten(&p, "");
    p.launches[0] = (struct ct_plan_launch){
        .kind = CT_LAUNCH_COPY, .name = "c", .kernel = "", .dims = 1, .to = 1};
    p.launches[1] = (struct ct_plan_launch){
        .kind = CT_LAUNCH_COPY, .name = "b", .kernel = "", .dims = 1, .from = 1, .to = 2};
    p.launches[2] = (struct ct_plan_launch){
        .kind = CT_LAUNCH_ZERO, .name = "z", .kernel = "", .dims = 1, .to = 0};
    p.plan.launch_count = 3;
    expecting(&p, 0, (struct ct_fill){.kind = CT_FILL_ZERO});
    expecting(&p, 1, ramp(1, 1));
    expecting(&p, 2, ramp(1, 1));
    evaluate_only(&p, CT_RESULT_OK);
}

static void arguments_have_the_kernels_dimensions(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct ct_err err = CT_ERR_INIT;
    struct picture p;

    (void)state;
    picture_init(&p);
    flatten(&p, "fetch1");
    p.buffers[0].image.dims = 2;
    assert_int_equal(ct_runner_evaluate(runner, &p.plan, &how, &outcome, &err),
                     CT_E_SPEC);
    assert_contains(err.message, "image1d_t");
    assert_contains(err.message, "image in (2D)");
}

static void images_have_three_dimensions(void **state)
{
    struct picture p;

    (void)state;
    picture_init(&p);
    p.buffers[0].type = (struct ct_type){CT_T_UCHAR, 4};
    p.buffers[0].image = (struct ct_plan_image){.dims = 3,
                                                .size = {5, 4, 3},
                                                .order = CT_ORDER_RGBA,
                                                .channel = CT_CHANNEL_UNSIGNED_INT8};
    p.buffers[2].type = (struct ct_type){CT_T_UINT, 1};
    p.launches[0].kernel = "fetch3";
    p.launches[0].dims = 3;
    p.launches[0].global[0] = 5;
    p.launches[0].global[1] = 4;
    p.launches[0].global[2] = 3;
    /* The first of every four scalars. */
    expecting(&p, 2, ramp(1, 4));
    evaluate_only(&p, CT_RESULT_OK);
}

static void images_are_copied_and_zeroed(void **state)
{
    struct picture p;

    (void)state;
    picture_init(&p);
    p.launches[0] = (struct ct_plan_launch){
        .kind = CT_LAUNCH_COPY, .name = "c", .kernel = "", .to = 1};
    p.launches[1] = (struct ct_plan_launch){
        .kind = CT_LAUNCH_COPY, .name = "b", .kernel = "", .from = 1, .to = 2};
    p.launches[2] = (struct ct_plan_launch){
        .kind = CT_LAUNCH_ZERO, .name = "z", .kernel = "", .to = 0};
    for (size_t i = 0; i < 3; i++)
        p.launches[i].dims = 1;
    p.plan.launch_count = 3;
    expecting(&p, 0, (struct ct_fill){.kind = CT_FILL_ZERO});
    expecting(&p, 1, ramp(1, 1));
    expecting(&p, 2, ramp(1, 1));
    evaluate_only(&p, CT_RESULT_OK);
    /* Back from a buffer. */
    p.buffers[2].fill = ramp(7, 1);
    p.launches[0].from = 2;
    p.launches[0].to = 0;
    p.plan.launch_count = 1;
    expecting(&p, 0, ramp(7, 1));
    expecting(&p, 2, ramp(7, 1));
    p.buffers[1].check = CT_CHECK_NONE;
    evaluate_only(&p, CT_RESULT_OK);
}

static void images_travel_in_every_way(void **state)
{
    static const enum ct_transfer transfers[] = {CT_TRANSFER_WRITE, CT_TRANSFER_MAP,
                                                 CT_TRANSFER_HOST};
    struct ct_outcome outcome;
    struct picture p;

    (void)state;
    for (size_t t = 0; t < 3; t++) {
        picture_init(&p);
        p.plan.end_to_end = true;
        p.buffers[0].transfer = transfers[t];
        p.buffers[2].transfer = transfers[t];
        p.buffers[0].reduce = CT_REDUCE_SUM;
        expecting(&p, 0, ramp(1, 1));
        expecting(&p, 2, ramp(1, 1));
        evaluate(&p, CT_RESULT_OK, &outcome);
        assert_true(outcome.end_to_end.time_ns > 0);
        ct_outcome_release(&outcome);
    }
}

static void impossible_images_are_invalid(void **state)
{
    struct ct_outcome outcome;
    struct picture p;

    (void)state;
    picture_init(&p);
    p.buffers[0].image.order = CT_ORDER_BGRA;
    p.buffers[0].type.width = 4;
    evaluate(&p, CT_RESULT_INVALID, &outcome);
    assert_contains(outcome.message, "image in: the device does not support");
    ct_outcome_release(&outcome);
    picture_init(&p);
    p.buffers[0].image.size[0] = (uint64_t)1 << 40;
    p.buffers[0].image.size[1] = 1;
    p.buffers[0].count = (uint64_t)1 << 40;
    p.buffers[0].compare = 0;
    evaluate(&p, CT_RESULT_INVALID, &outcome);
    assert_contains(outcome.message, "image in");
    ct_outcome_release(&outcome);
}

static void images_and_buffers_are_distinguished(void **state)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct ct_err err = CT_ERR_INIT;
    struct picture p;

    (void)state;
    picture_init(&p);
    p.args[0].buffer = 2;
    assert_int_equal(ct_runner_evaluate(runner, &p.plan, &how, &outcome, &err),
                     CT_E_SPEC);
    assert_contains(err.message, "image2d_t");
    assert_contains(err.message, "buffer copy (float)");
    picture_init(&p);
    p.buffers[0].image.order = CT_ORDER_RG;
    assert_int_equal(ct_runner_evaluate(runner, &p.plan, &how, &outcome, &err),
                     CT_E_SPEC);
    assert_contains(err.message, "image in: its type is not that of a CL_RG CL_FLOAT");
    picture_init(&p);
    p.args[1].buffer = 1;
    assert_int_equal(ct_runner_evaluate(runner, &p.plan, &how, &outcome, &err),
                     CT_E_SPEC);
    assert_contains(err.message, "image out (2D)");
}

static int set_up(void **state)
{
    if (set_up_folder(state))
        return -1;
    runner = runner_new();
    return 0;
}

static int tear_down(void **state)
{
    ct_runner_free(runner);
    return remove_folder(state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_filled_and_read),
        cmocka_unit_test(samplers_are_arguments),
        cmocka_unit_test(images_have_one_dimension),
        cmocka_unit_test(images_of_one_dimension_are_copied_and_zeroed),
        cmocka_unit_test(arguments_have_the_kernels_dimensions),
        cmocka_unit_test(images_have_three_dimensions),
        cmocka_unit_test(images_are_copied_and_zeroed),
        cmocka_unit_test(images_travel_in_every_way),
        cmocka_unit_test(impossible_images_are_invalid),
        cmocka_unit_test(images_and_buffers_are_distinguished),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
