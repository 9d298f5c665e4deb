// SPDX-License-Identifier: Apache-2.0
// Shim, compilation, cache and loading of host code.
#define _GNU_SOURCE // RTLD_NODELETE
#include "worker/host/host.h"

#include "base/cpuinfo.h"
#include "base/hash.h"
#include "protocol/cache.h"
#include "worker/host/compiler.h"
#include "worker/host/hostguard.h"
#include "base/private.h"
#include "protocol/scratch.h"
#include "spacefile/reader/reader.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ct_host_code {
    void *library;
    void (*entry)(void **args);
};

/* "reference", "baseline", "fill" or "check". */
static const char *kind_name(enum ct_host_kind kind)
{
    return kind == CT_HOST_REFERENCE  ? "reference"
           : kind == CT_HOST_BASELINE ? "baseline"
           : kind == CT_HOST_FILL     ? "fill"
                                      : "check";
}

static const char *flags(enum ct_host_kind kind)
{
    /* Old compilers merely warn about conversions between pointers and integers. */
    return kind != CT_HOST_BASELINE
               ? "-O2 -ffp-contract=off -fPIC -Werror=int-conversion "
                 "-Werror=incompatible-pointer-types "
                 "-Werror=implicit-function-declaration -Wno-pointer-sign"
               : "-O3 -march=native -fPIC -Werror=int-conversion "
                 "-Werror=incompatible-pointer-types "
                 "-Werror=implicit-function-declaration -Wno-pointer-sign";
}

static const struct ct_plan_host *host_of(const struct ct_plan *plan,
                                          enum ct_host_kind kind)
{
    return kind == CT_HOST_BASELINE ? &plan->baseline : &plan->reference;
}

/* Appends the shim's text.  CT_E_SPEC if the path cannot be included. */
static enum ct_status write_shim(const struct ct_plan *plan, enum ct_host_kind kind,
                                 struct ct_str *out, struct ct_err *err)
{
    const struct ct_plan_host *host = host_of(plan, kind);

    if (strpbrk(host->c_path, "\"\\\n"))
        return ct_err_set(err, CT_E_SPEC,
                          "the path of the %s has a character that C cannot include: %s",
                          kind_name(kind), host->c_path);
    ct_str_addf(out, "#include \"%s\"\n", host->c_path);
    ct_str_puts(out, "#include <stdint.h>\n"
                     "#pragma GCC diagnostic error \"-Wfloat-conversion\"\n"
                     "const char ct_compiler[] = __VERSION__;\n"
                     "void ct_entry(void **a);\n"
                     "void ct_entry(void **a)\n{\n    (void)a;\n");
    ct_str_addf(out, "#line 1 \"args of [%s]\"\n    ", kind_name(kind));
    if (kind == CT_HOST_CHECK)
        ct_str_addf(out, "*(uint64_t *)a[%zu] = (uint64_t)", host->arg_count);
    ct_str_addf(out, "%s(", host->function);
    for (size_t i = 0; i < host->arg_count; i++) {
        const struct ct_plan_arg *arg = &host->args[i];

        if (i)
            ct_str_puts(out, ", ");
        /* There is no common C type for half: all of them accept void. */
        if (arg->kind == CT_ARG_BYTES || arg->kind == CT_ARG_NULL ||
            (arg->kind == CT_ARG_BUFFER &&
             plan->buffers[arg->buffer].type.scalar == CT_T_HALF))
            ct_str_addf(out, "a[%zu]", i);
        else if (arg->kind == CT_ARG_BUFFER)
            ct_str_addf(out, "(%s *)a[%zu]",
                        ct_type_c_name(plan->buffers[arg->buffer].type), i);
        else
            ct_str_addf(out, "%s(const %s *)a[%zu]", arg->type.width > 1 ? "" : "*",
                        ct_type_c_name(arg->type), i);
    }
    ct_str_puts(out, ");\n}\n");
    return out->failed ? ct_err_nomem(err) : CT_OK;
}

