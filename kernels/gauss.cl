// SPDX-License-Identifier: Apache-2.0
// Blurring a picture by convolution with a Gaussian, cut off at RADIUS pixels, in two
// dimensions at once or by rows and then by columns, in two kernels or in one.  Beyond an
// edge stands the pixel at the edge.
//
// A work-item computes SPAN vectors of LANES neighbouring pixels, which share what they
// load: SPAN vectors of a row (gauss_rows) or SPAN rows (gauss_columns, gauss_direct).
// Macros: ALGORITHM_direct, ALGORITHM_separable or ALGORITHM_fused; LOCAL (a work-group
// first gathers what it needs in local memory); IMAGE (pictures that are read are
// images); WGX, WGY, SPAN and, for columns, WGX2, WGY2, SPAN2; ALIGNED (rows are whole
// vectors); UNROLL (fused: rows that a work-item blurs at a time).

#define TAPS (2 * RADIUS + 1)

#if LANES == 1
typedef float vec;
#define LOAD(p)     (*(p))
#define STORE(v, p) (*(p) = (v))
#else
#define PASTE(a, b) a##b
#define NAME(a, b)  PASTE(a, b)
typedef NAME(float, LANES) vec;
#define LOAD(p)     NAME(vload, LANES)(0, p)
#define STORE(v, p) NAME(vstore, LANES)(v, 0, p)
#endif

/* Vectors that begin at a multiple of LANES. */
#if ALIGNED
#define LOAD_OWN(p)     (*(global const vec *)(p))
#define STORE_OWN(v, p) (*(global vec *)(p) = (v))
#else
#define LOAD_OWN(p)     LOAD(p)
#define STORE_OWN(v, p) STORE(v, p)
#endif

#if IMAGE
#define FROM read_only image2d_t
#define TO   write_only image2d_t
#define ALONE
constant sampler_t at_edge =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#else
/* Only arguments of kernels are restrict: where static functions have it, VC4C, whose
 * LLVM has no metadata for it, fails to compile. */
#define FROM  global const float *
#define TO    global float *
#define ALONE restrict
#endif

/* The pixel at (x, y), which may lie beyond an edge. */
static float pixel(FROM from, int x, int y, int2 size)
{
#if IMAGE
    return read_imagef(from, at_edge, (int2)(x, y)).x;
#else
    return from[(size_t)clamp(y, 0, size.y - 1) * size.x + clamp(x, 0, size.x - 1)];
#endif
}

/* LANES pixels from (x, y) on; `inner`: none of them lies beyond an edge. */
static vec pixels(FROM from, int x, int y, int2 size, bool inner)
{
#if !IMAGE
    if (inner || (x >= 0 && x + LANES <= size.x))
        return LOAD(from + (size_t)(inner ? y : clamp(y, 0, size.y - 1)) * size.x + x);
#endif
#if LANES == 1
    return pixel(from, x, y, size);
#else
    vec lanes;

#pragma unroll 1
    for (int i = 0; i < LANES; i++)
        ((float *)&lanes)[i] = pixel(from, x + i, y, size);
    return lanes;
#endif
}

/* Those of LANES pixels at (x, y) that the picture has; x is a multiple of LANES. */
static void put(global float *to, int x, int y, int2 size, vec v)
{
    global float *target = to + (size_t)y * size.x + x;

#if LANES == 1
    if (x < size.x)
        *target = v;
#else
    if (x + LANES <= size.x) {
        STORE_OWN(v, target);
    } else {
#pragma unroll 1
        for (int i = 0; x + i < size.x; i++)
            target[i] = ((float *)&v)[i];
    }
#endif
}

#if IMAGE && defined ALGORITHM_separable
static void put_image(write_only image2d_t to, int x, int y, int2 size, vec v)
{
#pragma unroll 1
    for (int i = 0; i < LANES && x + i < size.x; i++)
        write_imagef(to, (int2)(x + i, y), (float4)(((float *)&v)[i], 0.0f, 0.0f, 0.0f));
}
#else
#define put_image put
#endif

