#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/space-file.md says what the program knows: its tables are the program's own, and its
# examples are written in the language.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS=/nonexistent
doc=$root/doc/space-file.md

run "$root/scripts/make-doc" --check "$build"
exits 0 "the tables are up to date (else: scripts/make-doc)"

# The examples: every fenced block, in a file of its own.
mkdir "$work/blocks"
awk -v dir="$work/blocks" '
    /^```ini$/ { block++; inside = 1; next }
    /^```$/ { inside = 0 }
    inside { print > (dir "/" block ".ini") }' "$doc"
blocks=$(find "$work/blocks" -name '*.ini' | wc -l)
ok "there are examples" "$blocks" -ge 20

# The first one is whole, so nothing may be wrong with it.
mv "$work/blocks/1.ini" "$work/scale.ini"
cat >"$work/scale.cl" <<'END'
kernel void scale(global const float *in, global float *out, uint n)
{
    for (uint i = get_global_id(0) * ITEMS; i < n && i < (get_global_id(0) + 1) * ITEMS; i++)
        out[i] = 2 * in[i];
}
END
cat >"$work/scale_reference.c" <<'END'
void scale_reference(const float *in, float *out, unsigned n);
void scale_reference(const float *in, float *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = 2 * in[i];
}
END
run "$cltune" space "$work/scale.ini" --check --assume DEVICE_MAX_WORK_GROUP_SIZE=256
exits 0 "the first example is right"
ok "without a warning" ! -s "$err"
run "$cltune" space "$work/scale.ini" --count --assume DEVICE_MAX_WORK_GROUP_SIZE=256
ok "and has as many configurations as it says" "$(cat "$out")" = $((7 * 3 * 2))

# The others are parts of files: what they do not define is missing, but sections, keys
# and all that needs no name must be right.
parts="unknown name|is not used|requires the key|needs a \[|there is a \[|is not a parameter"
parts="$parts|unknown buffer|is not supported yet|there is no|no such buffer|nothing is"
parts="$parts|unknown argument|is not an argument|is not a buffer|unknown launch|is no launch"
: >"$work/wrong"
for file in "$work"/blocks/*.ini; do
    run "$cltune" space "$file" --check
    grep -E '(error|warning):' "$err" | grep -vE "$parts" >"$work/found" || continue
    { echo "$(basename "$file"):"; head -3 "$file"; cat "$work/found"; } >>"$work/wrong"
done
cp "$work/wrong" "$out"
ok "the others use the language" ! -s "$work/wrong"

# Links within the page and to the examples lead somewhere.
missing=
for path in $(grep -oE '\]\(\.\./[^)#]*\)' "$doc" | sed 's/^](//; s/)$//'); do
    [ -e "$root/doc/$path" ] || missing="$missing $path"
done
for anchor in $(grep -oE '\]\(#[^)]*\)' "$doc" | sed 's/^](#//; s/)$//'); do
    sed -n 's/^##* //p' "$doc" | tr 'A-Z ' 'a-z-' | grep -qxF -e "$anchor" ||
        missing="$missing #$anchor"
done
echo "missing:$missing" >"$out"
ok "links lead somewhere" -z "$missing"

done_testing
