"""What was done in a session: files, commands, commits, errors.

Here: structure, which works in every language. Not here: what was said (session_facts.py), what
single commands mean (commands.py).
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import commands, message_text, sentence_classifier
from aforesaid.domain.digest.model import (
    ASSISTANT,
    CommandRuns,
    CommitMade,
    FileChange,
    ResolvedError,
    SessionStatement,
)
from aforesaid.domain.model import transcript as said
from aforesaid.domain.model.transcript import ToolUse
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    from aforesaid.domain.model.transcript import Conversation

    class CommitLike(Protocol):
        """A commit, as the git reader tells it."""

        @property
        def id(self) -> str:
            """Its hash."""

        @property
        def subject(self) -> str:
            """The first line of its message."""

        @property
        def at_ms(self) -> int:
            """When it was made."""


#: Files of the client and of no lasting interest.
_PASSING = ("/.claude/", "/tmp/", "/private/tmp/", "/var/folders/")  # noqa: S108 (only compared)
_NAMED = 4
_COMMANDS = 40  #: that are kept of a session
#: A report of a fix follows the run that proved it.
_REPORTED_WITHIN_MS = 2 * 60 * 1000
#: Sentences that tell how an error was solved; share of words from which two say the same.
_TOLD, _SAME_AT = 2, 0.75


class SessionActivity(Value):
    """What was done, each kind oldest first."""

    files: tuple[FileChange, ...]
    runs: tuple[CommandRuns, ...]
    commits: tuple[CommitMade, ...]
    errors: tuple[ResolvedError, ...]
    open_ends: tuple[SessionStatement, ...]
    ran: tuple[str, ...] = ()  #: heads of those that went well, in order


def work_of(conversation: Conversation, commits: Iterable[CommitLike]) -> SessionActivity:
    """Return what was done in a conversation."""
    uses = [turn for turn in conversation.turns if isinstance(turn, ToolUse)]
    files = _files(uses, conversation.cwd)
    log = _RunLog(uses, conversation.cwd)
    made = _commits(log.commits, commits)
    files_left = _changed_after(files, made)
    open_ends = list(log.failing())
    if files_left:
        more = " and more" if len(files_left) > _NAMED else ""
        text = f"not committed: {', '.join(files_left[:_NAMED])}{more}"
        open_ends.append(_note(text, conversation.ended_ms, 0.6))
    return SessionActivity(
        files=files,
        runs=log.runs(),
        commits=(*made, *log.requests),
        errors=log.errors(),
        open_ends=tuple(open_ends),
        ran=commands.heads_of(
            (use.command for use in uses if use.kind == said.RUN and use.status == said.OK),
            _COMMANDS,
        ),
    )


def with_solutions(
    errors: Sequence[ResolvedError], told: Sequence[SessionStatement]
) -> tuple[ResolvedError, ...]:
    """Return the errors with what the agent said while and after solving them.

    Between the failure and the run without it the agent tells the cause; right after that run, what
    it did. Of each the sentence that speaks most of the error, of its cause, of the files changed.

    Args:
        errors: what failed and was mended.
        told: the agent's sentences, oldest first.
    """
    solved: list[ResolvedError] = []
    for error in errors:
        end = error.until_ms + _REPORTED_WITHIN_MS
        during = [one for one in told if error.at_ms <= one.at_ms <= error.until_ms]
        after = [one for one in told if error.until_ms < one.at_ms <= end]
        parts, reports = _telling(during, error), _telling(after, error)
        if len(parts) < _TOLD and reports:
            known = sentence_classifier.words_of(" ".join(parts))
            if (
                parts
                and sentence_classifier.overlap(known, sentence_classifier.words_of(reports[0]))
                >= _SAME_AT
            ):
                parts, reports = [], reports[:1]
            parts = [*parts, *reports][:_TOLD]
        if not parts and error.changed:
            more = " and more" if len(error.changed) > _NAMED else ""
            parts = [f"gone after changing {', '.join(error.changed[:_NAMED])}{more}"]
        solved.append(error.replace(solution=tuple(parts)))
    return tuple(solved)


def _telling(told: Sequence[SessionStatement], error: ResolvedError) -> list[str]:
    """Return the sentences that may tell cause or fix, the best first and then what follows it."""
    named = sentence_classifier.words_of(" ".join([error.error, *error.changed]))
    useful = [
        one
        for one in told
        if not sentence_classifier.is_routine(one.text)
        and not sentence_classifier.is_open(one.text)
        and not sentence_classifier.is_proposal(one.text)
        and len(sentence_classifier.words_of(one.text)) > 1
    ]
    if not useful:
        return []

    def weight(place: int) -> float:
        text = useful[place].text
        shared = len(named & sentence_classifier.words_of(text))
        return (
            shared
            + 1.5 * sentence_classifier.is_cause(text)
            + sentence_classifier.is_done(text)
            - 0.1 * place
        )

    best = max(range(len(useful)), key=weight)
    chosen = [one for one in useful[best : best + _TOLD] if one.at_ms == useful[best].at_ms]
    return [message_text.without_end(sentence_classifier.strip_label(one.text)) for one in chosen]


def _files(uses: Sequence[ToolUse], cwd: str) -> tuple[FileChange, ...]:
    changed: dict[str, FileChange] = {}
    for use in uses:
        if use.kind != said.EDIT or use.status != said.OK or not use.path:
            continue
        path = _relative(use.path, cwd)
        if any(
            mark in f"/{path}" if mark == "/.claude/" else path.startswith(mark)
            for mark in _PASSING
        ):
            continue
        before = changed.get(path)
        changed[path] = FileChange(
            path=path,
            edits=1 + (before.edits if before else 0),
            created=use.created or bool(before and before.created),
            at_ms=use.at_ms,
        )
    return tuple(changed.values())


def _relative(path: str, cwd: str) -> str:
    for separator in ("/", "\\"):
        base = cwd.rstrip(separator) + separator
        if cwd and path.startswith(base):
            return path[len(base) :].replace("\\", "/")
    return path


class _RunLog:
    """Follows what each tool said, run after run."""

    def __init__(self, uses: Sequence[ToolUse], cwd: str) -> None:
        self._changes: list[tuple[str, int]] = []
        self.commits: list[CommitMade] = []
        self.requests: list[CommitMade] = []
        self._endings: dict[tuple[str, str], list[tuple[bool, str, str, int]]] = {}
        for use in uses:
            if use.kind == said.EDIT and use.status == said.OK:
                self._changes.append((_relative(use.path, cwd), use.at_ms))
            if use.kind == said.RUN and use.status in {said.OK, said.FAILED}:
                self._take(use)

    def _take(self, use: ToolUse) -> None:
        steps = commands.steps_of(use.command)
        if use.status == said.OK and re.search(r"\b(?:pr|mr) create\b", use.command):
            address = commands.pull_request_of(use.result)
            if address:
                self.requests.append(
                    CommitMade(id="", subject=f"opened {address}", at_ms=use.at_ms + 1)
                )
        told = [(step, *commands.purpose_of(step)) for step in steps]
        known = [entry for entry in told if entry[1] != commands.OTHER]
        for place, (_, kind, tool) in enumerate(known):
            if kind == commands.COMMIT:
                if use.status == said.OK:
                    self._commit(use)
                continue
            # Of steps joined in one call only the last can be the one that failed.
            last = place == len(known) - 1
            self._note(kind, tool, use, failed=use.status == said.FAILED and last)
        if not known and told and not all(commands.is_quiet(step) for step in steps):
            step, kind, tool = told[-1]
            if not commands.is_quiet(step):
                self._note(kind, tool, use, failed=use.status == said.FAILED)

    def _commit(self, use: ToolUse) -> None:
        number, subject = commands.commits_of(use.command, use.result)
        if not number and not subject:
            return
        if "--amend" in use.command and self.commits:
            amended = self.commits.pop()
            subject = subject or amended.subject
        self.commits.append(CommitMade(id=number, subject=subject, at_ms=use.at_ms))

    def _note(self, kind: str, tool: str, use: ToolUse, *, failed: bool) -> None:
        passed_count, failed_count = (
            commands.counts_of(use.result) if kind == commands.TESTS else (None, None)
        )
        failed = failed or bool(failed_count)
        counts = []
        if failed_count and failed_count > 0:
            counts.append(f"{failed_count} failed")
        if passed_count:
            counts.append(f"{passed_count} passed")
        error = commands.error_line(use.result) if failed else ""
        ending = (not failed, ", ".join(counts), error, use.at_ms)
        self._endings.setdefault((kind, tool), []).append(ending)

    def runs(self) -> tuple[CommandRuns, ...]:
        """Return tests, builds and checks, as they went."""
        found = [
            CommandRuns(
                kind=kind,
                tool=tool,
                endings=tuple((passed, counts) for passed, counts, _, _ in endings),
                at_ms=endings[-1][3],
            )
            for (kind, tool), endings in self._endings.items()
            if kind != commands.OTHER
        ]
        return tuple(sorted(found, key=lambda one: one.at_ms))

    def errors(self) -> tuple[ResolvedError, ...]:
        """Return each error that a later run of the same tool no longer had, and the last ones."""
        solved: list[ResolvedError] = []
        for endings in self._endings.values():
            error, since = "", 0
            for passed, _, line, at_ms in endings:
                if not passed and line and line != error:
                    error, since = line, at_ms
                elif passed and error:
                    between = [path for path, when in self._changes if since <= when <= at_ms]
                    changed = tuple(dict.fromkeys(between))
                    solved.append(
                        ResolvedError(error=error, at_ms=since, until_ms=at_ms, changed=changed)
                    )
                    error = ""
        return tuple(sorted(solved, key=lambda one: one.at_ms))

    def failing(self) -> list[SessionStatement]:
        """Return what failed when it was last run."""
        notes = []
        for (kind, tool), endings in self._endings.items():
            passed, counts, error, at_ms = endings[-1]
            if passed or kind == commands.OTHER:
                continue
            detail = ": ".join(part for part in (counts, f"`{error}`" if error else "") if part)
            text = f"{tool} still fails" + (f" ({detail})" if detail else "")
            notes.append(_note(text, at_ms, 0.95))
        return notes


def _commits(seen: Sequence[CommitMade], told: Iterable[CommitLike]) -> tuple[CommitMade, ...]:
    """Return the commits of git and those seen in the conversation, each once."""
    made = [CommitMade(id=one.id, subject=one.subject, at_ms=one.at_ms) for one in told]
    for commit in seen:
        same = any(
            (
                commit.id
                and one.id
                and (one.id.startswith(commit.id) or commit.id.startswith(one.id))
            )
            or (commit.subject and commit.subject == one.subject)
            for one in made
        )
        if not same:
            made.append(commit)
    return tuple(sorted(made, key=lambda one: one.at_ms))


def _changed_after(files: Sequence[FileChange], commits: Sequence[CommitMade]) -> list[str]:
    if not commits:
        return []
    last = max(commit.at_ms for commit in commits)
    return [change.path for change in files if change.at_ms > last]


def _note(text: str, at_ms: int, weight: float) -> SessionStatement:
    return SessionStatement(text=text, at_ms=at_ms, by=ASSISTANT, weight=weight)
