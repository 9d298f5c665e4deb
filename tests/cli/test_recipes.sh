#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The recipes of CONTRIBUTING.md: in a copy of the sources each is followed by its steps alone, which
# touch three files at most, and what it adds works.
#
# tests/recipes/NAME/steps has a line for each file:
#   add FILE            the file of this name beside the steps is new
#   row FILE AFTER ROW  ROW follows the last line that holds AFTER, whose blanks are written ~
. "$(dirname "$0")/lib.sh"

copy=$work/copy
mkdir -p "$copy"
for part in Makefile tuner db scripts kernels spaces doc README.md; do
    cp -a "$root/$part" "$copy/"
done
# What is built already need not be built again; it would be for another version.
mkdir "$copy/build"
for part in tuner db version cltune; do
    [ ! -e "$build/$part" ] || cp -a "$build/$part" "$copy/build/"
done
cp -a "$build"/lib*.a "$copy/build/"

recipes="strategy command export key quantity"
follow() {
    recipe=$root/tests/recipes/$1
    touched=0
    while read -r verb file after row; do
        touched=$((touched + 1))
        grep -qF "$(dirname "$file")/" "$root/CONTRIBUTING.md" ||
            grep -qF "$file" "$root/CONTRIBUTING.md" || echo "$file" >>"$work/unnamed"
        if [ "$verb" = add ]; then
            cp "$recipe/$(basename "$file")" "$copy/$file"
        else
            after=$(echo "$after" | tr '~' ' ')
            AFTER=$after ROW=$row awk '
                { line[NR] = $0; if (index($0, ENVIRON["AFTER"])) at = NR }
                END { for (i = 1; i <= NR; i++) { print line[i]; if (i == at) print ENVIRON["ROW"] }
                      exit !at }' "$copy/$file" >"$work/changed" && cp "$work/changed" "$copy/$file" ||
                echo "$file" >>"$work/unnamed"
        fi
    done <"$recipe/steps"
    ok "$1: touches at most three files" "$touched" -le 3
}

for name in $recipes; do
    follow "$name"
done
ok "CONTRIBUTING.md names all that they touch" ! -e "$work/unnamed"
# Without optimization, which takes a third of the time.
run make -C "$copy" BUILD=build FORTIFY= CFLAGS=-O0 build/cltune
exits 0 "all of them are built"
cp "$copy/build/cltune" "$cltune"
for name in $recipes; do
    # shellcheck source=/dev/null
    . "$root/tests/recipes/$name/check.sh"
done
done_testing
