// SPDX-License-Identifier: Apache-2.0
// Judges a play-off.
#include "judge/ranking.h"

#include "base/mem.h"
#include "base/stats.h"
#include "judge/policy.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIM = 5,            /* one in this many is trimmed at each end */
    LEAST_TO_DROP = 3,   /* rounds before any entrant is dropped, */
    LEAST_IF_STEADY = 2, /* and where processes hardly differ */
    LEAST_TO_WEIGH = 4,  /* fewer do not show their error well */
    LEAST_TO_POOL =
        3, /* entrants, besides the best, that show together how processes differ, */
    POOLED_FREEDOM = 4, /* which counts as much as so many more values of each */
    ENOUGH_ROUNDS = 6,  /* their range is a 95% interval */
};

static const double level_last = 0.05; /* of errors, in the verdict */
static const double level_drop = 0.01; /* and between rounds, which are many looks */
static const double level_moderated = 0.003; /* the same, with the variance of all */
static const double same = 0.01;             /* close enough to stop */
/* a winner may appear this much worse than the best, */
static const double bearable = 0.015;
/* but not by more standard errors than this: equals do in a quarter of the cases at most, and what
 * is worse in truth does more often */
static const double explained = 1.2;

const char *ct_rank_name(enum ct_rank rank)
{
    static const char *const names[] = {"winner", "tied", "lost", "out"};

    return names[rank];
}

/* --- two entrants --- */

/* Statistics of the logarithm of a ratio over common rounds. */
struct paired {
    size_t count;
    double mean;  /* trimmed; NAN: no common round */
    double error; /* its standard error; NAN: fewer than two */
    size_t freedom;
    double p; /* probability of such a mean or a more extreme one if they were equal */
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double winsorized_variance(const double *sorted, size_t count, size_t cut)
{
    double mean = 0;
    double sum = 0;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            size_t at = i < cut ? cut : i >= count - cut ? count - 1 - cut : i;

            if (pass)
                sum += (sorted[at] - mean) * (sorted[at] - mean);
            else
                mean += sorted[at] / (double)count;
        }
    return sum / (double)(count - 1);
}

/* Tests differences, which it sorts; their mean has a standard error of at least what the A/A test
 * explains, and, of two, as many degrees of freedom: these tell hardly anything of their own error. */
static struct paired test(double *differences, size_t count,
                          const struct ct_steadiness *steady)
{
    double explained_error;
    struct paired result = {.count = count, .mean = NAN, .error = NAN, .p = 1};
    size_t cut = count / TRIM;
    size_t left = count - 2 * cut;

    if (!count)
        return result;
    qsort(differences, count, sizeof(*differences), by_value);
    result.mean = 0;
    for (size_t i = cut; i < count - cut; i++)
        result.mean += differences[i] / (double)left;
    explained_error = sqrt(2) * steady->deviation / sqrt((double)count);
    if (count < 2) {
        /* One decides nothing, but how far it may be off is known. */
        result.freedom = steady->freedom;
        result.error = explained_error > 0 && steady->freedom ? explained_error : NAN;
        return result;
    }
    result.freedom = left - 1;
    result.error = sqrt(winsorized_variance(differences, count, cut) / (double)count) *
                   (double)count / (double)left;
    if (result.error < explained_error) {
        result.error = explained_error;
        if (count < LEAST_TO_DROP && result.freedom < steady->freedom)
            result.freedom = steady->freedom;
    }
    if (result.error > 0)
        result.p = ct_stats_student(result.mean / result.error, result.freedom);
    else
        result.p = result.mean == 0 ? 1 : 0;
    return result;
}

/* `scratch` has room for all rounds. */
static struct paired compare_entrants(const struct ct_contest *contest, size_t entrant,
                                      size_t other, double *scratch)
{
    size_t count = 0;

    for (size_t r = 0; r < contest->rounds; r++) {
        double ratio =
            ct_contest_cost(contest, r, entrant) / ct_contest_cost(contest, r, other);

        if (!isnan(ratio))
            scratch[count++] = log(ratio);
    }
    return test(scratch, count, &contest->steady);
}

