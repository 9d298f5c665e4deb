// SPDX-License-Identifier: Apache-2.0
// Loading program binaries: what is accepted, and that damaged and hostile files are refused.
#include "base/create.h"
#include "base/file.h"
#include "db/binary.h"
#include "db/cltunedb-binary.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/cltune-binary-XXXXXX";
static char path[64];
static char json_path[64];
static char message[CLTUNEDB_MESSAGE_BYTES];

static const char bytes[] = "program one|program two";
enum { BYTES = sizeof(bytes) - 1, FIRST = 12 };

static const cltunedb_binary_device here = {sizeof(here), "Card A",   "Maker",     "GPU",
                                            "1.0",        "Platform", "OpenCL 3.0"};

/* HASH stands for that of the bytes. */
static const char good[] =
    "{\n  \"schema_version\": 1, \"kernel\": \"fir\", \"device\": \"Card A\",\n"
    "  \"vendor\": \"Maker\", \"type\": \"GPU\", \"driver\": \"1.0\",\n"
    "  \"platform\": \"Platform\", \"platform_version\": \"OpenCL 3.0\",\n"
    "  \"flags\": \"-D WG=64\", \"experiment\": \"0123\",\n"
    "  \"problem\": {\"n\": 1024, \"m\": \"x y\"},\n"
    "  \"configuration\": {\"WG\": 64, \"F\": 0.5},\n"
    "  \"bytes\": 23, \"hash\": \"HASH\",\n"
    "  \"programs\": [{\"offset\": 0, \"bytes\": 12, \"options\": \"-w\"},\n"
    "    {\"offset\": 12, \"bytes\": 11, \"options\": \"\"}],\n"
    "  \"launches\": [{\"kernel\": \"a\", \"program\": 0, \"global\": [128, 2],\n"
    "    \"local\": [64, 1], \"times\": 3},\n"
    "    {\"kernel\": \"b\", \"program\": 1, \"global\": [9], \"local\": null, \"times\": 1}]\n"
    "}\n";

static void put_file(const char *name, const char *text, size_t length)
{
    unlink(name);
    assert_int_equal(ct_file_create(name, text, length), 0);
}

/* The good JSON with the first `from` replaced by `to`, sealed or not. */
static void put_json(const char *from, const char *to, bool sealed)
{
    const char *at = strstr(good, from);
    const char *hash;
    struct ct_str edited;
    struct ct_str text;

    assert_non_null(at);
    ct_str_init(&edited);
    ct_str_init(&text);
    ct_str_add(&edited, good, (size_t)(at - good));
    ct_str_puts(&edited, to);
    ct_str_puts(&edited, at + strlen(from));
    hash = strstr(edited.data, "HASH");
    if (hash) {
        ct_str_add(&text, edited.data, (size_t)(hash - edited.data));
        ct_str_puts(&text, ct_hash_bytes(bytes, BYTES).text);
        ct_str_puts(&text, hash + 4);
    } else {
        ct_str_puts(&text, edited.data);
    }
    if (sealed)
        ct_binary_seal(&text);
    put_file(json_path, text.data, text.length);
    ct_str_release(&text);
    ct_str_release(&edited);
}

static cltunedb_status load(const cltunedb_binary_device *device, cltunedb_binary **out)
{
    *message = '\0';
    return cltunedb_binary_load(path, device, out, message, sizeof(message));
}

static void expect_refusal(const cltunedb_binary_device *device, cltunedb_status status,
                           const char *word)
{
    cltunedb_binary *binary = NULL;

    assert_int_equal(load(device, &binary), status);
    assert_null(binary);
    if (!strstr(message, word))
        fail_msg("no '%s' in '%s'", word, message);
}

static void test_good(void **state)
{
    cltunedb_binary *b = NULL;

    (void)state;
    put_json("fir", "fir", true);
    assert_int_equal(load(&here, &b), CLTUNEDB_OK);
    assert_string_equal(message, "");
    assert_string_equal(b->kernel, "fir");
    assert_string_equal(b->flags, "-D WG=64");
    assert_string_equal(b->experiment, "0123");
    assert_int_equal(b->problem_count, 2);
    assert_string_equal(b->problem[0].name, "m");
    assert_string_equal(b->problem[0].s, "x y");
    assert_int_equal(b->problem[1].i, 1024);
    assert_int_equal(b->configuration_count, 2);
    assert_true(b->configuration[0].r == 0.5);
    assert_int_equal(b->configuration[1].kind, CLTUNEDB_INT);
    assert_int_equal(b->program_count, 2);
    assert_int_equal(b->programs[0].size, FIRST);
    assert_memory_equal(b->programs[1].bytes, bytes + FIRST, BYTES - FIRST);
    assert_string_equal(b->programs[0].options, "-w");
    assert_int_equal(b->launch_count, 2);
    assert_int_equal(b->launches[0].dims, 2);
    assert_int_equal(b->launches[0].global[0], 128);
    assert_int_equal(b->launches[0].global[2], 1);
    assert_int_equal(b->launches[0].local[0], 64);
    assert_int_equal(b->launches[0].times, 3);
    assert_int_equal(b->launches[1].program, 1);
    assert_int_equal(b->launches[1].local[0], 0);
    cltunedb_binary_free(b);
    cltunedb_binary_free(NULL);
}

