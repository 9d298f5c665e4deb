// SPDX-License-Identifier: Apache-2.0
// Sources: comments, hashes that see what the compiler sees, includes found and missing.
#include "spacefile/source.h"

#include "base/str.h"
#include "spacefile/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* --- stripping --- */

static void expect_strip(const char *text, const char *expected)
{
    struct ct_str out;

    ct_str_init(&out);
    ct_str_puts(&out, "x"); /* it appends */
    ct_source_strip(text, strlen(text), &out);
    assert_false(out.failed);
    if (strcmp(out.data + 1, expected) != 0)
        fail_msg("{%s} became {%s} instead of {%s}", text, out.data + 1, expected);
    ct_str_release(&out);
}

static void test_strip_comments(void **state)
{
    (void)state;
    expect_strip("", "");
    expect_strip("a // b\nc", "a\nc");
    expect_strip("a/* b */c", "a c");
    expect_strip("a /* b */ c", "a c");
    expect_strip("/* b */a", "a");
    expect_strip("// whole line\n\ta  b\n", "\na b\n");
    expect_strip("a /* 1\n2\n3 */ b\nc", "a b\n\n\nc");
    expect_strip("a /* open", "a");
    expect_strip("a /* open\n", "a\n");
    expect_strip("a // no end", "a");
    expect_strip("a /*/ still */ b", "a b");
    expect_strip("a /***/ b /**/ c", "a b c");
    expect_strip("a / b /= c", "a / b /= c");
    expect_strip("// one /* no block\nb */", "\nb */");
    expect_strip("/* one // no line */ b", "b");
    expect_strip(" a \t b \r\nc\f\n", "a b\nc\n");
}

static void test_strip_literals(void **state)
{
    (void)state;
    expect_strip("\"/* a  // b */\" c", "\"/* a  // b */\" c");
    expect_strip("\"a\\\"//\" // c", "\"a\\\"//\"");
    expect_strip("'\"' // c", "'\"'");
    expect_strip("'\"' /* c */ '\"'", "'\"' '\"'");
    expect_strip("'\\'' /* c */ '\\\\' // d", "'\\'' '\\\\'");
    expect_strip("\"\\\\\" // c", "\"\\\\\"");
    expect_strip("#error don't // c\na // b", "#error don't\na");
    expect_strip("\"open /* c */\nb", "\"open\nb");
    expect_strip("\"open \\", "\"open \\");
    expect_strip("'", "'");
}

static void test_strip_continuations(void **state)
{
    (void)state;
    expect_strip("a\\\nb\nc", "ab\n\nc");
    expect_strip("a \\\r\n  b\nc", "a b\n\nc");
    expect_strip("a // b \\\n c\nd", "a\n\nd");
    expect_strip("a /\\\n/ b\nd", "a\n\nd");
    expect_strip("a /\\\n* b *\\\n/ d", "a d\n\n");
    expect_strip("\"a\\\nb // c\" d", "\"ab // c\" d\n");
    expect_strip("a\\", "a\\");
    expect_strip("#define A \\\n  1 /* two \n lines */ + 2\nb", "#define A 1 + 2\n\n\nb");
}

/* --- files --- */

struct dir {
    char path[200];
    struct ct_source_cache *cache;
};

static int setup(void **state)
{
    struct dir *dir = calloc(1, sizeof(*dir));
    const char *base = getenv("TMPDIR");

    if (!dir)
        return -1;
    snprintf(dir->path, sizeof(dir->path), "%.180s/ct-source-XXXXXX",
             base ? base : "/tmp");
    dir->cache = ct_source_cache_new();
    *state = dir;
    return dir->cache && mkdtemp(dir->path) ? 0 : -1;
}

/* The files and folders that the tests make. */
static const char *const made[] = {"a.cl", "b.cl",      "c.cl",   "x.h",
                                   "y.h",  "in/x.h",    "in/y.h", "in/z.h",
                                   "in",   "other/x.h", "other"};

static int teardown(void **state)
{
    struct dir *dir = *state;
    char path[256];

    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", dir->path, made[i]);
        remove(path);
    }
    ct_source_cache_free(dir->cache);
    if (rmdir(dir->path) != 0)
        return -1;
    free(dir);
    return 0;
}

