"""Relations: typed, directed links between memories, with the rules of their kinds.

Storage: adapters/sqlite/relations.py. Creation: services/graph/relations.py. Traversal:
services/recall/query.py.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.value import Value

#: Kinds with a defined meaning; any other snake_case predicate is accepted, too.
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
SUPERSEDES = "supersedes"  #: stored as a chain of versions, never as a row
CONTRADICTS = "contradicts"
DEPENDS_ON = "depends_on"
FOLLOWS = "follows"
ASSOCIATED = "associated"
#: Made only by the system. Users may remove ``associated`` links, but not ``follows``.
SYSTEM_KINDS = (FOLLOWS, ASSOCIATED)
#: Kinds that hold in both directions.
SYMMETRIC = (CONTRADICTS, "related_to", ASSOCIATED)
#: Kinds for which a > b and b > c imply a > c: shown as inferred, never stored.
TRANSITIVE = (DEPENDS_ON, "part_of")

OUT, IN, BOTH = "out", "in", "both"
KIND_CHARS = 64
_MISSPELT = 0.8  #: similarity (difflib) from which a kind is taken for a misspelt one
MAX_RELATIONS = 50  #: per statement


class Relation(Value):
    """A stored link, seen from one of its ends. Both ends are heads of their chains."""

    head: int  #: key of the end that the query asked about
    kind: str
    direction: str  #: ``out``: from head to other; ``in``: from other to head
    other: int  #: key of the other end
    weight: float = 1.0  #: in [0, 1]
    created_at: int  #: ms

    @property
    def shown_direction(self) -> str:
        """The direction, or ``both`` if the kind is symmetric."""
        return BOTH if self.kind in SYMMETRIC else self.direction


class Link(Value):
    """A link that a caller asks for: its kind and the id of its target."""

    kind: str
    target: str


def read_kind(kind: str, *, remove: bool = False) -> str:
    """Return a kind as it is stored: lower case, underscores for spaces and hyphens.

    Args:
        kind: as the caller wrote it.
        remove: the link is to be removed, which is also allowed for ``associated``.

    Raises:
        InvalidInputError: it is not a valid predicate, or reserved for the system.
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
            f"kind {word} is reserved for the system: use related_to, or a predicate of your own"
        )
    return word


def check_spelling(kind: str) -> str:
    """Return a kind that is not a misspelt one of ``KINDS``.

    Raises:
        InvalidInputError: it nearly is one of them.
    """
    if kind in KINDS:
        return kind
    from difflib import get_close_matches  # not needed by hooks

    if near := get_close_matches(kind, KINDS, 1, _MISSPELT):
        raise InvalidInputError(f"kind {kind!r}: did you mean {near[0]}?")
    return kind


def reading_order(relation: Relation) -> tuple[int, float, int, str, str, int]:
    """Return the sort key that puts the relations that matter most to a reader first.

    The order is: contradictions, links made by callers, ``associated``, ``follows``; within each,
    higher weight first, then newer first.
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