#if LOCAL
/* The whole work-group fills its tile, `room` pixels, from `corner` on. */
static void gather(local float *tile, FROM from, int2 corner, int2 room, int2 size)
{
    const int items = get_local_size(0) * get_local_size(1);

    for (int i = get_local_id(1) * get_local_size(0) + get_local_id(0);
         i < room.x * room.y; i += items)
        tile[i] = pixel(from, corner.x + i % room.x, corner.y + i / room.x, size);
    barrier(CLK_LOCAL_MEM_FENCE);
}
#define SOURCE local const float *
#else
#define SOURCE FROM
#endif

#ifdef ALGORITHM_direct

#define ROOM_X (WGX * LANES + 2 * RADIUS)
#define ROOM_Y (WGY * SPAN + 2 * RADIUS)

#if LOCAL
#define AT(dx, dy) LOAD(from + (y + (dy)) * ROOM_X + x + (dx))
#else
#define AT(dx, dy) pixels(from, x + (dx), y + (dy), size, inner)
#endif

/* A row of taps at once, unless that is so much code that compilers give up halfway: PoCL
 * 3.1 then got wrong results. */
#if TAPS * SPAN <= 256
#define WHOLE "unroll"
#else
#define WHOLE "unroll 1"
#endif

/* Adds up what belongs to SPAN rows, whose first taps meet (x, y). */
#define DIRECT(unrolled)                                                                 \
    _Pragma("unroll 1") for (int row = 0; row < SPAN + 2 * RADIUS; row++)                \
    {                                                                                    \
        _Pragma(unrolled) for (int dx = 0; dx < TAPS; dx++)                              \
        {                                                                                \
            const vec v = AT(dx, row);                                                   \
            _Pragma("unroll") for (int i = 0; i < SPAN; i++)                             \
            {                                                                            \
                if (row >= i && row - i < TAPS)                                          \
                    sum[i] += square[(row - i) * TAPS + dx] * v;                         \
            }                                                                            \
        }                                                                                \
    }

/* Work-items at edges are few: for them better short code than fast code. */
static void direct(vec *sum, SOURCE from, constant const float *square, int x, int y,
                   int2 size, bool inner)
{
    if (inner) {
        DIRECT(WHOLE)
    } else {
        DIRECT("unroll 1")
    }
}

/* `square` has TAPS x TAPS weights. */
kernel __attribute__((reqd_work_group_size(WGX, WGY, 1))) void
gauss_direct(FROM ALONE from, global float *restrict to,
             constant const float *restrict square, int width, int height)
{
    const int2 size = (int2)(width, height);
    const int x = get_global_id(0) * LANES;
    const int y = get_global_id(1) * SPAN;
    vec sum[SPAN];

#if LOCAL
    local float tile[ROOM_X * ROOM_Y];

    gather(tile, from,
           (int2)(get_group_id(0) * WGX * LANES, get_group_id(1) * WGY * SPAN) - RADIUS,
           (int2)(ROOM_X, ROOM_Y), size);
#endif
    if (x >= width || y >= height)
        return;
#pragma unroll
    for (int i = 0; i < SPAN; i++)
        sum[i] = (vec)(0.0f);
#if LOCAL
    direct(sum, tile, square, get_local_id(0) * LANES, get_local_id(1) * SPAN, size,
           true);
#else
    if (x >= RADIUS && x + LANES + RADIUS <= width && y >= RADIUS &&
        y + SPAN + RADIUS <= height)
        direct(sum, from, square, x - RADIUS, y - RADIUS, size, true);
    else
        direct(sum, from, square, x - RADIUS, y - RADIUS, size, false);
#endif
#pragma unroll
    for (int i = 0; i < SPAN; i++)
        if (y + i < height)
            put(to, x, y + i, size, sum[i]);
}

#elif defined ALGORITHM_fused

/* A work-group blurs all rows that its tile needs into local memory, then the columns
 * from there.  A work-item takes SPAN vectors side by side of rows, and SPAN2 one below
 * the other of columns. */
#define DOWN      (WGY * SPAN2)                  /* rows of a tile */
#define ACROSS    (WGX / SPAN)                   /* work-items a row */
#define PIXELS    (LANES * SPAN)                 /* of a row, a work-item */
#define SIDE      ((RADIUS + LANES - 1) / LANES) /* vectors that taps reach to a side */
/* The first of the two taps that have the weight of tap k. */
#define EITHER(k) ((k) > RADIUS ? 2 * RADIUS - (k) : (k))

