#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# best --format header, flags and json of a stranger's database: other programs read them,
# so nothing stored may leave the comment, literal or word that it was written into.
. "$(dirname "$0")/hostile.sh"

# --- values and options come back as they were stored ---
count=0
failed=0
strange=0
: >flags-bad
: >wanted
: >flagged
{
    echo '#include <stdio.h>'
    echo 'int main(void) {'
} >all.c
while IFS= read -r line; do
    count=$((count + 1))
    # shellcheck disable=SC2059
    text=$(printf -- "$line|")
    text=${text%|}
    x="cast(x'$(hex "$text")' as text)"
    sql "update result set flags = $x, configuration = json_object('V', $x)"
    run "$cltune" best --format header
    [ "$status" -eq 0 ] && [ "$(wc -l <"$err")" -eq 0 ] || failed=$((failed + 1))
    cp "$out" "$count.h"
    {
        echo "#include \"$count.h\""
        echo 'printf("%s%c%s%c", CLTUNE_VCOPY_OPTIONS, 0, CLTUNE_VCOPY_V, 0);'
        printf '#undef CLTUNE_VCOPY_%s\n' H V OPTIONS
    } >>all.c
    # What is not UTF-8 has no place in JSON, which values are stored as.
    valid=$text
    printf %s "$text" | iconv -f UTF-8 -t UTF-8 >"$work/log" 2>&1 ||
        valid=$(printf %s "$text" | od -An -v -tx1 | tr -d '\n' | sed 's/ /\\x/g')
    { printf '%s\0' "$text" "$valid"; } >>wanted
    # Flags: words for a shell, an `eval` and make, or nothing at all.
    sql "update result set flags = '-D V=' || $x"
    run "$cltune" best --format flags
    if [ "$status" -eq 0 ]; then
        echo "$count" >>flagged
        cat "$out" >"$count.flags"
        printf '%s' "-D V=$text" | tr -d ' "\t\n' >plain
        # What survives a shell is what was stored, but for its quotes and blanks.
        sh -fuc "set -u; eval \"set -- \$(cat $count.flags)\"; printf %s \"\$@\"" 2>&1 | tr -d ' "' >words
        cmp -s words plain || echo "$line" >>flags-bad
        printf 'F := $(shell cat %s.flags)\nall:\n\t@printf %%s $(F)\n' "$count" >Makefile
        make -s 2>&1 | tr -d ' "' >words
        cmp -s words plain || echo "make: $line" >>flags-bad
    elif [ "$status" -ne 1 ] || [ -s "$out" ] || ! grep -q 'format json' "$err"; then
        strange=$((strange + 1))
    fi
done <"$work/nasty"
{
    echo 'return 0;'
    echo '}'
} >>all.c
ok "$count values and options: all become headers without a word" "$failed" -eq 0
ok "flags are words, or refused with a hint" "$strange" -eq 0
sed 's/^/# /' flags-bad
ok "those given read alike in a shell and in make" "$(wc -l <flags-bad)" -eq 0
ok "many are given" "$(wc -l <flagged)" -gt 30
ok "some are refused" "$(wc -l <flagged)" -lt "$((count - 10))"
for cc in gcc clang; do
    for options in -std=c11 "-std=gnu11 -trigraphs"; do
        if ! command -v $cc >/dev/null; then
            skip 2 "no $cc"
            continue
        fi
        # shellcheck disable=SC2086
        run $cc $options -Wall -Wno-trigraphs -Werror -o all all.c
        exits 0 "$cc $options compiles them"
        ./all >got
        cmp got wanted || { tr "\0" "\n" <got >got.txt; tr "\0" "\n" <wanted | diff got.txt - | cat -v | sed "s/^/# /"; }
        cmp -s got wanted
        ok "and finds what was stored" $? -eq 0
    done
done

