"""Says that an environment lacks a package that it should have, in the language of each door.

The environment is ready and yet broken: someone removed a package, or a disk lost a file. Only
start.py calls this. What an environment that is not there yet says: waiting.py.
"""

from __future__ import annotations

import json
import os
import sys

from aforesaid.bootstrap import places


def report(error: ImportError, arguments: list[str]) -> int:
    """Says what is missing and how to get it back; returns the exit code, 0 for a hook."""
    problem = explain(error)
    if arguments[:1] == ["hook"]:
        if arguments[1:2] == ["session-start"]:
            print(json.dumps({"systemMessage": problem}))
        return 0
    if arguments[:1] == ["serve"]:
        from aforesaid.bootstrap import front

        return front.main(arguments, problem=problem)
    print(problem, file=sys.stderr)
    return 1


def explain(error: ImportError) -> str:
    """Returns one line: what is missing, where, and the command that repairs it."""
    environment = os.path.dirname(os.path.dirname(sys.executable))
    door = os.path.join(places.ROOT, "bin", "aforesaid")
    return (
        f"Aforesaid cannot run: {type(error).__name__}: {error} (environment {environment}). "
        f'To fix it: "{door}" setup --rebuild'
    )
