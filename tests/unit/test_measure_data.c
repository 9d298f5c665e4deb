// SPDX-License-Identifier: Apache-2.0
// Layouts, folds, NumPy files, requirements and compilers' logs: without a device.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "worker/data/data.h"
#include "worker/build/facts_log.h"
#include "worker/reference/reduce.h"
#include "protocol/npy.h"
#include "worker/build/require.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ct_plan_buffer buffer(enum ct_scalar scalar, unsigned width, uint64_t count,
                                    uint32_t planes)
{
    return (struct ct_plan_buffer){.name = "b",
                                   .type = {scalar, width},
                                   .count = count,
                                   .planes = planes,
                                   .compare = count};
}

/* --- layouts --- */

static void planes_of_vectors_have_no_pad_lanes(void **state)
{
    const float records[8] = {1, 2, 3, -1, 4, 5, 6, -1};
    const float planes[6] = {1, 4, 2, 5, 3, 6};
    struct ct_plan_buffer b = buffer(CT_T_FLOAT, 3, 2, 3);
    struct ct_layout host = ct_layout_host(&b);
    struct ct_layout device = ct_layout_device(&b);
    float split[6] = {0};
    float back[8] = {0, 0, 0, -7, 0, 0, 0, -8};
    size_t size;

    (void)state;
    assert_true(ct_layout_has_planes(&b));
    assert_true(ct_layout_device_size(&b, &size));
    assert_int_equal(size, sizeof(planes));
    ct_data_convert(&host, records, &device, split);
    assert_memory_equal(split, planes, sizeof(planes));
    ct_data_convert(&device, planes, &host, back);
    for (size_t i = 0; i < 8; i++)
        assert_true(i % 4 == 3 ? back[i] == (i == 3 ? -7 : -8) : back[i] == records[i]);
}

static void planes_of_scalars_divide_the_count(void **state)
{
    const uint8_t records[6] = {1, 2, 3, 4, 5, 6};
    const uint8_t planes[6] = {1, 4, 2, 5, 3, 6};
    struct ct_plan_buffer b = buffer(CT_T_UCHAR, 1, 6, 3);
    struct ct_layout host = ct_layout_host(&b);
    struct ct_layout device = ct_layout_device(&b);
    uint8_t split[6];

    (void)state;
    assert_int_equal(host.records, 2);
    assert_int_equal(host.components, 3);
    ct_data_convert(&host, records, &device, split);
    assert_memory_equal(split, planes, sizeof(planes));
}

/* --- folds --- */

static void folds_go_by_component(void **state)
{
    const float pairs[] = {1, 10, -2, 20, 3, -30, 4, 40, 5, 50, 1000, 1000};
    struct ct_plan_buffer b = buffer(CT_T_FLOAT, 2, 6, 0);
    struct ct_layout layout = ct_layout_host(&b);
    struct ct_reduced out[2];

    (void)state;
    b.compare = 5;
    b.reduce = CT_REDUCE_SUM;
    ct_reduce_outputs(&b, &layout, pairs, out);
    assert_true(out[0].value == 11 && out[1].value == 90);
    b.reduce = CT_REDUCE_MIN;
    ct_reduce_outputs(&b, &layout, pairs, out);
    assert_true(out[0].value == -2 && out[1].value == -30);
    b.reduce = CT_REDUCE_MAX;
    ct_reduce_outputs(&b, &layout, pairs, out);
    assert_true(out[0].value == 5 && out[1].value == 50);
    assert_false(out[0].exact);
}

static bool same_wide(struct ct_wide a, struct ct_wide b)
{
    return ct_wide_compare(a, b) == 0;
}

static void folds_of_planes_are_those_of_records(void **state)
{
    const int32_t records[] = {1, 10, 2, 20, 3, 30};
    struct ct_plan_buffer b = buffer(CT_T_INT, 1, 6, 2);
    struct ct_layout host = ct_layout_host(&b);
    struct ct_layout device = ct_layout_device(&b);
    int32_t split[6];
    struct ct_reduced a[2];
    struct ct_reduced z[2];

    (void)state;
    b.reduce = CT_REDUCE_SUM;
    ct_data_convert(&host, records, &device, split);
    ct_reduce_outputs(&b, &host, records, a);
    ct_reduce_outputs(&b, &device, split, z);
    assert_true(same_wide(a[0].whole, ct_wide_int(6)) &&
                same_wide(a[1].whole, ct_wide_int(60)));
    assert_true(same_wide(z[0].whole, ct_wide_int(6)) &&
                same_wide(z[1].whole, ct_wide_int(60)));
    /* Five scalars are two records and a half. */
    b.compare = 5;
    ct_reduce_outputs(&b, &host, records, a);
    assert_true(same_wide(a[0].whole, ct_wide_int(6)) &&
                same_wide(a[1].whole, ct_wide_int(30)));
}

