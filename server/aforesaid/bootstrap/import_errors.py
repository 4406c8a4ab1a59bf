"""Says that an environment lacks a package, or that an update replaced the code that runs.

The environment is ready and yet broken: someone removed a package, or a disk lost a file. Or the
plugin was updated while a session ran: its code was removed, or changed in place. What an
environment that is not there yet says: setup_pending.py.
"""

from __future__ import annotations

import json
import os
import sys

from aforesaid.bootstrap import paths


def report(error: ImportError, arguments: list[str]) -> int:
    """Says what is missing and how to get it back; returns the exit code, 0 for a hook."""
    problem = explain(error)
    if arguments[:1] == ["hook"]:
        if arguments[1:2] == ["session-start"]:
            print(json.dumps({"systemMessage": problem}))
        return 0
    if arguments[:1] == ["serve"]:
        from aforesaid.bootstrap import handshake_server

        return handshake_server.main(arguments, problem=problem)
    print(problem, file=sys.stderr)
    return 1


def explain(error: Exception) -> str:
    """Returns one line: what is missing, where, and what repairs it."""
    if code_was_replaced():
        return (
            "Aforesaid was updated while it ran, and its old code is gone: restart the session, or "
            "the server that was started with --http. This call was not done."
        )
    environment = os.path.dirname(os.path.dirname(sys.executable))
    door = os.path.join(paths.ROOT, "bin", "aforesaid")
    return (
        f"Aforesaid cannot run: {type(error).__name__}: {error} (environment {environment}). "
        f'To fix it: "{door}" setup --rebuild'
    )


def code_was_replaced() -> bool:
    """Returns whether the files of this package are gone, or of another version than what runs."""
    if not os.path.exists(__file__):
        return True
    running = sys.modules.get("aforesaid.version")
    try:
        with open(os.path.join(paths.PACKAGE, "version.py"), encoding="utf-8") as file:
            return running is not None and f'"{running.__version__}"' not in file.read()
    except OSError:
        return running is not None
