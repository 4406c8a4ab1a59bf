"""What a user said that outlives the session: candidates for memories of their own.

Here: which sentence is one, of what kind, where it applies. Not here: hearing it (listening.py),
storing it (services/sessions/candidates.py). Precision comes first: what is only an order for the
moment, a complaint or a question never becomes one.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import cues, language
from aforesaid.domain.value import Value

PREFERENCE, RULE, FACT, CORRECTION, DECISION = (
    "preference", "rule", "fact", "correction", "decision",
)  # fmt: skip
_I = re.IGNORECASE
#: Characters of a sentence that can be understood alone, and that is one sentence.
_LEAST, _LONGEST = 6, 320


class Candidate(Value):
    """A statement by the user that may become a memory. `scope` is global or project.

    `instead_of` is what the agent had said that a correction puts right; empty if that is unknown.
    """

    text: str
    at_ms: int
    kind: str
    scope: str
    instead_of: str = ""

    @property
    def content(self) -> str:
        """The statement as it can be understood alone."""
        return with_wrong(self.text, self.instead_of)


def with_wrong(text: str, wrong: str) -> str:
    """Return a correction with what it puts right, if that is known."""
    return f'{text} (instead of "{wrong}")' if wrong else text


def without_wrong(text: str) -> str:
    """Return a correction without what it puts right."""
    return re.sub(r' \(instead of "[^"]*"\)$', "", text)


def candidate_of(
    sentence: str, at_ms: int, *, corrects: bool = False, listed: bool = False
) -> Candidate | None:
    """Return the candidate that a user's sentence is; None if it does not outlive the session.

    Args:
        sentence: as the user wrote it, without machine text.
        at_ms: when.
        corrects: it puts something right.
        listed: it stands in a list of rules.
    """
    kind = _kind(sentence, corrects=corrects)
    if listed and not kind and not language.is_question(sentence):
        kind = RULE
    text = language.without_lead(sentence)
    if not kind or not _LEAST <= len(text) <= _LONGEST or not language.words_of(text):
        return None
    return Candidate(text=text, at_ms=at_ms, kind=kind, scope=scope_of(text, kind))


def extended(candidate: Candidate, sentence: str) -> Candidate:
    """Return a candidate with the sentence that goes on with it."""
    text = f"{candidate.text}; {language.without_lead(sentence)}"
    return candidate.replace(text=text) if len(text) <= _LONGEST else candidate


def scope_of(text: str, kind: str) -> str:
    """Return where a statement applies, by what it is about: the person or the project."""
    personal = re.search(cues.PERSONAL, text, _I) and not re.search(cues.HERE, text, _I)
    return "global" if kind in {RULE, PREFERENCE} and personal else "project"


def _kind(sentence: str, *, corrects: bool) -> str:
    kind = ""
    asks = language.is_question(sentence) or language.announces(sentence)
    if asks or language.is_passing(sentence):
        pass
    elif corrects:
        kind = CORRECTION if _states_something(language.without_lead(sentence)) else ""
    elif language.is_decided(sentence):
        kind = DECISION
    elif language.is_choice(sentence) and not language.is_fact(sentence):
        kind = DECISION if language.is_reasoned(sentence) else ""
    elif _lasts(language.without_lead(sentence)):
        habit = language.is_fact(sentence) and not re.search(cues.LASTING, sentence, _I)
        kind = FACT if habit else RULE
        kind = PREFERENCE if re.search(cues.PERSONAL, sentence, _I) else kind
    elif language.is_fact(sentence) and not re.search(cues.AT_HAND, sentence, _I):
        kind = FACT
    return kind


def _lasts(sentence: str) -> bool:
    """Tell whether a sentence is a rule or wish that holds on."""
    if re.search(cues.AT_HAND, sentence, _I):
        return False
    directive = re.search(cues.DIRECTIVE, sentence, _I)
    house = re.search(f"{cues.HOUSE}|{cues.WISH}", sentence, _I)
    reasoned = language.is_rule(sentence) and re.search(cues.CONSTRAINT, sentence, _I)
    if not (directive or house or reasoned):
        return False
    complains = re.search(cues.COMPLAINT, sentence, _I) and not re.search(
        cues.LASTING, sentence, _I
    )
    return bool(house or reasoned) or not complains


def _states_something(sentence: str) -> bool:
    """Tell whether a correction says how things are, not only what to do about the moment."""
    if re.search(f"{cues.BLAME}|{cues.AT_HAND}", sentence, _I):
        return False
    if _lasts(sentence):
        return True
    if language.forbids(sentence):
        return language.is_reasoned(sentence) or bool(re.search(cues.CONSTRAINT, sentence, _I))
    if re.search(cues.CONTRAST, sentence, _I):
        return True
    if re.search(f"{cues.COMPLAINT}|{cues.PAST}", sentence, _I):
        return False
    states = (cues.STATES, cues.FACT, cues.CONSTRAINT)
    return any(re.search(pattern, sentence, _I) for pattern in states)
