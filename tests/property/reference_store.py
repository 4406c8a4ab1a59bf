"""The store as a model: dictionaries, no index, no file. Its answers are right by inspection.

Here: the methods that property tests compare with those of the SQLite store. Words: whole tokens
are compared, so it knows no stems; the tests use words that are their own stems. A word score is
the number of matching terms, not BM25.
"""

from __future__ import annotations

import copy
import re
import struct
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.model.embedding_model import ModelVector
from aforesaid.domain.model.ids import CODE_CHARS, SHORT_CHARS, code_of, read_reference
from aforesaid.domain.model.memory import (
    Filters,
    Hit,
    Memory,
    PageCursor,
    Project,
    Session,
    Visibility,
)
from aforesaid.domain.text.tokenize import index_terms
from property.reference_models import ReferenceModels
from property.reference_relations import ReferenceRelations
from property.reference_tasks import ReferenceTasks
from property.reference_topics import ReferenceTopics

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from aforesaid.domain.model.task import Task
    from aforesaid.domain.model.topic import Topic

from contextlib import contextmanager

DAY_MS = 86_400_000
UNTRUSTED = ("tool", "import")
GLOBAL = Project(key=0, identity="global", name="global")


REPOSITORIES = (
    "memories", "topics", "search", "relations", "usage", "tasks", "projects", "sessions", "models",
)  # fmt: skip


class Repository:
    """One part of the reference store: its ``get`` is the store's ``memories_get``, and so on."""

    def __init__(self, store: ReferenceStore, name: str) -> None:
        self._store = store
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, f"{self._name}_{name}")


