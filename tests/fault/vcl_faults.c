// SPDX-License-Identifier: Apache-2.0
// Every fault the virtual driver can have: one table.

#include "vcl.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A fault's doing: `number` is what stood behind its name, or the table's default.
typedef cl_int happen(struct vcl_victim *victim, int64_t number);

static cl_int hang(struct vcl_victim *victim, int64_t number)
{
    (void)victim, (void)number;
    for (;;)
        pause();
    return CL_SUCCESS;
}

static cl_int crash(struct vcl_victim *victim, int64_t number)
{
    (void)victim, (void)number;
    for (;;)
        raise(SIGSEGV);
    return CL_SUCCESS;
}

static cl_int give_up(struct vcl_victim *victim, int64_t number)
{
    (void)victim, (void)number;
    abort();
}

static cl_int leave(struct vcl_victim *victim, int64_t number)
{
    (void)victim;
    exit((int)number);
}

static cl_int fail(struct vcl_victim *victim, int64_t number)
{
    (void)victim;
    return (cl_int)number;
}

static cl_int lose(struct vcl_victim *victim, int64_t number)
{
    (void)victim;
    vcl_lose_device();
    return (cl_int)number;
}

// Memory that is touched and never given back; still reachable, so that leak checkers of
// the tests have nothing to say. Compilers that are refused memory abort.
static cl_int leak(struct vcl_victim *victim, int64_t number)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static void *kept;
    const size_t mib = 1024 * 1024;
    (void)victim;
    pthread_mutex_lock(&lock);
    for (int64_t i = 0; i < number; i++) {
        void **block = malloc(mib);
        if (!block) {
            fprintf(stderr, "virtual OpenCL: out of memory\n");
            abort();
        }
        memset(block, 0x4C, mib);
        *block = kept;
        kept = block;
    }
    pthread_mutex_unlock(&lock);
    return CL_SUCCESS;
}

// Talks to whoever reads standard output and error, in KiB each.
static cl_int chatter(struct vcl_victim *victim, int64_t number)
{
    char line[1024];
    (void)victim;
    memset(line, '~', sizeof line);
    line[sizeof line - 1] = '\n';
    for (int64_t i = 0; i < number; i++)
        for (int fd = 1; fd <= 2; fd++)
            if (write(fd, line, sizeof line) < 0)
                return CL_SUCCESS;
    return CL_SUCCESS;
}

// Starts a process, as compilers start linkers, and waits for it: neither ever ends.
static cl_int spawn(struct vcl_victim *victim, int64_t number)
{
    fork();
    return hang(victim, number);
}

// Shifts the most significant byte of the last component written. An odd summand, so
// that repeated launches on data that is not copied afresh do not undo it soon.
static cl_int spoil(struct vcl_victim *victim, int64_t number)
{
    size_t last = victim->padding_bytes + 1;
    (void)number;
    if (victim->written_bytes >= last) {
        unsigned char *byte = victim->data + victim->written_bytes - last;
        *byte = (unsigned char)(*byte + 0x41);
    }
    return CL_SUCCESS;
}

// Writes elements, of bytes 0xE7, behind the buffer or sub-buffer.
static cl_int overrun(struct vcl_victim *victim, int64_t number)
{
    size_t bytes = (victim->element_bytes ? victim->element_bytes : 4) * (size_t)number;
    if (bytes <= victim->room_after_bytes)
        memset(victim->data + victim->region_bytes, 0xE7, bytes);
    return CL_SUCCESS;
}

// And in front of it.
static cl_int underrun(struct vcl_victim *victim, int64_t number)
{
    size_t bytes = (victim->element_bytes ? victim->element_bytes : 4) * (size_t)number;
    if (bytes <= victim->room_before_bytes)
        memset(victim->data - bytes, 0xE7, bytes);
    return CL_SUCCESS;
}

