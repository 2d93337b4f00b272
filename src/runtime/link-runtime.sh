#!/bin/sh
# Usage: link-runtime.sh COMPILER... ARCHIVE OUTPUT
# Makes one relocatable object of the archive, or, if OUTPUT ends in .so, a library to preload. The
# code gets a section of its own, so that the tick handler can tell it from the program's; hidden
# names become local. The object has no debug information: it would go into every program, with the
# paths of this build.
set -eu
compiler=""
while [ $# -gt 2 ]; do compiler="$compiler $1"; shift; done
$compiler -r -nostdlib -o "$2.all" -Wl,--whole-archive "$1" -Wl,--no-whole-archive
case $2 in
*.so)
  # A library has no .preinit_array; initfirst: its constructors run before all others.
  objcopy --rename-section .text=ascribe_text --rename-section .preinit_array=.init_array \
    "$2.all" "$2.o"
  $compiler -shared -o "$2" "$2.o" -Wl,-soname,libascribe.so -Wl,-Bsymbolic -Wl,-z,initfirst \
    -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,nodelete
  rm -f "$2.o"
  ;;
*)
  objcopy --rename-section .text=ascribe_text --localize-hidden --strip-debug "$2.all" "$2"
  ;;
esac
rm -f "$2.all"
