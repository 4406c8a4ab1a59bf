"""Measure which prompts that put something right become memories, and which must not.

Run from the root of the repository: ``python -m bench.transcripts.corrections [--part dev]``.
Here: reading ``corrections.txt`` and judging. Not here: whole sessions (__main__.py). ``--show``
prints what was missed and wrong; it refuses the test part, whose misses nobody should look at.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from aforesaid.domain.digest import candidates_of, facts_of  # noqa: E402
from aforesaid.domain.model.transcript import AssistantTurn, Conversation, Prompt  # noqa: E402

_BEFORE = "please look at it"


@dataclass(frozen=True)
class Case:
    """One prompt after what the agent said; ``before`` is empty if it opens the session."""

    before: str
    prompt: str
    lasts: bool

    @property
    def part(self) -> str:
        """``dev`` or ``test``, by the hash of the prompt: nothing is moved by hand."""
        return "test" if hashlib.sha256(self.prompt.encode()).digest()[0] % 2 else "dev"

    @property
    def kept(self) -> list[str]:
        """What becomes of it, as it would be stored."""
        turns = [Prompt(text=_BEFORE, at_ms=1), AssistantTurn(text=self.before, at_ms=2)]
        conversation = Conversation(
            session_id="s", cwd="", branch="", version="", title="", subagent="", started_ms=1,
            ended_ms=4, turns=(*(turns if self.before else ()), Prompt(text=self.prompt, at_ms=3)),
            recalled=(), skipped={}, bytes_read=0,
        )  # fmt: skip
        return [one.content for one in candidates_of(facts_of(conversation))]


def read_cases(path: str = os.path.join(HERE, "corrections.txt")) -> list[Case]:
    """Return all cases, as they stand in the file."""
    cases: list[Case] = []
    before = ""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            mark, text = line[:1], line[1:].strip()
            if mark == "<":
                before = text
            elif mark in {"+", "-"}:
                cases.append(Case(before, text, mark == "+"))
    return cases


def report(part: str, cases: list[Case], *, show: bool) -> None:
    """Print the figures of one part."""
    kept = [case for case in cases if case.kept]
    lasting = [case for case in cases if case.lasts]
    right = [case for case in kept if case.lasts]
    print(f"{part}: {len(lasting)} prompts that last, {len(cases) - len(lasting)} that do not")
    print(f"  taken   {len(right) / len(lasting):.3f} ({len(right)} of {len(lasting)})")
    print(f"  right   {len(right) / max(1, len(kept)):.3f} ({len(right)} of {len(kept)})")
    for case in cases if show else ():
        if case.lasts != bool(case.kept):
            print(f"  {'missed' if case.lasts else 'wrong'}: {case.prompt}  {case.kept or ''}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=("dev", "test"))
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    if given.show and given.part != "dev":
        parser.error("--show is for --part dev: the test part stays unseen")
    cases = read_cases()
    for part in ("dev", "test"):
        if given.part in {None, part}:
            report(part, [case for case in cases if case.part == part], show=given.show)
    return 0


if __name__ == "__main__":
    sys.exit(main())
