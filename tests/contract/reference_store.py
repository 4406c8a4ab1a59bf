"""The store as a model: dictionaries, no index, no file. What it answers is right by inspection.

Here: an in-memory ``Store`` that the contract suite and the state machine hold the SQLite store to.
Words: tokens are compared whole, so it knows nothing of stems; suites use words that are their own
stems. Scores of words are the number of terms matched, not BM25.
"""

from __future__ import annotations

import copy
import json
import re
import struct
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.model.embedding_model import ModelVector
from aforesaid.domain.model.ids import CODE_CHARS, SHORT_CHARS, code_of, read_reference
from aforesaid.domain.model.inspection import LogLine, StorageDetails
from aforesaid.domain.model.memory import (
    Filters,
    Hit,
    Memory,
    PageCursor,
    Project,
    Session,
    SessionNeighbours,
    Visibility,
)
from aforesaid.domain.projects.detection import KEPT_COMMITS
from aforesaid.domain.retrieval.term_matching import is_edit_distance_one
from aforesaid.domain.text.hashing import content_hash
from aforesaid.domain.text.tokenize import index_terms, spelt_words
from contract.reference_anchors import ReferenceAnchors
from contract.reference_entities import ReferenceEntities
from contract.reference_extractions import ReferenceExtractions
from contract.reference_import_items import ReferencePieces
from contract.reference_models import ReferenceModels
from contract.reference_relations import ReferenceRelations
from contract.reference_runs import ReferenceRuns
from contract.reference_tasks import ReferenceTasks
from contract.reference_topics import ReferenceTopics

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from aforesaid.domain.model.anchor import Anchor
    from aforesaid.domain.model.extraction_progress import ExtractionProgress
    from aforesaid.domain.model.import_item import ImportedItem
    from aforesaid.domain.model.task import Task
    from aforesaid.domain.model.text_fields import StoredText
    from aforesaid.domain.model.topic import Topic

from contextlib import contextmanager

DAY_MS = 86_400_000
UNTRUSTED = ("tool", "import")
GLOBAL = Project(key=0, identity="global", name="global")


REPOSITORIES = frozenset(
    """memories topics search session_order relations usage inspection tasks entities anchors
    import_items projects sessions extractions models runs maintenance neighbours suggestions
    texts erasure dump""".split()  # noqa: SIM905 - a list of names reads better so
)


class Repository:
    """One part of the model store: its ``get`` is the model's ``memories_get``, and so on."""

    def __init__(self, store: ReferenceStore, name: str) -> None:
        self._store = store
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, f"{self._name}_{name}")


