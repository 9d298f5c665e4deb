// SPDX-License-Identifier: Apache-2.0
// What keeps things from being built twice: masks, stored binaries, limits of caches, the
// shelf.
#define _GNU_SOURCE // folder.h
// cmocka wants these four before it.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "../cl/folder.h"
#include "worker/build/binaries.h"
#include "protocol/cache.h"
#include "base/map.h"
#include "schedule/mask.h"
#include "protocol/scratch.h"
#include "protocol/memory.h"
#include "protocol/shared_cache.h"
#include "protocol/trim.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* --- masks --- */

enum { LENGTH = 400 };

static void samples_init(struct ct_str *samples)
{
    for (int i = 0; i < CT_MASK_SAMPLES; i++) {
        ct_str_init(&samples[i]);
        for (int k = 0; k < LENGTH; k++)
            ct_str_putc(&samples[i], (char)(k * 7));
    }
}

static void samples_release(struct ct_str *samples)
{
    for (int i = 0; i < CT_MASK_SAMPLES; i++)
        ct_str_release(&samples[i]);
}

static bool same(const struct ct_mask *mask, const struct ct_str *a,
                 const struct ct_str *b)
{
    struct ct_hash x = ct_mask_hash(mask, a->data, a->length);
    struct ct_hash y = ct_mask_hash(mask, b->data, b->length);

    return !strcmp(x.text, y.text);
}

static void masks_cover_what_differs(void **state)
{
    struct ct_str samples[CT_MASK_SAMPLES];
    struct ct_mask mask;

    (void)state;
    samples_init(samples);
    assert_null(ct_mask_learn(&mask, samples));
    assert_int_equal(mask.run_count, 0);
    samples[1].data[100] ^= 1;
    samples[2].data[103] ^= 1; /* one name, some letters alike */
    samples[2].data[300] ^= 1;
    assert_null(ct_mask_learn(&mask, samples));
    assert_int_equal(mask.run_count, 2);
    assert_int_equal(mask.runs[0].at, 100);
    assert_int_equal(mask.runs[0].length, 4);
    assert_true(same(&mask, &samples[0], &samples[1]));
    assert_true(same(&mask, &samples[0], &samples[2]));
    /* Elsewhere every byte counts. */
    samples[1].data[104] ^= 1;
    assert_false(same(&mask, &samples[0], &samples[1]));
    samples_release(samples);
}

/* In another layout the same place may hold code. */
static void masks_need_their_surroundings(void **state)
{
    struct ct_str samples[CT_MASK_SAMPLES];
    struct ct_mask mask;

    (void)state;
    samples_init(samples);
    samples[1].data[200] ^= 1;
    assert_null(ct_mask_learn(&mask, samples));
    assert_true(same(&mask, &samples[0], &samples[1]));
    samples[0].data[195] ^= 4;
    samples[1].data[195] ^= 4;
    assert_false(same(&mask, &samples[0], &samples[1]));
    samples[0].data[195] ^= 4;
    samples[1].data[195] ^= 4;
    ct_str_putc(&samples[0], 'x');
    ct_str_putc(&samples[1], 'x');
    assert_false(same(&mask, &samples[0], &samples[1]));
    samples_release(samples);
}

static void masks_have_limits(void **state)
{
    struct ct_str samples[CT_MASK_SAMPLES];
    struct ct_mask mask;

    (void)state;
    samples_init(samples);
    ct_str_putc(&samples[1], 'x');
    assert_string_equal(ct_mask_learn(&mask, samples),
                        "builds of one kernel differ in size");
    samples_release(samples);
    samples_init(samples);
    for (int i = 0; i < CT_MASK_RUNS; i++)
        samples[1].data[20 + 20 * i] ^= 1;
    assert_null(ct_mask_learn(&mask, samples));
    samples[1].data[20 + 20 * CT_MASK_RUNS] ^= 1;
    assert_string_equal(ct_mask_learn(&mask, samples),
                        "builds of one kernel differ in too many places");
    samples_release(samples);
    samples_init(samples);
    for (int i = 0; i < CT_MASK_BYTES; i++)
        samples[1].data[20 + i] ^= 1;
    assert_null(ct_mask_learn(&mask, samples));
    samples[1].data[20 + CT_MASK_BYTES] ^= 1;
    assert_string_equal(ct_mask_learn(&mask, samples),
                        "builds of one kernel differ in too many bytes");
    samples_release(samples);
}

/* --- stored binaries --- */

