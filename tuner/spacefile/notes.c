// SPDX-License-Identifier: Apache-2.0
#include "spacefile/notes.h"

enum { NOTES_MAX = 256 };

bool ct_notes_have(const struct ct_notes *notes, const struct ct_hash *fact)
{
    uint64_t value;

    return ct_map_find_hash(&notes->facts, fact, &value);
}

void ct_notes_add(struct ct_notes *notes, const struct ct_hash *fact)
{
    if (notes->facts.count == NOTES_MAX)
        ct_map_release(&notes->facts);
    ct_map_put_hash(&notes->facts, fact, 1);
}

void ct_notes_release(struct ct_notes *notes)
{
    ct_map_release(&notes->facts);
}
