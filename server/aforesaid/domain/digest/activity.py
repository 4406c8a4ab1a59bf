"""What was done in a session: files, commands, commits, errors.

It reads the structure of tool calls, which works in every language. commands.py reads single
commands; session_facts.py adds the statements.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.message_text import without_end
from aforesaid.domain.digest.model import (
    ASSISTANT,
    CommandRuns,
    CommitMade,
    FileChange,
    ResolvedError,
    SessionStatement,
)
from aforesaid.domain.digest.outcome import NOT_COMMITTED, STILL_FAILS
from aforesaid.domain.digest.sentence_classifier import (
    is_cause,
    is_done,
    is_open,
    is_proposal,
    matches,
    overlap,
    strip_label,
    words_of,
)
from aforesaid.domain.model.transcript import EDIT, FAILED, OK, RUN, ToolUse
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    from aforesaid.domain.model.transcript import Conversation

    class CommitLike(Protocol):
        """A commit, as the git reader returns it."""

        @property
        def id(self) -> str:
            """Its hash."""

        @property
        def subject(self) -> str:
            """The first line of its message."""

        @property
        def at_ms(self) -> int:
            """When it was made."""


#: Files of the client, or of no lasting interest.
_TEMPORARY = ("/tmp/", "/private/tmp/", "/var/folders/")  # noqa: S108 (only compared)
_CLIENT_FOLDER = "/.claude/"
_MAX_NAMED = 4
_MAX_COMMAND_HEADS = 40
#: Time after the successful run within which a sentence may report the fix.
_REPORTED_WITHIN_MS = 2 * 60 * 1000
#: Sentences that explain how an error was solved; overlap from which two say the same.
_MAX_SENTENCES, _SAME_AT = 2, 0.75


class SessionActivity(Value):
    """What was done, each kind oldest first."""

    files: tuple[FileChange, ...]
    runs: tuple[CommandRuns, ...]
    commits: tuple[CommitMade, ...]
    errors: tuple[ResolvedError, ...]
    open_items: tuple[SessionStatement, ...]
    ran: tuple[str, ...] = ()  #: heads of successful commands, in order


def activity_of(conversation: Conversation, commits: Iterable[CommitLike]) -> SessionActivity:
    """Return what was done in a conversation."""
    uses = [turn for turn in conversation.turns if isinstance(turn, ToolUse)]
    files = _files(uses, conversation.cwd)
    log = _RunLog(uses, conversation.cwd)
    all_commits = _merge_commits(log.commits, commits)
    open_items = list(log.failing())
    uncommitted = _changed_after(files, all_commits)
    if uncommitted:
        text = NOT_COMMITTED + _name_some(uncommitted)
        open_items.append(_note(text, conversation.ended_ms, 0.6))
    return SessionActivity(
        files=files,
        runs=log.runs(),
        commits=(*all_commits, *log.pull_requests),
        errors=log.errors(),
        open_items=tuple(open_items),
        ran=commands.heads_of(
            (use.command for use in uses if use.kind == RUN and use.status == OK),
            _MAX_COMMAND_HEADS,
        ),
    )


def with_solutions(
    errors: Sequence[ResolvedError], sentences: Sequence[SessionStatement]
) -> tuple[ResolvedError, ...]:
    """Return the errors with what the assistant said while and after solving them.

    Sentences between the failure and the successful run explain the cause, those right after that
    run the fix. From each part comes the sentence that says most about the error, its cause and
    the changed files.

    Args:
        errors: those that were solved.
        sentences: the assistant's, oldest first.
    """
    solved: list[ResolvedError] = []
    for error in errors:
        end = error.until_ms + _REPORTED_WITHIN_MS
        during = [
            sentence for sentence in sentences if error.at_ms <= sentence.at_ms <= error.until_ms
        ]
        after = [sentence for sentence in sentences if error.until_ms < sentence.at_ms <= end]
        parts, reports = _explanations(during, error), _explanations(after, error)
        if len(parts) < _MAX_SENTENCES and reports:
            if parts and overlap(words_of(" ".join(parts)), words_of(reports[0])) >= _SAME_AT:
                parts, reports = [], reports[:1]
            parts = [*parts, *reports][:_MAX_SENTENCES]
        if not parts and error.changed:
            parts = [f"gone after changing {_name_some(error.changed)}"]
        solved.append(error.replace(solution=tuple(parts)))
    return tuple(solved)


def _explanations(sentences: Sequence[SessionStatement], error: ResolvedError) -> list[str]:
    """Return the sentence that best explains cause or fix, and the one that follows it."""
    error_words = words_of(" ".join([error.error, *error.changed]))
    useful = [
        sentence
        for sentence in sentences
        if not matches(sentence.text, "routine_report")
        and not is_open(sentence.text)
        and not is_proposal(sentence.text)
        and len(words_of(sentence.text)) > 1
    ]
    if not useful:
        return []

    def score(index: int) -> float:
        text = useful[index].text
        shared = len(error_words & words_of(text))
        return shared + 1.5 * is_cause(text) + is_done(text) - 0.1 * index

    best = max(range(len(useful)), key=score)
    return [
        without_end(strip_label(sentence.text))
        for sentence in useful[best : best + _MAX_SENTENCES]
        if sentence.at_ms == useful[best].at_ms
    ]


def _name_some(paths: Sequence[str]) -> str:
    more = " and more" if len(paths) > _MAX_NAMED else ""
    return ", ".join(paths[:_MAX_NAMED]) + more


def _files(uses: Sequence[ToolUse], cwd: str) -> tuple[FileChange, ...]:
    changed: dict[str, FileChange] = {}
    for use in uses:
        if use.kind != EDIT or use.status != OK or not use.path:
            continue
        path = _relative(use.path, cwd)
        if _CLIENT_FOLDER in f"/{path}" or path.startswith(_TEMPORARY):
            continue
        earlier = changed.get(path)
        changed[path] = FileChange(
            path=path,
            edits=1 + (earlier.edits if earlier else 0),
            created=use.created or bool(earlier and earlier.created),
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
    """The runs of each tool, in order, and how they ended."""

    def __init__(self, uses: Sequence[ToolUse], cwd: str) -> None:
        self._changes: list[tuple[str, int]] = []
        self.commits: list[CommitMade] = []
        self.pull_requests: list[CommitMade] = []
        self._outcomes: dict[tuple[str, str], list[tuple[bool, str, str, int]]] = {}
        for use in uses:
            if use.kind == EDIT and use.status == OK:
                self._changes.append((_relative(use.path, cwd), use.at_ms))
            if use.kind == RUN and use.status in {OK, FAILED}:
                self._add(use)

    def _add(self, use: ToolUse) -> None:
        if use.status == OK and re.search(r"\b(?:pr|mr) create\b", use.command):
            address = commands.pull_request_of(use.result)
            if address:
                self.pull_requests.append(
                    CommitMade(id="", subject=f"opened {address}", at_ms=use.at_ms + 1)
                )
        steps = [(step, *commands.purpose_of(step)) for step in commands.steps_of(use.command)]
        known = [(kind, tool) for _, kind, tool in steps if kind != commands.OTHER]
        for index, (kind, tool) in enumerate(known):
            if kind == commands.COMMIT:
                if use.status == OK:
                    self._add_commit(use)
                continue
            # Of several steps in one call only the last can be the one that failed.
            is_last = index == len(known) - 1
            self._add_outcome(kind, tool, use, failed=use.status == FAILED and is_last)
        if not known and steps:
            step, kind, tool = steps[-1]
            if not commands.is_quiet(step):
                self._add_outcome(kind, tool, use, failed=use.status == FAILED)

    def _add_commit(self, use: ToolUse) -> None:
        commit_id, subject = commands.commits_of(use.command, use.result)
        if not commit_id and not subject:
            return
        if "--amend" in use.command and self.commits:
            amended = self.commits.pop()
            subject = subject or amended.subject
        self.commits.append(CommitMade(id=commit_id, subject=subject, at_ms=use.at_ms))

    def _add_outcome(self, kind: str, tool: str, use: ToolUse, *, failed: bool) -> None:
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
        outcome = (not failed, ", ".join(counts), error, use.at_ms)
        self._outcomes.setdefault((kind, tool), []).append(outcome)

    def runs(self) -> tuple[CommandRuns, ...]:
        """Return the tests, builds and checks."""
        runs = [
            CommandRuns(
                kind=kind,
                tool=tool,
                outcomes=tuple((passed, counts) for passed, counts, _, _ in outcomes),
                at_ms=outcomes[-1][3],
            )
            for (kind, tool), outcomes in self._outcomes.items()
            if kind != commands.OTHER
        ]
        return tuple(sorted(runs, key=lambda run: run.at_ms))

    def errors(self) -> tuple[ResolvedError, ...]:
        """Return the errors that a later run of the same tool no longer had."""
        resolved: list[ResolvedError] = []
        for outcomes in self._outcomes.values():
            error, since_ms = "", 0
            for passed, _, line, at_ms in outcomes:
                if not passed and line and line != error:
                    error, since_ms = line, at_ms
                elif passed and error:
                    paths = [path for path, when in self._changes if since_ms <= when <= at_ms]
                    changed = tuple(dict.fromkeys(paths))
                    resolved.append(
                        ResolvedError(error=error, at_ms=since_ms, until_ms=at_ms, changed=changed)
                    )
                    error = ""
        return tuple(sorted(resolved, key=lambda error: error.at_ms))

    def failing(self) -> list[SessionStatement]:
        """Return a note for each tool whose last run failed."""
        notes = []
        for (kind, tool), outcomes in self._outcomes.items():
            passed, counts, error, at_ms = outcomes[-1]
            if passed or kind == commands.OTHER:
                continue
            detail = ": ".join(part for part in (counts, f"`{error}`" if error else "") if part)
            text = tool + STILL_FAILS + (f" ({detail})" if detail else "")
            notes.append(_note(text, at_ms, 0.95))
        return notes


def _merge_commits(
    seen: Sequence[CommitMade], from_git: Iterable[CommitLike]
) -> tuple[CommitMade, ...]:
    """Return the commits from git and those seen in the conversation, each once."""
    merged = [
        CommitMade(id=commit.id, subject=commit.subject, at_ms=commit.at_ms) for commit in from_git
    ]
    for commit in seen:
        if not any(_is_same_commit(commit, known) for known in merged):
            merged.append(commit)
    return tuple(sorted(merged, key=lambda commit: commit.at_ms))


def _is_same_commit(first: CommitMade, second: CommitMade) -> bool:
    if (
        first.id
        and second.id
        and (first.id.startswith(second.id) or second.id.startswith(first.id))
    ):
        return True
    return bool(first.subject) and first.subject == second.subject


def _changed_after(files: Sequence[FileChange], commits: Sequence[CommitMade]) -> list[str]:
    if not commits:
        return []
    last_ms = max(commit.at_ms for commit in commits)
    return [change.path for change in files if change.at_ms > last_ms]


def _note(text: str, at_ms: int, weight: float) -> SessionStatement:
    return SessionStatement(text=text, at_ms=at_ms, by=ASSISTANT, weight=weight)
