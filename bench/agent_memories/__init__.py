"""Our own labelled set: memories of a coding agent, and questions with what answers them.

Here: reading the two files as typed values, and the rules they keep (README.md). How the filler
was made stands in filler.py; a lexical review of the labels in review.py.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import Any, Literal

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORIES = os.path.join(HERE, "memories.jsonl")
QUESTIONS = os.path.join(HERE, "questions.jsonl")
CUES = os.path.join(HERE, "cues.jsonl")

#: the moment at which every question is asked; all memories are older
ASKED_AT = "2026-07-01T09:00:00Z"
#: categories whose questions nothing in the store answers
UNANSWERABLE = ("none-near", "none-other-project", "none-unrelated", "none-nonsense")

Part = Literal["dev", "test"]


@dataclass(frozen=True)
class AgentMemory:
    """One stored memory, and what it replaces."""

    id: str
    project: str | None  #: None: global, visible from every project
    type: str  #: episodic, semantic, procedural or entity
    content: str
    tags: tuple[str, ...]
    time: str  #: when it was stored, ISO 8601, UTC
    supersedes: tuple[str, ...]  #: ids; to be told to the store
    replaces_silently: tuple[str, ...]  #: ids; a label only: the store has to find out by itself


@dataclass(frozen=True)
class AgentQuestion:
    """One question asked from a project, and the ids of all memories that answer it."""

    id: str
    project: str | None  #: None: asked where no project is known
    text: str
    gold: tuple[str, ...]  #: empty: nothing in the store answers
    category: str
    part: Part


def load() -> tuple[tuple[AgentMemory, ...], tuple[AgentQuestion, ...]]:
    """Return the memories in order of time, and the questions in order of their ids."""
    memories = tuple(_memory(line) for line in _lines(MEMORIES))
    return memories, tuple(_question(line) for line in _lines(QUESTIONS))


def load_cues() -> dict[str, list[str]]:
    """Return the cues of memories that an agent would have stored, by id."""
    return {line["id"]: line["cues"] for line in _lines(CUES)}


def part_of(question_id: str) -> Part:
    """Return the part a question belongs to: by the first byte of SHA-256 of its id."""
    return "test" if hashlib.sha256(question_id.encode()).digest()[0] % 2 else "dev"


def out_of_force(memories: tuple[AgentMemory, ...]) -> frozenset[str]:
    """Return the ids of memories that a newer one has replaced, said or unsaid."""
    return frozenset(
        old for memory in memories for old in memory.supersedes + memory.replaces_silently
    )


def _lines(path: str) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _memory(raw: dict[str, Any]) -> AgentMemory:
    return AgentMemory(
        id=raw["id"],
        project=raw["project"],
        type=raw["type"],
        content=raw["content"],
        tags=tuple(raw.get("tags", ())),
        time=raw["time"],
        supersedes=tuple(raw.get("supersedes", ())),
        replaces_silently=tuple(raw.get("replaces_silently", ())),
    )


def _question(raw: dict[str, Any]) -> AgentQuestion:
    return AgentQuestion(
        id=raw["id"],
        project=raw["project"],
        text=raw["text"],
        gold=tuple(raw["gold"]),
        category=raw["category"],
        part=raw["part"],
    )
