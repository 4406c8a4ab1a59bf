"""Anchors: the files and lines that memories cite, and whether they are stale.

An anchor to a file is stale once the content changes, line endings aside. An anchor to a line is
stale once the line is nowhere in the file; edits elsewhere and moved lines do not matter. A text
that only names a file has an anchor that is stale once the file is gone. A pattern (``*.sql``) or a
folder (``src/api/``) cites whatever matches it, and is never stale. The same holds for the path of
a file that does not exist yet. ``new:*.sql`` and ``existing:*.sql`` cite only files in that state.
Files are read by adapters/system/cited_files.py.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.hashing import blake2b
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_ANCHORS = 20  #: per memory
PATH_CHARS = 1_000
_MIN_ALNUM = 12  #: letters and digits below which lines are too short to be found again
_MAX_LINES = 5
PATTERN = "p:"  #: the fingerprint of a pattern
NEW, EXISTING = "new", "existing"  #: states of files that a pattern can be about


class Anchor(Value):
    """A file or line, with a fingerprint of what it was when it was cited."""

    memory: int = 0  #: key of the version that cites it; 0 until that is stored
    path: str  #: relative to the project's root, with /
    line: int = 0  #: from 1; 0 for the whole file
    fingerprint: str  #: ``f:`` or ``l<lines>:``, and 32 hex digits; ``p:`` for a pattern

    @property
    def label(self) -> str:
        """Return ``path`` or ``path:line``."""
        return f"{self.path}:{self.line}" if self.line else self.path

    @property
    def is_pattern(self) -> bool:
        """Return whether it stands for all files that match it."""
        return self.fingerprint == PATTERN

    @property
    def is_to_come(self) -> bool:
        """Return whether it is a single file that did not exist when it was cited."""
        return self.is_pattern and not is_file_pattern(self.path)


def read_anchor(text: str) -> tuple[str, int]:
    """Return path and line of ``path[:line]``; line 0 if there is none.

    Raises:
        InvalidInputError: the text has no valid path.
    """
    path, colon, number = text.strip().rpartition(":")
    if not (colon and path and number.isascii() and number.isdigit() and len(number) <= 8):  # noqa: PLR2004 - more digits are not a line
        path, number = text.strip(), "0"
    if not path or len(path) > PATH_CHARS or not path.isprintable():
        raise InvalidInputError(
            f"anchor {text[:60]!r}: use path or path:line of a file in this project"
        )
    return path, int(number)


def pattern_anchor(pattern: str) -> Anchor:
    """Return the anchor for a pattern or a folder, relative to the project's root.

    Raises:
        InvalidInputError: it leads outside the project, or names every file.
    """
    state, stated = split_state(pattern.strip())
    sign = f"{state}:" if state else "!" if stated.startswith("!") else ""
    path = stated.removeprefix("!").removeprefix("./").rstrip("/")
    parts = path.split("/")
    if path.startswith("/") or {"..", ".git"} & set(parts):
        raise InvalidInputError(
            f"anchor {pattern[:60]!r}: use a pattern relative to the project's root (src/*.py)"
        )
    if not path.strip("*?./"):
        raise InvalidInputError(f"anchor {pattern[:60]!r} names every file: leave it out")
    if state and stated.startswith("!"):
        raise InvalidInputError(f"anchor {pattern[:60]!r}: use either {state}: or !, not both")
    slash = "/" if pattern.strip().endswith("/") else ""
    return Anchor(path=f"{sign}{path}{slash}", fingerprint=PATTERN)


def is_file_pattern(path: str) -> bool:
    """Return whether a path stands for several files: it has wildcards, or is a folder.

    So does one that leaves out what others match (``!src/api/old.py``), or names a state.
    """
    is_limited = path.startswith("!") or bool(split_state(path)[0])
    return path.endswith("/") or is_limited or bool(set(path) & set("*?"))


def split_state(pattern: str) -> tuple[str, str]:
    """Return the state of the files that a pattern is about, empty for any, and the pattern."""
    state, colon, path = pattern.partition(":")
    return (state, path) if colon and state in {NEW, EXISTING} else ("", pattern)


def is_folder_pattern(path: str) -> bool:
    """Return whether a pattern stands for all files of a folder."""
    return path.endswith(("/", "/*", "**"))


def matches_pattern(file: str, pattern: str) -> bool:
    """Return whether a path matches a pattern (``*.sql``, ``src/api/``), at its root or below.

    A pattern whose last part has no wildcards matches a file and all files of a folder. Brackets
    are part of a name (``pages/[id]/*.tsx``).
    """
    pattern = split_state(pattern)[1].removeprefix("./").replace("**/", "*").replace("[", "[[]")
    bare = pattern.rstrip("/")
    is_folder = pattern.endswith("/") or not set(bare.rpartition("/")[2]) & set("*?")
    return any(
        fnmatchcase(file, each) or fnmatchcase(file, f"*/{each.removeprefix('/')}")
        for each in ((bare, f"{bare}/*") if is_folder else (pattern,))
    )


def matches_any(file: str, patterns: Iterable[str]) -> bool:
    """Return whether a path matches one of several patterns, and none that begins with ``!``."""
    given = list(patterns)
    left_out = (pattern[1:] for pattern in given if pattern.startswith("!"))
    return any(
        matches_pattern(file, pattern) for pattern in given if not pattern.startswith("!")
    ) and not any(matches_pattern(file, pattern) for pattern in left_out)


def make_fingerprint(content: bytes, line: int, label: str) -> str:
    """Return the fingerprint of a file, or of a line and as many after it as make it unique.

    Args:
        content: the whole file.
        line: from 1; 0 for the whole file.
        label: the anchor, for the message.

    Raises:
        InvalidInputError: the file has fewer lines.
    """
    if not line:
        return f"f:{_digest(_plain(content))}"
    lines = lines_of(content)
    if line > len(lines):
        raise InvalidInputError(f"anchor {label}: the file has {pluralize(len(lines), 'line')}")
    for count in range(1, _MAX_LINES + 1):
        window = lines[line - 1 : line - 1 + count]
        if sum(byte > 127 or chr(byte).isalnum() for byte in b"".join(window)) >= _MIN_ALNUM:  # noqa: PLR2004 - all beyond ASCII is text
            break
    return f"l{len(window)}:{_digest(_joined(window))}"


def presence_anchor(path: str) -> Anchor:
    """Return an anchor that is stale only once the file is gone."""
    return Anchor(path=path, fingerprint=f"l0:{_digest(_joined([]))}")


def still_holds(anchor: Anchor, content: bytes) -> bool:
    """Return whether a file's content still has what an anchor cites."""
    return next(_matching_lines(anchor, content), None) is not None


def find_line(anchor: Anchor, content: bytes) -> int | None:
    """Return the line at which a file has what an anchor cites; 0 for the whole file.

    None if that is nowhere, or in several places of which none is the old one.
    """
    if not anchor.line:
        return 0 if still_holds(anchor, content) else None
    lines = list(_matching_lines(anchor, content))
    return lines[0] if len(lines) == 1 or anchor.line in lines[:1] else None


def _matching_lines(anchor: Anchor, content: bytes) -> Iterator[int]:
    """Yield the lines at which a file has what an anchor cites, the nearest to the old one first.

    For a whole file that is 0 if it is the same.
    """
    kind, _, digest = anchor.fingerprint.partition(":")
    if kind == "f":
        yield from [0] if _digest(_plain(content)) == digest else []
        return
    count = int(kind[1:])
    lines = lines_of(content)
    starts = range(len(lines) - count + 1)
    for start in sorted(starts, key=lambda start: abs(start - anchor.line + 1)):
        if _digest(_joined(lines[start : start + count])) == digest:
            yield start + 1


def _plain(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


def lines_of(content: bytes) -> list[bytes]:
    """Return the lines of a file, without the white space around them."""
    return [line.strip() for line in _plain(content).rstrip(b"\n").split(b"\n")] if content else []


def _joined(lines: list[bytes]) -> bytes:
    return b"\n".join(lines)


def _digest(content: bytes) -> str:
    return str(blake2b(content, digest_size=16).hexdigest())
