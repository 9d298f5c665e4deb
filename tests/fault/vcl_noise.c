// SPDX-License-Identifier: Apache-2.0
// Durations that are noisy, and the same for the same seed, process and launch.

#include "vcl.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// What VIRTUALCL_NOISE asks for: one word of it each, 0 where it does not.
struct noise {
    double normal;             // standard deviation of a launch, relative
    double block;              // the same of launches behind one synchronisation
    double process;            // the same of a process's factor, in its logarithm
    double layout;             // the same of a process's factor for one program
    double launch_ns;          // the same of what a process adds to each launch,
    double place_ns;           // and of what it adds to each of one program
    double spike, spike_times; // probability, and factor
    double drift, drift_ns;    // relative growth of durations, and how long it takes
    double burst, burst_times, burst_ns; // probability, factor, and how long one lasts
    double seed;
};

static void reject(const char *variable, const char *text)
{
    fprintf(stderr, "virtual OpenCL: %s: what is '%s'?\n", variable, text);
    abort();
}

// A word and one to three numbers up to a comma, with colons between; the rest behind it.
static const char *read_word(const char *text, struct noise *noise)
{
    static const struct {
        const char *name;
        unsigned numbers;
        double most[3];
        size_t where[3];
    } words[] = {
#define AT(field) offsetof(struct noise, field)
        {"normal", 1, {1}, {AT(normal)}},
        {"block", 1, {1}, {AT(block)}},
        {"process", 1, {1}, {AT(process)}},
        {"layout", 1, {1}, {AT(layout)}},
        {"launch", 1, {1e9}, {AT(launch_ns)}},
        {"place", 1, {1e9}, {AT(place_ns)}},
        {"spike", 2, {1, 1e6}, {AT(spike), AT(spike_times)}},
        {"burst", 3, {1, 1e6, 1e6}, {AT(burst), AT(burst_times), AT(burst_ns)}},
        {"drift", 2, {100, 1e6}, {AT(drift), AT(drift_ns)}},
        {"seed", 1, {1e9}, {AT(seed)}},
#undef AT
    };
    size_t length = strcspn(text, ":,"), i = 0;
    const char *at = text + length;
    while (i < sizeof words / sizeof *words && !vcl_is(text, length, words[i].name))
        i++;
    if (i == sizeof words / sizeof *words)
        reject("VIRTUALCL_NOISE", text);
    for (unsigned n = 0; n < words[i].numbers; n++) {
        char *end = NULL;
        double number = *at == ':' ? strtod(at + 1, &end) : -1;
        if (!end || end == at + 1 || !(number >= 0 && number <= words[i].most[n]))
            reject("VIRTUALCL_NOISE", text);
        memcpy((char *)noise + words[i].where[n], &number, sizeof number);
        at = end;
    }
    if (*at && (*at != ',' || !at[1]))
        reject("VIRTUALCL_NOISE", text);
    return at + (*at == ',');
}

// ---- random numbers: hashes of what they are for

// In pairs, but for SPIKE and BURST: a normal number takes two.
enum stream {
    PROCESS = 0,
    LAUNCH = 2,
    BLOCK = 4,
    SPIKE = 6,
    BURST = 7,
    LAYOUT = 8,
    OVERHEAD = 10,
    PLACE = 12
};

// In (0, 1). The finaliser is that of SplitMix64 (Steele, Lea and Flood, 2014).
static double uniform(double seed, unsigned long process, cl_ulong launch,
                      unsigned stream)
{
    cl_ulong words[] = {(cl_ulong)seed, process, launch, stream};
    uint64_t hash = vcl_hash(VCL_HASH, words, sizeof words);
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBu;
    hash ^= hash >> 31;
    return ((double)(hash >> 12) + 0.5) / 4503599627370496.0; // 2^52
}

// Standard normal (Box and Muller, 1958).
static double normal(double seed, unsigned long process, cl_ulong number,
                     enum stream stream)
{
    double one = uniform(seed, process, number, stream);
    double two = uniform(seed, process, number, stream + 1);
    return sqrt(-2 * log(one)) * cos(6.283185307179586 * two);
}

// ---- what processes share

