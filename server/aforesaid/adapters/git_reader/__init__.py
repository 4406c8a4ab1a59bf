"""Reads folders and git repositories without running git (docs/adr/0005-project-identity.md).

workspace.py gathers the facts about a folder; repository.py finds the repository and reads HEAD and
refs, git_files.py reads files and parses git's config, package_markers.py finds package files.
session_commits.py reads a session's commits, objects.py the git objects. Not here: what the facts
mean (domain/projects/detection.py).
"""

from __future__ import annotations

from aforesaid.adapters.git_reader.repository import read_repository
from aforesaid.adapters.git_reader.workspace import list_temporary_folders, read_workspace

__all__ = ["list_temporary_folders", "read_repository", "read_workspace"]
