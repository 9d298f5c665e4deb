// SPDX-License-Identifier: Apache-2.0
// A program to tune: transposes a matrix in blocks of BLOCK by BLOCK, which its build sets, and says
// how long one transposition took.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef BLOCK
#define BLOCK 1
#endif

enum { REPEATS = 3 };

static double now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void transpose(size_t n, const double *from, double *to)
{
    for (size_t row = 0; row < n; row += BLOCK)
        for (size_t column = 0; column < n; column += BLOCK)
            for (size_t i = row; i < row + BLOCK && i < n; i++)
                for (size_t j = column; j < column + BLOCK && j < n; j++)
                    to[j * n + i] = from[i * n + j];
}

/* A number that depends on the place of every element. */
static double checksum(size_t n, const double *matrix)
{
    double sum = 0;

    for (size_t i = 0; i < n * n; i++)
        sum += matrix[i] * (double)(i % 1009);
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    double *from = calloc(n * n + 1, sizeof(*from));
    double *to = calloc(n * n + 1, sizeof(*to));
    double best_ms = 1e30;
    FILE *out = argc > 2 ? fopen(argv[2], "w") : NULL;

    if (!n || !from || !to || !out) {
        fputs("usage: transpose SIZE FILE\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < n * n; i++)
        from[i] = (double)(i % 4093);
    for (int i = 0; i < REPEATS; i++) {
        double begun_ms = now_ms();
        double took_ms;

        transpose(n, from, to);
        took_ms = now_ms() - begun_ms;
        best_ms = took_ms < best_ms ? took_ms : best_ms;
    }
    fprintf(out, "%.0f\n", checksum(n, to));
    printf("%zu x %zu: %.4f ms\n", n, n, best_ms);
    fclose(out);
    free(from);
    free(to);
    return 0;
}
