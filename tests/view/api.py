#!/usr/bin/env python3
"""ascribe view answers whom it should, with what the profile says, and nobody else."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
import viewer
from harness import ASCRIBE, Profile, check, made, run
from viewer import Viewer

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


def viewer_at_a_port(path):
    """At one that was free a moment ago: another process may have taken it since."""
    for trial in range(5):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        try:
            return Viewer("--port", port, path)
        except harness.Failure:
            if trial == 4:
                raise


def the_token_lasts_with_a_port():
    """Others cannot read it; without --port there is another one each time."""
    state = DIRECTORY / "state"
    shutil.rmtree(state, ignore_errors=True)
    os.environ["XDG_STATE_HOME"] = str(state)
    path, tokens = made("plain", DIRECTORY), []
    for _ in range(2):
        with viewer_at_a_port(path) as view:
            check(view.get("api/info").status == 200, "it answers")
            tokens.append(view.path)
    with Viewer(path) as view:
        check(tokens[0] == tokens[1] != view.path, f"{tokens} {view.path}")
    kept = state / "ascribe" / "view-token"
    check(kept.stat().st_mode & 0o777 == 0o600 and kept.read_text().strip() == tokens[0].strip("/"), "it is kept")
    kept.chmod(0o644)
    with viewer_at_a_port(path) as view:
        check(view.path != tokens[0], "one that others could read is used no more")
    del os.environ["XDG_STATE_HOME"]


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
                             ("lines", "lines"), ("expressions", "expressions"), ("copies", "copies"), ("objects", "objects"), ("files", "sources")):
            rows, count = view.rows(kind, limit=20000)
            expected = profile.value(f"select count(*) from {source}")
            if kind == "functions":
                expected += profile.value("select count(*) from unattributed")
            check(count == len(rows) == expected, f"{kind}: {len(rows)} of {count}, not {expected}")
        texts = {path: text.split("\n") for path, text in profile.rows("select path, text from sources where text is not null")}
        for row in view.rows("lines", limit=20000)[0]:
            lines = texts.get(row["file"], [])
            text = lines[row["line"] - 1].rstrip() if row["line"] and row["line"] <= len(lines) else ""
            check(row["text"] == (text[:160] + "..." * (len(text) > 160) or None), f"{row} is {text}")
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


def what_no_function_has():
    """The viewer is told what the report tells: all CPU time, and what profiling cost."""
    path = made("unattributed", DIRECTORY)
    run_of = json.loads(harness.must([ASCRIBE, "report", "--json", path]).output)["run"]
    with Viewer(path) as view:
        rows, _ = view.rows("functions", sort="self_ns")
        names = [row["name"] for row in rows if row["id"] is None]
        check(names == ["(in the kernel, not sampled)", "(profiler)", "(ticks that had no room)"], f"{names}")
        check(rows[1]["name"] == names[0], "sorted among the functions")
        check(sum(row["self_ns"] for row in rows) == run_of["whole_ns"], f"{rows} are not {run_of['whole_ns']} ns")
        kernel = rows[1]["self_low_ns"], rows[1]["self_high_ns"]
        check(kernel[0] < run_of["kernel_ns"] == rows[1]["self_ns"] < kernel[1], f"the kernel's interval: {kernel}")
        own, _ = view.rows("functions", **{"is.own": 1})
        check({row["name"] for row in own} == {"main", "easy", "hard", "work", "burn"}, f"own code: {own}")
        (info,) = view.get("api/info").json["profiles"]
        (books,) = info["books"]
        check(books["cpu_ns"] == run_of["user_ns"] + run_of["system_ns"], f"CPU time is that of the report: {books}")
        check(books["cpu_ns"] - books["profiling_high_ns"] == run_of["charged_low_ns"], f"the cost: {books}")
        check(info["dropped"] == [{"count": run_of["dropped"]["ticks"], "name": "ticks"}]
              and run_of["dropped"]["ticks"] == 5, f"dropped: {info['dropped']}")
        check(info["about"][0]["whole_ns"] == run_of["whole_ns"], f"the whole: {info['about']}")
        check(sum(row["processes"] for row in info["endings"] if row["ending"] == "other") == 1, f"{info['endings']}")


def pages_of_large_tables():
    """Row by row what SQL says: sorted by numbers and by names, filtered, in pages."""
    path = made("recursion", DIRECTORY)
    profile = Profile(path)
    joined = ("raw_arcs a left join raw_functions c on c.id = a.caller join raw_functions e on e.id = a.callee")
    with Viewer(path) as view:
        for sort, key in (("calls", "a.calls"), ("in_ns", "a.in_self_ns + a.in_child_ns"),
                          ("caller_name", "coalesce(c.name, '<spontaneous>')"), ("callee_name", "e.name")):
            for up, word in ((0, "desc"), (1, "asc")):
                expected = [row for row, in profile.rows(f"select {key} from {joined} order by 1 {word} nulls last")]
                found = []
                for offset in range(0, len(expected) + 3, 3):
                    rows, count = view.rows("arcs", sort=sort, up=up, limit=3, offset=offset)
                    check(count == len(expected), f"{count}, not {len(expected)}")
                    found += [row[sort] for row in rows]
                check(found == expected, f"{sort} {word}: {found}, not {expected}")
        callee = profile.value("select callee from raw_arcs group by callee order by count(*) desc")
        name = profile.value("select name from raw_functions where id = ?", callee)
        rows, count = view.rows("arcs", sort="caller_name", filter=name[:3], **{"is.callee": callee})
        check(count == len(rows) == profile.value("select count(*) from raw_arcs where callee = ?", callee), str(rows))
        _, count = view.rows("arcs", **{"is.callee": "99999999999"})
        check(count == 0, "no such function")


def cycles():
    path = made("recursion", DIRECTORY)
    profile = Profile(path)
    with Viewer(path) as view:
        rows, count = view.rows("cycles")
        check(count == profile.value("select count(*) from cycles") > 0, str(rows))
        for cycle in rows:
            members, length = view.rows("cycle_functions", sort="position", up=1, **{"is.cycle": cycle["id"]})
            check(length == cycle["functions"], str(members))
            check(cycle["names"] == "\n".join(row["function_name"] for row in members), cycle["names"])
            for row, following in zip(members, members[1:] + members[:1]):
                check(row["next"] == following["function"], str(members))
                calls = profile.value("select calls from arcs where caller = ? and callee = ?", row["function"], row["next"])
                check(row["calls"] == calls, f"{row['calls']}, not {calls}")


def growth():
    """Exponents as ascribe growth finds them, and the points behind them."""
    path = made("plain", DIRECTORY)
    larger = DIRECTORY / "larger.ascribe"
    larger.write_bytes(path.read_bytes())
    database = sqlite3.connect(larger)
    database.execute("UPDATE raw_functions SET calls = calls * 8, recursive_calls = recursive_calls * 8,"
                     " self_ns = self_ns * 8, total_ns = total_ns * 8")
    database.commit()
    database.close()
    with Viewer(f"n=10:{path}", f"n=40:{larger}") as view:
        info = view.get("api/info").json
        check(info["sizes"] == [40, 10], str(info["sizes"]))
        check(info["profiles"][0]["about"][0]["path"] == str(larger), "the largest is looked at")
        rows, _ = view.rows("functions", growth=1, sort="calls_exponent")
        known = [row for row in rows if row["calls"]]
        check(known and all(abs(row["calls_exponent"] - 1.5) < 1e-9 for row in known), str(rows))
        for kind in ("arcs", "sites", "lines"):
            rows, count = view.rows(kind, growth=1, sort="growth_order")
            check(count == len(rows) > 0, kind)
        series = view.get("api/series", of="growth", id=known[0]["id"]).json
        points = [dict(zip(series["columns"], row)) for row in series["rows"]]
        check([point["x"] for point in points] == [10, 40] and series["axis"] == "n", str(series))
        check(points[1]["calls"] == 8 * points[0]["calls"] == known[0]["calls"], str(points))
        check(view.get("api/series", of="nothing").status == 400, "no such series")
    with Viewer(path) as view:
        check(view.get("api/series", of="growth", id=1).status == 400, "no sizes")
        check(view.get("api/table", kind="functions", growth=1).status == 400, "no sizes")
        check(view.get("api/series", of="runs", id=1).json["rows"] == [], "no merged profile")


def series_of_runs():
    first, merged = made("plain", DIRECTORY), DIRECTORY / "merged.ascribe"
    harness.must([ASCRIBE, "merge", "-o", merged, first, first, first])
    profile = Profile(merged)
    with Viewer(merged) as view:
        function = profile.value("select function from run_functions where calls > 0")
        series = view.get("api/series", of="runs", id=function).json
        check(series["axis"] == "time" and len(series["rows"]) == 3, str(series))
        expected = profile.rows("select self_ns from run_functions where function = ? order by run", function)
        place = series["columns"].index("self_ns")
        check([row[place] for row in series["rows"]] == [value for value, in expected], str(series))


def tabs_at_once(view, truth):
    """Each question has the answer of what it says is to be shown, whatever others ask meanwhile."""
    def ask(metric):
        for _ in range(8):
            rows = view.get("api/table", kind="functions", metric=metric).json
            at = {name: rows["columns"].index(name) for name in ("name", "self_ns")}
            found = {row[at["name"]]: row[at["self_ns"]] for row in rows["rows"] if row[at["self_ns"]]}
            check(found == {name: self for name, self in truth[metric].items() if self}, f"{metric}: {found}")
    with concurrent.futures.ThreadPoolExecutor(6) as tabs:
        for asked in [tabs.submit(ask, metric) for metric in 3 * tuple(truth)]:
            asked.result()


def metrics():
    """Every answer is of the metric that was asked for last."""
    path = made("metrics", DIRECTORY)
    truth = {metric: dict(Profile(path).rows("select name, self from metric_functions where metric = ?", metric))
             for metric in ("cpu", "page-faults")}
    check(truth["cpu"] and sum(truth["page-faults"].values()), str(truth))
    with Viewer(path, path) as view:
        for metric in ("cpu", "page-faults", "cpu"):
            check(view.show(metric=metric) == 200, metric)
            one = view.get("api/info").json["profiles"][0]
            check({row["name"]: row["id"] for row in one["metrics"]}[metric] == 1, str(one["metrics"]))
            check(one["about"][0]["unit"] == ("ns" if metric == "cpu" else metric), str(one["about"]))
            rows, _ = view.rows("functions")
            found = {row["name"]: row["self_ns"] for row in rows if row["self_ns"]}
            check(found == {name: self for name, self in truth[metric].items() if self}, f"{metric}: {found}")
            flame = view.get("api/flame", width=1200).json
            check(flame["root_ns"] == sum(truth[metric].values()), f"{metric}: {flame['root_ns']}")
            rows, _ = view.rows("compared", of="functions", other=2, by="a.self + b.self")
            scale = 1e-9 if metric == "cpu" else 1
            check(abs(max(row["value"] for row in rows) - 2 * scale * max(truth[metric].values())) < 1e-6, str(rows))
        check(view.show(metric="cycles") == 400, "no such metric")
        check(view.rows("functions")[0], "after an error")
        tabs_at_once(view, truth)
    page = DIRECTORY / "faults.html"
    harness.must([ASCRIBE, "html", "--metric", "page-faults", path, "-o", page])
    check(packet_of(page)["info"]["profiles"][0]["about"][0]["unit"] == "page-faults", "html")
    for command, expected in ((["diff", path, path], "page-faults in all"),
                              (["growth", f"n=1:{path}", f"n=2:{path}"], "1.02 k  (the whole)")):
        told = harness.must([ASCRIBE, *command, "--metric", "page-faults"]).output
        check(expected in told, told)
        check(run([ASCRIBE, *command, "--metric", "cycles"]).status == 1, command)


PHASES = """#include <stdlib.h>
__attribute__((noinline)) static void first(void) { for (volatile long i = 0; i < 100000000; i++); }
__attribute__((noinline)) static void second(void) { for (volatile long i = 0; i < 150000000; i++); }
int main(void) {
  first();
  void *volatile block = malloc(100000);
  second();
  block = malloc(200000);
  first();
  return !block;
}
"""


NOBODYS = ("(profiler)", "(not sampled)", "(dropped)", "(kernel, not sampled)")


def of_json(path, metric, part=""):
    """What the report says of a part of the run, by function."""
    told = harness.must([ASCRIBE, "report", "--json", "--flat", f"{path}{part}"]).output
    return {row["name"]: row["self"] for row in json.loads(told)["metric_functions"]
            if row["metric"] == metric and row["self"]}


def two_parts(view, put, path, slices):
    """Two parts are two profiles, until one of them or the whole run is shown."""
    first, second = (slices[0], slices[len(slices) // 3]), (slices[len(slices) // 2], slices[-1])
    pair = {"from_ns": first[0], "to_ns": first[1], "second_from_ns": second[0], "second_to_ns": second[1]}
    truths = [of_json(path, "cpu", f"@{begin / 1e9:.9f}-{end / 1e9:.9f}") for begin, end in (first, second)]

    def names():
        return [pathlib.Path(one["about"][0]["path"]).name for one in view.get("api/info").json["profiles"]]
    for _ in range(2):  # the second time it is replaced
        check(put("part", **pair) == 200, "two parts")
        rows, _ = view.rows("compared", of="functions", other=2, by="b.self - a.self")
        for side, truth in zip("ab", truths):
            found = {row["name"]: round(row[side + "_self_ns"]) for row in rows if row[side + "_self_ns"] and row["name"] not in NOBODYS}
            check(found == truth, f"{side}: {found}, not {truth}")
        flames = [view.get("api/flame", width=1200, profile=profile).json["root_ns"] for profile in (1, 2)]
        check(flames == [sum(truth.values()) for truth in truths], str(flames))
    told = json.loads(harness.must([ASCRIBE, "diff", "--json", *(f"{path}@{begin / 1e9:.9f}-{end / 1e9:.9f}" for begin, end in (first, second))]).output)
    values = {row["name"]: row["value"] for row in rows if row["value"]}
    check(told["functions"] and all(abs(values[row["name"]] - row["value"]) < 1e-8 for row in told["functions"] if row["value"]), f"{values}, not as diff: {told}")
    check([name.split("@")[0] for name in names()] == [path.name] * 2 and len(set(names())) == 2, str(names()))
    check(put("metric", name="allocated") == 200, "a metric of both")
    for of in "kinds", "places":
        rows, _ = view.rows("compared", of=of, other=2, by="b.self")
        told = json.loads(harness.must([ASCRIBE, "diff", "--json", "--of", of, "--metric", "allocated", "--by", "b.self", "--neutral", "-1",
                                        *(f"{path}@{begin / 1e9:.9f}-{end / 1e9:.9f}" for begin, end in (first, second))]).output)
        values = {(row["name"], row["line"]): row["value"] for row in told[of]}
        check(values and {(row["name"], row["line"]): row["value"] for row in rows} == values, f"{rows}, not as diff: {told}")
        check(of == "places" or {row["way"] for row in rows} == {"unknown"}, f"{rows}")
    check(put("metric", name="cpu") == 200 and view.rows("compared", of="kinds", other=2, by="b.self")[0] == [], "of time there are no kinds")
    for wrong in ({"second_from_ns": 9, "second_to_ns": 3}, {"second_from_ns": 10**13, "second_to_ns": 2 * 10**13}):
        check(put("part", **(pair | wrong)) == 400 and len(names()) == 2, "no such second part")
    check(put("part", second_from_ns=0, second_to_ns=second[1]) == 400 and len(names()) == 2, "a second part without a first")
    check(put("part", from_ns=first[0], to_ns=first[1]) == 200 and len(names()) == 1, "one of them")
    check(view.get("api/table", kind="compared", of="functions", other=2, by="b.self").status == 400, "there is no second one")
    check(put("part", **pair) == 200 and put("part") == 200 and names() == [path.name], "the whole")
    with Viewer(path, path) as other:
        answer = other.get("api/info", **pair)
        check(answer.status == 400 and "open its profile alone" in answer.text, answer.text)


def same_in_a_page(path, put, view):
    """A page has what the server answers, of every metric by every kind of owner."""
    page = DIRECTORY / "in_phases.html"
    harness.must([ASCRIBE, "html", path, "-o", page])
    whole = packet_of(page)
    packed, functions = whole["times"], whole["tables"]["functions"]
    second = str(functions["rows"][[row[functions["columns"].index("name")] for row in functions["rows"]].index("second")][functions["columns"].index("id")])
    check(whole["codes"][second]["asm"][0]["pieces"][0]["instructions"], "its machine code")
    check(set(packed) >= {"cpu", "allocated", "live"}, str(list(packed)))
    check(set(packed["cpu"]) == {"functions", "threads"} and "centres" not in packed["live"], str(list(packed["cpu"])))
    for metric, owners in packed.items():
        check(put("metric", name=metric) == 200, metric)
        for by, times in owners.items():
            check(times == view.get("api/time", by=by, most=40).json, f"{metric} by {by}")


def selections(view, put):
    """What a function took part in, and the rest, are the whole; so are all threads."""
    def amounts(metric):
        check(put("metric", name=metric) == 200, metric)
        rows, _ = view.rows("functions")
        return sum(row["self_ticks" if metric == "cpu" else "self_ns"] or 0 for row in rows if row["id"]), len(view.get("api/flame").json["frames"])
    function = view.rows("functions", sort="total_ns")[0][0]["name"]
    one = view.get("api/info").json["profiles"][0]
    threads = "\n".join(f"{thread['name'] or thread['start_function_name']}/{thread['tid']}" for thread in one["threads"])
    process = pathlib.Path(one["processes"][0]["executable"]).name
    whole = {metric: amounts(metric) for metric in ("cpu", "allocated", "live")}
    selected = []
    for question in ({"below": function}, {"without": function}, {"threads": threads}, {"processes": process}):
        check(put("part", **question) == 200, str(question))
        selected.append({metric: amounts(metric) for metric in whole})
    for metric, (amount, frames) in whole.items():
        of, without, *all_of_it = (one[metric][0] for one in selected)
        check(0 < of <= amount and of + without == amount and all_of_it == [amount, amount], f"{metric}: {of} + {without}, {all_of_it}, not {amount}")
    for kind, list_of in (("function", "below"), ("thread", "threads"), ("process", "processes")):
        answer = view.get("api/info", **{list_of: "no_such"})
        check(answer.status == 400 and answer.text == f"the profile has no {kind} no_such", answer.text)
        check(view.get("api/info", **{list_of: "\n\n"}).status == 400, "a list of nothing")
    check(view.get("api/info", below=function + "\nno" + "x" * 50000).status == 200, "long lists")
    check(view.get("api/info", below="\n\n" + function + "\n").status == 200, "a list that begins with its separator")
    check(put("part") == 200, "all again")
    check({metric: amounts(metric) for metric in whole} == whole, "all of it again")
    check(put("metric", name="cpu") == 200, "cpu")


def times_and_parts():
    """Bands over time sum to the profile; a part of the run is in every answer what the report has of it."""
    source, path = DIRECTORY / "in_phases.c", DIRECTORY / "in_phases.ascribe"
    source.write_text(PHASES)
    harness.must(["gcc", "-O1", "-g", source, "-o", DIRECTORY / "in_phases"])
    harness.must([ASCRIBE, "record", "-q", "--heap", "-o", path, "--", DIRECTORY / "in_phases"])
    with Viewer(path) as view:
        def put(of, **parameters):
            """Another metric of what is shown, or another part by the same metric."""
            metric = parameters["name"] if of == "metric" else view.shown.get("metric", "cpu")
            return view.show(**(view.shown if of == "metric" else parameters) | {"metric": metric})
        check(view.get("api/info").json["timed"] == 1, "it is not known by time")
        for metric in ("cpu", "allocated"):
            check(put("metric", name=metric) == 200, metric)
            truth = of_json(path, metric)
            for by in ("functions", "threads"):
                times = view.get("api/time", by=by, most=40).json
                sums = {band["name"]: sum(band["amounts"]) for band in times["bands"]}
                check(abs(sum(sums.values()) - sum(truth.values())) < 100, f"{metric} by {by}: {sums}")
                if by == "functions":
                    check(all(abs(sums[name] - self) < 100 for name, self in truth.items()), f"{sums}, not {truth}")
        same_in_a_page(path, put, view)
        check(put("metric", name="cpu") == 200, "cpu")
        few = view.get("api/time", most=1, parts=3).json
        check(len(few["bands"]) == 2 and few["bands"][1]["name"] == "others", str(few))
        check(len(few["cpu_ns"]) <= 3, "parts")
        check(few["axes"]["cpu"] == few["cpu_ns"] and sum(few["axes"]["allocated"]) >= 300000, str(few["axes"]))
        check(put("metric", name="live") == 200, "live")
        live = view.get("api/time").json
        check(all(len(axis) == len(live["bands"][0]["amounts"]) for axis in live["axes"].values()), "axes of another metric")
        check(live["level"] == 1 and live["bands"][0]["amounts"][-1] == 300000, str(live["bands"]))
        slices = sorted(start for start, in Profile(path).rows("select start_ns from slices"))
        middle = slices[len(slices) // 2]
        for begin, end in ((0, middle), (middle, 10**12)):
            check(put("part", from_ns=begin, to_ns=end) == 200, "part")
            for metric in ("allocated", "cpu"):
                check(put("metric", name=metric) == 200, metric)
                truth = of_json(path, metric, f"@{begin / 1e9:.9f}-{end / 1e9:.9f}")
                rows, _ = view.rows("functions")
                found = {row["name"]: row["self_ns"] for row in rows if row["self_ns"] and row["name"] not in NOBODYS}
                check(found == truth, f"{metric} from {begin}: {found}, not {truth}")
                check(view.get("api/flame", width=1200).json["root_ns"] == sum(truth.values()), "flame")
                lines, _ = view.rows("lines")
                check(sum(row["self_ns"] for row in lines) == sum(truth.values()), "lines")
                check(view.get("api/source", file=str(source)).json["text"] == PHASES, "its text")
            check(view.get("api/info").json["timed"] == 1, "it is known by time")
            whole = view.get("api/time", parts=1).json["bands"]
            check(sum(sum(band["amounts"]) for band in whole) > 1.2 * sum(truth.values()), "bands are of the part")
        for begin, end in ((10**13, 2 * 10**13), (5, 5), (9, 3)):
            check(put("part", from_ns=begin, to_ns=end) == 400, "no such part")
        check(view.rows("functions")[0], "after an error")
        check(put("part") == 200, "the whole")
        rows, _ = view.rows("functions")
        check({row["name"]: row["self_ns"] for row in rows if row["self_ns"] and row["name"] not in NOBODYS}
              == of_json(path, "cpu"), "the whole again")
        selections(view, put)
        two_parts(view, put, path, slices)
        check(view.get("api/time", by="weekday").status == 400, "no such owners")
        check(view.get("api/time", by="centres").status == 400, "it has none")
    with Viewer(f"{path}@0-0.1") as view:
        check(view.get("api/info").json["timed"] == 0 and view.get("api/time").status == 400, "of a part")
    with Viewer(made("plain", DIRECTORY)) as view:
        check(view.get("api/info").json["timed"] == 0 and view.get("api/time").status == 400, "not known by time")
    page = DIRECTORY / "not_timed.html"
    harness.must([ASCRIBE, "html", DIRECTORY / "plain.ascribe", "-o", page])
    check(packet_of(page)["times"] == {}, "a page of what is not known by time")


FAULTS = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  char *memory = malloc(64 << 20);
  for (clock_t end = clock() + 200000, i = 0; clock() < end; i++) memset(memory + i % 64 * (1 << 20), (int)i, 1 << 20);
  printf("%d\\n", getpid());
  fflush(stdout);
  pause();
}
"""


