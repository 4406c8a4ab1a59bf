"""Reads git's files: regular ones only, without blocking or following links; parses git's configs.

Configs are parsed as git does, but without includes; parsing never raises. Source: git-config(1),
section SYNTAX, and config.c of git 2.39 (the contract test compares both). The user's name comes
from git's user-level configs.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    # (section, subsection or "", key, value); the value is None if "=" is missing, which means true
    Entry = tuple[str, str, str, str | None]

MAX_FILE_BYTES = 1 << 20  #: larger than any file that is needed


def read_regular(path: str, limit: int = MAX_FILE_BYTES, *, part: str = "all") -> bytes | None:
    """Return the bytes of a regular file; None if it is not one, unreadable or too large.

    Links are not followed, and FIFOs and devices do not block. With ``part`` "head" or "tail", the
    result is the first or last ``limit`` bytes of a larger file.
    """
    handle = open_regular(path)
    if handle is None:
        return None
    try:
        size = os.fstat(handle).st_size
        if part == "all" and size > limit:
            return None
        if part == "tail" and size > limit:
            os.lseek(handle, -limit, os.SEEK_END)
        content = b""
        while len(content) < limit:
            chunk = os.read(handle, limit - len(content))
            if not chunk:
                break
            content += chunk
    except OSError:
        return None
    else:
        return content
    finally:
        os.close(handle)


def open_regular(path: str) -> int | None:
    """Return an open handle to a regular file; None if it is not one, or unreadable.

    Links are not followed, and FIFOs and devices do not block.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    try:
        # checked before opening: opening a device or FIFO can have an effect
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        handle = os.open(path, flags)
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    return None


_BLANKS = " \t\r"  # as in git
# Characters of names, for str.lstrip: hooks must not import re.
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_KEY = _LETTERS + "0123456789-"
_SECTION = _KEY + "."
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}


def parse_config(text: str) -> list[Entry]:
    """Return the entries in the order of the file, without invalid ones.

    Section and key are in lower case; a subsection keeps its case unless it is written in the old
    form ``[section.Subsection]``. Git rejects a file with an invalid line; here only the line is
    skipped, so that a typo does not turn a repository into another project.
    """
    lines = iter(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    section: tuple[str, str] | None = ("", "")  # git also lists entries before the first section
    entries: list[Entry] = []
    for line in lines:
        rest = line.lstrip(_BLANKS)
        while rest.startswith("["):
            head = _read_header(rest)
            if head is None:
                # the following entries belong to an unknown section
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
    """Return section, subsection and the rest of the line, or None if it is not a header."""
    name, rest = _take(text[1:], _SECTION)
    if not name:
        return None
    if rest.startswith("]"):
        section, _, sub = name.lower().partition(".")
        return section, sub, rest[1:]
    quoted = rest.lstrip(_BLANKS)
    if quoted == rest or not quoted.startswith('"'):
        return None
    chars: list[str] = []
    at = 1
    while at < len(quoted) and quoted[at] != '"':
        if quoted[at] == "\\":
            at += 1  # the next character is literal
        chars.append(quoted[at : at + 1])
        at += 1
    return (name.lower(), "".join(chars), quoted[at + 2 :]) if quoted[at : at + 2] == '"]' else None


def _take(text: str, characters: str) -> tuple[str, str]:
    """Return the leading run of these characters, and the rest."""
    rest = text.lstrip(characters)
    return text[: len(text) - len(rest)], rest


def _read_value(  # noqa: C901 -- a scanner is easiest to read as one loop
    text: str, lines: Iterator[str]
) -> str | None:
    """Return the value, with continuation lines; None if it is invalid."""
    if not any(mark in text for mark in '\\"#;'):
        return text.strip(_BLANKS)
    chars: list[str] = []
    length = 0  # of the value: trailing blanks are dropped unless quoted
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
                text, at, length = following, 0, len(chars)
                continue
            escaped = _ESCAPES.get(text[at])
            if escaped is None:
                return None
            at += 1
            chars.append(escaped)
            length = len(chars)
        elif char == '"':
            in_quotes = not in_quotes
            length = len(chars)
        elif in_quotes:
            chars.append(char)
            length = len(chars)
        elif char in "#;":
            break
        elif char in _BLANKS:
            if chars:
                chars.append(char)
        else:
            chars.append(char)
            length = len(chars)
    return None if in_quotes else "".join(chars[:length])


MAX_BYTES = 1_000_000


def read_user_name(environment: Mapping[str, str]) -> str | None:
    """Return ``user.name``; ``~/.gitconfig`` takes precedence over the XDG config."""
    home = environment.get("HOME", "")
    base = environment.get("XDG_CONFIG_HOME") or (home and os.path.join(home, ".config"))
    name: str | None = None
    for path in (
        base and os.path.join(base, "git", "config"),
        home and os.path.join(home, ".gitconfig"),
    ):
        for section, sub, key, value in parse_config(_read_text(path)) if path else ():
            if (section, sub, key) == ("user", "", "name") and value:
                name = value
    return name


def _read_text(path: str) -> str:
    """Return a regular file's text; empty if it is not one, too large or unreadable."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > MAX_BYTES:
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return ""
