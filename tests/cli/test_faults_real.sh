#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What kernels and compilers do to a process for real: crashes, hangs, wild writes.
#
# CT_FAULTS=all runs all 60 configurations, which takes minutes and much memory for the
# compilers that do not end; else 20 without those.
. "$(dirname "$0")/lib.sh"
cp "$root"/tests/cli/spaces/faults-real.* "$root/tests/cli/spaces/copy.c" "$work/"
space=$work/faults-real.ini

if [ "${CT_FAULTS-}" = all ]; then
    good=41
    failing=19
else
    good=3
    failing=17
    # 13 is the one that never ends.
    sed -i "s/^WORK .*/WORK = 1, 2, 3, 13 if FAULT == 'none'/
        s/'compiler_minutes', 'compiler_memory',//" "$space"
fi
query() { sqlite3 "$CLTUNE_DB" "$1"; }

run "$cltune" search "$space" -d 0:0 --timeout 2s
tell_spent "$((good + failing)) configurations"
exits 0 "the search ends by itself"
ok "everything has a result" "$(query 'select count(*) from result')" = $((good + failing))
ok "all good ones are measured" "$(query "select count(*) from result
    where status = 'ok' and configuration like '%\"none\"%'")" = $good
# What a driver does with a division by zero or an undefined function is its own affair;
# whether memory or patience ends first is the machine's.
while read -r fault statuses; do
    seen=$(query "select status from result where configuration = '{\"FAULT\":\"$fault\",\"WORK\":1}'")
    [ -z "$seen" ] || ok "$fault: $seen" "${statuses#*"$seen"}" != "$statuses"
done <<END
compile_error build_failed
unknown_function build_failed crashed
compiler_minutes timeout crashed
compiler_memory build_failed timeout crashed
wrong wrong
not_a_number wrong
unwritten wrong
beyond wrong
before wrong
wild crashed
null crashed
local_array invalid crashed
local_argument invalid crashed
stack crashed
required_size invalid
divide crashed wrong
trap crashed
hang timeout
END
ok "a compiler that took too much memory is said to have" "$(query "select count(*) from result
    where status = 'build_failed' and configuration like '%compiler_memory%'
    and message not like 'compilation took more than % MiB of memory%'")" = 0
ok "one value alone never ends" "$(query "select status from result
    where configuration = '{\"FAULT\":\"none\",\"WORK\":13}'")" = timeout
# Its code is mapped already when the launch is looked at, on a busy machine: not the build's two minutes.
ok "what hangs is not taken for a driver that compiles" "$(query "select count(*) from result
    where status = 'timeout' and configuration not like '%compiler%' and first_ns >= 120000000000")" = 0
ok "the winner is right" "$(query "select configuration from result where status = 'ok'
    order by time_ns limit 1")" = '{"FAULT":"none","WORK":1}'
ok "no worker is left" -z "$(pgrep -f "^$cltune --ct-worker")"

done_testing