def left_behind(private):
    """What a recorder leaves that is killed: a recording of two events."""
    source = DIRECTORY / "faults.c"
    source.write_text(FAULTS)
    program = harness.compile_program(source, DIRECTORY / "faults", ["-O1", "-g"], instrumented=False)
    with subprocess.Popen([ASCRIBE, "record", "-q", "-e", "task-clock,page-faults", "--", program], stdout=subprocess.PIPE) as recorder:
        child = int(recorder.stdout.readline())
        recorder.kill()
    with contextlib.suppress(ProcessLookupError): os.kill(child, signal.SIGKILL)
    return next(private.iterdir())


def recordings():
    """A directory as ASCRIBE_OUT makes it is as good as a profile."""
    source = DIRECTORY / "twice.c"
    source.write_text("__attribute__((noinline)) int twice(int x) { __asm__(\"\"); return 2 * x; }\n"
                      "int main(void) { int y = 0; for (int i = 0; i < 30; i++) y += twice(i); return !y; }\n")
    program = harness.compile_program(source, DIRECTORY / "twice", ["-O1", "-g"])
    place = DIRECTORY / "recorded"
    place.mkdir(exist_ok=True)
    harness.must([program], environment={"ASCRIBE_OUT": place})
    private = DIRECTORY / "private"  # others use the usual places
    private.mkdir(exist_ok=True)
    os.environ["ASCRIBE_TMPDIR"] = str(private)
    with Viewer(place, place) as view:
        rows, _ = view.rows("functions", filter="twice")
        check(any(row["name"] == "twice" and row["calls"] == 30 for row in rows), str(rows))
        check(view.get("api/info").json["profiles"][0]["about"][0]["path"] == str(place), "its own name")
        rows, _ = view.rows("compared", of="functions", other=2, by="b.calls - a.calls")
        check(all(row["value"] in (0, None) for row in rows), str(rows))
    check("twice" in harness.must([ASCRIBE, "diff", place, place, "--by", "b.calls + a.calls"]).output, "diff")
    check("twice" in harness.must([ASCRIBE, "growth", f"n=1:{place}", f"n=2:{place}"]).output, "growth")
    harness.must([ASCRIBE, "html", f"{place}/"], directory=DIRECTORY)
    check((DIRECTORY / "recorded.html").exists(), "a page named after the recording")
    check(not list(private.iterdir()), "a directory was left")
    left = left_behind(private)
    with Viewer(left) as view:
        for metric in ("page-faults", "task-clock"):
            check(view.show(metric=metric) == 200, metric)
            metrics = view.get("api/info").json["profiles"][0]["metrics"]
            check({row["name"]: row["id"] for row in metrics}[metric] == 1 and len(metrics) == 2, str(metrics))
            check(any(row["total_ns"] for row in view.rows("functions", filter="main")[0]), f"no {metric}")
    # A metric that only one of two recordings has is refused, and neither changes.
    with Viewer(left, place) as view:
        check(view.show(metric="page-faults") == 400, "it was taken")
        metrics = view.get("api/info").json["profiles"][0]["metrics"]
        check({row["name"]: row["id"] for row in metrics}["task-clock"] == 1, str(metrics))
    shutil.rmtree(left)
    del os.environ["ASCRIBE_TMPDIR"]


