// SPDX-License-Identifier: Apache-2.0
// Online tuning by its public interface: programs that carry the space file and its sources.
#define _GNU_SOURCE
#include "online_world.h"

#include <sys/stat.h>

static const char source_text[] =
    "__kernel void k(__global float *out) { out[0] = V; }\n";

static int64_t count_of(const char *what)
{
    char sql[128];

    snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", what);
    return number_in(user_db, sql);
}

static void remove_from(const char *name)
{
    char path[160];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(remove(path), 0);
}

static void carry(struct program *p, const char *space, const cltunedb_tune_file *files,
                  size_t count)
{
    p->space = space;
    p->files = files;
    p->file_count = count;
}

/* They are what files of these contents are, wherever the program runs. */
static void test_same_as_on_disk(void **state)
{
    const cltunedb_tune_file files[] = {{"k.ini", space_text, 0},
                                        {"k.cl", source_text, sizeof(source_text) - 1}};
    struct program disk = a_program();
    struct program carries = a_program();
    struct program larger = a_program();

    (void)state;
    run_to_end(&disk, 400);
    remove_from("k.ini");
    remove_from("k.cl");
    carry(&carries, "k.ini", files, 2);
    run_to_end(&carries, 50);
    assert_int_equal(carries.tried, 0);
    assert_int_equal(carries.seen[128][4], 50);
    /* What is written for another problem leaves what is known of the kernel's place. */
    larger.n = 2000;
    carry(&larger, "k.ini", files, 2);
    run_to_end(&larger, 50);
    assert_true(larger.tried > 0);
    assert_int_equal(count_of("problem"), 2);
    assert_int_equal(count_of("kernel"), 1);
    assert_int_equal(
        count_of("kernel WHERE space_file LIKE '%/k.ini' AND space_hash <> '' "
                 "AND space_path LIKE '%/k.ini'"),
        1);
}

static void test_tunes_without_files(void **state)
{
    const cltunedb_tune_file files[] = {{"none/k.ini", space_text, 0},
                                        {"k.cl", source_text, 0}};
    struct program first = a_program();
    struct program second = a_program();
    struct program disk = a_program();

    (void)state;
    carry(&first, "none/k.ini", files, 2);
    run_to_end(&first, 400);
    assert_int_equal(first.done, CLTUNEDB_OK);
    assert_true(first.tried > 20);
    assert_int_equal(count_of("kernel WHERE space_file = '' AND space_path = ''"), 1);
    carry(&second, "none/k.ini", files, 2);
    run_to_end(&second, 20);
    assert_int_equal(second.tried, 0);
    run_to_end(&disk, 20);
    assert_int_equal(disk.tried, 0);
}

static const char wide_space[] = "[kernel]\n"
                                 "name = k\n"
                                 "source = src/../kernels/k.cl\n"
                                 "include = inc\n"
                                 "[problem]\n"
                                 "n = 1000\n"
                                 "[param]\n"
                                 "WG = 16, 32, 64, 128, 256, 512\n"
                                 "V = 1, 2, 4, 8\n"
                                 "[buffer in]\n"
                                 "type = uchar\n"
                                 "count = 4\n"
                                 "fill = file(data.bin)\n"
                                 "[buffer out]\n"
                                 "type = float\n"
                                 "count = n\n"
                                 "check = abs(1)\n"
                                 "[launch k]\n"
                                 "kernel = k\n"
                                 "args = in, out\n"
                                 "global = n\n"
                                 "local = WG\n"
                                 "[reference]\n"
                                 "c = k.c\n"
                                 "function = f\n"
                                 "args = in, out\n";

enum { WIDE = 6 };
static const char wide_names[WIDE][16] = {"k.ini",     "kernels/k.cl", "common.h",
                                          "inc/lib.h", "k.c",          "data.bin"};
static const char *const wide_texts[WIDE] = {
    wide_space,
    "#include \"../common.h\"\n#include \"lib.h\"\n"
    "__kernel void k(__global uchar *in, __global float *out) { out[0] = V; }\n",
    "#include \"./common.h\"\n#define A 1\n",
    "#define B 1\n",
    "void f(void *in, void *out) { (void)in; (void)out; }\n",
    "a\0bc",
};

