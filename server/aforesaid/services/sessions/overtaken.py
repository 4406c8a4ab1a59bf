"""Marks the earlier statements that a session made outdated; later sessions are not shown them.

What counts as overtaken: domain/digest/overtaken.py. Memories stay in force and are found by a
search; only what sessions are shown leaves their overtaken statements out.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest.clauses import leans
from aforesaid.domain.digest.joined_remarks import is_topic
from aforesaid.domain.digest.outcome import CHANGED, NOT_COMMITTED, without_item
from aforesaid.domain.digest.overtaken import (
    COMMIT,
    OPEN_END,
    REPORT,
    USER,
    Claim,
    Later,
    later_sentences,
    overtaken_margin,
    repairs,
)
from aforesaid.domain.digest.sentence_classifier import matches
from aforesaid.domain.model.memory import CANDIDATE_TAG, DIGEST_TAG, GLOBAL_PROJECT, GUARD_TAG, WORK
from aforesaid.domain.model.overtaken_parts import (
    ALSO_OPEN,
    EVERYWHERE,
    LEFT_OPEN,
    OVERTAKEN,
    joined,
    parts_of,
    standing_parts,
    with_overtaken,
)
from aforesaid.domain.model.transcript import EDIT, OK, ToolUse
from aforesaid.domain.text.timestamps import DAY_MS

from .replaced_parts import REPLACED
from .session_event import own_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from aforesaid.domain.digest import SessionFacts
    from aforesaid.domain.digest.lasting import SentenceJudge
    from aforesaid.domain.model.memory import CallContext, Memory, Session
    from aforesaid.domain.model.transcript import Conversation
    from aforesaid.ports import Store

_TYPES = ("semantic", "procedural")
_MAX_MEMORIES, _MAX_DIGESTS = 150, 12  #: of each type and project; of a project
_MAX_SENTENCES = 400  #: of a session, the last ones
#: How much less likely a statement may be overtaken beside one of the same remark that was.
_SAID_TOGETHER = 0.5
#: The same where both the statement and the remark hold in all projects, of which there are few.
_BOTH_FOR_ALL = 0.3
#: Sessions that changed something after which an open end that none of them mentions is dropped
#: from its line; the digest's text keeps it.
_MAX_SILENT = 2
_NEAR_DAYS = 2  #: after which a day near a session has passed
_MAX_LEANING_WORDS = 8  #: of a statement that says nothing without the one before
_MIN_SAID_WORDS = 3  #: of a part of a remark that is compared by itself
_MIN_REPORT_CHARS = 35  #: a shorter part of a line is "committed" or "tests green"
_DETAILS = re.compile(r" \((?:changed|asked last|instead of).*$")


class OvertakenWriter:
    """Marks statements of earlier sessions, and earlier ones of the same session."""

    def __init__(self, store: Store, judge: SentenceJudge | None) -> None:
        """Create the service.

        Args:
            store: where memories are.
            judge: compares texts; without one, nothing is overtaken.
        """
        self._store = store
        self._judge = judge

    def mark(
        self,
        session: Session,
        conversation: Conversation,
        facts: SessionFacts,
        context: CallContext,
    ) -> None:
        """Mark what a session overtook.

        Args:
            session: its row, once it was digested.
            conversation: its transcript.
            facts: what happened in it.
            context: of its project.
        """
        conversation = own_part(session, conversation)
        context = context.replace(session=session.id)
        commits = [commit.subject for commit in facts.commits]
        later = later_sentences(conversation, commits)[-_MAX_SENTENCES:]
        if self._judge is None or session.digest_refused or not later:
            return
        edits = [
            turn.at_ms
            for turn in conversation.turns
            if isinstance(turn, ToolUse) and turn.kind == EDIT and turn.status == OK
        ]
        memories = [
            memory
            for project in {GLOBAL_PROJECT, context.project.key}
            for memory in self._store.memories.most_important(project, _TYPES, _MAX_MEMORIES)
        ]
        remarks_for_all = [
            Later(text=text, by=USER, at_ms=memory.created_at)
            for memory in memories
            if memory.scope == "global" and memory.session == context.session
            for text in dict.fromkeys((memory.content, *parts_of(memory.content)))
            if len(text.split()) >= _MIN_SAID_WORDS
        ]
        for memory in memories:
            if _may_be_overtaken(memory):
                self._mark_memory(memory, later, edits, context, remarks_for_all)
        changed_since = 0  #: number of sessions after the one that is marked
        for digest in self._store.memories.latest_events(context.project.key, _MAX_DIGESTS):
            if DIGEST_TAG in digest.tags:
                is_old = changed_since >= _MAX_SILENT
                self._mark_digest(digest, later, context, is_old=is_old)
                changed_since += digest.metadata.get(WORK, 0) >= CHANGED

    def _mark_memory(
        self,
        memory: Memory,
        later: Sequence[Later],
        edits: Sequence[int],
        context: CallContext,
        remarks_for_all: Sequence[Later],
    ) -> None:
        after = [sentence for sentence in later if sentence.at_ms > memory.created_at]
        changed = min((at for at in edits if at > memory.created_at), default=None)
        gone: dict[str, Later] = {
            part: sentence
            for part in standing_parts(memory, context.project.identity)
            for sentence in after
            if changed is not None
            and sentence.at_ms > changed
            and repairs(_claim_of(part, memory, context), sentence)
        }
        for least in (0.0, -_SAID_TOGETHER):
            if least < 0 and not gone:
                return
            for part in standing_parts(memory, context.project.identity):
                if part not in gone:
                    claim = _claim_of(part, memory, context)
                    sentence = self._overtaking(claim, after, least)
                    if sentence is None and memory.scope == "global" and claim.is_earlier:
                        sentence = self._overtaking(claim, remarks_for_all, least - _BOTH_FOR_ALL)
                    if sentence is not None:
                        gone[part] = sentence
        metadata = memory.metadata
        for part in (*gone, *_dependent_parts(parts_of(memory.content), gone)):
            # what holds in all projects still holds in the others, unless this does, too
            sentence = gone.get(part) or next(iter(gone.values()))
            everywhere = matches(sentence.text, "extends_scope", "all_projects") or any(
                remark.text.lower() in sentence.text.lower() for remark in remarks_for_all
            )
            scope = EVERYWHERE if everywhere else context.project.identity
            metadata = with_overtaken(memory.replace(metadata=metadata), scope, [part])
        self._change(memory, metadata=metadata)

    def _mark_digest(
        self, digest: Memory, later: Sequence[Later], context: CallContext, *, is_old: bool
    ) -> None:
        """Remove the open ends that were closed from a session's line; mark overtaken reports."""
        is_own = digest.session == context.session
        # when an open end of the session itself arose is unknown, but its commits come last
        after = [
            sentence
            for sentence in later
            if (sentence.by == COMMIT if is_own else sentence.at_ms > digest.created_at)
        ]
        line = digest.summary or ""
        for part in parts_of(line):
            item = part.removeprefix(LEFT_OPEN).removeprefix(ALSO_OPEN)
            kind = REPORT if item == part else OPEN_END
            if part.startswith(NOT_COMMITTED) or part.endswith(REPLACED):
                continue
            if kind == REPORT and (is_own or len(part) < _MIN_REPORT_CHARS):
                continue
            claim = Claim(text=_DETAILS.sub("", item), kind=kind)
            is_past = kind == OPEN_END and (is_old or _is_past(item, digest, later))
            if not is_past and self._overtaking(claim, after) is None:
                continue
            if kind == OPEN_END:
                line = without_item(line, part)
            else:
                line = joined(text + REPLACED if text == part else text for text in parts_of(line))
        if line != (digest.summary or ""):
            self._change(digest, summary=line)

    def _change(self, memory: Memory, **fields: object) -> None:
        """Change a memory, unless another process changed it since it was read."""
        with self._store.transaction():
            if self._store.memories.get([memory.key]) == [memory]:
                self._store.memories.change(memory.key, **fields)

    def _overtaking(self, claim: Claim, later: Sequence[Later], least: float = 0.0) -> Later | None:
        """Return the sentence that most likely overtakes a statement; None if none does."""
        best, highest = None, least
        if self._judge is None:
            return None
        for sentence in later:
            margin = overtaken_margin(claim, sentence, self._judge.cosine)
            if margin is not None and margin >= highest:
                best, highest = sentence, margin
        return best


