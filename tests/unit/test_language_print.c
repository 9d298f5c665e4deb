// SPDX-License-Identifier: Apache-2.0
// Printing a specification so that what is read back is the same.
#include "language_file.h"

#include "base/rng.h"

static void print_spec(const struct ct_spec *spec, struct ct_str *out)
{
    ct_str_init(out);
    ct_spec_print(spec, out);
    assert_false(out->failed);
}

/* Plans of one configuration of both files are the same, or fail alike. */
static bool same_plan(struct file *a, struct file *b)
{
    enum ct_status status =
        ct_binding_plan(a->binding, a->values, a->cache, &a->arena, &a->plan, &a->err);

    memcpy(b->values, a->values, a->spec->param_count * sizeof(*a->values));
    assert_int_equal(
        ct_binding_plan(b->binding, b->values, b->cache, &b->arena, &b->plan, &b->err),
        status);
    if (!status)
        assert_string_equal(ct_plan_hash(&a->plan).text, ct_plan_hash(&b->plan).text);
    return !status;
}

/* Prints, reads and prints again; returns how many of `configs` random configurations
 * have a plan. */
static int check_printing(const char *text, struct ct_rng *rng, int configs)
{
    struct ct_str first;
    struct ct_str second;
    struct file a;
    struct file b;
    int planned = 0;

    open_file(&a, text);
    print_spec(a.spec, &first);
    open_file(&b, first.data);
    print_spec(b.spec, &second);
    assert_string_equal(first.data, second.data);
    assert_int_equal(a.spec->param_count, b.spec->param_count);
    for (int i = 0; i < configs; i++) {
        for (size_t p = 0; p < a.spec->param_count; p++) {
            const struct ct_domain *domain = &a.binding->domains[p];

            a.values[p] = domain->values[ct_rng_below(rng, domain->count)];
        }
        planned += same_plan(&a, &b);
    }
    close_file(&a);
    close_file(&b);
    ct_str_release(&first);
    ct_str_release(&second);
    return planned;
}

static void everything_is_printed(void **state)
{
    struct ct_rng rng;
    struct ct_str text;
    FILE *file = fopen("spaces/fir.ini", "rb");
    char line[512];

    (void)state;
    ct_rng_seed(&rng, 7);
    assert_int_equal(check_printing(everything, &rng, 50), 50);
    assert_non_null(file);
    ct_str_init(&text);
    while (fgets(line, sizeof(line), file)) {
        const char *at = strstr(line, "../kernels/");

        /* The text stands in another folder here. */
        if (at)
            ct_str_addf(&text, "%.*s../../../kernels/%s", (int)(at - line), line,
                        at + 11);
        else
            ct_str_puts(&text, line);
    }
    fclose(file);
    assert_true(check_printing(text.data, &rng, 50) > 10);
    ct_str_release(&text);
}

/* --- random files --- */

static const char *const int_names[] = {"n", "m", "A", "B", "sum", "k"};

static void put_int(struct ct_str *out, struct ct_rng *rng, int depth);

static void put_call(struct ct_str *out, struct ct_rng *rng, int depth)
{
    static const struct {
        const char *name;
        int args;
    } calls[] = {{"min", 2},    {"max", 3},         {"abs", 1}, {"ceildiv", 2},
                 {"ispow2", 1}, {"divides", 2},     {"gcd", 2}, {"roundup", 2},
                 {"int", 1},    {"int(3.5e2 + ", 1}};
    size_t pick = (size_t)ct_rng_below(rng, sizeof(calls) / sizeof(calls[0]));

    ct_str_addf(out, "%s%s", calls[pick].name, strchr(calls[pick].name, '(') ? "" : "(");
    for (int i = 0; i < calls[pick].args; i++) {
        ct_str_puts(out, i ? "," : "");
        /* What follows the `+` of the last one must stay one operand. */
        ct_str_puts(out, "(");
        put_int(out, rng, depth - 1);
        ct_str_puts(out, ")");
    }
    ct_str_putc(out, ')');
}

