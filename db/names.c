// SPDX-License-Identifier: Apache-2.0
// Normalises the names that drivers give to devices.
#include "db/names.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

/* ASCII letters and digits: a program's locale must not change a key. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Suffixes of manufacturers' names, in lower case. */
static const char *const marks[] = {"(r)", "(tm)", "(c)", "\xc2\xae", "\xe2\x84\xa2"};

/* Lower case without marks, with single blanks; tabs and underscores are blanks. */
static struct ct_name normal_name(const char *text)
{
    struct ct_name out;
    size_t length = 0;

    while (*text && length + 1 < sizeof(out.text)) {
        char c = to_lower(*text);
        bool marked = false;

        for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !marked; i++) {
            size_t n = 0;

            while (marks[i][n] && to_lower(text[n]) == marks[i][n])
                n++;
            marked = !marks[i][n];
            if (marked)
                text += n;
        }
        /* "Core(TM)2" remains two words: a mark counts as a blank. */
        if (marked || c == ' ' || c == '\t' || c == '_' || c == '\n') {
            text += marked ? 0 : 1;
            if (length && out.text[length - 1] != ' ')
                out.text[length++] = ' ';
            continue;
        }
        out.text[length++] = c;
        text++;
    }
    while (length && out.text[length - 1] == ' ')
        length--;
    out.text[length] = '\0';
    return out;
}

/* --- PoCL's names --- */

/* For "pthread-<cpu>-<processor>" (also "cpu-" and "basic-"): the length of the prefix up to
 * <cpu>, and of <cpu>; false for other names.  LLVM's processor names are lower case in parts
 * joined by '-'; the model's name that follows starts otherwise. */
static bool split_pocl(const char *name, size_t *start, size_t *length)
{
    static const char *const drivers[] = {"pthread-", "cpu-", "basic-"};
    const char *cpu = NULL;
    const char *at;

    for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]) && !cpu; i++)
        if (ct_str_starts(name, drivers[i]))
            cpu = name + strlen(drivers[i]);
    if (!cpu)
        return false;
    *start = (size_t)(cpu - name);
    *length = 0;
    for (at = cpu;;) {
        const char *end = at;

        while (is_lower(*end) || is_digit(*end) || *end == '_' || *end == '.')
            end++;
        if (end == at || (*end != '-' && *end != '\0'))
            break;
        *length = (size_t)(end - cpu);
        if (!*end)
            break;
        at = end + 1;
    }
    return true;
}

/* --- vendors --- */

struct vendor_name {
    const char *part; /* of the plain text */
    bool word;        /* and only as a whole word */
    const char *key;
};

static const struct vendor_name vendors[] = {
    {"nvidia", false, "nvidia"},
    {"advanced micro devices", false, "amd"},
    {"authenticamd", false, "amd"},
    {"amd", true, "amd"},
    {"ati", true, "amd"},
    {"intel", false, "intel"},
    {"broadcom", false, "broadcom"},
    {"qualcomm", false, "qualcomm"},
    {"imagination", false, "imagination"},
    {"apple", false, "apple"},
    {"samsung", false, "samsung"},
    {"xilinx", false, "xilinx"},
    {"altera", false, "altera"},
    {"texas instruments", false, "ti"},
    {"vivante", false, "vivante"},
    {"huawei", false, "huawei"},
    {"hygon", false, "hygon"},
    {"arm", true, "arm"},
    {"ibm", true, "ibm"},
    {"mesa", true, "mesa"},
};

/* Whether `word` occurs in `text` without a letter or digit on either side. */
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        bool before = at > text && (is_lower(at[-1]) || is_digit(at[-1]));
        bool after = is_lower(at[length]) || is_digit(at[length]);

        if (!before && !after)
            return true;
    }
    return false;
}

struct ct_name ct_name_vendor(const char *vendor)
{
    struct ct_name out = normal_name(vendor ? vendor : "");

    for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++) {
        const struct vendor_name *v = &vendors[i];

        if (v->word ? has_word(out.text, v->part) : strstr(out.text, v->part) != NULL) {
            snprintf(out.text, sizeof(out.text), "%s", v->key);
            break;
        }
    }
    return out;
}

/* --- devices --- */

static bool is_word(const char *word, size_t length, const char *other)
{
    return strlen(other) == length && strncmp(word, other, length) == 0;
}

