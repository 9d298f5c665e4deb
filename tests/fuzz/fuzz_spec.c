// SPDX-License-Identifier: Apache-2.0
// The whole way of a space file: parse, print, bind without a device and with one,
// evaluate, default, plan, send the plan, send it damaged.  A refusal has a reason,
// success leaves none, what is sent arrives.  The library sees no files (fuzz_files.h).
//
// Lines `;p NAME=TEXT`, `;r ...`, `;a ...` and `;c ...` at the beginning, comments for
// the library, are settings as from the command line: sizes, restrictions, assumed limits
// and a configuration.
#include "../unit/binding_canonical.h"
#include "fuzz.h"

#include "base/wire.h"
#include "plan/binding.h"
#include "spacefile/source.h"

/* Configurations of a binding that are looked at. */
enum { CONFIGS = 4 };

/* Damaged messages for each plan. */
enum { DAMAGES = 4 };

static void device_init(struct ct_devinfo *device)
{
    memset(device, 0, sizeof(*device));
    device->platform_name = "Fuzz";
    device->platform_version = "OpenCL 1.2";
    device->driver_version = "1";
    device->type = "GPU";
    for (int i = 0; i < CT_DEVPROP_COUNT; i++)
        device->props[i] = ct_devprops[i].kind == CT_TEXT ? ct_value_text("Fuzz 1.2")
                                                          : ct_value_int(256);
    device->props[CT_DEVICE_IMAGE2D_MAX_WIDTH] = (struct ct_value){0};
}

/* A finding has a message; success has none. */
static void check_err(enum ct_status status, const struct ct_err *err)
{
    FUZZ_CHECK(status != CT_E_INTERNAL && status != CT_E_NOMEM);
    FUZZ_CHECK(!status == !err->message[0]);
    FUZZ_CHECK(!status || err->code == status);
}

/* A damaged message is refused, or is a plan that can be used. */
static void check_damaged(struct ct_str *message)
{
    uint64_t state = message->length;

    for (unsigned i = 0; i < DAMAGES && message->length; i++) {
        struct ct_arena arena = {0};
        struct ct_err err = CT_ERR_INIT;
        struct ct_wire_reader in;
        struct ct_plan plan;
        enum ct_status status;
        size_t at;
        char kept;

        for (size_t j = 0; j < message->length; j += 7)
            state = (state ^ (unsigned char)message->data[j]) * 0x100000001B3U + i;
        at = (size_t)(state >> 20) % message->length;
        kept = message->data[at];
        message->data[at] = (char)(i & 1 ? kept ^ (char)(1 << (state >> 8 & 7)) : -1);
        ct_wire_reader_init(&in, message->data, i & 2 ? at : message->length);
        status = ct_plan_get(&in, &arena, &plan, &err);
        check_err(status, &err);
        if (!status) {
            struct ct_str again;

            ct_str_init(&again);
            ct_plan_put(&again, &plan);
            ct_str_release(&again);
            FUZZ_CHECK(ct_plan_hash(&plan).text[0] && ct_plan_data_hash(&plan).text[0]);
        }
        message->data[at] = kept;
        ct_arena_release(&arena);
    }
}

/* What is sent arrives, and has the same identity. */
static void check_sent(const struct ct_plan *plan)
{
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_wire_reader in = {0};
    struct ct_plan again;
    struct ct_hash before = ct_plan_hash(plan);
    struct ct_hash after;
    struct ct_str message;
    struct ct_str options;

    ct_str_init(&message);
    ct_str_init(&options);
    ct_plan_put(&message, plan);
    FUZZ_CHECK(!message.failed);
    ct_wire_reader_init(&in, message.data, message.length);
    FUZZ_CHECK(ct_plan_get(&in, &arena, &again, &err) == CT_OK);
    after = ct_plan_hash(&again);
    FUZZ_CHECK(strcmp(before.text, after.text) == 0);
    for (size_t i = 0; i < again.program_count; i++)
        FUZZ_CHECK(ct_plan_options(&again.programs[i], &options));
    check_damaged(&message);
    ct_str_release(&options);
    ct_str_release(&message);
    ct_arena_release(&arena);
}

static void plan(const struct ct_binding *binding, const struct ct_value *values)
{
    struct ct_source_cache *cache = ct_source_cache_new();
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_plan out;
    enum ct_status status;

    FUZZ_CHECK(cache);
    status = ct_binding_plan(binding, values, cache, &arena, &out, &err);
    check_err(status, &err);
    if (!status)
        check_sent(&out);
    ct_arena_release(&arena);
    ct_source_cache_free(cache);
}

/* A configuration by indices: the first values, the last ones, and some between. */
static void choose(const struct ct_binding *binding, unsigned number, uint32_t *config)
{
    for (size_t p = 0; p < binding->spec->param_count; p++) {
        size_t count = binding->domains[p].count;

        config[p] = number ? (uint32_t)((number * 7 + p * number) % count) : 0;
        if (number == 1)
            config[p] = (uint32_t)(count - 1);
    }
}

static void look_at(const struct ct_binding *binding, unsigned number, uint32_t *config,
                    struct ct_value *values, struct ct_value *env)
{
    const struct ct_spec *spec = binding->spec;
    struct ct_quantities observed = {0};
    bool valid = true;
    struct ct_str text;
    double metric;

