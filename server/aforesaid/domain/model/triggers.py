"""The triggers of a memory as one text: the commands or edits with which it is shown.

Whether an action matches them: domain/context/trigger.py.
"""

from __future__ import annotations

import re

from .memory import COMMAND_LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: What begins a trigger in words, or one that names only a file.
_IN_WORDS = r"(?i)(?:(?:\w{3,}ing|when(?:ever)?|before|after|if|any|each|every|on)\s|\S*[*/]\S*$)"


def trigger_text(triggers: Sequence[str]) -> str:
    """Return several triggers as one text, a line each.

    ``terraform apply in envs/prod`` becomes ``$ terraform apply in envs/prod``: a command, as it is
    typed.
    """
    lines = dict.fromkeys(" ".join(each.strip("`$ \n").split()) for each in triggers)
    return "\n".join(
        line if re.match(_IN_WORDS, line) else f"{COMMAND_LINE}{line}" for line in lines if line
    )


def commands_in(trigger: object) -> list[str]:
    """Return the commands that a memory's trigger gives as they are typed."""
    lines = trigger.splitlines() if isinstance(trigger, str) else ()
    return [line.removeprefix(COMMAND_LINE) for line in lines if line.startswith(COMMAND_LINE)]