static struct ct_devinfo device = {
    .platform_name = "p", .platform_version = "1", .driver_version = "2", .type = "GPU"};

static struct ct_hash key_of(const char *options)
{
    struct ct_hash text = ct_hash_bytes("text", 4);

    return ct_binaries_key(&text, options, &device, NULL, 0);
}

static void keys_hold_everything(void **state)
{
    struct ct_hash text = ct_hash_bytes("text", 4);
    struct ct_hash other = ct_hash_bytes("texts", 5);
    struct ct_hash none = {""};
    struct ct_plan_env env = {"A", "1"};
    struct ct_hash keys[9];
    struct ct_devinfo changed = device;

    (void)state;
    keys[0] = ct_binaries_key(&text, "-w", &device, NULL, 0);
    keys[1] = ct_binaries_key(&other, "-w", &device, NULL, 0);
    keys[2] = ct_binaries_key(&text, "", &device, NULL, 0);
    keys[3] = ct_binaries_key(&text, "-w", &device, &env, 1);
    env.value = NULL;
    keys[4] = ct_binaries_key(&text, "-w", &device, &env, 1);
    changed.driver_version = "3";
    keys[5] = ct_binaries_key(&text, "-w", &changed, NULL, 0);
    changed = device;
    changed.platform_version = "3";
    keys[6] = ct_binaries_key(&text, "-w", &changed, NULL, 0);
    changed = device;
    changed.props[CT_DEVICE_MAX_WORK_GROUP_SIZE].kind = CT_INT;
    keys[7] = ct_binaries_key(&text, "-w", &changed, NULL, 0);
    changed = device;
    changed.platform_name = "q";
    keys[8] = ct_binaries_key(&text, "-w", &changed, NULL, 0);
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(keys[i].text, keys[k].text);
    /* What cltune asks devices for since then leaves the stored ones valid. */
    assert_int_equal(CT_DEVPROP_KEY_COUNT, 40);
    changed = device;
    changed.props[CT_DEVICE_DRIVER_VERSION] = ct_value_text("2");
    changed.props[CT_DEVICE_WARP_SIZE_NV] = ct_value_int(32);
    assert_string_equal(ct_binaries_key(&text, "-w", &changed, NULL, 0).text,
                        keys[0].text);
    assert_string_equal(ct_binaries_key(&none, "-w", &device, NULL, 0).text, "");
}

static void read_whole(const char *path, struct ct_str *out)
{
    FILE *file = fopen(path, "r");
    int c;

    assert_non_null(file);
    while ((c = fgetc(file)) != EOF)
        ct_str_putc(out, (char)c);
    fclose(file);
}

static bool get_both(const struct ct_hash *key, struct ct_str *binary, struct ct_str *log)
{
    ct_str_init(binary);
    ct_str_init(log);
    return ct_binaries_get(key, binary, log);
}

static bool get(const struct ct_hash *key)
{
    struct ct_str binary;
    struct ct_str log;
    bool good = get_both(key, &binary, &log);

    ct_str_release(&binary);
    ct_str_release(&log);
    return good;
}

static void damaged_entries_are_not_taken(void **state)
{
    struct ct_hash key = key_of("-w");
    struct ct_hash other = key_of("-x");
    struct ct_str folder;
    struct ct_str binary;
    struct ct_str entry;
    struct ct_str got;
    struct ct_str log;
    char path[800];
    char other_path[800];

    (void)state;
    ct_str_init(&folder);
    ct_str_init(&binary);
    ct_str_init(&entry);
    assert_int_equal(ct_cache_folder("binaries", &folder, NULL), CT_OK);
    snprintf(path, sizeof(path), "%s/%s.bin", folder.data, key.text);
    snprintf(other_path, sizeof(other_path), "%s/%s.bin", folder.data, other.text);
    ct_str_add(&binary, "bi\0nary", 7);
    assert_int_equal(ct_binaries_put(&key, &binary, "a log", NULL), CT_OK);
    assert_true(get_both(&key, &got, &log));
    assert_int_equal(got.length, 7);
    assert_memory_equal(got.data, "bi\0nary", 7);
    assert_string_equal(log.data, "a log");
    ct_str_release(&got);
    ct_str_release(&log);
    read_whole(path, &entry);
    /* One bit wrong, the end missing, another's; and then as it was. */
    for (size_t i = 0; i < 2 * entry.length; i++) {
        size_t length = i < entry.length ? entry.length : i - entry.length;

        if (i < entry.length)
            entry.data[i] ^= 0x20;
        assert_int_equal(ct_cache_write(path, entry.data, length, NULL), CT_OK);
        if (i < entry.length)
            entry.data[i] ^= 0x20;
        assert_false(get(&key));
    }
    assert_int_equal(ct_cache_write(other_path, entry.data, entry.length, NULL), CT_OK);
    assert_false(get(&other));
    assert_int_equal(ct_cache_write(path, entry.data, entry.length, NULL), CT_OK);
    assert_true(get(&key));
    ct_str_release(&entry);
    ct_str_release(&binary);
    ct_str_release(&folder);
}

