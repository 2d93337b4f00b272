# Shared by the programs' scripts, which source it after they set `here`.
#
#   programs/NAME/build OUT CC FLAGS...   compile and link NAME into the directory OUT; CC may hold
#                                         blanks ("ascribe cc --contexts"), and knows the language of a
#                                         file by its name; FLAGS go to every compile and to the link;
#                                         with $BENCH_SHARED its hot code becomes a shared library
#                                         (lua, sqlite)
#   programs/NAME/run OUT RESULT [small]  run it on its input; all that it prints or writes lands in
#                                         the new directory RESULT; `small` is an input for slow
#                                         observers.  $BENCH_UNDER, if set, is put before the command;
#                                         $BENCH_THREADS: how many threads xz has
set -eu

work=${ASCRIBE_BENCH_WORK:-$here/../../work}
work=$(cd "$work" && pwd)
jobs=$(nproc)

# compile DIRECTORY FLAGS... -- SOURCES...: each source to DIRECTORY/NAME.o with $compiler.
compile() {
  directory=$1
  shift
  mkdir -p "$directory"
  flags=
  while [ "$1" != -- ]; do
    flags="$flags $(quoted "$1")"
    shift
  done
  shift
  for source; do
    name=$(basename "${source%.*}")
    echo "$compiler $flags -w -c $(quoted "$source") -o $(quoted "$directory/$name.o")"
  done | tr '\n' '\0' | xargs -0 -n 1 -P "$jobs" sh -c
}

quoted() {
  printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"
}

# Do the command once for all variants; it makes the directory $work/prepared/NAME. Builds that run at
# the same time wait for each other here.
prepared() {
  [ ! -e "$work/prepared/$1/.done" ] || return 0
  mkdir -p "$work/prepared"
  exec 9>"$work/prepared/$1.lock"
  flock 9
  if [ ! -e "$work/prepared/$1/.done" ]; then
    rm -rf "$work/prepared/$1"
    mkdir -p "$work/prepared/$1"
    "$2" "$work/prepared/$1" >"$work/prepared/$1.log" 2>&1 || {
      echo "bench: preparing $1 failed: see $work/prepared/$1.log" >&2
      exit 1
    }
    touch "$work/prepared/$1/.done"
  fi
  exec 9>&-
}
