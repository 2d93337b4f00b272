#!/usr/bin/env python3
"""ascribe view answers whom it should, with what the profile says, and nobody else."""

import json
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
import viewer
from harness import ASCRIBE, Profile, check, run
from viewer import Viewer, made

DIRECTORY = harness.scratch("view-api")


def only_with_the_token():
    with Viewer(made("plain", DIRECTORY)) as view:
        check(view.get("").status == 200, "the page")
        check(len(view.path) == 34, f"a token of 128 bits: {view.path}")
        wrong = "/" + "0" * 32 + "/"
        for path in ("/", "/api/info", wrong, wrong + "api/info", view.path[:-2] + "/api/info",
                     "/" + view.path + "api/info"):
            answer = view.request(path)
            check(answer.status == 403, f"{path}: {answer.status}")
            check(b"functions" not in answer.body, "figures without the token")
    first = view.path
    with Viewer(made("plain", DIRECTORY)) as view:
        check(view.path != first, "the token is another one each time")


def only_for_this_host():
    with Viewer(made("plain", DIRECTORY)) as view:
        for host in (f"127.0.0.1:{view.port}", f"localhost:{view.port}"):
            check(view.request(view.path, headers={"Host": host}).status == 200, host)
        for host in ("example.org", f"example.org:{view.port}", "127.0.0.1", "localhost:1", ""):
            answer = view.request(view.path + "api/info", headers={"Host": host})
            check(answer.status in (400, 421), f"{host}: {answer.status}")
            check(b"functions" not in answer.body, "figures for another host")
        check(view.request(view.path, method="POST").status == 405, "POST")
        check(view.request(view.path, method="HEAD").body == b"", "HEAD")


def nothing_of_the_file_system():
    with Viewer(made("plain", DIRECTORY)) as view:
        for path in ("../../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd",
                     "viewer.js/../../etc/passwd", "api/../../etc/passwd", "..%2fetc%2fpasswd", "api/"):
            answer = view.request(view.path + path)
            check(answer.status in (403, 404), f"{path}: {answer.status}")
            check(b"root:" not in answer.body, path)
        check(view.get("api/source", file="/etc/passwd").json["text"] is None, "a file of the disk")


def policy():
    with Viewer(made("names", DIRECTORY)) as view:
        for name in ("", "viewer.js", "viewer.css", "api/info"):
            headers = view.get(name).headers
            check("default-src 'none'" in headers["Content-Security-Policy"], name)
            check("unsafe" not in headers["Content-Security-Policy"], name)
            check(headers["X-Content-Type-Options"] == "nosniff", name)
            check("Access-Control-Allow-Origin" not in headers, name)
        check(view.get("viewer.js").body.decode() == (viewer.WEB / "dist/viewer.js").read_text().rstrip("\n") + "\n",
              "the script is the one of web/dist")
        check(view.get("viewer.css").body.decode() == (viewer.WEB / "dist/viewer.css").read_text().rstrip("\n") + "\n",
              "the style sheet is the one of web/dist")


