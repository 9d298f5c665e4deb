#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune results: all of them, for people and for programs.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root"/tests/cli/spaces/causes.* "$root/tests/cli/spaces/copy.c" "$work/"
space=$work/causes.ini

run "$cltune" results
exits 3 "without a database there is nothing"
run "$cltune" search "$space" -d 0:1 -q --rough
run "$cltune" search "$space" -d 0:1 -q --rough -p n=512 --param X=0,4

run "$cltune" results causes
exits 0 "a table"
ok "has every result" "$(grep -c 'X=' "$out")" = 8
out_has "causes on Virtual GPU (driver 1.0), n=512" "under its problem and device"
out_has "build_failed" "failures, too"
out_has "#error no such extension" "with their messages"
run "$cltune" results causes -p n=1024 --status ok,invalid --json
ok "JSON has what is asked for" "$(jq -c '[.[].status] | sort' "$out")" = '["invalid","ok","ok"]'
ok "with times, or none" "$(jq -c '[.[] | .time_ns > 0] | sort' "$out")" = '[false,true,true]'
ok "and the configuration" "$(jq -c '[.[].configuration.X] | sort' "$out")" = '[0,4,5]'
ok "successful ones come first" "$(jq -r '.[-1].status' "$out")" = invalid
run "$cltune" results --sort status --json -p n=1024
ok "in order of their status" "$(jq -r '.[].status' "$out" | sort -c && echo sorted)" = sorted
run "$cltune" results --sort age --json -p n=1024
ok "or of their age" "$(jq '[.[].measured_unix_s] == ([.[].measured_unix_s] | sort)' "$out")" = true

run "$cltune" results --csv
exits 0 "CSV"
python3 - "$out" >"$work/read" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
print(len(rows), sorted({row["n"] for row in rows}), sorted({row["X"] for row in rows}))
print(sum(row["time_ns"] != "" for row in rows), sum(None in row for row in rows))
print(any("no such extension" in row["message"] for row in rows))
END
ok "has a row for each" "$(sed -n 1p "$work/read")" = \
    "8 ['1024', '512'] ['0', '1', '2', '3', '4', '5']"
ok "times where there are some, and no field too many" "$(sed -n 2p "$work/read")" = "3 0"
ok "and messages" "$(sed -n 3p "$work/read")" = True
sqlite3 "$CLTUNE_DB" "update result set message = 'a \"b\", c
d' where status = 'invalid'"
run "$cltune" results --csv --status invalid
ok "fields are quoted" "$(python3 -c 'import csv, sys
print([row["message"] for row in csv.DictReader(open(sys.argv[1], newline=""))][0])' "$out" |
    tr '\n' '|')" = 'a "b", c|d|'

# A size and parameters whose names are those of other columns.
sed 's/^n = 1024$/value = 512/; s/^count = n/count = value/; s/uint(n)/uint(value)/; s/global = n/global = value/
     s/^WG  = .*/status = 1, 2/; s/^VEC = .*/device = 1/; s/= WG/= status/
     s/8.0 . n/8.0 * value/' "$root/tests/cli/spaces/virtual.ini" >"$work/names.ini"
cp "$root/tests/cli/spaces/virtual.cl" "$work/"
run "$cltune" search "$work/names.ini" -d 0:1 -q --rough
run "$cltune" results vcopy --csv
exits 0 "names that are taken"
python3 - "$out" >"$work/read" <<'END'
import csv, sys
names = next(csv.reader(open(sys.argv[1], newline="")))
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
print(len(names) - len(set(names)), {row["size.value"] for row in rows}, sorted(row["param.status"] for row in rows),
      {row["param.device"] for row in rows}, {row["device"] for row in rows})
END
ok "each column has a name of its own" "$(cat "$work/read")" = "0 {'512'} ['1', '2'] {'1'} {'Virtual GPU'}"

run "$cltune" results other
exits 3 "another kernel has none"
run "$cltune" results --status timeout
exits 3 "nor has another status"
err_has "no stored result has this status" "which is said"
run "$cltune" results --status wrogn
exits 2 "an unknown status"
err_has "did you mean 'wrong'?" "is suggested another"
run "$cltune" results --sort name
exits 2 "an unknown order"
run "$cltune" results --csv --json
exits 2 "two formats"

done_testing