static void put(const struct ct_hash *key, size_t size_bytes)
{
    struct ct_str binary;

    ct_str_init(&binary);
    for (size_t i = 0; i < size_bytes; i++)
        ct_str_putc(&binary, 'b');
    ct_binaries_put(key, &binary, "log", NULL);
    ct_str_release(&binary);
}

static void entries_are_found_again(void **state)
{
    struct ct_hash key = key_of("found");
    struct ct_hash other = key_of("not found");
    struct ct_str path;
    FILE *file;

    (void)state;
    assert_false(get(&key));
    put(&key, 100);
    assert_true(get(&key));
    assert_false(get(&other));
    /* A foreign file in its place is removed. */
    ct_str_init(&path);
    assert_int_equal(ct_cache_folder("binaries", &path, NULL), CT_OK);
    ct_str_addf(&path, "/%s.bin", key.text);
    file = fopen(path.data, "w");
    assert_non_null(file);
    fputs("something else", file);
    fclose(file);
    assert_false(get(&key));
    assert_int_not_equal(access(path.data, F_OK), 0);
    ct_str_release(&path);
}

static void the_oldest_goes_first(void **state)
{
    enum { COUNT = 20, BYTES = 10000 };
    struct ct_hash keys[COUNT];
    struct ct_str folder;

    (void)state;
    ct_str_init(&folder);
    assert_int_equal(ct_cache_folder("binaries", &folder, NULL), CT_OK);
    for (int i = 0; i < COUNT; i++) {
        struct timespec times[2] = {{time(NULL) - 1000 + i, 0},
                                    {time(NULL) - 1000 + i, 0}};
        char options[16];
        char path[800];

        snprintf(options, sizeof(options), "old %d", i);
        keys[i] = key_of(options);
        put(&keys[i], BYTES);
        snprintf(path, sizeof(path), "%s/%s.bin", folder.data, keys[i].text);
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    ct_trim_files(folder.data, ".bin", (uint64_t)COUNT * 2 * BYTES);
    assert_true(get(&keys[0])); /* which makes it the newest */
    ct_trim_files(folder.data, ".bin", (uint64_t)COUNT / 2 * BYTES);
    assert_true(get(&keys[0]));
    assert_true(get(&keys[COUNT - 1]));
    assert_false(get(&keys[1]));
    assert_false(get(&keys[COUNT / 2]));
    ct_str_release(&folder);
}

static void parts_of_the_dead_are_swept(void **state)
{
    struct ct_str folder;
    char dead[300];
    char alive[300];
    pid_t child;

    (void)state;
    ct_str_init(&folder);
    assert_int_equal(ct_cache_folder("binaries", &folder, NULL), CT_OK);
    child = fork();
    if (!child)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    snprintf(dead, sizeof(dead), "%s/x.bin.%ld.part", folder.data, (long)child);
    snprintf(alive, sizeof(alive), "%s/x.bin.%ld.part", folder.data, (long)getpid());
    fclose(fopen(dead, "w"));
    fclose(fopen(alive, "w"));
    ct_trim_files(folder.data, ".bin", UINT64_MAX);
    assert_int_not_equal(access(dead, F_OK), 0);
    assert_int_equal(access(alive, F_OK), 0);
    unlink(alive);
    ct_str_release(&folder);
}

static void sizes_are_read(void **state)
{
    static const struct {
        const char *text;
        uint64_t size_bytes; /* UINT64_MAX: none */
    } cases[] = {{"0", 0},           {"1000", 1000},       {"2K", 2048},
                 {"3M", 3 << 20},    {"1G", 1 << 30},      {"", UINT64_MAX},
                 {"-1", UINT64_MAX}, {"1T", UINT64_MAX},   {"1MB", UINT64_MAX},
                 {" 1", UINT64_MAX}, {"1.5G", UINT64_MAX}, {"99999999999G", UINT64_MAX}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        bool good = cases[i].size_bytes != UINT64_MAX;

        setenv("CLTUNE_CACHE_SIZE", cases[i].text, 1);
        assert_int_equal(ct_trim_limit(), good ? cases[i].size_bytes : 512 << 20);
    }
    setenv("CLTUNE_CACHE_SIZE", "5M", 1);
    assert_int_equal(ct_trim_limit(), 5 << 20);
    setenv("CLTUNE_CACHE_SIZE", "much", 1);
    assert_int_equal(ct_trim_limit(), 512 << 20);
    unsetenv("CLTUNE_CACHE_SIZE");
    assert_int_equal(ct_trim_limit(), 512 << 20);
}

static void make_program(const char *folder, const char *name, long age_s, size_t bytes)
{
    struct timespec times[2] = {{time(NULL) - age_s, 0}, {time(NULL) - age_s, 0}};
    char path[400];
    FILE *file;

    snprintf(path, sizeof(path), "%s/AB", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/AB/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/AB/%s/kernel", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/AB/%s/kernel/code.so", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < bytes; i++)
        putc('c', file);
    fclose(file);
    snprintf(path, sizeof(path), "%s/AB/%s/last_accessed", folder, name);
    fclose(fopen(path, "w"));
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool has_program(const char *folder, const char *name)
{
    char path[400];

    snprintf(path, sizeof(path), "%s/AB/%s", folder, name);
    return !access(path, F_OK);
}

static void drivers_caches_are_trimmed(void **state)
{
    char folder[200];

    (void)state;
    snprintf(folder, sizeof(folder), "%s/driver", test_folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    make_program(folder, "OLDEST", 9000, 1000);
    make_program(folder, "OLD", 8000, 1000);
    make_program(folder, "YOUNG", 10, 1000);
    ct_trim_pocl(folder, 10000);
    assert_true(has_program(folder, "OLDEST"));
    ct_trim_pocl(folder, 2500);
    assert_false(has_program(folder, "OLDEST"));
    assert_true(has_program(folder, "OLD"));
    /* What was used within the hour stays, whatever the limit. */
    ct_trim_pocl(folder, 0);
    assert_false(has_program(folder, "OLD"));
    assert_true(has_program(folder, "YOUNG"));
}

/* --- the rest --- */

static void maps_find_hashes_that_were_put(void **state)
{
    enum { COUNT = 1000 };
    struct ct_map map = {0};
    struct ct_hash none = {""};
    uint64_t value;

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        struct ct_hash key = ct_hash_bytes(&i, sizeof(i));

        assert_false(ct_map_find_hash(&map, &key, &value));
        ct_map_put_hash(&map, &key, i);
    }
    for (size_t i = 0; i < COUNT; i++) {
        struct ct_hash key = ct_hash_bytes(&i, sizeof(i));

        assert_true(ct_map_find_hash(&map, &key, &value));
        assert_int_equal(value, i);
    }
    ct_map_put_hash(&map, &none, 1);
    assert_false(ct_map_find_hash(&map, &none, &value));
    ct_map_release(&map);
}

static void fill_bytes(void *data, void *bytes)
{
    memset(bytes, *(int *)data, 1000);
}

static void shelves_keep_sealed_memory(void **state)
{
    struct ct_shared_cache shared_cache = {0};
    const struct ct_shared_cache_item *item;
    int byte = 7;
    int fd;
    char name[32];

    (void)state;
    assert_int_equal(ct_shared_cache_make(1000, fill_bytes, &byte, &fd, NULL), CT_OK);
    assert_true(write(fd, "x", 1) < 0);
    assert_int_not_equal(ftruncate(fd, 10), 0);
    ct_shared_cache_put(&shared_cache, "one", fd, 1000);
    item = ct_shared_cache_find(&shared_cache, "one");
    assert_non_null(item);
    assert_int_equal(item->serial, 1);
    assert_null(ct_shared_cache_find(&shared_cache, "two"));
    /* What is not sealed, or not of that size, is not kept. */
    ct_shared_cache_put(&shared_cache, "two", memfd_create("plain", MFD_CLOEXEC), 0);
    assert_null(ct_shared_cache_find(&shared_cache, "two"));
    assert_int_equal(ct_shared_cache_make(1000, fill_bytes, &byte, &fd, NULL), CT_OK);
    ct_shared_cache_put(&shared_cache, "two", fd, 999);
    assert_null(ct_shared_cache_find(&shared_cache, "two"));
    /* The oldest makes room. */
    for (int i = 0; i < CT_SHARED_CACHE_ITEMS; i++) {
        snprintf(name, sizeof(name), "item %d", i);
        assert_int_equal(ct_shared_cache_make(1000, fill_bytes, &byte, &fd, NULL), CT_OK);
        ct_shared_cache_put(&shared_cache, name, fd, 1000);
    }
    assert_null(ct_shared_cache_find(&shared_cache, "one"));
    assert_non_null(ct_shared_cache_find(&shared_cache, "item 0"));
    assert_int_equal(shared_cache.count, CT_SHARED_CACHE_ITEMS);
    assert_int_equal(shared_cache.total_bytes, 1000 * CT_SHARED_CACHE_ITEMS);
    ct_shared_cache_release(&shared_cache);
}

/* A hole of that size, sealed: it takes no memory. */
static int sealed_hole(uint64_t size_bytes)
{
    int fd = memfd_create("hole", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size_bytes), 0);
    assert_int_equal(
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL),
        0);
    return fd;
}

