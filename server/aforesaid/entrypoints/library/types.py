"""The tools' parameters as types: what ``Memory``'s methods take by name.

A test compares each with its tool; ``entrypoints/api/tool_schemas.py`` describes the parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias, TypedDict

Texts: TypeAlias = str | Sequence[str]  #: one or several


class _MemoryFields(TypedDict, total=False):
    """Parameters that ``store_memory`` and ``update_memory`` have in common."""

    type: str
    scope: str
    summary: str
    topic: str
    entity: str
    tags: Texts
    cues: Texts
    importance: str | float
    confidence: float
    pinned: bool
    provenance: str
    valid_from: str
    valid_to: str
    anchors: Texts
    trigger: Texts
    metadata: Mapping[str, Any]
    task_id: str
    title: str
    status: str
    priority: str
    due: str  #: a date, also in words


class StoreFields(_MemoryFields, total=False):
    """Parameters of ``store_memory`` except content and project, and of programs only."""

    session: str  #: id of a conversation; messages next to a match in it rank higher
    created_at: str | date | int  #: when it was said: a date, also in words, or ms
    parent_id: str
    depth: int
    supersedes: Texts
    relations: Sequence[Mapping[str, str]]  #: each ``{"kind": …, "target_id": …}``


class UpdateFields(_MemoryFields, total=False):
    """Parameters of ``update_memory`` except id and restore, and of programs only."""

    session: str
    project: str  #: the project to move it to; created if new
    content: str


class RecallFields(TypedDict, total=False):
    """Parameters of ``recall_memory`` except query and project, and of programs only."""

    topic: str
    provenance: str  #: one or several, separated by commas
    session: str
    state: str  #: forgotten

    ids: Texts
    type: Texts
    scope: Texts
    status: Texts
    task_id: str
    entity: Texts
    path: str
    error: str
    tags: Texts
    depth: int
    since: str
    until: str
    as_of: str
    min_confidence: float
    min_relevance: float
    max_results: int
    summary_only: bool
    token_budget: int
    include_related: int
    include_history: bool
    include_archived: bool
    cursor: str
