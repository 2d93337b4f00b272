#!/usr/bin/env python3
"""What a recorded program, a recording, a profile or a name says is not obeyed: no file of the
recorder's is taken, nothing of the user's is removed, nothing runs for ever."""

import json
import os
import pathlib
import resource
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must, run

DIRECTORY = harness.scratch("nothing_taken")
WORK = """volatile unsigned long sum;
#line 1 "{}"
__attribute__((noinline)) void work(unsigned long n) {{ for (unsigned long i = 0; i < n; i++) sum += i; }}
int main(void) {{ work(30000000ul); return 0; }}
"""
NOBODY = 65534


def program_of(name, source, directory=DIRECTORY):
    """A program that says its code is that of another file."""
    (DIRECTORY / f"{name}.c").write_text(WORK.format(source))
    must(["gcc", "-g", "-O1", "-o", directory / name, DIRECTORY / f"{name}.c"])
    return directory / name


def sources_of(*words):
    profile = DIRECTORY / "taken.ascribe"
    profile.unlink(missing_ok=True)
    must([ASCRIBE, "record", "-q", "-o", profile, *words], directory=DIRECTORY)
    database = sqlite3.connect(profile)
    return {path: text for path, text in database.execute("select path, text from raw_sources")}


def a_source_of_ones_own():
    source = DIRECTORY / "own.c"
    source.write_text("int own;\n" * 10)
    source.chmod(0o600)
    check(str(source) in sources_of(program_of("has_own", source)), "own source, closed to others")


def files_that_are_no_source():
    home = DIRECTORY / "home"
    places = [pathlib.Path("/etc/passwd"), home / ".ssh/key", home / ".config/settings.py",
              home / ".netrc", home / "closed.txt"]
    for place in places[1:]:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("secret\n" * 10)
        place.chmod(0o600 if place.name == "closed.txt" else 0o644)
    link = DIRECTORY / "link.c"
    link.unlink(missing_ok=True)
    link.symlink_to("/etc/passwd")
    for place in [*places, link]:
        taken = sources_of(program_of("names", place))
        check(str(place) not in taken, f"{place} was copied")


def sources_in_hidden_directories():
    """Packages, checkouts and workspaces of builds lie in directories that begin with a dot."""
    for name in (".cargo/registry/src/a.rs", ".local/src/a.c", ".jenkins/workspace/a.cc", ".cache/build/a.h"):
        place = DIRECTORY / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("int a;\n" * 10)
        check(str(place) in sources_of(program_of("has_hidden", place)), f"{name} is missing")


def a_missing_source_is_told():
    place = DIRECTORY / "home/.ssh/key.c"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("secret\n" * 10)
    check(str(place) not in sources_of(program_of("names_key", place)), "a key was copied")
    told = must([ASCRIBE, "report", "--source", "work", DIRECTORY / "taken.ascribe"], directory=DIRECTORY).output
    check("not plainly source, which is not copied" in " ".join(told.split()), told)


def files_made_later():
    place = DIRECTORY / "later.c"
    place.unlink(missing_ok=True)
    program = program_of("names_later", place)
    taken = sources_of("--", "sh", "-c", f"{program}; sleep 0.1; echo 'int later;' > {place}")
    check(str(place) not in taken, "made after the recording began, and copied")


def a_report_of_a_recording():
    program = DIRECTORY / "counted"
    (DIRECTORY / "counted.c").write_text(WORK.format("/etc/passwd"))
    must([ASCRIBE, "cc", "-g", "-O1", "-o", program, DIRECTORY / "counted.c"])
    place = DIRECTORY / "raw"
    shutil.rmtree(place, ignore_errors=True)
    must([program], directory=DIRECTORY, environment={"ASCRIBE_OUT": str(place)})
    for words in (["report", "--source", "work"], ["html", "-o", DIRECTORY / "p.html"]):
        result = run([ASCRIBE, *words, place], DIRECTORY)
        text = result.output + ((DIRECTORY / "p.html").read_text() if words[0] == "html" and result.status == 0 else "")
        check("root:x:0" not in text, f"{words[0]} shows /etc/passwd")


