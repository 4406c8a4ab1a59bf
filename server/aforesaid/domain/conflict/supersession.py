"""Does a newer memory outdate an older one that nobody told it replaces?

Here: comparing two texts, and whether a question asks for the past. Not here: which memories are
compared and what follows (services/recall/supersede_filter.py). Mere likeness never suffices:
something must say that it changed, or the newer text must say of the same thing what the older one
said.
"""

from __future__ import annotations

import re
from math import exp

from aforesaid.domain.text.stem import stem
from aforesaid.domain.text.tokenize import STOP_WORDS
from aforesaid.domain.value import Value

#: Log-odds that the newer one outdates the older: bias, and each sign. Made by ``python -m
#: bench.supersession``. Source: docs/adr/0025-precision-and-silence.md.
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
#: From here on the newer one stands first.
OUTRANKS = 0.5
#: From here on the older one is left out.
OUTDATES = 0.8
#: Of what the older one speaks of, the newer one must speak of so much; else it outdates a part of
#: it at most, and is never surer than this.
MIN_KEPT, PARTLY = 0.4, 0.7
MAX_CHARS = 600  #: longer texts say many things: one does not outdate another whole
MIN_BEGINNING = 4  #: characters that two forms of a name share
LIKE = 0.4  #: cosines of two memories below it say nothing

_CUE = re.compile(
    r"\b(?:now|no longer|any ?more|instead|replac\w+|moved|went (?:up|down|to)|since|still"
    r"|as (?:before|of)|remains?|changed|raised|rose|fell|lowered|reduced|increased|updated?"
    r"|upgraded|switched|migrated|converted|renamed|rewritten|taken back|again|gone|new|former\w*"
    r"|bumped|shifted|swapped|rerouted|displaced|ditched|stretched|doubled|tripled|halved"
    r"|left|took over|gave up|starting|beginning with|dropped|ended|after the"
    r"|from (?:\d{1,2} )?(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december))\b"
)  # of lower-case text: a pattern that ignores case takes eight times as long
#: Of these, the ones that say by themselves that something is otherwise than it was.
_STATED = re.compile(
    r"\b(?:now|no longer|any ?more|instead|replac\w+|moved|went (?:up|down|to)|changed|raised|rose"
    r"|fell|lowered|reduced|increased|updated?|upgraded|switched|migrated|converted|renamed"
    r"|rewritten|taken back|took over|gave up|dropped|bumped|shifted|swapped|rerouted|displaced"
    r"|ditched|stretched|doubled|tripled|halved)\b"
)
#: What a text says is no more stands behind one of these, a few words long, ...
_GONE = re.compile(
    r"\b(?:(?:moved|switched|changed|migrated|converted|renamed|raised|lowered|reduced|increased"
    r"|upgraded|downgraded|bumped|cut|shifted|rerouted|stretched|doubled|tripled|halved|over|back"
    r")\b[^.;,]{0,60}? from|swapped|displaced|ditched|instead of|rather than|no longer|not"
    r"|dropped|gave up|replac(?:ed|es|ing)(?! by\b))"
    r"(?: (?:the|an?|in|on|at|by|from|with))?"
    r" ((?:(?!(?:to|into|but|and|or)\b)[\w./:@%-]*\w ?){1,3})",
    re.IGNORECASE,
)
#: ... or, up to three words, before one of these.
_WENT = re.compile(
    r"\b((?:[\w./:@%-]*\w ){1,3})(?:(?:was|were|is|are) (?:replaced|dropped|retired|removed|gone)\b"
    r"|(?:is|are) no longer\b|left\b|changed teams\b)",
    re.IGNORECASE,
)
#: How such a text ends: sought first, since few do.
_ENDED = re.compile(
    r"\b(?:(?:was|were|is|are) (?:replaced|dropped|retired|removed|gone)\b"
    r"|(?:is|are) no longer\b|left\b|changed teams\b)"
)
#: What holds apart from something is not outdated by what holds for it.
_APART = re.compile(r"\b(?:outside|except|other|others|besides|without)\b")
_PAST = re.compile(
    r"\b(?:before|previous(?:ly)?|former(?:ly)?|used to|old|older|earlier|original(?:ly)?|history"
    r"|was|were|had|until|instead|anymore|changed?|moved?|left|leave|switch(?:ed)?|drop(?:ped)?"
    r"|replaced?|abandon(?:ed)?|reject(?:ed)?|refused?|turned down|decided against|why not)\b",
    re.IGNORECASE,
)
#: What begins with a letter is read in one go; what begins with a digit may be several things.
_TOKEN = re.compile(
    r"[^\W\d_][^\W_]*(?:[_.\-/:][^\W_]+)*|[^\W_]+(?:[_.\-/:][^\W_]+)+|\d[\d.,:]*\d|[^\W_]+"
    r"|[.;:,!?](?=\s|$)"
)
_LEAD_IN = re.compile(
    r"^(?:from now on|as of [\w ]{1,20}|since \w+|from \w+(?: \w+)?|in \w+|now|good|understood"
    r"|indeed|great|also)[,.] ?",
    re.IGNORECASE,
)
_NUMBERS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
    "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip
