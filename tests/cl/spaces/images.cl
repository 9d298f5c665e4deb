// SPDX-License-Identifier: Apache-2.0
// Kernels of the space files beside this one that use images.
kernel void line(read_only image1d_t in, write_only image1d_t out, sampler_t s, float w)
{
    int i = get_global_id(0);

    write_imagef(out, i, read_imagef(in, s, (i + 1.5f) / w));
}

kernel void step_once(read_only image2d_t in, write_only image2d_t out, int pass)
{
    const sampler_t s =
        CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_NONE;
    int2 at = (int2)(get_global_id(0), get_global_id(1));

    write_imagef(out, at, read_imagef(in, s, at) + (float)pass);
}

kernel void between(read_only image2d_t in, global float *out, sampler_t s, float w,
                    float h)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    out[y * get_global_size(0) + x] =
        read_imagef(in, s, (float2)((x + 1.0f) / w, (y + 0.5f) / h)).x;
}

kernel void pixels(read_only image3d_t in, global uint4 *out)
{
    const sampler_t s =
        CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_NONE;
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    size_t row = at.z * get_global_size(1) + at.y;

    out[row * get_global_size(0) + at.x] = read_imageui(in, s, at);
}
