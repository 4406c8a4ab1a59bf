"""Removes from the lines of earlier sessions what a later one did, answered or lists again."""

from __future__ import annotations

import re

from aforesaid.domain.digest.commands import BUILD, CHECK, TESTS
from aforesaid.domain.digest.outcome import NOT_COMMITTED, without_item
from aforesaid.domain.digest.stated_change import closes
from aforesaid.domain.model.memory import DIGEST_TAG
from aforesaid.domain.model.overtaken_parts import ALSO_OPEN, LEFT_OPEN, joined, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.domain.digest import SessionFacts
    from aforesaid.domain.digest.lasting import SentenceJudge
    from aforesaid.ports import Store

#: What a session's line calls runs of a kind.
_NAMES = {TESTS: "tests", BUILD: "build", CHECK: "checks"}
_FAILING = re.compile(r"(?:^|, )(tests|build|checks) failing(?: \([^()]*\))?")
_MAX_DIGESTS = 12  #: of earlier sessions, whose lines are compared


def close_items(
    store: Store, judge: SentenceJudge | None, facts: SessionFacts, project: int
) -> None:
    """Remove open ends of earlier sessions that a session closed.

    Args:
        store: where the digests are.
        judge: compares texts; None leaves all lines as they are.
        facts: what happened in the session.
        project: its key.
    """
    if judge is None:
        return
    texts = list(_texts(facts))
    kinds = {_NAMES.get(runs.kind, "") for runs in facts.runs}
    for digest in store.memories.latest_events(project, _MAX_DIGESTS):
        if DIGEST_TAG not in digest.tags or digest.session == facts.session_id:
            continue
        summary = digest.summary or ""
        for part in parts_of(summary):
            item = part.removeprefix(LEFT_OPEN).removeprefix(ALSO_OPEN)
            if (part.startswith(NOT_COMMITTED) and facts.commits) or (
                item != part and any(closes(text, item, judge.cosine) for text in texts)
            ):
                summary = without_item(summary, part)
        summary = _without_failures(summary, kinds)
        if summary != (digest.summary or ""):
            store.memories.change(digest.key, summary=summary)


def _without_failures(line: str, kinds: set[str]) -> str:
    """Return a session's line without failures of what a later session ran again."""
    parts = [
        _FAILING.sub(lambda match: "" if match[1] in kinds else match[0], part).removeprefix(", ")
        for part in parts_of(line)
    ]
    return joined(filter(None, parts))


def _texts(facts: SessionFacts) -> Iterable[str]:
    """Yield what was said or done in a session that may close an open end."""
    for statements in (
        facts.asked if facts.files or facts.commits else (),
        facts.decisions,
        facts.corrections,
        facts.preferences,
        facts.facts,
        facts.done,
        facts.open_items,
        facts.candidates,
        facts.changes,
    ):
        for statement in statements:
            yield statement.text
    for commit in facts.commits:
        yield commit.subject
