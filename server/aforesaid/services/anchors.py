"""What memories cite, and whether it still stands there: checked against the asker's own root."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.anchor import MAX_ANCHORS, Anchor, make_print, read_anchor, still_holds
from aforesaid.domain.text.invisible import remove_invisible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import FileReader, Store

MAX_FILES = 50  #: read for one answer; more are not called stale


class Anchors:
    """The files that memories cite."""

    def __init__(self, store: Store, files: FileReader | None) -> None:
        self._store = store
        self._files = files

    def cite(self, texts: Sequence[str], place: CallContext) -> tuple[Anchor, ...]:
        """Return anchors for ``path[:line]`` texts, with what stands there now.

        Raises:
            InvalidInputError: a file is outside the session's project, or cannot be read.
        """
        if not texts:
            return ()
        if len(texts) > MAX_ANCHORS:
            raise InvalidInputError(f"{len(texts)} anchors, {MAX_ANCHORS} at most")
        root = _root_of(place)
        if root is None or self._files is None:
            raise InvalidInputError(
                "anchors are files of this session's own project, and it has no folder here: "
                "leave them out"
            )
        found: dict[str, Anchor] = {}
        for text in texts:
            if "\0" in text:
                raise InvalidInputError(f"anchor {text!r} holds a NUL character: no path does")
            path, line = read_anchor(remove_invisible(text))
            relative = self._files.resolve(root, path)
            content = self._files.read(root, relative)
            if content is None:
                raise InvalidInputError(
                    f"anchor {path!r} cannot be read as a file here: cite a regular file of "
                    "at most 2 MB in this project"
                )
            made = Anchor(path=relative, line=line, print=make_print(content, line, text))
            found[made.label] = made
        return tuple(found.values())

    def keep(self, memory: int, cited: Sequence[Anchor]) -> None:
        """Add to what a memory cites; inside the caller's transaction."""
        if cited:
            known = {one.label: one for one in self._store.anchors.of([memory])}
            known.update({one.label: one for one in cited})
            self._store.anchors.replace(memory, list(known.values()))

    def carry(self, memory: Memory, place: CallContext) -> tuple[Anchor, ...]:
        """Return the anchors for a memory's next version: as they stand now, where they do."""
        root = _root_of(place)
        carried = []
        for anchor in self._store.anchors.of([memory.key]):
            content = self._read(root, anchor.path)
            try:
                if content is not None:
                    print_now = make_print(content, anchor.line, anchor.label)
                    anchor = anchor.replace(print=print_now)  # noqa: PLW2901 - the same, renewed
            except InvalidInputError:
                pass  # the line is gone: it stays stale
            carried.append(anchor)
        return tuple(carried)

    def stale(self, memories: Iterable[Memory], place: CallContext) -> dict[int, tuple[str, ...]]:
        """Return what changed or went of what memories cite, by their keys, in words.

        Only of what was said in the place's own project: another's files are not here.
        """
        root = _root_of(place)
        here = place.project.key
        mine = [one.key for one in memories if here in {one.project, one.origin_project}]
        asked = mine and root is not None and self._files is not None
        anchors = self._store.anchors.of(mine) if asked else []
        contents: dict[str, bytes | None] = {}
        found: dict[int, tuple[str, ...]] = {}
        for anchor in anchors:
            if anchor.path not in contents:
                if len(contents) >= MAX_FILES:
                    continue
                contents[anchor.path] = self._read(root, anchor.path)
            content = contents[anchor.path]
            if content is None or not still_holds(anchor, content):
                said = f"{anchor.label} {'is gone' if content is None else 'changed'}"
                found[anchor.memory] = (*found.get(anchor.memory, ()), said)
        return found

    def _read(self, root: str | None, path: str) -> bytes | None:
        return None if root is None or self._files is None else self._files.read(root, path)


def _root_of(place: CallContext) -> str | None:
    """Return the top of the asking session's own worktree, or folder."""
    return None if place.identity is None else place.identity.root
