// SPDX-License-Identifier: Apache-2.0
// Finds kernels in preprocessed OpenCL C: arguments, local arrays, required sizes.

#include "vcl.h"

#include <stdlib.h>
#include <string.h>

struct parser {
    struct vcl_module *module;
    const char *at;
};

static unsigned line_of(const struct parser *parser)
{
    unsigned line = 1;
    for (const char *at = vcl_text_get(&parser->module->text); at < parser->at; at++)
        line += *at == '\n';
    return line;
}

static void skip(struct parser *parser)
{
    while (*parser->at == '\n' || vcl_skip(parser->at) != parser->at)
        parser->at += *parser->at == '\n' ? 1 : vcl_skip(parser->at) - parser->at;
}

// The length of the name at the current place, 0 when there is none.
static size_t name_length(const struct parser *parser)
{
    size_t length = 0;
    if (vcl_name_start(*parser->at))
        while (vcl_name_part(parser->at[length]))
            length++;
    return length;
}

// Moves over one name, literal or character.
static void step(struct parser *parser)
{
    char first = *parser->at;
    if (vcl_name_part(first)) {
        while (vcl_name_part(*parser->at))
            parser->at++;
        return;
    }
    if (first)
        parser->at++;
    if (first != '"' && first != '\'')
        return;
    while (*parser->at && *parser->at != first && *parser->at != '\n')
        parser->at += *parser->at == '\\' && parser->at[1] ? 2 : 1;
    if (*parser->at == first)
        parser->at++;
}

// Moves behind the bracket that closes the one here; false when it is missing.
static bool skip_brackets(struct parser *parser)
{
    char open = *parser->at, close = open == '(' ? ')' : open == '[' ? ']' : '}';
    unsigned depth = 0;
    while (*parser->at) {
        if (*parser->at == open)
            depth++;
        else if (*parser->at == close && --depth == 0) {
            parser->at++;
            return true;
        }
        step(parser);
    }
    return false;
}

static void read_required(struct parser *parser, const char *end,
                          struct vcl_signature *signature)
{
    const char *at = strstr(parser->at, "reqd_work_group_size");
    if (!at || at >= end || !(at = strchr(at, '(')) || at >= end)
        return;
    at++;
    for (size_t i = 0; i < 3; i++) {
        size_t length = strcspn(at, i < 2 ? "," : ")");
        char *text = vcl_copy(at, length);
        int64_t value;
        const char *problem;
        if (!vcl_evaluate(text, true, &value, &problem) || value < 1)
            vcl_error(parser->module, line_of(parser), "reqd_work_group_size: '%s'",
                      text);
        else
            signature->required[i] = (size_t)value;
        free(text);
        at += length + (at[length] != '\0');
    }
}

// Reads any number of __attribute__((...)).
static void read_attributes(struct parser *parser, struct vcl_signature *signature)
{
    for (;;) {
        skip(parser);
        size_t length = name_length(parser);
        if (!vcl_is(parser->at, length, "__attribute__"))
            return;
        parser->at += length;
        skip(parser);
        struct parser behind = *parser;
        if (*parser->at != '(' || !skip_brackets(&behind))
            return;
        read_required(parser, behind.at, signature);
        parser->at = behind.at;
    }
}

static void add_argument(struct parser *parser, const char *data, size_t length,
                         struct vcl_signature *signature)
{
    signature->arguments =
        vcl_grow(signature->arguments, signature->count, sizeof *signature->arguments);
    struct vcl_argument *argument = &signature->arguments[signature->count++];
    vcl_type_argument(parser->module, data, length, argument);
    if (argument->pointer && argument->address == CL_KERNEL_ARG_ADDRESS_PRIVATE)
        vcl_error(parser->module, line_of(parser),
                  "kernel %s: pointer argument '%s' has no address space",
                  signature->name, argument->name);
}

// Splits the list between parentheses at its outer commas.
static bool read_list(struct parser *parser, struct vcl_signature *signature)
{
    struct parser behind = *parser;
    if (*parser->at != '(' || !skip_brackets(&behind))
        return false;
    const char *end = behind.at - 1, *start = parser->at + 1;
    parser->at = start;
    skip(parser);
    size_t length = name_length(parser);
    struct parser next = {parser->module, parser->at + length};
    skip(&next);
    bool none = next.at == end && (length == 0 || vcl_is(parser->at, length, "void"));
    while (!none && parser->at < end) {
        if (*parser->at == '(' || *parser->at == '[')
            skip_brackets(parser);
        else if (*parser->at != ',')
            step(parser);
        if (parser->at < end && *parser->at != ',')
            continue;
        add_argument(parser, start, (size_t)(parser->at - start), signature);
        start = parser->at + 1;
        parser->at += parser->at < end;
    }
    parser->at = behind.at;
    return true;
}

