"""Phrases of answers that the shell replaces, because it has other means than a session."""

from __future__ import annotations

#: How a session without a project gets one.
CHOOSE_PROJECT = "set_project(project) chooses one for this session"
