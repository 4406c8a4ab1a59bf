"""Extracts what the assistant says in a session: reports, findings, decisions, open ends."""

from __future__ import annotations

import re

from aforesaid.domain.digest import commands
from aforesaid.domain.digest import message_text as messages
from aforesaid.domain.digest import reply_resolution as replies
from aforesaid.domain.digest import sentence_classifier as sentences
from aforesaid.domain.digest.model import ASSISTANT, USER, SessionStatement
from aforesaid.domain.digest.open_ends import leaves_open
from aforesaid.domain.digest.sentence_classifier import matches
from aforesaid.domain.digest.statement_set import (
    FEW_WORDS,
    KnownLines,
    StatementSet,
    split_recalled_lines,
)
from aforesaid.domain.model import transcript
from aforesaid.domain.model.transcript import AssistantTurn, ToolUse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.digest.reply_resolution import Exchange

_MAX_FOLLOW_UPS = 12  #: of the assistant that are collected
#: Sentences of one answer that count by their position alone.
_MAX_BY_POSITION = 2
_QUOTED_CHARS = 60  #: of what the user said about an open end
_DEFERRED_CHARS = 110  #: of why something that was agreed to is put off
#: How a sentence begins that agrees and puts off.
_YES_BUT = (
    r"(?i)^(?:yes|yeah|ok(?:ay)?|sure|ja|gut|oui|d'accord|sí|vale|sim),?"
    r" (?:but|aber|mais|pero|mas) "
)
_LISTED_OPTION = r"(?:\(?[A-Ea-e1-9]|[Oo]ption \w)[).:]\s"


