// SPDX-License-Identifier: Apache-2.0
// The virtual OpenCL driver of the tests: the types and functions its files share.
//
// Nothing here runs kernel code. README.md beside this file describes the two devices,
// the directives a source may carry, the virtual clock and the faults. Every name is
// hidden in the shared object; vcl_icd.c holds the few entry points that are not.

#ifndef VCL_H
#define VCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    VCL_MODELS = 2,        // 0: VideoCore IV GPU, 1: Virtual GPU
    VCL_DEVICES = 16,      // at most
    VCL_SLACK_BYTES = 128, // behind every allocation of ours: room for the fault overrun
    VCL_KINDS = 64         // at most: each kind of fault is one bit
};

// Active faults: their bits, and for each the number after its name.
struct vcl_faults {
    cl_ulong bits;
    int64_t number[VCL_KINDS];
};

// The condition of a fault.
enum vcl_when {
    VCL_ALWAYS,
    VCL_CHANCE,  // in some processes: the limit is a probability in millionths
    VCL_UNTIL,   // in the first `limit` processes that reach it
    VCL_PROCESS, // in process number `limit` that reaches it
    VCL_EVERY,   // at each launch whose number `limit` divides
    VCL_FROM,    // from launch `limit` on
    VCL_AT,      // at launch `limit` only
    VCL_FIRST,   // at the first `limit` launches of all processes together
    VCL_BEYOND   // at all but these
};

// A fault as a directive declares it.
struct vcl_fault {
    unsigned kind; // its place in the table of vcl_faults.c
    int64_t number;
    enum vcl_when when;
    int64_t limit;
};

// The kind of a handle; a released or foreign handle has none of these.
enum vcl_kind {
    VCL_PLATFORM = 0x76636c01,
    VCL_DEVICE,
    VCL_CONTEXT,
    VCL_QUEUE,
    VCL_MEM,
    VCL_PROGRAM,
    VCL_KERNEL,
    VCL_EVENT
};

// The head of every OpenCL object; cl_khr_icd wants the dispatch table first.
struct vcl_object {
    cl_icd_dispatch *dispatch;
    enum vcl_kind kind;
    atomic_uint references;
};

struct _cl_platform_id {
    struct vcl_object object;
};

struct _cl_device_id {
    struct vcl_object object;
    unsigned index;        // in the platform's list
    unsigned model;        // 0 or 1
    bool cpu;              // says that it is a processor
    cl_ulong percent;      // of the model's durations
    cl_ulong clock_ns;     // virtual time: the end of the device's last command
    cl_ulong wall_busy_ns; // real time at which that command may be reported complete
};

struct _cl_context {
    struct vcl_object object;
    cl_uint count;
    cl_device_id devices[VCL_DEVICES];
    cl_context_properties *properties; // ours, zero-terminated, or NULL
    size_t properties_bytes;
};

struct _cl_command_queue {
    struct vcl_object object;
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties properties;
    // Under the lock of vcl_event.c:
    cl_ulong wall_done_ns; // real time at which its last command may be reported complete
    cl_ulong launches;     // not synchronised with yet
    struct vcl_faults faults; // of those
};

struct _cl_mem {
    struct vcl_object object;
    cl_context context;
    cl_mem parent; // retained; NULL unless this is a sub-buffer
    cl_mem_flags flags;
    size_t size_bytes;
    size_t origin_bytes; // in the parent
    unsigned char *data;
    void *host_pointer;      // with CL_MEM_USE_HOST_PTR, else NULL
    unsigned char *storage;  // ours, or NULL: host pointer or parent
    size_t room_after_bytes; // how far a write beyond the end stays in memory
    atomic_uint maps;
};

struct _cl_event {
    struct vcl_object object;
    cl_context context;
    cl_command_queue queue;
    cl_command_type command;
    cl_ulong queued_ns, submit_ns, start_ns, end_ns;
    cl_ulong wall_done_ns;
    cl_ulong items; // work-items of a launch, 0 for other commands
    cl_int failure; // what its execution failed with, or CL_SUCCESS
};

