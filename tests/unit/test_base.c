// SPDX-License-Identifier: Apache-2.0
// The base modules that hold data: memory, strings, messages, findings, errors, devices.
#include "base/devinfo.h"
#include "base/diag.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/show.h"
#include "base/str.h"
#include "base/wire.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- mem --- */

static void test_mem_array(void **state)
{
    unsigned char *zeroed = ct_mem_array(100, 3);

    (void)state;
    assert_non_null(zeroed);
    for (int i = 0; i < 300; i++)
        assert_int_equal(zeroed[i], 0);
    free(zeroed);
    zeroed = ct_mem_array(0, 8);
    assert_non_null(zeroed);
    free(zeroed);
    assert_null(ct_mem_array(SIZE_MAX / 2, 3));
}

static void test_mem_grow(void **state)
{
    int *array = NULL;
    size_t capacity = 0;

    (void)state;
    for (size_t n = 1; n <= 1000; n++) {
        assert_true(ct_mem_grow(&array, &capacity, n, sizeof(*array)));
        assert_true(capacity >= n);
        assert_int_equal(array[capacity - 1], 0);
        array[n - 1] = (int)n;
    }
    for (size_t n = 1; n <= 1000; n++)
        assert_int_equal(array[n - 1], n);
    assert_false(ct_mem_grow(&array, &capacity, SIZE_MAX / 2, sizeof(*array)));
    assert_int_equal(array[999], 1000);
    free(array);
}

static void test_arena(void **state)
{
    struct ct_arena arena = {0};
    char *first = ct_arena_copy(&arena, "first one", 5);
    char *format;

    (void)state;
    assert_string_equal(first, "first");
    for (int i = 0; i < 1000; i++) {
        unsigned char *bytes = ct_arena_alloc(&arena, (size_t)i * 7);

        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
        for (int j = 0; j < i * 7; j++)
            assert_int_equal(bytes[j], 0);
        memset(bytes, 0xff, (size_t)i * 7);
    }
    format = ct_arena_format(&arena, "%s-%d", "x", 42);
    assert_string_equal(format, "x-42");
    assert_string_equal(first, "first");
    assert_null(ct_arena_array(&arena, SIZE_MAX / 4, 8));
    assert_null(ct_arena_alloc(&arena, SIZE_MAX - 4));
    ct_arena_release(&arena);
    assert_string_equal(ct_arena_copy(&arena, NULL, 0), "");
    ct_arena_release(&arena);
}

/* --- str --- */

static void test_str_building(void **state)
{
    struct ct_str str;
    char *taken;

    (void)state;
    ct_str_init(&str);
    assert_string_equal(str.data, "");
    for (int i = 0; i < 1000; i++)
        ct_str_addf(&str, "%03d", i);
    assert_int_equal(str.length, 3000);
    assert_memory_equal(str.data + 2997, "999", 4);
    ct_str_reset(&str);
    assert_string_equal(str.data, "");
    ct_str_add(&str, "a\0b", 3);
    ct_str_putc(&str, 'c');
    ct_str_puts(&str, "de");
    assert_int_equal(str.length, 6);
    assert_memory_equal(str.data, "a\0bcde", 7);
    taken = ct_str_detach(&str);
    assert_memory_equal(taken, "a\0bcde", 7);
    free(taken);
    assert_int_equal(str.length, 0);
    taken = ct_str_detach(&str);
    assert_string_equal(taken, "");
    free(taken);
    ct_str_release(&str);
    ct_str_release(&str);
}

static void test_str_failure(void **state)
{
    struct ct_str str;

    (void)state;
    ct_str_init(&str);
    ct_str_puts(&str, "kept");
    ct_str_add(&str, "x", SIZE_MAX - 2); /* as if memory were short */
    assert_true(str.failed);
    assert_string_equal(str.data, "kept");
    ct_str_puts(&str, "more");
    assert_string_equal(str.data, "kept");
    assert_null(ct_str_detach(&str));
    assert_false(str.failed);
}