static void test_other_device(void **state)
{
    static const char *const words[] = {
        "name 'Card A'", "vendor 'Maker'",      "type 'GPU'",
        "driver '1.0'",  "platform 'Platform'", "platform version 'OpenCL 3.0'"};
    cltunedb_binary_device device = here;
    const char **facts[] = {&device.name,          &device.vendor,
                            &device.type,          &device.driver_version,
                            &device.platform_name, &device.platform_version};
    cltunedb_binary *binary = NULL;

    (void)state;
    put_json("fir", "fir", true);
    for (size_t i = 0; i < 6; i++) {
        const char *was = *facts[i];

        *facts[i] = "other\n";
        expect_refusal(&device, CLTUNEDB_E_NOT_FOUND, words[i]);
        assert_non_null(strstr(message, "'other\\x0a'"));
        *facts[i] = NULL;
        if (i < 4) {
            expect_refusal(&device, CLTUNEDB_E_ARGUMENT, "is NULL");
        } else {
            assert_int_equal(load(&device, &binary), CLTUNEDB_OK);
            cltunedb_binary_free(binary);
        }
        *facts[i] = was;
    }
    expect_refusal(NULL, CLTUNEDB_E_ARGUMENT, "is NULL");
    assert_int_equal(cltunedb_binary_load(path, &here, NULL, NULL, 0),
                     CLTUNEDB_E_ARGUMENT);
    assert_int_equal(cltunedb_binary_load(NULL, &here, &binary, NULL, 0),
                     CLTUNEDB_E_ARGUMENT);
}

/* Whether a changed file is refused as damaged, or, if it was cut, as a smaller one. */
static size_t count_accepted(const char *name, const struct ct_str *text)
{
    struct ct_str copy;
    size_t accepted = 0;

    ct_str_init(&copy);
    for (size_t at = 0; at < text->length; at++) {
        cltunedb_binary *binary = NULL;

        ct_str_reset(&copy);
        ct_str_add(&copy, text->data, text->length);
        copy.data[at] ^= (char)(1 << at % 8);
        put_file(name, copy.data, copy.length);
        accepted += load(&here, &binary) != CLTUNEDB_E_DATABASE;
        cltunedb_binary_free(binary);
        put_file(name, text->data, at);
        accepted += load(&here, &binary) != CLTUNEDB_E_DATABASE;
        cltunedb_binary_free(binary);
    }
    ct_str_puts(&copy, "\n");
    put_file(name, copy.data, copy.length);
    expect_refusal(&here, CLTUNEDB_E_DATABASE, "");
    put_file(name, text->data, text->length);
    ct_str_release(&copy);
    return accepted;
}

static void test_damage(void **state)
{
    struct ct_str text;

    (void)state;
    put_json("fir", "fir", true);
    ct_str_init(&text);
    assert_int_equal(ct_file_read(json_path, 1 << 20, &text, NULL), 0);
    assert_int_equal(count_accepted(json_path, &text), 0);
    ct_str_reset(&text);
    ct_str_add(&text, bytes, BYTES);
    assert_int_equal(count_accepted(path, &text), 0);
    put_file(path, "program one|program two.", BYTES + 1);
    expect_refusal(&here, CLTUNEDB_E_DATABASE, "has 24 bytes, but");
    put_file(path, "program one|program TWO", BYTES);
    expect_refusal(&here, CLTUNEDB_E_DATABASE, "its hash differs");
    unlink(path);
    expect_refusal(&here, CLTUNEDB_E_NOT_FOUND, "cannot read");
    put_file(path, bytes, BYTES);
    unlink(json_path);
    expect_refusal(&here, CLTUNEDB_E_NOT_FOUND, ".json: No such file");
    ct_str_release(&text);
}

