"""Learn how an everyday prompt reads: prints the table of domain/retrieval/prompt_relevance.py.

Run from the root of the repository: ``python -m bench.prompts.everyday``. Logistic regression with
a ridge over the vectors of ``everyday.jsonl``, prompts that need nothing remembered, against those
of bench/paraphrases, each of which calls for a memory of one of 41 projects. Neither has a prompt
of ``prompts.jsonl``, so all of that is left out; the area under the curve on its development part
is told beside.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import textwrap

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.logistic import fit_logistic  # noqa: E402
from bench.paraphrases import load_pairs  # noqa: E402
from bench.prompts import RELATED, load_prompts  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

EVERYDAY = os.path.join(HERE, "everyday.jsonl")
RIDGE = 2_000.0
_LEVELS = 127
_STILL = 1e-3  #: spread of a number of the vectors that says nothing


def load_everyday() -> tuple[str, ...]:
    """Return the everyday prompts."""
    with open(EVERYDAY, encoding="utf-8") as file:
        return tuple(json.loads(line) for line in file)


def area(high: np.ndarray, low: np.ndarray) -> float:
    """Return how often a value of the one is above a value of the other."""
    above = (high[:, None] > low[None]).mean() + 0.5 * (high[:, None] == low[None]).mean()
    return float(above)


def main() -> int:
    """Print the table."""
    embedder = open_cached()

    def vectors(texts: list[str]) -> np.ndarray:
        return np.stack([np.frombuffer(embedder.embed_query(one), "<f4") for one in texts])

    everyday = list(load_everyday())
    calling = [one.text for one in load_pairs()[2] if one.gold]
    inputs = vectors([*everyday, *calling]).astype(np.float64)
    answers = np.array([1.0] * len(everyday) + [0.0] * len(calling))
    share = answers.mean()
    counts = np.where(answers == 1.0, 0.5 / share, 0.5 / (1 - share))
    varies = inputs.std(0) > _STILL
    weights = np.zeros(inputs.shape[1])
    bias, weights[varies] = fit_logistic(inputs[:, varies], answers, counts, RIDGE)
    scale = float(np.abs(weights).max()) / _LEVELS
    table = np.round(weights / scale).astype(np.int8)
    told = {
        kinds: vectors([one.text for one in load_prompts("dev") if one.kind in kinds])
        @ (table * scale)
        for kinds in (RELATED, ("none",))
    }
    print(f"{embedder.model}: bias {bias:.3f}, step {scale:.5f}")
    print("\n".join(textwrap.wrap(base64.b64encode(table.tobytes()).decode(), 88)))
    print(f"area under the curve, development part: {area(told[('none',)], told[RELATED]):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
