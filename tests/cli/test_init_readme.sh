#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The README's four commands from a clone to a tuned kernel, as they stand there.
. "$(dirname "$0")/lib.sh"

awk '/^Four commands/ { on = 1 } on && /^    / { sub(/ +#.*/, ""); print substr($0, 5); n++ }
    n && /^$/ { exit }' "$root/README.md" >"$work/commands"
ok "there are four" "$(wc -l <"$work/commands")" = 4
ok "the last two are init and search" "$(awk '{ print $2 }' "$work/commands" | tail -2 | tr '\n' ' ')" = "init search "

# What was built is not built again, and nothing is installed by a test.
mkdir "$work/clone" "$work/stubs"
for name in apt-get sudo; do
    printf '#!/bin/sh\necho "%s $*" >>"%s/installed"\nexit 1\n' $name "$work" >"$work/stubs/$name"
    chmod +x "$work/stubs/$name"
done
for name in scripts examples; do ln -s "$root/$name" "$work/clone/$name"; done
ln -s "$build" "$work/clone/build"
PATH=$work/stubs:$PATH
cd "$work/clone" || exit 1
while read -r command; do
    case $command in
    make) command="MAKEFLAGS= make -C $root BUILD=$build" ;;
    */install-deps) [ -z "$(command -v dpkg-query)" ] && continue ;;
    *search*) command="$command -n 3 --rough" ;;
    esac
    run sh -c "$command"
    exits 0 "$command"
done <"$work/commands"
ok "nothing was missing" ! -e "$work/installed"
out_has "3 evaluated now" "the search has measured"
ok "and nothing was wrong" "$(grep -c '3 ok' "$out")" = 1
run "$cltune" best scale --format header
exits 0 "the build can use the result"
out_has "LOCAL_X" "with its parameters"
done_testing
