// SPDX-License-Identifier: Apache-2.0
// Figures of online tuning, for scripts/bench-online:
//
//   online launch FOLDER COUNT     tunes the kernel of FOLDER/k.ini with invented times, then prints the
//                                  nanoseconds that COUNT launches with the best take the library, each;
//                                  those with the best of a database; and those of a launch that tries
//   online replay REPEATS FILE     a line: name, configurations; median evaluations until the strategy
//                                  of a search reaches 95% of the best; the same of online tuning; its
//                                  median share of the best after the evaluations that the search with
//                                  the same seed needed; the same with four launches for each of them,
//                                  and how many of these reach 95%; evaluations and share, medians,
//                                  where it ends by itself
#include "base/clock.h"
#include "base/rng.h"
#include "base/stats.h"
#include "db/cltunedb-tune.h"
#include "online/trials.h"
#include "replay/recorded.h"
#include "replay/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVALUATIONS = 400 };

/* --- overhead --- */

static double time_of(const cltunedb_tune_config *config)
{
    double time_ns = 1000;

    for (size_t i = 0; i < config->value_count; i++)
        time_ns += 10 * fabs((double)(config->values[i].i % 97) - 40);
    return time_ns;
}

static cltunedb_tune *begin(const char *folder)
{
    const cltunedb_value name = {"DEVICE_NAME", CLTUNEDB_TEXT, 0, 0, "Card"};
    cltunedb_tune_request request = CLTUNEDB_TUNE_REQUEST_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb_tune *tune;
    char path[1024];
    char database[1024];

    snprintf(path, sizeof(path), "%s/k.ini", folder);
    snprintf(database, sizeof(database), "%s/online.db", folder);
    request.space_file = path;
    request.database = database;
    request.device = &name;
    request.device_count = 1;
    request.budget_launches = 300;
    if (cltunedb_tune_begin(&request, &tune, message, sizeof(message)) == CLTUNEDB_OK)
        return tune;
    fprintf(stderr, "%s\n", message);
    exit(1);
}

/* Nanoseconds for each of `count` launches, without the time of the launches: or until one is
 * settled.  `*made`: how many there were. */
static double launch_all(cltunedb_tune *tune, unsigned long count, int until_settled,
                         unsigned long *made)
{
    const cltunedb_tune_config *config = NULL;
    uint64_t start_ns = ct_clock_now_ns();

    for (*made = 0; *made < count; (*made)++) {
        if (cltunedb_tune_next(tune, &config, NULL, 0) != CLTUNEDB_OK ||
            (until_settled && config->phase == CLTUNEDB_TUNE_SETTLED))
            break;
        if (config->measure)
            cltunedb_tune_report(tune, CLTUNEDB_TUNE_RAN, time_of(config));
    }
    return (double)(ct_clock_now_ns() - start_ns) / (double)(*made ? *made : 1);
}

static int launches(const char *folder, unsigned long count)
{
    cltunedb_tune *tune = begin(folder);
    unsigned long tried;
    unsigned long made;
    double trying_ns = launch_all(tune, count, 1, &tried);
    double settled_ns = launch_all(tune, count, 0, &made);
    double stored_ns;

    cltunedb_tune_done(tune, NULL, 0);
    tune = begin(folder);
    stored_ns = launch_all(tune, count, 0, &made);
    cltunedb_tune_done(tune, NULL, 0);
    printf("%.1f %.1f %.0f %lu\n", settled_ns, stored_ns, trying_ns, tried);
    return 0;
}

/* --- recordings --- */

/* One run of online tuning on a recording. */
struct run {
    const struct ct_recorded *recorded;
    struct ct_rng rng;
    double share; /* of the best, where it settles */
    double even;  /* share of the fastest that it has found, after as many evaluations */
    double evaluations; /* that it made */
    double reached;     /* evaluations until 95%; INFINITY: never */
};

/* What a program measures: the recorded time, disturbed by up to 3%; the first launch takes longer. */
static double measured(struct run *run, uint64_t index, bool first)
{
    double disturbance = ct_rng_unit(&run->rng);

    return run->recorded->records[index].time_ns * (1 + 0.03 * disturbance) *
           (first ? 3 : 1);
}

/* With the launches that so many evaluations take, of which slow configurations and failures take fewer:
 * up to a third more are tried. */
