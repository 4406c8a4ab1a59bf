"""The runs of each tool in a session: which passed, which failed, and the commits among them.

What a single command is for, and what its output says: commands.py, shell_line.py.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.model import (
    ASSISTANT,
    CommandRuns,
    CommitMade,
    ResolvedError,
    SessionStatement,
)
from aforesaid.domain.digest.outcome import OPENED, STILL_FAILS
from aforesaid.domain.digest.shell_line import steps_of
from aforesaid.domain.model.transcript import EDIT, FAILED, OK, RUN, ToolUse
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.digest.shell_line import ShellStep


class RunOutcome(Value):
    """How one run of a tool ended."""

    kind: str
    tool: str
    passed: bool
    counts: str = ""
    error: str = ""
    at_ms: int = 0


def relative(path: str, cwd: str) -> str:
    """Return a path relative to the session's folder, if it is in it."""
    for separator in ("/", "\\"):
        base = cwd.rstrip(separator) + separator
        if cwd and path.startswith(base):
            return path[len(base) :].replace("\\", "/")
    return path


class RunLog:
    """The runs of each tool, in order, and how they ended."""

    def __init__(self, uses: Sequence[ToolUse], cwd: str) -> None:
        self._changes: list[tuple[str, int]] = []
        self.commits: list[CommitMade] = []
        self.pull_requests: list[CommitMade] = []
        self._outcomes: dict[tuple[str, str], list[RunOutcome]] = {}
        self._tests_passed_ms = 0  # when an output last counted passed tests and no failed one
        for use in uses:
            if use.kind == EDIT and use.status == OK:
                self._changes.append((relative(use.path, cwd), use.at_ms))
            if use.kind == RUN and commands.has_finished(use):
                self._add(use)

    def _add(self, use: ToolUse) -> None:
        if use.status == OK and re.search(r"\b(?:pr|mr) create\b", use.command):
            address = commands.pull_request_of(use.result)
            if address.startswith("https://"):
                subject = OPENED + address.removeprefix("https://")
                self.pull_requests.append(CommitMade(id="", subject=subject, at_ms=use.at_ms + 1))
        steps = steps_of(use.command)
        if any(commands.purpose_of(step.text)[0] == commands.COMMIT for step in steps):
            self._add_commit(use)
        if use.status == OK and _failed_by_counts(use.result) is False:
            self._tests_passed_ms = use.at_ms
        for outcome in _outcomes_of(use, steps):
            self._outcomes.setdefault((outcome.kind, outcome.tool), []).append(outcome)

    def _add_commit(self, use: ToolUse) -> None:
        commit_id, subject = commands.commits_of(use.command, use.result)
        if not (commit_id or subject):
            return
        if use.status != OK and not commands.prints_commit(use.result):
            return
        if "--amend" in use.command and self.commits:
            amended = self.commits.pop()
            subject = subject or amended.subject
        self.commits.append(CommitMade(id=commit_id, subject=subject, at_ms=use.at_ms))

    def runs(self) -> tuple[CommandRuns, ...]:
        """Return the tests, builds and checks."""
        runs = [
            CommandRuns(
                kind=kind,
                tool=tool,
                outcomes=tuple((outcome.passed, outcome.counts) for outcome in outcomes),
                at_ms=outcomes[-1].at_ms,
            )
            for (kind, tool), outcomes in self._outcomes.items()
            if kind != commands.OTHER and not self._ran_in_another_way(kind, outcomes[-1])
        ]
        return tuple(sorted(runs, key=lambda run: run.at_ms))

    def errors(self) -> tuple[ResolvedError, ...]:
        """Return the errors that a later run of the same tool no longer had."""
        resolved: list[ResolvedError] = []
        for outcomes in self._outcomes.values():
            error, since_ms = "", 0
            for outcome in outcomes:
                at_ms = outcome.at_ms
                if not outcome.passed and outcome.error and outcome.error != error:
                    error, since_ms = outcome.error, at_ms
                elif outcome.passed and error:
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
            last = outcomes[-1]
            if last.passed or kind == commands.OTHER or self._was_built_since(tool, last.at_ms):
                continue
            if self._ran_in_another_way(kind, last):
                continue
            error = f"`{last.error}`" if last.error else ""
            detail = ": ".join(part for part in (last.counts, error) if part)
            text = tool + STILL_FAILS + (f" ({detail})" if detail else "")
            notes.append(SessionStatement(text=text, at_ms=last.at_ms, by=ASSISTANT, weight=0.95))
        return notes

    def _ran_in_another_way(self, kind: str, last: RunOutcome) -> bool:
        """Tell whether tests that did not start passed later, by whatever command."""
        did_not_start = kind == commands.TESTS and not (last.passed or last.counts)
        return did_not_start and self._tests_passed_ms > last.at_ms

    def _was_built_since(self, tool: str, at_ms: int) -> bool:
        """Tell whether tests of the same program passed later, for which it had to be built."""
        program, *rest = tool.split()
        return rest[-1:] == ["build"] and any(
            outcome.passed and outcome.at_ms > at_ms
            for (kind, other), outcomes in self._outcomes.items()
            for outcome in outcomes
            if kind == commands.TESTS and other.startswith(f"{program} ")
        )


