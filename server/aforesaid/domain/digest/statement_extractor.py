"""What was said in a session: statements of both sides, filed by kind.

Here: how exchanges are heard. Not here: kinds (sentence_kind.py), phrases (sentence_classifier.py),
work (activity.py), all (session_facts.py).
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import activity
from aforesaid.domain.digest import memory_candidates as candidates
from aforesaid.domain.digest import message_text as messages
from aforesaid.domain.digest import reply_resolution as replies
from aforesaid.domain.digest import sentence_classifier as sentences
from aforesaid.domain.digest.model import ASSISTANT, BOTH, USER, ResolvedError, SessionStatement
from aforesaid.domain.digest.sentence_kind import corrected_sentence, kind_of, redirects
from aforesaid.domain.digest.statement_set import (
    FEW_WORDS,
    KnownLines,
    StatementSet,
    split_recalled_lines,
)
from aforesaid.domain.model import transcript as said
from aforesaid.domain.model.transcript import AssistantTurn, Prompt, Todos, ToolUse, UserChoice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.digest.exchanges import Exchange
    from aforesaid.domain.model.transcript import Conversation

#: Steps of a list that are named; open ends of the agent that are held, and told.
_LISTED, _HOPES_KEPT, _HOPES_TOLD = 5, 12, 4
#: Sentences of one answer that count by their place alone.
_EXPLAINED = 2
#: Characters of a prompt that may be a mere reply.
_REPLY_CHARS = 400
#: Characters of a correction beside what it puts right.
_CORRECTED = 110
#: A prompt of more characters, with more that would last than this, is taken for pasted.
_TYPED, _RULES_TYPED = 1000, 6


class StatementExtractor:
    """Collects statements, one exchange after the other."""

    def __init__(self, conversation: Conversation) -> None:
        self._known, self._left_open = map(KnownLines, split_recalled_lines(conversation.recalled))
        self._ended_ms = conversation.ended_ms
        self._before: Exchange | None = None
        self._todos: dict[str, tuple[str, str]] = {}
        self._hopes: list[SessionStatement] = []
        self.asked = StatementSet()
        self.decisions = StatementSet()
        self.corrections = StatementSet()
        self.preferences = StatementSet()
        self.done = StatementSet()
        self.found = StatementSet()
        self.facts = StatementSet()
        self.open_ends = StatementSet()
        self.candidates: list[candidates.MemoryCandidate] = []
        self.told: list[SessionStatement] = []
        self._current = ""
        self._last_ask: SessionStatement | None = None

    def add_exchange(self, exchange: Exchange) -> None:
        """Take in one exchange."""
        asked = exchange.prompt is not None and self._add_prompt(exchange.prompt)
        for turn in exchange.turns:
            if isinstance(turn, UserChoice):
                text = f"{turn.question.rstrip(' ?')}: {turn.answer}"
                self.decisions.add(text, turn.at_ms, USER, 0.9)
            elif isinstance(turn, ToolUse) and turn.kind == said.PLAN and turn.status == said.OK:
                plan = messages.strip_non_prose(turn.command)
                if plan:
                    text = f"plan agreed: {plan[0]}"
                    self.decisions.add(text, turn.at_ms, BOTH, 0.7)
            elif isinstance(turn, Todos):
                self._list(turn)
        self._hear_agent(exchange, asked=asked)
        self._before = exchange

    def _list(self, todos: Todos) -> None:
        if todos.whole:
            self._todos.clear()
        for number, state, text in todos.items:
            before = self._todos.get(number, ("", ""))
            self._todos[number] = (state or before[0], text or before[1])

    # ------------------------------------------------------------------ the user
    def _add_prompt(self, prompt: Prompt) -> bool:
        """Take in a prompt; return whether it asks for something or about something."""
        self._current = ""
        if prompt.command:
            self._ask(prompt.text, prompt.at_ms, 0.4)
            return False
        spoken = replies.prompt_sentences(prompt.text)
        text = " ".join(spoken)
        if not spoken:
            return self._pasted(prompt)
        reply = len(text) <= _REPLY_CHARS
        if reply and self._before is not None and self._react(text, prompt, self._before):
            return False
        if sentences.is_small_talk(text):
            return False
        known = len(self.candidates)
        rest = self._file_all(spoken, prompt.at_ms)
        if len(prompt.text) > _TYPED and len(self.candidates) - known > _RULES_TYPED:
            del self.candidates[known:]  # so much at once is a document that somebody pasted
        if not rest and self._before is None:
            rest = spoken  # a session that opens with a rule or a decision was asked for it, too
        ask = sentences.strip_politeness(" ".join(rest))
        few = sentences.is_routine_request(ask) or len(sentences.words_of(ask)) <= 1
        if ask and not (few and self._last_ask is not None):
            self._ask(ask, prompt.at_ms, min(1.0, 0.4 + len(ask) / 400))
        return bool(rest)

    def _file_all(self, spoken: list[str], at_ms: int) -> list[str]:
        """File the sentences of a prompt; return those that only ask."""
        rest: list[str] = []
        denied = listed = False
        corrected = ""
        for place, sentence in enumerate(spoken):
            if listed and not sentences.is_question(sentence):
                self.preferences.add(sentence, at_ms, USER, 0.9)
                self._keep(sentence, at_ms, listed=True)
            elif sentences.introduces_rule_list(sentence):
                listed = True
            elif sentences.is_denial(sentence):
                denied = True
            elif sentences.is_small_talk(sentence) or self._repeats(sentence, at_ms):
                continue
            elif corrected and self._continues_correction(sentence, corrected, at_ms):
                denied = corrected == ""
            elif place == 0 and self._accepts_proposal(sentence, at_ms):
                continue
            else:
                kind = self._file(sentence, at_ms, denied=denied)
                corrected = sentence if kind == "correction" else ""
                if not kind or (kind == "fact" and self._before is None):
                    rest.append(sentence)
                denied = False
        return rest

    def _repeats(self, sentence: str, at_ms: int) -> bool:
        """Tell whether a sentence says again what memory had shown; to ask again is news."""
        if sentences.is_question(sentence) or not self._known.has(sentence, wholly=True):
            return False
        lasts = kind_of(sentence, self._before, denied=False)[0] or candidates.candidate_of(
            sentence, at_ms
        )
        return bool(lasts) or sentences.states(sentence)

    def _continues_correction(self, sentence: str, corrected: str, at_ms: int) -> bool:
        """Take a plain statement after a correction as part of it: it says how things are."""
        decides = sentences.is_rule(sentence) or sentences.is_decision(sentence)
        if decides or not sentences.states(sentence):
            return False
        whole = f"{messages.without_end(sentences.strip_correction_opening(corrected))}; {sentence}"
        self.corrections.extend(sentences.strip_correction_opening(corrected), whole)
        if self.candidates and self.candidates[-1].at_ms == at_ms:
            self.candidates[-1] = candidates.extended(self.candidates[-1], sentence)
        else:
            self._keep(sentence, at_ms, corrects=True)
        return True

    def _accepts_proposal(self, sentence: str, at_ms: int) -> bool:
        """Take a first sentence that answers what the agent proposed."""
        before = self._before
        if before is None or not before.answers or sentences.is_question(sentence):
            return False
        answer = before.answers[-1].text
        proposal, added = replies.accepted_proposal(sentence, replies.proposals_in(answer))
        if proposal and not self._known.has(proposal):
            own = self._file(added, at_ms, denied=False) if added else ""
            amends = bool(added) and not own
            text = (
                f"{messages.without_end(messages.truncate(proposal, 110))}; {added}"
                if amends
                else proposal
            )
            self.decisions.add(text, at_ms, BOTH, 0.85 if added else 0.7)
            return True
        told = sentences.is_decision(sentence) or sentences.is_correction(sentence)
        way = "" if told else replies.chosen_option(sentence, answer)
        if way and not self._known.has(way):
            self.decisions.add(way, at_ms, USER, 0.85)
            return True
        return False

    def _keep(
        self, sentence: str, at_ms: int, *, corrects: bool = False, listed: bool = False
    ) -> None:
        """Note a sentence that outlives the session, once."""
        corrects = corrects or redirects(sentence, self._before)
        wrong = (
            corrected_sentence(sentences.strip_opening(sentence), self._before) if corrects else ""
        )
        candidate = candidates.candidate_of(
            sentence, at_ms, corrects=corrects, listed=listed, instead_of=wrong
        )
        if candidate is None:
            return
        words = sentences.words_of(candidate.text)
        told = (sentences.words_of(one.text) for one in self.candidates)
        if not any(words <= other for other in told):
            self.candidates.append(candidate)

    def _pasted(self, prompt: Prompt) -> bool:
        """Take a prompt that is nothing but code or log by its first line."""
        line = prompt.text.strip().split("\n")[0]
        self._ask(f"(pasted) {messages.truncate(line, 80)}", prompt.at_ms, 0.3)
        return True

    def _ask(self, text: str, at_ms: int, weight: float) -> None:
        self._current = sentences.strip_politeness(text)
        self._last_ask = self.asked.add(sentences.strip_politeness(text), at_ms, USER, weight)

    def _react(self, text: str, prompt: Prompt, before: Exchange) -> bool:
        """Take a short prompt as an answer to what went before, if it is one."""
        if before.interrupted and sentences.is_stop(text):
            if self._last_ask is not None:
                told = messages.without_end(messages.truncate(text, 60))
                stopped = f'{messages.truncate(self._last_ask.text, 110)} (stopped: "{told}")'
                self.open_ends.add(stopped, prompt.at_ms, "", 0.9)
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
        """File a user's sentence under what it is; return its kind, empty if it just asks."""
        if sentences.is_question(sentence) or sentences.announces(sentence):
            return ""
        kind, weight = kind_of(sentence, self._before, denied=denied)
        piles = {
            "decision": self.decisions, "preference": self.preferences, "fact": self.facts,
        }  # fmt: skip
        if kind == "correction":
            self._correct(
                sentences.strip_correction_opening(sentence) if weight else sentence, at_ms
            )
        elif kind == "open":
            self._defer(sentence, at_ms)
        elif kind:
            piles[kind].add(sentence, at_ms, USER, weight)
        elif self._before is not None:
            kind = self._file_lasting(sentence, at_ms)
        if kind not in {"", "open"}:
            self._keep(sentence, at_ms, corrects=kind == "correction")
        return kind

    def _file_lasting(self, sentence: str, at_ms: int) -> str:
        """File what is nothing else, but outlives the session."""
        candidate = candidates.candidate_of(sentence, at_ms)
        if candidate is None:
            return ""
        told = candidate.kind in {candidates.FACT, candidates.DECISION}
        (self.facts if told else self.preferences).add(sentence, at_ms, USER, 0.8)
        return "fact" if told else "preference"

    def _correct(self, text: str, at_ms: int) -> None:
        """Take a correction, with the agent's words that it puts right where they are known."""
        wrong = corrected_sentence(text, self._before)
        text = messages.without_end(messages.truncate(text, _CORRECTED)) if wrong else text
        self.corrections.add(candidates.with_corrected_text(text, wrong), at_ms, USER, 0.9)

    def _defer(self, sentence: str, at_ms: int) -> None:
        """Take what the user wants to do later; "that's for next week" is about what was said."""
        told = messages.without_end(sentences.strip_label(sentence))
        if len(sentences.words_of(told)) <= FEW_WORDS and self._hopes:
            hope = self._hopes[-1]
            self._hopes[-1] = hope.replace(text=f'{hope.text} (user: "{told}")', weight=0.9)
        elif len(sentences.words_of(told)) > 1:
            self.open_ends.add(sentence, at_ms, USER, 0.8)

    # ----------------------------------------------------------------- the agent
    def _hear_agent(self, exchange: Exchange, *, asked: bool) -> None:
        """File what the agent said, by what it did before and after saying it.

        What it says before it changes anything explains; its last word after a change reports.
        """
        hopes = StatementSet()
        changed = False
        last = exchange.answers[-1] if exchange.answers else None
        for turn in exchange.turns:
            if isinstance(turn, ToolUse) and turn.kind == said.EDIT:
                changed = True
            elif isinstance(turn, AssistantTurn):
                explains = not changed and (asked or exchange.looked)
                self._hear_answer(
                    turn, hopes, final=turn is last, explains=explains, reports=changed
                )
        if last is not None and exchange.worked:
            self._hopes = [
                hope for hope in self._hopes if not replies.is_resolved_by(hope.text, last.text)
            ]
        new = [hope for hope in hopes.statements if not self._left_open.has(hope.text)]
        self._hopes = [*self._hopes, *new][-_HOPES_KEPT:]

    def _hear_answer(
        self,
        answer: AssistantTurn,
        hopes: StatementSet,
        *,
        final: bool,
        explains: bool,
        reports: bool,
    ) -> None:
        settled = (self.decisions, self.preferences, self.corrections)
        room = _EXPLAINED
        for sentence in messages.split_sentences(answer.text):
            words = sentences.words_of(sentence)
            if sentences.is_narration(sentence) or self._known.has(sentence):
                continue
            if any(pile.says(words) for pile in settled):
                continue
            self.told.append(
                SessionStatement(text=sentence, at_ms=answer.at_ms, by=ASSISTANT, weight=0.5)
            )
            proposed = sentences.is_proposal(sentence)
            if final and sentences.is_open(sentence) and not proposed:
                weight = 0.85 if sentences.names_next_step(sentence) else 0.7
                hopes.add(sentence, answer.at_ms, ASSISTANT, weight)
                continue
            done = final and reports
            listed = bool(re.match(r"(?:\(?[A-Ea-e1-9]|[Oo]ption \w)[).:]\s", sentence))
            if listed or self._classify_answer(sentence, answer.at_ms, done=done):
                room -= sentences.is_cause(sentence)
                continue
            if room <= 0:
                continue
            if len(words) > FEW_WORDS and not sentences.is_proposal(sentence):
                if explains:
                    self.found.add(sentence, answer.at_ms, ASSISTANT, 0.4 + 0.05 * room)
                elif done:
                    self.done.add(sentence, answer.at_ms, ASSISTANT, 0.4)
                room -= 1

    def _classify_answer(self, sentence: str, at_ms: int, *, done: bool) -> bool:
        """File an agent's sentence under what it is; False if it is none of that."""
        if sentences.is_routine(sentence):
            return True
        if sentences.is_own_decision(sentence):
            self.decisions.add(sentence, at_ms, ASSISTANT, 0.6)
        elif sentences.is_cause(sentence) and not sentences.is_proposal(sentence):
            weight = 0.7 if "`" in sentence else 0.65
            self.found.add(sentence, at_ms, ASSISTANT, weight)
        elif done and sentences.is_done(sentence):
            self.done.add(sentence, at_ms, ASSISTANT, 0.6)
        else:
            return False
        return True

    def close(self) -> None:
        """Take in how the session ended."""
        last = self._before
        ended = {"completed", "deleted", "cancelled"}
        left = [text for state, text in self._todos.values() if text and state not in ended]
        if left:
            more = f" and {len(left) - _LISTED} more" if len(left) > _LISTED else ""
            listed = "; ".join(messages.without_end(text) for text in left[:_LISTED])
            text = f"still on the list: {listed}{more}"
            self.open_ends.add(text, self._ended_ms, ASSISTANT, 0.9)
        for hope in self._hopes[-_HOPES_TOLD:]:
            self.open_ends.put(hope)
        if last is None or last.prompt is None or self._last_ask is None:
            return
        current = self._current or self._last_ask.text
        if not self._current and not last.worked:
            return  # it only told something
        if last.interrupted:
            state = "interrupted"
        elif not last.turns:
            state = "asked last, not answered"
        elif not last.answers or isinstance(last.turns[-1], ToolUse):
            state = "session ended in the middle of it"
        else:
            return
        self.open_ends.add(
            f"{messages.truncate(current, 140)} ({state})", last.prompt.at_ms, "", 1.0
        )

    def solved(self, done_work: activity.SessionActivity) -> tuple[ResolvedError, ...]:
        """Return the errors with what the agent said about their solution."""
        return activity.with_solutions(done_work.errors, self.told)
