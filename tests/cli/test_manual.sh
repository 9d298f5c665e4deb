#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual: every command and option is on its page, programs for man pages have nothing to say
# against them, and --help fits a screen.
. "$(dirname "$0")/lib.sh"

run "$cltune" help --json
exits 0 "the tables as JSON"
cp "$out" "$work/tables"
jq -r '.commands[].name' "$work/tables" >"$work/commands"
jq -r '.pages[] | "\(.name).\(.section) \(.topic)"' "$work/tables" >"$work/pages"
ok "all commands are there" "$(wc -l <"$work/commands")" -eq \
    "$(grep -c '^CT_COMMAND' "$root/tuner/cli/commands.def")"
while read -r command; do
    grep "^|" "$root/README.md" | grep -qE "\`cltune $command( |\`)" || echo "$command"
done <"$work/commands" >"$out"
ok "and in the table of the README" ! -s "$out"

# --- --help: 24 lines of 80 columns, with two examples whose commands and options exist ---
: >"$work/tall"
: >"$work/bare"
while read -r command; do
    "$cltune" "$command" --help >"$work/help"
    awk -v command="$command" 'length($0) > 80 { print command ": " $0 }
        END { if (NR > 24) print command ": " NR " lines" }' "$work/help" >>"$work/tall"
    examples=$(sed -n '/^Examples:/,/^$/p' "$work/help" | grep -c '^  .*cltune .*  # ')
    [ "$examples" -eq 2 ] || echo "$command: $examples examples" >>"$work/bare"
done <"$work/commands"
"$cltune" --help | awk 'length($0) > 80 { print "--help: " $0 }
    END { if (NR > 24) print "--help: " NR " lines" }' >>"$work/tall"
cp "$work/tall" "$out"
ok "--help fits 24 lines of 80 columns" ! -s "$work/tall"
cp "$work/bare" "$out"
ok "each has two examples" ! -s "$work/bare"
jq -r '.commands[] | .name as $name | (.examples[] | "\($name) \(.)")' "$work/tables" |
    while read -r name example; do
        case " $example " in *"cltune $name "*) ;; *) echo "$name: $example" ;; esac
    done >"$out"
ok "of the command itself" ! -s "$out"
jq -r '.commands[] | [.options[].name] as $known | .name as $name | .examples[]
    | scan("(?<= )--([a-z-]+)")[0] | select(IN($known[]) | not) | "\($name): --\(.)"' "$work/tables" >"$out"
ok "with options that it has" ! -s "$out"
jq -r '.commands[] | .name as $name | .options[] | select(.help | length < 8) | "\($name): --\(.name)"' \
    "$work/tables" >"$out"
ok "each option says what it does for the command" ! -s "$out"

run "$cltune" search --help
out_lacks "--until-chance" "rare options are left out"
out_has "cltune search --help all" "and it says where they are"
run "$cltune" search --help all
out_has "--until-chance P" "--help all has them"

# --- help TOPIC ---
run env COLUMNS=80 "$cltune" help
exits 0 "the list of pages"
ok "which fits 80 columns" "$(awk 'length($0) > 80' "$out" | wc -l)" = 0
for topic in search space-file strategies measuring exit-status environment formats; do
    out_has "  $topic " "lists $topic"
done
: >"$work/wrong"
while read -r page topic; do
    "$cltune" help "$topic" >"$work/text" 2>&1 || echo "$page: status $?" >>"$work/wrong"
    grep -q '^NAME$' "$work/text" || echo "$page: no name" >>"$work/wrong"
    [ "$(wc -l <"$work/text")" -gt 12 ] || echo "$page: nothing on it" >>"$work/wrong"
    grep -v '^        ' "$work/text" | grep -n '<!--\|\*\*\|](' | head -2 >>"$work/wrong"
done <"$work/pages"
cp "$work/wrong" "$out"
ok "each page has a name and text, without marks" ! -s "$work/wrong"
run "$cltune" help cltune-space-file
out_has "ceildiv(n, ITEMS)" "a page by the name of its man page"
run "$cltune" help search
out_has "Continuing." "what doc/ says of the command"
run env COLUMNS=50 "$cltune" help measuring
awk 'length($0) > 50 && !/^        / { print }' "$out" >"$work/long"
ok "text fits narrow terminals" "$(grep -vc '[^ ]\{30\}' "$work/long")" -eq 0

