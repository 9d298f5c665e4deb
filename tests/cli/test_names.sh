#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/check-names finds each kind of bad name, and nothing in what is fine.
. "$(dirname "$0")/lib.sh"

# tree: sources without a finding, in $work/tree.
tree() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/tuner/base" "$work/tree/db"
    cat >"$work/tree/tuner/base/box.h" <<'END'
/* A struct ct_box_size { would be a type named in a comment only. */
struct ct_box {
    int size;
};
bool ct_box_open(struct ct_box *box, const char *name);
static inline int ct_box_size(const struct ct_box *box)
{
    return box->size;
}
END
    cat >"$work/tree/tuner/base/box.c" <<'END'
static int lid_of(const struct ct_box *box)
{
    return ct_box_size(box);
}

bool ct_box_open(struct ct_box *box, const char *name)
{
    return name && lid_of(box);
}
END
    cat >"$work/tree/tuner/main.c" <<'END'
int main(void)
{
    return ct_box_open(NULL, "ct_box_close(");
}
END
    cat >"$work/tree/db/cltunedb.h" <<'END'
int cltunedb_version(void);
END
    cat >"$work/tree/db/cltunedb.c" <<'END'
int cltunedb_version(void)
{
    return 1;
}
END
}

# finds TEXT NAME: exactly one finding, with that text.
finds() {
    run "$root/scripts/check-names" "$work/tree"
    exits 1 "$2"
    out_has "$1" "$2: what it says"
    ok "$2: nothing else" "$(wc -l <"$out")" -eq 1
}

tree
run "$root/scripts/check-names" "$work/tree"
exits 0 "names that are fine"
ok "no finding" ! -s "$out"

echo 'void ct_box_close(struct ct_box *box);' >>"$work/tree/tuner/base/box.h"
finds "tuner/base/box.h: ct_box_close is used by no other file" "a function that nobody uses"
printf 'void ct_box_close(struct ct_box *box)\n{\n    lid_of(box);\n}\n' >>"$work/tree/tuner/base/box.c"
printf 'static void forget(void)\n{\n    ct_box_close(0);\n}\n' >>"$work/tree/tuner/base/box.c"
finds "ct_box_close is used by no other file" "a function that its own file uses alone"
echo '// ct_box_close' >>"$work/tree/tuner/main.c"
finds "ct_box_close is used by no other file" "a function in a comment"
echo 'BOX(close, ct_box_close)' >"$work/tree/tuner/base/boxes.def"
run "$root/scripts/check-names" "$work/tree"
exits 0 "a function in a table"

tree
echo 'struct lid_of { int size; };' >>"$work/tree/tuner/main.c"
finds "tuner/main.c: the type lid_of shares its name with a function of tuner/base/box.c" \
    "a struct named like a function of another file"
tree
echo 'enum ct_box_open { CT_BOX_LID };' >>"$work/tree/tuner/base/box.h"
finds "the type ct_box_open shares its name" "an enum named like a function of its own file"
tree
echo 'typedef double main __attribute__((vector_size(16)));' >>"$work/tree/db/cltunedb.c"
finds "the type main shares its name" "a typedef named like a function"
tree
echo 'typedef int (*ct_box_size)(void);' >>"$work/tree/db/cltunedb.h"
finds "the type ct_box_size shares its name" "a type of functions named like a function"

run "$root/scripts/check-names"
exits 0 "the names of this repository"
done_testing
