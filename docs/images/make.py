#!/usr/bin/env python3
"""The pictures of docs/images, of Lua with counted expressions and of a few tiny programs.

    docs/images/make.py BUILD PLAYWRIGHT [DIRECTORY]

BUILD: Ascribe's build directory; PLAYWRIGHT: the folder of playwright-core (web/node_modules after
`npm ci`); DIRECTORY: to work in (build/pictures). Lua comes from Debian's source package (bench/fetch).
PICTURES: a regular expression for the names of those to take."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
PLAYWRIGHT = pathlib.Path(sys.argv[2]).resolve()
WORK = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else BUILD / "pictures").resolve()
os.environ["ASCRIBE"] = str(BUILD / "src/cli/ascribe")
os.environ["PATH"] = f"{BUILD / 'src/cli'}:{os.environ['PATH']}"  # what pictures show is `ascribe`
os.environ.setdefault("ASCRIBE_TEST_WORK", str(WORK))
sys.path.insert(0, str(SOURCE / "tests/view"))
import viewer  # noqa: E402
from viewer import Viewer  # noqa: E402

SCRIPT = """
local n = tonumber(arg[1])
local words, seed = {}, 12345
local function random(limit)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % limit
end
for i = 1, n do
  local letters = {}
  for k = 1, 8 do letters[k] = string.char(97 + random(26)) end
  words[i] = table.concat(letters)
end
table.sort(words)
local seen = {}
for i = 1, n do seen[words[i]] = (seen[words[i]] or 0) + i end
local close = 0
for i = 1, n // 80 do
  for k = 1, n // 80 do if words[i] < words[k] then close = close + 1 end end
end
print(#words, close)
"""

LEVELS = """
#include <stdlib.h>
struct node { struct node *left, *right; };
static struct node *tree(int depth) {
  if (!depth) return NULL;
  struct node *made = malloc(sizeof *made);
  made->left = tree(depth - 1);
  made->right = tree(depth - 1);
  return made;
}
static volatile unsigned seen;
static unsigned odd_levels(const struct node *tree);
__attribute__((noinline)) static unsigned even_levels(const struct node *tree) {
  seen++;
  return tree ? 1 + odd_levels(tree->left) + odd_levels(tree->right) : 0;
}
__attribute__((noinline)) static unsigned odd_levels(const struct node *tree) {
  return tree ? even_levels(tree->left) + even_levels(tree->right) : 0;
}
int main(void) {
  unsigned levels = 0;
  struct node *made = tree(17);
  for (int i = 0; i < 40; i++)
    levels += even_levels(made);
  return levels == 7;
}
"""


def run(*command):
    subprocess.run([str(word) for word in command], cwd=WORK, check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, ASCRIBE_BENCH_WORK=str(WORK / "sources")))


def lua_profiles():
    """At three sizes, by their size."""
    run(SOURCE / "bench/fetch", "lua")
    run(SOURCE / "bench/programs/lua/build", WORK / "lua", f"{viewer.ASCRIBE} cc --expressions", "-O2", "-g")
    (WORK / "work.lua").write_text(SCRIPT)
    profiles = {}
    for size in (40000, 80000, 160000):
        profiles[size] = WORK / f"lua{size}.ascribe"
        run(viewer.ASCRIBE, "record", "-q", "-o", profiles[size], "--", "lua/lua", "work.lua", size)
    return profiles


def levels_profile():
    (WORK / "levels.c").write_text(LEVELS)
    run(viewer.ASCRIBE, "cc", "--contexts", "-O1", "-g", "levels.c", "-o", "levels")
    run(viewer.ASCRIBE, "record", "-q", "-o", "levels.ascribe", "--", "./levels")
    return WORK / "levels.ascribe"


def orders_profile():
    """Of docs/TUTORIAL.md."""
    run("g++", "-O2", "-g", SOURCE / "docs/tutorial/orders.cpp", "-o", "orders")
    run(viewer.ASCRIBE, "record", "-q", "-o", "orders.ascribe", "--", "./orders")
    return WORK / "orders.ascribe"


def scheme_profile(source, *arguments):
    """Of docs/SCHEME.md."""
    shutil.copy(SOURCE / source, WORK)
    path = WORK / f"{pathlib.Path(source).stem}{''.join(arguments)}.ascribe"
    run(viewer.ASCRIBE, "record", "-q", "-o", path, "--",
        "ascribe", "scheme", "--script", pathlib.Path(source).name, *arguments)
    return path


def profiles_of_lua():
    lua = lua_profiles()
    return {"two": (lua[160000], lua[80000]), "one": (lua[160000],),
            "growing": [f"n={size}:{path}" for size, path in lua.items()]}


# Names of pictures, and what makes the profiles that they show.
MAKERS = (
    ("overview summary source calls flame time compare differences growth growth-source", profiles_of_lua),
    ("cycle", lambda: {"levels": (levels_profile(),)}),
    ("dial", lambda: {"open": (viewer.calls_left_open(WORK),)}),
    ("tutorial", lambda: {"orders": (orders_profile(),)}),
    ("scheme-fft", lambda: {"fft": (scheme_profile("docs/examples/fft.ss"),)}),
    ("scheme-compare", lambda: {"fibonacci": [scheme_profile("docs/examples/fibonacci.ss", n) for n in ("10", "20")]}),
    ("scheme-calls", lambda: {"queens": (scheme_profile("tests/scheme/chez/queens.ss"),)}),
)


def main():
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    WORK.mkdir(parents=True, exist_ok=True)
    wanted, given = re.compile(os.environ.get("PICTURES", "")), {"work": str(WORK)}
    with contextlib.ExitStack() as stack:
        for names, make in MAKERS:
            for key, paths in make().items() if any(map(wanted.search, names.split())) else ():
                view = stack.enter_context(Viewer(*paths))
                given[key] = view.address
                if key == "two":
                    given["source"] = view.rows("lines", filter="lvm.c", limit=1)[0][0]["file"]
        subprocess.run(["node", pathlib.Path(__file__).with_suffix(".mjs"), PLAYWRIGHT / "playwright-core",
                        browser, pathlib.Path(__file__).parent],
                       input=json.dumps(given), text=True, check=True)


if __name__ == "__main__":
    main()
