#!/usr/bin/env python3
"""Reports on a terminal go through a pager; reports elsewhere do not."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must

DIRECTORY = harness.scratch("scenario-pager")
PROFILE = DIRECTORY / "made.ascribe"
SMALL = 24, 80  # rows and columns


def make():
    stacks = DIRECTORY / "stacks.collapsed"
    stacks.write_text("".join(f"main;function_{i} {i + 1}\n" for i in range(40)))
    must([ASCRIBE, "import", "-o", PROFILE, stacks])


def on_terminal(*options, **environment):
    return harness.on_terminal([ASCRIBE, "report", *options, PROFILE], SMALL, **environment)


def goes_through_it():
    make()
    status, text = on_terminal(PAGER="sed s/function/FUNCTION/", ASCRIBE_PAGER="sed 's/^/> /'")
    check(status == 0 and "function_39" in text, text)
    check(all(line.startswith("> ") for line in text.splitlines()), text)
    check("\033[1m" in text, "without colours")
    status, text = on_terminal(PAGER="sed s/function/FUNCTION/")
    check(status == 0 and "FUNCTION_39" in text and "function_" not in text, text)


def not_always():
    for how in ({"PAGER": "cat"}, {"PAGER": ""}, {"ASCRIBE_PAGER": "", "PAGER": "false"}):
        status, text = on_terminal(**how)
        check(status == 0 and "function_39" in text, f"{how}: {text}")
    status, text = on_terminal("--json", PAGER="false")
    check(status == 0 and text.startswith("{"), text[:200])
    text = must([ASCRIBE, "report", PROFILE], environment={"PAGER": "false"}).output
    check("function_39" in text, "a pipe has a pager")


def a_reader_that_leaves():
    status, text = on_terminal("--limit", "all", PAGER="head -n 1")
    check(status == 0 and len(text.splitlines()) == 1, f"{status}: {text}")
    status, text = on_terminal("--limit", "all", PAGER="true")
    check(status == 0 and text == "", f"{status}: {text}")


def one_that_cannot_be_run():
    status, text = on_terminal(PAGER="no-such-pager")
    check(status == 1 and 'the pager "no-such-pager" could not be run' in text, f"{status}: {text}")


if __name__ == "__main__":
    harness.main(goes_through_it, not_always, a_reader_that_leaves, one_that_cannot_be_run)
