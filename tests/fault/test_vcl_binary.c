// SPDX-License-Identifier: Apache-2.0
// Tests of the virtual OpenCL driver: what binaries hold, the time of compiling, the log.

#include "test_vcl.h"

#include <dirent.h>
#include <time.h>

struct binary {
    unsigned char *bytes;
    size_t size;
};

// The binary of the built program for device 1; the caller frees its bytes.
static struct binary take_binary(struct bench *bench)
{
    size_t sizes[2];
    cl_uint count; // 2 from source, 1 from a binary
    struct binary binary;
    assert_int_equal(clGetProgramInfo(bench->program, CL_PROGRAM_NUM_DEVICES,
                                      sizeof count, &count, NULL),
                     CL_SUCCESS);
    assert_int_equal(clGetProgramInfo(bench->program, CL_PROGRAM_BINARY_SIZES,
                                      sizeof sizes, sizes, NULL),
                     CL_SUCCESS);
    binary.size = sizes[count - 1];
    binary.bytes = calloc(1, binary.size + 1);
    assert_non_null(binary.bytes);
    unsigned char *pointers[2] = {NULL, NULL};
    pointers[count - 1] = binary.bytes;
    assert_int_equal(clGetProgramInfo(bench->program, CL_PROGRAM_BINARIES,
                                      sizeof pointers, pointers, NULL),
                     CL_SUCCESS);
    return binary;
}

static struct binary binary_of(struct bench *bench, const char *lines,
                               const char *options)
{
    assert_int_equal(build_copy(bench, 1, lines, options), CL_SUCCESS);
    return take_binary(bench);
}

// Makes a program of the binary and builds it; the error of either step.
static cl_int load_binary(struct bench *bench, const struct binary *binary)
{
    const unsigned char *bytes = binary->bytes;
    cl_int status;
    cl_uint count;
    drop_program(bench);
    bench->program = clCreateProgramWithBinary(bench->context, 1, &bench->devices[1],
                                               &binary->size, &bytes, NULL, &status);
    if (!status)
        status = clBuildProgram(bench->program, 0, NULL, "-D WG=99", NULL, NULL);
    if (!status)
        assert_int_equal(
            clCreateKernelsInProgram(bench->program, 1, &bench->kernel, &count),
            CL_SUCCESS);
    return status;
}

// How many bytes differ; SIZE_MAX for different sizes.
static size_t difference(const struct binary *a, const struct binary *b)
{
    size_t count = 0;
    if (a->size != b->size)
        return SIZE_MAX;
    for (size_t i = 0; i < a->size; i++)
        count += a->bytes[i] != b->bytes[i];
    return count;
}

static size_t difference_of(struct bench *bench, const char *lines, const char *one,
                            const char *other)
{
    struct binary a = binary_of(bench, lines, one), b = binary_of(bench, lines, other);
    size_t count = difference(&a, &b);
    free(a.bytes);
    free(b.bytes);
    return count;
}

