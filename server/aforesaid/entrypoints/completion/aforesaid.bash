if [[ ${BASH_VERSINFO[0]}${BASH_VERSINFO[1]} -lt 44 ]]; then
    echo 'aforesaid: completion needs bash 4.4 or newer' >&2
else
_aforesaid_completion() {
    local IFS=$'\n'
    local response

    response=$(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _AFORESAID_COMPLETE=bash_complete $1)

    for completion in $response; do
        IFS=',' read type value <<< "$completion"

        if [[ $type == 'dir' ]]; then
            COMPREPLY=()
            compopt -o dirnames
        elif [[ $type == 'file' ]]; then
            COMPREPLY=()
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            COMPREPLY+=($value)
        fi
    done

    return 0
}

_aforesaid_completion_setup() {
    complete -o nosort -F _aforesaid_completion aforesaid
}

_aforesaid_completion_setup;
fi