/* Texts that a stranger sealed. */
static void test_hostile(void **state)
{
    static const struct {
        const char *from;
        const char *to;
        const char *word;
    } cases[] = {
        {"\"schema_version\": 1", "\"schema_version\": 2", "has version 2"},
        {"\"schema_version\": 1", "\"schema_version\": \"1\"", "no schema_version"},
        {"\"schema_version\": 1,", "", "no schema_version"},
        {"\"driver\": \"1.0\"", "\"driver\": 1.0", "a fact about the device"},
        {"\"kernel\": \"fir\"", "\"kernel\": null", "the kernel"},
        {"\"kernel\": \"fir\"", "\"kernel\": \"a\\u0000b\"", "not a JSON object"},
        {"\"kernel\": \"fir\"", "\"kernel\": \"a\", \"kernel\": \"b\"",
         "not a JSON object"},
        {"\"problem\": {\"n\": 1024", "\"problem\": {\"n\": [1]", "neither a number"},
        {"{\"WG\": 64, \"F\": 0.5}", "[]", "problem or configuration"},
        {"\"bytes\": 23", "\"bytes\": -23", "no hash and size"},
        {"\"bytes\": 23", "\"bytes\": 99999999999", "no hash and size"},
        {"\"hash\": \"HASH\"", "\"hash\": 7", "no hash and size"},
        {"\"hash\": \"HASH\"", "\"hash\": \"\"", "its hash differs"},
        {"\"offset\": 12", "\"offset\": 13", "do not fill the binary"},
        {"\"offset\": 0", "\"offset\": -1", "do not fill the binary"},
        {"\"bytes\": 12", "\"bytes\": 9223372036854775807", "do not fill the binary"},
        {"\"bytes\": 12", "\"bytes\": 0", "do not fill the binary"},
        {"\"bytes\": 11", "\"bytes\": 10", "do not fill the binary"},
        {"\"bytes\": 11", "\"bytes\": 11.0", "do not fill the binary"},
        {"\"options\": \"-w\"", "\"options\": 1", "has no options"},
        {"\"launches\": [", "\"launches\": [7, ", "a launch is incomplete"},
        {"\"program\": 1", "\"program\": 2", "a launch is incomplete"},
        {"\"program\": 1", "\"program\": -1", "a launch is incomplete"},
        {"\"global\": [9]", "\"global\": []", "a launch is incomplete"},
        {"\"global\": [9]", "\"global\": [9, 9, 9, 9]", "a launch is incomplete"},
        {"\"global\": [9]", "\"global\": [0]", "a launch is incomplete"},
        {"\"local\": [64, 1]", "\"local\": [64]", "a launch is incomplete"},
        {"\"local\": [64, 1]", "\"local\": [64, 0]", "a launch is incomplete"},
        {"\"local\": [64, 1]", "\"local\": \"\"", "a launch is incomplete"},
        {"\"times\": 3", "\"times\": 100000000", "a launch is incomplete"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        put_json(cases[i].from, cases[i].to, true);
        expect_refusal(&here, CLTUNEDB_E_DATABASE, cases[i].word);
    }
    put_json("fir", "fir", false);
    expect_refusal(&here, CLTUNEDB_E_DATABASE, "checksum differs");
    unlink(json_path);
    assert_int_equal(symlink("/dev/zero", json_path), 0);
    expect_refusal(&here, CLTUNEDB_E_DATABASE, "not a regular file");
}

/* A deep list costs no stack. */
static void test_deep(void **state)
{
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    ct_str_puts(&text, "{\"a\": ");
    for (int i = 0; i < 1000000; i++)
        ct_str_putc(&text, '[');
    ct_str_puts(&text, "\n}\n");
    ct_binary_seal(&text);
    put_file(json_path, text.data, text.length);
    expect_refusal(&here, CLTUNEDB_E_DATABASE, "not a JSON object");
    ct_str_release(&text);
}

static void test_create(void **state)
{
    struct ct_str text;
    char name[80];

    (void)state;
    snprintf(name, sizeof(name), "%s/new", folder);
    assert_int_equal(ct_file_create(name, "one", 3), 0);
    assert_int_equal(ct_file_create(name, "two", 3), EEXIST);
    ct_str_init(&text);
    assert_int_equal(ct_file_read(name, 100, &text, NULL), 0);
    assert_string_equal(text.data, "one");
    ct_str_release(&text);
    unlink(name);
    assert_int_equal(symlink("/nowhere/at/all", name), 0);
    assert_int_equal(ct_file_create(name, "one", 3), EEXIST);
    unlink(name);
    snprintf(name, sizeof(name), "%s/none/new", folder);
    assert_int_equal(ct_file_create(name, "one", 3), ENOENT);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof(path), "%s/f", folder);
    snprintf(json_path, sizeof(json_path), "%s/f.json", folder);
    return ct_file_create(path, bytes, BYTES);
}

/* Nothing else is left there: no part of a file. */
static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    unlink(json_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),   cmocka_unit_test(test_other_device),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_deep),   cmocka_unit_test(test_create),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
