"""Parses a git commit object and turns it into an import item.

Running git: adapters/git_history.py. Reading the commits of a session:
adapters/git_reader/session_commits.py. Commits in the digest: domain/digest.
"""

from __future__ import annotations

import re

from aforesaid.domain.text.timestamps import to_iso
from aforesaid.domain.value import Value

from .anchor import Anchor, make_fingerprint
from .import_item import ImportItem
from .memory import SUMMARY_CHARS
from .statement import Statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MAX_FILES = 10  #: named and cited; the rest is only counted
BODY_CHARS = 2_000
COMMIT_BYTES = 64_000  #: of the commit object
BLOB_BYTES = 256_000  #: of a cited file
_PERSON = re.compile(rb"(.*?) ?<([^>]*)> (\d{1,12}) [+-]\d{4}")
_TRAILER = re.compile(r"[A-Z][A-Za-z-]+: \S.*")


class Commit(Value):
    """The metadata and message of a commit. Times are ms since the epoch."""

    id: str
    author: str
    mail: str
    written_at: int  #: author time; survives rebase, amend and cherry-pick
    committed_at: int
    subject: str
    body: str = ""

    @property
    def origin(self) -> str:
        """A key that, unlike the id, survives rebase, amend and cherry-pick."""
        return f"{self.written_at} {self.mail} {self.subject}"


def parse_commit(name: str, raw: bytes, clean: Callable[[str], str]) -> Commit | None:
    """Return the commit of a git object; None if it is malformed.

    Args:
        name: the commit id.
        raw: the content of the object.
        clean: removes secrets and private spans; applied before anything is truncated.
    """
    head, _, message = raw.partition(b"\n\n")
    fields: dict[bytes, bytes] = {}
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        fields.setdefault(key, value)
    author, committer = (_PERSON.match(fields.get(key, b"")) for key in (b"author", b"committer"))
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


def commit_item_name(project: str, commit: Commit, number: int) -> str:
    """Return the name under which a commit is imported, equal for every clone and importer.

    Args:
        project: the project key.
        commit: the commit.
        number: position among the commits with the same origin, from 1, oldest first.
    """
    return f"git {project} {commit.origin} {number}"


def commit_anchors(
    files: Sequence[tuple[str, str]], contents: Mapping[str, bytes]
) -> tuple[Anchor, ...]:
    """Return anchors for the files that a commit changed and that can be read.

    Args:
        files: path, and id of the blob after the commit, "" if deleted.
        contents: content of the blobs by id.
    """
    return tuple(
        Anchor(path=path, fingerprint=make_fingerprint(contents[blob], 0, path))
        for path, blob in files[:MAX_FILES]
        if blob in contents and path.isprintable()
    )


def commit_item(
    commit: Commit, name: str, files: Sequence[str], anchors: tuple[Anchor, ...] = ()
) -> ImportItem:
    """Return the import item of a commit: an episodic memory with its files.

    Args:
        commit: the commit.
        name: see ``commit_item_name``.
        files: the paths that it changed.
        anchors: see ``commit_anchors``.
    """
    shown = ", ".join(files[:MAX_FILES])
    if len(files) > MAX_FILES:
        shown += f" and {len(files) - MAX_FILES} more"
    lines = [f"Commit {commit.id[:10]}: {commit.subject or '(no message)'}", commit.body]
    if shown:
        lines.append(f"Files: {shown}")
    return ImportItem(
        name=name,
        statement=Statement(
            content="\n".join(filter(None, lines)),
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
    """Return a message without its last paragraph if that has only trailers (Signed-off-by: …)."""
    head, _, last = body.rpartition("\n\n")
    lines = [line for line in last.split("\n") if line.strip()]
    return head.rstrip() if lines and all(_TRAILER.fullmatch(line) for line in lines) else body
