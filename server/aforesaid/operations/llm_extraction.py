"""Running extraction with the configured summariser, if any."""

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


_MAX_EMBEDDED = 256  #: memories without vectors that are embedded after sessions were read


def make_summariser(settings: Settings, environment: Mapping[str, str]) -> Summariser | None:
    """Return the language model that writes digests; None if the user chose none."""
    chosen = settings["digest.summariser"]
    if chosen == "claude-cli":
        from aforesaid.adapters.llm.claude_cli import ClaudeCli

        folder = os.path.join(settings.state_folder, "summariser")
        return ClaudeCli(settings["digest.client"], settings["digest.model"], folder, environment)
    if chosen == "anthropic":
        from aforesaid.adapters.llm.anthropic import AnthropicApi

        return AnthropicApi(settings["digest.model"], settings["digest.api_key_env"], environment)
    return None


def extract_pending(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None],
) -> int:
    """Have the summariser read all unread turns of sessions; return the number of batches."""
    summariser = make_summariser(settings, environment)
    if summariser is None:
        return 0
    if not store.extractions.pending():
        if store.meta(FAILURE):  # the failure no longer holds anything up
            with store.transaction():
                store.set_meta(FAILURE, "")
        return 0
    done = make_llm_extractor(store, settings, environment, summariser, embedder).run()
    # digests, and texts that an API did not embed in advance
    factories.make_memory_writer(store, settings, embedder).embed_missing(_MAX_EMBEDDED)
    return done


def extract_in_background(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None],
) -> None:
    """Run ``extract_pending`` in the background; an unexpected error is only logged.

    Raises:
        UnavailableError: The store cannot be read or written now.
        CorruptError: The store is damaged.
    """
    try:
        extract_pending(store, settings, environment, embedder)
    except Exception as error:  # noqa: BLE001 - the caller continues
        factories.log_unexpected(environment, "extraction failed", error)


def make_llm_extractor(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    summariser: Summariser,
    embedder: Callable[[], Embedder | None],
) -> LlmExtractor:
    """Return the extractor, which embeds texts in advance."""
    from aforesaid.adapters.embedding.prefetch import PrefetchedEmbedder
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.domain.text.token_budget import SummaryLimits
    from aforesaid.services.sessions.llm_extraction import ExtractionLimits, LlmExtractor

    prefetched = PrefetchedEmbedder(embedder)
    return LlmExtractor(
        store,
        SystemClock(),
        factories.make_memory_writer(store, settings, prefetched.get),
        factories.make_session_digester(store, settings, environment),
        summariser,
        factories.make_outgoing_filter(settings),
        ExtractionLimits(
            call=SummaryLimits(seconds=settings["digest.timeout_seconds"]),
            batch_turns=settings["digest.batch_turns"],
            daily_calls=settings["digest.daily_calls"],
            max_tokens=settings["digest.max_tokens"],
        ),
        prefetched.prepare,
    )