def files_of_the_recorder():
    """Root records a program of another user: what that user may read, no more."""
    if os.getuid():
        harness.skip("needs root, to record another user's program")
    theirs = pathlib.Path("/var/tmp") / f"ascribe-theirs-{os.getpid()}"
    theirs.mkdir(mode=0o755)
    try:
        secret, shown = theirs / "secret.c", theirs / "shown.c"
        for place, mode in ((secret, 0o600), (shown, 0o644)):
            place.write_text("int text;\n" * 10)
            place.chmod(mode)
        for source, expected in ((secret, False), (shown, True)):
            program = program_of("theirs", source, theirs)
            os.chown(program, NOBODY, NOBODY)
            check((str(source) in sources_of(program)) == expected, f"{source.name}: another's program")
        check((DIRECTORY / "taken.ascribe").stat().st_mode & 0o777 == 0o600, "mode of root's profile")
        process_of_another(theirs, secret)
    finally:
        shutil.rmtree(theirs)


def modes_of_profiles():
    """A profile that has the text of a closed file is closed as well, and so is what is merged of it."""
    if os.getuid() == 0 and not all(folder.stat().st_mode & 0o001 for folder in pathlib.Path(ASCRIBE).resolve().parents):
        print(f"        other users cannot reach {ASCRIBE}: not tried")
        return
    theirs = pathlib.Path("/var/tmp") / f"ascribe-modes-{os.getpid()}"
    theirs.mkdir(mode=0o755)
    owner = NOBODY if os.getuid() == 0 else os.getuid()
    os.chown(theirs, owner, -1)
    try:
        source = theirs / "own.c"
        source.write_text("int text;\n" * 10)
        program = program_of("own", source, theirs)
        for file in (source, program):
            os.chown(file, owner, -1)
        for name, mode in (("closed.ascribe", 0o600), ("shown.ascribe", 0o644)):
            source.chmod(mode)
            profile_of(owner, theirs, ["record", "-q", "-o", name, program], name, mode)
        profile_of(owner, theirs, ["merge", "-o", "both.ascribe", "closed.ascribe", "shown.ascribe"], "both.ascribe", 0o600)
    finally:
        shutil.rmtree(theirs)


def profile_of(owner, place, words, name, mode):
    user = {"user": owner, "extra_groups": []} if os.getuid() == 0 else {}
    subprocess.run([ASCRIBE, *words], cwd=place, umask=0o022, check=True, capture_output=True, **user)
    found = (place / name).stat().st_mode & 0o777
    check(found == mode, f"{name} has mode {found:o}")


def process_of_another(theirs, secret):
    """With --pid, the process's user decides, whoever owns its file."""
    program = program_of("longer", secret, theirs)
    with subprocess.Popen(["sh", "-c", f"while :; do {program}; done"], user=NOBODY, group=NOBODY,
                          extra_groups=[], cwd="/", stdout=subprocess.DEVNULL) as process:
        try:
            taken = sources_of("--pid", str(process.pid), "--duration", "1")
        finally:
            process.kill()
    check(str(secret) not in taken, "another user's process has root's file")


def directories_of_the_user():
    place = DIRECTORY / "temporary"
    own = place / "ascribe-daemon"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    must([DIRECTORY / "counted"], directory=DIRECTORY, environment={"ASCRIBE_OUT": str(own)})
    os.utime(own, (0, 0))
    must([ASCRIBE, "record", "-q", "-o", "next.ascribe", "--", "true"], directory=DIRECTORY, environment={"ASCRIBE_TMPDIR": str(place)})
    check(list(own.glob("*.recording")), "the user's own directory was removed")


