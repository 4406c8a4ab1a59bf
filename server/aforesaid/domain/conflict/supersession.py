"""Estimates whether a newer memory supersedes an older one without saying so explicitly.

Similarity alone never suffices: the newer text must state a change, or make a statement of the same
kind about the same subject. Choosing pairs and acting on them: services/recall/supersede_filter.py.
"""

from __future__ import annotations

import re

from aforesaid.domain.logistic import logistic
from aforesaid.domain.text.tokenize import stem
from aforesaid.domain.value import Value
from aforesaid.lexicon import change
from aforesaid.lexicon.stop_words import STOP_WORDS

#: Log-odds that the newer text supersedes the older: bias and weight of each feature. Trained by
#: ``python -m bench.supersession``. Source: docs/adr/0025-precision-and-silence.md.
BIAS = {"with vectors": -4.34, "words only": -4.78}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "cue": 1.17,
        "past_cue": -2.34,
        "cites": 3.37,
        "subject": 2.59,
        "swapped": -3.34,
        "shared": -1.14,
        "like": 15.39,
        "cued_like": 15.61,
    },
    "words only": {
        "cue": 2.22,
        "past_cue": -1.84,
        "cites": 2.30,
        "subject": 2.09,
        "swapped": -2.73,
        "shared": 0.96,
    },
}
#: Minimum probability at which the newer memory ranks first.
OUTRANKS = 0.5
#: Minimum probability at which the newer memory outdates the older one, which is left out.
OUTDATES = 0.8
#: A newer text with less than MIN_KEPT of the older one's terms supersedes only a part of it: the
#: probability is capped at PARTLY.
MIN_KEPT, PARTLY = 0.4, 0.7
MAX_CHARS = 600  #: longer texts state several facts and are never superseded as a whole
MIN_BEGINNING = 4  #: shared prefix by which two forms of a name match
LIKE = 0.4  #: cosines below are not evidence

_CUE = re.compile(rf"\b(?:{change.CHANGE_CUES})\b")  # of lower-case text: IGNORECASE is 8x slower
#: Patterns of few texts are compiled at first use, since a hook imports this module.
_STATED = rf"\b(?:{change.STATED_CHANGES})\b"
#: A few words after one of these name what no longer holds.
_ENDED_AFTER = re.compile(
    rf"\b(?:(?:{change.CHANGED_FROM})\b[^.;,]{{0,60}}? from|{change.REPLACED})"
    r"(?: (?:the|an?|in|on|at|by|from|with))?"
    r" ((?:(?!(?:to|into|with|by|but|and|or)\b)[\w./:@%-]*\w ?){1,3})",
    re.IGNORECASE,
)
#: Up to three words before one of these name what no longer holds.
_ENDED_BEFORE = rf"\b((?:[\w./:@%-]*\w ){{1,3}})(?:{change.ENDINGS})"
#: The second part of _ENDED_BEFORE, searched first because it is rare.
_ENDED = re.compile(rf"\b(?:{change.ENDINGS})")
#: A fact about everything except X is not superseded by a fact about X.
_EXCEPTIONS = re.compile(rf"\b(?:{change.EXCEPTIONS})\b")
_PAST = re.compile(rf"\b(?:{change.PAST})\b", re.IGNORECASE)
#: A word that begins with a letter is one token; one that begins with a digit may be several.
_TOKEN = re.compile(
    r"[^\W\d_][^\W_]*(?:[_.\-/:][^\W_]+)*|[^\W_]+(?:[_.\-/:][^\W_]+)+|\d[\d.,:]*\d|[^\W_]+"
    r"|[.;:,!?](?=\s|$)"
)
_LEAD_IN = re.compile(
    rf"^(?:(?:{change.OPENINGS})[,.] ?|(?:{change.CORRECTIONS})\b[,.:]? ?)", re.IGNORECASE
)
_CORRECTS = re.compile(rf"^(?:{change.CORRECTIONS})\b", re.IGNORECASE)
_SPEECH = re.compile(rf"\b(?:{change.SPEECH})\b", re.IGNORECASE)
_MAX_SHARED = 4
_BRIEF = 8  #: most terms of a text that states one fact


