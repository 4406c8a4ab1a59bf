"""Joins sentences of one prompt that are understood only together into one memory candidate.

"You don't ssh to prod. There are phone numbers there. I run it and paste you the output." One of
them lasts by itself; the others refer to it, or it refers to them.
"""

from __future__ import annotations

from . import sentence_classifier as sentences
from .clauses import leans
from .judged_prompt import is_of_project
from .memory_candidates import CHANGE, MAX_CHARS, MemoryCandidate
from .message_text import without_end
from .reply_resolution import lacks_subject
from .sentence_classifier import matches, phrase_pattern, stems_of, words_of
from .stated_change import states_change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from .judged_prompt import JudgedPrompt

#: Words of a sentence that may name only a topic or a value ("the counter.", "30").
_MAX_TOPIC_WORDS = 4
#: Words of a sentence that is added to the one before it, rather than kept by itself.
_MAX_ADDED_WORDS = 7
_MAX_WORDS_BETWEEN = 2  #: of a sentence that does not part two remarks
#: Probability below which a change is one of the moment ("now merge it").
_MIN_CHANGE = 0.03
#: Words of a question that may be a wish; a longer one asks for work, too.
_MAX_WISH_WORDS = 20
#: Probability that a neighbour lasts, below which it says nothing worth keeping; for one that only
#: names a topic or a value, unless the assistant named it, too.
_MIN_PROBABILITY, _MIN_TOPIC_PROBABILITY = 0.1, 0.25


def join_remarks(
    prompt: JudgedPrompt, candidates: Sequence[MemoryCandidate], project_words: frozenset[str]
) -> list[MemoryCandidate]:
    """Return the candidates of a prompt, each with the sentences that it needs, and its scope.

    Sentences that only state a change are added, to be kept if they end an earlier memory.

    Args:
        prompt: its sentences.
        candidates: each with the index of its sentence.
        project_words: stems of the names of files that were changed in the session.
    """
    joined: list[MemoryCandidate] = []
    taken = {candidate.index for candidate in candidates}
    remark = _Remark(prompt)
    end = 0  # index after the last sentence of the previous remark
    for candidate in candidates:
        index = candidate.index
        before, after = ([], []) if prompt.lists else remark.around(index, taken)
        first = index - len(before)
        whole = _with_neighbours(candidate, before, after)
        if remark.is_next(first, end) and (
            is_topic(joined[-1].text) or remark.continues(first, index)
        ):
            longer = _extended(joined[-1], [*before, candidate.text, *after])
            if longer is not None:
                joined.pop()
                whole = longer
        end = index + 1 + len(after)
        joined.append(whole.replace(scope=_scope(whole, range(index, end), prompt)))
    for index in remark.changes(taken):
        text = sentences.strip_opening(prompt.texts[index])
        change = MemoryCandidate(text=text, at_ms=0, kind=CHANGE, scope="project", index=index)
        taken.add(index)
        joined.append(_with_neighbours(change, *remark.around(index, taken)))
    return [
        candidate.replace(
            scope=_final_scope(candidate, prompt, project_words),
            changes=states_change(candidate.text),
        )
        for candidate in joined
    ]


def _final_scope(
    candidate: MemoryCandidate, prompt: JudgedPrompt, project_words: frozenset[str]
) -> str:
    is_personal = bool(prompt.is_personal(candidate.index))
    is_of_one = is_of_project(candidate.text, project_words, is_personal=is_personal)
    return "project" if is_of_one else candidate.scope


def _scope(candidate: MemoryCandidate, indexes: Iterable[int], prompt: JudgedPrompt) -> str:
    """Return the scope of a candidate, of which the sentences at these indexes are a part."""
    if matches(candidate.text, "all_projects"):
        return "global"
    verdicts = [
        prompt.is_personal(index)
        for index in indexes
        if index == candidate.index
        or (matches(prompt.texts[index], "extends_scope") and not _is_emphasis(prompt.texts[index]))
    ]
    if any(verdicts):
        return "global"
    return "project" if verdicts and verdicts[0] is False else candidate.scope


