"""Fit when a prompt needs a memory, and which, for domain/retrieval/prompt_relevance.py.

Run from the root of the repository: ``python -m bench.prompts.train``. Logistic regressions with a
ridge. With vectors two of them: whether a prompt needs a memory, from the development part and the
authors on whom weights are fitted (bench/authors), and which of the candidates, where one answers.
At the floor, as weights see it that were not fitted to it, at most a share of the unrelated prompts
gets any, and no nonsense. By words alone one regression decides both, on the development part: none
of either gets any, by a margin, and what memories with cues lose keeps unrelated prompts as silent
where all have some. Unrelated prompts and nonsense are asked from every project, not from their own
alone, and related ones once more from a project that does not see what they call for; questions of
bench/agent_memories count a third. Reads no prompt of the test part.
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
from bench.logistic import fit_logistic  # noqa: E402
from bench.prompts import RELATED, load_prompts  # noqa: E402
from bench.prompts.asking import Asking  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.domain.context.prompt_context import MAX_SHOWN  # noqa: E402
from aforesaid.domain.retrieval.prompt_relevance import (  # noqa: E402
    NEED_WEIGHTS,
    SHARE_OF_BEST,
    WEIGHTS,
    PromptFeatures,
    has_enough_evidence,
    need_features,
)

FIRST = 12  #: candidates of each prompt that are learned from, and whatever it calls for
RIDGE = 12.0
#: Of unrelated prompts, from their own project and from any, the share that may be shown anything.
SHOWN = {"with vectors": 0.02, "words only": 0.0}
MARGIN = {"with vectors": 0.03, "words only": 0.1}  #: of a floor, where nothing confirms the words
EVERYWHERE, ELSEWHERE = 0.3, 0.3  #: what prompts count that are asked from other projects
UNRELATED = {"none", "nonsense", "everywhere none", "everywhere nonsense"}
FOLDS = 5
OWN = "own"  #: the store of bench/agent_memories
SOURCE_WEIGHT = 500.0  #: of all prompts of one source that need a memory, and of those that do not
NEED_RIDGE = 3.0
#: "loose": about its project, but no memory helps; common, and shown easily.
_WEIGHTS_OF_KINDS = {"question": 0.3, "everywhere": 0.3, "elsewhere": 0.3, "loose": 3.0}
NEED_ONLY = {"cued", "general", "everyday"}  #: alike for all candidates of a prompt, or nearly so
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


def collect_author(author: Author, other: Author) -> list[list[Seen]]:
    """Return the candidates of every prompt of an author, and of another's typed there."""
    with private_places() as folder:
        shelf = Shelf(folder, open_cached(), of=(author.memories, ()))
        asking = Asking(shelf, words_only=False)
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


def fit_need(prompts: list[list[Seen]]) -> tuple[float, dict[str, float]]:
    """Return the bias and the weights that tell which prompts need a memory.

    Those of each author that do weigh as much as those that do not.
    """
    names = tuple(NEED_WEIGHTS)
    needing = np.array([_needs(prompt) for prompt in prompts])
    rows = np.array([[_need_signals(prompt)[name] for name in names] for prompt in prompts])
    weights = np.array([_WEIGHTS_OF_KINDS.get(_group(prompt), 1.0) for prompt in prompts])
    sources = np.array([prompt[0].source for prompt in prompts])
    for source in set(sources):
        for needs in (0.0, 1.0):
            same = (sources == source) & (needing == needs)
            weights[same] *= SOURCE_WEIGHT / max(weights[same].sum(), 1e-9)
    bias, fitted = fit_logistic(rows, needing, weights, NEED_RIDGE)
    return bias, dict(zip(names, map(float, fitted), strict=True))


def _need_signals(prompt: list[Seen]) -> dict[str, float]:
    return need_features([PromptFeatures(**one.signals) for one in prompt]).as_dict()


def _need_odds(prompt: list[Seen], bias: float, weights: dict[str, float]) -> float:
    signals = _need_signals(prompt)
    return bias + sum(weight * signals[name] for name, weight in weights.items())


def _group(prompt: list[Seen]) -> str:
    return prompt[0].kind.split(maxsplit=1)[0]


def _needs(prompt: list[Seen]) -> float:
    return float(any(one.called for one in prompt))