/* Comparisons do not chain: what is compared may be one itself. */
static void put_operand(struct ct_str *out, struct ct_rng *rng, int depth, bool compared)
{
    ct_str_puts(out, compared ? "(" : "");
    put_int(out, rng, depth - 1);
    ct_str_puts(out, compared ? ")" : "");
}

/* An expression of integers, with parentheses now and then. */
static void put_int(struct ct_str *out, struct ct_rng *rng, int depth)
{
    static const char *const binary[] = {"*",  "/", "%",  "+", "-",  "<<",
                                         ">>", "<", "<=", ">", ">=", "==",
                                         "!=", "&", "^",  "|", "&&", "||"};
    static const char *const unary[] = {"-", "!", "~", "- ", "+"};
    bool parentheses = ct_rng_below(rng, 3) == 0;
    bool compares;
    size_t op;

    if (depth <= 0) {
        if (ct_rng_below(rng, 2))
            ct_str_puts(out, int_names[ct_rng_below(rng, 6)]);
        else
            ct_str_addf(out, "%d", (int)ct_rng_below(rng, 9));
        return;
    }
    ct_str_puts(out, parentheses ? "(" : "");
    switch (ct_rng_below(rng, 6)) {
    case 0:
        ct_str_puts(out, unary[ct_rng_below(rng, 5)]);
        put_int(out, rng, depth - 1);
        break;
    case 1:
        put_int(out, rng, depth - 1);
        ct_str_puts(out, " ? ");
        put_int(out, rng, depth - 1);
        ct_str_puts(out, " : ");
        put_int(out, rng, depth - 1);
        break;
    case 2:
        put_call(out, rng, depth);
        break;
    default:
        op = (size_t)ct_rng_below(rng, 18);
        compares = strchr("<>=!", *binary[op]) && op != 5 && op != 6;
        put_operand(out, rng, depth, compares);
        ct_str_addf(out, " %s ", binary[op]);
        put_operand(out, rng, depth, compares);
        break;
    }
    ct_str_puts(out, parentheses ? ")" : "");
}

static void put_key(struct ct_str *out, struct ct_rng *rng, const char *before,
                    const char *after)
{
    ct_str_puts(out, before);
    put_int(out, rng, (int)ct_rng_below(rng, 4));
    ct_str_puts(out, after);
}

static bool chance(struct ct_rng *rng)
{
    return ct_rng_below(rng, 2) == 0;
}

static void put_data(struct ct_str *out, struct ct_rng *rng)
{
    static const char *const fills[] = {"none",          "zero",         "constant(-1.5)",
                                        "ramp(1, 1e-3)", "normal(0, 1)", "uniform(-A, n)",
                                        "c(host.c, f)",  "file(host.c)"};

    for (int i = 0; i < 3; i++) {
        ct_str_addf(out, "[buffer b%d]\ntype = %s\ncount = 64\n", i,
                    chance(rng) ? "float2" : "${T}");
        ct_str_addf(out, "fill = %s\n", fills[ct_rng_below(rng, 8)]);
        ct_str_puts(out, chance(rng) ? "restore = each\n" : "");
        ct_str_puts(out, chance(rng) ? "transfer = MODE\n" : "transfer = map\n");
        if (chance(rng))
            ct_str_addf(out, "check = %s\ncompare = 1 + A %% 3\n",
                        chance(rng) ? "abs(1e-5)" : "exact");
    }
    ct_str_addf(out, "[buffer b3]\ntype = float2\ncount = 64\nfill = %s\ncheck = 1e-3\n",
                chance(rng) ? "zero" : "ramp(k, 1)");
    ct_str_addf(out, "[image i]\nsize = %s\nformat = CL_RG CL_%s\n",
                chance(rng) ? "8, n" : "k + 1", chance(rng) ? "FLOAT" : "SIGNED_INT16");
}

