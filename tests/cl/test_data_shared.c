// SPDX-License-Identifier: Apache-2.0
// Data sets that differ in the size of an output share their inputs: on the device, and with a
// reference in C.  On the virtual driver.
#define _GNU_SOURCE // folder.h
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "device/device.h"
#include "folder.h"
#include "virtual_driver.h"
#include "worker/data/data.h"
#include "worker/data/dataset.h"
#include "worker/host/hostrun.h"
#include "worker/worker_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { N = 300001, BUFFERS = 4 }; /* 1.1 MiB, no whole number of pages */
enum { IN, SPARE, OUT, SEEN };

static struct ct_session session;
static char reference_path[128];

/* SEEN is 1 if the array of IN is a private mapping of memory that has no file. */
static const char reference[] =
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "void reference(float *in, float *out, int *seen, unsigned n)\n"
    "{\n"
    "    char line[512];\n"
    "    unsigned long from, to;\n"
    "    FILE *maps = fopen(\"/proc/self/maps\", \"r\");\n"
    "    seen[0] = 0;\n"
    "    while (maps && fgets(line, sizeof(line), maps))\n"
    "        if (sscanf(line, \"%lx-%lx\", &from, &to) == 2 && (unsigned long)in >= from &&\n"
    "            (unsigned long)in < to)\n"
    "            seen[0] = strstr(line, \"rw-p\") && strstr(line, \"memfd:\");\n"
    "    if (maps) fclose(maps);\n"
    "    for (unsigned i = 0; i < n; i++)\n"
    "        out[i] = 2 * in[i];\n"
    "    in[0] = -1;\n" /* its own copy */
    "}\n";

struct sample {
    struct ct_plan plan;
    struct ct_plan_buffer buffers[BUFFERS];
    struct ct_plan_arg args[4];
};

/* The buffers of one configuration, whose output has `count` elements. */
static void make_plan(struct sample *s, uint32_t count)
{
    static const char *const names[BUFFERS] = {"in", "spare", "out", "seen"};

    memset(s, 0, sizeof(*s));
    for (size_t i = 0; i < BUFFERS; i++)
        s->buffers[i] = (struct ct_plan_buffer){
            .name = names[i],
            .type = {i == SEEN ? CT_T_INT : CT_T_FLOAT, 1},
            .count = i == OUT    ? count
                     : i == SEEN ? 1
                                 : N,
            .compare = i == OUT    ? count
                       : i == SEEN ? 1
                                   : N,
            .check = i >= OUT ? CT_CHECK_EXACT : CT_CHECK_NONE,
        };
    s->buffers[IN].fill =
        (struct ct_fill){.kind = CT_FILL_UNIFORM, .a = 1, .b = 2, .seed = 7};
    s->buffers[SPARE].fill = (struct ct_fill){.kind = CT_FILL_RAMP, .a = 1, .b = 1};
    for (size_t i = 0; i < 3; i++)
        s->args[i] = (struct ct_plan_arg){.kind = CT_ARG_BUFFER,
                                          .buffer = i ? (uint32_t)i + 1 : IN};
    s->args[3] = (struct ct_plan_arg){.kind = CT_ARG_SCALAR, .type = {CT_T_UINT, 1}};
    memcpy(s->args[3].bytes, &count, sizeof(count));
    s->plan.buffer_count = BUFFERS;
    s->plan.buffers = s->buffers;
    s->plan.reference = (struct ct_plan_host){.c_path = reference_path,
                                              .function = "reference",
                                              .libs = "",
                                              .arg_count = 4,
                                              .args = s->args};
}

static struct ct_dataset *get(struct sample *s, uint64_t seed)
{
    struct ct_outcome outcome = {0};
    struct ct_dataset *dataset = NULL;
    struct ct_err err = CT_ERR_INIT;

    if (ct_dataset_get(&session, &s->plan, seed, &dataset, &outcome, &err) !=
        CT_STEP_DONE)
        fail_msg("%s %s", err.message, outcome.message ? outcome.message : "");
    ct_outcome_release(&outcome);
    return dataset;
}

