"""How likely a prompt calls for a memory: named signals, weights in one place.

Here: the signals of each candidate and the share in [0, 1] that decides what is shown unasked. Not
here: how likely one answers a question (relevance/): prompts are orders more often than
questions, most of their words are of no memory's business, and silence is worth more.
"""

from __future__ import annotations

from math import exp, log

from aforesaid.domain.value import Value

from .term_matching import TermMatcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aforesaid.domain.model.memory import Hit, Memory

#: Memories of other stores, none of which holds a word: so a store of three does not take its own
#: words for common ones.
BACKGROUND_DOCS = 200
#: Weight that every prompt has beside its words, so that one rare word is not all of a short one.
PROMPT_WEIGHT_PRIOR = 20.0
#: What a word weighs that is in any developer's prompts, as a share of another word's weight.
EVERYDAY_SHARE = 0.25
GENERIC_WORDS = frozenset(
    """add added adds make makes made write writes writing written rename use uses used using set
    sets get gets let lets give gives show shows find finds check checks look looks see read reads
    run runs running start starts stop change changes changed update updates create creates build
    builds put move moves remove delete fix fixes fixed explain tell say says try want wants need
    needs needed help work works working go going come can could should would must may might please
    thanks thank ok okay sure yes no not dont done take takes keep keeps turn call calls called
    happen happens happened mean means know think like open print test tests testing file files
    function functions code line lines name names variable variables method class type types value
    values text word words list lists data error errors fails failing failed fail bug issue problem
    thing things way part parts first last next previous new old other another same different one
    two three ten many much more less most few some any all every each again still now today
    yesterday here there what which who why how when where whether if then else also just only even
    very really bit little lot short shorter long longer simple simpler better best good nice right
    wrong big small size comment comments commit diff message example question answer version
    project app page time day days week platform editor operator pattern object string number
    loop""".split()  # noqa: SIM905 - a list of words reads better as words
)

#: Log-odds that a prompt calls for a candidate: 1, and each signal. Made by ``python -m
#: bench.prompts.train`` on the development part. Source: docs/adr/0027-recall-at-the-prompt.md.
BIAS = {"with vectors": -5.90, "words only": -4.81}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "meaning": 8.81,
        "behind": -2.58,
        "covered": 4.44,
        "first": 0.21,
        "second": 0.29,
        "third": 0.45,
        "code": 1.86,
        "foreign": -0.39,
        "general": -0.81,
        "event": -0.38,
        "everyday": -0.78,
        "cued": -0.29,
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
#: Without meaning, heard is only what holds two words of the prompt that not everybody says, the
#: second at least this heavy, or a code of it. At the same place chosen.
SECOND_WORD = 2.0
#: From here on a memory is shown unasked, at the same place chosen.
FLOOR = {"with vectors": 0.36, "words only": 0.61}
#: Beside one that is, those that are at least this share as likely are shown too.
SHARE_OF_BEST = 0.5


#: How prompts begin that anybody could answer as well.
_ASKS_ANYBODY = (
    *("what is ", "what's ", "what are ", "what does ", "what do ", "explain ", "define "),
    "difference between ",
)


class PromptFeatures(Value):
    """What speaks for one candidate and against it, each by its name in the weights."""

    meaning: float = 0.0  #: cosine of its best window; 0 where vectors did not find it
    behind: float = 0.0  #: how far its cosine is behind the best one
    covered: float = 0.0  #: share of the prompt's weight that it holds in words, in [0, 1]
    uncovered: float = 0.0  #: how far its weight of words is behind the best one's, in [0, 1]
    first: float = 0.0  #: weight of the heaviest word that it holds
    second: float = 0.0
    third: float = 0.0
    code: float = 0.0  #: 1 if it holds a code, path or flag of the prompt; a bare number is none
    foreign: float = 0.0  #: names in the prompt that it does not hold, at most 2
    general: float = 0.0  #: 1 if the prompt asks what something is, as of anybody
    event: float = 0.0  #: 1 if it tells what happened, not what holds
    cued: float = 0.0  #: 1 if it has cues, which a prompt meets by chance, too
    everyday: float = 0.0  #: log-odds that the prompt is an everyday one; 0: not known


