"""What every page is made with: the visit of one request, the templates, their filters.

A page's module has a ``PAGE`` with its routes, and functions that take a request and return
``Visit(request).page(template, values)``. Changes of the store are in changes.py.
"""

from __future__ import annotations

import os
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, RedirectResponse

from aforesaid.domain.errors import NotFoundError
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.text.sanitize import remove_invisible
from aforesaid.domain.text.tokenize import query_terms, stem
from aforesaid.entrypoints.api.operations import Operations, ToolCalls
from aforesaid.entrypoints.serialize.memories import LabelResolver
from aforesaid.services.resolve_id import locate

from .reasons import ORIGIN_NAMES, TYPE_NAMES, percent
from .times import ago, day, moment, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.routing import Route

    from aforesaid.domain.model.memory import CallContext, Memory, Project
    from aforesaid.wiring.container import ServiceContainer

    from .services import Notice, Services

FOLDER = os.path.dirname(os.path.abspath(__file__))
#: What follows ``[`` and precedes `` ·`` or ``]`` in the texts that sessions are shown.
_SHORT_ID = re.compile(r"(?<=\[)([0-9a-z]{4,32})(?=\]| ·)")
REFUSED = "refused"  #: the id of the message beside a form that was refused
THEMES = ("system", "light", "dark")
THEME_COOKIE = "aforesaid_theme"


class Page(NamedTuple):
    """A page in the navigation."""

    name: str  #: also of its icon in templates/_icons.html
    title: str
    path: str
    key: str  #: the letter that follows ``g``
    routes: tuple[Route, ...]


