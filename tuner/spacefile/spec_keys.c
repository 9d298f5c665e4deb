// SPDX-License-Identifier: Apache-2.0
// The sections and keys of the language as tables.
#include "spacefile/spec_impl.h"

const struct ct_spec_section_rule ct_spec_sections[] = {
    {"kernel", CT_NAMED_NEVER, false, "the OpenCL C source and how it is built"},
    {"program", CT_NAMED_NEVER, false, "a program that is measured, instead of a kernel"},
    {"read", CT_NAMED_NEVER, true,
     "patterns that read times and other numbers from what the program prints"},
    {"problem", CT_NAMED_NEVER, true, "the problem sizes to tune for"},
    {"let", CT_NAMED_NEVER, true, "names for expressions, which do not become macros"},
    {"param", CT_NAMED_NEVER, true, "tunable parameters: name = values"},
    {"derive", CT_NAMED_NEVER, true, "computed names that become macros"},
    {"define", CT_NAMED_NEVER, true, "further macros"},
    {"constraint", CT_NAMED_NEVER, true, "conditions that valid configurations satisfy"},
    {"buffer", CT_NAMED_ALWAYS, false, "device memory"},
    {"image", CT_NAMED_ALWAYS, false, "an image, allowed wherever a buffer is"},
    {"launch", CT_NAMED_ALWAYS, false,
     "one launch of a kernel, or one copy, or one fill with zeros"},
    {"loop", CT_NAMED_ALWAYS, false,
     "repeats launches; its name is the number of the pass, from 0"},
    {"reference", CT_NAMED_MAYBE, false,
     "expected contents of the outputs; several with names are kernels, launched in turn"},
    {"baseline", CT_NAMED_NEVER, false, "native host code to compare with"},
    {"env", CT_NAMED_NEVER, true,
     "environment variables of the workers; without a value: unset"},
    {"default", CT_NAMED_MAYBE, true, "the untuned configuration"},
    {"measure", CT_NAMED_NEVER, false, "the objective and the search"},
    {"metric", CT_NAMED_NEVER, true, "figures shown in addition to the time"},
};

const size_t ct_spec_section_count =
    sizeof(ct_spec_sections) / sizeof(ct_spec_sections[0]);

/* What ct_spec_read_section passes to the rows of a section. */
#define OBJECT_kernel    struct ct_spec
#define OBJECT_program   struct ct_spec
#define OBJECT_buffer    struct ct_spec_buffer
#define OBJECT_image     struct ct_spec_buffer
#define OBJECT_launch    struct ct_spec_launch
#define OBJECT_loop      struct ct_spec_loop
#define OBJECT_reference struct ct_spec_reference
#define OBJECT_baseline  struct ct_spec_host
#define OBJECT_measure   struct ct_spec_measure

// The name of a member cannot have parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
/* The offset of a member that must have the given type: another one does not compile. */
#define AT(section, member, type)                                                        \
    _Generic(&((OBJECT_##section *)0)->member, type *                                    \
             : offsetof(OBJECT_##section, member))
// NOLINTEND(bugprone-macro-parentheses)

enum { REQUIRED = 1, RAW = 2, EMPTY = 4 };

#define COMMON(name, word, flags, text)                                                  \
    .section = #name, .key = #word, .required = (flags)&REQUIRED,                        \
    .raw = ((flags)&RAW) != 0, .empty = ((flags)&EMPTY) != 0, .help = (text)

const struct ct_spec_key_rule ct_spec_keys[] = {
#define CT_KEY(section, key, flags, function, help)                                      \
    {COMMON(section, key, flags, help), .form = CT_FORM_OWN, .read = (function)},
#define CT_KEY_OF(section, key, member, flags, function, help)                           \
    {COMMON(section, key, flags, help), .form = CT_FORM_OWN, .read = (function),         \
     .offset = offsetof(OBJECT_##section, member)},
#define CT_KEY_COUNT(section, key, member, most, help)                                   \
    {COMMON(section, key, 0, help), .form = CT_FORM_COUNT,                               \
     .offset = AT(section, member, uint64_t), .largest = (most)},
#define CT_KEY_VALUE(section, key, member, type, help)                                   \
    {COMMON(section, key, RAW, help), .form = CT_FORM_##type,                            \
     .offset = AT(section, member, double)},
#define CT_KEY_WORD(section, key, member, noun, all, help)                               \
    {COMMON(section, key, RAW, help),                                                    \
     .form = CT_FORM_WORD,                                                               \
     .offset = AT(section, member, unsigned),                                            \
     .what = (noun),                                                                     \
     .words = (all),                                                                     \
     .word_count = sizeof(all) / sizeof(*(all))},
#define CT_KEY_TEXT(section, key, member, check, help)                                   \
    {COMMON(section, key, RAW, help), .form = CT_FORM_TEXT, .read = (check),             \
     .offset = AT(section, member, struct ct_spec_word)},
#include "spacefile/keys.def"
};

const size_t ct_spec_key_count = sizeof(ct_spec_keys) / sizeof(ct_spec_keys[0]);
