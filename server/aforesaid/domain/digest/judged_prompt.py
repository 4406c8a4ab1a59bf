"""A prompt whose sentences are judged by the model, with what is known of their surroundings."""

from __future__ import annotations

import re

from . import sentence_classifier as sentences
from .message_text import looks_pasted
from .sentence_classifier import five_letter_stem, matches, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .lasting import SentenceJudge

#: A sentence with fewer words is kept only if the rules say so, too.
_MIN_WORDS = 4
#: An identifier, a path or a file name: it belongs to one project.
_IDENTIFIER = r"\w*_\w+|[\w.-]+/[\w-]+\.\w|\b[\w-]+\.[a-z]{1,5}\b(?!\.)|[a-z][a-z]+[A-Z]\w+|`"

_ORDER_ABOUT_IT = r"(?i)(?:please |just |then |now )?\w+ (?:it|them|this|that|those|these|both)\b"


class JudgedPrompt:
    """The sentences of one prompt."""

    def __init__(
        self,
        texts: Sequence[str],
        judge: SentenceJudge | None,
        *,
        answers: bool,
        heard: frozenset[str],
        leans: Callable[[str], bool],
    ) -> None:
        """Create the prompt.

        Args:
            texts: its sentences.
            judge: judges them; None leaves that to rules.
            answers: whether it follows an answer of the assistant.
            heard: words of the assistant's answers before and after the prompt.
            leans: tells whether a sentence refers to what was said before it.
        """
        self.texts = texts
        self.heard = heard
        self.continued: set[int] = set()  #: sentences that continue a correction before them
        self.lists = False  #: whether it is a list of rules
        self._judge = judge
        self._answers = answers
        self._leans = leans

    def verdict(self, index: int, sentence: str) -> bool | None:
        """Return whether a sentence, or a part of it, lasts; None if the rules decide."""
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

    def _suffices(self, index: int, sentence: str) -> bool:
        """Tell whether the model's word suffices to keep a sentence.

        It does not for a pasted line, for a few words, for what explains a question, and for an
        order that does not name its object ("rename it").
        """
        previous = self.texts[index - 1] if index else ""
        bare = sentences.strip_opening(sentence)
        if re.match(_ORDER_ABOUT_IT, bare):
            return False
        return (
            len(sentence.split()) >= _MIN_WORDS
            and not looks_pasted(sentence)
            and not sentences.announces(previous)
            and not (sentences.is_question(previous) and self._leans(sentence))
        )


def is_of_project(text: str, project_words: frozenset[str]) -> bool:
    """Tell whether a text speaks of one project: of its files, its identifiers, or "here".

    Args:
        text: what lasts.
        project_words: stems of the names of files that were changed in the session.
    """
    here = matches(text, "this_project") and not matches(text, "extends_scope")
    if here or re.search(_IDENTIFIER, text):
        return True
    return bool(project_words.intersection(map(five_letter_stem, words_of(text))))
