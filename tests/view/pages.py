#!/usr/bin/env python3
"""The viewer in a browser: profiles of real programs, hostile names, a million contexts."""

import concurrent.futures
import json
import pathlib
import shutil
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
import viewer
from harness import ASCRIBE, Profile, check, made, must, run
from viewer import Viewer

DIRECTORY = harness.scratch("view-pages")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def record(name, *command, options=()):
    path = DIRECTORY / f"{name}.ascribe"
    result = run([ASCRIBE, "record", "-q", "-r", "5000", *options, "-o", path, "--", *command], DIRECTORY, timeout=300)
    check(result.status == 0, result.errors)
    return path


def real_profiles():
    """Two programs as they are: this one, whose sources are here, and Python. And a counted one with
    inputs of two sizes."""
    work = "import json; d = [{'a': [i, str(i)]} for i in range(40000)]; print(len(json.dumps(d)))"
    python = record("python", sys.executable, "-c", work)
    own = record("own", ASCRIBE, "report", "--json", python)
    return own, python


class Large:
    """with Large() as large: makes a profile of a million contexts and shows it. Meanwhile others are looked at; the
    file large.address has the address as soon as there is one."""
    address = DIRECTORY / "large.address"

    def __enter__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(1)
        self.viewer = self.pool.submit(self.show)
        return self

    def show(self):
        viewer_of_it = Viewer(harness.made_once("million", DIRECTORY))
        new = self.address.with_suffix(".new")
        new.write_text(viewer_of_it.address)
        new.rename(self.address)
        return viewer_of_it

    def __exit__(self, kind, value, trace):
        self.viewer.result().end()
        (DIRECTORY / "million.ascribe").unlink()


SOURCE = r"""
#include <stdlib.h>
#include <string.h>
struct node { struct node *left, *right; char key[16]; };
static struct node *insert(struct node *tree, const char *key) {
  if (!tree) {
    tree = calloc(1, sizeof *tree);
    strncpy(tree->key, key, sizeof tree->key - 1);
    return tree;
  }
  if (strcmp(key, tree->key) < 0)
    tree->left = insert(tree->left, key);
  else
    tree->right = insert(tree->right, key);
  return tree;
}
__attribute__((noinline)) static unsigned measure(const struct node *tree) {
  return tree ? 1 + measure(tree->left) + measure(tree->right) : 0;
}
__attribute__((noinline)) static void make_key(char key[16], unsigned long *state) {
  for (int i = 0; i < 8; i++) {
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    key[i] = 'a' + (*state >> 33) % 26;
  }
  key[8] = 0;
}
__attribute__((noinline)) static unsigned odd_levels(const struct node *tree);
__attribute__((noinline)) static unsigned even_levels(const struct node *tree) {
  return tree ? 1 + odd_levels(tree->left) + odd_levels(tree->right) : 0;
}
__attribute__((noinline)) static unsigned odd_levels(const struct node *tree) {
  return tree ? even_levels(tree->left) + even_levels(tree->right) : 0;
}
__attribute__((noinline)) static struct node *grow_tree(int count) {
  struct node *tree = NULL;
  unsigned long state = 1;
  char key[16];
  for (int i = 0; i < count; i++) {
    make_key(key, &state);
    tree = insert(tree, key);
  }
  return tree;
}
int main(int count, char **arguments) {
  struct node *tree = grow_tree(atoi(arguments[1]));
  for (int i = 0; i < 6; i++)
    if (measure(tree) == 7 || even_levels(tree) == 7) return 1;
  return 0;
}
"""


