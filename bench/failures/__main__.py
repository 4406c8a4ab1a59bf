"""Measure which failed commands of sessions are kept, and found again by their errors.

Run from the root of the repository: ``python -m bench.failures``, or with other files. Each has the
sessions of one author, one JSON object per line: ``calls`` (``command``, ``output``, ``failed``; or
``edit``), ``planted`` (``error``, ``fix``: words of both; ``fix`` is null if nothing helped) and
``again`` (``of``, the index of a planted failure, and the ``output`` of its next occurrence).
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import sys
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from aforesaid.domain.digest.error_signature import (  # noqa: E402
    MIN_LIKENESS,
    error_signatures,
    likeness_of_errors,
)
from aforesaid.domain.digest.failed_attempt import Failure  # noqa: E402
from aforesaid.domain.digest.failures import find_candidates, find_failures  # noqa: E402, F401
from aforesaid.domain.model.transcript import (  # noqa: E402
    EDIT,
    FAILED,
    OK,
    RUN,
    ToolUse,
    relevant_lines,
)

FOLDER = "/srv"
_MIN_WORDS = 0.6  #: of a planted error or fix that a text must have to be about it


def read_uses(session: dict[str, Any]) -> list[ToolUse]:
    """Return the tool calls of a session as a transcript's reader returns them."""
    uses = []
    for number, call in enumerate(session["calls"], start=1):
        if "edit" in call:
            path = os.path.join(FOLDER, call["edit"])
            uses.append(ToolUse(kind=EDIT, name="Edit", at_ms=number, path=path, status=OK))
            continue
        output, _ = relevant_lines(str(call.get("output", "")))
        status = FAILED if call.get("failed") else OK
        command = call["command"]
        uses.append(
            ToolUse(
                kind=RUN, name="Bash", at_ms=number, command=command, result=output, status=status
            )
        )
    return uses


def is_about(text: str, words: str) -> bool:
    """Tell whether a text has most of these words."""
    wanted = set(words.lower().split())
    return sum(word in text.lower() for word in wanted) >= _MIN_WORDS * len(wanted)


def match_planted(
    planted: list[dict[str, Any]], failures: list[Failure]
) -> tuple[dict[int, Failure], set[str]]:
    """Return the failures that were planted and their fix, and the signatures of planted ones."""
    matches: dict[int, Failure] = {}
    signatures = set()
    for index, one in enumerate(planted):
        for failure in failures:
            told = f"{failure.command} {failure.error}"
            if failure.is_fixed == (one["fix"] is not None) and is_about(told, one["error"]):
                signatures.add(failure.signature)
                if one["fix"] is None or is_about(failure.text, one["fix"]):
                    matches[index] = failure
    return matches, signatures


def measure(sessions: list[dict[str, Any]], *, verbose: bool = False) -> dict[str, list[bool]]:
    """Return what was found of planted failures, which kept ones were right, which came again."""
    counts: dict[str, list[bool]] = {"found": [], "right": [], "again": []}

    def count(name: str, is_hit: bool, miss: str) -> None:
        counts[name].append(is_hit)
        if verbose and not is_hit:
            print(f"  not {name}: {miss}")

    for session in sessions:
        failures = find_failures(read_uses(session), FOLDER)
        matches, signatures = match_planted(session["planted"], failures)
        for index, one in enumerate(session["planted"]):
            count("found", index in matches, f"{one['error']} | {one['fix']}")
        for failure in failures:
            count("right", failure.signature in signatures, failure.text)
        for next_time in session.get("again", ()):
            output, _ = relevant_lines(next_time["output"])
            match = matches.get(next_time["of"])
            known = set() if match is None else {match.signature, *match.signatures}
            is_same = likeness_of_errors(known, error_signatures(output)) >= MIN_LIKENESS
            count("again", is_same, f"{match and match.signature} | {error_signatures(output)}")
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.failures", description=__doc__)
    own = sorted(glob.glob(os.path.join(HERE, "texts", "*.jsonl")))
    parser.add_argument("files", nargs="*", default=own, help="sessions of one author each")
    parser.add_argument("--verbose", action="store_true", help="print each miss")
    options = parser.parse_args()
    for path in options.files:
        with open(path, encoding="utf-8") as file:
            sessions = [json.loads(line) for line in file if line.strip()]
        figures = ", ".join(
            f"{name} {sum(hits) / max(1, len(hits)):.2f} ({sum(hits)} of {len(hits)})"
            for name, hits in measure(sessions, verbose=options.verbose).items()
        )
        print(f"{os.path.basename(path)}: {len(sessions)} sessions, {figures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
