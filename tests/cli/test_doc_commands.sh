#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every command in README.md and doc/ runs, and prints what the page shows: see doc_commands.py.
# Pages run in folders of their own, with what their readers have: space files, a searched database.
. "$(dirname "$0")/lib.sh"
export VIRTUALCL_PACE=0 PATH="$work/bin:$PATH"
unset COLUMNS

# Programs that a reader has and this machine need not.
printf '#!/bin/sh\nexit 0\n' >"$work/bin/xdg-open"
printf '#!/bin/sh\ncat >/dev/null\n' >"$work/bin/gnuplot"
chmod +x "$work/bin/xdg-open" "$work/bin/gnuplot"
"$cltune" help --json >"$work/tables.json"

# A folder as the pages assume it: the repository's files, FIR's space for the virtual driver, with 36
# configurations, my.ini, and a database with results of two devices and problems.
template=$work/template
mkdir -p "$template/spaces" "$template/home"
cp -r "$root/examples" "$root/kernels" "$template/"
cp "$work/tables.json" "$template/"
# A few configurations are enough: each is compiled.
sed -i 's/^WG .*/WG = 0, 64/; s/^ITEMS .*/ITEMS = 1, 2/; s/^MATH .*/MATH = '"''"'/; s/1 << 20/1 << 12/' \
    "$template/examples/scale/scale.ini"
mkdir "$work/lib"
cp "$build/libcltune-layer.so" "$work/lib/"
cp "$build/tests/apps/pipeline" "$template/"
printf '#!/bin/sh\nexec ./pipeline\n' >"$template/app"
chmod +x "$template/app"
cp "$root/tests/apps/pipeline.cl" "$template/"
echo >"$template/input.dat"
for kernel in fir my; do
    folder=$template
    [ $kernel = my ] || folder=$template/spaces
    cp "$root/tests/cli/spaces/copy.c" "$folder/"
    { cat "$root/tests/cli/spaces/virtual.cl" && echo '#pragma virtual factor ITEMS 2 0.9'; } >"$folder/$kernel.cl"
    sed -e "s/^name .*/name = $kernel/; s/^source .*/source = $kernel.cl/" \
        -e 's/^n = 1024/n = 1024\ntaps = 2432/; s/8.0 \* n/8.0 * n * taps/' \
        -e 's/^WG .*/WG = 1, 2, 4, 8, 12, 16/; s/^VEC .*/VEC = 1, 4, 16\nITEMS = 1, 2/' \
        "$root/tests/cli/spaces/virtual.ini" >"$folder/$kernel.ini"
done
export HOME="$template/home" CLTUNE_DB="$template/cltune.db"
for options in "VideoCore -n 12" "Virtual -n 6" "Virtual -n 6 -p taps=512"; do
    # shellcheck disable=SC2086
    (cd "$template" && unset VIRTUALCL_PACE &&
        OCL_ICD_VENDORS=$virtual cltune search spaces/fir.ini -q --rough -d $options) >"$out" 2>"$err" ||
        cat "$err"
done
for copy in recorded rpi h200; do
    cp "$CLTUNE_DB" "$template/$copy.db"
done
(cd "$template" && cltune best fir -d VideoCore --format clblast >clblast.json)

# Each page in a copy of it; most of the time is the compiler's, and the play-offs'.
mkdir "$work/pages"
# shellcheck disable=SC2016
printf '%s\n' "$root/README.md" "$root"/doc/*.md | grep -v '/messages.md$' | xargs -P 3 -I{} sh -c '
    topic=$(basename "$1" .md)
    cp -r "$2/template" "$2/pages/$topic"
    export OCL_ICD_VENDORS="$4" CLTUNE_DB="$2/pages/$topic/cltune.db"
    # Shares of the variation, and whether the best still holds, are those of times that the wall clock
    # confirms.
    case $topic in insight | howto-ci) unset VIRTUALCL_PACE ;; esac
    python3 "$3/tests/cli/doc_commands.py" "$1" "$2/pages/$topic" "$2/pages/$topic.counts" \
        >"$2/pages/$topic.out" 2>&1
    echo $? >"$2/pages/$topic.status"' sh {} "$work" "$root" "$virtual"
: >"$err"
for page in "$work"/pages/*.status; do
    topic=$(basename "$page" .status)
    cp "$work/pages/$topic.out" "$out"
    grep -E '^# ([A-Za-z-]*\.md|[0-9]+ s): ' "$out"
    status=$(cat "$page")
    exits 0 "$topic"
done
echo "# in all: $(jq -s -r '[.[] | to_entries[]] | group_by(.key) |
    map("\(map(.value) | add) \(.[0].key)") | join(", ")' "$work"/pages/*.counts)"
done_testing
