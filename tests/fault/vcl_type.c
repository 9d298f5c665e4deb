// SPDX-License-Identifier: Apache-2.0
// The types of kernel arguments: their sizes, names, address spaces and qualifiers.

#include "vcl.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
} scalars[] = {
    {"char", 1},   {"uchar", 1},  {"short", 2}, {"ushort", 2}, {"int", 4},
    {"uint", 4},   {"long", 8},   {"ulong", 8}, {"half", 2},   {"float", 4},
    {"double", 8}, {"size_t", 8}, {"bool", 1},
};

// Spellings of more than one word, and what OpenCL calls them.
static const struct {
    const char *words, *name;
} spellings[] = {
    {"unsigned", "uint"},         {"unsigned int", "uint"}, {"signed int", "int"},
    {"unsigned char", "uchar"},   {"signed char", "char"},  {"signed", "int"},
    {"unsigned short", "ushort"}, {"short int", "short"},   {"signed short", "short"},
    {"unsigned long", "ulong"},   {"long int", "long"},     {"signed long", "long"},
};

static const struct {
    const char *word;
    cl_kernel_arg_address_qualifier address;
} spaces[] = {
    {"__global", CL_KERNEL_ARG_ADDRESS_GLOBAL},
    {"global", CL_KERNEL_ARG_ADDRESS_GLOBAL},
    {"__constant", CL_KERNEL_ARG_ADDRESS_CONSTANT},
    {"constant", CL_KERNEL_ARG_ADDRESS_CONSTANT},
    {"__local", CL_KERNEL_ARG_ADDRESS_LOCAL},
    {"local", CL_KERNEL_ARG_ADDRESS_LOCAL},
    {"__private", CL_KERNEL_ARG_ADDRESS_PRIVATE},
    {"private", CL_KERNEL_ARG_ADDRESS_PRIVATE},
};

static const char *const ignored[] = {"read_only",   "write_only",   "read_write",
                                      "__read_only", "__write_only", "__read_write",
                                      "struct",      "union",        "enum"};

// The words of `typedef WORDS name;` in the text; false when there is no such line.
static bool find_typedef(const char *text, const char *name, struct vcl_text *words)
{
    for (const char *at = strstr(text, "typedef"); at; at = strstr(at + 1, "typedef")) {
        size_t length = strcspn(at, ";{");
        if (at[length] != ';' || vcl_name_part(at[7]) ||
            (at > text && vcl_name_part(at[-1])))
            continue;
        const char *end = at + length;
        while (end > at && !vcl_name_part(end[-1]))
            end--;
        const char *start = end;
        while (start > at && vcl_name_part(start[-1]))
            start--;
        if (!vcl_is(start, (size_t)(end - start), name))
            continue;
        const char *first = vcl_skip(at + 7);
        if (start > first)
            vcl_text_add(words, first, (size_t)(start - first));
        vcl_text_trim(words);
        return words->length > 0;
    }
    return false;
}

static size_t type_bytes(const char *text, const char *name, bool *three, unsigned depth)
{
    *three = false;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (strcmp(name, spellings[i].words) == 0)
            name = spellings[i].name;
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        size_t length = strlen(scalars[i].name);
        if (strncmp(name, scalars[i].name, length) != 0)
            continue;
        if (!name[length])
            return scalars[i].bytes;
        static const struct {
            const char *suffix;
            size_t count;
        } vectors[] = {{"2", 2}, {"3", 4}, {"4", 4}, {"8", 8}, {"16", 16}};
        for (size_t j = 0; j < sizeof vectors / sizeof *vectors; j++) {
            if (strcmp(name + length, vectors[j].suffix) != 0)
                continue;
            *three = *vectors[j].suffix == '3';
            return scalars[i].bytes * vectors[j].count;
        }
    }
    struct vcl_text words = {0};
    size_t bytes = 0;
    if (depth < 8 && find_typedef(text, name, &words))
        bytes = type_bytes(text, vcl_text_get(&words), three, depth + 1);
    vcl_text_free(&words);
    return bytes;
}