def counted_expressions():
    path = made("plain", DIRECTORY)
    database = sqlite3.connect(path)
    file, = database.execute("SELECT id FROM raw_files").fetchone()
    for number, (column, end, count) in enumerate(((3, 20, 7), (5, 9, 700), (11, 14, 0)), 1):
        database.execute("INSERT INTO raw_expressions(id, function, file, line, source_column, end_line,"
                         " end_column, way, kind, count, label_line, self_ticks, self_ns)"
                         " VALUES(?, 1, ?, 12, ?, 12, ?, 0, 0, ?, 0, 0, 0)", (number, file, column, end, count))
    database.commit()
    database.close()
    with Viewer(path) as view:
        rows, count = view.rows("expressions", **{"is.kind": "code"})
        check(count == 3 and [row["count"] for row in rows] == [700, 7, 0], str(rows))
        check((rows[0]["line"], rows[0]["source_column"], rows[0]["end_column"]) == (12, 5, 9), str(rows[0]))


def source_pages():
    """A page of source is one answer: what the report says of the lines of a file, in one request."""
    path = made("plain", DIRECTORY)
    report = json.loads(harness.must([ASCRIBE, "report", "--json", "--source", "main", path]).output)
    file = report["source"][0]["file"]
    whole = json.loads(harness.must([ASCRIBE, "report", "--json", "--source", file, path]).output)["source"][0]["lines"]
    expected = {line["line"]: [line["self_ns"], line["self_low_ns"], line["self_high_ns"], line["total_ns"], line["calls"], line["executed"]]
                for line in whole}
    with Viewer(path) as view:
        page = view.get("api/source", file=file).json
        bare = view.get("api/source", file=file, rows=0).json
        known = [(id, line) for id, line in Profile(path).rows("SELECT id, line FROM call_sites WHERE line > 0 ORDER BY line, id")]
        found = [(row["id"], line) for line in sorted({line for _, line in known})
                 for row in view.rows("sites", **{"is.file": file, "is.line": line, "sort": "id", "up": 1})[0]]
        check(view.get("api/source").status == 400, "no file")
    check(page["text"] == bare["text"] and page["file"] == file and sorted(bare) == ["file", "newer", "text"], str(sorted(bare)))
    check("by_function" not in page and "sites" not in page and page["functions"]["count"], str(sorted(page)))
    check(known and found == known, f"{found}, not {known}")
    lines = page["lines"]
    rows = [dict(zip(lines["columns"], row)) for row in lines["rows"]]
    found = {row["line"]: [row[column] for column in ("self_ns", "self_low_ns", "self_high_ns", "total_ns", "calls", "executions")] for row in rows}
    check(len(expected) > 2 and lines["count"] == len(rows) and found == expected, f"{found}\nexpected {expected}")


