// SPDX-License-Identifier: Apache-2.0
// Values of options: numbers, durations, shares, lists of words.
#include "cli/option_store.h"

#include "cli/option_values.h"

#include "base/str.h"
#include "schedule/measure.h"
#include "schedule/scheduler.h"
#include "spacefile/spec.h"

#include <stdio.h>
#include <string.h>

static enum ct_status parse_jobs(const char *text, unsigned *out, struct ct_err *err)
{
    uint64_t number = 0;

    if (strcmp(text, "auto") != 0 &&
        (!ct_option_number(text, &number) || number > CT_SCHEDULER_JOBS_MAX))
        return ct_err_set(
            err, CT_E_USAGE,
            "--jobs requires a number from 1 to %d, or 'auto' or 0 (one for each "
            "processor), not '%s'",
            CT_SCHEDULER_JOBS_MAX, text);
    *out = (unsigned)number;
    return CT_OK;
}

/* The bit of one word of --retry; successful results are measured again by --fresh. */
static enum ct_status parse_status(const char *word, unsigned *bits, struct ct_err *err)
{
    const char *names[CT_RESULT_STATUS_COUNT + 1];
    const char *near;
    size_t count = 0;

    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++) {
        const char *name = ct_result_status_name((enum ct_result_status)i);

        if (i == CT_RESULT_OK)
            continue;
        names[count++] = name;
        if (strcmp(word, name) == 0 || strcmp(word, "all") == 0)
            *bits |= 1u << i;
    }
    names[count++] = "all";
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return CT_OK;
    if (strcmp(word, "ok") == 0)
        return ct_err_set(
            err, CT_E_USAGE,
            "--retry applies to failures; use --fresh to measure successful "
            "results again");
    near = ct_str_suggest(word, names, count);
    return ct_err_set(
        err, CT_E_USAGE, "--retry: unknown failure status '%s'%s%s%s", word,
        near ? "; did you mean '"
             : "; use build_failed, invalid, wrong, crashed, timeout, interrupted, "
               "skipped or all",
        near ? near : "", near ? "'?" : "");
}

static enum ct_status parse_statuses(const char *text, unsigned *bits, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (;;) {
        size_t length = strcspn(text, ",");
        char word[32];

        snprintf(word, sizeof(word), "%.*s", (int)(length < 31 ? length : 31), text);
        status = parse_status(word, bits, err);
        if (status || !text[length])
            return status;
        text += length + 1;
    }
}

static enum ct_status store_number(const struct ct_option_row *row, const char *text,
                                   struct ct_options *options, struct ct_err *err)
{
    uint64_t number;

    if (!ct_option_number(text, &number) || (row->form == FORM_COUNT && !number))
        return ct_err_set(err, CT_E_USAGE, "--%s requires a whole number%s, not '%s'",
                          row->name, row->form == FORM_COUNT ? " of at least 1" : "",
                          text);
    memcpy((char *)options + row->offset, &number, sizeof(number));
    if (row->offset == CT_OPTION_AT(seed))
        options->seed_given = true;
    if (row->offset == CT_OPTION_AT(listing.index))
        options->listing.index_given = true;
    return CT_OK;
}

static enum ct_status store_shard(const struct ct_option_row *row, const char *text,
                                  char *field, struct ct_err *err)
{
    struct ct_shard shard;

    if (strcmp(text, "auto") == 0) {
        enum ct_status status = ct_option_task(row->name, &shard, err);

        if (status)
            return status;
    } else if (!ct_option_shard(text, &shard)) {
        return ct_err_set(err, CT_E_USAGE,
                          "--%s requires I/N with I from 1 to N, such as 1/4, not '%s'",
                          row->name, text);
    }
    memcpy(field, &shard, sizeof(shard));
    return CT_OK;
}

enum ct_status ct_option_store(const struct ct_option_row *row, const char *text,
                               struct ct_options *options, struct ct_err *err)
{
    char *field = (char *)options + row->offset;
    uint64_t number;
    double seconds;
    char what[40];

    switch (row->form) {
    case FORM_FLAG:
        memcpy(field, &(bool){true}, sizeof(bool));
        break;
    case FORM_NAME:
        /* Most likely a variable that is not set: everything would fit, of a database, too. */
        if (!*text)
            return ct_err_set(err, CT_E_USAGE, "--%s requires a name, not ''", row->name);
        memcpy(field, &text, sizeof(text));
        break;
    case FORM_TEXT:
        memcpy(field, &text, sizeof(text));
        break;
    case FORM_TEXTS:
        return ct_texts_add((struct ct_texts *)(void *)field, text, err);
    case FORM_COUNT:
    case FORM_NUMBER:
        return store_number(row, text, options, err);
    case FORM_DURATION:
        if (!ct_option_duration(text, &seconds))
            return ct_err_set(
                err, CT_E_USAGE,
                "--%s requires a duration such as 90, 90s, 5m or 2h, not '%s'", row->name,
                text);
        memcpy(field, &seconds, sizeof(seconds));
        return CT_OK;
    case FORM_SIZE:
        if (!ct_option_size(text, &number))
            return ct_err_set(err, CT_E_USAGE,
                              "--%s requires a size such as 512M or 2G, not '%s'",
                              row->name, text);
        memcpy(field, &number, sizeof(number));
        return CT_OK;
    case FORM_SHARE:
        if (!ct_spec_share(text, &seconds))
            return ct_err_set(err, CT_E_USAGE,
                              "--%s requires a share such as 0.05 or 5%%, not '%s'",
                              row->name, text);
        memcpy(field, &seconds, sizeof(seconds));
        return CT_OK;
    case FORM_SHARD:
        return store_shard(row, text, field, err);
    case FORM_JOBS:
        return parse_jobs(text, &options->workers.jobs, err);
    case FORM_STATUSES:
        return parse_statuses(text, &options->stored.retry, err);
    case FORM_SETTING:
        snprintf(what, sizeof(what), "--%s", row->name);
        return ct_settings_add((struct ct_settings *)(void *)field, text, what, err);
    }
    return CT_OK;
}
