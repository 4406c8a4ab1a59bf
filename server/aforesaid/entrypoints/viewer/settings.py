"""Settings: each with what it does, its value and its source; and what switches memory off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from aforesaid.config import load_settings
from aforesaid.config.schema import KEYS, as_toml, bounds_text
from aforesaid.domain.errors import ConflictError
from aforesaid.entrypoints.api.settings import (
    change_setting,
    describe_settings,
    fixing_variable,
    known_setting,
    reset_setting,
)

from .changes import reporting
from .services import Notice
from .views import Page, Visit

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, RedirectResponse

PATH = "/settings"
OFF = "project.off"
#: What switches memory off, in the order of its reach; these stand on top, not in their groups.
SWITCHES = ("hooks.enabled", OFF, "hooks.headless", "privacy.private_tag", "maintenance.enabled")


def show(request: Request) -> HTMLResponse:
    """Show the page."""
    visit = Visit(request)
    settings = load_settings(visit.core.environment, lenient=True)
    rows = {row["setting"]: _described(visit, row) for row in describe_settings(settings)}
    groups: dict[str, list[dict[str, Any]]] = {}
    for name, row in rows.items():
        if name not in SWITCHES:
            groups.setdefault(name.partition(".")[0], []).append(row)
    project = visit.context.project
    values = {
        "page": "settings",
        "switches": [rows[name] for name in SWITCHES],
        "groups": groups,
        "file": settings.config_file,
        "problems": settings.problems,
        "project_off": project.name in settings[OFF] or project.identity in settings[OFF],
        "can_switch_project": rows[OFF]["fixed"] is None,
    }
    return visit.page("settings.html", values)


def _described(visit: Visit, row: dict[str, Any]) -> dict[str, Any]:
    setting, value = KEYS[row["setting"]], row["value"]
    return {
        **row,
        "text": value if isinstance(value, str) else as_toml(value),
        "default": setting.default_text or as_toml(setting.default),
        "choices": ("true", "false") if isinstance(value, bool) else setting.choices,
        "bounds": bounds_text(setting),
        "fixed": fixing_variable(visit.core.environment, row["setting"]),
    }


def change(request: Request) -> RedirectResponse:
    """Change a setting in the file, as `aforesaid config set` does."""
    visit, name = _asked(request)
    value, path = change_setting(visit.core.environment, name, visit.form.get("value", ""))
    return _done(visit, name, f"{name} = {as_toml(value)} written to {path}")


def reset(request: Request) -> RedirectResponse:
    """Give a setting its default back."""
    visit, name = _asked(request)
    path = reset_setting(visit.core.environment, name)
    return _done(visit, name, f"{name} has its default again: removed from {path}")


def switch_project(request: Request) -> RedirectResponse:
    """Switch memory off in the chosen project, or on again."""
    visit = Visit(request)
    _refuse_fixed(visit, OFF)
    project = visit.context.project
    names = load_settings(visit.core.environment, lenient=True)[OFF]
    kept = [name for name in names if name not in {project.name, project.identity}]
    off = visit.form.get("off") == "yes"
    change_setting(visit.core.environment, OFF, as_toml([*kept, project.identity] if off else kept))
    return _done(visit, OFF, f"Memory is switched {'off' if off else 'on'} in {project.name}.")


def _asked(request: Request) -> tuple[Visit, str]:
    visit = Visit(request)
    name = known_setting(request.path_params["name"])
    _refuse_fixed(visit, name)
    return visit, name


def _refuse_fixed(visit: Visit, name: str) -> None:
    variable = fixing_variable(visit.core.environment, name)
    if variable is not None:
        raise ConflictError(f"{variable} is set and takes precedence over {name} in the file")


def _done(visit: Visit, name: str, text: str) -> RedirectResponse:
    return visit.go(
        f"{PATH}#{name}", Notice(f"{text} It applies to sessions that start from now on.")
    )


PAGE = Page(
    "settings",
    "Settings",
    PATH,
    ",",
    (
        Route(PATH, show),
        Route("/settings/project", reporting(switch_project), methods=["POST"]),
        Route("/settings/{name}", reporting(change), methods=["POST"]),
        Route("/settings/{name}/reset", reporting(reset), methods=["POST"]),
    ),
)