static void test_str_helpers(void **state)
{
    (void)state;
    assert_true(ct_str_equal("a", "a") && !ct_str_equal("a", "A"));
    assert_true(ct_str_same("a", "a") && ct_str_same(NULL, NULL));
    assert_false(ct_str_same("a", "A") || ct_str_same(NULL, "") || ct_str_same("", NULL));
    assert_true(ct_str_starts("abc", "ab") && ct_str_starts("a", ""));
    assert_false(ct_str_starts("a", "ab"));
    assert_true(ct_str_contains_nocase("NVIDIA H200", "h200"));
    assert_true(ct_str_contains_nocase("aab", "AB"));
    assert_true(ct_str_contains_nocase("", ""));
    assert_false(ct_str_contains_nocase("abc", "abcd"));
}

/* Answers computed with another implementation of the same distance. */
static void test_str_suggest(void **state)
{
    static const char *const names[] = {"search", "best",    "devices", "space",
                                        "run",    "peak",    "init",    "replay",
                                        "report", "recheck", "split",   "db"};
    static const struct {
        const char *word;
        const char *meant;
    } slips[] = {{"serach", "search"},  {"Search", "search"},    {"saerch", "search"},
                 {"devics", "devices"}, {"recheckk", "recheck"}, {"replya", "replay"},
                 {"xyz", NULL},         {"rn", "run"},           {"d", NULL},
                 {"b", NULL},           {"dbs", "db"},           {"reprot", "report"},
                 {"spilt", "split"},    {"spli", "split"},       {"searchable", NULL},
                 {"bset", "best"},      {"repaly", "replay"},    {"rechcek", "recheck"},
                 {"sarch", "search"},   {"speach", "search"}};
    char endless[200];

    (void)state;
    for (size_t i = 0; i < sizeof(slips) / sizeof(slips[0]); i++) {
        const char *found =
            ct_str_suggest(slips[i].word, names, sizeof(names) / sizeof(names[0]));

        if (!slips[i].meant)
            assert_null(found);
        else if (!found || strcmp(found, slips[i].meant) != 0)
            fail_msg("%s: %s", slips[i].word, found ? found : "nothing");
    }
    assert_null(ct_str_suggest("search", names, 0));
    memset(endless, 'a', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    assert_null(ct_str_suggest(endless, names, 1));
    assert_null(ct_str_suggest("a", (const char *const[]){endless}, 1));
}

/* --- wire --- */

static void put_all(struct ct_str *out)
{
    ct_wire_put_u32(out, 0xdeadbeef);
    ct_wire_put_u64(out, UINT64_MAX - 1);
    ct_wire_put_i64(out, INT64_MIN);
    ct_wire_put_f64(out, -0.1);
    ct_wire_put_bytes(out, "a\0b", 3);
    ct_wire_put_text(out, "text");
    ct_wire_put_text(out, NULL);
    ct_wire_put_text(out, "");
}

/* Reads what put_all has put; whether all of it was there. */
static bool get_all(const char *data, size_t length)
{
    struct ct_wire_reader in;
    struct ct_arena arena = {0};
    size_t size;
    const char *bytes;
    const char *text;
    bool good;

    ct_wire_reader_init(&in, data, length);
    good = ct_wire_get_u32(&in) == 0xdeadbeef;
    good = ct_wire_get_u64(&in) == UINT64_MAX - 1 && good;
    good = ct_wire_get_i64(&in) == INT64_MIN && good;
    good = ct_wire_get_f64(&in) == -0.1 && good;
    bytes = ct_wire_get_bytes(&in, &size);
    good = good && size == 3 && bytes && memcmp(bytes, "a\0b", 3) == 0;
    text = ct_wire_get_text(&in, &arena);
    good = good && text && strcmp(text, "text") == 0;
    good = !ct_wire_get_text(&in, &arena) && good;
    text = ct_wire_get_text(&in, &arena);
    good = good && text && !*text;
    assert_int_equal(good, !in.failed);
    if (in.failed) /* and stays so, with nothing to be had */
        assert_true(ct_wire_get_u64(&in) == 0 && !ct_wire_get_bytes(&in, &size) && !size);
    ct_arena_release(&arena);
    return good;
}

static void test_wire(void **state)
{
    struct ct_str out;

    (void)state;
    ct_str_init(&out);
    put_all(&out);
    assert_true(get_all(out.data, out.length));
    for (size_t length = 0; length < out.length; length++) {
        char *copy = ct_mem_copy(out.data, length);

        assert_false(get_all(copy, length));
        free(copy);
    }
    ct_str_release(&out);
}

static void test_wire_counts(void **state)
{
    struct ct_str out;
    struct ct_wire_reader in;

    (void)state;
    ct_str_init(&out);
    ct_wire_put_u64(&out, 3);
    ct_str_add(&out, "123456789012", 12);
    ct_wire_reader_init(&in, out.data, out.length);
    assert_int_equal(ct_wire_get_count(&in, 4), 3);
    ct_wire_reader_init(&in, out.data, out.length);
    assert_int_equal(ct_wire_get_count(&in, 5), 0);
    assert_true(in.failed);
    ct_str_reset(&out);
    ct_wire_put_u64(&out, UINT64_MAX);
    ct_wire_reader_init(&in, out.data, out.length);
    assert_int_equal(ct_wire_get_count(&in, 0), 0);
    assert_true(in.failed);
    ct_str_release(&out);
}

/* --- diag and err --- */

static void test_diag_sort(void **state)
{
    struct ct_diags diags = {0};
    static const char *const order = "abcdefg";
    char file[] = "one.ini";

    (void)state;
    ct_diags_add(&diags, CT_ERROR, "two.ini", 1, 1, "%c", 'g');
    ct_diags_add(&diags, CT_WARNING, file, 10, 1, "%c", 'e');
    ct_diags_add(&diags, CT_ERROR, file, 2, 7, "%c", 'c');
    ct_diags_add(&diags, CT_ERROR, file, 2, 3, "%c", 'b');
    ct_diags_add(&diags, CT_WARNING, file, 2, 7, "%c", 'd');
    ct_diags_add(&diags, CT_ERROR, file, 0, 0, "%c", 'a');
    ct_diags_add(&diags, CT_ERROR, file, 10, 1, "%c", 'f');
    memset(file, 'x', sizeof(file) - 1); /* it was copied */
    assert_int_equal(diags.count, 7);
    assert_int_equal(diags.errors, 5);
    assert_false(diags.failed);
    ct_diags_sort(&diags);
    for (size_t i = 0; i < diags.count; i++)
        assert_int_equal(diags.items[i].message[0], order[i]);
    assert_string_equal(diags.items[0].file, "one.ini");
    ct_diags_release(&diags);
    assert_int_equal(diags.count, 0);
    ct_diags_release(&diags);
}

static void test_err(void **state)
{
    struct ct_err err = CT_ERR_INIT;
    char endless[2 * CT_ERR_MESSAGE_SIZE];

    (void)state;
    assert_int_equal(ct_err_at(&err, CT_E_SPEC, "f.ini", 3, 4, "bad %s", "name"),
                     CT_E_SPEC);
    assert_int_equal(err.code, CT_E_SPEC);
    assert_string_equal(err.file, "f.ini");
    assert_int_equal(err.line * 10 + err.column, 34);
    ct_err_prefix(&err, "kernel %d", 1);
    assert_string_equal(err.message, "kernel 1: bad name");
    assert_int_equal(ct_err_set(&err, CT_E_IO, "%d", 5), CT_E_IO);
    assert_string_equal(err.file, "");
    assert_int_equal(err.line, 0);
    memset(endless, 'a', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    ct_err_set(&err, CT_E_IO, "%s", endless);
    ct_err_prefix(&err, "%s", "p");
    assert_int_equal(strlen(err.message), CT_ERR_MESSAGE_SIZE - 1);
    assert_memory_equal(err.message, "p: aaa", 6);
    assert_int_equal(ct_err_nomem(NULL), CT_E_NOMEM);
    ct_err_prefix(NULL, "x");
}

/* Published values of XXH3's 128-bit variant. */
/* What the user can mend by naming another file is a mistake, the rest a failure. */
static void test_file_status(void **state)
{
    static const int mistakes[] = {
        CT_FILE_IRREGULAR, CT_FILE_TOO_LARGE, ENOENT, EISDIR, EACCES, ENOTDIR};

    (void)state;
    assert_int_equal(ct_file_status(0), CT_OK);
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
        assert_int_equal(ct_file_status(mistakes[i]), CT_E_USAGE);
    assert_int_equal(ct_file_status(ENOMEM), CT_E_NOMEM);
    assert_int_equal(ct_file_status(EIO), CT_E_IO);
    assert_int_equal(ct_file_status(EMFILE), CT_E_IO);
}

static void test_hash(void **state)
{
    (void)state;
    assert_string_equal(ct_hash_bytes("", 0).text, "99aa06d3014798d86001c324468d497f");
    assert_string_equal(ct_hash_bytes("abc", 3).text, "06b05ab6733a618578af5f94892f3950");
}

/* --- devinfo --- */

static void test_devinfo_names(void **state)
{
    (void)state;
    assert_string_equal(ct_devprops[CT_DEVICE_MAX_WORK_GROUP_SIZE].name,
                        "DEVICE_MAX_WORK_GROUP_SIZE");
    assert_int_equal(ct_devprops[CT_DEVICE_MAX_WORK_GROUP_SIZE].kind, CT_INT);
    assert_int_equal(ct_devprops[CT_DEVICE_NAME].kind, CT_TEXT);
    for (int i = 0; i < CT_DEVPROP_COUNT; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(ct_devprops[i].name, ct_devprops[j].name);
}

static void test_devinfo_wire(void **state)
{
    struct ct_devinfo info;
    struct ct_devinfo copy;
    struct ct_arena arena = {0};
    struct ct_str out;
    struct ct_wire_reader in;

    (void)state;
    memset(&info, 0, sizeof(info));
    info.platform_index = 1;
    info.device_index = 2;
    info.platform_name = "Portable";
    info.platform_version = "OpenCL 3.0";
    info.type = "CPU";
    info.props[CT_DEVICE_NAME] = ct_value_text("a name");
    info.props[CT_DEVICE_LOCAL_MEM_SIZE] = ct_value_int(INT64_C(1) << 40);
    ct_str_init(&out);
    ct_devinfo_put(&out, &info);
    ct_wire_reader_init(&in, out.data, out.length);
    ct_devinfo_get(&in, &arena, &copy);
    assert_false(in.failed);
    assert_int_equal(in.at, out.length);
    assert_int_equal(copy.platform_index * 10 + copy.device_index, 12);
    assert_string_equal(copy.platform_version, "OpenCL 3.0");
    assert_string_equal(copy.driver_version, "");
    assert_string_equal(ct_devinfo_text(&copy, CT_DEVICE_NAME), "a name");
    assert_string_equal(ct_devinfo_text(&copy, CT_DEVICE_VENDOR), "");
    assert_true(ct_devinfo_int(&copy, CT_DEVICE_LOCAL_MEM_SIZE, -1) == INT64_C(1) << 40);
    assert_true(ct_devinfo_int(&copy, CT_DEVICE_MAX_COMPUTE_UNITS, -1) == -1);
    assert_true(ct_devinfo_int(&copy, CT_DEVICE_NAME, -1) == -1);
    assert_int_equal(copy.props[CT_DEVICE_VENDOR].kind, CT_NONE);
    ct_wire_reader_init(&in, out.data, out.length - 1);
    ct_devinfo_get(&in, &arena, &copy);
    assert_true(in.failed);
    ct_arena_release(&arena);
    ct_str_release(&out);
}

static void assert_shown(const char *text, enum ct_show how, const char *wanted)
{
    struct ct_str shown;

    ct_str_init(&shown);
    ct_show_add(&shown, text, strlen(text), how);
    assert_string_equal(shown.data, wanted);
    assert_int_equal(ct_show_plain(text), strcmp(text, wanted) == 0);
    ct_str_release(&shown);
}

static void test_show(void **state)
{
    (void)state;
    assert_shown("plain ~ \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", CT_SHOW_LINE,
                 "plain ~ \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_shown("\x1b[2J\r\a\b\x7f", CT_SHOW_LINE, "\\x1b[2J\\x0d\\x07\\x08\\u007f");
    assert_shown("a\n\tb", CT_SHOW_LINE, "a\\x0a\\x09b");
    assert_shown("\xc2\x9b\xc2\x80\xc2\xa0", CT_SHOW_LINE, "\\u009b\\u0080\xc2\xa0");
    assert_shown("\x9b\xc2", CT_SHOW_LINE, "\\x9b\\xc2");
    /* NOLINTNEXTLINE(misc-misleading-bidirectional) */
    assert_shown("\xe2\x80\xae\xe2\x81\xa6\xd8\x9c", CT_SHOW_LINE,
                 "\\u202e\\u2066\\u061c");
    /* Overlong, a surrogate, beyond the last code point, cut. */
    assert_shown("\xc0\x9b", CT_SHOW_LINE, "\\xc0\\x9b");
    assert_shown("\xe0\x82\x9b", CT_SHOW_LINE, "\\xe0\\x82\\x9b");
    assert_shown("\xed\xa0\x80", CT_SHOW_LINE, "\\xed\\xa0\\x80");
    assert_shown("\xf4\x90\x80\x80", CT_SHOW_LINE, "\\xf4\\x90\\x80\\x80");
    assert_shown("\xf0\x9f\x98", CT_SHOW_LINE, "\\xf0\\x9f\\x98");
}

static void test_show_in_parts(void **state)
{
    struct ct_str shown;

    (void)state;
    assert_int_equal(ct_show_unfinished("", 0), 0);
    assert_int_equal(ct_show_unfinished("ab", 2), 0);
    assert_int_equal(ct_show_unfinished("a\xc2", 2), 1);
    assert_int_equal(ct_show_unfinished("\xc2\x9b", 2), 0);
    assert_int_equal(ct_show_unfinished("\xf0\x9f\x98", 3), 3);
    assert_int_equal(ct_show_unfinished("\x9b\x9b\x9b\x9b", 4), 0);
    ct_str_init(&shown);
    ct_show_add(&shown, "a\n\t\x1b", 4, CT_SHOW_LINES);
    assert_string_equal(shown.data, "a\n\t\\x1b");
    ct_str_reset(&shown);
    ct_show_utf8(&shown, "\x1b\xc3\xa9\x9b", "\\x");
    assert_string_equal(shown.data, "\x1b\xc3\xa9\\x9b");
    ct_str_release(&shown);
}

static void test_map(void **state)
{
    struct ct_map map = {0};
    struct ct_rng rng;
    enum { KEYS = 5000 };
    static uint64_t values[KEYS];
    static bool known[KEYS];
    size_t count = 0;

    (void)state;
    assert_false(ct_map_has(&map, 0));
    assert_int_equal(ct_map_get(&map, 3, 9), 9);
    ct_rng_seed(&rng, 2);
    for (int i = 0; i < 4 * KEYS; i++) {
        uint64_t key = ct_rng_below(&rng, KEYS);
        uint64_t value = ct_rng_next(&rng);

        assert_true(ct_map_put(&map, key << 40, value));
        count += !known[key];
        known[key] = true;
        values[key] = value;
        assert_int_equal(map.count, count);
    }
    for (uint64_t key = 0; key < KEYS; key++) {
        assert_int_equal(ct_map_has(&map, key << 40), known[key]);
        assert_true(ct_map_get(&map, key << 40, 1) == (known[key] ? values[key] : 1));
    }
    ct_map_release(&map);
    assert_false(ct_map_has(&map, 0));
}

static void test_index_set(void **state)
{
    const uint64_t last = UINT64_MAX;
    struct ct_index_set set = {0};
    enum { ENOUGH = 10000 };

    (void)state;
    assert_false(ct_index_set_has(&set, 0));
    for (uint64_t i = 0; i < ENOUGH; i += 3) {
        assert_true(ct_index_set_add(&set, i));
        assert_true(ct_index_set_add(&set, last - i));
    }
    for (uint64_t i = 0; i < ENOUGH; i++) {
        assert_int_equal(ct_index_set_has(&set, i), i % 3 == 0);
        assert_int_equal(ct_index_set_has(&set, last - i), i % 3 == 0);
    }
    assert_true(ct_index_set_add(&set, 3));
    assert_false(ct_index_set_has(&set, UINT64_C(3) << 32));
    /* 64 of them are one key. */
    assert_true(set.words.count <= 2 * (ENOUGH / 64 + 1));
    ct_index_set_release(&set);
    assert_false(ct_index_set_has(&set, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mem_array),     cmocka_unit_test(test_mem_grow),
        cmocka_unit_test(test_arena),         cmocka_unit_test(test_str_building),
        cmocka_unit_test(test_str_failure),   cmocka_unit_test(test_str_helpers),
        cmocka_unit_test(test_str_suggest),   cmocka_unit_test(test_wire),
        cmocka_unit_test(test_wire_counts),   cmocka_unit_test(test_diag_sort),
        cmocka_unit_test(test_err),           cmocka_unit_test(test_hash),
        cmocka_unit_test(test_devinfo_names), cmocka_unit_test(test_devinfo_wire),
        cmocka_unit_test(test_show),          cmocka_unit_test(test_show_in_parts),
        cmocka_unit_test(test_map),           cmocka_unit_test(test_index_set),
        cmocka_unit_test(test_file_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
