#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# best --variants --format header, text and json of a stranger's database: nothing stored may leave the
# comment, literal or word that it was written into.
. "$(dirname "$0")/hostile.sh"
run "$cltune" search "$root/tests/cli/spaces/virtual.ini" -d VideoCore -q --rough -p n=512 --param VEC=1,4
exits 0 "a second problem"

# Kernel, device, vendor, type, a size, a parameter with its value and the options are the same text.  The
# best differ between the problems, so that the function asks for the size; or for the text.
: >all.c
: >wanted
count=0
failed=0
while IFS= read -r line; do
    count=$((count + 1))
    # shellcheck disable=SC2059
    text=$(printf -- "$line|")
    text=${text%|}
    x="cast(x'$(hex "$text")' as text)"
    sql "update device set name = $x, vendor = $x, type = $x, driver_version = $x;
         update problem set sizes = json_object('n', id, $x, $x);
         update kernel set name = 'k$count' || $x, problem_macros = json_object($x, null);
         update result set flags = $x, configuration = json_object($x, $x, 'P', configuration_hash)"
    for format in text json header; do
        run "$cltune" best --variants auto --format $format
        [ "$status" -eq 0 ] || failed=$((failed + 1))
    done
    name=$(sed -n 's/^struct \(cltune_k[A-Za-z0-9_]*\)_variant {$/\1/p' "$out")
    cp "$out" "$count.h"
    {
        echo "#include \"$count.h\""
        echo "static const char *get$count(void) { return ${name}_select(0, 1, \"\")->options; }"
    } >>all.c
    printf '%s\0' "$text" >>wanted
done <"$work/nasty"
{
    echo '#include <stdio.h>'
    echo 'int main(void) {'
    for i in $(seq "$count"); do echo "printf(\"%s%c\", get$i(), 0);"; done
    echo 'return 0; }'
} >>all.c
ok "$count texts as names, values and options: each has a table, JSON and a header" "$failed" -eq 0
ok "of one case each or two" "$(grep -c 'return &variants' 1.h)" -ge 1
ok "of ASCII where no UTF-8 was" "$(cat ./*.h | LC_ALL=C grep -acP '[\x00-\x09\x0b-\x1f\x7f]')" -eq 0
for cc in "gcc -std=c99" "gcc -std=gnu99 -trigraphs" "clang -std=c99" "g++ -x c++ -std=c++11" "clang++ -x c++ -std=c++11"; do
    if ! command -v "${cc%% *}" >log; then
        skip 2 "no $cc"
        continue
    fi
    # shellcheck disable=SC2086
    run $cc -Wall -Wextra -Wcomment -Wno-trigraphs -Werror -o all all.c
    exits 0 "$cc compiles them without a warning"
    ./all >got
    cmp -s got wanted
    ok "and the options come back" $? -eq 0
done
ok "nothing of all that ran" "$(ls "$work"/pwn* 2>/dev/null | wc -l)" -eq 0
done_testing
