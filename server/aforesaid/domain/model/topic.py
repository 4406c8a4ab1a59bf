"""The topic tree: topic (depth 0) > concept (1) > fact (2) > detail (3 and more).

Here: what a node is, how a path is read, when two names are one, where a memory without a topic
belongs. Not here: making, moving and merging nodes (services/graph/topics.py), what is shown
of the tree (domain/model/topic_tree.py).
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NAME_CHARS = 80
TOPIC, CONCEPT, FACT = 0, 1, 2
LEVELS = 2  #: of nodes; what lies below are memories
MAX_DEPTH = 9  #: of a detail: deeper ones say that they should be facts of a concept

#: Below these lengths a name must match exactly: "contact" and "contract" are two.
#: Source: docs/adr/0021-topics.md, measured by bench/topics.
SWAP_CHARS = 9
SLIP_CHARS = 11
MIN_PLURAL = 4
#: Words whose last letter is no plural: without it they are another name.
_NO_PLURAL = frozenset({"https", "news", "windows"})
#: Words that give an order its meaning: "python to rust" is not "rust to python".
_DIRECTIONS = frozenset({"to", "from", "over", "versus", "vs", "into", "before", "after", "of"})
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")

#: Where two neighbours of one topic reach PAIR on average, or one ALONE, and the nearest of them
#: leads every other topic's by LEAD, they say where a memory belongs (cosines).
#: Source: docs/adr/0021-topics.md, measured by bench/topics.
FILING_PAIR = 0.4
FILING_ALONE = 0.6
FILING_LEAD = 0.1
FILING_NEIGHBOURS = 8


class Topic(Value):
    """A node of the tree: a topic, or a concept of one."""

    key: int = 0  #: 0 until it is stored
    project: int  #: 0 for what is global
    parent: int | None = None  #: a concept's topic
    name: str
    normalised: str  #: its name as it is compared; unique among its siblings
    path: str = ""  #: its name, a concept's behind its topic's: what tools take and show
    overview: int | None = None  #: the memory whose head tells what the node is about
    created_at: int
    updated_at: int

    @property
    def depth(self) -> int:
        """Return its level: 0 for a topic, 1 for a concept."""
        return TOPIC if self.parent is None else CONCEPT


def read_path(text: str) -> tuple[list[str], bool]:
    """Return the names of a path, topic first, and whether deeper ones were cut off.

    ``auth/jwt`` and ``auth > jwt`` are the same. There are two levels of nodes.

    Raises:
        InvalidInputError: it names nothing, or a name is too long.
    """
    parts = text.replace("->", "/").replace(">", "/").split("/")
    names = [" ".join(part.split()) for part in parts]
    names = [name for name in names if name]
    if not names:
        raise InvalidInputError(f"topic {text!r} names nothing: use a path such as auth/jwt")
    for name in names[:LEVELS]:
        if len(name) > NAME_CHARS:
            raise InvalidInputError(
                f"topic {name[:30]!r}… has {len(name)} characters, {NAME_CHARS} at most: "
                "use a name such as auth, not a sentence"
            )
        if not normalise_name(name):
            raise InvalidInputError(f"topic {name!r} has no letter or digit: use a name")
    return names[:LEVELS], len(names) > LEVELS


# -- when two names are one


def normalise_name(name: str) -> str:
    """Return a name as it is compared: case, separators and plural folded, words in order."""
    import unicodedata  # a session's start names no topic

    kept = []
    for char in unicodedata.normalize("NFKC", name).casefold():
        category = unicodedata.category(char)
        if category[0] in "LMN" or category == "So" or char in "+#":
            kept.append(char)
        elif category != "Cf":
            kept.append(" ")
    return " ".join(_singular(word) for word in "".join(kept).split())


def _singular(word: str) -> str:
    """Return an English word without its plural; one form for both, not always a real word."""
    if not (word.isascii() and word.isalpha()) or len(word) < MIN_PLURAL or word in _NO_PLURAL:
        return word
    long = len(word) > MIN_PLURAL  # "ties" and "case" keep what little they have
    if word.endswith(("ies", "ie")) and long:
        return word.removesuffix("s").removesuffix("ie") + "y"
    if word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    # batch and batches, cache and caches: the e says nothing behind these
    if word.endswith(("che", "she", "xe", "se", "ze")) and len(word) > MIN_PLURAL:
        word = word[:-1]
    return word


def is_same_name(one: str, other: str) -> bool:
    """Tell whether two normalised names are one: blanks, order of words, one typing error.

    Numbers must be the same, and where a short word or the order may carry meaning, names differ.
    """
    if one == other:
        return True
    if _numbers(one) != _numbers(other):
        return False
    if _joined(one) & _joined(other):
        return True
    mine, theirs = one.split(), other.split()
    if len(mine) != len(theirs):
        return False
    if sorted(mine) == sorted(theirs):
        return _DIRECTIONS.isdisjoint(mine)
    differing = [pair for pair in zip(mine, theirs, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and _is_typing_error(*differing[0])


def _joined(name: str) -> set[str]:
    """Return a name without its blanks, and that without its plural."""
    whole = name.replace(" ", "")
    return {whole, _singular(whole)}


def _numbers(name: str) -> list[str]:
    return "".join(char if char.isdigit() else " " for char in name).split()


def _is_typing_error(one: str, other: str) -> bool:
    """Tell whether a long word differs from another inside by one slip that fingers make."""
    if not (one.isascii() and one.isalpha() and other.isascii() and other.isalpha()):
        return False
    short, long = sorted((one, other), key=len)
    if len(short) < len(long):
        if len(long) - len(short) > 1 or len(long) < SLIP_CHARS:
            return False
        return any(long[:i] + long[i + 1 :] == short for i in range(1, len(long) - 1))
    at = [i for i in range(len(one)) if one[i] != other[i]]
    first, last = at[0], at[-1]
    if last == first + 1 and len(one) >= SWAP_CHARS:
        return one[first] == other[last] and one[last] == other[first]
    if last == first and len(one) >= SLIP_CHARS and 0 < first < len(one) - 1:
        pair = {one[first], other[first]}
        return any(pair == set(row[i : i + 2]) for row in _ROWS for i in range(len(row) - 1))
    return False


def match_name(name: str, topics: Iterable[Topic]) -> Topic | None:
    """Return the one of these siblings that a name means: the same, else a near one, else none."""
    wanted = normalise_name(name)
    known = sorted(topics, key=lambda topic: topic.key)
    for topic in known:
        if topic.normalised == wanted:
            return topic
    for topic in known:
        if is_same_name(topic.normalised, wanted):
            return topic
    return None


# -- where a memory without a topic belongs


def agree(
    neighbours: Iterable[tuple[Topic | None, float]],
    *,
    pair: float = FILING_PAIR,
    alone: float = FILING_ALONE,
    lead: float = FILING_LEAD,
) -> int | None:
    """Return the key of the node that a memory's neighbours agree on, None if they do not.

    Args:
        neighbours: the node that each is filed under, if any, and its cosine. Unfiled ones say
            nothing.
        pair: mean cosine that the two nearest of one topic must reach.
        alone: cosine at which one neighbour is enough.
        lead: how much nearer than any other topic's the nearest must be.

    Where they agree on a topic but on none of its concepts, the topic is returned.
    """
    filed = sorted(
        ((near, topic) for topic, near in neighbours if topic is not None),
        key=lambda voice: (-voice[0], voice[1].key),
    )
    roots: dict[int, list[float]] = {}
    nodes: dict[int, dict[int, list[float]]] = {}
    for near, topic in filed:
        root = topic.key if topic.parent is None else topic.parent
        roots.setdefault(root, []).append(near)
        nodes.setdefault(root, {}).setdefault(topic.key, []).append(near)
    best = _leader(roots, pair, alone, lead)
    if best is None:
        return None
    return _leader(nodes[best], pair, alone, lead) or best


def _leader(voices: dict[int, list[float]], pair: float, alone: float, lead: float) -> int | None:
    """Return the key that is near enough and leads all others; cosines are best first."""
    ranked = sorted(voices.items(), key=lambda entry: (-entry[1][0], entry[0]))
    for key, cosines in ranked[:1]:
        two = len(cosines) > 1 and (cosines[0] + cosines[1]) / 2 >= pair
        rival = ranked[1][1][0] if len(ranked) > 1 else -1.0
        if (two or cosines[0] >= alone) and cosines[0] >= rival + lead:
            return key
    return None
