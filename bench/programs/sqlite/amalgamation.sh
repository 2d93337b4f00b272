# amalgamation DIRECTORY: makes sqlite3.c and shell.c in it, from the source package.
amalgamation() {
  if ! command -v tclsh >/dev/null; then
    mkdir -p "$work/tcl/bin"
    cat >"$work/tcl/bin/tclsh" <<END
#!/bin/sh
export LD_LIBRARY_PATH="$work/tcl/usr/lib/$(gcc -print-multiarch)"
export TCL_LIBRARY="$work/tcl/usr/share/tcltk/tcl8.6"
exec "$work/tcl/usr/bin/tclsh8.6" "\$@"
END
    chmod +x "$work/tcl/bin/tclsh"
    PATH=$work/tcl/bin:$PATH
  fi
  cd "$1"
  "$work/sqlite/configure" --disable-tcl --disable-readline &&
    make TCLSH_CMD=tclsh sqlite3.c shell.c
}
