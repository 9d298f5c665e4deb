#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a page of the documentation and compares what they print.

    doc_commands.py PAGE FOLDER COUNTS     runs PAGE's commands in FOLDER, prints what is wrong,
                                           and appends its counts to the file COUNTS

A block of code (fenced, or indented by four blanks) is run if it has lines that begin with "$ ", or,
without these, with a command (COMMANDS below); each runs in a bash of its own, one after the other.
After "$ COMMAND" its output follows, up to the next one: numbers, with their units, and the names of
devices may differ, a line "..." stands for any lines, and "..." in a line for any text.  A command must succeed.  Comments of the page say
what a reader need not see; each is about the next block:

    <!-- run: skip REASON -->     it cannot run here
    <!-- run: with OPTION... -->  its searches have these options besides, so that they end soon
    <!-- run: status N -->        its last command ends with this exit status
    <!-- run: file NAME -->       it is the contents of a file, which is written
    <!-- run: example REASON -->  it is no command of the reader's, or output alone, and compared with nothing
    <!-- run: $ COMMAND -->       is run itself
    <!-- run: really -->          its commands run on a real device, not on the virtual driver

A block without a command is what its first lines say (SOURCE below: space files, C, SQL), or needs a comment: output
that is compared with nothing is an error unless a reason is given.

