// SPDX-License-Identifier: Apache-2.0
// Opens databases in layers, and answers from them.
#include "db/layers.h"

#include "base/file.h"
#include "db/merge.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- opening --- */

/* Adds a file; one that is there already is no second layer. */
static enum ct_status add_layer(struct ct_layers *layers, const char *path,
                                struct ct_err *err)
{
    const struct ct_db_options reading = {.mode = CT_DB_READ,
                                          .immutable = layers->count > 0};
    struct ct_layer *layer;

    for (size_t i = 0; i < layers->count; i++)
        if (ct_file_is_same(layers->items[i].path, path))
            return CT_OK;
    if (!ct_mem_grow(&layers->items, &layers->capacity, layers->count + 1,
                     sizeof(*layers->items)))
        return ct_err_nomem(err);
    layer = &layers->items[layers->count];
    *layer =
        (struct ct_layer){.path = ct_mem_copy(path, strlen(path)), .why = CT_ERR_INIT};
    if (!layer->path)
        return ct_err_nomem(err);
    layers->count++;
    ct_db_open(path, &reading, &layer->db, &layer->why);
    return CT_OK;
}

/* Adds the databases of a folder, in the order of their names. */
static enum ct_status add_folder(struct ct_layers *layers, const char *folder,
                                 const char *pattern, struct ct_err *err)
{
    struct ct_str text;
    glob_t found;
    enum ct_status status = CT_OK;

    ct_str_init(&text);
    /* The folder's name is no pattern. */
    for (const char *at = folder; *at; at++) {
        if (strchr("*?[\\", *at))
            ct_str_putc(&text, '\\');
        ct_str_putc(&text, *at);
    }
    ct_str_addf(&text, "/%s", pattern);
    if (text.failed) {
        status = ct_err_nomem(err);
    } else if (glob(text.data, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && status == CT_OK; i++)
            status = add_layer(layers, found.gl_pathv[i], err);
        globfree(&found);
    }
    ct_str_release(&text);
    return status;
}

/* Adds what a list with colons names: files and folders, or with `pattern` folders alone. */
static enum ct_status add_list(struct ct_layers *layers, const char *list,
                               const char *pattern, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    while (*list && status == CT_OK) {
        size_t length = strcspn(list, ":");
        char *entry = ct_mem_copy(list, length);
        struct stat info;

        if (!entry)
            return ct_err_nomem(err);
        /* Relative folders do not count, as the XDG specification requires. */
        if (pattern && *entry == '/')
            status = add_folder(layers, entry, pattern, err);
        else if (!pattern && *entry && stat(entry, &info) == 0 && S_ISDIR(info.st_mode))
            status = add_folder(layers, entry, "*.db", err);
        else if (!pattern && *entry)
            status = add_layer(layers, entry, err);
        free(entry);
        list += length + (list[length] == ':');
    }
    return status;
}

static enum ct_status add_lower(struct ct_layers *layers, struct ct_err *err)
{
    const char *own = getenv("CLTUNE_DB_PATH");
    const char *data = getenv("XDG_DATA_DIRS");
    enum ct_status status = own ? add_list(layers, own, NULL, err) : CT_OK;

    if (status == CT_OK)
        status = add_list(layers, data && *data ? data : "/usr/local/share:/usr/share",
                          "cltune/*.db", err);
    return status;
}

enum ct_status ct_layers_open(struct ct_layers *layers, const char *path,
                              struct ct_err *err)
{
    char *usual = NULL;
    enum ct_status status;
    bool any = false;

    if (path)
        status = add_layer(layers, path, err);
    else if ((status = ct_db_default_path(&usual, err)) == CT_OK)
        status = add_layer(layers, usual, err);
    free(usual);
    if (status == CT_OK && layers->items[0].why.code &&
        layers->items[0].why.code != CT_E_NOT_FOUND) {
        if (err)
            *err = layers->items[0].why;
        return (enum ct_status)layers->items[0].why.code;
    }
    if (status == CT_OK && !path)
        status = add_lower(layers, err);
    for (size_t i = 0; i < layers->count; i++)
        any |= layers->items[i].db != NULL;
    if (status == CT_OK && !any) {
        if (err)
            *err = layers->items[0].why;
        status = CT_E_NOT_FOUND;
    }
    return status;
}

void ct_layers_close(struct ct_layers *layers)
{
    ct_db_close(layers->combined);
    for (size_t i = 0; i < layers->count; i++) {
        ct_db_close(layers->items[i].db);
        free(layers->items[i].path);
    }
    free(layers->items);
    *layers = (struct ct_layers){0};
}

/* --- answering --- */

/* Whether `a` answers the same as `b`. */
static bool same_question(const cltunedb_answer *a, const cltunedb_answer *b)
{
    if (strcmp(a->kernel, b->kernel) != 0 || strcmp(a->objective, b->objective) != 0 ||
        strcmp(a->problem_json, b->problem_json) != 0)
        return false;
    return a->evidence >= CLTUNEDB_SAME_ARCHITECTURE ||
           (strcmp(a->device_name, b->device_name) == 0 &&
            strcmp(a->device_vendor, b->device_vendor) == 0 &&
            a->compute_units == b->compute_units);
}

