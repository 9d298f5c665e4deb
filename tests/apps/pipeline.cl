// SPDX-License-Identifier: Apache-2.0
// Three kernels of tests/apps/pipeline.c, written as they often are: right, and not tuned.
#ifndef CHUNK
#define CHUNK 1
#endif
#define TAPS 32

/* A gain and an offset for each sample. */
__kernel void prepare(__global const float *samples, __global float *prepared, float gain,
                      float offset)
{
    const size_t i = get_global_id(0);

    prepared[i] = samples[i] * gain + offset;
}

/* A moving sum, in pieces of CHUNK taps: the order of the additions is always the same. */
__kernel void smooth(__global const float *prepared, __global float *smoothed, int count)
{
    const int i = get_global_id(0);
    float sum = 0;

    for (int tap = 0; tap < TAPS; tap += CHUNK) {
        for (int part = 0; part < CHUNK; part++)
            sum += prepared[min(i + tap + part, count - 1)];
    }
    smoothed[i] = sum / TAPS;
}

/* What is left of earlier rounds fades: the output is an input of the next launch. */
__kernel void collect(__global const float *smoothed, __global float *state, const float keep)
{
    const size_t i = get_global_id(0);

    state[i] = state[i] * keep + smoothed[i];
}
