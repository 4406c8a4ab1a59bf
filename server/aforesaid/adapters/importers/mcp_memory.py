"""Reads the MCP reference memory server's ``memory.jsonl``: entities, observations, relations.

Source of the format: modelcontextprotocol/servers, src/memory. It has no times, ids or projects.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aforesaid.domain.model.import_item import ImportItem, SkipCounter, wrong_format_error
from aforesaid.domain.model.statement import Statement

from .bounded_files import changed_at, json_lines
from .parsing import bounded, extra_fields, one_line, predicate

FORM = "mcp-memory"
_ENTITY_FIELDS = ("type", "name", "entityType", "observations")


def read(path: str, skipped: SkipCounter) -> Iterator[ImportItem]:
    """Yield an item for each entity and one for each of its observations."""
    at = changed_at(path)
    entities: dict[str, dict[str, Any]] = {}
    links: dict[str, list[tuple[str, str]]] = {}
    unknown = 0
    for line in json_lines(path, skipped):
        kind = line.get("type")
        if kind == "entity" and isinstance(line.get("name"), str) and line["name"].strip():
            entities[line["name"]] = line  # the last one wins, as in the server itself
        elif kind == "relation" and all(isinstance(line.get(end), str) for end in ("from", "to")):
            link = (predicate(str(line.get("relationType", ""))), _name(line["to"]))
            links.setdefault(line["from"], []).append(link)
        else:
            unknown += 1
            skipped.add("lines that are neither entity nor relation")
    if not entities and unknown:
        raise wrong_format_error(path, FORM, "it contains no entity")
    for source in links.keys() - entities.keys():
        skipped.add("relations from a missing entity", len(links[source]))
    for name, entity in entities.items():
        yield from _items(name, entity, tuple(links.get(name, ())), at)


def _name(entity: str) -> str:
    return f"{FORM} entity {entity}"


def _items(
    name: str, entity: dict[str, Any], links: tuple[tuple[str, str], ...], at: int
) -> Iterator[ImportItem]:
    kind = str(entity.get("entityType") or "thing")[:100]
    label = one_line(name, 200)
    metadata = {"source": FORM, **extra_fields(entity, _ENTITY_FIELDS)}
    yield ImportItem(
        name=_name(name),
        statement=Statement(
            content=f"{label} ({kind})",
            type="entity",
            entity=label[:100],
            tags=(FORM,),
            created_at=at or None,
            metadata={**metadata, "entity_type": kind, "name": label[:100]},
        ),
        links=links,
    )
    observations = entity.get("observations")
    for observation in observations if isinstance(observations, list) else ():
        text = bounded(str(observation))
        if not text:
            continue
        content = text if label.casefold() in text.casefold() else f"{label}: {text}"
        yield ImportItem(
            name=f"{FORM} {name} says {observation}",
            statement=Statement(
                content=bounded(content),
                entity=label[:100],
                tags=(FORM,),
                created_at=at or None,
                metadata=metadata,
            ),
        )
