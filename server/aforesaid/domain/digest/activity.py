"""What was done in a session: files, commands, commits, errors.

It reads the structure of tool calls, which works in every language. commands.py reads single
commands; session_facts.py adds the statements.
"""

from __future__ import annotations

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.message_text import without_end
from aforesaid.domain.digest.model import (
    ASSISTANT,
    ChangedFile,
    CommandRuns,
    CommitMade,
    ResolvedError,
    SessionStatement,
)
from aforesaid.domain.digest.outcome import NOT_COMMITTED
from aforesaid.domain.digest.run_log import RunLog, relative
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
from aforesaid.domain.digest.shell_line import steps_of
from aforesaid.domain.model.transcript import EDIT, OK, RUN, ToolUse
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

    files: tuple[ChangedFile, ...]
    runs: tuple[CommandRuns, ...]
    commits: tuple[CommitMade, ...]
    errors: tuple[ResolvedError, ...]
    open_items: tuple[SessionStatement, ...]
    undone: tuple[str, ...] = ()  #: files whose changes were all discarded
    command_heads: tuple[str, ...] = ()  #: heads of successful commands, in order


def activity_of(conversation: Conversation, commits: Iterable[CommitLike]) -> SessionActivity:
    """Return what was done in a conversation."""
    uses = [turn for turn in conversation.turns if isinstance(turn, ToolUse)]
    files = _files(uses, conversation.cwd)
    log = RunLog(uses, conversation.cwd)
    all_commits = _merge_commits(log.commits, commits)
    open_items = list(log.failing())
    uncommitted = _changed_after(files, all_commits)
    if uncommitted:
        text = NOT_COMMITTED + name_some(uncommitted)
        open_items.append(_note(text, conversation.ended_ms, 0.6))
    return SessionActivity(
        files=files,
        runs=log.runs(),
        commits=(*all_commits, *log.pull_requests),
        errors=log.errors(),
        open_items=tuple(open_items),
        undone=tuple(_undone(uses, files, conversation.cwd)),
        command_heads=commands.heads_of(
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
            parts = [f"gone after changing {name_some(error.changed)}"]
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
        and not sentence.text.rstrip().endswith("?")
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


def without_failures(runs: Iterable[CommandRuns], dismissed: set[int]) -> tuple[CommandRuns, ...]:
    """Return the runs of tools, except of those whose last failure the user dismissed.

    How these stand is neither green nor the session's failure.

    Args:
        runs: of each tool.
        dismissed: times of those failures.
    """
    return tuple(run for run in runs if run.outcomes[-1][0] or run.at_ms not in dismissed)


def name_some(paths: Sequence[str]) -> str:
    """Return the first of some paths."""
    more = " and more" if len(paths) > _MAX_NAMED else ""
    return ", ".join(paths[:_MAX_NAMED]) + more


def _files(uses: Sequence[ToolUse], cwd: str) -> tuple[ChangedFile, ...]:
    """Return the files that were changed, without changes that were discarded before a commit."""
    kept: dict[str, ChangedFile] = {}
    changed: dict[str, ChangedFile] = {}
    for use in uses:
        if use.kind == RUN and use.status == OK:
            for step in steps_of(use.command):
                if commands.purpose_of(step.text)[0] == commands.COMMIT:
                    kept, changed = {**kept, **changed}, {}
                for path in commands.discarded_paths(step.text):
                    for name in [name for name in changed if _names(path, name)]:
                        del changed[name]
        if use.kind != EDIT or use.status != OK or not use.path:
            continue
        path = relative(use.path, cwd)
        if not _lasts(path):
            continue
        earlier = changed.get(path) or kept.get(path)
        changed[path] = ChangedFile(
            path=path,
            edits=1 + (earlier.edits if earlier else 0),
            is_new=use.is_new_file or bool(earlier and earlier.is_new),
            at_ms=use.at_ms,
        )
    files = {**kept, **changed}
    return tuple(sorted(files.values(), key=lambda change: change.at_ms))


def _names(path: str, file: str) -> bool:
    """Tell whether a path in a command names a changed file, or a folder that contains it."""
    path = path.removeprefix("./").rstrip("/")
    return path in {"", "."} or f"/{file}".endswith(f"/{path}") or file.startswith(f"{path}/")


def _undone(uses: Sequence[ToolUse], files: Sequence[ChangedFile], cwd: str) -> list[str]:
    """Return the files that were changed, and whose changes were all discarded."""
    remaining = {change.path for change in files}
    edited = [relative(use.path, cwd) for use in uses if use.kind == EDIT and use.status == OK]
    return [path for path in dict.fromkeys(edited) if path not in remaining and _lasts(path)]


def _lasts(path: str) -> bool:
    return _CLIENT_FOLDER not in f"/{path}" and not path.startswith(_TEMPORARY)


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


def _changed_after(files: Sequence[ChangedFile], commits: Sequence[CommitMade]) -> list[str]:
    if not commits:
        return []
    last_ms = max(commit.at_ms for commit in commits)
    return [change.path for change in files if change.at_ms > last_ms]


def _note(text: str, at_ms: int, weight: float) -> SessionStatement:
    return SessionStatement(text=text, at_ms=at_ms, by=ASSISTANT, weight=weight)