def links_to_directories():
    link, own = DIRECTORY / "elsewhere", DIRECTORY / "linked"
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(mode=0o700)
    link.unlink(missing_ok=True)
    link.symlink_to(own)
    run([DIRECTORY / "counted"], DIRECTORY, {"ASCRIBE_OUT": str(link)})
    check(not list(own.iterdir()), "a recording went through a link")


# ---- damaged recordings ----

UNIT, FUNCTIONS = 4096, 3


def recording():
    """All that was claimed of the file; the rest is a hole of gigabytes."""
    with open(next((DIRECTORY / "raw").glob("*.recording")), "rb") as file:
        start = file.read(UNIT)
        return start + file.read(struct.unpack_from("<Q", start, 24)[0] - UNIT)


def blocks(data):
    offset = UNIT
    magic = None
    while offset + 64 <= len(data):
        head = struct.unpack_from("<IIQQII", data, offset)
        if head[2] >= 64 and head[2] % UNIT == 0 and head[1] and (magic is None or head[0] == magic):
            magic = head[0]
            yield offset, *head
            offset += head[2]
        else:
            offset += UNIT


def return_addresses_as_functions():
    data = bytearray(recording())
    changed = 0
    for offset, _, kind, size, used, _, _ in blocks(data):
        for at in range(offset + 64, offset + min(used, size), 16) if kind == FUNCTIONS else ():
            address = struct.unpack_from("<Q", data, at)[0]
            if address:
                struct.pack_into("<Q", data, at, address | 1 << 62)
                changed += 1
    check(changed, "no functions in the recording")
    damaged = DIRECTORY / "1.0.recording"
    damaged.write_bytes(data)
    result = run([ASCRIBE, "report", "--flat", damaged], DIRECTORY)
    check(result.status in (0, 1), result.ending)


def recordings_with_holes():
    data = recording()
    magic = next(blocks(data))[1]
    end = struct.unpack_from("<Q", data, 24)[0]
    for kind in (2, 3, 4, 5, 6, 7, 10, 11):
        start, size = bytearray(data[:end].ljust(end, b"\0")), 1 << 43
        struct.pack_into("<QQ", start, 16, end + size, end + size)
        sparse = DIRECTORY / "2.0.recording"
        sparse.write_bytes(start + struct.pack("<IIQQII", magic, kind, size, size, 0, 0).ljust(64, b"\0"))
        try:
            os.truncate(sparse, end + size)
        except OSError:
            harness.skip("files of 8 TiB cannot be made here")
        result = run([ASCRIBE, "report", "--flat", sparse], DIRECTORY)
        check(result.status in (0, 1), f"kind {kind}: {result.ending}")
        sparse.unlink()


# ---- hostile profiles ----

ENDLESS = "with recursive r(x) as (select 1 union all select x+1 from r) "


def profile_with(name, *statements):
    path = DIRECTORY / f"{name}.ascribe"
    shutil.copy(DIRECTORY / "good.ascribe", path)
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path


