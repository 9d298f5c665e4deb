#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `libs` of [reference] and [baseline] go to the linker: nothing but libraries, and where
# they are, is accepted there, since other options write files or run programs.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root"/tests/cli/spaces/virtual.* "$root/tests/cli/spaces/copy.c" "$work/"
space=$work/virtual.ini
victim=$work/victim
line=$(grep -n '^function' "$space" | cut -d: -f1)
echo "-o $victim" >"$work/options"
printf '#!/bin/sh\ntouch %s\nexec "$@"\n' "$victim" >"$work/wrap"
chmod +x "$work/wrap"

with_libs() {
    sed "${line}a libs     = $1" "$root/tests/cli/spaces/virtual.ini" >"$space"
}

for libs in "-o $victim" "-o$victim" "-Wl,-o,$victim" "-Wl,-rpath,/x,-o,$victim" "-Wl,-rpath=/x,-o,$victim" \
    "@$work/options" "-Wl,@$work/options" "-Wl,-rpath,@$work/options" "-wrapper $work/wrap" \
    "-Wl,-Map=$victim" "-Wl,--dependency-file=$victim" "-MF $victim" "-MD" "-fplugin=$work/x.so" \
    "-specs=$work/options" "-B$work" "-x c" "-L" "-l" "-l m" "-L $work" "-Wl,-rpath" "-Wl,-rpath," \
    "-pthreads" "-Xlinker -o" "$work/libx.so" "./libx.a" "-" "-Wl,-rpath-link,/x" "-save-temps"; do
    with_libs "-lm $libs"
    run "$cltune" run "$space" -d 0:0
    exits 2 "libs = $libs"
    err_has "virtual.ini:$((line + 1)):16: error:" "libs = $libs: its place is named"
    ok "libs = $libs: nothing is written" ! -e "$victim"
    rm -f "$victim"
done

for libs in "" "-lm" "-lm -lpthread" "-L$work -lm" "-pthread" "-Wl,-rpath,$work" "-Wl,-rpath=$work -lm" \
    "-l:libm.so.6" "	-lm	"; do
    with_libs "$libs"
    run "$cltune" run "$space" -d 0:0
    exits 0 "libs = $libs"
done
done_testing
