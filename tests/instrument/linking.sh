#!/bin/sh
# linking.sh PLUGIN FIXTURE_SOURCE INCLUDE: instrumented objects in every kind of linked object.
plugin=$1 fixture_source=$2 include=$3
argument=-fplugin-arg-$(basename "$plugin" .so)
programs=$(cd "$(dirname "$0")" && pwd)/programs
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
failed=0
CC=${CC:-gcc} CXX=${CXX:-g++}
hooks="-fplugin=$plugin -I$(dirname "$fixture_source")"
exported="-Wl,--export-dynamic-symbol=ascribe.row,--export-dynamic-symbol=ascribe_inert_gate
  -Wl,--export-dynamic-symbol=ascribe_row_enter,--export-dynamic-symbol=ascribe_row_call
  -Wl,--export-dynamic-symbol=ascribe_row_call_pointer,--export-dynamic-symbol=ascribe_row_jump
  -Wl,--export-dynamic-symbol=ascribe_row_jump_pointer,--export-dynamic-symbol=ascribe_inert_row
  -Wl,--export-dynamic-symbol=ascribe_object_loaded"

# check NAME COMMAND...: the command succeeds.
check() {
  name=$1
  shift
  "$@" >"$directory/output" 2>&1 && return 0
  cat "$directory/output" >&2
  echo "FAILED: $name" >&2
  failed=$((failed + 1))
}
cd "$directory" || exit 1
# Since GCC 13 its frames may be in memory that trampolines of nested functions cannot be run in.
export ASAN_OPTIONS=detect_stack_use_after_return=0
for sanitizer in "" address undefined thread; do
  $CC ${sanitizer:+-fsanitize=$sanitizer} -O1 -fPIE -D_GNU_SOURCE -I"$include" \
    -c "$fixture_source" -o "fixture$sanitizer.o" || exit 1
done

for level in -O0 -O2; do
  # Without the runtime: plain gcc, objects joined by -r, libraries without an executable's cell.
  check "plain link" $CC $level $hooks -c "$programs/tree.c" -o tree.o
  check "plain link" $CC tree.o -o plain
  check "plain run" ./plain
  check "-r" $CC -r tree.o -o joined.o
  check "-r link" $CC joined.o -o joined
  check "-r run" ./joined
  check "-nostdlib" $CC $level $hooks -nostdlib -nostartfiles "$programs/own_start.c" -o own_start
  check "-nostdlib run" ./own_start
  check "static library" sh -c "ar rcs libtree.a tree.o && $CC libtree.a -o archived && ./archived"

  # Two libraries with the same function, linked and opened; one cell, two functions.
  for n in 1 2; do
    check "library $n" $CC $level $hooks -fPIC -shared -DNUMBER=$n "$programs/same_name.c" \
      -o libsame$n.so
  done
  check "libraries" $CC $level $hooks $exported "$programs/two_libraries.c" fixture.o -o two
  check "libraries run" ./two ./libsame1.so ./libsame2.so
  check "libraries, linked" $CC $level $hooks $exported "$programs/two_libraries.c" fixture.o \
    -Wl,-rpath,"$directory" libsame1.so libsame2.so -o two
  check "libraries run, linked" ./two libsame1.so libsame2.so
  check "libraries, plain host" $CC "$programs/plain_host.c" -o host
  check "libraries run, plain host" ./host ./libsame1.so ./libsame2.so

  # One inline function in two units.
  for n in 1 2; do
    check "shared inline $n" $CXX $level $hooks -DUNIT=$n -c "$programs/shared_inline.cc" \
      -o inline$n.o
  done
  check "shared inline" $CXX inline1.o inline2.o fixture.o -o inline
  check "shared inline run" ./inline

  # Units of one program compiled together and apart; hooks only in some.
  check "lto" $CXX $level -flto $hooks -DUNIT=1 -c "$programs/shared_inline.cc" -o lto1.o
  check "lto" $CXX $level -flto $hooks -DUNIT=2 -c "$programs/shared_inline.cc" -o lto2.o
  check "lto link" $CXX $level -flto $hooks lto1.o lto2.o fixture.o -o lto
  check "lto run" ./lto
  check "lto beside" $CXX $level -flto $hooks lto1.o inline2.o fixture.o -o lto
  check "lto beside run" ./lto

  for sanitizer in address undefined thread; do
    for program in calls frames; do
      check "$sanitizer, $program" $CC $level -w -g -fsanitize=$sanitizer $hooks \
        "$programs/$program.c" fixture$sanitizer.o -o sanitized
      check "$sanitizer, $program run" ./sanitized
    done
    check "$sanitizer, exceptions" $CXX $level -w -g -fsanitize=$sanitizer $hooks \
      "$programs/exceptions.cc" fixture$sanitizer.o -o sanitized
    check "$sanitizer, exceptions run" ./sanitized
  done
done

# What the choice of functions leaves out is not counted.
check "only" $CC -O2 $hooks $argument-only='lea*,main' \
  "$programs/chosen.c" fixture.o -o chosen
check "only run" ./chosen 1 0
check "skip" $CC -O2 $hooks $argument-skip='lea?' \
  "$programs/chosen.c" fixture.o -o chosen
check "skip run" ./chosen 0 1
check "skip file" $CC -O2 $hooks $argument-skip='*/chosen.c' \
  "$programs/chosen.c" fixture.o -o chosen
check "skip file run" ./chosen 0 0
check "tiny leaves" $CC -O2 $hooks $argument-leaf-statements=10 \
  "$programs/chosen.c" fixture.o -o chosen
check "tiny leaves run" ./chosen 0 1
# Pieces are their function, by its name; without their hooks it could not go on in them.
cut="$CC -O2 $hooks $argument-report -c $programs/cut.c -o cut.o"
cut_of() { $cut "$argument-$1" 2>&1 | grep -c 'ascribe: cut.part'; }
check "only a function with a piece" [ "$(cut_of only=cut)" = 1 ]
check "skip a function with a piece" [ "$(cut_of skip=cut)" = 0 ]
check "piece that is a tiny leaf" [ "$(cut_of leaf-statements=100)" = 1 ]
check "unknown option is refused" sh -c \
  "! $CC $hooks $argument-nonsense=1 -c '$programs/chosen.c' -o chosen.o"

echo "$failed failed"
[ "$failed" -eq 0 ]