/* Two arrays of 512 MiB and what describes them must not be computed by every process. */
static void shelves_have_room_for_data_of_gpus(void **state)
{
    const uint64_t large_bytes = ((uint64_t)1 << 30) + 64;
    uint64_t limit_bytes = ct_shared_cache_limit();
    struct ct_shared_cache shared_cache = {0};

    (void)state;
    assert_true(limit_bytes == ct_memory_total() / 8);
    ct_shared_cache_put(&shared_cache, "large", sealed_hole(large_bytes), large_bytes);
    if (limit_bytes >= large_bytes)
        assert_non_null(ct_shared_cache_find(&shared_cache, "large"));
    else
        assert_null(ct_shared_cache_find(&shared_cache, "large"));
    ct_shared_cache_put(&shared_cache, "all", sealed_hole(limit_bytes), limit_bytes);
    assert_non_null(ct_shared_cache_find(&shared_cache, "all"));
    assert_null(ct_shared_cache_find(&shared_cache, "large"));
    ct_shared_cache_put(&shared_cache, "more", sealed_hole(limit_bytes + 1),
                        limit_bytes + 1);
    assert_null(ct_shared_cache_find(&shared_cache, "more"));
    assert_int_equal(shared_cache.count, 1);
    ct_shared_cache_release(&shared_cache);
}

