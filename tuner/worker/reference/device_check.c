// SPDX-License-Identifier: Apache-2.0
// The kernels that compare, and when they are used.
#include "worker/reference/device_check.h"

#include "device/device.h"
#include "worker/data/data.h"
#include "worker/offer.h"
#include "worker/reference/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HOST_EVERY = 16,         /* comparisons of a buffer: one of so many is the host's */
    LEAST_BYTES = 1 << 20,   /* less is read back sooner than a launch is over */
    ITEMS_MOST = 64 * 1024,  /* work-items, each of which compares many scalars */
    SCALARS_MOST = INT32_MAX /* what a counter of 32 bits can count */
};

/* What is below this may be flushed to zero on some devices. */
#define LIMIT_LEAST "1e-30f"

/* The bits are compared as unsigned integers, so that NaNs and signed zeros are left to the
 * host. */
#define NEAR_KERNEL(name, type, bits)                                                    \
    "__kernel void " name "(__global const " type " *x, __global const " type " *r,\n"   \
    "    ulong count, " type " slope, " type " least, __global uint *right)\n"           \
    "{\n"                                                                                \
    "    uint mine = 0;\n"                                                               \
    "    for (size_t i = get_global_id(0); i < count; i += get_global_size(0)) {\n"      \
    "        " type " off = fabs(x[i] - r[i]);\n"                                        \
    "        " type " limit = fmax(slope * fabs(r[i]), least);\n"                        \
    "        mine += as_" bits "(x[i]) == as_" bits "(r[i]) ||\n"                        \
    "            (off <= limit && limit >= " LIMIT_LEAST " && off < INFINITY);\n"        \
    "    }\n"                                                                            \
    "    atomic_add(right, mine);\n"                                                     \
    "}\n"

static const char same_source[] =
    "__kernel void same(__global const uint *x, __global const uint *r, ulong count,\n"
    "    __global uint *right)\n"
    "{\n"
    "    uint mine = 0;\n"
    "    for (size_t i = get_global_id(0); i < count; i += get_global_size(0))\n"
    "        mine += x[i] == r[i];\n"
    "    atomic_add(right, mine);\n"
    "}\n" NEAR_KERNEL("near_float", "float", "uint");

/* A program of its own: not every device has doubles. */
static const char double_source[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" NEAR_KERNEL("near_double", "double",
                                                                  "ulong");

enum method { SAME, NEAR_FLOAT, NEAR_DOUBLE, METHODS };

static const char *const kernel_names[METHODS] = {"same", "near_float", "near_double"};

struct ct_device_check {
    struct ct_program *program; /* NULL: not built yet */
    struct ct_program *doubles;
    struct ct_buffer *right; /* the counter */
    bool tested[METHODS];
    bool off; /* something was refused, or a test failed: the host compares */
};

void ct_device_check_forget(struct ct_session *session)
{
    struct ct_device_check *check = session->device_check;

    if (!check)
        return;
    ct_buffer_free(check->right);
    ct_program_free(check->program);
    ct_program_free(check->doubles);
    free(check);
    session->device_check = NULL;
}

/* --- what can be compared here --- */

enum wish { WISH_NONE, WISH_HOST, WISH_DEVICE };

static enum wish wish_of(void)
{
    const char *text = getenv("CLTUNE_COMPARE");

    return !text                         ? WISH_NONE
           : strcmp(text, "host") == 0   ? WISH_HOST
           : strcmp(text, "device") == 0 ? WISH_DEVICE
                                         : WISH_NONE;
}

/* Scalars that are compared; 0: not here. */
static uint64_t scalars_of(const struct ct_plan_buffer *compared)
{
    uint64_t count = 0;

    if (compared->image.dims || compared->reduce || ct_layout_has_planes(compared) ||
        compared->type.width == 3 || compared->check == CT_CHECK_NONE ||
        compared->check == CT_CHECK_C)
        return 0;
    return __builtin_mul_overflow(compared->compare, compared->type.width, &count)
               ? 0
               : count;
}

static bool is_possible(const struct ct_session *session, uint64_t bytes)
{
    enum wish wish = wish_of();

    if (wish == WISH_HOST || (session->device_check && session->device_check->off))
        return false;
    return wish == WISH_DEVICE ||
           (!ct_session_on_processor(session) && bytes >= LEAST_BYTES);
}

static bool is_hosts_turn(struct ct_dataset_buffer *buffer)
{
    return ++buffer->expected.comparisons % HOST_EVERY == 0;
}

/* --- on the device --- */

/* Builds a program, or takes what another process has built: for some compilers a few lines of source
 * are a twentieth of a second. */
static enum ct_status make_program(struct ct_session *session, const char *source,
                                   struct ct_program **out, struct ct_err *err)
{
    const struct ct_devinfo *info = ct_device_info(session->device);
    char name[CT_SHARED_CACHE_NAME_SIZE];
    struct ct_str binary;
    enum ct_status status = CT_OK;