def prompt_features(
    question: str, memories: Mapping[int, Memory], vectors: Sequence[Hit], everyday: float = 0.0
) -> dict[int, PromptFeatures]:
    """Return the evidence for every candidate, by key.

    Args:
        question: what of the prompt is asked.
        memories: the candidates in force, by key.
        vectors: what meaning found; empty where only words were to be had.
        everyday: log-odds that the prompt needs nothing remembered; 0: not known.
    """
    texts = {
        key: "\n".join((*one.tags, *one.cues, one.summary or "", one.content))
        for key, one in memories.items()
    }
    words = TermMatcher(question, texts)
    weights = {term: _weight(term, words.holders[term], len(texts)) for term in words.terms}
    total = sum(weights.values()) + PROMPT_WEIGHT_PRIOR
    found = {
        key: sorted((weights[term] * share for term, share in held.items()), reverse=True)
        for key, held in words.held.items()
    }
    most = max((sum(one) for one in found.values()), default=0.0) or 1.0
    cosines: dict[int, float] = {}
    for hit in vectors:
        cosines[hit.head] = max(hit.score, cosines.get(hit.head, 0.0))
    top = max(cosines.values(), default=0.0)
    codes = [one for one in words.codes if not one.isdigit()]
    general = float(_asks_anybody(question))
    evidence = {}
    for key, memory in memories.items():
        heaviest = [*found[key][:3], 0.0, 0.0, 0.0]
        cosine = cosines.get(key, 0.0)
        evidence[key] = PromptFeatures(
            meaning=cosine,
            behind=top - cosine,
            covered=sum(found[key]) / total,
            uncovered=1 - sum(found[key]) / most,
            first=heaviest[0],
            second=heaviest[1],
            third=heaviest[2],
            code=float(any(words.held[key].get(one) == 1.0 for one in codes)),
            foreign=float(min(sum(name not in words.held[key] for name in words.names), 2)),
            general=general,
            event=float(memory.type == "episodic"),
            cued=float(bool(memory.cues)),
            everyday=everyday,
        )
    return evidence


def _asks_anybody(question: str) -> bool:
    """Tell whether a prompt asks what something is or how it works: seldom what was decided."""
    low = question.lower().removeprefix("please ")
    return low.startswith(_ASKS_ANYBODY) or (low.startswith("how does ") and " work" in low)


def _weight(term: str, holders: int, candidates: int) -> float:
    """Return what a word weighs: more, the fewer hold it; little, if everybody says it.

    A single letter or digit is like a word that everybody says.
    """
    share = EVERYDAY_SHARE if term in GENERIC_WORDS or (len(term) == 1 and term.isascii()) else 1.0
    return share * log((BACKGROUND_DOCS + candidates + 1) / (holders + 0.5))


def prompt_relevance(evidence: PromptFeatures, *, vectors: bool) -> float:
    """Return how likely a prompt calls for a candidate, in [0, 1].

    Args:
        evidence: what speaks for and against it.
        vectors: whether meaning was searched as well as words.
    """
    if not vectors and not has_enough_evidence(evidence):
        return 0.0
    kind = _kind(vectors=vectors)
    odds = BIAS[kind]
    for name, weight in WEIGHTS[kind].items():
        odds += weight * getattr(evidence, name)
    return 1 / (1 + exp(-odds))


def has_enough_evidence(evidence: PromptFeatures) -> bool:
    """Tell whether more than one word, which may be chance, is between a prompt and a candidate."""
    return evidence.second >= SECOND_WORD or evidence.code > 0


def relevance_cutoff(best: float, *, vectors: bool) -> float:
    """Return how likely a memory must be to be shown beside the likeliest one; above 1: none is."""
    return SHARE_OF_BEST * best if best >= FLOOR[_kind(vectors=vectors)] else 2.0


def _kind(*, vectors: bool) -> str:
    return "with vectors" if vectors else "words only"
