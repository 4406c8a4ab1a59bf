"""How everyday a prompt is: what any developer may type, and needs nothing remembered.

Here: a direction in the shipped model's vectors of questions, learned from everyday prompts and
from such as call for a memory of made-up projects. Not here: what follows from it
(prompt_relevance.py). Why: docs/adr/0027-recall-at-the-prompt.md.
"""

from __future__ import annotations

from binascii import a2b_base64

#: Whose vectors it reads; of another model's it says nothing.
MODEL = "all-minilm-l6-v2-int8@3dfa25b5"
#: Log-odds: this, and the product of a vector with the table, whose int8 stand for so much each.
#: Made by ``python -m bench.prompts.everyday``.
BIAS, STEP = 0.126, 0.01573
_TABLE = memoryview(
    a2b_base64(
        "BSUKDP31NCc79AQBA+HpE/L/EAk3HPgFEw/5Cf8f6BYL/sohCs0aHvAKCMwME+wIzM/rF8ZDVQTcAgb9Ag79ATPI"
        "+vb8CQPUCRX14gYJ2TDHNAQC3+TnBBsS19wV+RIQBhvVgRr6/gH5Iu7SHeDDwfwB4Q8W/SskG/4XMMrlDAD+3AXx"
        "BfTh0dg8EeEeOg0P1d/9Cgw9/vICut7UBxcQCvTmKijuyfT3+PoBFxjP1AnFDxcLNwgYDyMmryfZJAH8/Qn6HREL"
        "Dh7i9/vsAtUV5uAc2A3AHh3xEusH9QHH2QAZBvMZ7uXv7R/x7QT98zz03+Po+PXxFCD43gTsCAcA/+748Qrr7hLO"
        "0Cwf+u0W7UD77gQS/gX9z+Ij5vr+9CIO2v6z3fK5PhXkE9MdHPL4CPYgEQnS798OAtM79hPXGwD57N7S6yYG2wLc"
        "HR/p0vc3F9ZAHwfbweHPDQop+eQwC+UE2PUd2gz2C/8dOu/4Jvrk7AoW+93rBgkG2ukwJDkp"
    )
).cast("b")


def generic_prompt_log_odds(vector: bytes, model: str) -> float:
    """Return the log-odds that a prompt is an everyday one; 0 where nothing is known.

    Args:
        vector: of the prompt, as a question: float32.
        model: that made it.
    """
    if model != MODEL:
        return 0.0
    said = memoryview(vector).cast("f")
    return BIAS + STEP * sum(one * other for one, other in zip(said, _TABLE, strict=True))
