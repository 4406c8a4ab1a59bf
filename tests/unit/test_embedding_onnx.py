"""What the model adapter says when something is missing or wrong."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from aforesaid.adapters.embedding.model_card import read_card
from aforesaid.adapters.embedding.onnx import OnnxEmbedder
from aforesaid.domain.errors import CorruptError, UnavailableError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model folder whose files are none, but the very ones that its card names."""
    files = {"model.onnx": b"weights", "tokenizer.json": b"words"}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    card = {
        "id": "toy",
        "dimensions": 3,
        "max_tokens": 8,
        "files": {n: {"sha256": hashlib.sha256(c).hexdigest()} for n, c in files.items()},
    }
    (tmp_path / "card.json").write_text(json.dumps(card))
    return tmp_path


def test_the_model_is_named_after_its_file_before_it_is_loaded(folder: Path) -> None:
    expected = "toy@" + hashlib.sha256(b"weights").hexdigest()[:8]

    assert expected == read_card(str(folder)).model


@pytest.mark.parametrize("name", ["card.json", "model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named_with_what_to_do(folder: Path, name: str) -> None:
    (folder / name).unlink()

    with pytest.raises(UnavailableError) as caught:
        OnnxEmbedder(str(folder))
    assert str(folder / name) in str(caught.value)
    assert "words only. Reinstall Aforesaid" in str(caught.value)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_an_altered_file_is_refused_by_its_hash(folder: Path, name: str) -> None:
    with (folder / name).open("ab") as file:
        file.write(b".")

    with pytest.raises(CorruptError, match="damaged or altered and is not used") as caught:
        OnnxEmbedder(str(folder))
    assert str(folder / name) in str(caught.value)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"id": "toy", "dimensions": "many"}'])
def test_a_card_that_describes_no_model_is_refused(folder: Path, content: str) -> None:
    (folder / "card.json").write_text(content)

    with pytest.raises(CorruptError, match="does not describe a model"):
        read_card(str(folder))


@pytest.mark.parametrize("name", ["numpy", "onnxruntime"])
def test_a_missing_package_is_named_with_what_to_do(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(UnavailableError) as caught:
        OnnxEmbedder(str(folder))
    assert f"cannot import the Python package {name}" in str(caught.value)
    assert "words only. Run `aforesaid setup`" in str(caught.value)


def test_importing_the_adapter_loads_no_heavy_package() -> None:
    code = (
        "import sys; import aforesaid.adapters.embedding.onnx; "
        "print([n for n in ('numpy', 'onnxruntime', 'tokenizers') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "[]\n" == done.stdout