def counted_profiles():
    source = DIRECTORY / "tree.c"
    source.write_text(SOURCE)
    program = harness.compile_program(source, DIRECTORY / "tree", ["-O1", "-g"])
    for rank, size in enumerate((100000, 50000)): # two of a job
        result = harness.record(program, DIRECTORY, ["-q", "-r", "2000"], [str(size)], output=f"tree{size}.ascribe",
                                environment={"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "2"})
        check(result.status == 0, result.errors)
        (DIRECTORY / f"tree{size}.{rank}.ascribe").rename(DIRECTORY / f"tree{size}.ascribe")
    return [DIRECTORY / f"tree{size}.ascribe" for size in (100000, 50000)]


THREADS = r"""
#include <pthread.h>
static void *work(void *at) {
  for (volatile long i = 0; i < 60000000; i++);
  return at;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  work(0);
  return pthread_join(thread, 0);
}
"""


def threads_profile():
    source = DIRECTORY / "threads.c"
    source.write_text(THREADS)
    program = harness.compile_program(source, DIRECTORY / "threads", ["-O1", "-g", "-pthread"], link=["-pthread"])
    result = harness.record(program, DIRECTORY, ["-q"], output="threads.ascribe")
    check(result.status == 0, result.errors)
    return DIRECTORY / "threads.ascribe"


def shown_while_it_runs():
    program = harness.compile_program(harness.SOURCE / "tests/scenarios/phases.c", DIRECTORY / "phases", ["-O1", "-g", "-pthread"],
                                      link=["-pthread"])
    recording = DIRECTORY / "running"
    shutil.rmtree(recording, ignore_errors=True)
    recording.mkdir()
    return {"program": str(program), "recording": str(recording), "ascribe": str(ASCRIBE)}


def sized_expressions():
    """Counted expressions at three sizes."""
    program, files = DIRECTORY / "expressions", {}
    must([ASCRIBE, "cc", "--expressions", "-O1", "-g", "-o", program, DIRECTORY / "tree.c"])
    for size in (100, 200, 400):
        files[size] = DIRECTORY / f"expressions{size}.ascribe"
        result = run([ASCRIBE, "record", "-q", "-o", files[size], program, str(size)], DIRECTORY)
        check(result.status == 0, result.errors)
    return [f"n={size}:{path}" for size, path in files.items()]


def heap_page():
    """A page with figures by time, of several metrics."""
    path = record("heap", DIRECTORY / "tree", "100000", options=["--heap"])
    return page_of(path)


def source_counts():
    """Two instances of a template on each line of it; a switch."""
    source, program = DIRECTORY / "instances.cc", DIRECTORY / "instances"
    source.write_text("template <int N> static int times(int n) {\n  return n * N;\n}\nint main() {\n  int s = 0;\n"
                      "  for (int i = 0; i < 5; i++) s += times<2>(i) + times<3>(i);\n"
                      "  switch (s % 4) {\n  case 2: s++; break;\n  case 3: s += 2;\n  }\n  return s == 0;\n}\n")
    must([ASCRIBE, "c++", "--expressions", "-O2", "-g", "-o", program, source])
    result = harness.record(program, DIRECTORY, ["-q"], output="instances.ascribe")
    check(result.status == 0, result.errors)
    return DIRECTORY / "instances.ascribe"


def page_with_choice(profile):
    """A choice is kept beside a profile: its page has it."""
    copy = DIRECTORY / "chosen.ascribe"
    shutil.copy(profile, copy)
    pathlib.Path(str(copy) + ".dial").unlink(missing_ok=True)
    with Viewer(copy) as view:
        rows, _ = view.rows("possible", filter="red")
        site = next(row["id"] for row in rows if row["caller_name"] == "many")
        check(view.request(f"{view.path}api/dial?site={site}&value=0&near=1", method="PUT").status == 200, "chosen")
    return page_of(copy)


def merged(*profiles):
    path = DIRECTORY / "merged.ascribe"
    path.unlink(missing_ok=True)
    must([ASCRIBE, "merge", "-o", path, *profiles])
    for rank, profile in enumerate(profiles): # as the ranks of a job keep theirs
        shutil.copy(profile, DIRECTORY / f"merged.{rank}.ascribe")
    with sqlite3.connect(path) as job: # as if they had sent messages
        for rank, sent in ((0, 3), (1, 2)):
            job.execute("insert into raw_messages select p.id, (select min(id) from raw_lines), 'MPI_Send', 0, ?, ?, ?, ?,"
                        " 0, 0, 9000, 100 from raw_processes p where p.rank_number = ?", (2 - rank, sent, sent, sent * 1000, rank + 1))
    job.close()
    return path


def written(name, *words):
    page = DIRECTORY / f"{name}.html"
    must([ASCRIBE, "html", *words, "-o", page])
    return str(page)


def page_of(profile, *others):
    page = profile.with_suffix(".html" if not others else ".two.html")
    must([ASCRIBE, "html", profile, *others, "-o", page])
    return str(page)


def walk(playwright, browser, given):
    result = run(["nice", "node", pathlib.Path(__file__).with_suffix(".mjs"), playwright, browser],
                 DIRECTORY, {"HOME": DIRECTORY}, timeout=580, stdin=given.open("rb"))
    print(result.output, end="")
    check(result.status == 0, f"{result.ending}\n{result.errors[-2000:]}")


def pages():
    browser = next((shutil.which(name) for name in BROWSERS if shutil.which(name)), None)
    if not browser:
        harness.skip("the viewer was not tested: chromium is not installed (scripts/install-packages test)")
    packages = viewer.node_packages(DIRECTORY)
    counted = counted_profiles()
    own, python = real_profiles()
    hostile = made("names", DIRECTORY)
    unattributed = made("unattributed", DIRECTORY)
    profile = Profile(counted[0])
    colours = viewer.calls_left_open(DIRECTORY)
    file, line = profile.rows("select file, line from call_sites where callee_name = 'make_key'")[0]
    given = {"function": "measure", "id": profile.ids("measure")[0],
             "site": {"file": file, "line": line, "callee": "make_key"},
             "live": shown_while_it_runs(), "page": page_of(counted[0]), "pageOfTwo": page_of(*counted), "pageOfThreads": page_of(threads_profile()), "pageOfTime": heap_page(),
             "pageOfGrowth": written("growth", *sized_expressions()), "pageOfRuns": written("runs", job := merged(*counted)), "pageWithChoice": page_with_choice(colours),
             "pageOfSource": written("source", source_counts()), "counted": str(DIRECTORY / "instances.cc"), "coverage": must([ASCRIBE, "report", DIRECTORY / "instances.ascribe"]).output.split("executed", 1)[1].split("\n")[0],
             "pageAsked": written("asked", *counted, "--by", "b.calls - 2 * a.calls", "--by", "b.calls < a.calls and a.name <> '</script>'"),
             "many": Profile(colours).ids("many")[0], "source": profile.value("select path from sources where path like '%tree.c'"), "hostilePage": page_of(hostile), "pageOfAll": page_of(unattributed), "reportOfAll": must([ASCRIBE, "report", unattributed]).output}
    with Large() as large, Viewer(*counted) as one, Viewer(hostile) as two, Viewer(own) as four, Viewer(python) as five, \
            Viewer(colours) as seven, Viewer(job) as nine, Viewer(harness.made("metrics", DIRECTORY)) as eight, Viewer(f"n=100000:{counted[0]}", f"n=50000:{counted[1]}") as six:
        given |= {"address": one.address, "hostile": two.address, "large": str(large.address), "growing": six.address, "dial": seven.address, "metrics": eight.address, "job": nine.address, "timed": five.address,
                  "real": [four.address, five.address]}
        asm = json.loads(must([ASCRIBE, "report", "--json", "--asm", "measure", counted[0]]).output)["asm"]
        check(one.get("api/code", id=given["id"]).json["asm"] == asm, "machine code, with its intervals")
        path = DIRECTORY / "given.json"
        path.write_text(json.dumps(given))
        walk(packages / "node_modules" / "playwright-core", browser, path)


if __name__ == "__main__":
    harness.main(pages)