    snprintf(name, sizeof(name), "compare %u:%u %s", info->platform_index,
             info->device_index, source == double_source ? "double" : "float");
    ct_str_init(&binary);
    if (!ct_offer_find(session, name, &binary) ||
        ct_program_load(session->device, binary.data, binary.length, "", out, NULL,
                        NULL)) {
        status = ct_program_build(session->device, source, "", out, NULL, err);
        ct_str_reset(&binary);
        if (!status && !ct_session_on_processor(session) &&
            !ct_program_binary(*out, &binary, NULL))
            ct_offer_bytes(session, name, &binary);
    }
    ct_str_release(&binary);
    return status;
}

static enum ct_status prepare(struct ct_session *session, struct ct_err *err)
{
    struct ct_device_check *check = session->device_check;
    enum ct_status status = CT_OK;

    if (!check) {
        check = session->device_check = calloc(1, sizeof(*check));
        if (!check)
            return ct_err_nomem(err);
    }
    if (!check->right)
        status = ct_buffer_new(session->device, sizeof(uint32_t), CT_HOME_DEVICE,
                               &check->right, err);
    if (!status && !check->program)
        status = make_program(session, same_source, &check->program, err);
    return status;
}

/* The expected contents, which stay there. */
static enum ct_status send_expected(struct ct_session *session,
                                    struct ct_expected *expected, struct ct_err *err)
{
    enum ct_status status;

    if (expected->device)
        return CT_OK;
    status = ct_buffer_new(session->device, expected->size_bytes, CT_HOME_DEVICE,
                           &expected->device, err);
    return status ? status : ct_buffer_write(expected->device, expected->bytes, err);
}

/* Launches a kernel over `count` values, and reads how many are right. */
static enum ct_status count_right(struct ct_session *session, struct ct_kernel *kernel,
                                  uint32_t counter_index, uint64_t count, uint32_t *right,
                                  struct ct_err *err)
{
    struct ct_buffer *counter = session->device_check->right;
    uint64_t global = count < ITEMS_MOST ? count : ITEMS_MOST;
    const uint32_t none = 0;
    enum ct_status status = ct_buffer_write(counter, &none, err);

    if (!status)
        status = ct_kernel_set_value(kernel, 2, &count, sizeof(count), err);
    if (!status)
        status = ct_kernel_set_buffer(kernel, counter_index, counter, err);
    if (!status)
        status = ct_kernel_launch(kernel, 1, &global, NULL, NULL, err);
    return status ? status : ct_buffer_read(counter, right, err);
}

struct comparison {
    enum method method;
    uint64_t count; /* values that it compares */
    struct ct_tolerance tolerance;
};

/* Bits of integers, halves and exact checks; these decide more than the check asks for, and leave
 * what differs to the host.  False: not with these kernels. */
static bool choose_comparison(const struct ct_plan_buffer *compared, double rms,
                              uint64_t scalars, struct comparison *out)
{
    uint64_t bytes = scalars * ct_scalar_size(compared->type.scalar);

    /* As in verify.c: narrower than rounding could widen it. */
    out->tolerance = ct_verify_tolerance(compared, rms);
    out->tolerance.slope *= 1 - 1e-6;
    out->tolerance.floor *= 1 - 1e-6;
    out->count = scalars;
    if (out->tolerance.slope > 0 || out->tolerance.floor > 0) {
        if (compared->type.scalar == CT_T_FLOAT)
            out->method = NEAR_FLOAT;
        else if (compared->type.scalar == CT_T_DOUBLE)
            out->method = NEAR_DOUBLE;
        else
            return false;
    } else {
        out->method = SAME;
        out->count = bytes / sizeof(uint32_t);
        if (bytes % sizeof(uint32_t))
            return false;
    }
    return out->count <= SCALARS_MOST;
}

static enum ct_status set_tolerance(struct ct_kernel *kernel, enum ct_scalar scalar,
                                    const struct ct_tolerance *tolerance,
                                    struct ct_err *err)
{
    const float floats[2] = {(float)tolerance->slope, (float)tolerance->floor};
    const double doubles[2] = {tolerance->slope, tolerance->floor};
    bool single = scalar == CT_T_FLOAT;
    size_t size = single ? sizeof(float) : sizeof(double);
    enum ct_status status = CT_OK;

    for (uint32_t i = 0; i < 2 && !status; i++)
        status = ct_kernel_set_value(
            kernel, 3 + i, single ? (const void *)&floats[i] : &doubles[i], size, err);
    return status;
}

/* Counts the values of `x` that are right by those of `r`. */
static enum ct_status run_kernel(struct ct_session *session, struct ct_buffer *x,
                                 struct ct_buffer *r, enum ct_scalar scalar,
                                 const struct comparison *how, uint32_t *right,
                                 struct ct_err *err)
{
    struct ct_device_check *check = session->device_check;
    bool near = how->method != SAME;
    struct ct_kernel *kernel = NULL;
    enum ct_status status = CT_OK;

