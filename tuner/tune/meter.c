// SPDX-License-Identifier: Apache-2.0
// Books wall time by kind.
#include "tune/meter.h"

#include "base/clock.h"

static const struct {
    const char *key;
    const char *name;
} words[CT_SPENT_COUNT] = {
    [CT_SPENT_OTHER] = {"other", "other"},
    [CT_SPENT_NOISE] = {"noise", "A/A test"},
    [CT_SPENT_BUILD] = {"building", "building alone"},
    [CT_SPENT_RUN] = {"running", "running"},
    [CT_SPENT_PLAYOFF] = {"playoff", "play-off"},
    [CT_SPENT_BASELINE] = {"baseline", "host baseline"},
    [CT_SPENT_STORE] = {"store", "database"},
    [CT_SPENT_STRATEGY] = {"strategy", "strategy"},
};

void ct_meter_start(struct ct_meter *meter)
{
    *meter = (struct ct_meter){.since_ns = ct_clock_now_ns()};
}

enum ct_spent ct_meter_turn(struct ct_meter *meter, enum ct_spent kind)
{
    uint64_t now_ns = ct_clock_now_ns();
    enum ct_spent before = meter->now;

    meter->ns[before] += now_ns - meter->since_ns;
    meter->since_ns = now_ns;
    meter->now = kind;
    return before;
}

void ct_meter_move(struct ct_meter *meter, enum ct_spent from, enum ct_spent to,
                   uint64_t ns)
{
    uint64_t moved_ns = ns < meter->ns[from] ? ns : meter->ns[from];

    meter->ns[from] -= moved_ns;
    meter->ns[to] += moved_ns;
}

uint64_t ct_meter_total_ns(const struct ct_meter *meter)
{
    uint64_t total_ns = 0;

    for (int i = 0; i < CT_SPENT_COUNT; i++)
        total_ns += meter->ns[i];
    return total_ns;
}

const char *ct_spent_key(enum ct_spent kind)
{
    return words[kind].key;
}

const char *ct_spent_name(enum ct_spent kind)
{
    return words[kind].name;
}