static void nan_spoils_every_fold(void **state)
{
    static const enum ct_reduce folds[] = {CT_REDUCE_SUM, CT_REDUCE_MIN, CT_REDUCE_MAX};
    double values[6] = {1, 2, 3, 4, 5, 6};
    struct ct_plan_buffer b = buffer(CT_T_DOUBLE, 1, 6, 0);
    struct ct_layout layout = ct_layout_host(&b);
    struct ct_reduced out;

    (void)state;
    for (size_t f = 0; f < 3; f++) {
        b.reduce = folds[f];
        for (size_t i = 0; i < 6; i++) {
            double kept = values[i];

            values[i] = (double)NAN;
            ct_reduce_outputs(&b, &layout, values, &out);
            assert_true(isnan(out.value));
            values[i] = kept;
        }
    }
    b.compare = 0;
    ct_reduce_outputs(&b, &layout, values, &out);
    assert_true(isinf(out.value) && out.value < 0);
}

/* Sums, least and largest of each type, beyond what doubles tell apart. */
static void integers_fold_exactly(void **state)
{
    static const int64_t longs[] = {INT64_MIN, INT64_MAX, -3, INT64_MAX};
    static const uint64_t ulongs[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, 7};
    static const int8_t chars[] = {-128, 127, 5, -6};
    struct ct_plan_buffer b = buffer(CT_T_LONG, 1, 4, 0);
    struct ct_layout layout = ct_layout_host(&b);
    struct ct_reduced out;

    (void)state;
    b.reduce = CT_REDUCE_SUM;
    ct_reduce_outputs(&b, &layout, longs, &out);
    assert_true(out.exact && same_wide(out.whole, ct_wide_add(ct_wide_int(INT64_MAX),
                                                              ct_wide_int(-4))));
    b.reduce = CT_REDUCE_MIN;
    ct_reduce_outputs(&b, &layout, longs, &out);
    assert_true(out.exact && same_wide(out.whole, ct_wide_int(INT64_MIN)));
    layout.scalar = b.type.scalar = CT_T_ULONG;
    b.reduce = CT_REDUCE_SUM;
    ct_reduce_outputs(&b, &layout, ulongs, &out);
    assert_true(
        out.exact &&
        same_wide(out.whole, ct_wide_add(ct_wide_times(ct_wide_uint(UINT64_MAX), 3),
                                         ct_wide_int(6))));
    b.reduce = CT_REDUCE_MAX;
    ct_reduce_outputs(&b, &layout, ulongs, &out);
    assert_true(out.exact && same_wide(out.whole, ct_wide_uint(UINT64_MAX)));
    layout.scalar = b.type.scalar = CT_T_CHAR;
    ct_reduce_outputs(&b, &layout, chars, &out);
    assert_true(out.exact && same_wide(out.whole, ct_wide_int(127)));
    b.reduce = CT_REDUCE_SUM;
    ct_reduce_outputs(&b, &layout, chars, &out);
    assert_true(out.exact && same_wide(out.whole, ct_wide_int(-2)));
    /* The least of none is no integer. */
    b.compare = 0;
    b.reduce = CT_REDUCE_MIN;
    ct_reduce_outputs(&b, &layout, chars, &out);
    assert_true(!out.exact && isinf(out.value) && out.value > 0);
}

static struct ct_reduced reduced(double value)
{
    return (struct ct_reduced){.value = value};
}

static struct ct_reduced folded_whole(struct ct_wide value)
{
    return (struct ct_reduced){
        .value = ct_wide_real(value), .exact = true, .whole = value};
}

