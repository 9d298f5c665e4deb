// SPDX-License-Identifier: Apache-2.0
// Memory and strings for the virtual driver; running out of memory aborts.

#include "vcl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *vcl_allocate(size_t count, size_t size_bytes)
{
    void *memory = calloc(count ? count : 1, size_bytes ? size_bytes : 1);
    if (!memory)
        abort();
    return memory;
}

void *vcl_grow(void *items, size_t count, size_t size_bytes)
{
    if (count >= SIZE_MAX / size_bytes - 1)
        abort();
    void *memory = realloc(items, (count + 1) * size_bytes);
    if (!memory)
        abort();
    memset((char *)memory + count * size_bytes, 0, size_bytes);
    return memory;
}

char *vcl_copy(const char *text, size_t length)
{
    char *copy = vcl_allocate(length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

void vcl_text_add(struct vcl_text *text, const char *data, size_t length)
{
    if (length >= SIZE_MAX / 4 - text->length)
        abort();
    if (text->length + length + 1 > text->capacity) {
        size_t capacity = (text->length + length + 1) * 2;
        char *grown = realloc(text->data, capacity);
        if (!grown)
            abort();
        text->data = grown;
        text->capacity = capacity;
    }
    memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void vcl_text_print(struct vcl_text *text, const char *format, ...)
{
    va_list values, again;
    if (!format) // never; gcc -fsanitize=undefined warns without it
        abort();
    va_start(values, format);
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    if (length < 0)
        abort();
    char *line = vcl_allocate((size_t)length + 1, 1);
    vsnprintf(line, (size_t)length + 1, format, again);
    va_end(again);
    vcl_text_add(text, line, (size_t)length);
    free(line);
}

uint64_t vcl_hash(uint64_t hash, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

void vcl_text_trim(struct vcl_text *text)
{
    while (text->length > 0 &&
           (text->data[text->length - 1] == ' ' || text->data[text->length - 1] == '\t' ||
            text->data[text->length - 1] == '\r'))
        text->data[--text->length] = '\0';
}

const char *vcl_text_get(const struct vcl_text *text)
{
    return text->data ? text->data : "";
}

void vcl_text_free(struct vcl_text *text)
{
    free(text->data);
    *text = (struct vcl_text){0};
}

bool vcl_is(const char *data, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(data, word, length) == 0;
}

bool vcl_name_start(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           letter == '_';
}

bool vcl_name_part(char letter)
{
    return vcl_name_start(letter) || (letter >= '0' && letter <= '9');
}

const char *vcl_skip(const char *text)
{
    while (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\v' ||
           *text == '\f')
        text++;
    return text;
}
