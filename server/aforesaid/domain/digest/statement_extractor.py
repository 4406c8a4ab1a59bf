"""Extracts the statements of a session, of the user and of the assistant, by kind.

memory_candidates.py decides the kind of a user's sentence, activity.py reads what was done.
"""

from __future__ import annotations

import posixpath
import re

from aforesaid.domain.digest import memory_candidates as candidates
from aforesaid.domain.digest import message_text as messages
from aforesaid.domain.digest import reply_resolution as replies
from aforesaid.domain.digest import sentence_classifier as sentences
from aforesaid.domain.digest.answer_extractor import AnswerExtractor
from aforesaid.domain.digest.clauses import divide_all
from aforesaid.domain.digest.joined_remarks import join_remarks
from aforesaid.domain.digest.judged_prompt import JudgedPrompt
from aforesaid.domain.digest.memory_candidates import (
    CHANGE,
    corrected_sentence,
    kind_of,
    redirects,
)
from aforesaid.domain.digest.model import ASSISTANT, BOTH, USER, SessionStatement
from aforesaid.domain.digest.referents import is_broken, with_referent
from aforesaid.domain.digest.sentence_classifier import matches
from aforesaid.domain.digest.statement_set import (
    FEW_WORDS,
    STATEMENT_CHARS,
    StatementSet,
)
from aforesaid.domain.digest.todo_list import TodoList
from aforesaid.domain.model import transcript
from aforesaid.domain.model.transcript import Prompt, Todos, ToolUse, UserChoice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.digest.lasting import SentenceJudge
    from aforesaid.domain.digest.reply_resolution import Exchange
    from aforesaid.domain.model.transcript import Conversation

#: Follow-ups of the assistant that a digest shows.
_MAX_FOLLOW_UPS_SHOWN = 4
#: Characters of a prompt that may be a mere reply.
_REPLY_CHARS = 400
_PROPOSAL_CHARS = 110  #: of a proposal beside what the person added to it, at least
#: Characters of a correction beside the sentence that it corrects.
_CORRECTION_CHARS = 110
#: A longer prompt with more candidates than this is a document that somebody pasted.
_TYPED_CHARS, _MAX_TYPED_CANDIDATES = 1000, 6


