"""What each door does while there is no environment: notes, one line, set-up in the background.

The launcher's slow path starts this with any Python from 3.11. Nothing of ours but bootstrap can
be imported here. Next: environment.py builds, handshake_server.py serves meanwhile.
"""

from __future__ import annotations

import json
import os
import sys
import time

from aforesaid.bootstrap import paths
from aforesaid.bootstrap.processes import become, start_setup, start_sweep

NOTES_KEPT = 500
_PERSON = (
    "Aforesaid is setting up (about a minute, once): its tools answer when that is done, "
    "and this session will be remembered."
)
_MODEL = (
    "Aforesaid, the user's long-term memory, is being set up in the background (about a minute, "
    "once). Its tools are there; until then they answer that it is setting up: go on without, "
    "and try again later."
)


def main(arguments: list[str]) -> int:
    """Does what `--setting-up COMMAND…` asks for, as far as it goes without an environment."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever interrupts it needs no traceback
    command = arguments[1:]
    if command[:1] == ["hook"]:
        return _answer_hook(command[1] if command[1:] else "", paths.discard_broken())
    if command == ["serve"]:
        from aforesaid.bootstrap import handshake_server

        broken = paths.discard_broken()
        return handshake_server.main(command, problem=_named_words() if broken and _named() else "")
    if command[:1] == ["setup"] and {"-h", "--help"}.isdisjoint(command):
        return _set_up([part for word in command[1:] for part in word.split("=", 1)])
    return _set_up_and_go_on(command)


def _named() -> str:
    return os.environ.get("AFORESAID_ENV", "")


def _named_words() -> str:
    return (
        f"Aforesaid: AFORESAID_ENV names {_named()}, which has no Python that starts. "
        "To fix it: unset AFORESAID_ENV"
    )


def _answer_hook(event: str, broken: str) -> int:
    """Leaves a note for the sweep, tells the person once a session; never fails.

    Args:
        event: The hook's name.
        broken: The interpreter of the environment, if it is there no more or does not start.
    """
    try:
        _leave_note(event, sys.stdin.buffer.read().strip() or _last_words())
    except OSError as error:
        print(f"aforesaid: {error}", file=sys.stderr)
    try:
        if event == "session-start":
            print(json.dumps(_words(broken)))
            sys.stdout.flush()
            if not _named():
                start_setup()
    except OSError as error:
        print(f"aforesaid: {error}", file=sys.stderr)
    return 0


def _last_words() -> bytes:
    """Returns an event for a client that was gone before it wrote one: the session's id is left."""
    return json.dumps({"session_id": os.environ.get("CLAUDE_CODE_SESSION_ID", "")}).encode()


def _words(broken: str) -> dict[str, object]:
    if _named():
        return {"systemMessage": _named_words()}
    if error := paths.setup_error():
        return {"systemMessage": f"{error} It tries again now."}
    person = _PERSON
    if broken:
        door = os.path.join(paths.ROOT, "bin", "aforesaid")
        person = (
            f"Aforesaid's Python no longer starts ({broken}). A new environment is being built in "
            "the background (about a minute), and this session will be remembered. If that does "
            f'not help: "{door}" setup --rebuild'
        )
    return {
        "systemMessage": person,
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": _MODEL},
    }


def _leave_note(event: str, raw: bytes) -> None:
    """Keeps one raw event for the sweep: `notes/<ms>-<client pid>-<event>.json`, 0600."""
    folder = os.path.join(paths.state_folder(), "notes")
    paths.make_private_folder(paths.state_folder())
    paths.make_private_folder(folder)
    client = os.environ.get("CLAUDE_PID", "")
    pid = client if client.isdigit() else str(os.getppid())
    path = os.path.join(folder, f"{time.time_ns() // 1_000_000}-{pid}-{event}.json")
    paths.write_whole(path, raw.decode("utf-8", "replace"))
    kept = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    for name in kept[:-NOTES_KEPT]:
        paths.remove(os.path.join(folder, name))


def _set_up(options: list[str]) -> int:
    """Builds the environment, or says that it is there; the command line's `setup`."""
    from aforesaid.bootstrap import environment
    from aforesaid.bootstrap.installers import SetupError

    named = os.environ.get("AFORESAID_ENV")
    if named and not {"--with", "--rebuild"}.isdisjoint(options):
        print(f"AFORESAID_ENV names {named}: change it yourself, or unset that", file=sys.stderr)
        return 2
    if "--with" in options:
        place = options.index("--with")
        extra = "".join(options[place + 1 : place + 2])
        if not paths.extra_lock(extra):
            print(f"aforesaid setup --with: use {' or '.join(paths.EXTRAS)}", file=sys.stderr)
            return 2
        del options[place : place + 2]
        paths.want_extra(extra)
    as_json = "--json" in options
    if "--on-path" in options:
        return _put_on_path(as_json=as_json)
    unknown = set(options) - {"--rebuild", "--in-background", "--json"}
    if unknown:
        print(f"aforesaid setup: unknown option {min(unknown)}", file=sys.stderr)
        return 2
    quiet = "--in-background" in options
    try:
        python = environment.ensure(
            _say_nothing if quiet else _say, rebuild="--rebuild" in options, wait=not quiet
        )
    except SetupError as error:
        if not quiet:
            print(error, file=sys.stderr)
        return 1
    _digest_notes(python)
    folder = os.path.dirname(os.path.dirname(python))
    if as_json:
        _tell({"environment": folder})
    elif not quiet:
        print(f"environment: {folder}")
    return 0


def _digest_notes(python: str) -> None:
    """Has the sessions digested that ended while there was no environment."""
    try:
        left = os.listdir(os.path.join(paths.state_folder(), "notes"))
        if python and any(name.endswith(".json") for name in left):
            start_sweep(python)
    except OSError:
        return  # there are no notes; else the next session's start finds them


def _put_on_path(*, as_json: bool) -> int:
    from aforesaid.bootstrap.path_link import LinkError, put_on_path

    try:
        link, launcher, advice = put_on_path()
    except LinkError as error:
        print(f"aforesaid: {error}", file=sys.stderr)
        return 4
    if as_json:
        _tell({"link": link, "launcher": launcher, "notes": advice})
    else:
        print("\n".join((f"{link} -> {launcher}", *advice)))
    return 0


def _set_up_and_go_on(command: list[str]) -> int:
    """Builds the environment in sight of the person, then becomes the command they asked for."""
    from aforesaid.bootstrap import environment
    from aforesaid.bootstrap.installers import SetupError

    try:
        python = environment.ensure(_say)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    _digest_notes(python)
    return become([python, "-I", "-X", "utf8", paths.START, *command])


def _say(text: str) -> None:
    print(f"aforesaid: {text}", file=sys.stderr, flush=True)


def _tell(answer: dict[str, object]) -> None:
    print(json.dumps(answer, indent=2, ensure_ascii=False))


def _say_nothing(text: str) -> None:
    del text
