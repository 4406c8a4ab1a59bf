"""What a shell command was for, and how it ended.

Here: recognising tests, builds, checks and commits, and reading counts and error lines from their
output. Not here: what a digest makes of them (session_facts.py).
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import command_patterns
from aforesaid.domain.model.transcript import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

TESTS, BUILD, CHECK, COMMIT, OTHER = "tests", "build", "check", "commit", "other"
_HEAD_WORDS = 3
#: A line of no more characters tells no error.
_SHORT = 3


def steps_of(command: str) -> list[str]:
    """Return the simple commands of a shell line, prefixes removed."""
    command = re.sub(
        r"<<-?\s*['\"]?(\w+)['\"]?[\s\S]*?^\s*\1\s*$", " ", command[:2000], flags=re.MULTILINE
    )
    steps = []
    for part in _split(command):
        step = re.sub(command_patterns.PREFIX, "", part.strip().lstrip("({ "))
        if step and not step.startswith("#"):
            steps.append(step)
    return steps


def _split(command: str) -> list[str]:
    """Split at operators that stand outside quotes."""
    parts, start, quote = [], 0, ""
    for place, char in enumerate(command):
        if quote:
            quote = "" if char == quote and command[place - 1] != "\\" else quote
        elif char in "'\"":
            quote = char
        elif char in ";|\n" or command[place : place + 2] == "&&":
            parts.append(command[start:place])
            start = place + (2 if char == "&" else 1)
    return [part.strip("|& ") for part in [*parts, command[start:]]]


def purpose_of(step: str) -> tuple[str, str]:
    """Return what a simple command is for, and the name of the tool."""
    if re.match(r"git(?: -C \S+)? commit\b", step):
        return COMMIT, "git commit"
    for kind, pattern in command_patterns.KINDS:
        found = re.match(pattern, step)
        if found:
            name = found.group(1) or "test script"
            if kind == TESTS and name in {
                "npm",
                "pnpm",
                "yarn",
                "bun",
                "cargo",
                "go",
                "make",
                "just",
            }:
                name += " test"
            return kind, name
    return OTHER, " ".join(step.split()[:2])[:60]


def heads_of(lines: Iterable[str], most: int) -> tuple[str, ...]:
    """Return what a session ran in order, by the head of each command: tool and what it does.

    Looking around is left out, and so is a command that follows itself. What follows the head
    (paths, messages, values) changes each time and is never kept.

    Args:
        lines: shell lines, oldest first.
        most: heads, the latest of them.
    """
    heads: list[str] = []
    for line in lines:
        for step in steps_of(line):
            head = _head(step)
            if head and not is_quiet(step) and heads[-1:] != [head]:
                heads.append(head)
    return tuple(heads[-most:])


def _head(step: str) -> str:
    """Return the first words of a command that are plain: no paths, options or values."""
    words = step.split()[:_HEAD_WORDS]
    head = [words[0].rsplit("/", 1)[-1]] if words else []
    for word in words[1:]:
        if not re.fullmatch(r"[a-z][a-z:_-]{1,23}", word):
            break
        head.append(word)
    return " ".join(head) if head and re.fullmatch(r"[\w.+-]{1,30}", head[0]) else ""


def is_quiet(step: str) -> bool:
    """Tell whether a non-zero exit of this command says little (nothing found, say)."""
    return (
        step.split(maxsplit=1)[0].rsplit("/", 1)[-1] in command_patterns.QUIET
        if step.split()
        else True
    )


def counts_of(output: str) -> tuple[int | None, int | None]:
    """Return how many tests passed and failed; None where the output does not say."""
    passed = failed = None
    for line in reversed(output.split("\n")[-40:]):
        if passed is None:
            passed = _first(command_patterns.PASSED_COUNTS, line)
        if failed is None:
            failed = _first(command_patterns.FAILED_COUNTS, line)
        if passed is not None and failed is not None:
            break
    if failed is None and re.search(
        r"(?m)^(?:FAIL\b|--- FAIL|FAILED\b|test result: FAILED)", output
    ):
        failed = -1
    return passed, failed


def error_line(output: str) -> str:
    """Return the line that tells the error best, escaped: it comes from a tool."""
    lines = [line.rstrip() for line in output.split("\n")[:200]]
    for pattern in command_patterns.ERROR_LINES:
        for line in lines:
            found = re.match(pattern, line)
            if found and len(found.group(1).strip()) > _SHORT:
                return _escaped(found.group(1))
    return ""


def commits_of(command: str, output: str) -> tuple[str, str]:
    """Return id and subject of the commit that a command made, empty where unknown."""
    printed = re.search(r"(?m)^\[[^\]\n]{1,120} ([0-9a-f]{7,40})\] (.{1,200})$", output)
    if printed:
        return printed.group(1), printed.group(2)
    subject = ""
    given = re.search(
        r"-\w*m\s*(?:\"((?:[^\"\\]|\\.)+)\"|'([^']+)')|<<-?\s*'?\"?EOF'?\"?\n(.+)", command
    )
    if given:
        subject = next(part for part in given.groups() if part).strip().split("\n")[0]
    if subject.startswith("$("):
        here = re.search(r"<<-?\s*['\"]?\w+['\"]?\n(.+)", command)
        subject = here.group(1).strip() if here else ""
    return _printed_id(output), subject


def pull_request_of(output: str) -> str:
    """Return the address of a pull request that a command opened."""
    found = re.search(r"(?m)^(https://[\w./-]{5,150}/(?:pull|merge_requests)/\d{1,9})$", output)
    return found.group(1) if found else ""


def _printed_id(output: str) -> str:
    sha = re.search(r"(?m)^([0-9a-f]{7,40})(?:\s|$)", output)
    return sha.group(1) if sha else ""


def _first(patterns: tuple[str, ...], line: str) -> int | None:
    for pattern in patterns:
        found = re.search(pattern, line)
        if found:
            return int(found.group(1)[:9])
    return None


def _escaped(line: str) -> str:
    plain = " ".join(line.replace("`", "'").split())
    return cut("".join(char for char in plain if char.isprintable()).translate(_ANGLES), 100)


_ANGLES = {ord("<"): "‹", ord(">"): "›"}  # noqa: RUF001
