// SPDX-License-Identifier: Apache-2.0
// Blurring lines of pixels with a recursive filter whose response is nearly a Gaussian: a
// pass forward and one backward, each from four samples and four earlier results.
// R. Deriche, "Recursively implementing the Gaussian and its derivatives", INRIA research
// report 1893, 1993: the filter of fourth order.  Beyond an end stands the sample there.
//
// A work-item has WIDE neighbouring lines (vectors) and a segment of them.  It begins WARM
// samples outside, by when what was before has died away: 8 sigma leave 2e-7 of it.
// Macros: GROUP (work-items a work-group), UNROLL (samples a pass of the loops).

#if WIDE == 1
typedef float vec;
#define LOAD(p)     (*(p))
#define STORE(v, p) (*(p) = (v))
#else
#define PASTE(a, b) a##b
#define NAME(a, b)  PASTE(a, b)
typedef NAME(float, WIDE) vec;
#define LOAD(p)     NAME(vload, WIDE)(0, p)
#define STORE(v, p) NAME(vstore, WIDE)(v, 0, p)
#endif

/* The first `count` of WIDE samples; the others repeat the last of them. */
static vec samples(global const float *from, int count)
{
#if WIDE > 1
    if (count < WIDE) {
        vec lanes;

#pragma unroll 1
        for (int i = 0; i < WIDE; i++)
            ((float *)&lanes)[i] = from[min(i, count - 1)];
        return lanes;
    }
#endif
    return LOAD(from);
}

static void put(global float *to, vec v, int count)
{
#if WIDE > 1
    if (count < WIDE) {
#pragma unroll 1
        for (int i = 0; i < count; i++)
            to[i] = ((float *)&v)[i];
        return;
    }
#endif
    STORE(v, to);
}

/* The last four samples and results. */
struct past {
    vec x1, x2, x3, x4, y1, y2, y3, y4;
};

/* As if there had been nothing but x, which the filter answers with gain * x. */
static struct past steady(vec x, float gain)
{
    const vec y = gain * x;

    return (struct past){x, x, x, x, y, y, y, y};
}

/* c: n0, n1, n2, n3; m1, m2, m3, m4; d1, d2, d3, d4; gain forward, gain backward. */
static vec forward(struct past *p, vec x, constant const float *c)
{
    const vec y = c[0] * x + c[1] * p->x1 + c[2] * p->x2 + c[3] * p->x3 -
                  (c[8] * p->y1 + c[9] * p->y2 + c[10] * p->y3 + c[11] * p->y4);

    *p = (struct past){x, p->x1, p->x2, p->x3, y, p->y1, p->y2, p->y3};
    return y;
}

static vec backward(struct past *p, vec x, constant const float *c)
{
    const vec y = c[4] * p->x1 + c[5] * p->x2 + c[6] * p->x3 + c[7] * p->x4 -
                  (c[8] * p->y1 + c[9] * p->y2 + c[10] * p->y3 + c[11] * p->y4);

    *p = (struct past){x, p->x1, p->x2, p->x3, y, p->y1, p->y2, p->y3};
    return y;
}

/* Filters samples [begin, end) of `count` lines, which have `length` of them, `step`
 * numbers apart. */
/* (No restrict: VC4C fails to compile static functions with it.) */
static void filter(global const float *from, global float *to,
                   constant const float *c, int count, int begin, int end, int length,
                   size_t step)
{
    const int first = max(begin - WARM, 0);
    const int last = min(end - 1 + WARM, length - 1);
    struct past p = steady(samples(from + first * step, count), c[12]);

#pragma unroll UNROLL
    for (int i = first; i < begin; i++)
        forward(&p, samples(from + i * step, count), c);
#pragma unroll UNROLL
    for (int i = begin; i < end; i++)
        put(to + i * step, forward(&p, samples(from + i * step, count), c), count);
    p = steady(samples(from + last * step, count), c[13]);
    // Counted upwards: NVIDIA's compiler (580.159.04) gets this loop wrong if it is unrolled and
    // counts down: what is near the end of a segment differs then, unless -cl-opt-disable is set.
#pragma unroll UNROLL
    for (int i = 0; i <= last - end; i++)
        backward(&p, samples(from + (last - i) * step, count), c);
#pragma unroll UNROLL
    for (int i = end - 1; i >= begin; i--) {
        const vec y = backward(&p, samples(from + i * step, count), c);

        put(to + i * step, samples(to + i * step, count) + y, count);
    }
}

/* Lines are `line_step` numbers apart: 1, where WIDE is more than 1. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
gauss_recursive(global const float *restrict from, global float *restrict to,
                constant const float *restrict c, int lines, int length, int line_step,
                int step, int segment)
{
    const int line = get_global_id(0) * WIDE;
    const int begin = get_global_id(1) * segment;
    const int end = min(begin + segment, length);
    const size_t offset = (size_t)line * line_step;

    if (line + WIDE <= lines)
        filter(from + offset, to + offset, c, WIDE, begin, end, length, step);
    else if (line < lines)
        filter(from + offset, to + offset, c, lines - line, begin, end, length, step);
}
