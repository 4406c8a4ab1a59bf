"""Reads the transcripts of Claude Code: one JSONL file a session.

Here: the doors. The file and the way back from its last line are in conversation.py, what a single
line means in line_parser.py, what a tool use means in tool_calls.py, what memory showed in
memory_output.py, what forks have in common in forks.py. Not here: what a conversation is
(domain/model/transcript.py), what it comes to (domain/digest/).
"""

from __future__ import annotations

from aforesaid.adapters.claude_transcripts.conversation import read_conversation
from aforesaid.adapters.claude_transcripts.forks import last_answer, shared_until

__all__ = ["last_answer", "read_conversation", "shared_until"]
