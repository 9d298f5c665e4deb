#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a search of faults-virtual.ini should store.
#
#   faults-virtual.sh expect [MIB]      each configuration: its JSON, FAULT, statuses
#   faults-virtual.sh compare DB [MIB]  what the database stores instead, one line for each
#                                       that differs; exit status 1 when any does
#   faults-virtual.sh kinds DB [MIB]    for each FAULT: what was expected, what was stored
#
# MIB is the memory that a builder may use: a compiler that leaks more crashes.  The first
# status of several is that of a search which tries as little as it may.
set -u
here=$(cd "$(dirname "$0")" && pwd)

expect() {
    awk -v limit="${1:-0}" '
    $1 == "//" && $2 == "expect" {
        statuses = ""
        for (i = 4; i <= NF; i++) {
            if (split($i, leak, ":") == 2)
                statuses = limit && leak[2] > limit ? "crashed" : statuses
            else
                statuses = statuses (statuses == "" ? "" : ",") $i
        }
        expected[$3] = statuses
    }
    END {
        expected[0] = "ok"
        for (n = 0; n < 1000; n++) {
            fault = n % 5 == 3 ? 1 + int(n / 5) % 50 : 0
            printf "{\"X\":%d,\"Y\":%d,\"Z\":%d} %d %s\n", n / 100, n / 10 % 10, n % 10,
                fault, expected[fault]
        }
    }' "$here/faults-virtual.cl"
}

stored() {
    sqlite3 -separator ' ' "file:$1?mode=ro" \
        "select r.configuration, r.status from result r join kernel k on k.id = r.kernel_id
         where k.name = 'faults-virtual'"
}

case ${1-} in
expect) expect "${2-}" ;;
compare)
    { stored "$2" | sed 's/^/stored /'; expect "${3-}"; } | awk '
        $1 == "stored" { status[$2] = $3; next }
        {
            seen = $1 in status ? status[$1] : "nothing"
            if (index("," $3 ",", "," seen ",")) next
            print $1, "FAULT=" $2 ": expected " $3 ", stored " seen
            bad = 1
        }
        END { exit bad }'
    ;;
kinds)
    { stored "$2" | sed 's/^/stored /'; expect "${3-}"; } | awk '
        $1 == "stored" { status[$2] = $3; next }
        { seen = $1 in status ? status[$1] : "nothing"; count[$2 " " $3 " " seen]++ }
        END { for (key in count) print key, count[key] }' | sort -n
    ;;
*)
    echo "usage: faults-virtual.sh expect [MIB] | compare DB [MIB] | kinds DB [MIB]" >&2
    exit 2
    ;;
esac
