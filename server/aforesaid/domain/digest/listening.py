"""What was said in a session: statements of both sides, filed by kind.

Here: how exchanges are heard. Not here: cues (language.py), what was done (work.py), the whole
(facts.py).
"""

from __future__ import annotations

import re

from aforesaid.domain import transcript as said
from aforesaid.domain.digest import language, prose, work
from aforesaid.domain.digest.statements import FEW_WORDS, LONGEST, Known, Pile
from aforesaid.domain.digest.values import ASSISTANT, BOTH, USER, Solved, Statement
from aforesaid.domain.transcript import Answer, Choice, Interruption, Prompt, Todos, ToolUse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.transcript import Conversation

#: Steps of a list that are named; open ends of the agent that are held, and told.
_LISTED = 5
_HOPES_KEPT, _HOPES_TOLD = 12, 4


class Exchange:
    """A prompt and all that followed it until the next one."""

    def __init__(self, prompt: Prompt | None) -> None:
        self.prompt = prompt
        self.turns: list[object] = []

    @property
    def answers(self) -> list[Answer]:
        """What the agent wrote, oldest first."""
        return [turn for turn in self.turns if isinstance(turn, Answer)]

    @property
    def interrupted(self) -> bool:
        """Whether the person stopped the agent."""
        return any(isinstance(turn, Interruption) for turn in self.turns)

    @property
    def worked(self) -> bool:
        """Whether something was changed or run."""
        return any(
            isinstance(turn, ToolUse) and turn.kind in {said.RUN, said.EDIT} for turn in self.turns
        )


def exchanges_of(conversation: Conversation) -> list[Exchange]:
    """Return the conversation as prompts with what followed each."""
    exchanges: list[Exchange] = []
    for turn in conversation.turns:
        if isinstance(turn, Prompt):
            exchanges.append(Exchange(turn))
        else:
            if not exchanges:
                exchanges.append(Exchange(None))
            exchanges[-1].turns.append(turn)
    return exchanges


