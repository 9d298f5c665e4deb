// SPDX-License-Identifier: Apache-2.0
// What fir.cl must compute, summed in double precision and in one fixed order.
#include <stddef.h>
#include <stdint.h>

void fir_reference(const float *input, const float *coefficients, float *output,
                   uint32_t outputs, uint32_t taps, uint32_t decimation);

void fir_reference(const float *input, const float *coefficients, float *output,
                   uint32_t outputs, uint32_t taps, uint32_t decimation)
{
    for (size_t i = 0; i < outputs; i++) {
        const float *x = input + 2 * i * decimation;
        double re = 0.0, im = 0.0;

        for (size_t k = 0; k < taps; k++) {
            const double x_re = x[2 * k], x_im = x[2 * k + 1];
            const double t_re = coefficients[2 * k], t_im = coefficients[2 * k + 1];

            re += x_re * t_re - x_im * t_im;
            im += x_re * t_im + x_im * t_re;
        }
        output[2 * i] = (float)re;
        output[2 * i + 1] = (float)im;
    }
}
