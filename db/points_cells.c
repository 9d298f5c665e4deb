// SPDX-License-Identifier: Apache-2.0
// What each configuration reaches at each point, without what failed there.
#include "db/lookup.h"
#include "db/points.h"

#include <math.h>
#include <stdlib.h>

/* Configurations, sorted. */
struct hashes {
    int64_t *items;
    size_t count;
    size_t capacity;
};

struct reading {
    struct ct_db *db;
    struct ct_db_points *out;
    size_t cell_capacity;
    struct hashes failed_here; /* at the point that is read */
    struct hashes wrong;       /* on a device, which is the next one's */
    int64_t wrong_device;      /* 0: none yet */
};

static int by_configuration(const void *left, const void *right)
{
    const struct ct_db_cell *a = left;
    const struct ct_db_cell *b = right;

    if (a->configuration != b->configuration)
        return a->configuration < b->configuration ? -1 : 1;
    return (a->point > b->point) - (a->point < b->point);
}

static int by_hash(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* Reads the configurations that a statement lists, and sorts them. */
static enum ct_status read_hashes(struct ct_db_use *use, struct hashes *out,
                                  struct ct_err *err)
{
    out->count = 0;
    while (ct_db_row(use)) {
        if (!ct_mem_grow(&out->items, &out->capacity, out->count + 1,
                         sizeof(*out->items))) {
            use->rc = SQLITE_NOMEM;
            break;
        }
        out->items[out->count++] = ct_db_int(use, 0);
    }
    if (out->count)
        qsort(out->items, out->count, sizeof(*out->items), by_hash);
    return ct_db_done(use, err);
}

static bool has_hash(const struct hashes *hashes, int64_t hash)
{
    return hashes->count &&
           bsearch(&hash, hashes->items, hashes->count, sizeof(*hashes->items), by_hash);
}

/* The configurations that failed at a point, or were wrong or crashed on its device. */
static enum ct_status read_bad(struct reading *r, const struct ct_db_point *point,
                               struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(r->db, CT_SQL_POINT_BAD);
    enum ct_status status;

    ct_db_bind_int(&use, 1, r->out->kernel_id);
    ct_db_bind_int(&use, 2, point->problem_id);
    ct_db_bind_int(&use, 3, point->device_id);
    status = read_hashes(&use, &r->failed_here, err);
    /* Points of a device follow each other. */
    if (status != CT_OK || r->wrong_device == point->device_id)
        return status;
    use = ct_db_use_begin(r->db, CT_SQL_POINT_WRONG);
    ct_db_bind_int(&use, 1, r->out->kernel_id);
    ct_db_bind_int(&use, 2, point->device_id);
    r->wrong_device = point->device_id;
    return read_hashes(&use, &r->wrong, err);
}

/* Appends the cells of a point, with their ranks, without those that failed; *best: the rank of the
 * play-off's pick, or of the best.  A configuration has one score, of its newest experiment. */
static enum ct_status read_ranks(struct reading *r, size_t number, double *best,
                                 struct ct_err *err)
{
    struct ct_db_points *out = r->out;
    const struct ct_db_point *point = &out->points[number];
    struct ct_db_use use = ct_db_use_begin(r->db, CT_SQL_SCORE_ALL);
    bool picked = false;

    *best = INFINITY;
    ct_db_bind_int(&use, 1, point->device_id);
    ct_db_bind_int(&use, 2, out->kernel_id);
    ct_db_bind_int(&use, 3, point->problem_id);
    ct_db_bind_text(&use, 4, out->objective);
    ct_db_bind_text(&use, 5, ct_db_direction(out->maximize));
    while (ct_db_row(&use)) {
        double rank = ct_db_real(&use, 0);
        int64_t hash = ct_db_int(&use, 2);

        if (has_hash(&r->failed_here, hash) || has_hash(&r->wrong, hash))
            continue;
        if (!ct_mem_grow(&out->cells, &r->cell_capacity, out->cell_count + 1,
                         sizeof(*out->cells))) {
            use.rc = SQLITE_NOMEM;
            break;
        }
        out->cells[out->cell_count++] =
            (struct ct_db_cell){hash, number, rank, ct_db_ranking(&use, 1) >= 0};
        if (ct_db_ranking(&use, 1) == 0) {
            *best = rank;
            picked = true;
        } else if (!picked && rank < *best) {
            *best = rank;
        }
    }
    return ct_db_done(&use, err);
}

static enum ct_status read_cells(struct reading *r, size_t number, struct ct_err *err)
{
    struct ct_db_points *out = r->out;
    size_t first = out->cell_count;
    size_t kept = first;
    double best;
    enum ct_status status = read_bad(r, &out->points[number], err);

    if (status == CT_OK)
        status = read_ranks(r, number, &best, err);
    if (status != CT_OK)
        return status;
    out->points[number].best = out->maximize ? -best : best;
    for (size_t i = first; i < out->cell_count; i++) {
        struct ct_db_cell cell = out->cells[i];

        cell.performance = ct_look_relative(best, cell.performance, out->maximize);
        cell.performance = fmin(cell.performance, 1);
        if (cell.performance > 0)
            out->cells[kept++] = cell;
    }
    out->cell_count = kept;
    return CT_OK;
}

enum ct_status ct_db_cells_read(struct ct_db *db, struct ct_db_points *out,
                                struct ct_err *err)
{
    struct reading r = {.db = db, .out = out};
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < out->point_count && status == CT_OK; i++)
        status = read_cells(&r, i, err);
    if (out->cell_count)
        qsort(out->cells, out->cell_count, sizeof(*out->cells), by_configuration);
    free(r.failed_here.items);
    free(r.wrong.items);
    return status;
}

const struct ct_db_cell *ct_db_points_cell(const struct ct_db_points *points,
                                           int64_t configuration, size_t point)
{
    struct ct_db_cell key = {configuration, point, 0, false};

    return points->cell_count ? bsearch(&key, points->cells, points->cell_count,
                                        sizeof(key), by_configuration)
                              : NULL;
}