// How long each device has run launches in all processes together, where
// VIRTUALCL_COUNTERS names a file to keep beside; else in this process.
static atomic_ullong *device_clocks(void)
{
    static atomic_ullong own[VCL_DEVICES];
    static atomic_ullong *shared;
    static char known[512];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const char *counters = getenv("VIRTUALCL_COUNTERS");
    char path[512];
    if (!counters || !*counters)
        return own;
    snprintf(path, sizeof path, "%s.clocks", counters);
    pthread_mutex_lock(&lock);
    if (!shared || strcmp(path, known) != 0) {
        int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        void *map = MAP_FAILED;
        if (file >= 0 && ftruncate(file, sizeof own) == 0)
            map = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (map == MAP_FAILED)
            reject("VIRTUALCL_COUNTERS", path);
        close(file);
        // One that was mapped before stays so: a launch may be using it.
        shared = map;
        memcpy(known, path, sizeof known);
    }
    atomic_ullong *clocks = shared;
    pthread_mutex_unlock(&lock);
    return clocks;
}

// What was launched with noise in this process so far.
struct counts {
    atomic_long process; // a child starts anew
    atomic_ullong launches, blocks;
};

static struct counts *counts(void)
{
    static struct counts all;
    long now = vcl_process();
    if (atomic_exchange(&all.process, now) != now) {
        atomic_store(&all.launches, 0);
        atomic_store(&all.blocks, 0);
    }
    return &all;
}

// ---- applying it

static double scatter(double deviation, double z)
{
    return deviation * z < -0.9 ? 0.1 : 1 + deviation * z;
}

static double factor_of(const struct noise *noise, unsigned long process, cl_ulong launch,
                        cl_ulong block, cl_ulong program, double clock_ns)
{
    double seed = noise->seed;
    double factor = scatter(noise->normal, normal(seed, process, launch, LAUNCH)) *
                    scatter(noise->block, normal(seed, process, block, BLOCK)) *
                    exp(noise->process * normal(seed, process, 0, PROCESS)) *
                    exp(noise->layout * normal(seed, process, program, LAYOUT));
    if (uniform(seed, process, launch, SPIKE) < noise->spike)
        factor *= noise->spike_times;
    // Of the device, whatever process uses it.
    if (noise->burst_ns > 0 &&
        uniform(seed, 0, (cl_ulong)(clock_ns / noise->burst_ns), BURST) < noise->burst)
        factor *= noise->burst_times;
    if (noise->drift > 0)
        factor *= 1 + noise->drift *
                          (clock_ns < noise->drift_ns ? clock_ns / noise->drift_ns : 1);
    return factor;
}

// What each launch takes more in this process, however long it is; less than it would by nine
// tenths at most.
static double added_ns(const struct noise *noise, unsigned long process, cl_ulong program,
                       double time_ns)
{
    double seed = noise->seed;
    double more_ns = noise->launch_ns * normal(seed, process, 0, OVERHEAD) +
                     noise->place_ns * normal(seed, process, program, PLACE);
    return more_ns < -0.9 * time_ns ? -0.9 * time_ns : more_ns;
}

void vcl_noise_block(void)
{
    atomic_fetch_add(&counts()->blocks, 1);
}

cl_ulong vcl_noise(cl_device_id device, cl_ulong program, bool steady, cl_ulong time_ns)
{
    const char *text = getenv("VIRTUALCL_NOISE");
    struct noise noise = {0};
    if (!text || !*text)
        return time_ns;
    for (const char *at = text; *at;)
        at = read_word(at, &noise);
    noise.drift_ns *= 1e9;
    noise.burst_ns *= 1e9;
    if (steady)
        noise.drift = 0;
    atomic_ullong *clock = &device_clocks()[device->index];
    unsigned long process = vcl_process_number("noise");
    if (!process)
        process = (unsigned long)vcl_process();
    cl_ulong launch = atomic_fetch_add(&counts()->launches, 1) + 1;
    double factor = factor_of(&noise, process, launch, atomic_load(&counts()->blocks),
                              program, (double)atomic_load(clock));
    double base_ns =
        (double)time_ns + added_ns(&noise, process, program, (double)time_ns);
    cl_ulong noisy_ns = (cl_ulong)(base_ns * factor + 0.5);
    atomic_fetch_add(clock, noisy_ns);
    return noisy_ns;
}
