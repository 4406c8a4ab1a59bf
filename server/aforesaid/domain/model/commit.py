"""A commit of a repository's history, and the memory that it makes.

Here: reading git's own text of a commit, and what is kept of it. Not here: running git
(adapters/git_history.py), reading a session's commits (adapters/git_reader/session_commits.py),
what the digest says of them (domain/digest).
"""

from __future__ import annotations

import re

from aforesaid.domain.text.timestamps import to_iso
from aforesaid.domain.value import Value

from .anchor import Anchor, make_print
from .import_item import ImportItem
from .memory import SUMMARY_CHARS
from .statement import Statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MAX_FILES = 10  #: named and cited; of the rest there is a count
BODY_CHARS = 2_000
COMMIT_BYTES = 64_000  #: of git's text of it
BLOB_BYTES = 256_000  #: of a file that is cited
_WHO = re.compile(rb"(.*?) ?<([^>]*)> (\d{1,12}) [+-]\d{4}")
_TRAILER = re.compile(r"[A-Z][A-Za-z-]+: \S.*")


class Commit(Value):
    """What a commit says of itself. Times are ms."""

    id: str
    author: str
    mail: str
    written_at: int  #: by its author; stays when it is rebased, amended or picked
    committed_at: int
    subject: str
    body: str = ""

    @property
    def origin(self) -> str:
        """What stays the same when it is rebased, amended or picked, unlike its id."""
        return f"{self.written_at} {self.mail} {self.subject}"


def parse_commit(name: str, raw: bytes, clean: Callable[[str], str]) -> Commit | None:
    """Return the commit that git's text of it means; None where it means none.

    Args:
        name: its id.
        raw: the object.
        clean: takes out what must not be stored, before anything is cut.
    """
    head, _, message = raw.partition(b"\n\n")
    fields: dict[bytes, bytes] = {}
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        fields.setdefault(key, value)
    author, committer = (_WHO.match(fields.get(key, b"")) for key in (b"author", b"committer"))
    if author is None or committer is None:
        return None
    encoding = fields.get(b"encoding", b"utf-8").decode("ascii", "replace")
    subject, _, body = clean(_text(message, encoding)).strip().partition("\n")
    return Commit(
        id=name,
        author=clean(_text(author[1], encoding)).strip()[:100],
        mail=_text(author[2], encoding)[:200],
        written_at=int(author[3]) * 1000,
        committed_at=int(committer[3]) * 1000,
        subject=" ".join(subject.split())[:500],
        body=_without_trailers(body.strip())[:BODY_CHARS],
    )


def name_of(project: str, commit: Commit, number: int) -> str:
    """Return the name of a commit's piece, the same whoever reads it.

    Args:
        project: the key of its project.
        commit: what it says of itself.
        number: which of those with the same origin, from 1, oldest first.
    """
    return f"git {project} {commit.origin} {number}"


def anchors_of(
    files: Sequence[tuple[str, str]], contents: Mapping[str, bytes]
) -> tuple[Anchor, ...]:
    """Return anchors of the files that a commit left readable.

    Args:
        files: path and id of the blob that it left, "" if gone.
        contents: what stands in those blobs, by id.
    """
    return tuple(
        Anchor(path=path, print=make_print(contents[blob], 0, path))
        for path, blob in files[:MAX_FILES]
        if blob in contents and path.isprintable()
    )


def piece_of(
    commit: Commit, name: str, files: Sequence[str], anchors: tuple[Anchor, ...] = ()
) -> ImportItem:
    """Return a commit as a piece: an event with its files.

    Args:
        commit: what it says of itself.
        name: of the piece.
        files: the paths that it touched.
        anchors: what stood in those that it left.
    """
    shown = ", ".join(files[:MAX_FILES])
    if len(files) > MAX_FILES:
        shown += f" and {len(files) - MAX_FILES} more"
    said = [f"Commit {commit.id[:10]}: {commit.subject or '(no message)'}", commit.body]
    if shown:
        said.append(f"Files: {shown}")
    return ImportItem(
        name=name,
        statement=Statement(
            content="\n".join(filter(None, said)),
            summary=commit.subject[:SUMMARY_CHARS] or None,
            type="episodic",
            scope="project",
            tags=("commit",),
            cited=anchors,
            event_at=commit.written_at,
            created_at=commit.committed_at,
            metadata={
                "source": "git",
                "commit": commit.id,
                "author": commit.author,
                "event_date": to_iso(commit.written_at)[:10],
            },
        ),
    )


def _text(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding, "replace")
    except LookupError:
        return raw.decode("utf-8", "replace")


def _without_trailers(body: str) -> str:
    """Return a message without its last paragraph if that is signatures and references only."""
    head, _, last = body.rpartition("\n\n")
    lines = [line for line in last.split("\n") if line.strip()]
    return head.rstrip() if lines and all(_TRAILER.fullmatch(line) for line in lines) else body
