"""The topic tree as plain data: nodes by path, memories by short id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.model.memory import GLOBAL_PROJECT

from .labels import NOT_VISIBLE, LabelResolver

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.domain.model.topic import Node
    from aforesaid.services.graph.explore import ExploreResult
    from aforesaid.services.recall.query import RecallHit


def explored(answer: ExploreResult, names: LabelResolver, *, naming: bool) -> dict[str, Any]:
    """Return the nodes of an answer with their children.

    Args:
        answer: of explore_memory.
        names: for ids and projects.
        naming: name the project of each top node.
    """
    hidden = answer.hidden
    more = f"{hidden} more: name one topic, or use a smaller max_depth" if hidden else ""
    return {
        "nodes": [_node(node, names, naming=naming) for node in answer.nodes],
        **_drop_empty({"unfiled": answer.unfiled, "note": answer.note, "not_shown": more}),
    }


def found_node(result: RecallHit, names: LabelResolver, *, naming: bool) -> dict[str, Any]:
    """Return a result of recall that is a topic or concept in place of a memory."""
    assert result.node is not None
    why = f"{result.why}: [{names.short(result.memory.key)}]".removeprefix(": ")
    return {
        **_node(result.node, names, naming=naming),
        **_drop_empty({"score": result.score, "why": why}),
    }


def _node(node: Node, names: LabelResolver, *, naming: bool = False) -> dict[str, Any]:
    memory = node.memory
    children = {
        "children": [_node(child, names) for child in node.children],
        "not_shown": node.hidden,
    }
    project = names.project(node.project) if naming else None
    if memory is not None:
        state = "forgotten" if memory.forgotten_at is not None else ""
        if memory.superseded_by is not None:
            by = node.replaced_by
            state = f"superseded by {NOT_VISIBLE if by is None else names.short(by)}"
        return {
            "id": names.short(memory.key),
            "preview": "" if memory.forgotten_at is not None else memory.preview,
            "depth": node.depth,
            **_drop_empty(
                {
                    "kind": node.kind,
                    "direction": node.direction,
                    "state": state,
                    "project": project,
                    "counts": _drop_empty({"details": node.memories}),
                    **children,
                }
            ),
        }
    return {
        "id": node.path,
        "name": node.name,
        "depth": node.depth,
        **_drop_empty(
            {
                "summary": node.summary,
                "overview": "" if node.overview is None else names.short(node.overview.key),
                "scope": "global" if node.project == GLOBAL_PROJECT and not naming else "",
                "project": project,
                "counts": _drop_empty({"memories": node.memories, "concepts": node.concepts}),
                **children,
            }
        ),
    }


def _drop_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are neither empty nor 0."""
    return {name: value for name, value in fields.items() if value not in (None, "", 0, [], {})}
