#!/bin/sh
# Usage: link-runtime.sh COMPILER... ARCHIVE OUTPUT
# Makes one relocatable object of the archive. The code gets a section of its own, so that the tick
# handler can tell it from the program's; hidden names become local.
set -eu
compiler=""
while [ $# -gt 2 ]; do compiler="$compiler $1"; shift; done
$compiler -r -nostdlib -o "$2.all" -Wl,--whole-archive "$1" -Wl,--no-whole-archive
objcopy --rename-section .text=ascribe_text --localize-hidden "$2.all" "$2"
rm -f "$2.all"
