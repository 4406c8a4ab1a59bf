"""CLAUDE.md and rules, by section; read as a source, never written.

The client loads these files itself: they are taken in on request only. A section that was edited
is a new version of what it said before.
"""

from __future__ import annotations

import os

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.piece import LeftOut, Piece, not_of_this_form
from aforesaid.domain.statement import Statement

from .files import changed_at, notes_below, read_text
from .text import bounded, frontmatter, kept, sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FORM = "claude-md"
#: Where a project keeps its own, and the folders whose every note is a rule.
PROJECT_FILES = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
PROJECT_RULES = ".claude/rules"
_LEVELS = 4
_CLIENTS_OWN = ("projects", "history.jsonl", ".credentials.json", ".claude.json")


def read(path: str, left_out: LeftOut) -> Iterator[Piece]:
    """Yield the sections of a file, or of all such files of a folder.

    The client's own folder speaks for the user in all projects, any other for its project.
    """
    if not os.path.isdir(path):
        yield from _pieces(path, read_text(path, left_out), left_out)
        return
    files = _files(path, left_out)
    if not files:
        raise not_of_this_form(path, FORM, "there is no CLAUDE.md and no rule")
    for name in files:
        try:
            text = read_text(name, left_out)
        except AforesaidError:
            left_out.add("files that are too large or cannot be read")
            continue
        yield from _pieces(name, text, left_out)


def _files(path: str, left_out: LeftOut) -> list[str]:
    named = [os.path.join(path, name) for name in PROJECT_FILES]
    found = [name for name in named if os.path.isfile(name)]
    for rules in (PROJECT_RULES, "rules"):
        folder = os.path.join(path, rules)
        if os.path.isdir(folder) and (rules != "rules" or _is_configuration(path)):
            found += notes_below(folder, left_out, _LEVELS)
    return found


def _is_configuration(folder: str) -> bool:
    """Tell whether a folder is a client's own: a project's ``.claude`` has settings, too."""
    return any(os.path.exists(os.path.join(folder, name)) for name in _CLIENTS_OWN)


def _folder_of(name: str) -> tuple[str, bool]:
    """Return the folder that a file speaks for, and whether that is the client's configuration."""
    folder = os.path.dirname(os.path.abspath(name))
    while True:
        if _is_configuration(folder):
            return folder, True
        base = os.path.basename(folder)
        if base not in {".claude", "rules"} and "/.claude/" not in folder + "/":
            return folder, False
        folder = os.path.dirname(folder)


def _pieces(name: str, text: str, left_out: LeftOut) -> Iterator[Piece]:
    fields, body = frontmatter(text)
    folder, personal = _folder_of(name)
    shown = os.path.relpath(name, folder).replace(os.sep, "/")
    seen: dict[str, int] = {}
    for heading, said in sections(body):
        imported = sum(line.lstrip(" -*").startswith("@") for line in said.split("\n"))
        if imported:
            left_out.add("files that others import with @", imported)
        seen[heading] = seen.get(heading, 0) + 1
        yield Piece(
            name=f"{FORM} {os.path.realpath(name)} {heading} {seen[heading]}",
            folder=None if personal else folder,
            statement=Statement(
                content=bounded(f"{heading}\n{said}" if heading else said),
                summary=heading or None,
                scope="global" if personal else None,
                tags=(FORM,),
                created_at=changed_at(name) or None,
                metadata={"source": FORM, "file": shown, **kept(fields)},
            ),
        )
