#!/usr/bin/env python3
"""Exports to Speedscope: they follow its schema and say what the report says; Speedscope itself,
in a browser, shows the same figures.  Node's packages are fetched for that where npm is."""

import base64
import html
import json
import re
import shutil

import browser
import exchange
import harness
from exchange import Report, Stacks, export, judge, same_as_report
from harness import check, run

DIRECTORY = harness.scratch("exchange-speedscope")
UNITS = {"s": 1e9, "ms": 1e6, "µs": 1e3, "ns": 1.0}


def stacks_of(data, unit="nanoseconds"):
    """All profiles of a file as one; and the sum of each."""
    document = json.loads(data)
    frames = [frame["name"] for frame in document["shared"]["frames"]]
    stacks, sums = Stacks(), {}
    for profile in document["profiles"]:
        check(profile["type"] == "sampled" and profile["unit"] == unit, "type and unit")
        check(len(profile["samples"]) == len(profile["weights"]), "samples and weights")
        check(profile["startValue"] == 0 and profile["endValue"] == sum(profile["weights"]), "ends")
        sums[profile["name"]] = profile["endValue"]
        for sample, weight in zip(profile["samples"], profile["weights"]):
            stacks.add([frames[i] for i in sample], weight)
    return stacks, sums


def equals_the_report():
    for kind in exchange.COMPARED:
        path = harness.made(kind, DIRECTORY)
        stacks, _ = stacks_of(export(path, "speedscope"))
        same_as_report(stacks, Report(path), kind)


def equals_the_report_of_a_run():
    for path in exchange.runs(DIRECTORY):
        stacks, _ = stacks_of(export(path, "speedscope"))
        same_as_report(stacks, Report(path), path.name)


def one_profile_for_each_thread():
    path = harness.made("recursion", DIRECTORY)
    _, sums = stacks_of(export(path, "speedscope"))
    expected = {f"thread {t['name']} ({t['tid']})": t["self_ns"] for t in Report(path).threads}
    exchange.equal("threads", sums, expected)
    check(list(sums.values()) == sorted(sums.values(), reverse=True), "busiest first")


def another_unit_than_time():
    document = json.loads(export(harness.made("faults", DIRECTORY), "speedscope"))
    check({profile["unit"] for profile in document["profiles"]} == {"none"}, "unit")


def metrics():
    """Each metric, by function and by cost centre."""
    unit_of = lambda data: json.loads(data)["profiles"][0]["unit"]
    path = exchange.measured(DIRECTORY)
    exchange.same_in_all_metrics(path, "speedscope", lambda data: stacks_of(data, unit_of(data))[0])
    units = {name: unit_of(export(path, "speedscope", "--metric", name)) for name in exchange.METRICS}
    check(units == {"cpu": "nanoseconds", "waiting": "nanoseconds", "allocated": "bytes", "live": "bytes",
                    "peak": "bytes", "allocations": "none", "temporary": "none"}, f"{units}")


def names():
    stacks, _ = stacks_of(export(harness.made("names", DIRECTORY), "speedscope"))
    exchange.equal("names", stacks.self, exchange.NAMES_NS, 0)


def package():
    """Where Speedscope is installed; None, and said so, if it cannot be."""
    place = DIRECTORY / "npm"
    if not judge("npm"):
        return None
    if not place.exists():
        shutil.copytree(exchange.HERE / "npm", place)
        result = run(["timeout", "200", "npm", "ci", "--no-audit", "--no-fund", "--fetch-retries=1"],
                     place, timeout=300)
        if result.status != 0:
            print("        npm cannot fetch Speedscope: not asked:", result.errors.strip()[-200:])
    release = place / "node_modules" / "speedscope" / "dist" / "release"
    return release if release.exists() else None


def schema():
    release = package()
    if not release:
        return
    try:
        import jsonschema
    except ImportError:
        print("        python3-jsonschema is not installed: not asked")
        return
    rules = json.loads((release / "file-format-schema.json").read_text())
    for kind in exchange.COMPARED + ("names", "same_names"):
        document = json.loads(export(harness.made(kind, DIRECTORY), "speedscope"))
        try:
            jsonschema.validate(document, rules)
        except jsonschema.ValidationError as error:
            raise harness.Failure(f"{kind}: {error}") from error


SUFFIXES = {"speedscope": ".speedscope.json", "pprof": ".pb.gz", "collapsed": ".txt"}


def address(release, path, view, *options, form="speedscope"):
    script = path.with_suffix(".js")
    data = base64.b64encode(export(path, form, *options)).decode()
    script.write_text(f'speedscope.loadFileFromBase64("{path.stem}{SUFFIXES[form]}", "{data}")')
    return f"file://{release}/index.html#view={view}&localProfilePath={script}"


def sandwich(page):
    """Rows of Speedscope's table: {name: (total ns, self ns)}."""
    texts = [html.unescape(text).strip() for text in re.split(r"<[^>]*>", page)]
    texts = [text for text in texts if text]
    check("Symbol Name" in texts, "Speedscope did not load the file")
    cells = texts[texts.index("Symbol Name") + 1:]
    value = re.compile(r"([\d.]+)(s|ms|µs|ns) \((<?[\d.]+)%\)")
    found = {}
    for total, own, name in zip(cells[0::3], cells[1::3], cells[2::3]):
        total, own = value.fullmatch(total), value.fullmatch(own)
        if not total or not own:
            break
        check(float(total[3].lstrip("<")) <= 100, f"{name}: {total[0]}")
        found[name] = tuple(float(match[1]) * UNITS[match[2]] for match in (total, own))
    return found


def shows_the_same(page, report):
    rows = sandwich(page)
    tolerance = 0.01e9  # two digits behind the point of a second
    exchange.equal("Speedscope, total", {n: t for n, (t, _) in rows.items() if t > tolerance},
                   {n: t for n, t in report.total_ns.items() if t > tolerance}, tolerance)
    exchange.equal("Speedscope, self", {n: s for n, (_, s) in rows.items() if s > tolerance},
                   {n: s for n, s in report.self_ns.items() if s > tolerance}, tolerance)


def speedscope_in_a_browser():
    release = package()
    if not release or not browser.command():
        return
    path = harness.made("recursion", DIRECTORY)
    for thread in ("1", "2"):
        url = address(release, path, "sandwich", "--thread", thread)
        shows_the_same(browser.document(url, DIRECTORY, ready="%)"), Report(path, "--thread", thread))
    url = address(release, path, "sandwich", form="pprof")
    shows_the_same(browser.document(url, DIRECTORY, ready="%)"), Report(path))
    browser.picture(address(release, path, "left-heavy"), DIRECTORY, DIRECTORY / "speedscope.png")
    page = browser.document(address(release, harness.made("nothing", DIRECTORY), "sandwich"),
                            DIRECTORY, ready="Symbol Name")
    check("Symbol Name" in page, "Speedscope did not load an empty profile")


if __name__ == "__main__":
    harness.main(equals_the_report, equals_the_report_of_a_run, one_profile_for_each_thread,
                 metrics, another_unit_than_time, names,
                 schema, speedscope_in_a_browser)
