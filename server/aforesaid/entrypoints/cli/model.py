"""``model``: which embedding models there are, and changing one for another."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.errors import ConflictError, InvalidInputError, NotFoundError
from aforesaid.domain.model.embedding_model import COMING, KEPT, SERVING, scale_in_words
from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import as_json, confirm, echo_wrapped, print_fields, show_json, show_table
from .progress import progress
from .terminal import size_text

if TYPE_CHECKING:
    from aforesaid.domain.model.embedding_model import Model
    from aforesaid.services.maintenance.reembed import Cost
    from aforesaid.wiring.container import ServiceContainer

_DROPPED_AT_ONCE = 1_000  #: vectors of one transaction
_COLUMNS = ("model", "state", "memories", "missing", "dimensions", "vectors_of")


@aforesaid.group()
def model() -> None:
    """Which model makes vectors of texts, and changing it.

    With another model, every memory is embedded anew.
    """


@model.command("list")
@as_json
def list_models(*, as_json: bool) -> None:
    """List the models that are here.

    The one that is shipped, downloaded ones, and those that made vectors.
    """
    core = _open()
    try:
        rows = _rows(core)
    finally:
        core.close()
    if as_json:
        show_json({"models": rows})
    else:
        show_table(rows, _COLUMNS)


@model.command()
@click.argument("name", required=False)
@click.option("--yes", is_flag=True, help="Embed anew without asking.")
@click.option("--wait", is_flag=True, help="Embed here and now, not in the background.")
@as_json
def use(name: str | None, *, yes: bool, wait: bool, as_json: bool) -> None:
    """Let the model NAME make the vectors.

    It serves from when every memory has vectors by it.

    NAME is `shipped`, a folder, a downloaded model, `voyage:MODEL` or `openai:MODEL`; without it,
    what the settings say. Until all is embedded, the vectors that are there go on answering.
    """
    from aforesaid.operations.reembed import reembed_lock, run_change, start_change
    from aforesaid.services.maintenance.reembed import ChangeModel
    from aforesaid.wiring.embedder_loader import chosen_source, is_remote, open_source, read_source

    core = _open()
    try:
        settings = core.settings
        source = chosen_source(settings) if name is None else read_source(name, settings)
        _need_vectors(core)
        embedder = open_source(source, settings, os.environ)
        change = ChangeModel(core.store)
        cost = change.cost(embedder.model)
        serving = core.store.models.in_state(SERVING)
        if serving is not None and serving.name != embedder.model and cost.memories:
            _tell_cost(core, embedder.model, cost, remote=is_remote(source), yes=yes)
        begun = change.start_reembedding(embedder, source)
        if begun.state == COMING and (wait or reembed_lock(settings) is None):
            with progress("Embedding", begun.missing) as bar:
                run_change(core.store, core.settings, core.environment, bar.update)
        elif begun.state == COMING:
            start_change(core.store, settings)
        _show_status(core, as_json=as_json)
    finally:
        core.close()


@model.command()
@click.argument("name")
@click.option("--revision", default="main", show_default=True, help="A branch, tag or commit.")
@click.option("--file", "model_file", default="", help="Its ONNX file, where it has several.")
@as_json
def download(name: str, revision: str, model_file: str, *, as_json: bool) -> None:
    """Download the model OWNER/NAME from the hub.

    `aforesaid model use OWNER/NAME` lets it serve then.

    Stopped halfway, the same command goes on where it was.
    """
    from aforesaid.adapters.embedding.download import Hub, listed
    from aforesaid.config import load_settings
    from aforesaid.wiring.embedder_loader import downloaded_folder

    settings = load_settings(os.environ)
    hub = Hub(settings["embedding.hub"])
    folder = downloaded_folder(name, settings)
    found = hub.look_up(name, revision, model_file)
    echo_wrapped(f"{size_text(found.size)}: {listed(found.files)}", err=True)
    with progress("Downloading", found.size) as bar:
        hub.fetch(found, folder, bar.update)
    told = {
        "model": name, "folder": folder, "commit": found.commit, "bytes": found.size,
        "next": f"aforesaid model use {name}",
    }  # fmt: skip
    show_json(told) if as_json else print_fields(told)


@model.command()
@as_json
def status(*, as_json: bool) -> None:
    """Say which model serves, and how far a change has come."""
    core = _open()
    try:
        _show_status(core, as_json=as_json)
    finally:
        core.close()


@model.command()
@click.argument("name")
@click.option("--files", is_flag=True, help="Remove what was downloaded, too.")
@click.option("--yes", is_flag=True, help="Without asking.")
@as_json
def remove(name: str, *, files: bool, yes: bool, as_json: bool) -> None:
    """Remove the vectors of a model that does not serve.

    One that comes is given up.
    """
    from aforesaid.wiring.embedder_loader import downloaded_folder

    core = _open()
    try:
        found = _named(core, name)
        folder = downloaded_folder(name, core.settings)
        there = files and os.path.isdir(folder)
        if found is None and not there:
            raise NotFoundError(f"no vectors are by {name!r}: `aforesaid model list` has the names")
        if found is not None and found.state == SERVING:
            raise ConflictError(f"{found.name} serves: `aforesaid model use` another one first")
        confirm(f"Remove what {name} made?", yes=yes, why="what is removed must be made again")
        dropped = 0 if found is None else _drop(core, found)
        if there:
            shutil.rmtree(folder)
    finally:
        core.close()
    told = {"model": name, "vectors": dropped, "files": there}
    if as_json:
        show_json(told)
    else:
        echo_wrapped(
            f"{pluralize(dropped, 'vector')} removed" + (f", and {folder}" if there else "")
        )


@model.command(hidden=True)
@click.option("--database", type=click.Path(), help="The file, if not the configured one.")
def embed(database: str | None) -> None:
    """Embed what the model that comes still lacks; what `use` starts in the background."""
    from aforesaid.operations.reembed import run_change

    if hasattr(os, "nice"):
        os.nice(10)  # cores belong to the user's own work
    core = _open(database)
    try:
        run_change(core.store, core.settings, core.environment, lambda _done: None)
    except ConflictError:
        pass  # another process does so already
    finally:
        core.close()


def _open(path: str | None = None) -> ServiceContainer:
    from aforesaid.wiring.container import ServiceContainer

    return ServiceContainer(os.environ, path=path)


def _need_vectors(core: ServiceContainer) -> None:
    if not core.store.search.has_vectors:
        raise InvalidInputError(
            "this environment has words only, and a model would have nothing to do: "
            "aforesaid setup --rebuild"
        )


def _tell_cost(core: ServiceContainer, name: str, cost: Cost, *, remote: bool, yes: bool) -> None:
    """Say what a change takes, and ask."""
    memories = pluralize(cost.memories, "memory", "memories")
    told = f"{memories}, about {pluralize(cost.tokens, 'token')}"
    if remote:
        price = core.settings["embedding.price_per_million"]
        requests = -(-cost.memories // 96)
        told += f", {pluralize(requests, 'request')} or a few more, all sent to that provider"
        if price:
            told += f", about {cost.tokens / 1e6 * price:,.2f} at {price:g} a million"
    echo_wrapped(f"{name} embeds {told}.", err=True)
    confirm("Go on?", yes=yes, why="embedding anew takes time, and perhaps money")


def _named(core: ServiceContainer, name: str) -> Model | None:
    """Return the model that a stamp or a source names."""
    from aforesaid.wiring.embedder_loader import SHIPPED, downloaded_folder

    sources = {name, os.path.abspath(name), downloaded_folder(name, core.settings)}
    if name == SHIPPED:
        sources.add("")
    found = [
        one for one in core.store.models.list_all() if one.name == name or one.source in sources
    ]
    found.sort(key=lambda one: (one.name != name, one.state == SERVING))
    return found[0] if found else None


def _drop(core: ServiceContainer, found: Model) -> int:
    if found.state == COMING:
        core.store.models.keep(found.name)
    dropped = 0
    while done := core.store.models.drop_vectors(found.name, _DROPPED_AT_ONCE):
        dropped += done
    return dropped


def _rows(core: ServiceContainer) -> list[dict[str, Any]]:
    from aforesaid.wiring.embedder_loader import SHIPPED, models_folder

    rows = [
        {
            "model": one.source or SHIPPED,
            "state": one.state,
            "memories": one.vectors,
            "missing": one.missing or None,
            "dimensions": one.dimensions,
            "vectors_of": one.name,
        }
        for one in core.store.models.list_all()
    ]
    known = {row["model"] for row in rows}
    folder = models_folder(core.settings)
    here = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    downloaded = [os.path.join(folder, name) for name in here]
    rows += [
        {"model": source, "state": "here", "memories": 0, "missing": None, "dimensions": None,
         "vectors_of": None}
        for source in (SHIPPED, *downloaded)
        if source not in known and (source == SHIPPED or os.path.isdir(source))
    ]  # fmt: skip
    return rows


def _show_status(core: ServiceContainer, *, as_json: bool) -> None:
    from aforesaid.operations.reembed import failure_of, is_changing

    found = {one.state: one for one in core.store.models.list_all() if one.state != KEPT}
    serving, coming = found.get(SERVING), found.get(COMING)
    chosen = coming or serving
    told: dict[str, Any] = {
        "serving": None if serving is None else serving.name,
        "memories": 0 if serving is None else serving.vectors,
        "missing": 0 if serving is None else serving.missing,
        "coming": None if coming is None else coming.name,
        "embedded": None if coming is None else coming.vectors,
        "left": None if coming is None else coming.missing,
        "running": coming is not None and is_changing(core.settings),
        "failure": failure_of(core.store)[1] or None,
        "kept": [one.name for one in core.store.models.list_all() if one.state == KEPT],
        "note": "" if chosen is None else scale_in_words(chosen),
    }
    if as_json:
        show_json(told)
        return
    if serving is None and coming is None:
        click.echo("No memory has a vector yet: the first one brings the model.")
        return
    if coming is not None and not told["running"]:
        told["next"] = "aforesaid model use goes on; so does the next server"
    if told["kept"]:
        told["kept"] = f"{', '.join(told['kept'])} (aforesaid model remove NAME frees the room)"
    print_fields({name: one for name, one in told.items() if one not in (None, [], False, "")})
