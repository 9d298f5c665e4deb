// SPDX-License-Identifier: Apache-2.0
// Every fault the virtual driver can have: one table, and errors by VIRTUALCL_FAIL.

#include "vcl.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cl_int hang(struct vcl_victim *victim)
{
    (void)victim;
    for (;;)
        pause();
    return CL_SUCCESS;
}

static cl_int crash(struct vcl_victim *victim)
{
    (void)victim;
    for (;;)
        raise(SIGSEGV);
    return CL_SUCCESS;
}

static cl_int give_up(struct vcl_victim *victim)
{
    (void)victim;
    abort();
}

static cl_int leave(struct vcl_victim *victim)
{
    (void)victim;
    exit(3);
}

static cl_int fail_build(struct vcl_victim *victim)
{
    (void)victim;
    return CL_BUILD_PROGRAM_FAILURE;
}

static cl_int lack_resources(struct vcl_victim *victim)
{
    (void)victim;
    return CL_OUT_OF_RESOURCES;
}

// 36 below zero at clFinish is what NVIDIA says after a bad address.
static cl_int lose_queue(struct vcl_victim *victim)
{
    (void)victim;
    return CL_INVALID_COMMAND_QUEUE;
}

// Shifts the most significant byte of the last component written. An odd summand, so
// that repeated launches on data that is not copied afresh do not undo it soon.
static cl_int spoil(struct vcl_victim *victim)
{
    size_t last = victim->padding_bytes + 1;
    if (victim->written_bytes >= last) {
        unsigned char *byte = victim->data + victim->written_bytes - last;
        *byte = (unsigned char)(*byte + 0x41);
    }
    return CL_SUCCESS;
}

// Writes one element, of bytes 0xE7, behind the buffer or sub-buffer.
static cl_int overrun(struct vcl_victim *victim)
{
    size_t bytes = victim->element_bytes ? victim->element_bytes : 4;
    if (bytes <= victim->room_after_bytes)
        memset(victim->data + victim->region_bytes, 0xE7, bytes);
    return CL_SUCCESS;
}

// Swaps the event's start and end.
static cl_int run_backwards(struct vcl_victim *victim)
{
    cl_ulong start_ns = victim->event->start_ns;
    victim->event->start_ns = victim->event->end_ns;
    victim->event->end_ns = start_ns;
    return CL_SUCCESS;
}

static const struct {
    const char *name;
    enum vcl_point point;
    cl_int (*happen)(struct vcl_victim *victim);
} kinds[] = {
    {"build_error", VCL_AT_BUILD, fail_build},
    {"build_hang", VCL_AT_BUILD, hang},
    {"build_segfault", VCL_AT_BUILD, crash},
    {"build_abort", VCL_AT_BUILD, give_up},
    {"build_exit", VCL_AT_BUILD, leave},
    {"launch_error", VCL_AT_LAUNCH, lack_resources},
    {"launch_hang", VCL_AT_LAUNCH, hang},
    {"segfault", VCL_AT_LAUNCH, crash},
    {"abort", VCL_AT_LAUNCH, give_up},
    {"exit", VCL_AT_LAUNCH, leave},
    {"wrong", VCL_AT_OUTPUT, spoil},
    {"overrun", VCL_AT_OUTPUT, overrun},
    {"backwards", VCL_AT_EVENT, run_backwards},
    {"finish_error", VCL_AT_FINISH, lose_queue},
    {"finish_hang", VCL_AT_FINISH, hang},
    {"finish_segfault", VCL_AT_FINISH, crash},
};

cl_ulong vcl_fault_bit(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (vcl_is(name, length, kinds[i].name))
            return (cl_ulong)1 << i;
    return 0;
}

cl_int vcl_fault_run(cl_ulong faults, enum vcl_point point, struct vcl_victim *victim)
{
    cl_int status = CL_SUCCESS;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((faults >> i & 1) && kinds[i].point == point && !status)
            status = kinds[i].happen(victim);
    return status;
}

// One entry of VIRTUALCL_FAIL: `call:nth:code`, or `call:nth+:code` for all from then on.
struct rule {
    size_t call;
    unsigned long nth, used;
    bool onwards;
    cl_int code;
};

enum { RULES = 32 };

static pthread_mutex_t rules_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rule rules[RULES];
static size_t rule_count;
static char rules_text[1024];

// A rule that can never fire would make a test that can never fail.
static void reject(const char *text)
{
    fprintf(stderr, "virtual OpenCL: VIRTUALCL_FAIL: cannot understand '%s'\n", text);
    abort();
}

static void read_rule(const char *text, size_t length)
{
    char entry[128], call[64];
    long nth = 0, code = 0;
    int read_bytes = 0;
    if (length >= sizeof entry || rule_count == RULES)
        reject(text);
    memcpy(entry, text, length);
    entry[length] = '\0';
    struct rule *rule = &rules[rule_count++];
    *rule = (struct rule){0};
    if (sscanf(entry, "%63[A-Za-z]:%ld%n", call, &nth, &read_bytes) != 2 || nth < 1)
        reject(entry);
    rule->onwards = entry[read_bytes] == '+';
    char *end = entry + read_bytes + rule->onwards;
    if (*end != ':')
        reject(entry);
    const char *digits = end + 1;
    code = strtol(digits, &end, 10);
    rule->call = vcl_call_find(call);
    if (end == digits || *end || code >= 0 || code < -9999 || rule->call == SIZE_MAX)
        reject(entry);
    rule->nth = (unsigned long)nth;
    rule->code = (cl_int)code;
}

// Reads the variable again when it changed; counting starts afresh then.
static void read_rules(const char *text)
{
    if (strcmp(text, rules_text) == 0)
        return;
    if (strlen(text) >= sizeof rules_text)
        reject(text);
    memcpy(rules_text, text, strlen(text) + 1);
    rule_count = 0;
    while (*text) {
        size_t length = strcspn(text, ",");
        read_rule(text, length);
        text += length + (text[length] == ',');
    }
}

cl_int vcl_fault_call(size_t call)
{
    const char *text = getenv("VIRTUALCL_FAIL");
    cl_int status = CL_SUCCESS;
    pthread_mutex_lock(&rules_lock);
    read_rules(text ? text : "");
    for (size_t i = 0; i < rule_count; i++) {
        struct rule *rule = &rules[i];
        if (rule->call != call)
            continue;
        rule->used++;
        if (!status &&
            (rule->used == rule->nth || (rule->onwards && rule->used > rule->nth)))
            status = rule->code;
    }
    pthread_mutex_unlock(&rules_lock);
    return status;
}
