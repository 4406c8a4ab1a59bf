"""Memories, questions and prompts by authors whom the embedding model was not trained on.

Weights of the ranking, of relevance and of recall at the prompt are fitted on ``FITTED``; all other
authors only measure. Here: reading the files as the values of the labelled sets.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from bench.agent_memories import AgentMemory, AgentQuestion
from bench.prompts import LabelledPrompt

HERE = os.path.dirname(os.path.abspath(__file__))
PAIRS, SILENCE = (os.path.join(HERE, name) for name in ("pairs", "silence"))

FITTED = ("a12", "a13", "a14")  #: weights are fitted on these authors
STORED_AT = "2026-06-01T09:00:00Z"
GLOBAL = "global"  #: the project name of memories that hold in every project
MAX_FOREIGN = 150  #: questions and prompts of the next author that are asked of each store
_TYPES = {"event": "episodic", "procedure": "procedural"}  #: all else is semantic


@dataclass(frozen=True)
class Author:
    """The texts of one author."""

    name: str
    memories: tuple[AgentMemory, ...]
    questions: tuple[AgentQuestion, ...]  #: categories "pair" (answerable) and "near"
    prompts: tuple[LabelledPrompt, ...]  #: kinds "para" (related), "none" and "nonsense"


def author_names(folder: str = PAIRS) -> list[str]:
    """Return the names of all authors, in order."""
    return sorted(name.removesuffix(".jsonl") for name in os.listdir(folder))


def load_author(name: str) -> Author:
    """Return an author's texts; prompts that call for nothing are typed in each project in turn."""
    pairs = _lines(os.path.join(PAIRS, f"{name}.jsonl"))
    projects = sorted({one["project"] for one in pairs} - {GLOBAL})
    memories, questions, prompts = [], [], []
    for number, one in enumerate(pairs):
        key = f"{name}-{number:04}"
        project = None if one["project"] == GLOBAL else one["project"]
        asked_in = project or projects[number % len(projects)]
        memories.append(
            AgentMemory(
                id=key,
                project=project,
                type=_TYPES.get(one["type"], "semantic"),
                content=one["memory"],
                tags=(),
                time=STORED_AT,
                supersedes=(),
                replaces_silently=(),
            )
        )
        for category, texts in (("pair", one["questions"]), ("near", one["near"])):
            gold = (key,) if category == "pair" else ()
            questions += [
                AgentQuestion(f"{key}-{category}-{at}", asked_in, text, gold, category, "dev")
                for at, text in enumerate(texts)
            ]
        prompts += [
            LabelledPrompt(f"{key}-prompt-{at}", asked_in, text, (key,), "para", "dev")
            for at, text in enumerate(one["prompts"])
        ]
    for number, one in enumerate(_lines(os.path.join(SILENCE, f"{name}.jsonl"))):
        kind = "nonsense" if one["kind"] == "nonsense" else "none"
        project = projects[number % len(projects)]
        prompts.append(
            LabelledPrompt(f"{name}-silence-{number}", project, one["text"], (), kind, "dev")
        )
    return Author(name, tuple(memories), tuple(questions), tuple(prompts))


def foreign_questions(author: Author, other: Author) -> list[AgentQuestion]:
    """Return questions of another author, asked of this author's store, which has no answer."""
    asked = [one for one in other.questions if one.category == "pair"]
    step = max(len(asked) // MAX_FOREIGN, 1)
    projects = sorted({one.project for one in author.questions if one.project})
    return [
        AgentQuestion(one.id, projects[at % len(projects)], one.text, (), "foreign", "dev")
        for at, one in enumerate(asked[::step][:MAX_FOREIGN])
    ]


def foreign_prompts(author: Author, other: Author) -> list[LabelledPrompt]:
    """Return prompts of another author, typed in this author's projects: none is related."""
    typed = [one for one in other.prompts if one.gold]
    step = max(len(typed) // MAX_FOREIGN, 1)
    projects = sorted({one.project for one in author.questions if one.project})
    return [
        LabelledPrompt(one.id, projects[at % len(projects)], one.text, (), "none", "dev")
        for at, one in enumerate(typed[::step][:MAX_FOREIGN])
    ]


def _lines(path: str) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]
