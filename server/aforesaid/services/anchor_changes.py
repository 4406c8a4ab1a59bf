"""What changed in the files that a memory cites, for whoever decides whether it still holds."""

from __future__ import annotations

from aforesaid.domain.model.anchor import find_line, still_holds
from aforesaid.domain.text.differences import Part, compare_lines
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.anchor import Anchor
    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.ports import FileReader, Store
    from aforesaid.ports.anchors import EarlierContentReader

UNCHANGED, MOVED, CHANGED, GONE, UNREADABLE, PATTERN = (
    "unchanged", "moved", "changed", "gone", "not readable from here", "a pattern of files",
)  # fmt: skip
CONTEXT_LINES = 2  #: lines before and after the cited one
MAX_LINES = 60  #: of a difference


class AnchorState(Value):
    """A cited file or line, as it is now."""

    anchor: Anchor
    state: str
    line: int = 0  #: where the cited line is now; 0 for a whole file, or nowhere
    excerpt: tuple[Part, ...] = ()  #: the lines at that place
    changes: tuple[Part, ...] = ()  #: what differs from the content that was cited
    has_former_content: bool = False  #: whether git has the content that was cited


def compare_anchors(
    store: Store,
    memory: Memory,
    context: CallContext,
    files: FileReader,
    earlier: EarlierContentReader,
) -> list[AnchorState]:
    """Return the state of what a memory cites; files of the caller's own project are read.

    Args:
        store: has the anchors.
        memory: that cites.
        context: of the caller.
        files: reads the files as they are.
        earlier: finds the content that was cited.
    """
    root = None if context.identity is None else context.identity.root
    is_own_project = context.project.key in {memory.project, memory.origin_project}
    anchors = store.anchors.of([memory.key])
    if root is None or not is_own_project:
        return [AnchorState(anchor=anchor, state=UNREADABLE) for anchor in anchors]
    return [_state_of(anchor, root, files, earlier) for anchor in anchors]


def _state_of(
    anchor: Anchor, root: str, files: FileReader, earlier: EarlierContentReader
) -> AnchorState:
    if anchor.is_pattern:
        return AnchorState(anchor=anchor, state=PATTERN)
    content = files.read(root, anchor.path)
    if content is not None and still_holds(anchor, content):
        line = find_line(anchor, content) or 0
        moved = bool(anchor.line) and line not in {0, anchor.line}
        return AnchorState(
            anchor=anchor,
            state=MOVED if moved else UNCHANGED,
            line=line,
            excerpt=_excerpt(_lines(content), line),
        )
    former = earlier.find(root, anchor.path, lambda content: still_holds(anchor, content))
    before, after = _lines(former or b""), _lines(content or b"")
    changes = compare_lines(before, after, CONTEXT_LINES) if former is not None else []
    former_line = 0 if former is None else (find_line(anchor, former) or 0)
    if former_line:  # the part around the cited line says more than the first lines of the file
        near = [part for part in changes if abs(part.line - former_line) <= MAX_LINES // 4]
        changes = near or changes
    return AnchorState(
        anchor=anchor,
        state=GONE if content is None else CHANGED,
        excerpt=_excerpt(after, anchor.line) if former is None and content is not None else (),
        changes=tuple(changes[:MAX_LINES]),
        has_former_content=former is not None,
    )


def _excerpt(lines: list[str], line: int) -> tuple[Part, ...]:
    """Return the lines around one; none for a whole file."""
    if not line:
        return ()
    first = max(line - CONTEXT_LINES, 1)
    return tuple(
        Part(kind="cited" if number == line else "same", text=text, line=number)
        for number, text in enumerate(lines[first - 1 : line + CONTEXT_LINES], start=first)
    )


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "replace").splitlines()