def tables_say_what_the_profile_says():
    path = made("recursion", DIRECTORY)
    profile = Profile(path)
    with Viewer(path) as view:
        for kind, source in (("functions", "functions"), ("arcs", "arcs"), ("sites", "call_sites"),
                             ("lines", "lines"), ("expressions", "expressions"), ("objects", "objects"), ("files", "sources")):
            rows, count = view.rows(kind, limit=20000)
            expected = profile.value(f"select count(*) from {source}")
            check(count == len(rows) == expected, f"{kind}: {len(rows)} of {count}, not {expected}")
        rows, _ = view.rows("functions", sort="name", up=1, limit=3, offset=1)
        expected = [name for name, in profile.rows("select name from functions order by name limit 3 offset 1")]
        check([row["name"] for row in rows] == expected, f"{rows} {expected}")
        rows, _ = view.rows("functions", sort="total_ns")
        totals = [row["total_ns"] for row in rows if row["total_ns"] is not None]
        check(totals == sorted(totals, reverse=True), "sorted")
        check([row["total_ns"] is None for row in rows] == sorted(row["total_ns"] is None for row in rows),
              "what is not known comes last")
        for kind, column in (("arcs", "caller_name"), ("lines", "file"), ("sites", "callee_name")):
            by_name, count = view.rows(kind, sort=column, up=1, limit=20000)
            by_number, same = view.rows(kind, limit=20000)
            check(count == same and sorted(map(str, by_name)) == sorted(map(str, by_number)), kind)
            words = by_name[-1][column][:5]
            by_name, count = view.rows(kind, sort=column, filter=words, limit=20000)
            by_number, same = view.rows(kind, filter=words, limit=20000)
            check(0 < count == same == len(by_number), f"{kind}, filtered: {count}, {same}")
            check(sorted(map(str, by_name)) == sorted(map(str, by_number)), f"{kind}, filtered")
        file = profile.value("select file from lines where file is not null limit 1")
        _, count = view.rows("lines", **{"is.file": file})
        check(count == profile.value("select count(*) from lines where file = ?", file), "of a file")
        rows, _ = view.rows("functions", sort="total_ns")
        one = rows[0]
        rows, count = view.rows("functions", filter=one["name"].upper())
        check(any(row["id"] == one["id"] for row in rows), "filters do not care for case")
        rows, count = view.rows("arcs", **{"is.callee": one["id"]})
        check(count == profile.value("select count(*) from arcs where callee = ?", one["id"]), "callers")


def counted_expressions():
    path = made("plain", DIRECTORY)
    database = sqlite3.connect(path)
    file, = database.execute("SELECT id FROM raw_files").fetchone()
    for number, (column, end, count) in enumerate(((3, 20, 7), (5, 9, 700), (11, 14, 0)), 1):
        database.execute("INSERT INTO raw_expressions(id, function, file, line, source_column, end_line,"
                         " end_column, way, kind, count, self_ticks, self_ns)"
                         " VALUES(?, 1, ?, 12, ?, 12, ?, 0, 0, ?, 0, 0)", (number, file, column, end, count))
    database.commit()
    database.close()
    with Viewer(path) as view:
        rows, count = view.rows("expressions", **{"is.kind": "code"})
        check(count == 3 and [row["count"] for row in rows] == [700, 7, 0], str(rows))
        check((rows[0]["line"], rows[0]["source_column"], rows[0]["end_column"]) == (12, 5, 9), str(rows[0]))


def wrong_questions():
    with Viewer(made("plain", DIRECTORY)) as view:
        for parameters, part in (({"kind": "nothing"}, "no such table"),
                                 ({"kind": "functions", "sort": "name; drop"}, "no column"),
                                 ({"kind": "functions", "sort": 'x"y'}, "no column"),
                                 ({"kind": "functions", "is.zz": "1"}, "no column zz"),
                                 ({"kind": "functions", "other": "2"}, "no such profile"),
                                 ({"kind": "compared", "of": "files", "other": "1"}, "can be compared")):
            answer = view.get("api/table", **parameters)
            check(answer.status == 400 and part in answer.text, f"{parameters}: {answer.status} {answer.text}")
        for parameters in ({"root": "1,x"}, {"focus": "-1"}, {"root": ","}):
            check(view.get("api/flame", **parameters).status == 400, str(parameters))
        check(view.get("api/table", kind="functions", limit="-5", offset="x").status == 200, "defaults")
        check(view.get("api/table", **{f"p{i}": "1" for i in range(100)}).status == 400, "too many")
        rows, _ = view.rows("functions", **{"is.name": "x' OR 1 --"})
        check(rows == [], "a text is a text")


def comparisons():
    first, second = made("plain", DIRECTORY), made("names", DIRECTORY)
    with Viewer(first, second) as view:
        rows, _ = view.rows("functions", other=2, by="b.calls - a.calls", sort="value")
        check("stands_out" in rows[0], str(rows[0]))
        for kind in ("functions", "arcs", "sites", "lines"):
            rows, count = view.rows("compared", of=kind, other=2, by="b.calls - a.calls")
            check(count > 0, kind)
        rows, _ = view.rows("compared", of="functions", other=2, limit=20000)
        check(any(row["a"] is None for row in rows) and any(row["b"] is None for row in rows),
              "what only one has")
        answer = view.get("api/table", kind="compared", of="functions", other=2, by="b.selv")
        check(answer.status == 400 and "no such column: b.selv" in answer.text, answer.text)
        answer = view.get("api/table", kind="functions", other=2, by="(select max(name) from p1.functions)")
        check(answer.status == 400 and "prohibited" in answer.text, answer.text)


