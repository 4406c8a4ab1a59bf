"""Exchanges (a prompt and what followed it), and how a prompt replies to the answer before it.

A reply may accept a proposal, pick an option by letter or by name, or correct a sentence.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import message_text as messages
from aforesaid.domain.digest import sentence_classifier as sentences
from aforesaid.domain.digest import statement_set as similarity
from aforesaid.domain.digest.commands import COMMIT, purposes_of
from aforesaid.domain.model.transcript import (
    EDIT,
    MEMORY,
    OK,
    RUN,
    AssistantTurn,
    Interruption,
    Prompt,
    ToolUse,
)

from .sentence_classifier import matches, phrase_pattern
from .statement_set import FEW_WORDS, STATEMENT_CHARS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.transcript import Conversation

#: Answers that the next prompt may reply to.
_MAX_REPLIED_TO = 3


class Exchange:
    """A prompt and the turns up to the next one."""

    def __init__(self, prompt: Prompt | None) -> None:
        self.prompt = prompt
        self.turns: list[object] = []

    @property
    def answers(self) -> list[AssistantTurn]:
        """The assistant's answers, oldest first."""
        return [turn for turn in self.turns if isinstance(turn, AssistantTurn)]

    @property
    def last_answers(self) -> list[str]:
        """The last answers, newest first: what a reply may refer to."""
        return [answer.text for answer in reversed(self.answers[-_MAX_REPLIED_TO:])]

    @property
    def proposals(self) -> list[str]:
        """What the last answer proposed."""
        return proposals_in(self.answers[-1].text) if self.answers else []

    @property
    def was_interrupted(self) -> bool:
        """Whether the user stopped the assistant."""
        return any(isinstance(turn, Interruption) for turn in self.turns)

    @property
    def used_tool(self) -> bool:
        """Whether the assistant used a tool other than memory."""
        return any(isinstance(turn, ToolUse) and not _uses_memory(turn) for turn in self.turns)

    def last_passed(self, purpose: str) -> ToolUse | None:
        """Return the last call that passed and was for this (commands.py), if any."""
        passed = (
            turn for turn in self.turns[::-1] if isinstance(turn, ToolUse) and turn.status == OK
        )
        return next((use for use in passed if purpose in purposes_of(use.command)), None)

    @property
    def ended_well(self) -> bool:
        """Whether the last thing done was a command that passed."""
        last = self.turns[-1] if self.turns else None
        return isinstance(last, ToolUse) and last.kind == RUN and last.status == OK

    @property
    def unfinished_because(self) -> str:
        """Why the request is not finished; empty if it seems to be."""
        if self.was_interrupted:
            return "interrupted"
        turns = [turn for turn in self.turns if not _uses_memory(turn)]
        if not turns:
            return "asked last, not answered" if self._asks and not self.turns else ""
        last = turns[-1]
        is_amid = not self.answers or isinstance(last, ToolUse)
        is_committed = last is self.last_passed(COMMIT)
        return "session ended in the middle of it" if is_amid and not is_committed else ""

    @property
    def _asks(self) -> bool:
        """Whether the prompt has a question or an order, rather than thanks or a statement."""
        parts = [] if self.prompt is None else messages.split_sentences(self.prompt.text)
        return any(
            sentences.is_question(part) or sentences.is_order(sentences.strip_politeness(part))
            for part in parts
        )

    @property
    def did_work(self) -> bool:
        """Whether the assistant changed or ran something."""
        return any(isinstance(turn, ToolUse) and turn.kind in {RUN, EDIT} for turn in self.turns)


def _uses_memory(turn: object) -> bool:
    return isinstance(turn, ToolUse) and turn.kind == MEMORY


def exchanges_of(conversation: Conversation) -> list[Exchange]:
    """Return the exchanges of a conversation, oldest first."""
    exchanges: list[Exchange] = []
    for turn in conversation.turns:
        if isinstance(turn, Prompt):
            exchanges.append(Exchange(turn))
        else:
            if not exchanges:
                exchanges.append(Exchange(None))
            exchanges[-1].turns.append(turn)
    return exchanges


