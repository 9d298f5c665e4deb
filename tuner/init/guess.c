// SPDX-License-Identifier: Apache-2.0
// Guesses the launch, and puts all guesses together.
#include "init/resolve.h"

#include <inttypes.h>
#include <string.h>

enum { GROUP_MOST = 1024 };

static const char *const axes[] = {"size_x", "size_y", "size_z"};

/* The work-group that the source demands, or that its local array is made for. */
static bool fixed_group(const struct ct_subject *s, struct ct_draft *draft)
{
    const char *const *texts = s->kernel ? s->kernel->required : NULL;
    bool is_required = s->required[0] || (texts && texts[0]);
    const char *found[3] = {NULL, NULL, NULL};
    int64_t items = 1;

    if (!is_required && (!s->usage.uses_local_id || s->usage.local_dims != draft->dims))
        return false;
    for (size_t d = 0; d < draft->dims; d++) {
        int64_t number = 0;
        const char *text = !is_required ? s->usage.local_shape[d]
                           : texts      ? texts[d]
                                        : NULL;

        found[d] = text ? ct_resolve_size(s, draft, text, &number) : NULL;
        if (is_required && s->required[0] &&
            (!found[d] || (uint64_t)number != s->required[d])) {
            found[d] = ct_draft_format(draft, "%" PRIu64, s->required[d]);
            number = (int64_t)s->required[d];
        }
        if (!found[d] || number < 1 || number > GROUP_MOST)
            return false;
        items *= number;
    }
    if (items > GROUP_MOST || (!is_required && (uint64_t)items > s->group_max))
        return false;
    for (size_t d = 0; d < draft->dims; d++)
        draft->local[d] = found[d];
    draft->launch_decide =
        is_required ? NULL : "the work-group: here that of the first local array";
    return true;
}

/* Prefix as capture has it, unless the kernel uses the names. */
static const char *group_prefix(const struct ct_subject *s)
{
    static const char *const names[] = {"LOCAL_X", "LOCAL_Y", "LOCAL_Z"};

    for (size_t d = 0; d < 3; d++)
        for (size_t i = 0; i < s->code->token_count; i++)
            if (strcmp(s->code->tokens[i].text, names[d]) == 0)
                return "CLTUNE_LOCAL_";
    return "LOCAL_";
}

static bool has_local_args(const struct ct_subject *s)
{
    for (size_t i = 0; i < s->arg_count; i++)
        if (s->args[i].place == CT_PLACE_LOCAL)
            return true;
    return false;
}

/* Parameters for the work-group.  Local memory needs a known one. */
static void free_group(const struct ct_subject *s, struct ct_draft *draft)
{
    static const char *const values[2][3][3] = {
        {{"0, 32, 64, 128, 256, 16"},
         {"0, 8, 16, 32, 64", "1, 2, 4, 8, 16"},
         {"0, 4, 8, 16, 32", "1, 2, 4, 8", "1, 2, 4"}},
        {{"64, 32, 128, 256, 16"},
         {"8, 4, 16, 32", "8, 4, 16, 1"},
         {"4, 8, 16", "4, 8, 1", "4, 1, 2"}}};
    bool known = has_local_args(s);
    bool small = s->group_max && s->group_max < 64;
    const char *prefix = group_prefix(s);

    for (size_t d = 0; d < draft->dims; d++) {
        struct ct_draft_line line = {
            .name = ct_draft_format(draft, "%s%c", prefix, "XYZ"[d])};
        const char *list = values[known][draft->dims - 1][d];

        if (known && small)
            list = d ? "1, 2" : "4, 1, 2, 8";
        line.value = list;
        if (d && !known)
            line.value = ct_draft_format(draft, "%s if %sX > 0", list, prefix);
        if (!d)
            line.note = known ? "work-items in a group"
                              : "work-items in a group; 0: the driver chooses";
        ct_draft_add(draft, &draft->params, line);
        ct_draft_add(
            draft, &draft->defaults,
            (struct ct_draft_line){
                .name = line.name,
                .value = ct_draft_format(draft, "%.*s", (int)strcspn(list, ","), list)});
        draft->local[d] = d && !known
                              ? ct_draft_format(draft, "%sX ? %s : 0", prefix, line.name)
                              : line.name;
    }
}

