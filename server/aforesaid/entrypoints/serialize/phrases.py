"""Phrases of answers that name a tool of a session; the shell replaces them by its own means."""

from __future__ import annotations

#: How a session without a project gets one.
CHOOSE_PROJECT = "set_project(project) chooses one for this session"
