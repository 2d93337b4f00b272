#!/usr/bin/env python3
"""What docs/ and the other pages of Markdown name is there: files by their path, from the top, from
src/ or from the page, and the headings that links lead to."""

import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
TOPS = ("src", "include", "tests", "docs", "scripts", "web", "bench", "completions")
LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")
QUOTED = re.compile(r"`([\w.-]+(?:/[\w.*-]+)+/?)`")
BLOCK = re.compile(r"^(```.*?^```|    .*?$)", re.M | re.S)


def anchors(page):
    """As Markdown makes them of headings: lower case, blanks as hyphens, no punctuation."""
    for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.M):
        yield "#" + re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def wrong_links(page, text):
    for target, anchor in LINK.findall(text):
        if "://" in target:
            continue
        file = (page.parent / target).resolve() if target else page
        if not file.exists():
            yield f"there is no {target}"
        elif anchor and anchor not in anchors(file):
            yield f"{target or page.name} has no heading {anchor}"


def wrong_paths(text):
    """Quoted ones that begin with a folder of the repository, or of src/."""
    folders = {folder.name for folder in (SOURCE / "src").iterdir()}
    for path in QUOTED.findall(text):
        first = path.split("/")[0]
        roots = [SOURCE] * (first in TOPS) + [SOURCE / "src"] * (first in folders)
        roots += [SOURCE / "include"] * (first == "ascribe")
        names = [path, path + ".[ch]"]  # a module is both
        if roots and not any(list(root.glob(name)) for root in roots for name in names):
            yield f"there is no {path}"


def main():
    pages = [*SOURCE.glob("*.md"), *(SOURCE / "docs").rglob("*.md"), *(SOURCE / "tests").rglob("*.md")]
    wrong = []
    for page in pages:
        text = BLOCK.sub("", page.read_text())
        wrong += [f"{page.relative_to(SOURCE)}: {reason}"
                  for reason in (*wrong_links(page, text), *wrong_paths(text))]
    print("\n".join(wrong) or f"{len(pages)} pages name what is there")
    sys.exit(bool(wrong) or not pages)


if __name__ == "__main__":
    main()
