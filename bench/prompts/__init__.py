"""Prompts as developers type them, labelled with the memories that they call for.

Here: reading the file as typed values. The store that they are asked of is that of
bench/agent_memories. What the kinds mean: README.md.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Literal

PROMPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "prompts.jsonl")

RELATED = ("named", "worded", "para")
KINDS = (*RELATED, "loose", "none", "nonsense")

Part = Literal["dev", "test"]


@dataclass(frozen=True)
class LabelledPrompt:
    """One prompt typed in a project, and the ids of the memories that it calls for."""

    id: str
    project: str | None  #: None: typed where no project is known
    text: str
    gold: tuple[str, ...]  #: any of them answers; empty: nothing should be shown
    kind: str
    part: Part


def load_prompts(part: Part | None = None) -> tuple[LabelledPrompt, ...]:
    """Return the prompts of a part, or all, in order of their ids."""
    with open(PROMPTS, encoding="utf-8") as lines:
        raw = [json.loads(line) for line in lines if line.strip()]
    return tuple(
        LabelledPrompt(**{**one, "gold": tuple(one["gold"])})
        for one in raw
        if part in {None, one["part"]}
    )
