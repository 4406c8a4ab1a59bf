"""Embedding models behind an API: Voyage's and OpenAI's, and servers that speak like either.

The key comes from an environment variable, never from a file of ours, and goes by TLS alone (or to
this machine). Every text passes ``clean`` first: secrets do not leave, whatever is stored.
Source of requests, answers and limits: the providers' API references, as the fake of
tests/rig/embedding_api.py follows them.
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

#: Of one window. Both providers read 8,000 tokens at least, and no token is less than a character.
WINDOW_CHARS, OVERLAP_CHARS = 8_000, 400
#: Of one request. Voyage takes 1,000 texts and 120,000 tokens, OpenAI 2,048 and 300,000.
BATCH_TEXTS, BATCH_CHARS = 96, 100_000
CALL_SECONDS, WORK_SECONDS = 5.0, 60.0  #: until one request is given up: somebody waits, or nobody
CALL_TRIES, WORK_TRIES = 2, 6
QUIET_SECONDS = 30.0  #: after a failure, while nobody waits for another
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 60.0
_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_SHOWN = 200  #: characters of an error that is told
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Provider(Value):
    """How one API is asked."""

    name: str
    url: str
    api_key_env: str  #: the variable that holds the key, unless another is named
    model: str  #: where none is named
    dimensions_field: str
    kind_field: str = ""  #: says whether a text is a query or a document; empty: no such thing
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
    """Where an API is, and how it is entered."""

    url: str = ""  #: empty for the provider's own
    api_key_env: str = ""  #: empty for the provider's own
    dimensions: int = 0  #: that are asked for; 0 for the model's own


class ApiEmbedder:
    """Embeds by asking an API; an ``Embedder``, safe to share among threads."""

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
        """Name the model; nothing is asked before it is needed.

        Args:
            provider: ``voyage`` or ``openai``.
            model: as the API names it; empty for a usual one.
            access: where it is.
            environment: the process's.
            clean: takes out what must not leave the machine.
            known_dimensions: of its vectors, where they were seen before; 0 asks once.
            patient: nobody waits for an answer: an API that is down is asked for minutes.
            wait: pauses between tries.

        Raises:
            UnavailableError: there is no key.
            InvalidInputError: no such provider, or the key would go unprotected.
        """
        if provider not in PROVIDERS:
            raise InvalidInputError(f"no provider is called {provider!r}: {', '.join(PROVIDERS)}")
        self._provider = PROVIDERS[provider]
        self._name = model or self._provider.model
        self._url = (access.url or self._provider.url).rstrip("/")
        self._asked_dimensions = access.dimensions
        self._known_dimensions = known_dimensions or access.dimensions
        self._clean = clean
        self._patient = patient
        self._wait = wait
        self._failed: tuple[float, str] = (-QUIET_SECONDS, "")  #: when, why
        parts = urlsplit(self._url)
        local = parts.hostname in _LOOPBACK
        if parts.scheme != "https" and not (parts.scheme == "http" and local):
            raise InvalidInputError(
                f"{self._url} would carry the key unprotected: use https, or http on this machine"
            )
        variable = access.api_key_env or self._provider.api_key_env
        self._key = environment.get(variable, "")
        if not self._key and not (local and access.url):
            raise UnavailableError(
                f"{variable} holds no key for {provider}: set it where the client is started, or "
                "let embedding.api_key_env name the variable"
            )
        self._variable = variable
        self._client: httpx2.Client | None = None
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """Return the name stamped on vectors; another length or server is another model."""
        elsewhere = "" if self._url == self._provider.url else f"-{urlsplit(self._url).netloc}"
        return f"{self._provider.name}:{self._name}@{self.dimensions}{elsewhere}"

    @property
    def dimensions(self) -> int:
        """Return the length of a vector; the first time it may have to be asked for."""
        if not self._known_dimensions:
            (vector,) = self._ask(["dimensions"], "query")
            self._known_dimensions = len(vector) // 4
        return self._known_dimensions

    def embed_query(self, text: str) -> bytes:
        """Return one vector for a question.

        Raises:
            UnavailableError: the API does not answer.
        """
        return self._ask([self._windows(text)[0]], "query")[0]

    def embed_document(self, text: str) -> list[bytes]:
        """Return a vector per window of the text, in order; at least one, at most 64."""
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the windows of each text, in the order of the texts.

        Raises:
            UnavailableError: the API does not answer; what was embedded before is lost.
        """
        windows = [self._windows(text) for text in texts]
        flat = [window for each in windows for window in each]
        vectors = iter([one for batch in batches(flat) for one in self._ask(batch, "document")])
        return [[next(vectors) for _ in each] for each in windows]

    def close(self) -> None:
        """Let go of connections."""
        if self._client is not None:
            self._client.close()

    def _windows(self, text: str) -> list[str]:
        """Return the pieces of a text that are sent; none is empty, which an API refuses."""
        cleaned = self._clean(text[:MAX_CHARACTERS]).encode("utf-8", "replace").decode("utf-8")
        step = WINDOW_CHARS - OVERLAP_CHARS
        starts = range(0, max(len(cleaned) - OVERLAP_CHARS, 1), step)[:MAX_WINDOWS]
        return [cleaned[at : at + WINDOW_CHARS].strip() or "." for at in starts]

    # -- one request

    def _ask(self, texts: Sequence[str], kind: str) -> list[bytes]:
        provider = self._provider
        body: dict[str, Any] = {"input": list(texts), "model": self._name, **dict(provider.extra)}
        if provider.kind_field:
            body[provider.kind_field] = kind
        if self._asked_dimensions:
            body[provider.dimensions_field] = self._asked_dimensions
        answer = self._send(body)
        vectors = _read(answer, len(texts))
        lengths = {len(vector) // 4 for vector in vectors}
        if self._known_dimensions and lengths != {self._known_dimensions}:
            raise UnavailableError(
                f"{self._told} answered with vectors of {', '.join(map(str, sorted(lengths)))} "
                f"numbers where {self._known_dimensions} are kept: nothing of it was used; set "
                "embedding.dimensions to what the model makes and run `aforesaid model use`"
            )
        return vectors

    def _send(self, body: Mapping[str, Any]) -> Any:
        """Return what the API answers, asking again while that may help."""
        import httpx2

        tries = WORK_TRIES if self._patient else CALL_TRIES
        seconds = WORK_SECONDS if self._patient else CALL_SECONDS
        at, before = self._failed
        if not self._patient and time.monotonic() - at < QUIET_SECONDS:
            raise UnavailableError(f"{self._told} did not answer a moment ago ({before})")
        pause = FIRST_PAUSE_SECONDS
        problem = ""
        for turn in range(tries):
            if turn:
                self._wait(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
            try:
                response = self._opened().post(
                    f"{self._url}/embeddings", json=dict(body), timeout=seconds
                )
            except httpx2.HTTPError as error:
                problem = f"{type(error).__name__} {str(error)[:_SHOWN]}".strip()
                continue
            if response.status_code < 300:  # noqa: PLR2004 - HTTP's own
                return _json(response)
            problem = f"{response.status_code}: {_reason(response)}"
            if response.status_code not in _AGAIN:
                self._refuse(response.status_code, problem)
            pause = max(pause, _retry_after(response, seconds))
        self._failed = (time.monotonic(), problem)
        raise UnavailableError(f"{self._told} does not answer ({problem}): try again later")

    def _opened(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._client is None:
                headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
                self._client = httpx2.Client(headers=headers)
            return self._client

    @property
    def _told(self) -> str:
        return f"the embedding API at {urlsplit(self._url).netloc}"

    def _refuse(self, status: int, problem: str) -> None:
        if status in {401, 403}:
            raise UnavailableError(
                f"{self._told} refuses the key in {self._variable} ({problem}): set another"
            )
        raise UnavailableError(
            f"{self._told} refuses {self._name} ({problem}): look at embedding.model and "
            "embedding.dimensions"
        )


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in order, as many as one request may hold."""
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
    """Return the vectors of an answer in the order of the texts, each one long.

    Raises:
        UnavailableError: it is not what the API promises.
    """
    try:
        rows = {int(row["index"]): row["embedding"] for row in answer["data"]}
        vectors = [_normalised(rows[place]) for place in range(count)]
    except (KeyError, TypeError, ValueError, struct.error, OverflowError) as error:
        rows_sent = answer.get("data") if isinstance(answer, dict) else None
        got = len(rows_sent) if isinstance(rows_sent, list) else 0
        raise UnavailableError(
            f"the embedding API sent {got} usable vectors for {count} texts "
            f"({type(error).__name__}): nothing of it was used; it is tried again later"
        ) from error
    return vectors


def _normalised(values: Sequence[float]) -> bytes:
    length = math.sqrt(math.fsum(value * value for value in values))
    if not length or not math.isfinite(length):
        raise ValueError("a vector without direction")
    return struct.pack(f"<{len(values)}f", *(value / length for value in values))


def _json(response: httpx2.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError) as error:
        raise UnavailableError(
            f"the embedding API answered with no JSON: {response.text[:_SHOWN]!r}"
        ) from error


def _reason(response: httpx2.Response) -> str:
    """Return why a request was refused, in the API's words: each provider says it elsewhere."""
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return response.text[:_SHOWN]
    if isinstance(body, dict):
        error = body.get("error")
        told = error.get("message") if isinstance(error, dict) else body.get("detail")
        if told:
            return " ".join(str(told).split())[:_SHOWN]
    return response.reason_phrase


def _retry_after(response: httpx2.Response, most: float) -> float:
    """Return how long the API asks to wait, in seconds, bounded; 0 where it does not say."""
    try:
        return min(max(float(response.headers.get("retry-after", "0")), 0.0), most)
    except ValueError:
        return 0.0  # a date: our own pause grows anyhow