    ct_quantities_set(&observed, CT_QUANTITY_TIME_NS, 1e6);
    choose(binding, number, config);
    ct_binding_evaluate(binding, config, env);
    valid = binding_canonical(binding, config, env);
    for (size_t i = 0; i < spec->param_count; i++)
        ct_binding_active(binding, i, env);
    for (size_t i = 0; i < spec->constraint_count; i++)
        valid = ct_binding_decide(binding, i, env) == CT_HOLDS && valid;
    ct_binding_values(binding, config, values);
    ct_str_init(&text);
    ct_binding_print(binding, values, env, &text);
    FUZZ_CHECK(!text.failed);
    ct_str_release(&text);
    if (!spec->kernel.present)
        return;
    for (size_t i = 0; i < spec->metric_count; i++)
        ct_binding_metric(binding, i, values, &observed, &metric);
    if (valid)
        plan(binding, values);
}

/* Settings of the four kinds; the texts live in `arena`. */
enum { SETTINGS = 4 };
struct settings {
    struct ct_arena arena;
    struct ct_setting items[4][SETTINGS];
    size_t counts[4];
};

static void settings_init(struct settings *settings, const char *text, size_t length)
{
    static const char kinds[] = "prac";

    memset(settings, 0, sizeof(*settings));
    while (length > 3 && text[0] == ';' && strchr(kinds, text[1]) && text[1]) {
        const char *end = memchr(text, '\n', length);
        size_t size = end ? (size_t)(end - text) : length;
        const char *equals = memchr(text, '=', size);
        size_t kind = (size_t)(strchr(kinds, text[1]) - kinds);

        if (equals > text + 3 && settings->counts[kind] < SETTINGS) {
            struct ct_setting *item = &settings->items[kind][settings->counts[kind]++];

            item->name =
                ct_arena_copy(&settings->arena, text + 3, (size_t)(equals - text) - 3);
            item->text = ct_arena_copy(&settings->arena, equals + 1,
                                       size - (size_t)(equals - text) - 1);
            FUZZ_CHECK(item->name && item->text);
        }
        if (!end)
            break;
        length -= size + 1;
        text = end + 1;
    }
}

static void use_given(const struct ct_binding *binding, const struct settings *settings,
                      struct ct_value *values)
{
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status =
        ct_binding_parse(binding, settings->items[3], settings->counts[3], values, &err);

    check_err(status, &err);
    if (!status && binding->spec->kernel.present)
        plan(binding, values);
}

static void use(const struct ct_binding *binding, const struct settings *settings)
{
    const struct ct_spec *spec = binding->spec;
    uint32_t *config = calloc(spec->param_count + 1, sizeof(*config));
    struct ct_value *values = calloc(spec->param_count + 1, sizeof(*values));
    struct ct_value *env = calloc(spec->slots.count + 1, sizeof(*env));
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status;

    FUZZ_CHECK(config && values && env);
    for (size_t p = 0; p < spec->param_count; p++)
        FUZZ_CHECK(binding->domains[p].count > 0 &&
                   binding->inactive[p] < binding->domains[p].count);
    status = ct_binding_default(binding, values, &err);
    check_err(status, &err);
    if (!status && spec->kernel.present)
        plan(binding, values);
    if (!status)
        use_given(binding, settings, values);
    for (unsigned i = 0; i < CONFIGS; i++)
        look_at(binding, i, config, values, env);
    free(config);
    free(values);
    free(env);
}

static void bind(const struct ct_spec *spec, const struct ct_devinfo *device,
                 const struct settings *settings)
{
    struct ct_binding_options options = {
        .device = device,
        .problem_count = settings->counts[0],
        .problem = settings->items[0],
        .restrict_count = settings->counts[1],
        .restrict_ = settings->items[1],
        .assume_count = settings->counts[2],
        .assume = settings->items[2],
    };
    struct ct_binding *binding = NULL;
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status = ct_binding_new(spec, &options, &binding, &diags, &err);

    check_err(status, &err);
    FUZZ_CHECK(!status == (binding != NULL));
    if (!status)
        use(binding, settings);
    ct_binding_free(binding);
    ct_diags_release(&diags);
}

/* Printed, a specification reads back, and prints the same again. */
static void check_printed(const struct ct_spec *spec)
{
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_spec *again = NULL;
    struct ct_str once;
    struct ct_str twice;

    ct_str_init(&once);
    ct_str_init(&twice);
    ct_spec_print(spec, &once);
    if (ct_spec_parse("/nonexistent/fuzz.ini", once.data, once.length, &again, &diags,
                      &err)) {
        fprintf(stderr, "%d:%d: %s\n%s\n", err.line, err.column, err.message, once.data);
        FUZZ_CHECK(!"what is printed reads back");
    }
    ct_spec_print(again, &twice);
    if (strcmp(once.data, twice.data) != 0)
        fprintf(stderr, "%s\n---\n%s\n", once.data, twice.data);
    FUZZ_CHECK(strcmp(once.data, twice.data) == 0);
    ct_spec_free(again);
    ct_str_release(&once);
    ct_str_release(&twice);
    ct_diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ct_devinfo device;
    struct settings settings;
    struct ct_spec *spec = NULL;
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    char *text = malloc(size ? size : 1);
    int lines = 1;
    enum ct_status status;

    FUZZ_CHECK(text);
    if (size)
        memcpy(text, data, size);
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    status = ct_spec_parse("/nonexistent/fuzz.ini", text, size, &spec, &diags, &err);
    check_err(status, &err);
    fuzz_check_diags(&diags, lines);
    FUZZ_CHECK(!status == (spec != NULL) && !status == !diags.errors);
    if (!status) {
        check_printed(spec);
        device_init(&device);
        settings_init(&settings, text, size);
        bind(spec, NULL, &settings);
        bind(spec, &device, &settings);
        ct_arena_release(&settings.arena);
    }
    ct_spec_free(spec);
    free(text);
    ct_diags_release(&diags);
    return 0;
}
