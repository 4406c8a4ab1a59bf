"""The usual cosines of the multilingual model.

Run from the root of the repository: ``python -m bench.languages.scale``. Prints MULTILINGUAL_LOW
and MULTILINGUAL_HIGH (domain/model/embedding_model.py), which two places on the scale determine.
Nine of ten statements that answer a probe's question in one of seven languages (probes.tsv) are
near enough to be candidates; and the highest of a thousand cosines of unrelated technical texts
(bench/paraphrases) is where the shipped model has it, so that a prompt is shown little that does
not concern it. No text of a test is among them.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from typing import TYPE_CHECKING

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.vectors import CachedEmbedder  # noqa: E402

from aforesaid.config import load_settings  # noqa: E402
from aforesaid.domain.model.embedding_model import (  # noqa: E402
    MULTILINGUAL,
    PROBES,
    REFERENCE_HIGH,
    REFERENCE_LOW,
    SHIPPED_HIGH,
    SHIPPED_LOW,
    calibrate_cosine,
    reference_cosines,
)
from aforesaid.domain.retrieval.fusion import WEIGHTS  # noqa: E402
from aforesaid.wiring.embedder_loader import SHIPPED, open_source, read_source  # noqa: E402

if TYPE_CHECKING:
    from aforesaid.ports import Embedder

RARE, FEW = 0.999, 0.1
PAIRS = os.path.join(HERE, "..", "paraphrases", "pairs.jsonl")


def lowest_related(embedder: Embedder) -> float:
    """Return the cosine that nine of ten questions have with the statement that answers them."""
    with open(os.path.join(HERE, "probes.tsv"), encoding="utf-8", newline="") as file:
        languages = list(zip(*csv.reader(file, delimiter="\t"), strict=True))
    statements = [embedder.embed_document(statement)[0] for _, statement in PROBES]
    cosines = [
        reference_cosines([embedder.embed_query(question)] * 2, [statement] * 2)[1]
        for questions in languages
        for question, statement in zip(questions, statements, strict=True)
    ]
    return float(np.quantile(cosines, FEW))


def highest_unrelated(embedder: Embedder) -> float:
    """Return the cosine that one of a thousand pairs of a question and a text exceeds."""
    with open(PAIRS, encoding="utf-8") as lines:
        pairs = [json.loads(line) for line in lines][::2]
    questions, texts = (
        np.array([np.frombuffer(vector, "<f4") for vector in vectors])
        for vectors in (
            [embedder.embed_query(pair["questions"][0]) for pair in pairs],
            [embedder.embed_document(pair["memory"])[0] for pair in pairs],
        )
    )
    cosines = questions @ texts.T
    return float(np.quantile(cosines[~np.eye(len(pairs), dtype=bool)], RARE))


def main() -> int:
    """Print the scale."""
    parser = argparse.ArgumentParser(prog="python -m bench.languages.scale", description=__doc__)
    parser.add_argument("--model", default=MULTILINGUAL, help="a model's name or folder")
    options = parser.parse_args()
    settings = load_settings(os.environ)
    embedder, shipped = (
        CachedEmbedder(open_source(read_source(name, settings), settings, os.environ))
        for name in (options.model, SHIPPED)
    )
    related, unrelated = lowest_related(embedder), highest_unrelated(embedder)
    place = calibrate_cosine(highest_unrelated(shipped), SHIPPED_LOW, SHIPPED_HIGH)
    slope = (place - WEIGHTS.near) / (unrelated - related)
    low = related - (WEIGHTS.near - REFERENCE_LOW) / slope
    high = related + (REFERENCE_HIGH - WEIGHTS.near) / slope
    print(f"{embedder.model} low {low:.4f}  high {high:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
