// SPDX-License-Identifier: Apache-2.0
// Who takes part in a play-off, and how long that may take.  Private to tuner/tune.
#ifndef CT_TUNE_ENTRANTS_H
#define CT_TUNE_ENTRANTS_H

#include "judge/policy.h"
#include "tune/search_impl.h"

/* One that takes part. */
struct ct_member {
    struct ct_evaluated *entry;
    struct ct_hash root;   /* its experiment and that of its duplicates */
    double cost;           /* as at the beginning of the search */
    size_t unlike;         /* parameters that differ from the default */
    struct ct_arena arena; /* owns the plan */
    struct ct_plan plan;
};

/* All of them; zeros but for `search`: none yet. */
struct ct_team {
    struct ct_search *search;
    struct ct_member members[CT_POLICY_ENTRANTS + 1];
    struct ct_entrant entrants[CT_POLICY_ENTRANTS + 1];
    size_t preference[CT_POLICY_ENTRANTS + 1];
    size_t near;   /* so many of the first may be better in truth */
    size_t count;  /* with the default */
    size_t beside; /* the default; SIZE_MAX: it did not work */
    bool beside_only;
    struct ct_playoff playoff;
};

/* Chooses those that come near the best. */
void ct_team_choose(struct ct_team *team);

/* Whether there is anything to decide: new results, no pick yet, or results that came after the
 * last play-off (of a search that was interrupted). */
bool ct_team_is_needed(const struct ct_team *team);

/* Adds the default, which is timed beside the winner, whether it competes or not. */
void ct_team_add_default(struct ct_team *team);

/* What all play-offs of a search may take, in seconds. */
double ct_team_share_s(const struct ct_search *search);

/* Chooses rounds and samples, and leaves the farthest out, so that it does not take much longer
 * than its share. */
void ct_team_fit(struct ct_team *team, struct ct_playoff_options *options);

#endif