#: Words of change and use, which name no thing.
_NO_THING = frozenset(
    """use used uses using new still longer instead since remain remains go goes went gone
    get""".split()  # noqa: SIM905 - a list of words reads better as words
)
#: Before one of these stands what a sentence is about.
_VERBS = frozenset(
    """is are was were be has have had must should shall will can may might needs need do does did
    go goes went run runs ran use uses used live lives lie lies listen listens answer answers mean
    means come comes get gets gave give gives hold holds keep keeps kept take takes took receive
    receives expire expires speak speaks read reads store stores sent send sends carry carries cost
    costs want wants work works start starts begin begins moved move changed switched replaced rose
    raised lowered left lead leads owns reviews pins asks draws says drop dropped renamed support
    supports expect expects""".split()  # noqa: SIM905 - as above
)
_MAX_SHARED = 4


class SupersessionFeatures(Value):
    """What speaks for it that a newer text outdates an older one."""

    cue: float = 0.0  #: 1 if the newer one says that something changed
    past_cue: float = 0.0  #: 1 if the older one does
    cites: float = 0.0  #: 1 if the newer one does, and names a number or a name of the older one
    subject: float = 0.0  #: 1 if their subjects share a word
    swapped: float = 0.0  #: 1 if each one's subject has a word that the other does not know
    shared: float = 0.0  #: things that both name, at most 4
    like: float = 0.0  #: cosine of the two above ``LIKE``
    cued_like: float = 0.0  #: the same where something changed


def states_change(text: str) -> bool:
    """Tell whether a text says that something changed."""
    return _CUE.search(text.lower()) is not None


class ParsedStatement:
    """What one text speaks of: its things and subject as stems, numbers and names."""

    def __init__(self, text: str) -> None:
        """Read a text."""
        self.things: set[str] = set()
        self.numbers: set[str] = set()
        self.names: set[str] = set()
        self.subject: set[str] = set()
        self.plain: set[str] = set()  #: things of the first clause that are no names
        low = text.lower()
        self.changes = states_change(low)
        self.states = self.changes and _STATED.search(low) is not None
        went = _WENT.findall(text) if _ENDED.search(low) else ()
        self.gone = _values_in(" ; ".join((*_GONE.findall(text), *went)))
        self.apart = set(_APART.findall(low))
        lead_in = _LEAD_IN.match(text)
        self._read(text[lead_in.end() :] if lead_in else text)

    def _read(self, text: str) -> None:
        in_subject = in_clause = True
        for place, token in enumerate(_TOKEN.findall(text)):
            low = token.lower()
            if not low[0].isalnum():
                in_clause = in_clause and (not self.things or low in ",:")
                in_subject = in_subject and (not self.subject or low == ",")
            elif low in _VERBS:
                in_subject = in_subject and not self.subject
            if low[0].isdigit() or low in _NUMBERS:
                self.numbers.add(_NUMBERS.get(low, token.replace(",", "")))
            elif len(low) > 1 and low not in STOP_WORDS and low not in _NO_THING:
                thing = stem(low)
                self.things.add(thing)
                named = not token.isalpha() or (place > 0 and token[0].isupper())
                if named:
                    self.names.add(thing)
                elif in_clause:
                    self.plain.add(thing)
                if in_subject and low not in _VERBS:
                    self.subject.add(thing)


