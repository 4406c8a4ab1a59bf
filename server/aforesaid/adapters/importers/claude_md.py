"""CLAUDE.md and rules, by section; read as a source, never written.

The client loads these files itself: they are taken in on request only. A section that was edited
is a new version of what it said before.
"""

from __future__ import annotations

import os
import re

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.import_item import ImportItem, SkipCounter, wrong_format_error
from aforesaid.domain.model.statement import Statement

from .bounded_files import changed_at, notes_below, read_text
from .parsing import COMMENT, FENCE, bounded, frontmatter, kept, sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FORM = "claude-md"
#: Where a project keeps its own, and the folders whose every note is a rule.
PROJECT_FILES = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
PROJECT_RULES = ".claude/rules"
_LEVELS = 4
_DEEPEST = 4  #: files that import files that import files; as the client follows them
_MAX_IMPORTED = 200
_IMPORT = re.compile(r"(?<!\S)@([^\s`@]{1,400})")
_ONLY_IMPORT = re.compile(r"\s*(?:[-*+] )?\s*@\S+\s*")
_SPAN = re.compile(r"(`+).+?\1")
_CLIENTS_OWN = ("projects", "history.jsonl", ".credentials.json", ".claude.json")


def read(path: str, left_out: SkipCounter) -> Iterator[ImportItem]:
    """Yield the sections of a file, or of all such files of a folder, and of what these import.

    The client's own folder speaks for the user in all projects, any other for its project; what a
    file imports speaks for whom that file does.
    """
    seen: set[str] = set()
    if not os.path.isdir(path):
        yield from _with_imports(path, read_text(path, left_out), left_out, seen)
        return
    files = _files(path, left_out)
    if not files:
        raise wrong_format_error(path, FORM, "there is no CLAUDE.md and no rule")
    for name in files:
        try:
            text = read_text(name, left_out)
        except AforesaidError:
            left_out.add("files that are too large or cannot be read")
            continue
        yield from _with_imports(name, text, left_out, seen)


def _with_imports(
    name: str, text: str, left_out: SkipCounter, seen: set[str]
) -> Iterator[ImportItem]:
    """Yield the sections of a file, then those of the files that it imports, each once."""
    owner = _folder_of(name)
    waiting = [(name, text, 0)]
    while waiting:
        name, text, depth = waiting.pop(0)
        if os.path.realpath(name) in seen:
            continue
        seen.add(os.path.realpath(name))
        text, imports = _imports_of(text)
        yield from _pieces(name, text, owner)
        for told in imports:
            target = os.path.join(os.path.dirname(name), os.path.expanduser(told))
            why = _refused(target, owner[0], depth, len(seen) + len(waiting))
            if why:
                left_out.add(why)
                continue
            try:
                waiting.append((target, read_text(target, left_out), depth + 1))
            except AforesaidError:
                left_out.add("files that are too large or cannot be read")


def _refused(target: str, root: str, depth: int, count: int) -> str:
    """Return why an imported file is not followed; empty where it is.

    The client asks before it reads one outside the project; here such a one stays outside.
    """
    real, top = os.path.realpath(target), os.path.realpath(root)
    if not real.startswith(top.rstrip("/") + "/") or "/.git/" in real[len(top) :]:
        return "files imported with @ from elsewhere"
    if not os.path.lexists(target):
        return "files imported with @ that are not there"
    return f"files imported with @ beyond {_DEEPEST} steps" * (
        depth >= _DEEPEST or count >= _MAX_IMPORTED
    )


def _imports_of(text: str) -> tuple[str, list[str]]:
    """Return a text without the lines that only import, and the paths that it imports.

    Code is no import, and neither is a word after @ without a dot or slash: somebody's name.
    """
    found: list[str] = []
    kept_lines: list[str] = []
    in_code = ""
    for line in COMMENT.sub("", text).split("\n"):
        fence = FENCE.match(line)
        if fence:
            in_code = "" if in_code == fence[1] else in_code or fence[1]
        paths = [] if in_code else _IMPORT.findall(_SPAN.sub(" ", line))
        paths = [path.rstrip(".,;:!?)") for path in paths]
        paths = [path for path in paths if "." in path or "/" in path]
        found += paths
        if not (paths and _ONLY_IMPORT.fullmatch(line)):
            kept_lines.append(line)
    return "\n".join(kept_lines), found


def _files(path: str, left_out: SkipCounter) -> list[str]:
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


def _pieces(name: str, text: str, owner: tuple[str, bool]) -> Iterator[ImportItem]:
    fields, body = frontmatter(text)
    folder, personal = owner
    shown = os.path.relpath(name, folder).replace(os.sep, "/")
    seen: dict[str, int] = {}
    for heading, said in sections(body):
        seen[heading] = seen.get(heading, 0) + 1
        yield ImportItem(
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
