// SPDX-License-Identifier: Apache-2.0
// What the tests of rankings share: a play-off, and the order that it leaves.
#ifndef CT_TESTS_STORE_PLAYOFF_H
#define CT_TESTS_STORE_PLAYOFF_H

#include "store_world.h"

static const double three_rounds[] = {1, 2, 3};

static inline struct ct_db_ranked ranked(unsigned n, double value, bool tied)
{
    return (struct ct_db_ranked){.experiment = experiment(n),
                                 .tied = tied,
                                 .value = value,
                                 .time_ns = value,
                                 .low_ns = value - 1,
                                 .high_ns = value + 1,
                                 .end_to_end_ns = NAN,
                                 .end_to_end_low_ns = NAN,
                                 .end_to_end_high_ns = NAN,
                                 .rounds = 3,
                                 .rounds_ns = three_rounds};
}

/* A result as put_time makes it, to be changed and put. */
static inline struct ct_db_result result_of(struct world *w, unsigned n, double time_ns)
{
    struct ct_db_result r = ct_db_result_init;
    static char configurations[4][48];
    static int turn;

    turn = (turn + 1) % 4;
    snprintf(configurations[turn], sizeof(configurations[turn]), "{\"WG\":%u}", n);
    r.run_id = w->run.id;
    r.experiment = experiment(n);
    r.status = "ok";
    r.configuration = configurations[turn];
    r.objective_value = time_ns;
    r.time_ns = time_ns;
    return r;
}

/* The numbers of the experiments that lead, in their order, each with its standing
 * ("3:0 1:1= 4:-"); '=' for those that are tied. */
static inline const char *order(struct world *w)
{
    static char text[200];
    struct ct_arena arena = {0};
    struct ct_db_result top[12];
    struct ct_db_result first;
    size_t count;
    size_t one;
    size_t at = 0;

    text[0] = '\0';
    assert_int_equal(ct_db_best_top(w->db, w->device, w->kernel, w->problem,
                                    w->run.objective, w->run.maximize, 12, &arena, top,
                                    &count, NULL),
                     CT_OK);
    assert_int_equal(ct_db_best_top(w->db, w->device, w->kernel, w->problem,
                                    w->run.objective, w->run.maximize, 1, &arena, &first,
                                    &one, NULL),
                     CT_OK);
    assert_int_equal(one, count > 0);
    if (one) {
        assert_string_equal(first.experiment.text, top[0].experiment.text);
        assert_int_equal(first.rank.number, top[0].rank.number);
        assert_int_equal(first.rank.tied, top[0].rank.tied);
    }
    for (size_t i = 0; i < count; i++) {
        unsigned n = 0;

        while (strcmp(experiment(n).text, top[i].experiment.text) != 0 && n < 1000)
            n++;
        at += (size_t)snprintf(
            text + at, sizeof(text) - at, top[i].rank.number < 0 ? "%s%u:-" : "%s%u:%d%s",
            i ? " " : "", n, top[i].rank.number, top[i].rank.tied ? "=" : "");
    }
    ct_arena_release(&arena);
    return text;
}

static inline struct ct_db_result stored(struct world *w, unsigned n,
                                         struct ct_arena *arena)
{
    struct ct_hash hash = experiment(n);
    struct ct_db_result r;

    assert_int_equal(ct_db_result_get(w->db, w->device, &hash, arena, &r, NULL), CT_OK);
    return r;
}

/* A world with raw times 10, 11, 12, 13 of experiments 1 to 4, and the play-off 3, 1,
 * 2. */
static inline void play(struct world *w)
{
    const struct ct_db_ranked ranked_all[] = {
        ranked(3, 11.5, false), ranked(1, 11.25, true), ranked(2, 12.5, false)};

    populate(w, opened(in_folder("a.db")));
    for (unsigned n = 1; n <= 4; n++)
        assert_int_equal(put_time(w, n, 9 + n, NULL), CT_OK);
    assert_string_equal(order(w), "1:- 2:- 3:- 4:-");
    assert_int_equal(ct_db_rankings_put(w->db, w->run.id, ranked_all, 3, NULL), CT_OK);
    assert_string_equal(order(w), "3:0 1:1= 2:2 4:-");
}

#endif
