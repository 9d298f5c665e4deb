// SPDX-License-Identifier: Apache-2.0
// Shapes of buffers, indices of their values, and the .npy files that are written.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "plan/shape.h"
#include "protocol/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[1024];

static struct ct_plan_buffer buffer(enum ct_scalar scalar, unsigned width, uint64_t count,
                                    uint32_t planes)
{
    return (struct ct_plan_buffer){
        .name = "b", .type = {scalar, width}, .count = count, .planes = planes};
}

static void assert_sizes(struct ct_shape shape, unsigned dims, const uint64_t *sizes)
{
    assert_int_equal(shape.dims, dims);
    for (unsigned d = 0; d < dims; d++)
        assert_int_equal(shape.size[d], sizes[d]);
}

/* --- shapes --- */

static void shapes_follow_types(void **state)
{
    struct ct_plan_buffer plain = buffer(CT_T_FLOAT, 1, 24, 0);
    struct ct_plan_buffer vectors = buffer(CT_T_FLOAT, 4, 6, 0);
    struct ct_plan_buffer threes = buffer(CT_T_FLOAT, 3, 6, 3);
    struct ct_plan_buffer records = buffer(CT_T_UCHAR, 1, 24, 3);

    (void)state;
    assert_sizes(ct_shape_of(&plain), 1, (const uint64_t[]){24});
    assert_sizes(ct_shape_index(&plain, 17), 1, (const uint64_t[]){17});
    assert_sizes(ct_shape_of(&vectors), 2, (const uint64_t[]){6, 4});
    assert_sizes(ct_shape_index(&vectors, 23), 2, (const uint64_t[]){5, 3});
    /* In memory a vector of three has four scalars. */
    assert_sizes(ct_shape_of(&threes), 2, (const uint64_t[]){6, 3});
    assert_sizes(ct_shape_index(&threes, 22), 2, (const uint64_t[]){5, 2});
    assert_sizes(ct_shape_of(&records), 2, (const uint64_t[]){8, 3});
    assert_sizes(ct_shape_index(&records, 23), 2, (const uint64_t[]){7, 2});
}

static void images_have_rows(void **state)
{
    struct ct_plan_buffer flat = buffer(CT_T_UCHAR, 4, 12, 0);
    struct ct_plan_buffer solid = buffer(CT_T_FLOAT, 1, 24, 0);

    (void)state;
    flat.image = (struct ct_plan_image){.dims = 2, .size = {4, 3, 1}};
    solid.image = (struct ct_plan_image){.dims = 3, .size = {4, 3, 2}};
    assert_sizes(ct_shape_of(&flat), 3, (const uint64_t[]){3, 4, 4});
    assert_sizes(ct_shape_index(&flat, 4 * 7 + 1), 3, (const uint64_t[]){1, 3, 1});
    assert_sizes(ct_shape_of(&solid), 3, (const uint64_t[]){2, 3, 4});
    assert_sizes(ct_shape_index(&solid, 23), 3, (const uint64_t[]){1, 2, 3});
    /* An image that is not as large as the buffer has no rows in it. */
    solid.count = 25;
    assert_sizes(ct_shape_of(&solid), 1, (const uint64_t[]){25});
}

/* --- files --- */

static size_t contents(unsigned char *bytes, size_t most)
{
    FILE *in = fopen(path, "rb");
    size_t got;

    assert_non_null(in);
    got = fread(bytes, 1, most, in);
    fclose(in);
    return got;
}

static void headers_are_numpys(void **state)
{
    static const struct {
        enum ct_scalar scalar;
        const char *descr;
    } types[] = {
        {CT_T_CHAR, "|i1"},   {CT_T_UCHAR, "|u1"},  {CT_T_SHORT, "<i2"},
        {CT_T_USHORT, "<u2"}, {CT_T_INT, "<i4"},    {CT_T_UINT, "<u4"},
        {CT_T_LONG, "<i8"},   {CT_T_ULONG, "<u8"},  {CT_T_HALF, "<f2"},
        {CT_T_FLOAT, "<f4"},  {CT_T_DOUBLE, "<f8"},
    };
    const unsigned char data[64] = {1, 2, 3};

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        struct ct_type type = {types[i].scalar, 1};
        struct ct_shape shape = {2, {2, 3}};
        unsigned char bytes[512];
        char expected[128];
        size_t size = 6 * ct_scalar_size(type.scalar);

        snprintf(expected, sizeof(expected),
                 "{'descr': '%s', 'fortran_order': False, 'shape': (2, 3), }",
                 types[i].descr);
        assert_int_equal(ct_npy_write(path, type, &shape, data, NULL, NULL, NULL), CT_OK);
        assert_int_equal(contents(bytes, sizeof(bytes)), 128 + size);
        assert_memory_equal(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
        assert_memory_equal(bytes + 10, expected, strlen(expected));
        assert_int_equal(bytes[10 + strlen(expected)], ' ');
        assert_int_equal(bytes[127], '\n');
        assert_memory_equal(bytes + 128, data, size);
    }
}