class _Remark:
    """The sentences of a prompt, and which of them lean on the one before."""

    def __init__(self, prompt: JudgedPrompt) -> None:
        self._prompt = prompt.texts
        self._heard = prompt.heard
        self._lists = prompt.lists
        self._continued = prompt.continued
        self._probability = prompt.probability
        self._is_personal = prompt.is_personal
        self._is_apart = prompt.is_apart

    def around(self, index: int, taken: set[int]) -> tuple[list[str], list[str]]:
        """Return the sentences before and after a candidate that belong to it; takes them."""
        first = index
        while first - 1 not in taken and (
            self._belongs(first - 1, first) or self._names_referent(first - 1, first, index)
        ):
            first -= 1
            taken.add(first)
        last = index
        while last + 1 not in taken and self._follows(last + 1):
            last += 1
            taken.add(last)
        before = [sentences.strip_opening(self._prompt[first])] if first < index else []
        before += self._prompt[first + 1 : index]
        return before, list(self._prompt[index + 1 : last + 1])

    def changes(self, taken: Collection[int]) -> Iterator[int]:
        """Yield the indexes of sentences that state a change and that no candidate has."""
        for index, sentence in enumerate(self._prompt):
            probability = self._probability(index)
            is_of_moment = probability is not None and probability < _MIN_CHANGE
            if index in taken or is_of_moment or not self._has_content(index):
                continue
            if states_change(sentence):
                yield index

    def is_next(self, first: int, end: int) -> bool:
        """Tell whether two remarks on one subject have but a word or two ("never.") between."""
        between = self._prompt[end:first]
        return (
            not (self._lists or self._is_apart(first))
            and end > 0
            and all(len(sentence.split()) <= _MAX_WORDS_BETWEEN for sentence in between)
        )

    def continues(self, first: int, index: int) -> bool:
        """Tell whether a remark is not understood without the sentence before it.

        Args:
            first: index of its first sentence.
            index: of the sentence of its candidate.
        """
        if self._lists or first == 0:
            return False
        if first < index:
            return sentences.only_extends_scope(self._prompt[index])
        sentence = self._prompt[first]
        is_short = len(sentence.split()) <= _MAX_ADDED_WORDS and not matches(
            sentence, "new_subject", "for_good", "lasting", "speaker"
        )
        is_announced = matches(self._prompt[first - 1], "rule_announcement")
        return index in self._continued or leans(sentence) or is_short or is_announced

    def _belongs(self, index: int, of: int) -> bool:
        """Tell whether a sentence leads to the next one, which lasts."""
        if index < 0 or self._is_apart(of) or not self._has_content(index):
            return False
        sentence, following = self._prompt[index], self._prompt[of]
        if sentences.is_question(sentence):
            is_wish = bool(self._is_personal(of)) or matches(following, "for_good")
            return is_wish and len(sentence.split()) <= _MAX_WISH_WORDS
        if of in self._continued or sentences.only_extends_scope(following):
            return True
        if sentences.starts_with_denial(sentence) or matches(sentence, "correction"):
            return not matches(following, "new_subject")
        if is_topic(sentence):
            return leans(following) or self._names_subject(index)
        likely = self._probability(index) or 0.0
        changes = states_change(sentence) and likely >= _MIN_TOPIC_PROBABILITY
        needs_it = leans(following) or self._adds_to(following, sentence)
        return changes or (needs_it and self._may_last(index))

    def _names_referent(self, index: int, first: int, of: int) -> bool:
        """Tell whether a sentence names whom the remark refers to, past a few words without it."""
        if index < 0 or first == of or not is_topic(self._prompt[first]):
            return False
        return self._has_content(index) and matches(self._prompt[of], "leaning_person")

    def _follows(self, index: int) -> bool:
        """Tell whether a sentence continues the one before, which lasts."""
        if index >= len(self._prompt):
            return False
        sentence = self._prompt[index]
        concludes = matches(sentence, "conclusion") and sentences.states(sentence)
        is_rest = concludes or matches(self._prompt[index - 1], "rule_announcement")
        if _is_emphasis(sentence):
            return True
        is_order = sentences.is_order(sentence) and not matches(sentence, "for_good", "lasting")
        is_other = self._is_apart(index) or (is_order and not leans(sentence))
        if is_other or not self._has_content(index):
            return False
        if (
            is_rest
            or index in self._continued
            or matches(sentence, "condition")
            or sentences.only_extends_scope(sentence)
        ):
            return True
        if is_topic(sentence):
            next_leans = index + 1 < len(self._prompt) and leans(self._prompt[index + 1])
            is_topic_of_next = len(sentence.split()) > 1
            least = _MIN_PROBABILITY if lacks_subject(sentence) else _MIN_TOPIC_PROBABILITY
            is_part = lacks_subject(sentence) and not is_topic_of_next
            return (is_part or not next_leans) and self._may_last(index, least)
        shared = stems_of(sentence) & stems_of(self._prompt[index - 1])
        is_same = not matches(sentence, "new_subject") and (leans(sentence) or bool(shared))
        return is_same and self._may_last(index)

    def _adds_to(self, following: str, sentence: str) -> bool:
        """Tell whether a short sentence says more of what the one before is about.

        It names the same thing, or has no subject of its own.
        """
        if len(following.split()) > _MAX_ADDED_WORDS or matches(following, "new_subject"):
            return False
        is_clause = matches(following, "speaker", "statement", "order", "rule", "for_good")
        return not is_clause or bool(stems_of(following) & stems_of(sentence))

    def _names_subject(self, index: int) -> bool:
        """Tell whether a topic says what the next sentence is about."""
        return bool(stems_of(self._prompt[index]) & self._heard) or self._may_last(
            index, _MIN_TOPIC_PROBABILITY
        )

    def _has_content(self, index: int) -> bool:
        sentence = self._prompt[index]
        return bool(words_of(sentence)) and not (
            (sentences.is_question(sentence) and not as_wish(sentence))
            or sentences.only_refuses(sentence)
            or sentences.announces(sentence)
            or sentences.asks_nothing(sentence)
            or sentences.is_denial(sentence)
            or (sentences.is_temporary(sentence) and not matches(sentence, "past_day"))
            or matches(sentence.strip(), "refers_back")
            or matches(sentence, "later", "stop", "acceptance", "prelude", "reported", "own_step")
            or matches(sentence, "narration", "partial_yes")
        )

    def _may_last(self, index: int, least: float = _MIN_PROBABILITY) -> bool:
        probability = self._probability(index)
        if probability is None:
            return not sentences.is_order(self._prompt[index])
        return probability >= least


