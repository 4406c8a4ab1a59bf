"""Writes the text of a digest: wording, order and budget; title and summary."""

from __future__ import annotations

from aforesaid.domain.digest import commands, message_text, outcome
from aforesaid.domain.digest.model import ASSISTANT, BOTH, KINDS, Digest, DigestItem
from aforesaid.domain.digest.sentence_classifier import (
    overlap,
    stems_of,
    strip_open_label,
    words_of,
)
from aforesaid.domain.digest.statement_set import entails
from aforesaid.domain.model.transcript import cut
from aforesaid.domain.text.timestamps import day_month_year
from aforesaid.domain.text.token_budget import CHARS_PER_TOKEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.digest.model import (
        ChangedFile,
        CommandRuns,
        ResolvedError,
        SessionFacts,
        SessionStatement,
    )

_TITLE_CHARS = 90
_MIN_TITLE_WORDS = 2  #: of its first sentence, if there are others
_REPORT_WEIGHT = 0.5  #: from which a statement is a report whatever its place
#: Overlap of words above which two requests count as one.
_SAME_REQUEST = 0.8
#: If more files of one folder were changed, the folder is shown instead.
_MAX_FOLDER_FILES = 4
_LABELS = {
    "asked": "Asked", "decision": "Decided", "correction": "Corrected by the user",
    "preference": "The user wants", "fact": "Stated by the user",
    "done": "Done (assistant)", "found": "Found (assistant)",
    "error": "Solved (assistant)",
    "command": "Ran", "commit": "Commits", "file": "Files", "open": "Open",
}  # fmt: skip
#: Kinds of items that may become the title, the best first.
_TITLE_KINDS = (
    "title", "asked", "commit", "done", "decision", "preference", "correction", "fact",
)  # fmt: skip
#: Kinds that show what a session was about.
_WORK_KINDS = frozenset({"found", "done", "error", "decision", "commit"})
_MAX_OPENING_PARTS = 5  #: sentences of a request of which one may become the title
#: Kinds whose items share a line, with what separates them.
_JOINED = {"command": "; ", "commit": "; ", "file": ", "}
#: Number of items of each kind added in each round, most important first. Preferences and facts of
#: the user come late, since they are also stored as memories.
_ROUNDS: tuple[tuple[tuple[str, int], ...], ...] = (
    (("asked", 1), ("decision", 2), ("open", 2), ("correction", 1), ("found", 1), ("error", 1),
     ("command", 1), ("commit", 2), ("file", 2), ("preference", 2), ("found", 1), ("done", 1)),
    (("decision", 2), ("open", 1), ("found", 2), ("error", 1), ("correction", 1),
     ("preference", 1), ("fact", 1), ("asked", 1), ("command", 1), ("commit", 1), ("file", 2),
     ("open", 1)),
    (("found", 2), ("open", 2), ("decision", 2), ("error", 1), ("correction", 1),
     ("preference", 2), ("fact", 2), ("commit", 2), ("asked", 1), ("file", 2), ("done", 1),
     ("command", 1)),
)  # fmt: skip


def write_digest(
    facts: SessionFacts, *, max_tokens: int = 350, remembered: Sequence[str] = ()
) -> Digest | None:
    """Return the digest of a session; None if nothing happened in it.

    Args:
        facts: what happened.
        max_tokens: limit of `text`, at four characters a token.
        remembered: what other memories say, besides the session's candidates.
    """
    if facts.is_trivial:
        return None
    items = _items(facts, [*remembered, *(candidate.text for candidate in facts.candidates)])
    if not items:
        return None
    empty = Digest(
        title="",
        text="",
        summary="",
        event_date_ms=facts.ended_ms,
        started_ms=facts.started_ms,
        branch=facts.branch,
        max_tokens=max_tokens,
        items=(),
        command_heads=facts.command_heads,
    )
    return _fill(empty, items)


def revise_digest(
    digest: Digest, decide: Callable[[DigestItem], DigestItem | None]
) -> Digest | None:
    """Return the digest rewritten from the items that `decide` returns; None if none is left.

    `decide` removes what this package cannot recognise: secrets, and what the user erased.
    """
    items = tuple(item for old in digest.items if (item := decide(old)) is not None)
    return _fill(digest, items) if items else None


def render(digest: Digest, items: Sequence[DigestItem]) -> str:
    """Return the text of these items, under the digest's title and date."""
    lines = [digest.title, _when(digest)]
    for kind in KINDS:
        texts = [_attributed(item) for item in items if item.kind == kind]
        if kind == "asked":
            texts = [
                text
                for text in texts
                if message_text.plain(text) != message_text.plain(digest.title)
            ]
        if not texts:
            continue
        if kind in _JOINED:
            joined = _JOINED[kind].join(texts)
            more = sum(item.kind == kind for item in digest.items) - len(texts)
            lines.append(f"{_LABELS[kind]}: {joined}" + (f" (+{more} more)" if more > 0 else ""))
        elif len(texts) == 1:
            lines.append(f"{_LABELS[kind]}: {texts[0]}")
        else:
            lines += [f"{_LABELS[kind]}:", *(f"- {text}" for text in texts)]
    return "\n".join(line for line in lines if line)


