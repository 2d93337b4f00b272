#!/bin/sh
# compilers.sh CC...: the gccs that a plugin may be wanted for, each once: the compiler CC, gcc, and
# gcc-11 to gcc-16. A line for each, with tabs between: the command, the major version, the folder
# of its plugin headers, and what -v says of its version and of its configuration.
export LC_ALL=C
tab=$(printf '\t')
case $1 in *ccache) shift ;; esac

describe() {
  answer=$("$@" -v 2>&1) || return 0
  version=$(printf '%s\n' "$answer" | sed -n 's/ *$//; /^gcc version /p')
  [ -n "$version" ] || return 0
  configuration=$(printf '%s\n' "$answer" | grep '^Configured with: ')
  major=$(echo "$version" | sed 's/^gcc version \([0-9]*\).*/\1/')
  headers=$("$@" -print-file-name=plugin)/include
  echo "$*$tab$major$tab$headers$tab$version$tab$configuration"
}

{
  describe "$@"
  for name in gcc gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 gcc-16; do describe "$name"; done
} | awk -F'\t' '!known[$4, $5]++'
