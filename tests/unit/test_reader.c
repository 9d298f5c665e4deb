// SPDX-License-Identifier: Apache-2.0
// The reader: logical lines with true places, and everything that stock inih would spoil.
#include "spacefile/reader/reader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ct_diags diags;
static struct ct_arena arena;
static struct ct_reader_file file;

static enum ct_status read_bytes(const char *text, size_t length)
{
    struct ct_err err = CT_ERR_INIT;

    return ct_reader_parse("f.ini", text, length, &arena, &file, &diags, &err);
}

static void read_text(const char *text)
{
    assert_int_equal(read_bytes(text, strlen(text)), CT_OK);
}

static int release(void **state)
{
    (void)state;
    ct_diags_release(&diags);
    ct_arena_release(&arena);
    return 0;
}

/* Everything that was read in one line: [kind|name] key=value; ... */
static void assert_read(const char *text, const char *expected)
{
    struct ct_str out;

    read_text(text);
    ct_str_init(&out);
    for (size_t i = 0; i < file.section_count; i++) {
        const struct ct_reader_section *section = &file.sections[i];

        ct_str_addf(&out, "[%s|%s]", section->kind, section->name ? section->name : "");
        for (size_t j = 0; j < section->entry_count; j++)
            ct_str_addf(&out, "%s=%s;", section->entries[j].key,
                        section->entries[j].value.text);
    }
    assert_string_equal(out.data, expected);
    ct_str_release(&out);
}

static void sections_and_keys_keep_their_order(void **state)
{
    (void)state;
    assert_read("[a]\nx = 1\ny=2\n[b c d]\nx = 3\n[e]\n", "[a|]x=1;y=2;[b|c d]x=3;[e|]");
    assert_int_equal(diags.count, 0);
}

static void repeated_sections_stay_apart(void **state)
{
    (void)state;
    assert_read("[a]\nx = 1\n[a]\nx = 2\n", "[a|]x=1;[a|]x=2;");
}

static void only_a_lone_equals_separates(void **state)
{
    (void)state;
    assert_read("[c]\nfits = WG <= 256\nlocal  room = a == b && c != d\nx = y >= z\n",
                "[c|]fits=WG <= 256;local room=a == b && c != d;x=y >= z;");
    assert_read("[c]\nopt = -D X=1 -cl-std=CL1.2\n", "[c|]opt=-D X=1 -cl-std=CL1.2;");
    assert_int_equal(diags.count, 0);
    read_text("[c]\nWG <= 256\nA:B = 2\n");
    assert_int_equal(diags.count, 2);
    assert_int_equal(diags.items[1].column, 2);
}

static void comments_end_outside_quotes(void **state)
{
    (void)state;
    assert_read("; one\n# two\n[a] ; three\n  ; four\nx = 1 ; five\ny = 'a ; b' ; six\n"
                "z = a;b\nw = # no comment\nv = ;empty\n",
                "[a|]x=1;y='a ; b';z=a;b;w=# no comment;v=;");
}

static void deeper_lines_continue(void **state)
{
    (void)state;
    assert_read("[a]\nx = 1,\n  2, ; two\n  # nothing\n\n\t3\ny = 4\n",
                "[a|]x=1, 2, 3;y=4;");
    assert_read("  [a]\n  x = 1\n  y = 2\n    [b]\n    z = 3\n", "[a|]x=1;y=2;[b|]z=3;");
    assert_read("[a]\n    x = 1\n  y = 2\n   3\n", "[a|]x=1;y=2 3;");
    assert_read("[a]\n\tx = 1\n        y = 2\n\t 3\n", "[a|]x=1;y=2 3;");
    assert_int_equal(diags.count, 0);
}

