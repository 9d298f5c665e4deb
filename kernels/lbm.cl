// SPDX-License-Identifier: Apache-2.0
// A flow by the lattice Boltzmann method: two dimensions, nine velocities, the collision
// of Bhatnagar, Gross and Krook with its equilibrium by Qian, d'Humieres and Lallemand,
// "Lattice BGK models for Navier-Stokes equation", Europhysics Letters 17, 1992.  What
// leaves on one side comes back on the other.
//
// Macros: LAYOUT_soa (nine planes) or LAYOUT_aos (nine numbers a cell); FUSED (collision
// and streaming in one kernel; otherwise in two); DIRECTION_pull (streaming reads from
// neighbours; fused, it then comes before the collision) or DIRECTION_push (it writes to
// neighbours); LANES (neighbouring cells a vector), ROWS (vectors a work-item, one below
// the other); WGX, WGY; RECIPROCAL_native or RECIPROCAL_divide; BAKED (WIDTH and HEIGHT
// are macros).

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

#if BAKED
#define SIZES
#define width  WIDTH
#define height HEIGHT
#else
#define SIZES , int width, int height
#endif

#ifdef RECIPROCAL_native
#define INVERSE(x) native_recip(x)
#else
#define INVERSE(x) (1.0f / (x))
#endif

/* Where direction k of cell (x, y) stands. */
#ifdef LAYOUT_soa
#define PLACE(k, x, y) (((size_t)(k)*height + (y)) * width + (x))
#else
#define PLACE(k, x, y) (((size_t)(y)*width + (x)) * 9 + (k))
#endif

/* The preprocessor repeats, so that directions are constants. */
#define EACH(DO)                                                                         \
    DO(0, 0, 0)                                                                          \
    DO(1, 1, 0) DO(2, 0, 1) DO(3, -1, 0) DO(4, 0, -1)                                    \
    DO(5, 1, 1) DO(6, -1, 1) DO(7, -1, -1) DO(8, 1, -1)

static int around(int i, int count)
{
    return i < 0 ? i + count : i >= count ? i - count : i;
}

/* Direction k of the first `count` of LANES cells at (x, y), which may lie beyond an edge;
 * the other lanes repeat the last one. */
static vec fetch(global const float *from, int k, int x, int y, int count, int width_,
                 int height_)
{
#if !BAKED
    const int width = width_, height = height_;
#endif
    const int row = around(y, height);

#if LANES == 1
    return from[PLACE(k, around(x, width), row)];
#else
    if (x >= 0 && x + LANES <= width && count == LANES)
        return LOAD(from + PLACE(k, x, row));
    vec lanes;

    // Few vectors come here: better short code than fast code.
#pragma unroll 1
    for (int i = 0; i < LANES; i++)
        ((float *)&lanes)[i] = from[PLACE(k, around(x + min(i, count - 1), width), row)];
    return lanes;
#endif
}

/* Stores direction k of the first `count` of LANES cells at (x, y), which may lie beyond
 * an edge. */
static void put(global float *to, int k, int x, int y, int count, vec v, int width_,
                int height_)
{
#if !BAKED
    const int width = width_, height = height_;
#endif
    const int row = around(y, height);

#if LANES == 1
    to[PLACE(k, around(x, width), row)] = v;
#else
    if (x >= 0 && x + LANES <= width && count == LANES) {
        STORE(v, to + PLACE(k, x, row));
    } else {
#pragma unroll 1
        for (int i = 0; i < count; i++)
            to[PLACE(k, around(x + i, width), row)] = ((float *)&v)[i];
    }
#endif
}

/* Moves the nine towards their equilibrium. */
static void collide(vec *f, float omega)
{
    const vec rho = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8];
    const vec inverse = INVERSE(rho);
    const vec ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) * inverse;
    const vec uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) * inverse;
    const vec rest = 1.0f - 1.5f * (ux * ux + uy * uy);

#define WEIGHT(k) ((k) == 0 ? 4.0f / 9.0f : (k) < 5 ? 1.0f / 9.0f : 1.0f / 36.0f)
#define RELAX(k, ex, ey)                                                                 \
    {                                                                                    \
        const vec eu = (float)(ex)*ux + (float)(ey)*uy;                                  \
        const vec balanced = WEIGHT(k) * rho * (rest + eu * (3.0f + 4.5f * eu));         \
        f[k] += omega * (balanced - f[k]);                                               \
    }
    EACH(RELAX)
}

#define HERE(k, ex, ey)      f[k] = fetch(from, k, x, y, count, width, height);
#define UPSTREAM(k, ex, ey)  f[k] = fetch(from, k, x - (ex), y - (ey), count, width, height);
#define STAY(k, ex, ey)      put(to, k, x, y, count, f[k], width, height);
#define DOWNSTREAM(k, ex, ey)                                                            \
    put(to, k, x + (ex), y + (ey), count, f[k], width, height);

#ifdef DIRECTION_pull
#define READ  UPSTREAM
#define WRITE STAY
#else
#define READ  HERE
#define WRITE DOWNSTREAM
#endif

/* A work-item's vectors, at (x, y), `count` cells of each. */
#define EACH_VECTOR                                                                      \
    const int x = get_global_id(0) * LANES;                                              \
    const int top = get_global_id(1) * ROWS;                                             \
    const int count = min(LANES, width - x);                                             \
    for (int y = top; x < width && y < min(top + ROWS, height); y++)

#define GROUP kernel __attribute__((reqd_work_group_size(WGX, WGY, 1)))

#if FUSED

GROUP void lbm_step(global const float *restrict from, global float *restrict to,
                    float omega SIZES)
{
    EACH_VECTOR
    {
        vec f[9];

        EACH(READ)
        collide(f, omega);
        EACH(WRITE)
    }
}

#else

GROUP void lbm_stream(global const float *restrict from, global float *restrict to SIZES)
{
    EACH_VECTOR
    {
        vec f[9];

        EACH(READ)
        EACH(WRITE)
    }
}

/* In place. */
GROUP void lbm_collide(global float *from, float omega SIZES)
{
    global float *to = from;

    EACH_VECTOR
    {
        vec f[9];

        EACH(HERE)
        collide(f, omega);
        EACH(STAY)
    }
}

#endif
