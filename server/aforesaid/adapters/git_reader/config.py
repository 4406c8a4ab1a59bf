"""The syntax of git's config files, as git itself reads it, without includes.

Here: text to entries, pure; it never raises. Not here: reading files (repository.py).
Source: git-config(1), section SYNTAX, and config.c of git 2.39 (the contract test's oracle).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    # (section, subsection or "", key, value; None where "=" is missing: true)
    Entry = tuple[str, str, str, str | None]

_BLANKS = " \t\r"  # what git calls blank
# What names are made of. Sets for str.lstrip, since hooks cannot afford to import re.
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_KEY = _LETTERS + "0123456789-"
_SECTION = _KEY + "."
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}


def parse_config(text: str) -> list[Entry]:
    """Return the entries in order of the file; what git would refuse is left out.

    Section and key are in lower case; a subsection keeps its case unless it is written in the old
    form ``[section.Subsection]``. Git refuses a whole file for one bad line; we go on at the next,
    so that a slip in one place does not make a repository another project.
    """
    lines = iter(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    section: tuple[str, str] | None = ("", "")  # git lists what stands before any section, too
    entries: list[Entry] = []
    for line in lines:
        rest = line.lstrip(_BLANKS)
        while rest.startswith("["):
            head = _read_header(rest)
            if head is None:
                # What follows belongs to a section that we don't know.
                section, rest = None, ""
                break
            section = head[0], head[1]
            rest = head[2].lstrip(_BLANKS)
        if not rest or rest[0] in "#;":
            continue
        if rest[0] not in _LETTERS:
            continue
        key, rest = _take(rest, _KEY)
        rest = rest.lstrip(" \t")
        mark = rest[:1]
        value: str | None = None
        if mark == "=":
            value = _read_value(rest[1:], lines)
            if value is None:
                continue
        elif mark:
            continue
        if section is not None:
            entries.append((*section, key.lower(), value))
    return entries


def _read_header(text: str) -> tuple[str, str, str] | None:
    """Return section, subsection and what follows on the line, or None for no header."""
    name, rest = _take(text[1:], _SECTION)
    if not name:
        return None
    if rest.startswith("]"):
        section, _, sub = name.lower().partition(".")
        return section, sub, rest[1:]
    quoted = rest.lstrip(_BLANKS)
    if quoted == rest or not quoted.startswith('"'):
        return None
    made: list[str] = []
    at = 1
    while at < len(quoted) and quoted[at] != '"':
        if quoted[at] == "\\":
            at += 1  # the next one counts as it stands
        made.append(quoted[at : at + 1])
        at += 1
    return (name.lower(), "".join(made), quoted[at + 2 :]) if quoted[at : at + 2] == '"]' else None


def _take(text: str, marks: str) -> tuple[str, str]:
    """Return the marks that the text opens with, and the rest."""
    rest = text.lstrip(marks)
    return text[: len(text) - len(rest)], rest


def _read_value(  # noqa: C901 -- a scanner's loop reads best whole
    text: str, lines: Iterator[str]
) -> str | None:
    """Return the value, reading on while a line ends in a backslash; None for a bad one."""
    if not any(mark in text for mark in '\\"#;'):
        return text.strip(_BLANKS)
    made: list[str] = []
    kept = 0  # how much of `made` stays: blanks at the end go unless quoted
    in_quotes = False
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char == "\\":
            if at >= len(text):
                following = next(lines, None)
                if following is None:
                    break
                text, at, kept = following, 0, len(made)
                continue
            escaped = _ESCAPES.get(text[at])
            if escaped is None:
                return None
            at += 1
            made.append(escaped)
            kept = len(made)
        elif char == '"':
            in_quotes = not in_quotes
            kept = len(made)
        elif in_quotes:
            made.append(char)
            kept = len(made)
        elif char in "#;":
            break
        elif char in _BLANKS:
            if made:
                made.append(char)
        else:
            made.append(char)
            kept = len(made)
    return None if in_quotes else "".join(made[:kept])
