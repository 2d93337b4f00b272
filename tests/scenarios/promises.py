#!/usr/bin/env python3
"""Section 3's examples with Scheme's promises and `scc` in CHICKEN and Chez, and in GHC: each part costs whom the paper
says, and centres are entered as often as in examples/lazy.  GHC differs where its lexical rule does: the function that an
scc returns costs the scc; lazy_host.py has both rules in the lazy machine.  In Scheme escapes, entries again, threads."""

import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("promises")
SOURCES = harness.SOURCE / "tests" / "scheme"
LAZY = harness.SOURCE / "examples" / "lazy"
EXAMPLES = harness.SOURCE / "docs" / "examples"

# Who asks for the current centre: CHICKEN in C, Chez by struct ascribe_host.
CHICKEN = """(cond-expand (ascribe) (else (define-syntax scc (syntax-rules () ((_ label expression) expression)))))
(define (here) (cond-expand (ascribe (##core#inline "ascribe_scheme_built")) (else 0)))
"""
CHEZ = """(import (ascribe))
(define here
  (begin
    (load-shared-object #f)
    (if (foreign-entry? "ascribe_host_loaded")
        (let ([host (foreign-alloc %(bytes)d)])
          (do ([i 0 (+ i 1)]) ((= i %(bytes)d)) (foreign-set! 'unsigned-8 host i 0))
          (foreign-set! 'unsigned-32 host 0 %(version)d)
          ((foreign-procedure "ascribe_host_loaded" (uptr) void) host)
          (foreign-procedure (foreign-ref 'uptr host %(current)d) () unsigned-32))
        (lambda () 0))))
"""
PLACES = """#define ASCRIBE_RUNTIME
#include <ascribe/host.h>
#include <stdio.h>
int main(void) {
  printf("%zu %d %zu\\n", sizeof(struct ascribe_host), ASCRIBE_HOST_VERSION, __builtin_offsetof(struct ascribe_host, current_centre));
}
"""

PARTS = {"spine": "foo", "element": "bar", "user-body": "user", "argument": "builder", "inner-argument": "inner", "rows": "none",
         "row-spine": "row", "row-element": "row", "returned": "none", "once": "once", "entered-again": "foo",
         "behind-force": "demander", "behind": "none", "before-leaving": "leaving", "behind-leaving": "none"}
ESCAPES = {"entered-again", "behind-force", "behind", "before-leaving", "behind-leaving"}  # in Scheme alone
VALUES = ["(1501500 1000)", "(1060500 1060500)", "2", "2", "(1 2)"]


def lazy_entries():
    """Of the four examples in the lazy machine."""
    must(["gcc", "-I", harness.SOURCE / "include", LAZY / "lazy.c", "-o", DIRECTORY / "lazy"])
    entries = {}
    for name in ("nested", "arguments", "instances", "returned"):
        path = DIRECTORY / f"lazy-{name}.ascribe"
        must([ASCRIBE, "record", "-q", "-o", path, "--", DIRECTORY / "lazy", LAZY / f"{name}.stg"])
        entries.update(entered(path))
    return {label: count for label, count in entries.items() if label not in ("partf", "(collector)")}


def entered(path):
    return dict(Profile(path).rows("select name, sum(entries) from cost_centres where entries > 0 group by 1"))


def same_as_paper(host, plain, recorded, path, lazy):
    check(plain.splitlines() == [f"{part} none" for part in PARTS] + VALUES, f"{host} alone: {plain}")
    check(recorded.splitlines() == [f"{part} {centre}" for part, centre in PARTS.items()] + VALUES, f"{host}: {recorded}")
    expected = dict(lazy)
    expected.update({"foo": expected["foo"] + 3, "demander": 1, "leaving": 1})  # the escapes' own
    check(entered(path) == expected, f"{host}: entries {entered(path)}, not {expected}")
    check("their caller's cost centre" in must([ASCRIBE, "report", path]).output, "the report names the rule for functions")


