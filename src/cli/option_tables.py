#!/usr/bin/env python3
"""Makes what the program and the manual need of the commands' options, src/cli/options/*.opt
(the README.md beside them describes their form).
option_tables.py c HEADER SOURCE OPT...  getopt's tables, the texts of --help, words to complete
option_tables.py manual OPT TEMPLATE     a page of the manual: @OPTIONS@ becomes their list"""

import json
import pathlib
import re
import sys
import textwrap

WIDTH = 100
LEFT_MOST = 34  # the help of a wider option begins below it
HEAD = re.compile(r"(?:-(?P<letter>\w))?(?:, )?(?:--(?P<long>[a-z][a-z-]+))?"
                  r"(?P<before>\[=|=| )?(?P<argument>[^\]]*)\]?")
ARGUMENTS = ("file", "profile", "program", "recorded process", "of the compiler")
KINDS = ("anything", "file", "process", "metrics", "functions", "threads", "events", "entry kind", "export format",
         "import format", "number", "one of", "such as", "refused")
HELP = "-h, --help\n  show this\n\n  Show a summary of the options."


class Row:
    """An option: its head, the kind of its argument, its help, and what the manual says."""

    def __init__(self, block):
        first, _, rest = block.partition("\n")
        self.head, _, kind = first.partition("  ")
        text, _, manual = textwrap.dedent(rest).partition("\n\n")
        self.help = " ".join(text.split())
        self.manual = manual.strip()
        words = re.fullmatch(r"(one of|such as) (.+)", kind)
        number = re.fullmatch(r"number (?:from )?(\d+)(?: to (\d+))?", kind)
        self.kind = words[1] if words else "number" if number else kind or "anything"
        self.words = words[2].split() if words else []
        self.least, self.most = number.groups("UINT64_MAX") if number else (1, "INT32_MAX")
        # A head that begins with @ is shown, but getopt does not know it.
        found = HEAD.fullmatch(self.head) if self.head[0] == "-" else None
        self.letter, self.long, self.before, self.argument = found.groups("") if found else [""] * 4
        if self.kind not in KINDS or not self.help or (self.head[0] == "-" and not found):
            sys.exit(f"{self.head}: no help, or a kind of argument that does not exist: {kind}")

    def told(self):
        """What the manual says: its own text, or that of --help, whose words get their fonts."""
        if self.manual:
            return self.manual
        names = "|".join(["FILE", *re.findall(r"[A-Z]+", self.argument)])
        words = re.sub(rf"\b({names})\b", lambda word: rf"\fI{word[0].lower()}\fP", self.help)
        words = re.sub(r"(?<!\S)--[a-z-]+", lambda word: rf"\fB{word[0]}\fP".replace("-", r"\-"), words)
        return words[:1].upper() + words[1:] + "."

    def item(self):
        """-f, --focus FUNCTION -> .It Fl f , -focus Ar function"""
        if self.head[0] == "@":
            return f".It Li @ Ns Ar {self.head[1:].lower()}"
        names = " , ".join(filter(None, (self.letter, self.long and "-" + self.long)))
        before = {"=": " Ns =", "[=": " Ns Op ="}.get(self.before, "") + " Ns" * ("=" in self.before)
        argument = re.sub(r"(\w+),\.\.\.", r"\1 Ns Op , Ns Ar \1 ...", self.argument.lower()).replace("|", " | ")
        mark = "Cm" if self.argument.islower() else "Ar"
        return f".It Fl {names}{before}" + (f" {mark} {argument}" if argument else "")


class Command:
    """What a file says: sections, each a text, which --help has as it is, and the rows below it."""

    def __init__(self, path):
        lines = path.read_text().splitlines()
        self.name, self.arguments = path.stem, lines[0].removeprefix("arguments: ")
        if self.arguments not in ARGUMENTS:
            sys.exit(f"{path}: the first line is not arguments: {' | '.join(ARGUMENTS)}")
        self.sections = []
        for block in blocks(lines[1:]):
            if block[0] in "-@":
                self.sections[-1][1].append(Row(whole_row(block, path.parent)))
            else:
                self.sections.append((block.strip(), []))
        if self.arguments != "of the compiler":  # which has a --help of its own
            last = [rows for _, rows in self.sections if are_shown(rows)] or [self.sections[0][1]]
            last[-1].append(Row(HELP))
        self.options = [row for _, rows in self.sections for row in rows if row.letter or row.long]


def whole_row(block, folder):
    """What follows the head `-f, --focus FUNCTION  as report` stands in report.opt."""
    head, _, other = block.partition("\n")[0].partition("  as ")
    if not other:
        return block
    found = [row for row in blocks((folder / f"{other}.opt").read_text().splitlines())
             if row.startswith(head + "\n") or row.startswith(head + "  ")]
    return found[0] if found else sys.exit(f"{other}.opt has no {head}")


