"""The parameters of the tools, typed: what ``Memory``'s methods take by name.

A test compares each with its tool; what a parameter means stands in
``entrypoints/api/tool_schemas.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypedDict

Texts: TypeAlias = str | Sequence[str]  #: one or several


class _TaskFields(TypedDict, total=False):
    task_id: str
    title: str
    status: str
    priority: str
    due: str  #: a date or words


class StoreFields(_TaskFields, total=False):
    """Parameters of ``store_memory`` beside content and project."""

    type: str
    scope: str
    summary: str
    topic: str
    parent_id: str
    depth: int
    entity: str
    tags: Texts
    cues: Texts
    importance: str | float
    confidence: float
    pinned: bool
    supersedes: Texts
    relations: Sequence[Mapping[str, str]]  #: each ``{"kind": …, "target_id": …}``
    provenance: str
    valid_from: str
    valid_to: str
    anchors: Texts
    metadata: Mapping[str, Any]


class RecallFields(TypedDict, total=False):
    """Parameters of ``recall_memory`` beside query and project."""

    ids: Texts
    type: Texts
    scope: Texts
    status: Texts
    task_id: str
    entity: Texts
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


class UpdateFields(_TaskFields, total=False):
    """Parameters of ``update_memory`` beside id and restore."""

    content: str
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
    metadata: Mapping[str, Any]
