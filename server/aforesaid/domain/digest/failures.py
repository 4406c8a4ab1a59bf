"""Commands and edits that failed in a session: the error, what was tried, and what fixed it.

Work in progress is left out: a test that failed until the code was written, a lint error.
"""

from __future__ import annotations

import os
import re

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.error_signature import likeness_of_errors
from aforesaid.domain.digest.failed_attempt import Attempt, Failure
from aforesaid.domain.digest.failed_calls import (
    acting_steps,
    deciding_steps,
    error_in_log,
    log_step,
    main_step,
)
from aforesaid.domain.digest.own_work import is_reusable
from aforesaid.domain.digest.run_log import relative
from aforesaid.domain.digest.shell_line import steps_of
from aforesaid.domain.model.transcript import EDIT, OK, RUN, ToolUse
from aforesaid.lexicon import shell_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.digest.shell_line import ShellStep

MAX_FAILURES = 10  #: of one session, the last ones
_MAX_PENDING = 20  #: failed commands that a call is compared with
_COMPARED, _REPEATS = 3, 0.6  #: lines of a repetition's error, and their mean likeness to the first
_MAX_UNTIL_LOG = 5  #: calls between a failure and the reading of a log
_MAX_UNTIL_REMEDY = 2  #: likewise, and a command that failed to cure it
_MAX_BETWEEN = 40  #: calls after which a success no longer counts as the same attempt


def find_failures(uses: Iterable[ToolUse], cwd: str) -> list[Failure]:
    """Return the failures of a session that are worth keeping, oldest first.

    Args:
        uses: the tool calls, oldest first.
        cwd: the session's folder.
    """
    reusable = filter(is_reusable, find_candidates(uses, cwd))
    return sorted(reusable, key=lambda failure: failure.at_ms)[-MAX_FAILURES:]


def find_candidates(uses: Iterable[ToolUse], cwd: str) -> list[Failure]:
    """Return all failures of a session that were fixed or given up; the arguments are the same."""
    finished = [use for use in uses if use.kind in {RUN, EDIT} and commands.has_finished(use)]
    tracker = _FailureTracker(cwd, finished)
    for use in finished:
        tracker.add(use)
    return tracker.failures()


