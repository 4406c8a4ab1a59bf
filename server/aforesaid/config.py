"""Settings: defaults < file < environment, and where each value came from.

Hook processes cannot afford tomllib and platformdirs, so what they resolve is kept as JSON in the
state folder and read from there until the file or the environment changes.
"""

from __future__ import annotations

import os

from aforesaid.bootstrap.places import state_folder
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.plain_json import read_json
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

#: Every key with its default. An empty text for a path means: the platform's own place.
DEFAULTS: dict[str, Any] = {
    "storage.db_path": "",
    "project.default": "default",
    "project.map": {},
    "project.off": [],
    "retrieval.max_results": 5,
    "retrieval.recall_token_budget": 4000,
    "retrieval.preload_token_budget": 2000,
    "retrieval.dedup_threshold": 0.92,
    "hooks.enabled": True,
    "hooks.session_start": True,
    "hooks.prompt": True,
    "hooks.subagent_start": True,
    "hooks.pre_compact": True,
    "hooks.session_end": True,
    "hooks.allow_tools": True,
    "hooks.headless": True,
    "hooks.prompt_token_budget": 400,
    "digest.max_tokens": 350,
    "digest.poll_seconds": 30,
    "digest.candidates": True,
    "digest.summariser": "none",
    "digest.model": "",
    "digest.client": "claude",
    "digest.api_key_env": "ANTHROPIC_API_KEY",
    "digest.batch_turns": 20,
    "digest.daily_calls": 50,
    "digest.timeout_seconds": 120,
    "privacy.redact": True,
    "privacy.private_tag": "private",
}
#: What each number may be.
RANGES: dict[str, tuple[float, float]] = {
    "retrieval.max_results": (1, 50),
    "retrieval.recall_token_budget": (100, 10_000),
    "retrieval.preload_token_budget": (100, 10_000),
    "retrieval.dedup_threshold": (0.5, 1.0),
    "hooks.prompt_token_budget": (50, 2_000),
    "digest.max_tokens": (50, 2_000),
    "digest.poll_seconds": (1, 3_600),
    "digest.batch_turns": (4, 200),
    "digest.daily_calls": (0, 10_000),
    "digest.timeout_seconds": (5, 540),
}
#: What each word may be.
CHOICES: dict[str, tuple[str, ...]] = {"digest.summariser": ("none", "claude-cli", "anthropic")}
_PLACES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME")
_CACHE = "settings.json"
_CACHE_FORM = 1
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

    def __getitem__(self, key: str) -> Any:
        """Return the value of ``section.key``."""
        return self.values[key]

    @property
    def db_path(self) -> str:
        """The database file."""
        return str(self.values["storage.db_path"])

    @property
    def notes_folder(self) -> str:
        """Where hooks leave notes for the sweep."""
        return os.path.join(self.state_folder, "notes")


def load_settings(environment: Mapping[str, str]) -> Settings:
    """Return the settings that are in force.

    Raises:
        InvalidInputError: the file or a variable holds an unknown key or a bad value.
    """
    state = state_folder()
    resolved = _from_cache(state, environment) or _resolve(state, environment)
    values = {**DEFAULTS, **resolved["values"]}
    sources = dict.fromkeys(resolved["values"], resolved["config_file"])
    for key, default in DEFAULTS.items():
        name = "AFORESAID_" + key.replace(".", "_").upper()
        if key == "storage.db_path" and environment.get("AFORESAID_DB"):
            name = "AFORESAID_DB"
        if name in environment:
            values[key] = _from_text(key, environment[name], default, name)
            sources[key] = name
    path = values["storage.db_path"] or os.path.join(resolved["data_folder"], "memory.db")
    values["storage.db_path"] = os.path.abspath(os.path.expanduser(path))
    return Settings(
        values=values,
        sources={key: sources.get(key, "default") for key in DEFAULTS},
        state_folder=state,
        config_file=resolved["config_file"],
    )


# -- the cache


def _from_cache(state: str, environment: Mapping[str, str]) -> dict[str, Any] | None:
    try:
        with open(os.path.join(state, _CACHE), encoding="utf-8") as file:
            cached = read_json(file.read())
        if (
            cached["form"] == _CACHE_FORM
            and cached["places"] == [environment.get(name) for name in _PLACES]
            and cached["stamp"] == _stamp(cached["config_file"])
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

    config_file = os.path.join(user_config_dir("aforesaid", appauthor=False), "config.toml")
    values = read_file(config_file)
    resolved = {
        "form": _CACHE_FORM,
        "places": [environment.get(name) for name in _PLACES],
        "stamp": _stamp(config_file),
        "config_file": config_file,
        "data_folder": user_data_dir("aforesaid", appauthor=False),
        "values": values,
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


# -- values


def read_file(path: str) -> dict[str, Any]:
    """Return the values of a configuration file by ``section.key``; none if there is no file.

    Raises:
        InvalidInputError: it is no TOML, or has an unknown key or a bad value.
    """
    import tomllib

    try:
        with open(path, "rb") as file:
            sections = tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{path} cannot be read: {error}") from error
    found: dict[str, Any] = {}
    for section, keys in sections.items():
        if not isinstance(keys, dict):
            raise InvalidInputError(f"{path}: {section} stands in no section")
        for key, value in keys.items():
            name = f"{section}.{key}"
            if name not in DEFAULTS:
                raise InvalidInputError(f"{path}: {name} is no setting: {_nearest(name)}")
            found[name] = _checked(name, value, DEFAULTS[name], path)
    return found


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, DEFAULTS, 1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(DEFAULTS)}"


def _checked(key: str, value: Any, default: Any, source: str) -> Any:
    """Return the value if it has the default's type and is in range."""
    wanted = type(default)
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted:
        raise InvalidInputError(
            f"{source}: {key} is {value!r}, a {wanted.__name__} such as {default!r} is needed"
        )
    if key in RANGES:
        low, high = RANGES[key]
        if not low <= value <= high:
            raise InvalidInputError(f"{source}: {key} is {value}, use {low:g} to {high:g}")
    if value not in CHOICES.get(key, (value,)):
        raise InvalidInputError(f"{source}: {key} is {value!r}, use {', '.join(CHOICES[key])}")
    return value


def _from_text(key: str, text: str, default: Any, source: str) -> Any:
    """Return the value that an environment variable's text means."""
    low = text.strip().lower()
    value: Any = text
    try:
        if isinstance(default, bool):
            if low not in {"1", "0", "true", "false", "on", "off", "yes", "no", ""}:
                raise InvalidInputError(f"{source} is {text!r}: use 1 or 0")
            value = low in {"1", "true", "on", "yes"}
        elif isinstance(default, int):
            value = int(text)
        elif isinstance(default, float):
            value = float(text)
        elif isinstance(default, list):
            value = [part.strip() for part in text.split(",") if part.strip()]
        elif isinstance(default, dict):
            pairs = [part.partition("=") for part in text.split(",") if part.strip()]
            value = {left.strip(): right.strip() for left, _, right in pairs}
    except ValueError:
        raise InvalidInputError(f"{source} is {text!r}: a number is needed") from None
    return _checked(key, value, default, source)
