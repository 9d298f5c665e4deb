// SPDX-License-Identifier: Apache-2.0
// A temporary folder for a test program: its home and its caches, removed at the end. Define
// _GNU_SOURCE before including this, for nftw.
#ifndef CT_TESTS_FOLDER_H
#define CT_TESTS_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char test_folder[64];

static inline int remove_entry(const char *path, const struct stat *info, int flag,
                               struct FTW *where)
{
    (void)info;
    (void)flag;
    (void)where;
    return remove(path);
}

/* A cmocka teardown function. */
static inline int remove_folder(void **state)
{
    (void)state;
    return nftw(test_folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* From now on drivers' caches are where cltune puts them: for tests that look there. */
static inline void own_driver_cache(void)
{
    unsetenv("POCL_CACHE_DIR");
}

/* And again with other tests', where CT_POCL_CACHE names a folder for them (scripts/run-tests). */
static inline void shared_driver_cache(void)
{
    const char *shared = getenv("CT_POCL_CACHE");

    own_driver_cache();
    if (shared && *shared)
        setenv("POCL_CACHE_DIR", shared, 1);
}

/* A cmocka set-up function: HOME and XDG_CACHE_HOME are in the folder, what PoCL compiles is
 * shared. */
static inline int make_folder(void **state)
{
    char path[96];

    (void)state;
    snprintf(test_folder, sizeof(test_folder), "/tmp/cltune-test-XXXXXX");
    if (!mkdtemp(test_folder))
        return -1;
    setenv("HOME", test_folder, 1);
    snprintf(path, sizeof(path), "%s/cache", test_folder);
    setenv("XDG_CACHE_HOME", path, 1);
    shared_driver_cache();
    return 0;
}

#endif
