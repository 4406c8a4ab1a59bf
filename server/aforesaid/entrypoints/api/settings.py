"""Settings for people: each with its value and source, and changing one in the file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.system.user_files import write_whole
from aforesaid.bootstrap.paths import make_private_folder
from aforesaid.config import load_settings, variable_of
from aforesaid.config.file import ConfigFile, suggest_setting
from aforesaid.config.schema import KEYS
from aforesaid.domain.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.config import Settings


def describe_settings(settings: Settings) -> list[dict[str, Any]]:
    """Return every setting with its value, where that comes from, and what it does."""
    file = ConfigFile(settings.config_file)
    return [
        {
            "setting": name,
            "value": settings[name],
            "from": file.where(name)
            if settings.sources[name] == settings.config_file
            else settings.sources[name],
            "meaning": setting.description,
        }
        for name, setting in KEYS.items()
    ]


def change_setting(environment: Mapping[str, str], name: str, text: str) -> tuple[Any, str]:
    """Change a setting in the configuration file, which is created if it is missing.

    Args:
        environment: the variables of the process.
        name: of the setting.
        text: its value, as TOML or as a bare string.

    Returns:
        The value, and the path of the file.

    Raises:
        InvalidInputError: there is no such setting, or the value is not permitted.
    """
    from aforesaid.config.edit import read_value

    value = read_value(known_setting(name), text)
    return value, write_setting(environment, name, value)


def write_setting(environment: Mapping[str, str], name: str, value: Any) -> str:
    """Write a value into the configuration file; return the path of the file."""
    from aforesaid.config.edit import with_value

    path = load_settings(environment, lenient=True).config_file
    _write(path, with_value(_read(path), name, value))
    return path


def reset_setting(environment: Mapping[str, str], name: str) -> str:
    """Remove a setting from the configuration file; return the path of the file.

    Raises:
        InvalidInputError: there is no such setting, or the file cannot be changed.
    """
    from aforesaid.config.edit import without_value

    path = load_settings(environment, lenient=True).config_file
    text = _read(path)
    changed = without_value(text, known_setting(name))
    if changed != text:
        _write(path, changed)
    return path


def fixing_variable(environment: Mapping[str, str], name: str) -> str | None:
    """Return the variable that takes precedence over the file for a setting; None if none does."""
    variables = [variable_of(name), *(["AFORESAID_DB"] if name == "storage.db_path" else [])]
    return next((variable for variable in variables if variable in environment), None)


def known_setting(setting: str) -> str:
    """Return the name of a setting.

    Raises:
        InvalidInputError: there is none of that name.
    """
    if setting in KEYS:
        return setting
    raise InvalidInputError(f"{setting!r} is not a setting: {suggest_setting(setting)}")


def _read(path: str) -> str:
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def _write(path: str, text: str) -> None:
    make_private_folder(os.path.dirname(path))
    with write_whole(path, overwrite=True) as target:
        target.write(text)
