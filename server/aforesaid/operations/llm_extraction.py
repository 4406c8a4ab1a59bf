"""Extraction with real adapters: the summariser that the settings name, or none."""

from __future__ import annotations

import os

from aforesaid.domain.model.extraction_progress import FAILURE
from aforesaid.wiring import factories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.ports import Embedder, Summariser
    from aforesaid.services.sessions.llm_extraction import LlmExtractor


_EMBEDDED = 256  #: memories without vectors, after sessions were read


def make_summariser(settings: Settings, environment: Mapping[str, str]) -> Summariser | None:
    """Return the language model that writes digests; None where the user chose none."""
    chosen = settings["digest.summariser"]
    if chosen == "claude-cli":
        from aforesaid.adapters.llm.claude_cli import ClaudeCli

        folder = os.path.join(settings.state_folder, "summariser")
        return ClaudeCli(settings["digest.client"], settings["digest.model"], folder, environment)
    if chosen == "anthropic":
        from aforesaid.adapters.llm.anthropic import AnthropicApi

        return AnthropicApi(settings["digest.model"], settings["digest.api_key_env"], environment)
    return None


def extract_waiting(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None],
) -> int:
    """Have the summariser read what sessions left to read; return how many batches it read."""
    summariser = make_summariser(settings, environment)
    if summariser is None:
        return 0
    if not store.extractions.pending():
        if store.meta(FAILURE):  # nothing waits for what failed any more
            with store.transaction():
                store.set_meta(FAILURE, "")
        return 0
    done = make_extract(store, settings, environment, summariser, embedder).run()
    # digests, and what an API did not embed ahead
    factories.make_remember(store, settings, embedder).embed_missing(_EMBEDDED)
    return done


def extract_by_itself(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None],
) -> None:
    """Do the same where nobody asked: what nobody foresaw is one line of the log.

    Raises:
        UnavailableError: the store cannot be read or written now.
        CorruptError: it is damaged.
    """
    try:
        extract_waiting(store, settings, environment, embedder)
    except Exception as error:  # noqa: BLE001 - whoever called has more to do
        factories.log_unexpected(environment, "what was said was not extracted", error)


def make_extract(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    summariser: Summariser,
    embedder: Callable[[], Embedder | None],
) -> LlmExtractor:
    """Return the way from transcripts to the topic tree."""
    from aforesaid.adapters.embedding.prefetch import PrefetchedEmbedder
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.domain.text.token_budget import SummaryLimits
    from aforesaid.services.sessions.llm_extraction import ExtractionLimits, LlmExtractor

    ahead = PrefetchedEmbedder(embedder)
    return LlmExtractor(
        store,
        SystemClock(),
        factories.make_remember(store, settings, ahead.get),
        factories.make_ingest(store, settings, environment),
        summariser,
        factories.outgoing(settings),
        ExtractionLimits(
            limits=SummaryLimits(seconds=settings["digest.timeout_seconds"]),
            batch_turns=settings["digest.batch_turns"],
            daily_calls=settings["digest.daily_calls"],
            max_tokens=settings["digest.max_tokens"],
        ),
        ahead.prepare,
    )
