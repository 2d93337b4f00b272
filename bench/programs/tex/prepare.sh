# prepare_tex DIRECTORY: Pascal to C, the woven programs, and the plain format.
prepare_tex() {
  others="etex ptex eptex uptex euptex aleph hitex pdftex luatex luajittex luahbtex luajithbtex mp
    pmp upmp xetex mf mflua mfluajit mf-nowin mflua-nowin mfluajit-nowin web-progs tex-synctex ipc"
  options="-q --disable-shared --disable-maintainer-mode --disable-dependency-tracking"
  for name in $others; do
    options="$options --disable-$name"
  done
  mkdir -p "$1/texk/kpathsea" "$1/texk/web2c" "$1/input"
  (cd "$1/texk/kpathsea" && "$work/tex/texk/kpathsea/configure" $options CFLAGS=-O2 &&
    make -s -j"$jobs") || return
  (cd "$1/texk/web2c" && "$work/tex/texk/web2c/configure" $options CFLAGS=-O2 &&
    make -s -j"$jobs" tex weave) || return
  weave_inputs "$1" && dump_format "$1"
}

weave_inputs() (
  texmf=$work/texmf/usr/share/texlive/texmf-dist
  cd "$1/input" || return
  cp "$texmf"/tex/plain/base/plain.tex "$texmf"/tex/generic/hyphen/hyphen.tex \
    "$texmf"/tex/plain/knuth-lib/*.tex "$texmf"/fonts/tfm/public/cm/*.tfm \
    "$texmf"/fonts/tfm/public/knuth-lib/*.tfm . || return
  cp "$here/texmf.cnf" . || return
  for name in tex mf; do
    TEXMFCNF=. "$1/texk/web2c/weave" "$work/tex/texk/web2c/$name.web" || return
  done
  # A small input: the first sections. A section of a woven file ends in a line "\fi".
  awk '{ print } /^\\fi$/ && ++sections == 60 { print "\\end"; exit }' tex.tex >excerpt.tex
)

dump_format() (
  cd "$1/input" && TEXMFCNF=. "$1/texk/web2c/tex" -ini -jobname=plain plain '\dump' </dev/null
)
