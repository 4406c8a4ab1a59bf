"""How a digest reads.

Here: wording, order and budget; title and summary. Not here: what happened (session_facts.py).
"""

from __future__ import annotations

import time

from aforesaid.domain.digest import commands, message_text, sentence_classifier
from aforesaid.domain.digest.model import ASSISTANT, BOTH, KINDS, Digest, DigestItem
from aforesaid.domain.model.transcript import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.digest.model import (
        CommandRuns,
        FileChange,
        ResolvedError,
        SessionFacts,
        SessionStatement,
    )

_CHARS_PER_TOKEN = 4
_TITLE, _SUMMARY = 90, 160
#: Overlap of words above which two asks are one.
_ALIKE = 0.8
_FOLDER_FILES = 4
_LABELS = {
    "asked": "Asked", "decision": "Decided", "correction": "Corrected by the user",
    "preference": "The user wants", "fact": "Told by the user",
    "done": "Done (assistant)", "found": "Found (assistant)",
    "error": "Solved (assistant)",
    "command": "Ran", "commit": "Commits", "file": "Files", "open": "Open",
}  # fmt: skip
#: Items that share a line.
_JOINED = {"command": "; ", "commit": "; ", "file": ", "}
#: How many of a kind go in, round by round: what a reader would miss most comes first. Wishes and
#: facts of the user come late: they are memories of their own (memory_candidates.py).
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
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def write_digest(facts: SessionFacts, *, max_tokens: int = 350) -> Digest | None:
    """Return what to keep about a session; None if nothing happened in it.

    Args:
        facts: what happened.
        max_tokens: the most that `text` may have, a token being four characters.
    """
    if facts.trivial:
        return None
    items = _items(facts)
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
        ran=facts.ran,
    )
    return _composed(empty, items)


def revise_digest(
    digest: Digest, decide: Callable[[DigestItem], DigestItem | None]
) -> Digest | None:
    """Return the digest made anew from the items that `decide` returns; None if none is left.

    For what stands outside this package: secrets, and what the user had erased.
    """
    items = tuple(item for one in digest.items if (item := decide(one)) is not None)
    return _composed(digest, items) if items else None


def render(digest: Digest, items: Sequence[DigestItem]) -> str:
    """Return the text that says these items, under the digest's title and date."""
    lines = [digest.title, _when(digest)]
    for kind in KINDS:
        texts = [_attributed(item) for item in items if item.kind == kind]
        if kind == "asked":
            texts = [text for text in texts if _plain(text) != _plain(digest.title)]
        if not texts:
            continue
        if kind in _JOINED:
            told = _JOINED[kind].join(texts)
            more = sum(item.kind == kind for item in digest.items) - len(texts)
            lines.append(f"{_LABELS[kind]}: {told}" + (f" (+{more} more)" if more > 0 else ""))
        elif len(texts) == 1:
            lines.append(f"{_LABELS[kind]}: {texts[0]}")
        else:
            lines += [f"{_LABELS[kind]}:", *(f"- {text}" for text in texts)]
    return "\n".join(line for line in lines if line)


def _composed(digest: Digest, items: tuple[DigestItem, ...]) -> Digest:
    title = _title(items)
    digest = digest.replace(items=items, title=title)
    limit = digest.max_tokens * _CHARS_PER_TOKEN
    chosen: list[DigestItem] = []
    waiting = [item for item in items if item.kind in KINDS]
    committed = any(item.kind == "commit" for item in items)
    for number_of_round, wanted in enumerate((*_ROUNDS, *_ROUNDS[-1:])):
        for kind, number in wanted:
            if kind == "done" and committed and number_of_round == 0:
                continue  # the commits say it
            for item in [one for one in waiting if one.kind == kind][:number]:
                waiting.remove(item)
                if len(render(digest, _in_order([*chosen, item]))) <= limit:
                    chosen.append(item)
    text = render(digest, _in_order(chosen))
    return digest.replace(
        text=text if len(text) <= limit else cut(text, limit),
        summary=_summary(title, items),
    )