static void folds_are_compared_by_the_check(void **state)
{
    const struct ct_reduced expected[] = {reduced(100), reduced(0)};
    struct ct_reduced seen[] = {reduced(100.9), reduced(0.5)};
    struct ct_plan_buffer b = buffer(CT_T_FLOAT, 2, 1, 0);
    struct ct_mismatch mismatch = {0};

    (void)state;
    b.check = CT_CHECK_RELATIVE;
    b.tolerance = 0.01;
    /* The second is measured by the root mean square, 70.7. */
    assert_true(ct_reduce_right(&b, seen, expected, 2, &mismatch));
    seen[1] = reduced(0.8);
    assert_false(ct_reduce_right(&b, seen, expected, 2, &mismatch));
    assert_int_equal(mismatch.element, 1);
    assert_int_equal(mismatch.wrong_count, 1);
    assert_true(mismatch.seen == 0.8 && mismatch.expected == 0);
    assert_string_equal(mismatch.seen_text, "0.8");
    seen[1] = reduced((double)NAN);
    assert_false(ct_reduce_right(&b, seen, expected, 2, &mismatch));
    assert_string_equal(mismatch.seen_text, "NaN");
    b.check = CT_CHECK_ABSOLUTE;
    b.tolerance = 0.85;
    seen[1] = reduced(0);
    assert_false(ct_reduce_right(&b, seen, expected, 2, &mismatch));
    assert_int_equal(mismatch.element, 0);
    b.check = CT_CHECK_EXACT;
    seen[0] = reduced(100);
    assert_true(ct_reduce_right(&b, seen, expected, 2, &mismatch));
}

static void folded_integers_are_compared_exactly(void **state)
{
    const struct ct_wide large = ct_wide_times(ct_wide_uint(UINT64_MAX), 1000);
    struct ct_reduced expected = folded_whole(large);
    struct ct_reduced seen = folded_whole(large);
    struct ct_plan_buffer b = buffer(CT_T_ULONG, 1, 1, 0);
    struct ct_mismatch mismatch = {0};

    (void)state;
    b.check = CT_CHECK_EXACT;
    assert_true(ct_reduce_right(&b, &seen, &expected, 1, &mismatch));
    seen = folded_whole(ct_wide_add(large, ct_wide_int(1)));
    assert_true(seen.value == expected.value);
    assert_false(ct_reduce_right(&b, &seen, &expected, 1, &mismatch));
    assert_string_equal(mismatch.seen_text, "18446744073709551615001");
    assert_string_equal(mismatch.expected_text, "18446744073709551615000");
    b.check = CT_CHECK_ABSOLUTE;
    b.tolerance = 1;
    assert_true(ct_reduce_right(&b, &seen, &expected, 1, &mismatch));
    seen = folded_whole(ct_wide_negate(large));
    assert_false(ct_reduce_right(&b, &seen, &expected, 1, &mismatch));
    assert_string_equal(mismatch.seen_text, "-18446744073709551615000");
}

/* --- NumPy files --- */

static char path[] = "/tmp/cltune-npy-XXXXXX";

/* Writes a .npy file of that version as numpy.save lays it out. */
static void write_npy(int version, const char *dictionary, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    size_t head = version == 1 ? 10 : 12;
    size_t length = (head + strlen(dictionary) + 1 + 63) / 64 * 64 - head;
    const unsigned char start[12] = {0x93,
                                     'N',
                                     'U',
                                     'M',
                                     'P',
                                     'Y',
                                     (unsigned char)version,
                                     0,
                                     (unsigned char)length,
                                     (unsigned char)(length >> 8)};

    assert_non_null(file);
    assert_int_equal(fwrite(start, 1, head, file), head);
    fprintf(file, "%-*s\n", (int)length - 1, dictionary);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void numpy_arrays_are_read(void **state)
{
    const float numbers[6] = {1, 2.5f, -3, 4, 5, 6};
    float seen[8];

    (void)state;
    write_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", numbers,
              sizeof(numbers));
    assert_int_equal(
        ct_npy_read(path, NULL, (struct ct_type){CT_T_FLOAT, 1}, 6, seen, NULL), CT_OK);
    assert_memory_equal(seen, numbers, sizeof(numbers));
    /* Vectors of three have a fourth place in memory. */
    assert_int_equal(
        ct_npy_read(path, NULL, (struct ct_type){CT_T_FLOAT, 3}, 2, seen, NULL), CT_OK);
    assert_memory_equal(seen, numbers, 12);
    assert_memory_equal(seen + 4, numbers + 3, 12);
    assert_true(seen[3] == 0 && seen[7] == 0);
    write_npy(2, "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", numbers,
              sizeof(numbers));
    memset(seen, 0, sizeof(seen));
    assert_int_equal(
        ct_npy_read(path, NULL, (struct ct_type){CT_T_FLOAT, 2}, 3, seen, NULL), CT_OK);
    assert_memory_equal(seen, numbers, sizeof(numbers));
    write_npy(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }", numbers, 1);
    assert_int_equal(
        ct_npy_read(path, NULL, (struct ct_type){CT_T_UCHAR, 1}, 1, seen, NULL), CT_OK);
}