/* "2.60ghz", "ghz", "16-core", "quad-core", and words common to all such devices. */
static bool says_nothing(const char *word, size_t length, bool first)
{
    static const char *const anywhere[] = {"cpu", "gpu", "processor", "ghz", "mhz"};
    static const char *const makers[] = {"nvidia",   "amd",      "intel", "ati",
                                         "broadcom", "qualcomm", "arm"};
    size_t digits = 0;

    for (size_t i = 0; i < sizeof(anywhere) / sizeof(anywhere[0]); i++)
        if (is_word(word, length, anywhere[i]))
            return true;
    for (size_t i = 0; first && i < sizeof(makers) / sizeof(makers[0]); i++)
        if (is_word(word, length, makers[i]))
            return true;
    if (length > 5 && strncmp(word + length - 5, "-core", 5) == 0)
        return true;
    while (digits < length && (is_digit(word[digits]) || word[digits] == '.'))
        digits++;
    return digits > 0 && length - digits == 3 &&
           (strncmp(word + digits, "ghz", 3) == 0 ||
            strncmp(word + digits, "mhz", 3) == 0);
}

static bool is_gfx(const char *plain_name)
{
    return ct_str_starts(plain_name, "gfx") && is_digit(plain_name[3]);
}

struct ct_name ct_name_device(const char *name)
{
    struct ct_name full;
    struct ct_name out = {""};
    size_t start;
    size_t length;
    size_t used = 0;

    if (!name)
        return out;
    if (split_pocl(name, &start, &length)) {
        const char *rest = name + start + length + (length > 0);

        /* Some have no processor name after the compilation target. */
        if (length && !name[start + length])
            name += start;
        else if (*rest)
            name = rest;
    }
    full = normal_name(name);
    full.text[strcspn(full.text, "@")] = '\0';
    if (is_gfx(full.text))
        full.text[strcspn(full.text, ":")] = '\0';
    for (const char *word = full.text; *word;) {
        size_t n = strcspn(word, " ");

        if (n && !says_nothing(word, n, used == 0)) {
            if (used)
                out.text[used++] = ' ';
            memcpy(out.text + used, word, n);
            used += n;
        }
        word += n + (word[n] == ' ');
    }
    out.text[used] = '\0';
    return used ? out : full;
}

/* --- architectures --- */

/* A word of a device's name, and what it implies; a vendor's models. */
struct model {
    const char *vendor; /* key */
    const char *words;  /* separated by blanks, each a whole word of the name */
    const char *architecture;
};

static const struct model models[] = {
    {"nvidia", "b100 b200 b300 gb200 gb300 blackwell", "blackwell"},
    {"nvidia", "h100 h200 h800 h20 gh200 hopper", "hopper"},
    {"nvidia", "l4 l20 l40 l40s ada", "ada"},
    {"nvidia", "a2 a10 a10g a16 a30 a40 a100 a800 a2000 a4000 a4500 a5000 a6000",
     "ampere"},
    {"nvidia", "t4 t400 t600 t1000", "turing"},
    {"nvidia", "v100 v100s gv100", "volta"},
    {"nvidia", "p4 p40 p100 gp100 xp", "pascal"},
    {"nvidia", "m4 m40 m60", "maxwell"},
    {"nvidia", "k20 k20x k40 k80", "kepler"},
    {"amd", "mi50 mi60", "gfx906"},
    {"amd", "mi100", "gfx908"},
    {"amd", "mi200 mi210 mi250 mi250x", "gfx90a"},
    {"amd", "mi300 mi300x mi300a mi325x", "gfx942"},
    {"broadcom", "iv", "videocore4"},
    {"broadcom", "vi", "videocore6"},
    {"broadcom", "vii", "videocore7"},
    {"arm", "t604 t628 t720 t760 t820 t830 t860 t880", "midgard"},
    {"arm", "g31 g51 g52 g71 g72 g76", "bifrost"},
    {"arm", "g57 g68 g77 g78 g310 g510 g610 g615 g710 g715", "valhall"},
    {"intel", "a310 a380 a580 a750 a770", "xe-hpg"},
};

/* GeForce and similar: the digits after GTX or RTX, without the last two. */
static const struct {
    const char *digits;
    const char *architecture;
} geforce[] = {
    {"50", "blackwell"}, {"40", "ada"},    {"30", "ampere"}, {"20", "turing"},
    {"16", "turing"},    {"10", "pascal"}, {"9", "maxwell"}, {"7", "kepler"},
};

static const char *geforce_architecture(const char *text)
{
    const char *at = strstr(text, "tx ");
    size_t digits = 0;

    if (!at)
        return "";
    at += 3;
    while (is_digit(at[digits]))
        digits++;
    /* "RTX 4000" and the like are workstation cards, of Turing if they are Quadros and of any
     * generation if not. */
    if (digits == 4 && strncmp(at + 1, "000", 3) == 0)
        return has_word(text, "quadro") ? "turing" : "";
    if (digits < 3 || digits > 4)
        return "";
    /* The first Maxwells: GTX 745, 750 and 750 Ti. */
    if (digits == 3 && (strncmp(at, "745", 3) == 0 || strncmp(at, "750", 3) == 0))
        return "maxwell";
    for (size_t i = 0; i < sizeof(geforce) / sizeof(geforce[0]); i++)
        if (strlen(geforce[i].digits) == digits - 2 &&
            strncmp(geforce[i].digits, at, digits - 2) == 0)
            return geforce[i].architecture;
    return "";
}

