"""The outcome of a session in one line: what it achieved, how it ended, what it left open.

`work_of` measures how much was achieved; the lines of several sessions are ranked by it
(domain/context/session_context.py). The digest's text is written by render.py.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import message_text
from aforesaid.domain.digest.model import ASSISTANT
from aforesaid.domain.digest.sentence_classifier import (
    is_open,
    is_question,
    stems_of,
    words_of,
)
from aforesaid.domain.model.overtaken_parts import ALSO_OPEN, FILES, LEFT_OPEN, joined, parts_of
from aforesaid.domain.model.transcript import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.digest.model import DigestItem

#: Work of a session: committed, changed files, decided or solved something, found something, was
#: only asked for something.
COMMITTED, CHANGED, DECIDED, FOUND, ASKED, NONE = 4, 3, 2, 1, 0.5, 0
OUTCOME_CHARS = 300
SETTLED = ("decision", "correction")  #: kinds of items that a memory may say, too
OPENED = "opened https://"  #: of a pull request, which is listed among the commits
NOT_FINISHED = "not finished"
#: Notes of activity.py among the open items, which the line shows elsewhere.
NOT_COMMITTED, STILL_FAILS = "not committed: ", " still fails"
UNDID = "undid the changes to "  #: a report, written by session_facts.py
_TOPIC_CHARS, _OPEN_CHARS = 70, 100
_REMARK = r' \(user: "[^"]*"\)$'  #: what the user said about an open end
_MIN_ANSWERS = 3  #: findings and reports of a session that only asked
_MIN_OPEN_WORDS = 2  #: of a clause that says by itself what is open
_MAX_FILES, _MAX_OPEN, _MAX_REPORTS, _MAX_RESULTS = 2, 2, 2, 3


def work_of(items: Sequence[DigestItem]) -> float:
    """Return how much a session achieved; ``NONE`` for a greeting, a question, a slash command."""
    kinds = [item.kind for item in items]
    if "commit" in kinds:
        return COMMITTED
    if "file" in kinds:
        return CHANGED
    if "decision" in kinds or "error" in kinds:
        return DECIDED
    asked = [item.text for item in items if item.kind == "asked" and item.text[:1] != "/"]
    answers = kinds.count("found") + kinds.count("done")
    if len(asked) <= 1 and all(map(is_question, asked)):
        return NONE
    is_work = answers >= _MIN_ANSWERS or "command" in kinds or (answers and "open" in kinds)
    return FOUND if is_work else ASKED


def outcome_of(title: str, items: Sequence[DigestItem]) -> str:
    """Return the line about a session.

    Args:
        title: of its digest.
        items: of its digest, the most important of each kind first.
    """
    by_kind: dict[str, list[DigestItem]] = {}
    for item in items:
        by_kind.setdefault(item.kind, []).append(item)
    opened = by_kind.get("open", [])
    left = _left_open(title, opened)
    ended = _ends(by_kind, opened)
    room = OUTCOME_CHARS - len("; ".join(["", *ended, *left]))
    achieved = _achieved(title, by_kind, max(room, 40))
    line = cut("; ".join([achieved, *ended, *left]), OUTCOME_CHARS)
    return message_text.capitalise(line)


def without_item(line: str, part: str) -> str:
    """Return the line about a session without one of its open ends; the next becomes the first."""
    parts = [other for other in parts_of(line) if other != part]
    if not any(other.startswith(LEFT_OPEN) for other in parts):
        parts = [other.replace(ALSO_OPEN, LEFT_OPEN, 1) for other in parts]
    return joined(parts)


def subject_of(commit: str) -> str:
    """Return the subject of a commit's item, without the commit's id."""
    first, _, rest = commit.partition(" ")
    return rest if rest and first.isalnum() and any(char.isdigit() for char in first) else commit


def _achieved(title: str, by_kind: dict[str, list[DigestItem]], room: int) -> str:
    """Return what was achieved: commits, else reports, decisions, solutions, findings.

    A decision that a memory tells is told where there is nothing else, without the topic.
    """
    subjects = [
        subject_of(item.text)
        for item in reversed(by_kind.get("commit", []))
        if not item.text.startswith(OPENED)
    ]
    if subjects:
        return _joined(subjects, room, keep_last=True)
    done = [
        item for item in by_kind.get("done", []) if item.reports and not item.text.startswith(UNDID)
    ]
    reports = [item.text for item in done[:_MAX_REPORTS]]
    own = {item.text for item in done if item.by == ASSISTANT}
    if files := by_kind.get("file"):
        changed = f"{FILES}{_changed(files)})"
        decided = [item.text for item in by_kind.get("decision", []) if not item.remembered]
        results = [*reports, *decided[: max(1, _MAX_RESULTS - len(reports))]]
        topic = "" if reports and reports[0] in own else title
        return _with_topic(topic, results, title, room - len(changed)) + changed
    for kind in ("decision", "error", "found", "correction"):
        if items := [item for item in by_kind.get(kind, []) if not item.remembered]:
            return _with_topic(title, [items[0].text], title, room)
    settled = [item.text for kind in SETTLED for item in by_kind.get(kind, [])]
    return _with_topic("", reports or settled[:1], title, room)


def _with_topic(topic: str, results: Sequence[str], title: str, room: int) -> str:
    """Return the results of a session, after a topic unless the first of them names it.

    Without results, that is the title.
    """
    topic = message_text.truncate(topic, _TOPIC_CHARS)
    if not results:
        return message_text.truncate(title, room)
    if not topic or stems_of(topic) & stems_of(results[0]):
        return _joined(results, room)
    topic += "" if topic[-1:] == "?" else ":"
    achieved = _joined(results, room - len(topic) - 1)
    return f"{topic} {achieved}"


def _joined(texts: Sequence[str], room: int, *, keep_last: bool = False) -> str:
    """Return as many whole texts as fit; if the first is too long, its beginning."""
    joined = "; ".join(texts)
    if len(joined) <= room:
        return joined
    if len(texts) > 1 and keep_last:
        return message_text.truncate(texts[-1], room - 12) + f" (+{len(texts) - 1} more)"
    chosen = list(texts[:1])
    for text in texts[1:]:
        if len("; ".join([*chosen, text])) <= room:
            chosen.append(text)
    return message_text.truncate("; ".join(chosen), room)


def _changed(files: Sequence[DigestItem]) -> str:
    names = [item.text.split(" (")[0] for item in files]
    more = f" +{len(names) - _MAX_FILES}" if len(names) > _MAX_FILES else ""
    return f"{', '.join(names[:_MAX_FILES])}{more}"


def _ends(by_kind: dict[str, list[DigestItem]], opened: Sequence[DigestItem]) -> list[str]:
    """Return how the session ended: committed or not, tests passed or failed."""
    pull_requests = [item for item in by_kind.get("commit", []) if item.text.startswith(OPENED)]
    ended = ["committed"] if len(by_kind.get("commit", [])) > len(pull_requests) else []
    ended += [item.text for item in pull_requests[:1]]
    ended += [item.text for item in by_kind.get("done", []) if item.text.startswith(UNDID)]
    ended += [item.short for item in by_kind.get("command", []) if item.short][:1]
    uncommitted = [item.text for item in opened if item.text.startswith(NOT_COMMITTED)]
    return [", ".join(ended), *uncommitted] if ended else uncommitted


def _left_open(title: str, opened: Sequence[DigestItem]) -> list[str]:
    items = [
        item
        for item in opened
        if not item.text.startswith(NOT_COMMITTED) and STILL_FAILS not in item.text
    ]
    if not items:
        return []
    plain = message_text.plain(items[0].text)
    if items[0].by != ASSISTANT and plain.startswith(message_text.plain(title)[:50]):
        return [NOT_FINISHED]
    texts = [
        message_text.truncate(_open_part(re.sub(_REMARK, "", item.text)), _OPEN_CHARS)
        for item in items[:_MAX_OPEN]
    ]
    labels = (LEFT_OPEN, ALSO_OPEN)
    return [label + text for label, text in zip(labels, texts, strict=False)]


def _open_part(text: str) -> str:
    """Return a long sentence from the clause that leaves something open; a short one whole."""
    text = text.replace(";", ",")
    clauses = text.split(", ")
    is_last = len(text) > _OPEN_CHARS and is_open(clauses[-1]) and not is_open(clauses[0])
    return clauses[-1] if is_last and len(words_of(clauses[-1])) >= _MIN_OPEN_WORDS else text