/* Whether an answer of another layer is the better one, so that `a` is none. */
static bool is_beaten(const struct cltunedb_answers *all, size_t i)
{
    const cltunedb_answer *a = &all->items[i];

    for (size_t k = 0; k < all->count; k++) {
        const cltunedb_answer *b = &all->items[k];

        if (k == i || strcmp(a->kernel, b->kernel) != 0)
            continue;
        if (b->evidence < a->evidence)
            return true;
        if (b->evidence == a->evidence && b->layer_number != a->layer_number &&
            strcmp(a->objective, b->objective) == 0 &&
            b->problem_distance < a->problem_distance)
            return true;
        if (b->evidence == a->evidence && b->layer_number < a->layer_number &&
            b->problem_distance <= a->problem_distance &&
            strcmp(a->objective, b->objective) == 0 &&
            (same_question(a, b) || a->problem_distance > 0))
            return true;
    }
    return false;
}

/* Takes the answers of one layer over; they live as long as `to`. */
static enum ct_status add_answers(struct cltunedb_answers *to,
                                  struct cltunedb_answers *part, const char *path,
                                  uint32_t number, struct ct_err *err)
{
    const char *layer = ct_arena_copy(&to->arena, path, strlen(path));

    if (!layer || !ct_mem_grow(&to->items, &to->capacity, to->count + part->count,
                               sizeof(*to->items))) {
        ct_lookup_free(part);
        return ct_err_nomem(err);
    }
    for (size_t i = 0; i < part->count; i++) {
        to->items[to->count] = part->items[i];
        to->items[to->count].layer_path = layer;
        to->items[to->count++].layer_number = number;
    }
    part->next = to->next;
    to->next = part;
    return CT_OK;
}

static void drop_beaten(struct cltunedb_answers *all)
{
    bool *beaten = ct_mem_array(all->count, sizeof(*beaten));
    size_t kept = 0;

    for (size_t i = 0; beaten && i < all->count; i++)
        beaten[i] = is_beaten(all, i);
    for (size_t i = 0; beaten && i < all->count; i++)
        if (!beaten[i])
            all->items[kept++] = all->items[i];
    if (beaten)
        all->count = kept;
    free(beaten);
}

enum ct_status ct_layers_find(const struct ct_layers *layers, const cltunedb_query *query,
                              struct cltunedb_answers **out, struct ct_err *err)
{
    struct cltunedb_answers *all = ct_mem_array(1, sizeof(*all));
    struct ct_err first = CT_ERR_INIT;
    enum ct_status status = CT_OK;
    size_t asked = 0;

    *out = NULL;
    if (!all)
        return ct_err_nomem(err);
    for (size_t i = 0; i < layers->count && status == CT_OK; i++) {
        struct cltunedb_answers *part = NULL;
        struct ct_err own = CT_ERR_INIT;
        enum ct_status found;

        if (!layers->items[i].db)
            continue;
        found = ct_lookup_find(layers->items[i].db, query, &part, &own);
        if (found != CT_OK && !first.code)
            first = own;
        if (found == CT_OK)
            status = add_answers(all, part, layers->items[i].path, (uint32_t)i, err);
        else if (found != CT_E_NOT_FOUND && (i == 0 || found != CT_E_DB))
            status = found;
        asked++;
    }
    if (status == CT_OK && !all->count)
        status = (enum ct_status)first.code;
    if (status != CT_OK) {
        if (err && first.code)
            *err = first;
        ct_lookup_free(all);
        return status;
    }
    if (asked > 1) {
        drop_beaten(all);
        ct_look_sort(all);
    }
    *out = all;
    return CT_OK;
}

/* --- combining --- */

bool ct_layers_are_several(const struct ct_layers *layers)
{
    size_t usable = 0;

    for (size_t i = 0; i < layers->count; i++)
        usable += layers->items[i].db != NULL;
    return usable > 1;
}

/* The uppermost layer that can be used. */
static struct ct_layer *first_layer(const struct ct_layers *layers)
{
    struct ct_layer *layer = layers->items;

    while (!layer->db)
        layer++;
    return layer;
}

enum ct_status ct_layers_combine(struct ct_layers *layers, const char *kernel,
                                 const char *folder, struct ct_db **out,
                                 struct ct_err *err)
{
    const struct ct_db_options opening = {.mode = CT_DB_WRITE, .draft = true};
    struct ct_layer *first = first_layer(layers);
    enum ct_status status;
    struct ct_str path;

    *out = first->db;
    if (!ct_layers_are_several(layers))
        return CT_OK;
    ct_str_init(&path);
    ct_str_addf(&path, "%s/layers.db", folder);
    status = path.failed ? ct_err_nomem(err)
                         : ct_db_open(path.data, &opening, &layers->combined, err);
    ct_str_release(&path);
    *out = layers->combined;
    for (size_t i = 0; i < layers->count && status == CT_OK; i++) {
        struct ct_layer *layer = &layers->items[i];
        const struct ct_db_selection selection = {.kernel = kernel,
                                                  .layer = (uint32_t)i + 1};

        if (!layer->db)
            continue;
        status = ct_db_merge_layer(*out, layer->db, &selection, &layer->why);
        if (status == CT_OK)
            continue;
        if (layer == first) {
            if (err)
                *err = layer->why;
            break;
        }
        ct_db_close(layer->db);
        layer->db = NULL;
        status = CT_OK;
    }
    return status;
}
