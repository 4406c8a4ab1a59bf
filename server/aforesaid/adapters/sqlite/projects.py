"""Rows of projects and their keys, and of sessions."""

from __future__ import annotations

from aforesaid.domain.model.memory import Project, Session
from aforesaid.domain.projects.detection import KEPT_COMMITS
from aforesaid.domain.text.lean_json import read_json, write_json

from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


_PROJECT = (
    "key", "identity", "name", "description", "keywords", "root", "remote", "provisional",
    "asked_at", "created_at", "used_at",
)  # fmt: skip
_SELECT_PROJECT = (
    "SELECT "
    + ", ".join(f"p.{name}" for name in _PROJECT)
    + ", (SELECT group_concat(a.identity, char(10)) FROM project_aliases a WHERE a.project = p.key)"
    " FROM projects p"
)
_SESSION = (
    "id", "client_pid", "client_start", "project", "chosen_project", "folder", "transcript_path",
    "branch", "started_at", "opened_at", "forked_at", "ended_at", "bytes_ingested", "digest",
    "digest_refused", "shown", "shown_at", "shown_tokens", "subagents", "subagent_tokens",
    "recalled_tokens", "first_line", "project_dir", "awaited_digests",
)  # fmt: skip
_SELECT_SESSION = "SELECT " + ", ".join(_SESSION) + " FROM sessions"
#: An upsert, so that columns of a newer version, whose processes may run too, keep their values.
_PUT_SESSION = (
    f"INSERT INTO sessions ({', '.join(_SESSION)}) VALUES ({', '.join('?' * len(_SESSION))}) "
    "ON CONFLICT (id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _SESSION[1:])
)


