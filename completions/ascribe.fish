# fish completion for ascribe, which says itself what can follow (ascribe --complete).

function __ascribe_complete
    set -l words (commandline -opc) (commandline -ct)
    # What stands before a file in the same word: --output=FILE, n=1000:FILE.
    set -l before (string match -r '^(?:--[a-z-]+=|n=\d+:)' -- $words[-1])
    set -l file (string replace -- "$before" '' $words[-1])
    for line in (ascribe --complete $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                string replace -r '^' -- "$before" (__fish_complete_path $file)
            case :profiles
                if test -z "$before"
                    __fish_complete_suffix .ascribe
                else
                    string replace -r '^' -- "$before" (__fish_complete_path $file)
                end
            case :processes
                __fish_complete_pids
            case ':program *'
                set -l first (math (string replace ':program ' '' $line) + 2)
                set -l own (string escape -- $words[$first..-2])
                test $first -lt (count $words)
                and complete -C (string join ' ' -- $own (commandline -ct))
                or begin
                    __fish_complete_command
                    __fish_complete_path
                end
            case '*'
                echo $line
        end
    end
end

complete -c ascribe -f -a '(__ascribe_complete)'
