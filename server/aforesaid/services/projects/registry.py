"""The registry of projects: which one a session works in, and creating or choosing one by name."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from aforesaid.domain.model.memory import DEFAULT_IDENTITY, CallContext, Identity, Project, Session
from aforesaid.domain.projects.detection import (
    CONFIDENCE_MARKER,
    WorkspaceFacts,
    adopt,
    chosen_keys,
    identify,
)
from aforesaid.domain.projects.git_remote import key_of_address, name_of_key
from aforesaid.domain.projects.naming import find_named, names_of
from aforesaid.domain.text.sanitize import clean_text
from aforesaid.domain.text.timestamps import MINUTE_MS

from .claims import Claims, without_claim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.domain.projects.detection import ProjectResolution, Repository
    from aforesaid.ports import Clock, CommitReader, Store

NAME_CHARS = 120
DESCRIPTION_CHARS = 2_000
NEAR = 0.8  #: difflib ratio of a similar name, which must be confirmed before a project is created
_USED_MS = 5 * MINUTE_MS  #: how stale "last used" may get: not every call is worth a write


class Projects:
    """The projects of a store."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        default_name: str = "default",
        clean: Callable[[str], str] | None = None,
        commits: CommitReader | None = None,
    ) -> None:
        """Set up the registry of a store.

        Args:
            store: The store.
            clock: The current time.
            default_name: The name of the default project.
            clean: Removes secrets from a name.
            commits: Reads repositories; without it, remotes are trusted.
        """
        self._store = store
        self._claims = Claims(store, commits)
        self._clock = clock
        self._default_name = default_name
        self._clean = clean

    # -- the project of a session

    def resolve(self, workspace: WorkspaceFacts, session: Session | None = None) -> CallContext:
        """Return the call context of a session; register its project and new keys."""
        is_fixed = session is not None and (session.chosen_project or workspace.is_gone)
        if session is not None and is_fixed and session.project:
            project = self._store.projects.get(session.project)
            if project is not None:
                source = "session" if session.chosen_project else "start"
                workspace = workspace.replace(chosen=project.identity, chosen_in=source)
        else:
            workspace = self._apply_choice(workspace)
        identity = identify(workspace)
        claimed = None
        if identity is None:
            project = self.touch(self.default())
        else:
            identity, claimed, known = self._verify(identity, workspace.repository)
            repository = workspace.repository
            project = self.touch(known) if known else self._register(identity, repository)
        return CallContext(
            project=project,
            identity=identity,
            session=session.id if session is not None else None,
            folder=workspace.folder,
            claimed_project=claimed,
            excluded_reason=(workspace.excluded_reason or "") if identity is None else "",
        )

    def lookup(self, workspace: WorkspaceFacts) -> tuple[Identity | None, Project | None]:
        """Return the identity of a folder and the project it has or joins; register nothing."""
        identity = identify(self._apply_choice(workspace))
        if identity is None:
            return None, None
        identity, _claimed, known = self._verify(identity, workspace.repository)
        if known is None:  # as for a second clone
            adopted = self._adopt(identity, self._owners(identity)).project
            known = None if adopted is None else self._store.projects.get(adopted)
        return identity, known

    def _adopt(self, identity: Identity, owners: Mapping[str, int]) -> ProjectResolution:
        keys_of = {key: self._store.projects.aliases(key) for key in set(owners.values())}
        return adopt(identity, owners, keys_of)

    def record_commits(self, context: CallContext, workspace: WorkspaceFacts) -> None:
        """Record the commits that other clones of a call context's repository are recognised by."""
        identity = context.identity
        if identity is not None and identity.user_text is None and not context.project.provisional:
            self._claims.record(context.project, workspace.repository, self._clock.now())

    def _verify(
        self, identity: Identity, repository: Repository | None
    ) -> tuple[Identity, Project | None, Project | None]:
        """Return an identity without unproven claims, the claimed project, and its own project."""
        known = self._find_settled(identity)
        if known is not None:
            claimed = self._claims.find_namesake(identity) if known.provisional else None
            return identity, claimed, known
        owners = self._owners(identity)
        claimed = self._claims.find_unproven(identity, repository, owners)
        if claimed is not None:
            identity = without_claim(identity, claimed, owners)
            return identity, claimed, self._find_settled(identity)
        claimed = None if owners else self._claims.find_namesake(identity)
        if claimed is not None:
            identity = identity.replace(confidence=CONFIDENCE_MARKER)  # the user is asked once
        return identity, claimed, None

    def _apply_choice(self, workspace: WorkspaceFacts) -> WorkspaceFacts:
        for key in chosen_keys(workspace):
            project = self._store.projects.by_key(key)
            if project is not None:
                return workspace.replace(chosen=project.identity, chosen_in="folder")
        return workspace

    def _register(self, identity: Identity, repository: Repository | None = None) -> Project:
        with self._store.transaction():
            known = self._find_settled(identity)  # another process may have registered it
            if known is not None:
                return known
            owners = self._owners(identity)
            adoption = self._adopt(identity, owners)
            if adoption.project is None:
                project = self.make(identity.name, identity)
            else:
                existing = self._store.projects.get(adoption.project)
                assert existing is not None
                project = self._update(existing, identity)
            for key in adoption.record:
                self._store.projects.add_alias(project.key, key)
            proven = self._claims.provisional_owners(owners, adoption)
            for duplicate in (*adoption.merge, *proven):
                self._store.projects.merge(duplicate, project.key)
            if identity.user_text is None and not project.provisional:
                self._claims.record(project, repository, self._clock.now())
        return project

    def _find_settled(self, identity: Identity) -> Project | None:
        """Return the project of an identity if all its keys are registered to it."""
        owners = self._owners(identity)
        if identity.user_text is not None and not owners:
            return self.find(identity.user_text)
        # All keys must agree: a single one proves nothing, since paths are reused.
        if len(set(owners.values())) == 1 and owners.keys() >= set(identity.keys):
            return self._store.projects.get(next(iter(owners.values())))
        return None

    def _owners(self, identity: Identity) -> dict[str, int]:
        """Return the project that each registered key of an identity belongs to."""
        owners: dict[str, int] = {}
        for key in (*identity.keys, *identity.former_keys):
            owner = self._store.projects.by_key(key)
            if owner is not None:
                owners[key] = owner.key
        return owners

    def make(self, name: str, identity: Identity) -> Project:
        """Register a new project under an identity."""
        now = self._clock.now()
        return self._store.projects.add(
            Project(
                key=0,
                identity=identity.key,
                name=name,
                root=identity.root,
                remote=identity.remote,
                provisional=identity.provisional,
                created_at=now,
                used_at=now,
            )
        )

    def _update(self, project: Project, identity: Identity) -> Project:
        """Add its first remote to a project; the name stays, since settings may contain it."""
        if identity.remote and not project.remote:
            self._store.projects.change(project.key, remote=identity.remote, provisional=0)
            return project.replace(remote=identity.remote, provisional=False)
        return project

    def touch(self, project: Project) -> Project:
        """Record that a project was used now, unless that was recorded a moment ago."""
        now = self._clock.now()
        if now - project.used_at > _USED_MS:
            try:
                with self._store.transaction():
                    self._store.projects.change(project.key, used_at=now)
            except UnavailableError:
                pass  # the disk is full, or the store locked or read-only: not needed for an answer
        return project

    def mark_asked(self, project: Project) -> None:
        """Record that the user was asked about a project, so that they are asked only once."""
        with self._store.transaction():
            self._store.projects.change(project.key, asked_at=self._clock.now())

    def default(self) -> Project:
        """Return the default project, for sessions outside any project."""
        project = self._store.projects.by_key(DEFAULT_IDENTITY)
        if project is not None:
            return project
        now = self._clock.now()
        with self._store.transaction():
            return self._store.projects.by_key(DEFAULT_IDENTITY) or self._store.projects.add(
                Project(
                    key=0,
                    identity=DEFAULT_IDENTITY,
                    name=self._default_name,
                    created_at=now,
                    used_at=now,
                )
            )

    # -- by name

    def find(self, reference: str) -> Project | None:
        """Return the project with a key, name, alias, or last part of a name.

        Raises:
            InvalidInputError: Several projects have that name.
        """
        text = clean_text(reference).strip()
        project = self._store.projects.by_key(key_of_address(text) or text)
        if project is not None:
            return project
        matches = find_named(self._store.projects.list_all(), text)
        if len(matches) > 1:
            choices = ", ".join(match.identity for match in matches)
            raise InvalidInputError(
                f"{len(matches)} projects are called {text[:60]!r}: use one of the keys {choices}"
            )
        return matches[0] if matches else None

    def get(self, reference: str) -> Project:
        """Return the project with a key, name or alias.

        Raises:
            NotFoundError: There is none; the message suggests a similar name.
        """
        project = self.find(reference)
        if project is None:
            similar = self._find_similar(reference)
            hint = "set_project(project) creates one, and `aforesaid projects` lists the known ones"
            hint = f"did you mean {similar.name!r}?" if similar else hint
            raise NotFoundError(f"no project is called {reference[:60]!r}: {hint}")
        return project

    def _find_similar(self, name: str) -> Project | None:
        from difflib import SequenceMatcher  # not on the hook path

        lower = name.strip().casefold()
        best: tuple[float, Project] | None = None
        for project in self._store.projects.list_all():
            if project.identity == DEFAULT_IDENTITY:
                continue
            names = names_of(project)
            names |= {known.rpartition("/")[2] for known in names}
            score = max(SequenceMatcher(None, lower, known).ratio() for known in names)
            if score >= NEAR and (best is None or score > best[0]):
                best = (score, project)
        return best[1] if best else None

    def named(self, name: str) -> Project:
        """Return the project with a name or remote address, created if there is none."""
        project, key = self.find(name), key_of_address(name)
        return project or (self.keyed(key, name_of_key(key)) if key else self._create_named(name))

    def has_folder(self, project: int) -> bool:
        """Whether a folder or repository is known to belong to a project."""
        return any(not key.startswith("name:") for key in self._store.projects.aliases(project))

    def keyed(self, key: str, name: str) -> Project:
        """Return the project with a key, created with the name if there is none."""
        return self._store.projects.by_key(key) or self._create_named(name, key)

    def _create_named(self, name: str, key: str = "") -> Project:
        clean = self._clean or clean_text
        shown, key = " ".join(clean(name).split()), clean(key)
        if not shown or len(shown) > NAME_CHARS:
            raise InvalidInputError(f"project name {name[:40]!r}: use 1 to {NAME_CHARS} characters")
        identity = Identity(
            key=key or "name:" + shown.casefold(),
            name=shown,
            keys=("name:" + shown.casefold(),),
            confidence=1.0,
            source="session",
            evidence="named",
        )
        with self._store.transaction():
            # another process may have created it
            return self._store.projects.by_key(identity.key) or self.make(shown, identity)

    def _create_unless_similar(self, name: str) -> Project:
        similar = self._find_similar(name)
        if similar is not None:
            raise InvalidInputError(
                f"no project is called {name[:60]!r}, but {similar.name!r} is similar: call "
                f"again with {similar.name!r}, or with new=true for a new project"
            )
        return self._create_named(name)

    # -- set_project

    def choose(
        self,
        reference: str,
        context: CallContext,
        workspace: WorkspaceFacts,
        *,
        description: str | None = None,
        keywords: tuple[str, ...] | None = None,
        new: bool = False,
    ) -> Project:
        """Choose the project of this session, and of its folder from now on.

        Memories of the folder's provisional project move to it.

        Args:
            reference: A key, name or alias; a new name creates a project.
            context: The current call context.
            workspace: The facts about its folder.
            description: What the project is; used for hints.
            keywords: Words that refer to it; used for hints.
            new: Create it even if a similar name exists.

        Raises:
            InvalidInputError: A project with a similar name exists.
        """
        if description is not None and len(description) > DESCRIPTION_CHARS:
            raise InvalidInputError(
                f"description has {len(description)} characters, {DESCRIPTION_CHARS} at most"
            )
        create = self._create_named if new else self._create_unless_similar
        project = self.find(reference) or create(reference)
        keys = chosen_keys(workspace)
        changes = {"description": description, "keywords": keywords}
        fields = {name: value for name, value in changes.items() if value is not None}
        with self._store.transaction():
            if fields:
                self._store.projects.change(project.key, **fields)
            if keys:
                self._store.projects.add_alias(project.key, keys[0])
            former = context.project
            if context.has_project and former.provisional and former.key != project.key and keys:
                self._store.projects.merge(former.key, project.key)
            if context.claimed_project is not None and context.claimed_project.key == project.key:
                self._claims.record(project, workspace.repository, self._clock.now())
            if context.session is not None:
                session = self._store.sessions.get(context.session)
                if session is not None:
                    self._store.sessions.put(
                        session.replace(project=project.key, chosen_project=True)
                    )
        return self._store.projects.get(project.key) or project


def context_for_project(
    project: Project, context: CallContext | None = None, *, root: str | None = None
) -> CallContext:
    """Return a call context for a project that the caller named.

    Args:
        project: The project.
        context: The call context to change; None for a new one.
        root: The project's folder, against which cited files are resolved.
    """
    identity = Identity(
        key=project.identity,
        name=project.name,
        keys=(project.identity,),
        root=root,
        confidence=1.0,
        source="named",
        evidence="named in the call",
    )
    if context is None:
        return CallContext(project=project, identity=identity, folder=root)
    return context.replace(project=project, identity=identity)
