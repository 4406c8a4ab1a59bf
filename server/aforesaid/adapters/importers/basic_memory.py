"""Reads a folder of basic-memory's notes (its database is only an index of them).

Source of the format: basic-memory 0.24. Each note becomes a memory, and so does each of its
observations (list items with a ``[category]`` or a ``#tag``). Wiki links become relations.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from aforesaid.domain.errors import AforesaidError, NotFoundError
from aforesaid.domain.model.import_item import ImportItem, SkipCounter, wrong_format_error
from aforesaid.domain.model.statement import Statement

from .bounded_files import changed_at, notes_below, read_text
from .parsing import bounded, extra_fields, frontmatter, one_line, predicate, split_list, to_ms

FORM = "basic-memory"
_USED_FIELDS = ("title", "type", "tags", "created", "modified", "permalink")
_ITEM = re.compile(r"\s*[-*+]\s+(.*)$")
_CATEGORY = re.compile(r"\[([^\[\]()]{1,60})\]\s+(.+)$")
_EFFECTIVE = re.compile(r"@(?:effective|occurred):(\"[^\"]*\"|\[[^\])]*[\])]|\S+)\s*")
_TAG = re.compile(r"(?:^|\s)#([\w-]{1,60})")
_RELATION = re.compile(r"(?:([\w-]+)|[\"']([^\"']{1,60})[\"'])\s+\[\[([^\[\]]{1,300})\]\]")
_WIKI = re.compile(r"\[\[([^\[\]]{1,300})\]\]")
_TASK = re.compile(r"\[[ xX-]\]")
#: Headings that basic-memory's tools write above these lists.
_OWN_HEADING = re.compile(r"^#+\s*(?:observations|relations)\s*$", re.IGNORECASE | re.MULTILINE)
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.DOTALL)


class _Note:
    """A note's fields, body and derived names."""

    def __init__(self, path: str, folder: str, skipped: SkipCounter) -> None:
        text = read_text(path, skipped)
        self.fields, self.body = frontmatter(text)
        stem = os.path.basename(path).removesuffix(".md")
        self.title = one_line(str(self.fields.get("title") or stem), 300)
        relative = os.path.relpath(path, folder).removesuffix(".md").replace(os.sep, "/")
        self.permalink = str(self.fields.get("permalink") or relative)
        self.name = f"{FORM} note {self.permalink}"
        self.at = to_ms(self.fields.get("created")) or changed_at(path)
        self.tags = split_list(self.fields.get("tags"))


def read(path: str, skipped: SkipCounter) -> Iterator[ImportItem]:
    """Yield the notes below a folder, each with its observations."""
    if not os.path.isdir(path):
        if not os.path.exists(path):
            raise NotFoundError(f"{path} does not exist")
        raise wrong_format_error(path, FORM, "it is not a folder of notes")
    notes: list[_Note] = []
    for name in notes_below(path, skipped):
        try:
            notes.append(_Note(name, path, skipped))
        except AforesaidError:
            skipped.add("notes that are too large or unreadable")
    if not notes:
        raise wrong_format_error(path, FORM, "it contains no note (*.md)")
    names: dict[str, str] = {}
    for note in notes:
        for title in (note.title, note.permalink, note.permalink.rpartition("/")[2]):
            names.setdefault(title.casefold(), note.name)
    for note in notes:
        yield from _items(note, names, skipped)


def _items(note: _Note, names: dict[str, str], skipped: SkipCounter) -> Iterator[ImportItem]:
    prose, observations = _split(note.body)
    metadata = {
        "source": FORM,
        "permalink": note.permalink,
        **extra_fields(note.fields, _USED_FIELDS),
    }
    kind = str(note.fields.get("type") or "note")
    person = kind.casefold() == "person"
    content = prose if prose.strip() else "\n".join(f"- {text}" for _, text in observations)
    yield ImportItem(
        name=note.name,
        links=tuple(_links(note.body, names, skipped)),
        statement=Statement(
            content=bounded(f"{note.title}\n{_without_title(content, note.title)}"),
            summary=note.title,
            type="entity" if person else "semantic",
            entity=note.title[:100] if person else None,
            tags=tuple(dict.fromkeys((FORM, *note.tags)))[:30],
            created_at=note.at or None,
            metadata={**metadata, "entity_type": "person", "name": note.title[:100]}
            if person
            else {**metadata, "note_type": kind},
        ),
    )
    for category, text in observations:
        effective = _EFFECTIVE.search(text)
        observation = _EFFECTIVE.sub("", text).strip()
        if not observation:
            continue
        tags = (FORM, category, *_TAG.findall(text), *note.tags)
        yield ImportItem(
            name=f"{FORM} observation {note.permalink} {category} {text}",
            statement=Statement(
                content=bounded(f"{note.title}: {observation}"),
                tags=tuple(dict.fromkeys(tag for tag in tags if tag))[:30],
                valid_from=to_ms(_first_date(effective[1])) if effective else None,
                created_at=note.at or None,
                metadata=metadata,
            ),
        )


def _without_title(text: str, title: str) -> str:
    """Return a text without a first line that repeats its title."""
    text = text.strip()
    first, _, rest = text.partition("\n")
    return rest.strip() if first.lstrip("# ").casefold() == title.casefold() else text


def _split(body: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the prose, and the observations as (category, text)."""
    prose: list[str] = []
    observations: list[tuple[str, str]] = []
    in_code = False
    for line in body.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        item = None if in_code else _ITEM.match(line)
        observation = _observation(item[1]) if item else None
        if observation is not None:
            observations.append(observation)
        elif not (item and _RELATION.match(item[1])):
            prose.append(line)
    return _OWN_HEADING.sub("", "\n".join(prose)).strip(), observations


def _observation(text: str) -> tuple[str, str] | None:
    """Return category and text of a list item, or None if it is not an observation."""
    if _TASK.match(text) or text.startswith(("[[", "![", ">")):
        return None
    match = _CATEGORY.match(text)
    if match and not match[1].strip().replace(":", "").isdigit():  # not a time of day
        return match[1].strip(), match[2].strip()
    if _TAG.search(text) and not _RELATION.match(text):
        return "", text.strip()
    return None


def _links(body: str, names: dict[str, str], skipped: SkipCounter) -> Iterator[tuple[str, str]]:
    """Yield (relation, item name) of a note's links; a plain link is ``related_to``."""
    visited: set[tuple[str, str]] = set()
    for line in _CODE.sub("", body).split("\n"):
        item = _ITEM.match(line)
        relation = _RELATION.match(item[1]) if item else None
        links: list[tuple[str, str]]
        if relation:
            links = [(predicate(relation[1] or relation[2]), relation[3])]
        else:
            links = [("related_to", target) for target in _WIKI.findall(line)]
        for kind, target in links:
            name = names.get(target.partition("|")[0].strip().casefold())
            if name is None:
                skipped.add("links to missing notes")
            elif (kind, name) not in visited:
                visited.add((kind, name))
                yield kind, name


def _first_date(value: Any) -> str:
    """Return the date, or the first of a range: of ``2026-07-27``, ``"text"``, ``[from,to)``."""
    return str(value).strip('"').strip("[)]").partition(",")[0].strip()
