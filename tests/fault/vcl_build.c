// SPDX-License-Identifier: Apache-2.0
// The virtual compiler: options, predefined macros, and the steps of one build.

#include "vcl.h"

#include <stdlib.h>
#include <string.h>

// Takes one option, unquoted, off the text; false at the end.
static bool next_option(const char **text, struct vcl_text *option)
{
    const char *at = *text + strspn(*text, " \t\r\n");
    char quote = 0;
    option->length = 0;
    vcl_text_add(option, "", 0);
    bool found = *at != '\0';
    for (; *at && (quote || !strchr(" \t\r\n", *at)); at++) {
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else if (*at == '\\' && quote != '\'' && at[1])
            vcl_text_add(option, ++at, 1);
        else
            vcl_text_add(option, at, 1);
    }
    *text = at;
    return found;
}

// NAME or NAME=TEXT.
static cl_int define(struct vcl_module *module, const char *text)
{
    size_t length = 0;
    while (vcl_name_part(text[length]))
        length++;
    if (!vcl_name_start(*text) || (text[length] && text[length] != '='))
        return CL_INVALID_BUILD_OPTIONS;
    vcl_macro_define(&module->macros, text, length, NULL,
                     text[length] ? text + length + 1 : "1", true);
    return CL_SUCCESS;
}

static cl_int take_option(struct vcl_module *module, const char **rest,
                          struct vcl_text *option)
{
    const char *word = vcl_text_get(option);
    if (word[0] == '-' && (word[1] == 'D' || word[1] == 'I')) {
        bool macro = word[1] == 'D';
        if (!word[2] && !next_option(rest, option))
            return CL_INVALID_BUILD_OPTIONS;
        word = vcl_text_get(option);
        if (word[0] == '-' && (word[1] == 'D' || word[1] == 'I') && word[2])
            word += 2;
        if (macro)
            return define(module, word);
        vcl_text_add(&module->includes, word, strlen(word) + 1);
    } else if (strcmp(word, "-cl-kernel-arg-info") == 0) {
        module->argument_info = true;
    } else if (strncmp(word, "-cl-std=CL", 10) == 0) {
        const char *version = strcmp(word + 10, "1.0") == 0   ? "100"
                              : strcmp(word + 10, "1.1") == 0 ? "110"
                              : strcmp(word + 10, "1.2") == 0 ? "120"
                              : strcmp(word + 10, "2.0") == 0 ? "200"
                              : strcmp(word + 10, "3.0") == 0 ? "300"
                                                              : NULL;
        if (!version)
            return CL_INVALID_BUILD_OPTIONS;
        vcl_macro_define(&module->macros, "__OPENCL_C_VERSION__", 20, NULL, version,
                         false);
    } else if (strcmp(word, "-cl-fast-relaxed-math") == 0) {
        vcl_macro_define(&module->macros, "__FAST_RELAXED_MATH__", 21, NULL, "1", false);
    }
    return CL_SUCCESS; // any other option is as good as none
}

static void predefine(cl_device_id device, struct vcl_module *module)
{
    static const struct {
        const char *name, *text[VCL_MODELS]; // NULL: not on that device
    } macros[] = {
        {"__OPENCL_VERSION__", {"120", "300"}},
        {"__OPENCL_C_VERSION__", {"120", "120"}},
        {"CL_VERSION_1_0", {"100", "100"}},
        {"CL_VERSION_1_1", {"110", "110"}},
        {"CL_VERSION_1_2", {"120", "120"}},
        {"CL_VERSION_2_0", {NULL, "200"}},
        {"CL_VERSION_3_0", {NULL, "300"}},
        {"__ENDIAN_LITTLE__", {"1", "1"}},
        {"__EMBEDDED_PROFILE__", {"1", NULL}},
        {"cl_khr_fp64", {NULL, "1"}},
        {"__OPENCL__", {"1", "1"}},
    };
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
        if (macros[i].text[device->model])
            vcl_macro_define(&module->macros, macros[i].name, strlen(macros[i].name),
                             NULL, macros[i].text[device->model], false);
}

// A device without doubles does not compile them.
static void refuse_doubles(struct vcl_module *module)
{
    const char *text = vcl_text_get(&module->text);
    unsigned line = 1;
    for (const char *at = text; *at;) {
        size_t length = 0;
        while (vcl_name_part(at[length]))
            length++;
        if (length >= 6 && strncmp(at, "double", 6) == 0 &&
            strspn(at + 6, "0123456789") == length - 6) {
            vcl_error(module, line, "this device has no double");
            return;
        }
        line += *at == '\n';
        at += length ? length : 1;
    }
}

cl_int vcl_compile(cl_device_id device, const char *source, const char *options,
                   struct vcl_module *module)
{
    struct vcl_text option = {0};
    cl_int status = CL_SUCCESS;
    *module = (struct vcl_module){0};
    predefine(device, module);
    while (!status && next_option(&options, &option))
        status = take_option(module, &options, &option);
    vcl_text_free(&option);
    if (status)
        return status;
    module->default_time_ns = vcl_default_time_ns(&module->macros);
    vcl_preprocess(module, source);
    if (!module->failed && !vcl_device_number(device, CL_DEVICE_DOUBLE_FP_CONFIG))
        refuse_doubles(module);
    if (!module->failed)
        vcl_parse_kernels(module);
    if (!module->failed)
        vcl_directives_apply(module, device);
    vcl_code_write(module);
    return module->failed ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

void vcl_module_free(struct vcl_module *module)
{
    for (size_t i = 0; i < module->count; i++) {
        struct vcl_signature *signature = &module->signatures[i];
        for (size_t j = 0; j < signature->count; j++) {
            free(signature->arguments[j].type);
            free(signature->arguments[j].name);
        }
        free(signature->arguments);
        free(signature->faults);
        free(signature->name);
    }
    free(module->signatures);
    for (size_t i = 0; i < module->directive_count; i++)
        free(module->directives[i].text);
    free(module->directives);
    free(module->code);
    vcl_macros_free(&module->macros);
    vcl_text_free(&module->text);
    vcl_text_free(&module->log);
    vcl_text_free(&module->includes);
    *module = (struct vcl_module){0};
}