/* The compiler's actual error: its first line with "error" that is not about the linker's exit
 * status, else everything. */
static const char *first_error(const char *text)
{
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        const char *error = strstr(line, "error");

        if (error && error < line + length && strncmp(line, "collect2:", 9) != 0 &&
            strncmp(line, "clang: error: linker", 20) != 0)
            return line;
        line += length;
        line += *line == '\n';
    }
    return text;
}

/* Reports the compiler's error, in up to three of its lines. */
static enum ct_status refused(const struct ct_plan_host *host, enum ct_host_kind kind,
                              const struct ct_str *errors, struct ct_err *err)
{
    const char *from = first_error(errors->data);
    size_t length = 0;

    for (int lines = 0; lines < 3 && from[length] && length < 1000; length++)
        lines += from[length] == '\n';
    while (length && from[length - 1] == '\n')
        length--;
    return ct_err_set(err, CT_E_SPEC, "the %s does not compile (%s in %s): %.*s",
                      kind_name(kind), host->function, host->c_path, (int)length, from);
}

static const char *compiler(void)
{
    const char *cc = getenv("CC");

    return cc && *cc ? cc : "cc";
}

/* Runs the compiler on the shim, with additional words and, if it links, to `path` (NULL: it does
 * not); `text` receives its standard output. */
static enum ct_status run_compiler(const struct ct_plan_host *host,
                                   enum ct_host_kind kind, const struct ct_str *shim,
                                   const char *path, struct ct_str *text,
                                   struct ct_err *err)
{
    struct ct_command command = {0};
    struct ct_str errors;
    int exit_status = 0;
    enum ct_status status;

    ct_str_init(&errors);
    ct_command_add(&command, compiler());
    ct_command_add(&command, flags(kind));
    if (path) {
        ct_command_add(&command, "-shared -o");
        ct_command_word(&command, path);
        ct_command_add(&command, "-x c - -x none");
        ct_command_add(&command, host->libs);
    } else {
        ct_command_add(&command, "-E -x c -");
    }
    status = ct_command_run(&command, shim, text, &errors, &exit_status, err);
    if (!status && exit_status)
        status = refused(host, kind, &errors, err);
    ct_command_release(&command);
    ct_str_release(&errors);
    return status;
}

/* Preprocesses the shim: the result and the compilation options are the key. */
static enum ct_status find_key(const struct ct_plan_host *host, enum ct_host_kind kind,
                               const struct ct_str *shim, struct ct_hash *key,
                               struct ct_err *err)
{
    struct ct_str text;
    enum ct_status status;

    ct_str_init(&text);
    status = run_compiler(host, kind, shim, NULL, &text, err);
    if (!status) {
        ct_str_addf(&text, "\n%s\n%s\n%s\n", compiler(), flags(kind), host->libs);
        if (kind == CT_HOST_BASELINE)
            ct_cpuinfo_add_identity(&text);
        *key = ct_hash_bytes(text.data, text.length);
        if (text.failed)
            status = ct_err_nomem(err);
    }
    ct_str_release(&text);
    return status;
}

static enum ct_status compile_shim(const struct ct_plan_host *host,
                                   enum ct_host_kind kind, const struct ct_str *shim,
                                   const char *path, struct ct_err *err)
{
    struct ct_str text;
    enum ct_status status;

    ct_str_init(&text);
    status = run_compiler(host, kind, shim, path, &text, err);
    ct_str_release(&text);
    return status;
}

static enum ct_status load_library(const struct ct_plan_host *host,
                                   enum ct_host_kind kind, const char *path,
                                   struct ct_host_code *code, struct ct_err *err)
{
    struct ct_hostguard guard;
    void *entry;
    const char *why;

