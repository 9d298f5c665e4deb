// SPDX-License-Identifier: Apache-2.0
// Timing the best few against each other over fresh processes (DESIGN 3.7), and a
// configuration against itself (the A/A test), with a crew that has nothing else to do.
#ifndef CT_MEASURE_PLAYOFF_H
#define CT_MEASURE_PLAYOFF_H

#include "measure/crew.h"
#include "measure/standing.h"

struct ct_entrant {
    const struct ct_plan *plan; /* borrowed */
    /* Results; the arena of the play-off owns them. */
    struct ct_standing standing;
    double *costs;    /* one a round; NAN: not timed */
    double *times_ns; /* likewise: device time, median of the process's samples */
    double time_ns;   /* median over processes */
    double low_ns;    /* its 95% interval */
    double high_ns;
    double end_to_end_ns; /* likewise, 0: not asked for */
    double end_to_end_low_ns;
    double end_to_end_high_ns;
    struct ct_quantities observed; /* medians over processes */
    enum ct_result_status status;  /* CT_RESULT_OK, or how it failed */
    const char *message;
};

struct ct_playoff_options {
    size_t least_rounds; /* 0: 5 */
    size_t most_rounds;  /* 0: 15 */
    uint64_t limit_ns;   /* of wall time for rounds beyond the least; 0: none */
    double resolution;   /* of the A/A test; 0: not known */
    uint32_t samples;    /* an entrant and round; 0: the default number */
    uint64_t seed;       /* of the order within rounds */
    /* Rounds for the winner (and entrant `beside`, SIZE_MAX: none) alone after it is
     * known: its time is told from these, so that it is no lucky one.  0: 6. */
    size_t confirm_rounds;
    size_t beside;
    /* What is to be small; NAN: cannot be told. */
    double (*cost)(void *user, size_t entrant, const struct ct_outcome *outcome);
    /* Between rounds, may be NULL; anything but CT_OK ends the play-off with it. */
    enum ct_status (*round)(void *user, size_t round, size_t left);
    void *user;
};

struct ct_playoff {
    struct ct_arena arena;
    size_t rounds;
    size_t winner; /* SIZE_MAX: nobody */
    size_t tied;   /* how many cannot be told apart from the winner */
    uint64_t spent_ns;
};

/* Runs a play-off.  Errors as those of ct_crew_wait; what was found until then stays. */
enum ct_status ct_playoff_run(struct ct_crew *crew, struct ct_entrant *entrants,
                              size_t count, const size_t *preference,
                              const struct ct_playoff_options *options,
                              struct ct_playoff *out, struct ct_err *err);
void ct_playoff_release(struct ct_playoff *playoff);

/* What an A/A test found out about timing on this device, here and now. */
struct ct_noise {
    size_t processes;
    double median_ns;
    double within;     /* relative spread of samples in one process (1.4826 MAD) */
    double between;    /* relative spread of the processes' medians */
    uint32_t samples;  /* that a configuration should get */
    double resolution; /* smallest relative difference that one process each can tell */
    double playoff_resolution;    /* that a play-off can tell */
    double others_load;           /* NAN: not known */
    enum ct_result_status status; /* of the first process that failed, or CT_RESULT_OK */
};

/* Times one plan in so many fresh processes (0: 5). */
enum ct_status ct_noise_test(struct ct_crew *crew, const struct ct_plan *plan,
                             size_t processes, struct ct_noise *out, struct ct_err *err);

#endif
