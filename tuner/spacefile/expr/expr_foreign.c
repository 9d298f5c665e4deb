// SPDX-License-Identifier: Apache-2.0
// Words and functions of other languages, and their equivalents in this one.
#include "spacefile/expr/expr_impl.h"
#include "spacefile/type.h"

#include <string.h>

const char *ct_expr_foreign_word(const char *word, size_t length)
{
    static const struct {
        const char *word;
        const char *ours;
    } words[] = {
        {"and", "write '&&'"},
        {"or", "write '||'"},
        {"not", "write '!'"},
        {"in", "compare with each value: A == 1 || A == 2; a list of "
               "the device: contains(LIST, A)"},
        {"mod", "write '%'"},
        {"xor", "write '^'"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i].word) == length && memcmp(words[i].word, word, length) == 0)
            return words[i].ours;
    return NULL;
}

const char *ct_expr_foreign_function(const char *name, size_t length)
{
    struct ct_type type;
    char word[16];

    static const struct {
        const char *name;
        const char *ours;
    } functions[] = {
        {"range", "a range is an entry of a list: a..b or a..b step s"},
        {"ceil", "use ceildiv(a, b) for a quotient that is rounded up"},
        {"floor", "write a / b or int(x), which drop the fraction"},
        {"round", "write int(x + 0.5)"},
        {"log2", "write ilog2(n) for an integer, or log(x) / log(2)"},
        {"mod", "write a % b"},
        {"lcm", "write a / gcd(a, b) * b"},
        {"not", "write '!'"},
        {"version", "write version_at_least(DEVICE_VERSION, '3.0')"},
        {"defined", "write known(NAME) for a device limit"},
    };

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (strlen(functions[i].name) == length &&
            memcmp(functions[i].name, name, length) == 0)
            return functions[i].ours;
    if (length < sizeof(word)) {
        memcpy(word, name, length);
        word[length] = '\0';
        if (ct_type_read(word, &type))
            return "a type encloses a whole argument in 'args'; in an expression write "
                   "int(x) or float(x)";
    }
    return NULL;
}