#: Words of a reply that only picks an option; share of them that the option must have.
_MAX_PICK_WORDS, _PICK_SHARE = 12, 0.5
#: Share of words from which an answer's sentence resolves an open item.
_RESOLVED_SHARE = 0.5
#: Letters by which the words of a reply and of an option are compared.
_PREFIX_CHARS = 6
#: Characters of a corrected sentence that are quoted.
_CORRECTED_CHARS = 90
_QUESTION_CHARS = 160  #: of a question that is quoted before its answer
#: Content words of an answer that is understood without its question.
_MIN_WHOLE_WORDS = 6
ASKED = ' (asked: "'  #: before the question that an answer quotes
ABOUT = ' (about: "'  #: before the sentence that names what a remark refers to
#: Words of a reply that only names what the answer said.
_MAX_NAMING_WORDS = 7
#: How a reply begins that says only where or how.
_PREPOSITION = (
    r"(?i)(?:in|on|at|by|from|with|under|via|unter|mit|auf|bei|sous|avec|dans|con|bajo)\b"
)
#: How a clause begins that depends on a question ("that it sends them twice").
_DEPENDENT = r"(?i)(?:that (?:it|he|she|they|we|the|his|her|their)|dass)\b"
_MAY_I = r"(?i)(?:and |so |then )?(?:do|should|shall|can|may|must) (?:i|we)\b"
#: How a sentence begins that names no subject.
_NO_SUBJECT = (
    r"(?i)(?:only|just|in|on|at|by|from|with|under|via|always|never|every|each|both|all|none|no|it|its"
    r"|it's|they|they're|that's|those|not|neither|without|nur|im|in der|auf|immer|nie|nicht|ohne"
    r"|jamais|toujours|sans|ni|nunca|siempre|sin)\b"
)
_ADDS = (
    r"\b(?:and|also|but|except|only|without|with|just|und|auch|aber|nur|et|aussi|mais|sauf|y"
    r"|además|pero|e|mas)\b,?"
)
_BETWEEN_OPTIONS = r"[,;:]\s+|\s(?:or|oder|ou|o)\s|[,，、;；:：]"  # noqa: RUF001


def proposals_in(answer: str) -> list[str]:
    """Return the sentences of an answer that propose something.

    "Shall I?" makes a proposal of the sentences before it, unless one of them is.
    """
    proposals: list[str] = []
    statements: list[str] = []  # in the sentences before
    for sentence in messages.split_sentences(answer):
        if sentences.is_proposal(sentence) and not matches(sentence, "bare_ask"):
            proposals.append(sentence)
        elif matches(sentence, "bare_ask") and statements and not proposals:
            proposals.append("; ".join(map(messages.without_end, statements[-2:])))
        if not sentences.is_question(sentence):
            statements.append(sentence)
    return proposals


def accepted_proposal(sentence: str, proposals: list[str]) -> tuple[str, str]:
    """Return the proposal that a sentence accepts, and what it adds ("fine, but ...").

    "Yes to all but the fallback" accepts the last proposal that does not name the fallback.
    """
    affirmation = phrase_pattern("affirmation").search(sentence.strip())
    if not proposals or affirmation is None or sentences.refuses(sentence):
        return "", ""
    rest = sentence.strip()[affirmation.end() :].lstrip(" ,.;:!–—-")  # noqa: RUF001
    if matches(sentence, "partial_yes"):
        refused = _excepted(sentence, proposals)
        accepted = [proposal for proposal in proposals if proposal not in refused] or proposals
        return sentences.strip_proposal_opening(accepted[-1]), messages.without_end(rest)
    adds = re.search(_ADDS, rest, re.IGNORECASE)
    if adds is None and len(sentences.words_of(rest)) > FEW_WORDS * 2:
        return "", ""
    addition = "" if adds is None else rest[adds.end() :].strip()
    if len(addition.split()) < FEW_WORDS:
        addition = ""
    return sentences.strip_proposal_opening(proposals[-1]), addition


