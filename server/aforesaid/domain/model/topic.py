"""The topic tree: topic (depth 0) > concept (1) > fact (2) > detail (3 and deeper).

Covers nodes, paths, comparing names, where an unfiled memory belongs, and the displayed tree, which
is truncated to a token budget (built by services/graph/explore.py). Creating, moving and merging
nodes: services/graph/topics.py.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.domain.value import Value

from .memory import GLOBAL_PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .memory import Memory

NAME_CHARS = 80
TOPIC, CONCEPT, FACT = 0, 1, 2
LEVELS = 2  #: of nodes; below them are memories
MAX_DEPTH = 9  #: of a detail; a deeper one should rather be a fact of its own

#: Minimum length of words that may differ by swapped letters, or by another typing error: "contact"
#: and "contract" are two words.
#: Source: docs/adr/0021-topics.md, measured by bench/topics.
SWAP_CHARS = 9
SLIP_CHARS = 11
MIN_PLURAL = 4
#: Words whose final s does not mark a plural.
_NO_PLURAL = frozenset({"https", "news", "windows"})
#: Words that make the order of the others matter: "python to rust" is not "rust to python".
_DIRECTIONS = frozenset({"to", "from", "over", "versus", "vs", "into", "before", "after", "of"})
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")

#: Cosines by which neighbours determine the topic of a memory: the two nearest of the topic average
#: at least PAIR, or the nearest reaches ALONE, and leads that of every other topic by LEAD.
#: Source: docs/adr/0021-topics.md, measured by bench/topics.
FILING_PAIR = 0.4
FILING_ALONE = 0.6
FILING_LEAD = 0.1
FILING_NEIGHBOURS = 8


class Topic(Value):
    """A node of the tree: a topic or a concept."""

    key: int = 0  #: 0 until it is stored
    project: int  #: 0 if global
    parent: int | None = None  #: key of a concept's topic; None for a topic
    name: str
    normalised: str  #: see ``normalise_name``; unique among its siblings
    path: str = ""  #: ``topic`` or ``topic/concept``, as tools take and show it
    overview: int | None = None  #: key of a version of the memory that summarises the node
    created_at: int
    updated_at: int

    @property
    def depth(self) -> int:
        """Its level: 0 for a topic, 1 for a concept."""
        return TOPIC if self.parent is None else CONCEPT


def read_path(text: str) -> tuple[list[str], str]:
    """Return the names in a path, topic first, and the rest of the path, below level 2.

    ``auth/jwt`` and ``auth > jwt`` are equivalent.

    Raises:
        InvalidInputError: it contains no name, or one that is too long.
    """
    parts = text.replace("->", "/").replace(">", "/").split("/")
    names = [" ".join(part.split()) for part in parts]
    names = [name for name in names if name]
    if not names:
        raise InvalidInputError(f"topic {text!r} contains no name: use a path such as auth/jwt")
    for name in names[:LEVELS]:
        if len(name) > NAME_CHARS:
            raise InvalidInputError(
                f"topic {name[:30]!r}… has {len(name)} characters, {NAME_CHARS} at most: "
                "use a name such as auth, not a sentence"
            )
        if not normalise_name(name):
            raise InvalidInputError(
                f"topic {name!r} has no letter or digit: use a name such as auth"
            )
    return names[:LEVELS], "/".join(names[LEVELS:])


# -- comparing names


def near_path(path: str, known: Sequence[str]) -> str:
    """Return the known path that a name probably means; empty if none is similar."""
    from difflib import get_close_matches

    by_name = {name: path for path in known for name in (path, path.rpartition("/")[2])}
    matches = get_close_matches(path.lower(), by_name, 1, 0.75)
    return by_name[matches[0]] if matches else ""


def normalise_name(name: str) -> str:
    """Return a name for comparing: without case, separators and plurals, words in order."""
    import unicodedata  # unused at session starts

    chars = []
    for char in unicodedata.normalize("NFKC", name).casefold():
        category = unicodedata.category(char)
        if category[0] in "LMN" or category == "So" or char in "+#":
            chars.append(char)
        elif category != "Cf":
            chars.append(" ")
    return " ".join(_singular(word) for word in "".join(chars).split())


def _singular(word: str) -> str:
    """Return one form, not always a real word, for singular and plural of an English word."""
    if not (word.isascii() and word.isalpha()) or len(word) < MIN_PLURAL or word in _NO_PLURAL:
        return word
    long = len(word) > MIN_PLURAL  # not "ties" or "case"
    if word.endswith(("ies", "ie")) and long:
        return word.removesuffix("s").removesuffix("ie") + "y"
    if word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    # batch and batches, cache and caches: drop the e
    if word.endswith(("che", "she", "xe", "se", "ze")) and len(word) > MIN_PLURAL:
        word = word[:-1]
    return word


def is_same_name(a: str, b: str) -> bool:
    """Return whether two normalised names differ only in spaces, word order or one typing error.

    Numbers must be equal. Names with different short words, or with words that make the order
    matter, are different.
    """
    if a == b:
        return True
    if _numbers(a) != _numbers(b):
        return False
    if _joined(a) & _joined(b):
        return True
    words_a, words_b = a.split(), b.split()
    if len(words_a) != len(words_b):
        return False
    if sorted(words_a) == sorted(words_b):
        return _DIRECTIONS.isdisjoint(words_a)
    differing = [pair for pair in zip(words_a, words_b, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and _is_typing_error(*differing[0])


def _joined(name: str) -> set[str]:
    whole = name.replace(" ", "")
    return {whole, _singular(whole)}


def _numbers(name: str) -> list[str]:
    return "".join(char if char.isdigit() else " " for char in name).split()


def _is_typing_error(a: str, b: str) -> bool:
    """Return whether long words differ by one omitted, swapped or neighbouring inner letter."""
    if not (a.isascii() and a.isalpha() and b.isascii() and b.isalpha()):
        return False
    short, long = sorted((a, b), key=len)
    if len(short) < len(long):
        if len(long) - len(short) > 1 or len(long) < SLIP_CHARS:
            return False
        return any(long[:i] + long[i + 1 :] == short for i in range(1, len(long) - 1))
    differing = [i for i in range(len(a)) if a[i] != b[i]]
    first, last = differing[0], differing[-1]
    if last == first + 1 and len(a) >= SWAP_CHARS:
        return a[first] == b[last] and a[last] == b[first]
    if last == first and len(a) >= SLIP_CHARS and 0 < first < len(a) - 1:
        pair = {a[first], b[first]}
        return any(pair == set(row[i : i + 2]) for row in _ROWS for i in range(len(row) - 1))
    return False


def match_name(name: str, topics: Iterable[Topic]) -> Topic | None:
    """Return the topic with this name, else the first with a similar one, else None."""
    normalised = normalise_name(name)
    oldest_first = sorted(topics, key=lambda topic: topic.key)
    for topic in oldest_first:
        if topic.normalised == normalised:
            return topic
    for topic in oldest_first:
        if is_same_name(topic.normalised, normalised):
            return topic
    return None


# -- filing memories without a topic


def agreed_topic(
    neighbours: Iterable[tuple[Topic | None, float]],
    *,
    pair: float = FILING_PAIR,
    alone: float = FILING_ALONE,
    lead: float = FILING_LEAD,
) -> int | None:
    """Return the key of the node that a memory's neighbours agree on; None if they do not.

    If they agree on a topic but not on a concept in it, that is the topic.

    Args:
        neighbours: for each, its node and its cosine; unfiled neighbours are ignored.
        pair: minimum mean cosine of the two nearest of one topic.
        alone: cosine at which one neighbour suffices.
        lead: minimum lead of the nearest over that of any other topic.
    """
    filed = sorted(
        ((cosine, topic) for topic, cosine in neighbours if topic is not None),
        key=lambda vote: (-vote[0], vote[1].key),
    )
    roots: dict[int, list[float]] = {}
    nodes: dict[int, dict[int, list[float]]] = {}
    for cosine, topic in filed:
        root = topic.key if topic.parent is None else topic.parent
        roots.setdefault(root, []).append(cosine)
        nodes.setdefault(root, {}).setdefault(topic.key, []).append(cosine)
    best = _leader(roots, pair, alone, lead)
    if best is None:
        return None
    return _leader(nodes[best], pair, alone, lead) or best


def _leader(votes: dict[int, list[float]], pair: float, alone: float, lead: float) -> int | None:
    """Return the key that is close enough and leads all others; cosines are sorted best first."""
    ranked = sorted(votes.items(), key=lambda entry: (-entry[1][0], entry[0]))
    for key, cosines in ranked[:1]:
        pair_agrees = len(cosines) > 1 and (cosines[0] + cosines[1]) / 2 >= pair
        runner_up = ranked[1][1][0] if len(ranked) > 1 else -1.0
        if (pair_agrees or cosines[0] >= alone) and cosines[0] >= runner_up + lead:
            return key
    return None


NODE_TOKENS = 14  #: approximate cost of a node besides its texts


class Node(Value):
    """A topic, a concept or a memory in the displayed tree."""

    topic: int | None = None  #: key of the topic or concept
    memory: Memory | None = None  #: set if the node is a memory
    path: str = ""  #: set if it is a topic or concept
    name: str = ""
    summary: str = ""
    overview: Memory | None = None  #: the memory that the summary was taken from
    depth: int = 0
    project: int = GLOBAL_PROJECT
    memories: int = 0  #: number of memories in force below it, at any depth
    concepts: int = 0
    kind: str = ""  #: kind of the relation that led to it
    replaced_by: int | None = None  #: key of the memory's next version, if visible
    direction: str = ""  #: direction of that relation: ``out``, ``in`` or ``both``
    children: tuple[Node, ...] = ()
    hidden: int = 0  #: number of children that were left out

    @property
    def text(self) -> str:
        """All text that is displayed for it, for counting tokens."""
        text = self.path + self.name + self.summary
        return text if self.memory is None else text + self.memory.preview


def truncate_to_budget(nodes: Sequence[Node], budget_tokens: int) -> tuple[list[Node], int]:
    """Return the nodes with as many children as the budget allows, and how many nodes were cut.

    Children are added level by level and, within a level, round-robin over the parents, so that no
    branch crowds out another. The first node is always included. Children that are cut are counted
    in ``hidden`` of their parent.
    """
    remaining_tokens = budget_tokens
    shown: list[Node] = []
    children_of: list[list[int]] = []  # for each shown node, the indexes of its shown children

    def add(node: Node) -> int | None:
        nonlocal remaining_tokens
        cost = NODE_TOKENS + count_tokens(node.text)
        if cost > remaining_tokens and shown:
            remaining_tokens = 0  # later nodes matter less: none may slip in
            return None
        remaining_tokens -= cost
        shown.append(node)
        children_of.append([])
        return len(shown) - 1

    roots = [index for node in nodes if (index := add(node)) is not None]
    level = roots
    while level:
        next_level = []
        for nth in range(max(len(shown[parent].children) for parent in level)):
            for parent in level:
                if nth < len(shown[parent].children):
                    child = add(shown[parent].children[nth])
                    if child is not None:
                        children_of[parent].append(child)
                        next_level.append(child)
        level = next_level

    def build(index: int) -> Node:
        node = shown[index]
        children = tuple(build(child) for child in children_of[index])
        hidden = node.hidden + len(node.children) - len(children)
        return node.replace(children=children, hidden=hidden)

    return [build(index) for index in roots], len(nodes) - len(roots)
