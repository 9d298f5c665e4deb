// SPDX-License-Identifier: Apache-2.0
// Prints each line that it reads behind its hash: scripts/make-test-db identifies problems by it.
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[4096];

    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = '\0';
        printf("%s %s\n", ct_hash_bytes(line, strlen(line)).text, line);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