static struct ct_buffer *device_of(const struct ct_dataset *dataset, size_t index)
{
    return dataset->buffers[index].device;
}

/* Whether the device's copy is what the data set has. */
static bool holds(struct ct_dataset *dataset, size_t index)
{
    struct ct_err err = CT_ERR_INIT;

    assert_int_equal(ct_buffer_read(device_of(dataset, index), dataset->scratch, &err),
                     CT_OK);
    return memcmp(dataset->scratch, dataset->buffers[index].initial,
                  dataset->buffers[index].size_bytes) == 0;
}

static void inputs_are_shared_on_the_device(void **state)
{
    struct sample small, large, other, planes;
    struct ct_dataset *first, *second, *third;

    (void)state;
    make_plan(&small, 1000);
    make_plan(&large, 2000);
    first = get(&small, 1);
    assert_int_equal(ct_dataset_restore(first, NULL), CT_OK);
    second = get(&large, 1);
    assert_ptr_not_equal(first, second);
    assert_ptr_equal(device_of(first, IN), device_of(second, IN));
    assert_ptr_equal(device_of(first, SPARE), device_of(second, SPARE));
    assert_ptr_not_equal(device_of(first, OUT), device_of(second, OUT));
    /* Written once, and again after a launch of either has written to it. */
    assert_true(ct_buffer_is_clean(device_of(second, IN)));
    assert_false(ct_buffer_is_clean(device_of(second, OUT)));
    assert_true(holds(second, IN));
    assert_int_equal(ct_buffer_zero(device_of(first, IN), NULL, NULL), CT_OK);
    ct_buffer_set_clean(device_of(first, IN), false);
    assert_false(holds(second, IN));
    assert_int_equal(ct_dataset_restore(second, NULL), CT_OK);
    assert_true(holds(first, IN));
    /* Other random values, another place, other layouts. */
    third = get(&small, 2);
    assert_ptr_not_equal(device_of(third, IN), device_of(first, IN));
    make_plan(&other, 3000);
    other.buffers[IN].transfer = CT_TRANSFER_MAP;
    third = get(&other, 1);
    assert_ptr_not_equal(device_of(third, IN), device_of(first, IN));
    assert_ptr_equal(device_of(third, SPARE), device_of(first, SPARE));
    make_plan(&planes, 3000);
    planes.buffers[SPARE].planes = 3;
    third = get(&planes, 1);
    assert_ptr_equal(device_of(third, IN), device_of(second, IN));
    assert_ptr_not_equal(device_of(third, SPARE), device_of(second, SPARE));
}

/* Data sets are dropped in the order of their use; what they share stays. */
static void shared_copies_outlive_data_sets(void **state)
{
    struct ct_dataset *last = NULL;

    (void)state;
    for (uint32_t i = 0; i < 3 * CT_SESSION_DATASETS; i++) {
        struct sample s;
        struct ct_buffer *before = last ? device_of(last, IN) : NULL;

        make_plan(&s, 5000 + i);
        last = get(&s, 1);
        if (before)
            assert_ptr_equal(device_of(last, IN), before);
        assert_int_equal(ct_dataset_restore(last, NULL), CT_OK);
        assert_true(holds(last, IN));
    }
}

/* As a launch does that writes to it. */
static void write_to(struct ct_dataset *dataset, size_t index)
{
    assert_int_equal(ct_buffer_zero(device_of(dataset, index), NULL, NULL), CT_OK);
    ct_buffer_set_clean(device_of(dataset, index), false);
}