static void binaries_differ_as_they_are_reported(void **state)
{
    struct bench *bench = *state;
    const char lines[] = "#pragma virtual base 9\n#if WG > 4\n"
                         "#pragma virtual base 7\n#endif\n";
    static const struct {
        const char *mode, *one, *other;
        size_t least, most; // bytes that differ
    } rows[] = {
        // An unused macro shows in the options that are noted, and nowhere else.
        {"", "-DWG=1 -DUNUSED=1", "-DWG=1 -DUNUSED=2", 1, 1},
        {"", "-DWG=1", "-DWG=1", 0, 0},
        {"", "-DWG=1", "-DWG=1 -DUNUSED=2", SIZE_MAX, SIZE_MAX},
        // WG is in no text of the kernel but chooses a branch.
        {"plain", "-DWG=1 -DUNUSED=1", "-DWG=1 -DUNUSED=23456", 0, 0},
        {"plain", "-DWG=1", "-DWG=4", 0, 0},
        {"plain", "-DWG=1", "-DWG=8", 1, SIZE_MAX},
        {"temp", "-DWG=1", "-DWG=1", 1, 16},
        {"temp,plain", "-DWG=1 -DUNUSED=1", "-DWG=1 -DUNUSED=345", 1, 16},
        {"pad,plain", "-DUNUSED=1", "-DUNUSED=2", SIZE_MAX, SIZE_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(setenv("VIRTUALCL_BINARY", rows[i].mode, 1), 0);
        size_t count = difference_of(bench, lines, rows[i].one, rows[i].other);
        if (count < rows[i].least || count > rows[i].most)
            fail_msg("row %zu: %zu bytes differ", i, count);
    }
    assert_int_equal(setenv("VIRTUALCL_BINARY", "none", 1), 0);
    struct binary none = binary_of(bench, lines, "");
    assert_int_equal(none.size, 0);
    free(none.bytes);
    unsetenv("VIRTUALCL_BINARY");
}

// Whatever is noted besides, a loaded program is what was built.
static void loaded_programs_are_what_was_built(void **state)
{
    struct bench *bench = *state;
    static const char *const modes[] = {"", "plain", "temp", "pad", "temp,pad,plain"};
    const char lines[] = "#define TWO(x) x + x\n"
                         "#pragma virtual base 300\n"
                         "#pragma virtual add WG 8 7000\n"
                         "#pragma virtual item 20\n"
                         "#pragma virtual fault WG 8 launch_error:-54 at:2\n"
                         "#pragma virtual fault WG 8 build_leak:1\n"
                         "#if WG == 8 && TWO(WG) == 16\n"
                         "typedef float4 real;\n#else\n#error no\n#endif\n"
                         "#undef REAL\n#define REAL real\n";
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(setenv("VIRTUALCL_BINARY", modes[i], 1), 0);
        char source[1024], type[32];
        snprintf(source, sizeof source, "%s%s", lines, strstr(copy_source, "__kernel"));
        assert_int_equal(build(bench, 1, source, "-DWG=8 -cl-kernel-arg-info"),
                         CL_SUCCESS);
        struct binary binary = take_binary(bench), again;
        assert_int_equal(load_binary(bench, &binary), CL_SUCCESS);
        assert_int_equal(launch_ns(bench, 1), (300 + 7000 + 8 * 20) / 10);
        assert_int_equal(clGetKernelArgInfo(bench->kernel, 0, CL_KERNEL_ARG_TYPE_NAME,
                                            sizeof type, type, NULL),
                         CL_SUCCESS);
        assert_string_equal(type, "real*");
        cl_mem mem = buffer(bench, 64);
        set_arguments(bench, mem, mem);
        assert_int_equal(launch(bench, 1, 4, 4, NULL), CL_INVALID_WORK_GROUP_SIZE);
        clReleaseMemObject(mem);
        // A binary of a loaded binary is one too.
        again = take_binary(bench);
        assert_int_equal(load_binary(bench, &again), CL_SUCCESS);
        free(again.bytes);
        free(binary.bytes);
    }
    unsetenv("VIRTUALCL_BINARY");
}

static void bad_binaries_do_not_load(void **state)
{
    struct bench *bench = *state;
    struct binary binary = binary_of(bench, "#pragma virtual base 5", "-DWG=1");
    assert_int_equal(setenv("VIRTUALCL_DRIVER", "1.1", 1), 0);
    char driver[16];
    assert_int_equal(clGetDeviceInfo(bench->devices[1], CL_DRIVER_VERSION, sizeof driver,
                                     driver, NULL),
                     CL_SUCCESS);
    assert_string_equal(driver, "1.1");
    assert_int_equal(load_binary(bench, &binary), CL_INVALID_BINARY);
    unsetenv("VIRTUALCL_DRIVER");
    assert_int_equal(load_binary(bench, &binary), CL_SUCCESS);
    // Any changed byte of what was compiled, and any missing end.
    for (size_t i = binary.size - 200; i < binary.size; i++) {
        binary.bytes[i] ^= 1;
        assert_int_equal(load_binary(bench, &binary), CL_INVALID_BINARY);
        binary.bytes[i] ^= 1;
    }
    for (size_t size = binary.size; binary.size-- > 1;)
        if (load_binary(bench, &binary) != CL_INVALID_BINARY)
            fail_msg("%zu of %zu bytes load", binary.size, size);
    free(binary.bytes);
    binary = binary_of(bench, "#pragma virtual fault * * load_error:-6", "");
    assert_int_equal(load_binary(bench, &binary), CL_OUT_OF_HOST_MEMORY);
    free(binary.bytes);
}