/* Whether one of the blank-separated `words` is a word of `text`. */
static bool has_one(const char *text, const char *words)
{
    while (*words) {
        size_t n = strcspn(words, " ");
        char word[32];

        snprintf(word, sizeof(word), "%.*s", (int)n, words);
        if (has_word(text, word))
            return true;
        words += n + (words[n] == ' ');
    }
    return false;
}

static const char *model_architecture(const char *text, const char *vendor)
{
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (strcmp(models[i].vendor, vendor) == 0 && has_one(text, models[i].words))
            return models[i].architecture;
    return strcmp(vendor, "nvidia") == 0 ? geforce_architecture(text) : "";
}

struct ct_name ct_name_architecture(const char *name, const char *vendor)
{
    struct ct_name out = {""};
    struct ct_name text;
    size_t start;
    size_t length;

    if (!name)
        return out;
    if (split_pocl(name, &start, &length)) {
        if (!is_word(name + start, length, "generic"))
            snprintf(out.text, sizeof(out.text), "%.*s", (int)length, name + start);
        return out;
    }
    text = normal_name(name);
    if (is_gfx(text.text)) {
        text.text[strcspn(text.text, ": ")] = '\0';
        return text;
    }
    out = ct_name_vendor(vendor);
    if (!*out.text)
        snprintf(out.text, sizeof(out.text), "%s", ct_name_guess_vendor(name));
    snprintf(out.text, sizeof(out.text), "%s", model_architecture(text.text, out.text));
    return out;
}

/* --- guesses --- */

static const struct family {
    const char *words; /* one of these words in the name ... */
    const char *vendor;
    const char *type;
} families[] = {
    {"geforce quadro tesla titan rtx gtx nvidia", "nvidia", "GPU"},
    {"h100 h200 h800 gh200 a100 a800 v100 p100 b100 b200 gb200 l40 l40s", "nvidia",
     "GPU"},
    {"radeon instinct firepro", "amd", "GPU"},
    {"mi50 mi60 mi100 mi210 mi250 mi250x mi300 mi300x mi300a", "amd", "GPU"},
    {"epyc ryzen opteron threadripper", "amd", "CPU"},
    {"xeon pentium celeron atom", "intel", "CPU"},
    {"iris uhd arc", "intel", "GPU"},
    {"videocore", "broadcom", "GPU"},
    {"mali", "arm", "GPU"},
    {"cortex neoverse", "arm", "CPU"},
    {"adreno", "qualcomm", "GPU"},
    {"powervr", "imagination", "GPU"},
    {"cpu processor", "", "CPU"},
    {"gpu graphics", "", "GPU"},
};

static const struct family *family_of(const char *name)
{
    static const struct family amd_gfx = {"", "amd", "GPU"};
    static const struct family pocl = {"", "", "CPU"};
    static const struct family unknown = {"", "", ""};
    struct ct_name text = normal_name(name);
    size_t start;
    size_t length;

    if (is_gfx(text.text))
        return &amd_gfx;
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (has_one(text.text, families[i].words))
            return &families[i];
    return split_pocl(name, &start, &length) ? &pocl : &unknown;
}

const char *ct_name_guess_vendor(const char *name)
{
    const struct family *family = family_of(name);
    struct ct_name vendor;

    if (*family->vendor)
        return family->vendor;
    /* A manufacturer's name within the device's. */
    vendor = ct_name_vendor(name);
    for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
        if (strcmp(vendor.text, vendors[i].key) == 0)
            return vendors[i].key;
    return "";
}

const char *ct_name_guess_type(const char *name)
{
    return family_of(name)->type;
}

/* --- patterns --- */

bool ct_name_matches(const char *pattern, const char *name, const char *vendor,
                     const char *type)
{
    struct ct_name wanted;
    struct ct_name normal;

    if (ct_str_contains_nocase(name, pattern) ||
        ct_str_contains_nocase(vendor, pattern) || ct_str_contains_nocase(type, pattern))
        return true;
    wanted = ct_name_device(pattern);
    normal = ct_name_device(name);
    if (!*wanted.text)
        return false;
    if (strstr(normal.text, wanted.text)) {
        /* "AMD 7950" must not match another manufacturer's "... 7950", although manufacturers'
         * names are not compared. */
        const char *named = ct_name_guess_vendor(pattern);
        struct ct_name real = ct_name_vendor(vendor);

        return !*named || !*real.text || strcmp(named, real.text) == 0;
    }
    normal = ct_name_vendor(vendor);
    return strcmp(normal.text, ct_name_vendor(pattern).text) == 0;
}
