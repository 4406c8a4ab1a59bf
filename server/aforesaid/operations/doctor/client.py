"""Hooks and server as the client meets them: through the launcher, as processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.prompt_socket import list_listening
from aforesaid.adapters.system.machine import working_folder
from aforesaid.bootstrap.paths import ROOT, from_wheel

from .finding import NOTE, OK, WRONG, CheckContext, CheckResult

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_SECONDS = 30
_PLUGIN = "aforesaid@"
_STARTED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_INSTALL = "claude plugin install aforesaid"


def check(scene: CheckContext) -> Iterator[CheckResult]:
    """Yield what the client sees."""
    scene.progress("hooks and server")
    yield from _hook(scene)
    yield from _server(scene)
    yield from _plugin(scene)
    running = len(list_listening(scene.environment))
    answering = "1 server answers" if running == 1 else f"{running or 'no'} servers answer"
    yield CheckResult(area="client", state=OK, says=f"{answering} prompts now")


def _door() -> list[str]:
    if from_wheel():
        return [os.path.abspath(sys.argv[0])]
    return [os.path.join(ROOT, "bin", "aforesaid")]


def _hook(scene: CheckContext) -> Iterator[CheckResult]:
    """Have a hook answer a prompt without words: it reads its settings, and does nothing."""
    began = time.monotonic()
    folder = working_folder() or os.sep
    event = json.dumps({"session_id": "doctor", "prompt": "", "cwd": folder})
    try:
        done = subprocess.run(
            [*_door(), "hook", "user-prompt-submit"],
            input=event, capture_output=True, text=True, env=dict(scene.environment), cwd=folder,
            timeout=PATIENCE_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        said = f"the launcher cannot be run: {error}"
        yield CheckResult(area="hooks", state=WRONG, says=said, fix="aforesaid setup --rebuild")
        return
    taken = (time.monotonic() - began) * 1000
    if done.returncode or done.stdout or done.stderr:
        last = " ".join((done.stderr or done.stdout).split())[-200:]
        said = f"a hook ended with {done.returncode}: {last}"
        yield CheckResult(area="hooks", state=WRONG, says=said, fix="aforesaid setup --rebuild")
    elif not scene.settings["hooks.enabled"]:
        yield CheckResult(area="hooks", state=NOTE, says="switched off by hooks.enabled")
    else:
        yield CheckResult(area="hooks", state=OK, says=f"a hook answers in {taken:.0f} ms")


def _server(scene: CheckContext) -> Iterator[CheckResult]:
    began = time.monotonic()
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                   "clientInfo": {"name": "doctor", "version": "1"}},
    }  # fmt: skip
    lists = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    call = {
        "jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": {"name": "memory_inspect", "arguments": {}},  # refused, and so without effect
    }  # fmt: skip
    try:
        answers = _converse(scene, [hello, _STARTED, lists], call)
        tools = [tool["name"] for tool in answers[2]["result"]["tools"]]
        refused = answers[3]["result"]["content"][0]["text"]
    except (OSError, subprocess.TimeoutExpired, KeyError, TypeError) as error:
        said = f"the server does not list its tools ({type(error).__name__})"
        yield CheckResult(area="server", state=WRONG, says=said, fix="aforesaid setup --rebuild")
        return
    taken = (time.monotonic() - began) * 1000
    if "needs id" not in refused:
        yield CheckResult(area="server", state=WRONG, says=f"it does not take calls: {refused}")
        return
    said = f"lists {len(tools)} tools and takes calls; from its start {taken:.0f} ms"
    yield CheckResult(area="server", state=OK, says=said)


def _converse(
    scene: CheckContext, first: list[dict[str, Any]], last: dict[str, Any]
) -> dict[Any, dict[str, Any]]:
    """Start a server, say something, wait for the answer to the last of it; return all answers.

    Raises:
        subprocess.TimeoutExpired: it took too long.
        OSError: it cannot be started.
    """
    with subprocess.Popen(
        [*_door(), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, env=dict(scene.environment),
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        watchdog = threading.Timer(PATIENCE_SECONDS, server.kill)
        watchdog.start()
        answers: dict[Any, dict[str, Any]] = {}
        try:
            server.stdin.write("".join(json.dumps(one) + "\n" for one in [*first, last]))
            server.stdin.flush()
            for line in server.stdout:
                answer = _read(line)
                answers[answer.get("id")] = answer
                if answer.get("id") == last["id"]:
                    break
            server.stdin.close()
        finally:
            watchdog.cancel()
    return answers


def _plugin(scene: CheckContext) -> Iterator[CheckResult]:
    """Look into the client's own files, which say whether the plugin is there and on."""
    environment = scene.environment
    home = environment.get("HOME") or os.path.expanduser("~")
    folder = environment.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    if not os.path.isdir(folder):
        yield CheckResult(area="client", state=NOTE, says="Claude Code was never run by this user")
        return
    installed = _named(_load(os.path.join(folder, "plugins", "installed_plugins.json")))
    settings = _load(os.path.join(folder, "settings.json"))
    enabled = settings.get("enabledPlugins") or {}
    switched_off = [name for name in installed if enabled.get(name) is False]
    if settings.get("disableAllHooks"):
        yield CheckResult(
            area="client", state=WRONG, says="the client's settings switch all hooks off",
            fix=f'remove "disableAllHooks" from {os.path.join(folder, "settings.json")}',
        )  # fmt: skip
    if switched_off:
        said = f"the plugin {switched_off[0]} is installed and switched off"
        fix = f"claude plugin enable {switched_off[0]}"
        yield CheckResult(area="client", state=NOTE, says=said, fix=fix)
    elif installed:
        yield CheckResult(area="client", state=OK, says=f"the plugin {installed[0]} is installed")
    else:
        said = "the plugin is not installed in Claude Code: sessions are not remembered unasked"
        yield CheckResult(area="client", state=NOTE, says=said, fix=_INSTALL)


def _named(value: Any) -> list[str]:
    """Return the keys, at any depth, that are our plugin's name."""
    if not isinstance(value, dict):
        return []
    found = [key for key in value if key.startswith(_PLUGIN)]
    return found + [name for one in value.values() for name in _named(one)]


def _load(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            read = json.load(file)
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _read(line: str) -> dict[str, Any]:
    try:
        read = json.loads(line)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}
