"""Files that memories cite: what is kept of one, and whether that still holds.

A whole file is stale when its content changed (line ends aside). A line is stale when it is nowhere
in the file any more: edits elsewhere, and lines that moved, are none of its business. Not here:
reading files (adapters/system/cited_files.py).
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.hashing import blake2b
from aforesaid.domain.value import Value

MAX_ANCHORS = 20  #: of one memory
PATH_CHARS = 1_000
_TELLING = 12  #: letters and digits that make a line worth looking for
_MAX_LINES = 5


class Anchor(Value):
    """A place in a file, as it was when it was cited."""

    memory: int = 0  #: key of the version that cites it
    path: str  #: below the project's root, parts joined by /
    line: int = 0  #: from 1; 0 for the whole file
    print: str  #: what was there: ``f:`` or ``l<lines>:``, and 32 hex digits

    @property
    def label(self) -> str:
        """Return it as it is written: ``path`` or ``path:line``."""
        return f"{self.path}:{self.line}" if self.line else self.path


def read_anchor(text: str) -> tuple[str, int]:
    """Return path and line of ``path[:line]``; line 0 where there is none.

    Raises:
        InvalidInputError: it names no path.
    """
    path, colon, number = text.strip().rpartition(":")
    if not (colon and path and number.isascii() and number.isdigit() and len(number) <= 8):  # noqa: PLR2004 - lines beyond are none
        path, number = text.strip(), "0"
    if not path or len(path) > PATH_CHARS or not path.isprintable():
        raise InvalidInputError(
            f"anchor {text[:60]!r}: use path or path:line of a file in this project"
        )
    return path, int(number)


def make_print(content: bytes, line: int, label: str) -> str:
    """Return what to keep of a file's content, or of one line of it.

    Raises:
        InvalidInputError: the file has no such line.
    """
    if not line:
        return f"f:{_digest(_plain(content))}"
    lines = _lines(content)
    if line > len(lines):
        raise InvalidInputError(f"anchor {label}: the file has {len(lines)} lines")
    for count in range(1, _MAX_LINES + 1):
        window = lines[line - 1 : line - 1 + count]
        if sum(byte > 127 or chr(byte).isalnum() for byte in b"".join(window)) >= _TELLING:  # noqa: PLR2004 - beyond ASCII all is text
            break
    return f"l{len(window)}:{_digest(_joined(window))}"


def still_holds(anchor: Anchor, content: bytes) -> bool:
    """Tell whether what was cited is still there."""
    kind, _, kept = anchor.print.partition(":")
    if kind == "f":
        return _digest(_plain(content)) == kept
    count = int(kind[1:])
    lines = _lines(content)
    starts = range(len(lines) - count + 1)
    near = sorted(starts, key=lambda start: abs(start - anchor.line + 1))
    return any(_digest(_joined(lines[start : start + count])) == kept for start in near)


def _plain(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


def _lines(content: bytes) -> list[bytes]:
    return [line.strip() for line in _plain(content).rstrip(b"\n").split(b"\n")] if content else []


def _joined(lines: list[bytes]) -> bytes:
    return b"\n".join(lines)


def _digest(content: bytes) -> str:
    digest: str = blake2b(content, digest_size=16).hexdigest()
    return digest
