// SPDX-License-Identifier: Apache-2.0
// A copy whose time grows with WORK and which fails for real, one way a value of FAULT.
//
// one and zero are 1 and 0, which compilers do not know: nothing of the loop can go.
// WORK 13 alone, among the good ones, never comes to an end: its step is 0.
#define STEP ((WORK) == 13 ? 0 : 1)

#if defined FAULT_compiler_minutes || defined FAULT_compiler_memory
// Each calls the one before four times, all in line: 4^8 leaves keep LLVM busy for minutes
// in about 1.5 GiB; 4^15 grow until somebody ends it.
#define FUNCTION(name, text)                                                             \
    float name(float y, float a) __attribute__((always_inline));                         \
    float name(float y, float a)                                                         \
    {                                                                                    \
        return text;                                                                     \
    }
#define CALLER(name, called)                                                             \
    FUNCTION(name, called(called(called(called(y, a), a + y), a * y), a - y))
FUNCTION(f0, y * a + 1.0f / (y - a))
CALLER(f1, f0)
CALLER(f2, f1)
CALLER(f3, f2)
CALLER(f4, f3)
CALLER(f5, f4)
CALLER(f6, f5)
CALLER(f7, f6)
CALLER(f8, f7)
#ifdef FAULT_compiler_memory
CALLER(f9, f8)
CALLER(f10, f9)
CALLER(f11, f10)
CALLER(f12, f11)
CALLER(f13, f12)
CALLER(f14, f13)
CALLER(f15, f14)
#endif
#endif

#ifdef FAULT_required_size
__attribute__((reqd_work_group_size(3, 1, 1)))
#endif
__kernel void
copy(__global const float *input, __global float *output, uint n, float one, float zero
#ifdef FAULT_local_argument
     ,
     __local float *room
#endif
)
{
    uint i = get_global_id(0);
    float y = i < n ? input[i] : 0.0f;

    for (uint k = 0; k < WORK * 100; k += STEP)
        y = y * one + zero;

#if defined FAULT_compile_error
    y = this is not a language;
#elif defined FAULT_unknown_function
    float nobody_defined_this(float value);
    y = nobody_defined_this(y);
#elif defined FAULT_compiler_minutes
    y = f8(y, one);
#elif defined FAULT_compiler_memory
    y = f15(y, one);
#elif defined FAULT_trap
    if (i == n / 2)
        __builtin_trap();
#elif defined FAULT_wrong
    if (i == n / 2)
        y += one;
#elif defined FAULT_not_a_number
    if (i == n / 2)
        y = zero / zero;
#elif defined FAULT_unwritten
    if (i == n / 2)
        return;
#elif defined FAULT_beyond
    if (i == n - 1)
        output[n] = one;
#elif defined FAULT_before
    if (i == 0)
        output[-1] = one;
#elif defined FAULT_wild
    output[(size_t)(i + 1) << 40] = one;
#elif defined FAULT_null
    y = *(volatile __global const float *)(size_t)(zero * n);
#elif defined FAULT_divide
    y = n / (uint)zero == n ? y + one : y;
#elif defined FAULT_local_array
    __local float tile[1 << 28];
    tile[(i * 4099) & ((1 << 28) - 1)] = y;
    barrier(CLK_LOCAL_MEM_FENCE);
    y = tile[(i * 4099) & ((1 << 28) - 1)];
#elif defined FAULT_local_argument
    room[(1 << 26) + get_local_id(0)] = y;
    barrier(CLK_LOCAL_MEM_FENCE);
    y = room[(1 << 26) + get_local_id(0)];
#elif defined FAULT_stack
    volatile float tower[1 << 24];
    for (uint k = 0; k < 1 << 24; k += 1024)
        tower[k] = y;
    y = tower[(n * 1024) & ((1 << 24) - 1)];
#elif defined FAULT_hang
    while (i == 0 && one > zero)
        *(volatile __global float *)&output[i] = y;
#endif
    if (i < n)
        output[i] = y;
}
