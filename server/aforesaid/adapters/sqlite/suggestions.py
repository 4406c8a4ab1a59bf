"""Rows of suggestions."""

from __future__ import annotations

from .filters import IN_FORCE, placeholders
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from aforesaid.domain.model.suggestion import Suggestion

_COLUMNS = (
    "key", "kind", "name", "project", "memories", "commands", "created_at", "answered_at", "answer",
)  # fmt: skip
#: All memories of a suggestion still exist in its project and are in force, or compacted.
_IS_CURRENT = (
    "NOT EXISTS (SELECT 1 FROM json_each(f.memories) j LEFT JOIN memories m ON m.key = j.value "
    f"WHERE m.key IS NULL OR m.project <> f.project OR NOT "
    f"({IN_FORCE.replace(' AND m.compacted_into IS NULL', '')}))"
)


class SuggestionRepository(SqliteRepository):
    """The suggestions of maintenance."""

    def add(self, suggestion: Suggestion) -> Suggestion | None:
        """Store a suggestion.

        Returns:
            None if its project has, or had, one with that name, or with the same commands in
            whatever order.
        """
        import json

        rows = self._db.rows(
            "SELECT name, commands FROM suggestions WHERE project = ? AND kind = ?",
            (suggestion.project, suggestion.kind),
        )
        commands = set(suggestion.commands)
        if any(
            name == suggestion.name or (commands and commands == set(json.loads(known)))
            for name, known in rows
        ):
            return None

        key = self._db.insert(
            "INSERT INTO suggestions (kind, name, project, memories, commands, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (
                suggestion.kind, suggestion.name, suggestion.project,
                json.dumps(suggestion.memories),
                json.dumps(suggestion.commands, ensure_ascii=False), suggestion.created_at,
            ),
        )  # fmt: skip
        return suggestion.replace(key=key)

    def get(self, key: int) -> Suggestion | None:
        suggestions = self._suggestions("WHERE f.key = ?", (key,))
        return suggestions[0] if suggestions else None

    def list_open(self, projects: Sequence[int], limit: int) -> list[Suggestion]:
        """Return unanswered suggestions of these projects that still hold, newest first."""
        return self._suggestions(
            f"WHERE f.project IN ({placeholders(projects)}) AND f.answered_at IS NULL "
            f"AND {_IS_CURRENT} ORDER BY f.key DESC LIMIT ?",
            (*projects, limit),
        )

    def settle(self, key: int, answer: str, at: int) -> None:
        """Record the answer to a suggestion."""
        self._db.rows(
            "UPDATE suggestions SET answer = ?, answered_at = ? WHERE key = ?", (answer, at, key)
        )

    def _suggestions(self, rest: str, bindings: Sequence[object]) -> list[Suggestion]:
        rows = self._db.rows(
            f"SELECT {', '.join(f'f.{name}' for name in _COLUMNS)} FROM suggestions f {rest}",
            tuple(bindings),
        )
        if not rows:
            return []
        from aforesaid.domain.model.suggestion import Suggestion
        from aforesaid.domain.text.lean_json import read_json

        suggestions = []
        for row in rows:
            fields: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
            for name in ("memories", "commands"):
                fields[name] = tuple(read_json(fields[name]))
            suggestions.append(Suggestion(**fields))
        return suggestions