// Writes to what it should only read, after having read it.
static cl_int taint(struct vcl_victim *victim, int64_t number)
{
    (void)number;
    if (victim->input)
        *victim->input = (unsigned char)(*victim->input + 0x41);
    return CL_SUCCESS;
}

// The launch takes longer; `number` is in percent.
static cl_int slow_down(struct vcl_victim *victim, int64_t number)
{
    *victim->time_ns += *victim->time_ns / 100 * (cl_ulong)number;
    return CL_SUCCESS;
}

// The device's clock counts in other units than the wall's; `number` is in percent.
static cl_int lie(struct vcl_victim *victim, int64_t number)
{
    cl_ulong percent = (cl_ulong)number;
    *victim->clock_ns =
        *victim->clock_ns / 100 * percent + *victim->clock_ns % 100 * percent / 100;
    return CL_SUCCESS;
}

// Swaps the event's start and end.
static cl_int run_backwards(struct vcl_victim *victim, int64_t number)
{
    cl_ulong start_ns = victim->event->start_ns;
    (void)number;
    victim->event->start_ns = victim->event->end_ns;
    victim->event->end_ns = start_ns;
    return CL_SUCCESS;
}

// Limits that are smaller than those that the device and the kernel tell.
static cl_int limit_group(struct vcl_victim *victim, int64_t number)
{
    return victim->group_items > (size_t)number ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

static cl_int limit_local(struct vcl_victim *victim, int64_t number)
{
    return victim->local_bytes > (cl_ulong)number ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static cl_int assert_local(struct vcl_victim *victim, int64_t number)
{
    if (victim->local_bytes > (cl_ulong)number)
        abort();
    return CL_SUCCESS;
}

#define CODES       CL_OUT_OF_RESOURCES, -9999, -1
#define MIB_COUNT   64, 1, 65536
#define EXIT_STATUS 3, 0, 255
#define NO_NUMBER   0, 0, 0

// The number behind a kind has a default, a least and a greatest value; all 0 where it
// takes none.
static const struct {
    const char *name;
    enum vcl_point point;
    happen *happen;
    int64_t number, least, most;
} kinds[] = {
    {"build_error", VCL_AT_BUILD, fail, CL_BUILD_PROGRAM_FAILURE, -9999, -1},
    {"build_hang", VCL_AT_BUILD, hang, NO_NUMBER},
    {"build_segfault", VCL_AT_BUILD, crash, NO_NUMBER},
    {"build_abort", VCL_AT_BUILD, give_up, NO_NUMBER},
    {"build_exit", VCL_AT_BUILD, leave, EXIT_STATUS},
    {"build_leak", VCL_AT_BUILD, leak, MIB_COUNT},
    {"build_chatter", VCL_AT_BUILD, chatter, 64, 1, 65536},
    {"build_spawn", VCL_AT_BUILD, spawn, NO_NUMBER},
    {"load_error", VCL_AT_LOAD, fail, CL_INVALID_BINARY, -9999, -1},
    {"load_hang", VCL_AT_LOAD, hang, NO_NUMBER},
    {"load_segfault", VCL_AT_LOAD, crash, NO_NUMBER},
    {"load_abort", VCL_AT_LOAD, give_up, NO_NUMBER},
    {"launch_error", VCL_AT_LAUNCH, fail, CODES},
    {"launch_hang", VCL_AT_LAUNCH, hang, NO_NUMBER},
    {"segfault", VCL_AT_LAUNCH, crash, NO_NUMBER},
    {"abort", VCL_AT_LAUNCH, give_up, NO_NUMBER},
    {"exit", VCL_AT_LAUNCH, leave, EXIT_STATUS},
    {"leak", VCL_AT_LAUNCH, leak, MIB_COUNT},
    {"lost", VCL_AT_LAUNCH, lose, CODES},
    {"group_limit", VCL_AT_LAUNCH, limit_group, 1, 1, 65536},
    {"local_limit", VCL_AT_LAUNCH, limit_local, 0, 0, 1 << 30},
    {"local_abort", VCL_AT_LAUNCH, assert_local, 0, 0, 1 << 30},
    {"event_error", VCL_AT_STATUS, fail, CODES},
    {"wrong", VCL_AT_OUTPUT, spoil, NO_NUMBER},
    {"unwritten", VCL_AT_COPY, fail, 1, 0, 0},
    {"overrun", VCL_AT_OUTPUT, overrun, 1, 1, 4096},
    {"underrun", VCL_AT_OUTPUT, underrun, 1, 1, 4096},
    {"taint", VCL_AT_OUTPUT, taint, NO_NUMBER},
    {"slow", VCL_AT_TIME, slow_down, 100, 1, 100000},
    {"event_scale", VCL_AT_CLOCK, lie, 0, 0, 100000},
    {"backwards", VCL_AT_EVENT, run_backwards, NO_NUMBER},
    // 36 below zero at clFinish is what NVIDIA says after a bad address.
    {"finish_error", VCL_AT_FINISH, fail, CL_INVALID_COMMAND_QUEUE, -9999, -1},
    {"finish_hang", VCL_AT_FINISH, hang, NO_NUMBER},
    {"finish_segfault", VCL_AT_FINISH, crash, NO_NUMBER},
    {"finish_abort", VCL_AT_FINISH, give_up, NO_NUMBER},
    {"finish_exit", VCL_AT_FINISH, leave, EXIT_STATUS},
    {"finish_lost", VCL_AT_FINISH, lose, CL_INVALID_COMMAND_QUEUE, -9999, -1},
};

static const size_t kinds_count = sizeof kinds / sizeof *kinds;
_Static_assert(sizeof kinds / sizeof *kinds <= VCL_KINDS, "one bit for each kind");

bool vcl_fault_read(const char *text, size_t length, struct vcl_fault *fault)
{
    const char *colon = memchr(text, ':', length);
    size_t name_length = colon ? (size_t)(colon - text) : length, i = 0;
    while (i < kinds_count && !vcl_is(text, name_length, kinds[i].name))
        i++;
    if (i == kinds_count)
        return false;
    fault->kind = (unsigned)i;
    fault->number = kinds[i].number;
    if (!colon)
        return true;
    return (kinds[i].least || kinds[i].most) &&
           vcl_read_whole(colon + 1, length - name_length - 1, true, &fault->number) &&
           fault->number >= kinds[i].least && fault->number <= kinds[i].most;
}

void vcl_fault_write(const struct vcl_fault *fault, struct vcl_text *out)
{
    vcl_text_print(out, "%s", kinds[fault->kind].name);
    if (fault->number != kinds[fault->kind].number)
        vcl_text_print(out, ":%lld", (long long)fault->number);
    vcl_condition_write(fault, out);
}

bool vcl_fault_is_at(const struct vcl_fault *fault, enum vcl_point point)
{
    return kinds[fault->kind].point == point;
}

cl_int vcl_fault_run(const struct vcl_faults *faults, enum vcl_point point,
                     struct vcl_victim *victim)
{
    cl_int status = CL_SUCCESS;
    for (size_t i = 0; i < kinds_count && faults && faults->bits >> i; i++)
        if ((faults->bits >> i & 1) && kinds[i].point == point && !status)
            status = kinds[i].happen(victim, faults->number[i]);
    return status;
}

// What happens to a process rather than to a launch.
size_t vcl_fault_anywhere(const char *name)
{
    for (size_t i = 0; i < kinds_count; i++)
        if (strcmp(kinds[i].name, name) == 0 &&
            (kinds[i].happen == hang || kinds[i].happen == crash ||
             kinds[i].happen == give_up || kinds[i].happen == leave ||
             kinds[i].happen == lose || kinds[i].happen == leak ||
             kinds[i].happen == spawn))
            return i;
    return SIZE_MAX;
}

cl_int vcl_fault_happen(size_t kind)
{
    return kinds[kind].happen(NULL, kinds[kind].number);
}
