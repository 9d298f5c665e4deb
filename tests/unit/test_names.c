// SPDX-License-Identifier: Apache-2.0
// Device, vendor and architecture names in their normal form.
#include "db/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *given;
    const char *vendor;
    const char *name;
    const char *vendor_key;
    const char *architecture;
} table[] = {
    {"pthread-skylake-avx512-Intel(R) Xeon(R) Processor", "GenuineIntel", "xeon", "intel",
     "skylake-avx512"},
    {"pthread-skylake-avx512-Intel(R) Xeon(R) Gold 6126 CPU @ 2.60GHz", "GenuineIntel",
     "xeon gold 6126", "intel", "skylake-avx512"},
    {"cpu-haswell-Intel(R) Xeon(R) CPU E5-2673 v3 @ 2.40GHz", "GenuineIntel",
     "xeon e5-2673 v3", "intel", "haswell"},
    {"pthread-znver3-AMD EPYC 7763 64-Core Processor", "AuthenticAMD", "epyc 7763", "amd",
     "znver3"},
    {"pthread-cortex-a72", "ARM", "cortex-a72", "arm", "cortex-a72"},
    {"pthread-Intel(R) Core(TM) i7-4770 CPU @ 3.40GHz", "GenuineIntel", "core i7-4770",
     "intel", ""},
    {"pthread-generic-Some Board", "", "some board", "", ""},
    {"pthread-", "", "pthread-", "", ""},
    {"Intel(R) Core(TM)2 Duo CPU     E8400  @ 3.00GHz", "Intel(R) Corporation",
     "core 2 duo e8400", "intel", ""},
    {"AMD Ryzen 9 5950X 16-Core Processor", "AuthenticAMD", "ryzen 9 5950x", "amd", ""},
    {"NVIDIA H200", "NVIDIA Corporation", "h200", "nvidia", "hopper"},
    {"NVIDIA H100 80GB HBM3", "NVIDIA Corporation", "h100 80gb hbm3", "nvidia", "hopper"},
    {"NVIDIA A100-SXM4-40GB", "NVIDIA Corporation", "a100-sxm4-40gb", "nvidia", "ampere"},
    {"Tesla V100-PCIE-16GB", "NVIDIA Corporation", "tesla v100-pcie-16gb", "nvidia",
     "volta"},
    {"GeForce RTX 3090", "NVIDIA Corporation", "geforce rtx 3090", "nvidia", "ampere"},
    {"NVIDIA GeForce RTX 3090", "NVIDIA Corporation", "geforce rtx 3090", "nvidia",
     "ampere"},
    {"NVIDIA GeForce RTX 4070 Ti", "NVIDIA Corporation", "geforce rtx 4070 ti", "nvidia",
     "ada"},
    {"GeForce GTX 980", "NVIDIA Corporation", "geforce gtx 980", "nvidia", "maxwell"},
    {"GeForce GTX 1080 Ti", "NVIDIA Corporation", "geforce gtx 1080 ti", "nvidia",
     "pascal"},
    {"NVIDIA RTX 6000 Ada Generation", "NVIDIA Corporation", "rtx 6000 ada generation",
     "nvidia", "ada"},
    {"Quadro RTX 6000", "NVIDIA Corporation", "quadro rtx 6000", "nvidia", "turing"},
    {"NVIDIA Quadro RTX 5000", "NVIDIA Corporation", "quadro rtx 5000", "nvidia",
     "turing"},
    {"Quadro RTX 4000", "NVIDIA Corporation", "quadro rtx 4000", "nvidia", "turing"},
    {"Quadro RTX 3000 with Max-Q Design", "NVIDIA Corporation",
     "quadro rtx 3000 with max-q design", "nvidia", "turing"},
    {"NVIDIA RTX 4000 SFF Ada Generation", "NVIDIA Corporation",
     "rtx 4000 sff ada generation", "nvidia", "ada"},
    {"NVIDIA RTX A4000", "NVIDIA Corporation", "rtx a4000", "nvidia", "ampere"},
    {"NVIDIA RTX 5000", "NVIDIA Corporation", "rtx 5000", "nvidia", ""},
    {"GeForce GTX 745", "NVIDIA Corporation", "geforce gtx 745", "nvidia", "maxwell"},
    {"GeForce GTX 750 Ti", "NVIDIA Corporation", "geforce gtx 750 ti", "nvidia",
     "maxwell"},
    {"GeForce GTX 760", "NVIDIA Corporation", "geforce gtx 760", "nvidia", "kepler"},
    {"GeForce RTX 2080", "NVIDIA Corporation", "geforce rtx 2080", "nvidia", "turing"},
    {"gfx90a:sramecc+:xnack-", "Advanced Micro Devices, Inc.", "gfx90a", "amd", "gfx90a"},
    {"gfx1030", "Advanced Micro Devices, Inc.", "gfx1030", "amd", "gfx1030"},
    {"AMD Instinct MI210", "AMD", "instinct mi210", "amd", "gfx90a"},
    {"VideoCore IV GPU", "Broadcom", "videocore iv", "broadcom", "videocore4"},
    {"Mali-G76", "ARM", "mali-g76", "arm", "bifrost"},
    {"QUALCOMM Adreno(TM)", "QUALCOMM", "adreno", "qualcomm", ""},
    {"Intel(R) Arc(TM) A770 Graphics", "Intel(R) Corporation", "arc a770 graphics",
     "intel", "xe-hpg"},
    {"Apple M2", "Apple", "apple m2", "apple", ""},
    {"  Odd\tBoard\xc2\xae  X_1\xe2\x84\xa2 ", "Odd   Makers (R) Ltd.", "odd board x 1",
     "odd makers ltd.", ""},
    {"Processor", "Garmin", "processor", "garmin", ""}, /* no "arm" within a word */
    {"Intel", "Intel", "intel", "intel", ""},
    {"", "", "", "", ""},
};

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        assert_string_equal(ct_name_device(table[i].given).text, table[i].name);
        assert_string_equal(ct_name_vendor(table[i].vendor).text, table[i].vendor_key);
        assert_string_equal(ct_name_architecture(table[i].given, table[i].vendor).text,
                            table[i].architecture);
    }
}

