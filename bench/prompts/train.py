"""Fit what calls for a memory on the development part, for domain/retrieval/prompt_relevance.py.

Run from the root of the repository: ``python -m bench.prompts.train``. Logistic regression with a
ridge over the candidates that come first, of the development part and of the authors on whom
weights are fitted (bench/authors); questions of bench/agent_memories (development part)
count a third. Unrelated prompts and nonsense are asked from every project, not from their own
alone, and related ones once more from a project that does not see what they call for. At the floor,
as weights see it that were not fitted to it, at most a share of the unrelated prompts gets any,
and no nonsense; by words alone none of either does, by a margin. What memories with cues lose
keeps unrelated prompts as silent where all have some. Reads no prompt of the test part.
"""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import dataclass

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.agent_memories.dataset import Shelf  # noqa: E402
from bench.authors import FITTED, Author, foreign_prompts, load_author  # noqa: E402
from bench.prompts import RELATED, load_prompts  # noqa: E402
from bench.prompts.asking import Asking  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.domain.context.prompt_context import MAX_SHOWN  # noqa: E402
from aforesaid.domain.retrieval.prompt_relevance import (  # noqa: E402
    SHARE_OF_BEST,
    WEIGHTS,
    PromptFeatures,
    has_enough_evidence,
)

FIRST = 12  #: candidates of each prompt that are learned from, and whatever it calls for
RIDGE = 12.0
#: Of unrelated prompts, from their own project and from any, the share that may be shown anything.
SHOWN = {"with vectors": 0.02, "words only": 0.0}
MARGIN = {"with vectors": 0.0, "words only": 0.1}  #: of a floor, where nothing confirms the words
EVERYWHERE, ELSEWHERE = 0.3, 0.3  #: what prompts count that are asked from other projects
UNRELATED = {"none", "nonsense", "everywhere none", "everywhere nonsense"}
OWN = "own"  #: the store of bench/agent_memories
QUESTIONS = 0.3  #: what a question of the other set counts
NEAR = 0.3  #: what a candidate counts that a related prompt does not call for: it may fit, too


@dataclass(frozen=True)
class Seen:
    """One candidate of one prompt."""

    source: str  #: the author whose store it is in, or ``OWN``
    text: str
    kind: str
    signals: dict[str, float]
    called: bool
    weight: float


def collect(shelf: Shelf, kind: str) -> list[list[Seen]]:
    """Return the candidates of every development prompt and question, a list each."""
    asking = Asking(shelf, words_only=kind == "words only")
    asked = [(one.text, one.project, one.gold, one.kind) for one in load_prompts("dev")]
    asked += [
        (one.text, one.project, one.gold, f"question {one.category}")
        for one in shelf.questions
        if one.part == "dev"
    ]
    return [_seen(asking, OWN, *one) for one in [*asked, *_from_other_projects()]]


def collect_author(author: Author, other: Author, kind: str) -> list[list[Seen]]:
    """Return the candidates of every prompt of an author, and of another's typed there."""
    with private_places() as folder:
        shelf = Shelf(folder, open_cached(), of=(author.memories, ()))
        asking = Asking(shelf, words_only=kind == "words only")
        prompts = [*author.prompts, *foreign_prompts(author, other)]
        seen = [
            _seen(asking, author.name, one.text, one.project, one.gold, one.kind) for one in prompts
        ]
        shelf.core.close()
    return seen


