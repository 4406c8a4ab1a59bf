"""Judge pairs of statements by four authors: is the newer one reported as a conflict at store?

Run from the root of the repository: ``python -m bench.relations [TALK.jsonl.gz]``. The argument is
a file of conversations (``items`` with a ``text`` each): every message is compared with the nearest
earlier ones, to count the false alarms on raw talk. The fitted model is judged on authors left out.
"""

from __future__ import annotations

import glob
import gzip
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.logistic import fit_logistic  # noqa: E402
from bench.vectors import CachedEmbedder, open_cached  # noqa: E402

from aforesaid.domain.conflict.akin import replaces_akin  # noqa: E402
from aforesaid.domain.conflict.contradiction import contradiction  # noqa: E402
from aforesaid.domain.conflict.supersession import (  # noqa: E402
    MAX_CHARS,
    OUTDATES,
    ParsedStatement,
    states_change,
    supersession_features,
    supersession_probability,
)
from aforesaid.domain.dedup import differences  # noqa: E402
from aforesaid.domain.model.memory import Memory  # noqa: E402
from aforesaid.domain.model.statement import Statement  # noqa: E402
from aforesaid.services.memories.duplicates import (  # noqa: E402
    CHANGE_COSINE,
    MAX_NEIGHBOURS,
    MIN_COSINE,
    NEAR_COSINE,
    announces_supersession,
    may_outdate,
)

RATES = (0.01, 0.05)  #: false-alarm rates at which the model's recall is printed
RIDGE = 30.0
MAX_MESSAGES = 1200
KINDS = ("number", "time", "unit", "path", "identifier", "name", "word", "negation", "opposites")


@dataclass(frozen=True)
class Pair:
    """Two texts, the older first, with their cosine."""

    author: str
    relation: str  #: same, replaces, refines, different; empty in raw talk
    older: str
    newer: str
    cosine: float