class ProjectRepository(SqliteRepository):
    """The projects of the store."""

    def get(self, key: int) -> Project | None:
        """Return a project by its database key."""
        return _first_project(self._db.rows(f"{_SELECT_PROJECT} WHERE p.key = ?", (key,)))

    def by_key(self, identity: str) -> Project | None:
        """Return the project that a project key identifies."""
        rows = self._db.rows(
            f"{_SELECT_PROJECT} JOIN project_aliases a ON a.project = p.key WHERE a.identity = ?",
            (identity,),
        )
        return _first_project(rows)

    def list_all(self) -> list[Project]:
        """Return all projects except global, most recently used first."""
        rows = self._db.rows(f"{_SELECT_PROJECT} WHERE p.key > 0 ORDER BY p.used_at DESC, p.key")
        return [_to_project(row) for row in rows]

    def add(self, project: Project) -> Project:
        """Register a project under its identity; return it with its database key."""
        key = self._db.insert(
            "INSERT INTO projects (identity, name, description, keywords, root, remote, "
            "provisional, asked_at, created_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                project.identity, project.name, project.description,
                _json(project.keywords), project.root, project.remote, project.provisional,
                project.asked_at, project.created_at, project.used_at,
            ),
        )  # fmt: skip
        self.add_alias(key, project.identity)
        return project.replace(key=key, aliases=(project.identity,))

    def add_alias(self, project: int, identity: str) -> None:
        """Make a project key identify this project from now on."""
        self._db.rows(
            "INSERT OR REPLACE INTO project_aliases (identity, project) VALUES (?, ?)",
            (identity, project),
        )

    def remove_alias(self, identity: str) -> None:
        """Make a project key identify no project any more."""
        self._db.rows("DELETE FROM project_aliases WHERE identity = ?", (identity,))

    def aliases(self, project: int) -> list[str]:
        """Return every key that identifies the project, sorted."""
        rows = self._db.rows(
            "SELECT identity FROM project_aliases WHERE project = ? ORDER BY identity", (project,)
        )
        return [identity for (identity,) in rows]

    def change(self, key: int, **fields: Any) -> None:
        """Set columns of a project."""
        if "keywords" in fields:
            fields["keywords"] = _json(fields["keywords"])
        assignments = ", ".join(f"{name} = ?" for name in fields)
        self._db.rows(
            f"UPDATE projects SET {assignments} WHERE key = ?",
            (*fields.values(), key),
        )

    def commits(self, project: int) -> list[str]:
        """Return the commits that identify a project's repositories, newest first."""
        rows = self._db.rows(
            "SELECT commit_id FROM project_commits WHERE project = ? "
            "ORDER BY seen_at DESC, commit_id",
            (project,),
        )
        return [commit for (commit,) in rows]

    def add_commits(self, project: int, commits: Sequence[str], at: int) -> None:
        """Record commits of a project's repositories; keep the first and the last ones."""
        self._db.many(
            "INSERT OR IGNORE INTO project_commits VALUES (?, ?, ?)",
            [(project, commit, at) for commit in commits],
        )
        self._db.rows(
            "DELETE FROM project_commits WHERE project = ?1 AND commit_id IN (SELECT commit_id "
            "FROM (SELECT commit_id, row_number() OVER (ORDER BY seen_at, commit_id) AS place, "
            "count(*) OVER () AS total FROM project_commits WHERE project = ?1) "
            "WHERE place > ?2 AND place <= total - ?3)",
            (project, *KEPT_COMMITS),
        )

    def merge(self, source: int, target: int) -> int:
        """Move everything of a project to another; return the number of moved memories."""
        self._store.topics.move(source, target)
        moved = self._merge_rows(source, target)
        self._store.topics.recompute_strays(target)
        return moved

    def _merge_rows(self, source: int, target: int) -> int:
        keys = [
            key for (key,) in self._db.rows("SELECT key FROM memories WHERE project = ?", (source,))
        ]
        for start in range(0, len(keys), 500):
            self._store.vectors.move(keys[start : start + 500], target)
        # tasks of the same id become one
        self._db.rows(
            "UPDATE memories SET task = twins.kept FROM (SELECT s.key AS gone, t.key AS kept "
            "FROM tasks s JOIN tasks t USING (task_id) WHERE s.project = ? AND t.project = ?) "
            "AS twins WHERE memories.task = twins.gone",
            (source, target),
        )
        self._db.rows(
            "UPDATE tasks SET objective = (SELECT s.objective FROM tasks s WHERE s.project = ?1 "
            "AND s.task_id = tasks.task_id) WHERE project = ?2 AND objective IS NULL",
            (source, target),
        )
        self._db.rows(
            "DELETE FROM tasks WHERE project = ? AND task_id IN "
            "(SELECT task_id FROM tasks WHERE project = ?)",
            (source, target),
        )
        from .entities import fold_entities  # no hook merges

        fold_entities(self._db, source, target)
        for table in ("memories", "tasks", "sessions"):
            self._db.rows(
                f"UPDATE {table} SET project = ? WHERE project = ?",
                (target, source),
            )
        self._db.rows(
            "UPDATE memories SET origin_project = ? WHERE origin_project = ?", (target, source)
        )
        self._db.rows("UPDATE project_aliases SET project = ? WHERE project = ?", (target, source))
        self._db.rows(
            "UPDATE OR IGNORE project_commits SET project = ? WHERE project = ?", (target, source)
        )
        self._db.rows(
            "UPDATE OR IGNORE suggestions SET project = ? WHERE project = ?", (target, source)
        )
        self._db.rows("DELETE FROM suggestions WHERE project = ?", (source,))
        name = self._db.value("SELECT name FROM projects WHERE key = ?", (source,))
        self._db.rows(
            "INSERT OR IGNORE INTO project_aliases VALUES (?, ?)",
            ("name:" + " ".join(name.casefold().split()), target),
        )
        self._db.rows("DELETE FROM projects WHERE key = ?", (source,))
        return len(keys)