static void fill_files(cltunedb_tune_file *files)
{
    for (size_t i = 0; i < WIDE; i++)
        files[i] = (cltunedb_tune_file){wide_names[i], wide_texts[i], 0};
    files[WIDE - 1].bytes = 4;
}

/* Includes are found among them as on disk, C code and data count as there. */
static void test_all_kinds_of_files(void **state)
{
    cltunedb_tune_file files[WIDE];
    struct program carries = a_program();
    struct program disk = a_program();
    struct program other = a_program();
    char path[160];

    (void)state;
    fill_files(files);
    carry(&carries, "k.ini", files, WIDE);
    run_to_end(&carries, 400);
    assert_int_equal(carries.done, CLTUNEDB_OK);
    assert_true(carries.tried > 20);
    for (size_t i = 0; i < 3; i++) {
        static const char *const folders[] = {"kernels", "inc", "src"};

        snprintf(path, sizeof(path), "%s/%s", folder, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < WIDE; i++) {
        FILE *file;

        snprintf(path, sizeof(path), "%s/%s", folder, wide_names[i]);
        file = fopen(path, "w");
        assert_non_null(file);
        fwrite(wide_texts[i], 1, i == WIDE - 1 ? 4 : strlen(wide_texts[i]), file);
        fclose(file);
    }
    run_to_end(&disk, 20);
    assert_int_equal(disk.tried, 0);
    assert_int_equal(count_of("kernel"), 1);
    /* What is carried counts, not what is on disk. */
    files[2].text = "#define A 2\n";
    carry(&other, space_file, files, WIDE);
    files[0].path = space_file;
    run_to_end(&other, 20);
    assert_true(other.tried > 0);
    assert_int_equal(count_of("kernel"), 2);
}

static void refused(const cltunedb_tune_request *request, const char *why)
{
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb_tune *tune;

    assert_int_equal(cltunedb_tune_begin(request, &tune, message, sizeof(message)),
                     CLTUNEDB_E_ARGUMENT);
    assert_null(tune);
    if (!strstr(message, why))
        fail_msg("\"%s\" does not say \"%s\"", message, why);
}

static void test_mistakes(void **state)
{
    const cltunedb_value name = {"DEVICE_NAME", CLTUNEDB_TEXT, 0, 0, "Card"};
    cltunedb_tune_file files[WIDE];
    cltunedb_tune_request request = CLTUNEDB_TUNE_REQUEST_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb_tune *tune;

    (void)state;
    fill_files(files);
    request.device = &name;
    request.device_count = 1;
    request.space_file = "k.ini";
    request.file_count = WIDE;
    refused(&request, "counts files that it does not have");
    request.files = files;
    request.kernel = "k";
    request.space_file = NULL;
    refused(&request, "without the name of the space file");
    request.space_file = "k.ini";
    files[2].text = NULL;
    refused(&request, "file 3 of the request has no path or no text");
    files[2].path = "elsewhere.h";
    files[2].text = "";
    refused(&request, "the included file '../common.h' is not found");
    files[1].path = "other.cl";
    refused(&request, "cannot read 'src/../kernels/k.cl'");
    fill_files(files);
    files[1].text = "a\0b";
    files[1].bytes = 3;
    refused(&request, "it is not text");
    fill_files(files);
    files[4].path = "other.c";
    refused(&request, "cannot read 'k.c'");
    fill_files(files);
    files[0].text = "[kernel]\nname = k\nsauce = k.cl\n";
    refused(&request, "k.ini:1:1: [kernel] requires the key");
    /* The request of a program that was compiled with an older header ends before them. */
    files[0].text = NULL;
    request.struct_bytes = offsetof(cltunedb_tune_request, files);
    request.space_file = space_file;
    assert_int_equal(cltunedb_tune_begin(&request, &tune, message, sizeof(message)),
                     CLTUNEDB_OK);
    cltunedb_tune_done(tune, NULL, 0);
    request.struct_bytes--;
    refused(&request, "CLTUNEDB_TUNE_REQUEST_INIT");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_same_as_on_disk),
        CASE(test_tunes_without_files),
        CASE(test_all_kinds_of_files),
        CASE(test_mistakes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