    /* Libraries have constructors: those of -ffast-math flush denormals to zero. */
    ct_hostguard_begin(&guard);
    /* Unloading OpenMP's runtime under its sleeping threads would kill the process. */
    code->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    ct_hostguard_end(&guard);
    if (!code->library) {
        why = dlerror();
        return ct_err_set(
            err, CT_E_SPEC,
            "cannot load the %s (%s in %s); is a library missing in 'libs'? %s",
            kind_name(kind), host->function, host->c_path, why ? why : "");
    }
    entry = dlsym(code->library, "ct_entry");
    if (!entry) {
        dlclose(code->library);
        code->library = NULL;
        return ct_err_set(err, CT_E_INTERNAL, "%s has no ct_entry", path);
    }
    memcpy(&code->entry, &entry, sizeof(entry));
    return CT_OK;
}

/* --- the cache --- */

/* Appended to the code, where loaders do not look: a checksum of it and of its key. */
static const char seal_start[] = "\ncltune host code ";
enum { SEAL_BYTES = sizeof(seal_start) - 1 + CT_HASH_TEXT_SIZE - 1 };

static bool make_seal(const struct ct_hash *key, const char *code, size_t length,
                      char seal[SEAL_BYTES])
{
    struct ct_str text;

    ct_str_init(&text);
    ct_str_puts(&text, key->text);
    ct_str_puts(&text, ct_hash_bytes(code, length).text);
    memcpy(seal, seal_start, sizeof(seal_start) - 1);
    memcpy(seal + sizeof(seal_start) - 1, ct_hash_bytes(text.data, text.length).text,
           CT_HASH_TEXT_SIZE - 1);
    ct_str_release(&text);
    return !text.failed;
}

/* Appends the seal to newly compiled code. */
static enum ct_status add_seal(const char *path, const struct ct_hash *key,
                               struct ct_err *err)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    char seal[SEAL_BYTES];
    struct ct_str code;
    enum ct_status status = CT_OK;

    ct_str_init(&code);
    if (fd < 0 || fchmod(fd, 0700) || !ct_private_read(fd, &code) ||
        !make_seal(key, code.data, code.length, seal) ||
        write(fd, seal, sizeof(seal)) != (ssize_t)sizeof(seal))
        status = ct_err_set(err, CT_E_IO, "%s: %s", path, strerror(errno));
    if (fd >= 0 && close(fd) && !status)
        status = ct_err_set(err, CT_E_IO, "%s: %s", path, strerror(errno));
    ct_str_release(&code);
    return status;
}

/* Whether the file is this user's, and unchanged since it was stored under this key: a changed
 * constant makes wrong kernels right, and running truncated code ends in SIGBUS. The folder is
 * not writable by others, so what dlopen opens next is the same file. */
static bool is_unchanged(const char *path, const struct ct_hash *key)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char seal[SEAL_BYTES];
    struct ct_str code;
    bool good = false;

    if (fd < 0)
        return false;
    ct_str_init(&code);
    if (ct_private_read(fd, &code) && code.length > SEAL_BYTES) {
        size_t length = code.length - SEAL_BYTES;

        good = make_seal(key, code.data, length, seal) &&
               !memcmp(code.data + length, seal, SEAL_BYTES);
    }
    ct_str_release(&code);
    close(fd);
    return good;
}

/* Compiles beside the final name and moves it there: others see all or nothing. */
static enum ct_status compile_cached(const struct ct_plan_host *host,
                                     enum ct_host_kind kind, const struct ct_str *shim,
                                     const struct ct_hash *key, const char *path,
                                     struct ct_err *err)
{
    struct ct_str part;
    enum ct_status status;

    ct_str_init(&part);
    ct_str_addf(&part, "%s.%ld.part", path, (long)getpid());
    status =
        part.failed ? ct_err_nomem(err) : compile_shim(host, kind, shim, part.data, err);
    if (!status)
        status = add_seal(part.data, key, err);
    if (!status && rename(part.data, path))
        status = ct_err_set(err, CT_E_IO, "%s: %s", path, strerror(errno));
    if (status && !part.failed)
        unlink(part.data);
    ct_str_release(&part);
    return status;
}