def supersession_features(
    older: ParsedStatement, newer: ParsedStatement, cosine: float
) -> SupersessionFeatures:
    """Return what speaks for it that the newer one outdates the older.

    Args:
        older: what was said first.
        newer: what was said later.
        cosine: of the two; 0 where there are no vectors.
    """
    cue = float(newer.changes)
    like = max(cosine - LIKE, 0.0)
    cites = bool(_cited(older, newer))
    swapped = older.subject - newer.things and newer.subject - older.things
    return SupersessionFeatures(
        cue=cue,
        past_cue=float(older.changes),
        cites=cue * cites,
        subject=float(bool(older.subject & newer.subject)),
        swapped=float(bool(swapped)),
        shared=float(min(len(older.things & newer.things), _MAX_SHARED)),
        like=like,
        cued_like=cue * like,
    )


def _cited(older: ParsedStatement, newer: ParsedStatement) -> set[str]:
    """Return the numbers and names of the older text, apart from what both are about."""
    names = older.names & newer.things - (older.subject & newer.subject)
    return names | older.numbers & newer.numbers


def negates_value(older: ParsedStatement, newer: ParsedStatement) -> bool:
    """Tell whether the newer text names as over what the older one says holds."""
    return bool(newer.gone & (older.numbers | older.things) - older.gone)


def _holds(said: ParsedStatement, values: set[str]) -> bool:
    """Tell whether a text holds one of these values, or one that another begins with."""
    held = said.numbers | said.things
    return bool(held & values) or any(
        one.startswith(other) or other.startswith(one)
        for one in values
        for other in held
        if min(len(one), len(other)) >= MIN_BEGINNING
    )


def _values_in(text: str) -> set[str]:
    """Return the numbers and names of some words."""
    found = set()
    for token in _TOKEN.findall(text):
        low = token.lower()
        if low[0].isdigit() or low in _NUMBERS:
            found.add(_NUMBERS.get(low, token.replace(",", "")))
        elif (
            low[0].isalnum()
            and low not in STOP_WORDS
            and (not token.isalpha() or token[0].isupper())
        ):
            found.add(stem(low))
    return found


def supersession_probability(
    older: ParsedStatement, newer: ParsedStatement, cosine: float | None
) -> float:
    """Return how likely the newer one outdates the older, in [0, 1].

    Args:
        older: what was said first.
        newer: what was said later.
        cosine: of the two; None where there are no vectors.
    """
    if not older.things & newer.things or older.apart - newer.apart:
        return 0.0
    said = newer.states or (newer.changes and _cited(older, newer))
    if not said and older.plain - newer.things and newer.plain - older.things:
        return 0.0  # nothing says that this changed, and each speaks of a thing of its own
    if newer.gone and not _holds(older, newer.gone) and older.plain - newer.things:
        return 0.0  # it says what it replaces, and the older one says something else
    kind = "words only" if cosine is None else "with vectors"
    signs = supersession_features(older, newer, cosine or 0.0)
    odds = BIAS[kind] + sum(weight * getattr(signs, name) for name, weight in WEIGHTS[kind].items())
    sure = 1 / (1 + exp(-odds))
    kept = len(older.things & newer.things) / len(older.things)
    return sure if kept >= MIN_KEPT else min(sure, PARTLY)


def asks_for_past(query: str) -> bool:
    """Tell whether a question asks for what was, or why it is no more."""
    return _PAST.search(query) is not None