def restate(store: Store, memory: Memory) -> None:
    """Show a memory again whose statement was repeated."""
    if OVERTAKEN in memory.metadata:
        metadata = {key: value for key, value in memory.metadata.items() if key != OVERTAKEN}
        store.memories.change(memory.key, metadata=metadata)


def _may_be_overtaken(memory: Memory) -> bool:
    tags = memory.tags
    return (
        CANDIDATE_TAG in tags
        and GUARD_TAG not in tags
        and not memory.pinned
        and not memory.is_failure
    )


def _claim_of(part: str, memory: Memory, context: CallContext) -> Claim:
    return Claim(
        text=_DETAILS.sub("", part),
        category=str(memory.metadata.get("category", "")),
        is_earlier=memory.session != context.session,
    )


def _is_past(item: str, digest: Memory, later: Sequence[Later]) -> bool:
    """Tell whether an open end names a day near its session ("tomorrow") that has passed."""
    days = (later[-1].at_ms - digest.created_at) // DAY_MS
    return days >= _NEAR_DAYS and matches(item, "near_day")


def _dependent_parts(parts: Sequence[str], gone: Collection[str]) -> list[str]:
    """Return the statements that say nothing without an overtaken one beside them."""
    dependent: list[str] = []
    for previous, part in zip(["", *parts], parts, strict=False):
        is_short = len(part.split()) <= _MAX_LEANING_WORDS
        beside = previous in gone or previous in dependent
        if part not in gone and (is_topic(part) or (is_short and beside and leans(part))):
            dependent.append(part)
    return dependent
