"""Rows of offers."""

from __future__ import annotations

from .filters import IN_FORCE, placeholders
from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from aforesaid.domain.model.suggestion import Suggestion

_COLUMNS = (
    "key", "kind", "name", "project", "memories", "commands", "made_at", "settled_at", "answer",
)  # fmt: skip
#: All of an offer's memories stand where they were; those that were summed up still tell.
_STANDS = (
    "NOT EXISTS (SELECT 1 FROM json_each(f.memories) j LEFT JOIN memories m ON m.key = j.value "
    f"WHERE m.key IS NULL OR m.project <> f.project OR NOT "
    f"({IN_FORCE.replace(' AND m.compacted_into IS NULL', '')}))"
)


class SuggestionRepository(Repository):
    """The offers of the store."""

    def add(self, offer: Suggestion) -> Suggestion | None:
        """Keep an offer; None where its project has, or had, one of that name."""
        known = self._db.value(
            "SELECT 1 FROM offers WHERE project = ? AND name = ?", (offer.project, offer.name)
        )
        if known is not None:
            return None
        import json

        key = self._db.insert(
            "INSERT INTO offers (kind, name, project, memories, commands, made_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (
                offer.kind, offer.name, offer.project, json.dumps(offer.memories),
                json.dumps(offer.commands, ensure_ascii=False), offer.made_at,
            ),
        )  # fmt: skip
        return offer.replace(key=key)

    def get(self, key: int) -> Suggestion | None:
        """Return an offer."""
        found = self._offers("WHERE f.key = ?", (key,))
        return found[0] if found else None

    def list_open(self, projects: Sequence[int], limit: int) -> list[Suggestion]:
        """Return offers of these projects that still stand, newest first."""
        return self._offers(
            f"WHERE f.project IN ({placeholders(projects)}) AND f.settled_at IS NULL "
            f"AND {_STANDS} ORDER BY f.key DESC LIMIT ?",
            (*projects, limit),
        )

    def settle(self, key: int, answer: str, at: int) -> None:
        """Keep what became of an offer."""
        self._db.rows(
            "UPDATE offers SET answer = ?, settled_at = ? WHERE key = ?", (answer, at, key)
        )

    def _offers(self, rest: str, bindings: Sequence[object]) -> list[Suggestion]:
        rows = self._db.rows(
            f"SELECT {', '.join(f'f.{name}' for name in _COLUMNS)} FROM offers f {rest}",
            tuple(bindings),
        )
        if not rows:
            return []
        from aforesaid.domain.model.suggestion import Suggestion
        from aforesaid.domain.text.lean_json import read_json

        found = []
        for row in rows:
            fields: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
            for name in ("memories", "commands"):
                fields[name] = tuple(read_json(fields[name]))
            found.append(Suggestion(**fields))
        return found