/* What launches change is restored from the device, as long as that has what it should have. */
static void originals_stay_on_the_device(void **state)
{
    struct ct_dataset_buffer *buffer;
    struct ct_dataset *dataset;
    bool intact = false;
    struct sample s;

    (void)state;
    make_plan(&s, 4321);
    dataset = get(&s, 3);
    buffer = &dataset->buffers[IN];
    for (int i = 0; i < 3; i++) {
        /* Nobody needs one of an input that is never written. */
        assert_true(i >= 2 || !buffer->original);
        write_to(dataset, IN);
        assert_int_equal(ct_dataset_restore(dataset, NULL), CT_OK);
        assert_true(holds(dataset, IN));
    }
    assert_non_null(buffer->original);
    assert_null(dataset->buffers[SPARE].original);
    assert_null(dataset->buffers[SEEN].original);
    assert_int_equal(ct_dataset_intact(dataset, &intact, NULL), CT_OK);
    assert_true(intact);
    /* A write outside of a launch's own buffers. */
    assert_int_equal(ct_buffer_zero(buffer->original, NULL, NULL), CT_OK);
    write_to(dataset, IN);
    assert_int_equal(ct_dataset_restore(dataset, NULL), CT_OK);
    assert_false(holds(dataset, IN));
    assert_int_equal(ct_dataset_intact(dataset, &intact, NULL), CT_OK);
    assert_false(intact);
    assert_null(buffer->original);
    assert_int_equal(ct_dataset_restore(dataset, NULL), CT_OK);
    assert_true(holds(dataset, IN));
}

static void a_reference_gets_no_copies(void **state)
{
    struct sample s;
    struct ct_dataset *dataset;
    const float *in;

    (void)state;
    /* The first one makes the input, the others find it. */
    for (uint32_t i = 0; i < 3; i++) {
        make_plan(&s, 100 + i);
        dataset = get(&s, 9);
        in = dataset->buffers[IN].initial;
        assert_true(in[0] > 0);
        assert_true(((const float *)dataset->buffers[OUT].expected.bytes)[99 + i] ==
                    2 * in[99 + i]);
        assert_int_equal(*(const int *)dataset->buffers[SEEN].expected.bytes, i > 0);
    }
}

static void arrays_of_references(void **state)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_dataset *dataset;
    struct ct_hostrun run;
    struct sample s;
    unsigned char *in;

    (void)state;
    make_plan(&s, 777);
    dataset = get(&s, 1);
    assert_int_equal(ct_hostrun_reference(&run, &session, dataset, &s.plan, &err), CT_OK);
    assert_null(run.arrays[SPARE]); /* which it does not get */
    assert_true(run.mapped[IN]);
    assert_false(run.mapped[OUT]);
    in = run.arrays[IN];
    assert_memory_equal(in, dataset->buffers[IN].initial, run.size_bytes[IN]);
    assert_int_equal(ct_hostrun_damaged(&run), run.count);
    /* Writes outside are found, on both sides. */
    in[run.size_bytes[IN]] ^= 1;
    assert_int_equal(ct_hostrun_damaged(&run), IN);
    in[run.size_bytes[IN]] ^= 1;
    in[-1] ^= 1;
    assert_int_equal(ct_hostrun_damaged(&run), IN);
    in[-1] ^= 1;
    memset(in, 0, run.size_bytes[IN]);
    assert_true(*(const float *)dataset->buffers[IN].initial > 0);
    ct_hostrun_release(&run);
}

static int set_up(void **state)
{
    struct ct_err err = CT_ERR_INIT;
    int ends[2];
    FILE *file;

    (void)state;
    make_folder(NULL);
    snprintf(reference_path, sizeof(reference_path), "%s/reference.c", test_folder);
    file = fopen(reference_path, "w");
    if (!file || fputs(reference, file) < 0 || fclose(file) ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    session.socket = ends[0];
    if (ct_opencl_load(&session.cl, &err) ||
        ct_device_open(session.cl, 0, 1, &session.device, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ct_session_release(&session);
    remove_folder(NULL);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_shared_on_the_device),
        cmocka_unit_test(shared_copies_outlive_data_sets),
        cmocka_unit_test(originals_stay_on_the_device),
        cmocka_unit_test(a_reference_gets_no_copies),
        cmocka_unit_test(arrays_of_references),
    };

    if (argc > 1 && strcmp(argv[1], CT_WORKER_ARGUMENT) == 0)
        return ct_worker_main();
    if (!use_virtual_driver())
        return 1;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