def _excepted(sentence: str, proposals: Sequence[str]) -> list[str]:
    """Return the proposals that an agreement excepts ("yes to all apart from the fallback")."""
    exception = phrase_pattern("exception").search(sentence)
    if exception is None or not matches(sentence, "partial_yes"):
        return []
    named = sentences.words_of(sentence[exception.end() :])
    return [text for text in proposals if _shared_words(named, sentences.words_of(text))]


def option_line(answer: str, option: str) -> str:
    """Return what an answer says about an option: "A) ...", "2. ...", "Option B: ..."."""
    pattern = (
        rf"(?i)(?:^|[\s(*])(?:option )?{option}[).:]\**\s+(.+?)"
        r"(?=,? (?:or )?(?:option )?[a-e1-6]\)|[.;](?:\s|$)|$)"
    )
    for line in answer.split("\n"):
        match = re.search(pattern, line.strip())
        if match:
            return messages.truncate(match[1].replace("**", "").strip(), STATEMENT_CHARS)
    return ""


def chosen_option(reply: str, answer: str) -> str:
    """Return the option of an answer that a short reply picks, in the answer's words.

    "anonymise" after "cascade deletes, or anonymise the row" picks the second. A reply that adds
    its own words ("rather halve it, the other stutters") is returned as it is.
    """
    words = sentences.words_of(reply)
    if not words or len(reply.split()) > _MAX_PICK_WORDS or sentences.is_question(reply):
        return ""
    if sentences.refuses(reply):
        return ""
    for proposal in reversed(proposals_in(answer)):
        for option in re.split(_BETWEEN_OPTIONS, proposal):
            option_words = sentences.words_of(option)
            smaller = min(len(words), len(option_words) or 1)
            if _shared_words(words, option_words) >= max(1, round(_PICK_SHARE * smaller)):
                if len(words) > FEW_WORDS:
                    return reply
                bare = sentences.strip_proposal_opening(option.strip(" ?."))
                return messages.truncate(bare, STATEMENT_CHARS)
    return ""


def approved(reply: str, answer: str) -> str:
    """Return the proposal that a reply approves by its name ("timeout yes")."""
    match = phrase_pattern("approval").search(reply.strip())
    if match is None:
        return ""
    named = sentences.words_of(match[1])
    for proposal in proposals_in(answer):
        parts = {part for word in sentences.words_of(proposal) for part in re.split(r"[\W_]", word)}
        if named and named <= parts:
            return sentences.strip_proposal_opening(proposal)
    return ""


def find_corrected_sentence(correction: str, answers: Sequence[str]) -> str:
    """Return the sentence that a correction corrects, from the first answer that has one."""
    matching = (
        similarity.find_corrected_sentence(correction, messages.split_sentences(answer))
        for answer in answers
    )
    sentence = sentences.strip_label(next(filter(None, matching), ""))
    return messages.without_end(messages.truncate(sentence, _CORRECTED_CHARS)).replace('"', "'")


def rejects_value(correction: str, answers: Sequence[str]) -> bool:
    """Tell whether a sentence rejects a value of an answer ("30 days, not 7")."""
    return any(
        similarity.names_rejected_value(sentence, correction)
        for answer in answers
        for sentence in messages.split_sentences(answer)
    )


def is_resolved_by(open_item: str, answer: str) -> bool:
    """Tell whether an answer reports that an open item is done."""
    words = sentences.words_of(open_item)
    for sentence in messages.split_sentences(answer):
        if sentences.is_done(sentence) and not sentences.is_open(sentence):
            reported = sentences.words_of(sentence)
            smaller = min(len(words), len(reported))
            if words and len(words & reported) >= _RESOLVED_SHARE * smaller:
                return True
    return False