def copies_of_expressions():
    """By line, with how they came to where they run; in the page that stands alone, too."""
    path = made("plain", DIRECTORY)
    database = sqlite3.connect(path)
    file, = database.execute("SELECT id FROM raw_files").fetchone()
    for number, line in (1, 12), (2, 13):
        database.execute("INSERT INTO raw_expressions VALUES(?, 1, ?, ?, 3, ?, 9, 0, 0, 7, NULL, 0, 0, 0, 0, 0)", (number, file, line, line))
    database.execute("INSERT INTO raw_expansions VALUES(1, NULL, 1, NULL, NULL, 0, ?, 20, 5, 'f at a.c:20:5')", (file,))
    for expression, expansion, count in (1, None, 3), (1, 1, 4), (2, None, 7):
        database.execute("INSERT INTO raw_copies VALUES(?, 2, ?, NULL, ?, 0, 0, 0, 0)", (expression, expansion, count))
    database.commit()
    database.close()
    with Viewer(path) as view:
        rows, count = view.rows("copies", **{"is.line": "12", "is.kind": "code"})
        check(count == 2 and [(row["count"], row["through"]) for row in rows] == [(4, "f at a.c:20:5"), (3, None)], str(rows))
    page = harness.must([ASCRIBE, "html", path, "-o", "-"]).output
    check("f at a.c:20:5" in page, "the page that stands alone has no copies")


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
        check("more than 1000 functions" in view.get("api/flame", root="x\n" * 1001).text, "a way that is too long")
        for parameters in ({"root": "no such"}, {"focus": "no such\n\n"}):
            check(view.get("api/flame", **parameters).json["frames"] == [], str(parameters))
        for question in ("code?id=0", "code?id=4294967295", "time?thread=99"):
            check(view.get("api/" + question.split("?")[0], **dict([question.split("?")[1].split("=")])).status == 400, question)
        check(view.get("api/table", kind="functions", limit="-5", offset="x").status == 200, "defaults")
        check(view.get("api/table", **{f"p{i}": "1" for i in range(100)}).status == 400, "too many")
        rows, _ = view.rows("functions", **{"is.name": "x' OR 1 --"})
        check(rows == [], "a text is a text")