class ReferenceStore(
    ReferenceTopics,
    ReferenceRelations,
    ReferenceTasks,
    ReferenceModels,
):
    """Memories in their tree, relations, tasks, projects and sessions in dictionaries."""

    def __init__(self) -> None:
        self._memories: dict[int, Memory] = {}
        self._start_models()
        self._erased: dict[str, str] = {}
        self._projects: dict[int, Project] = {0: GLOBAL}
        self._aliases: dict[str, int] = {}
        self._sessions: dict[str, Session] = {}
        self._relations: dict[tuple[int, str, int], tuple[float, int]] = {}
        self._topics: dict[int, Topic] = {}
        self._tasks: dict[int, Task] = {}
        self._last_memory = 0
        self._last_project = 0
        self._depth = 0

    def __getattr__(self, name: str) -> Repository:
        if name not in REPOSITORIES:
            raise AttributeError(name)
        return Repository(self, name)

    # -- transactions

    def transaction(self, *, wait: bool = True) -> AbstractContextManager[None]:
        return self._unit_of_work()

    @contextmanager
    def _unit_of_work(self) -> Iterator[None]:
        before = {name: copy.copy(value) for name, value in vars(self).items() if name != "_depth"}
        self._depth += 1
        try:
            yield
        except BaseException:
            if self._depth == 1:
                vars(self).update(before)
            raise
        finally:
            self._depth -= 1

    # -- memories

    def memories_last_id(self) -> str | None:
        return max(
            [*(memory.id for memory in self._memories.values()), *self._erased.values()],
            default=None,
        )

    def memories_add(self, memory: Memory) -> Memory:
        for name, value in memory.as_dict().items():
            if isinstance(value, str) and "\0" in value:
                raise InvalidInputError(f"{name} contains a NUL character")
        if any(stored.id == memory.id for stored in self._memories.values()):
            raise ConflictError("this id is taken")
        if (memory.scope == "global") != (memory.project == 0):
            raise ConflictError("a global memory has project 0, and no other memory has")
        self._last_memory = key = self._last_memory + 1  # keys of erased memories are not reused
        stored = memory.replace(key=key, head=key, tags=tuple(sorted(set(memory.tags))))
        self._memories[key] = stored
        return memory.replace(key=key, head=key)

    def memories_get(self, keys: Sequence[int]) -> list[Memory]:
        return [self._memories[key] for key in keys if key in self._memories]

    def memories_find(self, reference: str, visible: Visibility | None = None) -> list[Memory]:
        whole, code = read_reference(reference)
        memories = [
            memory
            for memory in self._memories.values()
            if memory.id == whole or (code is not None and code_of(memory.id).startswith(code))
            if visible is None or memory.project in visible.projects
        ]
        return sorted(memories, key=lambda memory: code_of(memory.id))[:10]

    def memories_short_ids(self, keys: Iterable[int]) -> dict[int, str]:
        codes = {key: code_of(memory.id) for key, memory in self._memories.items()}
        return {key: self._shortest(key, codes) for key in keys if key in codes}

    def _shortest(self, key: int, codes: dict[int, str]) -> str:
        code = codes[key]
        for length in range(SHORT_CHARS, CODE_CHARS + 1):
            if not any(
                other_code.startswith(code[:length])
                for owner, other_code in codes.items()
                if owner != key
            ):
                return code[:length][::-1]
        raise AssertionError("two memories have one id")

    def memories_change(self, key: int, **fields: Any) -> None:
        if "tags" in fields:
            fields["tags"] = tuple(sorted(set(fields["tags"])))
        before = self._memories[key].cues
        self._memories[key] = self._memories[key].replace(**fields)
        if before != self._memories[key].cues:
            self._outdate(key)
        if fields.get("forgotten_at") is not None:
            self._drop_vectors(key)

    def memories_supersede(self, old: int, new: int, at: int) -> None:
        head = self._memories[new].head
        self.memories_change(old, superseded_by=new, superseded_at=at)
        for key, memory in list(self._memories.items()):
            if memory.head == old:
                self._memories[key] = memory.replace(head=head)
        self.topics_recompute(head)

    def memories_chain(self, key: int) -> list[Memory]:
        head = self._memories[key].head if key in self._memories else None
        return sorted(
            (memory for memory in self._memories.values() if memory.head == head),
            key=lambda memory: memory.id,
        )

    def memories_erase(self, key: int, keyed_hash: str, at: int) -> None:
        orphans = self._hand_over_details(key)
        erased = self._memories.pop(key)
        self._drop_vectors(key)
        self._erased[keyed_hash] = erased.id
        self._relations = {
            triple: facts
            for triple, facts in self._relations.items()
            if key not in (triple[0], triple[2])
        }
        predecessors = [
            other for other, memory in self._memories.items() if memory.superseded_by == key
        ]
        self._reassign_objective(erased, predecessors)
        for other, memory in list(self._memories.items()):
            if memory.superseded_by == key:  # the version before it gets the one after it
                after = erased.superseded_by
                self.memories_change(
                    other,
                    superseded_by=after,
                    superseded_at=None if after is None else memory.superseded_at,
                )
            if memory.compacted_into == key:
                self.memories_change(other, compacted_into=None)
        for other in self._memories:
            self._memories[other] = self._memories[other].replace(head=self._last_version(other))
        for name, session in self._sessions.items():
            if session.digest == key:
                self._sessions[name] = session.replace(digest=None, digest_refused=True)
        for orphan in orphans:
            self.topics_recompute(orphan)
        self.topics_remove_unused()

    def _last_version(self, key: int) -> int:
        while (successor := self._memories[key].superseded_by) is not None:
            key = successor
        return key

    def memories_is_erased(self, keyed_hash: str) -> bool:
        return keyed_hash in self._erased

    def usage_reinforce(self, keys: Iterable[int], at: int, confidence: float) -> None:
        for key in keys:
            memory = self._memories[key]
            self.memories_change(
                key,
                access_count=memory.access_count + 1,
                last_accessed_at=at,
                last_reinforced_at=at,
                confidence=min(1.0, memory.confidence + confidence),
                archived_at=None,
            )

    def usage_refresh(self, shares: Mapping[int, float], at: int) -> None:
        for key, share in shares.items():
            last = self._memories[key].last_reinforced_at
            if last < at:
                self.memories_change(key, last_reinforced_at=last + int((at - last) * share))

    # -- search

    def search_by_words(
        self, words: Sequence[str], visible: Visibility, filters: Filters, limit: int
    ) -> list[Hit]:
        hits = []
        for memory in self._reachable(visible, filters):
            labels = (*memory.tags, *memory.cues, *self._path_of(memory.topic))
            matched = sum(_contains_word(memory, word, labels) for word in words)
            if matched:
                hits.append(self._hit(memory, float(matched), filters))
        return _first_heads(sorted(hits, key=lambda hit: (-hit.score, hit.key)), limit)

    def search_by_vector(
        self,
        vector: bytes,
        visible: Visibility,
        filters: Filters,
        limit: int,
        model: str | None = None,
    ) -> list[Hit]:
        if model is None and isinstance(vector, ModelVector):
            model = vector.model
        vectors = self.vectors_of(model)
        hits = [
            self._hit(
                memory, max(_cosine(vector, window) for window in vectors[memory.key]), filters
            )
            for memory in self._reachable(visible, filters)
            if memory.key in vectors
        ]
        return _first_heads(sorted(hits, key=lambda hit: (-hit.score, hit.key)), limit)

    def _reachable(self, visible: Visibility, filters: Filters) -> list[Memory]:
        """Return rows, including superseded ones, whose head may be returned."""
        reachable = []
        for memory in self._memories.values():
            head = self._head_of(memory, filters)
            is_forgotten = memory.forgotten_at is not None and not _after(
                memory.forgotten_at, filters
            )
            if (
                not is_forgotten
                and self._is_visible(memory, visible)
                and _exists(head, filters)
                and self._passes(head, visible, filters)
            ):
                reachable.append(memory)
        return reachable

    def _head_of(self, memory: Memory, filters: Filters) -> Memory:
        """Return the memory that a row stands for: its head, itself, or a version."""
        if filters.include_history:
            return memory
        if filters.as_of is None:
            return self._memories[memory.head]
        while memory.superseded_by is not None and memory.superseded_at <= filters.as_of:
            memory = self._memories[memory.superseded_by]
        return memory

    def _hit(self, memory: Memory, score: float, filters: Filters) -> Hit:
        return Hit(key=memory.key, head=self._head_of(memory, filters).key, score=score)

    def _passes(self, memory: Memory, visible: Visibility, filters: Filters) -> bool:
        return (
            self._is_visible(memory, visible)
            and self._of_task(memory, filters)
            and (not filters.types or memory.type in filters.types)
            and (not filters.scopes or memory.scope in filters.scopes)
            and (not filters.tags or not set(filters.tags).isdisjoint(memory.tags))
            and (
                (
                    (filters.since is None or _happened(memory) >= filters.since)
                    and (filters.until is None or _happened(memory) < filters.until)
                )
                or _is_valid_between(memory, filters)
            )
            and memory.confidence >= filters.min_confidence
            and (not filters.trusted_only or memory.provenance not in UNTRUSTED)
        )

    def memories_select(
        self, visible: Visibility, filters: Filters, limit: int, after: PageCursor | None = None
    ) -> list[Memory]:
        memories = [
            memory for memory in self._in_force(filters) if self._passes(memory, visible, filters)
        ]
        memories.sort(key=_sort_key, reverse=True)
        if after is not None:
            at = (after.pinned, after.day, after.importance, after.id)
            memories = [memory for memory in memories if _sort_key(memory) < at]
        return memories[:limit]

    def memories_count(self, visible: Visibility, filters: Filters) -> int:
        return sum(self._passes(memory, visible, filters) for memory in self._in_force(filters))

    def _in_force(self, filters: Filters) -> list[Memory]:
        return [
            memory
            for memory in self._memories.values()
            if _exists(memory, filters)
            and (filters.include_history or self._was_in_force(memory, filters))
        ]

    def _was_in_force(self, memory: Memory, filters: Filters) -> bool:
        """Tell whether a memory is neither superseded nor compacted, now or at that time."""
        if filters.as_of is None:
            return memory.superseded_by is None and memory.compacted_into is None
        summary = self._memories.get(memory.compacted_into or 0)
        return (memory.superseded_at is None or memory.superseded_at > filters.as_of) and (
            summary is None or summary.created_at > filters.as_of
        )

    def memories_most_important(
        self, project: int, types: Sequence[str], limit: int
    ) -> list[Memory]:
        memories: list[Memory] = []
        for kind in types:
            candidates = [
                memory
                for memory in self._in_force(Filters())
                if memory.project == project
                and memory.type == kind
                and memory.provenance not in UNTRUSTED
            ]
            candidates.sort(
                key=lambda memory: (
                    not memory.pinned,
                    -memory.importance,
                    -memory.updated_at,
                    memory.key,
                )
            )
            memories += candidates[:limit]
        return memories

    def memories_last_recalled(
        self, project: int, types: Sequence[str], limit: int
    ) -> list[Memory]:
        recalled = [
            memory
            for memory in self.memories_most_important(project, types, len(self._memories))
            if memory.last_accessed_at is not None
        ]
        return sorted(recalled, key=lambda memory: (-(memory.last_accessed_at or 0), memory.key))[
            :limit
        ]

    def memories_latest_events(self, project: int, limit: int) -> list[Memory]:
        events = self.memories_most_important(project, ["episodic"], len(self._memories))
        events = [memory for memory in events if memory.metadata.get("summary") is not True]
        events.sort(key=lambda memory: memory.id, reverse=True)
        events.sort(key=lambda memory: -memory.created_at)
        return events[:limit]

    def memories_same_text(self, content_hash: str, visible: Visibility) -> list[Memory]:
        return sorted(
            (
                memory
                for memory in self._in_force(Filters())
                if memory.content_hash == content_hash and self._is_visible(memory, visible)
            ),
            key=lambda memory: memory.id,
        )

    def memories_statistics(self, visible: Visibility) -> dict[str, object]:
        memories = [
            memory for memory in self._memories.values() if memory.project in visible.projects
        ]
        active = [memory for memory in memories if memory.in_force and memory.archived_at is None]
        return {
            "total": len(memories),
            "active": len(active),
            "superseded": sum(
                memory.superseded_by is not None and memory.forgotten_at is None
                for memory in memories
            ),
            "forgotten": sum(memory.forgotten_at is not None for memory in memories),
            "archived": sum(
                memory.archived_at is not None and memory.forgotten_at is None
                for memory in memories
            ),
            "compacted": sum(
                memory.compacted_into is not None
                and memory.superseded_by is None
                and memory.forgotten_at is None
                and memory.archived_at is None
                for memory in memories
            ),
            "by_type": _count_by(memory.type for memory in active),
            "by_scope": _count_by(memory.scope for memory in active),
            "relations": self._count_relations(visible),
            "entities": 0,  # the user counts once a memory is about them
            "oldest": min((memory.created_at for memory in memories), default=None),
            "newest": max((memory.created_at for memory in memories), default=None),
            "db_size_bytes": 0,
        }

    # -- projects

    def projects_by_key(self, identity: str) -> Project | None:
        key = self._aliases.get(identity)
        return None if key is None else self._with_aliases(key)

    def projects_list_all(self) -> list[Project]:
        projects = [self._with_aliases(key) for key in self._projects if key > 0]
        return sorted(projects, key=lambda project: (-project.used_at, project.key))

    def projects_add(self, project: Project) -> Project:
        if any(other.identity == project.identity for other in self._projects.values()):
            raise ConflictError("this identity is taken")
        self._last_project += 1
        registered = project.replace(key=self._last_project)
        self._projects[registered.key] = registered
        self._aliases[project.identity] = registered.key
        return self._with_aliases(registered.key)

    def _with_aliases(self, key: int) -> Project:
        return self._projects[key].replace(aliases=tuple(self.projects_aliases(key)))

    def projects_add_alias(self, project: int, identity: str) -> None:
        self._aliases[identity] = project

    def projects_aliases(self, project: int) -> list[str]:
        return sorted(identity for identity, owner in self._aliases.items() if owner == project)

    def projects_change(self, key: int, **fields: Any) -> None:
        if "provisional" in fields:
            fields["provisional"] = bool(fields["provisional"])
        self._projects[key] = self._projects[key].replace(**fields)

    def projects_merge(self, source: int, target: int) -> int:
        self._move_topics(source, target)
        self._merge_tasks(source, target)
        moved = [key for key, memory in self._memories.items() if memory.project == source]
        for key in moved:
            self.memories_change(key, project=target)
        self._recompute_strays(target)
        for key, memory in list(self._memories.items()):
            if memory.origin_project == source:
                self._memories[key] = memory.replace(origin_project=target)
        for name, session in self._sessions.items():
            if session.project == source:
                self._sessions[name] = session.replace(project=target)
        for identity, owner in self._aliases.items():
            if owner == source:
                self._aliases[identity] = target
        name = self._projects.pop(source).name
        self._aliases.setdefault("name:" + " ".join(name.casefold().split()), target)
        return len(moved)

    # -- sessions

    def sessions_get(self, session_id: str) -> Session | None:
        return self._sessions.get(session_id)

    def sessions_put(self, session: Session) -> None:
        self._sessions[session.id] = session

    def sessions_of_client(self, pid: int, start: int | None, limit: int) -> list[Session]:
        sessions = [
            session
            for session in self._sessions.values()
            if session.client_pid == pid and session.client_start == start
        ]
        return sorted(sessions, key=lambda session: (session.opened_at, session.id), reverse=True)[
            :limit
        ]

    def sessions_list_open(self) -> list[Session]:
        sessions = [session for session in self._sessions.values() if session.ended_at is None]
        return sorted(sessions, key=lambda session: (session.started_at, session.id))

    def sessions_list_shown(self, project: int | None, limit: int) -> list[Session]:
        sessions = [
            session
            for session in self._sessions.values()
            if project in (None, session.project) and session.shown_at is not None
        ]
        return sorted(sessions, key=lambda session: (session.shown_at, session.id), reverse=True)[
            :limit
        ]


