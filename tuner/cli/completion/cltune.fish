# SPDX-License-Identifier: Apache-2.0
# Completion of cltune's command line for fish: cltune itself says what may come next.
# A file in a completions folder, or: cltune completion fish | source

function __cltune_complete
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    for line in ($before[1] completion words (count $before) -- $before "$typed" 2>/dev/null)
        switch $line
            case '@files*'
                set -l suffix (string replace -r '^@files ?' '' -- $line)
                if test -n "$suffix"
                    __fish_complete_suffix $suffix
                else
                    __fish_complete_path "$typed"
                end
            case '@folders*'
                __fish_complete_directories "$typed"
            case '@command*'
                __fish_complete_subcommand --fcs-skip=(string replace '@command ' '' -- $line)
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c cltune -f -a '(__cltune_complete)'
