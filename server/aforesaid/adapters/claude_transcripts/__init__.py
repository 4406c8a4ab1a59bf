"""Reads the transcripts of Claude Code: one JSONL file per session.

conversation.py reads a file and follows parents from its last line, line_parser.py parses a line,
tool_calls.py a tool use and what memory tools showed; forks.py compares forks,
discovery.py finds transcripts. Not here: the types (domain/model/transcript.py), digests
(domain/digest).
"""

from __future__ import annotations

from aforesaid.adapters.claude_transcripts.conversation import read_conversation
from aforesaid.adapters.claude_transcripts.forks import last_answer, shared_until

__all__ = ["last_answer", "read_conversation", "shared_until"]
