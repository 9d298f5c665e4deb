// SPDX-License-Identifier: Apache-2.0
#include "base/finding.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void append(struct ct_findings *findings, enum ct_finding_state state,
                   const char *subject, const char *text, const char *remedy)
{
    struct ct_finding *one;

    findings->failed =
        findings->failed || !ct_mem_grow(&findings->items, &findings->capacity,
                                         findings->count + 1, sizeof(*findings->items));
    if (findings->failed)
        return;
    one = &findings->items[findings->count];
    *one = (struct ct_finding){
        .state = state,
        .subject = ct_arena_copy(&findings->arena, subject, strlen(subject)),
        .text = ct_arena_copy(&findings->arena, text, strlen(text)),
        .remedy = ct_arena_copy(&findings->arena, remedy, strlen(remedy)),
    };
    findings->failed = !one->subject || !one->text || !one->remedy;
    findings->count += !findings->failed;
}

void ct_findings_add(struct ct_findings *findings, enum ct_finding_state state,
                     const char *subject, const char *remedy, const char *format, ...)
{
    struct ct_str text;
    va_list args;

    ct_str_init(&text);
    va_start(args, format);
    ct_str_vaddf(&text, format, args);
    va_end(args);
    findings->failed = findings->failed || text.failed;
    append(findings, state, subject, text.failed ? "" : text.data, remedy);
    ct_str_release(&text);
}

bool ct_findings_bad(const struct ct_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].state == CT_FINDING_BAD)
            return true;
    return false;
}

void ct_findings_put(struct ct_str *out, const struct ct_findings *findings)
{
    ct_wire_put_u64(out, findings->count);
    for (size_t i = 0; i < findings->count; i++) {
        ct_wire_put_u32(out, (uint32_t)findings->items[i].state);
        ct_wire_put_text(out, findings->items[i].subject);
        ct_wire_put_text(out, findings->items[i].text);
        ct_wire_put_text(out, findings->items[i].remedy);
    }
    out->failed = out->failed || findings->failed;
}

void ct_findings_get(struct ct_wire_reader *in, struct ct_findings *findings)
{
    struct ct_arena arena = {0};
    size_t count = ct_wire_get_count(in, sizeof(uint32_t));

    for (size_t i = 0; i < count && !in->failed; i++) {
        uint32_t state = ct_wire_get_u32(in);
        const char *subject = ct_wire_get_text(in, &arena);
        const char *text = ct_wire_get_text(in, &arena);
        const char *remedy = ct_wire_get_text(in, &arena);

        if (state >= CT_FINDING_STATE_COUNT || !subject || !text || !remedy)
            in->failed = true;
        else
            append(findings, (enum ct_finding_state)state, subject, text, remedy);
    }
    ct_arena_release(&arena);
}

void ct_findings_release(struct ct_findings *findings)
{
    ct_arena_release(&findings->arena);
    free(findings->items);
    *findings = (struct ct_findings){0};
}