def _in_order(items: list[DigestItem]) -> list[DigestItem]:
    return sorted(items, key=lambda item: (KINDS.index(item.kind), item.at_ms))


def _items(facts: SessionFacts) -> tuple[DigestItem, ...]:
    """Return all that may be said, of each kind the weightiest first."""
    items: list[DigestItem] = []
    if len(facts.title.split()) > 2:  # noqa: PLR2004 (shorter ones name nothing)
        items.append(DigestItem(kind="title", text=cut(facts.title, _TITLE), at_ms=0))
    spoken: tuple[tuple[str, Sequence[SessionStatement], int], ...] = (
        ("asked", _asks(facts), 170),
        ("decision", facts.decisions, 200),
        ("correction", facts.corrections, 180),
        ("preference", facts.preferences, 180),
        ("fact", facts.facts, 180),
        ("open", facts.open_ends, 190),
        ("found", facts.found, 200),
        ("done", facts.done, 180),
    )
    used = {_plain(part) for error in facts.errors for part in error.solution}
    for kind, statements, limit in spoken:
        ranked = statements if kind == "asked" else sorted(statements, key=_by_weight)
        told = sentence_classifier.without_label if kind == "open" else str
        items += [
            DigestItem(
                kind=kind,
                text=message_text.truncate(told(one.text), limit),
                at_ms=one.at_ms,
                by=one.by,
            )
            for one in ranked
            if kind not in {"found", "done"} or _plain(one.text) not in used
        ]
    items += [_error_item(error) for error in reversed(facts.errors) if error.solution]
    items += [_run_item(runs) for runs in sorted(facts.runs, key=_run_rank)]
    for commit in reversed(facts.commits):
        text = f"{commit.id[:7]} {message_text.truncate(commit.subject, 72)}".strip()
        items.append(DigestItem(kind="commit", text=text, at_ms=commit.at_ms))
    return (*items, *_file_items(facts.files))


def _file_items(files: Sequence[FileChange]) -> list[DigestItem]:
    """Return the files, the most edited first; many of one folder together."""
    folders: dict[str, list[FileChange]] = {}
    for change in files:
        folders.setdefault(change.path.rpartition("/")[0], []).append(change)
    items: list[tuple[int, DigestItem]] = []
    for folder, changes in folders.items():
        edits = sum(change.edits for change in changes)
        at_ms = changes[-1].at_ms
        if folder and len(changes) > _FOLDER_FILES:
            text = f"{folder}/ ({len(changes)} files)"
            items.append((edits, DigestItem(kind="file", text=text, at_ms=at_ms)))
            continue
        for change in changes:
            notes = [*(["new"] if change.created else [])]
            notes += [f"{change.edits} edits"] if change.edits > 1 else []
            text = change.path + (f" ({', '.join(notes)})" if notes else "")
            items.append((change.edits, DigestItem(kind="file", text=text, at_ms=change.at_ms)))
    return [item for _, item in sorted(items, key=lambda one: (-one[0], one[1].at_ms))]


