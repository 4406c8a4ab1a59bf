"""Finds what is known about a file: memories that cite it, and memories that name it."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.text.tokenize import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import CallContext, Visibility
    from aforesaid.ports import FileReader, Store

_MAX_FOUND = 200


def keys_about_file(
    store: Store, files: FileReader, path: str, context: CallContext, visible: Visibility
) -> tuple[int, ...]:
    """Return the keys of memories that cite a file or name it.

    Args:
        store: where memories are.
        files: resolves the path.
        path: of the file, or its last part; it need not exist.
        context: of the caller, whose folder relative paths start from.
        visible: what the caller may see.

    Raises:
        InvalidInputError: the path is empty.
    """
    text = path.strip().rstrip("/").removeprefix("./")
    if not text:
        raise InvalidInputError("path is empty: name a file of this project")
    root = None if context.identity is None else context.identity.root
    paths = [text]
    if root is not None:
        try:
            paths.append(files.resolve(root, text))
        except InvalidInputError:
            pass  # outside the project: memories may name it all the same
    cited = store.anchors.citing(paths, visible, _MAX_FOUND, trusted=False)
    name = paths[-1].rsplit("/", 1)[-1]
    hits = store.search.by_words(query_terms(name), visible, Filters(), _MAX_FOUND)
    named = [
        memory.key
        for memory in store.memories.get([hit.head for hit in hits])
        if name.casefold() in memory.content.casefold()
    ]
    return tuple(dict.fromkeys([*cited, *named]))
