# fish completion for ascribe.  Commands and options come from --help, so they cannot drift.

# The compiler wrapper shows the compiler's help behind its own.
function __ascribe_options
    set -l words (commandline -opc)
    ascribe $words[2] --help 2>/dev/null | sed '/^ascribe-cc(1)/,$d' |
        string match -rga '(?:^|[ ,])(--[a-z-]+)' | sort -u
end

function __ascribe_commands
    ascribe --help 2>/dev/null | string replace -rf '^  ([a-z+]{2,})  +(\S.*)' '$1\t$2'
end

function __ascribe_formats
    ascribe export --help 2>/dev/null | sed -n '/^Formats:/,$ s/^  \([a-z]*\) .*/\1/p'
end

# The position of the recorded command's name: behind `--`, or the first word that is not an option.
# None where that is not typed yet.
function __ascribe_recorded
    set -l words (commandline -opc)
    test (count $words) -ge 3; and test $words[2] = record; or return 1
    set -l skips 0
    for i in (seq 3 (count $words))
        if test $skips = 1
            set skips 0
            continue
        end
        switch $words[$i]
            case --
                echo (math $i + 1)
                return 0
            case -o --output -r --rate -c --clock --pid -e --event --delay --duration
                set skips 1
            case '-*'
            case '*'
                echo $i
                return 0
        end
    end
    return 1
end

function __ascribe_records_command
    __ascribe_recorded >/dev/null
end

function __ascribe_complete_recorded
    set -l words (commandline -opc)
    set -l first (__ascribe_recorded)
    set -l own
    test $first -le (count $words); and set own (string escape -- $words[$first..-1])
    complete -C (string join ' ' -- $own (commandline -ct))
end

function __ascribe_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end

function __ascribe_last
    contains -- (commandline -opc)[-1] $argv
end

# Processes that have a recording's control file mapped.
function __ascribe_processes
    grep -ls '/ascribe\.control' /proc/[0-9]*/maps | cut -d/ -f3
end

function __ascribe_begins_option
    string match -q -- '-*' (commandline -ct)
    and not __ascribe_records_command
end

complete -c ascribe -f
complete -c ascribe -n 'test (count (commandline -opc)) = 1' -a '(__ascribe_commands)'
complete -c ascribe -n 'test (count (commandline -opc)) = 1' -l help -d 'show the commands'
complete -c ascribe -n 'test (count (commandline -opc)) = 1' -l version -d 'show the version'
complete -c ascribe -n 'test (count (commandline -opc)) -ge 2; and __ascribe_begins_option' -a '(__ascribe_options)'
complete -c ascribe -n '__ascribe_records_command' -a '(__ascribe_complete_recorded)'
complete -c ascribe -n '__ascribe_is record; and not __ascribe_records_command' -a '(__fish_complete_command)'
complete -c ascribe -n '__ascribe_is record; and __ascribe_last --pid' -a '(__fish_complete_pids)'
complete -c ascribe -n '__ascribe_is start stop' -a '(__ascribe_processes)'
complete -c ascribe -n '__ascribe_is diff growth; and __ascribe_last --of' -a 'functions arcs sites lines expressions'
complete -c ascribe -n '__ascribe_is export; and __ascribe_last -T --to' -a '(__ascribe_formats)'
complete -c ascribe -n '__ascribe_is report view html diff growth merge export; and not __ascribe_begins_option; and not __ascribe_last --of -T --to' -a '(__fish_complete_suffix .ascribe)'
complete -c ascribe -n '__ascribe_is cc c++ fc gprof import; and not __ascribe_begins_option' -F
