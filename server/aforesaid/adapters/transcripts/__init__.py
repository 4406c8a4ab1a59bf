"""Reads the transcripts of clients.

Claude Code writes one JSONL file per session: conversation.py reads a file and follows parents from
its last line, line_parser.py parses a line, tool_calls.py a tool use and what memory tools showed;
forks.py compares forks. The readers of other clients (codex.py, gemini.py, opencode.py) translate
records to such lines. domain/model/client_names.py tells
whose a transcript is, discovery.py finds them. Not here: the types
(domain/model/transcript.py), digests (domain/digest).
"""

from __future__ import annotations

from aforesaid.adapters.transcripts import conversation
from aforesaid.adapters.transcripts.forks import last_answer, shared_until
from aforesaid.domain.model import client_names

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
        path: of its file; for OpenCode, of the database with ``#SESSION``.
        redact: removes secrets from a text; called before truncation, so that no half of a secret
            remains.
        private_tag: the tag of spans that must not be stored.
        seen_bytes: ``Conversation.bytes_read`` of an earlier pass.

    Raises:
        NotFoundError: the transcript does not exist.
        InvalidInputError: it is not a transcript.
        UnavailableError: it cannot be read.
    """
    client = client_names.client_of(path)
    if client == client_names.CODEX:
        from aforesaid.adapters.transcripts.codex import read_rollout as read
    elif client == client_names.GEMINI:
        from aforesaid.adapters.transcripts.gemini import read_chat as read
    elif client == client_names.OPENCODE:
        from aforesaid.adapters.transcripts.opencode import read_session as read
    else:
        read = conversation.read_conversation
    return read(path, redact=redact, private_tag=private_tag, seen_bytes=seen_bytes)
