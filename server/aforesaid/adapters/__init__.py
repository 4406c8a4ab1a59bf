"""Implementations of the ports: SQLite, ONNX, git, transcripts, the system.

Adapters do not import each other, except ``system.user_files``, which several use.
"""
