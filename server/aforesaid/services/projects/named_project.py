"""The known project that a prompt names, for a session whose own project is unclear."""

from __future__ import annotations

from aforesaid.domain.context.session_context import fence
from aforesaid.domain.projects.hint_matching import ProjectCandidate, choose_hint, match_hint
from aforesaid.domain.text.lean_json import write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.ports import Store


def offer_named_project(store: Store, prompt: str, current: int) -> str:
    """Return the text that offers the known project that a prompt names; empty if none is clear.

    Only names and aliases count: an entity or keyword would offer a project too often.

    Args:
        store: where the projects are.
        prompt: what the user wrote.
        current: key of the session's own project, which is not offered.
    """
    candidates = [
        ProjectCandidate(
            project=project.key,
            name=project.name,
            aliases=tuple(store.projects.aliases(project.key)),
        )
        for project in store.projects.list_all()
        if project.key != current
    ]
    choice = choose_hint(match_hint(prompt, candidates), title=False)
    if choice.chosen is None:
        return ""
    name = next(item.name for item in candidates if item.project == choice.chosen.project)
    lines = [
        f"The prompt names the project {name}, and this folder is not known to belong to it.",
        f"If it is meant: set_project(project={write_json(name)}) shows its memories.",
    ]
    return fence(lines, (), store.meta("install_secret") or "").text
