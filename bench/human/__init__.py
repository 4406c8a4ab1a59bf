"""Questions and answers that people wrote: headings of free projects' documents, and their text."""

from __future__ import annotations

import json
import os

from bench.retrieval.data import Corpus, Item, Query

_HERE = os.path.dirname(os.path.abspath(__file__))
MEMORIES = os.path.join(_HERE, "memories.jsonl")
NOTICE = os.path.join(_HERE, "NOTICE")
QUESTIONS = os.path.join(_HERE, "questions.jsonl")
#: Memories and questions of other projects, on which weights may be fitted.
TUNE = tuple(os.path.join(_HERE, "tune", name) for name in ("memories.jsonl", "questions.jsonl"))
TUNE_NOTICE = os.path.join(_HERE, "tune", "NOTICE")


def load_corpora(memories: str = MEMORIES, questions: str = QUESTIONS) -> list[Corpus]:
    """Return one corpus for each source; a query's category is ``question`` or ``heading``."""
    told, asked = _read(memories), _read(questions)
    return [
        Corpus(
            name=source,
            items=tuple(
                Item(id=row["id"], text=row["text"], session=row["id"])
                for row in told
                if row["source"] == source
            ),
            queries=tuple(
                Query(
                    id=row["id"],
                    text=row["text"],
                    gold=frozenset(row["gold"]),
                    gold_sessions=frozenset(),
                    category=row["kind"],
                )
                for row in asked
                if row["source"] == source
            ),
        )
        for source in dict.fromkeys(row["source"] for row in told)
    ]


def _read(path: str) -> list[dict]:
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
