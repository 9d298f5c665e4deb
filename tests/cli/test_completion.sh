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
words cltune capture -o = x -- pro
ok "counted as the shell does" "$(cat "$out")" = "@command 6"

# Names and values of the space file on the line.
names() {
    cut -f1 "$out" | paste -sd' '
}
sed -e 's/^n = 1024/n = 1024\nrows = 2 * 8/' -e 's/uint(n)/uint(n + 0 * rows)/' virtual.ini >sizes.ini
words cltune search sizes.ini -p ""
ok "problem sizes" "$(names)" = "n= rows="
out_has "2 * 8" "with what the file has"
words cltune search sizes.ini -p r
ok "those that begin so" "$(names)" = "rows="
words cltune search sizes.ini --param ""
ok "parameters" "$(names)" = "WG= VEC="
out_has "1, 2, 4, 8, 12, 16" "with their values"
run "$cltune" completion words 3 -- cltune search --param "" sizes.ini
ok "also before the file" "$(names)" = "WG= VEC="
words cltune search sizes.ini --param WG=1
ok "values of a parameter" "$(names)" = "WG=1 WG=12 WG=16"
words cltune search sizes.ini --param WG=4,1
ok "the last of a list of values" "$(names)" = "WG=4,1 WG=4,12 WG=4,16"
words cltune search sizes.ini --param=V
ok "a parameter after an equals sign" "$(names)" = "--param=VEC="
words cltune search sizes.ini --param = WG = 4,1
ok "and when bash splits it" "$(names)" = "4,1 4,12 4,16"
words cltune search sizes.ini -p n =
ok "the size of the file" "$(names)" = "1024"
words cltune search sizes.ini -p n = 64 -p ro
ok "another size behind the first" "$(names)" = "rows="
words cltune run sizes.ini -p n = 64 V
ok "a configuration" "$(names)" = "VEC="
words cltune recheck vcopy --space sizes.ini -p n
ok "of --space" "$(names)" = "n="
words cltune search "a\\ space.ini" -p ""
ok "a quoted file" "$(names)" = "n="
words cltune search notes.txt -p ""
ok "nothing of other files" ! -s "$out"
mkfifo pipe.ini
words cltune search pipe.ini -p ""
ok "nor of a pipe" ! -s "$out"
echo "[kernel]" >broken.ini
words cltune search broken.ini -p ""
ok "nor of a file with errors" "$status$(cat "$out" "$err")" = 0
rm -f pipe.ini broken.ini sizes.ini

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
in_bash cltune search virtual.ini --param W
ok "bash: a parameter" "$(cat "$out")" = "WG="
in_bash cltune search virtual.ini --param WG = 12
ok "bash: its value" "$(cat "$out")" = 12
in_bash cltune search "a\\ space.ini" -p ""
ok "bash: a size of a quoted file" "$(cat "$out")" = "n="
in_bash cltune exec -- bas
out_has bash "bash: a program"
in_bash cltune exec -- cat no
ok "bash: its files" "$(cat "$out")" = notes.txt

# A real line of a real bash, which tab completes.
if command -v script >/dev/null; then
    printf 'source <(cltune completion bash)\ncltune best vc\t --form\tmak\t\nexit\n' |
        TERM=dumb script -qec "bash --norc --noprofile -i" /dev/null >"$out" 2>&1
    out_has "cltune best vcopy  --format" "bash: the tab key at a terminal"
    printf 'source <(cltune completion bash)\ncltune space virtual.ini --param V\t16 --param W\t12 --count\nexit\n' |
        TERM=dumb script -qec "bash --norc --noprofile -i" /dev/null >"$out" 2>&1
    out_has "--param VEC=16 --param WG=12 --count" "bash: a value follows its name at once"
else
    skip 2 "no script(1)"
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
zpty -w -n shell $'\C-ucltune search virtual.ini --param V\t1\C-e6 -p n\t#'
expect 'VEC=16 -p n=#' | tail -1
zpty -d shell
END
    run env TERM=dumb zsh -f "$work/zsh.zsh" "$work"
    out_has "recheck" "zsh: a command"
    out_has "sort=age" "zsh: a value"
    out_has "vcopy" "zsh: a kernel"
    out_has "IV" "zsh: a device"
    out_has "virtual.ini" "zsh: a space file"
    out_has "VEC=16 -p n=#" "zsh: a parameter and a size"
    run zsh -fn "$root/tuner/cli/completion/cltune.zsh"
    exits 0 "zsh: the script's grammar"
else
    skip 7 "no zsh"
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
    in_fish 'cltune search virtual.ini -p '
    out_has "n=" "fish: a problem size"
    in_fish 'cltune search virtual.ini --param WG=1'
    out_has "WG=12" "fish: a value of a parameter"
    in_fish 'cltune search virt'
    out_has "virtual.ini" "fish: a space file"
else
    skip 8 "no fish"
fi

run "$cltune" completion --json bash
exits 2 "--json"
err_has "--json is not supported here" "is refused"
run "$cltune" completion --help all
out_has "(not here)" "which the help says"

done_testing
