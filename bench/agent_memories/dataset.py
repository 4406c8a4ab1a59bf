"""The set in a store of the product's own, asked as sessions would ask it.

Here: storing the memories in order of time with what they supersede, and asking at ``ASKED_AT``.
Not here: scores (scores.py), what the command line shows (__main__.py).
"""

from __future__ import annotations

import contextlib
import datetime as dt
import os
from typing import TYPE_CHECKING

from bench.agent_memories import ASKED_AT, AgentMemory, AgentQuestion, load, load_cues
from bench.stores import make_place, open_core

from aforesaid.adapters.date_parser import Dates
from aforesaid.domain.model.memory import Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.services.recall.recall import Recall

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.ports import Embedder
    from aforesaid.services.recall.query import RecallQuery, RecallResult

_GLOBAL = "elsewhere"  #: the project that global memories are stored from


class StoppedClock:
    """A clock that always says the same."""

    def __init__(self, now: int) -> None:
        self._now = now

    def now(self) -> int:
        """Return milliseconds since the epoch, UTC."""
        return self._now


class _TakenBackError(Exception):
    """What was written is rolled back."""


class Shelf:
    """All memories of the set in one store on disk, and its questions."""

    def __init__(
        self,
        folder: str,
        embedder: Embedder,
        *,
        only: tuple[str, ...] | None = None,
        cues: bool = False,
        of: tuple[tuple[AgentMemory, ...], tuple[AgentQuestion, ...]] | None = None,
    ) -> None:
        """Store the set.

        Args:
            folder: where the store lies.
            embedder: makes the vectors.
            only: the memories to store, by id; None for all.
            cues: with the cues that who stores them gives.
            of: memories and questions of another set than this one.
        """
        memories, self.questions = of or load()
        self._cues = load_cues() if cues else {}
        self.core = open_core(os.path.join(folder, "memory.db"), embedder)
        self._places: dict[str, CallContext] = {}
        self.ids_of: dict[int, list[str]] = {}  #: by key of the memory they became
        self._keys: dict[str, int] = {}  #: the same, the other way round
        self._replaced = {one.id: one.supersedes + one.replaces_silently for one in memories}
        keys: dict[str, str] = {}
        for memory in memories:
            if only is None or memory.id in only:
                keys[memory.id] = self._store(memory, keys)
        clock = StoppedClock(milliseconds(ASKED_AT))
        store, embedder_of = self.core.store, self.core.embedder.get
        self.recall = Recall(store, clock, embedder_of, Dates(clock))
        self.words_recall = Recall(store, clock, lambda: None, Dates(clock))

    def _store(self, memory: AgentMemory, keys: dict[str, str]) -> str:
        statement = Statement(
            content=memory.content,
            type=memory.type,
            scope="global" if memory.project is None else "project",
            tags=memory.tags,
            supersedes=tuple(keys[one] for one in memory.supersedes if one in keys),
            created_at=milliseconds(memory.time),
            metadata={"cues": self._cues[memory.id]} if memory.id in self._cues else {},
        )
        stored = self.core.writer.store(statement, self.place(memory.project))
        assert stored is not None
        self.ids_of.setdefault(stored.memory.key, []).append(memory.id)
        self._keys[memory.id] = stored.memory.key
        return stored.memory.id

    def place(self, project: str | None) -> CallContext:
        """Return where a project's sessions are."""
        name = project or _GLOBAL
        if name not in self._places:
            self._places[name] = make_place(self.core, name)
        return self._places[name]

    def visible(self, question: AgentQuestion) -> Visibility:
        """Return what a question's asker sees."""
        if question.project is None:
            return Visibility.of_project(None)
        return self.place(question.project).visible

    def ask(
        self, question: AgentQuestion, asked: RecallQuery, *, words_only: bool = False
    ) -> RecallResult:
        """Return the product's answer, with ``asked`` as the tool would make it."""
        recall = self.words_recall if words_only else self.recall
        return recall.recall(asked.replace(query=question.text), self.visible(question))

    def ask_without_answer(
        self, question: AgentQuestion, asked: RecallQuery, *, words_only: bool = False
    ) -> RecallResult:
        """Return the product's answer as if what answers, and what it replaced, were forgotten."""
        gone = list(question.gold)
        for one in gone:
            gone += [old for old in self._replaced[one] if old not in gone]
        answers: list[RecallResult] = []
        with contextlib.suppress(_TakenBackError), self.core.store.transaction():
            for one in self._keys.keys() & set(gone):
                self.core.store.memories.change(
                    self._keys[one], forgotten_at=milliseconds(ASKED_AT)
                )
            answers.append(self.ask(question, asked, words_only=words_only))
            raise _TakenBackError
        return answers[0]

    def ids(self, keys: list[int]) -> list[str]:
        """Return the set's ids of memories, in their order."""
        return [one for key in keys for one in self.ids_of.get(key, ())]


def milliseconds(text: str) -> int:
    """Return a time of the set as milliseconds since the epoch."""
    return int(dt.datetime.fromisoformat(text).timestamp() * 1000)
