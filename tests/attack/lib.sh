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
limit_memory() { grep -q __asan_init "$cltune" || ulimit -v "$1"; }

can_be_stranger() { [ "$(id -u)" -eq 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; }
as_stranger() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
