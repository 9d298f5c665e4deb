// SPDX-License-Identifier: Apache-2.0
// cltune best --portable and --variants: one configuration, or a few, for many devices and problems.
#include "cli/variants.h"

#include "cli/cli.h"
#include "cli/option_values.h"
#include "cli/sweep.h"
#include "db/layers.h"
#include "protocol/scratch.h"

#include "report/variants.h"
#include "report/warn.h"

#include <string.h>

enum { VARIANTS_MOST = 1000 };

struct choosing {
    const struct ct_options *options;
    const char *format;
    size_t most; /* 0: the fewest */
    struct ct_arena arena;
    struct ct_sweep sweep;
    struct ct_db_points_query query;
    struct ct_db_points points;
    struct ct_variants variants;
    struct ct_selector selector;
    struct ct_report_choice choice;
};

/* What the options say together; returns the exit status. */
static int check_options(struct choosing *c)
{
    const struct ct_options *options = c->options;
    uint64_t most = 0;

    if (options->portable && options->variants)
        return ct_cli_usage("best", "--portable and --variants contradict each other: "
                                    "--portable chooses one configuration");
    if (options->candidates || options->assume.count)
        return ct_cli_usage("best",
                            "--%s concerns a device that was never measured, and "
                            "--%s chooses for those that were",
                            options->candidates ? "candidates" : "assume",
                            options->portable ? "portable" : "variants");
    if (strcmp(c->format, "text") != 0 && strcmp(c->format, "json") != 0 &&
        strcmp(c->format, "header") != 0)
        return ct_cli_usage("best",
                            "--%s supports --format text, json and header, not %s",
                            options->portable ? "portable" : "variants", c->format);
    if (options->variants && strcmp(options->variants, "auto") != 0 &&
        (!ct_option_number(options->variants, &most) || !most || most > VARIANTS_MOST))
        return ct_cli_usage("best",
                            "--variants requires a number from 1 to %d, or 'auto' (the "
                            "fewest within 5%% of the best everywhere), not '%s'",
                            VARIANTS_MOST, options->variants);
    c->most = (size_t)most;
    return CT_EXIT_OK;
}

/* The problems that -p selects. */
static enum ct_status select_problems(struct choosing *c, struct ct_err *err)
{
    struct ct_db_points_size *sizes;

    if (ct_sweep_init(&c->sweep, &c->options->problem, err))
        return err->code;
    if (ct_sweep_is_weighted(&c->sweep) && !c->options->portable)
        return ct_err_set(err, CT_E_USAGE,
                          "--variants limits the loss in each case, so weights have no "
                          "meaning: use --portable, or -p without weights");
    sizes = ct_arena_array(&c->arena, c->sweep.list_count, sizeof(*sizes));
    if (!sizes)
        return ct_err_nomem(err);
    for (size_t i = 0; i < c->sweep.list_count; i++) {
        const struct ct_sweep_list *list = &c->sweep.lists[i];
        cltunedb_value *values = ct_arena_array(&c->arena, list->count, sizeof(*values));

        if (!values)
            return ct_err_nomem(err);
        for (size_t k = 0; k < list->count; k++) {
            struct ct_setting one = {.name = list->name, .text = ct_sweep_value(list, k)};

            values[k] = ct_cli_query_value(&one);
        }
        sizes[i] =
            (struct ct_db_points_size){list->name, values, list->weights, list->count};
    }
    c->query.sizes = sizes;
    c->query.size_count = c->sweep.list_count;
    return CT_OK;
}

static enum ct_status choose(struct choosing *c, struct ct_db *db, struct ct_err *err)
{
    bool text = strcmp(c->format, "text") == 0;
    enum ct_status status = ct_db_points_read(db, &c->query, &c->points, err);

    if (!status)
        status = c->options->portable
                     ? ct_variants_portable(&c->points, &c->variants, err)
                     : ct_variants_choose(&c->points, c->most, &c->variants, err);
    if (!status && !text)
        status = ct_selector_learn(&c->points, &c->variants, &c->selector, err);
    if (!status)
        status = ct_report_choice_read(db, &c->points, &c->variants, &c->choice, err);
    c->choice.selector = text ? NULL : &c->selector;
    c->choice.portable = c->options->portable;
    return status;
}

static enum ct_status show(const struct choosing *c, struct ct_err *err)
{
    if (c->points.outdated)
        ct_report_warn("%zu case%s left out: only an older source of kernel %s was "
                       "measured there",
                       c->points.outdated, c->points.outdated == 1 ? " is" : "s are",
                       c->points.kernel);
    if (strcmp(c->format, "json") == 0)
        return ct_report_choice_json(&c->choice, err);
    return strcmp(c->format, "header") == 0 ? ct_report_choice_header(&c->choice, err)
                                            : ct_report_choice_text(&c->choice, err);
}

/* What was shipped with a system or an application and cannot be used. */
static void warn_of_layers(const struct ct_layers *layers)
{
    for (size_t i = 0; i < layers->count; i++)
        if (i && !layers->items[i].db && layers->items[i].why.code &&
            layers->items[i].why.code != CT_E_NOT_FOUND)
            ct_report_warn("a database is not used: %s", layers->items[i].why.message);
}

/* Chooses from the databases in layers; `layers` and `scratch` are released by the caller. */
static enum ct_status choose_and_show(struct choosing *c, struct ct_layers *layers,
                                      struct ct_scratch *scratch, struct ct_err *err)
{
    enum ct_status status = ct_layers_open(layers, c->options->db, err);
    struct ct_db *db = NULL;

    if (!status && ct_layers_are_several(layers))
        status = ct_scratch_open(scratch, err);
    if (!status)
        status = ct_layers_combine(layers, c->query.kernel, scratch->path.data, &db, err);
    warn_of_layers(layers);
    if (!status)
        status = choose(c, db, err);
    return status ? status : show(c, err);
}

int ct_cli_best_variants(const struct ct_options *options, const char *format)
{
    struct choosing c = {.options = options, .format = format};
    struct ct_scratch scratch = {.lock = -1};
    struct ct_layers layers = {0};
    struct ct_err err = CT_ERR_INIT;
    int exit_status = check_options(&c);

    if (exit_status)
        return exit_status;
    c.query.kernel = options->operand_count ? options->operands[0] : NULL;
    c.query.devices =
        options->device && strcmp(options->device, "all") != 0 ? options->device : NULL;
    c.query.objective = options->objective;
    if (select_problems(&c, &err) || choose_and_show(&c, &layers, &scratch, &err))
        exit_status = ct_cli_error(&err);
    ct_report_choice_release(&c.choice);
    ct_selector_release(&c.selector);
    ct_variants_release(&c.variants);
    ct_db_points_release(&c.points);
    ct_layers_close(&layers);
    if (scratch.lock >= 0)
        ct_scratch_close(&scratch);
    ct_sweep_release(&c.sweep);
    ct_arena_release(&c.arena);
    return exit_status;
}