    if (how->method == NEAR_DOUBLE && !check->doubles)
        status = make_program(session, double_source, &check->doubles, err);
    if (!status)
        status =
            ct_kernel_new(how->method == NEAR_DOUBLE ? check->doubles : check->program,
                          kernel_names[how->method], &kernel, err);
    if (!status)
        status = ct_kernel_set_buffer(kernel, 0, x, err);
    if (!status)
        status = ct_kernel_set_buffer(kernel, 1, r, err);
    if (!status && near)
        status = set_tolerance(kernel, scalar, &how->tolerance, err);
    if (!status)
        status = count_right(session, kernel, near ? 5 : 3, how->count, right, err);
    ct_kernel_free(kernel);
    return status;
}

/* --- whether the kernels can be trusted --- */

enum { TEST_VALUES = 100 };

static void store_value(void *values, bool doubles, size_t index, double value)
{
    if (doubles)
        ((double *)values)[index] = value;
    else
        ((float *)values)[index] = (float)value;
}

/* Of these values four differ, and one of the four by less than the tolerance. */
static void make_test(bool doubles, void *x, void *r)
{
    for (size_t i = 0; i < TEST_VALUES; i++) {
        store_value(r, doubles, i, (double)i - 50.5);
        store_value(x, doubles, i, (double)i - 50.5);
    }
    store_value(x, doubles, 0, -50.5 * 1.01);
    store_value(x, doubles, 7, -43.5 * 1.0005);
    store_value(x, doubles, 49, NAN);
    store_value(x, doubles, TEST_VALUES - 1, (double)INFINITY);
}

/* The kernel's own test, once in a process: a compiler that gets it wrong must not judge. */
static enum ct_status test_kernel(struct ct_session *session, enum method method,
                                  struct ct_err *err)
{
    bool doubles = method == NEAR_DOUBLE;
    size_t size = TEST_VALUES * (doubles ? sizeof(double) : sizeof(float));
    struct comparison how = {method, TEST_VALUES, {1e-3, 1e-6}};
    double x_values[TEST_VALUES];
    double r_values[TEST_VALUES];
    struct ct_buffer *x = NULL;
    struct ct_buffer *r = NULL;
    uint32_t right = 0;
    enum ct_status status;

    make_test(doubles, x_values, r_values);
    status = ct_buffer_new(session->device, size, CT_HOME_DEVICE, &x, err);
    if (!status)
        status = ct_buffer_new(session->device, size, CT_HOME_DEVICE, &r, err);
    if (!status)
        status = ct_buffer_write(x, x_values, err);
    if (!status)
        status = ct_buffer_write(r, r_values, err);
    if (!status)
        status = run_kernel(session, x, r, doubles ? CT_T_DOUBLE : CT_T_FLOAT, &how,
                            &right, err);
    ct_buffer_free(x);
    ct_buffer_free(r);
    session->device_check->off =
        status || right != TEST_VALUES - (method == SAME ? 4 : 3);
    session->device_check->tested[method] = true;
    return status;
}

/* Everything that a comparison needs, once. */
static enum ct_status make_ready(struct ct_session *session, struct ct_expected *expected,
                                 enum method method, struct ct_err *err)
{
    enum ct_status status = prepare(session, err);

    if (!status && !session->device_check->tested[method])
        status = test_kernel(session, method, err);
    if (status || session->device_check->off)
        return status;
    return send_expected(session, expected, err);
}

static enum ct_status compare(struct ct_session *session,
                              struct ct_dataset_buffer *buffer, enum ct_scalar scalar,
                              const struct comparison *how, bool *right,
                              struct ct_err *err)
{
    uint32_t counted = 0;
    enum ct_status status = make_ready(session, &buffer->expected, how->method, err);

    if (!status && !session->device_check->off)
        status = run_kernel(session, buffer->device, buffer->expected.device, scalar, how,
                            &counted, err);
    *right = !status && counted == how->count;
    return status;
}

/* Whether these kernels compare the buffer, and how. */
static bool chosen(const struct ct_session *session,
                   const struct ct_plan_buffer *compared, double rms,
                   struct comparison *how)
{
    uint64_t scalars = scalars_of(compared);

    return scalars && choose_comparison(compared, rms, scalars, how) &&
           is_possible(session, scalars * ct_scalar_size(compared->type.scalar));
}

/* What fails is left to the host. */
static void note_refusal(struct ct_session *session, enum ct_status status)
{
    if (status && session->device_check)
        session->device_check->off = true;
}

void ct_device_check_prepare(struct ct_session *session, struct ct_dataset_buffer *buffer,
                             const struct ct_plan_buffer *compared, double rms)
{
    struct ct_err err = CT_ERR_INIT;
    struct comparison how;

    if (chosen(session, compared, rms, &how))
        note_refusal(session, make_ready(session, &buffer->expected, how.method, &err));
}

bool ct_device_check_right(struct ct_session *session, struct ct_dataset_buffer *buffer,
                           const struct ct_plan_buffer *compared, double rms)
{
    struct ct_err err = CT_ERR_INIT;
    struct comparison how;
    bool right = false;

    if (!chosen(session, compared, rms, &how) || is_hosts_turn(buffer))
        return false;
    note_refusal(session,
                 compare(session, buffer, compared->type.scalar, &how, &right, &err));
    return right;
}
