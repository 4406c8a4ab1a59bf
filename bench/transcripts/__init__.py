"""Made transcripts with planted facts, and how many of them a digest keeps.

Here: scripts.py (the scripts in sessions/), client_lines.py (their lines as the client writes
them), scores.py (found, right, tokens), large.py (a transcript of any size). Run:
``python -m bench.transcripts``.
"""
