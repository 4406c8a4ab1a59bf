"""What an installation writes into the files of Codex, Gemini CLI and OpenCode.

Each file is described by two functions: one adds our entries to its text, one removes them. The
files themselves are read and written by installer.py.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.value import Value
from aforesaid.entrypoints.api.plugin_texts import SKILL, skill_text

from .formats import to_toml
from .launch import NAME, StdioLaunch
from .registry import CLIENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_BEGIN, _END = "# >>> aforesaid >>>", "# <<< aforesaid <<<"
_BLOCK = re.compile(rf"\n?{re.escape(_BEGIN)}\n.*?{re.escape(_END)}\n", re.DOTALL)
_SECOND_MS = 1_000
#: Our events by the clients' names, and the timeout of each hook (Codex: s, Gemini CLI: ms).
_CODEX_HOOKS = {
    "SessionStart": ("session-start", 10),
    "UserPromptSubmit": ("user-prompt-submit", 5),
    "PreCompact": ("pre-compact", 5),
    "SessionEnd": ("session-end", 3),  # the maximum that Codex allows
}
_GEMINI_HOOKS = {
    "SessionStart": ("session-start", 10 * _SECOND_MS),
    "BeforeAgent": ("user-prompt-submit", 5 * _SECOND_MS),
    "SessionEnd": ("session-end", 10 * _SECOND_MS),
}


class ManagedFile(Value):
    """A file of a client, and how our entries are added to it and removed from it."""

    path: str
    add: Callable[[str], str]  #: from its text; empty for a file that does not exist
    remove: Callable[[str], str]  #: an empty text means that the file is no longer needed
    parse: Callable[[str], Any] = str  #: texts with equal values are equivalent


class Integration(Value):
    """A client with hooks that an installation sets up."""

    title: str
    files: Callable[[StdioLaunch, Mapping[str, str]], list[ManagedFile]]
    notes: tuple[str, ...]  #: for the user, after the installation


def _codex_files(launch: StdioLaunch, environment: Mapping[str, str]) -> list[ManagedFile]:
    folder = environment.get("CODEX_HOME") or os.path.join(_home(environment), ".codex")
    hooks = os.path.join(folder, "hooks.json")
    return [
        _toml_file(os.path.join(folder, "config.toml"), CLIENTS["codex"].stdio(launch)),
        _json_file(hooks, {}, _hook_groups(launch, "codex", _CODEX_HOOKS)),
        _own_file(os.path.join(folder, "skills", SKILL, "SKILL.md"), skill_text()),
    ]


def _gemini_files(launch: StdioLaunch, environment: Mapping[str, str]) -> list[ManagedFile]:
    path = os.path.join(_home(environment), ".gemini", "settings.json")
    servers = CLIENTS["gemini"].stdio(launch)
    return [_json_file(path, servers, _hook_groups(launch, "gemini", _GEMINI_HOOKS))]


def _opencode_files(launch: StdioLaunch, environment: Mapping[str, str]) -> list[ManagedFile]:
    config = environment.get("XDG_CONFIG_HOME") or os.path.join(_home(environment), ".config")
    folder = os.path.join(config, "opencode")
    path = os.path.join(folder, "opencode.json")
    with_comments = f"{path}c"
    if os.path.exists(with_comments):
        path = with_comments
    servers = {"mcp": CLIENTS["opencode"].stdio(launch)["mcp"]}
    plugin = os.path.join(folder, "plugin", "aforesaid.js")
    return [_json_file(path, servers, {}), _own_file(plugin, _plugin_text(launch))]


INTEGRATIONS = {
    "codex": Integration(
        title="Codex CLI",
        files=_codex_files,
        notes=(
            (
                "Codex skips hooks that you have not trusted: start `codex`, type /hooks, and "
                "trust those of Aforesaid (again after each change to them)"
            ),
            f"type ${SKILL} to use the memory skill",
        ),
    ),
    "gemini": Integration(
        title="Gemini CLI",
        files=_gemini_files,
        notes=("in a folder that Gemini CLI does not trust, it runs neither hooks nor servers",),
    ),
    "opencode": Integration(title="OpenCode", files=_opencode_files, notes=()),
}


def _own_file(path: str, text: str) -> ManagedFile:
    """Return a file that holds nothing else; a user's own file with this name is not changed."""

    def add(before: str) -> str:
        if before:
            raise ConflictError(f"{path} exists and is not Aforesaid's: move it first")
        return text

    return ManagedFile(path=path, add=add, remove=lambda _: "")


def _home(environment: Mapping[str, str]) -> str:
    return environment.get("HOME") or os.path.expanduser("~")


def hook_command(launch: StdioLaunch, event: str, client: str) -> list[str]:
    """Return the command of a hook.

    Args:
        launch: How the server is started.
        event: Our name of the event.
        client: The client that runs it.
    """
    variables = [f"{name}={value}" for name, value in launch.variables.items()]
    environment = ["env", *variables] if variables else []
    before = launch.arguments[: launch.arguments.index("serve")]
    return [*environment, launch.command, *before, "hook", event, "--client", client]


