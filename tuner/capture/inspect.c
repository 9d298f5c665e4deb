// SPDX-License-Identifier: Apache-2.0
// Looks at a program's file: can the layer get into it, and how?
#define _GNU_SOURCE // RTLD_DI_LINKMAP, memmem
#include "capture/start.h"

#include "base/file.h"
#include "base/str.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the program's file --- */

static bool is_runnable(const char *path)
{
    struct stat facts;

    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

static const char *find_in_path(struct ct_arena *arena, const char *name)
{
    const char *list = getenv("PATH");

    if (strchr(name, '/'))
        return is_runnable(name) ? name : NULL;
    for (list = list ? list : "/usr/local/bin:/usr/bin:/bin"; *list;) {
        size_t length = strcspn(list, ":");
        const char *path =
            length ? ct_arena_format(arena, "%.*s/%s", (int)length, list, name)
                   : ct_arena_format(arena, "./%s", name);

        if (path && is_runnable(path))
            return path;
        list += length + (list[length] == ':');
    }
    return NULL;
}

/* The interpreter of a script ("#!/usr/bin/env python3" is python3's), else the program itself. */
static const char *interpreter_of(struct ct_arena *arena, const char *path)
{
    char line[256] = "";
    char words[2][128] = {"", ""};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);
    const char *found;

    if (fd >= 0)
        close(fd);
    if (got < 3 || line[0] != '#' || line[1] != '!' ||
        sscanf(line + 2, " %127s %127s", words[0], words[1]) < 1)
        return path;
    /* A copy, as the words are this function's own. */
    found = ct_arena_copy(arena, words[1], strlen(words[1]));
    if (found && strcmp(words[0], "/usr/bin/env") == 0 && *found && *found != '-')
        found = find_in_path(arena, found);
    else
        found = ct_arena_copy(arena, words[0], strlen(words[0]));
    return found ? found : path;
}

/* The dynamic linker that a program of our own word size names; "" if it is linked statically. */
static void linker_of(int fd, const ElfW(Ehdr) * head, char path[PATH_MAX])
{
    ElfW(Phdr) part;
    ssize_t got = 0;

    for (unsigned i = 0; i < head->e_phnum && got <= 0; i++)
        if (pread(fd, &part, sizeof(part), (off_t)(head->e_phoff + i * sizeof(part))) ==
                (ssize_t)sizeof(part) &&
            part.p_type == PT_INTERP && part.p_filesz < PATH_MAX)
            got = pread(fd, path, part.p_filesz, (off_t)part.p_offset);
    path[got > 0 ? got : 0] = '\0';
}

static bool is_elf(const ElfW(Ehdr) * head)
{
    return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0;
}

static bool is_of_our_size(const ElfW(Ehdr) * head)
{
    return head->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
}

/* Why the layer may not get into the program; NULL if it does. */
static const char *doubt_of(const char *path)
{
    ElfW(Ehdr) head;
    char linker[PATH_MAX];
    struct stat facts;
    const char *doubt = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : pread(fd, &head, sizeof(head), 0);

    if (stat(path, &facts) == 0 && facts.st_mode & (S_ISUID | S_ISGID) &&
        (facts.st_uid != geteuid() || facts.st_gid != getegid()))
        doubt = "runs with the rights of another user, where loaders ignore layers";
    else if (got != (ssize_t)sizeof(head) || !is_elf(&head))
        doubt = NULL; /* a script; or what only the system knows how to run */
    else if (!is_of_our_size(&head))
        doubt = sizeof(void *) == 8 ? "is a 32-bit program, which cannot load the layer"
                                    : "is a 64-bit program, which cannot load the layer";
    else {
        linker_of(fd, &head, linker);
        if (!*linker)
            doubt = "is linked statically, so that it loads no layer";
    }
    if (fd >= 0)
        close(fd);
    return doubt;
}

/* --- the loader --- */

/* Runs `inspect` in a process of its own, since it loads libraries, and reads what it writes. */
static void ask_child(int (*inspect)(const char *path, int out), const char *path,
                      struct ct_str *answer)
{
    char text[4096];
    int fds[2];
    pid_t child;
    ssize_t got;

