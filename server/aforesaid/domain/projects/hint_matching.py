"""Matches a title or first message with known projects, for clients that report no folder.

Precision first: a project is chosen only if the text has its name or alias. A match by entities,
keywords or description is only suggested, and so is a name that is also a common word. Detection by
folder: detection.py.
"""

from __future__ import annotations

import re
import unicodedata

from aforesaid.domain.text.tokenize import is_edit_distance_one
from aforesaid.domain.value import Value
from aforesaid.lexicon.project_names import (
    DOUBT_LINKS,
    DOUBT_WORDS,
    EVERYDAY_WORDS,
    PROJECT_NOUNS,
    PROJECT_NOUNS_AFTER,
    PROJECT_STOP_WORDS,
    WORK_LINKS,
    WORK_VERBS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Minimum score to choose a project by a title or by other text, and to suggest it.
MIN_TITLE_SCORE = 0.8
MIN_TEXT_SCORE = 0.85
MIN_SUGGESTED_SCORE = 0.5
# A project is chosen only with this lead over the next.
CLEAR_LEAD = 0.1

MAX_HINT_CHARS = 4_000
MAX_SUGGESTED = 5
MIN_DISTINCTIVE_CHARS = 4
MIN_MISSPELT_CHARS = 6

_SCORE_FULL_NAME = 0.97  # "acme/payments" as written
_SCORE_NAME = 0.92  # several words, or one that its context marks as a name
_SCORE_PLAIN = 0.75  # a single uncommon word, without such a context
_SCORE_DOUBTED = 0.7  # named as something new, different or compared
_SCORE_CHANCE = 0.6  # common words, part of a longer word ("nebula-web"), or misspelt
_MAX_SCORE_ABOUT = 0.78  # maximum for entities and keywords, below any name


class ProjectCandidate(Value):
    """A known project, with what a hint may match."""

    project: int  # key
    name: str
    aliases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    description: str = ""
    entities: tuple[str, ...] = ()


class HintMatch(Value):
    """How well a text matches a project."""

    project: int  # key
    score: float  # in [0, 1]
    why: str


class HintChoice(Value):
    """The project to choose, or those to suggest."""

    chosen: HintMatch | None = None
    suggested: tuple[HintMatch, ...] = ()  # best first


def match_hint(text: str, candidates: Sequence[ProjectCandidate]) -> list[HintMatch]:
    """Return the projects that match a text, best first, ties by key.

    Only the first 4,000 characters are read.
    """
    hint = _HintText(text[:MAX_HINT_CHARS])
    if not hint.words:
        return []
    owners = _count_owners(candidates)
    matches = []
    for candidate in candidates:
        by_name = _match_names(hint, candidate)
        by_content = _match_about(hint, candidate, owners)
        best = max((by_name, by_content), key=lambda match: match[0])
        if best[0] > 0:
            matches.append(
                HintMatch(project=candidate.project, score=round(best[0], 3), why=best[1])
            )
    return sorted(matches, key=lambda match: (-match.score, match.project))


def choose_hint(matches: Sequence[HintMatch], *, title: bool) -> HintChoice:
    """Return the project to choose, or those to suggest.

    Args:
        matches: see ``match_hint``.
        title: whether the text is a title, which is trusted a little more than free text.
    """
    ranked = sorted(matches, key=lambda match: (-match.score, match.project))
    best = ranked[0] if ranked else None
    lead = best.score - ranked[1].score if best and len(ranked) > 1 else 1.0
    if best and best.score >= (MIN_TITLE_SCORE if title else MIN_TEXT_SCORE) and lead >= CLEAR_LEAD:
        return HintChoice(chosen=best)
    return HintChoice(
        suggested=tuple(match for match in ranked if match.score > MIN_SUGGESTED_SCORE)[
            :MAX_SUGGESTED
        ]
    )


class _HintText:
    """A text with its words and their positions."""

    def __init__(self, text: str) -> None:
        self.text = unicodedata.normalize("NFKC", text)
        self.folded = self.text.casefold()
        matches = list(re.finditer(r"[^\W_]+", self.folded))
        self.words = [match[0] for match in matches]
        self.spans = [match.span() for match in matches]
        self.known = frozenset(self.words)

    def find(self, phrase: Sequence[str]) -> list[int]:
        """Return the indexes of the words at which a phrase begins."""
        if not phrase or not self.known.issuperset(phrase):
            return []
        size = len(phrase)
        return [
            at
            for at in range(len(self.words) - size + 1)
            if self.words[at : at + size] == list(phrase)
            and all(self._is_one_name(n) for n in range(at, at + size - 1))
        ]

    def is_glued(self, at: int, size: int) -> bool:
        """Return whether these words are part of a longer one such as nebula-web or nebula.py."""
        start, end = self.spans[at][0], self.spans[at + size - 1][1]
        before, after = self.folded[max(0, start - 2) : start], self.folded[end : end + 2]
        return bool(re.fullmatch(r"\w[-_./@]|.?_", before) or re.fullmatch(r"[-_./@]\w|_.?", after))

    def opens_with(self, at: int, size: int) -> bool:
        """Return whether the text consists of these words, or begins with them as a label."""
        if at > 0:
            return False
        return re.match(r"\W*$|\s*[\])]?\s*[:|\u2013\u2014]| - ", self.after(at, size)) is not None

    def after(self, at: int, size: int) -> str:
        """Return the text that follows these words."""
        return self.folded[self.spans[at + size - 1][1] :]

    def _is_one_name(self, at: int) -> bool:
        """Return whether a word and the next are joined as in a name."""
        between = self.folded[self.spans[at][1] : self.spans[at + 1][0]]
        return between in {" ", "-", "_", "/", ".", "  ", "\n", " - "}


def _match_names(hint: _HintText, candidate: ProjectCandidate) -> tuple[float, str]:
    best = (0.0, "")
    for name in (candidate.name, *candidate.aliases):
        for form in _forms(name):
            score = _score_name(hint, form)
            if score > best[0]:
                best = score, f"the text names \u201c{name}\u201d"
        if best[0] == 0 and _is_misspelt(hint, name):
            best = _SCORE_CHANCE, f"the text has a word like \u201c{name}\u201d"
    return best


def _forms(name: str) -> list[str]:
    """Return the forms of a name or alias: owner/name and name; none for a path."""
    if name.startswith(("repo:", "marker:", "folder:", "chosen:", "git:file:")):
        return []
    form = name.removeprefix("git:").removeprefix("name:").strip("/ ")
    return list(dict.fromkeys((form, form.rsplit("/", 1)[-1])))


def _score_name(hint: _HintText, form: str) -> float:
    """Return the score, in [0, 1], of a text for one form of a project's name."""
    folded = _fold(form)
    if _has_no_word_breaks(folded):
        return _SCORE_NAME if len(folded) > 1 and folded in hint.folded else 0.0
    phrase = _words(folded)
    scores = [_score_position(hint, form, phrase, at) for at in hint.find(phrase)]
    return max(scores, default=0.0)


def _score_position(hint: _HintText, form: str, phrase: list[str], at: int) -> float:
    size = len(phrase)
    start, end = hint.spans[at][0], hint.spans[at + size - 1][1]
    if _is_doubted(hint, at, size):
        return _SCORE_DOUBTED
    if "/" in form and hint.folded[start:end] == _fold(form):
        return _SCORE_FULL_NAME
    if hint.is_glued(at, size):
        return _SCORE_CHANCE
    distinctive = any(
        word not in EVERYDAY_WORDS and len(word) >= MIN_DISTINCTIVE_CHARS for word in phrase
    )
    if size > 1:
        # "Brand X" with the same capitals is the name.
        verbatim = form != form.lower() and form in hint.text
        # Three common words joined as in the name are unlikely by chance.
        verbatim |= size > 2 and " " not in form and hint.folded[start:end] == _fold(form)  # noqa: PLR2004
        return _SCORE_NAME if distinctive or verbatim else _SCORE_CHANCE
    if not distinctive:
        return _SCORE_CHANCE
    return _SCORE_NAME if _is_marked(hint, at, size) else _SCORE_PLAIN


def _is_marked(hint: _HintText, at: int, size: int) -> bool:
    """Return whether neighbouring words mark a position as a project's name."""
    before = hint.words[at - 1] if at else ""
    following = hint.words[at + size] if at + size < len(hint.words) else ""
    if before in PROJECT_NOUNS or following in PROJECT_NOUNS_AFTER:
        return True
    links = 0
    while at - links > 0 and hint.words[at - links - 1] in WORK_LINKS:
        links += 1
    verb = hint.words[at - links - 1] if at - links > 0 else ""
    return verb in WORK_VERBS or hint.opens_with(at, size)


def _is_doubted(hint: _HintText, at: int, size: int) -> bool:
    """Return whether neighbouring words speak against a project of this name."""
    if re.match(r"\s+(vs|versus)\b|-(like|style)\b", hint.after(at, size)):
        return True
    at -= 1
    while at >= 0 and hint.words[at] in DOUBT_LINKS:
        at -= 1
    return at >= 0 and hint.words[at] in DOUBT_WORDS


def _is_misspelt(hint: _HintText, name: str) -> bool:
    """Return whether a long single-word name occurs with one typing error."""
    form = _fold(_forms(name)[-1]) if _forms(name) else ""
    if len(form) < MIN_MISSPELT_CHARS or len(_words(form)) != 1 or form in EVERYDAY_WORDS:
        return False
    return any(
        abs(len(word) - len(form)) <= 1 and word[0] == form[0] and is_edit_distance_one(word, form)
        for word in hint.known
    )


def _match_about(
    hint: _HintText, candidate: ProjectCandidate, owners: Mapping[tuple[str, ...], int]
) -> tuple[float, str]:
    """Return score and reason for entities, keywords and description; shared ones count less."""
    missing = 1.0
    matched: list[str] = []
    counted: set[tuple[str, ...]] = set()
    for weight, texts in ((0.5, candidate.entities), (0.4, candidate.keywords)):
        for text in texts:
            phrase = tuple(_words(_fold(text)))
            if phrase in counted or not hint.find(phrase) or PROJECT_STOP_WORDS.issuperset(phrase):
                continue
            counted.add(phrase)
            everyday = EVERYDAY_WORDS.issuperset(phrase)
            missing *= 1 - weight / owners.get(phrase, 1) / (2 if everyday else 1)
            matched.append(text)
    for word in dict.fromkeys(_words(_fold(candidate.description))):
        if (
            len(word) >= MIN_DISTINCTIVE_CHARS
            and word in hint.known - PROJECT_STOP_WORDS
            and (word,) not in counted
        ):
            missing *= 1 - 0.2 / owners.get((word,), 1) / (2 if word in EVERYDAY_WORDS else 1)
            matched.append(word)
    return min(_MAX_SCORE_ABOUT, 1 - missing), "the text mentions " + ", ".join(matched[:3])


def _count_owners(candidates: Sequence[ProjectCandidate]) -> dict[tuple[str, ...], int]:
    """Return the number of projects with each entity, keyword and word of a description."""
    counts: dict[tuple[str, ...], int] = {}
    for candidate in candidates:
        phrases = {tuple(_words(_fold(t))) for t in (*candidate.entities, *candidate.keywords)}
        phrases |= {(word,) for word in _words(_fold(candidate.description))}
        for phrase in phrases:
            counts[phrase] = counts.get(phrase, 0) + 1
    return counts


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _words(folded: str) -> list[str]:
    return re.findall(r"[^\W_]+", folded)


def _has_no_word_breaks(text: str) -> bool:
    """Return whether a name is in a script without spaces between words."""
    return re.search("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]", text) is not None