/* A process that is killed leaves its folder; the next one sweeps it. */
static void scratch_folders_are_swept(void **state)
{
    struct ct_scratch mine;
    int pipes[2];
    char path[300] = "";
    pid_t child;

    (void)state;
    setenv("TMPDIR", test_folder, 1);
    assert_int_equal(ct_scratch_open(&mine, NULL), CT_OK);
    assert_int_equal(pipe(pipes), 0);
    child = fork();
    if (!child) {
        struct ct_scratch theirs;

        if (ct_scratch_open(&theirs, NULL) ||
            write(pipes[1], theirs.path.data, theirs.path.length + 1) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    assert_true(read(pipes[0], path, sizeof(path)) > 0);
    ct_scratch_sweep();
    assert_int_equal(access(path, F_OK), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ct_scratch_sweep();
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(access(mine.path.data, F_OK), 0);
    snprintf(path, sizeof(path), "%s", mine.path.data);
    ct_scratch_close(&mine);
    assert_int_not_equal(access(path, F_OK), 0);
    /* Nor do the folders above it stay. */
    snprintf(path, sizeof(path), "%s/cltune-%lu", test_folder, (unsigned long)getuid());
    assert_int_not_equal(access(path, F_OK), 0);
    close(pipes[0]);
    close(pipes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_cover_what_differs),
        cmocka_unit_test(masks_need_their_surroundings),
        cmocka_unit_test(masks_have_limits),
        cmocka_unit_test(keys_hold_everything),
        cmocka_unit_test(damaged_entries_are_not_taken),
        cmocka_unit_test(entries_are_found_again),
        cmocka_unit_test(the_oldest_goes_first),
        cmocka_unit_test(parts_of_the_dead_are_swept),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(drivers_caches_are_trimmed),
        cmocka_unit_test(maps_find_hashes_that_were_put),
        cmocka_unit_test(shelves_keep_sealed_memory),
        cmocka_unit_test(shelves_have_room_for_data_of_gpus),
        cmocka_unit_test(scratch_folders_are_swept),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