def views_in_place_of_tables():
    program = program_of("plain", DIRECTORY / "plain.c")
    must([ASCRIBE, "record", "-q", "-o", "good.ascribe", program], directory=DIRECTORY)
    hostile = [
        profile_with("rows", "drop table raw_files", "create view raw_files as " + ENDLESS
                     + "select x as id, 'aaaaaaaaaaaaaaaa' as path from r"),
        profile_with("none", "drop table raw_files", "create view raw_files as " + ENDLESS
                     + "select x as id, 'a' as path from r where x < 0"),
        profile_with("large", "drop table raw_files",
                     "create view raw_files as select 1 as id, hex(zeroblob(400000000)) as path"),
        profile_with("trigger", "create trigger t after insert on raw_files begin select 1; end"),
    ]
    good = DIRECTORY / "good.ascribe"
    for path in hostile:
        for words in (["report", "--flat", path], ["export", "--to", "callgrind", "-o", "no.out", path],
                      ["merge", "-o", "no.ascribe", path, good], ["diff", path, good],
                      ["html", "-o", "no.html", path], ["view", "--no-browser", path]):
            result = run([ASCRIBE, *words], DIRECTORY)
            check(result.status == 1 and "damaged" in result.errors, f"{path.stem}: {words[0]}: {result.ending} {result.errors}")
    # Views of another's making are not asked: those of our own are, over the same tables.
    views = profile_with("views", "drop view runs", "create view runs as " + ENDLESS
                         + "select x as ticks, 1 as sampled_ns, 1 as whole_ns from r")
    for words in (["report", "--flat", "FILE"], ["diff", "FILE", good], ["html", "-o", "-", "FILE"]):
        said = [must([ASCRIBE, *[path if word == "FILE" else word for word in words]], directory=DIRECTORY).output
                .replace("/views.", "/good.").replace("views.ascribe", "good.ascribe") for path in (views, good)]
        check(said[0] == said[1], f"{words[0]}: {said[0][:2000]}")
    own = profile_with("own", "create view mine as select name from functions", "create index i on raw_files(path)")
    must([ASCRIBE, "report", "--flat", own], directory=DIRECTORY)
    must([ASCRIBE, "diff", own, good], directory=DIRECTORY)