def labelled(embedder: CachedEmbedder) -> list[Pair]:
    """Return the authors' pairs whose relation is clear."""
    pairs = []
    for path in sorted(glob.glob(os.path.join(HERE, "pairs", "*.jsonl"))):
        author = os.path.basename(path).partition(".")[0]
        with open(path, encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if row["relation"] != "unclear":
                    cosine = _vector(row["older"], embedder) @ _vector(row["newer"], embedder)
                    pair = (author, row["relation"], row["older"], row["newer"], float(cosine))
                    pairs.append(Pair(*pair))
    return pairs


def talk(path: str, embedder: CachedEmbedder) -> Iterator[list[Pair]]:
    """Yield the pairs of each message with its nearest earlier ones, as a store would find them."""
    left = MAX_MESSAGES
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            texts = [item["text"] for item in json.loads(line)["items"]][:left]
            left -= len(texts)
            vectors = np.array([_vector(text, embedder) for text in texts])
            for at in range(1, len(texts)):
                cosines = vectors[:at] @ vectors[at]
                nearest = [int(n) for n in np.argsort(-cosines)[:MAX_NEIGHBOURS]]
                yield [
                    Pair("talk", "", texts[near], texts[at], float(cosines[near]))
                    for near in nearest
                    if cosines[near] > MIN_COSINE
                ]
            if not left:
                return


def by_likeness(pair: Pair) -> bool:
    """Return whether two texts are alike but differ."""
    return pair.cosine > NEAR_COSINE and bool(differences(pair.newer, pair.older))


def by_change(pair: Pair) -> bool:
    """Return whether the newer text states a change and probably supersedes the older."""
    if pair.cosine <= MIN_COSINE or not states_change(pair.newer):
        return False
    if max(len(pair.older), len(pair.newer)) > MAX_CHARS:
        return False
    before, after = ParsedStatement(pair.older), ParsedStatement(pair.newer)
    probability = supersession_probability(before, after, pair.cosine)
    return probability >= OUTDATES and bool(differences(pair.newer, pair.older))


def by_nearer_change(pair: Pair) -> bool:
    """Return whether ``by_change`` holds for texts that are somewhat alike."""
    return pair.cosine > CHANGE_COSINE and by_change(pair)


def by_value(pair: Pair) -> bool:
    """Return whether maintenance would flag the pair."""
    return contradiction(pair.older, pair.newer, pair.cosine) is not None


def by_announcement(pair: Pair) -> bool:
    """Return whether the newer text announces a change of the older one, as a store judges it."""
    memory = Memory(
        key=1, id="older", type="semantic", scope="project", project=1, content=pair.older,
        provenance="user", content_hash="", created_at=1, updated_at=1, last_reinforced_at=1,
    )  # fmt: skip
    near = pair.cosine > MIN_COSINE or replaces_akin(
        ParsedStatement(pair.older), ParsedStatement(pair.newer)
    )
    statement = Statement(content=pair.newer, provenance="user")
    return (
        near
        and may_outdate(memory, statement, 2)
        and announces_supersession(memory, statement, pair.cosine)
    )


RULES = {
    "likeness": (by_likeness,),
    "change": (by_change,),
    "value": (by_value,),
    "likeness, change": (by_likeness, by_change),
    "likeness, value": (by_likeness, by_value),
    "likeness, change, value": (by_likeness, by_change, by_value),
    "likeness, nearer change, value": (by_likeness, by_nearer_change, by_value),
    "likeness, announced, value": (by_likeness, by_announcement, by_value),
}


def features(pair: Pair) -> list[float]:
    """Return what the model knows of a pair."""
    before, after = ParsedStatement(pair.older), ParsedStatement(pair.newer)
    signs = supersession_features(before, after, pair.cosine)
    explained = differences(pair.newer, pair.older)
    found = {text.partition(":")[0]: text for text in explained}
    words_a, words_b = (set(text.lower().split()) for text in (pair.older, pair.newer))
    common = len(words_a & words_b)
    both = before.terms & after.terms
    return [
        pair.cosine,
        max(pair.cosine - 0.8, 0.0),
        signs.cue,
        signs.past_cue,
        signs.cites,
        signs.subject,
        float(bool(signs.swapped)),
        signs.cued_like,
        len(both) / (len(before.terms) or 1),
        len(both) / (len(after.terms) or 1),
        common / (len(words_a | words_b) or 1),
        float(not explained),
        *(float(kind in found) for kind in KINDS),
        *(float("/" in found.get(kind, "") and "nothing" not in found[kind]) for kind in KINDS),
        float(bool(before.numbers and after.numbers and not before.numbers & after.numbers)),
        float(bool(before.numbers & after.numbers)),
        len(before.subject & after.subject) / (len(before.subject | after.subject) or 1),
        float(by_likeness(pair)),
        float(by_change(pair)),
        float(by_value(pair)),
        float("?" in pair.newer),
        np.log1p(len(pair.older)),
        np.log1p(len(pair.newer)),
    ]


def _vector(text: str, embedder: CachedEmbedder) -> np.ndarray:
    return np.frombuffer(embedder.embed_document(text)[0], dtype="<f4")


def _share(flags: list[bool]) -> float:
    return sum(flags) / max(len(flags), 1)


def print_rules(pairs: list[Pair], messages: list[list[Pair]]) -> None:
    """Print recall by author, and false alarms by relation and per message."""
    for name, rules in RULES.items():
        flagged = [any(rule(pair) for rule in rules) for pair in pairs]
        rows = list(zip(pairs, flagged, strict=True))
        authors = sorted({pair.author for pair in pairs})
        recalls = [
            _share([f for p, f in rows if p.author == author and p.relation == "replaces"])
            for author in authors
        ]
        alarms = {
            kind: _share([f for p, f in rows if p.relation == kind])
            for kind in ("replaces", "same", "refines", "different")
        }
        line = " ".join(f"{kind} {share:.3f}" for kind, share in alarms.items())
        by_author = " ".join(f"{recall:.2f}" for recall in recalls)
        said = [any(rule(pair) for pair in near for rule in rules) for near in messages]
        print(f"{name:30} {line} by author {by_author} talk {_share(said):.4f}")


def print_model(pairs: list[Pair], messages: list[list[Pair]]) -> None:
    """Print the recall of a model on authors left out, at the false-alarm rates of ``RATES``.

    The talk is scored by the model of all authors: none of them wrote it.
    """
    inputs = np.array([features(pair) for pair in pairs])
    answers = np.array([float(pair.relation == "replaces") for pair in pairs])
    authors = np.array([pair.author for pair in pairs])
    scores = np.zeros(len(pairs))
    for author in sorted(set(authors)):
        others = authors != author
        bias, weights = _fit(inputs[others], answers[others])
        scores[~others] = inputs[~others] @ weights + bias
    bias, weights = _fit(inputs, answers)
    highest = [
        max((float(np.dot(features(pair), weights)) + bias for pair in near), default=-np.inf)
        for near in messages
    ]
    for rate in RATES:
        least = float(np.quantile(scores[answers == 0], 1 - rate))
        found = (answers == 1) & (scores > least)
        recalls = [
            found[authors == author].sum() / answers[authors == author].sum()
            for author in sorted(set(authors))
        ]
        line = " ".join(f"{recall:.2f}" for recall in recalls)
        said = _share([score > least for score in highest])
        total = found.sum() / answers.sum()
        print(f"model at {rate}: recall {total:.3f} by author {line} talk {said:.4f}")


def _fit(inputs: np.ndarray, answers: np.ndarray) -> tuple[float, np.ndarray]:
    return fit_logistic(inputs, answers, np.ones(len(inputs)), RIDGE)


def main() -> None:
    """Print the figures."""
    embedder = open_cached()
    pairs = labelled(embedder)
    messages = list(talk(sys.argv[1], embedder)) if sys.argv[1:] else []
    print(f"{len(pairs)} pairs, {len(messages)} messages")
    print_rules(pairs, messages)
    print_model(pairs, messages)


if __name__ == "__main__":
    main()