class SupersessionFeatures(Value):
    """Features of a pair of texts from which the probability is computed."""

    cue: float = 0.0  #: 1 if the newer text states a change
    past_cue: float = 0.0  #: 1 if the older text does
    cites: float = 0.0  #: 1 if the newer text does, and has a number or a name of the older
    subject: float = 0.0  #: 1 if their subjects share a word
    swapped: float = 0.0  #: 1 if each subject has a word that the other text lacks
    shared: float = 0.0  #: number of common terms, at most 4
    like: float = 0.0  #: excess of the cosine over ``LIKE``
    cued_like: float = 0.0  #: the same if ``cue``, else 0


def states_change(text: str) -> bool:
    """Return whether a text states that something changed."""
    return _CUE.search(text.lower()) is not None or _CORRECTS.match(text) is not None


class ParsedStatement:
    """The terms of a text as stems, with its subject, numbers, names and statements of change."""

    def __init__(self, text: str) -> None:
        self.terms: set[str] = set()
        self.numbers: set[str] = set()
        self.names: set[str] = set()
        self.subject: set[str] = set()
        self.subject_number = ""  #: tells the subject from others of its kind: "server 2"
        self.plain_terms: set[str] = set()  #: terms of the first clause that are not names
        lowered = text.lower()
        self.has_cue = states_change(lowered)  #: whether a word suggests a change
        #: whether a word states a change by itself
        self.states_change = self.has_cue and (
            re.search(_STATED, lowered) is not None or _CORRECTS.match(text) is not None
        )
        phrases = re.findall(_ENDED_BEFORE, text, re.IGNORECASE) if _ENDED.search(lowered) else ()
        self.ended_values = _values_in(" ; ".join((*_ENDED_AFTER.findall(text), *phrases)))
        self.exceptions = set(_EXCEPTIONS.findall(lowered))
        lead_in = _LEAD_IN.match(text)
        #: whether it is a question, a thank-you or a promise, which states no fact
        self.is_speech = text.rstrip().endswith("?") or _SPEECH.search(text) is not None
        self._read(text[lead_in.end() :] if lead_in else text)

    @property
    def is_brief(self) -> bool:
        """Whether the text is so short that it states one fact."""
        return len(self.terms) <= _BRIEF

    def _read(self, text: str) -> None:
        in_subject = in_clause = True
        after_verb = False
        for position, token in enumerate(_TOKEN.findall(text)):
            lowered = token.lower()
            if not lowered[0].isalnum():
                in_clause = in_clause and (not self.terms or lowered in ",:")
            in_subject = in_subject and self._subject_goes_on(lowered, after_verb=after_verb)
            after_verb = after_verb or lowered in change.VERBS
            if lowered[0].isdigit() or lowered in change.NUMBERS:
                if in_subject and self.subject and lowered.isdigit():
                    self.subject_number = self.subject_number or lowered
                self.numbers.add(change.NUMBERS.get(lowered, token.replace(",", "")))
            elif (
                len(lowered) > 1 and lowered not in STOP_WORDS and lowered not in change.NO_SUBJECTS
            ):
                term = stem(lowered)
                self.terms.add(term)
                named = not token.isalpha() or (position > 0 and token[0].isupper())
                if named:
                    self.names.add(term)
                elif in_clause:
                    self.plain_terms.add(term)
                if in_subject and lowered not in change.VERBS:
                    self.subject.add(term)

    def _subject_goes_on(self, word: str, *, after_verb: bool) -> bool:
        if not word[0].isalnum():
            return not self.subject or word == ","
        if word in change.VERBS:
            return not self.subject
        return not (after_verb and word in change.PREPOSITIONS)


def supersession_features(
    older: ParsedStatement, newer: ParsedStatement, cosine: float
) -> SupersessionFeatures:
    """Return the features of a pair of texts.

    Args:
        older: the text stored first.
        newer: the text stored later.
        cosine: their cosine; 0 without vectors.
    """
    cue = float(newer.has_cue)
    like = max(cosine - LIKE, 0.0)
    cites = bool(_cited(older, newer))
    swapped = older.subject - newer.terms and newer.subject - older.terms
    return SupersessionFeatures(
        cue=cue,
        past_cue=float(older.has_cue),
        cites=cue * cites,
        subject=float(bool(older.subject & newer.subject)),
        swapped=float(bool(swapped)),
        shared=float(min(len(older.terms & newer.terms), _MAX_SHARED)),
        like=like,
        cued_like=cue * like,
    )