class _FailureTracker:
    """Follows the failed commands of a session until they pass or are given up."""

    def __init__(self, cwd: str, uses: Sequence[ToolUse]) -> None:
        self._cwd = cwd
        self._last_runs = {
            step.text: use.at_ms for use in uses for step in steps_of(use.command, remote=True)
        }
        self._pending: list[Attempt] = []
        self._ended: list[Failure] = []
        self._written: set[str] = set()  #: files that the session has edited

    def failures(self) -> list[Failure]:
        """Return the failures that were fixed in the end or given up."""
        given_up = [failure for attempt in self._pending for failure in attempt.given_up()]
        return [*self._ended, *given_up]

    def add(self, use: ToolUse) -> None:
        """Add the next call."""
        for attempt in self._pending:
            attempt.calls += 1
        acting = acting_steps(use) if use.kind == RUN else []
        log = log_step(use)
        if log is not None and self._add_log(use, log, acting):
            return
        main = main_step(use, self._cwd)
        if main is None:
            if use.status == OK:
                self._add_passed(use, [], acting)
            return
        step, error = main
        if use.kind == EDIT and not error:
            self._note_edit(use, step.text)
            if all(attempt.step != step.text for attempt in self._pending):
                return
        self._drop_old()
        if not error:
            steps = [step] if use.kind == EDIT else deciding_steps(use)[::-1]
            self._add_passed(use, steps, acting)
        else:
            self._add_failed(use, step, error, acting)

    def _add_log(self, use: ToolUse, log: ShellStep, acting: Sequence[str]) -> bool:
        """Record what a log says; tell whether the call did nothing else.

        It states the cause of a failure right before. Otherwise, an error in it is a failure
        itself, until a log of the same thing has none.
        """
        error = error_in_log(use)
        known = [each for each in self._pending if each.is_log and each.is_tried_again_by(log.text)]
        if error and known:
            attempt = Attempt(use, log, error, self._written)
            if _is_same_error(known[-1], attempt):
                known[-1].steps += acting
                known[-1].add_repetition(attempt)
                return True
        if acting:
            return False
        if self._pending and self._pending[-1].age < _MAX_UNTIL_LOG and known[-1:] == []:
            self._pending[-1].add_causes(use.result)
        elif error and not known:
            self._drop_old()
            self._pending.append(Attempt(use, log, error, self._written, is_log=True))
        elif known and not error:
            self._add_passed(use, [log], acting)
        return True

    def _add_passed(self, use: ToolUse, steps: Sequence[ShellStep], acting: Sequence[str]) -> None:
        """Record a call that passed: it may have fixed an earlier one, or help to fix one.

        If it fixed several, the last one was the closest to the cause.
        """
        found = [
            (same, step)
            for step in steps
            if (same := self._find_earlier(step.text))
            and not self._only_looks(same, step.text, use.at_ms)
        ]
        for same in {id(same): same for same, _ in found}.values():
            self._pending.remove(same)
        if found:
            same, step = max(found, key=lambda pair: pair[0].until_ms)
            is_same = any(form.original == step.original for form in same.forms)
            own = (index for index, text in enumerate(acting) if text.endswith(step.original))
            end = next(own, None) if is_same else None
            same.add_steps(acting[:end])  # what came after it in the call was no part of the cure
            fixed = same.likely_fixed or same.fixed(use.at_ms, step.original)
            if same.is_log and not re.search(shell_commands.LOGS, step.text):
                same.likely_fixed = fixed if same.steps or same.changed else []
                self._pending.append(same)  # unless a log shows the error again
            else:
                self._ended += fixed
        for attempt in self._pending:
            attempt.add_steps(acting)

    def _only_looks(self, failed: Attempt, step: str, at_ms: int) -> bool:
        """Tell whether a command that passes is another one than failed, which is run later.

        So it cured nothing if nothing else was done.
        """
        if failed.steps or failed.changed or any(step == form.text for form in failed.forms):
            return False
        runs_again = self._last_runs.get(failed.step, 0) > at_ms
        before = failed.before
        return runs_again or (before is not None and self._only_looks(before, step, at_ms))

    def _find_earlier(self, step: str) -> Attempt | None:
        """Return the last failed attempt at the purpose of a command."""
        return next(
            (each for each in reversed(self._pending) if each.is_tried_again_by(step)), None
        )

    def _note_edit(self, use: ToolUse, step: str) -> None:
        path = relative(use.path, self._cwd)
        is_document = re.search(shell_commands.DOCUMENTS, path) is not None
        for attempt in self._pending:
            if is_document and os.path.basename(path) not in attempt.written + attempt.use.result:
                continue  # a text for readers cures nothing
            attempt.changed += [] if attempt.step == step else [path]
        self._written.add(path)

    def _drop_old(self) -> None:
        """Keep the attempts that the next call may belong to; end those that were given up."""
        recent = []
        for number, attempt in enumerate(reversed(self._pending)):
            attempt.age += 1
            if attempt.age <= _MAX_BETWEEN and number < _MAX_PENDING:
                recent.append(attempt)
            else:
                self._ended += attempt.given_up()
        self._pending = recent[::-1]

    def _add_failed(self, use: ToolUse, step: ShellStep, error: str, acting: Sequence[str]) -> None:
        """Record a failed call: the same error again, or another after that was fixed."""
        attempt = Attempt(use, step, error, self._written)
        same = self._find_earlier(step.text) or next(
            (each for each in reversed(self._pending) if _is_same_error(each, attempt)), None
        )
        if same is None:
            if self._pending and self._pending[-1].age <= _MAX_UNTIL_REMEDY:
                self._pending[-1].tried += acting
            self._pending.append(attempt)
            return
        if attempt.is_mistyped and not same.is_mistyped:
            return  # this tells nothing about the first error
        same.steps += [text for text in acting if not text.endswith(step.original)]
        was_changed = bool(same.steps or same.changed)
        is_other_form = same.written.split() != attempt.written.split()
        if _is_same_error(same, attempt) or not (was_changed or is_other_form):
            same.add_repetition(attempt)
            return
        self._pending.remove(same)
        self._pending.append(attempt)
        if was_changed:
            self._ended += same.fixed(use.at_ms, step.original)
        else:
            attempt.before = same


def _is_same_error(first: Attempt, second: Attempt) -> bool:
    """Tell whether most of what identifies the second error was in the first one."""
    lines = second.signatures[:_COMPARED]
    alike = [likeness_of_errors(first.signatures, [line]) for line in lines]
    return sum(alike) >= _REPEATS * len(alike)