def _fill(digest: Digest, items: tuple[DigestItem, ...]) -> Digest:
    """Return the digest with as many of these items as fit, in rounds."""
    title = _title(items)
    digest = digest.replace(items=items, title=title)
    limit = digest.max_tokens * CHARS_PER_TOKEN
    chosen: list[DigestItem] = []
    waiting = [item for item in items if item.kind in KINDS]
    committed = any(item.kind == "commit" for item in items)
    for round_index, quotas in enumerate((*_ROUNDS, *_ROUNDS[-1:])):
        for kind, quota in quotas:
            if kind == "done" and committed and round_index == 0:
                continue  # the commits say it
            for item in [item for item in waiting if item.kind == kind][:quota]:
                waiting.remove(item)
                if len(render(digest, _in_order([*chosen, item]))) <= limit:
                    chosen.append(item)
    text = render(digest, _in_order(chosen))
    return digest.replace(
        text=text if len(text) <= limit else cut(text, limit),
        summary=outcome.outcome_of(title, items),
        work=outcome.work_of(items),
    )


def _in_order(items: list[DigestItem]) -> list[DigestItem]:
    return sorted(items, key=lambda item: (KINDS.index(item.kind), item.at_ms))


def _items(facts: SessionFacts, remembered: Sequence[str]) -> tuple[DigestItem, ...]:
    """Return everything that may be shown, the most important of each kind first."""
    items: list[DigestItem] = []
    if len(facts.title.split()) > 2:  # noqa: PLR2004 (a shorter one names nothing)
        items.append(DigestItem(kind="title", text=cut(facts.title, _TITLE_CHARS), at_ms=0))
    statements_by_kind: tuple[tuple[str, Sequence[SessionStatement], int], ...] = (
        ("asked", _requests(facts), 170),
        ("decision", facts.decisions, 200),
        ("correction", facts.corrections, 180),
        ("preference", facts.preferences, 180),
        ("fact", facts.facts, 180),
        ("open", facts.open_items, 190),
        ("found", facts.findings, 200),
        ("done", facts.done, 180),
    )
    used = {message_text.plain(part) for error in facts.errors for part in error.solution}
    for kind, statements, limit in statements_by_kind:
        ranked = statements if kind == "asked" else sorted(statements, key=_by_weight)
        strip = strip_open_label if kind == "open" else str
        items += [
            DigestItem(
                kind=kind,
                text=message_text.truncate(strip(statement.text), limit),
                at_ms=statement.at_ms,
                by=statement.by,
                reports=kind == "done" and statement.weight >= _REPORT_WEIGHT,
                remembered=kind in outcome.SETTLED
                and any(entails(text, statement.text, loosely=True) for text in remembered),
            )
            for statement in ranked
            if kind not in {"found", "done"} or message_text.plain(statement.text) not in used
        ]
    items += [_error_item(error) for error in reversed(facts.errors) if error.solution]
    items += [_run_item(runs) for runs in sorted(facts.runs, key=_run_rank)]
    for commit in reversed(facts.commits):
        text = f"{commit.id[:7]} {message_text.truncate(commit.subject, 72)}".strip()
        items.append(DigestItem(kind="commit", text=text, at_ms=commit.at_ms))
    return (*items, *_file_items(facts.files))


def _file_items(files: Sequence[ChangedFile]) -> list[DigestItem]:
    """Return the files, the most edited first; many of one folder as one item."""
    folders: dict[str, list[ChangedFile]] = {}
    for change in files:
        folders.setdefault(change.path.rpartition("/")[0], []).append(change)
    items: list[tuple[int, DigestItem]] = []
    for folder, changes in folders.items():
        edits = sum(change.edits for change in changes)
        at_ms = changes[-1].at_ms
        if folder and len(changes) > _MAX_FOLDER_FILES:
            text = f"{folder}/ ({len(changes)} files)"
            items.append((edits, DigestItem(kind="file", text=text, at_ms=at_ms)))
            continue
        for change in changes:
            notes = ["new"] if change.is_new else []
            notes += [f"{change.edits} edits"] if change.edits > 1 else []
            text = change.path + (f" ({', '.join(notes)})" if notes else "")
            items.append((change.edits, DigestItem(kind="file", text=text, at_ms=change.at_ms)))
    return [item for _, item in sorted(items, key=lambda pair: (-pair[0], pair[1].at_ms))]


