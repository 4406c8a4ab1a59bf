"""Downloads a model folder from a hub with the API of Hugging Face.

``/api/models/OWNER/NAME/revision/REV?blobs=true`` lists files with sizes and, for large files,
sha256; ``/OWNER/NAME/resolve/COMMIT/FILE`` returns a file, or a range of it. Not here: what the
files mean (model_card.py).
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

#: Files that are downloaded beside the model itself.
_DESCRIPTIONS = (
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
_FILE_TRIES = 5
_LIST_TRIES = 2  #: fewer, because the user waits
_PAUSE_SECONDS = 1.0
_MAX_BYTES = 8 << 30  #: of one model
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_NOTE = "download.json"  #: the commit of a partial download


class RemoteFile(Value):
    """A file of a model on a hub."""

    name: str  #: the path within the model's folder
    size: int  #: bytes
    sha256: str = ""  #: empty for small files, for which the hub gives none


class RemoteModel(Value):
    """The files to download of a model on a hub, at one commit."""

    name: str
    commit: str
    model_file: str
    files: tuple[RemoteFile, ...]

    @property
    def size(self) -> int:
        """Total bytes of the files."""
        return sum(file.size for file in self.files)


class Hub:
    """A model hub."""

    def __init__(self, url: str, wait: Callable[[float], None] = time.sleep) -> None:
        """Set the address.

        Args:
            url: https, or http on this machine.
            wait: pauses between attempts.

        Raises:
            InvalidInputError: the address is not encrypted.
        """
        self._url = url.rstrip("/")
        self._wait = wait
        _check_encrypted(self._url)

    def look_up(self, name: str, revision: str = "main", model_file: str = "") -> RemoteModel:
        """Return the files of a model to download.

        Args:
            name: ``owner/name``.
            revision: a branch, tag or commit.
            model_file: the ONNX file, if there are several; empty for the usual one.

        Raises:
            NotFoundError: there is no such model, or it has no ONNX file or tokenizer.
            UnavailableError: the hub does not answer.
        """
        if not _NAME.fullmatch(name) or not _REVISION.fullmatch(revision) or ".." in revision:
            raise InvalidInputError(
                f"{name!r} at revision {revision!r} is not a valid model: use OWNER/NAME"
            )
        listing = self._list(name, revision)
        files = {file.name: file for file in map(_read_file, listing.get("siblings") or ()) if file}
        candidates = [model_file] if model_file else list(_MODELS)
        chosen = next((candidate for candidate in candidates if candidate in files), None)
        if chosen is None or "tokenizer.json" not in files:
            onnx_files = sorted(file for file in files if file.endswith(".onnx"))
            raise NotFoundError(
                f"{name} has no {' or '.join(candidates)} with a tokenizer.json; its ONNX files: "
                f"{', '.join(onnx_files) or 'none'}. Name one with --file, or choose another model"
            )
        optional = (f"{chosen}_data", *_DESCRIPTIONS)
        names = [chosen, *(file for file in optional if file in files)]
        model = RemoteModel(
            name=name,
            commit=str(listing.get("sha") or revision),
            model_file=chosen,
            files=tuple(files[file] for file in names),
        )
        if model.size > _MAX_BYTES:
            raise InvalidInputError(
                f"{name} has {model.size:,} bytes, more than the limit of {_MAX_BYTES:,}"
            )
        return model

    def fetch(self, model: RemoteModel, folder: str, on_progress: Callable[[int], None]) -> None:
        """Download a model to a folder, which appears when it is complete and verified.

        A partial download is resumed.

        Args:
            model: the result of ``look_up``.
            folder: the target, which must not exist.
            on_progress: called with the number of bytes received since the last call.

        Raises:
            ConflictError: the folder exists.
            CorruptError: a file differs from the hub's size or checksum.
            UnavailableError: the hub stopped answering, or the disk is full.
        """
        if os.path.exists(folder):
            raise ConflictError(
                f"{folder} exists: run `aforesaid model remove {model.name} --files` first"
            )
        draft = f"{folder}.part"
        try:
            self._prepare(model, draft)
            hashes = {}
            for file in model.files:
                path = os.path.join(draft, *file.name.split("/"))
                os.makedirs(os.path.dirname(path), exist_ok=True)
                self._fetch_file(model, file, path, on_progress)
                hashes[file.name] = {"bytes": os.path.getsize(path), "sha256": _verify(file, path)}
            card = {
                "id": model.name.rpartition("/")[2],
                "model_file": model.model_file,
                "files": hashes,
                "from": {"name": model.name, "commit": model.commit, "hub": self._url},
            }
            with open(os.path.join(draft, "card.json"), "w", encoding="utf-8") as stream:
                json.dump(card, stream, indent=2)
            os.unlink(os.path.join(draft, _NOTE))
            os.rename(draft, folder)
        except OSError as error:
            raise UnavailableError(
                f"cannot write {draft} ({error.strerror}): free some space, or set "
                "embedding.cache_dir to another folder"
            ) from error

    def _prepare(self, model: RemoteModel, draft: str) -> None:
        """Create the draft's folder; a partial download of another commit is removed."""
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
                f"{model.name} needs {model.size:,} bytes and {draft} has {free:,} free: free some "
                "space, or set embedding.cache_dir to another folder"
            )

    # -- requests

    def _list(self, name: str, revision: str) -> dict[str, Any]:
        path = f"/api/models/{quote(name)}/revision/{quote(revision, safe='')}"

        def request(client: httpx2.Client) -> dict[str, Any]:
            response = client.get(f"{self._url}{path}", params={"blobs": "true"})
            self._check_response(response, name)
            listing = response.json()
            return listing if isinstance(listing, dict) else {}

        listing: dict[str, Any] = self._retry(request, name, _LIST_TRIES)
        return listing

    def _fetch_file(
        self, model: RemoteModel, file: RemoteFile, path: str, on_progress: Callable[[int], None]
    ) -> None:
        url = f"{self._url}/{quote(model.name)}/resolve/{quote(model.commit)}/{quote(file.name)}"
        on_progress(os.path.getsize(path) if os.path.exists(path) else 0)

        def request(client: httpx2.Client) -> None:
            received = os.path.getsize(path) if os.path.exists(path) else 0
            if received >= file.size > 0:
                return
            headers = {"accept-encoding": "identity"}
            if received:
                headers["range"] = f"bytes={received}-"
            with client.stream("GET", url, headers=headers) as response:
                self._check_response(response, model.name)
                if received and response.status_code != 206:  # noqa: PLR2004 - Partial Content
                    on_progress(-received)
                    received = 0
                with open(path, "ab" if received else "wb") as stream:
                    for chunk in response.iter_raw():
                        received += len(chunk)
                        if received > max(file.size, 1):
                            break  # more than announced: verification will fail
                        stream.write(chunk)
                        on_progress(len(chunk))

        self._retry(request, model.name, _FILE_TRIES)

    def _retry(self, request: Callable[[httpx2.Client], Any], name: str, tries: int) -> Any:
        import httpx2

        problem = ""
        for attempt in range(tries):
            if attempt:
                self._wait(_PAUSE_SECONDS * 2**attempt)
            try:
                with httpx2.Client(timeout=_SECONDS, follow_redirects=True) as client:
                    return request(client)
            except _RetryError as error:
                problem = str(error)
            except (httpx2.HTTPError, ValueError) as error:
                problem = f"{type(error).__name__}: {str(error)[:200]}"
        raise UnavailableError(
            f"cannot download {name} from {self._url} ({problem}): run the same command again to "
            "resume"
        )

    def _check_response(self, response: httpx2.Response, name: str) -> None:
        _check_encrypted(str(response.url))
        status = response.status_code
        if status in {401, 403, 404}:
            raise NotFoundError(
                f"{self._url} has no public model {name} (status {status}): check the name "
                "(OWNER/NAME), and that the model is public"
            )
        if status >= 300:  # noqa: PLR2004 - HTTP status codes
            raise _RetryError(f"status {status}")


class _RetryError(Exception):
    """A response that may be better next time."""


def _read_file(row: Any) -> RemoteFile | None:
    """Return a file of a listing; None if its entry or path is invalid."""
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


def _verify(file: RemoteFile, path: str) -> str:
    """Return the sha256 of a downloaded file; remove a wrong one.

    Raises:
        CorruptError: its size or checksum differs from the hub's.
    """
    with open(path, "rb") as stream:
        actual = hashlib.file_digest(stream, "sha256").hexdigest()
    size = os.path.getsize(path)
    if (file.size and size != file.size) or (file.sha256 and actual != file.sha256):
        os.unlink(path)
        expected = file.sha256 or f"{file.size:,} bytes"
        raise CorruptError(
            f"{file.name} has {size:,} bytes and sha256 {actual}, but the hub says {expected}: the "
            "file was removed; run the same command again"
        )
    return actual


def _check_encrypted(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise InvalidInputError(f"{url} is not encrypted: use https")


def listed(files: Sequence[RemoteFile]) -> str:
    """Return the names and sizes, for users."""
    return ", ".join(f"{file.name} ({file.size / 1e6:,.1f} MB)" for file in files)