/* PIXELS pixels from x on, a multiple of LANES, blurred along their row into `kept`.
 * `one_side` has the weights up to the middle one; all of them for what cannot be
 * unrolled. */
static void blur_row(local vec *kept, global const float *row, const float *one_side,
                     constant const float *weights, int x, int width)
{
    float sum[PIXELS];

#pragma unroll
    for (int i = 0; i < PIXELS; i++)
        sum[i] = 0.0f;
    if (x >= SIDE * LANES && x + PIXELS + SIDE * LANES <= width) {
#pragma unroll
        for (int o = -SIDE; o < SPAN + SIDE; o++) {
            const vec v = LOAD_OWN(row + x + o * LANES);

#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
#pragma unroll
                for (int i = 0; i < PIXELS; i++) {
                    const int tap = o * LANES + lane - i + RADIUS;

                    if (tap >= 0 && tap < TAPS)
                        sum[i] += one_side[EITHER(tap)] * ((const float *)&v)[lane];
                }
        }
    } else {
        // Work-items at edges are few: for them better short code than fast code.
#pragma unroll 1
        for (int tap = 0; tap < TAPS; tap++)
#pragma unroll
            for (int i = 0; i < PIXELS; i++)
                sum[i] += weights[tap] * row[clamp(x + i + tap - RADIUS, 0, width - 1)];
    }
#pragma unroll
    for (int k = 0; k < SPAN; k++) {
        vec v;

#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            ((float *)&v)[lane] = sum[k * LANES + lane];
        kept[k] = v;
    }
}

/* `weights` has TAPS numbers, the same to both sides. */
kernel __attribute__((reqd_work_group_size(WGX, WGY, 1))) void
gauss_fused(global const float *restrict from, global float *restrict to,
            constant const float *restrict weights, int width, int height)
{
    local vec tile[DOWN + 2 * RADIUS][WGX];
    const int2 size = (int2)(width, height);
    const int item = get_local_id(1) * WGX + get_local_id(0);
    const int first = item % ACROSS * SPAN;
    const int left = get_group_id(0) * WGX * LANES;
    const int top = get_group_id(1) * DOWN - RADIUS;
    const int x = get_global_id(0) * LANES;
    const int y = get_global_id(1) * SPAN2;
    float one_side[RADIUS + 1]; // in registers
    vec sum[SPAN2];

#pragma unroll
    for (int k = 0; k <= RADIUS; k++)
        one_side[k] = weights[k];
#pragma unroll UNROLL
    for (int row = item / ACROSS; row < DOWN + 2 * RADIUS; row += WGY * SPAN)
        blur_row(&tile[row][first],
                 from + (size_t)clamp(top + row, 0, height - 1) * width, one_side,
                 weights, left + first * LANES, width);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < SPAN2; i++)
        sum[i] = (vec)(0.0f);
#pragma unroll
    for (int o = 0; o < SPAN2 - 1 + TAPS; o++) {
        const vec v = tile[get_local_id(1) * SPAN2 + o][get_local_id(0)];

#pragma unroll
        for (int i = 0; i < SPAN2; i++)
            if (o >= i && o - i < TAPS)
                sum[i] += one_side[EITHER(o - i)] * v;
    }
#pragma unroll
    for (int i = 0; i < SPAN2; i++)
        if (x < width && y + i < height)
            put(to, x, y + i, size, sum[i]);
}

#else

/* Adds up what belongs to `count` vectors that lie `apart` pixels of the pass's direction
 * from one another; the taps of the first meet AT(0). */
#define PASS_BY(unrolled, count, apart)                                                  \
    _Pragma(unrolled) for (int o = 0; o < ((count) - 1) * (apart) + TAPS; o++)           \
    {                                                                                    \
        const vec v = AT(o);                                                             \
        _Pragma("unroll") for (int i = 0; i < (count); i++)                              \
        {                                                                                \
            const int tap = o - i * (apart);                                             \
            if (tap >= 0 && tap < TAPS)                                                  \
                sum[i] += weights[tap] * v;                                              \
        }                                                                                \
    }

