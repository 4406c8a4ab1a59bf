"""Completes a remark with what it refers to, if that was just said: in the prompt or in the answer.

"That file is from Petra" says nothing in a year, so the sentence that named the file is quoted.
"""

from __future__ import annotations

import re

from . import sentence_classifier as sentences
from .memory_candidates import MAX_CHARS, MemoryCandidate
from .message_text import split_sentences, truncate, without_end
from .reply_resolution import ABOUT, ASKED, lacks_subject
from .sentence_classifier import matches, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_QUOTED_CHARS = 160
_MIN_NAMING_WORDS = 3  #: content words of a sentence that names something
_LAST_SENTENCES = 3  #: of an answer, in which something may be named
_MAX_FRAGMENT_WORDS = 2
#: How a remark begins whose subject was named before, with the noun that is repeated.
_REFERS = (
    r"(?i)^(?!that (?:it|he|she|they|we|you|i|the|an?)\b)"
    r"(?:that|this|those|these|it|they)\b(?!'| is\b| are\b| was\b| means\b| said\b)"
    r"(?: (file|folder|table|model|test|field|column|server|host|script|job|branch|repo\w*|module"
    r"|class|function|service|endpoint|page|route)\b)?"
)
_FILE = r"[\w-]+(?:/[\w.-]+)+|\b[\w-]+\.[a-z]{1,5}\b"
#: How a question begins that asks for more than a yes.
_WHICH = (
    r"(?i)(?:and |so |also )?(?:how|what|which|where|when|who|why|wie|was|welche\w*|wo|wann|wer"
    r"|comment|quel\w*|où|quand|qui|cómo|qué|cuál\w*|dónde|cuándo|quién)\b"
)
_VALUE = r"^[~<>]?\d[\d.,:]*(?: ?\w{1,8})?$"
#: A subordinate clause, and no more than two words of the main one.
_BROKEN = r"(?i)^(?:while|since|as|if|when|wenn|während|quand|cuando) [^,;:]+[,:] *\S+(?: \S+)?$"


def with_referent(
    candidate: MemoryCandidate, prompt: Sequence[str], answer: str, accepted: str
) -> MemoryCandidate:
    """Return a candidate with what it refers to; as it is where that is clear or unknown.

    Args:
        candidate: with the sentences that belong to it.
        prompt: the sentences of its prompt.
        answer: of the assistant, before the prompt.
        accepted: what the prompt's first sentence accepted or chose.
    """
    text = candidate.text
    if candidate.instead_of or candidate.scope == "global" or ASKED in text or ABOUT in text:
        return candidate
    first = _index_of(text, prompt)
    opening = text.partition("; ")[0]
    answers = split_sentences(answer)
    statements = [sentence for sentence in answers if not matches(sentence, "bare_ask")]
    if first == 0 and re.match(_VALUE, opening):
        return _with_question(candidate, statements[-1:])
    if first == 1 and accepted and sentences.is_order(opening):
        return _fitting(candidate, f"{without_end(accepted)}: {text}")
    refers = re.match(_REFERS, text)
    if refers is None:
        names_nothing = first > 0 and text == opening and lacks_subject(_without_adverb(text))
        asked = [sentence for sentence in statements[-2:] if re.match(_WHICH, sentence)]
        return _with_question(candidate, asked) if names_nothing else candidate
    if first > 0 and not text.lower().startswith("they ") and _names(prompt[first - 1]):
        before = sentences.strip_opening(prompt[first - 1])
        return _fitting(candidate, f"{before}; {text}")
    last = -1 if statements != answers else -_LAST_SENTENCES
    named = _naming(statements[last:], refers[1] or "")
    quoted = truncate(without_end(named), _QUOTED_CHARS).replace('"', "'")
    return _fitting(candidate, f'{text}{ABOUT}{quoted}")') if quoted else candidate


def is_broken(text: str) -> bool:
    """Tell whether a remark is only a subordinate clause and a word or two."""
    parts = text.split("; ")
    broken = [re.match(_BROKEN, part) is not None for part in parts]
    return any(broken) and all(
        is_part or len(part.split()) <= _MAX_FRAGMENT_WORDS
        for part, is_part in zip(parts, broken, strict=True)
    )


def _index_of(text: str, prompt: Sequence[str]) -> int:
    """Return the index of the sentence with which a candidate begins; -1 if none does."""
    opening = without_end(text.partition("; ")[0]).casefold()
    return next((i for i, sentence in enumerate(prompt) if opening in sentence.casefold()), -1)


def _with_question(candidate: MemoryCandidate, answer: Sequence[str]) -> MemoryCandidate:
    """Return a candidate with the question that it answers, if there is one."""
    question = next((sentence for sentence in reversed(answer) if sentence.endswith("?")), "")
    if not question or len(question) > _QUOTED_CHARS:
        return candidate
    return _fitting(candidate, f'{candidate.text}{ASKED}{question}")')


def _naming(answer: Sequence[str], noun: str) -> str:
    """Return the sentence that names what a remark refers to, empty if none does."""
    if noun:
        pattern = _FILE if noun.lower() == "file" else rf"(?i)\b{re.escape(noun)}\b"
        return next((text for text in reversed(answer) if re.search(pattern, text)), "")
    if answer and (len(answer) == 1 or sentences.is_proposal(answer[-1])):
        return answer[-1]
    return next(filter(sentences.names_thing, answer), "")


def _names(sentence: str) -> bool:
    """Tell whether a sentence of a prompt may name what the next one refers to."""
    return not (
        sentences.is_question(sentence)
        or sentences.asks_nothing(sentence)
        or matches(sentence, "partial_yes", "acceptance", "praise")
        or len(words_of(sentence)) < _MIN_NAMING_WORDS
    )


def _without_adverb(text: str) -> str:
    return re.sub(r"(?i)^(?:normal+y|usually|generally|normalerweise|sonst) ", "", text)


def _fitting(candidate: MemoryCandidate, text: str) -> MemoryCandidate:
    return candidate.replace(text=text) if len(text) <= MAX_CHARS else candidate
