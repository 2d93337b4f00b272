#!/bin/sh
# wrapper.sh ASCRIBE [--contexts]: the compiler wrapper under the habits of real build systems.
[ -z "$ASCRIBE_WITHOUT_PLUGIN" ] || { echo "skipped: needs the GCC plugin, which was not built"; exit 77; }
ascribe=$1
programs=$(cd "$(dirname "$0")/programs" && pwd)
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
export XDG_RUNTIME_DIR="$directory"
unset ASCRIBE_CC ASCRIBE_CXX ASCRIBE_FC ASCRIBE_ONLY ASCRIBE_SKIP ASCRIBE_OUT
failed=0
cc="$ascribe cc${2:+ $2}"

check() {
  name=$1
  shift
  "$@" >"$directory/output" 2>&1 && return 0
  cat "$directory/output" >&2
  echo "FAILED: $name" >&2
  failed=$((failed + 1))
}

# explains PATTERN ARGUMENTS...: --ascribe-explain says it.
explains() {
  pattern=$1
  shift
  "$ascribe" "$@" --ascribe-explain >"$directory/output" 2>&1
  grep -q -- "$pattern" "$directory/output" && return 0
  cat "$directory/output" >&2
  echo "FAILED: $* should explain: $pattern" >&2
  failed=$((failed + 1))
}

instrumented() { nm "$1" | grep -q " [BDTVW] ascribe\.row\| w ascribe_counts_loaded"; }
recording() { nm "$1" | grep -q " T ascribe_enter_slow"; }
hookless() { ! nm "$1" | grep -q ascribe_; }
same_output() { [ "$($1)" = "$($2)" ]; }

cd "$directory" || exit 1
cp "$programs/tree.c" "$programs/own_start.c" .

check "one step" $cc -O2 tree.c -o tree
check "one step: runtime" recording tree
check "one step: run" ./tree
check "a.out" sh -c "$cc tree.c && ./a.out"
check "separate steps" sh -c "$cc -c tree.c && $cc -o two_steps tree.o && ./two_steps"
check "separate steps: runtime" recording two_steps
check "object" instrumented tree.o
check "plain link" sh -c "gcc tree.o -o plain && ./plain"
check "libtool: what nm shows, declared as char, links" sh -c "nm -B tree.o |
  sed -n 's/^.* [ABCDGIRSTW] \\([_A-Za-z][_A-Za-z0-9]*\\)\$/extern char \\1; char *p_\\1 = \\&\\1;/p' >names.c &&
  grep -q p_main names.c && $cc names.c tree.o -o names"
check "<ascribe/ascribe.h>" sh -c "echo '#include <ascribe/ascribe.h>' >includes.c &&
  $cc -c includes.c && $cc -E includes.c >includes.i"
check "--counts" "$ascribe" cc --counts -O2 tree.c -o tree
check "static" sh -c "$cc -static tree.c -o static && ./static"
check "static-pie" sh -c "$cc -static-pie tree.c -o static_pie && ./static_pie"
check "--static" sh -c "$cc --static tree.c -o static && ./static"
check "--static-pie" sh -c "$cc --static-pie tree.c -o static_pie && ./static_pie"
check "--compile" sh -c "$cc --compile --output long.o tree.c && $cc --output=long long.o && ./long"
check "--shared" sh -c "$cc --shared -fPIC tree.c -o libtree.so"
check "no-pie" sh -c "$cc -no-pie -fno-pie tree.c -o no_pie && ./no_pie"
check "-x c" sh -c "$cc -x c - -o from_pipe <tree.c && ./from_pipe"
check "-x after" sh -c "$cc -x c tree.c -x none -o x_none && ./x_none"
check "several sources" sh -c "echo 'int unused(void) { return 1; }' >more.c &&
  $cc tree.c more.c -o several && ./several"
check "response file" sh -c "printf '%s\n' '-O1 -c \"tree.c\"' '-o' response.o >words &&
  $cc @words && $cc @words -O2"
check "response file: object" instrumented response.o
check "preprocess" sh -c "$cc -E tree.c >one.i && gcc -E tree.c >two.i && cmp one.i two.i"
check "dependencies" sh -c "$cc -M tree.c >one.d && gcc -M tree.c >two.d && cmp one.d two.d"
check "dependencies beside" sh -c "$cc -MMD -MF tree.d -MT tree.o -c tree.c && grep -q tree.c tree.d"
check "preprocessed source" sh -c "$cc -c two.i -o from_i.o"
check "preprocessed source: object" instrumented from_i.o
check "assembly" sh -c "$cc -S tree.c && $cc -c tree.s -o from_s.o"
check "assembly: object" instrumented from_s.o
check "lto" sh -c "$cc -flto -O2 -c tree.c more.c && $cc -flto tree.o more.o -o lto && ./lto"
check "lto: runtime" recording lto
check "library" $cc -shared -fPIC tree.c -o libtree.so
check "library: object" instrumented libtree.so
check "library: no runtime" sh -c "nm libtree.so | grep -q ' w ascribe_counts_loaded\| W ascribe_row_enter'"
printf 'int answer(int n);\nint helper(int n) { return n + 1; }
int answer(int n) { return helper(n) + helper(n + 1); }\n' >answer.c
printf 'int answer(int n);\nint main(void) { return answer(1) == 5 ? 0 : 1; }\n' >asks.c
for binding in -Wl,-Bsymbolic -Wl,-Bsymbolic-functions -Wl,-z,now; do
  check "library $binding" $cc -O0 -shared -fPIC $binding answer.c -o libanswer.so
  check "library $binding: program" $cc asks.c ./libanswer.so -o asks
  check "library $binding: run" env ASCRIBE_OUT="$directory/answers" ./asks
  check "library $binding: recorded" sh -c "'$ascribe' report answers | grep -q ' 2 .*helper'"
  rm -rf answers
