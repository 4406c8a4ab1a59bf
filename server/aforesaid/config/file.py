"""The configuration file: read with the line of each key, and written as an example.

Here: TOML in and out. Not here: what a key may be (schema.py), the environment (the package).
"""

from __future__ import annotations

import os
import re
import stat
from typing import Any

from .schema import DEFAULTS, KEYS, REPLACED, as_toml, bounds_text, validate

_SECTION = re.compile(r"^\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*="""
)
_LONG = ('"""', "'''")
_MAX_BYTES = 1_000_000


class ConfigFile:
    """What a configuration file says; nothing if there is none."""

    def __init__(self, path: str) -> None:
        """Read the file.

        Args:
            path: of the file, which need not be there.
        """
        self.path = path
        self.values: dict[str, Any] = {}  #: by ``section.key``, those that may be so
        self.problems: list[str] = []  #: what was left out: where, what, what to do
        self.notes: list[str] = []  #: keys without effect: where, what does it here
        self.readable = True  #: false where it is no TOML, and says nothing at all
        self._lines: dict[str, int] = {}
        try:
            text = _read(path)
            import tomllib  # most have no file

            sections = tomllib.loads(text)
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError) as error:
            self.readable = False
            self.problems = [f"{path} cannot be read: {error}"]
            return
        self._lines = find_lines(text)
        for section, keys in sections.items():
            if not isinstance(keys, dict):
                self._refuse(section, f"{section} stands in no section")
                continue
            for key, value in keys.items():
                self._take(f"{section}.{key}", value)

    def where(self, name: str) -> str:
        """Return ``path:line`` of a key."""
        line = self._lines.get(name) or self._lines.get(name.partition(".")[0])
        return f"{self.path}:{line}" if line else self.path

    def _take(self, name: str, value: Any) -> None:
        if name in REPLACED:
            self.notes.append(f"{self.where(name)}: {without_effect(name)}")
        elif name not in KEYS:
            self._refuse(name, f"{name} is no setting: {nearest(name)}")
        else:
            try:
                self.values[name] = validate(name, value, self.where(name))
            except ValueError as error:
                self.problems.append(str(error))

    def _refuse(self, name: str, why: str) -> None:
        self.problems.append(f"{self.where(name)}: {why}")


def _read(path: str) -> str:
    """Return the text of a regular file of at most ``_MAX_BYTES``.

    Raises:
        OSError, ValueError: it cannot be read as such.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ValueError("it is not a regular file")
    with open(path, "rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"it has more than {_MAX_BYTES} bytes")
    return content.decode("utf-8")


def without_effect(name: str) -> str:
    """Return what is said of a key that something else has replaced."""
    return f"{name} has no effect here: {REPLACED[name]}"


def nearest(name: str) -> str:
    """Return which setting may have been meant."""
    from difflib import get_close_matches

    near = get_close_matches(name, DEFAULTS, 1)
    return f"did you mean {near[0]}?" if near else "`aforesaid config` lists those that are"


def find_lines(text: str) -> dict[str, int]:
    """Return the line (from 1) of each section and ``section.key`` of a TOML text."""
    lines: dict[str, int] = {}
    section = ""
    inside = ""  # the quotes of a text that goes over lines
    for number, line in enumerate(text.splitlines(), 1):
        if inside:
            inside = "" if inside in line else inside
            continue
        header, key = _SECTION.match(line), _KEY.match(line)
        if header:
            section = _plain(header[1])
            lines.setdefault(section, number)
        elif key:
            name = _plain(key[1])
            lines.setdefault(f"{section}.{name}" if section else name, number)
            rest = line[key.end() :].lstrip()
            opened = next((quotes for quotes in _LONG if rest.startswith(quotes)), "")
            inside = opened if opened and opened not in rest[3:] else ""
    return lines


def _plain(name: str) -> str:
    """Return a dotted name without blanks and quotes."""
    return ".".join(part.strip().strip("\"'") for part in name.split("."))


def example() -> str:
    """Return a configuration file that has every key, each commented out at its default."""
    lines = [
        "# Settings of Aforesaid. What stands here applies from the next start of a client or",
        "# command on; each key also as the variable AFORESAID_<SECTION>_<KEY>. A line that begins",
        "# with # says the default: take the # away to change it.",
    ]
    section = ""
    for name, key in KEYS.items():
        if name.partition(".")[0] != section:
            section = name.partition(".")[0]
            lines += ["", f"[{section}]"]
        lines.append(f"# {told(name)}")
        lines.append(f"# {name.partition('.')[2]} = {as_toml(key.default)}")
    return "\n".join(lines) + "\n"


def told(name: str) -> str:
    """Return what a key means and may be, on one line."""
    key = KEYS[name]
    more = ""
    if key.choices:
        more = f": {', '.join(key.choices)}"
    elif key.between is not None:
        more = f", {bounds_text(key)}"
    default = f" (default: {key.said})" if key.said else ""
    return f"{key.meaning}{more}{default}"