def flames():
    path = made("recursion", DIRECTORY)
    selves, whole = Profile(path).rows("select sum(self_ns), (select sum(whole_ns) from runs) from functions")[0]
    check(whole >= selves, "the whole has time in the kernel as well")
    with Viewer(path) as view:
        for up in (0, 1):
            flame = view.get("api/flame", up=up, width=100000).json
            check(abs(flame["whole_ns"] - whole) <= 1000, f"{flame['whole_ns']}, not {whole}")
            check(sum(frame[2] for frame in flame["frames"] if frame[0] == 0) == flame["root_ns"], "all")
            check(sum(frame[3] for frame in flame["frames"]) == flame["root_ns"], "self times")
            check(abs(flame["root_ns"] - selves) <= 1000, f"{flame['root_ns']}, not {selves}")
            first = flame["frames"][0]
            zoomed = view.get("api/flame", up=up, root=first[4], width=100000).json
            check(zoomed["root_ns"] == first[2], "zoomed into the first")


def odd_profiles():
    for kind in ("names", "same_names", "no_time", "no_lines", "faults", "arcs_only", "nothing"):
        with Viewer(made(kind, DIRECTORY)) as view:
            view.get("api/info").json
            for table in ("functions", "arcs", "sites", "lines", "expressions", "places", "files", "objects"):
                view.rows(table)
            view.get("api/flame").json


def damaged_profiles():
    """Contexts and views that no writer makes: an answer that says so, and it goes on."""
    path = made("plain", DIRECTORY)
    database = sqlite3.connect(path)
    database.execute("UPDATE raw_contexts SET parent = 999999 WHERE parent IS NOT NULL")
    database.execute("DROP TABLE raw_arcs")
    database.commit()
    database.close()
    with Viewer(path) as view:
        check(view.get("api/flame").status == 400, "contexts")
        check(view.get("api/table", kind="arcs").status == 400, "no table")
        check(view.get("api/table", kind="functions").status == 200, "the rest")


def refusals():
    for words, part, status in ((["view", DIRECTORY / "none.ascribe"], "cannot be read", 1),
                                (["view", __file__], "is no profile of Ascribe", 1),
                                (["view", "--port", "x"], "--port wants", 2),
                                (["html", DIRECTORY / "none.ascribe", "-o", DIRECTORY / "x.html"], "cannot be read", 1),
                                (["html", "a", "b"], "one FILE only", 2)):
        result = run([ASCRIBE, *words])
        check(result.status == status and part in result.errors, f"{words}: {result.ending} {result.errors}")
        check(result.errors.count("\n") == 1, result.errors)
    check(not (DIRECTORY / "x.html").exists(), "a page was left")


def standalone():
    """Names cannot end the data, and the data is what the profile says."""
    path, page = made("names", DIRECTORY), DIRECTORY / "names.html"
    harness.must([ASCRIBE, "html", path, "-o", page])
    text = page.read_text()
    begin = text.index('id="profile">') + len('id="profile">')
    data = text[begin:text.index("</script>", begin)]
    check("<" not in data, "something in the data looks like HTML")
    packet = json.loads(data)
    names = {row[1] for row in packet["tables"]["functions"]["rows"]}
    check("]]></title><script>alert(1)</script>" in names, str(names))
    check(text.count("<script") == 2 and text.count("</script>") == 2, "two scripts: data and program")
    check("://" not in text[:begin], "nothing from elsewhere")


if __name__ == "__main__":
    harness.main(only_with_the_token, only_for_this_host, nothing_of_the_file_system, policy,
                 tables_say_what_the_profile_says, counted_expressions, wrong_questions, comparisons, flames,
                 odd_profiles, damaged_profiles, refusals, standalone)