static cl_ulong now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (cl_ulong)now.tv_sec * 1000000000u + (cl_ulong)now.tv_nsec;
}

static cl_ulong processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (cl_ulong)now.tv_sec * 1000000000u + (cl_ulong)now.tv_nsec;
}

static void launch_one(struct bench *bench, size_t global, size_t local)
{
    cl_mem mem = buffer(bench, 16);
    set_arguments(bench, mem, mem);
    assert_int_equal(launch(bench, 1, global, local, NULL), CL_SUCCESS);
    assert_int_equal(clFinish(bench->queues[1]), CL_SUCCESS);
    clReleaseMemObject(mem);
}

// ---- the log

struct lines {
    char text[65536];
};

static void start_log(char path[64])
{
    fresh_path(path);
    assert_int_equal(setenv("VIRTUALCL_LOG", path, 1), 0);
}

static void read_log(struct lines *lines)
{
    FILE *file = fopen(getenv("VIRTUALCL_LOG"), "r");
    assert_non_null(file);
    size_t got = fread(lines->text, 1, sizeof lines->text - 1, file);
    lines->text[got] = '\0';
    fclose(file);
}

static void drop_log(const char *path)
{
    unsetenv("VIRTUALCL_LOG");
    drop_path(path);
}

// How many lines are of that event and have the text.
static int count(const struct lines *lines, const char *event, const char *text)
{
    int found = 0;
    for (const char *at = lines->text; *at;) {
        char line[1100], word[64] = "";
        unsigned long long time_ns;
        long process;
        size_t length = strcspn(at, "\n");
        assert_true(length < sizeof line && at[length] == '\n');
        memcpy(line, at, length);
        line[length] = '\0';
        if (sscanf(line, "%llu %ld %63s", &time_ns, &process, word) != 3)
            fail_msg("malformed: %s", line);
        found += strcmp(word, event) == 0 && strstr(line, text);
        at += length + 1;
    }
    return found;
}

static int logged(const char *event, const char *text)
{
    static struct lines lines;
    read_log(&lines);
    return count(&lines, event, text);
}

static void compiling_takes_its_time(void **state)
{
    struct bench *bench = *state;
    char path[64];
    const char lines[] = "#pragma virtual build_time 30000000\n"
                         "#pragma virtual first_time 20000000\n"
                         "#pragma virtual load_time 10000000\n";
    assert_int_equal(setenv("VIRTUALCL_PACE", "1", 1), 0);
    start_log(path);
    cl_ulong from_ns = now_ns(), worked_ns = processor_ns();
    assert_int_equal(build_copy(bench, 1, lines, "-DWG=1"), CL_SUCCESS);
    assert_true(now_ns() - from_ns >= 30000000);
    assert_true(processor_ns() - worked_ns < 30000000); // it sleeps
    from_ns = now_ns();
    launch_one(bench, 8, 4);
    assert_true(now_ns() - from_ns >= 20000000);
    launch_one(bench, 16, 4);
    assert_int_equal(logged("first_begin", "kernel=copy 4x1x1"), 1);
    launch_one(bench, 16, 8);
    assert_int_equal(logged("first_end", "kernel=copy 8x1x1"), 1);
    // What was compiled for is in the binary.
    struct binary binary = take_binary(bench);
    from_ns = now_ns();
    assert_int_equal(load_binary(bench, &binary), CL_SUCCESS);
    assert_true(now_ns() - from_ns >= 10000000);
    free(binary.bytes);
    launch_one(bench, 16, 8);
    assert_int_equal(logged("first_begin", ""), 2);
    launch_one(bench, 16, 2);
    assert_int_equal(logged("first_begin", "kernel=copy 2x1x1"), 1);
    assert_int_equal(setenv("VIRTUALCL_COMPILE", "burn", 1), 0);
    worked_ns = processor_ns();
    assert_int_equal(build_copy(bench, 1, lines, "-DWG=1"), CL_SUCCESS);
    assert_true(processor_ns() - worked_ns >= 30000000);
    unsetenv("VIRTUALCL_COMPILE");
    drop_log(path);
}