# --- names ---
failed=0
: >names.h
while IFS= read -r line; do
    # shellcheck disable=SC2059
    text=$(printf -- "$line|")
    text=${text%|}
    x="cast(x'$(hex "$text")' as text)"
    sql "update result set flags = '', configuration = json_object($x, 1);
         update problem set sizes = json_object($x, $x);
         update kernel set name = $x;
         update device set name = $x, driver_version = $x"
    run "$cltune" best --format header
    [ "$status" -eq 0 ] || failed=$((failed + 1))
    cat "$out" >>names.h
done <"$work/nasty"
ok "$count names of kernels, devices, sizes and parameters: all become headers" "$failed" -eq 0
ok "of ASCII where no UTF-8 was" "$(LC_ALL=C grep -acP '[\x00-\x09\x0b-\x1f\x7f]' names.h)" -eq 0
for cc in gcc clang; do
    for options in -std=c11 "-std=gnu11 -trigraphs"; do
        if ! command -v $cc >/dev/null; then
            skip 2 "no $cc"
            continue
        fi
        # Macros alone: what is left of the text is nothing.
        # shellcheck disable=SC2086
        run $cc $options -Wall -Wno-trigraphs -Wcomment -E -P names.h
        exits 0 "$cc $options reads them"
        ok "as macros and comments alone" "$(tr -d ' \n' <"$out" | wc -c)" -eq 0
        ok "without a warning of comments" "$(grep -c omment "$err")" -eq 0
    done
done
ok "nothing of all that ran" "$(ls "$work"/pwn* 2>/dev/null | wc -l)" -eq 0

# --- names that collide ---
sql "update kernel set name = 'k'; update problem set sizes = '{}';
     update result set configuration = json_object('wg', 1, 'WG', 2, 'OPTIONS', 3, 'H', 4, 'a-b', 5, 'a_b', 6)"
run "$cltune" best --format header
exits 0 "names that collide"
ok "no macro is defined twice" "$(grep '^#define' "$out" | cut -d' ' -f2 | sort | uniq -d | wc -l)" -eq 0
out_has "#define CLTUNE_K_WG 2" "who is spelt like the macro has it"
out_has "#define CLTUNE_K_WG_2 1" "the other gets a number"
err_has "parameter 'wg' is CLTUNE_K_WG_2 in the header: CLTUNE_K_WG is parameter 'WG'" "which is said"
err_has "parameter 'OPTIONS' is CLTUNE_K_OPTIONS_2" "the options are not overwritten"
err_has "parameter 'H' is CLTUNE_K_H_2" "nor is the include guard"
ok "and each is said once" "$(wc -l <"$err")" -eq 4

# --- selectors: names, values and options of a stranger's database ---
. "$root/tests/cli/points.sh"
printf '%s\n' "1 512 A 1" "2 512 B 1" "1 1024 A 1" "2 1024 A 1" "1 1024 B 0.2" | make_points "$work/points.db"
failed=0
count=0
mkdir "$work/select"
while IFS= read -r line; do
    count=$((count + 1))
    # shellcheck disable=SC2059
    text=$(printf -- "$line|")
    text=${text%|}
    x="cast(x'$(hex "$text")' as text)"
    cp "$work/points.db" "$work/spoilt.db"
    sqlite3 "$work/spoilt.db" "update kernel set name = $x;
        update device set name = $x || id, vendor = $x, driver_version = $x;
        update result set flags = '-D Q=' || $x, configuration = json_object($x, $x || device_id, 'C', configuration ->> 'C')"
    run "$cltune" best --variants auto --format header --db "$work/spoilt.db"
    [ "$status" -eq 0 ] || failed=$((failed + 1))
    cp "$out" "$work/select/$count.c"
done <"$work/nasty"
ok "$count names and values: all become selectors" "$failed" -eq 0
for cc in "gcc -std=c99" "clang -std=c99"; do
    if ! command -v "${cc%% *}" >/dev/null; then
        skip 1 "no $cc"
        continue
    fi
    # shellcheck disable=SC2086
    run $cc -Wall -Wextra -Wno-unused-function -Werror -fsyntax-only "$work"/select/*.c
    exits 0 "$cc compiles them"
done
ok "and nothing of all that ran" "$(ls "$work"/pwn* 2>/dev/null | wc -l)" -eq 0
done_testing