def blocks(lines):
    """A row ends where a line begins with anything but a blank."""
    found = [""]
    for line in lines:
        if line[:1] in ("-", "@") or (found[-1][:1] in ("-", "@") and line[:1] not in ("", " ")):
            found.append("")
        found[-1] += line + "\n"
    return found


def are_shown(rows):
    """Those that are refused are in the manual only."""
    return any(row.kind != "refused" for row in rows)


# ---- --help ----

def left(row, indent):
    return "  " + indent * row.head.startswith("--") + row.head


def help_lines(row, indent, column):
    lines = textwrap.wrap(row.help, WIDTH - 2 - column, break_on_hyphens=False)
    head = left(row, indent)
    if len(head) + 2 > column:
        yield head
        head = ""
    yield head.ljust(column) + lines[0]
    yield from (" " * column + line for line in lines[1:])


def usage_lines(command):
    """Long names stand below one another, where any has a letter."""
    indent = "    " * any(row.letter for row in command.options)
    heads = [left(row, indent) for row in command.options if row.kind != "refused"]
    column = 2 + max(len(head) for head in heads if len(head) <= LEFT_MOST)
    for i, (text, rows) in enumerate(command.sections):
        if rows and not are_shown(rows):
            continue
        yield from [""] * (i > 0) + text.splitlines()
        yield from [""] * (bool(rows) and not text.endswith(":"))
        for row in rows:
            yield from help_lines(row, indent, column)


# ---- C ----

def value(row):
    """A letter alone is its own name in C."""
    return "OPTION_" + row.long.upper().replace("-", "_") if row.long else f"'{row.letter}'"


def needs(row):
    return {"": "no", "[=": "optional"}.get(row.before, "required") + "_argument"


def text(words):
    return json.dumps(words, ensure_ascii=False)


def constant(prefix, words):
    return prefix + re.sub(r"\W", "_", words).upper()


def table(command):
    """getopt's letters and words, and a row for each of them, in C."""
    rows = command.options
    colons = {"no_argument": "", "required_argument": ":", "optional_argument": "::"}
    letters = "+" * (command.arguments == "program")
    letters += "".join(row.letter + colons[needs(row)] for row in rows if row.letter)
    yield f"const struct option_table options_{command.name} = {{"
    yield f"    .letters = {text(letters)},"
    yield f"    .arguments = {constant('ARGUMENT_', command.arguments)},"
    yield "    .known = (const struct option[]){"
    for row in rows:
        if row.long:
            yield f"        {{{text(row.long)}, {needs(row)}, NULL, {value(row)}}},"
    yield "        {0}},"
    yield "    .rows = (const struct option_row[]){"
    for row in rows:
        words = ", ".join(text(word) for word in row.words)
        yield (f"        {{{value(row)}, {text(row.letter)}, {text(row.long)}, "
               f"{constant('ARGUMENT_', row.kind)}, {needs(row)}, "
               f"(const char *const[]){{{words}{', ' * bool(words)}NULL}}, {row.least}, {row.most}, "
               f"{text(row.help)}}},")
    yield "        {0}},"
    yield "    .usage ="
    yield from ("        " + text(line + "\n") for line in usage_lines(command))
    yield "};"


def write_c(header, source, *paths):
    commands = [Command(pathlib.Path(path)) for path in paths]
    values = sorted({value(row) for command in commands for row in command.options if row.long})
    pathlib.Path(header).write_text("\n".join([
        "/* Made by option_tables.py: each option by its long name, in whatever command. */",
        "#ifndef ASCRIBE_CLI_OPTION_TABLES_H", "#define ASCRIBE_CLI_OPTION_TABLES_H",
        '#include "cli/options.h"', "enum {", "  FIRST_OPTION = 255,", *(f"  {name}," for name in values), "};",
        "extern const struct option_table " + ", ".join("options_" + command.name for command in commands) + ";",
        "#endif", ""]))
    pathlib.Path(source).write_text("\n".join([
        "/* Made by option_tables.py. */", '#include "cli/option_tables.h"',
        *(line for command in commands for line in table(command)), ""]))


# ---- the manual ----

def manual_lines(command):
    """A list, or one below each heading: a last paragraph that is one line with a colon."""
    for words, rows in command.sections:
        last = words.rpartition("\n\n")[2]
        if rows and last.endswith(":") and "\n" not in last:
            yield f".Ss {last[:-1]}"
        if rows:
            yield ".Bl -tag -width Ds"
            yield from (line for row in rows for line in (row.item(), row.told()))
            yield ".El"


def write_manual(options, template):
    command = Command(pathlib.Path(options))
    page = pathlib.Path(template).read_text()
    print(page.replace("@OPTIONS@", "\n".join(manual_lines(command))), end="")


if __name__ == "__main__":
    {"c": write_c, "manual": write_manual}[sys.argv[1]](*sys.argv[2:])