static void every_character_has_its_place(void **state)
{
    const struct ct_reader_entry *entry;

    (void)state;
    read_text("\n [a  nam]\n  key = ab,\n\t\tcd \xC3\xA4x ; y\n");
    assert_int_equal(file.sections[0].place.line, 2);
    assert_int_equal(file.sections[0].place.column, 2);
    assert_int_equal(file.sections[0].name_place.column, 6);
    entry = &file.sections[0].entries[0];
    assert_int_equal(entry->place.line, 3);
    assert_int_equal(entry->place.column, 3);
    assert_string_equal(entry->value.text, "ab, cd \xC3\xA4x");
    assert_int_equal(ct_text_place(&entry->value, 0).line, 3);
    assert_int_equal(ct_text_place(&entry->value, 0).column, 9);
    assert_int_equal(ct_text_place(&entry->value, 3).line, 3); /* the end of the line */
    assert_int_equal(ct_text_place(&entry->value, 3).column, 12);
    assert_int_equal(ct_text_place(&entry->value, 4).line, 4);
    assert_int_equal(ct_text_place(&entry->value, 4).column, 3);
    assert_int_equal(ct_text_place(&entry->value, 9).column,
                     7); /* x, after two bytes of one */
    assert_int_equal(ct_text_place(&entry->value, entry->value.length).column, 8);
}

/* A line that begins, ends and goes on with characters of several bytes. */
static void characters_count_as_one_column(void **state)
{
    static const struct ct_place wanted[] = {{2, 5}, {2, 5}, {2, 6}, {2, 6},
                                             {2, 6}, {2, 7}, {3, 2}, {3, 2},
                                             {3, 2}, {3, 2}, {3, 3}};
    const struct ct_reader_entry *entry;

    (void)state;
    read_text("[a]\nk = \xC3\xA4\xE2\x82\xAC\n \xF0\x9F\x98\x80\n");
    entry = &file.sections[0].entries[0];
    assert_int_equal(entry->value.length, sizeof(wanted) / sizeof(wanted[0]) - 1);
    for (size_t i = 0; i <= entry->value.length; i++) {
        assert_int_equal(ct_text_place(&entry->value, i).line, wanted[i].line);
        assert_int_equal(ct_text_place(&entry->value, i).column, wanted[i].column);
    }
}

