"""Embedding models behind an API: Voyage, OpenAI, and compatible servers.

The key comes from an environment variable, never from a file, and is sent over TLS only (or to this
machine). Every text passes ``clean`` first, so that secrets do not leave the machine. Source of
requests, answers and limits: the providers' API references (see also tests/rig/embedding_api.py).
"""

from __future__ import annotations

import math
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from aforesaid.adapters.embedding.chunking import MAX_CHARACTERS, MAX_WINDOWS
from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.value import Value

if TYPE_CHECKING:
    import httpx2

#: Per chunk. Both providers accept at least 8,000 tokens, and a token has at least one character.
WINDOW_CHARS, OVERLAP_CHARS = 8_000, 400
#: Per request. Voyage accepts 1,000 texts and 120,000 tokens, OpenAI 2,048 and 300,000.
BATCH_TEXTS, BATCH_CHARS = 96, 100_000
CALL_SECONDS, WORK_SECONDS = 5.0, 60.0  #: request timeout in the foreground and the background
CALL_TRIES, WORK_TRIES = 2, 6
QUIET_SECONDS = 30.0  #: how long after a failure foreground calls fail at once
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 60.0
_RETRY_STATUSES = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_ERROR_CHARS = 200
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Provider(Value):
    """The request format of one API."""

    name: str
    url: str
    api_key_env: str  #: the variable that holds the key, by default
    model: str  #: by default
    dimensions_field: str
    kind_field: str = ""  #: the field for "query" or "document"; empty if there is none
    extra: tuple[tuple[str, object], ...] = ()


PROVIDERS: dict[str, Provider] = {
    "voyage": Provider(
        name="voyage",
        url="https://api.voyageai.com/v1",
        api_key_env="VOYAGE_API_KEY",
        model="voyage-3.5",
        dimensions_field="output_dimension",
        kind_field="input_type",
        extra=(("truncation", True),),
    ),
    "openai": Provider(
        name="openai",
        url="https://api.openai.com/v1",
        api_key_env="OPENAI_API_KEY",
        model="text-embedding-3-small",
        dimensions_field="dimensions",
        extra=(("encoding_format", "float"),),
    ),
}


class ApiOptions(Value):
    """Options for calling an API."""

    url: str = ""  #: empty for the provider's default
    api_key_env: str = ""  #: empty for the provider's default
    dimensions: int = 0  #: to request; 0 for the model's default


