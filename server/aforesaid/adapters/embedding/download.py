"""Downloading a model folder from a hub that speaks as Hugging Face's does.

``/api/models/OWNER/NAME/revision/REV?blobs=true`` lists files with sizes and, of large ones,
sha256; ``/OWNER/NAME/resolve/COMMIT/FILE`` gives one, in parts if asked. Here: which files, bytes
to the disk, checks. Not here: what the files mean (model_card.py).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from aforesaid.domain.errors import (
    ConflictError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.domain.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    import httpx2

#: What describes a model, beside the model itself; whatever else lies there is not fetched.
_DESCRIBING = (
    "tokenizer.json",
    "modules.json",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "tokenizer_config.json",
    "config.json",
    "LICENSE",
    "LICENSE.txt",
)
_MODELS = ("model.onnx", "onnx/model.onnx")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(?:/[A-Za-z0-9][\w.-]{0,95})?")
_REVISION = re.compile(r"[\w./-]{1,128}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SECONDS = 30.0
_TRIES = 5  #: of a file
_LOOKS = 2  #: at what there is: somebody waits
_PAUSE_SECONDS = 1.0
_MAX_BYTES = 8 << 30  #: of one model
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_NOTE = "download.json"  #: in a half-finished folder: which commit it is of


class RemoteFile(Value):
    """A file of a model at a hub."""

    name: str  #: with folders, below the model's
    size: int  #: bytes
    sha256: str = ""  #: empty for small ones, of which the hub tells none


class RemoteModel(Value):
    """A model at a hub, at one commit, and what of it is needed."""

    name: str
    commit: str
    model_file: str
    files: tuple[RemoteFile, ...]

    @property
    def size(self) -> int:
        """Return the bytes of all files."""
        return sum(one.size for one in self.files)


class Hub:
    """One hub."""

    def __init__(self, url: str, wait: Callable[[float], None] = time.sleep) -> None:
        """Name it.

        Args:
            url: by https, or on this machine.
            wait: pauses between tries.

        Raises:
            InvalidInputError: what came from there could have been changed on the way.
        """
        self._url = url.rstrip("/")
        self._wait = wait
        _check_protected(self._url)

    def look_up(self, name: str, revision: str = "main", model_file: str = "") -> RemoteModel:
        """Return what there is to download.

        Args:
            name: ``owner/name``.
            revision: a branch, tag or commit.
            model_file: the ONNX file, where there are several; else the usual one.

        Raises:
            NotFoundError: there is no such model, or no ONNX file or tokenizer in it.
            UnavailableError: the hub does not answer.
        """
        if not _NAME.fullmatch(name) or not _REVISION.fullmatch(revision) or ".." in revision:
            raise InvalidInputError(f"{name!r} at {revision!r} is no OWNER/NAME at a revision")
        told = self._list(name, revision)
        files = {one.name: one for one in map(_read_file, told.get("siblings") or ()) if one}
        wanted = [model_file] if model_file else list(_MODELS)
        found = next((one for one in wanted if one in files), None)
        if found is None or "tokenizer.json" not in files:
            there = ", ".join(sorted(one for one in files if one.endswith(".onnx"))) or "none"
            raise NotFoundError(
                f"{name} has no {' or '.join(wanted)} with a tokenizer.json at that hub; ONNX "
                f"files there: {there}. Name one with --file, or choose another model"
            )
        names = [found, *(one for one in (f"{found}_data", *_DESCRIBING) if one in files)]
        model = RemoteModel(
            name=name,
            commit=str(told.get("sha") or revision),
            model_file=found,
            files=tuple(files[one] for one in names),
        )
        if model.size > _MAX_BYTES:
            raise InvalidInputError(f"{name} has {model.size:,} bytes, more than {_MAX_BYTES:,}")
        return model

    def fetch(self, model: RemoteModel, folder: str, told: Callable[[int], None]) -> None:
        """Download a model to a folder, which appears when all of it is there and checked.

        What an earlier attempt left beside it is gone on with.

        Args:
            model: as it was looked up.
            folder: where to; must not be there.
            told: is told how many more bytes are there.

        Raises:
            ConflictError: the folder is there.
            CorruptError: a file is not what the hub says it is.
            UnavailableError: the hub stopped answering, or the disk is full.
        """
        if os.path.exists(folder):
            raise ConflictError(
                f"{folder} is there already: `aforesaid model remove {model.name} --files` first"
            )
        draft = f"{folder}.part"
        try:
            self._prepare(model, draft)
            hashes = {}
            for one in model.files:
                path = os.path.join(draft, *one.name.split("/"))
                os.makedirs(os.path.dirname(path), exist_ok=True)
                self._fetch_file(model, one, path, told)
                hashes[one.name] = {"bytes": os.path.getsize(path), "sha256": _check(one, path)}
            card = {
                "id": model.name.rpartition("/")[2],
                "model_file": model.model_file,
                "files": hashes,
                "from": {"name": model.name, "commit": model.commit, "hub": self._url},
            }
            with open(os.path.join(draft, "card.json"), "w", encoding="utf-8") as file:
                json.dump(card, file, indent=2)
            os.unlink(os.path.join(draft, _NOTE))
            os.rename(draft, folder)
        except OSError as error:
            raise UnavailableError(
                f"{draft} cannot be written ({error.strerror}): free some space, or let "
                "embedding.cache_dir name another folder"
            ) from error

    def _prepare(self, model: RemoteModel, draft: str) -> None:
        """Make the folder of the draft; what is of another commit is removed."""
        note = os.path.join(draft, _NOTE)
        try:
            with open(note, encoding="utf-8") as file:
                same = json.load(file) == [self._url, model.name, model.commit]
        except (OSError, ValueError):
            same = False
        if not same:
            shutil.rmtree(draft, ignore_errors=True)
            os.makedirs(draft, 0o700)
            with open(note, "w", encoding="utf-8") as file:
                json.dump([self._url, model.name, model.commit], file)
        free = shutil.disk_usage(draft).free
        if model.size > free:
            raise UnavailableError(
                f"{model.name} has {model.size:,} bytes and {draft} room for {free:,}: free some, "
                "or let embedding.cache_dir name another folder"
            )

    # -- requests

    def _list(self, name: str, revision: str) -> dict[str, Any]:
        path = f"/api/models/{quote(name)}/revision/{quote(revision, safe='')}"

        def ask(client: httpx2.Client) -> dict[str, Any]:
            response = client.get(f"{self._url}{path}", params={"blobs": "true"})
            self._expect(response, name)
            told = response.json()
            return told if isinstance(told, dict) else {}

        found: dict[str, Any] = self._trying(ask, name, _LOOKS)
        return found

    def _fetch_file(
        self, model: RemoteModel, one: RemoteFile, path: str, told: Callable[[int], None]
    ) -> None:
        url = f"{self._url}/{quote(model.name)}/resolve/{quote(model.commit)}/{quote(one.name)}"
        told(os.path.getsize(path) if os.path.exists(path) else 0)

        def ask(client: httpx2.Client) -> None:
            there = os.path.getsize(path) if os.path.exists(path) else 0
            if there >= one.size > 0:
                return
            headers = {"accept-encoding": "identity"}
            if there:
                headers["range"] = f"bytes={there}-"
            with client.stream("GET", url, headers=headers) as response:
                self._expect(response, model.name)
                if there and response.status_code != 206:  # noqa: PLR2004 - a part, in HTTP
                    told(-there)
                    there = 0
                with open(path, "ab" if there else "wb") as file:
                    for piece in response.iter_raw():
                        there += len(piece)
                        if there > max(one.size, 1):
                            break  # more than was announced: the check refuses it
                        file.write(piece)
                        told(len(piece))

        self._trying(ask, model.name, _TRIES)

    def _trying(self, ask: Callable[[httpx2.Client], Any], name: str, tries: int) -> Any:
        import httpx2

        problem = ""
        for turn in range(tries):
            if turn:
                self._wait(_PAUSE_SECONDS * 2**turn)
            try:
                with httpx2.Client(timeout=_SECONDS, follow_redirects=True) as client:
                    return ask(client)
            except _Again as error:
                problem = str(error)
            except (httpx2.HTTPError, ValueError) as error:
                problem = f"{type(error).__name__}: {str(error)[:200]}"
        raise UnavailableError(
            f"{self._url} does not give {name} ({problem}): what came so far is kept; the same "
            "command goes on"
        )

    def _expect(self, response: httpx2.Response, name: str) -> None:
        _check_protected(str(response.url))
        status = response.status_code
        if status in {401, 403, 404}:
            raise NotFoundError(
                f"{self._url} has no {name} that anybody may download ({status}): is it "
                "OWNER/NAME, and open to all?"
            )
        if status >= 300:  # noqa: PLR2004 - HTTP's own
            raise _Again(f"it answers {status}")


class _Again(Exception):  # noqa: N818 - a signal, never shown
    """What may pass."""


def _read_file(row: Any) -> RemoteFile | None:
    """Return a file of a listing; None for one that is no plain file."""
    try:
        name, large = str(row["rfilename"]), row.get("lfs") or {}
        size = int(row.get("size") or large.get("size") or 0)
        sha256 = str(large.get("sha256") or large.get("oid") or "").removeprefix("sha256:")
    except (TypeError, KeyError, ValueError, AttributeError):
        return None
    parts = name.split("/")
    if name.startswith("/") or any(part in {"", ".", ".."} or "\\" in part for part in parts):
        return None
    return RemoteFile(name=name, size=size, sha256=sha256 if _SHA256.fullmatch(sha256) else "")


def _check(one: RemoteFile, path: str) -> str:
    """Return the sha256 of a file that is what the hub says; remove one that is not.

    Raises:
        CorruptError: it is not.
    """
    with open(path, "rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    size = os.path.getsize(path)
    if (one.size and size != one.size) or (one.sha256 and actual != one.sha256):
        os.unlink(path)
        expected = one.sha256 or f"{one.size:,} bytes"
        raise CorruptError(
            f"{one.name} came with {size:,} bytes and sha256 {actual}, and the hub says "
            f"{expected}: it was removed; run the same command again"
        )
    return actual


def _check_protected(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise InvalidInputError(f"{url} is not protected on the way: use https")


def listed(files: Sequence[RemoteFile]) -> str:
    """Return names and sizes, in words."""
    return ", ".join(f"{one.name} ({one.size / 1e6:,.1f} MB)" for one in files)
