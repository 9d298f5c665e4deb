// SPDX-License-Identifier: Apache-2.0
// Shared objects by name, before and after a launch.
#define _GNU_SOURCE // dl_iterate_phdr
#include "protocol/mapped.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_name(struct dl_phdr_info *info, size_t size, void *data)
{
    struct ct_str *names = data;

    (void)size;
    if (info->dlpi_name && *info->dlpi_name)
        ct_str_add(names, info->dlpi_name, strlen(info->dlpi_name) + 1);
    return 0;
}

void ct_mapped_note(struct ct_mapped *mapped)
{
    ct_str_init(&mapped->names);
    dl_iterate_phdr(add_name, &mapped->names);
}

void ct_mapped_release(struct ct_mapped *mapped)
{
    ct_str_release(&mapped->names);
}

/* Where that name is in a list from `at` on, or the list's length. */
static size_t find_name(const struct ct_str *names, size_t at, const char *name)
{
    while (at < names->length && strcmp(names->data + at, name) != 0)
        at += strlen(names->data + at) + 1;
    return at;
}

const char *ct_mapped_next(struct ct_mapped_walk *walk)
{
    const struct ct_str *before = &walk->before->names;
    const struct ct_str *now = &walk->now->names;

    while (walk->at < now->length) {
        const char *name = now->data + walk->at;
        size_t found = find_name(before, walk->seen, name);

        walk->at += strlen(name) + 1;
        if (found == before->length)
            return name;
        walk->seen = found + strlen(name) + 1;
    }
    return NULL;
}

/* The path from the folder of that name on; NULL if there is none. */
static const char *within(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    const char *found = NULL;

    for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/'))
        if (!strncmp(at + 1, folder, length) && at[1 + length] == '/')
            found = at + 1;
    return found;
}

static bool add_file(struct ct_str *out, const char *path)
{
    FILE *file = fopen(path, "rbe");
    char chunk[16384];
    size_t got;
    bool good;

    if (!file)
        return false;
    while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
        ct_str_add(out, chunk, got);
    good = !ferror(file);
    fclose(file);
    return good && !out->failed;
}

/* Launches of the kernel that may need code of their own: they differ in sizes (or in the
 * program, if two have a kernel of that name). */
static size_t variants(const struct ct_plan *plan, const char *kernel)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct ct_plan_launch *launch = &plan->launches[i];
        bool known = false;

        if (launch->kind != CT_LAUNCH_KERNEL || strcmp(launch->kernel, kernel) != 0)
            continue;
        for (size_t k = 0; k < i && !known; k++)
            known =
                plan->launches[k].kind == CT_LAUNCH_KERNEL &&
                !strcmp(plan->launches[k].kernel, kernel) &&
                plan->launches[k].program == launch->program &&
                plan->launches[k].dims == launch->dims &&
                !memcmp(plan->launches[k].local, launch->local, sizeof(launch->local)) &&
                !memcmp(plan->launches[k].global, launch->global, sizeof(launch->global));
        count += !known;
    }
    return count;
}

static bool seen_before(const struct ct_plan *plan, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (plan->launches[i].kind == CT_LAUNCH_KERNEL &&
            !strcmp(plan->launches[i].kernel, plan->launches[index].kernel))
            return true;
    return false;
}

/* Appends the new objects of one kernel; returns how many. */
static size_t add_kernel(const struct ct_mapped *before, const struct ct_mapped *now,
                         const char *kernel, struct ct_str *out)
{
    struct ct_mapped_walk walk = {before, now, 0, 0};
    size_t count = 0;
    const char *path;

    while ((path = ct_mapped_next(&walk))) {
        const char *tail = within(path, kernel);

        if (!tail)
            continue;
        ct_str_add(out, tail, strlen(tail) + 1);
        if (!add_file(out, path))
            return 0;
        count++;
    }
    return count;
}

size_t ct_mapped_needed(const struct ct_plan *plan)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->launch_count; i++)
        if (plan->launches[i].kind == CT_LAUNCH_KERNEL && !seen_before(plan, i))
            count += variants(plan, plan->launches[i].kernel);
    return count;
}

bool ct_mapped_code(const struct ct_mapped *before, const struct ct_plan *plan,
                    struct ct_str *out)
{
    struct ct_mapped now;
    struct ct_str code;
    bool whole = true;

    ct_mapped_note(&now);
    ct_str_init(&code);
    for (size_t i = 0; whole && i < plan->launch_count; i++) {
        const struct ct_plan_launch *launch = &plan->launches[i];

        if (launch->kind == CT_LAUNCH_KERNEL && !seen_before(plan, i))
            whole = add_kernel(before, &now, launch->kernel, &code) ==
                    variants(plan, launch->kernel);
    }
    whole = whole && code.length && !code.failed && !now.names.failed &&
            !before->names.failed;
    if (whole)
        ct_str_add(out, code.data, code.length);
    ct_str_release(&code);
    ct_mapped_release(&now);
    return whole && !out->failed;
}
