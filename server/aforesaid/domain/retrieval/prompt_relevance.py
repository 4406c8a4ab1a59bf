"""The probability that a prompt needs a memory, and that a memory is the one: their weights.

Unlike relevance to a query, since most prompts are instructions rather than questions, few of their
words concern any memory, and a false match costs more than a missed one. A linear classifier tells
generic prompts, which any developer may type and which need no memory: it applies to the shipped
model's query vectors, and was trained on generic prompts and on prompts that need memories of
invented projects (docs/adr/0027-recall-at-the-prompt.md).
"""

from __future__ import annotations

from binascii import a2b_base64
from math import log

from aforesaid.domain.logistic import logistic
from aforesaid.domain.value import Value
from aforesaid.lexicon.stop_words import GENERIC_WORDS

from .term_matching import TermMatcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aforesaid.domain.model.memory import Hit, Memory

#: Number of assumed documents without a term, so that terms are not common in a store of three.
BACKGROUND_DOCS = 200
#: Added to the weight of every prompt, so that one rare word does not dominate a short one.
PROMPT_WEIGHT_PRIOR = 20.0
#: Weight of a word that is common in developers' prompts, as a share of another word's.
EVERYDAY_SHARE = 0.25
#: Log-odds that a candidate is relevant: bias and weight of each feature; with vectors, given that
#: one of the candidates is. Trained by ``python -m bench.prompts.train``, as all weights here.
#: Source: docs/adr/0027-recall-at-the-prompt.md.
BIAS = {"with vectors": -1.78, "words only": -4.81}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "meaning": 5.33,
        "behind": -11.18,
        "covered": 7.28,
        "first": 0.03,
        "second": 0.1,
        "third": 0.29,
        "code": 0.83,
        "foreign": -0.14,
        "event": -0.08,
    },
    "words only": {
        "covered": 11.34,
        "uncovered": -1.25,
        "first": 0.36,
        "second": 0.34,
        "third": 0.33,
        "code": 2.35,
        "foreign": -0.47,
        "general": -0.91,
        "event": -1.89,
        "cued": -0.36,
    },
}
#: Log-odds, with vectors, that a prompt needs any memory: bias and weight of each feature.
NEED_BIAS = -6.19
NEED_WEIGHTS: dict[str, float] = {
    "top": 21.91,
    "lead": -5.67,
    "coverage": 5.83,
    "code": 1.77,
    "general": -1.93,
    "everyday": -0.26,
}
#: Without vectors, a match needs a code, or two uncommon words of the prompt: minimum weight of the
#: second. Chosen there, too.
SECOND_WORD = 2.0
#: Minimum probability that a prompt needs a memory; without vectors, minimum relevance of the best.
#: Chosen there, too.
FLOOR = {"with vectors": 0.81, "words only": 0.61}
#: A memory is shown next to a better one if its relevance is at least this share of that.
SHARE_OF_BEST = 0.6


#: Beginnings of prompts that need general knowledge only.
_GENERAL_QUESTIONS = (
    *("what is ", "what's ", "what are ", "what does ", "what do ", "explain ", "define "),
    "difference between ",
)


class PromptFeatures(Value):
    """Features of a candidate, named as in ``WEIGHTS``."""

    meaning: float = 0.0  #: cosine of its best chunk; 0 if not found by vectors
    behind: float = 0.0  #: difference of its cosine to the best
    covered: float = 0.0  #: share of the prompt's term weight that it contains, in [0, 1]
    uncovered: float = 0.0  #: difference of that to the best, in [0, 1]
    first: float = 0.0  #: weight of the heaviest term that it contains
    second: float = 0.0
    third: float = 0.0
    code: float = 0.0  #: 1 if it contains a code, path or flag of the prompt, but not for a number
    foreign: float = 0.0  #: number of names in the prompt that it lacks, at most 2
    general: float = 0.0  #: 1 if the prompt asks for general knowledge
    event: float = 0.0  #: 1 if it is episodic
    cued: float = 0.0  #: 1 if it has cues, which may match by chance
    everyday: float = 0.0  #: log-odds that the prompt is generic; 0 if unknown


