// SPDX-License-Identifier: Apache-2.0
// How many copies of its buffers a plan needs: by the sizes of caches and memory.
#include "worker/timing/cold_copies.h"

#include <stdio.h>
#include <unistd.h>

enum { UNKNOWN_CACHE_BYTES = 64 << 20 };

size_t ct_cold_copies_count(uint64_t used_bytes, uint64_t copy_bytes,
                            uint64_t cache_bytes, uint64_t room_bytes, bool *short_of)
{
    uint64_t wanted = used_bytes ? 2 * cache_bytes / used_bytes + 1 : 1;
    uint64_t most = copy_bytes ? room_bytes / copy_bytes + 1 : 1;

    if (most > CT_COLD_COPIES_MOST)
        most = CT_COLD_COPIES_MOST;
    *short_of = wanted > most;
    return (size_t)(wanted < most ? wanted : most);
}

/* The largest cache of the first processor, as reported by the operating system. */
static uint64_t host_cache_bytes(void)
{
    uint64_t largest = 0;

    for (int i = 0; i < 16; i++) {
        unsigned long long size = 0;
        char unit = 0;
        char path[80];
        FILE *file;

        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size",
                 i);
        file = fopen(path, "re");
        if (!file)
            break;
        if (fscanf(file, "%llu%c", &size, &unit) < 1 || size > 1u << 30)
            size = 0;
        fclose(file);
        size <<= unit == 'K' ? 10 : unit == 'M' ? 20 : 0;
        largest = size > largest ? size : largest;
    }
#ifdef _SC_LEVEL3_CACHE_SIZE
    if (!largest && sysconf(_SC_LEVEL3_CACHE_SIZE) > 0)
        largest = (uint64_t)sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return largest;
}

uint64_t ct_cold_copies_cache_bytes(const struct ct_devinfo *info, bool processor)
{
    int64_t reported = ct_devinfo_int(info, CT_DEVICE_GLOBAL_MEM_CACHE_SIZE, 0);
    uint64_t bytes = reported > 0 ? (uint64_t)reported : 0;
    uint64_t host_bytes = processor ? host_cache_bytes() : 0;

    bytes = host_bytes > bytes ? host_bytes : bytes;
    return bytes ? bytes : UNKNOWN_CACHE_BYTES;
}