run "$cltune" help strategeis
exits 2 "a misspelt topic"
err_has "no manual page about 'strategeis'; did you mean 'strategies'?" "is recognised"
run "$cltune" help xyzzyplugh
exits 2 "an unknown topic"
err_has "no manual page about 'xyzzyplugh': 'cltune help' lists them" "says where to look"
run "$cltune" help search space
exits 2 "two topics"
err_has "unexpected argument 'space': name one topic" "are one too many"
run "$cltune" help --format pdf
err_has "--format requires text, scdoc or pages, not 'pdf'" "an unknown format"

# --- the pager: at a terminal alone, with what is overstruck for less ---
pager() { # what comes before the command
    script -qec "env $1 '$cltune' help exit-status" /dev/null >"$out" 2>&1 </dev/null
}
printf '#!/bin/sh\necho paged by less $LESS\ncat\n' >"$work/bin/less"
sed 's/by less/by mine/' "$work/bin/less" >"$work/bin/mine"
chmod +x "$work/bin/less" "$work/bin/mine"
if command -v script >/dev/null; then
    pager "-u PAGER -u LESS TERM=xterm PATH=$work/bin:$PATH"
    out_has "paged by less FRX" "less is the pager at a terminal"
    ok "and gets overstruck characters" "$(grep -c "N$(printf '\b')N" "$out")" -gt 0
    pager "PAGER='$work/bin/mine -x' TERM=xterm"
    out_has "paged by mine" "or what PAGER names, with options"
    ok "without them" "$(grep -c "$(printf '\b')" "$out")" -eq 0
    pager "PAGER=$work/bin/none TERM=xterm"
    out_has "no such device" "without it the page is printed"
    pager "PAGER=cat TERM=xterm PATH=$work/bin:$PATH"
    out_lacks "paged" "cat is no pager"
else
    skip 6 "no script(1)"
fi
run env PAGER="$work/bin/mine" "$cltune" help exit-status
out_lacks "paged" "no pager without a terminal"

# --- man pages ---
if ! command -v scdoc >/dev/null; then
    skip 5 "no scdoc"
    done_testing
    exit
fi
run "$root/scripts/make-man" "$cltune" "$work/man"
exits 0 "scdoc accepts all pages"
ok "and makes each of them" "$(ls "$work/man" | wc -l)" -eq "$(wc -l <"$work/pages")"
: >"$work/wrong"
while read -r page topic; do
    file=$work/man/$page
    if command -v mandoc >/dev/null; then
        mandoc -T lint -W warning "$file" >>"$work/wrong" 2>&1
    fi
    if command -v man >/dev/null && command -v groff >/dev/null; then
        LC_ALL=C.UTF-8 MANWIDTH=80 man -l --warnings -E UTF-8 "$file" 2>&1 >"$work/shown" </dev/null |
            sed "s/^/$page: /" >>"$work/wrong"
    fi
done <"$work/pages"
cp "$work/wrong" "$out"
ok "mandoc and man have no warnings" ! -s "$work/wrong"

# In the pages themselves, without what troff needs: options and operands of each command.
: >"$work/wrong"
while read -r command; do
    sed -e 's/\\f[BIR]//g; s/\\-/-/g; s/\\&//g' "$work/man/cltune-$command.1" >"$work/plain"
    jq -r --arg name "$command" '.commands[] | select(.name == $name) | .options[]
        | (if .letter then "-\(.letter), " else "" end) + "--\(.name)"
          + (if .argument then " \(.argument)" else "" end)' "$work/tables" |
        while read -r option; do
            grep -qxF -e "$option" "$work/plain" || echo "$command: $option"
        done
    grep -q "^cltune $command \[OPTION" "$work/plain" || echo "$command: no synopsis"
    grep -qF "cltune-$command(1)" "$work/man/cltune.1" || echo "$command: not in cltune(1)"
done <"$work/commands" >"$work/wrong"
cp "$work/wrong" "$out"
ok "each option is on the page of its command" ! -s "$work/wrong"

# What the library shows is on its page.
nm -D --defined-only "$build/libcltunedb.so" | sed -n 's/.* T //p' | while read -r name; do
    grep -qF "$name(" "$work/man/libcltunedb.3" || echo "$name"
done >"$out"
ok "each function of the library is on its page" ! -s "$out"

# --- environment variables ---
# Those with which 'cltune capture' tells the layer what to do are not for users.
missing=$(grep -rhoE '(getenv|ct_layer_variable)\("CLTUNE_[A-Z_]*"' "$root/tuner" "$root/db" |
    sed 's/.*"\(.*\)"/\1/' | sort -u | grep -v '^CLTUNE_CAPTURE' |
    while read -r name; do
        grep -q "^| .*\`$name\`" "$root/doc/man/environment.md" || echo "$name"
    done)
ok "every variable that is read is described" -z "$missing"

done_testing