class NeedFeatures(Value):
    """Features of a prompt beside its candidates, named as in ``NEED_WEIGHTS``."""

    top: float = 0.0  #: best cosine
    lead: float = 0.0  #: difference of that to the mean of the next four
    coverage: float = 0.0  #: largest share of the prompt's term weight that one contains
    code: float = 0.0  #: 1 if one contains a code, path or flag of the prompt
    general: float = 0.0  #: 1 if the prompt asks for general knowledge
    everyday: float = 0.0  #: log-odds that the prompt is generic; 0 if unknown


def prompt_features(
    query: str,
    memories: Mapping[int, Memory],
    vectors: Sequence[Hit],
    generic_log_odds: float = 0.0,
) -> dict[int, PromptFeatures]:
    """Return the features of every candidate, by key.

    Args:
        query: the query of the prompt, see ``prompt_query``.
        memories: the candidates, by key; all in force.
        vectors: the vector results; empty without vectors.
        generic_log_odds: log-odds that the prompt is generic; 0 if unknown.
    """
    texts = {
        key: "\n".join((*memory.tags, *memory.cues, memory.summary or "", memory.content))
        for key, memory in memories.items()
    }
    matcher = TermMatcher(query, texts)
    weights = {term: _weight(term, matcher.text_counts[term], len(texts)) for term in matcher.terms}
    total = sum(weights.values()) + PROMPT_WEIGHT_PRIOR
    term_weights = {
        key: sorted((weights[term] * share for term, share in shares.items()), reverse=True)
        for key, shares in matcher.shares.items()
    }
    max_weight = max((sum(values) for values in term_weights.values()), default=0.0) or 1.0
    cosines: dict[int, float] = {}
    for hit in vectors:
        cosines[hit.head] = max(hit.score, cosines.get(hit.head, 0.0))
    top = max(cosines.values(), default=0.0)
    codes = [code for code in matcher.codes if not code.isdigit()]
    general = float(_asks_general_knowledge(query))
    features = {}
    for key, memory in memories.items():
        heaviest = [*term_weights[key][:3], 0.0, 0.0, 0.0]
        cosine = cosines.get(key, 0.0)
        features[key] = PromptFeatures(
            meaning=cosine,
            behind=top - cosine,
            covered=sum(term_weights[key]) / total,
            uncovered=1 - sum(term_weights[key]) / max_weight,
            first=heaviest[0],
            second=heaviest[1],
            third=heaviest[2],
            code=float(any(matcher.shares[key].get(code) == 1.0 for code in codes)),
            foreign=float(min(sum(name not in matcher.shares[key] for name in matcher.names), 2)),
            general=general,
            event=float(memory.type == "episodic"),
            cued=float(bool(memory.cues)),
            everyday=generic_log_odds,
        )
    return features


def _asks_general_knowledge(query: str) -> bool:
    """Return whether a prompt asks what something is or how it works, in general."""
    lowered = query.lower().removeprefix("please ")
    return lowered.startswith(_GENERAL_QUESTIONS) or (
        lowered.startswith("how does ") and " work" in lowered
    )


def _weight(term: str, text_count: int, candidates: int) -> float:
    """Return the weight of a term: more for a rare one, less for a common word or single letter."""
    share = EVERYDAY_SHARE if term in GENERIC_WORDS or (len(term) == 1 and term.isascii()) else 1.0
    return share * log((BACKGROUND_DOCS + candidates + 1) / (text_count + 0.5))


def prompt_relevance(features: PromptFeatures, *, vectors: bool) -> float:
    """Return the probability, in [0, 1], that a candidate is relevant to a prompt.

    Args:
        features: its features.
        vectors: whether vectors were searched, not only full text.
    """
    if not vectors and not has_enough_evidence(features):
        return 0.0
    mode = _mode(vectors=vectors)
    odds = BIAS[mode]
    for name, weight in WEIGHTS[mode].items():
        odds += weight * getattr(features, name)
    return logistic(odds)


