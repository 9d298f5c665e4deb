// SPDX-License-Identifier: Apache-2.0
// Plans for the virtual driver's device 0 that differ in speed and correctness.
#ifndef CT_TESTS_SPEED_PLAN_H
#define CT_TESTS_SPEED_PLAN_H

#include "copy_reference.h"

#include <math.h>

enum { MOST = 4 };

/* cmocka compares floats only. */
static inline void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", value, expected);
}

static const char speed_source[] =
    "#pragma virtual base 1000000\n"
    "#pragma virtual factor SPEED slow 1.5\n"
    "#pragma virtual factor SPEED near 1.04\n"
    "#pragma virtual factor SPEED nearest 1.001\n"
    "#pragma virtual factor SPEED long 200\n"
    "#pragma virtual factor SPEED wrong 0.5\n"
    "#pragma virtual factor SPEED late 0.5\n"
    "#pragma virtual fault SPEED wrong wrong\n"
    "#pragma virtual fault SPEED worn wrong from:60\n"
    "#pragma virtual fault SPEED fragile finish_segfault at:50\n"
    "#pragma virtual fault SPEED late wrong process:7\n"
    "kernel void scale(global const float *in, global float *out, uint n, float factor)\n"
    "{\n"
    "    /* SPEED */\n"
    "}\n";

static char path_of_counters[96];
static struct ct_plan_macro macros[MOST][2];
static char numbers[MOST][8];

static inline void plan_of(struct plan *p, size_t index, const char *speed)
{
    snprintf(numbers[index], sizeof(numbers[index]), "%zu", index);
    macros[index][0] = (struct ct_plan_macro){"NUMBER", numbers[index]};
    macros[index][1] = (struct ct_plan_macro){"SPEED", speed};
    copy_plan_init(p, speed_source, macros[index], 2);
}

/* A folder with the reference, and processes that are counted. */
static inline int set_up_speed(void **state)
{
    if (set_up_virtual(state))
        return -1;
    snprintf(path_of_counters, sizeof(path_of_counters), "%s/counters", test_folder);
    setenv("VIRTUALCL_COUNTERS", path_of_counters, 1);
    return 0;
}

#endif
