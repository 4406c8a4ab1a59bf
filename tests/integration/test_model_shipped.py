"""The model that ships, as it is: its files, its vectors, what it can tell apart."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from aforesaid.adapters.embedding.model_card import read_card
from aforesaid.adapters.embedding.onnx import (
    SHIPPED_FOLDER,
    OnnxEmbedder,
    open_shipped,
)
from aforesaid.domain.errors import CorruptError, UnavailableError

# Vectors as int8, base64: made once by the model whose name stands beside them.
GOLDEN = json.loads(
    (Path(__file__).parent.parent / "data" / "golden_vectors.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return open_shipped()


def _cosine(embedder: OnnxEmbedder, item: str, other: str) -> float:
    first, second = (np.frombuffer(embedder.embed_document(t)[0], "<f4") for t in (item, other))
    return float(first @ second)


def test_the_shipped_model_is_the_one_that_was_measured() -> None:
    assert "aforesaid-minilm-int8@078a9807" == read_card(SHIPPED_FOLDER).model
    assert 384 == read_card(SHIPPED_FOLDER).dimensions


def test_the_folder_holds_licence_and_notice_of_what_was_changed() -> None:
    folder = Path(SHIPPED_FOLDER)

    assert "Apache License" in (folder / "LICENSE").read_text(encoding="utf-8")
    assert "quantised the weights" in (folder / "NOTICE").read_text(encoding="utf-8")


def test_the_golden_vectors_belong_to_this_model(embedder: OnnxEmbedder) -> None:
    assert GOLDEN["model"] == embedder.model


@pytest.mark.parametrize("text", GOLDEN["vectors"])
def test_known_texts_have_known_vectors(embedder: OnnxEmbedder, text: str) -> None:
    golden = np.frombuffer(base64.b64decode(GOLDEN["vectors"][text]), np.int8).astype(float)
    actual = np.frombuffer(embedder.embed_document(text)[0], "<f4")

    assert golden @ actual / np.linalg.norm(golden) > 0.999


@pytest.mark.parametrize(
    ("query", "answer", "stranger"),
    [
        (
            "How do we deploy?",
            "To release: bump the version, tag it and push; CI ships it.",
            "The cat sat on the mat.",
        ),
        (
            "Which database port?",
            "PostgreSQL can be reached at 5432",
            "The designer prefers dark themes.",
        ),
        ("User likes brief answers", "Prefers short replies", "The build uses CMake"),
    ],
)
def test_an_answer_in_other_words_is_closer_than_a_stranger(
    embedder: OnnxEmbedder, query: str, answer: str, stranger: str
) -> None:
    assert _cosine(embedder, query, answer) > 0.25 + _cosine(embedder, query, stranger)


@pytest.mark.parametrize(
    ("first", "other", "expected"),
    [
        ("The database listens on port 5432", "The database listens on port 5433", 0.940),
        ("The backup runs at 14:00", "The backup runs at 16:00", 0.938),
        ("Releases must be signed", "Releases must not be signed", 0.970),
    ],
)
def test_a_changed_number_or_a_negation_is_not_seen_by_the_vector(
    embedder: OnnxEmbedder, first: str, other: str, expected: float
) -> None:
    """Which is why a cosine alone never makes two memories the same."""
    assert pytest.approx(expected, abs=0.01) == _cosine(embedder, first, other)


def test_a_question_is_nearer_to_its_answer_in_other_words_than_to_talk(
    embedder: OnnxEmbedder,
) -> None:
    question = "how do I stop my test environment from vanishing?"
    answer = "Sandboxes are wiped every night; whoever needs one longer tags it keep."
    talk = "Worked on small things; nothing else to report."

    assert _cosine(embedder, question, answer) > _cosine(embedder, question, talk)


def test_windows_take_256_tokens_with_the_special_ones(embedder: OnnxEmbedder) -> None:
    assert 1 == len(embedder.embed_document("memory " * 254))
    assert 2 == len(embedder.embed_document("memory " * 255))


def test_what_stands_after_the_128th_token_still_counts(embedder: OnnxEmbedder) -> None:
    """Upstream's tokenizer.json cuts there."""
    start = "memory " * 200

    assert embedder.embed_query(start) != embedder.embed_query(start + "of elephants")


def test_windows_of_a_long_text_start_and_end_between_words(embedder: OnnxEmbedder) -> None:
    words = " ".join(f"identifier_{number}.attribute" for number in range(150))
    decode = Tokenizer.from_file(os.path.join(SHIPPED_FOLDER, "tokenizer.json")).decode
    windows = [decode(ids) for ids in embedder._windows(words)]

    assert len(windows) == 5
    for window in windows:
        assert window.startswith("identifier _")
        assert window.endswith(". attribute")


def test_a_path_with_blanks_and_umlauts_is_fine(tmp_path: Path) -> None:
    folder = tmp_path / "mit Zwischenräumen und 数据"
    shutil.copytree(SHIPPED_FOLDER, folder)

    assert 4 * 384 == len(OnnxEmbedder(str(folder)).embed_query("hello"))


def test_altered_weights_are_refused(tmp_path: Path) -> None:
    shutil.copytree(SHIPPED_FOLDER, tmp_path, dirs_exist_ok=True)
    with (tmp_path / "model.onnx").open("r+b") as file:
        file.seek(12_000_000)
        byte = file.read(1)[0]
        file.seek(12_000_000)
        file.write(bytes([byte ^ 1]))

    with pytest.raises(CorruptError, match=r"model\.onnx has sha256 .* says 078a9807"):
        OnnxEmbedder(str(tmp_path))


def test_missing_weights_say_what_to_do(tmp_path: Path) -> None:
    shutil.copytree(
        SHIPPED_FOLDER, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.onnx")
    )

    with pytest.raises(UnavailableError, match=r"model\.onnx.*no vectors.*Reinstall Aforesaid"):
        OnnxEmbedder(str(tmp_path))


def test_a_missing_tokenizer_package_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)

    with pytest.raises(UnavailableError, match=r"package tokenizers .*Run `aforesaid setup`"):
        open_shipped()


def test_loading_tells_nobody_writes_nothing_and_starts_no_thread(tmp_path: Path) -> None:
    """Else onnxruntime's telemetry keeps a thread, a device id and a database."""
    code = (
        "import os; from aforesaid.adapters.embedding.onnx import open_shipped;"
        "open_shipped().embed_query('hello');"
        "tasks = '/proc/self/task';"
        "assert not os.path.isdir(tasks) or len(os.listdir(tasks)) == 1, os.listdir(tasks)"
    )
    homes = ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
    environment = {n: v for n, v in os.environ.items() if not n.startswith("ORT_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **environment,
            **dict.fromkeys(homes, str(tmp_path)),
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    assert [] == list(tmp_path.iterdir())