class SessionRepository(SqliteRepository):
    """The sessions of the store."""

    def get(self, session_id: str) -> Session | None:
        """Return a session by the client's id."""
        return _first_session(self._db.rows(f"{_SELECT_SESSION} WHERE id = ?", (session_id,)))

    def put(self, session: Session) -> None:
        """Store a session, replacing its earlier state."""
        self._db.rows(
            _PUT_SESSION, tuple(_to_column(name, getattr(session, name)) for name in _SESSION)
        )

    def add_counts(self, session_id: str, **counted: int) -> None:
        """Add to a session's token counters; an unknown session is ignored."""
        added = ", ".join(f"{name} = {name} + ?" for name in counted)
        self._db.rows(f"UPDATE sessions SET {added} WHERE id = ?", (*counted.values(), session_id))

    def of_client(self, pid: int, start: int | None, limit: int) -> list[Session]:
        """Return the sessions that a client process opened, latest first."""
        rows = self._db.rows(
            f"{_SELECT_SESSION} WHERE client_pid = ? AND client_start IS ? "
            "ORDER BY opened_at DESC, id DESC LIMIT ?",
            (pid, start, limit),
        )
        return [_to_session(row) for row in rows]

    def list_open(self) -> list[Session]:
        """Return sessions without an end, oldest first."""
        rows = self._db.rows(f"{_SELECT_SESSION} WHERE ended_at IS NULL ORDER BY started_at, id")
        return [_to_session(row) for row in rows]

    def latest(self) -> Session | None:
        """Return the session that a client opened last."""
        rows = self._db.rows(
            f"{_SELECT_SESSION} WHERE client_pid IS NOT NULL ORDER BY opened_at DESC LIMIT 1"
        )
        return _first_session(rows)

    def list_shown(self, project: int | None, limit: int) -> list[Session]:
        """Return sessions of a project, or of all, that were shown a context, latest first."""
        inside, bindings = ("", ()) if project is None else ("project = ? AND ", (project,))
        rows = self._db.rows(
            f"{_SELECT_SESSION} WHERE {inside}shown_at IS NOT NULL "
            "ORDER BY shown_at DESC, id DESC LIMIT ?",
            (*bindings, limit),
        )
        return [_to_session(row) for row in rows]

    def keys_shown_often(self, project: int, sessions: int, times: int) -> set[int]:
        rows = self._db.rows(
            "SELECT j.value FROM (SELECT shown FROM sessions WHERE project = ? "
            "AND shown_at IS NOT NULL ORDER BY shown_at DESC LIMIT ?) s, json_each(s.shown) j "
            "GROUP BY j.value HAVING count(*) >= ?",
            (project, sessions, times),
        )
        return {key for (key,) in rows}

    def list_from(self, first_line: str, limit: int) -> list[Session]:
        """Return sessions whose transcripts begin with this line, ordered by id."""
        rows = self._db.rows(
            f"{_SELECT_SESSION} WHERE first_line = ? ORDER BY id LIMIT ?", (first_line, limit)
        )
        return [_to_session(row) for row in rows]


def _to_column(name: str, value: Any) -> Any:
    if name == "shown":
        return str(list(value))
    return write_json(value) if name == "awaited_digests" else value


def _json(value: object) -> str:
    import json  # only writers need it

    return json.dumps(value)


def _first_project(rows: Sequence[tuple[Any, ...]]) -> Project | None:
    return _to_project(rows[0]) if rows else None


def _to_project(row: tuple[Any, ...]) -> Project:
    fields = dict(zip(_PROJECT, row[:-1], strict=True))
    fields["aliases"] = tuple(sorted(filter(None, (row[-1] or "").split("\n"))))
    fields["keywords"] = tuple(read_json(fields["keywords"]))
    fields["provisional"] = bool(fields["provisional"])
    return Project(**fields)


def _first_session(rows: Sequence[tuple[Any, ...]]) -> Session | None:
    return _to_session(rows[0]) if rows else None


def _to_session(row: tuple[Any, ...]) -> Session:
    fields = dict(zip(_SESSION, row, strict=True))
    fields["digest_refused"] = bool(fields["digest_refused"])
    fields["chosen_project"] = bool(fields["chosen_project"])
    fields["shown"] = tuple(read_json(fields["shown"]))
    awaited = fields["awaited_digests"]
    fields["awaited_digests"] = () if awaited == "[]" else tuple(read_json(awaited))
    return Session(**fields)