static void drop_folder(const char *path)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0); // . and .. stay
    closedir(folder);
    assert_int_equal(rmdir(path), 0);
}

static void a_cache_saves_compiling(void **state)
{
    struct bench *bench = *state;
    char path[64], folder[] = "/tmp/test-vcl-cache-XXXXXX";
    const char lines[] = "#pragma virtual build_time 1000\n"
                         "#pragma virtual first_time 1000\n";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("VIRTUALCL_CACHE", folder, 1), 0);
    start_log(path);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(build_copy(bench, 1, lines, "-DWG=1"), CL_SUCCESS);
        launch_one(bench, 8, 4);
    }
    assert_int_equal(logged("build_end", "cached=0"), 1);
    assert_int_equal(logged("build_end", "cached=1"), 2);
    assert_int_equal(logged("first_begin", ""), 1);
    assert_int_equal(build_copy(bench, 1, lines, "-DWG=2"), CL_SUCCESS);
    assert_int_equal(build_copy(bench, 0, lines, "-DWG=1"), CL_SUCCESS);
    assert_int_equal(logged("build_end", "cached=0"), 3);
    drop_log(path);
    unsetenv("VIRTUALCL_CACHE");
    drop_folder(folder);
}

static void the_log_tells_what_happened(void **state)
{
    struct bench *bench = *state;
    char path[64];
    start_log(path);
    assert_int_equal(build_copy(bench, 1, "", "-DWG=1 -D 'NAME=a b'"), CL_SUCCESS);
    assert_int_equal(logged("build_begin", "macros=NAME=a_b;WG=1;"), 1);
    assert_int_equal(logged("build_end", "status=0"), 1);
    cl_mem mem = buffer(bench, 16);
    set_arguments(bench, mem, mem);
    for (int i = 0; i < 5; i++)
        assert_int_equal(launch(bench, 1, 8, 4, NULL), CL_SUCCESS);
    assert_int_equal(logged("launch", "kernel=copy"), 1); // one line for all five
    assert_int_equal(logged("finish_begin", ""), 0);
    assert_int_equal(clFinish(bench->queues[1]), CL_SUCCESS);
    assert_int_equal(clFinish(bench->queues[1]), CL_SUCCESS); // nothing to tell
    assert_int_equal(logged("finish_begin", "launches=5"), 1);
    assert_int_equal(logged("finish_end", "launches=5 status=0"), 1);
    assert_int_equal(logged("finish_begin", ""), 1);
    assert_int_equal(build_copy(bench, 1, "#pragma virtual fault * * build_error", ""),
                     CL_BUILD_PROGRAM_FAILURE);
    assert_int_equal(logged("build_end", "status=-11"), 1);
    clReleaseMemObject(mem);
    drop_log(path);
}

// Lines of processes that write at the same time are whole; each process starts once.
static void processes_share_the_log(void **state)
{
    struct bench *bench = *state;
    enum { CHILDREN = 4, BUILDS = 25 };
    char path[64];
    start_log(path);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0) {
            char options[32];
            snprintf(options, sizeof options, "-DCHILD=%d", i);
            for (int n = 0; n < BUILDS; n++)
                if (build_copy(bench, 1, "", options))
                    _exit(1);
            _exit(0);
        }
    }
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(logged("start", ""), CHILDREN);
    assert_int_equal(logged("build_begin", ""), CHILDREN * BUILDS);
    assert_int_equal(logged("build_begin", "macros=CHILD=2;"), BUILDS);
    drop_log(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(binaries_differ_as_they_are_reported),
        TEST(loaded_programs_are_what_was_built),
        TEST(bad_binaries_do_not_load),
        TEST(compiling_takes_its_time),
        TEST(a_cache_saves_compiling),
        TEST(the_log_tells_what_happened),
        TEST(processes_share_the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