done
check "-r" $cc -r tree.o -o joined.o
check "-nostdlib" sh -c "$cc -nostdlib own_start.c -o own_start && ./own_start"
check "-nostdlib -static" sh -c "$cc -nostdlib -static own_start.c -o own_static && ./own_static"
check "-ffreestanding" $cc -ffreestanding -c own_start.c -o free.o
check "-ffreestanding: object" hookless free.o
check "precompiled header" sh -c "echo '#include <stdio.h>' >all.h && $cc all.h &&
  echo '#include \"all.h\"
int main(void) { return puts(\"x\") < 0; }' >with.c && $cc with.c -o with && ./with"
check "prefix map" sh -c "$cc -g -O2 -ffile-prefix-map='$directory'=/built -c '$directory/tree.c' -o mapped.o &&
  grep -q /built mapped.o && ! grep -q '$directory' mapped.o"
check "save-temps" sh -c "$cc -save-temps -c tree.c -o saved.o && test -f tree.i -o -f saved.i"
check "only" sh -c "ASCRIBE_ONLY='sum,drop' $cc -O1 -fno-inline -c tree.c -o only.o"
check "debug information" sh -c "$cc -g -O2 -gsplit-dwarf tree.c -o split && ./split"

check "c++" sh -c "echo 'int main() { try { throw 1; } catch (int) { return 0; } return 1; }' \
  >throws.cc && '$ascribe' c++ throws.cc -o throws && ./throws"
check "c++: runtime" recording throws
check "fortran" sh -c "printf 'program p\nprint *, 1\nend program\n' >p.f90 &&
  '$ascribe' fc p.f90 -o fortran && ./fortran"
check "fortran: runtime" recording fortran

# Questions to the compiler, as configure and cmake ask them.
for question in --version -dumpmachine -dumpversion -v -print-search-dirs -print-prog-name=ld -V -qversion; do
  "$ascribe" cc $question >one.txt 2>&1
  asked=$?
  cc $question >two.txt 2>&1
  check "$question: status" [ $asked -eq $? ]
  check "$question: answer" cmp one.txt two.txt
done
# A version script that makes everything else local leaves the library the executable's hooks.
cat >library.c <<'end'
int exported(void) { return 0; }
end
shares() {
  nm -D "$1" >symbols.txt && grep -q " ascribe\.row" symbols.txt &&
    grep -q " T exported" symbols.txt && ! grep -q " T secret" symbols.txt
}
echo '__attribute__((noinline)) int secret(void) { return 1; }' >>library.c
number=0
for script in '{ global: exported; local: *; };' \
    'V1 { /* { */ global : exported; local: *; }; V2 { local: none; } V1;'; do
  echo "$script" >library.map
  for option in -Wl,--version-script=library.map -Wl,--version-script,library.map \
      "-Wl,-version-script -Wl,library.map" "-Xlinker --version-script=library.map" \
      "-Xlinker -version-script -Xlinker library.map"; do
    number=$((number + 1))
    check "$option: $script" $cc --contexts -shared -fPIC $option library.c -o library$number.so
    check "$option: $script: symbols" shares library$number.so
  done
done
for script in '{ local: *; };' '{ exported; };'; do
  echo "$script" >library.map
  check "$script" $cc --contexts -shared -fPIC -Wl,--version-script=library.map library.c -o library.so
  check "$script: cell" sh -c 'nm -D library.so | grep -q " ascribe\.row"'
done
# Counters have one way to the runtime, which no script can take away.
check "counters: local script" $cc --counts -shared -fPIC -Wl,--version-script=library.map library.c -o library.so
check "counters: symbol" sh -c 'nm -D library.so | grep -q " w ascribe_counts_loaded"'
# Counters of executables are found by %gs: what uses it itself, or is to be a library, is refused.
echo 'long own(void) { return *(__seg_gs long *)8; }' >own.c
# By the plugin, or by the linker: from binutils 2.47 on in other words.
refused() {
  ! "$@" 2>refused.log &&
    grep -q -- "--without-gs\|recompile with -fPIC\|incompatible with -shared" refused.log
}
check "own use of %gs" refused $cc --counts -c own.c
check "own use of %gs: --without-gs" $cc --counts --without-gs -c own.c
check "own use of %gs: in a library" $cc --counts -fPIC -c own.c
check "own use of %gs: contexts" $cc --contexts -c own.c
check "code of an executable" $cc --counts -fPIE -c answer.c -o answer.o
check "code of an executable: in a library" refused gcc -shared answer.o -o libanswer.so
# The same in response files, one in another, and with words that need quotes.
mkdir "a b"
echo '{ global: exported; local: *; };' >"a b/library.map"
printf '%s\n' '-fPIC' '"-Wl,--version-script=a b/library.map"' >inner
printf '%s\n' '-shared @inner' "-DSAYS='\"x \\\\\\\\ y\"'" >outer
echo 'const char *says(void) { return SAYS; }' >>library.c
check "response file" $cc --contexts @outer library.c -o library.so
check "response file: symbols" shares library.so
check "response file: words as they were" grep -q 'x \\ y' library.so
printf '%s\n' '"a b/library.map"' >script
check "beside a response file" $cc --contexts -DSAYS='""' -shared -fPIC library.c -o library.so \
  -Xlinker -version-script -Xlinker @script
check "beside a response file: symbols" shares library.so
check "script that is missing" sh -c "! $cc -shared -fPIC -Wl,--version-script=none.map library.c"
check "no file is left" sh -c "! ls *.recording 2>/dev/null"
echo "int main(void) { return undeclared; }" >wrong.c
check "an error is an error" sh -c "! $cc -c wrong.c 2>/dev/null"
check "a compiler that is missing" sh -c "ASCRIBE_CC=no_such_compiler $cc -c tree.c 2>&1 |
  grep -q 'cannot run the compiler no_such_compiler'"
check "compiler with arguments" sh -c "ASCRIBE_CC='gcc -O1' $cc -c tree.c"

explains "GCC plugin" cc -c tree.c
explains "not linked: nothing is linked" cc -c tree.c
explains "linked: an executable is linked" cc tree.o
explains "shared library" cc -shared tree.o
explains "shared library" cc --shared tree.o
explains "not linked: nothing is linked" cc --compile --language=c tree
explains "fits this compiler ([^;]*)$" cc --expressions -ggdb3 -c tree.c
explains "fits this compiler ([^;]*)$" cc --expressions -gdwarf-5 -c tree.c
explains "fits this compiler ([^;]*)$" cc --expressions tree.o
explains "relocatable\|-r:" cc -r tree.o
explains "version script" cc -shared -Wl,--version-script=x tree.o
explains "64-bit" cc -m32 -c tree.c
explains "preprocessing only" cc -E tree.c
explains "freestanding" cc -ffreestanding -c tree.c
explains "fplugin-arg-ascribe_gcc_plugin_[0-9_]*-skip=a,b" cc --ascribe-skip=a,b -c tree.c
# Of several plugins the one that fits the compiler.
while read -r compiler; do
  export ASCRIBE_CC="$compiler"
  explains "GCC plugin" cc -c tree.c
  check "$compiler" sh -c "$cc -O2 tree.c -o other && ./other"
  check "$compiler: runtime" recording other
done <<END
$GCCS
END
unset ASCRIBE_CC
if command -v clang >/dev/null; then
  export ASCRIBE_CC=clang
  explains "after-inlining" cc -c tree.c
  explains "called hooks" cc --contexts -c tree.c
  explains "; --centres= (ASCRIBE_CC_CENTRES) needs the plugin" cc --contexts --centres=main -c tree.c
  check "clang" sh -c "$cc -O2 tree.c -o clang && ./clang"
  check "told once" sh -c "! $cc -O2 -c tree.c 2>&1 | grep -q ascribe:"
  unset ASCRIBE_CC
fi
if command -v ccache >/dev/null; then
  unset CCACHE_DISABLE
  export CCACHE_DIR="$directory/ccache"
  check "ccache" sh -c "ccache $cc -O2 -c tree.c -o c1.o && ccache $cc -O2 -c tree.c -o c2.o"
  check "ccache: object" instrumented c2.o
  check "ccache: hit" sh -c "ccache -s | grep -qi 'hits: *1'"
fi
if command -v cmake >/dev/null; then
  mkdir cmake && cp tree.c cmake/
  printf '%s\n' 'cmake_minimum_required(VERSION 3.10)' 'project(tree C)' \
    'add_library(empty SHARED tree.c)' 'add_executable(tree tree.c)' >cmake/CMakeLists.txt
  check "cmake" env CC="$cc" cmake -S cmake -B cmake/build
  check "cmake: build" cmake --build cmake/build
  check "cmake: run" cmake/build/tree
  check "cmake: runtime" recording cmake/build/tree
fi

echo "$failed failed"
[ "$failed" -eq 0 ]
