"""The first results read again by a cross-encoder of a folder: this one likes the letter z."""

from __future__ import annotations

import json

import pytest

from aforesaid.adapters.embedding.reranker import OnnxReranker
from aforesaid.domain.errors import NotFoundError, UnavailableError
from aforesaid.services.recall.query import RecallHit
from aforesaid.services.recall.rerank import MAX_RERANKED, rerank
from factories import make_memory
from model_folders import make_model, make_reranker


class Slow:
    """Scores by length, and no more than the time is enough for."""

    def __init__(self, enough: int) -> None:
        self.enough = enough
        self.asked: list[tuple[str, int]] = []

    def scores(self, query: str, texts: list[str], seconds: float) -> list[float]:
        assert seconds > 0
        self.asked.append((query, len(texts)))
        return [float(len(text)) for text in texts[: self.enough]]


def results(*texts: str) -> list[RecallHit]:
    return [
        RecallHit(memory=make_memory(rank, content=text), score=1 - rank / 100, why="words")
        for rank, text in enumerate(texts, start=1)
    ]


def order(found: list[RecallHit]) -> list[str]:
    return [result.memory.content for result in found]


def test_the_order_of_the_reader_and_the_one_before_it_count_alike() -> None:
    ranking = rerank(lambda: Slow(99), "q", results("a", "cc", "ddd"), [])

    assert ["ddd", "a", "cc"] == order(ranking)
    assert [0.99, 0.98, 0.97] == [item.score for item in ranking]
    assert "words, reranked to 1 (was 3)" == ranking[0].why


def test_a_reader_lifts_what_it_likes_no_further_than_both_orders_bear() -> None:
    ranking = rerank(lambda: Slow(99), "q", results("ffff", "eee", "dd", "a", "hhhhh"), [])

    assert ["ffff", "eee", "hhhhh", "dd", "a"] == order(ranking)


def test_equal_scores_leave_the_order_as_it_was() -> None:
    assert ["aa", "bb", "cc"] == order(rerank(lambda: Slow(9), "q", results("aa", "bb", "cc"), []))


def test_what_there_was_no_time_for_keeps_its_place_behind() -> None:
    ranking = rerank(lambda: Slow(2), "q", results("a", "bb", "cccc", "ddd"), [])

    assert ["bb", "a", "cccc", "ddd"] == order(ranking)
    assert [0.99, 0.98, 0.97, 0.96] == [item.score for item in ranking]


def test_only_the_first_results_are_read() -> None:
    reader = Slow(99)
    ranking = rerank(lambda: reader, "q", results(*(["x"] * 30)), [])

    assert [("q", MAX_RERANKED)] == reader.asked
    assert 30 == len(ranking)


def test_without_a_reader_nothing_changes() -> None:
    values = results("a", "bbb")

    assert values == rerank(None, "q", values, [])
    assert values == rerank(lambda: None, "q", values, [])


def test_a_reader_that_cannot_be_had_is_told_and_the_answer_stays() -> None:
    def broken() -> None:
        raise UnavailableError("no such package")

    report: list[str] = []
    values = results("a", "bbb")
    assert values == rerank(broken, "q", values, report)
    assert ["not reranked: no such package"] == report


@pytest.mark.parametrize("numbers", [1, 2])
def test_a_cross_encoder_scores_pairs(tmp_path, numbers) -> None:
    reader = OnnxReranker(str(make_reranker(tmp_path / "r", numbers=numbers)))

    matches = reader.scores("zzz which", ["none", "zigzag jazz", "z"], 60)
    assert [0.0, 4.0, 1.0] == matches


def test_a_long_text_is_cut_and_the_question_is_not(tmp_path) -> None:
    reader = OnnxReranker(str(make_reranker(tmp_path / "r")))

    (score,) = reader.scores("a question", ["z" * 40_000], 60)
    assert 0 <= score <= 512
    (score,) = reader.scores("a question", ["z " * 5_000], 60)
    assert 400 < score < 512


def test_a_question_of_many_pieces_leaves_room_for_the_text(tmp_path) -> None:
    reader = OnnxReranker(str(make_reranker(tmp_path / "r")))

    assert [1.0] == reader.scores("abcdefghij" * 9 + " " + "bcdefghijk " * 90, ["z"], 60)


def test_a_reader_that_cannot_read_is_told_and_the_answer_stays() -> None:
    class Choking:
        def scores(self, query: str, texts: list[str], seconds: float) -> list[float]:
            raise UnavailableError("too long")

    report: list[str] = []
    values = results("a", "bbb")
    assert values == rerank(Choking, "q", values, report)
    assert ["not reranked: too long"] == report


def test_when_time_is_over_what_was_scored_is_the_answer(tmp_path) -> None:
    reader = OnnxReranker(str(make_reranker(tmp_path / "r")))

    assert [] == reader.scores("q", ["z"] * 5, -1)


def test_a_model_that_reads_no_pairs_is_refused(tmp_path) -> None:
    with pytest.raises(UnavailableError, match="returns 1 or 2: choose another"):
        OnnxReranker(str(make_model(tmp_path / "m")))
    with pytest.raises(NotFoundError):
        OnnxReranker(str(tmp_path))


def test_at_a_shell_it_orders_what_is_found_and_says_so(shell, environment, tmp_path) -> None:
    for text in ("The queue is NATS JetStream.", "The queue was Redis, zig zag jazz puzzle."):
        shell("remember", text)
    plain = json.loads(shell("search", "which queue is it", "--json").stdout)["results"]
    environment["AFORESAID_RETRIEVAL_RERANKER"] = str(make_reranker(tmp_path / "r"))
    matches = json.loads(shell("search", "which queue is it", "--json").stdout)["results"]

    assert plain[0]["content"].startswith("The queue is NATS")
    assert matches[0]["content"].startswith("The queue was Redis")
    assert "reranked to 1 (was 2)" in matches[0]["why"]
    environment["AFORESAID_RETRIEVAL_RERANKER"] = str(tmp_path / "nothing")
    answer = json.loads(shell("search", "which queue is it", "--json").stdout)
    assert plain[0]["content"] == answer["results"][0]["content"]
    assert answer["degradations"][0].startswith("not reranked: ")