static size_t rounds_of(const struct ct_contest *contest, size_t entrant)
{
    size_t count = 0;

    for (size_t r = 0; r < contest->rounds; r++)
        count += isfinite(ct_contest_cost(contest, r, entrant)) ? 1 : 0;
    return count;
}

/* --- all entrants against the best --- */

struct field {
    double *scratch; /* one per round */
    double *p;       /* adjusted, one per entrant */
    struct paired *against;
    size_t *members; /* entrants being compared */
    size_t count;
    size_t best; /* SIZE_MAX: none was timed */
};

static void release_field(struct field *field)
{
    free(field->scratch);
    free(field->p);
    free(field->against);
    free(field->members);
}

static bool is_preferred(const struct ct_contest *contest, size_t a, size_t b)
{
    if (!contest->preference || contest->preference[a] == contest->preference[b])
        return a < b;
    return contest->preference[a] < contest->preference[b];
}

/* The one that no other candidate beats.  Trimmed means need not be transitive: a second pass,
 * whose result is as good as any. */
static size_t find_best(const struct ct_contest *contest, const bool *candidates,
                        double *scratch)
{
    size_t best = SIZE_MAX;

    for (int pass = 0; pass < 2; pass++)
        for (size_t e = 0; e < contest->entrants; e++) {
            double mean;

            if (!candidates[e] || e == best || !rounds_of(contest, e))
                continue;
            if (best == SIZE_MAX) {
                best = e;
                continue;
            }
            mean = compare_entrants(contest, e, best, scratch).mean;
            if (mean < 0 || (mean == 0 && is_preferred(contest, e, best)))
                best = e;
        }
    return best;
}

/* Compares the `compared` with the best of the `candidates`; false if out of memory. */
static bool survey(const struct ct_contest *contest, const bool *candidates,
                   const bool *compared, struct field *field)
{
    *field = (struct field){
        .scratch = ct_mem_array(contest->rounds + 1, sizeof(double)),
        .p = ct_mem_array(contest->entrants + 1, sizeof(double)),
        .against = ct_mem_array(contest->entrants + 1, sizeof(struct paired)),
        .members = ct_mem_array(contest->entrants + 1, sizeof(size_t)),
        .best = SIZE_MAX,
    };
    if (!field->scratch || !field->p || !field->against || !field->members)
        return false;
    field->best = find_best(contest, candidates, field->scratch);
    if (field->best == SIZE_MAX)
        return true;
    for (size_t e = 0; e < contest->entrants; e++) {
        if (!compared[e] || e == field->best)
            continue;
        field->against[e] = compare_entrants(contest, e, field->best, field->scratch);
        field->p[field->count] = field->against[e].p;
        field->members[field->count++] = e;
    }
    ct_stats_holm(field->p, field->count);
    return true;
}

static bool is_distinguished(const struct ct_contest *contest, const struct field *field,
                             size_t member, double level)
{
    const struct paired *against = &field->against[field->members[member]];

    return field->p[member] <= level && against->mean > log1p(contest->indifference);
}

/* --- few rounds --- */

/* The mean of the variances of single differences to the best, of all that have taken part; 0: too few
 * entrants tell. */
static double pooled_variance(const struct ct_contest *contest, const struct field *field)
{
    double sum = 0;
    size_t count = 0;

    for (size_t e = 0; field->best != SIZE_MAX && e < contest->entrants; e++) {
        struct paired against;

        if (e == field->best)
            continue;
        against = compare_entrants(contest, e, field->best, field->scratch);
        if (against.count < 2 || isnan(against.error))
            continue;
        sum += against.error * against.error * (double)against.count;
        count++;
    }
    return count >= LEAST_TO_POOL ? sum / (double)count : 0;
}

/* A moderated test (Smyth 2004): two or three rounds tell hardly anything of their own error, so that
 * what is a third slower would stay for five.  The variance is mixed with that of all; an entrant that
 * differs more from round to round than others do still has most of its own. */
static struct paired moderated(const struct paired *against, double pooled)
{
    struct paired result = *against;
    double own = against->error * against->error * (double)against->count;
    double freedom = (double)against->freedom;

