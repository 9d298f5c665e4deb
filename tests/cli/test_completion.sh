#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Completion in the shells themselves: bash, zsh and fish.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual" VIRTUALCL_PACE=0

mkdir "$work/folder"
cd "$work/folder" || exit 1
mkdir spaces
cp "$root"/tests/cli/spaces/{virtual.ini,virtual.cl,copy.c} .
cp virtual.ini "a space.ini"
echo >notes.txt
"$cltune" search virtual.ini -d VideoCore -n 3 --rough -q >/dev/null 2>&1

# What may stand after the words, by the program alone.
words() {
    run "$cltune" completion words $(($# - 1)) -- "$@"
}
words cltune sea
ok "a command" "$(cut -f1 "$out")" = search
words cltune search --until
ok "an option" "$(cut -f1 "$out")" = --until-chance
ok "with what it does" -n "$(cut -f2 "$out")"
words cltune best --until
ok "but no other command's" ! -s "$out"
words cltune search --cache ""
ok "values of a list" "$(cut -f1 "$out" | tr '\n' ' ')" = "cold warm "
words cltune search --cache=w
ok "after an equals sign" "$(cut -f1 "$out")" = "--cache=warm"
words cltune search --cache = w
ok "which bash makes a word" "$(cut -f1 "$out")" = "warm"
words cltune best -f kern
ok "values of an option by its letter" "$(cut -f1 "$out")" = "kernel-tuner"
words cltune search --retry crashed,time
ok "the last of a list" "$(cut -f1 "$out")" = "crashed,timeout"
words cltune best ""
ok "a kernel of the database" "$(cut -f1 "$out")" = vcopy
words cltune best vcopy -d Video
ok "a device of the database" "$(cut -f1 "$out" | head -1)" = "VideoCore IV GPU"
words cltune best --db "$work/none.db" ""
ok "nothing without a database" ! -s "$out"
ok "which is not created" ! -e "$work/none.db"
words cltune db pr
ok "an operation" "$(cut -f1 "$out")" = prune
words cltune help exit
ok "a topic" "$(cut -f1 "$out")" = exit-status
words cltune search ""
ok "a space file" "$(cat "$out")" = "@files .ini"
words cltune search -d Video ""
ok "after an option with a value" "$(cat "$out")" = "@files .ini"
words cltune run virtual.ini --dump ""
ok "a folder" "$(cat "$out")" = "@folders"
words cltune capture -o x -- pro
ok "a program" "$(cat "$out")" = "@command 5"

# Each value that is offered is one that the program accepts.
"$cltune" help --json >"$work/tables"
for pair in $(jq -r '.commands[] | select(.name == "search") | .options[]
    | select(.name | IN("cache", "color", "strategy", "jobs", "retry")) | .name as $n | .values[] | "\($n)=\(.)"' "$work/tables"); do
    "$cltune" search virtual.ini -d VideoCore --dry-run -n 2 "--$pair" >/dev/null 2>&1 || echo "$pair"
done >"$out"
ok "offered values are accepted" ! -s "$out"

run "$cltune" completion
exits 2 "no shell"
err_has "no shell given: name bash, zsh or fish" "asks for one"
run "$cltune" completion tcsh
err_has "no completion for 'tcsh'" "another shell"
run "$cltune" completion bash zsh
err_has "unexpected argument 'zsh': name one shell" "two shells"
run "$cltune" completion words x
err_has "'words' requires the number of a word" "no number"

# --- bash: as readline calls the function ---
PATH=$work/bin:$PATH
in_bash() {
    # shellcheck disable=SC2016
    run bash --norc -c 'source <(cltune completion bash)
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _cltune
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
in_bash cltune rech
ok "bash: a command" "$(cat "$out")" = recheck
in_bash cltune search --json-
ok "bash: an option" "$(cat "$out")" = --json-lines
in_bash cltune results --sort = a
ok "bash: a value" "$(cat "$out")" = age
in_bash cltune best vcopy -d V
out_has 'VideoCore\ IV' "bash: a device, quoted"
in_bash cltune best vcopy -d '"V'
out_has 'VideoCore IV' "bash: not quoted twice"
in_bash cltune search ""
ok "bash: space files and folders" "$(sort "$out" | tr '\n' ' ')" = "a space.ini spaces virtual.ini "
in_bash cltune exec -- bas
out_has bash "bash: a program"
in_bash cltune exec -- cat no
ok "bash: its files" "$(cat "$out")" = notes.txt

# A real line of a real bash, which tab completes.
if command -v script >/dev/null; then
    printf 'source <(cltune completion bash)\ncltune best vc\t --form\tmak\t\nexit\n' |
        TERM=dumb script -qec "bash --norc --noprofile -i" /dev/null >"$out" 2>&1
    out_has "cltune best vcopy  --format" "bash: the tab key at a terminal"
else
    skip 1 "no script(1)"
fi

# --- zsh: in a terminal of its own ---
if command -v zsh >/dev/null; then
    cat >"$work/zsh.zsh" <<'END'
zmodload zsh/zpty
setopt extended_glob
zpty shell "zsh -f -i"
expect() { # a pattern that must come
    local text all
    integer tries=0
    while (( tries++ < 400 )); do
        if zpty -r -t shell text; then all+=$text; else sleep 0.05; fi
        all=${all//[$'\e\a\r']/}
        [[ ${all//\[[0-9;?]#[a-zA-Z]/} == *$1* ]] && break
    done
    print -r -- "${all//\[[0-9;?]#[a-zA-Z]/}"
}
zpty -w shell 'PS1=; unsetopt zle_bracketed_paste; bindkey "^X^X" accept-line; autoload -Uz compinit; compinit -u -d '$1'/dump; source <(cltune completion zsh); zstyle ":completion:*" list-prompt ""; print READY-${:-yes}'
expect 'READY-yes' >/dev/null
zpty -w -n shell $'cltune rech\t'
expect 'recheck' | tail -1
zpty -w -n shell $'\C-ucltune results --sort=a\t'
expect 'sort=age' | tail -1
zpty -w -n shell $'\C-ucltune best vc\t'
expect 'vcopy' | tail -1
zpty -w -n shell $'\C-ucltune best vcopy -d Video\t'
expect 'IV' | tail -1
zpty -w -n shell $'\C-ucltune search virt\t'
expect 'virtual.ini' | tail -1
zpty -d shell
END
    run env TERM=dumb zsh -f "$work/zsh.zsh" "$work"
    out_has "recheck" "zsh: a command"
    out_has "sort=age" "zsh: a value"
    out_has "vcopy" "zsh: a kernel"
    out_has "IV" "zsh: a device"
    out_has "virtual.ini" "zsh: a space file"
    run zsh -fn "$root/tuner/cli/completion/cltune.zsh"
    exits 0 "zsh: the script's grammar"
else
    skip 6 "no zsh"
fi

# --- fish ---
if command -v fish >/dev/null; then
    in_fish() {
        run env HOME="$work" XDG_CONFIG_HOME="$work/fish" fish --no-config -c \
            "cltune completion fish | source; complete -C '$1'"
    }
    in_fish 'cltune rech'
    out_has "recheck" "fish: a command"
    in_fish 'cltune search --json-'
    out_has "--json-lines" "fish: an option"
    in_fish 'cltune results --sort=a'
    out_has "sort=age" "fish: a value"
    in_fish 'cltune best '
    out_has "vcopy" "fish: a kernel"
    in_fish 'cltune best vcopy -d Video'
    out_has "VideoCore IV" "fish: a device"
    in_fish 'cltune search virt'
    out_has "virtual.ini" "fish: a space file"
else
    skip 6 "no fish"
fi
done_testing
