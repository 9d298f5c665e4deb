#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Host code is compiled side by side, while the device is opened, and once.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces
cp "$spaces/virtual.cl" "$spaces/copy.c" "$work/"
sed 's/^fill *=.*/fill = c(fill.c, fill_input)/' "$spaces/virtual.ini" >"$work/space.ini"
cat >"$work/fill.c" <<'C'
#include <stdint.h>

void fill_input(float *to, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = (float)(i % 7);
}
C
# A compiler that notes what it is asked for: E (to preprocess) or C, and the function.  Who preprocesses
# waits until the other function is preprocessed, too, as long as nobody does if they come one by one.
cat >"$work/noting" <<'SH'
#!/bin/sh
text=$(cat)
case $text in *fill_input*) own=fill other=reference ;; *) own=reference other=fill ;; esac
case " $* " in *' -E '*) what=E ;; *) what=C ;; esac
echo "$what $own" >>"$NOTES/list"
if [ $what = E ]; then
    : >"$NOTES/$own"
    tries=0
    while [ ! -e "$NOTES/$other" ] && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    if [ $tries -lt 100 ]; then echo "together" >>"$NOTES/list"; fi
fi
printf '%s\n' "$text" | cc "$@"
SH
chmod 755 "$work/noting"
noted() { grep -cx "$1" "$NOTES/list"; }

# search OPTION...: on a device that is no processor, with cold caches.
search() {
    export NOTES="$work/notes"
    rm -rf "$NOTES" "$XDG_CACHE_HOME" "$CLTUNE_DB"
    mkdir -p "$NOTES" "$XDG_CACHE_HOME"
    run env CC="$work/noting" "$cltune" search "$work/space.ini" -d VideoCore -j1 --param VEC=16 "$@"
}

search --rough
exits 0 "a search with two functions in C"
ok "the fill is preprocessed once, though it is called twice" "$(noted 'E fill')" = 1
ok "and compiled once" "$(noted 'C fill')" = 1
ok "the reference is preprocessed once" "$(noted 'E reference')" = 1
ok "and compiled once" "$(noted 'C reference')" = 1
if [ "$(nproc)" -gt 1 ]; then
    ok "both at the same time" "$(noted together)" = 2
else
    skip 1 "one processor"
fi

# In each of the fresh processes of an A/A test and a play-off that has no code to compile.
search -n 4
exits 0 "a search with fresh processes"
ok "the data of the first process serve all others" "$(grep -c '^E' "$NOTES/list")" = 2

# An error is told when the code is needed, as ever.
sed -i 's/(float)(i % 7)/nothing/' "$work/fill.c"
search --rough
exits 2 "a fill that does not compile"
err_has "buffer input: the fill does not compile (fill_input in" "what and where"
err_has "nothing" "the compiler's words"
done_testing
