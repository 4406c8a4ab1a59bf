"""Switching memory off and on in a project, by the setting ``project.off`` in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.config import load_settings, variable_of
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.projects.naming import find_named
from aforesaid.wiring.factories import is_off

from .settings import write_setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.config import Settings
    from aforesaid.domain.model.memory import CallContext, Project

OFF = "project.off"


def is_project_off(project: Project, context: CallContext, settings: Settings) -> bool:
    """Return whether memory is off in a project's own folder."""
    return is_off(
        context.replace(project=project, claimed_project=None, folder=project.root), settings
    )


def switch_project(
    project: Project, context: CallContext, environment: Mapping[str, str], *, off: bool
) -> None:
    """Stop remembering a project, or start again. What is stored stays as it is.

    Raises:
        InvalidInputError: the setting comes from the environment, or names a whole folder.
    """
    settings = load_settings(environment, lenient=True)
    if variable_of(OFF) in environment:
        raise InvalidInputError(f"{variable_of(OFF)} is set and takes precedence: change it there")
    entries = list(settings[OFF])
    if off:
        if not is_project_off(project, context, settings):
            write_setting(environment, OFF, [*entries, project.identity])
        return
    kept = [entry for entry in entries if not find_named([project], entry)]
    if kept != entries:
        write_setting(environment, OFF, kept)
    if is_project_off(project, context, load_settings(environment, lenient=True)):
        raise InvalidInputError(
            f"a folder in {OFF} switches memory off in {project.name}, and in all below it: "
            f"remove it from {settings.config_file}"
        )