def long_names():
    """Answers have the short names of the long ones that they mention, as the report shortens them."""
    path = made("plain", DIRECTORY)
    vectors = [f"void a::very::long::scope::vector<std::map<int, {kind}>, std::allocator<{kind}> >::grow(unsigned long)"
               for kind in ("std::string", "std::string_view")]
    changed(path, *(f"UPDATE raw_functions SET name = '{name}' WHERE id = {i}" for i, name in enumerate(vectors, 2)))
    with Viewer(path) as view:
        functions = view.get("api/table", kind="functions").json["short"]
        check(set(functions) == set(vectors) and len(set(functions.values())) == 2, str(functions))
        check(all(len(shown) <= 56 and "grow" in shown for shown in functions.values()), str(functions))
        for question in ({"name": "api/flame"}, {"name": "api/table", "kind": "arcs"}):
            short = view.get(**question).json["short"]
            check(short and short.items() <= functions.items(), f"{question}: {short}")
        check(view.get("api/table", kind="files").json["short"] == {}, "none is there")


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
            zoomed = view.get("api/flame", up=up, root=flame["names"][str(first[4])], width=100000).json
            check(zoomed["root_ns"] == first[2], "zoomed into the first")
        for function in {frame[4] for frame in flame["frames"]} - {0}:
            focused = view.get("api/flame", focus=flame["names"][str(function)], width=100000).json
            for up in (0, 1):
                around = view.get("api/flame", around=function, up=up, width=100000).json
                check(around["root_ns"] == focused["root_ns"], f"{function}: {around['root_ns']}, not {focused['root_ns']}")
                check(around["frames"][0][:3] == [0, 0, around["root_ns"]] and around["frames"][0][4] == function, "it comes first")
                check(sum(frame[3] for frame in around["frames"]) == around["root_ns"], "what began or ended in each")