static bool is_number(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0';
}

/* Conditions for the work-group's parameters. */
static void add_constraints(const struct ct_subject *s, struct ct_draft *draft)
{
    struct ct_str text;
    bool any = false;

    ct_str_init(&text);
    for (size_t d = 0; d < draft->dims && draft->local[d]; d++) {
        const char *name = draft->local[d];
        const char *colon = strstr(name, " ? ");

        name = colon ? ct_draft_format(draft, "%.*s", (int)strcspn(colon + 3, " "),
                                       colon + 3)
                     : name;
        any = any || !is_number(name);
        ct_str_addf(&text, "%s%s%s%s", d ? " * " : "", strchr(name, ' ') ? "(" : "", name,
                    strchr(name, ' ') ? ")" : "");
        if (!is_number(name) && !s->usage.has_bounds[d])
            ct_draft_add(
                draft, &draft->constraints,
                (struct ct_draft_line){
                    .name = ct_draft_format(draft, "whole groups %c", "xyz"[d]),
                    .value = ct_draft_format(draft, "%s == 0 || %s %% %s == 0", name,
                                             draft->dims == 1 ? "size" : axes[d], name),
                    .note = d ? NULL : "not needed if the kernel checks its bounds"});
    }
    if (any) {
        ct_str_puts(&text, " <= DEVICE_MAX_WORK_GROUP_SIZE");
        ct_draft_add(
            draft, &draft->constraints,
            (struct ct_draft_line){.name = "group fits",
                                   .value = ct_draft_format(draft, "%s", text.data)});
    }
    ct_str_release(&text);
}

static void guess_launch(const struct ct_subject *s, const struct ct_guess *guess,
                         struct ct_draft *draft)
{
    for (size_t d = 0; d < draft->dims && d < 3; d++) {
        const char *name = draft->dims == 1 ? "size" : axes[d];

        ct_draft_add(draft, &draft->problem,
                     (struct ct_draft_line){
                         .name = name,
                         .value = ct_draft_format(draft, "%" PRIu64, guess->sizes[d])});
        draft->global[d] = name;
    }
    if (!s->usage.knows_dims && !guess->dims)
        draft->launch_decide =
            "the dimensions: the kernel asks for no work-item's number";
    if (!fixed_group(s, draft))
        free_group(s, draft);
    add_constraints(s, draft);
}

/* A space needs a parameter. */
static void add_fallback(struct ct_draft *draft)
{
    if (draft->defaults.count)
        return;
    ct_draft_add(draft, &draft->params,
                 (struct ct_draft_line){.name = "MATH",
                                        .value = "'', '-cl-mad-enable', "
                                                 "'-cl-fast-relaxed-math'",
                                        .note = "the kernel has no other parameter"});
    ct_draft_add(draft, &draft->defaults,
                 (struct ct_draft_line){.name = "MATH", .value = ""});
    draft->options =
        ct_draft_format(draft, "%s%s${MATH}", draft->options, *draft->options ? " " : "");
}

enum ct_status ct_guess_all(const struct ct_subject *s, const struct ct_guess *guess,
                            struct ct_draft *draft, struct ct_err *err)
{
    enum ct_status status;

    draft->dims = guess->dims > s->usage.dims ? guess->dims : s->usage.dims;
    for (size_t d = draft->dims; d < 3; d++)
        if (s->required[d] > 1)
            draft->dims = d + 1;
    ct_guess_params(s, draft);
    guess_launch(s, guess, draft);
    add_fallback(draft);
    status = ct_guess_args(s, guess, draft, err);
    return !status && draft->failed ? ct_err_nomem(err) : status;
}