static void put_launches(struct ct_str *out, struct ct_rng *rng)
{
    for (int i = 0; i < 3; i++) {
        ct_str_addf(out, "[launch l%d]\nkernel = run_${STYLE}\n", i);
        put_key(out, rng, "args = b0, long(", "), ");
        put_key(out, rng, "", " ? b1 : ");
        put_key(out, rng, "", " ? i : b2, local(8 * A) if ");
        put_key(out, rng, "",
                ", sampler(repeat, normalized), int(pass), struct(long(A, 2),"
                " float2(1, pass), A > 4 ? uchar(3) : int(4)), null\n");
        put_key(out, rng, "global = 1 + abs((", ") % 64), 3 + pass\n");
        ct_str_puts(out, chance(rng) ? "local = A, 1\n" : "");
        if (chance(rng))
            put_key(out, rng, "define = X=(", ") % 7, Y='word' if A > 1\n");
        if (chance(rng))
            put_key(out, rng, "require = KERNEL_LOCAL_MEM_SIZE > (", ")\n");
    }
    ct_str_puts(out, "[launch c]\ncopy = b0, b1\n");
    if (chance(rng))
        put_key(out, rng, "when = ", "\n");
    ct_str_puts(out, "[loop pass]\nlaunches = l0, l1, l2\ncount = 1 + A % 3\n");
    ct_str_puts(out, chance(rng) ? "swap = b0, b3\n" : "");
}

static void put_random_file(struct ct_str *out, struct ct_rng *rng)
{
    ct_str_puts(out, "[kernel]\nname = k\nsource = kernel.cl\noptions = -DZ=${sum}\n"
                     "[problem]\nn = 12\nm = n - 5\n[param]\nMODE = 'map', 'host'\n"
                     "STYLE = 'one', 'two'\nT = 'int', 'float2'\nB = 1..9 step 2, -3\n"
                     "A = pow2(1, 8), 5 .. 7, divisors(n)");
    put_key(out, rng, " if ", "\n[let]\n");
    put_key(out, rng, "k = abs((", ") % 1000)\n");
    put_key(out, rng, "[derive]\nsum = A + ", " * 0\n[define]\n");
    put_key(out, rng, "D = ", " if A > 2\n[constraint]\n");
    put_key(out, rng, "first one = ", "\n");
    put_data(out, rng);
    put_launches(out, rng);
    if (chance(rng))
        ct_str_puts(out, "[reference]\nconfig = A=4 STYLE=two\n");
    else
        ct_str_puts(
            out,
            "[reference]\nc = host.c\nfunction = f\nargs = b0, b1, b2, b3, int(n)\n");
    ct_str_puts(out, "[metric]\ng = A / time_ns\n[measure]\nobjective = g\n"
                     "direction = maximize\nevaluations = 100\nduration = 1.5 h\n"
                     "target = 3.5\nno_progress = 7\nfraction = 2.5%\n");
}

/* Whether a file can be read and bound. */
static bool is_sound(const char *text)
{
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_spec *spec = NULL;
    struct ct_binding *binding = NULL;
    bool sound = !ct_spec_parse(PATH, text, strlen(text), &spec, &diags, &err) &&
                 !ct_binding_new(spec, NULL, &binding, &diags, &err);

    ct_binding_free(binding);
    ct_spec_free(spec);
    ct_diags_release(&diags);
    return sound;
}

/* Most of them are unsound, and so left out: names use each other in a circle, say. */
enum { FILES = 5000 };

static void random_files_are_printed(void **state)
{
    struct ct_rng rng;
    int sound = 0;
    int planned = 0;

    (void)state;
    ct_rng_seed(&rng, 20240601);
    for (int i = 0; i < FILES; i++) {
        struct ct_str text;

        ct_str_init(&text);
        put_random_file(&text, &rng);
        if (is_sound(text.data)) {
            sound++;
            planned += check_printing(text.data, &rng, 8);
        }
        ct_str_release(&text);
    }
    assert_true(sound > 400);
    assert_true(planned > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_printed),
        cmocka_unit_test(random_files_are_printed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
