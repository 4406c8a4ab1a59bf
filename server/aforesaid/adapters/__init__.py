"""The ports made real: SQLite, ONNX, git, transcripts, the system. None knows another.

Shared by several: user_files.
"""