def _requests(facts: SessionFacts) -> list[SessionStatement]:
    """Return the first request, the last, then the most important of the others.

    A request that an open item repeats is left out.
    """
    open_items = [message_text.plain(open_item.text) for open_item in facts.open_items]
    distinct: list[SessionStatement] = []
    for index, request in enumerate(facts.asked):
        words = words_of(request.text)
        repeated = any(
            overlap(words, words_of(earlier.text)) > _SAME_REQUEST for earlier in distinct
        )
        start = message_text.plain(request.text)[:80]
        is_open = index > 0 and any(open_item.startswith(start) for open_item in open_items)
        if not repeated and not is_open:
            distinct.append(request)
    first, rest = distinct[:1], distinct[1:]
    last = [request for request in rest if not request.text.startswith("/")][-1:]
    return (
        first + last + sorted((request for request in rest if request not in last), key=_by_weight)
    )


def _by_weight(statement: SessionStatement) -> float:
    return -statement.weight


def _error_item(error: ResolvedError) -> DigestItem:
    solution = "; ".join(message_text.truncate(part, 110) for part in error.solution)
    return DigestItem(
        kind="error",
        text=f"`{error.error}`: {solution}",
        at_ms=error.at_ms,
        by=ASSISTANT,
    )


def _run_rank(runs: CommandRuns) -> tuple[int, int]:
    return (0 if runs.kind == commands.TESTS else 1, -runs.at_ms)


def _run_item(runs: CommandRuns) -> DigestItem:
    """Return how the runs of one tool ended; the last state matters most."""
    passed, counts = runs.outcomes[-1]
    last = ("passed" if passed else "failed") + (f" ({counts})" if counts else "")
    failures = [outcome for outcome in runs.outcomes[:-1] if not outcome[0]]
    if passed and failures:
        times = "once" if len(failures) == 1 else f"{len(failures)} times"
        failed_counts = failures[-1][1]
        last = (
            f"failed {times}" + (f" ({failed_counts})" if failed_counts else "") + f", then {last}"
        )
    elif not passed and failures:
        last = f"failed {len(failures) + 1} times, last: {last}"
    names = {commands.TESTS: "tests", commands.BUILD: "build", commands.CHECK: "checks"}
    state = {commands.TESTS: ("green", "failing")}.get(runs.kind, ("ok", "failing"))
    short = f"{names[runs.kind]} {state[0] if passed else state[1]}"
    if counts and not passed:
        short += f" ({counts})"
    return DigestItem(kind="command", text=f"{runs.tool} {last}", at_ms=runs.at_ms, short=short)


def _attributed(item: DigestItem) -> str:
    if item.kind not in {"decision", "open"} or not item.by:
        return item.text
    if item.kind == "open":
        return item.text if item.by == ASSISTANT else f"{item.text} (user)"
    return f"{item.text} ({'agreed' if item.by == BOTH else item.by})"


def _title(items: Sequence[DigestItem]) -> str:
    commits = [
        item for item in items if item.kind == "commit" and not item.text.startswith(outcome.OPENED)
    ]
    if len(commits) == 1:
        return message_text.truncate(outcome.subject_of(commits[0].text), _TITLE_CHARS)
    for kind in _TITLE_KINDS:
        texts = [item.text for item in items if item.kind == kind]
        # a slash command names no subject
        text = next((text for text in texts if text[:1] != "/"), texts[0] if texts else None)
        if text is not None:
            parts = message_text.sentences([text])
            while len(parts) > 1 and len(words_of(parts[0])) < _MIN_TITLE_WORDS:
                del parts[0]
            if kind == "asked":
                parts = _from_subject(parts, items)
            text = parts[0] if len(" ".join(parts)) > _TITLE_CHARS else " ".join(parts)
            text = message_text.without_end(message_text.truncate(text, _TITLE_CHARS))
            return message_text.capitalise(text)
    return "Session"


def _from_subject(parts: list[str], items: Sequence[DigestItem]) -> list[str]:
    """Return the sentences of a request from the first that says what the session was about.

    That shares a word with what was found, decided or done; small talk before it does not.
    """
    others = frozenset[str]().union(
        *(stems_of(item.text) for item in items if item.kind in _WORK_KINDS)
    )
    for index, part in enumerate(parts[:_MAX_OPENING_PARTS]):
        if stems_of(part) & others:
            return parts[index:]
    return parts


def _when(digest: Digest) -> str:
    days = [day_month_year(at_ms) for at_ms in (digest.started_ms, digest.event_date_ms) if at_ms]
    if len(days) > 1 and days[0] == days[1]:
        days = days[1:]
    branch = f"branch {digest.branch}" if digest.branch and digest.branch != "HEAD" else ""
    return ", ".join(part for part in (" to ".join(days), branch) if part)