// A growing string; data is NULL until something was added, else zero-terminated.
struct vcl_text {
    char *data;
    size_t length, capacity;
};

// A macro. Function-like ones hold their parameters, separated by commas.
struct vcl_macro {
    char *name, *text, *parameters; // parameters is NULL for an object-like macro
    bool option;                    // came from -D
};

struct vcl_macros {
    struct vcl_macro *items;
    size_t count;
};

// One kernel argument as declared.
struct vcl_argument {
    char *type, *name;  // type as clGetKernelArgInfo reports it
    size_t value_bytes; // of a value, or of the element pointed to; 0: not known
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_type_qualifier qualifiers;
    bool pointer, object; // object: an image, a sampler, or a global/constant pointer
    bool three;           // elements are 3-vectors: the last quarter is padding
};

// One kernel as declared, and what a launch of it does.
struct vcl_signature {
    char *name;
    struct vcl_argument *arguments;
    size_t count;
    size_t required[3];   // reqd_work_group_size, or zeros
    cl_ulong local_bytes; // __local arrays in its body
    cl_ulong time_ns;     // of a launch, before the device's speed
    cl_ulong item_ns;     // and more for each work-item
    cl_ulong first_ns;    // real time of compiling for a local size
    bool steady;          // the noise's drift does not apply
    size_t group_limit;   // its largest work-group; 0: the device's
    struct vcl_fault *faults;
    size_t fault_count;
    atomic_ullong launches; // of this build
};

// A `#pragma virtual` line in an active branch.
struct vcl_directive {
    unsigned line;
    char *text; // what follows `#pragma virtual`
};

// One build of a program for one device.
struct vcl_module {
    struct vcl_signature *signatures;
    size_t count;
    struct vcl_macros macros;
    struct vcl_directive *directives;
    size_t directive_count;
    struct vcl_text text; // active source, macros expanded
    struct vcl_text log;
    struct vcl_text includes; // directories of -I, each with its terminating zero
    cl_ulong default_time_ns; // of a launch without directives about time
    cl_ulong build_ns;        // real time of compiling
    cl_ulong load_ns;         // real time of building from a binary
    char *code;               // what was compiled, as a source: vcl_code_write()
    uint64_t digest;          // of the code
    bool argument_info;       // built with -cl-kernel-arg-info
    bool failed;
};

struct vcl_build {
    bool wanted; // the program is for this device
    cl_build_status status;
    char *options;
    char *stored_options, *stored_code; // from a binary; take precedence over given ones
    bool stored_argument_info;
    uint64_t source_sum;    // of the source that it was built from; 0: a binary
    struct vcl_text locals; // `KERNEL XxYxZ` lines: sizes that are compiled for
    struct vcl_module module;
};

struct _cl_program {
    struct vcl_object object;
    cl_context context;
    char *source;
    bool from_binary;
    struct vcl_build builds[VCL_DEVICES];
    atomic_uint kernels; // that exist; forbid another build
};

struct vcl_value {
    bool set;
    size_t bytes;
    cl_mem mem;
};

struct _cl_kernel {
    struct vcl_object object;
    cl_program program;
    struct vcl_signature *signatures[VCL_DEVICES]; // NULL: not built for it
    const struct vcl_signature *any;
    struct vcl_value *values;
};

// ---- vcl_text.c: memory and strings. A failed allocation aborts: this is a test tool.