static void numpy_arrays_must_fit(void **state)
{
    static const struct {
        const char *dictionary;
        const char *said;
    } cases[] = {
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (6,), }", "big-endian"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", "<f8"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (6,), }", "float"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", "Fortran"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }", "holds 5 numbers"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }", "buffer 6"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }",
         "not a .npy"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6, }", "not a .npy"},
        {"{'descr': '<f4', 'fortran_order': False}", "not a .npy"},
    };
    const float numbers[6] = {0};
    float seen[6];
    struct ct_type type = {CT_T_FLOAT, 1};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ct_err err = CT_ERR_INIT;

        write_npy(1, cases[i].dictionary, numbers, sizeof(numbers));
        assert_int_equal(ct_npy_read(path, NULL, type, 6, seen, &err), CT_E_SPEC);
        if (!strstr(err.message, cases[i].said) || !strstr(err.message, path))
            fail_msg("'%s' is not in: %s", cases[i].said, err.message);
    }
}

static void numpy_files_must_be_those_that_were_hashed(void **state)
{
    static const char dictionary[] =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }";
    const struct ct_type type = {CT_T_FLOAT, 1};
    float numbers[6] = {1, 2, 3, 4, 5, 6};
    char whole[256];
    float seen[6];
    struct ct_err err = CT_ERR_INIT;
    struct ct_hash hash;
    FILE *file;

    (void)state;
    write_npy(1, dictionary, numbers, sizeof(numbers));
    file = fopen(path, "rb");
    assert_non_null(file);
    hash = ct_hash_bytes(whole, fread(whole, 1, sizeof(whole), file));
    fclose(file);
    assert_int_equal(ct_npy_read(path, &hash, type, 6, seen, NULL), CT_OK);
    numbers[5] = 7;
    write_npy(1, dictionary, numbers, sizeof(numbers));
    assert_int_equal(ct_npy_read(path, &hash, type, 6, seen, &err), CT_E_IO);
    if (!strstr(err.message, path) || !strstr(err.message, "changed"))
        fail_msg("%s", err.message);
}

static void damaged_numpy_files_are_refused(void **state)
{
    const float numbers[6] = {0};
    struct ct_type type = {CT_T_FLOAT, 1};
    char whole[256];
    float seen[6];
    size_t size;
    FILE *file;

    (void)state;
    write_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", numbers,
              sizeof(numbers));
    file = fopen(path, "rb");
    assert_non_null(file);
    size = fread(whole, 1, sizeof(whole), file);
    fclose(file);
    for (size_t length = 0; length < size; length++) {
        file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(whole, 1, length, file), length);
        fclose(file);
        assert_int_equal(ct_npy_read(path, NULL, type, 6, seen, NULL), CT_E_SPEC);
    }
    assert_int_equal(ct_npy_read("/nowhere/at/all.npy", NULL, type, 6, seen, NULL),
                     CT_E_IO);
}

/* --- requirements --- */

static void requirements_are_decided(void **state)
{
    static const struct {
        const char *expression;
        bool met;
        const char *said;
    } cases[] = {
        {"KERNEL_WORK_GROUP_SIZE >= 128", true, ""},
        {"KERNEL_WORK_GROUP_SIZE >= 512", false, "KERNEL_WORK_GROUP_SIZE = 256"},
        {"KERNEL_LOCAL_MEM_SIZE == 0 && KERNEL_PRIVATE_MEM_SIZE < 100", true, ""},
        {"1 / KERNEL_LOCAL_MEM_SIZE", false, "division by zero"},
        /* The device did not tell. */
        {"KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE > 1000", true, ""},
    };
    const struct ct_kernel_facts facts = {.work_group_size = 256,
                                          .private_mem_bytes = 64};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ct_str why;
        bool met;

        ct_str_init(&why);
        assert_int_equal(ct_require_met(cases[i].expression, &facts, &met, &why, NULL),
                         CT_OK);
        assert_int_equal(met, cases[i].met);
        if (met)
            assert_int_equal(why.length, 0);
        else if (!strstr(why.data, cases[i].said) ||
                 !strstr(why.data, cases[i].expression))
            fail_msg("'%s' is not in: %s", cases[i].said, why.data);
        ct_str_release(&why);
    }
}

