"""Memory candidates: sentences of the user that stay valid after the session.

Decides the kind of a sentence, given the exchange before it, and whether it is a candidate, of
which kind and scope. statement_extractor.py collects them; services/sessions/candidates.py stores
them. Precision comes first: an order for the moment, a complaint or a question never becomes one.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import sentence_classifier as sentences
from aforesaid.domain.digest import statement_set as similarity
from aforesaid.domain.digest.sentence_classifier import matches, phrase_pattern
from aforesaid.domain.value import Value
from aforesaid.lexicon.stop_words import STOP_WORDS

from .reply_resolution import find_corrected_sentence, rejects_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .reply_resolution import Exchange

PREFERENCE, RULE, FACT, CORRECTION, DECISION, AGREEMENT = (
    "preference", "rule", "fact", "correction", "decision", "agreement",
)  # fmt: skip
CHANGE = "change"  #: kept only if it ends an earlier memory, and then as a correction
#: Characters of a sentence that can be understood alone, and that is one sentence.
_MIN_CHARS, MAX_CHARS = 6, 320
#: Words of a clause that states something; a shorter clause only names it ("json, not a form").
_MIN_CLAUSE_WORDS = 3
#: Words that get a capital if the words before them were removed; others may be names ("npm").
_SENTENCE_STARTS = STOP_WORDS | {"always", "never", "please", "use", "keep"}


class MemoryCandidate(Value):
    """A statement that may become a memory: the user's, or an agreement (agreements.py).

    `scope` is global or project. `instead_of` is the sentence of the assistant that a correction
    corrects; empty if unknown.
    """

    text: str
    at_ms: int
    kind: str
    scope: str
    instead_of: str = ""
    amends: bool = False  #: whether an agreement changes an earlier one
    index: int = 0  #: of its sentence in the prompt
    changes: bool = False  #: whether it says that something is no longer as it was

    @property
    def content(self) -> str:
        """The statement as it can be understood alone."""
        return with_corrected_text(self.text, self.instead_of)


def with_corrected_text(text: str, corrected: str) -> str:
    """Return what holds after a correction.

    That is the corrected sentence with the new value, where the correction gives only a value;
    otherwise the correction, followed by the sentence that it corrects, if that is known.
    """
    restated = similarity.with_new_value(corrected, text)
    return restated or (f'{text} (instead of "{corrected}")' if corrected else text)


def without_corrected_text(text: str) -> str:
    """Undo ``with_corrected_text``."""
    return re.sub(r' \(instead of "[^"]*"\)$', "", text)


def candidate_of(
    sentence: str, at_ms: int, *, corrects: bool = False, listed: bool = False, instead_of: str = ""
) -> MemoryCandidate | None:
    """Return a user's sentence as a candidate; None if it is valid only within the session.

    Args:
        sentence: as the user wrote it, without machine text.
        at_ms: its time.
        corrects: whether it corrects something.
        listed: whether it is in a list of rules.
        instead_of: the sentence of the assistant that it corrects, if known.
    """
    if matches(sentence, "refers_back"):
        return None
    kind = _kind(sentence, corrects=corrects, instead_of=instead_of)
    if listed and not kind and not sentences.is_question(sentence):
        kind = RULE
    if not kind and sentences.asks_to_remember(sentence):
        kind = RULE if sentences.is_rule(_without_opening(sentence)) else FACT
    text = _without_opening(sentence)
    min_chars = 1 if instead_of else _MIN_CHARS
    if not kind or not min_chars <= len(text) <= MAX_CHARS or not sentences.words_of(text):
        return None
    scope = scope_of(text, kind)
    return MemoryCandidate(text=text, at_ms=at_ms, kind=kind, scope=scope, instead_of=instead_of)


def judged_candidate(sentence: str, at_ms: int) -> MemoryCandidate | None:
    """Return a sentence that was judged to last as a candidate.

    None if it cannot stand alone, or asks to use a part of the current work.
    """
    if matches(sentence, "refers_back") or _is_about_current_work(sentence):
        return None
    text = _without_opening(sentence)
    if not _MIN_CHARS <= len(text) <= MAX_CHARS or not sentences.words_of(text):
        return None
    if matches(sentence, "personal"):
        kind = PREFERENCE
    elif sentences.is_choice(sentence) or sentences.is_stated_decision(sentence):
        kind = DECISION
    elif sentences.is_rule(sentence) or matches(sentence, "lasting", "directive", "constraint"):
        kind = RULE
    else:
        kind = FACT
    return MemoryCandidate(text=text, at_ms=at_ms, kind=kind, scope=scope_of(text, kind))


def _without_opening(sentence: str) -> str:
    """Return a sentence without the words that only connect it, with a capital if it had one."""
    text = sentences.strip_opening(sentence)
    if sentence[:1].isupper() and text.partition(" ")[0] in _SENTENCE_STARTS:
        return text[:1].upper() + text[1:]
    return text


def changes_tool_or_value(sentence: str, *, answers: bool = False) -> bool:
    """Tell whether a sentence asks to use one named thing instead of another.

    "use pnpm, not npm", "no, use port 5433 for the importer's database"; never a part of the
    current work ("use a loop, not map").

    Args:
        sentence: as the user wrote it.
        answers: whether the sentence of the assistant that it corrects is known.
    """
    bare = _without_reference(sentences.strip_opening(sentence), answers=answers)
    opposed = sentences.is_correction(sentence) or sentences.names_rejected_value(bare)
    return opposed and not sentences.is_question(sentence) and _names_tool_or_value(bare)


def extend(candidate: MemoryCandidate, sentence: str) -> MemoryCandidate:
    """Return a candidate with the sentence that continues it, if both fit."""
    text = f"{candidate.text}; {sentences.strip_opening(sentence)}"
    return candidate.replace(text=text) if len(text) <= MAX_CHARS else candidate


def scope_of(text: str, kind: str) -> str:
    """Return the scope of a statement: ``global`` if it is about the user, else ``project``."""
    personal = matches(text, "personal") and not matches(text, "this_project")
    return "global" if kind in {RULE, PREFERENCE} and personal else "project"


def _without_reference(sentence: str, *, answers: bool) -> str:
    """Drop "for that" where the corrected sentence says what "that" is."""
    return phrase_pattern("back_reference").sub("", sentence, count=1) if answers else sentence


def _is_about_current_work(sentence: str) -> bool:
    """Tell whether a sentence asks to use a part of the work, or nothing in particular."""
    return (
        sentences.uses(sentence)
        and matches(sentence, "code_element", "indefinite")
        and not matches(sentence, "lasting")
    )


def _names_tool_or_value(sentence: str) -> bool:
    """Tell whether a sentence asks to use a part of the environment, not of the work."""
    if (
        _is_about_current_work(sentence)
        or not sentences.uses(sentence)
        or matches(sentence, "current_work")
        or not sentences.names_thing(sentence)
    ):
        return False
    return (
        sentences.names_rejected_value(sentence)
        or matches(sentence, "purpose")
        or bool(similarity.values_of(sentence))
    )


def _kind(sentence: str, *, corrects: bool, instead_of: str) -> str:
    asks = sentences.is_question(sentence) or sentences.announces(sentence)
    if asks or sentences.is_temporary(sentence):
        return ""
    bare = sentences.strip_opening(sentence)
    if corrects:
        return CORRECTION if _states_something(bare, instead_of) else ""
    if sentences.is_stated_decision(sentence):
        return DECISION
    is_fact = sentences.is_fact(sentence)
    if sentences.is_choice(sentence) and not is_fact:
        return DECISION if matches(sentence, "reason") else ""
    if _is_lasting(bare):
        habit = is_fact and not matches(sentence, "lasting")
        return PREFERENCE if matches(sentence, "personal") else FACT if habit else RULE
    states = (is_fact and not matches(sentence, "current_work")) or matches(sentence, "dated")
    return FACT if states else ""


def _is_lasting(sentence: str) -> bool:
    """Tell whether a sentence is a lasting rule or preference."""
    if matches(sentence, "current_work") or _is_about_current_work(sentence):
        return False
    if matches(sentence, "house_rule", "wish") or (
        sentences.is_rule(sentence) and matches(sentence, "constraint")
    ):
        return True
    complains = matches(sentence, "complaint") and not matches(sentence, "lasting")
    return matches(sentence, "directive") and not complains


def _states_something(sentence: str, instead_of: str) -> bool:
    """Tell whether a correction says how things are, not only what to do right now.

    Args:
        sentence: the correction.
        instead_of: the sentence that it corrects, if known. It shows what is meant if the
            correction names only a value ("it's 5433") or refers back ("for that").
    """
    sentence = _without_reference(sentence, answers=bool(instead_of))
    if matches(sentence, "blame", "current_work"):
        return False
    if _is_lasting(sentence):
        return True
    uses = sentences.uses(sentence)
    if (sentences.is_order(sentence) and not uses) or sentences.is_of_element(sentence):
        return False
    if similarity.is_value_only(sentence):
        return _value_lasts(sentence, instead_of)
    return _names_tool_or_value(sentence) if uses else _describes_state(sentence)


def _value_lasts(value: str, instead_of: str) -> bool:
    """Tell whether a bare value lasts, given the sentence that it corrects.

    A number does if that sentence is about the environment, and not about what the assistant just
    did. A mere denial does not: what holds is said elsewhere.
    """
    if (
        not instead_of
        or similarity.only_denies(value)
        or matches(value, "code_element")
        or not sentences.names_thing(value)
    ):
        return False
    if not sentences.is_quantity(value):
        return True
    reports = instead_of.startswith("I ") or sentences.is_done(instead_of)
    return sentences.names_environment(instead_of) and not reports


def _describes_state(sentence: str) -> bool:
    """Tell whether a sentence that asks for nothing says what holds."""
    if sentences.forbids(sentence):
        return matches(sentence, "reason", "constraint")
    if matches(sentence, "contrast"):
        clause = re.split("[,;]", sentence)[0].split()
        return (
            len(clause) >= _MIN_CLAUSE_WORDS
            or sentences.names_thing(sentence)
            or sentences.states(sentence)
        )
    if matches(sentence, "complaint", "past"):
        return False
    statement = phrase_pattern("statement").search(sentence)
    if statement and (sentences.names_thing(sentence) or not matches(statement[0], "copula")):
        return True
    return matches(sentence, "fact", "constraint")


def kind_of(sentence: str, before: Exchange | None, *, denied: bool) -> tuple[str, float]:
    """Return kind and weight of a user's sentence; the weight of a mere "don't" is 0."""
    first = before is None
    has_words = len(sentences.words_of(sentence)) > 1
    plain = first and sentences.is_plain_fact(sentence)
    kinds = (
        ("correction", 0.9, corrects(sentence, before, denied=denied)),
        ("decision", 0.95, sentences.is_stated_decision(sentence) or sentences.is_choice(sentence)),
        ("preference", 0.9, sentences.is_rule(sentence) and not sentences.is_temporary(sentence)),
        (
            "decision",
            0.9,
            has_words and sentences.is_decision(sentence) and not _is_stopgap(sentence),
        ),
        ("open", 0.8, matches(sentence, "later")),
        ("fact", 0.8, not plain and sentences.is_fact(sentence)),
        ("correction", 0.9, redirects(sentence, before)),
        ("correction", 0.0, not first and sentences.forbids(sentence)),
    )
    return next(((kind, weight) for kind, weight, holds in kinds if holds), ("", 0.0))


def _is_stopgap(sentence: str) -> bool:
    """Tell whether a sentence settles for now what it does not even name ("leave it for now")."""
    return matches(sentence, "for_now") and matches(sentence, "leaning")


def corrects(sentence: str, before: Exchange | None, *, denied: bool) -> bool:
    """Tell whether a user's sentence corrects something; in a first prompt, only by a denial."""
    if denied or sentences.starts_with_denial(sentence):
        return True
    if before is None or sentences.is_correction(sentence):
        return before is not None
    return not sentences.is_order(sentence) and rejects_value(sentence, before.last_answers)


def redirects(sentence: str, before: Exchange | None) -> bool:
    """Tell whether a user's sentence permanently replaces one thing with another."""
    bare = sentences.strip_opening(sentence)
    return sentences.uses(bare) and changes_tool_or_value(
        sentence, answers=bool(corrected_sentence(bare, before))
    )


def corrected_sentence(correction: str, before: Exchange | None) -> str:
    """Return the assistant's sentence that a correction corrects, empty if that is unclear."""
    if before is None:
        return ""
    return find_corrected_sentence(correction, before.last_answers)
