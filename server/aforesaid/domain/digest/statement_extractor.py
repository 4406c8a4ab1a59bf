"""Extracts the statements of a session, of the user and of the assistant, by kind.

memory_candidates.py decides the kind of a user's sentence, activity.py reads what was done.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import commands
from aforesaid.domain.digest import memory_candidates as candidates
from aforesaid.domain.digest import message_text as messages
from aforesaid.domain.digest import reply_resolution as replies
from aforesaid.domain.digest import sentence_classifier as sentences
from aforesaid.domain.digest.memory_candidates import corrected_sentence, kind_of, redirects
from aforesaid.domain.digest.model import ASSISTANT, BOTH, USER, SessionStatement
from aforesaid.domain.digest.sentence_classifier import matches
from aforesaid.domain.digest.statement_set import (
    FEW_WORDS,
    KnownLines,
    StatementSet,
    split_recalled_lines,
)
from aforesaid.domain.digest.todo_list import TodoList
from aforesaid.domain.model import transcript
from aforesaid.domain.model.transcript import AssistantTurn, Prompt, Todos, ToolUse, UserChoice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.digest.lasting import SentenceJudge
    from aforesaid.domain.digest.reply_resolution import Exchange
    from aforesaid.domain.model.transcript import Conversation

#: Follow-ups of the assistant that are collected, and that a digest shows.
_MAX_FOLLOW_UPS, _MAX_FOLLOW_UPS_SHOWN = 12, 4
#: Sentences of one answer that count by their position alone.
_MAX_BY_POSITION = 2
#: Characters of a prompt that may be a mere reply.
_REPLY_CHARS = 400
#: Characters of a correction beside the sentence that it corrects.
_CORRECTION_CHARS = 110
#: A longer prompt with more candidates than this is a document that somebody pasted.
_TYPED_CHARS, _MAX_TYPED_CANDIDATES = 1000, 6
_LISTED_OPTION = r"(?:\(?[A-Ea-e1-9]|[Oo]ption \w)[).:]\s"


class StatementExtractor:
    """Collects statements from one exchange after the other."""

    def __init__(self, conversation: Conversation, judge: SentenceJudge | None = None) -> None:
        self._judge = judge
        self._position = (0, 1)  # of a sentence in its prompt: index, and number of sentences
        self._known, self._left_open = map(KnownLines, split_recalled_lines(conversation.recalled))
        self._ended_ms = conversation.ended_ms
        self._before: Exchange | None = None
        self._todos = TodoList()
        self._follow_ups: list[SessionStatement] = []
        self.asked = StatementSet()
        self.decisions = StatementSet()
        self.corrections = StatementSet()
        self.preferences = StatementSet()
        self.done = StatementSet()
        self.findings = StatementSet()
        self.facts = StatementSet()
        self.open_items = StatementSet()
        self.candidates: list[candidates.MemoryCandidate] = []
        self.assistant_sentences: list[SessionStatement] = []
        self._current = ""
        self._last_ask: SessionStatement | None = None

    def add_exchange(self, exchange: Exchange) -> None:
        asked = exchange.prompt is not None and self._add_prompt(exchange.prompt)
        for turn in exchange.turns:
            if isinstance(turn, UserChoice):
                text = f"{turn.question.rstrip(' ?')}: {turn.answer}"
                self.decisions.add(text, turn.at_ms, USER, 0.9)
            elif (
                isinstance(turn, ToolUse)
                and turn.kind == transcript.PLAN
                and turn.status == transcript.OK
            ):
                plan = messages.strip_non_prose(turn.command)
                if plan:
                    text = f"plan agreed: {plan[0]}"
                    self.decisions.add(text, turn.at_ms, BOTH, 0.7)
            elif isinstance(turn, Todos):
                self._todos.update(turn)
        self._add_answers(exchange, asked=asked)
        self._before = exchange

    def _add_prompt(self, prompt: Prompt) -> bool:
        """Add a prompt; return whether it asks for something or about something."""
        self._current = ""
        if prompt.command:
            self._ask(prompt.text, prompt.at_ms, 0.4)
            return False
        prompt_sentences = replies.prompt_sentences(prompt.text)
        text = " ".join(prompt_sentences)
        if not prompt_sentences:
            line = prompt.text.strip().split("\n")[0]
            self._ask(f"(pasted) {messages.truncate(line, 80)}", prompt.at_ms, 0.3)
            return True
        if (
            len(text) <= _REPLY_CHARS
            and self._before is not None
            and self._add_reply(text, prompt, self._before)
        ) or sentences.is_small_talk(text):
            return False
        candidates_before = len(self.candidates)
        rest = self._file_all(prompt_sentences, prompt.at_ms)
        added = len(self.candidates) - candidates_before
        if len(prompt.text) > _TYPED_CHARS and added > _MAX_TYPED_CANDIDATES:
            del self.candidates[candidates_before:]
        if not rest and self._before is None:
            rest = prompt_sentences  # a first prompt asks, even if it only states or decides
        ask = sentences.strip_politeness(" ".join(rest))
        minor = sentences.is_routine_request(ask) or len(sentences.words_of(ask)) <= 1
        if ask and not (minor and self._last_ask is not None):
            self._ask(ask, prompt.at_ms, min(1.0, 0.4 + len(ask) / 400))
        return bool(rest)

    def _file_all(self, prompt_sentences: list[str], at_ms: int) -> list[str]:
        """File the sentences of a prompt; return those that only ask."""
        rest: list[str] = []
        denied = listed = False
        correction = ""
        for index, sentence in enumerate(prompt_sentences):
            self._position = (index, len(prompt_sentences))
            if listed and not sentences.is_question(sentence):
                self.preferences.add(sentence, at_ms, USER, 0.9)
                self._add_candidate(sentence, at_ms, listed=True)
            elif sentences.introduces_rule_list(sentence):
                listed = True
            elif sentences.is_denial(sentence):
                denied = True
            elif sentences.asks_nothing(sentence) or self._repeats(sentence, at_ms):
                continue
            elif correction and self._continues_correction(sentence, correction, at_ms):
                denied = False
            elif index == 0 and self._accepts_proposal(sentence, at_ms):
                continue
            else:
                kind = self._file(sentence, at_ms, denied=denied)
                correction = sentence if kind == "correction" else ""
                if not kind or (kind == "fact" and self._before is None):
                    rest.append(sentence)
                denied = False
        return rest

    def _repeats(self, sentence: str, at_ms: int) -> bool:
        """Tell whether a sentence repeats what memory showed; asking again is not repeating."""
        if sentences.is_question(sentence) or not self._known.has(sentence, wholly=True):
            return False
        return (
            bool(kind_of(sentence, self._before, denied=False)[0])
            or candidates.candidate_of(sentence, at_ms) is not None
            or sentences.states(sentence)
        )

    def _continues_correction(self, sentence: str, correction: str, at_ms: int) -> bool:
        """Add a plain statement after a correction to it, since it says how things are."""
        decides = sentences.is_rule(sentence) or sentences.is_decision(sentence)
        if decides or not sentences.states(sentence):
            return False
        bare = sentences.strip_correction_opening(correction)
        self.corrections.extend(bare, f"{messages.without_end(bare)}; {sentence}")
        if self.candidates and self.candidates[-1].at_ms == at_ms:
            self.candidates[-1] = candidates.extend(self.candidates[-1], sentence)
        else:
            self._add_candidate(sentence, at_ms, corrects=True)
        return True

    def _accepts_proposal(self, sentence: str, at_ms: int) -> bool:
        """File a first sentence that accepts, or chooses from, what the assistant proposed."""
        before = self._before
        if before is None or not before.answers or sentences.is_question(sentence):
            return False
        answer = before.answers[-1].text
        proposal, addition = replies.accepted_proposal(sentence, replies.proposals_in(answer))
        if proposal and not self._known.has(proposal):
            text = proposal
            if addition and not self._file(addition, at_ms, denied=False):
                text = f"{messages.without_end(messages.truncate(proposal, 110))}; {addition}"
            self.decisions.add(text, at_ms, BOTH, 0.85 if addition else 0.7)
            return True
        if sentences.is_decision(sentence) or sentences.is_correction(sentence):
            return False
        option = replies.chosen_option(sentence, answer)
        if option and not self._known.has(option):
            self.decisions.add(option, at_ms, USER, 0.85)
            return True
        return False

    def _add_candidate(
        self, sentence: str, at_ms: int, *, corrects: bool = False, listed: bool = False
    ) -> None:
        """Add a sentence that stays valid after the session to the candidates, once."""
        corrects = corrects or redirects(sentence, self._before)
        corrected = (
            corrected_sentence(sentences.strip_opening(sentence), self._before) if corrects else ""
        )
        candidate = candidates.candidate_of(
            sentence, at_ms, corrects=corrects, listed=listed, instead_of=corrected
        )
        is_sure = listed or corrected or sentences.asks_to_remember(sentence)
        verdict = None if is_sure else self._verdict(sentence)
        if candidate is None and verdict:
            candidate = candidates.judged_candidate(sentence, at_ms)
        if candidate is None or verdict is False:
            return
        if self._position[0] == 0:
            text = replies.with_question(candidate.text, self._before)
            candidate = candidate.replace(text=text)
        words = sentences.words_of(candidate.text)
        if not any(words <= sentences.words_of(known.text) for known in self.candidates):
            self.candidates.append(candidate)

    def _verdict(self, sentence: str) -> bool | None:
        """Return whether a sentence lasts; None if the rules decide."""
        judge, answers = self._judge, self._before is not None
        return None if judge is None else judge.verdict(sentence, *self._position, answers=answers)

    def _ask(self, text: str, at_ms: int, weight: float) -> None:
        self._current = text = sentences.strip_politeness(text)
        self._last_ask = self.asked.add(text, at_ms, USER, weight)

    def _add_reply(self, text: str, prompt: Prompt, before: Exchange) -> bool:
        """Add a short prompt as a reply to the exchange before, if it is one."""
        if before.was_interrupted and matches(text.strip(), "stop"):
            if self._last_ask is not None:
                reason = messages.without_end(messages.truncate(text, 60))
                stopped = f'{messages.truncate(self._last_ask.text, 110)} (stopped: "{reason}")'
                self.open_items.add(stopped, prompt.at_ms, "", 0.9)
            return True
        option = sentences.option_of(prompt.text)
        chosen = replies.option_line(before.answers[-1].text, option) if before.answers else ""
        if option and chosen:
            rest = re.sub(r"^\W*\w+[.,;:)]\s*", "", prompt.text.strip())
            whole = f"{chosen}; {rest}" if len(sentences.words_of(rest)) > 1 else chosen
            self.decisions.add(whole, prompt.at_ms, BOTH, 0.85)
            return True
        if sentences.is_affirmation(text) and sentences.is_small_talk(text):
            return self._accepts_proposal(text, prompt.at_ms)
        return False

    def _file(self, sentence: str, at_ms: int, *, denied: bool) -> str:
        """File a user's sentence by its kind; return the kind, empty if it only asks."""
        if sentences.is_question(sentence) or sentences.announces(sentence):
            return ""
        kind, weight = kind_of(sentence, self._before, denied=denied)
        sets = {
            "decision": self.decisions, "preference": self.preferences, "fact": self.facts,
        }  # fmt: skip
        if kind == "correction":
            self._correct(
                sentences.strip_correction_opening(sentence) if weight else sentence, at_ms
            )
        elif kind == "open":
            self._defer(sentence, at_ms)
        elif kind:
            sets[kind].add(sentence, at_ms, USER, weight)
        elif self._before is not None or self._verdict(sentence):
            kind = self._file_lasting(sentence, at_ms)
        if kind not in {"", "open"}:
            self._add_candidate(sentence, at_ms, corrects=kind == "correction")
        return kind

    def _file_lasting(self, sentence: str, at_ms: int) -> str:
        """File a sentence of no other kind that stays valid after the session."""
        candidate = candidates.candidate_of(sentence, at_ms)
        if candidate is None and self._verdict(sentence):
            candidate = candidates.judged_candidate(sentence, at_ms)
        if candidate is None:
            return ""
        is_fact = candidate.kind in {candidates.FACT, candidates.DECISION}
        (self.facts if is_fact else self.preferences).add(sentence, at_ms, USER, 0.8)
        return "fact" if is_fact else "preference"

    def _correct(self, text: str, at_ms: int) -> None:
        """File a correction, with the assistant's sentence that it corrects if that is known."""
        corrected = corrected_sentence(text, self._before)
        if corrected:
            for statements in (self.findings, self.done, self.open_items):
                statements.drop(corrected)
            text = messages.without_end(messages.truncate(text, _CORRECTION_CHARS))
        self.corrections.add(candidates.with_corrected_text(text, corrected), at_ms, USER, 0.9)

    def _defer(self, sentence: str, at_ms: int) -> None:
        """File what the user postpones; "that's for next week" refers to the last follow-up."""
        text = messages.without_end(sentences.strip_label(sentence))
        if len(sentences.words_of(text)) <= FEW_WORDS and self._follow_ups:
            last = self._follow_ups[-1]
            self._follow_ups[-1] = last.replace(text=f'{last.text} (user: "{text}")', weight=0.9)
        elif len(sentences.words_of(text)) > 1:
            self.open_items.add(sentence, at_ms, USER, 0.8)

    def _add_answers(self, exchange: Exchange, *, asked: bool) -> None:
        """File what the assistant wrote, by what it did before and afterwards.

        What it writes before it changes anything explains; its last answer after a change reports.
        """
        follow_ups = StatementSet()
        changed = False
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
            tested = exchange.last_passed(commands.TESTS) is not None
            self._follow_ups = [
                statement
                for statement in self._follow_ups
                if not replies.is_resolved_by(statement.text, last.text)
                and not (tested and sentences.says_untested(statement.text))
            ]
        new = [
            statement
            for statement in follow_ups.statements
            if not self._left_open.has(statement.text)
        ]
        self._follow_ups = [*self._follow_ups, *new][-_MAX_FOLLOW_UPS:]

    def _add_answer(
        self,
        answer: AssistantTurn,
        follow_ups: StatementSet,
        *,
        final: bool,
        explains: bool,
        reports: bool,
    ) -> None:
        by_user = (self.decisions, self.preferences, self.corrections)
        room = _MAX_BY_POSITION
        for sentence in messages.split_sentences(answer.text):
            words = sentences.words_of(sentence)
            if matches(sentence, "narration") or self._known.has(sentence):
                continue
            if any(statements.says(words) for statements in by_user):
                continue
            self.assistant_sentences.append(
                SessionStatement(text=sentence, at_ms=answer.at_ms, by=ASSISTANT, weight=0.5)
            )
            proposes = sentences.is_proposal(sentence)
            if final and sentences.is_open(sentence) and not proposes:
                weight = 0.85 if matches(sentence, "next_step") else 0.7
                follow_ups.add(sentence, answer.at_ms, ASSISTANT, weight)
                continue
            done = final and reports
            if re.match(_LISTED_OPTION, sentence) or self._classify_answer(
                sentence, answer.at_ms, done=done
            ):
                room -= sentences.is_cause(sentence)
                continue
            if room > 0 and len(words) > FEW_WORDS and not proposes:
                if explains:
                    self.findings.add(sentence, answer.at_ms, ASSISTANT, 0.4 + 0.05 * room)
                elif done:
                    self.done.add(sentence, answer.at_ms, ASSISTANT, 0.4)
                room -= 1

    def _classify_answer(self, sentence: str, at_ms: int, *, done: bool) -> bool:
        """File an assistant's sentence by its kind; return False if it has none."""
        if matches(sentence, "routine_report"):
            return True
        if sentences.is_assistant_decision(sentence):
            self.decisions.add(sentence, at_ms, ASSISTANT, 0.6)
        elif sentences.is_cause(sentence) and not sentences.is_proposal(sentence):
            weight = 0.7 if "`" in sentence else 0.65
            self.findings.add(sentence, at_ms, ASSISTANT, weight)
        elif done and sentences.is_done(sentence):
            self.done.add(sentence, at_ms, ASSISTANT, 0.6)
        else:
            return False
        return True

    def close(self) -> None:
        """Add what is open at the session's end."""
        if self._todos.left:
            text = f"still on the list: {self._todos.left}"
            self.open_items.add(text, self._ended_ms, ASSISTANT, 0.9)
        for statement in self._follow_ups[-_MAX_FOLLOW_UPS_SHOWN:]:
            self.open_items.put(statement)
        last = self._before
        if last is None or last.prompt is None or self._last_ask is None:
            return
        if not self._current and not last.did_work:
            return  # the last prompt only stated something
        if replies.says_goodbye(last.prompt):
            return
        state = last.unfinished_because
        if not state:
            return
        current = messages.truncate(self._current or self._last_ask.text, 140)
        self.open_items.add(f"{current} ({state})", last.prompt.at_ms, "", 1.0)
