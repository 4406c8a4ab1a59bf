"""Effects of use: access counts, reinforced memories, stronger links."""

from __future__ import annotations

from aforesaid.domain.model.decay import FACTORS, link_weight

from .filters import placeholders
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class UsageRepository(SqliteRepository):
    """Records use."""

    def reinforce(self, keys: Iterable[int], at: int, confidence: float) -> None:
        """Count an access to each memory, raise its confidence and unarchive it."""
        self._db.many(
            "UPDATE memories SET access_count = access_count + 1, last_accessed_at = ?1, "
            "last_reinforced_at = ?1, confidence = min(1.0, confidence + ?2), archived_at = NULL "
            "WHERE key = ?3",
            [(at, confidence, key) for key in keys],
        )

    def refresh(self, shares: Mapping[int, float], at: int) -> None:
        """Move each memory's last reinforcement towards ``at`` by this share of the distance.

        No access is counted. A memory that was reinforced later is not changed.
        """
        self._db.many(
            "UPDATE memories SET last_reinforced_at = "
            "last_reinforced_at + CAST((?1 - last_reinforced_at) * ?2 AS INTEGER) "
            "WHERE key = ?3 AND last_reinforced_at < ?1",
            [(at, share, key) for key, share in shares.items()],
        )

    def strengthen(
        self,
        heads: Sequence[int],
        kind: str,
        gain: float,
        at: int,
        decay: float = FACTORS.link_decay,
    ) -> None:
        """Raise the weight of each link of a kind between any two of these memories, up to 1."""
        versions = f"SELECT key FROM memories WHERE head IN ({placeholders(heads)})"
        rows = self._db.rows(
            "SELECT source, target, weight, ifnull(reinforced_at, created_at) FROM relations "
            f"WHERE kind = ? AND source IN ({versions}) AND target IN ({versions})",
            (kind, *heads, *heads),
        )
        self._db.many(
            "UPDATE relations SET weight = ?, reinforced_at = ? "
            "WHERE source = ? AND target = ? AND kind = ?",
            [
                (min(1.0, link_weight(weight, since, at, decay) + gain), at, source, target, kind)
                for source, target, weight, since in rows
            ],
        )
