"""A linear classifier for generic prompts: those that any developer may type and need no memory.

It applies to the shipped model's query vectors, and was trained on generic prompts and on prompts
that need memories of invented projects. See docs/adr/0027-recall-at-the-prompt.md.
"""

from __future__ import annotations

from binascii import a2b_base64

#: The model whose vectors it applies to.
MODEL = "aforesaid-minilm-int8@ce43ac15"
#: Log-odds are BIAS plus STEP times the dot product of a vector with the int8 table. Trained by
#: ``python -m bench.prompts.everyday``.
BIAS, STEP = -0.097, 0.01506
_TABLE = memoryview(
    a2b_base64(
        "/iQFBv7jLBUz+w0JAefmD/4AAgQ3HuwMDxQBEgcX2RYFEM8hA9oTF/IJ/M4OF9v/ysvyDbtAURLY/P/3AhH89kTM"
        "/P8CDwfhECTy5QgQ4T2+Ov/+6/bkDCIY2uYi+RMWCQ/YgQ38+PMBEPvUItnewgL83hELCjIWGvwhJsXoDAAG4gr1"
        "Du/f1ddFI+MXLwQM5PDvDQs08vUDuNvVCykD/PnkIRrqyPj29BL8Ixrb3/W6BxIMMBQaFikoryzoKvv9/BX6IBAH"
        "Dhrg9/Tn/9cc5+sd2gm/HCn2Eery8RHC4gApCfwp5N7x7R/o4xL38EX71tvhAPbhGRX15P/9/Pz49u7x9g7t9wXa"
        "1iMtCesO8TL/7AQW+BL61+Yq5fwA5hkX0Ae/2/q3PBLiCNIWJ+v/DfsUCwzX8uQHAOM59g/XDgDx5vHW8SEA3gPo"
        "Hxbi0f8jGt0kH+/sx/rNDg8y9OwsDvkV5PQP2wj1APAoQvECJfjg8hoL9OPlCwQD3fk1ISwr"
    )
).cast("b")


def generic_prompt_log_odds(vector: bytes, model: str) -> float:
    """Return the log-odds that a prompt is generic; 0 for vectors of another model.

    Args:
        vector: query vector of the prompt, float32.
        model: name of the model that computed it.
    """
    if model != MODEL:
        return 0.0
    values = memoryview(vector).cast("f")
    return BIAS + STEP * sum(value * weight for value, weight in zip(values, _TABLE, strict=True))
