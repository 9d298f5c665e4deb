// SPDX-License-Identifier: Apache-2.0
// Few configurations that serve many devices and problems: set cover over what is stored.
#include "tune/variants.h"

#include "tune/cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Losses that differ by less are equal: the order of operations causes such differences. */
static const double equal_losses = 1e-9;

void ct_variants_release(struct ct_variants *variants)
{
    ct_arena_release(&variants->arena);
    memset(variants, 0, sizeof(*variants));
}

/* The end of the cells of the configuration that cell `first` is of. */
static size_t cells_end(const struct ct_db_points *points, size_t first)
{
    size_t end = first + 1;

    while (end < points->cell_count &&
           points->cells[end].configuration == points->cells[first].configuration)
        end++;
    return end;
}

static double total_weight(const struct ct_db_points *points)
{
    double sum = 0;

    for (size_t i = 0; i < points->point_count; i++)
        sum += points->points[i].weight;
    return sum;
}

/* --- the result --- */

/* The variant with the least loss at each point; of equals the first. */
static void assign_points(const struct ct_db_points *points, struct ct_variants *out)
{
    double sum = 0;

    out->worst_loss = 0;
    for (size_t p = 0; p < points->point_count; p++) {
        out->losses[p] = 1;
        for (size_t v = 0; v < out->count; v++) {
            const struct ct_db_cell *cell =
                ct_db_points_cell(points, out->configurations[v], p);

            if (cell && 1 - cell->performance < out->losses[p] - equal_losses) {
                out->losses[p] = 1 - cell->performance;
                out->of_point[p] = v;
            }
        }
        out->worst_loss = fmax(out->worst_loss, out->losses[p]);
        sum += points->points[p].weight * log(1 - out->losses[p]);
    }
    out->mean = exp(sum / total_weight(points));
}

/* Fills the result with chosen configurations, numbered in the order of the points that they serve. */
static enum ct_status set_result(const struct ct_db_points *points, const int64_t *chosen,
                                 size_t count, struct ct_variants *out,
                                 struct ct_err *err)
{
    size_t used = 0;

    out->configurations =
        ct_arena_array(&out->arena, count, sizeof(*out->configurations));
    out->of_point =
        ct_arena_array(&out->arena, points->point_count, sizeof(*out->of_point));
    out->losses = ct_arena_array(&out->arena, points->point_count, sizeof(*out->losses));
    if (!out->configurations || !out->of_point || !out->losses)
        return ct_err_nomem(err);
    memcpy(out->configurations, chosen, count * sizeof(*chosen));
    out->count = count;
    assign_points(points, out);
    /* Those that serve no point after all are left out. */
    for (size_t p = 0; p < points->point_count; p++) {
        size_t v = out->of_point[p];
        int64_t configuration = out->configurations[v];

        if (v < used)
            continue;
        out->configurations[v] = out->configurations[used];
        out->configurations[used] = configuration;
        for (size_t q = 0; q < points->point_count; q++)
            out->of_point[q] = out->of_point[q] == v      ? used
                               : out->of_point[q] == used ? v
                                                          : out->of_point[q];
        used++;
    }
    out->count = used;
    return CT_OK;
}

/* --- one for all --- */

/* An advantage of less than this may be luck if not all times of a configuration are of play-offs,
 * and those of another one are. */
static const double lucky = 0.1;

/* The weighted mean of the logarithms of performance; *ranked: in the last play-off of all points. */
static double mean_of(const struct ct_db_points *points, size_t first, bool *ranked)
{
    double sum = 0;

    *ranked = true;
    for (size_t k = first; k < first + points->point_count; k++) {
        sum += points->points[points->cells[k].point].weight *
               log(points->cells[k].performance);
        *ranked = *ranked && points->cells[k].ranked;
    }
    return sum / total_weight(points);
}

enum ct_status ct_variants_portable(const struct ct_db_points *points,
                                    struct ct_variants *out, struct ct_err *err)
{
    double best[2] = {-INFINITY, -INFINITY}; /* of all, and of those in play-offs */
    int64_t configurations[2] = {0, 0};
    int64_t chosen;
    size_t most = 0;

