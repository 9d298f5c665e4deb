// SPDX-License-Identifier: Apache-2.0
// Errors of chosen calls (VIRTUALCL_FAIL), and a device that is gone.

#include "vcl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One entry of VIRTUALCL_FAIL: `call:nth:what`, with `nth+` for all from then on and
// `what@process` (or `what@process+`) for that process only (and later ones).
struct rule {
    size_t call;
    unsigned long nth, used;
    bool onwards;
    cl_int code; // 0: the fault
    size_t fault;
    unsigned long process; // 0: all
    bool later;            // processes too
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

// `@2` or `@2+` at the end: in the second process, or from the second on.
static bool read_process(struct rule *rule, char *end)
{
    char *at = strchr(end, '@');
    if (!at)
        return true;
    const char *counters = getenv("VIRTUALCL_COUNTERS");
    char *stop;
    *at = '\0';
    rule->process = strtoul(at + 1, &stop, 10);
    rule->later = *stop == '+';
    return counters && *counters && rule->process > 0 && at[1] != '-' &&
           !stop[rule->later];
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
    if (sscanf(entry, "%63[A-Za-z0-9]:%ld%n", call, &nth, &read_bytes) != 2 || nth < 1)
        reject(entry);
    rule->onwards = entry[read_bytes] == '+';
    char *end = entry + read_bytes + rule->onwards;
    if (*end != ':' || !read_process(rule, end))
        reject(text);
    const char *what = end + 1;
    code = strtol(what, &end, 10);
    rule->fault = vcl_fault_anywhere(what);
    rule->call = vcl_call_find(call);
    bool number = end != what && !*end && code < 0 && code >= -9999;
    if ((!number && rule->fault == SIZE_MAX) || rule->call == SIZE_MAX)
        reject(text);
    rule->nth = (unsigned long)nth;
    rule->code = number ? (cl_int)code : 0;
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

static atomic_bool lost;

void vcl_lose_device(void)
{
    if (!atomic_exchange(&lost, true))
        vcl_log("lost");
}

// What calls say once the device is gone: those that only look at or drop objects work.
static cl_int of_lost(size_t call)
{
    static const struct {
        const char *start; // of the name
        cl_int code;
    } answers[] = {
        {"clGetEventProfilingInfo", CL_OUT_OF_RESOURCES},
        {"clGet", CL_SUCCESS},
        {"clRelease", CL_SUCCESS},
        {"clRetain", CL_SUCCESS},
        {"clUnload", CL_SUCCESS},
        {"clCreateContext", CL_DEVICE_NOT_AVAILABLE},
        {"clCreateCommandQueue", CL_DEVICE_NOT_AVAILABLE},
        {"clEnqueue", CL_INVALID_COMMAND_QUEUE},
        {"clFinish", CL_INVALID_COMMAND_QUEUE},
        {"clFlush", CL_INVALID_COMMAND_QUEUE},
        {"", CL_OUT_OF_RESOURCES},
    };
    const char *name = vcl_call_name(call);
    size_t i = 0;
    while (strncmp(name, answers[i].start, strlen(answers[i].start)) != 0)
        i++;
    return answers[i].code;
}

static bool is_of_this_process(const struct rule *rule)
{
    if (rule->process == 0)
        return true;
    unsigned long number = vcl_process_number("process");
    return rule->later ? number >= rule->process : number == rule->process;
}

cl_int vcl_fault_call(size_t call)
{
    const char *text = getenv("VIRTUALCL_FAIL");
    const struct rule *due = NULL;
    struct rule found = {0};
    vcl_log_start();
    pthread_mutex_lock(&rules_lock);
    read_rules(text ? text : "");
    for (size_t i = 0; i < rule_count; i++) {
        struct rule *rule = &rules[i];
        if (rule->call != call || !is_of_this_process(rule))
            continue;
        rule->used++;
        if (!due &&
            (rule->used == rule->nth || (rule->onwards && rule->used > rule->nth))) {
            found = *rule;
            due = &found;
        }
    }
    pthread_mutex_unlock(&rules_lock);
    if (!due && vcl_device_is_gone())
        vcl_lose_device();
    if (!due)
        return atomic_load(&lost) ? of_lost(call) : CL_SUCCESS;
    vcl_log("injected call=%s", vcl_call_name(call));
    return due->code ? due->code : vcl_fault_happen(due->fault);
}
