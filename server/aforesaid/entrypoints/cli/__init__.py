"""``aforesaid`` at a shell: each module here adds the commands of one subject to the group."""

from __future__ import annotations

from .app import aforesaid, main

__all__ = ["aforesaid", "main"]
