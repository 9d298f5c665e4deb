// SPDX-License-Identifier: Apache-2.0
// Summaries of new space files.
#include "report/init.h"

#include "plan/json.h"
#include "report/format.h"
#include "report/json.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/width.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The next line that a person must decide, from `*at` on; false at the end. */
static bool next_decision(const char **at, int *line, const char **text, size_t *length)
{
    while (**at) {
        const char *begin = *at;
        size_t whole = strcspn(begin, "\n");
        size_t mark = strlen(CT_DRAFT_DECIDE);

        *at += whole + (begin[whole] == '\n');
        ++*line;
        if (strncmp(begin, CT_DRAFT_DECIDE, mark) != 0)
            continue;
        *text = begin + mark;
        *length = whole - mark;
        return true;
    }
    return false;
}

static void print_launch(const struct ct_draft *draft)
{
    ct_print("launch    %zu dimension%s:", draft->dims, draft->dims == 1 ? "" : "s");
    for (size_t d = 0; d < draft->dims; d++) {
        const struct ct_draft_line *line =
            ct_draft_find(&draft->problem, draft->global[d]);

        ct_print("%s %s", d ? "," : "", draft->global[d]);
        if (line)
            ct_print(" = %s", line->value);
    }
    ct_print("\nvaries   ");
    for (size_t i = 0; i < draft->params.count; i++)
        if (!draft->params.items[i].is_off)
            ct_print(" %s", draft->params.items[i].name);
    ct_print_text("\n");
}

static void print_trial(const struct ct_init_trial *trial)
{
    char time[CT_FORMAT_SIZE];
    struct ct_str text;

    ct_str_init(&text);
    if (!trial->tried)
        ct_str_puts(&text, "tried     no: there is no device");
    else if (trial->failure)
        ct_str_addf(&text, "tried     the default configuration fails: %s",
                    trial->failure);
    else
        ct_str_addf(&text, "tried     the default configuration runs in %s",
                    ct_format_time(time, trial->time_ns));
    ct_width_print_lines(ct_screen_out(), STDOUT_FILENO, text.data);
    ct_str_release(&text);
}

void ct_report_init(const struct ct_init *init)
{
    const char *at = init->text.data;
    const char *text;
    struct ct_str decisions;
    size_t length;
    int line = 0;

    ct_print("kernel    %s of %s\n", init->subject.function, init->title);
    print_launch(&init->draft);
    print_trial(&init->trial);
    ct_print("\n%s is written. To decide:\n", init->output);
    ct_str_init(&decisions);
    while (next_decision(&at, &line, &text, &length))
        ct_str_addf(&decisions, "  line %-4d %.*s\n", line, (int)length, text);
    ct_width_print_lines(ct_screen_out(), STDOUT_FILENO, decisions.data);
    ct_str_release(&decisions);
    ct_print("Try: cltune search %s\n", init->output);
}

void ct_report_init_json(const struct ct_init *init)
{
    const struct ct_init_trial *trial = &init->trial;
    json_t *all = json_object();
    json_t *decide = json_array();
    json_t *sources = json_array();
    json_t *params = json_array();
    const char *at = init->text.data;
    const char *text;
    size_t length;
    int line = 0;

    json_object_set_new(all, "file", ct_json_text(init->output));
    json_object_set_new(all, "source", ct_json_text(init->path));
    for (size_t i = 0; i < init->parts.count; i++)
        json_array_append_new(sources, ct_json_text(init->parts.items[i].path));
    json_object_set_new(all, "sources", sources);
    json_object_set_new(all, "kernel", ct_json_text(init->subject.function));
    json_object_set_new(all, "dimensions", json_integer((json_int_t)init->draft.dims));
    for (size_t i = 0; i < init->draft.params.count; i++)
        if (!init->draft.params.items[i].is_off)
            json_array_append_new(params, ct_json_text(init->draft.params.items[i].name));
    json_object_set_new(all, "parameters", params);
    json_object_set_new(all, "runs",
                        trial->tried ? json_boolean(trial->ran) : json_null());
    json_object_set_new(all, "time_ns",
                        trial->ran ? json_real(trial->time_ns) : json_null());
    json_object_set_new(all, "failure",
                        trial->failure ? ct_json_text(trial->failure) : json_null());
    while (next_decision(&at, &line, &text, &length)) {
        char copy[512];

        snprintf(copy, sizeof(copy), "%.*s", (int)length, text);
        json_array_append_new(
            decide, json_pack("{s:i, s:o}", "line", line, "text", ct_json_text(copy)));
    }
    json_object_set_new(all, "decide", decide);
    ct_report_json(all);
    json_decref(all);
}
