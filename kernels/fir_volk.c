// SPDX-License-Identifier: Apache-2.0
// fir.cl's sums by VOLK's dot product, one thread: what software radio uses today.
#include <stddef.h>
#include <stdint.h>
#include <volk/volk.h>

void fir_volk(const float *input, const float *coefficients, float *output,
              uint32_t outputs, uint32_t taps, uint32_t decimation);

void fir_volk(const float *input, const float *coefficients, float *output,
              uint32_t outputs, uint32_t taps, uint32_t decimation)
{
    const lv_32fc_t *x = (const lv_32fc_t *)input;
    const lv_32fc_t *t = (const lv_32fc_t *)coefficients;
    lv_32fc_t *out = (lv_32fc_t *)output;

    // VOLK's dispatcher looks at the pointers of every call: it takes the aligned kernel
    // where all three happen to be aligned, and the unaligned one elsewhere.
    for (size_t i = 0; i < outputs; i++)
        volk_32fc_x2_dot_prod_32fc(&out[i], x + i * decimation, t, taps);
}
