"""Labelled questions put to the product, with and without a reader of its first results.

Here: our own set and sets of files, each in stores of the product's own, asked through its recall.
Questions of ``HELD_OUT`` folds are not trained on. Not here: what is told of a reader
(reranker.py), what one learns from (reranker_pairs.py), learning (train_reranker.py).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.agent_memories import ASKED_AT
from bench.agent_memories.dataset import Shelf, StoppedClock, milliseconds
from bench.models.folds import folds_of, folds_of_own
from bench.prompts import load_prompts
from bench.retrieval.__main__ import Library
from bench.retrieval.data import find_sets, read_set, set_name
from bench.retrieval.metrics import score_ranking
from bench.retrieval.search_arms import UNCUT
from bench.vectors import open_cached

from aforesaid.adapters.date_parser import Dates
from aforesaid.domain.model.memory import Visibility
from aforesaid.services.recall.recall import Recall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.ports import Embedder
    from aforesaid.ports.reranker import Reranker


HELD_OUT = (1, 3)  #: folds (projects, corpora) that no reader is trained on
OWN = "agent_memories"
TRAIN, HELD, TEST, NEW = "train", "held-out", "test", "test of new projects"


class Reader:
    """A place for a reader: the same recall asks with one, and without."""

    def __init__(self) -> None:
        self.now: Reranker | None = None

    def get(self) -> Reranker | None:
        """Return the reader in place; None for none."""
        return self.now


@dataclass(frozen=True)
class Labelled:
    """One question to a store that is open, and what answers."""

    set_name: str
    part: str  #: TRAIN, HELD, or of our own set's test questions TEST and NEW
    text: str
    gold: frozenset[str]  #: names of items, or of sessions where these answer
    recall: Recall
    reader: Reader
    visible: Visibility
    names_of: Callable[[int], Sequence[str]]  #: by a memory's key, as gold has them

    def ask(self, reader: Reranker | None) -> list[tuple[int, str]]:
        """Return keys and texts of what the product answers, best first."""
        self.reader.now = reader
        found = self.recall.recall(UNCUT.replace(query=self.text), self.visible).results
        return [(one.memory.key, one.memory.content) for one in found]

    def answers(self, key: int) -> bool:
        """Tell whether a memory answers."""
        return any(name in self.gold for name in self.names_of(key))

    def score(self, keys: Sequence[int]) -> dict[str, float]:
        """Return the measures of an order."""
        named = list(dict.fromkeys(name for key in keys for name in self.names_of(key)))
        early = any(name in self.gold for name in named[:3])
        return {"hit@3": float(early), **score_ranking(named, self.gold)}


def read_own(folder: str, embedder: Embedder, *, prompts: bool = False) -> Iterator[Labelled]:
    """Yield the answerable questions of our own set.

    Args:
        folder: where the store lies.
        embedder: makes the vectors.
        prompts: yield the prompts that call for a memory instead; development part only.
    """
    folds, reader = folds_of_own(), Reader()
    shelf = Shelf(folder, embedder)
    core, clock = shelf.core, StoppedClock(milliseconds(ASKED_AT))
    recall = Recall(core.store, clock, core.embedder.get, Dates(clock), reader.get)
    fold_of = {one.project: folds[one.text] for one in shelf.questions if one.part == "dev"}
    for one in load_prompts("dev") if prompts else shelf.questions:
        if not one.gold:
            continue
        new = fold_of[one.project] in HELD_OUT
        yield Labelled(
            set_name="prompts" if prompts else OWN,
            part=(NEW if new else TEST) if one.part == "test" else (HELD if new else TRAIN),
            text=one.text,
            gold=frozenset(one.gold),
            recall=recall,
            reader=reader,
            visible=shelf.visible(one),
            names_of=lambda key: shelf.ids_of.get(key, ()),
        )
    core.close()


def read_file(path: str, folder: str, embedder: Embedder) -> Iterator[Labelled]:
    """Yield the questions of a set, each corpus in a store of its own."""
    corpora = read_set(path)
    for corpus, folds in zip(corpora, folds_of(corpora), strict=True):
        library = Library(folder, corpus, embedder)
        core, reader = library.core, Reader()
        recall = Recall(core.store, core.clock, core.embedder.get, core.dates, reader.get)
        items, sessions = library.items_of, _sessions(library)
        for query in corpus.queries:
            gold = query.gold or query.gold_sessions
            if not gold:
                continue
            names = items if query.gold else sessions
            yield Labelled(
                set_name=set_name(path),
                part=HELD if folds[query.text] in HELD_OUT else TRAIN,
                text=query.text,
                gold=gold,
                recall=recall,
                reader=reader,
                visible=library.place.visible,
                names_of=lambda key, names=names: names.get(key, ()),
            )
        core.close()


def _sessions(library: Library) -> Mapping[int, list[str]]:
    return {key: library.sessions(items) for key, items in library.items_of.items()}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Let the command line say which questions are asked."""
    parser.add_argument("--data", nargs="*", default=[], help="files, or folders of files")
    parser.add_argument("--files-alone", action="store_true", help="leave out our own set")
    parser.add_argument("--all", action="store_true", help="trained on and held out alike")


def read_sets(
    folder: str, options: argparse.Namespace, *, prompts: tuple[bool, ...] = (False,)
) -> Iterator[Labelled]:
    """Yield the questions that are asked for; of our own set those, its prompts, or both."""
    embedder = open_cached()
    for kind in () if options.files_alone else prompts:
        place = os.path.join(folder, str(kind))
        os.mkdir(place)
        yield from read_own(place, embedder, prompts=kind)
    for path in find_sets(options.data):
        yield from read_file(path, folder, embedder)