def decides(prompt: list[Seen]) -> bool:
    """Tell whether it is certain if a prompt needs one of its candidates."""
    unrelated = prompt[0].kind in {*UNRELATED, "elsewhere", "loose"}
    return unrelated or any(one.called for one in prompt)


def need_left_out(prompts: list[list[Seen]]) -> list[tuple[str, str, float]]:
    """Return source, kind and log-odds of need of each prompt, by a fit without its author."""
    told = []
    for source in sorted({prompt[0].source for prompt in prompts}):
        rest = [one for one in prompts if one[0].source != source]
        bias, weights = fit_need(rest)
        told += [
            (source, one[0].kind, _need_odds(one, bias, weights))
            for one in prompts
            if one[0].source == source
        ]
    return told


def need_floor(prompts: list[list[Seen]]) -> float:
    """Return the probability from which few enough unrelated prompts and no nonsense are shown any.

    Of all sources together, by the weights that all teach.
    """
    bias, weights = fit_need(prompts)
    least = 0.0
    for kind, share in (("none", SHOWN["with vectors"]), ("nonsense", 0.0)):
        odds = sorted(
            (_need_odds(one, bias, weights) for one in prompts if one[0].kind == kind), reverse=True
        )
        least = max(least, 1 / (1 + np.exp(-odds[int(share * len(odds))])))
    return float(np.floor((least + MARGIN["with vectors"]) * 100 + 1) / 100)


def likely(one: Seen, bias: float, weights: dict[str, float]) -> float:
    """Return how likely a prompt calls for a candidate."""
    if "meaning" not in weights and not has_enough_evidence(PromptFeatures(**one.signals)):
        return 0.0
    odds = bias + sum(weight * one.signals[name] for name, weight in weights.items())
    return float(1 / (1 + np.exp(-odds)))


def left_out(
    prompts: list[list[Seen]], names: tuple[str, ...]
) -> list[tuple[str, list[tuple[float, bool]]]]:
    """Return, for each prompt, its kind and its candidates as a fit without its fold sees them."""
    ranked = []
    for fold in range(FOLDS):
        inside = [one for one in prompts if one and _fold(one[0].text) != fold]
        fitted = fit(inside, names)
        for prompt in prompts:
            if prompt and _fold(prompt[0].text) == fold:
                scored = [(likely(one, *fitted), one.called) for one in prompt]
                ranked.append((prompt[0].kind, sorted(scored, key=lambda one: -one[0])))
    return ranked


def _fold(text: str) -> int:
    return hashlib.sha256(text.encode()).digest()[1] % FOLDS


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


def report_need(prompts: list[list[Seen]]) -> None:
    """Print the weights of need, and of which candidate it is."""
    prompts = [prompt for prompt in prompts if prompt and decides(prompt)]
    bias, weights = fit_need(prompts)
    floor = need_floor(prompts)
    print(f"need: bias {bias:.2f}, floor {floor:.2f}")
    print("    " + ", ".join(f'"{name}": {weight:.2f}' for name, weight in weights.items()))
    odds = _odds(floor)
    told = need_left_out(prompts)
    for source, kind in sorted({(source, kind) for source, kind, _ in told}):
        above = [one > odds for at, of, one in told if (at, of) == (source, kind)]
        print(f"    {source}, {kind:24} above it, left out: {np.mean(above):.3f} of {len(above)}")
    names = tuple(name for name in WEIGHTS["with vectors"] if name not in NEED_ONLY)
    bias, weights = fit([prompt for prompt in prompts if _needs(prompt)], names)
    print(f"which: bias {bias:.2f}")
    print("    " + ", ".join(f'"{name}": {weight:.2f}' for name, weight in weights.items()))


def main() -> int:
    """Print weights and floors."""
    authors = [load_author(name) for name in FITTED]
    with private_places() as folder:
        shelf, cued = (
            Shelf(os.path.join(folder, name), open_cached(), cues=name == "cued")
            for name in ("plain", "cued")
        )
        prompts = collect(shelf, "with vectors")
        for at, author in enumerate(authors):
            prompts += collect_author(author, authors[(at + 1) % len(authors)])
        report_need(prompts)
        kind = "words only"
        prompts = collect(shelf, kind)
        names = tuple(name for name in WEIGHTS[kind] if name != "cued")
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
            print(f"    cued       {_odds(floor) - _odds(higher):7.2f}   its floor {higher:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
