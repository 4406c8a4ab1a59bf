"""Settings: defaults < file < environment, and where each value came from.

Hook processes cannot afford to import tomllib and platformdirs, so the resolved file is cached as
JSON in the state folder until the file or the environment changes.
"""

from __future__ import annotations

import os

from aforesaid.bootstrap.paths import NOT_OFF, state_folder
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.lean_json import read_json
from aforesaid.domain.value import Value

from .schema import DEFAULTS, KEYS, from_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = [
    "DEFAULTS",
    "KEYS",
    "Settings",
    "client_pid",
    "is_hook_enabled",
    "load_settings",
    "variable_of",
]

_PATH_VARIABLES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME")
_CACHE = "settings.json"
_CACHE_VERSION = 3
#: Files by whose presence the launcher, without Python, knows that a setting has this value.
_FLAGS = {
    "off": ("hooks.enabled", False),
    "no-allow-tools": ("hooks.allow_tools", False),
    "no-prompt": ("hooks.prompt", False),
    "no-headless": ("hooks.headless", False),
    "no-action": ("hooks.action", False),
}


class Settings(Value):
    """The resolved value of every setting."""

    values: dict[str, Any]
    sources: dict[str, str]  #: by key: "default", the file's path, or the variable's name
    state_folder: str
    config_file: str
    problems: tuple[str, ...] = ()  #: one message for each value that was ignored
    notes: tuple[str, ...] = ()  #: one message for each key in the file without effect
    off: bool = False  #: AFORESAID_OFF switches memory off in this process

    def __getitem__(self, key: str) -> Any:
        """Return the value of ``section.key``; KeyError if there is no such setting."""
        return self.values[key]

    @property
    def db_path(self) -> str:
        """Absolute path of the database file."""
        return str(self.values["storage.db_path"])

    def problem_summary(self) -> str:
        """Return the first problem and the number of further ones, on one line."""
        return f"ignored setting: {_summarise(self.problems)}"

    @property
    def notes_folder(self) -> str:
        """The folder in which hooks leave notes for the sweep."""
        return os.path.join(self.state_folder, "notes")


def load_settings(environment: Mapping[str, str], *, lenient: bool = False) -> Settings:
    """Return the resolved settings.

    Args:
        environment: the environment variables of the process.
        lenient: ignore errors, for hooks, which must not break a session. An invalid value is
            replaced by the default, an unreadable file by its last readable version.

    Raises:
        InvalidInputError: the file or a variable holds an unknown key or an invalid value.
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
        raise InvalidInputError(_summarise(problems))
    path = values["storage.db_path"] or os.path.join(resolved["data_folder"], "memory.db")
    values["storage.db_path"] = os.path.abspath(os.path.expanduser(path))
    return Settings(
        values=values,
        sources={key: sources.get(key, "default") for key in DEFAULTS},
        state_folder=state,
        config_file=resolved["config_file"],
        problems=tuple(problems),
        notes=tuple(resolved["notes"]),
        off=environment.get("AFORESAID_OFF", "").lower() not in NOT_OFF,
    )


def _summarise(problems: Sequence[str]) -> str:
    more = f" (and {len(problems) - 1} more: aforesaid config)" if len(problems) > 1 else ""
    return f"{problems[0]}{more}"


# -- the cache


def _from_cache(
    state: str, environment: Mapping[str, str], *, any_stamp: bool = False
) -> dict[str, Any] | None:
    """Return the cached values of the unchanged file; with ``any_stamp``, of any version of it."""
    try:
        with open(os.path.join(state, _CACHE), encoding="utf-8") as file:
            cached = read_json(file.read())
        if (
            cached["form"] == _CACHE_VERSION
            and cached["keys"] == len(KEYS)  # else another version of the program wrote it
            and cached["places"] == [environment.get(name) for name in _PATH_VARIABLES]
            and (any_stamp or cached["stamp"] == _stamp(cached["config_file"]))
        ):
            return dict(cached)
    except (OSError, ValueError, KeyError, TypeError):
        pass  # missing, incomplete or in an older format: resolve again
    return None


def _stamp(path: str) -> list[int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return [status.st_mtime_ns, status.st_size]


def _resolve(state: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Read the file, determine the platform's folders, and cache both for the hooks."""
    import json

    from platformdirs import user_config_dir, user_data_dir

    from .file import ConfigFile

    config_file = os.path.join(user_config_dir("aforesaid", appauthor=False), "config.toml")
    file = ConfigFile(config_file)
    values = file.values
    if not file.readable:  # keep the previous values while the user is editing the file
        previous = _from_cache(state, environment, any_stamp=True)
        values = previous["values"] if previous is not None else {}
    resolved = {
        "form": _CACHE_VERSION,
        "keys": len(KEYS),
        "places": [environment.get(name) for name in _PATH_VARIABLES],
        "stamp": _stamp(config_file),
        "config_file": config_file,
        "data_folder": user_data_dir("aforesaid", appauthor=False),
        "values": values,
        "problems": file.problems,
        "notes": file.notes,
    }
    try:
        os.makedirs(state, 0o700, exist_ok=True)
        draft = os.path.join(state, f"{_CACHE}.{os.getpid()}")
        with open(draft, "w", encoding="utf-8") as target:
            json.dump(resolved, target)
        os.replace(draft, os.path.join(state, _CACHE))
        _set_flags(state, DEFAULTS | values)
    except OSError:
        pass  # without the cache every start only takes longer
    return resolved


def _set_flags(state: str, values: dict[str, Any]) -> None:
    for name, (key, flagged_value) in _FLAGS.items():
        path = os.path.join(state, name)
        if values[key] is flagged_value:
            with open(path, "w", encoding="utf-8"):
                pass
        elif os.path.exists(path):
            os.unlink(path)


def variable_of(name: str) -> str:
    """Return the environment variable that sets a key."""
    return "AFORESAID_" + name.replace(".", "_").upper()


def is_hook_enabled(name: str, settings: Settings, environment: Mapping[str, str]) -> bool:
    """Return whether hooks, this hook and, in a headless session, headless hooks are enabled."""
    if not (settings["hooks.enabled"] and settings[f"hooks.{name}"]):
        return False
    return bool(settings["hooks.headless"]) or not is_headless(environment)


def is_headless(environment: Mapping[str, str]) -> bool:
    """Return whether the session has no user: the client runs in print mode or under an SDK."""
    return environment.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")


def client_pid(environment: Mapping[str, str]) -> int:
    """Return the client's process id: CLAUDE_PID, else the parent (the launcher uses exec)."""
    pid = environment.get("CLAUDE_PID", "")
    return int(pid) if pid.isdigit() else os.getppid()
