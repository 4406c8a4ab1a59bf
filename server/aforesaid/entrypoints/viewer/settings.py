"""Settings: each with what it does, its value and its source; and what switches memory off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from aforesaid.config import load_settings
from aforesaid.config.edit import read_value
from aforesaid.config.schema import KEYS, as_toml, bounds_text
from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.entrypoints.api.project_switch import OFF, is_project_off, switch_project
from aforesaid.entrypoints.api.settings import (
    change_setting,
    describe_settings,
    fixing_variable,
    known_setting,
    reset_setting,
)

from .changes import report_errors
from .services import Notice
from .views import Page, Visit

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, RedirectResponse

PATH = "/settings"
SWITCH = {"true": "on", "false": "off"}  #: a value that is true or false, in words
#: What switches memory off, in the order of its reach; these stand on top, not in their groups.
SWITCHES = ("hooks.enabled", OFF, "hooks.headless", "privacy.private_tag", "maintenance.enabled")


def show(request: Request) -> HTMLResponse:
    """Show the page."""
    visit = Visit(request)
    settings = load_settings(visit.core.environment, lenient=True)
    rows = {row["setting"]: _describe(visit, row) for row in describe_settings(settings)}
    groups: dict[str, list[dict[str, Any]]] = {}
    for name, row in rows.items():
        if name not in SWITCHES:
            groups.setdefault(name.partition(".")[0], []).append(row)
    values = {
        "page": "settings",
        "switches": [rows[name] for name in SWITCHES],
        "groups": groups,
        "file": settings.config_file,
        "problems": settings.problems,
        "tag": settings["privacy.private_tag"],
        "project_off": is_project_off(visit.context.project, visit.context, settings),
        "can_switch_project": rows[OFF]["fixed"] is None,
    }
    return visit.page("settings.html", values)


def _describe(visit: Visit, row: dict[str, Any]) -> dict[str, Any]:
    setting = KEYS[row["setting"]]
    default = setting.default_text or _in_words(row["setting"], setting.default)
    choices = [(choice, choice) for choice in setting.choices]
    return {
        **row,
        "meaning": row["meaning"][:1].upper() + row["meaning"][1:],
        "text": _text(row["setting"], row["value"]),
        "nothing": "" if setting.default not in ("", [], {}) else default.replace("`", ""),
        "default": default,
        "choices": list(SWITCH.items()) if isinstance(setting.default, bool) else choices,
        "bounds": bounds_text(setting),
        "fixed": fixing_variable(visit.core.environment, row["setting"]),
    }


def _text(name: str, value: Any) -> str:
    """Return a value as its field contains it: a list without brackets where that is the same."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, dict)) and not value:
        return ""
    if isinstance(value, list):
        plain = ", ".join(value)
        try:
            if read_value(name, plain) == value:
                return plain
        except InvalidInputError:
            pass
    return as_toml(value)


def _in_words(name: str, value: Any) -> str:
    """Return a value as a page tells it."""
    text = _text(name, value)
    return SWITCH.get(text, text) or "none"


def change(request: Request) -> RedirectResponse:
    """Change a setting in the file, as `aforesaid config set` does."""
    visit, name = _read_name(request)
    text = visit.form.get("value", "")
    if not text.strip() and isinstance(KEYS[name].default, (list, dict)):
        text = as_toml(type(KEYS[name].default)())
    try:
        value, path = change_setting(visit.core.environment, name, text)
    except InvalidInputError as error:
        raise InvalidInputError(f"Not saved: {str(error).removeprefix('VALUE: ')}") from None
    return _done(visit, name, f"Saved: {name} is {_in_words(name, value)}. Written to {path}.")


def reset(request: Request) -> RedirectResponse:
    """Give a setting its default back."""
    visit, name = _read_name(request)
    path = reset_setting(visit.core.environment, name)
    return _done(visit, name, f"{name} has its default again: removed from {path}.")


def switch_here(request: Request) -> RedirectResponse:
    """Switch memory off in the chosen project, or on again."""
    visit = Visit(request)
    _refuse_fixed(visit, OFF)
    project, off = visit.context.project, visit.form.get("off") == "yes"
    switch_project(project, visit.context, visit.core.environment, off=off)
    return _done(visit, OFF, f"Memory is switched {'off' if off else 'on'} in {project.name}.")


def _read_name(request: Request) -> tuple[Visit, str]:
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
        Route("/settings/project", report_errors(switch_here), methods=["POST"]),
        Route("/settings/{name}", report_errors(change), methods=["POST"]),
        Route("/settings/{name}/reset", report_errors(reset), methods=["POST"]),
    ),
)
