"""The files that memories cite, and whether they still contain what was cited.

Files are read below the root of the caller's own project only.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.anchor import (
    MAX_ANCHORS,
    Anchor,
    is_file_pattern,
    make_fingerprint,
    pattern_anchor,
    read_anchor,
    still_holds,
)
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.text.sanitize import remove_invisible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.ports import FileReader, Store

MAX_CHANGED = 20  #: of a session that changed more files, only files named in a text are cited
MAX_FILES = 50  #: read for one answer; anchors in further files are not checked
MAX_MEMORIES = 200  #: of one session, whose anchors are renewed


class Anchors:
    """The anchors of a store's memories."""

    def __init__(self, store: Store, files: FileReader | None) -> None:
        self._store = store
        self._files = files

    def cite(
        self,
        texts: Sequence[str],
        context: CallContext,
        clean: Callable[[str], str] | None = None,
    ) -> tuple[Anchor, ...]:
        """Return anchors for ``path[:line]`` texts, with the present content of each.

        A folder or a pattern (``src/api/``, ``*.sql``) stands for whatever matches it, and so does
        the path of a file that does not exist, or of another project than the session's.

        Args:
            texts: what is cited.
            context: of the caller.
            clean: removes secrets from a text; None to refuse files that do not exist.

        Raises:
            InvalidInputError: a file is outside the caller's project, or cannot be read.
        """
        if not texts:
            return ()
        if len(texts) > MAX_ANCHORS:
            raise InvalidInputError(f"{len(texts)} anchors, {MAX_ANCHORS} at most")
        root = _root_of(context)
        if root is None and context.has_project and clean is not None:
            patterns = [pattern_anchor(read_anchor(remove_invisible(text))[0]) for text in texts]
            return tuple({anchor.label: anchor for anchor in patterns}.values())
        if root is None or self._files is None:
            raise InvalidInputError(
                "anchors must be files of this session's project, but the session has no project "
                "folder: leave them out"
            )
        anchors: dict[str, Anchor] = {}
        for text in texts:
            if "\0" in text:
                raise InvalidInputError(f"anchor {text!r} contains a NUL character: remove it")
            path, line = read_anchor(remove_invisible(text))
            if is_file_pattern(path):
                anchor = pattern_anchor(path)
                anchors[anchor.label] = anchor
                continue
            relative = self._files.resolve(root, path)
            content = self._files.read(root, relative)
            if content is not None:
                fingerprint = make_fingerprint(content, line, text)
                anchor = Anchor(path=relative, line=line, fingerprint=fingerprint)
            elif clean is None or clean(relative) != relative or self._files.exists(root, relative):
                raise InvalidInputError(
                    f"cannot read the anchor {path!r}: cite a regular file of at most 2 MB in "
                    "this project, a folder (ending with /) or a pattern such as src/*.py"
                )
            else:
                anchor = pattern_anchor(relative)
            anchors[anchor.label] = anchor
        return tuple(anchors.values())

    def find_named(
        self, text: str, context: CallContext, changed: Sequence[str] = ()
    ) -> tuple[Anchor, ...]:
        """Return anchors for the files of the caller's project that a text names.

        Args:
            text: what is stored.
            context: of the caller.
            changed: files that the session changed. A name that only one of their paths ends with
                means that file; any other is a path below the project's root.
        """
        from aforesaid.domain.model.file_names import anchor_of_name, file_names

        root = _root_of(context)
        anchors = []
        for name in file_names(text) if root is not None else ():
            try:
                matching = [path for path in changed if f"/{path}".endswith(f"/{name}")]
                mentioned = matching[0] if len(matching) == 1 else name
                path = self._files.resolve(root, mentioned) if self._files and root else ""
            except InvalidInputError:
                continue
            content = self._read(root, path) if path else None
            if content is not None:
                anchors.append(anchor_of_name(text, name, path, content))
        return tuple(anchors)

    def find_changed(
        self, text: str, context: CallContext, changed: Sequence[str], *, is_only: bool = False
    ) -> tuple[Anchor, ...]:
        """Return an anchor for a changed file if only this one contains an identifier of a text.

        Args:
            text: what is stored; it names no file.
            context: of the caller.
            changed: files that the session changed.
            is_only: cite a file without such an identifier, too, if it is the only one changed.
        """
        from aforesaid.domain.model.file_names import anchor_of_name, code_names

        root = _root_of(context)
        if root is None or self._files is None or len(changed) > MAX_CHANGED:
            return ()
        contents: dict[str, bytes] = {}
        for changed_path in changed:
            try:
                path = self._files.resolve(root, changed_path)
            except InvalidInputError:
                continue
            content = self._read(root, path)
            if content is not None:
                contents[path] = content
        names = {name.encode() for name in code_names(text)}
        matching = [path for path, content in contents.items() if any(map(content.count, names))]
        if not matching and is_only and len(contents) == len(changed) == 1:
            matching = list(contents)
        if len(matching) != 1:
            return ()
        return (anchor_of_name(text, "", matching[0], contents[matching[0]]),)

    def add(self, memory: int, anchors: Sequence[Anchor]) -> None:
        """Add to a memory's anchors; inside the caller's transaction."""
        if anchors:
            by_label = {anchor.label: anchor for anchor in self._store.anchors.of([memory])}
            by_label.update({anchor.label: anchor for anchor in anchors})
            self._store.anchors.replace(memory, list(by_label.values()))

    def carry_over(self, memory: Memory, context: CallContext) -> tuple[Anchor, ...]:
        """Return the anchors for a memory's next version, with the present content if readable."""
        root = _root_of(context)
        return tuple(
            self._with_present_content(root, anchor)
            for anchor in self._store.anchors.of([memory.key])
        )

    def renew(
        self, context: CallContext, changed: Sequence[str], shown: Sequence[int] = ()
    ) -> None:
        """Cite the present content of files that a session changed, where it knew a memory.

        An agent stores what was decided and then does it, and replaces what it was shown if its own
        edit makes that wrong. So such an edit outdates nothing. What still holds stays as it is.

        Args:
            context: of the session.
            changed: paths of the files.
            shown: keys of the memories that it was shown.
        """
        root = _root_of(context)
        if root is None or self._files is None or context.session is None:
            return
        paths = set()
        for path in changed:
            try:
                paths.add(self._files.resolve(root, path))
            except InvalidInputError:  # outside the project
                continue
        filters = Filters(sessions=(context.session,))
        visible = context.visible.replace(all_tasks=True)
        if not paths:
            return
        known = self._store.memories.get(shown)
        known = [memory for memory in known if memory.project == context.project.key]
        known += self._store.memories.select(visible, filters, MAX_MEMORIES)
        for key in {memory.key for memory in known}:
            anchors = self._store.anchors.of([key])
            renewed = [
                self._with_present_content(root, anchor) if anchor.path in paths else anchor
                for anchor in anchors
            ]
            if renewed != anchors:
                self._store.anchors.replace(key, renewed)

    def _with_present_content(self, root: str | None, anchor: Anchor) -> Anchor:
        """Return an anchor for what a file contains now, unless what it cites is still there."""
        is_file = anchor.is_to_come or not anchor.is_pattern
        content = self._read(root, anchor.path) if is_file else None
        if content is None or (not anchor.is_to_come and still_holds(anchor, content)):
            return anchor
        try:
            return anchor.replace(fingerprint=make_fingerprint(content, anchor.line, anchor.label))
        except InvalidInputError:  # the line no longer exists: the anchor stays stale
            return anchor

    def find_stale(
        self, memories: Iterable[Memory], context: CallContext
    ) -> dict[int, tuple[str, ...]]:
        """Return the changed and deleted anchors of memories in words, by the memories' keys.

        Only memories of the caller's project are checked: files of others cannot be read here.
        """
        root = _root_of(context)
        project = context.project.key
        keys = [
            memory.key for memory in memories if project in {memory.project, memory.origin_project}
        ]
        readable = keys and root is not None and self._files is not None
        contents: dict[str, bytes | None] = {}
        stale: dict[int, tuple[str, ...]] = {}
        for anchor in self._store.anchors.of(keys) if readable else ():
            if anchor.is_pattern:
                continue
            if anchor.path not in contents:
                if len(contents) >= MAX_FILES:
                    continue
                contents[anchor.path] = self._read(root, anchor.path)
            content = contents[anchor.path]
            if content is None or not still_holds(anchor, content):
                state = "is gone" if content is None else "changed"
                stale[anchor.memory] = (*stale.get(anchor.memory, ()), f"{anchor.label} {state}")
        return stale

    def _read(self, root: str | None, path: str) -> bytes | None:
        return None if root is None or self._files is None else self._files.read(root, path)


def _root_of(context: CallContext) -> str | None:
    """Return the root of the caller's worktree or folder."""
    return None if context.identity is None else context.identity.root
