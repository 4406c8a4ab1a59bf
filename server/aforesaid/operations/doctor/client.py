"""Checking hooks and server the way the client runs them: as processes, through the launcher."""

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
from aforesaid.bootstrap.paths import ROOT, from_wheel, installed_clients
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.operations import client_plugin
from aforesaid.operations.status import running_servers

from .check_result import NOTE, OK, WRONG, CheckContext, CheckResult

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMEOUT_SECONDS = 30
_STARTED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def check(context: CheckContext) -> Iterator[CheckResult]:
    """Yield the results for hooks, server and plugin."""
    context.progress("hooks and server")
    yield from _check_hook(context)
    yield from _check_server(context)
    yield from _check_plugin(context)
    yield from _check_installed_clients(context)
    servers = running_servers(context.environment, context.settings.db_path)
    answering = len(list_listening(context.environment))
    if answering:
        says = f"{pluralize(answering, 'running server')} can answer prompt hooks"
    elif servers["running"]:
        says = f"running: {'; '.join(servers['running'])}; each client starts its own server"
    else:
        says = "no server is running now; each client starts its own"
    yield CheckResult(area="client", state=OK, says=says)


def _switched_on(context: CheckContext) -> dict[str, str]:
    """Return the environment in which hooks and server work although this shell is off."""
    return {name: value for name, value in context.environment.items() if name != "AFORESAID_OFF"}


def _launcher() -> list[str]:
    if from_wheel():
        return [os.path.abspath(sys.argv[0])]
    return [os.path.join(ROOT, "bin", "aforesaid")]


def _run_hook(context: CheckContext, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a hook with an empty prompt, for which it does nothing but read its settings."""
    folder = working_folder() or os.sep
    event = json.dumps({"session_id": "doctor", "prompt": "", "cwd": folder})
    return subprocess.run(
        [*_launcher(), "hook", "user-prompt-submit", *options],
        input=event, capture_output=True, text=True, env=_switched_on(context), cwd=folder,
        timeout=TIMEOUT_SECONDS, check=False,
    )  # fmt: skip


def _check_installed_clients(context: CheckContext) -> Iterator[CheckResult]:
    """Check what `aforesaid install` wrote into other clients' files, and their hooks."""
    for client, files in installed_clients(context.settings.state_folder).items():
        area = f"client {client}"
        fix = f"aforesaid install --client {client}"
        missing = [path for path in files if not _mentions_us(path)]
        if missing:
            says = f"Aforesaid's entries are missing from {', '.join(missing)}"
            yield CheckResult(area=area, state=WRONG, says=says, fix=fix)
            continue
        try:
            done = _run_hook(context, "--client", client)
        except (OSError, subprocess.TimeoutExpired) as error:
            yield CheckResult(area=area, state=WRONG, says=f"a hook cannot run: {error}", fix=fix)
            continue
        output = " ".join((done.stderr or done.stdout).split())[-200:]
        if done.returncode or output:
            yield CheckResult(area=area, state=WRONG, says=f"a hook failed: {output}", fix=fix)
        else:
            says = f"installed in {pluralize(len(files), 'file')}, and a hook answered"
            yield CheckResult(area=area, state=OK, says=says)


def _mentions_us(path: str) -> bool:
    try:
        with open(path, encoding="utf-8") as file:
            return "aforesaid" in file.read().lower()
    except (OSError, UnicodeDecodeError):
        return False


def _check_hook(context: CheckContext) -> Iterator[CheckResult]:
    started = time.monotonic()
    try:
        done = _run_hook(context)
    except (OSError, subprocess.TimeoutExpired) as error:
        says = f"cannot run the launcher: {error}"
        yield CheckResult(area="hooks", state=WRONG, says=says, fix="aforesaid setup --rebuild")
        return
    elapsed_ms = (time.monotonic() - started) * 1000
    if done.returncode or done.stdout or done.stderr:
        output = " ".join((done.stderr or done.stdout).split())[-200:]
        says = f"a hook failed with exit code {done.returncode}: {output}"
        yield CheckResult(area="hooks", state=WRONG, says=says, fix="aforesaid setup --rebuild")
    elif not context.settings["hooks.enabled"]:
        yield CheckResult(area="hooks", state=NOTE, says="switched off by hooks.enabled")
    else:
        yield CheckResult(area="hooks", state=OK, says=f"a hook answered in {elapsed_ms:.0f} ms")


def _check_server(context: CheckContext) -> Iterator[CheckResult]:
    started = time.monotonic()
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                   "clientInfo": {"name": "doctor", "version": "1"}},
    }  # fmt: skip
    lists = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    call = {
        "jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": {"name": "memory_inspect", "arguments": {}},  # refused: id is missing
    }  # fmt: skip
    try:
        answers = _exchange(context, [hello, _STARTED, lists], call)
        tools = [tool["name"] for tool in answers[2]["result"]["tools"]]
        refused = answers[3]["result"]["content"][0]["text"]
    except (OSError, subprocess.TimeoutExpired, KeyError, TypeError) as error:
        says = f"the server did not list its tools ({type(error).__name__})"
        yield CheckResult(area="server", state=WRONG, says=says, fix="aforesaid setup --rebuild")
        return
    elapsed_ms = (time.monotonic() - started) * 1000
    if "needs id" not in refused:
        says = f"the server did not handle a call as expected: {refused}"
        yield CheckResult(area="server", state=WRONG, says=says)
        return
    says = f"it started, listed {len(tools)} tools and answered a call in {elapsed_ms:.0f} ms"
    yield CheckResult(area="server", state=OK, says=says)


def _exchange(
    context: CheckContext, first: list[dict[str, Any]], last: dict[str, Any]
) -> dict[Any, dict[str, Any]]:
    """Start a server, send requests, wait for the answer to the last; return answers by id.

    Raises:
        subprocess.TimeoutExpired: It took too long.
        OSError: It cannot be started.
    """
    with subprocess.Popen(
        [*_launcher(), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, env=_switched_on(context),
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        watchdog = threading.Timer(TIMEOUT_SECONDS, server.kill)
        watchdog.start()
        answers: dict[Any, dict[str, Any]] = {}
        try:
            server.stdin.write("".join(json.dumps(item) + "\n" for item in [*first, last]))
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


def _check_plugin(context: CheckContext) -> Iterator[CheckResult]:
    """Read the client's own files to see whether the plugin is installed and enabled."""
    folder = client_plugin.client_folder(context.environment)
    if not os.path.isdir(folder):
        says = f"Claude Code has not been used here ({folder} does not exist)"
        yield CheckResult(area="client", state=NOTE, says=says)
        return
    installed = client_plugin.list_installed(context.environment)
    settings = client_plugin.read_json_file(os.path.join(folder, "settings.json"))
    enabled = settings.get("enabledPlugins") or {}
    switched_off = [name for name in installed if enabled.get(name) is False]
    if settings.get("disableAllHooks"):
        yield CheckResult(
            area="client", state=WRONG, says="the client's settings disable all hooks",
            fix=f'remove "disableAllHooks" from {os.path.join(folder, "settings.json")}',
        )  # fmt: skip
    if switched_off:
        says = f"the plugin {switched_off[0]} is installed but disabled"
        fix = f"claude plugin enable {switched_off[0]}"
        yield CheckResult(area="client", state=NOTE, says=says, fix=fix)
    elif installed:
        yield CheckResult(area="client", state=OK, says=f"the plugin {installed[0]} is installed")
    else:
        says = "the plugin is not installed in Claude Code: sessions are not digested automatically"
        yield CheckResult(area="client", state=NOTE, says=says, fix=client_plugin.install_command())


def _read(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
