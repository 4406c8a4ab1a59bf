"""Statistics: plots, and the same numbers as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse
from starlette.routing import Route

from aforesaid.entrypoints.api.series import Plot, collect_series

from .reasons import TYPE_NAMES
from .views import Page, Visit

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import HTMLResponse

ALL = "*"


def show(request: Request) -> HTMLResponse:
    """Show the page."""
    visit = Visit(request)
    plots = _plots(visit)
    everywhere = request.query_params.get("project") == ALL
    values = {"page": "statistics", "plots": plots, "everywhere": everywhere}
    return visit.page("statistics.html", values)


def data(request: Request) -> JSONResponse:
    """Return the plots' numbers."""
    plots = _plots(Visit(request))
    fields = ("name", "kind", "label", "labels")
    return JSONResponse(
        [
            {
                **{field: getattr(plot, field) for field in fields},
                "series": [
                    {"name": series.name, "values": series.values} for series in plot.series
                ],
            }
            for plot in plots
        ]
    )


def _plots(visit: Visit) -> list[Plot]:
    project = visit.request.query_params.get("project")
    plots = collect_series(visit.core, visit.core.visibility_of(project, visit.context))
    return [
        plot.replace(labels=tuple(TYPE_NAMES[label] for label in plot.labels))
        if plot.name == "types"
        else plot
        for plot in plots
    ]


PAGE = Page(
    "statistics",
    "Statistics",
    "/statistics",
    "c",
    (Route("/statistics", show), Route("/statistics/data", data)),
)
