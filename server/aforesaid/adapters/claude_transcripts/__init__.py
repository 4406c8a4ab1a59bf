"""Reads the transcripts of Claude Code: one JSONL file a session.

Here: the doors. The file and the way back from its last line are in thread.py, what a single line
means in lines.py, what a tool use means in tools.py, what memory showed in memory.py, what forks
have in common in forks.py. Not here: what a conversation is (domain/transcript.py), what it comes
to (domain/digest/).
"""

from __future__ import annotations

from aforesaid.adapters.claude_transcripts.forks import last_answer, shared_until
from aforesaid.adapters.claude_transcripts.thread import read_conversation

__all__ = ["last_answer", "read_conversation", "shared_until"]