class StatementExtractor(AnswerExtractor):
    """Collects statements from one exchange after the other."""

    def __init__(self, conversation: Conversation, judge: SentenceJudge | None = None) -> None:
        super().__init__(conversation.recalled)
        self._judge = judge
        self._position = (0, 1)  # of a sentence in its prompt: index, and number of sentences
        self._ended_ms = conversation.ended_ms
        self._before: Exchange | None = None
        self._heard: frozenset[str] = frozenset()  # in the answers before and after a prompt
        self._project_words = frozenset([_name_of(conversation.cwd)])  # and of changed files
        self._todos = TodoList()
        self.asked = StatementSet()
        self.facts = StatementSet()
        self.candidates: list[candidates.MemoryCandidate] = []
        self.changes: list[candidates.MemoryCandidate] = []  # that may end an earlier memory
        self._prompt = self._judged([])
        self._current = ""
        self._accepted = ""  # what the first sentence of the prompt accepts or chooses
        self._last_ask: SessionStatement | None = None

    def add_exchange(self, exchange: Exchange) -> None:
        answers = [*exchange.answers, *(self._before.answers[-1:] if self._before else ())]
        self._heard = _stems(one.text for one in answers)
        self._project_words |= _stems(
            re.sub(r"\W|_|tests?", " ", posixpath.basename(turn.path))
            for turn in exchange.turns
            if isinstance(turn, ToolUse) and turn.kind == transcript.EDIT
        )
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
        self._add_answers(exchange, self._order(), asked=asked)
        self._before = exchange

    def _order(self) -> str:
        """Return what the last prompt asks to do, without its opening; empty if nothing."""
        for text in self._prompt.texts:
            bare = sentences.strip_opening(text)
            is_vague = len(sentences.words_of(bare)) < FEW_WORDS or matches(
                bare, "later", "leaning"
            )
            if sentences.is_order(bare) and not (is_vague or sentences.is_routine_request(bare)):
                return bare
        return ""

    def _add_prompt(self, prompt: Prompt) -> bool:
        """Add a prompt; return whether it asks for something or about something."""
        self._current = self._accepted = ""
        self._prompt = self._judged([])
        if prompt.command:
            self._ask(prompt.text, prompt.at_ms, 0.4)
            return False
        prompt_sentences = divide_all(replies.prompt_sentences(prompt.text), self._judge)
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
        if self._before is not None:
            self._drop_rejected(prompt_sentences, self._before)
        rest = self._file_all(prompt_sentences, prompt.at_ms)
        joined = join_remarks(
            self._prompt, self.candidates[candidates_before:], self._project_words
        )
        kept = [each for each in joined if each.kind != CHANGE and not is_broken(each.text)]
        self.candidates[candidates_before:] = map(self._with_referent, kept)
        self.changes += [each.replace(at_ms=prompt.at_ms) for each in joined if each.kind == CHANGE]
        added = len(self.candidates) - candidates_before
        if len(prompt.text) > _TYPED_CHARS and added > _MAX_TYPED_CANDIDATES:
            del self.candidates[candidates_before:]
        if (
            self._before is None and not self._prompt.lists
        ):  # a first prompt asks, even if it only states or decides
            rest = [text for text in prompt_sentences if not sentences.asks_nothing(text)] or rest
        ask = sentences.strip_politeness(" ".join(rest))
        minor = sentences.is_routine_request(ask) or len(sentences.words_of(ask)) <= 1
        if ask and not (minor and self._last_ask is not None):
            self._ask(ask, prompt.at_ms, min(1.0, 0.4 + len(ask) / 400))
        return bool(rest)

    def _judged(self, texts: Sequence[str]) -> JudgedPrompt:
        answers = self._before is not None
        return JudgedPrompt(texts, self._judge, answers=answers, heard=self._heard)

    def _file_all(self, prompt_sentences: list[str], at_ms: int) -> list[str]:
        """File the sentences of a prompt; return those that only ask."""
        rest: list[str] = []
        self._prompt = self._judged(prompt_sentences)
        denied = listed = False
        correction = ""
        for index, sentence in enumerate(prompt_sentences):
            self._position = (index, len(prompt_sentences))
            if index == 0 and self._agrees(prompt_sentences, at_ms):
                continue
            if listed and not sentences.is_question(sentence):
                self.preferences.add(sentence, at_ms, USER, 0.9)
                self._add_candidate(sentence, at_ms, listed=True)
            elif sentences.introduces_rule_list(sentence):
                listed = self._prompt.lists = True
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
        if decides or not sentences.states(sentence) or matches(sentence, "new_subject"):
            return False
        bare = sentences.strip_correction_opening(correction)
        self.corrections.extend(bare, f"{messages.without_end(bare)}; {sentence}")
        self._prompt.continued.add(self._position[0])
        last = self.candidates[-1] if self.candidates else None
        if last is None or last.at_ms != at_ms or last.index != self._position[0] - 1:
            self._add_candidate(sentence, at_ms, corrects=True)
        return True

    def _agrees(self, prompt_sentences: list[str], at_ms: int) -> bool:
        """File the proposal that "do it." accepts, unless the rest of the prompt rejects it."""
        first, *others = prompt_sentences
        if not (sentences.is_small_talk(first) and matches(first.strip(), "consent")):
            return False
        rejecting = (text for text in others if matches(text, "negation"))
        proposals = self._before.proposals if self._before else []
        if any(_stems(rejecting) & _stems(proposals[-1:])):
            return False
        return self._accepts_proposal(first, at_ms)

    def _accepts_proposal(self, sentence: str, at_ms: int) -> bool:
        """File a first sentence that accepts, or chooses from, what the assistant proposed."""
        before = self._before
        if before is None or not before.answers or sentences.is_question(sentence):
            return False
        answer = before.answers[-1].text
        proposal, addition = replies.accepted_proposal(sentence, before.proposals)
        if proposal and matches(" ".join(self._prompt.texts), "postpones"):
            self.open_items.add(proposal, at_ms, "", 0.85)
            return True
        if proposal and not self._known.has(proposal):
            text = proposal
            limits = matches(sentence, "partial_yes")
            filed = addition and not limits and self._file(addition, at_ms, denied=False)
            if addition and (not filed or matches(sentence, "yes_but")):
                room = max(_PROPOSAL_CHARS, STATEMENT_CHARS - len(addition) - 2)
                text = f"{messages.without_end(messages.truncate(proposal, room))}; {addition}"
            self.decisions.add(text, at_ms, BOTH, 0.85 if addition else 0.7)
            return True
        if sentences.is_decision(sentence) or sentences.is_correction(sentence):
            return False
        option = replies.approved(sentence, answer) or replies.chosen_option(sentence, answer)
        if option and not self._known.has(option):
            self._accepted = option
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
        is_sure = listed or corrected or matches(sentence, "dated")
        is_sure = is_sure or sentences.asks_to_remember(sentence)
        verdict = None if is_sure else self._verdict(sentence)
        if candidate is None and verdict:
            candidate = candidates.judged_candidate(sentence, at_ms)
        if candidate is None or verdict is False:
            return
        candidate = self._as_reply(candidate, sentence)
        words = sentences.words_of(candidate.text)
        if not any(words <= sentences.words_of(known.text) for known in self.candidates):
            self.candidates.append(candidate.replace(index=self._position[0]))

    def _as_reply(
        self, candidate: candidates.MemoryCandidate, sentence: str
    ) -> candidates.MemoryCandidate:
        """Return a candidate with what it answers or refuses, where it is not clear without."""
        index, opening = self._position[0], self._prompt.texts[0]
        if candidate.instead_of or index > 1:
            return candidate
        refuses = sentences.only_refuses(opening) or matches(opening, "partial_yes")
        if index and not refuses:
            return candidate
        refused = replies.refused_proposal(opening if index else sentence, self._before)
        if refused or index:
            return candidate.replace(instead_of=refused)
        return candidate.replace(text=replies.with_question(candidate.text, self._before))

    def _with_referent(self, candidate: candidates.MemoryCandidate) -> candidates.MemoryCandidate:
        """Return a candidate with what it refers to in its prompt or in the answer before."""
        answers = self._before.last_answers[:1] if self._before is not None else []
        return with_referent(candidate, self._prompt.texts, "".join(answers), self._accepted)

    def _verdict(self, sentence: str) -> bool | None:
        """Return whether a sentence lasts; None if the rules decide."""
        return self._prompt.verdict(self._position[0], sentence)

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
            index = self._position[0]
            previous = self._prompt.texts[index - 1] if index else ""
            self._defer(sentence, at_ms, previous, self._before)
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
        if not self._current and (not last.did_work or last.ended_well):
            return  # the last prompt only stated something, or agreed to what was then done
        if replies.says_goodbye(last.prompt):
            return
        state = last.unfinished_because
        if not state:
            return
        current = messages.truncate(self._current or self._last_ask.text, 140)
        self.open_items.add(f"{current} ({state})", last.prompt.at_ms, "", 1.0)


def _name_of(folder: str) -> str:
    return sentences.five_letter_stem(posixpath.basename(folder.replace("\\", "/")).lower())


def _stems(texts: Iterable[str]) -> frozenset[str]:
    words = frozenset[str]().union(*map(sentences.words_of, texts))
    return frozenset(sentences.five_letter_stem(word) for word in words if len(word) > FEW_WORDS)