def _hook_groups(
    launch: StdioLaunch, client: str, hooks: Mapping[str, tuple[str, int]]
) -> dict[str, Any]:
    """Return groups of hooks by the client's names of their events."""
    groups = {}
    for name, (event, timeout) in hooks.items():
        command = shlex.join(hook_command(launch, event, client))
        groups[name] = {"hooks": [{"type": "command", "command": command, "timeout": timeout}]}
    return groups


# -- JSON


def _json_file(path: str, servers: Mapping[str, Any], hooks: Mapping[str, Any]) -> ManagedFile:
    """Return a JSON file with servers, by their section, and groups of hooks, by their event."""

    def add(text: str) -> str:
        settings = _read_json(path, text)
        for section, ours in servers.items():
            present = _object(path, settings, section)
            if NAME in present:
                raise ConflictError(
                    f"{path} already has a server named {NAME!r}: remove or rename it first"
                )
            present.update(ours)
        for event, group in hooks.items():
            groups = _object(path, settings, "hooks").setdefault(event, [])
            if not isinstance(groups, list):
                raise InvalidInputError(f"{path}: hooks.{event} is not a list: fix it first")
            groups.append(group)
        return _write_json(settings, text)

    def remove(text: str) -> str:
        settings = _read_json(path, text)
        for section in servers:
            _object(path, settings, section).pop(NAME, None)
        for event in hooks:
            groups = _object(path, settings, "hooks").get(event)
            if isinstance(groups, list):
                _object(path, settings, "hooks")[event] = [g for g in groups if not _is_ours(g)]
        _drop_empty(settings, "hooks", *servers)
        return _write_json(settings, text) if settings else ""

    return ManagedFile(path=path, add=add, remove=remove, parse=lambda t: _read_json(path, t))


def _drop_empty(settings: dict[str, Any], *sections: str) -> None:
    """Remove sections that are empty, and events without hooks."""
    for section in sections:
        if isinstance(settings.get(section), dict):
            kept = {name: value for name, value in settings[section].items() if value != []}
            settings[section] = kept
            if not kept:
                del settings[section]


def _is_ours(group: object) -> bool:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    commands = [str(hook.get("command")) for hook in hooks or [] if isinstance(hook, dict)]
    return bool(commands) and all(
        re.search(r"aforesaid\S* (?:\S+ )*hook \S+ --client ", command) for command in commands
    )


def _read_json(path: str, text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        settings = json.loads(text.removeprefix("\ufeff"))
    except ValueError as error:
        raise InvalidInputError(
            f"{path} is not plain JSON ({error}; it may have comments) and was not changed: "
            "`aforesaid config --client NAME` prints what to add by hand"
        ) from error
    if not isinstance(settings, dict):
        raise InvalidInputError(f"{path} is not a JSON object: it was not changed")
    return settings


def _object(path: str, settings: dict[str, Any], section: str) -> dict[str, Any]:
    value = settings.setdefault(section, {})
    if not isinstance(value, dict):
        raise InvalidInputError(f"{path}: {section} is not an object: fix it first")
    return value


def _write_json(settings: dict[str, Any], before: str) -> str:
    """Return JSON with the indentation of the text that it replaces."""
    indent = re.search(r"^([ \t]+)\"", before, re.MULTILINE)
    width = indent.group(1) if indent else "  "
    return json.dumps(settings, indent=width, ensure_ascii=False) + "\n"


# -- TOML


def _toml_file(path: str, entry: dict[str, Any]) -> ManagedFile:
    """Return a TOML file with a block of ours at its end, between two comments."""

    def add(text: str) -> str:
        try:
            settings = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidInputError(f"{path} is not valid TOML ({error}): fix it first") from error
        if NAME in settings.get("mcp_servers", {}):
            raise ConflictError(
                f"{path} already has a server named {NAME!r}: remove or rename it first"
            )
        between = "" if not text or text.endswith("\n") else "\n"
        gap = "\n" if text else ""
        return f"{text}{between}{gap}{_BEGIN}\n{to_toml(entry)}{_END}\n"

    def remove(text: str) -> str:
        return _BLOCK.sub("", text)

    return ManagedFile(path=path, add=add, remove=remove, parse=tomllib.loads)


# -- OpenCode's plugin


def _plugin_text(launch: StdioLaunch) -> str:
    """Return the JavaScript of the plugin, with the command that it runs."""
    template = os.path.join(os.path.dirname(os.path.abspath(__file__)), "opencode_plugin.js")
    with open(template, encoding="utf-8") as file:
        text = file.read()
    command = hook_command(launch, "EVENT", "opencode")
    return text.replace('["aforesaid", "hook", "EVENT"]', json.dumps(command, ensure_ascii=False))