`cltune ...` within text must name commands and options that exist; the tables are in tables.json.
"""
import json
import pathlib
import re
import subprocess
import sys
import time

COMMANDS = ("cltune ", "make ", "cmake ", "scripts/", "./scripts/", "cp ", "cc ", "pip ", "gnuplot ", "mkdir ")
NUMBER = r"\d[\d,.]*(?:e[+-]?\d+)?"
SOURCE = re.compile(r"\s*(\[[\w. ]+\]|\$\{|SELECT |/[/*]|#(include|define|pragma)|(void|cltunedb_\w+) \w|[\w.]+ *= )|.*;$")
SLOW_S = 5  # commands that take longer are named
UNIT = r"(?: ?(?:ns|us|ms|s|min|m|h|d|B|KiB|MiB|GiB|GB/s|GFLOP/s|GB|MHz|%|x)\b)?%?"


def normal(line):
    """A line as it is compared."""
    line = re.sub(r"(?:pthread|cpu)-[^,;:()]*(?= [A-Z(,;:]|[,;:()]|$)", "DEVICE", line)
    line = re.sub(NUMBER + UNIT, "N", line)
    return re.sub(r"[-=─━]{3,}|\s+", " ", line).strip()


def same(expected, got):
    """Whether two lines agree; "..." within one stands for any text."""
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, got) is not None


def matches(expected, got):
    """Whether the lines agree, "..." standing for any."""
    if not expected:
        return not got
    if expected[0] in ("...", "…"):
        return any(matches(expected[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and same(expected[0], got[0]) and matches(expected[1:], got[1:])


def blocks(text):
    """The directives before each block of code, the number of its line, and its lines."""
    directives, lines, start, fenced, before = [], [], 0, False, ""
    for number, line in enumerate(text.splitlines() + [""], 1):
        if line.startswith("```"):
            if fenced:
                yield directives, start, lines
                directives, lines = [], []
            fenced, start = not fenced, number
            continue
        if fenced:
            lines.append(line)
        elif line.startswith("    ") and (lines or not before.strip()) and not before.startswith("- "):
            start = start if lines else number
            lines.append(line[4:])
        elif lines and not line.strip():
            lines.append("")
        else:
            if lines:
                yield directives, start, lines
                directives, lines = [], []
            directive = re.match(r"<!-- run: (.*) -->$", line)
            if directive:
                directives.append(directive.group(1))
        before = "" if line.startswith("<!--") else line
    if lines:
        yield directives, start, lines


def commands(lines):
    """Commands of a block with their outputs; None for an output that is not shown."""
    found = []
    if any(line.startswith("$ ") for line in lines):
        for line in lines:
            if line.startswith("$ "):
                found.append([line[2:], []])
            elif found and found[-1][0].endswith("\\"):
                found[-1][0] += "\n" + line
            elif found:
                found[-1][1].append(line)
        return found
    for line in lines:
        if found and found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line.strip()
        elif line.startswith(COMMANDS):
            found.append([line, None])
    return found


class Page:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.failed = 0
        self.prelude = ""
        self.counts = dict.fromkeys(("run", "compared", "files", "skipped", "examples", "named"), 0)
        self.tables = {c["name"]: c for c in json.loads((folder / "tables.json").read_text())["commands"]}

    def fail(self, number, what, *details):
        self.failed += 1
        print(f"# {self.path.name}:{number}: {what}")
        for line in details:
            print(f"#   {line}")

    def run(self, number, command, output, status):
        begin = time.monotonic()
        done = subprocess.run(["bash", "-c", self.prelude + command], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace", check=False, timeout=120)
        self.counts["run"] += 1
        if time.monotonic() - begin > SLOW_S:
            print(f"# {time.monotonic() - begin:.0f} s: {command}")
        # Progress and warnings come and go; what is wrong ends with another status.
        got = [line.rstrip() for line in done.stdout.splitlines() if line.strip()]
        if status:
            got += done.stderr.splitlines()
        if done.returncode != status:
            self.fail(number, f"status {done.returncode} of: {command}", *got[-12:],
                      *done.stderr.splitlines()[-12:])
        elif output is not None:
            self.counts["compared"] += 1
            expected = [line for line in output if line.strip()]
            if not matches([normal(x) for x in expected], [normal(x) for x in got]):
                self.fail(number, f"another output of: {command}", *got)

    def block(self, directives, number, lines):
        status, files, searching = 0, [], ""
        self.prelude = ""
        for directive in directives:
            word, _, rest = directive.partition(" ")
            if word in ("skip", "example") and not rest:
                self.fail(number, f"no reason: {directive}")
            if word == "skip":
                self.counts["skipped"] += max(1, len(commands(lines)))
                return
            if word == "example":
                self.counts["examples"] += 1
                return
            if word == "status":
                status = int(rest)
            elif word == "with":
                searching = " " + rest
            elif word == "really":
                self.prelude = "unset OCL_ICD_VENDORS; "
            elif word == "$":
                self.run(number, rest, None, 0)
                self.counts["run"] -= 1
            elif word == "file":
                files.append(rest)
            else:
                self.fail(number, f"unknown directive: {directive}")
        for name in files:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines).rstrip() + "\n")
            self.counts["files"] += 1
        found = [] if files else commands(lines)
        if not found and not files and not SOURCE.match(lines[0]) and not (lines[1:] and SOURCE.match(lines[1])):
            self.fail(number, "output without its command: give the command, or mark it with <!-- run: example REASON -->",
                      lines[0])
        for i, (command, output) in enumerate(found):
            if command.startswith("cltune search "):
                command = re.sub(r"(\s*#.*)?$", searching, command, count=1)
            self.run(number, command, output, status if i + 1 == len(found) else 0)

    def mention(self, number, text):
        """`cltune COMMAND --option` in a sentence."""
        words = text.split()
        self.counts["named"] += 1
        if len(words) < 2 or words[1].startswith("-") or not words[1].islower():
            return
        command = self.tables.get(words[1])
        if not command:
            self.fail(number, f"no such command: {text}")
            return
        own = words[:words.index("--")] if "--" in words else words
        known = {"--" + option["name"] for option in command["options"]} | {"--"}
        for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", " ".join(own)):
            if option not in known:
                self.fail(number, f"{words[1]} has no {option}: {text}")

    def check(self):
        text = self.path.read_text()
        for directives, number, lines in blocks(text):
            self.block(directives, number, lines)
        flat = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
        for match in re.finditer(r"`(cltune [^`]*)`", flat):
            self.mention(text[:text.find(match.group(0))].count("\n") + 1, match.group(1).replace("\n", " "))


def main():
    page = Page(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    page.check()
    counts = ", ".join(f"{number} {what}" for what, number in page.counts.items() if number)
    print(f"# {page.path.name}: {counts or 'no commands'}")
    with open(sys.argv[3], "a", encoding="utf-8") as total:
        total.write(json.dumps(page.counts) + "\n")
    return 1 if page.failed else 0


sys.exit(main())
