"""Settings: defaults < file < environment, and where each value came from.

Hook processes cannot afford tomllib and platformdirs, so what they resolve is kept as JSON in the
state folder and read from there until the file or the environment changes.
"""

from __future__ import annotations

import os

from aforesaid.bootstrap.paths import state_folder
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.lean_json import read_json
from aforesaid.domain.value import Value

from .schema import DEFAULTS, KEYS, from_text, variable_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["DEFAULTS", "KEYS", "Settings", "load_settings"]

_PLACES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME")
_CACHE = "settings.json"
_CACHE_FORM = 3
#: Files whose presence the launcher reads without Python.
_FLAGS = {
    "off": ("hooks.enabled", False),
    "no-allow-tools": ("hooks.allow_tools", False),
    "no-prompt": ("hooks.prompt", False),
}


class Settings(Value):
    """Every setting, resolved."""

    values: dict[str, Any]
    sources: dict[str, str]  #: key to "default", the file's path, or the variable's name
    state_folder: str
    config_file: str
    problems: tuple[str, ...] = ()  #: what was passed over, in words
    notes: tuple[str, ...] = ()  #: of the file: what is known and has no effect

    def __getitem__(self, key: str) -> Any:
        """Return the value of ``section.key``."""
        return self.values[key]

    @property
    def db_path(self) -> str:
        """The database file."""
        return str(self.values["storage.db_path"])

    def told_problems(self) -> str:
        """Return what was passed over, on one line."""
        return f"not in force: {_in_words(self.problems)}"

    @property
    def notes_folder(self) -> str:
        """Where hooks leave notes for the sweep."""
        return os.path.join(self.state_folder, "notes")


def load_settings(environment: Mapping[str, str], *, lenient: bool = False) -> Settings:
    """Return the settings that are in force.

    Args:
        environment: the process's.
        lenient: pass over what is wrong, for a hook, which must not break a session: a value that
            cannot be is the default, a file that cannot be read is what it said when it last could.

    Raises:
        InvalidInputError: the file or a variable holds an unknown key or a bad value.
    """
    state = state_folder()
    resolved = _from_cache(state, environment) or _resolve(state, environment)
    values = {**DEFAULTS, **resolved["values"]}
    sources = dict.fromkeys(resolved["values"], resolved["config_file"])
    problems = list(resolved["problems"])
    for key in DEFAULTS:
        name = variable_of(key)
        if key == "storage.db_path" and environment.get("AFORESAID_DB"):
            name = "AFORESAID_DB"
        if name in environment:
            try:
                values[key] = from_text(key, environment[name], name)
                sources[key] = name
            except ValueError as error:
                problems.append(str(error))
    if problems and not lenient:
        raise InvalidInputError(_in_words(tuple(problems)))
    path = values["storage.db_path"] or os.path.join(resolved["data_folder"], "memory.db")
    values["storage.db_path"] = os.path.abspath(os.path.expanduser(path))
    return Settings(
        values=values,
        sources={key: sources.get(key, "default") for key in DEFAULTS},
        state_folder=state,
        config_file=resolved["config_file"],
        problems=tuple(problems),
        notes=tuple(resolved["notes"]),
    )


def _in_words(problems: tuple[str, ...]) -> str:
    more = f" (and {len(problems) - 1} more: aforesaid config)" if len(problems) > 1 else ""
    return f"{problems[0]}{more}"


# -- the cache


def _from_cache(
    state: str, environment: Mapping[str, str], *, any_stamp: bool = False
) -> dict[str, Any] | None:
    """Return what was resolved from the file as it is now, or as it was at any time."""
    try:
        with open(os.path.join(state, _CACHE), encoding="utf-8") as file:
            cached = read_json(file.read())
        if (
            cached["form"] == _CACHE_FORM
            and cached["keys"] == len(KEYS)  # another version reads the file anew
            and cached["places"] == [environment.get(name) for name in _PLACES]
            and (any_stamp or cached["stamp"] == _stamp(cached["config_file"]))
        ):
            return dict(cached)
    except (OSError, ValueError, KeyError, TypeError):
        pass  # missing, half-written or of an older form: resolved anew
    return None


def _stamp(path: str) -> list[int] | None:
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return [facts.st_mtime_ns, facts.st_size]


def _resolve(state: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Read the file and the platform's places, and keep the answer for the hooks."""
    import json

    from platformdirs import user_config_dir, user_data_dir

    from .file import ConfigFile

    config_file = os.path.join(user_config_dir("aforesaid", appauthor=False), "config.toml")
    read = ConfigFile(config_file)
    values = read.values
    if not read.readable:  # what was switched off stays so while half a line is being typed
        before = _from_cache(state, environment, any_stamp=True)
        values = before["values"] if before is not None else {}
    resolved = {
        "form": _CACHE_FORM,
        "keys": len(KEYS),
        "places": [environment.get(name) for name in _PLACES],
        "stamp": _stamp(config_file),
        "config_file": config_file,
        "data_folder": user_data_dir("aforesaid", appauthor=False),
        "values": values,
        "problems": read.problems,
        "notes": read.notes,
    }
    try:
        os.makedirs(state, 0o700, exist_ok=True)
        draft = os.path.join(state, f"{_CACHE}.{os.getpid()}")
        with open(draft, "w", encoding="utf-8") as file:
            json.dump(resolved, file)
        os.replace(draft, os.path.join(state, _CACHE))
        _set_flags(state, DEFAULTS | values)
    except OSError:
        pass  # a state folder that cannot be written costs time, nothing else
    return resolved


def _set_flags(state: str, values: dict[str, Any]) -> None:
    for name, (key, when) in _FLAGS.items():
        path = os.path.join(state, name)
        if values[key] is when:
            with open(path, "w", encoding="utf-8"):
                pass
        elif os.path.exists(path):
            os.unlink(path)