def _cited(older: ParsedStatement, newer: ParsedStatement) -> set[str]:
    """Return the numbers and names of the older text in the newer, but for the common subject."""
    names = older.names & newer.terms - (older.subject & newer.subject)
    return names | older.numbers & newer.numbers


def _numbers_differ(older: ParsedStatement, newer: ParsedStatement) -> bool:
    """Return whether the subjects are two of a kind, told apart by their numbers."""
    return len({older.subject_number, newer.subject_number} - {""}) > 1


def changes_subject(older: ParsedStatement, newer: ParsedStatement) -> bool:
    """Return whether the newer text states a change of the older one's subject, or of its value.

    Which fact about the subject changed is left open: it may be another one.
    """
    if older.is_speech or newer.is_speech or not newer.states_change:
        return False
    if _numbers_differ(older, newer):
        return False
    if newer.ended_values:
        ended = all(_contains(older, {value}) for value in newer.ended_values)
        brief = older.is_brief and bool(newer.subject & older.terms)
        return ended and (brief or newer.subject <= older.terms)
    shared = older.terms & newer.terms
    same = _overlap(older.subject, newer.subject) and not (
        older.subject - newer.terms and newer.subject - older.terms
    )
    return same or (len(shared) > 1 and newer.subject <= shared)


def lacks_subject(newer: ParsedStatement) -> bool:
    """Return whether a text states a change without saying of what: "we moved to Hetzner"."""
    return (
        newer.states_change
        and not newer.subject
        and not newer.ended_values
        and len(newer.terms) <= _MAX_SHARED
    )


def negates_value(older: ParsedStatement, newer: ParsedStatement) -> bool:
    """Return whether the newer text says that a value in the older one no longer holds."""
    return bool(newer.ended_values & (older.numbers | older.terms) - older.ended_values)


def _contains(statement: ParsedStatement, values: set[str]) -> bool:
    """Return whether a text contains one of these values, also as a prefix or extended."""
    return _overlap(statement.numbers | statement.terms, values)


def _overlap(words: set[str], others: set[str]) -> bool:
    """Return whether two sets share a word, or a word of one begins one of the other."""
    return bool(words & others) or any(
        other.startswith(word) or word.startswith(other)
        for other in others
        for word in words
        if min(len(other), len(word)) >= MIN_BEGINNING
    )


def _values_in(text: str) -> set[str]:
    values = set()
    for token in _TOKEN.findall(text):
        lowered = token.lower()
        if lowered[0].isdigit() or lowered in change.NUMBERS:
            values.add(change.NUMBERS.get(lowered, token.replace(",", "")))
        elif (
            lowered[0].isalnum()
            and lowered not in STOP_WORDS
            and (not token.isalpha() or token[0].isupper())
        ):
            values.add(stem(lowered))
    return values


def supersession_probability(
    older: ParsedStatement, newer: ParsedStatement, cosine: float | None
) -> float:
    """Return the probability, in [0, 1], that the newer text supersedes the older.

    Args:
        older: the text stored first.
        newer: the text stored later.
        cosine: their cosine; None without vectors.
    """
    if older.is_speech or newer.is_speech:
        return 0.0
    if not older.terms & newer.terms or older.exceptions - newer.exceptions:
        return 0.0
    if _numbers_differ(older, newer) and not newer.states_change:
        return 0.0
    stated = newer.states_change or (newer.has_cue and _cited(older, newer))
    if not stated and older.plain_terms - newer.terms and newer.plain_terms - older.terms:
        return 0.0  # no stated change, and each has a subject of its own
    if (
        newer.ended_values
        and not _contains(older, newer.ended_values)
        and older.plain_terms - newer.terms
    ):
        return 0.0  # it replaces something that is not in the older text
    mode = "words only" if cosine is None else "with vectors"
    features = supersession_features(older, newer, cosine or 0.0)
    odds = BIAS[mode] + sum(
        weight * getattr(features, name) for name, weight in WEIGHTS[mode].items()
    )
    probability = logistic(odds)
    coverage = len(older.terms & newer.terms) / len(older.terms)
    return probability if coverage >= MIN_KEPT else min(probability, PARTLY)


def asks_for_past(query: str) -> bool:
    """Return whether a query asks about the past, or why something changed."""
    return _PAST.search(query) is not None
