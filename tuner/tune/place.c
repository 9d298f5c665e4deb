// SPDX-License-Identifier: Apache-2.0
// Adds the place in the space file to workers' errors.
#include "tune/place.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

/* The C file named by a fill whose function the message is about. */
static struct ct_place fill_place(const struct ct_spec *spec, const char *message)
{
    struct ct_place place = {0};

    for (size_t i = 0; i < spec->buffer_count; i++) {
        const struct ct_spec_fill *both[] = {&spec->buffers[i].fill,
                                             &spec->buffers[i].expect};

        for (size_t j = 0; j < 2; j++)
            if (both[j]->kind == CT_FILL_C && strstr(message, both[j]->function))
                place = both[j]->place;
    }
    return place;
}

/* "args of [reference]:1:12" is a place in generated C code: it is replaced by the place of the
 * arguments in the space file. */
static void place_args(const struct ct_spec *spec, struct ct_err *err)
{
    const struct {
        const char *text;
        struct ct_place place;
    } kinds[] = {
        {"args of [reference]:1:", spec->reference.host.args_place},
        {"args of [baseline]:1:", spec->baseline.args_place},
        {"args of [fill]:1:", fill_place(spec, err->message)},
    };
    struct ct_str out;
    const char *from = err->message;

    ct_str_init(&out);
    while (*from) {
        size_t i = 0;

        while (i < 3 && !(kinds[i].place.line && ct_str_starts(from, kinds[i].text)))
            i++;
        if (i == 3) {
            ct_str_putc(&out, *from++);
            continue;
        }
        ct_str_addf(&out, "%s:%d:%d", spec->path, kinds[i].place.line,
                    kinds[i].place.column);
        from += strlen(kinds[i].text);
        from += strspn(from, "0123456789");
    }
    if (!out.failed)
        snprintf(err->message, sizeof(err->message), "%s", out.data);
    ct_str_release(&out);
}

void ct_place_error(const struct ct_spec *spec, struct ct_err *err)
{
    if (err->code == CT_E_SPEC && strstr(err->message, "args of ["))
        place_args(spec, err);
    if (err->code != CT_E_SPEC || *err->file || !ct_str_starts(err->message, "launch "))
        return;
    for (size_t i = 0; i < spec->launch_count; i++) {
        const struct ct_spec_launch *launch = &spec->launches[i];
        const char *name = err->message + strlen("launch ");

        if (!ct_str_starts(name, launch->name) || name[strlen(launch->name)] != ':')
            continue;
        snprintf(err->file, sizeof(err->file), "%s", spec->path);
        err->line = launch->args_place.line;
        err->column = launch->args_place.column;
        return;
    }
}
