#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The share of a search that a play-off of programs plans for is what their runs cost, not what they say.
. "$(dirname "$0")/lib.sh"
export TMPDIR="$work/tmp"
mkdir "$TMPDIR"
# Nobody needs OpenCL for this.
export OCL_ICD_VENDORS="$work/nothing"

# Each run takes a tenth of a second at least, of which a hundredth is reported.
cat >"$work/prog.sh" <<'END2'
#!/bin/sh
sleep 0.1
echo "done in 1$1.5 ms"
END2
chmod +x "$work/prog.sh"
cat >"$work/space.ini" <<'END2'
[program]
name = prog
files = prog.sh
command = ./prog.sh ${STEP}
limit = 20 s
[read]
time_ms = /in ([0-9.]+) ms/
[param]
STEP = 4, 2, 8, 9
END2
run "$cltune" search "$work/space.ini" -q --json
exits 0 "a search among programs that report a tenth of what they take"
ok "finds the fastest" "$(jq '.best[0].configuration.STEP' "$out")" = 2
# Samples are the same: of each process two, and at least a run that is checked and is none; two entrants
# and three processes of all, then three more of the winner.
ok "the play-off's plan holds the runs that it makes" \
    "$(jq '.playoff.planned_ns > 0.1e9 * (3 * 2 + 3) * 3' "$out")" = true
ok "so it takes about what was planned" "$(jq '.playoff.spent_ns > 0.5 * .playoff.planned_ns' "$out")" = true
done_testing
