"""The MCP reference memory server's ``memory.jsonl``: entities, what was observed, relations.

Source of the form: modelcontextprotocol/servers, src/memory. It has no times, ids or projects.
"""

from __future__ import annotations

from aforesaid.domain.model.import_item import ImportItem, SkipCounter, wrong_format_error
from aforesaid.domain.model.statement import Statement

from .bounded_files import changed_at, json_lines
from .parsing import bounded, kept, one_line, predicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FORM = "mcp-memory"
_ENTITY_FIELDS = ("type", "name", "entityType", "observations")


def read(path: str, left_out: SkipCounter) -> Iterator[ImportItem]:
    """Yield an entity memory for each entity, and one for each thing that was observed of it."""
    at = changed_at(path)
    entities: dict[str, dict[str, Any]] = {}
    links: dict[str, list[tuple[str, str]]] = {}
    other = 0
    for line in json_lines(path, left_out):
        kind = line.get("type")
        if kind == "entity" and isinstance(line.get("name"), str) and line["name"].strip():
            entities[line["name"]] = line  # its writer, too, lets the last one count
        elif kind == "relation" and all(isinstance(line.get(end), str) for end in ("from", "to")):
            link = (predicate(str(line.get("relationType", ""))), _name(line["to"]))
            links.setdefault(line["from"], []).append(link)
        else:
            other += 1
            left_out.add("lines that are neither entity nor relation")
    if not entities and other:
        raise wrong_format_error(path, FORM, "no line of it is an entity")
    for source in links.keys() - entities.keys():
        left_out.add("relations whose other end is not there", len(links[source]))
    for name, entity in entities.items():
        yield from _pieces(name, entity, tuple(links.get(name, ())), at)


def _name(entity: str) -> str:
    return f"{FORM} entity {entity}"


def _pieces(
    name: str, entity: dict[str, Any], links: tuple[tuple[str, str], ...], at: int
) -> Iterator[ImportItem]:
    kind = str(entity.get("entityType") or "thing")[:100]
    label = one_line(name, 200)
    about = {"source": FORM, **kept(entity, _ENTITY_FIELDS)}
    yield ImportItem(
        name=_name(name),
        statement=Statement(
            content=f"{label} ({kind})",
            type="entity",
            entity=label[:100],
            tags=(FORM,),
            created_at=at or None,
            metadata={**about, "entity_type": kind, "name": label[:100]},
        ),
        links=links,
    )
    observed = entity.get("observations")
    for one in observed if isinstance(observed, list) else ():
        text = bounded(str(one))
        if not text:
            continue
        says = text if label.casefold() in text.casefold() else f"{label}: {text}"
        yield ImportItem(
            name=f"{FORM} {name} says {one}",
            statement=Statement(
                content=bounded(says),
                entity=label[:100],
                tags=(FORM,),
                created_at=at or None,
                metadata=about,
            ),
        )
