#!/bin/sh
# versions.sh: the versions of clang that a plugin may be wanted for, from 14 on, each once: those of
# clang and of LLVM's headers that are installed. A line for each, with tabs between: the version as
# "major.minor", the major one, and the folder of LLVM's headers, or nothing if they are missing.
export LC_ALL=C
tab=$(printf '\t')

# headers VERSION: of llvm-config or the one of that major version, if it is of VERSION.
headers() {
  for name in "llvm-config-${1%.*}" llvm-config; do
    case $("$name" --version 2>/dev/null) in
    "$1".*)
      include=$("$name" --includedir)
      [ ! -e "$include/llvm/Passes/PassBuilder.h" ] || echo "$include"
      return
      ;;
    esac
  done
}

{
  for name in clang clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang-20 clang-21 clang-22; do
    "$name" --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\.[0-9]*\)\..*/\1/p'
    "llvm-config${name#clang}" --version 2>/dev/null | sed -n 's/^\([0-9]*\.[0-9]*\)\..*/\1/p'
  done
} | sort -un | while read -r version; do
  [ "${version%.*}" -lt 14 ] || echo "$version$tab${version%.*}$tab$(headers "$version")"
done