size_t vcl_type_bytes(const struct vcl_module *module, const char *name, bool *three)
{
    return type_bytes(vcl_text_get(&module->text), name, three, 0);
}

// Takes a word that is a qualifier into the argument; false when it is none.
static bool qualify(const char *word, size_t length, struct vcl_argument *argument)
{
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (!vcl_is(word, length, spaces[i].word))
            continue;
        argument->address = spaces[i].address;
        return true;
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (vcl_is(word, length, ignored[i]))
            return true;
    if (vcl_is(word, length, "const")) {
        if (!argument->pointer) // behind the * it is the pointer that is const
            argument->qualifiers |= CL_KERNEL_ARG_TYPE_CONST;
        return true;
    }
    if (vcl_is(word, length, "volatile")) {
        argument->qualifiers |= CL_KERNEL_ARG_TYPE_VOLATILE;
        return true;
    }
    if (vcl_is(word, length, "restrict") || vcl_is(word, length, "__restrict") ||
        vcl_is(word, length, "__restrict__")) {
        argument->qualifiers |= CL_KERNEL_ARG_TYPE_RESTRICT;
        return true;
    }
    return false;
}

static bool is_object(const char *type)
{
    return strncmp(type, "image", 5) == 0 || strcmp(type, "sampler_t") == 0;
}

// Turns the collected words into a type: the last of several is the argument's name.
static void finish_argument(const struct vcl_module *module, struct vcl_text *words,
                            unsigned stars, struct vcl_argument *argument)
{
    vcl_text_trim(words);
    char *last = words->data ? strrchr(words->data, ' ') : NULL;
    argument->name = vcl_copy(last ? last + 1 : "", last ? strlen(last + 1) : 0);
    if (last)
        *last = '\0';
    const char *name = vcl_text_get(words);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (strcmp(name, spellings[i].words) == 0)
            name = spellings[i].name;
    argument->value_bytes = vcl_type_bytes(module, name, &argument->three);
    argument->object =
        is_object(name) ||
        (argument->pointer && (argument->address == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
                               argument->address == CL_KERNEL_ARG_ADDRESS_CONSTANT));
    struct vcl_text type = {0};
    vcl_text_print(&type, "%s", name);
    for (; stars > 0; stars--)
        vcl_text_add(&type, "*", 1);
    argument->type = type.data;
    if (argument->address == CL_KERNEL_ARG_ADDRESS_CONSTANT)
        argument->qualifiers |= CL_KERNEL_ARG_TYPE_CONST;
    if (!argument->pointer) { // a value's own const is of no concern to the caller
        argument->qualifiers = CL_KERNEL_ARG_TYPE_NONE;
        if (!argument->object)
            argument->address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
        else
            argument->address = CL_KERNEL_ARG_ADDRESS_GLOBAL;
    }
}

void vcl_type_argument(const struct vcl_module *module, const char *data, size_t length,
                       struct vcl_argument *argument)
{
    struct vcl_text words = {0};
    const char *end = data + length;
    unsigned stars = 0;
    argument->address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    for (const char *at = data; at < end;) {
        size_t word = 0;
        while (at + word < end && vcl_name_part(at[word]))
            word++;
        if (word == 0) {
            if (*at == '*' || *at == '[') {
                stars++;
                argument->pointer = true;
            }
            const char *close = *at == '[' ? memchr(at, ']', (size_t)(end - at)) : NULL;
            at = close ? close + 1 : at + 1;
            continue;
        }
        if (!qualify(at, word, argument)) {
            vcl_text_add(&words, at, word);
            vcl_text_add(&words, " ", 1);
        }
        at += word;
    }
    finish_argument(module, &words, stars, argument);
    vcl_text_free(&words);
}
