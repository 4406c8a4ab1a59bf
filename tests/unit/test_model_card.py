"""What a model folder says of itself: a card of ours, its makers' files, or nothing."""

from __future__ import annotations

import json
import struct

import pytest

from aforesaid.adapters.embedding.model_card import describe_folder
from aforesaid.adapters.embedding.onnx import open_folder
from aforesaid.domain.errors import CorruptError, NotFoundError, UnavailableError
from model_folders import make_model

TEXT = "kilo lima mike"


@pytest.fixture
def folder(tmp_path):
    return make_model(tmp_path / "tiny")


def write(folder, name: str, content: object) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))


def pool(folder, **modes) -> None:
    write(folder, "1_Pooling/config.json", {"word_embedding_dimension": 64, **modes})


def test_a_folder_without_a_card_is_pooled_by_the_mean(folder) -> None:
    card = describe_folder(str(folder))

    assert ("tiny", "mean", 256, "", "") == (
        card.id, card.pooling, card.max_tokens, card.query_prefix, card.document_prefix
    )  # fmt: skip


def test_what_its_makers_left_is_read(folder) -> None:
    pool(folder, pooling_mode_cls_token=True, pooling_mode_mean_tokens=False)
    write(folder, "sentence_bert_config.json", {"max_seq_length": 512})
    prompts = {"query": "search: ", "passage": "text: "}
    write(folder, "config_sentence_transformers.json", {"prompts": prompts})
    card = describe_folder(str(folder))

    assert ("cls", 512, "search: ", "text: ", 64) == (
        card.pooling, card.max_tokens, card.query_prefix, card.document_prefix, card.dimensions
    )  # fmt: skip


def test_the_pooling_module_is_where_the_list_of_modules_says(folder) -> None:
    modules = [{"path": "", "type": "models.Transformer"}, {"path": "9_P", "type": "x.Pooling"}]
    write(folder, "modules.json", modules)
    write(folder, "9_P/config.json", {"pooling_mode_max_tokens": True})

    assert "max" == describe_folder(str(folder)).pooling


@pytest.mark.parametrize("path", ["../outside", "/etc", "a/b"])
def test_a_list_of_modules_leads_nowhere_else(folder, path) -> None:
    write(folder, "modules.json", [{"path": path, "type": "x.Pooling"}])

    assert "mean" == describe_folder(str(folder)).pooling


def test_our_own_card_has_the_last_word(folder) -> None:
    pool(folder, pooling_mode_cls_token=True)
    write(folder, "card.toml", 'id = "mine"\npooling = "last"\nquery_prefix = "q: "\n')
    card = describe_folder(str(folder))

    assert ("mine", "last", "q: ") == (card.id, card.pooling, card.query_prefix)


def test_the_weights_may_lie_where_exporters_put_them(tmp_path) -> None:
    folder = make_model(tmp_path / "exported", name="onnx/model.onnx")

    assert 64 == open_folder(str(folder)).dimensions


@pytest.mark.parametrize("changed", [{"pooling": "cls"}, {"query_prefix": "q: "}])
def test_whatever_changes_the_vectors_changes_the_stamp(tmp_path, changed) -> None:
    first, second = make_model(tmp_path / "a" / "m"), make_model(tmp_path / "b" / "m", **changed)

    assert describe_folder(str(first)).model != describe_folder(str(second)).model
    assert describe_folder(str(first)).model == describe_folder(str(first)).model


@pytest.mark.parametrize("pooling", ["mean", "cls", "max", "last"])
def test_tokens_are_pooled_as_the_card_says(tmp_path, pooling) -> None:
    import numpy as np
    from tokenizers import Tokenizer

    folder = make_model(tmp_path / "m", pooling=pooling)
    table = np.random.default_rng(1).normal(size=(2_000, 64)).astype("float32")
    ids = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(TEXT).ids
    expected = {
        "mean": table[ids].mean(0), "cls": table[ids[0]],
        "max": table[ids].max(0), "last": table[ids[-1]],
    }[pooling]  # fmt: skip

    results = struct.unpack("<64f", open_folder(str(folder)).embed_query(TEXT))
    assert pytest.approx(expected / np.linalg.norm(expected), abs=1e-5) == results


def test_a_question_and_a_document_have_each_their_prefix(tmp_path) -> None:
    plain = open_folder(str(make_model(tmp_path / "plain")))
    folder = make_model(tmp_path / "m", query_prefix="query: ", document_prefix="passage: ")
    embedder = open_folder(str(folder))

    (document,) = embedder.embed_document(TEXT)
    assert document != embedder.embed_query(TEXT)
    assert plain.embed_query(f"query: {TEXT}") == embedder.embed_query(TEXT)
    assert plain.embed_document(f"passage: {TEXT}") == [document]


def test_a_long_text_has_windows_however_the_published_tokenizer_cuts(folder) -> None:
    embedder = open_folder(str(folder))

    assert 64 == len(embedder.embed_document("kilo lima " * 5_000))
    assert 1 == len(embedder.embed_document("kilo"))


def test_a_folder_that_holds_no_model_is_said_so(tmp_path) -> None:
    with pytest.raises(NotFoundError, match=r"needs tokenizer.json and model.onnx"):
        describe_folder(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "content"),
    [("card.toml", "= ["), ("card.json", "{"), ("modules.json", "["),
     ("card.json", {"pooling": "median"}), ("card.json", {"max_tokens": "many"}),
     ("card.json", {"files": {"model.onnx": {"sha256": "0" * 64}}})],
)  # fmt: skip
def test_a_card_that_cannot_be_believed_is_refused(folder, name, content) -> None:
    write(folder, name, content)

    with pytest.raises(CorruptError):
        describe_folder(str(folder))


def test_a_file_that_is_no_model_is_refused_in_our_words(folder) -> None:
    (folder / "model.onnx").write_bytes(b"no model")

    with pytest.raises(UnavailableError, match="cannot load the model"):
        open_folder(str(folder))