class ApiEmbedder:
    """An ``Embedder`` that calls an API; thread-safe."""

    def __init__(
        self,
        provider: str,
        model: str,
        access: ApiOptions,
        environment: Mapping[str, str],
        clean: Callable[[str], str],
        *,
        known_dimensions: int = 0,
        patient: bool = False,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """Configure the embedder; no request is sent yet.

        Args:
            provider: ``voyage`` or ``openai``.
            model: the API's name of the model; empty for the provider's default.
            access: options for calling the API.
            environment: the process environment.
            clean: removes what must not leave the machine.
            known_dimensions: the length of the model's vectors; 0 to ask the API once.
            patient: for background work: retry for minutes if the API is down.
            wait: pauses between attempts.

        Raises:
            UnavailableError: there is no key.
            InvalidInputError: the provider is unknown, or the key would be sent unencrypted.
        """
        if provider not in PROVIDERS:
            raise InvalidInputError(
                f"unknown embedding provider {provider!r}: use one of {', '.join(PROVIDERS)}"
            )
        self._provider = PROVIDERS[provider]
        self._name = model or self._provider.model
        self._url = (access.url or self._provider.url).rstrip("/")
        self._requested_dimensions = access.dimensions
        self._known_dimensions = known_dimensions or access.dimensions
        self._clean = clean
        self._patient = patient
        self._wait = wait
        self._last_failure: tuple[float, str] = (-QUIET_SECONDS, "")  #: time, reason
        parts = urlsplit(self._url)
        local = parts.hostname in _LOOPBACK
        if parts.scheme != "https" and not (parts.scheme == "http" and local):
            raise InvalidInputError(
                f"{self._url} would send the key unencrypted: use https, or http on this machine"
            )
        variable = access.api_key_env or self._provider.api_key_env
        self._key = environment.get(variable, "")
        if not self._key and not (local and access.url):
            raise UnavailableError(
                f"{variable} is not set, so there is no key for {provider}: set it where the "
                "client is started, or set embedding.api_key_env to the name of your variable"
            )
        self._variable = variable
        self._client: httpx2.Client | None = None
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """Name stored with vectors; another length or server counts as another model."""
        elsewhere = "" if self._url == self._provider.url else f"-{urlsplit(self._url).netloc}"
        return f"{self._provider.name}:{self._name}@{self.dimensions}{elsewhere}"

    @property
    def dimensions(self) -> int:
        """Length of a vector; the first access may call the API."""
        if not self._known_dimensions:
            (vector,) = self._request(["dimensions"], "query")
            self._known_dimensions = len(vector) // 4
        return self._known_dimensions

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a query.

        Raises:
            UnavailableError: the API failed.
        """
        return self._request([self._windows(text)[0]], "query")[0]

    def embed_document(self, text: str) -> list[bytes]:
        """Return a vector for each chunk of a text, in order: at least one, at most 64."""
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the vectors of each text's chunks, in the order of the texts.

        Raises:
            UnavailableError: the API failed; no vectors are returned.
        """
        chunks_of_texts = [self._windows(text) for text in texts]
        flat = [chunk for chunks in chunks_of_texts for chunk in chunks]
        vectors = iter(
            [vector for batch in batches(flat) for vector in self._request(batch, "document")]
        )
        return [[next(vectors) for _ in chunks] for chunks in chunks_of_texts]

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()

    def _windows(self, text: str) -> list[str]:
        """Return the chunks of a text; "." for an empty one, which an API would reject."""
        cleaned = self._clean(text[:MAX_CHARACTERS]).encode("utf-8", "replace").decode("utf-8")
        step = WINDOW_CHARS - OVERLAP_CHARS
        starts = range(0, max(len(cleaned) - OVERLAP_CHARS, 1), step)[:MAX_WINDOWS]
        return [cleaned[at : at + WINDOW_CHARS].strip() or "." for at in starts]

    # -- one request

    def _request(self, texts: Sequence[str], kind: str) -> list[bytes]:
        provider = self._provider
        body: dict[str, Any] = {"input": list(texts), "model": self._name, **dict(provider.extra)}
        if provider.kind_field:
            body[provider.kind_field] = kind
        if self._requested_dimensions:
            body[provider.dimensions_field] = self._requested_dimensions
        answer = self._send(body)
        vectors = _read(answer, len(texts))
        lengths = {len(vector) // 4 for vector in vectors}
        if self._known_dimensions and lengths != {self._known_dimensions}:
            raise UnavailableError(
                f"{self._label} returned vectors of {', '.join(map(str, sorted(lengths)))} "
                f"dimensions instead of {self._known_dimensions}; they were discarded. Set "
                "embedding.dimensions to the model's dimensions and run `aforesaid model use`"
            )
        return vectors

    def _send(self, body: Mapping[str, Any]) -> Any:
        """Return the API's answer, with retries."""
        import httpx2

        tries = WORK_TRIES if self._patient else CALL_TRIES
        seconds = WORK_SECONDS if self._patient else CALL_SECONDS
        failed_at, reason = self._last_failure
        if not self._patient and time.monotonic() - failed_at < QUIET_SECONDS:
            raise UnavailableError(
                f"{self._label} failed less than {QUIET_SECONDS:.0f} s ago ({reason})"
            )
        pause = FIRST_PAUSE_SECONDS
        problem = ""
        for attempt in range(tries):
            if attempt:
                self._wait(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
            try:
                response = self._open_client().post(
                    f"{self._url}/embeddings", json=dict(body), timeout=seconds
                )
            except httpx2.HTTPError as error:
                problem = f"{type(error).__name__} {str(error)[:_ERROR_CHARS]}".strip()
                continue
            if response.status_code < 300:  # noqa: PLR2004 - HTTP status codes
                return _json(response)
            problem = f"{response.status_code}: {_reason(response)}"
            if response.status_code not in _RETRY_STATUSES:
                raise self._rejection(response.status_code, problem)
            pause = max(pause, _retry_after(response, seconds))
        self._last_failure = (time.monotonic(), problem)
        raise UnavailableError(f"{self._label} does not answer ({problem}): try again later")

    def _open_client(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._client is None:
                headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
                self._client = httpx2.Client(headers=headers)
            return self._client

    @property
    def _label(self) -> str:
        return f"the embedding API at {urlsplit(self._url).netloc}"

    def _rejection(self, status: int, problem: str) -> UnavailableError:
        if status in {401, 403}:
            return UnavailableError(
                f"{self._label} rejected the key in {self._variable} ({problem}): set a valid key"
            )
        return UnavailableError(
            f"{self._label} rejected {self._name} ({problem}): check embedding.model and "
            "embedding.dimensions"
        )


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in batches that fit into one request."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == BATCH_TEXTS or size + len(text) > BATCH_CHARS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _read(answer: Any, count: int) -> list[bytes]:
    """Return the normalised vectors of an answer, in the order of the texts.

    Raises:
        UnavailableError: the answer is not as the API documents it.
    """
    try:
        rows = {int(row["index"]): row["embedding"] for row in answer["data"]}
        return [_normalise(rows[index]) for index in range(count)]
    except (KeyError, TypeError, ValueError, struct.error, OverflowError) as error:
        data = answer.get("data") if isinstance(answer, dict) else None
        received = len(data) if isinstance(data, list) else 0
        raise UnavailableError(
            f"the embedding API returned {received} rows for {count} texts, not all of them usable "
            f"vectors ({type(error).__name__}): none was used; they will be requested again later"
        ) from error


def _normalise(values: Sequence[float]) -> bytes:
    length = math.sqrt(math.fsum(value * value for value in values))
    if not length or not math.isfinite(length):
        raise ValueError("vector of length 0")
    return struct.pack(f"<{len(values)}f", *(value / length for value in values))


def _json(response: httpx2.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError) as error:
        raise UnavailableError(
            f"the embedding API's answer is not JSON: {response.text[:_ERROR_CHARS]!r}"
        ) from error


def _reason(response: httpx2.Response) -> str:
    """Return the API's message, in OpenAI's or Voyage's format."""
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return response.text[:_ERROR_CHARS]
    if isinstance(body, dict):
        error = body.get("error")
        message = error.get("message") if isinstance(error, dict) else body.get("detail")
        if message:
            return " ".join(str(message).split())[:_ERROR_CHARS]
    return response.reason_phrase


def _retry_after(response: httpx2.Response, max_seconds: float) -> float:
    """Return the seconds of the Retry-After header, bounded; 0 if there is none."""
    try:
        return min(max(float(response.headers.get("retry-after", "0")), 0.0), max_seconds)
    except ValueError:
        return 0.0  # a date; the growing pause suffices
