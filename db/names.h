// SPDX-License-Identifier: Apache-2.0
// Normalised names of devices, vendors and architectures, for store and look-up alike.
#ifndef CT_DB_NAMES_H
#define CT_DB_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { CT_NAME_SIZE = 256 };

/* A normalised text; longer ones are cut. */
struct ct_name {
    char text[CT_NAME_SIZE];
};

/* The name of a device or processor so that drivers agree on it: lower case, single
 * blanks, without (R), (TM) and (C), frequencies, "16-Core", a maker's name at the start,
 * the words CPU, GPU and Processor, PoCL's "pthread-<cpu>-" and what follows the ':' of
 * AMD's gfx names.  "pthread-skylake-avx512-Intel(R) Xeon(R) Gold 6126 CPU @ 2.60GHz"
 * becomes "xeon gold 6126".  Words stay when nothing else would be left ("Intel" is
 * "intel").  "" for NULL. */
struct ct_name ct_name_device(const char *name);

/* The vendor in one word where it is known ("nvidia", "amd", "intel", "broadcom", ...;
 * "GenuineIntel" is intel), else the vendor's text in lower case without marks.  "" for
 * NULL. */
struct ct_name ct_name_vendor(const char *vendor);

/* The architecture, where name and vendor tell it: AMD's gfx name ("gfx90a"), NVIDIA's
 * generation ("hopper"), the processor that PoCL compiles for ("skylake-avx512"),
 * "videocore4", ...; else "".  Both as the driver gives them; `vendor` may be "". */
struct ct_name ct_name_architecture(const char *name, const char *vendor);

/* What the mere name of an unknown device implies about its vendor (as given by ct_name_vendor)
 * and its type ("GPU", "CPU"); "" for nothing. */
const char *ct_name_guess_vendor(const char *name);
const char *ct_name_guess_type(const char *name);

/* Whether a user's pattern is any part of name, vendor or type, case ignored, as written
 * or normalised.  An empty pattern matches everything. */
bool ct_name_matches(const char *pattern, const char *name, const char *vendor,
                     const char *type);

#endif
