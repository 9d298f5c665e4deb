// SPDX-License-Identifier: Apache-2.0
// The default path of the database, and the identity of processes.
#include "db/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *joined(const char *a, const char *b)
{
    struct ct_str str;

    ct_str_init(&str);
    ct_str_puts(&str, a);
    ct_str_puts(&str, b);
    return ct_str_detach(&str);
}

enum ct_status ct_db_data_path(char **out, struct ct_err *err)
{
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");

    *out = NULL;
    if (data && *data == '/')
        *out = joined(data, "/cltune/cltune.db");
    else if (home && *home)
        *out = joined(home, "/.local/share/cltune/cltune.db");
    else
        return CT_OK;
    return *out ? CT_OK : ct_err_nomem(err);
}

enum ct_status ct_db_default_path(char **out, struct ct_err *err)
{
    const char *own = getenv("CLTUNE_DB");
    enum ct_status status;

    if (own && *own) {
        *out = joined(own, "");
        return *out ? CT_OK : ct_err_nomem(err);
    }
    status = ct_db_data_path(out, err);
    if (status == CT_OK && !*out)
        status = ct_err_set(
            err, CT_E_DB,
            "no location for the database: set HOME, XDG_DATA_HOME or CLTUNE_DB, "
            "or use --db to name a file");
    return status;
}

/* When the process `pid` was started, in ticks since the machine's start; 0: unknown. */
static unsigned long long start_ticks(long pid)
{
    char path[64];
    char text[1024];
    unsigned long long ticks = 0;
    const char *at;
    FILE *file;
    size_t length;

    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    /* Field 22; the second is the program's name, which may contain blanks and brackets. */
    at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (at)
        ticks = strtoull(at, NULL, 10);
    return ticks;
}

/* A number that changes with every start of the machine; "" if there is none. */
static void boot_id(char out[40])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    out[0] = '\0';
    if (!file)
        return;
    if (fscanf(file, "%36[0-9a-f-]", out) != 1)
        out[0] = '\0';
    fclose(file);
}

struct ct_db_owner ct_db_owner_self(void)
{
    struct ct_db_owner owner;
    char boot[40];
    long pid = (long)getpid();

    boot_id(boot);
    snprintf(owner.text, sizeof(owner.text), "%ld %llu %s", pid, start_ticks(pid), boot);
    return owner;
}

/* Parses a name from ct_db_owner_self; false if invalid.  `*same_boot`: the machine has not been
 * restarted since. */
static bool read_owner(const char *owner, long *pid, unsigned long long *ticks,
                       bool *same_boot)
{
    char boot[40];
    char *end;

    *pid = strtol(owner, &end, 10);
    *ticks = strtoull(end, &end, 10);
    if (*pid <= 0 || *end != ' ')
        return false;
    boot_id(boot);
    *same_boot = strcmp(end + 1, boot) == 0;
    return true;
}

bool ct_db_owner_restarted(const char *owner)
{
    unsigned long long ticks;
    bool same_boot;
    long pid;

    return read_owner(owner, &pid, &ticks, &same_boot) && !same_boot;
}

bool ct_db_owner_alive(const char *owner)
{
    unsigned long long ticks;
    bool same_boot;
    long pid;

    if (!read_owner(owner, &pid, &ticks, &same_boot) || !same_boot)
        return false;
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
        return false;
    return start_ticks(pid) == ticks;
}