static void what_is_written_can_be_read(void **state)
{
    const float threes[8] = {1, 2, 3, -1, 4, 5, 6, -1};
    const float packed[6] = {1, 2, 3, 4, 5, 6};
    struct ct_shape shape = {2, {2, 3}};
    struct ct_shape flat = {1, {6}};
    float seen[6];

    (void)state;
    assert_int_equal(ct_npy_write(path, (struct ct_type){CT_T_FLOAT, 3}, &shape, threes,
                                  NULL, NULL, NULL),
                     CT_OK);
    assert_int_equal(
        ct_npy_read(path, NULL, (struct ct_type){CT_T_FLOAT, 1}, 6, seen, NULL), CT_OK);
    assert_memory_equal(seen, packed, sizeof(packed));
    assert_int_equal(ct_npy_write(path, (struct ct_type){CT_T_FLOAT, 1}, &flat, packed,
                                  NULL, NULL, NULL),
                     CT_OK);
    assert_int_equal(
        ct_npy_read(path, NULL, (struct ct_type){CT_T_FLOAT, 1}, 6, seen, NULL), CT_OK);
    assert_memory_equal(seen, packed, sizeof(packed));
}

static void many_threes_are_packed(void **state)
{
    enum { COUNT = 5000 };
    double *threes = calloc(COUNT, 4 * sizeof(*threes));
    double *seen = calloc(COUNT, 3 * sizeof(*seen));
    struct ct_shape shape = {2, {COUNT, 3}};

    (void)state;
    assert_non_null(threes);
    assert_non_null(seen);
    for (size_t i = 0; i < (size_t)4 * COUNT; i++)
        threes[i] = (double)i;
    assert_int_equal(ct_npy_write(path, (struct ct_type){CT_T_DOUBLE, 3}, &shape, threes,
                                  NULL, NULL, NULL),
                     CT_OK);
    assert_int_equal(ct_npy_read(path, NULL, (struct ct_type){CT_T_DOUBLE, 1},
                                 (uint64_t)3 * COUNT, seen, NULL),
                     CT_OK);
    for (size_t i = 0; i < (size_t)3 * COUNT; i++)
        assert_true(seen[i] == threes[i / 3 * 4 + i % 3]);
    free(threes);
    free(seen);
}

static void count_signs(void *user)
{
    ++*(int *)user;
}

static void long_files_show_signs_of_life(void **state)
{
    const size_t size = (size_t)40 << 20;
    char *zeros = calloc(1, size);
    struct ct_shape shape = {1, {size}};
    struct stat facts;
    int signs = 0;

    (void)state;
    assert_non_null(zeros);
    assert_int_equal(ct_npy_write(path, (struct ct_type){CT_T_CHAR, 1}, &shape, zeros,
                                  count_signs, &signs, NULL),
                     CT_OK);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_size, 128 + size);
    assert_true(signs >= 2);
    free(zeros);
}

static void a_full_disk_is_an_error(void **state)
{
    const float data[2] = {1, 2};
    struct ct_shape shape = {1, {2}};
    struct ct_type type = {CT_T_FLOAT, 1};
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    assert_int_equal(ct_npy_write("/dev/full", type, &shape, data, NULL, NULL, &err),
                     CT_E_IO);
    assert_string_equal(err.message, "cannot write /dev/full: No space left on device");
    assert_int_equal(ct_npy_write("/nowhere/x.npy", type, &shape, data, NULL, NULL, &err),
                     CT_E_IO);
    /* Nobody reads this FIFO: it must not block. */
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(ct_npy_write(path, type, &shape, data, NULL, NULL, &err), CT_E_IO);
    unlink(path);
}

static void links_are_not_followed(void **state)
{
    const float data[2] = {1, 2};
    struct ct_shape shape = {1, {2}};
    struct ct_type type = {CT_T_FLOAT, 1};
    struct ct_err err = CT_ERR_INIT;
    unsigned char bytes[8];
    char other[sizeof(path) + 8];

    (void)state;
    snprintf(other, sizeof(other), "%s.other", path);
    assert_int_equal(ct_npy_write(other, type, &shape, data, NULL, NULL, &err), CT_OK);
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(ct_npy_write(path, type, &shape, data, NULL, NULL, &err), CT_E_IO);
    assert_non_null(strstr(err.message, ": it is a link to another file"));
    unlink(path);
    assert_int_equal(link(other, path), 0);
    assert_int_equal(ct_npy_write(path, type, &shape, data, NULL, NULL, &err), CT_E_IO);
    assert_int_equal(contents(bytes, sizeof(bytes)), 8);
    unlink(other);
    assert_int_equal(ct_npy_write(path, type, &shape, data, NULL, NULL, &err), CT_OK);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_follow_types),
        cmocka_unit_test(images_have_rows),
        cmocka_unit_test(headers_are_numpys),
        cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(many_threes_are_packed),
        cmocka_unit_test(long_files_show_signs_of_life),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(links_are_not_followed),
    };
    const char *folder = getenv("TMPDIR");
    int failed;

    snprintf(path, sizeof(path), "%.900s/npy-write-%ld", folder ? folder : "/tmp",
             (long)getpid());
    failed = cmocka_run_group_tests_name("npy_write", tests, NULL, NULL);
    unlink(path);
    return failed;
}
