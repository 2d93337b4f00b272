#!/usr/bin/env python3
"""Flame graphs: well-formed, true to the report, readable without their script; in a browser,
search and zoom do what they say."""

import html
import json
import re
import xml.etree.ElementTree as xml

import browser
import exchange
import harness
from exchange import Report, export
from harness import check

DIRECTORY = harness.scratch("exchange-flamegraph")
SVG = "{http://www.w3.org/2000/svg}"
WIDTH = 1176  # of the root's frame


class Frame:
    def __init__(self, group):
        rect, text = group.find(f"{SVG}rect"), group.find(f"{SVG}text")
        self.x, self.y, self.width = (float(rect.get(key)) for key in ("x", "y", "width"))
        self.title = group.find(f"{SVG}title").text
        self.name = self.title.split("\n")[0]
        self.label = None if text is None else text.text
        self.classes = group.get("class").split()
        self.parent = None

    def names(self):
        """From the root's child to this frame."""
        return (self.parent.names() if self.parent.parent else []) + [self.name] \
            if self.parent else []


class Graph:
    def __init__(self, data):
        self.text = data.decode()
        self.root = xml.fromstring(data)
        self.ns = int(self.root.get("data-whole"))
        area = next(g for g in self.root.iter(f"{SVG}g") if g.get("id") == "frames")
        self.frames = [Frame(group) for group in area]
        path = []
        for frame in self.frames:
            while path and path[-1].y >= frame.y:
                path.pop()
            frame.parent = path[-1] if path else None
            path.append(frame)

    def notes(self):
        return "\n".join(text.text or "" for text in self.root.findall(f"{SVG}text"))

    def totals(self):
        """Nanoseconds by function: of its frames that do not stand on another of its own."""
        found = {}
        for frame in self.frames:
            if frame.parent and frame.name not in frame.parent.names():
                found[frame.name] = found.get(frame.name, 0) + frame.width / WIDTH * self.ns
        return found


def made(kind, *options):
    return Graph(export(harness.made(kind, DIRECTORY), "flamegraph", *options))


def equals_the_report():
    for kind in ("plain", "recursion", "no_lines"):
        report, graph = Report(harness.made(kind, DIRECTORY)), made(kind)
        check(abs(graph.ns - report.whole_ns) <= 1000, f"{graph.ns}")
        # Widths are rounded to a thousandth of a pixel.
        exchange.equal(kind, graph.totals(), report.total_ns, 0.001 * graph.ns / WIDTH * 20)


def are_equal(what, graph, expected, near):
    """Of what is not left out: frames below a tenth of a pixel are."""
    large = {name: ns for name, ns in expected.items() if ns > graph.ns / 1000}
    found = exchange.without_places(graph.totals())
    exchange.equal(what, {name: ns for name, ns in found.items() if name in large}, large, near)


def metrics():
    """Each metric, by function and by cost centre."""
    path = exchange.measured(DIRECTORY)
    for name in exchange.METRICS:
        report, graph = Report(path, "--metric", name), Graph(export(path, "flamegraph", "--metric", name))
        near = 0.001 * graph.ns / WIDTH * 20
        check(abs(graph.ns - report.whole_ns) <= 1000, f"{name}: {graph.ns}, not {report.whole_ns}")
        are_equal(name, graph, report.told(report.total_ns), near)
        are_equal(f"{name}, cost centres", Graph(export(path, "flamegraph", "--metric", name, "--centres")),
                  exchange.centres_of(path, name)[1], near)


def frames_stand_in_their_parents():
    for kind in ("plain", "recursion", "names", "same_names"):
        graph = made(kind)
        right = {}
        for frame in graph.frames[1:]:
            start = right.get(id(frame.parent), frame.parent.x)
            check(frame.x >= start - 0.01, f"{kind}: {frame.name} overlaps")
            check(frame.x + frame.width <= frame.parent.x + frame.parent.width + 0.01,
                  f"{kind}: {frame.name} is wider than {frame.parent.name}")
            right[id(frame.parent)] = frame.x + frame.width


