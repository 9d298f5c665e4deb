#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each message of tests/messages/table.tsv is provoked by its case through the real program,
# and doc/messages.md has all of them.  A case is a part of tests/messages/*.case from
# "== NAME" to the next: a shell script whose lines with "$ " before them are the commands
# that users type, run in a folder with a copy of tests/cli/spaces/virtual.ini.  check:NAME,
# explain:NAME and device:NAME stand for commands that read tests/golden/space-files/NAME.ini.
#
# For cases: edit FILE SED   changes a file
#            cltune ...      the program
#            stranger ...    runs a command as a user without rights
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual" VIRTUALCL_PACE=0
export XDG_CACHE_HOME="$work/cache" HOME="$work/home"
mkdir "$work/case" "$work/cache" "$work/home" "$work/template" "$work/script"
cp "$root/tests/cli/spaces/virtual.ini" "$root/tests/cli/spaces/virtual.cl" "$root/tests/cli/spaces/copy.c" \
    "$work/template/"

run "$root/scripts/make-messages" --check
exits 0 "the table and doc/messages.md are up to date (scripts/make-messages --update, then look at it)"

"$root/scripts/make-messages" --cases >"$work/expected"
awk -v dir="$work/script" '
    /^== / { file = dir "/" $2; next }
    file && /^\$ / { $0 = "{ " substr($0, 3) "; } >>\"$told\" 2>&1 </dev/null; echo $? >\"$told.status\"" }
    file { print > file }' "$root"/tests/messages/*.case
golden=$root/tests/golden/space-files
cut -f2 "$work/expected" | sort -u | while read -r case; do
    name=${case#*:}
    case $case in
    check:*) command="--check" ;;
    explain:*) command="--explain" ;;
    device:*) command="--explain -d 0:1" ;;
    *) continue ;;
    esac
    printf 'cltune space "%s" %s >"$told" 2>&1\necho $? >"$told.status"\n' "$golden/$name.ini" "$command" \
        >"$work/script/$case"
done

cat >"$work/prelude" <<END
edit() { sed -i "\$2" "\$1"; }
stranger() { if [ "\$(id -u)" -eq 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "\$@"; else "\$@"; fi; }
PATH=$work/bin:\$PATH
END
export root
# For strangers.
chmod 755 "$work" "$work/bin"
# Several at a time: some wait.
# shellcheck disable=SC2016
cut -f2 "$work/expected" | sort -u | xargs -P 3 -I{} sh -c '
    folder=$1/case/$2
    cp -r "$1/template" "$folder"
    cd "$folder" || exit 1
    export CLTUNE_DB="$folder/cltune.db" told="$1/case/$2.told" work="$folder"
    echo none >"$told.status"
    : >"$told"
    timeout 300 sh -c ". \"$1/prelude\"; . \"$1/script/$2\"" >"$told.rest" 2>&1
    ' sh "$work" {}

# Sanitizers need addresses without limit; only root can give files away or be somebody else.
sanitizers=no
grep -q __asan_init "$cltune" && sanitizers=yes
rooted=no
strangers=yes
[ "$(id -u)" -ne 0 ] || rooted=yes
[ $rooted = no ] || setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null || strangers=no
left_out() {
    { [ $sanitizers = yes ] && grep -q 'ulimit -v' "$1"; } ||
        { [ $rooted = no ] && grep -q '^chown ' "$1"; } ||
        { [ $strangers = no ] && grep -q stranger "$1"; }
}

tab=$(printf '\t')
while IFS="$tab" read -r code case exits expression; do
    told=$work/case/$case.told
    if left_out "$work/script/$case"; then
        skip 1 "$code ($case)"
        continue
    fi
    # Where they are: hundreds of copies take seconds.
    out=$told
    err=$told.rest
    status=none
    [ ! -s "$told.status" ] || read -r status <"$told.status"
    grep -aqE -e "$expression" "$out"
    found=$?
    # Warnings, notices and results come with any exit status.
    case ",$exits," in
    *,warning,* | *,result,* | *,notice,*) expected=yes ;;
    *",$status,"*) expected=yes ;;
    *) expected="$exits" ;;
    esac
    [ $found -eq 0 ] || echo "# missing: $expression"
    ok "$code ($case)" "$found $expected" = "0 yes"
done <"$work/expected"

done_testing
