#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a reference does to its process changes no verdict and no message: traps, rounding,
# flushing to zero, the locale, signal handlers, timers.
. "$(dirname "$0")/lib.sh"
skip_with_sanitizers
export OCL_ICD_VENDORS="$virtual"
cp "$root/tests/cli/spaces/faults.cl" "$work/"
sed 's/^FAULT = .*/FAULT = 0, 5, 8/' "$root/tests/cli/spaces/faults.ini" >"$work/faults.ini"

query() { sqlite3 "$CLTUNE_DB" "$1" 2>/dev/null; }
# The messages, without the values of the failing element and addresses.
facts() { query "select configuration, status, message, mismatch_expected from result order by 1" |
    sed -E 's/[0-9a-f]{12}/ADDRESS/g'; }
# A reference that does something first.
reference() {
    printf '%s\n' '#define _GNU_SOURCE' '#include <fenv.h>' '#include <locale.h>' '#include <signal.h>' \
        '#include <stdint.h>' '#include <stdlib.h>' '#include <string.h>' '#include <unistd.h>' \
        '#include <sys/time.h>' '#if defined(__SSE__)' '#include <xmmintrin.h>' '#endif' \
        'static inline void quiet(int number) { (void)number; _exit(0); }' \
        'void copy_reference(const float *input, float *output, uint32_t n);' \
        'void copy_reference(const float *input, float *output, uint32_t n)' \
        "{ (void)quiet; $1" 'memcpy(output, input, n * sizeof(*output)); }' >"$work/copy.c"
}

# With a decimal comma, and nothing installed: made here, where that is possible.
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1; then
    export LOCPATH="$work"
    comma=yes
fi
reference ''
CLTUNE_DB=$work/plain.db
run "$cltune" search "$work/faults.ini" -d 0:1 --rough --timeout 5s
exits 0 "a reference that does nothing special"
facts >"$work/plain.txt"
ok "has all verdicts" "$(cut -d'|' -f2 "$work/plain.txt" | tr '\n' ' ')" = "ok crashed wrong "

number_of=0
while read -r name code; do
    number_of=$((number_of + 1))
    if [ "$name" = comma ] && [ -z "${comma-}" ]; then
        skip 2 "no locale with a decimal comma can be made here"
        continue
    fi
    reference "$code"
    CLTUNE_DB=$work/$number_of.db
    run "$cltune" search "$work/faults.ini" -d 0:1 --rough --timeout 5s
    exits 0 "$name: the search goes on"
    facts >"$work/facts.txt"
    if cmp -s "$work/plain.txt" "$work/facts.txt"; then report 0 "$name: verdicts and messages stay"; else
        diff "$work/plain.txt" "$work/facts.txt" | sed 's/^/# /'
        report 1 "$name: verdicts and messages stay"
    fi
done <<'END'
traps feenableexcept(FE_ALL_EXCEPT & ~FE_INEXACT);
all-traps feenableexcept(FE_ALL_EXCEPT);
rounding fesetround(FE_UPWARD);
downward fesetround(FE_DOWNWARD);
handlers for (int i = 1; i < 32; i++) signal(i, quiet);
ignored for (int i = 1; i < 32; i++) signal(i, SIG_IGN);
blocked sigset_t all; sigfillset(&all); sigprocmask(SIG_SETMASK, &all, NULL);
alarm ualarm(20000, 0);
comma setlocale(LC_ALL, "de_DE.UTF-8");
END

done_testing
