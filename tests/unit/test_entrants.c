// SPDX-License-Identifier: Apache-2.0
// Who takes part in a further play-off in a row.
#include "tune/entrants.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { COUNT = 6 };

struct world {
    struct ct_team team;
    struct ct_evaluated entries[COUNT];
};

/* Rank 0: in no play-off yet.  All are near, and all but the last two take part in any case. */
static struct world *world_of(const size_t ranks[COUNT])
{
    struct world *world = calloc(1, sizeof(*world));

    assert_non_null(world);
    for (size_t i = 0; i < COUNT; i++) {
        world->entries[i].rank = ranks[i];
        world->entries[i].played = ranks[i] > 0;
        world->team.members[i].entry = &world->entries[i];
    }
    world->team.count = world->team.near = COUNT;
    world->team.least = COUNT - 2;
    return world;
}

static void those_who_lost_to_the_pick_do_not_meet_it_again(void **state)
{
    struct world *world = world_of((const size_t[COUNT]){2, 1, 0, 3, 0, 4});

    (void)state;
    ct_team_keep_new(&world->team);
    assert_int_equal(world->team.count, 3);
    assert_ptr_equal(world->team.members[0].entry, &world->entries[1]);
    assert_ptr_equal(world->team.members[1].entry, &world->entries[2]);
    assert_ptr_equal(world->team.members[2].entry, &world->entries[4]);
    assert_int_equal(world->team.near, 3);
    assert_int_equal(world->team.least, 2);
    free(world);
}

static void without_the_pick_nobody_is_left_out(void **state)
{
    struct world *world = world_of((const size_t[COUNT]){2, 5, 0, 3, 0, 4});

    (void)state;
    ct_team_keep_new(&world->team);
    assert_int_equal(world->team.count, COUNT);
    assert_int_equal(world->team.near, COUNT);
    assert_int_equal(world->team.least, COUNT - 2);
    free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_who_lost_to_the_pick_do_not_meet_it_again),
        cmocka_unit_test(without_the_pick_nobody_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
