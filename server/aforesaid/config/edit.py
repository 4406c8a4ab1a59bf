"""Changes one value in the text of a configuration file, leaving every other line as it is.

Reading is in file.py, the settings themselves in schema.py.
"""

from __future__ import annotations

import tomllib
from typing import Any

from aforesaid.domain.errors import InvalidInputError

from .file import find_lines
from .schema import KEYS, as_toml, validate


def read_value(name: str, text: str) -> Any:
    """Return the value of a setting that a text stands for, as TOML or as a bare string.

    Raises:
        InvalidInputError: it is not a permitted value.
    """
    value: Any = text
    if not isinstance(KEYS[name].default, str):
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text
            if isinstance(KEYS[name].default, list):
                value = [part.strip() for part in text.split(",")]
    try:
        return validate(name, value, "VALUE")
    except ValueError as error:
        raise InvalidInputError(str(error).removeprefix("VALUE: ")) from None


def with_value(text: str, name: str, value: Any) -> str:
    """Return the text of a configuration file with one setting changed or added.

    Raises:
        InvalidInputError: the file is not valid, or the value there spans several lines.
    """
    section, _, key = name.partition(".")
    lines, line_numbers = text.splitlines(), find_lines(text)
    entry = f"{key} = {as_toml(value)}"
    if name in line_numbers:
        lines[line_numbers[name] - 1] = entry
    elif section in line_numbers:
        lines.insert(line_numbers[section], entry)
    else:
        lines += ["", f"[{section}]", entry] if lines else [f"[{section}]", entry]
    changed = "\n".join(lines) + "\n"
    try:
        before, after = tomllib.loads(text), tomllib.loads(changed)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError(f"the file cannot be changed ({error}): edit it by hand") from None
    before.setdefault(section, {})[key] = value
    if before != after:
        raise InvalidInputError(f"{name} cannot be changed without other lines: edit it by hand")
    return changed


def without_value(text: str, name: str) -> str:
    """Return the text of a configuration file without one setting, which gets its default back.

    Raises:
        InvalidInputError: the file is not valid, or the value there spans several lines.
    """
    section, _, key = name.partition(".")
    line_numbers = find_lines(text)
    if name not in line_numbers:
        return text
    lines = text.splitlines()
    del lines[line_numbers[name] - 1]
    changed = "\n".join(lines) + "\n"
    try:
        before, after = tomllib.loads(text), tomllib.loads(changed)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError(f"the file cannot be changed ({error}): edit it by hand") from None
    del before[section][key]
    before = {title: keys for title, keys in before.items() if keys}
    if before != {title: keys for title, keys in after.items() if keys}:
        raise InvalidInputError(f"{name} cannot be removed without other lines: edit it by hand")
    return changed
