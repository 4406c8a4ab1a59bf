"""Reads CLAUDE.md and rules files: a memory for each list item, and for each text between lists.

The client loads these files itself, so they are imported on request only. An entry that was edited
is imported as a new version of its memory.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.import_item import ImportItem, SkipCounter, wrong_format_error
from aforesaid.domain.model.statement import Statement

from .bounded_files import UNREADABLE, changed_at, notes_below, read_text
from .parsing import COMMENT, FENCE, bounded, extra_fields, frontmatter, sections, split_list_items

FORM = "claude-md"
#: A project's own files, and the folder in which every note is a rule.
PROJECT_FILES = (
    "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md",
    ".github/copilot-instructions.md",
)  # fmt: skip
PROJECT_RULES, CURSOR_RULES = ".claude/rules", ".cursor/rules"
_RULE_FOLDERS = frozenset((".claude", ".cursor", ".github", "rules"))
_LEVELS = 4
_MAX_DEPTH = 4  #: of imports, as in the client
_MAX_IMPORTED = 200
_NAME_WORDS = 3  #: that name a rule, so that an edit of the others makes a new version
_IMPORT = re.compile(r"(?<!\S)@([^\s`@]{1,400})")
_ONLY_IMPORT = re.compile(r"\s*(?:[-*+] )?\s*@\S+\s*")
_SPAN = re.compile(r"(`+).+?\1")
_CLIENT_FILES = ("projects", "history.jsonl", ".credentials.json", ".claude.json")


def read(path: str, skipped: SkipCounter) -> Iterator[ImportItem]:
    """Yield the sections of a file, or of all such files in a folder, and of imported files.

    Files in the client's own folder apply to all projects, any others to their project. An imported
    file has the scope of the file that imports it.
    """
    visited: set[str] = set()
    if not os.path.isdir(path):
        yield from _with_imports(path, read_text(path, skipped), skipped, visited)
        return
    files = _files(path, skipped)
    if not files:
        raise wrong_format_error(path, FORM, "it contains no CLAUDE.md, AGENTS.md or rules")
    for name in files:
        try:
            text = read_text(name, skipped)
        except AforesaidError:
            skipped.add(UNREADABLE)
            continue
        yield from _with_imports(name, text, skipped, visited)


def _with_imports(
    name: str, text: str, skipped: SkipCounter, visited: set[str]
) -> Iterator[ImportItem]:
    """Yield the sections of a file, then those of the files that it imports, each once."""
    owner = _owner_of(name)
    pending = [(name, text, 0)]
    while pending:
        name, text, depth = pending.pop(0)
        if os.path.realpath(name) in visited:
            continue
        visited.add(os.path.realpath(name))
        text, imports = _split_imports(text)
        yield from _items(name, text, owner)
        for path in imports:
            target = os.path.join(os.path.dirname(name), os.path.expanduser(path))
            reason = _skip_reason(target, owner[0], depth, len(visited) + len(pending))
            if reason:
                skipped.add(reason)
                continue
            try:
                pending.append((target, read_text(target, skipped), depth + 1))
            except AforesaidError:
                skipped.add(UNREADABLE)


def _skip_reason(target: str, root: str, depth: int, count: int) -> str:
    """Return why an imported file is skipped; empty if it is followed.

    The client asks before it reads a file outside the project; here such files are skipped.
    """
    real, top = os.path.realpath(target), os.path.realpath(root)
    if not real.startswith(top.rstrip("/") + "/") or "/.git/" in real[len(top) :]:
        return "files imported with @ from outside the folder"
    if not os.path.lexists(target):
        return "files imported with @ that do not exist"
    if depth >= _MAX_DEPTH or count >= _MAX_IMPORTED:
        return f"files imported with @ beyond {_MAX_DEPTH} levels or {_MAX_IMPORTED} files"
    return ""


def _split_imports(text: str) -> tuple[str, list[str]]:
    """Return a text without lines that are only imports, and the imported paths.

    Code is not searched, and a word after @ without a dot or slash is a person's name.
    """
    imports: list[str] = []
    lines: list[str] = []
    in_code = ""
    for line in COMMENT.sub("", text).split("\n"):
        fence = FENCE.match(line)
        if fence:
            in_code = "" if in_code == fence[1] else in_code or fence[1]
        paths = [] if in_code else _IMPORT.findall(_SPAN.sub(" ", line))
        paths = [path.rstrip(".,;:!?)") for path in paths]
        paths = [path for path in paths if "." in path or "/" in path]
        imports += paths
        if not (paths and _ONLY_IMPORT.fullmatch(line)):
            lines.append(line)
    return "\n".join(lines), imports


def _files(path: str, skipped: SkipCounter) -> list[str]:
    candidates = [os.path.join(path, name) for name in PROJECT_FILES]
    files = [name for name in candidates if os.path.isfile(name)]
    for rules in (PROJECT_RULES, CURSOR_RULES, "rules"):
        folder = os.path.join(path, rules)
        if os.path.isdir(folder) and (rules != "rules" or _is_client_folder(path)):
            files += notes_below(folder, skipped, _LEVELS)
    return files


def _is_client_folder(folder: str) -> bool:
    """Return whether a folder is the client's own, not a project's ``.claude``."""
    return any(os.path.exists(os.path.join(folder, name)) for name in _CLIENT_FILES)


def _owner_of(name: str) -> tuple[str, bool]:
    """Return the folder that a file applies to, and whether that is the client's own."""
    folder = os.path.dirname(os.path.abspath(name))
    while True:
        if _is_client_folder(folder):
            return folder, True
        base = os.path.basename(folder)
        if base not in _RULE_FOLDERS and "/.claude/" not in folder + "/":
            return folder, False
        folder = os.path.dirname(folder)


def _items(name: str, text: str, owner: tuple[str, bool]) -> Iterator[ImportItem]:
    fields, body = frontmatter(text)
    folder, personal = owner
    relative = os.path.relpath(name, folder).replace(os.sep, "/")
    counts: Counter[str] = Counter()
    for heading, section in sections(body):
        blocks = split_list_items(section)
        prefix = f"{FORM} {os.path.realpath(name)} {heading}"
        all_items = all(is_item for is_item, _text in blocks)
        for place, (is_item, said) in enumerate(blocks):
            key = f"{prefix} {' '.join(said.lower().split()[:_NAME_WORDS])}" if is_item else prefix
            counts[key] += 1
            yield ImportItem(
                name=f"{key} {counts[key]}",
                # the whole section, as it was imported once
                replaces=(f"{prefix} 1",) if all_items and not place else (),
                folder=None if personal else folder,
                statement=Statement(
                    content=bounded(_under(heading.rpartition(" > ")[2], said)),
                    scope="global" if personal else None,
                    tags=(FORM,),
                    created_at=changed_at(name) or None,
                    metadata={
                        "source": FORM,
                        "file": relative,
                        **({"section": heading} if heading else {}),
                        **extra_fields(fields),
                    },
                ),
            )


def _under(title: str, text: str) -> str:
    """Return a text after the title of its section."""
    if not title:
        return text
    return f"{title}\n{text}" if FENCE.match(text) else f"{title}: {text}"