static void text_is_valid_utf8(void **state)
{
    static const struct {
        const char *text;
        int column; /* of the byte that is refused; 0: none is */
    } cases[] = {
        {"\x7F", 3},
        {"\x80", 3},
        {"\xBF", 3},
        {"\xC1\xBF", 3},
        {"\xC2\x80", 0},
        {"\xDF\xBF", 0},
        {"\xC3", 3},
        {"\xC3(", 3},
        {"\xE0\x9F\xBF", 3},
        {"\xE0\xA0\x80", 0},
        {"\xED\x9F\xBF", 0},
        {"\xED\xA0\x80", 3},
        {"\xEF\xBF\xBF", 0},
        {"\xE2\x82", 3},
        {"\xE2\x82x", 3},
        {"\xF0\x8F\xBF\xBF", 3},
        {"\xF0\x90\x80\x80", 0},
        {"\xF4\x8F\xBF\xBF", 0},
        {"\xF4\x90\x80\x80", 3},
        {"\xF5\x80\x80\x80", 3},
        {"\xFF", 3},
        {"\xC3\xA4\xA4", 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ct_str text;

        ct_str_init(&text);
        ct_str_addf(&text, "[a]\n; %s", cases[i].text);
        if (cases[i].column) {
            assert_int_equal(read_bytes(text.data, text.length), CT_E_SPEC);
            assert_int_equal(diags.count, 1);
            assert_int_equal(diags.items[0].line, 2);
            assert_int_equal(diags.items[0].column, cases[i].column);
        } else {
            assert_int_equal(read_bytes(text.data, text.length), CT_OK);
            assert_int_equal(diags.count, 0);
        }
        ct_str_release(&text);
        release(NULL);
    }
}

static void long_lines_and_names_are_whole(void **state)
{
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    ct_str_puts(&text, "[buffer ");
    for (int i = 0; i < 300; i++)
        ct_str_putc(&text, 'n');
    ct_str_puts(&text, "]\nkey = ");
    for (int i = 0; i < 100000; i++)
        ct_str_putc(&text, 'v');
    read_text(text.data);
    assert_int_equal(strlen(file.sections[0].name), 300);
    assert_int_equal(file.sections[0].entries[0].value.length, 100000);
    assert_int_equal(ct_text_place(&file.sections[0].entries[0].value, 99999).column,
                     100006);
    ct_str_release(&text);
}

static void many_sections_are_all_there(void **state)
{
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    for (int i = 0; i < 20000; i++)
        ct_str_addf(&text, "[s %d]\nk%d = %d\n", i, i, i);
    read_text(text.data);
    assert_int_equal(file.section_count, 20000);
    for (size_t i = 0; i < file.section_count; i++) {
        assert_int_equal(strtoul(file.sections[i].name, NULL, 10), i);
        assert_int_equal(strtoul(file.sections[i].entries[0].value.text, NULL, 10), i);
    }
    ct_str_release(&text);
}

static void marks_of_windows_are_passed_over(void **state)
{
    (void)state;
    assert_read("\xEF\xBB\xBF[a]\r\nx = 1,\r\n  2\r\n", "[a|]x=1, 2;");
    assert_int_equal(file.sections[0].place.column, 1);
    assert_read("[a]\nx = 1", "[a|]x=1;");
    assert_read("", "");
}

static void what_is_no_text_is_refused(void **state)
{
    (void)state;
    assert_int_equal(read_bytes("[a]\nx = \0", 9), CT_E_SPEC);
    assert_int_equal(diags.items[0].line, 2);
    assert_int_equal(diags.items[0].column, 5);
    assert_int_equal(read_bytes("\x7F"
                                "ELF",
                                4),
                     CT_E_SPEC);
    assert_int_equal(read_bytes("[a]\rx = 1\n", 10), CT_E_SPEC);
    assert_int_equal(read_bytes("[", (size_t)CT_READER_BYTES_MAX + 1), CT_E_SPEC);
}

static void mistakes_do_not_hide_what_follows(void **state)
{
    (void)state;
    read_text("k = 1\n[a\nx = 'open\ny\n= 2\n[b] z\nw = 1\n");
    assert_int_equal(diags.count, 6);
    assert_int_equal(file.section_count, 2);
    assert_int_equal(file.sections[0].entry_count, 1);
    assert_true(file.sections[0].entries[0].broken);
    assert_string_equal(file.sections[1].entries[0].key, "w");
    assert_false(file.sections[1].entries[0].broken);
}

static void unreadable_files_say_why(void **state)
{
    struct ct_err err = CT_ERR_INIT;
    const char *text;
    size_t length;

    (void)state;
    assert_int_equal(ct_reader_slurp("no/such.ini", &arena, &text, &length, &err),
                     CT_E_USAGE);
    assert_non_null(strstr(err.message, "No such file"));
    assert_int_equal(ct_reader_slurp("tests", &arena, &text, &length, &err), CT_E_USAGE);
    assert_non_null(strstr(err.message, "directory"));
    /* Address 0 of this process, which the system cannot read. */
    assert_int_equal(ct_reader_slurp("/proc/self/mem", &arena, &text, &length, &err),
                     CT_E_IO);
    assert_non_null(strstr(err.message, strerror(EIO)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(sections_and_keys_keep_their_order, release),
        cmocka_unit_test_teardown(repeated_sections_stay_apart, release),
        cmocka_unit_test_teardown(only_a_lone_equals_separates, release),
        cmocka_unit_test_teardown(comments_end_outside_quotes, release),
        cmocka_unit_test_teardown(deeper_lines_continue, release),
        cmocka_unit_test_teardown(every_character_has_its_place, release),
        cmocka_unit_test_teardown(characters_count_as_one_column, release),
        cmocka_unit_test_teardown(text_is_valid_utf8, release),
        cmocka_unit_test_teardown(long_lines_and_names_are_whole, release),
        cmocka_unit_test_teardown(many_sections_are_all_there, release),
        cmocka_unit_test_teardown(marks_of_windows_are_passed_over, release),
        cmocka_unit_test_teardown(what_is_no_text_is_refused, release),
        cmocka_unit_test_teardown(mistakes_do_not_hide_what_follows, release),
        cmocka_unit_test_teardown(unreadable_files_say_why, release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