def with_endless(table):
    """A table's tree of pages leads to each row as often as there are paths: each page refers to the
    next one 500 times."""
    path = profile_with(table, "update raw_functions set calls = 1, self_ticks = 0, self_ns = 0")
    database = sqlite3.connect(path)
    root = database.execute("select rootpage from sqlite_schema where name = ?", (table,)).fetchone()[0]
    database.close()
    data = bytearray(path.read_bytes())
    size = struct.unpack_from(">H", data, 16)[0]
    begin = (root - 1) * size
    check(data[begin] == 0x0d, f"{table} has more than one page")
    data += data[begin:begin + size]
    for _ in range(6):
        below, places = len(data) // size, [size - 5 * (i + 1) for i in range(500)]
        page = bytearray(size)
        struct.pack_into(">BHHHBI", page, 0, 5, 0, len(places), places[-1], 0, below)
        for i, place in enumerate(places):
            struct.pack_into(">H", page, 12 + 2 * i, place)
            struct.pack_into(">IB", page, place, below, 1)
        data += page
    data[begin:begin + size] = data[-size:]
    struct.pack_into(">I", data, 28, len(data) // size)
    path.write_bytes(data)
    return path


def endless_tables():
    """What is read takes no more memory, and what is asked no more time, than the file is worth."""
    good = DIRECTORY / "good.ascribe"
    for table, words, told in (("raw_ticks", ["report", "--flat"], "damaged"),
                               ("raw_sources", ["merge", "-o", "no.ascribe", good], "too much work"),
                               ("raw_functions", ["diff", good], "damaged")):
        result = run([ASCRIBE, *words, with_endless(table)], DIRECTORY, timeout=None, preexec_fn=two_gigabytes)
        check(result.status == 1 and told in result.errors, f"{table}: {result.ending} {result.errors}")


def two_gigabytes():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def files_beside_a_profile():
    path = profile_with("beside")
    (DIRECTORY / "beside.ascribe-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(504) + b"x" * 600)
    must([ASCRIBE, "report", "--flat", path], directory=DIRECTORY)
    must([ASCRIBE, "diff", path, DIRECTORY / "good.ascribe"], directory=DIRECTORY)
    waiting = profile_with("waiting")
    database = sqlite3.connect(waiting)
    database.execute("pragma journal_mode=wal")
    database.close()
    must([ASCRIBE, "report", "--flat", waiting], directory=DIRECTORY)
    check(not list(DIRECTORY.glob("waiting.ascribe-*")), "files were made beside the profile")


def escapes():
    bad = "\x1b]0;P\x07\x9bm\u202e"
    path = profile_with("escapes", f"update raw_functions set name = 'work{bad}' where name = 'work'")
    for words in (["report", "--calls", "wor", path], ["report", path, "--focus", "wor"], ["report", f"no{bad}"], [f"no{bad}"],
                  ["report", f"--no{bad}"], ["report", "--flat", path], ["merge", f"no{bad}", path]):
        result = subprocess.run([ASCRIBE, *words], cwd=DIRECTORY, capture_output=True)
        text = (result.stdout + result.stderr).decode()
        check(text and not any(character in text for character in "\x1b\x07\x9b\u202e"), f"{words}: {text!r}")
    text = must([ASCRIBE, "report", "--json", path], directory=DIRECTORY).output
    json.loads(text)
    check("\x9b" not in text and "\u202e" not in text and "\\u009b" in text and "\\u202e" in text, "JSON")


# ---- the viewer ----

def the_viewers_address():
    browser = DIRECTORY / "bin"
    browser.mkdir(exist_ok=True)
    (browser / "xdg-open").write_text(f'#!/bin/sh\necho "$@" > {DIRECTORY}/opened.new\nstat -c %a "$1" >> {DIRECTORY}/opened.new\ncat "$1" >> {DIRECTORY}/opened.new\nmv {DIRECTORY}/opened.new {DIRECTORY}/opened\n')
    (browser / "xdg-open").chmod(0o755)
    opened = DIRECTORY / "opened"
    opened.unlink(missing_ok=True)
    environment = {**os.environ, "DISPLAY": ":99", "PATH": f"{browser}:{os.environ['PATH']}", "TMPDIR": str(DIRECTORY)}
    environment.pop("XDG_RUNTIME_DIR", None)
    with subprocess.Popen([ASCRIBE, "view", "good.ascribe"], cwd=DIRECTORY, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as viewer:
        try:
            address = viewer.stdout.readline().strip()
            while not opened.exists() and viewer.poll() is None:
                time.sleep(0.05)
            handed, mode, text = opened.read_text().split("\n", 2)
            token = address.rsplit("/", 2)[1]
            check(token and token not in handed and mode == "600", f"{handed} {mode}")
            check(f"url={address}" in text, text)
            connections_of_others(int(address.split(":")[2].split("/")[0]), address)
        finally:
            viewer.terminate()
            viewer.wait()
    check(not pathlib.Path(handed).exists() and not pathlib.Path(handed).parent.exists(), "the page is left behind")


def connections_of_others(port, address):
    """Others hold as many as they like, without a word: whoever has the address is answered."""
    held = []
    for _ in range(60):
        held.append(socket.create_connection(("127.0.0.1", port)))
        time.sleep(0.01)
    with socket.create_connection(("127.0.0.1", port)) as own:
        path = address.split("/", 3)[3]
        own.sendall(f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
        check(own.recv(64).startswith(b"HTTP/1.1 200"), "the owner is closed out")
    for connection in held:
        connection.close()


def long_regions():
    export = {"data": [{"functions": [{"name": "f", "count": 1, "filenames": ["a.c"],
                                       "regions": [[1, 1, 4294967295, 1, 1, 0, 0, 0]], "branches": []}]}]}
    (DIRECTORY / "long.json").write_text(json.dumps(export, separators=(",", ":")))
    result = run([ASCRIBE, "import", "long.json", "-o", "long.ascribe"], DIRECTORY)
    check(result.status == 1 and "a region of 4294967294 lines" in result.errors, result.errors)


if __name__ == "__main__":
    harness.main(a_source_of_ones_own, files_that_are_no_source, sources_in_hidden_directories,
                 a_missing_source_is_told, files_made_later,
                 a_report_of_a_recording, files_of_the_recorder, modes_of_profiles, directories_of_the_user, links_to_directories,
                 return_addresses_as_functions, recordings_with_holes, views_in_place_of_tables, endless_tables,
                 files_beside_a_profile, escapes, the_viewers_address, long_regions)
