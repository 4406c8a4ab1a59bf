"""What a digest and its candidates keep of what was planted, and what they should not have kept.

Here: judging. Not here: how transcripts are made (client_lines.py), printing (__main__.py).
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field

from bench.transcripts.client_lines import lines_of, written
from bench.transcripts.scripts import Planted, Script

from aforesaid.adapters.transcripts import read_conversation
from aforesaid.domain.digest import candidates_of, facts_of, write_digest

#: Kinds that tell the same sort of thing: what holds, was learned, was done, is left.
FAMILIES = {
    "decision": "holds", "correction": "holds", "preference": "holds", "rule": "holds",
    "fact": "holds", "candidate": "holds", "found": "learned", "finding": "learned",
    "error": "learned", "done": "done", "command": "done", "commit": "done", "open": "open",
}  # fmt: skip
#: Planted kinds that should outlive the session as memories of their own.
DURABLE = frozenset({"rule", "preference", "fact", "correction"})


@dataclass
class Kept:
    """One thing that was kept."""

    kind: str
    text: str
    scope: str = ""


@dataclass
class Score:
    """What one session came to."""

    script: Script
    text: str = ""
    tokens: int = 0
    kept: list[Kept] = field(default_factory=list)
    missed: list[Planted] = field(default_factory=list)
    wrong: list[Kept] = field(default_factory=list)
    candidates: list[Kept] = field(default_factory=list)
    missed_candidates: list[Planted] = field(default_factory=list)
    wrong_candidates: list[Kept] = field(default_factory=list)
    wrong_scopes: list[Kept] = field(default_factory=list)
    noisy: list[Planted] = field(default_factory=list)


def score(script: Script) -> Score:
    """Return what is kept of a session, and what is right about it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "session.jsonl")
        with open(path, "wb") as file:
            file.write(written(lines_of(script)))
        conversation = read_conversation(path)
    facts = facts_of(conversation)
    digest = write_digest(facts)
    found = Score(script)
    if digest is not None:
        found.text = digest.text
        found.tokens = -(-len(digest.text) // 4)
        # What stands only under "Asked" is the prompt itself: that is no fact found.
        told = digest.text.replace("…", "")
        found.kept = [
            Kept(item.kind, item.text)
            for item in digest.items
            if item.kind not in {"title", "file", "asked"} and item.text[:60] in told
        ]
    found.candidates = [Kept("candidate", one.text, one.scope) for one in candidates_of(facts)]
    _judge(found)
    return found


def _judge(found: Score) -> None:
    script = found.script
    told = [one.text for one in [*found.kept, *found.candidates]]
    found.missed = [one for one in script.planted if not any(map(one.in_text, told))]
    found.noisy = [one for one in script.noise if any(map(one.in_text, [found.text, *told]))]
    found.wrong = [one for one in found.kept if not _is_right(one, script)]
    for one in found.candidates:
        about = [fact for fact in script.planted if fact.in_text(one.text)]
        once = any(fact.in_text(one.text) for fact in script.once)
        if once or not _is_right(one, script):
            found.wrong_candidates.append(one)
        elif any(fact.scope for fact in about) and all(
            fact.scope not in {"", one.scope} for fact in about if fact.kind in DURABLE
        ):
            found.wrong_scopes.append(one)
    told = [one.text for one in found.candidates]
    found.missed_candidates = [
        one for one in script.planted if one.kind in DURABLE and not any(map(one.in_text, told))
    ]


def _is_right(kept: Kept, script: Script) -> bool:
    """Tell whether what was kept is planted or true, and told as what it is."""
    if any(one.in_text(kept.text) for one in script.noise):
        return False
    if kept.kind in {"done", "command", "commit"}:
        return True  # the agent's own report, and what was run: true unless it is noise
    family = FAMILIES[kept.kind]
    near = {family, "done"} if family == "learned" else {family}
    return any(
        FAMILIES.get(one.kind) in near and one.in_text(kept.text)
        for one in [*script.planted, *script.true]
    )
