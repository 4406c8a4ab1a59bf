"""What a prompt says, and what it settles: yes, an option by letter, one of two ways, a mistake.

Here: its sentences, and reading a reply, or a later answer, beside the answer before it. Not here:
filing what it settles (statement_extractor.py).
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import message_text, sentence_classifier, statement_similarity
from aforesaid.domain.digest.statement_set import FEW_WORDS, LONGEST
from aforesaid.lexicon import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_I = re.IGNORECASE
#: Words of a reply that still only picks; share of them that the way it picks must hold.
_PICKS, _HELD = 12, 0.5
#: Characters of what a correction puts right.
_PUT_RIGHT = 90
_ADDS = (
    r"\b(?:and|also|but|except|only|without|with|just|und|auch|aber|nur|et|aussi|mais|sauf|y"
    r"|además|pero|e|mas)\b,?"
)


def proposals_in(answer: str) -> list[str]:
    """Return the sentences of an answer that propose something."""
    return [
        sentence
        for sentence in message_text.split_sentences(answer)
        if sentence_classifier.is_proposal(sentence)
    ]


def accepted_proposal(sentence: str, proposals: list[str]) -> tuple[str, str]:
    """Return the proposal that a sentence agrees to, and what it adds ("fine, but ...")."""
    found = re.search(phrases.AFFIRMATION, sentence.strip(), _I)
    if not proposals or found is None:
        return "", ""
    rest = sentence.strip()[found.end() :].lstrip(" ,.;:!–—-")  # noqa: RUF001
    adds = re.search(_ADDS, rest, _I)
    if adds is None and len(sentence_classifier.words_of(rest)) > FEW_WORDS * 2:
        return "", ""
    added = "" if adds is None else rest[adds.end() :].strip()
    return sentence_classifier.strip_proposal_opening(proposals[-1]), added if len(
        added.split()
    ) >= FEW_WORDS else ""


def option_line(answer: str, option: str) -> str:
    """Return what an answer said of an option: "A) ...", "2. ...", "Option B: ..."."""
    pattern = (
        rf"(?i)(?:^|[\s(*])(?:option )?{option}[).:]\**\s+(.+?)"
        r"(?=,? (?:or )?(?:option )?[a-e1-6]\)|[.;](?:\s|$)|$)"
    )
    for line in answer.split("\n"):
        found = re.search(pattern, line.strip())
        if found:
            return message_text.truncate(found.group(1).replace("**", "").strip(), LONGEST)
    return ""


def chosen_option(sentence: str, answer: str) -> str:
    """Return the way that a short reply picks among those of an answer, in both their words.

    "anonymise" after "cascade deletes, or anonymise the row" is that way; what the reply itself
    says beside it ("rather halve it, the other stutters") is kept as it stands.
    """
    words = sentence_classifier.words_of(sentence)
    if not words or len(sentence.split()) > _PICKS or sentence_classifier.is_question(sentence):
        return ""
    for proposal in reversed(proposals_in(answer)):
        for way in re.split(r"[,;:]\s+|\s(?:or|oder|ou|o)\s|[,，、;；:：]", proposal):  # noqa: RUF001
            held = sentence_classifier.words_of(way)
            if _shared(words, held) >= max(1, round(_HELD * min(len(words), len(held) or 1))):
                if len(words) > FEW_WORDS:
                    return sentence
                return message_text.truncate(
                    sentence_classifier.strip_proposal_opening(way.strip(" ?.")), LONGEST
                )
    return ""


def find_corrected_sentence(corrected: str, answers: Sequence[str]) -> str:
    """Return the sentence of the first answer that a correction puts right; empty if none is."""
    told = (
        statement_similarity.find_corrected_sentence(
            corrected, message_text.split_sentences(answer)
        )
        for answer in answers
    )
    wrong = sentence_classifier.strip_label(next(filter(None, told), ""))
    return message_text.without_end(message_text.truncate(wrong, _PUT_RIGHT)).replace('"', "'")


def rejects_value(sentence: str, answers: Sequence[str]) -> bool:
    """Tell whether a sentence names a value of an answer as the wrong one ("30 days, not 7")."""
    told = (one for answer in answers for one in message_text.split_sentences(answer))
    return any(statement_similarity.names_rejected_value(one, sentence) for one in told)


def is_resolved_by(hope: str, answer: str) -> bool:
    """Tell whether an answer reports what an earlier one left open."""
    wanted = sentence_classifier.words_of(hope)
    for sentence in message_text.split_sentences(answer):
        if sentence_classifier.is_done(sentence) and not sentence_classifier.is_open(sentence):
            told = sentence_classifier.words_of(sentence)
            if wanted and len(wanted & told) >= 0.5 * min(len(wanted), len(told)):
                return True
    return False


def prompt_sentences(text: str) -> list[str]:
    """Return the sentences that a person typed, as they hold together.

    Fragments ("... off then. only for /upload") are put to what they go on with; an order and a
    rule in one sentence ("fix it, and always use tabs") are two.
    """
    spoken = message_text.split_sentences(message_text.typed_part(text))
    whole: list[str] = []
    for sentence in [part for one in spoken for part in sentence_classifier.clauses(one)]:
        if (
            whole
            and sentence_classifier.is_fragment(sentence)
            and not sentence_classifier.is_question(whole[-1])
        ):
            whole[-1] = f"{message_text.without_end(whole[-1])}; {sentence}"
        else:
            whole.append(sentence)
    return whole


def _shared(words: frozenset[str], held: frozenset[str]) -> int:
    """Return how many words of one are in the other, endings aside."""
    stems = {word[:6] for word in held}
    return sum(word[:6] in stems for word in words)
