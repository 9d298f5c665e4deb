#compdef cltune
# SPDX-License-Identifier: Apache-2.0
# Completion of cltune's command line for zsh: cltune itself says what may come next.
# A file _cltune in a folder of $fpath, or: source <(cltune completion zsh)

_cltune() {
    local line
    local -a found open
    for line in "${(@f)$(${(Q)words[1]} completion words $((CURRENT - 1)) -- "${(@Q)words[1,CURRENT]}" 2>/dev/null)}"; do
        case $line in
            (@files*) _files -g "*${line#@files }(-.)" ;;
            (@folders*) _files -/ ;;
            (@command*)
                shift ${line#@command } words
                (( CURRENT -= ${line#@command } ))
                _normal
                return
                ;;
            # The value of a setting follows at once.
            (*=$'\t'*) open+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
            (?*) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    (( $#open )) && _describe -t values 'cltune' open -S ''
    (( $#found )) && _describe -t values 'cltune' found
}

if [[ $funcstack[1] == _cltune ]]; then
    _cltune "$@"
else
    compdef _cltune cltune
fi
