"""What hooks, server and commands do while there is no environment yet.

Hooks leave notes and start set-up in the background, the handshake server answers the client, and
commands build the environment in the foreground. The launcher starts this with any Python 3.11 or
later, so it can import the bootstrap package only.
"""

from __future__ import annotations

import json
import os
import sys
import time

from aforesaid.bootstrap import paths
from aforesaid.bootstrap.processes import become, start_setup, start_sweep

MAX_NOTES = 500
_USER_MESSAGE = (
    "Aforesaid is setting up (about a minute, once). Its tools will work when it has finished, "
    "and this session will be remembered."
)
_MODEL_MESSAGE = (
    "Aforesaid, the user's long-term memory, is being set up in the background (about a minute, "
    "once). Until then its tools only answer that it is setting up: continue without them and try "
    "again later."
)


def main(arguments: list[str]) -> int:
    """Run `--setting-up COMMAND…`; return the exit code."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback on Ctrl-C
    command = arguments[1:]
    if command[:1] == ["hook"]:
        return _answer_hook(command[1] if command[1:] else "", paths.discard_broken())
    if command == ["serve"]:
        from aforesaid.bootstrap import handshake_server

        broken = paths.discard_broken()
        problem = _chosen_environment_error() if broken and _chosen_environment() else ""
        return handshake_server.main(command, problem=problem)
    if command[:1] == ["setup"] and {"-h", "--help"}.isdisjoint(command):
        return _set_up([part for word in command[1:] for part in word.split("=", 1)])
    return _set_up_and_run(command)


def _chosen_environment() -> str:
    return os.environ.get("AFORESAID_ENV", "")


def _chosen_environment_error() -> str:
    return (
        f"Aforesaid: AFORESAID_ENV is {_chosen_environment()}, which has no working Python. "
        "To fix it: unset AFORESAID_ENV"
    )


def _answer_hook(event: str, broken: str) -> int:
    """Leave a note for the sweep, and tell the user at a session's start; never fail.

    Args:
        event: the hook's name.
        broken: the environment's interpreter, if it is missing or does not start.
    """
    try:
        _leave_note(event, sys.stdin.buffer.read().strip() or _minimal_event())
    except OSError as error:
        _report(str(error))
    try:
        if event == "session-start":
            print(json.dumps(_session_start_answer(broken)))
            sys.stdout.flush()
            if not _chosen_environment():
                start_setup()
    except OSError as error:
        _report(str(error))
    return 0


def _minimal_event() -> bytes:
    """Return an event with the session's id only, for a client that exited before writing one."""
    return json.dumps({"session_id": os.environ.get("CLAUDE_CODE_SESSION_ID", "")}).encode()


def _session_start_answer(broken: str) -> dict[str, object]:
    if _chosen_environment():
        return {"systemMessage": _chosen_environment_error()}
    if error := paths.setup_error():
        return {"systemMessage": f"{error} Trying again now."}
    message = _USER_MESSAGE
    if broken:
        launcher = os.path.join(paths.ROOT, "bin", "aforesaid")
        message = (
            f"Aforesaid's Python no longer starts ({broken}). A new environment is being built in "
            "the background (about a minute), and this session will be remembered. If that does "
            f'not help: "{launcher}" setup --rebuild'
        )
    return {
        "systemMessage": message,
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": _MODEL_MESSAGE,
        },
    }


def _leave_note(event: str, raw: bytes) -> None:
    """Store a raw event for the sweep in `notes/<ms>-<client pid>-<event>.json`."""
    folder = os.path.join(paths.state_folder(), "notes")
    paths.make_private_folder(paths.state_folder())
    paths.make_private_folder(folder)
    client_pid = os.environ.get("CLAUDE_PID", "")
    pid = client_pid if client_pid.isdigit() else str(os.getppid())
    path = os.path.join(folder, f"{time.time_ns() // 1_000_000}-{pid}-{event}.json")
    paths.write_whole(path, raw.decode("utf-8", "replace"))
    notes = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    for name in notes[:-MAX_NOTES]:
        paths.remove(os.path.join(folder, name))


def _set_up(options: list[str]) -> int:
    """Run `aforesaid setup`."""
    from aforesaid.bootstrap import environment
    from aforesaid.bootstrap.installers import SetupError

    if _chosen_environment() and not {"--with", "--rebuild"}.isdisjoint(options):
        _report(
            f"setup does not change {_chosen_environment()}, the environment in AFORESAID_ENV: "
            "unset that variable, or change it yourself"
        )
        return 2
    if "--with" in options:
        index = options.index("--with")
        extra = "".join(options[index + 1 : index + 2])
        if not paths.extra_lock(extra):
            _report(f"setup --with: unknown extra; use {' or '.join(paths.EXTRAS)}")
            return 2
        del options[index : index + 2]
        paths.request_extra(extra)
    as_json = "--json" in options
    if "--on-path" in options:
        return _put_on_path(as_json=as_json)
    unknown = set(options) - {"--rebuild", "--in-background", "--json"}
    if unknown:
        _report(f"setup: unknown option {min(unknown)}")
        return 2
    quiet = "--in-background" in options
    report = (lambda _text: None) if quiet else _report
    try:
        python = environment.ensure(report, rebuild="--rebuild" in options, wait=not quiet)
    except SetupError as error:
        if not quiet:
            print(error, file=sys.stderr)
        return 1
    _digest_notes(python)
    folder = os.path.dirname(os.path.dirname(python))
    if as_json:
        _print_json({"environment": folder})
    elif not quiet:
        print(f"environment: {folder}")
    return 0


def _digest_notes(python: str) -> None:
    """Start the sweep if hooks left notes while there was no environment."""
    try:
        names = os.listdir(os.path.join(paths.state_folder(), "notes"))
        if python and any(name.endswith(".json") for name in names):
            start_sweep(python)
    except OSError:
        return  # no notes; otherwise the next session's start digests them


def _put_on_path(*, as_json: bool) -> int:
    from aforesaid.bootstrap.path_link import LinkError, put_on_path

    try:
        link, launcher, advice = put_on_path()
    except LinkError as error:
        _report(str(error))
        return 4
    if as_json:
        _print_json({"link": link, "launcher": launcher, "notes": advice})
    else:
        print("\n".join((f"{link} -> {launcher}", *advice)))
    return 0


def _set_up_and_run(command: list[str]) -> int:
    """Build the environment in the foreground, then replace this process with the command."""
    from aforesaid.bootstrap import environment
    from aforesaid.bootstrap.installers import SetupError

    try:
        python = environment.ensure(_report)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    _digest_notes(python)
    return become([python, "-I", "-X", "utf8", paths.START, *command])


def _report(text: str) -> None:
    print(f"aforesaid: {text}", file=sys.stderr, flush=True)


def _print_json(answer: dict[str, object]) -> None:
    print(json.dumps(answer, indent=2, ensure_ascii=False))