    if (!(pooled > 0) || against->count < LEAST_TO_DROP - 1 || isnan(own)) {
        result.p = 1;
        return result;
    }
    result.error = sqrt((POOLED_FREEDOM * pooled + freedom * own) /
                        (POOLED_FREEDOM + freedom) / (double)against->count);
    result.freedom = against->freedom + POOLED_FREEDOM;
    result.p = ct_stats_student(against->mean / result.error, result.freedom);
    return result;
}

/* --- the verdict --- */

double ct_steadiness_half(const struct ct_steadiness *steady, size_t count)
{
    /* A median's deviation relative to that of a mean: sqrt(pi / 2), for normal values. */
    const double median_cost = 1.2533141;

    if (!(steady->deviation > 0) || !steady->freedom || !count || count >= ENOUGH_ROUNDS)
        return 0;
    return ct_stats_student_quantile(level_last, steady->freedom) * median_cost *
           steady->deviation / sqrt((double)count);
}

static void describe_times(const struct ct_contest *contest, size_t entrant,
                           double *scratch, struct ct_ranking *ranking)
{
    size_t count = 0;
    double half;

    ranking->cost = ranking->low = ranking->high = NAN;
    ranking->ratio = ranking->ratio_low = ranking->ratio_high = NAN;
    for (size_t r = 0; r < contest->rounds; r++) {
        double cost = ct_contest_cost(contest, r, entrant);

        if (!isnan(cost))
            scratch[count++] = cost;
    }
    ranking->rounds = count;
    if (!count)
        return;
    ranking->cost = ct_stats_median(scratch, count);
    ct_stats_median_interval(scratch, count, 1 - level_last, &ranking->low,
                             &ranking->high);
    half = ct_steadiness_half(&contest->times, count);
    ranking->low = fmin(ranking->low, ranking->cost * exp(-half));
    ranking->high = fmax(ranking->high, ranking->cost * exp(half));
}

static struct ct_ratio ratio_of(const struct paired *paired)
{
    struct ct_ratio ratio = {exp(paired->mean), NAN, NAN};
    double half;

    if (isnan(paired->error))
        return ratio;
    half = ct_stats_student_quantile(level_last, paired->freedom) * paired->error;
    ratio.low = exp(paired->mean - half);
    ratio.high = exp(paired->mean + half);
    return ratio;
}

struct ct_ratio ct_ranking_ratio(double *logs, size_t count,
                                 const struct ct_steadiness *steady)
{
    struct paired paired = test(logs, count, steady);

    return ratio_of(&paired);
}

/* How much worse than the best one that is tied with it may appear and win: as much as noise
 * explains, or what does not matter, if it is hardly more. */
static double tolerance(const struct ct_contest *contest, const struct paired *against)
{
    double most = log1p(fmax(contest->strict ? 0 : bearable, contest->indifference));
    double harmless = log1p(contest->indifference) - against->error;

    if (against->count < LEAST_TO_WEIGH)
        return most;
    return fmin(most, fmax(explained * against->error, harmless));
}

/* The preferred one among possible winners. */
static size_t pick_winner(const struct ct_contest *contest, const struct field *field,
                          const bool *candidates, const struct ct_ranking *rankings)
{
    size_t winner = field->best;

    for (size_t m = 0; m < field->count; m++) {
        size_t e = field->members[m];

        const struct paired *against = &field->against[e];

        if (candidates[e] && rankings[e].rank == CT_RANK_TIED &&
            against->mean <= tolerance(contest, against) &&
            is_preferred(contest, e, winner))
            winner = e;
    }
    return winner;
}