static void tune_recorded(struct run *run, uint64_t seed, uint64_t evaluations)
{
    /* What a configuration needs, and what is kept for the finalists. */
    const struct ct_trials_budget budget = {.launches =
                                                evaluations * (CT_TRIALS_SAMPLES + 1) +
                                                CT_TRIALS_FINALISTS * CT_TRIALS_ROUNDS};
    struct ct_trials *trials;
    struct ct_trials_news news;
    struct ct_trial trial;
    uint64_t begun = 0;
    double sorted[CT_TRIALS_SAMPLES];
    double least = INFINITY;

    run->share = run->even = 0;
    run->evaluations = 0;
    run->reached = INFINITY;
    ct_rng_seed(&run->rng, seed);
    if (ct_trials_new(run->recorded->space, seed, &budget, 0, &trials, NULL))
        exit(1);
    while (ct_trials_next(trials, &trial)) {
        const struct ct_record *record = &run->recorded->records[trial.index];

        if (trial.phase == CT_TRIALS_SETTLED) {
            run->share = run->recorded->best_ns / record->time_ns;
            break;
        }
        begun += trial.fresh;
        ct_trials_report(trials,
                         record->failure ? 0 : measured(run, trial.index, trial.fresh),
                         record->failure,
                         trial.fresh ? record->compile_ns + record->bench_ns : 0, &news);
        if (!record->failure && record->time_ns <= run->recorded->best_ns / 0.95)
            run->reached = fmin(run->reached, (double)begun);
        if (!news.result || news.failure)
            continue;
        memcpy(sorted, news.samples_ns, news.sample_count * sizeof(*sorted));
        if (begun <= evaluations && ct_stats_median(sorted, news.sample_count) < least) {
            least = ct_stats_median(sorted, news.sample_count);
            run->even = run->recorded->best_ns / record->time_ns;
        }
    }
    run->evaluations = (double)begun;
    ct_trials_free(trials);
}

static int replay(size_t repeats, const char *path)
{
    const struct ct_replay_options options = {
        .repeats = repeats, .evaluations = EVALUATIONS, .seed = 1, .batch = 1};
    struct ct_recorded *recorded = NULL;
    struct ct_err err = CT_ERR_INIT;
    struct ct_replay searched;
    double *found = calloc(repeats, sizeof(*found));
    double *reached = calloc(repeats, sizeof(*reached));
    double *share = calloc(repeats, sizeof(*share));
    double *even = calloc(repeats, sizeof(*even));
    double *used = calloc(repeats, sizeof(*used));
    double *own = calloc(repeats, sizeof(*own));
    struct ct_rng seeds;
    size_t good = 0;

    ct_rng_seed(&seeds, options.seed);
    if (!found || !reached || !share || !even || !used || !own ||
        ct_recorded_read(path, &recorded, &err) ||
        ct_replay_run(recorded, "surrogate", &options, &searched, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    ct_replay_reach(&searched, recorded, 0.95, found);
    for (size_t i = 0; i < repeats; i++) {
        struct run run = {.recorded = recorded};
        /* As the replay draws them. */
        uint64_t seed = ct_rng_next(&seeds);

        tune_recorded(&run, seed, (uint64_t)found[i]);
        share[i] = run.share;
        even[i] = run.even;
        good += run.share >= 0.95;
        tune_recorded(&run, seed, EVALUATIONS);
        reached[i] = run.reached;
        used[i] = run.evaluations;
        own[i] = run.share;
    }
    printf("%s %llu %.0f %.0f %.3f %.3f %.2f %.0f %.3f\n", recorded->name,
           (unsigned long long)ct_space_count(recorded->space),
           ct_stats_median(found, repeats), ct_stats_median(reached, repeats),
           ct_stats_median(even, repeats), ct_stats_median(share, repeats),
           (double)good / (double)repeats, ct_stats_median(used, repeats),
           ct_stats_median(own, repeats));
    free(found);
    free(reached);
    free(share);
    free(even);
    free(used);
    free(own);
    ct_replay_release(&searched);
    ct_recorded_free(recorded);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "launch") == 0)
        return launches(argv[2], strtoul(argv[3], NULL, 10));
    if (argc == 4 && strcmp(argv[1], "replay") == 0 && atol(argv[2]) > 0)
        return replay((size_t)atol(argv[2]), argv[3]);
    fprintf(stderr,
            "usage: online launch FOLDER COUNT, or: online replay REPEATS FILE\n");
    return 2;
}