// Zeroed memory for `count` items of `size_bytes`; the caller frees it.
void *vcl_allocate(size_t count, size_t size_bytes);
// Room for one more item behind `count` items; the old pointer becomes invalid.
void *vcl_grow(void *items, size_t count, size_t size_bytes);
// A zero-terminated copy of `length` characters; the caller frees it.
char *vcl_copy(const char *text, size_t length);
// Appends `length` characters.
void vcl_text_add(struct vcl_text *text, const char *data, size_t length);
// Appends as printf would.
void vcl_text_print(struct vcl_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// FNV-1a, 64 bits, continued from `hash`; start with VCL_HASH.
#define VCL_HASH 14695981039346656037u
uint64_t vcl_hash(uint64_t hash, const void *data, size_t length);
// Removes white space at the end.
void vcl_text_trim(struct vcl_text *text);
// The content, "" when empty.
const char *vcl_text_get(const struct vcl_text *text);
// Frees the content; the text is empty then.
void vcl_text_free(struct vcl_text *text);
// Whether `length` characters at `data` spell `word`.
bool vcl_is(const char *data, size_t length, const char *word);
// Whether a character may start / continue an identifier.
bool vcl_name_start(char letter);
bool vcl_name_part(char letter);
// The first character that is not a blank.
const char *vcl_skip(const char *text);

// ---- vcl_object.c: what all objects and queries share.

// Starts an object with one reference.
void vcl_object_init(struct vcl_object *object, enum vcl_kind kind);
// Whether a handle is a live object of that kind.
bool vcl_object_is(const void *handle, enum vcl_kind kind);
// Adds a reference.
void vcl_object_retain(struct vcl_object *object);
// Drops a reference; true when it was the last, and the caller frees the object.
bool vcl_object_drop(struct vcl_object *object);
// Answers a query with the usual size rules; CL_INVALID_VALUE if it does not fit.
cl_int vcl_answer(const void *data, size_t data_bytes, size_t value_bytes, void *value,
                  size_t *value_bytes_ret);
// The same for a string with its terminating zero.
cl_int vcl_answer_text(const char *text, size_t value_bytes, void *value,
                       size_t *value_bytes_ret);
// Stores an error where the caller wants it and returns NULL.
void *vcl_refuse(cl_int *error_ret, cl_int status);
// Stores success where the caller wants it.
void vcl_accept(cl_int *error_ret);

// ---- vcl_devices.c: which devices there are.

cl_device_id vcl_device(unsigned index);
cl_uint vcl_device_count(void);
// A duration of model 0 on a device.
cl_ulong vcl_device_time(cl_device_id device, cl_ulong time_ns);
// The process uses this one, which may be taken away; whether it has been.
void vcl_device_use(cl_device_id device);
bool vcl_device_is_gone(void);

// ---- vcl_icd.c: the platform and the table all objects point to.

cl_icd_dispatch *vcl_dispatch(void);
cl_platform_id vcl_platform(void);

// The place in the dispatch table of an implemented call, or SIZE_MAX.
size_t vcl_call_find(const char *name);
// The name of the call at a place, "" when it is not implemented.
const char *vcl_call_name(size_t place);

// Each file fills in the calls it implements.
void vcl_context_install(cl_icd_dispatch *table);
void vcl_device_install(cl_icd_dispatch *table);
void vcl_event_install(cl_icd_dispatch *table);
void vcl_kernel_install(cl_icd_dispatch *table);
void vcl_launch_install(cl_icd_dispatch *table);
void vcl_memory_install(cl_icd_dispatch *table);
void vcl_program_install(cl_icd_dispatch *table);
void vcl_program_info_install(cl_icd_dispatch *table);
void vcl_transfer_install(cl_icd_dispatch *table);
void vcl_unsupported_install(cl_icd_dispatch *table);

// ---- vcl_device.c

// A limit that is one number, as clGetDeviceInfo reports it.
cl_ulong vcl_device_number(cl_device_id device, cl_device_info name);
// The device's limit of work-items in one dimension (0 to 2).
size_t vcl_device_items(cl_device_id device, unsigned dimension);
// The version of the driver, which binaries remember.
const char *vcl_device_driver(cl_device_id device);
// What is reported of a limit, which VIRTUALCL_LIMITS may have changed.
cl_ulong vcl_device_reported(cl_device_id device, cl_device_info name);

// ---- vcl_context.c

// Whether the context holds the device.
bool vcl_context_has(cl_context context, cl_device_id device);
// Drop a reference and free at the last one.
void vcl_context_release(cl_context context);
void vcl_queue_release(cl_command_queue queue);

// ---- vcl_memory.c

void vcl_mem_release(cl_mem mem);

// ---- vcl_event.c: the virtual clock.

// Checks a wait list for a command of that context.
cl_int vcl_waits_check(cl_context context, cl_uint count, const cl_event *events);
// Puts a command that lasts `time_ns` (before the device's speed has been applied) on
// the device's clock; with `event` makes the event, one reference for the caller.
void vcl_command(cl_command_queue queue, cl_command_type type, cl_ulong time_ns,
                 cl_event *event);
// Counts a launch; whether it is the first since the queue was synchronised with.
bool vcl_launch_begins(cl_command_queue queue);
// Like vcl_command() for a time that needs no division and `items` work-items, with the faults of
// the launch, which may be NULL.
void vcl_command_launch(cl_command_queue queue, cl_command_type type, cl_ulong time_ns,
                        cl_ulong items, const struct vcl_faults *faults, cl_event *event);
// Waits until real time has reached the queue's virtual time; runs the faults that wait for a
// synchronisation. An error code, or CL_SUCCESS.
cl_int vcl_queue_finish(cl_command_queue queue);

// ---- vcl_noise.c

// The duration of a launch with the noise that VIRTUALCL_NOISE asks for; `program` is any number that
// tells programs apart; `steady`: without drift.
cl_ulong vcl_noise(cl_device_id device, cl_ulong program, bool steady, cl_ulong time_ns);
// The launch that follows is the first since a synchronisation.
void vcl_noise_block(void);

// ---- vcl_sensor.c: information of drivers beyond OpenCL.

// The extensions that the device has besides those of every virtual device: words, each preceded
// by a blank.
const char *vcl_extensions(cl_device_id device);
// The device's vendor as reported.
cl_ulong vcl_vendor(cl_device_id device, cl_ulong known);
// Answers where a device is on the PCI bus; CL_INVALID_VALUE for anything else.
cl_int vcl_pci_info(cl_device_id device, cl_device_info name, size_t value_bytes,
                    void *value, size_t *value_bytes_ret);
// The value of a hardware counter (cl_vc4cl_performance_counters); false if the event has none of
// that name.
bool vcl_counter(cl_event event, cl_profiling_info name, cl_ulong *value);

// ---- vcl_maker.c: VIRTUALCL_MAKER and VIRTUALCL_EXTENSIONS.

// The extensions that these give a device: words, each preceded by a blank.  Valid until the next
// call.
const char *vcl_maker_extensions(cl_device_id device);
// Answers what the maker's driver tells; CL_INVALID_VALUE for anything else.
cl_int vcl_maker_info(cl_device_id device, cl_device_info name, size_t value_bytes,
                      void *value, size_t *value_bytes_ret);

// ---- vcl_macro.c

// Defines or redefines; parameters NULL for an object-like macro. All are copied.
void vcl_macro_define(struct vcl_macros *macros, const char *name, size_t name_length,
                      const char *parameters, const char *text, bool option);
void vcl_macro_undefine(struct vcl_macros *macros, const char *name, size_t length);
const struct vcl_macro *vcl_macro_find(const struct vcl_macros *macros, const char *name,
                                       size_t length);
// Appends `length` characters with all macros expanded; false if expansion did not end.
bool vcl_macro_expand(const struct vcl_macros *macros, const char *data, size_t length,
                      struct vcl_text *out);
void vcl_macros_free(struct vcl_macros *macros);

// ---- vcl_expression.c

// Evaluates a C integer expression after macro expansion. Names are 0, or an error when
// `strict`. False with *problem, a static text, when it is not an expression.
bool vcl_evaluate(const char *text, bool strict, int64_t *result, const char **problem);

// ---- vcl_preprocess.c

// Adds an error line to the log and marks the build as failed.
void vcl_error(struct vcl_module *module, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Stores the active text and the directives in the module; errors go to its log.
void vcl_preprocess(struct vcl_module *module, const char *source);

// ---- vcl_parse.c

// Finds the kernels in the active text.
void vcl_parse_kernels(struct vcl_module *module);

// ---- vcl_type.c

// Fills in type, name, qualifiers and size of one argument from its declaration, with the
// typedefs found earlier in `module`'s text.
void vcl_type_argument(const struct vcl_module *module, const char *data, size_t length,
                       struct vcl_argument *argument);
// Bytes of a scalar or vector type, 0 when not known; *three for a 3-vector.
size_t vcl_type_bytes(const struct vcl_module *module, const char *name, bool *three);

// ---- vcl_directive.c

// The time of a launch without directives, from the -D macros alone.
cl_ulong vcl_default_time_ns(const struct vcl_macros *macros);
// `NAME=value;` of all -D macros, sorted by name.
struct vcl_text vcl_options_text(const struct vcl_macros *macros);
// Gives each kernel its time and its faults; a malformed directive is a build error.
void vcl_directives_apply(struct vcl_module *module, cl_device_id device);
// Reads a decimal number of at most three digits and six decimals, in millionths.
bool vcl_read_millionths(const char *text, size_t length, int64_t *millionths);
// Reads a whole number of at most 10^15, negative ones where `sign` allows them.
bool vcl_read_whole(const char *text, size_t length, bool sign, int64_t *value);

// ---- vcl_build.c

// Builds `source` for the device: CL_SUCCESS, or an error with the log in the module; without the
// faults and the time of compiling.
cl_int vcl_compile(cl_device_id device, const char *source, const char *options,
                   struct vcl_module *module);
void vcl_module_free(struct vcl_module *module);

// ---- vcl_binary.c: the compiled code, and its stored form.

// Stores the compiled code in the module, as a source without macros or conditions.
void vcl_code_write(struct vcl_module *module);
// The binary of a build, empty before building or with VIRTUALCL_BINARY=none.
struct vcl_text vcl_binary_write(cl_device_id device, const struct vcl_build *build);
// Reads one; false if it is not from this driver for the device.
bool vcl_binary_read(cl_device_id device, const unsigned char *data, size_t bytes,
                     struct vcl_build *build);

// ---- vcl_compiler.c: the real time that compiling takes, and the cache of it.

// Spends real time as set by VIRTUALCL_COMPILE and VIRTUALCL_PACE.
void vcl_work(cl_ulong time_ns);
// Whether real time counts (VIRTUALCL_PACE).
bool vcl_paced(void);
cl_ulong vcl_wall_ns(void);
// Compiles: a build with its faults, its time and its log lines.
cl_int vcl_compiler_build(cl_device_id device, const char *source, const char *options,
                          struct vcl_module *module);
// Builds from the contents of a binary.
cl_int vcl_compiler_load(cl_device_id device, struct vcl_build *build);
// Compiles a kernel for a local size, unless that was done before.
void vcl_compiler_first(struct vcl_build *build, const struct vcl_signature *signature,
                        const size_t local[3]);

// ---- vcl_log.c

// Appends a line to the file named by VIRTUALCL_LOG: the time, the process, the text.
void vcl_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The same when the driver is first used in a process.
void vcl_log_start(void);

// ---- vcl_process.c

// getpid(), which the kernel answers once in each process: launches ask for it.
long vcl_process(void);

// ---- vcl_program.c

void vcl_program_release(cl_program program);
// The program's devices in the order of its context; returns how many.
cl_uint vcl_program_devices(cl_program program, cl_device_id devices[VCL_DEVICES]);
// The signature of a kernel in a successful build, or NULL.
struct vcl_signature *vcl_program_signature(cl_program program, unsigned device,
                                            const char *name);

// ---- vcl_launch.c

// The bytes of local memory a launch needs: arrays in the kernel and local arguments.
cl_ulong vcl_kernel_local_bytes(cl_kernel kernel, const struct vcl_signature *signature);

// ---- vcl_faults.c

// When a fault happens.
enum vcl_point {
    VCL_AT_BUILD,
    VCL_AT_LOAD,
    VCL_AT_LAUNCH,
    VCL_AT_STATUS,
    VCL_AT_COPY,
    VCL_AT_OUTPUT,
    VCL_AT_TIME,
    VCL_AT_CLOCK,
    VCL_AT_EVENT,
    VCL_AT_FINISH
};

// What a fault may look at or damage; each point sets its own part.
struct vcl_victim {
    unsigned char *data;      // a buffer that a launch wrote
    size_t written_bytes;     // from the start of data
    size_t element_bytes;     // of the pointer's type
    size_t padding_bytes;     // at the end of an element
    size_t region_bytes;      // of the buffer or sub-buffer
    size_t room_before_bytes; // of the parent in front of it
    size_t room_after_bytes;  // behind it
    unsigned char *input;     // what the launch read, or NULL
    size_t group_items;       // of a launch, 0 if the driver may choose
    cl_ulong local_bytes;     // of local memory that a launch needs
    cl_ulong *time_ns;        // how long the launch takes
    cl_ulong *clock_ns;       // how much the launch advances the device's clock
    cl_event event;
};

// Reads `KIND` or `KIND:NUMBER`; false if there is no such kind or number.
bool vcl_fault_read(const char *text, size_t length, struct vcl_fault *fault);
// Writes one as vcl_fault_read() and vcl_condition_read() read it.
void vcl_fault_write(const struct vcl_fault *fault, struct vcl_text *out);
// Whether a fault belongs to the point.
bool vcl_fault_is_at(const struct vcl_fault *fault, enum vcl_point point);
// Runs the faults of the point. An error code to return, or CL_SUCCESS; some do not return.
// `victim` may be NULL if the point has none.
cl_int vcl_fault_run(const struct vcl_faults *faults, enum vcl_point point,
                     struct vcl_victim *victim);
// A fault of the table by its name: VIRTUALCL_FAIL may name it instead of an error. SIZE_MAX if
// there is none that can happen in any call.
size_t vcl_fault_anywhere(const char *name);
// Triggers it; returns an error code, if it returns.
cl_int vcl_fault_happen(size_t kind);

// ---- vcl_condition.c

// Reads `chance:P`, `until:N`, `process:N`, `every:N`, `from:N`, `at:N`, `first:N` or `beyond:N`.
// False with *problem, a static text, if it is invalid or lacks VIRTUALCL_COUNTERS.
bool vcl_condition_read(const char *text, size_t length, struct vcl_fault *fault,
                        const char **problem);
void vcl_condition_write(const struct vcl_fault *fault, struct vcl_text *out);
// The active faults of a kernel: at launch `number`, or for 0 while building.
void vcl_faults_draw(const struct vcl_module *module,
                     const struct vcl_signature *signature, cl_ulong number,
                     struct vcl_faults *out);
// The number of this process among those that reached `key`, counted over all processes in the
// file named by VIRTUALCL_COUNTERS; 0 without one.
unsigned long vcl_process_number(const char *key);

// ---- vcl_rules.c

// The error that VIRTUALCL_FAIL or a lost device requires at this use of a call, or CL_SUCCESS.
cl_int vcl_fault_call(size_t call);
#define VCL_INJECTED(call) vcl_fault_call(offsetof(cl_icd_dispatch, call))
// From now on this process has no device any more.
void vcl_lose_device(void);

#pragma GCC visibility pop

#endif
