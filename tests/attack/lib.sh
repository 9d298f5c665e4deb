# SPDX-License-Identifier: Apache-2.0
# For attacks: the checks of tests/cli/lib.sh, and what several attacks share.
#
# survived NAME      the last run ended by itself: no signal, no sanitizer's report
# as_stranger CMD    runs CMD as another user without rights (needs root: ask can_be_stranger)
here=$(cd "$(dirname "$0")" && pwd)
case $here in */long) here=${here%/long} ;; esac
. "$here/../cli/lib.sh"

survived() {
    if [ "$status" -ge 128 ] || grep -qE 'AddressSanitizer|runtime error:' "$err"; then
        report 1 "$1"
    else
        report 0 "$1"
    fi
}

# limit_memory KILOBYTES, in a subshell: of addresses; sanitizers need all of them.
has_sanitizers() { grep -q __asan_init "$cltune"; }
limit_memory() { has_sanitizers || ulimit -v "$1"; }
# For tests that are about such limits, or compare what dying processes say.
skip_with_sanitizers() {
    has_sanitizers || return 0
    skip 1 "sanitizers need addresses without limit, and say much when they end a process"
    done_testing
    exit 0
}

can_be_stranger() { [ "$(id -u)" -eq 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; }
as_stranger() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