static size_t verdict(const struct ct_contest *contest, struct field *field,
                      const bool *candidates, struct ct_ranking *rankings)
{
    double pooled = pooled_variance(contest, field);
    size_t winner;

    for (size_t m = 0; m < field->count; m++) {
        size_t e = field->members[m];

        if (rankings[e].rank != CT_RANK_LOST)
            rankings[e].rank = is_distinguished(contest, field, m, level_last)
                                   ? CT_RANK_LOST
                                   : CT_RANK_TIED;
    }
    rankings[field->best].rank = CT_RANK_TIED;
    winner = pick_winner(contest, field, candidates, rankings);
    rankings[winner].rank = CT_RANK_WINNER;
    for (size_t e = 0; e < contest->entrants; e++) {
        struct paired to_winner;
        struct ct_ratio ratio;

        if (rankings[e].rank == CT_RANK_OUT || !rankings[e].rounds)
            continue;
        to_winner = compare_entrants(contest, e, winner, field->scratch);
        ratio = ratio_of(&to_winner);
        /* What the variance of all has decided, its own would not show. */
        if (rankings[e].rank == CT_RANK_LOST && ratio.low <= 1) {
            to_winner = moderated(&to_winner, pooled);
            ratio = ratio_of(&to_winner);
        }
        rankings[e].ratio = ratio.middle;
        rankings[e].ratio_low = ratio.low;
        rankings[e].ratio_high = ratio.high;
    }
    return winner;
}

size_t ct_ranking_judge(const struct ct_contest *contest, struct ct_ranking *rankings)
{
    bool *candidates = ct_mem_array(2 * contest->entrants + 1, sizeof(bool));
    bool *compared = candidates ? candidates + contest->entrants : NULL;
    struct field field = {0};
    size_t winner = SIZE_MAX;

    for (size_t e = 0; candidates && e < contest->entrants; e++) {
        enum ct_rank rank = rankings[e].rank;

        compared[e] = rank != CT_RANK_OUT && rounds_of(contest, e);
        candidates[e] = compared[e] && rank != CT_RANK_LOST;
    }
    if (candidates && survey(contest, candidates, compared, &field)) {
        for (size_t e = 0; e < contest->entrants; e++)
            describe_times(contest, e, field.scratch, &rankings[e]);
        if (field.best != SIZE_MAX)
            winner = verdict(contest, &field, candidates, rankings);
    }
    release_field(&field);
    free(candidates);
    return winner;
}

/* --- further rounds --- */

/* Close enough to the best, beyond doubt. */
static bool as_good(const struct ct_contest *contest, const struct paired *against)
{
    double half;

    if (against->count < 2)
        return false;
    half = ct_stats_student_quantile(level_last, against->freedom) * against->error;
    return fabs(against->mean) + half <= log1p(fmax(same, contest->indifference));
}

static size_t least_to_drop(const struct ct_contest *contest)
{
    double deviation = contest->steady.deviation;

    return deviation > 0 && CT_POLICY_TWO_PROCESSES * deviation <= CT_POLICY_STEADY
               ? LEAST_IF_STEADY
               : LEAST_TO_DROP;
}

/* Whether one has lost beyond doubt, by its own rounds or by moderated probabilities. */
static bool is_out(const struct ct_contest *contest, const struct field *field,
                   size_t member, const double *p)
{
    const struct paired *against = &field->against[field->members[member]];

    return (against->count >= least_to_drop(contest) &&
            is_distinguished(contest, field, member, level_drop)) ||
           (p[member] <= level_moderated && against->mean > log1p(contest->indifference));
}

bool ct_ranking_open(const struct ct_contest *contest, size_t least_rounds, bool *stays)
{
    struct field field;
    double *p = ct_mem_array(contest->entrants + 1, sizeof(*p));
    double pooled;
    bool open = false;

    if (!survey(contest, stays, stays, &field) || !p) {
        release_field(&field);
        free(p);
        return false;
    }
    pooled = pooled_variance(contest, &field);
    for (size_t m = 0; m < field.count; m++)
        p[m] = moderated(&field.against[field.members[m]], pooled).p;
    ct_stats_holm(p, field.count);
    for (size_t m = 0; m < field.count; m++) {
        size_t e = field.members[m];
        struct paired against = moderated(&field.against[e], pooled);

        if (is_out(contest, &field, m, p))
            stays[e] = false;
        else if (!is_distinguished(contest, &field, m, level_last) &&
                 !as_good(contest, &field.against[e]) && !as_good(contest, &against))
            open = true;
    }
    for (size_t e = 0; e < contest->entrants; e++)
        open = open || (stays[e] && rounds_of(contest, e) < least_rounds);
    release_field(&field);
    free(p);
    return open;
}