def left_pages():
    """Who asks, and goes before the answer, changes no other answer; and Ctrl-C ends while somebody waits."""
    path = made("recursion", DIRECTORY)
    questions = ["api/flame?width=1000", "api/table?kind=functions&sort=self_ns", "api/table?kind=compared&of=functions",
                 "api/table?kind=sites&filter=a"]
    with Viewer(path, path) as view:
        told = [view.request(view.path + question).body for question in questions]
    with Viewer(path, path) as view:
        for question, answer in zip(questions, told):
            for seconds in (0, 0.001, 0.01):
                connection = http.client.HTTPConnection("127.0.0.1", view.port)
                connection.request("GET", view.path + question)
                time.sleep(seconds)
                connection.close()
            check(view.request(view.path + question).body == answer, f"{question}: another answer after others left")
        waiting = http.client.HTTPConnection("127.0.0.1", view.port)
        waiting.request("GET", view.path + questions[0])
    waiting.close()


def odd_profiles():
    for kind in ("names", "same_names", "no_time", "no_lines", "faults", "arcs_only", "nothing"):
        with Viewer(made(kind, DIRECTORY)) as view:
            view.get("api/info").json
            for table in ("functions", "arcs", "sites", "lines", "expressions", "never", "places", "files", "objects"):
                view.rows(table)
            view.get("api/flame").json


def changed(path, *statements):
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def damaged_profiles():
    """Contexts and times that no writer makes: an answer that says so, and it goes on. A table that is missing, and can
    be made again."""
    path = made("plain", DIRECTORY)
    changed(path, "UPDATE raw_contexts SET parent = 999999 WHERE parent IS NOT NULL")
    with Viewer(path) as view:
        check(view.get("api/flame").status == 400, "contexts")
        check(view.get("api/table", kind="functions").status == 200, "the rest")
    path = made("plain", DIRECTORY)
    changed(path, "INSERT INTO raw_stacks(id) VALUES (1)", "INSERT INTO raw_ticks SELECT * FROM raw_ticks",
            f"UPDATE raw_ticks SET raw_ns = {2 ** 63 - 1}")
    with Viewer(path) as view:
        check(view.get("api/flame").status == 400, "times")
    path = made("plain", DIRECTORY)
    with Viewer(path) as view: arcs = view.get("api/table", kind="arcs")
    changed(path, "DROP TABLE raw_arcs")
    with Viewer(path) as view:
        again = view.get("api/table", kind="arcs")
        check(again.status == 200 and again.body == arcs.body, "made again")


def a_file_that_is_replaced():
    """Its viewer says so, and mixes nothing of the two."""
    path, first, other = DIRECTORY / "replaced.ascribe", made("plain", DIRECTORY), made("names", DIRECTORY)
    shutil.copy(first, path)
    with Viewer(path) as view:
        check(view.rows("functions")[0], "at first")
        shutil.copy(other, DIRECTORY / "next.ascribe")
        os.replace(DIRECTORY / "next.ascribe", path)
        for question in ({"kind": "functions"}, {"kind": "functions", "metric": "other"}, {"kind": "lines"}):
            answer = view.get("api/table", **question)
            check(answer.status == 400 and answer.text == f"{path} was replaced: start ascribe view again", answer.text)
        path.unlink()
        for question in ({}, {"metric": "other"}):
            answer = view.get("api/flame", **question)
            check(answer.text == f"{path} is not there any more: start ascribe view again", answer.text)


def lists_of_ranks():
    """However they are separated; the profiles of single ranks are not beside this one."""
    whole = DIRECTORY / "of_ranks.ascribe"
    whole.unlink(missing_ok=True)
    harness.must([ASCRIBE, "merge", "-q", "-o", whole, made("plain", DIRECTORY), made("names", DIRECTORY)])
    changed(whole, "update raw_processes set rank_number = run")
    with Viewer(whole) as view:
        for ranks in (",1", ",,1,", "7-,1-1"):
            check("the profile of rank 1" in view.get("api/info", ranks=ranks).text, ranks)
        for ranks in (",", ",,", "-", "x", "7,"):
            check("has no rank" in view.get("api/info", ranks=ranks).text, ranks)
    who_sends_to_whom(whole)


def who_sends_to_whom(job):
    """By ranks, by nodes, of many ranks summed, and of a part of them; rank 9 was not recorded."""
    insert = ("insert into raw_messages select id, null, 'MPI_Send', 0, {0}, 1, {1}, {2}, 0, 0, 5, 5 from raw_processes"
              " where rank_number = {3}")
    changed(job, "update raw_processes set host = 'n' || rank_number", insert.format(2, 3, 300, 1),
            insert.format(10, 1, 8, 1), insert.format(1, 2, 40, 2), insert.format(2, 1, 1, 1))
    rows = [[0, 1, 1, 4, 301], [0, 9, 1, 1, 8], [1, 0, 1, 2, 40]]
    with Viewer(job) as view:
        for asked, size, step, expected in (
                ({}, 10, 1, rows), ({"cells": 2}, 10, 5, [[0, 0, 2, 6, 341], [0, 1, 1, 1, 8]]),
                ({"from": 0, "to": 0, "partner_from": 9, "partner_to": 9}, 10, 1, [[0, 0, 1, 1, 8]]),
                ({"by": "nodes"}, 2, 1, [[0, 1, 1, 4, 301], [1, 0, 1, 2, 40]]), ({"job": "other"}, 0, 0, [])):
            answer = view.get("api/matrix", **asked).json
            found = sorted(row[:5] for row in answer["rows"])
            check((answer["size"], answer["jobs"], found) == (size, [None], expected) and answer["step"] in (step, 1), f"{asked}: {answer}")
        check(view.get("api/matrix", by="nodes").json["unrecorded"] == 1, "the pair with rank 9 is of no node")
        pairs, count = view.rows("message_matrix", **{"is.rank": 0, "is.partner": 1})
        check(count == 1 and pairs[0]["sent_bytes"] == 301, pairs)
        check(view.get("api/ranks", figure="MPI").json["rows"] == [[1, 3, 5, 309, 0, 0, 15, 0], [2, 1, 2, 40, 0, 0, 5, 0]], view.get("api/ranks", figure="MPI").text)
        check(len(view.get("api/alike").json["run_groups"]["groups"]) in (0, 1, 2), "alike")
        check(view.get("api/ranks", figure="cpu").json["rows"] == [[1, None, None, None, None], [2, None, None, None, None]], "no files")
        check(view.rows("message_sites")[0][0]["calls"] == 4 and view.rows("messages", **{"is.partner": 1})[1] == 2, "calls")


