"""The usual cosines of the multilingual model.

Run from the root of the repository: ``python -m bench.languages.scale``. Prints MULTILINGUAL_LOW
and MULTILINGUAL_HIGH (domain/model/embedding_model.py). The first is the mean cosine of the probes'
questions in seven languages (probes.tsv) with the other probes' statements, so that answers in
another language stay candidates; the second is that of English questions with their own statements,
so that English cosines, which are higher, stay apart. No text of a bench is among them.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from aforesaid.config import load_settings  # noqa: E402
from aforesaid.domain.model.embedding_model import (  # noqa: E402
    MULTILINGUAL,
    PROBES,
    reference_cosines,
)
from aforesaid.wiring.embedder_loader import open_source, read_source  # noqa: E402


def main() -> int:
    """Print the mean cosines in each language, and the scale."""
    parser = argparse.ArgumentParser(prog="python -m bench.languages.scale", description=__doc__)
    parser.add_argument("--model", default=MULTILINGUAL, help="a model's name or folder")
    options = parser.parse_args()
    settings = load_settings(os.environ)
    embedder = open_source(read_source(options.model, settings), settings, os.environ)
    with open(os.path.join(HERE, "probes.tsv"), encoding="utf-8", newline="") as file:
        languages = list(zip(*csv.reader(file, delimiter="\t"), strict=True))
    statements = [embedder.embed_document(statement)[0] for _, statement in PROBES]
    means = []
    for questions in languages:
        asked = [embedder.embed_query(question) for question in questions]
        means.append(reference_cosines(asked, statements))
        print(f"{questions[0]:45} low {means[-1][0]:.4f}  high {means[-1][1]:.4f}")
    low, high = sum(low for low, _ in means) / len(means), means[0][1]
    print(f"{embedder.model:45} low {low:.4f}  high {high:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