/* Work-items at edges are few: for them better short code than fast code. */
#define PASS(count, apart)                                                               \
    if (inner) {                                                                         \
        PASS_BY("unroll", count, apart)                                                  \
    } else {                                                                             \
        PASS_BY("unroll 1", count, apart)                                                \
    }

#define ROW_ROOM    (WGX * LANES * SPAN + 2 * RADIUS)
#define COLUMN_ROOM (WGY2 * SPAN2 + 2 * RADIUS)

#if LOCAL
#define AT(o) LOAD(from + y * ROW_ROOM + x + (o))
#else
#define AT(o) pixels(from, x + (o), y, size, inner)
#endif
static void along_row(vec *sum, SOURCE from, constant const float *weights, int x, int y,
                      int2 size, bool inner)
{
    PASS(SPAN, LANES)
}
#undef AT

#if LOCAL
#define AT(o) LOAD(from + (y + (o)) * WGX2 * LANES + x)
#else
#define AT(o) pixels(from, x, y + (o), size, inner)
#endif
static void along_column(vec *sum, SOURCE from, constant const float *weights, int x,
                         int y, int2 size, bool inner)
{
    PASS(SPAN2, 1)
}

/* `weights` has TAPS numbers. */
kernel __attribute__((reqd_work_group_size(WGX, WGY, 1))) void
gauss_rows(FROM ALONE from, TO ALONE to, constant const float *restrict weights,
           int width, int height)
{
    const int2 size = (int2)(width, height);
    const int x = get_global_id(0) * LANES * SPAN;
    const int y = get_global_id(1);
    vec sum[SPAN];

#if LOCAL
    local float tile[WGY * ROW_ROOM];

    gather(tile, from,
           (int2)(get_group_id(0) * WGX * LANES * SPAN - RADIUS, get_group_id(1) * WGY),
           (int2)(ROW_ROOM, WGY), size);
#endif
    if (x >= width || y >= height)
        return;
#pragma unroll
    for (int i = 0; i < SPAN; i++)
        sum[i] = (vec)(0.0f);
#if LOCAL
    along_row(sum, tile, weights, get_local_id(0) * LANES * SPAN, get_local_id(1), size,
              true);
#else
    if (x >= RADIUS && x + SPAN * LANES + RADIUS <= width)
        along_row(sum, from, weights, x - RADIUS, y, size, true);
    else
        along_row(sum, from, weights, x - RADIUS, y, size, false);
#endif
#pragma unroll
    for (int i = 0; i < SPAN; i++)
        if (x + i * LANES < width)
            put_image(to, x + i * LANES, y, size, sum[i]);
}

kernel __attribute__((reqd_work_group_size(WGX2, WGY2, 1))) void
gauss_columns(FROM ALONE from, global float *restrict to,
              constant const float *restrict weights, int width, int height)
{
    const int2 size = (int2)(width, height);
    const int x = get_global_id(0) * LANES;
    const int y = get_global_id(1) * SPAN2;
    vec sum[SPAN2];

#if LOCAL
    local float tile[WGX2 * LANES * COLUMN_ROOM];

    gather(
        tile, from,
        (int2)(get_group_id(0) * WGX2 * LANES, get_group_id(1) * WGY2 * SPAN2 - RADIUS),
        (int2)(WGX2 * LANES, COLUMN_ROOM), size);
#endif
    if (x >= width || y >= height)
        return;
#pragma unroll
    for (int i = 0; i < SPAN2; i++)
        sum[i] = (vec)(0.0f);
#if LOCAL
    along_column(sum, tile, weights, get_local_id(0) * LANES, get_local_id(1) * SPAN2,
                 size, true);
#else
    if (x + LANES <= width && y >= RADIUS && y + SPAN2 + RADIUS <= height)
        along_column(sum, from, weights, x, y - RADIUS, size, true);
    else
        along_column(sum, from, weights, x, y - RADIUS, size, false);
#endif
#pragma unroll
    for (int i = 0; i < SPAN2; i++)
        if (y + i < height)
            put(to, x, y + i, size, sum[i]);
}

#endif