def _from_other_projects() -> list[tuple[str, str | None, tuple[str, ...], str]]:
    """Return prompts from where they were not typed: nothing there is what they call for."""
    prompts = load_prompts("dev")
    named = sorted({one.project for one in prompts if one.project})
    asked: list[tuple[str, str | None, tuple[str, ...], str]] = []
    for one in prompts:
        if one.kind in {"none", "nonsense"}:
            others = [project for project in (*named, None) if project != one.project]
            asked += [(one.text, project, (), f"everywhere {one.kind}") for project in others]
        elif one.project:
            other = named[(named.index(one.project) + len(named) // 2) % len(named)]
            asked.append((one.text, other, (), "elsewhere"))
    return asked


def _seen(
    asking: Asking,
    source: str,
    text: str,
    project: str | None,
    gold: tuple[str, ...],
    kind: str,
) -> list[Seen]:
    counts = {"question": QUESTIONS, "everywhere": EVERYWHERE, "elsewhere": ELSEWHERE}
    weight = counts.get(kind.split(maxsplit=1)[0], 1.0)
    silent = kind in UNRELATED or "none" in kind
    seen = []
    for candidate in asking.candidates(text, project):
        called = not set(gold).isdisjoint(asking.ids(candidate))
        seen.append(
            Seen(
                source,
                text,
                kind,
                candidate.evidence.as_dict(),
                called,
                weight * (1.0 if called or silent else NEAR),
            )
        )
    return seen


def fit(prompts: list[list[Seen]], names: tuple[str, ...]) -> tuple[float, dict[str, float]]:
    """Return the bias and the weight of each signal that make what was seen likeliest."""
    chosen = []
    for prompt in prompts:
        ranked = sorted(
            prompt, key=lambda one: -(2 * one.signals["meaning"] + one.signals["covered"])
        )
        chosen += [one for at, one in enumerate(ranked) if at < FIRST or one.called]
    inputs = np.array([[one.signals[name] for name in names] for one in chosen])
    called = np.array([float(one.called) for one in chosen])
    weight = np.array([one.weight for one in chosen])
    mean, spread = inputs.mean(0), inputs.std(0) + 1e-9
    rows = np.c_[np.ones(len(inputs)), (inputs - mean) / spread]
    ridge = RIDGE * np.eye(rows.shape[1])
    ridge[0, 0] = 0.0
    found = np.zeros(rows.shape[1])
    for _ in range(60):
        likely = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (weight * (likely - called)) + ridge @ found
        bend = (rows * (weight * likely * (1 - likely))[:, None]).T @ rows + ridge
        step = np.linalg.solve(bend, slope)
        found -= step
        if np.abs(step).max() < 1e-9:
            break
    scaled = found[1:] / spread
    bias = float(found[0] - (scaled * mean).sum())
    return bias, {name: float(one) for name, one in zip(names, scaled, strict=True)}


def likely(one: Seen, bias: float, weights: dict[str, float]) -> float:
    """Return how likely a prompt calls for a candidate."""
    if "meaning" not in weights and not has_enough_evidence(PromptFeatures(**one.signals)):
        return 0.0
    odds = bias + sum(weight * one.signals[name] for name, weight in weights.items())
    return float(1 / (1 + np.exp(-odds)))


def left_out(
    prompts: list[list[Seen]], names: tuple[str, ...]
) -> list[tuple[str, list[tuple[float, bool]]]]:
    """Return, for each prompt, its kind and its candidates as a fit without its author sees them.

    One author's prompts are split by text instead.
    """
    asked = [one for one in prompts if one]
    by_author = len({one[0].source for one in asked}) > 1
    folds = [one[0].source if by_author else _fold(one[0].text) for one in asked]
    ranked = []
    for fold in sorted(set(folds), key=str):
        inside = [one for one, at in zip(asked, folds, strict=True) if at != fold]
        fitted = fit(inside, names)
        for prompt, at in zip(asked, folds, strict=True):
            if at == fold:
                scored = [(likely(one, *fitted), one.called) for one in prompt]
                ranked.append((prompt[0].kind, sorted(scored, key=lambda one: -one[0])))
    return ranked


def _fold(text: str) -> int:
    return hashlib.sha256(text.encode()).digest()[1] % 5


def floor_of(ranked: list[tuple[str, list[tuple[float, bool]]]], way: str) -> float:
    """Return the floor at which no nonsense and few enough unrelated prompts are shown anything."""
    least = 0.0
    for kinds in ({"none"}, {"none", "everywhere none"}, {"nonsense", "everywhere nonsense"}):
        highest = sorted((one[0][0] for kind, one in ranked if kind in kinds), reverse=True)
        may = 0.0 if "nonsense" in kinds else SHOWN[way]
        least = max(least, highest[int(may * len(highest))])
    return float(np.floor((least + MARGIN[way]) * 100 + 1) / 100)


def answered(ranked: list[tuple[str, list[tuple[float, bool]]]], floor: float) -> float:
    """Return the share of related prompts that are shown what they call for."""
    related = [one for kind, one in ranked if kind in RELATED]
    good = sum(
        one[0][0] >= floor
        and any(called for score, called in one[:MAX_SHOWN] if score >= SHARE_OF_BEST * one[0][0])
        for one in related
    )
    return good / len(related)


def as_they_are(
    prompts: list[list[Seen]], bias: float, weights: dict[str, float]
) -> list[tuple[str, list[tuple[float, bool]]]]:
    """Return what ``left_out`` does, by weights that were fitted elsewhere."""
    return [
        (
            prompt[0].kind,
            sorted(((likely(one, bias, weights), one.called) for one in prompt), reverse=True),
        )
        for prompt in prompts
        if prompt
    ]


def _odds(likely: float) -> float:
    return float(np.log(likely / (1 - likely)))


def main() -> int:
    """Print weights and floors."""
    authors = [load_author(name) for name in FITTED]
    with private_places() as folder:
        shelf, cued = (
            Shelf(os.path.join(folder, name), open_cached(), cues=name == "cued")
            for name in ("plain", "cued")
        )
        for kind, weights in WEIGHTS.items():
            prompts = collect(shelf, kind)
            for at, author in enumerate(authors):
                prompts += collect_author(author, authors[(at + 1) % len(authors)], kind)
            names = tuple(name for name in weights if name != "cued")
            bias, fitted = fit(prompts, names)
            ranked = left_out(prompts, names)
            floor = floor_of(ranked, kind)
            print(f"{kind}: bias {bias:.2f}, floor {floor:.2f}")
            print(f"    answered, left out: {answered(ranked, floor):.3f}")
            for name, weight in fitted.items():
                rest = left_out(prompts, tuple(one for one in names if one != name))
                without = answered(rest, floor_of(rest, kind))
                print(f"    {name:10} {weight:7.2f}   without it {without:.3f}")
            higher = floor_of(as_they_are(collect(cued, kind), bias, fitted), kind)
            if higher < 1:
                print(
                    f"    cued       {_odds(floor) - _odds(higher):7.2f}   its floor {higher:.2f}"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
