"""Which registered project a session works in; naming, choosing and merging projects."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from aforesaid.domain.model.memory import Project, Session
from aforesaid.domain.projects.call_context import DEFAULT_IDENTITY, CallContext
from aforesaid.domain.projects.detection import (
    CONFIDENCE_MARKER,
    Identity,
    WorkspaceFacts,
    adopt,
    chosen_keys,
    identify,
)
from aforesaid.domain.projects.git_remote import key_of_address, name_of_key

from .claims import Claims, without_claim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.domain.projects.detection import Repository
    from aforesaid.ports import Clock, CommitReader, Store

NAME_CHARS = 120
DESCRIPTION_CHARS = 2_000
NEAR = 0.8  #: names this alike (difflib ratio) are asked about before a new project is made
_USED_MS = 3_600_000  #: how stale "last used" may get: not every look is worth a write


class Projects:
    """The projects of a store, as sessions meet them."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        default_name: str = "default",
        clean: Callable[[str], str] | None = None,
        commits: CommitReader | None = None,
    ) -> None:
        """Join the projects to their world.

        Args:
            store: where they are.
            clock: the present time.
            default_name: of the install's own project.
            clean: takes from a name what must never be stored.
            commits: reads repositories; None where each is what its remote says.
        """
        self._store = store
        self._claims = Claims(store, commits)
        self._clock = clock
        self._default_name = default_name
        self._clean = clean

    # -- where is a session?

    def settle(self, surroundings: WorkspaceFacts, session: Session | None = None) -> CallContext:
        """Return the place of a session, registering its project and new keys of it."""
        kept = session is not None and (session.chosen_project or surroundings.gone)
        if session is not None and kept and session.project:
            project = self._store.projects.get(session.project)
            if project is not None:
                how = "session" if session.chosen_project else "start"
                surroundings = surroundings.replace(chosen=project.identity, chosen_in=how)
        else:
            surroundings = self._with_choice(surroundings)
        identity = identify(surroundings)
        claimed = None
        if identity is None:
            project = self.default()
        else:
            identity, claimed, known = self._checked(identity, surroundings.repository)
            repository = surroundings.repository
            project = self._used(known) if known else self._registered(identity, repository)
        return CallContext(
            project=project,
            identity=identity,
            session=session.id if session is not None else None,
            folder=surroundings.folder,
            claimed=claimed,
        )

    def lookup(self, surroundings: WorkspaceFacts) -> tuple[Identity | None, Project | None]:
        """Return which project a folder is, and what is registered of it; registers nothing."""
        identity = identify(self._with_choice(surroundings))
        if identity is None:
            return None, None
        identity, _claimed, known = self._checked(identity, surroundings.repository)
        return identity, known

    def record_commits(self, place: CallContext, surroundings: WorkspaceFacts) -> None:
        """Record by which commits other clones of a place's repository are recognised."""
        identity = place.identity
        if identity is not None and identity.given is None and not place.project.provisional:
            self._claims.record(place.project, surroundings.repository, self._clock.now())

    def _checked(
        self, identity: Identity, repository: Repository | None
    ) -> tuple[Identity, Project | None, Project | None]:
        """Return an identity without what it only claims, whose project it claims, and its own."""
        known = self._known(identity)
        if known is not None:
            claimed = self._claims.find_namesake(identity) if known.provisional else None
            return identity, claimed, known
        owners = self._owners(identity)
        claimed = self._claims.find_unproven(identity, repository, owners)
        if claimed is not None:
            identity = without_claim(identity, claimed, owners)
            return identity, claimed, self._known(identity)
        claimed = None if owners else self._claims.find_namesake(identity)
        if claimed is not None:
            identity = identity.replace(confidence=CONFIDENCE_MARKER)  # asked about, once
        return identity, claimed, None

    def _with_choice(self, surroundings: WorkspaceFacts) -> WorkspaceFacts:
        for key in chosen_keys(surroundings):
            project = self._store.projects.by_key(key)
            if project is not None:
                return surroundings.replace(chosen=project.identity, chosen_in="folder")
        return surroundings

    def _registered(self, identity: Identity, repository: Repository | None = None) -> Project:
        with self._store.transaction():
            known = self._known(identity)  # another process may have been faster
            if known is not None:
                return known
            owners = self._owners(identity)
            keys_of = {key: self._store.projects.aliases(key) for key in set(owners.values())}
            adoption = adopt(identity, owners, keys_of)
            if adoption.project is None:
                project = self.make(identity.name, identity)
            else:
                existing = self._store.projects.get(adoption.project)
                assert existing is not None
                project = self._grown(existing, identity)
            for key in adoption.record:
                self._store.projects.add_alias(project.key, key)
            for other in (*adoption.merge, *self._claims.settled(owners, adoption)):
                self._store.projects.merge(other, project.key)
            if identity.given is None and not project.provisional:
                self._claims.record(project, repository, self._clock.now())
        return project

    def _known(self, identity: Identity) -> Project | None:
        """Return the project of an identity if nothing about it is new."""
        owners = self._owners(identity)
        if identity.given is not None and not owners:
            return self.find(identity.given)
        # All keys must lead to one project: that some do proves nothing (a path is used again).
        if len(set(owners.values())) == 1 and owners.keys() >= set(identity.keys):
            return self._store.projects.get(next(iter(owners.values())))
        return None

    def _owners(self, identity: Identity) -> dict[str, int]:
        """Return the project that each key of an identity points to, if any."""
        owners: dict[str, int] = {}
        for key in (*identity.keys, *identity.former):
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

    def _grown(self, project: Project, identity: Identity) -> Project:
        """Return the project with what was learned of it since: a remote, a better name."""
        if identity.remote and project.remote != identity.remote:
            self._store.projects.change(
                project.key, remote=identity.remote, name=identity.name, provisional=0
            )
            return project.replace(remote=identity.remote, name=identity.name, provisional=False)
        return project

    def _used(self, project: Project) -> Project:
        now = self._clock.now()
        if now - project.used_at > _USED_MS:
            try:
                with self._store.transaction():
                    self._store.projects.change(project.key, used_at=now)
            except UnavailableError:
                pass  # full, locked or only read: whoever asks can still be answered
        return project

    def asked(self, project: Project) -> None:
        """Note that the user was asked about a project: once is enough, whatever they said."""
        with self._store.transaction():
            self._store.projects.change(project.key, asked_at=self._clock.now())

    def default(self) -> Project:
        """Return the install's own project, for sessions that are nowhere in particular."""
        found = self._store.projects.by_key(DEFAULT_IDENTITY)
        if found is not None:
            return found
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
        """Return the project that a key, name, alias, or last part of a name means.

        Raises:
            InvalidInputError: several projects have that name.
        """
        from aforesaid.domain.text.sanitize import clean_text  # not where a session starts

        text = clean_text(reference).strip()
        meant = (text, "name:" + " ".join(text.casefold().split()), key_of_address(text) or "")
        found = next(filter(None, map(self._store.projects.by_key, meant)), None)
        if found is not None:
            return found
        low = text.casefold()
        known = self._store.projects.list_all()
        for wanted in (
            [project for project in known if project.name.casefold() == low],
            [project for project in known if project.name.casefold().rpartition("/")[2] == low],
        ):
            if len(wanted) == 1:
                return wanted[0]
            if wanted:
                keys = ", ".join(project.identity for project in wanted)
                raise InvalidInputError(
                    f"{len(wanted)} projects are called {text[:60]!r}: name one by its key, "
                    f"of {keys}"
                )
        return None

    def get(self, reference: str) -> Project:
        """Return the project by key, name or alias.

        Raises:
            NotFoundError: there is none; the message names near ones.
        """
        found = self.find(reference)
        if found is None:
            near = self.near(reference)
            hint = f"did you mean {near.name!r}?" if near else "set_project makes a new one"
            raise NotFoundError(f"no project is called {reference[:60]!r}: {hint}")
        return found

    def near(self, name: str) -> Project | None:
        """Return the known project whose name is nearest, if it is near enough to ask."""
        from difflib import SequenceMatcher  # not on the hook path

        low = name.strip().casefold()
        best: tuple[float, Project] | None = None
        for project in self._store.projects.list_all():
            if project.identity == DEFAULT_IDENTITY:
                continue
            names = {project.name.casefold(), project.name.casefold().rpartition("/")[2]}
            score = max(SequenceMatcher(None, low, known).ratio() for known in names)
            if score >= NEAR and (best is None or score > best[0]):
                best = (score, project)
        return best[1] if best else None

    def named(self, name: str) -> Project:
        """Return the project of that name, made if there is none; an address names a remote."""
        found, key = self.find(name), key_of_address(name)
        return found or (self.keyed(key, name_of_key(key)) if key else self._make_named(name))

    def has_folder(self, project: int) -> bool:
        """Tell whether a folder or repository is known to be this project."""
        return any(not key.startswith("name:") for key in self._store.projects.aliases(project))

    def keyed(self, key: str, name: str) -> Project:
        """Return the project that a key means, made under it and the name if there is none."""
        return self._store.projects.by_key(key) or self._make_named(name, key)

    def _make_named(self, name: str, key: str = "") -> Project:
        from aforesaid.domain.text.sanitize import clean_text

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
            # another process may have been faster
            return self._store.projects.by_key(identity.key) or self.make(shown, identity)

    def _new(self, name: str, *, sure: bool) -> Project:
        near = None if sure else self.near(name)
        if near is not None:
            raise InvalidInputError(
                f"no project is called {name[:60]!r}, but {near.name!r} is near: call again "
                f"with {near.name!r}, or with new=true for a new project"
            )
        return self._make_named(name)

    # -- set_project

    def choose(
        self,
        reference: str,
        place: CallContext,
        surroundings: WorkspaceFacts,
        *,
        description: str | None = None,
        keywords: tuple[str, ...] | None = None,
        new: bool = False,
    ) -> Project:
        """Make a project the one of this session, and of this folder from now on.

        What the folder's provisional project held moves to it.

        Args:
            reference: key, name or alias; a new name makes a project.
            place: where the session is now.
            surroundings: the facts about its folder.
            description: what the project is, kept for hints.
            keywords: words that mean it, kept for hints.
            new: make it though a near name exists.

        Raises:
            InvalidInputError: a project with a near name exists: which is meant?
        """
        if description is not None and len(description) > DESCRIPTION_CHARS:
            raise InvalidInputError(
                f"description has {len(description)} characters, {DESCRIPTION_CHARS} at most"
            )
        project = self.find(reference) or self._new(reference, sure=new)
        keys = chosen_keys(surroundings)
        told = {"description": description, "keywords": keywords}
        fields = {name: value for name, value in told.items() if value is not None}
        with self._store.transaction():
            if fields:
                self._store.projects.change(project.key, **fields)
            if keys:
                self._store.projects.add_alias(project.key, keys[0])
            left = place.project
            if place.known and left.provisional and left.key != project.key and keys:
                self._store.projects.merge(left.key, project.key)
            if place.claimed is not None and place.claimed.key == project.key:
                self._claims.record(project, surroundings.repository, self._clock.now())
            if place.session is not None:
                session = self._store.sessions.get(place.session)
                if session is not None:
                    self._store.sessions.put(
                        session.replace(project=project.key, chosen_project=True)
                    )
        return self._store.projects.get(project.key) or project


def named_place(
    project: Project, place: CallContext | None = None, *, root: str | None = None
) -> CallContext:
    """Return the place of a project that was named.

    Args:
        project: the project.
        place: where it was named; None where nothing else is known.
        root: the project's folder, for whoever cites its files.
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
    if place is None:
        return CallContext(project=project, identity=identity, folder=root)
    return place.replace(project=project, identity=identity)