def _outcomes_of(use: ToolUse, steps: Sequence[ShellStep]) -> Iterator[RunOutcome]:
    """Yield how the tests, checks and builds of one call ended; else how its last command did."""
    known = [
        (step, kind, tool)
        for step in steps
        for kind, tool in [commands.purpose_of(step.text)]
        if kind not in {commands.OTHER, commands.COMMIT}
    ]
    if not known:
        last = next((step for step in reversed(steps) if step.decides_status), None)
        kind, tool = commands.purpose_of(last.text) if last is not None else ("", "")
        if last is not None and kind == commands.OTHER and not commands.is_quiet(last.text):
            yield _outcome(use, kind, tool, failed=use.status == FAILED)
        return
    failed_step = _failed_step(use, steps, known)
    for step, kind, tool in known:
        last_of_kind = step is [other for other, name, _ in known if name == kind][-1]
        by_counts = (
            _failed_by_counts(use.result) if kind == commands.TESTS and last_of_kind else None
        )
        if not step.decides_status:
            failed = _failed_by_output(use, steps, step, kind) if by_counts is None else by_counts
        elif failed_step is not None and steps.index(failed_step) < steps.index(step):
            failed = None  # it did not run
        else:
            failed = bool(by_counts) or step is failed_step
        if failed is not None:
            yield _outcome(use, kind, tool, failed=failed)


def _failed_by_output(
    use: ToolUse, steps: Sequence[ShellStep], step: ShellStep, kind: str
) -> bool | None:
    """Tell by the output whether a command failed whose exit status is unknown; None: unknown.

    An exit status that is printed is that of the command right before.
    """
    following = steps[steps.index(step) + 1 :]
    after = next((i for i, other in enumerate(following) if not other.reads_pipe), len(following))
    echoed = commands.echoed_status((other.text for other in following[after:][:1]), use.result)
    if echoed is not None:
        return echoed != 0
    return None if kind == commands.TESTS else commands.says_failed(use.result)


def _failed_step(
    use: ToolUse, steps: Sequence[ShellStep], known: Sequence[tuple[ShellStep, str, str]]
) -> ShellStep | None:
    """Return the command whose failure the call's exit status reports, None if there is none."""
    if use.status != FAILED:
        return None
    deciding = [(step, kind) for step, kind, _ in known if step.decides_status]
    if not deciding or commands.prints_commit(use.result):
        return None
    last, kind = deciding[-1]
    if kind == commands.TESTS:
        failed = _failed_by_counts(use.result)
        if failed is False and steps[-1] is not last:
            return None  # what follows the tests failed
        if failed is None and len(deciding) > 1:
            return deciding[-2][0]  # no test ran
    return last


def _failed_by_counts(output: str) -> bool | None:
    """Tell by the counts whether tests failed; None if the output has none."""
    passed, failed = commands.counts_of(output)
    if failed is None:
        return None if passed is None else False
    return failed != 0


def _outcome(use: ToolUse, kind: str, tool: str, *, failed: bool) -> RunOutcome:
    counts = []
    if kind == commands.TESTS:
        passed_count, failed_count = commands.counts_of(use.result)
        if failed_count and failed_count > 0:
            counts.append(f"{failed_count} failed")
        if passed_count:
            counts.append(f"{passed_count} passed")
    return RunOutcome(
        kind=kind,
        tool=tool,
        passed=not failed,
        counts=", ".join(counts),
        error=commands.error_line(use.result) if failed else "",
        at_ms=use.at_ms,
    )
