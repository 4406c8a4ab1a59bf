"""Reads the transcripts of clients.

Claude Code writes one JSONL file per session: conversation.py reads a file and follows parents from
its last line, line_parser.py parses a line, tool_calls.py a tool use and what memory tools showed;
forks.py compares forks. The readers of other clients (codex.py, gemini.py, opencode.py) translate
records to such lines. discovery.py finds transcripts and tells whose they are. Not here: the types
(domain/model/transcript.py), digests (domain/digest).
"""

from __future__ import annotations

from aforesaid.adapters.transcripts import conversation, discovery
from aforesaid.adapters.transcripts.forks import last_answer, shared_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.domain.model.transcript import Conversation

__all__ = ["last_answer", "read_conversation", "shared_until"]


def read_conversation(
    path: str,
    *,
    redact: Callable[[str], str] | None = None,
    private_tag: str = "private",
    seen_bytes: int = 0,
) -> Conversation:
    """Return the conversation of one transcript of any client.

    Args:
        path: as discovery.py gives it.
        redact: removes secrets from a text; called before truncation, so that no half of a secret
            remains.
        private_tag: the tag of spans that must not be stored.
        seen_bytes: ``Conversation.bytes_read`` of an earlier pass.

    Raises:
        NotFoundError: the transcript does not exist.
        InvalidInputError: it is not a transcript.
        UnavailableError: it cannot be read.
    """
    client = discovery.client_of(path)
    if client == discovery.CODEX:
        from aforesaid.adapters.transcripts.codex import read_rollout as read
    elif client == discovery.GEMINI:
        from aforesaid.adapters.transcripts.gemini import read_chat as read
    elif client == discovery.OPENCODE:
        from aforesaid.adapters.transcripts.opencode import read_session as read
    else:
        read = conversation.read_conversation
    return read(path, redact=redact, private_tag=private_tag, seen_bytes=seen_bytes)
