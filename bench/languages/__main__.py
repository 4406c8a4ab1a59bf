"""How well each language finds its answer, with the shipped model and the multilingual one.

Run from the root of the repository: ``python -m bench.languages``. Without ``--model`` it measures
both; ``multilingual`` must have been installed (``aforesaid model use multilingual``). Nothing was
tuned on these texts.
"""

from __future__ import annotations

import argparse
import array
import csv
import os
import sys
from collections import defaultdict
from typing import TYPE_CHECKING

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.stores import make_place, open_core, private_places, store_all  # noqa: E402
from bench.vectors import CachedEmbedder  # noqa: E402

from aforesaid.config import load_settings  # noqa: E402
from aforesaid.domain.model.statement import Statement  # noqa: E402
from aforesaid.services.maintenance.reembed import ModelChanger  # noqa: E402
from aforesaid.services.recall.query import RecallQuery  # noqa: E402
from aforesaid.wiring.embedder_loader import open_source, read_source  # noqa: E402

if TYPE_CHECKING:
    from aforesaid.ports import Embedder

LANGUAGES = ("en", "de", "fr", "es", "ru", "zh", "ja")
SETTINGS = {
    "default settings": RecallQuery(),
    "without a relevance floor": RecallQuery(min_relevance=0.0),
}
FIRST = 3
Question = tuple[str, str, str]  #: group, text, memory that answers


def read_english() -> tuple[list[str], list[Question]]:
    """Return English memories, and questions on them in each language."""
    rows = _rows("english.tsv")
    questions = [
        (language, text, memory)
        for memory, *texts in rows
        for language, text in zip(LANGUAGES, texts, strict=True)
    ]
    return [row[0] for row in rows], questions


def read_foreign() -> tuple[list[str], list[Question]]:
    """Return memories in the other languages, and an English question on each."""
    rows = _rows("foreign.tsv")
    questions = [(f"en on {language}", text, memory) for language, memory, text in rows]
    return [row[1] for row in rows], questions


def rank(
    memories: list[str], questions: list[Question], embedder: Embedder, source: str, folder: str
) -> dict[tuple[str, str], list[int | None]]:
    """Return the place of each answer (0: first; None: not found), by way of asking and group."""
    core = open_core(os.path.join(folder, f"{len(os.listdir(folder))}.db"), embedder)
    ModelChanger(core.store).start_reembedding(embedder, source)
    here = make_place(core, "here")
    store_all(core, here, [Statement(content=memory) for memory in memories])
    vectors = [array.array("f", embedder.embed_document(memory)[0]) for memory in memories]
    places: dict[tuple[str, str], list[int | None]] = defaultdict(list)
    for group, text, answer in questions:
        for name, query in SETTINGS.items():
            results = core.recall.recall(query.replace(query=text), here.visible).results
            found = [result.memory.content for result in results]
            places[name, group].append(found.index(answer) if answer in found else None)
        asked = array.array("f", embedder.embed_query(text))
        cosines = [sum(x * y for x, y in zip(asked, one, strict=True)) for one in vectors]
        nearest = sum(cosine > cosines[memories.index(answer)] for cosine in cosines)
        places["vectors alone", group].append(nearest)
    core.close()
    return places


def main() -> int:
    """Print R@1 and R@3 of each group."""
    parser = argparse.ArgumentParser(prog="python -m bench.languages", description=__doc__)
    parser.add_argument("--model", action="append", help="a model's name or folder")
    options = parser.parse_args()
    settings = load_settings(os.environ)
    for model in options.model or ("shipped", "multilingual"):
        source = read_source(model, settings)
        embedder = CachedEmbedder(open_source(source, settings, os.environ))
        with private_places() as folder:
            places = {}
            for memories, questions in (read_english(), read_foreign()):
                places |= rank(memories, questions, embedder, source, folder)
        print(f"{embedder.model}")
        for (name, group), ranks in places.items():
            first, three = (
                sum(place is not None and place < count for place in ranks) / len(ranks)
                for count in (1, FIRST)
            )
            print(f"{name:26} {group:9} R@1 {first:.3f}  R@3 {three:.3f}  ({len(ranks)})")
    return 0


def _rows(name: str) -> list[list[str]]:
    with open(os.path.join(HERE, name), encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


if __name__ == "__main__":
    sys.exit(main())