/* Without a cache folder: compiled for this process only, and removed once loaded. */
static enum ct_status load_private(const struct ct_plan_host *host,
                                   enum ct_host_kind kind, const struct ct_str *shim,
                                   struct ct_host_code *code, struct ct_err *err)
{
    struct ct_scratch scratch;
    struct ct_str path;
    enum ct_status status = ct_scratch_open(&scratch, err);

    if (status)
        return status;
    ct_str_init(&path);
    ct_str_addf(&path, "%s/host.so", scratch.path.data);
    status =
        path.failed ? ct_err_nomem(err) : compile_shim(host, kind, shim, path.data, err);
    if (!status)
        status = load_library(host, kind, path.data, code, err);
    ct_str_release(&path);
    ct_scratch_close(&scratch);
    return status;
}

/* What a shim's code depends on, as far as it does not change while a worker lives; empty if the C file
 * may, because no hash of it is known. */
static struct ct_hash identify(const struct ct_plan_host *host, enum ct_host_kind kind,
                               const struct ct_str *shim)
{
    struct ct_hash identity = {""};
    struct ct_str text;

    if (!*host->c_hash.text)
        return identity;
    ct_str_init(&text);
    ct_str_addf(&text, "%s\n%s\n%s\n%s", kind_name(kind), host->libs, host->c_hash.text,
                shim->data);
    if (!text.failed)
        identity = ct_hash_bytes(text.data, text.length);
    ct_str_release(&text);
    return identity;
}

static enum ct_status load_cached(struct ct_host_codes *codes,
                                  const struct ct_plan_host *host, enum ct_host_kind kind,
                                  const struct ct_str *shim, struct ct_str *path,
                                  struct ct_host_code *code, struct ct_err *err)
{
    struct ct_hash identity = identify(host, kind, shim);
    struct ct_hash key;
    enum ct_status status = CT_OK;

    if (!ct_host_codes_find(codes, &identity, &key)) {
        status = find_key(host, kind, shim, &key, err);
        if (!status && codes && *identity.text && ct_host_codes_claim(codes, &identity))
            ct_host_codes_tell(codes, &identity, &key);
    }
    if (status)
        return status;
    ct_str_addf(path, "/%s.so", key.text);
    if (path->failed)
        return ct_err_nomem(err);
    /* If damaged or not loadable, it is compiled again, once. */
    if (is_unchanged(path->data, &key) &&
        !load_library(host, kind, path->data, code, NULL))
        return CT_OK;
    unlink(path->data);
    status = compile_cached(host, kind, shim, &key, path->data, err);
    return status ? status : load_library(host, kind, path->data, code, err);
}

/* A search is about one source: results with another must not be mixed with its own. */
static enum ct_status source_unchanged(const struct ct_plan_host *host,
                                       enum ct_host_kind kind, struct ct_err *err)
{
    struct ct_arena arena = {0};
    const char *text = NULL;
    size_t length = 0;
    enum ct_status status;

    if (!*host->c_hash.text)
        return CT_OK;
    status = ct_reader_slurp(host->c_path, &arena, &text, &length, err);

    if (!status && strcmp(ct_hash_bytes(text, length).text, host->c_hash.text) != 0)
        status = ct_err_set(
            err, CT_E_SPEC,
            "the %s's file %s was changed while the search was running; run the search "
            "again",
            kind_name(kind), host->c_path);
    ct_arena_release(&arena);
    return status;
}

enum ct_status ct_host_load(struct ct_host_codes *codes, const struct ct_plan *plan,
                            enum ct_host_kind kind, struct ct_host_code **out,
                            struct ct_err *err)
{
    const struct ct_plan_host *host = host_of(plan, kind);
    struct ct_host_code *code = calloc(1, sizeof(*code));
    struct ct_str shim;
    struct ct_str path;
    enum ct_status status;

    if (!code)
        return ct_err_nomem(err);
    ct_str_init(&shim);
    ct_str_init(&path);
    status = source_unchanged(host, kind, err);
    if (!status)
        status = write_shim(plan, kind, &shim, err);
    if (!status) {
        if (ct_cache_folder("host", &path, NULL) == CT_OK)
            status = load_cached(codes, host, kind, &shim, &path, code, err);
        else
            status = load_private(host, kind, &shim, code, err);
    }
    ct_str_release(&path);
    ct_str_release(&shim);
    if (status) {
        ct_host_free(code);
        return status;
    }
    *out = code;
    return CT_OK;
}

