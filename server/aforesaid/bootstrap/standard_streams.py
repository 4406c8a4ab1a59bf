"""Standard streams for a process that was started without some of them (``>&-``).

Only start.py calls this, before anything else is opened: a file opened later would stand where the
stream was, and whatever is said there would be written into it.
"""

from __future__ import annotations

import os
import sys


def open_missing() -> None:
    """Give each closed standard stream an empty one, for this process and those that it starts."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            os.set_inheritable(opened, True)
            stream = open(opened, "w" if number else "r", encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, stream)