def _is_emphasis(sentence: str) -> bool:
    """Tell whether a sentence only says that the one before is meant for good ("never")."""
    return len(sentence.split()) <= _MAX_WORDS_BETWEEN and matches(sentence, "for_good")


def as_wish(question: str) -> str:
    """Return a question that asks for a way to answer or work as a wish; else an empty text.

    "Can you tell me the reason first?" becomes "tell me the reason first".
    """
    bare = sentences.strip_opening(question)
    asked = phrase_pattern("asks_for").search(bare)
    if asked is None or not matches(bare, "way_of_working") or sentences.is_temporary(bare):
        return ""
    return f"{bare[: asked.start()]}{bare[asked.end() :]}".rstrip(" ?")


def is_topic(sentence: str) -> bool:
    """Tell whether a sentence only names a topic or a value."""
    short = len(sentence.split()) <= _MAX_TOPIC_WORDS
    return short and not (
        sentences.is_order(sentence)
        or sentences.is_affirmation(sentence)
        or matches(sentence, "leaning", "speaker")
    )


def _with_neighbours(
    candidate: MemoryCandidate, before: Sequence[str], after: Sequence[str]
) -> MemoryCandidate:
    """Return a candidate with as many of the sentences around it as fit, the nearest first."""
    text = candidate.text
    before = [as_wish(sentence) or sentence for sentence in before]
    for sentence in after:
        text = _fitting(f"{without_end(text)}; {_bare(sentence)}", text)
    for sentence in reversed(before):
        if not words_of(sentence) <= words_of(text):
            text = _fitting(f"{_bare(sentence)}; {text}", text)
    return candidate.replace(text=text)


def _extended(candidate: MemoryCandidate, texts: Sequence[str]) -> MemoryCandidate | None:
    """Return a candidate with texts that continue it; None if they do not fit."""
    text = "; ".join([without_end(candidate.text), *map(_bare, texts)])
    return candidate.replace(text=text) if len(text) <= MAX_CHARS else None


def _fitting(longer: str, text: str) -> str:
    return longer if len(longer) <= MAX_CHARS else text


def _bare(sentence: str) -> str:
    return without_end(phrase_pattern("connective").sub("", sentence.strip(), count=1).rstrip("!"))