/* Finds the name of a shim's code in the folder `path`, and compiles it unless it is there. */
static bool compile_missing(const struct ct_plan_host *host, enum ct_host_kind kind,
                            const struct ct_str *shim, struct ct_str *path,
                            struct ct_hash *key)
{
    if (find_key(host, kind, shim, key, NULL))
        return false;
    ct_str_addf(path, "/%s.so", key->text);
    return !path->failed && (is_unchanged(path->data, key) ||
                             !compile_cached(host, kind, shim, key, path->data, NULL));
}

void ct_host_compile(struct ct_host_codes *codes, const struct ct_plan *plan,
                     enum ct_host_kind kind)
{
    const struct ct_plan_host *host = host_of(plan, kind);
    struct ct_hash identity = {""};
    struct ct_hash key;
    struct ct_str shim;
    struct ct_str path;

    ct_str_init(&shim);
    ct_str_init(&path);
    if (!source_unchanged(host, kind, NULL) && !write_shim(plan, kind, &shim, NULL) &&
        !ct_cache_folder("host", &path, NULL))
        identity = identify(host, kind, &shim);
    if (*identity.text && ct_host_codes_claim(codes, &identity))
        ct_host_codes_tell(codes, &identity,
                           compile_missing(host, kind, &shim, &path, &key) ? &key : NULL);
    ct_str_release(&path);
    ct_str_release(&shim);
}

enum ct_status ct_host_of_fill(struct ct_arena *arena,
                               const struct ct_plan_buffer *buffer,
                               const struct ct_fill *fill, const struct ct_plan_arg *own,
                               size_t own_count, struct ct_plan *plan, struct ct_err *err)
{
    size_t count = own_count + fill->arg_count;
    struct ct_plan_arg *args = ct_arena_array(arena, count, sizeof(*args));
    struct ct_plan_buffer *only = ct_arena_array(arena, 1, sizeof(*only));

    if (!args || !only) {
        ct_err_nomem(err);
        return CT_E_NOMEM;
    }
    *only = *buffer;
    for (size_t i = 0; i < count; i++)
        args[i] = i < own_count ? own[i] : fill->args[i - own_count];
    /* Libraries cannot be named here; linking the math library costs nothing. */
    *plan = (struct ct_plan){.buffer_count = 1,
                             .buffers = only,
                             .reference = {
                                 .c_path = fill->path,
                                 .function = fill->function,
                                 .libs = "-lm",
                                 .c_hash = fill->path_hash,
                                 .arg_count = count,
                                 .args = args,
                             }};
    return CT_OK;
}

void ct_host_call(const struct ct_host_code *code, void **args)
{
    code->entry(args);
}

void ct_host_call_guarded(const struct ct_host_code *code, void **args)
{
    struct ct_hostguard guard;

    ct_hostguard_begin(&guard);
    code->entry(args);
    ct_hostguard_end(&guard);
}

void ct_host_free(struct ct_host_code *code)
{
    if (!code)
        return;
    if (code->library)
        dlclose(code->library);
    free(code);
}

bool ct_host_copy_values(struct ct_arena *arena, const struct ct_plan_arg *args,
                         size_t count, void **pointers)
{
    for (size_t i = 0; i < count; i++) {
        bool scalar = args[i].kind == CT_ARG_SCALAR;
        size_t size = scalar ? ct_type_size(args[i].type) : (size_t)args[i].data_bytes;

        if (args[i].kind == CT_ARG_NULL)
            continue;
        pointers[i] = ct_arena_alloc(arena, size);
        if (!pointers[i])
            return false;
        memcpy(pointers[i], scalar ? args[i].bytes : args[i].data, size);
    }
    return true;
}
