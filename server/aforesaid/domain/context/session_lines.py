"""Leaves out of the lines about sessions what a memory in the same context says already.

No module here is slow to import: the start of a session runs this.
"""

from __future__ import annotations

from aforesaid.domain.model.overtaken_parts import (
    ALSO_OPEN,
    FILES,
    LEFT_OPEN,
    joined,
    parts_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.model.memory import Memory

#: Share of the words of a part that a memory must have to say it.
_SAYS = 0.8
_STEM_CHARS, _MIN_CHARS = 5, 3
_PUNCTUATION = ".,;:!?…()[]\"'`"


def without_repeated(digests: Iterable[Memory], shown: Sequence[Memory]) -> list[Memory]:
    """Return digests without lines that say only what a memory says; loose ends are kept.

    A line that says anything else, such as what was changed or how it ended, is kept whole.

    Args:
        digests: of sessions, each with its line.
        shown: the memories in the same context.
    """
    known = [_stems(memory.content) for memory in shown]
    kept = []
    for digest in digests:
        parts = parts_of(digest.summary or digest.content)
        news = [part for part in parts if FILES in part or not _is_said(_stems(part), known)]
        loose_ends = [part for part in news if part.lower().startswith((LEFT_OPEN, ALSO_OPEN))]
        if news and news == loose_ends and len(news) < len(parts):
            line = joined(loose_ends)
            kept.append(digest.replace(summary=line[:1].upper() + line[1:]))
        elif news:
            kept.append(digest)
    return kept


def _is_said(words: frozenset[str], known: Iterable[frozenset[str]]) -> bool:
    return bool(words) and any(len(words & said) >= _SAYS * len(words) for said in known)


def _stems(text: str) -> frozenset[str]:
    words = (word.strip(_PUNCTUATION) for word in text.lower().split())
    return frozenset(word[:_STEM_CHARS] for word in words if len(word) >= _MIN_CHARS)