static void requirements_must_be_expressions(void **state)
{
    const struct ct_kernel_facts facts = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_str why;
    bool met;

    (void)state;
    ct_str_init(&why);
    assert_int_equal(ct_require_met("WG > 1", &facts, &met, &why, &err), CT_E_SPEC);
    assert_non_null(strstr(err.message, "WG is not a fact"));
    assert_int_equal(ct_require_met("1 +", &facts, &met, &why, &err), CT_E_SPEC);
    ct_str_release(&why);
}

/* --- logs --- */

static void nvidia_tells_registers_and_spills(void **state)
{
    static const char log[] =
        "(): Warning: Function scale is a kernel, so overriding noinline attribute.\n"
        "\n"
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function 'big' for 'sm_90a'\n"
        "ptxas info    : Function properties for big\n"
        "ptxas         .     256 bytes stack frame, 24 bytes spill stores, 40 bytes "
        "spill "
        "loads\n"
        "ptxas info    : Used 34 registers, used 0 barriers\n"
        "ptxas info    : Compile time = 10.918 ms\n"
        "ptxas info    : Compiling entry function 'big2' for 'sm_90a'\n"
        "ptxas info    : Function properties for big2\n"
        "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill "
        "loads\n"
        "ptxas info    : Used 10 registers, 380 bytes cmem[0]\n";
    struct ct_facts_log facts = ct_facts_log_read(log, "big");

    (void)state;
    assert_int_equal(facts.registers, 34);
    assert_int_equal(facts.spill_bytes, 64);
    facts = ct_facts_log_read(log, "big2");
    assert_int_equal(facts.registers, 10);
    assert_int_equal(facts.spill_bytes, 0);
    facts = ct_facts_log_read(log, "scale");
    assert_int_equal(facts.registers, 0);
    facts = ct_facts_log_read("", "big");
    assert_int_equal(facts.registers, 0);
}

static void others_tell_registers(void **state)
{
    static const char amd[] =
        "a.cl:1:0: remark: Function Name: big [-Rpass-analysis=kernel-resource-usage]\n"
        "a.cl:1:0: remark:     SGPRs: 25 [-Rpass-analysis=kernel-resource-usage]\n"
        "a.cl:1:0: remark:     VGPRs: 184 [-Rpass-analysis=kernel-resource-usage]\n"
        "a.cl:1:0: remark:     SGPRs Spill: 3 [-Rpass-analysis=kernel-resource-usage]\n"
        "a.cl:1:0: remark:     VGPRs Spill: 6 [-Rpass-analysis=kernel-resource-usage]\n"
        "a.cl:9:0: remark: Function Name: other [-Rpass-analysis=kernel-resource-usage]\n"
        "a.cl:9:0: remark:     VGPRs: 7 [-Rpass-analysis=kernel-resource-usage]\n";
    static const char intel[] = "warning: kernel big  compiled SIMD16 allocated 128 regs "
                                "and spilled around 217\n";
    struct ct_facts_log facts = ct_facts_log_read(amd, "big");

    (void)state;
    assert_int_equal(facts.registers, 184);
    assert_int_equal(facts.spill_bytes, 24);
    assert_int_equal(ct_facts_log_read(amd, "other").registers, 7);
    assert_int_equal(ct_facts_log_read(intel, "big").registers, 128);
    assert_int_equal(ct_facts_log_read(intel, "bi").registers, 0);
}

static int make_file(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_of_vectors_have_no_pad_lanes),
        cmocka_unit_test(planes_of_scalars_divide_the_count),
        cmocka_unit_test(folds_go_by_component),
        cmocka_unit_test(folds_of_planes_are_those_of_records),
        cmocka_unit_test(nan_spoils_every_fold),
        cmocka_unit_test(integers_fold_exactly),
        cmocka_unit_test(folds_are_compared_by_the_check),
        cmocka_unit_test(folded_integers_are_compared_exactly),
        cmocka_unit_test(numpy_arrays_are_read),
        cmocka_unit_test(numpy_arrays_must_fit),
        cmocka_unit_test(numpy_files_must_be_those_that_were_hashed),
        cmocka_unit_test(damaged_numpy_files_are_refused),
        cmocka_unit_test(requirements_are_decided),
        cmocka_unit_test(requirements_must_be_expressions),
        cmocka_unit_test(nvidia_tells_registers_and_spills),
        cmocka_unit_test(others_tell_registers),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
