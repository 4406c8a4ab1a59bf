"""Finds the projects that a user means by a name: in an option, a tool's argument or a setting."""

from __future__ import annotations

from .git_remote import key_of_address, name_of_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.domain.model.memory import Project


def names_of(project: Project) -> set[str]:
    """Return every name of a project: its own, former ones, and those of its repositories."""
    names = {project.name}
    for key in (project.identity, *project.aliases):
        if key.startswith("git:"):
            names.add(name_of_key(key))
        elif key.startswith("name:"):
            names.add(key.removeprefix("name:"))
    return {name.casefold() for name in names}


def find_named(projects: Iterable[Project], reference: str) -> list[Project]:
    """Return the projects that a reference names: by key, else name, else part of a name.

    An address of a remote counts as its key. The name shown precedes former ones, and any whole
    name precedes the last part of one.
    """
    text = reference.strip()
    name = " ".join(text.casefold().split())
    keys = {text, key_of_address(text)}
    known = list(projects)
    return (
        [project for project in known if keys & {project.identity, *project.aliases}]
        or _only([project for project in known if project.name.casefold() == name])
        or [project for project in known if f"name:{name}" in project.aliases]
        or [project for project in known if name in names_of(project)]
        or [
            project
            for project in known
            if name in {other.rpartition("/")[2] for other in names_of(project)}
        ]
    )


def _only(found: list[Project]) -> list[Project]:
    return found if len(found) == 1 else []
