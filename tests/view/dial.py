#!/usr/bin/env python3
"""Calls whose number the counts do not determine: one is chosen in the viewer, the others follow, and the choice stays."""

import os
import pathlib
import sqlite3
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import Profile, check, made
from viewer import Viewer, calls_left_open

DIRECTORY = harness.scratch("view-dial")

def put(view, **parameters):
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    return view.request(f"{view.path}api/dial?{query}", method="PUT")


def possible(view):
    rows, _ = view.rows("possible")
    return {(row["caller_name"], row["callee_name"]): row for row in rows}


def sums(rows, end):
    return {name: sum(row["calls"] for key, row in rows.items() if key[end] == name) for name in {key[end] for key in rows}}


def others_follow_and_the_choice_stays():
    path = calls_left_open(DIRECTORY)
    before = path.read_bytes()
    with Viewer(path) as view:
        rows = possible(view)
        one = rows["few", "red"]
        check(one["least_calls"] < one["most_calls"], f"open: {one}")
        check(put(view, site=one["id"], value=one["most_calls"] + 1).status == 400, "beyond what is possible")
        answer = put(view, site=one["id"], value=one["most_calls"] + 1)
        check(f"the nearest possible value is {one['most_calls']}" in answer.text, answer.text)
        check(put(view, site=one["id"], value=one["most_calls"] + 1, near=1).json["value"] == one["most_calls"], "nearest")
        answer = put(view, site=one["id"], value=0)
        check(answer.json["value"] == 0, answer.text)
        chosen = possible(view)
        check(chosen["few", "red"]["calls"] == chosen["few", "red"]["fixed"] == 0, str(chosen))
        check(sums(chosen, 0) == sums(rows, 0) and sums(chosen, 1) == sums(rows, 1), "each site and function as counted")
        other = chosen["many", "red"]
        check(other["calls"] == sums(rows, 1)["red"] and other["chosen"] == 1, f"many red: {other}")
        check((other["free_least"], other["free_most"]) == (rows["many", "red"]["least_calls"], rows["many", "red"]["most_calls"]), str(other))
        arcs, _ = view.rows("arcs", filter="red")
        check({row["caller_name"]: (row["calls"], row["chosen"]) for row in arcs}
              == {"few": (0, 1), "many": (other["calls"], 1)}, str(arcs))
        check(view.get("api/info").json["profiles"][0]["about"][0]["path"] == str(path), "the profile's own name")
    check(path.read_bytes() == before, "the profile itself stays")
    kept = Profile(str(path) + ".dial")
    check(kept.value("select calls from arcs where caller_name = 'many' and callee_name = 'red'") == other["calls"], "kept")
    with Viewer(path) as view:
        check(possible(view)["few", "red"]["fixed"] == 0, "taken up again")
        check(put(view, site=one["id"]).json["value"] is None, "free again")
        rows_again = possible(view)
        check({key: row["calls"] for key, row in rows_again.items()} == {key: row["calls"] for key, row in rows.items()}, "as before")
        check("chosen" not in rows_again["few", "red"], "nothing depends on a choice")
        put(view, site=one["id"], value=1)
        check(put(view).status == 200 and possible(view)["few", "red"]["fixed"] is None, "all taken back")
    check(sorted(file.name for file in DIRECTORY.glob("*.ascribe*")) == ["colours.ascribe"], "nothing is left beside it")


def a_value_is_tried():
    """While it is dragged: what would follow, which is what follows when it is chosen."""
    path = calls_left_open(DIRECTORY)
    with Viewer(path) as view:
        rows = possible(view)
        for site, value in ((rows["few", "red"]["id"], 0), (rows["few", "red"]["id"], 10 ** 9), (rows["many", "red"]["id"], 1)):
            tried = put(view, site=site, value=value, **{"try": 1}).json
            check(possible(view) == rows and not pathlib.Path(str(path) + ".dial").exists(), "it was kept")
            check(put(view, site=site, value=value, near=1).json["value"] == tried["value"], f"tried: {tried}")
            chosen = {row["id"]: [row["id"], row["calls"], row["least_calls"], row["most_calls"]] for row in possible(view).values()}
            check(len(tried["calls"]) > 1 and all(chosen[one[0]] == one for one in tried["calls"]), f"{tried} {chosen}")
            again = put(view, site=site, value=rows["few", "red"]["most_calls"], **{"try": 1})
            check(again.status == 200 and {row["id"]: row["calls"] for row in possible(view).values()}
                  == {site: one[1] for site, one in chosen.items()}, "what is chosen stays")
            check(put(view).status == 200 and possible(view).keys() == rows.keys(), "taken back")
        check("does not follow from equations" in put(view, site=999999, value=1, **{"try": 1}).text, "no such site")


def an_older_choice_is_of_another_run():
    path = calls_left_open(DIRECTORY)
    with Viewer(path) as view:
        site = possible(view)["few", "red"]["id"]
        put(view, site=site, value=0)
    later = time.time() + 10
    os.utime(path, (later, later))
    with Viewer(path) as view:
        check(possible(view)["few", "red"]["fixed"] is None, "an older choice was taken up")


def a_choice_of_another_profile():
    path = calls_left_open(DIRECTORY)
    with Viewer(path) as view:
        put(view, site=possible(view)["few", "red"]["id"], value=0)
    database = sqlite3.connect(path)
    database.execute("UPDATE raw_functions SET name = 'crimson' WHERE name = 'red'")
    database.commit()
    database.close()
    os.utime(str(path) + ".dial")
    with Viewer(path) as view:
        check(possible(view)["few", "crimson"]["fixed"] is None, "another profile's choice was taken up")


def what_cannot_be_chosen():
    plain = made("plain", DIRECTORY)
    with Viewer(plain) as view:
        check("nothing to choose" in put(view, site=1, value=1).text, "counted")
        check(view.request(f"{view.path}api/dial?site=1&value=1").status == 405, "GET changes nothing")
        check(view.request(f"{view.path}api/info", method="PUT").status == 405, "only the dial is put")
        check(view.request("/" + "0" * 32 + "/api/dial", method="PUT").status == 403, "without the token")
    check(not pathlib.Path(str(plain) + ".dial").exists(), "a choice was kept")
    path = calls_left_open(DIRECTORY)
    with Viewer(path) as view:
        check("does not follow from equations" in put(view, site=999999, value=1).text, "no such site")
    pathlib.Path(str(path) + ".dial").write_text("no profile")
    with Viewer(path) as view:
        check(possible(view)["few", "red"]["fixed"] is None, "something else of that name")


if __name__ == "__main__":
    harness.main(others_follow_and_the_choice_stays, a_value_is_tried, an_older_choice_is_of_another_run,
                 a_choice_of_another_profile, what_cannot_be_chosen)
