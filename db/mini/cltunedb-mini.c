/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the text form of a cltune database; see cltunedb-mini.h. */
#include "cltunedb-mini.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fields of a line. */
enum { LEVEL, KERNEL, DEVICE, VENDOR, TYPE, DRIVER, PROBLEM, OBJECTIVE, TIME };
enum { CONFIGURATION = TIME + 1, FLAGS, VALIDITY, FIELDS };

enum { FILE_BYTES_MOST = 64 << 20, HASH_DIGITS = 16 };

struct cltunedb_mini {
    char *text;
    char *(*lines)[FIELDS];
    size_t count;
    cltunedb_mini_answer answer;
};

/* Whether `digits` are the hash of the text, and end the line. */
static int is_hash(const char *digits, const char *text, size_t length)
{
    unsigned long long hash = 14695981039346656037ULL;
    char wanted[HASH_DIGITS + 2];

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211ULL;
    snprintf(wanted, sizeof(wanted), "%016llx\n", hash);
    return strncmp(digits, wanted, HASH_DIGITS + 1) == 0;
}

/* The letters of escapes, and what they stand for. */
static const char escapes[] = "tnr\\se";
static const char escaped[] = "\t\n\r\\ =";

/* The character at `*at`, past which `*at` moves; -1 for an unknown escape. */
static int read_character(const char **at)
{
    const char *escape;

    if (**at != '\\')
        return (unsigned char)*(*at)++;
    escape = (*at)[1] ? strchr(escapes, (*at)[1]) : NULL;
    if (!escape)
        return -1;
    *at += 2;
    return (unsigned char)escaped[escape - escapes];
}

/* Replaces the escapes of a field in place; 0 for an unknown one. */
static int unescape(char *to)
{
    for (const char *from = to; *from; to++) {
        int c = read_character(&from);

        if (c < 0)
            return 0;
        *to = (char)c;
    }
    *to = '\0';
    return 1;
}

/* Cuts a line into its fields; returns the next line, or NULL if it is damaged. */
static char *read_line(char *at, char **fields)
{
    char *const begin = at;

    for (int i = 0; i < FIELDS; i++) {
        fields[i] = at;
        at += strcspn(at, "\t\n");
        if (*at++ != '\t')
            return NULL;
    }
    if (!is_hash(at, begin, (size_t)(at - begin)))
        return NULL;
    for (int i = 0; i < FIELDS; i++) {
        (i + 1 < FIELDS ? fields[i + 1] : at)[-1] = '\0';
        /* In lists of words, escapes are read with the words. */
        if (i != PROBLEM && i != CONFIGURATION && !unescape(fields[i]))
            return NULL;
    }
    return at + HASH_DIGITS + 1;
}

/* Whether the last line counts and hashes all lines before it. */
static int check_end(const char *text, const char *end, size_t count)
{
    char wanted[64];
    size_t length;

    snprintf(wanted, sizeof(wanted), "end\t%lu\t", (unsigned long)count);
    length = strlen(wanted);
    return strncmp(end, wanted, length) == 0 &&
           is_hash(end + length, text, (size_t)(end - text)) &&
           end[length + HASH_DIGITS + 1] == '\0';
}

static int parse(cltunedb_mini *db)
{
    static const char head[] = "cltunedb-text 1\n";
    char *at = db->text + sizeof(head) - 1;
    const char *end = at;

    if (strncmp(db->text, head, sizeof(head) - 1) != 0)
        return CLTUNEDB_MINI_E_FORMAT;
    for (; *end && strncmp(end, "end\t", 4) != 0; db->count++, end++)
        if (!(end = strchr(end, '\n')))
            return CLTUNEDB_MINI_E_FORMAT;
    /* Before lines are cut up. */
    if (!check_end(db->text, end, db->count))
        return CLTUNEDB_MINI_E_FORMAT;
    db->lines = (char *(*)[FIELDS])calloc(db->count + 1, sizeof(*db->lines));
    if (!db->lines)
        return CLTUNEDB_MINI_E_MEMORY;
    for (size_t i = 0; i < db->count && at; i++)
        at = read_line(at, db->lines[i]);
    return at ? CLTUNEDB_MINI_OK : CLTUNEDB_MINI_E_FORMAT;
}

/* The whole file, or why not. */
static int read_file(FILE *file, char **text)
{
    long length = fseek(file, 0, SEEK_END) ? -1 : ftell(file);

    if (length < 0 || length > FILE_BYTES_MOST || fseek(file, 0, SEEK_SET))
        return CLTUNEDB_MINI_E_FILE;
    *text = (char *)calloc((size_t)length + 1, 1);
    if (!*text)
        return CLTUNEDB_MINI_E_MEMORY;
    return fread(*text, 1, (size_t)length, file) == (size_t)length ? CLTUNEDB_MINI_OK
                                                                   : CLTUNEDB_MINI_E_FILE;
}

int cltunedb_mini_open(const char *path, cltunedb_mini **out)
{
    FILE *file = fopen(path, "rb");
    cltunedb_mini *db = (cltunedb_mini *)calloc(1, sizeof(*db));
    int status = !file ? CLTUNEDB_MINI_E_FILE : CLTUNEDB_MINI_E_MEMORY;

    *out = NULL;
    if (file && db)
        status = read_file(file, &db->text);
    if (file)
        fclose(file);
    if (status == CLTUNEDB_MINI_OK)
        status = parse(db);
    if (status == CLTUNEDB_MINI_OK)
        *out = db;
    else
        cltunedb_mini_close(db);
    return status;
}

void cltunedb_mini_close(cltunedb_mini *db)
{
    if (!db)
        return;
    free(db->lines);
    free(db->text);
    free(db);
}