def refusals():
    for words, part, status in ((["view", DIRECTORY / "none.ascribe"], "cannot be read", 1),
                                (["view", __file__], "is not an Ascribe profile", 1),
                                (["view", "--port", "x"], "--port x: expected a number from 0 to 65535", 2),
                                (["html", DIRECTORY / "none.ascribe", "-o", DIRECTORY / "x.html"], "cannot be read", 1),
                                (["html", "a", "b", "c"], "at most two profiles", 2),
                                (["html", "a", "--by", "b.calls"], "--by needs two profiles", 2),
                                (["html", "n=1:a", "b"], "b: the size is missing", 2),
                                (["view", "n=1:a", "b"], "b: the size is missing", 2),
                                (["view", "n=1:a"], "two sizes are needed", 2)):
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


def sorted_as(rows, column, up):
    """What is not known comes last."""
    known = [row[column] for row in rows if row[column] is not None]
    return sorted(known, reverse=not up) + [None] * (len(rows) - len(known))


def compared_in_memory(view, kind, by, texts):
    """All rows; sorted, filtered and cut they are some of them."""
    asked = {"of": kind, "other": 2, "by": by}
    everything, count = view.rows("compared", **asked, limit=20000)
    check(count == len(everything) > 2, kind)
    check(any(row["a"] is None for row in everything) or any(row["b"] is None for row in everything), kind)
    for column in everything[0].keys() - {"text"}:
        for up in (0, 1):
            rows, _ = view.rows("compared", **asked, sort=column, up=up, limit=20000)
            check([row[column] for row in rows] == sorted_as(everything, column, up), f"{kind}, {column}: {rows}")
            check(sorted(map(str, rows)) == sorted(map(str, everything)), f"{kind}, {column}: other rows")
    cut, _ = view.rows("compared", **asked, sort="name", limit=2, offset=1)
    whole, _ = view.rows("compared", **asked, sort="name", limit=20000)
    check(cut == whole[1:3], f"{kind}: {cut}")
    check(view.rows("compared", **asked, offset=10 ** 6)[0] == [], "beyond the end")
    for text in texts:
        rows, count = view.rows("compared", **asked, filter=text, limit=20000)
        wanted = [row for row in everything if any(
            text.lower() in (row[name] or "").lower() for name in ("name", "caller_name", "file"))]
        check(count == len(rows) == len(wanted), f"{kind}, filtered by {text}: {rows}")
    return everything


HOLDS_KINDS = """#include <ascribe/ascribe.h>
#include <stdlib.h>
static void *volatile last;
static void hold(const char *name, int count) {
  for (int i = 0; i < count; i++) ascribe_kind(last = malloc(100), name);
}
int main(int count, char **arguments) {
  (void)arguments;
  hold("node", 10 * count);
  hold(count > 1 ? "edge" : "Zone", 7);
  last = malloc(50);
  hold("text", 5 + count);
  return 0;
}
"""


def compared_kinds():
    """Kinds of memory, of which each profile has one that the other lacks."""
    source, program = DIRECTORY / "holds_kinds.c", DIRECTORY / "holds_kinds"
    source.write_text(HOLDS_KINDS)
    harness.must(["gcc", "-O1", "-g", "-fno-builtin", "-I", harness.HEADERS, source, "-o", program])
    paths = [DIRECTORY / f"holds_kinds{i}.ascribe" for i in (1, 2)]
    for path, arguments in zip(paths, ([], ["more"])):
        harness.must([ASCRIBE, "record", "-q", "--heap", "-o", path, "--", program, *arguments])
    with Viewer(*paths) as view:
        for metric in ("allocated", "live", "allocations"):
            check(view.show(metric=metric) == 200, metric)
            rows = compared_in_memory(view, "kinds", "b.self - a.self", ("node", "E", "unkn", "nowhere"))
            found = {row["name"]: (row["a_calls"], row["b_calls"], row["way"]) for row in rows}
            unknown = found.pop("(unknown)")
            check(found == {"node": (10, 20, "named"), "edge": (None, 7, "named"), "Zone": (7, None, "named"), "text": (6, 7, "named")}, str(found))
            check(unknown[0] >= 1 and unknown[2] == "unknown", str(unknown))
            size = 1 if metric == "allocations" else 100
            check({row["name"]: row["value"] for row in rows if row["name"] in ("node", "text")} == {"node": 10 * size, "text": size}, str(rows))
    page = DIRECTORY / "holds_kinds.html"
    harness.must([ASCRIBE, "html", "--metric", "allocated", *paths, "-o", page])
    table = next(one["table"] for one in packet_of(page)["compared"] if one["of"] == "kinds")
    values = dict(zip((row[table["columns"].index("name")] for row in table["rows"]), (row[table["columns"].index("value")] for row in table["rows"])))
    check(values == {"node": 1000, "edge": 700, "Zone": -700, "text": 100, "(unknown)": 0}, f"in the page: {values}")


