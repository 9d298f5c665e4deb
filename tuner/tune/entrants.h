// SPDX-License-Identifier: Apache-2.0
// Selection of a play-off's entrants, and its duration.  Private to tuner/tune.
#ifndef CT_TUNE_ENTRANTS_H
#define CT_TUNE_ENTRANTS_H

#include "judge/policy.h"
#include "tune/search_impl.h"

/* One entrant. */
struct ct_member {
    struct ct_evaluated *entry;
    struct ct_hash root;   /* experiment of it and its duplicates */
    double cost;           /* as it was at the beginning of the search */
    double chance;         /* to be the best, by all that were measured */
    size_t unlike;         /* parameters that differ from the default */
    struct ct_arena arena; /* owns the plan */
    struct ct_plan plan;
};

/* All entrants; zeros but for `search`: none yet. */
struct ct_team {
    struct ct_search *search;
    struct ct_member members[CT_POLICY_ENTRANTS + 1];
    struct ct_entrant entrants[CT_POLICY_ENTRANTS + 1];
    size_t preference[CT_POLICY_ENTRANTS + 1];
    size_t near;   /* the first ones, one of which is the best in all likelihood */
    size_t least;  /* of these, the ones that take part even if time is short */
    size_t found;  /* that could take part, at most CT_POLICY_ENTRANTS */
    size_t count;  /* including the default */
    size_t beside; /* position of the default; SIZE_MAX: it did not work */
    bool beside_only;
    double share_s;   /* for this play-off */
    bool hard;        /* it takes no longer, whether or not intervals can be stated */
    double planned_s; /* about what it takes if it is as short as it can be */
    size_t planned;   /* processes of that */
    struct ct_playoff playoff;
};

/* Whether this is the pick of an earlier play-off of this run. */
bool ct_is_pick(const struct ct_evaluated *entry);

/* Whether processes hardly differ by all that is known: the A/A test, and the play-offs so far. */
bool ct_team_is_steady(const struct ct_search *search);

/* Selects those that may be the best. */
void ct_team_choose(struct ct_team *team);

/* Of a further play-off in a row: leaves the last one's pick and those that were in none.  Whoever has
 * met that pick keeps the ratio to it, which links them to its new time; without it nobody is left out. */
void ct_team_keep_new(struct ct_team *team);

/* Plans the members.  Errors as for ct_workload_plan. */
enum ct_status ct_team_plan(struct ct_team *team, struct ct_err *err);

/* Whether there is anything to decide: new results, no pick yet, or results that came after the
 * last play-off (of an interrupted search). */
bool ct_team_is_needed(const struct ct_team *team);

/* Adds the default, which is timed beside the winner whether or not it competes. */
void ct_team_add_default(struct ct_team *team);

/* Time for the play-offs that begin now, in seconds. */
double ct_team_share_s(const struct ct_search *search);

/* Chooses rounds and samples, and drops the farthest entrants, to keep to the time allowed.  False:
 * there is too little for any play-off. */
bool ct_team_fit(struct ct_team *team, struct ct_playoff_options *options);

#endif