def _asks(facts: SessionFacts) -> list[SessionStatement]:
    """Return the first ask, the last, then the weightiest of the others.

    What is left open says itself what was asked.
    """
    left = [_plain(one.text) for one in facts.open_ends]
    distinct: list[SessionStatement] = []
    for number, ask in enumerate(facts.asked):
        words = sentence_classifier.words_of(ask.text)
        again = any(
            sentence_classifier.overlap(words, sentence_classifier.words_of(one.text)) > _ALIKE
            for one in distinct
        )
        told = number > 0 and any(one.startswith(_plain(ask.text)[:80]) for one in left)
        if not again and not told:
            distinct.append(ask)
    first, others = distinct[:1], distinct[1:]
    last = [ask for ask in others if not ask.text.startswith("/")][-1:]
    return first + last + sorted((ask for ask in others if ask not in last), key=_by_weight)


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
    """Return how the runs of one tool went: the last state matters most."""
    passed, counts = runs.endings[-1]
    outcome = "passed" if passed else "failed"
    last = outcome + (f" ({counts})" if counts else "")
    failures = [ending for ending in runs.endings[:-1] if not ending[0]]
    if passed and failures:
        times = "once" if len(failures) == 1 else f"{len(failures)} times"
        before = failures[-1][1]
        last = f"failed {times}" + (f" ({before})" if before else "") + f", then {last}"
    elif not passed and len(failures) > 0:
        last = f"failed {len(failures) + 1} times, last: {last}"
    names = {commands.TESTS: "tests", commands.BUILD: "build", commands.CHECK: "checks"}
    state = {commands.TESTS: ("green", "failing")}.get(runs.kind, ("ok", "failing"))
    short = f"{names[runs.kind]} {state[0] if passed else state[1]}"
    return DigestItem(kind="command", text=f"{runs.tool} {last}", at_ms=runs.at_ms, short=short)


def _attributed(item: DigestItem) -> str:
    if item.kind not in {"decision", "open"} or not item.by:
        return item.text
    if item.kind == "open":
        return item.text if item.by == ASSISTANT else f"{item.text} (user)"
    return f"{item.text} ({'assistant proposed, user agreed' if item.by == BOTH else item.by})"


def _title(items: Sequence[DigestItem]) -> str:
    commits = [item for item in items if item.kind == "commit" and not _is_request(item)]
    if len(commits) == 1:
        return message_text.truncate(_subject(commits[0].text), _TITLE)
    for kind in (
        "title",
        "asked",
        "commit",
        "done",
        "decision",
        "preference",
        "correction",
        "fact",
    ):
        for item in items:
            if item.kind == kind:
                first = (
                    item.text
                    if len(item.text) <= _TITLE
                    else message_text.sentences([item.text])[0]
                )
                text = message_text.without_end(message_text.truncate(first, _TITLE))
                return text[:1].upper() + text[1:]
    return "Session"


def _summary(title: str, items: Sequence[DigestItem]) -> str:
    """Return what was done, how it ended and what is open, in one short line."""
    by_kind: dict[str, list[DigestItem]] = {}
    for item in items:
        by_kind.setdefault(item.kind, []).append(item)
    commits = [_subject(item.text) for item in by_kind.get("commit", []) if not _is_request(item)]
    short = [item.short for item in by_kind.get("command", []) if item.short][:1]
    opened = by_kind.get("open", [])
    left = [f"open: {message_text.truncate(opened[0].text, 64)}"] if opened else []
    if opened and _plain(opened[0].text).startswith(_plain(title)[:50]):
        left = ["not finished"]
    room = _SUMMARY - len("; ".join(["", *short, *left]))
    done = "; ".join(reversed(commits))
    if not commits or len(done) > room:
        done = commits[0] if commits else title
    return cut("; ".join([message_text.truncate(done, max(room, 40)), *short, *left]), _SUMMARY)


def _is_request(item: DigestItem) -> bool:
    return item.text.startswith("opened https://")


def _subject(commit: str) -> str:
    first, _, rest = commit.partition(" ")
    return rest if rest and first.isalnum() and any(char.isdigit() for char in first) else commit


def _when(digest: Digest) -> str:
    days = [_day(at_ms) for at_ms in (digest.started_ms, digest.event_date_ms) if at_ms]
    if len(days) > 1 and days[0] == days[1]:
        days = days[1:]
    branch = f"branch {digest.branch}" if digest.branch and digest.branch != "HEAD" else ""
    return ", ".join(part for part in (" to ".join(days), branch) if part)


def _day(at_ms: int) -> str:
    at = time.gmtime(at_ms // 1000)
    return f"{at.tm_mday} {_MONTHS[at.tm_mon - 1]} {at.tm_year}"


def _plain(text: str) -> str:
    return " ".join(text.split()).rstrip(".…;,:").lower()