/* Of a field that has been surveyed; its p are lost. */
static double spread_of(struct field *field)
{
    size_t count = 0;

    for (size_t m = 0; m < field->count; m++) {
        const struct paired *against = &field->against[field->members[m]];

        if (against->count >= 2 && !isnan(against->error))
            field->p[count++] = against->error * sqrt((double)against->count);
    }
    return count ? ct_stats_median(field->p, count) : 0;
}

double ct_ranking_spread(const struct ct_contest *contest, const bool *stays)
{
    struct field field;
    double spread = survey(contest, stays, stays, &field) ? spread_of(&field) : 0;

    release_field(&field);
    return spread;
}

/* The same for what is to be expected of more rounds: the median of deviations of a few values each is lower than
 * what they come from (Wilson and Hilferty's approximation of the median of chi-squared). */
static double spread_to_come(struct field *field)
{
    size_t freedom = 0;

    for (size_t m = 0; m < field->count; m++)
        if (field->against[field->members[m]].freedom > freedom)
            freedom = field->against[field->members[m]].freedom;
    return freedom ? spread_of(field) / pow(1 - 2 / (9 * (double)freedom), 1.5) : 0;
}

/* The probability that none of the others is better than the best by more than `by`, once there are
 * `more` rounds. */
static double none_better(const struct field *field, double spread, size_t more,
                          double by)
{
    double all = 1;

    for (size_t m = 0; m < field->count; m++) {
        const struct paired *against = &field->against[field->members[m]];
        double rounds = (double)against->count;
        /* Of what the mean will be, as seen from now. */
        double deviation = spread * sqrt(1 / rounds - 1 / (rounds + (double)more));

        if (against->count)
            all *= 0.5 * erfc(-(by + fmax(against->mean, 0)) / (deviation * sqrt(2)));
    }
    return all;
}

double ct_ranking_gain(const struct ct_contest *contest, const bool *stays, size_t more)
{
    const double far = 6; /* deviations, beyond which nothing is to be expected */
    const int steps = 96;
    struct field field;
    double spread = survey(contest, stays, stays, &field) ? spread_to_come(&field) : 0;
    double width = far * spread / steps;
    double gain = 0;

    /* The mean of what is not negative is the integral of the probability to exceed. */
    for (int i = 0; more && i < steps && spread > 0; i++)
        gain += width * (1 - none_better(&field, spread, more, (i + 0.5) * width));
    release_field(&field);
    return spread > 0 ? gain : more ? INFINITY : 0;
}

/* The mean of what a normal variable of mean -`behind` exceeds 0 by. */
static double mean_above(double behind, double deviation)
{
    double z = behind / deviation;
    double density = exp(-z * z / 2) / sqrt(2 * acos(-1));

    return deviation > 0 ? deviation * (density - z * 0.5 * erfc(z / sqrt(2))) : 0;
}

void ct_ranking_drop_vain(const struct ct_contest *contest, size_t more, double worth,
                          bool *stays, bool *vain)
{
    const double doubt = 1.25; /* few rounds show the spread roughly */
    struct field field;
    double pooled = 0;
    double all = 0;

    /* The median of deviations of two or three values each would be too low. */
    if (survey(contest, stays, stays, &field)) {
        pooled = pooled_variance(contest, &field);
        all = fmax(sqrt(pooled), spread_to_come(&field));
    }
    for (size_t m = 0; all > 0 && m < field.count; m++) {
        size_t e = field.members[m];
        struct paired own = moderated(&field.against[e], pooled);
        double rounds = (double)own.count;
        /* One that a disturbance has put behind differs more from round to round than others do. */
        double spread = fmax(all, isnan(own.error) ? 0 : own.error * sqrt(rounds));

        if (own.count < (field.count < LEAST_TO_POOL ? LEAST_TO_DROP : LEAST_IF_STEADY) ||
            !(own.mean > log1p(contest->indifference)))
            continue;
        if (mean_above(own.mean,
                       doubt * spread * sqrt(1 / rounds - 1 / (rounds + (double)more))) <
            worth / (double)field.count) {
            stays[e] = false;
            vain[e] = true;
        }
    }
    release_field(&field);
}
