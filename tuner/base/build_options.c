// SPDX-License-Identifier: Apache-2.0
// Splits build options into words, and looks for macros in them.
#include "base/build_options.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next word, quotes kept; NULL at the end. */
static const char *next_word(const char **at, size_t *length)
{
    const char *begin;
    char quote = '\0';

    while (isspace((unsigned char)**at))
        ++*at;
    begin = *at;
    for (; **at && (quote || !isspace((unsigned char)**at)); ++*at) {
        if (quote ? **at == quote : **at == '"' || **at == '\'')
            quote = quote ? '\0' : **at;
        if (**at == '\\' && (*at)[1])
            ++*at;
    }
    *length = (size_t)(*at - begin);
    return *length ? begin : NULL;
}

/* Leaves quotes around a text out. */
static void unquote(const char **text, size_t *length)
{
    if (*length < 2 || (**text != '"' && **text != '\'') ||
        (*text)[*length - 1] != **text)
        return;
    ++*text;
    *length -= 2;
}

bool ct_build_options_next(const char **at, struct ct_build_option *option)
{
    *option = (struct ct_build_option){'\0', NULL, 0, NULL, 0};
    option->word = next_word(at, &option->length);
    if (!option->word)
        return false;
    option->text = option->word;
    option->text_length = option->length;
    unquote(&option->text, &option->text_length);
    if (option->text_length < 2 || *option->text != '-' ||
        !strchr("DUI", option->text[1]))
        return true;
    option->letter = option->text[1];
    option->text += 2;
    option->text_length -= 2;
    if (!option->text_length) {
        const char *text = next_word(at, &option->text_length);

        option->text = text ? text : option->text;
        option->length = (size_t)(option->text + option->text_length - option->word);
    }
    /* Within quotes there may be a blank. */
    while (option->text_length && isspace((unsigned char)*option->text))
        option->text++, option->text_length--;
    unquote(&option->text, &option->text_length);
    return true;
}

bool ct_build_options_is_about(const struct ct_build_option *option, const char *name,
                               size_t length)
{
    return (option->letter == 'D' || option->letter == 'U') &&
           option->text_length >= length && memcmp(option->text, name, length) == 0 &&
           (option->text_length == length || !is_word(option->text[length]));
}

bool ct_build_options_value(const char *options, const char *name, const char **value,
                            size_t *length)
{
    size_t name_length = strlen(name);
    struct ct_build_option option;
    bool defined = false;

    *value = NULL;
    *length = 0;
    while (ct_build_options_next(&options, &option)) {
        if (!ct_build_options_is_about(&option, name, name_length))
            continue;
        defined = option.letter == 'D';
        *length = option.text_length - name_length;
        if (!*length) {
            *value = "1";
            *length = 1;
        } else if (option.text[name_length] == '=') {
            *value = option.text + name_length + 1;
            --*length;
        } else {
            *value = NULL;
            *length = 0;
        }
    }
    return defined;
}
