#!/bin/sh
# matrix.sh HOOKS FIXTURE_SOURCE INCLUDE PROGRAM...: build each program, with the compiler options
# HOOKS, in every way in which code is generated; link it with the fixture and run it.
hooks=$1 fixture_source=$2 include=$3
shift 3
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
failed=0
fixture=$directory/fixture.o
${CC:-gcc} -O1 -fPIE -D_GNU_SOURCE -I"$include" -c "$fixture_source" -o "$fixture" || exit 1

compiler_of() {
  case $1 in
  *.cc) echo "${CXX:-g++}" ;;
  *.f90) echo "${FC:-gfortran}" ;;
  *) echo "${CC:-gcc}" ;;
  esac
}

fail() {
  echo "FAILED: $*" >&2
  failed=$((failed + 1))
}

# run PROGRAM FLAGS...: one way of building.
run() {
  program=$1
  shift
  checks=
  case $program in # a clone is counted as itself, and gfortran knows no attribute against them
  *.f90) checks="${program%.f90}_checks.c -J$directory -fno-inline -fno-ipa-cp -fno-ipa-sra" ;;
  esac
  if ! command -v "$(compiler_of "$program")" >/dev/null; then
    echo "skipped: $(compiler_of "$program") is not installed"
    exit 77
  fi
  arguments=
  case "$*" in *-O2* | *-O3* | *-Os*) arguments=10000000 ;; esac
  case "$hooks" in *-finstrument-functions*) arguments= ;; esac # they end tail calls
  binary=$directory/program
  # shellcheck disable=SC2086
  if ! $(compiler_of "$program") "$@" -w -I"$(dirname "$fixture_source")" \
    $hooks "$program" $checks "$fixture" -o "$binary" 2>"$directory/errors"; then
    cat "$directory/errors" >&2
    fail "$program: $* does not build"
    return
  fi
  # shellcheck disable=SC2086
  timeout 60 "$binary" $arguments || fail "$program: $*: status $?"
}

levels="-O0 -Og -O1 -O2 -O3 -Os"
for program in "$@"; do
  for level in $levels; do
    for mode in "-fPIE -pie" "-fPIC" "-fno-pie -no-pie" "-static"; do
      # shellcheck disable=SC2086
      run "$program" $level $mode
    done
  done
  run "$program" -O2 -flto
  run "$program" -O2 -static-pie
  run "$program" -O2 -g -masm=intel -fcf-protection
  run "$program" -O2 -fPIC -masm=intel
  run "$program" -O3 -ffunction-sections -fdata-sections -Wl,--gc-sections
  run "$program" -O2 -fno-plt -fno-omit-frame-pointer
  run "$program" -O1 -fstack-protector-all -fstack-clash-protection
  run "$program" -O2 -fexceptions -fnon-call-exceptions
done
echo "$failed failed"
[ "$failed" -eq 0 ]