def chicken(lazy):
    (DIRECTORY / "section3.scm").write_text(CHICKEN + (SOURCES / "section3.scm").read_text())
    must(["csc", "-C", "-O0", "section3.scm", "-o", "plain"], directory=DIRECTORY)
    must([ASCRIBE, "csc", "-C", "-O0", "section3.scm", "-o", "section3"], directory=DIRECTORY)
    path = DIRECTORY / "chicken.ascribe"
    plain = must([DIRECTORY / "plain"]).output
    check(must([DIRECTORY / "section3"]).output == plain, "not recorded")
    same_as_paper("CHICKEN", plain, must([ASCRIBE, "record", "-q", "-o", path, "--", DIRECTORY / "section3"]).output, path, lazy)
    rows = Profile(path).rows("select distinct module, line from cost_centres where name = 'builder'")
    lines = (DIRECTORY / "section3.scm").read_text().splitlines()
    check(len(rows) == 1 and rows[0][0] == "section3" and '"builder"' in lines[rows[0][1] - 1], f"place: {rows}")
    must([ASCRIBE, "csc", "-C", "-O0", SOURCES / "threads.scm", "-o", "threads"], directory=DIRECTORY)
    told = must([ASCRIBE, "record", "-q", "-o", path, "--", DIRECTORY / "threads"]).output
    check(told == "0 in another centre, #t\n", told)
    (DIRECTORY / "wrong.scm").write_text("(scc name 1)")
    result = run([ASCRIBE, "csc", "wrong.scm"], directory=DIRECTORY)
    check(result.status and "syntax" in result.errors and "string" in result.errors, result.errors)


def chez(lazy):
    (DIRECTORY / "places.c").write_text(PLACES)
    must(["gcc", "-I", harness.SOURCE / "include", "places.c", "-o", "places"], directory=DIRECTORY)
    size, version, current = map(int, must([DIRECTORY / "places"]).output.split())
    (DIRECTORY / "section3.ss").write_text(CHEZ % {"bytes": size, "version": version, "current": current} +
                                           (SOURCES / "section3.scm").read_text())
    shutil.copy(EXAMPLES / "ascribe.sls", DIRECTORY)
    plain = must(["scheme", "--script", "section3.ss"], directory=DIRECTORY).output
    for options in ([], ["--contexts"]):
        path = DIRECTORY / "chez.ascribe"
        told = must([ASCRIBE, "record", "-q", "-o", path, "--", ASCRIBE, "scheme", *options, "--script", "section3.ss"],
                    directory=DIRECTORY).output
        same_as_paper(f"Chez {options}", plain, told, path, lazy)


def has_ghc():
    """Whether there is one that profiles, which has built the program then."""
    if not shutil.which("ghc"): return False
    shutil.copy(SOURCES / "section3.hs", DIRECTORY)
    built = run(["ghc", "-v0", "-prof", "-fno-prof-auto", "-O0", "-outputdir", DIRECTORY, "-o", "haskell", "section3.hs"],
                directory=DIRECTORY)
    check(built.status == 0 or "rofiling libraries" in built.errors, built.errors)
    return built.status == 0


def ghc(lazy):
    told = must([DIRECTORY / "haskell", "+RTS", "-pj", "-RTS"], directory=DIRECTORY).output.splitlines()
    values, parts = told[:5], dict(line.split() for line in told[5:])
    check(values == ["(1501500,1000)", "0", "(1060500,1060500)", "2", "0"], f"GHC: {values}")
    expected = {part: centre for part, centre in PARTS.items() if part not in ESCAPES}
    expected["returned"] = "lamf"  # lexical: where it was built, not its caller
    check(len(parts) == len(told[5:]) and parts == expected, f"GHC: {told[5:]}, not {expected}")
    must([ASCRIBE, "import", "--event", "allocated", "-o", "ghc.ascribe", "haskell.prof"], directory=DIRECTORY)
    found = {}
    for label, count in entered(DIRECTORY / "ghc.ascribe").items():
        label = label.split(" (")[0]  # GHC has a centre for each place, and names of equal ones have theirs
        if label in lazy: found[label] = found.get(label, 0) + count
    check(found == lazy, f"GHC: entries {found}, not {lazy}")


def version_of(*command):
    if not shutil.which(command[0]): return ""
    result = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return result.stdout + result.stderr


def main():
    hosts = {chicken: "CHICKEN" in version_of("csc", "-version"), chez: "9.5" in version_of("scheme", "--version"), ghc: has_ghc()}
    if not any(hosts.values()): harness.skip("neither CHICKEN, Chez Scheme 9.5 nor a GHC that profiles is installed")
    lazy = lazy_entries()
    for check_host, is_there in hosts.items():
        if is_there: check_host(lazy)


if __name__ == "__main__":
    main()
