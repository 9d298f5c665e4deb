// SPDX-License-Identifier: Apache-2.0
// Included before every source of the fuzzed library (-include): space files name files, and a
// generated one may name any.  Names that end in .cl, .h or .c are one kernel of the tests, all
// others do not exist.
#ifndef CT_TESTS_FUZZ_FILES_H
#define CT_TESTS_FUZZ_FILES_H

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *fuzz_fopen(const char *path, const char *mode);
int fuzz_access(const char *path, int mode);
int fuzz_stat(const char *path, struct stat *facts);
char *fuzz_realpath(const char *path, char *resolved);

#define fopen(path, mode)        fuzz_fopen(path, mode)
#define access(path, mode)       fuzz_access(path, mode)
#define stat(path, facts)        fuzz_stat(path, facts)
#define realpath(path, resolved) fuzz_realpath(path, resolved)

#endif
