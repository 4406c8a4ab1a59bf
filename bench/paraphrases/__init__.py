"""Memories with questions and prompts in other words: what weights are learned from, too.

Here: reading pairs.jsonl as the values of the labelled sets, all of them development part. Nothing
is measured on it. How it was made: README.md.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from typing import Any, TypeVar

from bench.agent_memories import AgentMemory, AgentQuestion
from bench.prompts import LabelledPrompt

_Asked = TypeVar("_Asked", AgentQuestion, LabelledPrompt)

PAIRS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pairs.jsonl")

STORED_AT = "2026-06-01T09:00:00Z"
PAIR = "pair"
NEAR = "pair-near"  #: a question of the same subject that nothing answers
ONE_OF = 4  #: questions and prompts is learned from: more only take longer
_TYPES = {"event": "episodic", "procedure": "procedural"}  #: all else is semantic


def load_pairs() -> tuple[
    tuple[AgentMemory, ...], tuple[AgentQuestion, ...], tuple[LabelledPrompt, ...]
]:
    """Return the memories, the questions with and without an answer, and the prompts."""
    with open(PAIRS, encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines if line.strip()]
    memories = tuple(_memory(place, one) for place, one in enumerate(read))
    questions = tuple(
        AgentQuestion(
            id=f"{_id(place)}-{kind}-{at}",
            project=one["project"],
            text=text,
            gold=(_id(place),) if kind == "question" else (),
            category=PAIR if kind == "question" else NEAR,
            part="dev",
        )
        for place, one in enumerate(read)
        for kind, texts in (("question", one["questions"]), ("near", one["near"]))
        for at, text in enumerate(texts)
    )
    prompts = tuple(
        LabelledPrompt(
            id=f"{_id(place)}-prompt-{at}",
            project=one["project"],
            text=text,
            gold=(_id(place),),
            kind="para",
            part="dev",
        )
        for place, one in enumerate(read)
        for at, text in enumerate(one["prompts"])
    )
    return memories, questions, prompts


def sampled(asked: Iterable[_Asked]) -> tuple[_Asked, ...]:
    """Return the share of questions or prompts that is learned from, by their texts."""
    return tuple(
        one for one in asked if hashlib.sha256(one.text.encode()).digest()[0] % ONE_OF == 0
    )


def _memory(place: int, raw: dict[str, Any]) -> AgentMemory:
    return AgentMemory(
        id=_id(place),
        project=raw["project"],
        type=_TYPES.get(raw["type"], "semantic"),
        content=raw["memory"],
        tags=(),
        time=STORED_AT,
        supersedes=(),
        replaces_silently=(),
    )


def _id(place: int) -> str:
    return f"pair-{place:04}"
