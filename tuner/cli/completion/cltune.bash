# SPDX-License-Identifier: Apache-2.0
# Completion of cltune's command line for bash: cltune itself says what may come next.
# Loaded by bash-completion, or by: source <(cltune completion bash)

_cltune_paths() { # compgen's option for files or folders, what is typed, how names must end
    local path
    compopt -o filenames 2>/dev/null
    while IFS= read -r path; do
        if [[ -d $path || $path == *"$3" ]]; then COMPREPLY+=("$path"); fi
    done < <(compgen "$1" -- "$2")
}

_cltune() {
    local program=${COMP_WORDS[0]/#\~/$HOME} typed=${COMP_WORDS[COMP_CWORD]} line value
    COMPREPLY=()
    if [[ $typed == '=' ]]; then typed=; fi
    while IFS= read -r line; do
        case $line in
        @files*) _cltune_paths -f "$typed" "${line#@files }" ;;
        @folders*) _cltune_paths -d "$typed" '' ;;
        @command*)
            if declare -F _command_offset >/dev/null; then
                _command_offset "${line#@command }"
                return
            elif [[ ${line#@command } == "$COMP_CWORD" ]]; then
                while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -c -- "$typed")
            else
                _cltune_paths -f "$typed" ''
            fi
            ;;
        *)
            value=${line%%$'\t'*}
            # What the user has put between quotes needs no backslashes.
            if [[ $typed != [\"\']* ]]; then printf -v value %q "$value"; fi
            # The value of a setting follows at once.
            if [[ $value == *= ]]; then compopt -o nospace 2>/dev/null; fi
            COMPREPLY+=("$value")
            ;;
        esac
    done < <("$program" completion words "$COMP_CWORD" -- "${COMP_WORDS[@]}" 2>/dev/null)
}
complete -F _cltune cltune