def with_question(text: str, before: Exchange | None) -> str:
    """Return an answer without a subject with what it answers; any other as it is.

    "Where does the key live?" "Only in the HSM of the build server" is not understood alone; an
    answer with a reason or a sentence of its own is. What accepts a proposal ("under Unreleased")
    is not understood without that.
    """
    answers = before.last_answers[:1] if before is not None else []
    answer = messages.split_sentences(answers[0]) if answers else []
    question = answer[-1] if answer else ""
    if not question.endswith("?") or len(question) > _QUESTION_CHARS:
        return _with_repeated(text, answer)
    if sentences.is_proposal(question) or re.match(_MAY_I, question):
        needs_it = re.match(_PREPOSITION, text) is not None
    else:
        needs_it = re.match(_DEPENDENT, text) is not None
        needs_it = needs_it or (lacks_subject(text) and not _is_whole(text))
    return f'{text}{ASKED}{question}")' if needs_it else text


def _with_repeated(text: str, answer: Sequence[str]) -> str:
    """Return a few words that only repeat a part of an answer ("the counter") with that part."""
    words = sentences.words_of(text)
    if len(text.split()) > _MAX_NAMING_WORDS or matches(text, "speaker", "statement", "order"):
        return text
    for sentence in answer:
        if words & sentences.words_of(sentence) and len(sentence) <= _QUESTION_CHARS:
            return f'{text}{ABOUT}{messages.without_end(sentence)}")'
    return text


def _is_whole(text: str) -> bool:
    """Tell whether an answer has a clause of its own besides the one without a subject."""
    clauses = re.split(r"[,;:]\s", text)[1:]
    has_clause = any(matches(clause, "speaker", "statement", "reason") for clause in clauses)
    return has_clause and len(sentences.words_of(text)) >= _MIN_WHOLE_WORDS


def refused_proposal(sentence: str, before: Exchange | None) -> str:
    """Return what the last answer proposed at its end and a sentence refuses ("no thank you")."""
    if before is None or not before.answers:
        return ""
    if sentences.refuses(sentence):
        answer = messages.split_sentences(before.answers[-1].text)
        end = [messages.without_end(text) for text in answer if not matches(text, "bare_ask")][-1:]
        refused = [text for text in before.proposals[-1:] if end and end[0] in text]
    else:
        refused = _excepted(sentence, before.proposals)[-1:]
    if not refused:
        return ""
    proposal = messages.without_end(messages.truncate(refused[0], _CORRECTED_CHARS))
    return proposal.rstrip("?").replace('"', "'")


def lacks_subject(text: str) -> bool:
    """Tell whether a sentence begins without a subject ("only in the vault")."""
    return re.match(_NO_SUBJECT, text) is not None


def says_goodbye(prompt: Prompt) -> bool:
    """Tell whether a prompt ends the session, whatever else it says."""
    return any(matches(sentence.strip(), "farewell") for sentence in prompt_sentences(prompt.text))


def prompt_sentences(text: str) -> list[str]:
    """Return the sentences that a person typed.

    A fragment ("... off then. only for /upload") is joined to the sentence that it continues; an
    order and a rule in one sentence ("fix it, and always use tabs") are split.
    """
    joined: list[str] = []
    for sentence in messages.split_sentences(messages.typed_part(text)):
        for clause in sentences.clauses(sentence):
            if joined and sentences.is_fragment(clause) and not sentences.is_question(joined[-1]):
                joined[-1] = f"{messages.without_end(joined[-1])}; {clause}"
            else:
                joined.append(clause)
    return joined


def _shared_words(words: frozenset[str], other: frozenset[str]) -> int:
    """Return how many words are also in another set, endings aside."""
    prefixes = {word[:_PREFIX_CHARS] for word in other}
    return sum(word[:_PREFIX_CHARS] in prefixes for word in words)
