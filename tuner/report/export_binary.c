// SPDX-License-Identifier: Apache-2.0
// "cltune best --format binary": not made from the answer alone, see report/binary.h.
#include "report/export.h"

const struct ct_export ct_export_binary = {
    .name = "binary", .help = "the program binary, with -o FILE", .builds = true};