static int is_given(const char *text)
{
    return text && *text;
}

/* ASCII letters alone: names of devices have no others. */
static int same_text(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a >= 'A' && *a <= 'Z' ? *a + 32 : *a) !=
            (*b >= 'A' && *b <= 'Z' ? *b + 32 : *b))
            return 0;
    return *a == *b;
}

static int evidence_of(char **line, const cltunedb_mini_query *query)
{
    int vendor = is_given(query->vendor) && same_text(query->vendor, line[VENDOR]);
    int type = is_given(query->type) && same_text(query->type, line[TYPE]);

    if (strcmp(line[LEVEL], "device") == 0) {
        if (!is_given(query->device) || !same_text(query->device, line[DEVICE]) ||
            (is_given(query->vendor) && !vendor))
            return -1;
        return !is_given(query->driver) || strcmp(query->driver, line[DRIVER]) == 0
                   ? CLTUNEDB_MINI_SAME_DRIVER
                   : CLTUNEDB_MINI_SAME_DEVICE;
    }
    if (strcmp(line[LEVEL], "vendor") == 0)
        return type && vendor ? CLTUNEDB_MINI_SAME_VENDOR : -1;
    if (strcmp(line[LEVEL], "type") == 0)
        return type ? CLTUNEDB_MINI_SAME_TYPE : -1;
    return strcmp(line[LEVEL], "any") == 0 ? CLTUNEDB_MINI_ANY_DEVICE : -1;
}

/* Whether what is before `a_end` and `b_end` is the same, with escapes or without. */
static int same_part(const char *a, const char *a_end, const char *b, const char *b_end)
{
    while (a < a_end && b < b_end) {
        int c = read_character(&a);

        if (c < 0 || c != read_character(&b))
            return 0;
    }
    return a == a_end && b == b_end;
}

/* The value of NAME=VALUE in a text of such words, or NULL. */
static const char *find_value(const char *words, const char *name, size_t length)
{
    for (; *words; words += strspn(words, " ")) {
        const char *end = words + strcspn(words, "= ");

        if (*end == '=' && same_part(words, end, name, name + length))
            return end + 1;
        words += strcspn(words, " ");
    }
    return NULL;
}

/* The number > 0 that a text is up to `end`, or 0: strtod() would depend on the locale, and take
 * "inf", and "3x5" for 3. */
static double number_of(const char *at, const char *end)
{
    double number = 0;
    double power = 0; /* of ten */

    for (; at < end && *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (*at - '0');
    if (at < end && *at == '.')
        for (at++; at < end && *at >= '0' && *at <= '9'; at++) {
            number = number * 10 + (*at - '0');
            power--;
        }
    if (at + 1 < end && (*at == 'e' || *at == 'E') && strchr("+-0123456789", at[1])) {
        char *stop;

        power += (double)strtol(at + 1, &stop, 10);
        at = stop;
    }
    number = power < 0 ? number / pow(10, -power) : number * pow(10, power);
    return at == end && number > 0 && number < HUGE_VAL ? number : 0;
}

/* The distance of two problems: that of their logarithms; < 0: they have different names or texts. */
static double distance(const char *asked, const char *stored)
{
    double sum = 0;

    for (; asked && *asked; asked += strspn(asked, " ")) {
        size_t length = strcspn(asked, "= ");
        const char *value = find_value(stored, asked, length);
        const char *wanted = asked + length + 1;
        const char *end = value ? value + strcspn(value, " ") : NULL;
        double a, b;

        if (asked[length] != '=' || !value)
            return -1;
        asked = wanted + strcspn(wanted, " ");
        a = number_of(wanted, asked);
        b = number_of(value, end);
        if (a > 0 && b > 0)
            sum += log(a / b) * log(a / b);
        else if (!same_part(wanted, asked, value, end))
            return -1;
    }
    return sqrt(sum);
}

const cltunedb_mini_answer *cltunedb_mini_find(cltunedb_mini *db,
                                               const cltunedb_mini_query *query)
{
    const char *objective = is_given(query->objective) ? query->objective : "time";
    cltunedb_mini_answer *best = &db->answer;
    char **f = NULL;

    for (size_t i = 0; i < db->count; i++) {
        char **line = db->lines[i];
        int evidence = evidence_of(line, query);
        double d;

        if (evidence < 0 || !query->kernel || strcmp(line[KERNEL], query->kernel) != 0 ||
            strcmp(line[OBJECTIVE], objective) != 0)
            continue;
        d = distance(query->problem, line[PROBLEM]);
        if (!(d >= 0) || (d > 0 && strcmp(line[VALIDITY], "any") != 0))
            continue;
        if (f && (evidence > best->evidence ||
                  (evidence == best->evidence && d >= best->problem_distance)))
            continue;
        f = line;
        best->evidence = evidence;
        best->problem_distance = d;
    }
    if (!f)
        return NULL;
    best->kernel = f[KERNEL], best->problem = f[PROBLEM], best->objective = f[OBJECTIVE];
    best->device = f[DEVICE], best->vendor = f[VENDOR], best->type = f[TYPE];
    best->driver = f[DRIVER], best->configuration = f[CONFIGURATION];
    best->flags = f[FLAGS];
    best->time_ns = number_of(f[TIME], f[TIME] + strlen(f[TIME]));
    return best;
}

int cltunedb_mini_value(const cltunedb_mini_answer *answer, const char *name, char *value,
                        unsigned bytes)
{
    const char *found = find_value(answer->configuration, name, strlen(name));
    unsigned length = 0;

    if (!found)
        return 0;
    while (*found && *found != ' ' && length < bytes)
        value[length++] = (char)read_character(&found);
    if (length >= bytes)
        return 0;
    value[length] = '\0';
    return 1;
}
