// SPDX-License-Identifier: Apache-2.0
#include "schedule/icd_files.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char standard_folder[] = "/etc/OpenCL/vendors";

/* An .icd file is one line. */
static const uint64_t icd_max_bytes = 4096;

struct list {
    struct ct_arena *arena;
    struct ct_icd_file *items; /* grown; copied to the arena at the end */
    size_t count;
    size_t capacity;
    bool failed;
};

static const char *copied_text(struct list *list, const char *text, size_t length)
{
    const char *copied = ct_arena_copy(list->arena, text, length);

    list->failed = list->failed || !copied;
    return copied;
}

static void add(struct list *list, const char *path, const char *library, size_t length,
                const char *why)
{
    if (list->failed || !ct_mem_grow(&list->items, &list->capacity, list->count + 1,
                                     sizeof(*list->items))) {
        list->failed = true;
        return;
    }
    list->items[list->count++] = (struct ct_icd_file){
        .path = copied_text(list, path, strlen(path)),
        .library = copied_text(list, library, length),
        .why = copied_text(list, why, strlen(why)),
    };
}

static void add_file(struct list *list, const char *path)
{
    char why[CT_FILE_WHY_SIZE] = "";
    struct ct_str text;
    const char *library;
    size_t length;
    int error;

    ct_str_init(&text);
    error = ct_file_read(path, icd_max_bytes, &text, NULL);
    library = error ? "" : text.data + strspn(text.data, " \t\r\n");
    length = strcspn(library, "\r\n");
    while (length && (library[length - 1] == ' ' || library[length - 1] == '\t'))
        length--;
    if (error)
        ct_file_why(why, error, icd_max_bytes);
    add(list, path, library, length, error || length ? why : "it is empty");
    ct_str_release(&text);
}

static bool ends(const char *text, const char *end)
{
    size_t length = strlen(text);

    return length >= strlen(end) && !strcmp(text + length - strlen(end), end);
}

static void add_folder(struct list *list, const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        struct ct_str path;

        if (!ends(entry->d_name, ".icd"))
            continue;
        ct_str_init(&path);
        ct_str_addf(&path, "%s/%s", folder, entry->d_name);
        if (path.failed)
            list->failed = true;
        else
            add_file(list, path.data);
        ct_str_release(&path);
    }
    if (dir)
        closedir(dir);
}

static bool is_folder(const char *path)
{
    struct stat facts;

    return !stat(path, &facts) && S_ISDIR(facts.st_mode);
}

/* "liba.so:libb.so", as the Khronos loader takes it. */
static void add_names(struct list *list, const char *names)
{
    while (names && *names) {
        size_t length = strcspn(names, ":");
        const char *name = copied_text(list, names, length);

        if (length && name)
            add(list, name, name, length, "");
        names += length + (names[length] == ':');
    }
}

static int by_path(const void *a, const void *b)
{
    const struct ct_icd_file *one = a;
    const struct ct_icd_file *other = b;

    return strcmp(one->path, other->path);
}

enum ct_status ct_icd_files(struct ct_arena *arena, struct ct_icd_file **out,
                            size_t *count, const char **where, struct ct_err *err)
{
    struct list list = {.arena = arena};
    const char *vendors = getenv("OCL_ICD_VENDORS");
    const char *folder = getenv("OPENCL_VENDOR_PATH");

    *where = vendors && *vendors ? vendors : folder && *folder ? folder : standard_folder;
    if (is_folder(*where))
        add_folder(&list, *where);
    else if (ends(*where, ".icd"))
        add_file(&list, *where);
    else if (*where == vendors)
        add(&list, vendors, vendors, strlen(vendors), "");
    add_names(&list, getenv("OCL_ICD_FILENAMES"));
    if (!list.failed && list.count)
        qsort(list.items, list.count, sizeof(*list.items), by_path);
    *out = ct_arena_array(arena, list.count + 1, sizeof(**out));
    list.failed = list.failed || !*out;
    if (!list.failed && list.count)
        memcpy(*out, list.items, list.count * sizeof(**out));
    *count = list.count;
    free(list.items);
    return list.failed ? ct_err_nomem(err) : CT_OK;
}
