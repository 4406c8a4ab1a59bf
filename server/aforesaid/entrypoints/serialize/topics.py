"""The topic tree as plain data: nodes with what tools take as their id, memories by short id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.model.memory import GLOBAL_PROJECT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.domain.model.topic_tree import Node
    from aforesaid.services.graph.explore import ExploreResult
    from aforesaid.services.recall.query import RecallHit

    from .labels import LabelResolver


def explored(found: ExploreResult, names: LabelResolver, *, naming: bool) -> dict[str, Any]:
    """Return what was found in the tree.

    Args:
        found: nodes with their children.
        names: for ids and projects.
        naming: each top node names its project.
    """
    more = f"{found.hidden} more: ask for one of them, or less depth" if found.hidden else ""
    return {
        "nodes": [_node(one, names, naming=naming) for one in found.nodes],
        **_said({"unfiled": found.unfiled, "note": found.note, "not_shown": more}),
    }


def found_node(result: RecallHit, names: LabelResolver, *, naming: bool) -> dict[str, Any]:
    """Return a recall's result that was lifted to a topic or concept."""
    assert result.node is not None
    why = f"{result.why}: [{names.short(result.memory.key)}]".removeprefix(": ")
    return {
        **_node(result.node, names, naming=naming),
        **_said({"score": result.score, "why": why}),
    }


def _node(node: Node, names: LabelResolver, *, naming: bool = False) -> dict[str, Any]:
    memory = node.memory
    children = {
        "children": [_node(one, names) for one in node.children],
        "not_shown": node.hidden,
    }
    project = names.project(node.project) if naming else None
    if memory is not None:
        state = "forgotten" if memory.forgotten_at is not None else ""
        if memory.superseded_by is not None:
            by = node.replaced_by
            state = f"superseded by {'a memory out of sight' if by is None else names.short(by)}"
        return {
            "id": names.short(memory.key),
            "preview": "" if memory.forgotten_at is not None else memory.preview,
            "depth": node.depth,
            **_said(
                {
                    "kind": node.kind,
                    "direction": node.direction,
                    "state": state,
                    "project": project,
                    "counts": _said({"details": node.memories}),
                    **children,
                }
            ),
        }
    return {
        "id": node.path,
        "name": node.name,
        "depth": node.depth,
        **_said(
            {
                "summary": node.summary,
                "overview": "" if node.overview is None else names.short(node.overview.key),
                "scope": "global" if node.project == GLOBAL_PROJECT and not naming else "",
                "project": project,
                "counts": _said({"memories": node.memories, "concepts": node.concepts}),
                **children,
            }
        ),
    }


def _said(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that say something."""
    return {name: value for name, value in fields.items() if value not in (None, "", 0, [], {})}
