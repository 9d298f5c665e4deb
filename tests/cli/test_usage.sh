#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command line itself: help, slips, exit statuses.
. "$(dirname "$0")/lib.sh"

run "$cltune" --version
exits 0 "--version"
out_has "cltune " "--version names the program"
ok "SQLite's version is the library's" \
    "$(sed -n 's/^SQLite  *//p' "$out")" = "$(sqlite3 :memory: 'select sqlite_version()')"
for library in jansson xxHash zlib libsmartcols inih; do
    ok "the version of $library" "$(grep -cE "^$library  *[0-9]" "$out")" -eq 1
done
ok "the OpenCL loader as it names itself" "$(grep -cE '^OpenCL loader .*libOpenCL' "$out")" -eq 1
printf 'libnope.so.1\n' >"$work/vendor.icd"
run env OCL_ICD_VENDORS="$work/vendor.icd" "$cltune" --version
ok "for which no driver is loaded" "$(grep -cE '^OpenCL loader .*libOpenCL' "$out")" -eq 1
mkdir "$work/none"
: >"$work/none/libOpenCL.so.1"
run env LD_LIBRARY_PATH="$work/none" "$cltune" --version
exits 0 "--version without a loader"
out_has "OpenCL loader  cannot load the OpenCL loader: $work/none" "says what is wrong with it"

run "$cltune" --help
exits 0 "--help"
for command in best devices run search space; do
    out_has "  $command" "--help lists $command"
done

run "$cltune"
exits 2 "no command is a usage error"

run "$cltune" serch
exits 2 "a misspelt command"
err_has "did you mean 'search'?" "a misspelt command is recognised"

run "$cltune" xyzzy
exits 2 "an unknown command"
err_has "unknown command 'xyzzy'" "an unknown command is named"

for command in best devices run search space; do
    run "$cltune" $command --help
    exits 0 "$command --help"
    out_has "usage: cltune $command" "$command --help shows its usage"
    out_has "--device PATTERN" "$command --help shows common options"
done

run "$cltune" search --devise 0:0 x.ini
exits 2 "a misspelt option"
err_has "did you mean '--device'?" "a misspelt option is recognised"

run "$cltune" search -n 0 x.ini
exits 2 "zero evaluations"
err_has "--evaluations requires a whole number of at least 1, not '0'" "says what it wants"

run "$cltune" search -n many x.ini
exits 2 "a number that is none"

run "$cltune" search -t 5parsecs x.ini
exits 2 "a duration that is none"
err_has "requires a duration such as 90, 90s, 5m or 2h, not '5parsecs'" "says what it wants"

run "$cltune" search --db
exits 2 "an option without its value"
err_has "option '--db' requires a value" "says which option"

run "$cltune" search --fresh=1 x.ini
exits 2 "a value for a flag"
err_has "option '--fresh' takes no value" "says so"

run "$cltune" best --fresh
exits 2 "another command's option"
err_has "'--fresh' is not supported by this command" "says so"

run "$cltune" search -p taps x.ini
exits 2 "a problem without a value"
err_has "'taps' is not NAME=VALUE" "says what it wants"

run "$cltune" search
exits 2 "search without a space file"
err_has "no space file given" "asks for it"

run "$cltune" search a.ini b.ini
exits 2 "two space files"
err_has "'b.ini': name one space file" "names the second"

run "$cltune" best --format hedaer
exits 2 "a misspelt format"
err_has "did you mean 'header'?" "a misspelt format is recognised"

run "$cltune" best --json --format flags
exits 2 "contradicting formats"

run "$cltune" search "$work/none.ini"
exits 2 "a space file that is not there"
err_has "none.ini" "names the file"

# A variable that is not set must not select everything.
printf 'WG,time_ms\n1,2\n' >"$work/plain.csv"
run "$cltune" db import "$work/plain.csv" --kernel '' -d Card
exits 2 "an import for a kernel without a name"
err_has "--kernel requires a name, not ''" "says so"
run "$cltune" db import "$work/plain.csv" --kernel k -d ''
exits 2 "an import for a device without a name"
err_has "--device requires a name, not ''" "says so"
ok "nothing is stored" ! -e "$CLTUNE_DB"
for command in best recheck results show 'db list' 'db prune' devices 'space x.ini' 'search x.ini'; do
    # shellcheck disable=SC2086
    run "$cltune" $command -d ''
    exits 2 "$command -d ''"
    err_has "--device requires a name" "says so"
done

run sh -c "'$cltune' --help >/dev/full"
exits 1 "a full disk behind standard output is a failure"
err_has "cannot write to standard output" "and is said"

done_testing
