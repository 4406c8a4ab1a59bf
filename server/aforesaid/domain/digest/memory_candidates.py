"""What a user said that outlives the session: candidates for memories of their own.

Here: which sentence is one, of what kind, where it applies. Not here: hearing it
(statement_extractor.py), storing it (services/sessions/candidates.py). Precision comes first: what
is only an order for the moment, a complaint or a question never becomes one.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import sentence_classifier, statement_similarity
from aforesaid.domain.value import Value
from aforesaid.lexicon import phrases

PREFERENCE, RULE, FACT, CORRECTION, DECISION = (
    "preference", "rule", "fact", "correction", "decision",
)  # fmt: skip
_I = re.IGNORECASE
#: Characters of a sentence that can be understood alone, and that is one sentence.
_MIN_CHARS, _MAX_CHARS = 6, 320
#: Words of a part of a sentence that says something, and not only names it ("json, not a form").
_CLAUSE = 3


class MemoryCandidate(Value):
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
        return with_corrected_text(self.text, self.instead_of)


def with_corrected_text(text: str, wrong: str) -> str:
    """Return a correction with what it puts right, if that is known."""
    return f'{text} (instead of "{wrong}")' if wrong else text


def without_wrong(text: str) -> str:
    """Return a correction without what it puts right."""
    return re.sub(r' \(instead of "[^"]*"\)$', "", text)


def candidate_of(
    sentence: str, at_ms: int, *, corrects: bool = False, listed: bool = False, instead_of: str = ""
) -> MemoryCandidate | None:
    """Return the candidate that a user's sentence is; None if it does not outlive the session.

    Args:
        sentence: as the user wrote it, without machine text.
        at_ms: when.
        corrects: it puts something right.
        listed: it stands in a list of rules.
        instead_of: what the agent had said that it puts right, if that is known.
    """
    kind = _kind(sentence, corrects=corrects, instead_of=instead_of)
    if listed and not kind and not sentence_classifier.is_question(sentence):
        kind = RULE
    text = sentence_classifier.strip_opening(sentence)
    least = 1 if instead_of else _MIN_CHARS
    if not kind or not least <= len(text) <= _MAX_CHARS or not sentence_classifier.words_of(text):
        return None
    scope = scope_of(text, kind)
    return MemoryCandidate(text=text, at_ms=at_ms, kind=kind, scope=scope, instead_of=instead_of)


def changes_tool_or_value(sentence: str, *, answers: bool = False) -> bool:
    """Tell whether a sentence has a thing that it names used instead of another.

    "use pnpm, not npm", "no, use port 5433 for the importer's database"; never what is about a
    part of the work at hand ("use a loop, not map").

    Args:
        sentence: as the user wrote it.
        answers: it is known which sentence of the agent it puts right.
    """
    told = _resolved(sentence_classifier.strip_opening(sentence), answers=answers)
    opposed = sentence_classifier.is_correction(
        sentence
    ) or sentence_classifier.names_rejected_value(told)
    return opposed and not sentence_classifier.is_question(sentence) and _names_tool_or_value(told)


def extended(candidate: MemoryCandidate, sentence: str) -> MemoryCandidate:
    """Return a candidate with the sentence that goes on with it."""
    text = f"{candidate.text}; {sentence_classifier.strip_opening(sentence)}"
    return candidate.replace(text=text) if len(text) <= _MAX_CHARS else candidate


def scope_of(text: str, kind: str) -> str:
    """Return where a statement applies, by what it is about: the person or the project."""
    personal = re.search(phrases.PERSONAL, text, _I) and not re.search(phrases.HERE, text, _I)
    return "global" if kind in {RULE, PREFERENCE} and personal else "project"


def _resolved(told: str, *, answers: bool) -> str:
    """Return a sentence without "for that" where what the agent said tells what that is."""
    return re.sub(phrases.THAT, "", told, count=1, flags=_I) if answers else told


def _is_about_current_work(told: str) -> bool:
    """Tell whether a sentence has a part of the work used, or no thing in particular."""
    means = re.search(f"{phrases.ELEMENT}|{phrases.INDEFINITE}", told, _I)
    return (
        sentence_classifier.uses(told) and bool(means) and not re.search(phrases.LASTING, told, _I)
    )


def _names_tool_or_value(told: str) -> bool:
    """Tell whether a sentence has something of the surroundings used, not a part of the work."""
    if (
        _is_about_current_work(told)
        or not sentence_classifier.uses(told)
        or re.search(phrases.AT_HAND, told, _I)
    ):
        return False
    purpose = re.search(phrases.PURPOSE, told, _I) or statement_similarity.values_of(told)
    return sentence_classifier.names_thing(told) and (
        sentence_classifier.names_rejected_value(told) or bool(purpose)
    )


def _kind(sentence: str, *, corrects: bool, instead_of: str) -> str:
    kind = ""
    asks = sentence_classifier.is_question(sentence) or sentence_classifier.announces(sentence)
    if asks or sentence_classifier.is_temporary(sentence):
        pass
    elif corrects:
        told = sentence_classifier.strip_opening(sentence)
        kind = CORRECTION if _states_something(told, instead_of) else ""
    elif sentence_classifier.is_decided(sentence):
        kind = DECISION
    elif sentence_classifier.is_choice(sentence) and not sentence_classifier.is_fact(sentence):
        kind = DECISION if sentence_classifier.is_reasoned(sentence) else ""
    elif _is_lasting(sentence_classifier.strip_opening(sentence)):
        habit = sentence_classifier.is_fact(sentence) and not re.search(
            phrases.LASTING, sentence, _I
        )
        kind = FACT if habit else RULE
        kind = PREFERENCE if re.search(phrases.PERSONAL, sentence, _I) else kind
    elif sentence_classifier.is_fact(sentence) and not re.search(phrases.AT_HAND, sentence, _I):
        kind = FACT
    return kind


def _is_lasting(sentence: str) -> bool:
    """Tell whether a sentence is a rule or wish that holds on."""
    if re.search(phrases.AT_HAND, sentence, _I) or _is_about_current_work(sentence):
        return False
    directive = re.search(phrases.DIRECTIVE, sentence, _I)
    house = re.search(f"{phrases.HOUSE}|{phrases.WISH}", sentence, _I)
    reasoned = sentence_classifier.is_rule(sentence) and re.search(phrases.CONSTRAINT, sentence, _I)
    if not (directive or house or reasoned):
        return False
    complains = re.search(phrases.COMPLAINT, sentence, _I) and not re.search(
        phrases.LASTING, sentence, _I
    )
    return bool(house or reasoned) or not complains


def _states_something(sentence: str, instead_of: str) -> bool:
    """Tell whether a correction says how things are, not only what to do about the moment.

    Args:
        sentence: the correction.
        instead_of: the sentence that it puts right, if that is known. It tells what is meant where
            the correction itself names a value alone ("it's 5433") or only points ("for that").
    """
    sentence = _resolved(sentence, answers=bool(instead_of))
    if re.search(f"{phrases.BLAME}|{phrases.AT_HAND}", sentence, _I):
        return False
    if _is_lasting(sentence):
        return True
    uses = sentence_classifier.uses(sentence)
    if (sentence_classifier.is_order(sentence) and not uses) or sentence_classifier.is_of_element(
        sentence
    ):
        return False
    if statement_similarity.is_value_only(sentence):
        return _lasts_beside(sentence, instead_of)
    return _names_tool_or_value(sentence) if uses else _tells_state(sentence)


def _lasts_beside(value: str, instead_of: str) -> bool:
    """Tell whether a value that says nothing alone lasts beside the sentence that it puts right.

    A number does if that sentence speaks of the surroundings, and not of what the agent just did.
    What only denies does not: what holds is said elsewhere.
    """
    if statement_similarity.only_denies(value):
        return False
    if (
        not instead_of
        or re.search(phrases.ELEMENT, value, _I)
        or not sentence_classifier.names_thing(value)
    ):
        return False
    if not sentence_classifier.is_quantity(value):
        return True
    did = re.match("I ", instead_of) or sentence_classifier.is_done(instead_of)
    return sentence_classifier.names_surroundings(instead_of) and not did


def _tells_state(sentence: str) -> bool:
    """Tell whether a sentence that asks for nothing says what holds."""
    if sentence_classifier.forbids(sentence):
        return sentence_classifier.is_reasoned(sentence) or bool(
            re.search(phrases.CONSTRAINT, sentence, _I)
        )
    if re.search(phrases.CONTRAST, sentence, _I):
        clause = re.split("[,;]", sentence)[0].split()
        return (
            len(clause) >= _CLAUSE
            or sentence_classifier.names_thing(sentence)
            or sentence_classifier.states(sentence)
        )
    if re.search(f"{phrases.COMPLAINT}|{phrases.PAST}", sentence, _I):
        return False
    told = re.search(phrases.STATES, sentence, _I)
    if told and (
        sentence_classifier.names_thing(sentence)
        or not re.search(phrases.COPULA, told.group(0), _I)
    ):
        return True
    return bool(re.search(f"{phrases.FACT}|{phrases.CONSTRAINT}", sentence, _I))