def readable_without_its_script():
    graph = made("plain")
    labels = {frame.label for frame in graph.frames}
    check({"all", "main", "hard", "easy", "work", "burn"} <= labels, f"{labels}")
    titles = {frame.name: frame.title for frame in graph.frames}
    check(titles["easy"].startswith("easy\n9.97 %, 101 ms +- "), titles["easy"])
    check("fixture.c:20" in titles["easy"] and "/tmp/fixture" in titles["easy"], titles["easy"])
    check("./fixture --quick" in graph.notes() and "1013 ticks" in graph.notes(), graph.notes())


def labels_leave_out_what_says_least():
    """Each of these frames has a 34th of the width or so: room for four characters."""
    graph = made("names")
    name = "std::map<int, std::vector<char>>::operator[](int const&)"
    frame = next(f for f in graph.frames if f.name == name)
    check(frame.label == "op..", frame.label)
    check('data-brief="std::map::operator[]"' in graph.text, "the script knows no shorter name")


def nothing_from_elsewhere():
    text = made("names").text
    found = set(re.findall(r"[a-z]+://[^\s\"'<]+", text))
    check(found == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}, f"{found}")
    check("@media (prefers-color-scheme: dark)" in text, "no dark colours")


def recursion_is_shown():
    graph = made("recursion")
    even = next(f for f in graph.frames if f.names() == ["main", "even"])
    check("fold" in even.classes, f"{even.classes}")
    check("recursion, folded: active again further down for 150 ms of this" in even.title,
          even.title)
    fib = next(f for f in graph.frames if f.name == "fib")
    check("recursion, folded: calls itself 5 times" in fib.title and "fold" in fib.classes,
          fib.title)
    check("fold" not in next(f for f in graph.frames if f.name == "easy").classes, "easy")
    check("recursion is folded" in graph.notes(), graph.notes())


def inlined():
    titles = {frame.name: frame.title.split("\n") for frame in made("inlined").frames}
    check("inlined" in titles["burn"] and "partly inlined" in titles["work"], f"{titles}")
    check(not any("inlined" in line for line in titles["main"]), f"{titles['main']}")


def threads():
    graph = made("recursion", "--threads")
    found = {f.name for f in graph.frames if f.parent is graph.frames[0]}
    check(found == {"thread fixture (100)", "thread second (101)"}, f"{found}")


def names():
    graph = made("names")
    found = {frame.name for frame in graph.frames}
    # XML has no way to write U+FFFF.
    expected = {name.replace("\uffff", "?") for name in exchange.NAMES_NS}
    check(expected <= found, f"{expected - found}")
    check(len(list(graph.root.iter(f"{SVG}script"))) == 1, "scripts")


def another_unit_than_time():
    graph = made("faults")
    easy = next(f for f in graph.frames if f.name == "easy")
    check(easy.title.startswith("easy\n9.97 %, 101 M page-faults +- "), easy.title)
    check("1.01 G page-faults" in graph.notes(), graph.notes())
    if browser.command():
        found = answers(harness.made("faults", DIRECTORY), "1000,700")["burn"]["found"]
        check(found == "2 frames match: 99.01 %, 1.003 G page-faults", found)


def empty():
    for kind in ("nothing", "no_time"):
        graph = made(kind)
        check([f.name for f in graph.frames] == ["all"], f"{graph.frames}")
        check("Nothing was sampled" in graph.notes(), graph.notes())


# What a user does; the answers go into an attribute of the page.
ACTIONS = """
<script><![CDATA[
(function () {
  const svg = document.documentElement, results = {};
  const groups = [...document.querySelectorAll('#frames > g')];
  const named = (name) => groups.filter(
    (g) => g.querySelector('title').textContent.split('\\n')[0] === name);
  const width = (g) => g.style.display === 'none' ? 0 : Number(
    g.querySelector('rect').getAttribute('width'));
  const widths = () => Object.fromEntries(groups.map((g, i) => [
    i + ' ' + g.querySelector('title').textContent.split('\\n')[0], width(g)]));
  const key = (name) => document.dispatchEvent(new KeyboardEvent('keydown', { key: name }));
  const type = (words) => {
    const input = document.querySelector('input');
    input.value = words;
    input.dispatchEvent(new Event('input'));
    return { found: document.getElementById('found').textContent,
             hits: document.querySelectorAll('.hit').length };
  };
  const click = (g) => g.querySelector('rect').dispatchEvent(
    new MouseEvent('click', { bubbles: true }));
  results.before = widths();
  results.burn = type('burn');
  results.nested = type('^(main|burn)$');
  results.broken = type('wo(');
  results.none = type('');
  click(named('hard')[0]);
  results.hard = widths();
  results.above = [...document.querySelectorAll('.above')].length;
  results.label = named('main')[0].querySelector('text').textContent;
  key('Escape');
  results.after = widths();
  named('easy')[0].querySelector('rect').dispatchEvent(
    new MouseEvent('mouseover', { bubbles: true }));
  results.detail = document.getElementById('detail').textContent;
  key('ArrowLeft');
  results.left = document.getElementById('detail').textContent;
  key('ArrowDown');
  key('Enter');
  results.entered = widths();
  svg.setAttribute('data-results', JSON.stringify(results));
})();
]]></script>
"""