/* A normal form is its own normal form: a stored key can be normalised again. */
static void test_idempotent(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct ct_name once = ct_name_device(table[i].given);
        struct ct_name vendor = ct_name_vendor(table[i].vendor);

        assert_string_equal(ct_name_device(once.text).text, once.text);
        assert_string_equal(ct_name_vendor(vendor.text).text, vendor.text);
    }
}

static void test_odd(void **state)
{
    char text[1000];

    (void)state;
    assert_string_equal(ct_name_device(NULL).text, "");
    assert_string_equal(ct_name_vendor(NULL).text, "");
    assert_string_equal(ct_name_architecture(NULL, NULL).text, "");
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(strlen(ct_name_device(text).text), CT_NAME_SIZE - 1);
    memcpy(text, "pthread-", 8);
    assert_int_equal(strlen(ct_name_architecture(text, "").text), CT_NAME_SIZE - 1);
}

static void test_guess(void **state)
{
    static const struct {
        const char *name;
        const char *vendor;
        const char *type;
        const char *architecture;
    } guesses[] = {
        {"H200", "nvidia", "GPU", "hopper"},
        {"GeForce RTX 4090", "nvidia", "GPU", "ada"},
        {"videocore iv", "broadcom", "GPU", "videocore4"},
        {"gfx942", "amd", "GPU", "gfx942"},
        {"EPYC 9654", "amd", "CPU", ""},
        {"Xeon Gold", "intel", "CPU", ""},
        {"pthread-znver4-AMD EPYC 9654", "amd", "CPU", "znver4"},
        {"Mali-G610", "arm", "GPU", "valhall"},
        {"Radeon", "amd", "GPU", ""},
        {"nonesuch", "", "", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(guesses) / sizeof(guesses[0]); i++) {
        assert_string_equal(ct_name_guess_vendor(guesses[i].name), guesses[i].vendor);
        assert_string_equal(ct_name_guess_type(guesses[i].name), guesses[i].type);
        assert_string_equal(ct_name_architecture(guesses[i].name, "").text,
                            guesses[i].architecture);
    }
}

static void test_patterns(void **state)
{
    static const struct {
        const char *pattern;
        const char *name;
        const char *vendor;
        const char *type;
        int matches;
    } patterns[] = {
        {"", "NVIDIA H200", "NVIDIA Corporation", "GPU", 1},
        {"h200", "NVIDIA H200", "NVIDIA Corporation", "GPU", 1},
        {"nvidia h200", "H200", "NVIDIA Corporation", "GPU", 1},
        {"nvidia", "H200", "NVIDIA Corporation", "GPU", 1},
        {"gpu", "H200", "NVIDIA Corporation", "GPU", 1},
        {"cpu", "H200", "NVIDIA Corporation", "GPU", 0},
        {"h100", "NVIDIA H200", "NVIDIA Corporation", "GPU", 0},
        {"VideoCore IV", "VideoCore IV GPU", "Broadcom", "GPU", 1},
        {"videocore  iv", "VideoCore IV GPU", "Broadcom", "GPU", 1},
        {"Xeon Gold 6126",
         "pthread-skylake-avx512-Intel(R) Xeon(R) Gold 6126 CPU @ 2.6GHz", "GenuineIntel",
         "CPU", 1},
        {"Intel Corporation", "Xeon", "GenuineIntel", "CPU", 1},
        {"Advanced Micro Devices", "gfx90a", "AMD", "GPU", 1},
        {"amd 7950", "GeForce 7950", "NVIDIA Corporation", "GPU", 0},
        {"amd 7950", "Radeon 7950", "Advanced Micro Devices, Inc.", "GPU", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        assert_int_equal(ct_name_matches(patterns[i].pattern, patterns[i].name,
                                         patterns[i].vendor, patterns[i].type),
                         patterns[i].matches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),    cmocka_unit_test(test_idempotent),
        cmocka_unit_test(test_odd),      cmocka_unit_test(test_guess),
        cmocka_unit_test(test_patterns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