def need_features(candidates: Sequence[PromptFeatures]) -> NeedFeatures:
    """Return the features of a prompt, from those of its candidates."""
    cosines = sorted((one.meaning for one in candidates), reverse=True)
    if not cosines:
        return NeedFeatures()
    following = [*cosines[1:5], 0.0, 0.0, 0.0, 0.0][:4]
    return NeedFeatures(
        top=cosines[0],
        lead=cosines[0] - sum(following) / len(following),
        coverage=max(one.covered for one in candidates),
        code=max(one.code for one in candidates),
        general=candidates[0].general,
        everyday=candidates[0].everyday,
    )


def need_probability(candidates: Sequence[PromptFeatures]) -> float:
    """Return the probability, in [0, 1], that a prompt needs one of these memories.

    Args:
        candidates: the features of each, with vectors.
    """
    features = need_features(candidates)
    odds = NEED_BIAS + sum(
        weight * getattr(features, name) for name, weight in NEED_WEIGHTS.items()
    )
    return logistic(odds)


def has_enough_evidence(features: PromptFeatures) -> bool:
    """Return whether a candidate matches a prompt by more than one word, which may be chance."""
    return features.second >= SECOND_WORD or features.code > 0


def relevance_cutoff(candidates: Sequence[PromptFeatures], *, vectors: bool) -> float:
    """Return the minimum relevance to be shown; above 1 if no candidate is.

    Args:
        candidates: the features of those that may be shown, the most relevant first.
        vectors: whether vectors were searched, not only full text.
    """
    if not candidates:
        return 2.0
    best = prompt_relevance(candidates[0], vectors=vectors)
    need = need_probability(candidates) if vectors else best
    return SHARE_OF_BEST * best if need >= FLOOR[_mode(vectors=vectors)] else 2.0


def _mode(*, vectors: bool) -> str:
    return "with vectors" if vectors else "words only"


#: The model whose vectors ``generic_prompt_log_odds`` applies to.
MODEL = "aforesaid-minilm-int8@078a9807"
#: Log-odds are the bias plus the step times the dot product of a vector with the int8 table.
#: Trained by ``python -m bench.prompts.everyday``.
_GENERIC_BIAS, _GENERIC_STEP = 1.260, 0.02219
_GENERIC = memoryview(
    a2b_base64(
        "Df7zGgX0UDJNBOsM/+7k5+Xo3UVILN4d1hQAGPkV2DP18bsfCt5KLOYC94EnDgz0v6v/DKtGbQbfBR0KFgAO02O9"
        "9+sJAhDqEx4U1hMpDze7PhH4yuzn/RkW/PP37Cvt/xnDwPwQERIk99a1HMjtz/H22+oR4yYBFw8vJte0+gAFxfT6"
        "7fEAzsIcI+/9Hw8azNzxFN1BCOoIu9Xg7kIVEfP5QgHw09Xg/w8CJj/H5PLCC9MIJzQZDCZJvDX5CuDjCi7/Hy7q"
        "CgbMFOD888wG1+Qx4Q+xJxD5TunjBA2z6AAvDfAx4vD79wPr9fsi+EAC8fPrAfjbJtfDwwnr4vslIe788BcJ8QK9"
        "v09OGwgJBigJ5BLqIAcM0c0q2twBBwIVrjWd5g3NLO/G8MAp9uL6//3+473K9Pgr7L1O2xDgGwDp7O68/h4J1BEY"
        "IDTo1CIDG9pNEeWkx9nrEhI3zOlCT8D/3Oow2A/YFeBBYt0MKQXf6QQv68vPCP0CtOhULz4a"
    )
).cast("b")


def generic_prompt_log_odds(vector: bytes, model: str) -> float:
    """Return the log-odds that a prompt is generic; 0 for vectors of another model.

    Args:
        vector: query vector of the prompt, float32.
        model: name of the model that computed it.
    """
    if model != MODEL:
        return 0.0
    values = memoryview(vector).cast("f")
    product = sum(value * weight for value, weight in zip(values, _GENERIC, strict=True))
    return _GENERIC_BIAS + _GENERIC_STEP * product