def answers(path, size):
    data = export(path, "flamegraph").decode()
    file = path.with_suffix(".acted.svg")
    file.write_text(data.replace("</svg>", ACTIONS + "</svg>"))
    page = browser.document(f"file://{file}", DIRECTORY, size, ready="data-results")
    found = re.search(r'data-results="([^"]*)"', page)
    check(found, "the script failed: " + page[-500:])
    return json.loads(html.unescape(found[1]))


def search_and_zoom():
    if not browser.command():
        return
    path = harness.made("plain", DIRECTORY)
    result = answers(path, "1000,700")
    whole, before = 976, result["before"]
    check(abs(before["0 all"] - whole) <= 1, f"not as wide as the window: {before}")
    check(result["burn"]["hits"] == 2 and "2 frames match: 99.01 %, 1.003 s" in
          result["burn"]["found"], f"{result['burn']}")
    check("100.00 %" in result["nested"]["found"], f"counted twice: {result['nested']}")
    check(result["broken"]["hits"] == 0 and "0 frames" in result["broken"]["found"],
          f"{result['broken']}")
    check(result["none"] == {"found": "", "hits": 0}, f"{result['none']}")
    hard = result["hard"]
    key = {name.split(" ", 1)[1]: name for name in before}
    check(abs(hard[key["hard"]] - whole) <= 1, f"hard is {hard[key['hard']]} wide")
    check(abs(hard[key["main"]] - whole) <= 1 and result["above"] == 2, "its callers stay")
    check(hard[key["easy"]] == 0, "easy is still there")
    check(result["label"] == "main", result["label"])
    check(result["after"] == before, "zooming out does not lead back")
    check(result["detail"].startswith("easy   9.97 %, 101 ms"), result["detail"])
    check(result["left"].startswith("hard   89.73 %"), result["left"])
    check(abs(result["entered"]["3 work"] - whole) <= 1, f"{result['entered']}")


def names_in_a_browser():
    if not browser.command():
        return
    path = harness.made("names", DIRECTORY)
    file = path.with_suffix(".svg")
    file.write_bytes(export(path, "flamegraph"))
    page = browser.document(f"file://{file}", DIRECTORY, "3000,700")
    check("&lt;script&gt;alert(1)" in page, "a name is markup")
    check("<parsererror" not in page, page[-500:])
    file.write_bytes(export(harness.made("nothing", DIRECTORY), "flamegraph"))
    page = browser.document(f"file://{file}", DIRECTORY, "1000,700", ready="<input")
    check("<input" in page, "the script fails where there is nothing")


def pictures():
    """For people to look at."""
    if not browser.command():
        return
    for kind in ("plain", "recursion"):
        path = harness.made(kind, DIRECTORY)
        file = path.with_suffix(".svg")
        file.write_bytes(export(path, "flamegraph"))
        target = path.with_suffix(".png")
        browser.picture(f"file://{file}", DIRECTORY, target)
        check(target.stat().st_size > 5000, "an empty picture")


if __name__ == "__main__":
    harness.main(equals_the_report, frames_stand_in_their_parents, readable_without_its_script,
                 labels_leave_out_what_says_least, nothing_from_elsewhere, recursion_is_shown,
                 inlined, threads, names, empty, metrics, another_unit_than_time, search_and_zoom, names_in_a_browser, pictures)
