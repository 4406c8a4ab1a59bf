"""The sentences of a prompt: which last by the model's verdict, and which are of one project."""

from __future__ import annotations

import re

from . import sentence_classifier as sentences
from .clauses import DIVIDED, leans
from .message_text import looks_pasted
from .reply_resolution import ASKED
from .sentence_classifier import matches, phrase_pattern, stems_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .lasting import SentenceJudge

#: A sentence with fewer words is kept only if the rules say so, too.
_MIN_WORDS = 4
#: An identifier, a path or a file name: it belongs to one project.
_IDENTIFIER = r"\w*_\w+|[\w.-]+/[\w-]+\.\w|\b[\w-]+\.[a-z]{1,5}\b(?!\.)|[a-z][a-z]+[A-Z]\w+|`"

#: An example in a sentence, which may name a file of one project.
_EXAMPLE = (
    r"(?i)\b(?:like|e\.?g\.?|such as|for example|z\.? ?B\.?|etwa|zum Beispiel|par exemple"
    r"|por ejemplo) \S+"
)

_ORDER_ABOUT_IT = (
    r"(?i)(?:please |just |then |now )?(?!when|if|as|since|because|that|before|after|while)\w+"
    r" (?:it|them|this|that|those|these|both)\b"
)


class JudgedPrompt:
    """The sentences of one prompt."""

    def __init__(
        self,
        texts: Sequence[str],
        judge: SentenceJudge | None,
        *,
        answers: bool,
        heard: frozenset[str],
    ) -> None:
        """Create the prompt.

        Args:
            texts: its sentences.
            judge: judges them; None leaves that to rules.
            answers: whether it follows an answer of the assistant.
            heard: words of the assistant's answers before and after the prompt.
        """
        self.texts = texts
        self.heard = heard
        self.continued: set[int] = set()  #: sentences that continue a correction before them
        self.lists = False  #: whether it is a list of rules
        self._judge = judge
        self._answers = answers

    def verdict(self, index: int, sentence: str) -> bool | None:
        """Return whether a sentence, or a part of it, lasts; None if the rules decide.

        A problem that the next sentence asks to solve ("fix it") does not.
        """
        following = "".join(self.texts[index + 1 : index + 2])
        if matches(following, "asks_to_solve") and not sentences.is_rule(sentence):
            return False
        if self._judge is None:
            return None
        place = (index, len(self.texts))
        verdict = self._judge.verdict(sentence, *place, answers=self._answers)
        return None if verdict and not self._suffices(index, sentence) else verdict

    def probability(self, index: int) -> float | None:
        """Return the probability that a sentence lasts, if it is known."""
        if self._judge is None:
            return None
        count = len(self.texts)
        return self._judge.probability(self.texts[index], index, count, answers=self._answers)

    def is_personal(self, index: int) -> bool | None:
        """Return whether a sentence that lasts holds in all projects; None if that is unclear."""
        if self._judge is None:
            return None
        count = len(self.texts)
        return self._judge.is_personal(self.texts[index], index, count, answers=self._answers)

    def is_apart(self, index: int) -> bool:
        """Tell whether a sentence is one on two subjects, divided before this index."""
        return 0 < index < len(self.texts) and self.texts[index - 1].endswith(DIVIDED)

    def _suffices(self, index: int, sentence: str) -> bool:
        """Tell whether the model's word suffices to keep a sentence.

        It does not for a few words, a pasted line, a sentence that breaks off, praise, what others
        reported, the person's own next step, what explains a question, what holds for the
        moment, and how to do what was just agreed to ("yes, with the label"). Nor does it for an
        order that says nothing of other times, or one that does not name its object ("rename it"),
        unless it is a wish whose object was named before ("keep them short").
        """
        previous = self.texts[index - 1] if index else ""
        bare = sentences.strip_opening(sentence)
        extended = any(matches(text, "extends_scope", "all_projects") for text in self.texts)
        is_for_now = sentences.is_order(bare) and not (extended or matches(sentence, "for_good"))
        if is_for_now or sentence.rstrip().endswith(("..", "…")):
            return False
        if matches(sentence, "praise", "reported", "prelude", "own_step"):
            return False
        names_object = index > 0 and self.is_personal(index)
        if re.match(_ORDER_ABOUT_IT, bare) and not names_object:
            return False
        if sentences.is_temporary(sentence) and not matches(sentence, "past_day"):
            return False
        if index == 0 and matches(self.texts[0], "consent") and not _states(bare):
            return False
        return (
            len(sentence.split()) >= _MIN_WORDS
            and not looks_pasted(sentence)
            and not sentences.announces(previous)
            and not (sentences.is_question(previous) and leans(sentence) and not extended)
        )


def _states(text: str) -> bool:
    return sentences.is_rule(text) or matches(text, "statement", "speaker", "for_good", "lasting")


def is_of_project(text: str, project_words: frozenset[str], *, is_personal: bool = False) -> bool:
    """Tell whether a text speaks of one project: of its files, its identifiers, or "here".

    One that says that it holds in all projects does not, whatever it names. An answer to a question
    of the assistant is about its work.

    Args:
        text: what lasts.
        project_words: stems of the names of files that were changed in the session.
        is_personal: whether it was judged to be about the person: then "we" says nothing in a wish.
    """
    if matches(text, "all_projects"):
        return False
    text = re.sub(_EXAMPLE, "", text)
    is_wish = is_personal and matches(text, "way_of_working")
    about = phrase_pattern("speakers").sub("", text) if is_wish else text
    here = matches(about, "this_project") and not matches(text, "extends_scope")
    if here or ASKED in text or re.search(_IDENTIFIER, text):
        return True
    return not project_words.isdisjoint(stems_of(text))
