"""Learn how an everyday prompt reads: prints the table of domain/retrieval/prompt_relevance.py.

Run from the root of the repository: ``python -m bench.prompts.everyday``. Logistic regression with
a ridge over the vectors of ``everyday.jsonl`` and bench/encoder/silence, prompts that need nothing
remembered, against those of bench/paraphrases and bench/encoder/pairs, each of which calls for a
memory. No prompt of ``prompts.jsonl`` or bench/authors is among them; the area under the curve on
the development part and on each author is printed beside.
"""

from __future__ import annotations

import base64
import glob
import json
import os
import sys
import textwrap

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.authors import author_names, load_author  # noqa: E402
from bench.logistic import fit_logistic  # noqa: E402
from bench.paraphrases import load_pairs  # noqa: E402
from bench.paraphrases.__main__ import is_near, measured_stems  # noqa: E402
from bench.prompts import RELATED, load_prompts  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

EVERYDAY = os.path.join(HERE, "everyday.jsonl")
SILENCE, PAIRS = (os.path.join(HERE, "..", "encoder", name) for name in ("silence", "pairs"))
#: Kinds that read like tasks of a project, or like nothing.
_LIKE_TASKS = {"other-project", "nonsense"}
RIDGE = 2_000.0
_LEVELS = 127
_STILL = 1e-3  #: spread of a number of the vectors that says nothing


def load_everyday() -> tuple[str, ...]:
    """Return the everyday prompts."""
    with open(EVERYDAY, encoding="utf-8") as file:
        return tuple(json.loads(line) for line in file)


def load_silence() -> tuple[str, ...]:
    """Return further authors' prompts that need nothing, without those close to tested ones."""
    tested = measured_stems()
    texts = []
    for path in sorted(glob.glob(os.path.join(SILENCE, "*.jsonl"))):
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        texts += [one["text"] for one in lines if one["kind"] not in _LIKE_TASKS]
    return tuple(one for one in dict.fromkeys(texts) if not is_near(one, tested))


def load_calling() -> list[str]:
    """Return the prompts of bench/paraphrases and bench/encoder/pairs."""
    texts = [one.text for one in load_pairs()[2] if one.gold]
    for path in sorted(glob.glob(os.path.join(PAIRS, "*.jsonl"))):
        with open(path, encoding="utf-8") as file:
            texts += [text for line in file for text in json.loads(line)["prompts"]]
    return texts


def area(high: np.ndarray, low: np.ndarray) -> float:
    """Return how often a value of the one is above a value of the other."""
    above = (high[:, None] > low[None]).mean() + 0.5 * (high[:, None] == low[None]).mean()
    return float(above)


def main() -> int:
    """Print the table."""
    embedder = open_cached()

    def vectors(texts: list[str]) -> np.ndarray:
        return np.stack([np.frombuffer(embedder.embed_query(one), "<f4") for one in texts])

    everyday = [*load_everyday(), *load_silence()]
    calling = load_calling()
    inputs = vectors([*everyday, *calling]).astype(np.float64)
    answers = np.array([1.0] * len(everyday) + [0.0] * len(calling))
    share = answers.mean()
    counts = np.where(answers == 1.0, 0.5 / share, 0.5 / (1 - share))
    varies = inputs.std(0) > _STILL
    weights = np.zeros(inputs.shape[1])
    bias, weights[varies] = fit_logistic(inputs[:, varies], answers, counts, RIDGE)
    scale = float(np.abs(weights).max()) / _LEVELS
    table = np.round(weights / scale).astype(np.int8)
    print(f"{embedder.model}: bias {bias:.3f}, step {scale:.5f}")
    print("\n".join(textwrap.wrap(base64.b64encode(table.tobytes()).decode(), 88)))
    measured = {"development part": load_prompts("dev")}
    measured |= {name: load_author(name).prompts for name in author_names()}
    for name, prompts in measured.items():
        none, related = (
            vectors([one.text for one in prompts if one.kind in kinds]) @ (table * scale)
            for kinds in (("none",), RELATED)
        )
        print(f"area under the curve, {name}: {area(none, related):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
