"""Replaces standard streams that the parent closed (``>&-``).

start.py calls this before anything is opened: otherwise the next file to be opened would get the
stream's descriptor, and output would be written into it.
"""

from __future__ import annotations

import os
import sys


def open_missing() -> None:
    """Open the null device for each closed stream; child processes inherit it."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
            os.set_inheritable(descriptor, True)
            stream = open(descriptor, "w" if number else "r", encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, stream)
