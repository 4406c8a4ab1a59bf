"""The lines that an edit adds to a file, from the arguments of an editing tool."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MAX_ADDED_CHARS = 16_000


def added_lines(arguments: Mapping[str, Any]) -> str:
    """Return the lines of the new text that the replaced text does not have.

    Args:
        arguments: of Edit, MultiEdit, Write or NotebookEdit.
    """
    edits = arguments.get("edits")
    added: list[str] = []
    for edit in edits if isinstance(edits, list) else [arguments]:
        if not isinstance(edit, dict):
            continue
        texts = (edit.get(name) for name in ("new_string", "content", "new_source"))
        new = next((text for text in texts if isinstance(text, str)), "")
        old = edit.get("old_string")
        replaced = set(old.split("\n")) if isinstance(old, str) else set()
        added += [line for line in new.split("\n") if line not in replaced]
    return "\n".join(added)[:MAX_ADDED_CHARS]