def make_templates(pages: Sequence[Page], csrf: str) -> Environment:
    """Return the templates; everything written into them is escaped.

    Args:
        pages: the navigation.
        csrf: the token that every form sends.
    """
    environment = Environment(
        loader=FileSystemLoader(os.path.join(FOLDER, "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=lambda value: remove_invisible(value) if type(value) is str else value,
    )
    environment.globals.update(
        pages=pages, csrf=csrf, type_names=TYPE_NAMES, origin_names=ORIGIN_NAMES
    )
    environment.filters.update(
        ago=ago,
        day=day,
        moment=moment,
        count=pluralize,
        linked=linked,
        cut=cut,
        marked=marked,
        code=code,
        percent=percent,
        readable=readable,
    )
    return environment


def linked(text: str) -> Markup:
    """Return an escaped text in which short ids in brackets lead to their memories."""
    parts = _SHORT_ID.split(text)
    return Markup("").join(
        Markup('<a class="id" href="/memory/{0}">{0}</a>').format(part)
        if index % 2
        else escape(part)
        for index, part in enumerate(parts)
    )


def marked(text: str, query: str) -> Markup:
    """Return an escaped text in which the words that the query has are marked."""
    stems = {stem(term) for term in query_terms(query)} if query else set()
    if not stems:
        return escape(text)
    starts = "|".join(sorted(map(re.escape, stems), key=len, reverse=True))
    parts = re.split(rf"((?<![^\W_])(?:{starts})\w*)", text, flags=re.IGNORECASE)
    return Markup("").join(
        Markup("<mark>{}</mark>").format(part) if index % 2 else escape(part)
        for index, part in enumerate(parts)
    )


def code(text: str) -> Markup:
    """Return an escaped text in which what stands between backticks is code."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else escape(part)
        for index, part in enumerate(parts)
    )


def cut(text: str, chars: int) -> str:
    """Return a text on one line, or as much of it as fits, with a mark."""
    line = " ".join(text.split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"


class Visit:
    """One request: the services, the project that it is about, and how it is answered."""

    def __init__(self, request: Request, project: Project | None = None) -> None:
        """Take a request.

        Args:
            request: the request.
            project: the project that it is about; None for the chosen one.
        """
        self.request = request
        self.services: Services = request.app.state.services
        self.connection = self.services.connect(project)
        self.core: ServiceContainer = self.connection.core
        self.form: dict[str, str] = dict(request.state.form)

    @classmethod
    def of_memory(cls, request: Request, reference: str) -> tuple[Visit, Memory]:
        """Return a visit of a memory's own project, and the memory, whichever project that is.

        Raises:
            NotFoundError: there is no such memory.
        """
        visit = cls(request)
        try:
            memory = locate(visit.core.store, reference, visit.everything)
        except NotFoundError:
            text = f"there is no memory with the id {cut(reference, 60)!r}: find it by its words"
            raise NotFoundError(text) from None
        if memory.project in visit.context.visible.projects:
            return visit, memory
        return cls(request, visit.core.store.projects.get(memory.project)), memory

    @cached_property
    def context(self) -> CallContext:
        """Where calls come from."""
        context: CallContext = self.connection.call_context()
        return context

    @cached_property
    def operations(self) -> Operations:
        """The operations that all interfaces share, which return the services' values."""
        return Operations(self.core)

    @cached_property
    def names(self) -> LabelResolver:
        """Names for keys."""
        return LabelResolver(self.core.store)

    @cached_property
    def everything(self) -> Visibility:
        """All projects, and everything in their tasks: what a person may see."""
        keys = [project.key for project in self.core.store.projects.list_all()]
        return Visibility(projects=(GLOBAL_PROJECT, *keys), all_tasks=True)

    def call(self, tool: str, /, *, check: bool = True, **arguments: Any) -> dict[str, Any]:
        """Return a tool's answer as plain data.

        Args:
            tool: its name.
            check: whether to check the arguments against the tool's schema.
            **arguments: of the tool; None is left out.
        """
        passed = {name: value for name, value in arguments.items() if value is not None}
        return ToolCalls(self.connection).call(tool, passed, check=check)

    def fields(self, name: str) -> list[str]:
        """Return the values of a form's field that may be given several times."""
        return [value for field, value in self.request.state.form if field == name]

    def page(
        self,
        template: str,
        values: dict[str, Any],
        *,
        status: int = 200,
        notice: Notice | None = None,
    ) -> HTMLResponse:
        """Return a page, with the navigation and the notice that waits to be shown.

        Args:
            template: its file.
            values: for the template; ``page`` is the name of its entry in the navigation.
            status: of the response.
            notice: to be shown in place of the waiting one.
        """
        notice = notice or self.services.take_notice()
        text = self._render(template, values, notice)
        if notice is not None and notice.form and f'id="{REFUSED}"' not in text:
            text = self._render(template, values, notice._replace(form=""))  # it has no such form
        return HTMLResponse(text, status_code=status)

    def _render(self, template: str, values: dict[str, Any], notice: Notice | None) -> str:
        environment: Environment = self.request.app.state.templates
        return environment.get_template(template).render(
            page=values.get("page", ""),
            project=self.context.project,
            projects=self.core.store.projects.list_all(),
            notice=notice,
            chosen_project=self.services.chosen is not None,
            undoable=self.services.changes[-1].text if self.services.changes else "",
            warnings=self.core.warnings(),
            path=self.path,
            theme=self.theme,
            next_theme=THEMES[(THEMES.index(self.theme) + 1) % len(THEMES)],
            **{name: value for name, value in values.items() if name != "page"},
        )

    def part(self, template: str, values: dict[str, Any]) -> HTMLResponse:
        """Return a part of a page, for htmx."""
        environment: Environment = self.request.app.state.templates
        return HTMLResponse(environment.get_template(template).render(notice=None, **values))

    def go(self, path: str, notice: Notice | None = None) -> RedirectResponse:
        """Return a redirect to a page of this viewer, which shows the notice."""
        self.services.notice = notice
        return RedirectResponse(own_path(path), status_code=303)

    @property
    def theme(self) -> str:
        """The theme that this browser chose; at first the system's."""
        chosen = self.request.cookies.get(THEME_COOKIE, "")
        return chosen if chosen in THEMES else THEMES[0]

    @property
    def path(self) -> str:
        """The path of this request with its query, to come back to."""
        query = self.request.url.query
        return self.request.url.path + (f"?{query}" if query else "")


def own_path(path: str) -> str:
    """Return a path of this viewer; the first page's in place of any other address."""
    is_own = path.startswith("/") and not path.startswith(("//", "/\\"))
    return path if is_own and path.isprintable() else "/"