    if (pipe(fds))
        return;
    child = fork();
    if (child == 0) {
        close(fds[0]);
        _exit(inspect(path, fds[1]));
    }
    close(fds[1]);
    while ((got = read(fds[0], text, sizeof(text))) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            ct_str_add(answer, text, (size_t)got);
    close(fds[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* What its dynamic linker would load for a program, as ldd shows it.  The linker is run and not the
 * program, since only glibc's looks at the environment and then does not start the program. */
static int list_libraries(const char *path, int out)
{
    ElfW(Ehdr) head;
    char linker[PATH_MAX] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int nothing = open("/dev/null", O_WRONLY);

    if (fd >= 0 && pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
        is_elf(&head) && is_of_our_size(&head))
        linker_of(fd, &head, linker);
    if (!*linker)
        return 1;
    dup2(out, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    unsetenv("LD_PRELOAD");
    execl(linker, linker, "--list", path, (char *)NULL);
    return 1;
}

/* The loader that programs find which open it by name. */
static int open_loader(const char *path, int out)
{
    void *handle = dlopen(path, RTLD_LAZY);
    struct link_map *map = NULL;

    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) || !map)
        return 1;
    dprintf(out, "%s", map->l_name);
    return 0;
}

static const char *loader_of(struct ct_arena *arena, const char *path, bool listed)
{
    struct ct_str text;
    const char *at = NULL;
    const char *found = "";

    ct_str_init(&text);
    if (listed)
        ask_child(list_libraries, path, &text);
    at = strstr(text.data, "libOpenCL.so");
    at = at ? strstr(at, "=> /") : NULL;
    if (at) {
        at += 3;
        found = ct_arena_copy(arena, at, strcspn(at, " \n"));
    } else {
        ct_str_reset(&text);
        ask_child(open_loader, "libOpenCL.so.1", &text);
        if (!text.length)
            ask_child(open_loader, "libOpenCL.so", &text);
        found = ct_arena_copy(arena, text.data, text.length);
    }
    ct_str_release(&text);
    return found ? found : "";
}

/* Loaders with layers read the variable by this name. */
static bool knows_layers(const char *loader)
{
    static const char name[] = "OPENCL_LAYERS";
    struct ct_str bytes;
    bool found;

    ct_str_init(&bytes);
    found = ct_file_read(loader, (uint64_t)64 << 20, &bytes, NULL) == 0 &&
            memmem(bytes.data, bytes.length, name, sizeof(name) - 1) != NULL;
    ct_str_release(&bytes);
    return found;
}

enum ct_status ct_start_find(struct ct_arena *arena, const char *name,
                             struct ct_program_file *out, struct ct_err *err)
{
    const char *runs;

    *out = (struct ct_program_file){.path = find_in_path(arena, name), .loader = ""};
    if (!out->path)
        return ct_err_set(err, CT_E_USAGE, "cannot run '%s': %s", name,
                          strchr(name, '/') && access(name, F_OK) == 0
                              ? "it is no executable file"
                              : "there is no such program");
    runs = interpreter_of(arena, out->path);
    out->doubt = doubt_of(runs);
    if (!out->doubt && runs != out->path)
        out->doubt = doubt_of(out->path);
    out->loader = loader_of(arena, runs, !out->doubt);
    out->preload = *out->loader && !knows_layers(out->loader);
    if (!out->doubt && !*out->loader)
        out->doubt = "finds no OpenCL loader (libOpenCL.so.1)";
    return CT_OK;
}

enum ct_status ct_start_layer(struct ct_arena *arena, const char **out,
                              struct ct_err *err)
{
    static const char *const places[] = {".", "../lib", "../lib64", "../lib/cltune"};
    char self[PATH_MAX] = "";
    char real[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash;

    self[length > 0 ? length : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        const char *path =
            ct_arena_format(arena, "%s/%s/libcltune-layer.so", self, places[i]);

        if (path && realpath(path, real)) {
            *out = ct_arena_copy(arena, real, strlen(real));
            return *out ? CT_OK : ct_err_nomem(err);
        }
    }
    return ct_err_set(
        err, CT_E_IO,
        "libcltune-layer.so is neither in %s nor in ../lib, ../lib64 or "
        "../lib/cltune from there: install cltune with its libraries ('make install')",
        self);
}