    *out = (struct ct_variants){.exact = true};
    for (size_t i = 0, end; i < points->cell_count; i = end) {
        bool ranked;
        double mean;

        end = cells_end(points, i);
        most = end - i > most ? end - i : most;
        if (end - i < points->point_count)
            continue;
        mean = mean_of(points, i, &ranked);
        for (int k = 0; k <= (int)ranked; k++)
            if (mean > best[k] + equal_losses) {
                best[k] = mean;
                configurations[k] = points->cells[i].configuration;
            }
    }
    chosen = configurations[best[1] > best[0] - log(1 + lucky)];
    if (most < points->point_count)
        return ct_err_set(
            err, CT_E_NOT_FOUND,
            "no configuration of kernel %s has worked in all %zu cases (devices and "
            "problems); one has worked in %zu: use --variants auto, or select devices "
            "with -d",
            points->kernel, points->point_count, most);
    if (set_result(points, &chosen, 1, out, err))
        return CT_E_NOMEM;
    out->tolerance = out->worst_loss;
    return CT_OK;
}

/* --- few for all --- */

/* The sets of points that configurations serve within a loss. */
static enum ct_status cover_within(const struct ct_db_points *points, double loss,
                                   size_t most, struct ct_cover *cover,
                                   struct ct_err *err)
{
    enum ct_status status = ct_cover_begin(cover, points->point_count, err);

    for (size_t i = 0, end; i < points->cell_count && status == CT_OK; i = end) {
        double sum = 0;
        bool any = false;

        end = cells_end(points, i);
        for (size_t k = i; k < end && status == CT_OK; k++) {
            sum += points->cells[k].performance;
            if (1 - points->cells[k].performance > loss + equal_losses)
                continue;
            if (!any)
                status = ct_cover_add(cover, points->cells[i].configuration, err);
            any = true;
            if (status == CT_OK)
                ct_cover_include(cover, points->cells[k].point);
        }
        if (any && status == CT_OK)
            ct_cover_prefer(cover, sum);
    }
    return status == CT_OK ? ct_cover_solve(cover, most, err) : status;
}

static int by_loss(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return (a > b) - (a < b);
}

/* All losses that occur, each once. */
static double *list_losses(const struct ct_db_points *points, size_t *count)
{
    double *losses = ct_mem_array(points->cell_count + 1, sizeof(*losses));

    *count = 0;
    if (!losses)
        return NULL;
    for (size_t i = 0; i < points->cell_count; i++)
        losses[i] = 1 - points->cells[i].performance;
    qsort(losses, points->cell_count, sizeof(*losses), by_loss);
    for (size_t i = 0; i < points->cell_count; i++)
        if (!*count || losses[i] > losses[*count - 1] + equal_losses)
            losses[(*count)++] = losses[i];
    return losses;
}

/* What a smaller loss must be found for is decided by bisection: with a larger loss, no more are
 * needed. */
static enum ct_status bisect(const struct ct_db_points *points, size_t most,
                             struct ct_variants *out, struct ct_err *err)
{
    struct ct_cover cover = {0};
    size_t count;
    double *losses = list_losses(points, &count);
    size_t low = 0;
    size_t high = count;
    enum ct_status status = losses ? CT_OK : ct_err_nomem(err);

    while (losses && status == CT_OK && low < high) {
        size_t middle = low + (high - low) / 2;
        struct ct_cover one = {0};

        status = cover_within(points, losses[middle], most, &one, err);
        out->exact = out->exact && one.exact;
        if (status == CT_OK && one.count && one.count <= most) {
            high = middle;
            out->tolerance = losses[middle];
            ct_cover_release(&cover);
            cover = one;
        } else {
            low = middle + 1;
            ct_cover_release(&one);
        }
    }
    if (status == CT_OK && !cover.count) {
        status = cover_within(points, 1, points->point_count, &cover, err);
        if (status == CT_OK)
            status = ct_err_set(
                err, CT_E_NOT_FOUND,
                "no %zu configuration%s of kernel %s serve%s all %zu cases (devices and "
                "problems); %zu do: use --variants %zu",
                most, most == 1 ? "" : "s", points->kernel, most == 1 ? "s" : "",
                points->point_count, cover.count, cover.count);
    }
    if (status == CT_OK)
        status = set_result(points, cover.chosen, cover.count, out, err);
    ct_cover_release(&cover);
    free(losses);
    return status;
}

enum ct_status ct_variants_choose(const struct ct_db_points *points, size_t most,
                                  struct ct_variants *out, struct ct_err *err)
{
    struct ct_cover cover = {0};
    enum ct_status status;

    *out = (struct ct_variants){.exact = true, .tolerance = CT_VARIANTS_LOSS};
    if (most)
        return bisect(points, most, out, err);
    status = cover_within(points, CT_VARIANTS_LOSS, points->point_count, &cover, err);
    out->exact = cover.exact;
    if (status == CT_OK)
        status = set_result(points, cover.chosen, cover.count, out, err);
    ct_cover_release(&cover);
    return status;
}