def compared_tables():
    """Sorted, filtered and cut in memory; against all rows."""
    by = "b.calls - a.calls"
    with Viewer(made("recursion", DIRECTORY), made("plain", DIRECTORY)) as view:
        for kind in ("functions", "arcs", "sites", "lines"):  # plain profiles have no expressions
            everything = compared_in_memory(view, kind, by, ("A", "spont", "work", ".c", "nowhere"))
            values = {row["a"]: row["value"] for row in everything}
            for column in ("value", "low", "stands_out"):
                rows, count = view.rows(kind, other=2, by=by, sort=column, limit=20000)
                check([row[column] for row in rows] == sorted_as(rows, column, 0), f"{kind} by {column}")
                check(all(row["value"] == values[row["id"]] for row in rows), f"{kind}: values")
            rows, _ = view.rows(kind, other=2, by=by, limit=1, sort="value")
            check(rows[0]["value"] == max(value for value in values.values() if value is not None) if kind != "lines"
                  else rows[0]["value"] is None, f"{kind}: {rows}")
        rows, _ = view.rows("arcs", filter="SPONT")
        check(rows and all(row["caller_name"] == "<spontaneous>" for row in rows), f"what has no caller: {rows}")
        answer = view.get("api/table", kind="compared", of="arcs", other=2, sort="nothing")
        check(answer.status == 400 and "no column nothing" in answer.text, answer.text)


def standalone_comparison():
    first, second, page = made("plain", DIRECTORY), made("names", DIRECTORY), DIRECTORY / "two.html"
    harness.must([ASCRIBE, "html", first, second, "-o", page])
    text = page.read_text()
    begin = text.index('id="profile">') + len('id="profile">')
    packet = json.loads(text[begin:text.index("</script>", begin)])
    check({one["of"] for one in packet["compared"]} == {"functions", "arcs", "sites", "lines"}, "kinds")
    with Viewer(first, second) as view:
        for one in packet["compared"]:
            _, count = view.rows("compared", of=one["of"], other=2, by=one["by"])
            check(one["table"]["count"] == count, f"{one['of']} by {one['by']}")
        answer = view.get("api/table", kind="source_lines", profile=2, limit=20000).json
        check(packet["second"]["tables"]["source_lines"] == answer, "lines of b")
        for kept in packet["second"]["sources"]: # a text that both have is in the page once
            texts = [view.get("api/source", file=kept["file"], rows=0, profile=profile).json["text"] for profile in (1, 2)]
            check(kept.get("same", False) == (texts[0] == texts[1]) and ("text" in kept) != kept.get("same", False), f"{kept}")
            check(kept.get("text", texts[1]) == texts[1], f"{kept}")


def packet_of(page):
    text = page.read_text()
    begin = text.index('id="profile">') + len('id="profile">')
    return json.loads(text[begin:text.index("</script>", begin)])


def standalone_asked():
    """Compared by what is asked for, where it has values; what is wrong is named."""
    first, second, page = made("plain", DIRECTORY), made("names", DIRECTORY), DIRECTORY / "asked.html"
    by = "b.total - 2 * a.total + (a.name = '</script>')"
    harness.must([ASCRIBE, "html", first, second, "--by", by, "-o", page])
    packet = packet_of(page)
    check(packet["compared"][0]["by"] == by and packet["asked"] == 1, str(packet["compared"][0])[:200])
    check("sites" not in {one["of"] for one in packet["compared"] if one["by"] == by}, "sites have no times")
    page.unlink()
    result = run([ASCRIBE, "html", first, second, "--by", "b.cals", "-o", page])
    check(result.status == 1 and "no such column: b.cals" in result.errors and not page.exists(), result.errors)


def standalone_growth():
    """The same as the server's answers; plots of functions."""
    sizes = [f"n={n}:{made('plain', DIRECTORY)}" for n in (10, 40, 20)]
    page = DIRECTORY / "growth.html"
    harness.must([ASCRIBE, "html", *sizes, "-o", page])
    packet = packet_of(page)
    check(packet["info"]["sizes"][0] == 40 and packet["compared"] == [], str(packet["info"]["sizes"]))
    with Viewer(*sizes) as view:
        for kind in ("functions", "arcs", "sites", "lines", "expressions"):
            answer = view.get("api/table", kind=kind, growth=1, limit=5000).json
            check(packet["tables"][kind] == answer, kind)
        for identity in {row[0] for row in packet["series"]["rows"]}:
            answer = view.get("api/series", of="growth", id=identity).json
            check([row[1:] for row in packet["series"]["rows"] if row[0] == identity] == answer["rows"], str(identity))
        check(len(view.get("api/series", of="growth", most=1).json["rows"]) == 3, "of one function")
    check(packet["series"]["axis"] == "n" and packet["series"]["rows"], "plots")


def standalone_expressions():
    """What never ran is a figure, too; where there are too many, each file's number is there."""
    path, page = made("plain", DIRECTORY), DIRECTORY / "ranges.html"
    database = sqlite3.connect(path)
    file, name = database.execute("SELECT id, path FROM raw_files").fetchone()
    lines = ("INSERT INTO raw_source_lines(id, file, line, self_ticks, self_ns, calls, state, executions)"
             " VALUES(?, ?, ?, 0, 0, 0, 0, ?)")
    insert = ("INSERT INTO raw_expressions(id, function, file, line, source_column, end_line, end_column, way, kind,"
              " count, label_line, self_ticks, self_ns) VALUES(?, 1, ?, ?, 1, ?, 5, 0, 0, ?, 0, 0, 0)")
    database.executemany(insert, [(i, file, i, i, i % 2) for i in range(1, 6001)])
    database.execute("DELETE FROM raw_source_lines")
    database.executemany(lines, [(i, file, i, i % 2) for i in range(1, 6002)])
    database.commit()
    harness.must([ASCRIBE, "html", path, "-o", page])
    packet = packet_of(page)
    check(len(packet["tables"]["expressions"]["rows"]) == 6000 and packet["counted"] == [[name, 6000, 6001]], str(packet["counted"]))
    check(len(packet["tables"]["source_lines"]["rows"]) == 6001, "lines")
    database.executemany(insert, [(i, file, i, i, i % 2) for i in range(6001, 20002)])
    database.commit()
    database.close()
    harness.must([ASCRIBE, "html", path, "-o", page])
    packet = packet_of(page)
    check(len(packet["tables"]["expressions"]["rows"]) == 20000 and packet["counted"] == [[name, 20001, 6001]], "too many")


if __name__ == "__main__":
    harness.main(only_with_the_token, the_token_lasts_with_a_port, only_for_this_host, nothing_of_the_file_system, policy,
                 tables_say_what_the_profile_says, what_no_function_has, pages_of_large_tables, cycles, growth, series_of_runs,
                 metrics, times_and_parts, recordings, counted_expressions, source_pages, copies_of_expressions, wrong_questions, long_names, comparisons, compared_tables, compared_kinds, flames, left_pages,
                 odd_profiles, damaged_profiles, a_file_that_is_replaced, lists_of_ranks, refusals, standalone, standalone_comparison, standalone_asked, standalone_growth,
                 standalone_expressions)
