// SPDX-License-Identifier: Apache-2.0
// Spaces whose constraints ask what a device lists and whether it reports a limit.
#include "space_brute.h"

/* The valid configurations with a device's text of extensions, and its warps; NULL and 0: not
 * reported. */
static uint64_t count_with(const char *text, const char *extensions, int64_t warp)
{
    struct ct_devinfo device = {
        .platform_name = "", .platform_version = "", .driver_version = "", .type = "GPU"};
    struct ct_binding_options options = {.device = &device};
    struct space_text t;
    uint64_t count;

    if (extensions)
        device.props[CT_DEVICE_EXTENSIONS] = ct_value_text(extensions);
    if (warp)
        device.props[CT_DEVICE_WARP_SIZE_NV] = ct_value_int(warp);
    space_text_open(&t, text, &options);
    count = brute_check(&t);
    space_text_close(&t);
    return count;
}

static void test_lists_of_the_device_decide(void **state)
{
    static const char text[] =
        "[param]\nHALF = off, on\nEXT = '', 'cl_a', 'cl_b'\nWARPS = 1, 2\n"
        "[constraint]\nhalf = !HALF || contains(DEVICE_EXTENSIONS, 'cl_khr_fp16')\n"
        "ext = contains(DEVICE_EXTENSIONS, EXT)\n"
        "warps = WARPS == 1 || known(DEVICE_WARP_SIZE_NV) && DEVICE_WARP_SIZE_NV > 16\n";
    struct space_text t;
    struct ct_space_stats stats;

    (void)state;
    assert_int_equal(count_with(text, "cl_khr_fp16 cl_b", 32), 2 * 2 * 2);
    assert_int_equal(count_with(text, "cl_khr_fp16 cl_b", 16), 2 * 2);
    assert_int_equal(count_with(text, "cl_khr_fp16 cl_b", 0), 2 * 2);
    assert_int_equal(count_with(text, "cl_khr_fp16_x xcl_b", 32), 2);
    /* Of a device that lists none, constraints cannot be decided. */
    assert_int_equal(count_with(text, NULL, 0), 2 * 3);
    space_text_open(&t, text, NULL);
    assert_int_equal(brute_check(&t), 2 * 3 * 2);
    ct_space_stats_get(t.space, &stats);
    for (size_t i = 0; i < 3; i++)
        assert_true(stats.constraints[i].undecided);
    space_text_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_of_the_device_decide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