class ReferenceStore(
    ReferenceTopics,
    ReferenceRelations,
    ReferenceTasks,
    ReferenceEntities,
    ReferenceAnchors,
    ReferenceExtractions,
    ReferencePieces,
    ReferenceModels,
    ReferenceRuns,
):
    """Memories in their tree, relations, tasks, entities, projects, sessions in dictionaries."""

    search_has_vectors = True

    def __init__(self) -> None:
        self._memories: dict[int, Memory] = {}
        self._start_models()
        self._erased: dict[str, str] = {}
        self._meta = {"install_secret": "0" * 64}
        self._projects: dict[int, Project] = {0: GLOBAL}
        self._aliases: dict[str, int] = {}
        self._commits: dict[int, dict[str, int]] = {}
        self._sessions: dict[str, Session] = {}
        self._relations: dict[tuple[int, str, int], tuple[float, int]] = {}
        self._weighed: dict[tuple[int, str, int], int] = {}
        self._topics: dict[int, Topic] = {}
        self._tasks: dict[int, Task] = {}
        self._anchors: dict[int, list[Anchor]] = {}
        self._extractions: dict[str, ExtractionProgress] = {}
        self._pieces: dict[str, ImportedItem] = {}
        self._start_entities()
        self._start_runs()
        self._last_memory = 0
        self._last_project = 0
        self._depth = 0
        self.log: list[tuple[str, str | None, int, dict[str, object]]] = []

    def __getattr__(self, name: str) -> Repository:
        if name not in REPOSITORIES:
            raise AttributeError(name)
        return Repository(self, name)

    # -- all or nothing

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
            [*(one.id for one in self._memories.values()), *self._erased.values()], default=None
        )

    def memories_add(self, memory: Memory) -> Memory:
        for name, value in memory.as_dict().items():
            if isinstance(value, str) and "\0" in value:
                raise InvalidInputError(f"{name} holds a NUL character")
        if any(one.id == memory.id for one in self._memories.values()):
            raise ConflictError("this id is taken")
        if (memory.scope == "global") != (memory.project == 0):
            raise ConflictError("what is global belongs to no project, and the reverse")
        self._last_memory = key = self._last_memory + 1  # of what is erased none is used again
        stored = memory.replace(key=key, head=key, tags=tuple(sorted(set(memory.tags))))
        self._memories[key] = stored
        return memory.replace(key=key, head=key)

    def memories_get(self, keys: Sequence[int]) -> list[Memory]:
        return [self._memories[key] for key in keys if key in self._memories]

    def memories_find(self, reference: str, visible: Visibility | None = None) -> list[Memory]:
        whole, code = read_reference(reference)
        found = [
            one
            for one in self._memories.values()
            if one.id == whole or (code is not None and code_of(one.id).startswith(code))
            if visible is None or one.project in visible.projects
        ]
        return sorted(found, key=lambda one: code_of(one.id))[:10]

    def memories_short_ids(self, keys: Iterable[int]) -> dict[int, str]:
        codes = {key: code_of(one.id) for key, one in self._memories.items()}
        return {key: self._shortest(key, codes) for key in keys if key in codes}

    def _shortest(self, key: int, codes: dict[int, str]) -> str:
        mine = codes[key]
        for length in range(SHORT_CHARS, CODE_CHARS + 1):
            if not any(
                other.startswith(mine[:length]) for owner, other in codes.items() if owner != key
            ):
                return mine[:length][::-1]
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
        for key, one in list(self._memories.items()):
            if one.head == old:
                self._memories[key] = one.replace(head=head)
        self.topics_recompute(head)

    def memories_in_force_after(self, project: int, key: int, limit: int) -> list[Memory]:
        found = [self._memories[one] for one in sorted(self._memories) if one > key]
        return [one for one in found if one.project == project and one.in_force][:limit]

    def memories_chain(self, key: int) -> list[Memory]:
        head = self._memories[key].head if key in self._memories else None
        return sorted(
            (one for one in self._memories.values() if one.head == head), key=lambda one: one.id
        )

    def memories_erase(self, key: int, keyed_hash: str, at: int) -> None:
        free = self._hand_over_details(key)
        gone = self._memories.pop(key)
        self._drop_vectors(key)
        self._erased[keyed_hash] = gone.id
        self._anchors.pop(key, None)
        self._relations = {
            triple: facts
            for triple, facts in self._relations.items()
            if key not in (triple[0], triple[2])
        }
        before = [other for other, one in self._memories.items() if one.superseded_by == key]
        self._hand_on(gone, before)
        for other, one in list(self._memories.items()):
            if one.superseded_by == key:  # what it replaced is replaced by what replaced it
                after = gone.superseded_by
                self.memories_change(
                    other,
                    superseded_by=after,
                    superseded_at=None if after is None else one.superseded_at,
                )
            if one.compacted_into == key:
                self.memories_change(other, compacted_into=None)
        for other in self._memories:
            self._memories[other] = self._memories[other].replace(head=self._end_of(other))
        for name, session in self._sessions.items():
            if session.digest == key:
                self._sessions[name] = session.replace(digest=None, digest_refused=True)
        for one in free:
            self.topics_recompute(one)
        self.topics_remove_unused()

    def _end_of(self, key: int) -> int:
        while (following := self._memories[key].superseded_by) is not None:
            key = following
        return key

    def memories_is_erased(self, keyed_hash: str) -> bool:
        return keyed_hash in self._erased

    def clean_file(self) -> bool:
        return True

    def finish_cleaning(self) -> None:
        return

    def keep_copy(self, reason: str) -> str:
        return ""

    # -- what quotes memories

    def erasure_memories_quoting(self, phrases: object, tags: object) -> list[int]:
        return sorted(self._memories)

    def erasure_details_quoting(self, marks: object) -> list[int]:
        return []

    def erasure_links_quoting(self, marks: object) -> list[tuple[int, int, str]]:
        return []

    def erasure_names_in_use(self) -> list[str]:
        return []

    def texts_at(self, one: StoredText) -> str | None:
        if one.table == "tasks":
            return getattr(self._tasks[one.key[0]], one.column)
        [memory] = self.memories_get([one.key[0]])
        value = getattr(memory, one.column)
        return json.dumps(value) if one.is_json else value

    def texts_rewrite(self, one: StoredText, text: str, *, keep_journal: bool = False) -> None:
        if one.table == "tasks":
            [task] = self.tasks_get([one.key[0]])
            self.tasks_put(task.replace(**{one.column: text}))
            return
        value = json.loads(text) if one.is_json else text or None
        self.memories_change(one.key[0], **{one.column: value})
        if one.column == "content":
            self.memories_change(one.key[0], content_hash=content_hash(text))
            self._drop_vectors(one.key[0])

    def erasure_edit_records(self) -> list[tuple[int, dict[str, Any]]]:
        return []

    def erasure_set_record(self, number: int, details: dict[str, Any]) -> None:
        raise AssertionError("no record was returned by edit_records")

    def erasure_task_is_used(self, task: int) -> bool:
        return any(one.task == task for one in self._memories.values())

    def erasure_remove_task(self, task: int) -> None:
        self._tasks = {key: one for key, one in self._tasks.items() if key != task}

    def erasure_refuse_again(self, hashes: Iterable[str], memory_id: str, at: int) -> None:
        self._erased |= {one: memory_id for one in hashes if one not in self._erased}

    def erasure_purge(self, marks: object) -> int:
        return 0

    def erasure_count_quotes(self, marks: object) -> int:
        return 0

    def erasure_files_holding(self, marks: object, beside: Sequence[str] = ()) -> list[str]:
        return []

    def erasure_rows_holding(self, marks: object) -> list[str]:
        return []

    def compact_file(self) -> bool:
        return True

    def erasure_copies(self) -> list[str]:
        return []

    def erasure_copies_holding(self, marks: object) -> list[str]:
        return []

    def erasure_remove_copies(self, paths: Sequence[str]) -> list[str]:
        return []

    def usage_reinforce(self, keys: Iterable[int], at: int, confidence: float) -> None:
        for key in keys:
            one = self._memories[key]
            self.memories_change(
                key,
                access_count=one.access_count + 1,
                last_accessed_at=at,
                last_reinforced_at=at,
                confidence=min(1.0, one.confidence + confidence),
                archived_at=None,
            )

    def usage_refresh(self, shares: Mapping[int, float], at: int) -> None:
        for key, share in shares.items():
            last = self._memories[key].last_reinforced_at
            if last < at:
                self.memories_change(key, last_reinforced_at=last + int((at - last) * share))

    def inspection_traces(self, key: int) -> StorageDetails:
        return StorageDetails(
            windows={
                model: len(windows)
                for (memory, model), windows in sorted(self._vectors.items())
                if memory == key and windows
            }
        )

    def inspection_log_of(self, memory_id: str, limit: int) -> list[LogLine]:
        found = [
            LogLine(at=at, operation=operation, details=details)
            for operation, memory, at, details in self.log
            if memory == memory_id
        ]
        return found[-limit:]

    def memories_record(self, operation: str, key: int | None, at: int, **details: object) -> None:
        memory = self._memories.get(key or 0)
        self.log = [*self.log, (operation, memory.id if memory else None, at, details)]

    # -- finding

    def search_by_words(
        self, words: Sequence[str], visible: Visibility, filters: Filters, limit: int
    ) -> list[Hit]:
        hits = []
        for one in self._reachable(visible, filters):
            labels = (*one.tags, *one.cues, *self._path_of(one.topic))
            matched = sum(_holds(one, word, labels) for word in words)
            if matched:
                hits.append(self._hit(one, float(matched), filters))
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
        made = self.vectors_of(model)
        hits = [
            self._hit(one, max(_cosine(vector, window) for window in made[one.key]), filters)
            for one in self._reachable(visible, filters)
            if one.key in made
        ]
        return _first_heads(sorted(hits, key=lambda hit: (-hit.score, hit.key)), limit)

    def search_near_words(self, words: Sequence[str], visible: Visibility) -> dict[str, list[str]]:
        seen = {
            word
            for one in self._memories.values()
            if one.project in visible.projects and one.forgotten_at is None
            for text in (one.content, one.summary or "")
            for word in spelt_words(text)
        }
        found = {}
        for word in words:
            near = sorted(
                (one for one in seen if is_edit_distance_one(word, one)),
                key=lambda one: (one[0] != word[0], len(one) != len(word), one),
            )
            if near and word not in seen:
                found[word] = near[:3]
        return found

    def search_pair_cosines(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
        made = self.vectors_of(None)
        return {
            (one, other): _cosine(made[one][0], made[other][0])
            for one, other in pairs
            if one in made and other in made
        }

    def search_near_duplicates(
        self,
        vector: bytes,
        visible: Visibility,
        filters: Filters,
        floor: float,
        limit: int,
        model: str | None = None,
    ) -> list[Hit]:
        near = self.search_by_vector(vector, visible, filters, len(self._memories), model)
        return [hit for hit in near if hit.score > floor and hit.key == hit.head][:limit]

    def _reachable(self, visible: Visibility, filters: Filters) -> list[Memory]:
        """Return rows, superseded ones too, whose head may be returned."""
        found = []
        for one in self._memories.values():
            standing = self._standing(one, filters)
            gone = one.forgotten_at is not None and not _after(one.forgotten_at, filters)
            if (
                not gone
                and self._seen(one, visible)
                and _present(standing, filters)
                and self._passes(standing, visible, filters)
            ):
                found.append(one)
        return found

    def _standing(self, one: Memory, filters: Filters) -> Memory:
        """Return what stands for a row: its head, itself in history, or its version as of then."""
        if filters.history:
            return one
        if filters.as_of is None:
            return self._memories[one.head]
        while one.superseded_by is not None and one.superseded_at <= filters.as_of:
            one = self._memories[one.superseded_by]
        return one

    def session_order_neighbours(
        self, keys: Sequence[int], visible: Visibility, filters: Filters, reach: int
    ) -> list[SessionNeighbours]:
        told = [one for one in self._in_force(filters) if self._passes(one, visible, filters)]
        found = []
        for key in sorted(set(keys) & set(self._memories)):
            session = self._memories[key].session
            if session is not None:
                mates = sorted(one.key for one in told if one.session == session)
                found.append(
                    SessionNeighbours(
                        key=key,
                        session=session,
                        before=tuple([one for one in mates if one < key][::-1][:reach]),
                        after=tuple([one for one in mates if one > key][:reach]),
                    )
                )
        return found

    def session_order_texts(self, keys: Sequence[int]) -> dict[int, str]:
        kept = [self._memories[key] for key in keys if key in self._memories]
        return {
            one.key: one.content[:4_000] + (f"\n{one.summary}" if one.summary else "")
            for one in kept
        }

    def _hit(self, one: Memory, score: float, filters: Filters) -> Hit:
        return Hit(key=one.key, head=self._standing(one, filters).key, score=score)

    def _passes(self, one: Memory, visible: Visibility, filters: Filters) -> bool:
        about = one.entity is not None and self._entity_head(one.entity) in filters.entities
        return (
            self._seen(one, visible)
            and (about or not filters.entities)
            and self._of_task(one, filters)
            and (not filters.types or one.type in filters.types)
            and (not filters.scopes or one.scope in filters.scopes)
            and (not filters.tags or not set(filters.tags).isdisjoint(one.tags))
            and (filters.since is None or _happened(one) >= filters.since)
            and (filters.until is None or _happened(one) < filters.until)
            and one.confidence >= filters.min_confidence
            and (not filters.trusted or one.provenance not in UNTRUSTED)
        )

    def memories_select(
        self, visible: Visibility, filters: Filters, limit: int, after: PageCursor | None = None
    ) -> list[Memory]:
        found = [one for one in self._in_force(filters) if self._passes(one, visible, filters)]
        found.sort(key=_standing, reverse=True)
        if after is not None:
            at = (after.pinned, after.day, after.importance, after.id)
            found = [one for one in found if _standing(one) < at]
        return found[:limit]

    def memories_count(self, visible: Visibility, filters: Filters) -> int:
        return sum(self._passes(one, visible, filters) for one in self._in_force(filters))

    def _in_force(self, filters: Filters) -> list[Memory]:
        return [
            one
            for one in self._memories.values()
            if _present(one, filters) and (filters.history or self._stood(one, filters))
        ]

    def _stood(self, one: Memory, filters: Filters) -> bool:
        """Tell whether nothing had replaced or summed up a memory, now or as of then."""
        if filters.as_of is None:
            return one.superseded_by is None and one.compacted_into is None
        summary = self._memories.get(one.compacted_into or 0)
        return (one.superseded_at is None or one.superseded_at > filters.as_of) and (
            summary is None or summary.created_at > filters.as_of
        )

    def memories_most_important(
        self, project: int, types: Sequence[str], limit: int
    ) -> list[Memory]:
        found: list[Memory] = []
        for kind in types:
            mine = [
                one
                for one in self._in_force(Filters())
                if one.project == project and one.type == kind and one.provenance not in UNTRUSTED
            ]
            mine.sort(key=lambda one: (not one.pinned, -one.importance, -one.updated_at, one.key))
            found += mine[:limit]
        return found

    def memories_last_recalled(
        self, project: int, types: Sequence[str], limit: int
    ) -> list[Memory]:
        mine = [
            one
            for one in self.memories_most_important(project, types, len(self._memories))
            if one.last_accessed_at is not None
        ]
        return sorted(mine, key=lambda one: (-(one.last_accessed_at or 0), one.key))[:limit]

    def memories_latest_events(self, project: int, limit: int) -> list[Memory]:
        events = self.memories_most_important(project, ["episodic"], len(self._memories))
        events = [one for one in events if one.metadata.get("summary") is not True]
        events.sort(key=lambda one: one.id, reverse=True)
        events.sort(key=lambda one: -one.created_at)
        return events[:limit]

    def search_triggers(self, visible: Visibility, limit: int) -> list[tuple[int, str]]:
        wanted = Filters(types=("procedural",), trusted=True)
        found = [one for one in self._in_force(wanted) if self._passes(one, visible, wanted)]
        found.sort(key=lambda one: -one.key)
        named = [(one.key, one.metadata.get("trigger")) for one in found]
        return [(key, told) for key, told in named if isinstance(told, str)][:limit]

    def memories_same_text(self, content_hash: str, visible: Visibility) -> list[Memory]:
        return sorted(
            (
                one
                for one in self._in_force(Filters())
                if one.content_hash == content_hash and self._seen(one, visible)
            ),
            key=lambda one: one.id,
        )

    def memories_statistics(self, visible: Visibility) -> dict[str, object]:
        mine = [one for one in self._memories.values() if one.project in visible.projects]
        active = [one for one in mine if one.in_force and one.archived_at is None]
        return {
            "total": len(mine),
            "active": len(active),
            "superseded": sum(
                one.superseded_by is not None and one.forgotten_at is None for one in mine
            ),
            "forgotten": sum(one.forgotten_at is not None for one in mine),
            "archived": sum(
                one.archived_at is not None and one.forgotten_at is None for one in mine
            ),
            "by_type": _counted(one.type for one in active),
            "by_scope": _counted(one.scope for one in active),
            "relations": self._count_relations(visible),
            "entities": len(self.entities_list_visible(visible)),
            "oldest": min((one.created_at for one in mine), default=None),
            "newest": max((one.created_at for one in mine), default=None),
            "db_size_bytes": 0,
        }

    def meta(self, name: str) -> str | None:
        return self._meta.get(name)

    def set_meta(self, name: str, value: str) -> None:
        self._meta[name] = value

    # -- projects

    def projects_get(self, key: int) -> Project | None:
        return self._projects.get(key)

    def projects_by_key(self, identity: str) -> Project | None:
        return self._projects.get(self._aliases.get(identity, -1))

    def projects_list_all(self) -> list[Project]:
        known = [project for key, project in self._projects.items() if key > 0]
        return sorted(known, key=lambda project: (-project.used_at, project.key))

    def projects_add(self, project: Project) -> Project:
        if any(one.identity == project.identity for one in self._projects.values()):
            raise ConflictError("this identity is taken")
        self._last_project += 1
        registered = project.replace(key=self._last_project)
        self._projects[registered.key] = registered
        self._aliases[project.identity] = registered.key
        return registered

    def projects_add_alias(self, project: int, identity: str) -> None:
        self._aliases[identity] = project

    def projects_remove_alias(self, identity: str) -> None:
        self._aliases.pop(identity, None)

    def projects_aliases(self, project: int) -> list[str]:
        return sorted(identity for identity, owner in self._aliases.items() if owner == project)

    def projects_change(self, key: int, **fields: Any) -> None:
        if "provisional" in fields:
            fields["provisional"] = bool(fields["provisional"])
        self._projects[key] = self._projects[key].replace(**fields)

    def projects_commits(self, project: int) -> list[str]:
        known = self._commits.get(project, {})
        return sorted(known, key=lambda commit: (-known[commit], commit))

    def projects_add_commits(self, project: int, commits: Sequence[str], at: int) -> None:
        known = self._commits.setdefault(project, {})
        for commit in commits:
            known.setdefault(commit, at)
        first, last = KEPT_COMMITS
        ordered = sorted(known, key=lambda commit: (known[commit], commit))
        for commit in ordered[first : max(len(ordered) - last, first)]:
            del known[commit]

    def projects_merge(self, source: int, target: int) -> int:
        self._move_topics(source, target)
        self._merge_tasks(source, target)
        moved = [key for key, one in self._memories.items() if one.project == source]
        for key in moved:
            self.memories_change(key, project=target)
        self._settle_strays(target)
        for key, one in list(self._memories.items()):
            if one.origin_project == source:
                self._memories[key] = one.replace(origin_project=target)
        for name, session in self._sessions.items():
            if session.project == source:
                self._sessions[name] = session.replace(project=target)
        self._fold_entities(source, target)
        for identity, owner in self._aliases.items():
            if owner == source:
                self._aliases[identity] = target
        self._commits.setdefault(target, {}).update(self._commits.pop(source, {}))
        del self._projects[source]
        return len(moved)

    # -- sessions

    def sessions_get(self, session_id: str) -> Session | None:
        return self._sessions.get(session_id)

    def sessions_put(self, session: Session) -> None:
        self._sessions[session.id] = session

    def sessions_spend(self, session_id: str, **counted: int) -> None:
        one = self._sessions.get(session_id)
        if one is not None:
            added = {name: getattr(one, name) + count for name, count in counted.items()}
            self._sessions[session_id] = one.replace(**added)

    def sessions_of_client(self, pid: int, start: int | None, limit: int) -> list[Session]:
        mine = [
            one
            for one in self._sessions.values()
            if one.client_pid == pid and one.client_start == start
        ]
        return sorted(mine, key=lambda one: (one.opened_at, one.id), reverse=True)[:limit]

    def sessions_list_open(self) -> list[Session]:
        waiting = [one for one in self._sessions.values() if one.ended_at is None]
        return sorted(waiting, key=lambda one: (one.started_at, one.id))

    def sessions_list_shown(self, project: int, limit: int) -> list[Session]:
        shown = [
            one
            for one in self._sessions.values()
            if one.project == project and one.shown_at is not None
        ]
        return sorted(shown, key=lambda one: (one.shown_at, one.id), reverse=True)[:limit]

    def sessions_list_from(self, first_line: str, limit: int) -> list[Session]:
        found = [one for one in self._sessions.values() if one.first_line == first_line]
        return sorted(found, key=lambda one: one.id)[:limit]

    def close(self) -> None:
        return


def _happened(one: Memory) -> int:
    return one.created_at if one.event_at is None else one.event_at


def _standing(one: Memory) -> tuple[bool, int, float, str]:
    at = PageCursor.of(one)
    return (at.pinned, at.day, at.importance, at.id)


def _holds(one: Memory, word: str, labels: tuple[str, ...]) -> bool:
    """Tell whether a column holds the tokens of a word in a row."""
    wanted = _tokens(word)
    columns = (one.content, one.summary or "", index_terms(one.content, one.summary, labels))
    return bool(wanted) and any(
        tokens[start : start + len(wanted)] == wanted
        for tokens in map(_tokens, columns)
        for start in range(len(tokens))
    )


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _after(at: int, filters: Filters) -> bool:
    return filters.as_of is not None and at > filters.as_of


def _present(one: Memory, filters: Filters) -> bool:
    """Tell whether a memory was stored and not set aside, now or as of then."""
    return (
        (filters.as_of is None or one.created_at <= filters.as_of)
        and (one.forgotten_at is None or _after(one.forgotten_at, filters))
        and (one.archived_at is None or filters.archived or _after(one.archived_at, filters))
    )


def _first_heads(hits: list[Hit], limit: int) -> list[Hit]:
    """Return hits up to the one that brings the last of ``limit`` heads."""
    heads: set[int] = set()
    for position, hit in enumerate(hits):
        heads.add(hit.head)
        if len(heads) == limit:
            return hits[: position + 1]
    return hits


def _cosine(one: bytes, other: bytes) -> float:
    read = struct.Struct(f"<{len(one) // 4}f").unpack
    a, b = read(one), read(other)
    product: float = sum(x * y for x, y in zip(a, b, strict=True))
    lengths: float = (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5
    return product / lengths


def _counted(values: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return counts
