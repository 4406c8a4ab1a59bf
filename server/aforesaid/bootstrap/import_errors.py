"""Explains a failed import: a package is missing, or an update replaced the running code.

A package may have been removed from the environment, or a file lost by the disk. Or the plugin was
updated during a session, and its code was removed or changed in place.
"""

from __future__ import annotations

import json
import os
import sys

from aforesaid.bootstrap import paths


def report(error: ImportError, arguments: list[str]) -> int:
    """Print what is missing and how to repair it; return the exit code, 0 for a hook."""
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
    """Return a message: what is missing, where, and how to repair it."""
    if code_was_replaced():
        return (
            "Aforesaid was updated while it was running, and its old code was removed: restart the "
            "session, or the server started with --http. This call was not executed."
        )
    environment = os.path.dirname(os.path.dirname(sys.executable))
    launcher = os.path.join(paths.ROOT, "bin", "aforesaid")
    return (
        f"Aforesaid cannot run: {type(error).__name__}: {error} (environment {environment}). "
        f'To fix it: "{launcher}" setup --rebuild'
    )


def code_was_replaced() -> bool:
    """Return whether this package was removed, or replaced by another version, since the start."""
    if not os.path.exists(__file__):
        return True
    running = sys.modules.get("aforesaid.version")
    try:
        with open(os.path.join(paths.PACKAGE, "version.py"), encoding="utf-8") as file:
            return running is not None and f'"{running.__version__}"' not in file.read()
    except OSError:
        return running is not None
