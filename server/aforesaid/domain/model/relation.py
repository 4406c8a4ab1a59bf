"""A typed, directed link between two memories: kinds, what they mean, how they are read.

Here: the vocabulary and its rules. Not here: where links are kept (adapters/sqlite/relations.py),
how they are made (services/graph/relations.py), walked (services/recall/graph_expansion.py).
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.value import Value

#: Kinds with a meaning of their own; any other snake_case predicate may be given too.
KINDS = (
    "supports",
    "contradicts",
    "supersedes",
    "refines",
    "depends_on",
    "implements",
    "example_of",
    "related_to",
)
SUPERSEDES = "supersedes"  #: kept as the chain itself, never as a row
CONTRADICTS = "contradicts"
FOLLOWS = "follows"
ASSOCIATED = "associated"
#: Made by the system alone. A wrong ``associated`` may be removed by hand, ``follows`` may not.
SYSTEM_KINDS = (FOLLOWS, ASSOCIATED)
#: What holds in one direction holds in the other.
SYMMETRIC = (CONTRADICTS, "related_to", ASSOCIATED)
#: a > b and b > c say a > c: shown as inferred, never stored.
TRANSITIVE = ("depends_on", "part_of")

OUT, IN, BOTH = "out", "in", "both"
KIND_CHARS = 64
MAX_RELATIONS = 50  #: that one statement may bring


class Relation(Value):
    """A link as one of its ends sees it. Both ends are heads: versions in force of their chains."""

    head: int  #: the end that was asked about
    kind: str
    direction: str  #: ``out``: from head to other; ``in``: from other to head
    other: int
    weight: float = 1.0
    created_at: int  #: ms

    @property
    def shown_direction(self) -> str:
        """Return the direction, ``both`` where the kind has none."""
        return BOTH if self.kind in SYMMETRIC else self.direction


class Link(Value):
    """A link that someone asks for: its kind and the id of its target."""

    kind: str
    target: str


def read_kind(kind: str, *, remove: bool = False) -> str:
    """Return a kind as it is kept: lower case, blanks and hyphens as underscores.

    Args:
        kind: as it was given.
        remove: it is to be removed; what the system makes wrongly may be.

    Raises:
        InvalidInputError: it is no predicate, or one that only the system makes.
    """
    word = "_".join(kind.strip().lower().replace("-", " ").split())
    letters = word.replace("_", "")
    if not (
        letters.isascii()
        and letters.isalnum()
        and word[0].isalpha()
        and "__" not in word
        and not word.endswith("_")
        and len(word) <= KIND_CHARS
    ):
        raise InvalidInputError(
            f"kind {kind[:80]!r}: use one of {', '.join(KINDS)}, or a predicate in snake_case "
            f"such as works_at, {KIND_CHARS} characters at most"
        )
    if word == FOLLOWS or (word == ASSOCIATED and not remove):
        raise InvalidInputError(
            f"{word} is kept by the system alone: use related_to, or a predicate of your own"
        )
    return word


def reading_order(relation: Relation) -> tuple[int, float, int, str, str, int]:
    """Return the sort key of a relation: what matters to a reader first.

    Contradictions, then what someone said, then what the system found, then mere sequence;
    inside these the heavier, then the newer.
    """
    ranks = {CONTRADICTS: 0, ASSOCIATED: 2, FOLLOWS: 3}
    return (
        ranks.get(relation.kind, 1),
        -relation.weight,
        -relation.created_at,
        relation.kind,
        relation.direction,
        relation.other,
    )
