"""basic-memory: a folder of notes, which are the truth there (its database is an index of them).

Source of the form: basic-memory 0.24. A note is a memory, and so is each observation of it
(a list item with a ``[category]`` or a ``#tag``); its other links lead to what they name.
"""

from __future__ import annotations

import os
import re

from aforesaid.domain.errors import AforesaidError, NotFoundError
from aforesaid.domain.model.import_item import ImportItem, SkipCounter, wrong_format_error
from aforesaid.domain.model.statement import Statement

from .bounded_files import changed_at, notes_below, read_text
from .parsing import bounded, frontmatter, kept, listed, one_line, predicate, to_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FORM = "basic-memory"
_TAKEN = ("title", "type", "tags", "created", "modified", "permalink")
_ITEM = re.compile(r"\s*[-*+]\s+(.*)$")
_CATEGORY = re.compile(r"\[([^\[\]()]{1,60})\]\s+(.+)$")
_EFFECTIVE = re.compile(r"@(?:effective|occurred):(\"[^\"]*\"|\[[^\])]*[\])]|\S+)\s*")
_TAG = re.compile(r"(?:^|\s)#([\w-]{1,60})")
_RELATION = re.compile(r"(?:([\w-]+)|[\"']([^\"']{1,60})[\"'])\s+\[\[([^\[\]]{1,300})\]\]")
_WIKI = re.compile(r"\[\[([^\[\]]{1,300})\]\]")
_TASK = re.compile(r"\[[ xX-]\]")
#: What its own tools write above them.
_OWN_HEADING = re.compile(r"^#+\s*(?:observations|relations)\s*$", re.IGNORECASE | re.MULTILINE)
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.DOTALL)


class _Note:
    """A note as it was read."""

    def __init__(self, path: str, folder: str, left_out: SkipCounter) -> None:
        text = read_text(path, left_out)
        self.fields, self.body = frontmatter(text)
        stem = os.path.basename(path).removesuffix(".md")
        self.title = one_line(str(self.fields.get("title") or stem), 300)
        relative = os.path.relpath(path, folder).removesuffix(".md").replace(os.sep, "/")
        self.permalink = str(self.fields.get("permalink") or relative)
        self.name = f"{FORM} note {self.permalink}"
        self.at = to_ms(self.fields.get("created")) or changed_at(path)
        self.tags = listed(self.fields.get("tags"))


def read(path: str, left_out: SkipCounter) -> Iterator[ImportItem]:
    """Yield the notes below a folder, each with its observations."""
    if not os.path.isdir(path):
        if not os.path.exists(path):
            raise NotFoundError(f"there is nothing at {path}")
        raise wrong_format_error(path, FORM, "it is no folder of notes")
    notes: list[_Note] = []
    for name in notes_below(path, left_out):
        try:
            notes.append(_Note(name, path, left_out))
        except AforesaidError:
            left_out.add("notes that are too large or cannot be read")
    if not notes:
        raise wrong_format_error(path, FORM, "there is no note (*.md) in it")
    names: dict[str, str] = {}
    for note in notes:
        for known in (note.title, note.permalink, note.permalink.rpartition("/")[2]):
            names.setdefault(known.casefold(), note.name)
    for note in notes:
        yield from _pieces(note, names, left_out)


def _pieces(note: _Note, names: dict[str, str], left_out: SkipCounter) -> Iterator[ImportItem]:
    prose, observed = _split(note.body)
    about = {"source": FORM, "permalink": note.permalink, **kept(note.fields, _TAKEN)}
    kind = str(note.fields.get("type") or "note")
    person = kind.casefold() == "person"
    said = prose if prose.strip() else "\n".join(f"- {text}" for _, text in observed)
    yield ImportItem(
        name=note.name,
        links=tuple(_links(note.body, names, left_out)),
        statement=Statement(
            content=bounded(f"{note.title}\n{_without_title(said, note.title)}"),
            summary=note.title,
            type="entity" if person else "semantic",
            entity=note.title[:100] if person else None,
            tags=tuple(dict.fromkeys((FORM, *note.tags)))[:30],
            created_at=note.at or None,
            metadata={**about, "entity_type": "person", "name": note.title[:100]}
            if person
            else {**about, "note_type": kind},
        ),
    )
    for category, text in observed:
        effective = _EFFECTIVE.search(text)
        says = _EFFECTIVE.sub("", text).strip()
        if not says:
            continue
        tags = (FORM, category, *_TAG.findall(text), *note.tags)
        yield ImportItem(
            name=f"{FORM} observation {note.permalink} {category} {text}",
            statement=Statement(
                content=bounded(f"{note.title}: {says}"),
                tags=tuple(dict.fromkeys(tag for tag in tags if tag))[:30],
                valid_from=to_ms(_begin(effective[1])) if effective else None,
                created_at=note.at or None,
                metadata=about,
            ),
        )


def _without_title(text: str, title: str) -> str:
    """Return a text without the heading that only repeats its title."""
    text = text.strip()
    first, _, rest = text.partition("\n")
    return rest.strip() if first.lstrip("# ").casefold() == title.casefold() else text


def _split(body: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the prose, and the observations as (category, text)."""
    prose: list[str] = []
    observed: list[tuple[str, str]] = []
    in_code = False
    for line in body.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        item = None if in_code else _ITEM.match(line)
        found = _observation(item[1]) if item else None
        if found is not None:
            observed.append(found)
        elif not (item and _RELATION.match(item[1])):
            prose.append(line)
    return _OWN_HEADING.sub("", "\n".join(prose)).strip(), observed


def _observation(text: str) -> tuple[str, str] | None:
    """Return category and text of a list item that is an observation."""
    if _TASK.match(text) or text.startswith(("[[", "![", ">")):
        return None
    found = _CATEGORY.match(text)
    if found and not found[1].strip().replace(":", "").isdigit():  # a clock time is none
        return found[1].strip(), found[2].strip()
    if _TAG.search(text) and not _RELATION.match(text):
        return "", text.strip()
    return None


def _links(body: str, names: dict[str, str], left_out: SkipCounter) -> Iterator[tuple[str, str]]:
    """Yield what a note links to, by kind; a link in the text is ``related_to``."""
    seen: set[tuple[str, str]] = set()
    for line in _CODE.sub("", body).split("\n"):
        item = _ITEM.match(line)
        relation = _RELATION.match(item[1]) if item else None
        found: list[tuple[str, str]]
        if relation:
            found = [(predicate(relation[1] or relation[2]), relation[3])]
        else:
            found = [("related_to", target) for target in _WIKI.findall(line)]
        for kind, target in found:
            name = names.get(target.partition("|")[0].strip().casefold())
            if name is None:
                left_out.add("links to notes that are not there")
            elif (kind, name) not in seen:
                seen.add((kind, name))
                yield kind, name


def _begin(value: Any) -> str:
    """Return the beginning of ``2026-07-27``, ``"words"`` or ``[from,to)``."""
    return str(value).strip('"').strip("[)]").partition(",")[0].strip()