class Listener:
    """Collects statements, one exchange after the other."""

    def __init__(self, conversation: Conversation) -> None:
        self._known = Known(conversation.recalled)
        self._ended_ms = conversation.ended_ms
        self._before: Exchange | None = None
        self._todos: dict[str, tuple[str, str]] = {}
        self._hopes: list[Statement] = []
        self.asked = Pile()
        self.decisions = Pile()
        self.corrections = Pile()
        self.preferences = Pile()
        self.done = Pile()
        self.found = Pile()
        self.open_ends = Pile()
        self._last_ask: Statement | None = None

    def hear(self, exchange: Exchange) -> None:
        """Take in one exchange."""
        question = False
        if exchange.prompt is not None:
            question = self._hear_user(exchange.prompt)
        for turn in exchange.turns:
            if isinstance(turn, Choice):
                text = f"{turn.question.rstrip(' ?')}: {turn.answer}"
                self.decisions.add(text, turn.at_ms, USER, 0.9)
            elif isinstance(turn, ToolUse) and turn.kind == said.PLAN and turn.status == said.OK:
                plan = prose.prose(turn.command)
                if plan:
                    text = f"plan agreed: {plan[0]}"
                    self.decisions.add(text, turn.at_ms, BOTH, 0.7)
            elif isinstance(turn, Todos):
                self._list(turn)
        self._hear_agent(exchange, question=question)
        self._before = exchange

    def _list(self, todos: Todos) -> None:
        if todos.whole:
            self._todos.clear()
        for number, state, text in todos.items:
            before = self._todos.get(number, ("", ""))
            self._todos[number] = (state or before[0], text or before[1])

    # ------------------------------------------------------------------ the user
    def _hear_user(self, prompt: Prompt) -> bool:
        """Take in a prompt; return whether it asks a question."""
        if prompt.command:
            self._ask(prompt.text, prompt.at_ms, 0.4)
            return False
        spoken = prose.sentences(prose.prose(prose.typed_part(prompt.text)))
        text = " ".join(spoken)
        if not spoken:
            return self._pasted(prompt)
        if self._before is not None and self._react(text, prompt, self._before):
            return False
        if language.is_small_talk(text):
            return False
        rest = [
            sentence
            for sentence in spoken
            if not language.is_small_talk(sentence) and not self._file(sentence, prompt.at_ms)
        ]
        if not rest and self._before is None:
            rest = spoken  # a session that opens with a rule or a decision was asked for it, too
        ask = language.plainly(" ".join(rest))
        few = language.is_chore(ask) or len(language.words_of(ask)) <= 1
        if ask and not (few and self._last_ask is not None):
            self._ask(ask, prompt.at_ms, min(1.0, 0.4 + len(ask) / 400))
        return any(language.is_question(sentence) for sentence in rest)

    def _pasted(self, prompt: Prompt) -> bool:
        """Take a prompt that is nothing but code or log by its first line."""
        line = prompt.text.strip().split("\n")[0]
        self._ask(f"(pasted) {prose.lead(line, 80)}", prompt.at_ms, 0.3)
        return False

    def _ask(self, text: str, at_ms: int, weight: float) -> None:
        self._last_ask = self.asked.add(language.plainly(text), at_ms, USER, weight)

    def _react(self, text: str, prompt: Prompt, before: Exchange) -> bool:
        """Take a short prompt as an answer to what went before, if it is one."""
        if before.interrupted and language.is_stop(text):
            if self._last_ask is not None:
                told = prose.without_end(prose.lead(text, 60))
                stopped = f'{prose.lead(self._last_ask.text, 110)} (stopped: "{told}")'
                self.open_ends.add(stopped, prompt.at_ms, "", 0.9)
            return True
        proposals = [
            sentence
            for answer in before.answers[-1:]
            for sentence in prose.sentences(prose.prose(answer.text))
            if language.is_proposal(sentence)
        ]
        option = language.option_of(text)
        if option:
            picked = _option_line(before.answers[-1:], option)
            if picked:
                self.decisions.add(picked, prompt.at_ms, BOTH, 0.85)
                return True
        if language.is_affirmation(text) and proposals:
            proposal = language.proposed(proposals[-1])
            if not self._known.has(proposal):
                self.decisions.add(proposal, prompt.at_ms, BOTH, 0.7)
            return language.is_small_talk(text)
        return False

    def _file(self, sentence: str, at_ms: int) -> bool:
        """File a user's sentence under what it is; False if it is just an ask."""
        if language.is_question(sentence) or self._known.has(sentence):
            return False
        first = self._before is None
        if language.is_correction(sentence) and not first:
            text = language.corrected(sentence)
            self.corrections.add(text, at_ms, USER, 0.9)
        elif language.is_rule(sentence):
            self.preferences.add(sentence, at_ms, USER, 0.9)
        elif language.is_decision(sentence):
            self.decisions.add(sentence, at_ms, USER, 0.9)
        elif language.is_for_later(sentence):
            self._put_off(sentence, at_ms)
        elif language.forbids(sentence) and not first:
            self.corrections.add(sentence, at_ms, USER, 0.8)
        else:
            return False
        return True

    def _put_off(self, sentence: str, at_ms: int) -> None:
        """Take what the user wants to do later; "that's for next week" is about what was said."""
        told = prose.without_end(language.bare(sentence))
        if len(language.words_of(told)) <= FEW_WORDS and self._hopes:
            hope = self._hopes[-1]
            self._hopes[-1] = hope.replace(text=f'{hope.text} (user: "{told}")', weight=0.9)
        else:
            self.open_ends.add(sentence, at_ms, USER, 0.8)

    # ----------------------------------------------------------------- the agent
    def _hear_agent(self, exchange: Exchange, *, question: bool) -> None:
        answers = exchange.answers
        hopes = Pile()
        settled = (self.decisions, self.preferences, self.corrections)
        for answer in answers:
            final = answer is answers[-1]
            for place, sentence in enumerate(prose.sentences(prose.prose(answer.text))):
                words = language.words_of(sentence)
                again = any(pile.says(words) for pile in settled)
                if again or language.is_narration(sentence) or self._known.has(sentence):
                    continue
                if language.is_open(sentence) and final:
                    weight = 0.85 if language.names_next_step(sentence) else 0.7
                    hopes.add(sentence, answer.at_ms, ASSISTANT, weight)
                elif not self._conclude(sentence, answer.at_ms, done=final and exchange.worked):
                    asked = question and final and place == 0 and not exchange.worked
                    if asked and len(words) > FEW_WORDS:
                        self.found.add(sentence, answer.at_ms, ASSISTANT, 0.4)
        if answers and exchange.worked:
            self._hopes = [hope for hope in self._hopes if not _settled(hope, answers[-1])]
        self._hopes = [*self._hopes, *hopes.statements][-_HOPES_KEPT:]

    def _conclude(self, sentence: str, at_ms: int, *, done: bool) -> bool:
        """File an agent's sentence under what it is; False if it is none of that."""
        if language.is_routine(sentence):
            return True
        if language.is_own_decision(sentence):
            self.decisions.add(sentence, at_ms, ASSISTANT, 0.6)
        elif language.is_cause(sentence):
            weight = 0.7 if "`" in sentence else 0.6
            self.found.add(sentence, at_ms, ASSISTANT, weight)
        elif done and language.is_done(sentence):
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
            listed = "; ".join(prose.without_end(text) for text in left[:_LISTED])
            text = f"still on the list: {listed}{more}"
            self.open_ends.add(text, self._ended_ms, ASSISTANT, 0.9)
        for hope in self._hopes[-_HOPES_TOLD:]:
            self.open_ends.put(hope)
        if last is None or last.prompt is None or self._last_ask is None:
            return
        if last.interrupted:
            text = f"{prose.lead(self._last_ask.text, 140)} (interrupted)"
        elif not last.turns:
            text = f"{prose.lead(self._last_ask.text, 140)} (asked last, not answered)"
        elif not last.answers or isinstance(last.turns[-1], ToolUse):
            text = f"{prose.lead(self._last_ask.text, 140)} (session ended in the middle of it)"
        else:
            return
        self.open_ends.add(text, last.prompt.at_ms, "", 1.0)

    def solved(self, done_work: work.Work) -> tuple[Solved, ...]:
        """Return the errors with what the agent said about their solution."""
        return work.with_solutions(done_work.errors, self.found.statements, self.done.statements)


def _settled(hope: Statement, answer: Answer) -> bool:
    """Tell whether a later answer reports what an earlier one left open."""
    wanted = language.words_of(hope.text)
    for sentence in prose.sentences(prose.prose(answer.text)):
        if language.is_done(sentence) and not language.is_open(sentence):
            told = language.words_of(sentence)
            if wanted and len(wanted & told) >= 0.5 * min(len(wanted), len(told)):
                return True
    return False


def _option_line(answers: list[Answer], option: str) -> str:
    """Return what the last answer said of an option: "A) ...", "2. ...", "Option B: ..."."""
    pattern = (
        rf"(?i)(?:^|[\s(*])(?:option )?{option}[).:]\**\s+(.+?)"
        r"(?=,? (?:or )?(?:option )?[a-e1-6]\)|[.;](?:\s|$)|$)"
    )
    for answer in answers:
        for line in answer.text.split("\n"):
            found = re.search(pattern, line.strip())
            if found:
                return prose.lead(found.group(1).replace("**", "").strip(), LONGEST)
    return ""