class AnswerExtractor:
    """Collects statements of the assistant; those of the user go to some of the same sets."""

    def __init__(self, recalled: Sequence[str]) -> None:
        """Create the extractor.

        Args:
            recalled: what memory showed in the session; repeating it adds nothing.
        """
        self._known, self._left_open = map(KnownLines, split_recalled_lines(recalled))
        self._follow_ups: list[SessionStatement] = []
        self.decisions = StatementSet()
        self.corrections = StatementSet()
        self.preferences = StatementSet()
        self.done = StatementSet()
        self.findings = StatementSet()
        self.open_items = StatementSet()
        self.assistant_sentences: list[SessionStatement] = []
        self._has_edits = False  # that no answer has reported
        self._deferred = ""  # an open item that a prompt only refers to

    def _defer(self, sentence: str, at_ms: int, previous: str, before: Exchange | None) -> None:
        """File what the user postpones.

        Args:
            sentence: that postpones something. "Not today" alone refers to what was said before.
            at_ms: its time.
            previous: the sentence before it in the prompt, empty if there is none.
            before: the exchange before the prompt.
        """
        text = messages.without_end(sentences.strip_label(sentence))
        bare = re.sub(_YES_BUT, "", text)
        is_vague = matches(re.split(r"[,;:]\s", bare, maxsplit=1)[0], "only_defers", "leaning")
        answers = before.answers if before is not None else []
        if bare != text and answers and (proposed := _proposed_or_asked(answers[-1].text)):
            quoted = f' (user: "{messages.truncate(bare, _DEFERRED_CHARS)}")'
            proposal = sentences.strip_proposal_opening(proposed)
            self._deferred = self.open_items.add(proposal + quoted, at_ms, "", 0.8).text
            return
        if len(sentences.words_of(text)) > (2 * FEW_WORDS if is_vague else FEW_WORDS):
            self.open_items.drop(self._deferred)  # this sentence says it better
            item = self.open_items.add(sentence, at_ms, USER, 0.8)
            self._deferred = item.text if is_vague else ""
            return
        quoted = f' (user: "{messages.truncate(text, _QUOTED_CHARS)}")'
        last = self._follow_ups[-1] if self._follow_ups else None
        if previous and (sentences.refuses(previous) or sentences.is_rule(previous)):
            return  # what is refused or ruled is not put off
        if len(sentences.words_of(previous)) >= FEW_WORDS and not sentences.asks_nothing(previous):
            self._deferred = self.open_items.add(previous, at_ms, USER, 0.75).text
        elif last is not None and answers and last.at_ms >= answers[0].at_ms:
            self._follow_ups[-1] = last.replace(text=last.text + quoted, weight=0.9)
        elif answers and (said := messages.split_sentences(answers[-1].text)):
            proposals = replies.proposals_in(answers[-1].text)
            postponed = sentences.strip_proposal_opening((proposals or said)[-1])
            text = postponed.rstrip(".") + quoted
            self._deferred = self.open_items.add(text, at_ms, "", 0.75).text
        elif len(sentences.words_of(text)) > 1:
            self.open_items.add(sentence, at_ms, USER, 0.6)

    def _drop_rejected(self, prompt: Sequence[str], before: Exchange) -> None:
        """Drop what the last answer left open and a prompt declines ("no, leave it")."""
        declines = sentences.is_denial(prompt[0]) or sentences.refuses(prompt[0])
        if not declines or not before.answers:
            return
        stems = sentences.stems_of(" ".join(prompt))
        self._follow_ups = [
            statement
            for statement in self._follow_ups
            if statement.at_ms < before.answers[0].at_ms
            or not stems & sentences.stems_of(statement.text)
        ]

    def _add_answers(self, exchange: Exchange, order: str, *, asked: bool) -> None:
        """File what the assistant wrote, by what it did before and afterwards.

        What it writes before it changes anything explains; its last answer after a change reports.

        Args:
            exchange: with the answers.
            order: of the user, which was carried out if files were changed.
            asked: whether the prompt asks for something.
        """
        follow_ups = StatementSet()
        tested = exchange.last_passed(commands.TESTS) is not None
        changed = self._has_edits and tested
        worked = tested or exchange.last_passed(commands.BUILD) is not None
        reports_before = len(self.done.statements)
        edited = any(
            isinstance(turn, ToolUse) and turn.kind == transcript.EDIT for turn in exchange.turns
        )
        last = exchange.answers[-1] if exchange.answers else None
        for turn in exchange.turns:
            if isinstance(turn, ToolUse) and turn.kind == transcript.EDIT:
                changed = True
            elif isinstance(turn, AssistantTurn):
                explains = not changed and (asked or exchange.used_tool)
                self._add_answer(
                    turn, follow_ups, final=turn is last, explains=explains, reports=changed
                )
        if last is not None and exchange.did_work:
            self._follow_ups = [
                statement
                for statement in self._follow_ups
                if not replies.is_resolved_by(statement.text, last.text)
                and not (tested and sentences.says_untested(statement.text))
                and not (edited and matches(statement.text, "next_move"))
                and not (edited and worked and _is_diagnosis(statement))
            ]
        new = [
            statement
            for statement in follow_ups.statements
            if not self._left_open.has(statement.text)
        ]
        if new and self._deferred:
            self.open_items.drop(self._deferred)  # the assistant said it better
        if exchange.answers:
            self._deferred = ""
        self._follow_ups = [*self._follow_ups, *new][-_MAX_FOLLOW_UPS:]
        reported = len(self.done.statements) > reports_before
        if edited and not reported and order:
            self.done.add(order, exchange.prompt.at_ms if exchange.prompt else 0, USER, 0.5)
        self._has_edits = (self._has_edits or edited) and not reported

    def _add_answer(
        self,
        answer: AssistantTurn,
        follow_ups: StatementSet,
        *,
        final: bool,
        explains: bool,
        reports: bool,
    ) -> None:
        room = _MAX_BY_POSITION
        said = messages.split_sentences(answer.text)
        neighbours = zip(["", *said], said, [*said[1:], ""], strict=False)
        for index, (previous, sentence, following) in enumerate(neighbours):
            words = sentences.words_of(sentence)
            if matches(sentence, "narration") or self._is_told(sentence):
                continue
            self.assistant_sentences.append(
                SessionStatement(text=sentence, at_ms=answer.at_ms, by=ASSISTANT, weight=0.5)
            )
            proposes = sentences.is_proposal(sentence)
            if final and sentences.is_open(sentence) and not proposes:
                if leaves_open(sentence, index, len(said)):
                    text = _with_topic(sentence, previous)
                    follow_ups.add(text, answer.at_ms, ASSISTANT, _open_weight(sentence))
                continue  # if it leaves nothing open, it explains; it reports no result
            if sentence.rstrip(" \"')").endswith("?"):
                continue  # what is asked is no outcome
            done = final and reports and not matches(sentence, "existence", "future_work")
            if re.match(_LISTED_OPTION, sentence) or self._classify_answer(
                sentence, answer.at_ms, done=done
            ):
                room -= sentences.is_cause(sentence)
                continue
            if room > 0 and len(words) > FEW_WORDS and not proposes:
                if explains:
                    self.findings.add(sentence, answer.at_ms, ASSISTANT, 0.4 + 0.05 * room)
                elif done and not sentences.is_question(following):
                    self.done.add(sentence, answer.at_ms, ASSISTANT, 0.4)
                room -= 1

    def _is_told(self, sentence: str) -> bool:
        """Tell whether memory showed a sentence, or the user said it."""
        words = sentences.words_of(sentence)
        by_user = (self.decisions, self.preferences, self.corrections)
        return self._known.has(sentence) or any(each.says(words) for each in by_user)

    def _classify_answer(self, sentence: str, at_ms: int, *, done: bool) -> bool:
        """File an assistant's sentence by its kind; return False if it has none."""
        if matches(sentence, "routine_report") and not matches(sentence, "own_report"):
            return True
        if done and matches(sentence, "own_report"):
            weight = 0.7 if len(sentences.words_of(sentence)) > FEW_WORDS else 0.4
            self.done.add(re.sub("(?i)^done[;:,.] +", "", sentence), at_ms, ASSISTANT, weight)
        elif sentences.is_assistant_decision(sentence):
            self.decisions.add(sentence, at_ms, ASSISTANT, 0.6)
        elif sentences.is_cause(sentence) and not sentences.is_proposal(sentence):
            weight = 0.7 if "`" in sentence else 0.65
            self.findings.add(sentence, at_ms, ASSISTANT, weight)
        elif done and sentences.is_done(sentence):
            says_what = len(sentences.words_of(sentence)) >= FEW_WORDS
            self.done.add(sentence, at_ms, ASSISTANT, 0.6 if says_what else 0.4)
        else:
            return False
        return True


def _proposed_or_asked(answer: str) -> str:
    """Return the last proposal of an answer, or the question that it ends with."""
    end = messages.split_sentences(answer)[-1:]
    asked = [sentence for sentence in end if sentence.endswith("?")]
    return next(reversed(replies.proposals_in(answer) or asked), "")


def _with_topic(sentence: str, previous: str) -> str:
    """Return an open end of a word or two ("Not started.") after the sentence before it."""
    is_whole = len(sentences.words_of(sentence)) >= FEW_WORDS or matches(sentence, "next_step")
    if is_whole or not previous:
        return sentence
    return f"{messages.without_end(previous)}; {sentence}"


def _open_weight(sentence: str) -> float:
    return 0.85 if matches(sentence, "next_step") else 0.7


def _is_diagnosis(statement: SessionStatement) -> bool:
    """Tell whether a statement says what is wrong, not what is left for later."""
    is_planned = matches(statement.text, "later", "next_step", "put_off")
    return matches(statement.text, "diagnosis") and not is_planned