static const char *at(const struct dir *dir, const char *name)
{
    static char path[32][256]; /* more than a test uses */
    static unsigned next;
    char *text = path[next++ % 32];

    snprintf(text, sizeof(path[0]), "%s/%s", dir->path, name);
    return text;
}

static void write_bytes(const struct dir *dir, const char *name, const char *text,
                        size_t length)
{
    FILE *out;

    if (strchr(name, '/')) {
        char folder[32];

        snprintf(folder, sizeof(folder), "%.*s", (int)(strchr(name, '/') - name), name);
        mkdir(at(dir, folder), 0700);
    }
    out = fopen(at(dir, name), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

static void write_file(const struct dir *dir, const char *name, const char *text)
{
    write_bytes(dir, name, text, strlen(text));
}

static const struct ct_source *load_from(struct dir *dir, const char *name, size_t count,
                                         const char *const *dirs)
{
    const struct ct_source *source = NULL;
    struct ct_err err = CT_ERR_INIT;

    if (ct_source_load(dir->cache, at(dir, name), count, dirs, &source, &err))
        fail_msg("%s:%d: %s", err.file, err.line, err.message);
    return source;
}

static const struct ct_source *load(struct dir *dir, const char *name)
{
    return load_from(dir, name, 0, NULL);
}

/* The hash of a.cl with this text, read afresh. */
static struct ct_hash hash_of(struct dir *dir, const char *text)
{
    ct_source_cache_free(dir->cache);
    dir->cache = ct_source_cache_new();
    assert_non_null(dir->cache);
    write_file(dir, "a.cl", text);
    return load(dir, "a.cl")->hash;
}

static void test_hash(void **state)
{
    struct dir *dir = *state;
    struct ct_hash hash = hash_of(dir, "#define A 1\nint a  = A;\n");
    static const char *const same[] = {
        "#define A 1\nint a = A;",
        "// licence\n\n#define A 1 /* one */\n\n  int a =  A;\r\n",
        "#define A \\\n 1\nint a = /* two\nlines */ A;"};
    static const char *const differ[] = {"#define A 2\nint a = A;",
                                         "#define A 1 int a = A;",
                                         "#define A 1\nint a = A ;", "#define A 1"};

    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        assert_string_equal(hash_of(dir, same[i]).text, hash.text);
    for (size_t i = 0; i < sizeof(differ) / sizeof(differ[0]); i++)
        assert_string_not_equal(hash_of(dir, differ[i]).text, hash.text);
}

static void test_hash_of_includes(void **state)
{
    struct dir *dir = *state;
    struct ct_hash hash;

    write_file(dir, "x.h", "int x;\n");
    hash = hash_of(dir, "#include \"x.h\"\n");
    write_file(dir, "x.h", "// changed\nint x;\n");
    assert_string_equal(hash_of(dir, "#include \"x.h\"\n").text, hash.text);
    write_file(dir, "x.h", "long x;\n");
    assert_string_not_equal(hash_of(dir, "#include \"x.h\"\n").text, hash.text);
    assert_string_not_equal(hash_of(dir, "#include \"x.h\"\n#include \"x.h\"\n").text,
                            hash_of(dir, "#include \"x.h\"\n").text);
}

/* Which of two files a name stands for matters, even when both are read anyway. */
static void test_hash_of_choice(void **state)
{
    struct dir *dir = *state;
    const char *dirs[] = {at(dir, "in"), at(dir, "other")};

    write_file(dir, "in/x.h", "int x;\n");
    write_file(dir, "other/x.h", "long x;\n");
    write_file(dir, "a.cl",
               "#include \"in/x.h\"\n#include \"other/x.h\"\n#include <x.h>\n");
    assert_string_not_equal(load_from(dir, "a.cl", 1, dirs)->hash.text,
                            load_from(dir, "a.cl", 1, dirs + 1)->hash.text);
}

/* The same files elsewhere are the same source. */
static void test_hash_without_paths(void **state)
{
    struct dir *dir = *state;
    const char *in = at(dir, "in");
    struct ct_hash hash;

    write_file(dir, "in/x.h", "int x;\n");
    write_file(dir, "b.cl", "#include <x.h>\n");
    hash = load_from(dir, "b.cl", 1, &in)->hash;
    write_file(dir, "x.h", "int x;\n");
    write_file(dir, "in/z.h", "#include <x.h>\n");
    assert_string_equal(
        load_from(dir, "in/z.h", 1, (const char *[]){dir->path})->hash.text, hash.text);
}

static void test_text_and_cache(void **state)
{
    struct dir *dir = *state;
    const struct ct_source *source;

    write_file(dir, "a.cl", "int a; // text as it is\n#include \"x.h\"\n");
    write_file(dir, "x.h", "int x;\n");
    source = load(dir, "a.cl");
    assert_string_equal(source->text, "int a; // text as it is\n#include \"x.h\"\n");
    assert_int_equal(source->length, strlen(source->text));
    /* What changes on the disk meanwhile does not get in, on no way. */
    write_file(dir, "a.cl", "int b;\n");
    write_file(dir, "x.h", "int y;\n");
    assert_ptr_equal(load(dir, "a.cl"), source);
    write_file(dir, "b.cl", "#include \"x.h\"\n");
    assert_true(ct_source_uses(load(dir, "b.cl"), "x"));
    assert_false(ct_source_uses(load(dir, "b.cl"), "y"));
}

static void test_words(void **state)
{
    struct dir *dir = *state;
    const struct ct_source *source;

    write_file(
        dir, "a.cl",
        "#if WG > 2\nint a_1 = VEC; // ITEMS\n#endif\n/* LOCAL */ char *s = \"BAKED\";\n"
        "float f = 0x1p3WIDE + 1.0fTAIL; A##B\n#include \"x.h\"\n#include <none.h>\n");
    write_file(dir, "x.h", "MATH");
    source = load(dir, "a.cl");
    assert_true(ct_source_uses(source, "WG"));
    assert_true(ct_source_uses(source, "VEC"));
    assert_true(ct_source_uses(source, "a_1"));
    assert_true(ct_source_uses(source, "MATH"));
    assert_true(ct_source_uses(source, "BAKED"));
    assert_false(ct_source_uses(source, "ITEMS"));
    assert_false(ct_source_uses(source, "LOCAL"));
    assert_false(ct_source_uses(source, "a_"));
    assert_false(ct_source_uses(source, "a_12"));
    assert_false(ct_source_uses(source, "WIDE"));
    assert_false(ct_source_uses(source, ""));
    /* Which file a macro names is known to the compiler alone. */
    write_file(dir, "b.cl", "#define A(x) #x\n#  include A(x.h)\n");
    assert_true(ct_source_uses(load(dir, "b.cl"), "A"));
    assert_false(ct_source_uses(load(dir, "b.cl"), "MATH"));
    write_file(dir, "c.cl", "");
    assert_false(ct_source_uses(load(dir, "c.cl"), "a"));
}

static void test_include_search(void **state)
{
    struct dir *dir = *state;
    const char *dirs[] = {at(dir, "other"), at(dir, "in")};
    const struct ct_source *source;

    write_file(dir, "x.h", "beside");
    write_file(dir, "in/x.h", "#include \"y.h\"\ninside");
    write_file(dir, "in/y.h", "inner");
    write_file(dir, "other/x.h", "elsewhere");
    write_file(dir, "a.cl", "#include \"x.h\"\n");
    assert_true(ct_source_uses(load_from(dir, "a.cl", 2, dirs), "beside"));
    write_file(dir, "b.cl", "#include <x.h>\n");
    source = load_from(dir, "b.cl", 2, dirs);
    assert_true(ct_source_uses(source, "elsewhere"));
    assert_false(ct_source_uses(source, "beside"));
    /* Another question, another answer: and y.h is found beside in/x.h. */
    source = load_from(dir, "b.cl", 1, dirs + 1);
    assert_true(ct_source_uses(source, "inside"));
    assert_true(ct_source_uses(source, "inner"));
    source = load(dir, "b.cl"); /* angle brackets: the compiler's own */
    assert_false(ct_source_uses(source, "beside"));
}

static void test_include_cycles(void **state)
{
    struct dir *dir = *state;

    write_file(dir, "a.cl", "#include \"x.h\"\n#include \"a.cl\"\nend");
    write_file(dir, "x.h",
               "#ifndef X\n#define X\n#include \"./in/../x.h\"\n#endif\nlast");
    mkdir(at(dir, "in"), 0700);
    assert_true(ct_source_uses(load(dir, "a.cl"), "last"));
}

static void expect_failure(struct dir *dir, const char *name, enum ct_status code,
                           const char *file, int line, const char *message)
{
    const struct ct_source *source = NULL;
    struct ct_err err = CT_ERR_INIT;

    assert_int_equal(ct_source_load(dir->cache, at(dir, name), 0, NULL, &source, &err),
                     code);
    assert_null(source);
    assert_int_equal(err.code, code);
    assert_int_equal(err.line, line);
    assert_string_equal(err.file, file ? at(dir, file) : "");
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not say \"%s\"", err.message, message);
}

static void test_include_missing(void **state)
{
    struct dir *dir = *state;

    write_file(dir, "a.cl", "// one\n/* two\nthree */\n#include \"x.h\"\n");
    write_file(dir, "x.h", "#if A\n#include \"no.h\"\n#endif\n# include \"gone.h\"\n");
    expect_failure(dir, "a.cl", CT_E_SPEC, "x.h", 4, "'gone.h' is not found");
    write_file(dir, "b.cl",
               "#if 0\n#include \"no.h\"\n#else\n#  include \"no.h\"\n#endif\n");
    assert_non_null(load(dir, "b.cl"));
    write_file(dir, "c.cl",
               "// #include \"no.h\"\n\"\\\n#include \\\"no.h\\\"\"\n#includes\n");
    assert_non_null(load(dir, "c.cl"));
}

static void test_unreadable(void **state)
{
    struct dir *dir = *state;

    expect_failure(dir, "none.cl", CT_E_IO, NULL, 0,
                   "none.cl: No such file or directory");
    expect_failure(dir, "none.cl", CT_E_IO, NULL, 0, "cannot read ");
    mkdir(at(dir, "in"), 0700);
    expect_failure(dir, "in", CT_E_IO, NULL, 0, "Is a directory");
    write_bytes(dir, "a.cl", "int\0a;", 6);
    expect_failure(dir, "a.cl", CT_E_SPEC, "a.cl", 0, "zero byte");
    /* A failure is not kept. */
    write_file(dir, "a.cl", "int a;");
    assert_non_null(load(dir, "a.cl"));
}

/* Where a path leads is found out once: a link that changes during a search changes nothing. */
static void test_paths_are_kept(void **state)
{
    struct dir *dir = *state;
    const struct ct_spec spec = {.dir = dir->path};
    const struct ct_spec other = {.dir = "/"};
    const char *path;

    write_file(dir, "a.cl", "int a;");
    write_file(dir, "b.cl", "int b;");
    assert_int_equal(symlink("a.cl", at(dir, "c.cl")), 0);
    path = ct_source_cache_path(dir->cache, &spec, "c.cl");
    assert_string_equal(strrchr(path, '/'), "/a.cl");
    assert_false(ct_source_cache_has(dir->cache, path));
    ct_source_load(dir->cache, path, 0, NULL, &(const struct ct_source *){NULL}, NULL);
    assert_true(ct_source_cache_has(dir->cache, path));
    remove(at(dir, "c.cl"));
    assert_int_equal(symlink("b.cl", at(dir, "c.cl")), 0);
    assert_ptr_equal(ct_source_cache_path(dir->cache, &spec, "c.cl"), path);
    assert_string_equal(ct_source_cache_path(dir->cache, &other, "c.cl"), "//c.cl");
}

#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strip_comments),
        cmocka_unit_test(test_strip_literals),
        cmocka_unit_test(test_strip_continuations),
        FILE_TEST(test_hash),
        FILE_TEST(test_hash_of_includes),
        FILE_TEST(test_hash_of_choice),
        FILE_TEST(test_hash_without_paths),
        FILE_TEST(test_text_and_cache),
        FILE_TEST(test_words),
        FILE_TEST(test_include_search),
        FILE_TEST(test_include_cycles),
        FILE_TEST(test_include_missing),
        FILE_TEST(test_unreadable),
        FILE_TEST(test_paths_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