def _happened(memory: Memory) -> int:
    return memory.created_at if memory.event_at is None else memory.event_at


def _sort_key(memory: Memory) -> tuple[bool, int, float, str]:
    cursor = PageCursor.of(memory)
    return (cursor.pinned, cursor.day, cursor.importance, cursor.id)


def _contains_word(memory: Memory, word: str, labels: tuple[str, ...]) -> bool:
    word_tokens = _tokens(word)
    columns = (
        memory.content,
        memory.summary or "",
        index_terms(memory.content, memory.summary, labels),
    )
    return bool(word_tokens) and any(
        tokens[start : start + len(word_tokens)] == word_tokens
        for tokens in map(_tokens, columns)
        for start in range(len(tokens))
    )


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _after(at: int, filters: Filters) -> bool:
    return filters.as_of is not None and at > filters.as_of


def _exists(memory: Memory, filters: Filters) -> bool:
    """Tell whether a memory is stored and not archived or forgotten, now or at that time."""
    return (
        (filters.as_of is None or memory.created_at <= filters.as_of)
        and (memory.forgotten_at is None or _after(memory.forgotten_at, filters))
        and (
            memory.archived_at is None
            or filters.include_archived
            or _after(memory.archived_at, filters)
        )
    )


def _first_heads(hits: list[Hit], limit: int) -> list[Hit]:
    heads: set[int] = set()
    for position, hit in enumerate(hits):
        heads.add(hit.head)
        if len(heads) == limit:
            return hits[: position + 1]
    return hits


def _cosine(left: bytes, right: bytes) -> float:
    read = struct.Struct(f"<{len(left) // 4}f").unpack
    a, b = read(left), read(right)
    product: float = sum(x * y for x, y in zip(a, b, strict=True))
    lengths: float = (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5
    return product / lengths


def _count_by(values: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return counts


def _is_valid_between(memory: Memory, filters: Filters) -> bool:
    start, end, stored = memory.valid_from, memory.valid_to, memory.created_at
    if not filters.or_valid or filters.until is None or memory.type == "episodic":
        return False
    if end is None and (start is None or abs(start - stored) < DAY_MS):
        return False
    if start is None:
        start = 0 if end < stored else stored
    return start < filters.until and (end is None or end >= (filters.since or 0))
