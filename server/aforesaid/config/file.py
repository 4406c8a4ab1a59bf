"""Reads the configuration file, with the line number of each key, and writes the example file.

Validation of values is in schema.py; the environment and the cache are in the package itself.
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
_MULTI_LINE = ('"""', "'''")
_MAX_BYTES = 1_000_000


class ConfigFile:
    """The contents of the configuration file; empty if there is none."""

    def __init__(self, path: str) -> None:
        """Read and validate the file.

        Args:
            path: path of the file, which need not exist.
        """
        self.path = path
        self.values: dict[str, Any] = {}  #: the valid values by ``section.key``
        self.problems: list[str] = []  #: one message for each entry that was ignored
        self.notes: list[str] = []  #: one message for each key that has no effect here
        self.readable = True  #: False if the file is not valid TOML; ``values`` is empty then
        self._lines: dict[str, int] = {}
        try:
            text = _read(path)
            import tomllib  # most users have no file

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
                self._add_problem(section, f"{section} is not in a section, such as [retrieval]")
                continue
            for key, value in keys.items():
                self._add_value(f"{section}.{key}", value)

    def where(self, name: str) -> str:
        """Return ``path:line`` of a key, or of its section; the path if neither is in the file."""
        line = self._lines.get(name) or self._lines.get(name.partition(".")[0])
        return f"{self.path}:{line}" if line else self.path

    def _add_value(self, name: str, value: Any) -> None:
        if name in REPLACED:
            self.notes.append(f"{self.where(name)}: {no_effect_note(name)}")
        elif name not in KEYS:
            self._add_problem(name, f"{name} is not a setting: {suggest_setting(name)}")
        else:
            try:
                self.values[name] = validate(name, value, self.where(name))
            except ValueError as error:
                self.problems.append(str(error))

    def _add_problem(self, name: str, reason: str) -> None:
        self.problems.append(f"{self.where(name)}: {reason}")


def _read(path: str) -> str:
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ValueError("it is not a regular file")
    with open(path, "rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"it has more than {_MAX_BYTES} bytes")
    return content.decode("utf-8")


def no_effect_note(name: str) -> str:
    """Return the message for a key in ``REPLACED``: that it has no effect, and what has."""
    return f"{name} has no effect here: {REPLACED[name]}"


def suggest_setting(name: str) -> str:
    """Return the hint for a name that is no setting."""
    from difflib import get_close_matches

    matches = get_close_matches(name, DEFAULTS, 1)
    return f"did you mean {matches[0]}?" if matches else "`aforesaid config` lists all settings"


def find_lines(text: str) -> dict[str, int]:
    """Return the line number (from 1) of each section and each ``section.key`` in a TOML text."""
    lines: dict[str, int] = {}
    section = ""
    open_quotes = ""  # the quotes of a multi-line string that has not ended
    for number, line in enumerate(text.splitlines(), 1):
        if open_quotes:
            open_quotes = "" if open_quotes in line else open_quotes
            continue
        header, key = _SECTION.match(line), _KEY.match(line)
        if header:
            section = _unquoted(header[1])
            lines.setdefault(section, number)
        elif key:
            name = _unquoted(key[1])
            lines.setdefault(f"{section}.{name}" if section else name, number)
            rest = line[key.end() :].lstrip()
            quotes = next((quotes for quotes in _MULTI_LINE if rest.startswith(quotes)), "")
            open_quotes = quotes if quotes not in rest[3:] else ""
    return lines


def _unquoted(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))


def example() -> str:
    """Return an example file with every key commented out at its default."""
    lines = [
        "# Settings of Aforesaid. Changes apply when a client or command starts next. Each key can",
        "# also be set by an environment variable, AFORESAID_<SECTION>_<KEY>. A line that is",
        "# commented out shows the default: remove the # to change it.",
    ]
    section = ""
    for name, setting in KEYS.items():
        if name.partition(".")[0] != section:
            section = name.partition(".")[0]
            lines += ["", f"[{section}]"]
        lines.append(f"# {describe_setting(name)}")
        lines.append(f"# {name.partition('.')[2]} = {as_toml(setting.default)}")
    return "\n".join(lines) + "\n"


def describe_setting(name: str) -> str:
    """Return the description of a key with its permitted values and default, on one line."""
    setting = KEYS[name]
    permitted = ", ".join(setting.choices) or bounds_text(setting)
    permitted = f" ({permitted})" if permitted else ""
    default = f" (default: {setting.default_text})" if setting.default_text else ""
    return f"{setting.description}{permitted}{default}"
