"""Leaves out of the lines about sessions what a context does not need.

That is what a memory in the same context says already, and what older sessions finished.

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
#: Lines of sessions that left nothing open.
MAX_FINISHED = 3
_UNFINISHED = (LEFT_OPEN, ALSO_OPEN, "not committed", "not finished")
_FAILING = ("tests failing", "build failing", "checks failing")
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


def without_finished(digests: Sequence[Memory], replaced: str) -> list[Memory]:
    """Return digests of sessions that left something open, and the first few of the others.

    Args:
        digests: of sessions, each with its line, the best first.
        replaced: the mark on what was replaced since; a finished session with it has no line.
    """
    kept, finished = [], 0
    for digest in digests:
        line = digest.summary or digest.content
        if not any(map(_is_unfinished, parts_of(line))):
            if replaced in line or finished == MAX_FINISHED:
                continue
            finished += 1
        kept.append(digest)
    return kept


def _is_unfinished(part: str) -> bool:
    part = part.lower()
    states = part.split(", ")  # "committed, tests failing (2 failed)"
    return part.startswith(_UNFINISHED) or any(state.startswith(_FAILING) for state in states)


def _is_said(words: frozenset[str], known: Iterable[frozenset[str]]) -> bool:
    return bool(words) and any(len(words & said) >= _SAYS * len(words) for said in known)


def _stems(text: str) -> frozenset[str]:
    words = (word.strip(_PUNCTUATION) for word in text.lower().split())
    return frozenset(word[:_STEM_CHARS] for word in words if len(word) >= _MIN_CHARS)