// Bytes of `TYPE name[n][m], ...` up to the semicolon; what cannot be known counts 0.
static cl_ulong local_bytes(struct parser *parser)
{
    struct vcl_text type = {0};
    size_t length;
    bool three;
    skip(parser);
    for (; (length = name_length(parser)) > 0; skip(parser)) {
        // The last name before a bracket, comma or semicolon is the variable's.
        struct parser next = {parser->module, parser->at + length};
        skip(&next);
        bool variable = *next.at == '[' || *next.at == ';' || *next.at == ',';
        if (!variable && !vcl_is(parser->at, length, "volatile"))
            vcl_text_print(&type, "%s%.*s", type.length ? " " : "", (int)length,
                           parser->at);
        if (variable)
            break;
        parser->at = next.at;
    }
    cl_ulong each = vcl_type_bytes(parser->module, vcl_text_get(&type), &three), sum = 0;
    while (*parser->at && *parser->at != ';') {
        parser->at += name_length(parser);
        cl_ulong bytes = each;
        for (skip(parser); *parser->at == '['; skip(parser)) {
            const char *start = parser->at + 1, *problem;
            int64_t count;
            if (!skip_brackets(parser))
                break;
            char *text = vcl_copy(start, (size_t)(parser->at - 1 - start));
            if (!vcl_evaluate(text, true, &count, &problem) || count < 0)
                count = 0;
            bytes *= (cl_ulong)count;
            free(text);
        }
        sum += bytes;
        if (*parser->at != ',')
            break;
        parser->at++;
        skip(parser);
    }
    vcl_text_free(&type);
    return sum;
}

static void read_body(struct parser *parser, struct vcl_signature *signature)
{
    struct parser behind = *parser;
    if (!skip_brackets(&behind)) {
        vcl_error(parser->module, line_of(parser), "kernel %s: missing }",
                  signature->name);
        behind.at = parser->at + strlen(parser->at);
    }
    while (parser->at < behind.at) {
        size_t length = name_length(parser);
        bool local =
            vcl_is(parser->at, length, "__local") || vcl_is(parser->at, length, "local");
        step(parser);
        if (local)
            signature->local_bytes += local_bytes(parser);
    }
    parser->at = behind.at;
}

static void signature_free(struct vcl_signature *signature)
{
    for (size_t i = 0; i < signature->count; i++) {
        free(signature->arguments[i].type);
        free(signature->arguments[i].name);
    }
    free(signature->arguments);
    free(signature->name);
}

// Reads a declaration behind the word kernel; a prototype leaves nothing.
static void read_kernel(struct parser *parser)
{
    struct vcl_module *module = parser->module;
    struct vcl_signature signature = {0};
    read_attributes(parser, &signature);
    size_t length = name_length(parser);
    bool understood = vcl_is(parser->at, length, "void");
    parser->at += length;
    read_attributes(parser, &signature);
    length = name_length(parser);
    signature.name = vcl_copy(parser->at, length);
    parser->at += length;
    skip(parser);
    understood = understood && length > 0 && read_list(parser, &signature);
    read_attributes(parser, &signature);
    if (!understood || (*parser->at != '{' && *parser->at != ';'))
        vcl_error(module, line_of(parser), "kernel declaration not understood near '%s'",
                  signature.name);
    if (!understood || *parser->at != '{') {
        signature_free(&signature);
        return;
    }
    for (size_t i = 0; i < module->count; i++)
        if (strcmp(module->signatures[i].name, signature.name) == 0)
            vcl_error(module, line_of(parser), "kernel %s defined twice", signature.name);
    read_body(parser, &signature);
    module->signatures = vcl_grow(module->signatures, module->count, sizeof signature);
    module->signatures[module->count++] = signature;
}

void vcl_parse_kernels(struct vcl_module *module)
{
    struct parser parser = {module, vcl_text_get(&module->text)};
    while (*parser.at) {
        size_t length = name_length(&parser);
        if (*parser.at == '{') {
            if (!skip_brackets(&parser)) {
                vcl_error(module, line_of(&parser), "missing }");
                return;
            }
        } else if (vcl_is(parser.at, length, "__kernel") ||
                   vcl_is(parser.at, length, "kernel")) {
            parser.at += length;
            read_kernel(&parser);
        } else {
            step(&parser);
        }
    }
}
