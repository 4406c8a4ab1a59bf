"""Each bench runs, on the smallest sizes, so that none can rot; what it measures is not judged."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bench.agent_memories import load
from bench.agent_memories.dataset import Shelf
from bench.agent_memories.diagram import draw
from bench.agent_memories.scores import score_part
from bench.authors import Author, author_names, load_author
from bench.authors import __main__ as authors_bench
from bench.contradictions import __main__ as contradictions
from bench.digest_candidates import __main__ as moments
from bench.hashed_embedder import HashedEmbedder
from bench.long_run import __main__ as year_bench
from bench.long_run import plot as year_plot
from bench.long_run.world import make_year
from bench.precision_cases import __main__ as cases
from bench.prompts import __main__ as prompts_bench
from bench.prompts import train as prompts_train
from bench.relevance import __main__ as relevance_bench
from bench.relevance.questions import ask_shelf
from bench.retrieval import learn, training_set
from bench.retrieval.data import pool, read_set
from bench.retrieval.metrics import score_ranking
from bench.stores import private_places
from bench.supersession import __main__ as changes

from aforesaid.domain.retrieval import prompt_relevance
from aforesaid.domain.retrieval.relevance import WEIGHTS
from model_folders import make_reranker

ROOT = Path(__file__).resolve().parents[2]

LINES = [
    {
        "corpus": "first",
        "items": [
            {
                "id": "a",
                "text": "The queue is NATS.",
                "speaker": "Ann",
                "session": "S1",
                "time": "",
            },
            {
                "id": "b",
                "text": "Lunch was good.",
                "speaker": "Bo",
                "session": "S2",
                "time": "noon",
            },
        ],
        "queries": [{"id": "q1", "text": "which queue?", "gold": ["a"], "category": "x"}],
    },
    {
        "corpus": "second",
        "items": [{"id": "a", "text": "Tabs are banned.", "session": "S1"}],
        "queries": [{"id": "q2", "text": "tabs?", "gold": ["session:S1"], "category": "y"}],
    },
]


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


def bench(environment: dict[str, str], *arguments: str) -> str:
    variables = {**environment, "AFORESAID_BENCH_CACHE": environment["XDG_CACHE_HOME"]}
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout


NIGHTLY = ("agent_memories", "clients", "models", "scale", "maintenance", "long_run")


@pytest.mark.parametrize("name", NIGHTLY)
def test_a_bench_that_runs_at_night_only_can_be_read(environment, name):
    assert "usage" in bench(environment, f"bench.{name}", "--help")


@pytest.mark.skipif(os.name == "nt", reason="hooks are started by the POSIX launcher")
def test_the_bench_of_hooks_runs(environment):
    output = json.loads(bench(environment, "bench.hooks", "--runs", "1", "--sizes", "20", "--json"))
    kinds = (
        "session-start", "session-end", "prompt by its server", "prompt by words", "subagent start",
        "action by its server",
    )  # fmt: skip
    assert {f"{kind}, 20 memories" for kind in kinds} == set(output["cases"])


def test_the_bench_of_decisions_finds_what_was_settled_and_amended(environment, tmp_path):
    first = [
        {"role": "user", "text": "A delivery gets three tries, then it is parked for an hour."},
        {"role": "assistant", "text": "Settled: three tries per delivery, then it is parked."},
    ]
    second = [
        {"role": "user", "text": "Amendment to the delivery rule: five tries, not three."},
        {"role": "assistant", "text": "Amended rule: five tries per delivery, then it is parked."},
    ]
    task = {
        "task_id": "parking",
        "module": "hooks/sender.py",
        "bug_report": "The webhook sender parks deliveries too early. Fix the tries per delivery.",
        "conversations": [first, second],
        "decides": ["[Ff]ive tries"],
    }
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(task) + "\n")
    lines = bench(environment, "bench.decisions", str(path), "--edits").splitlines()
    assert "parking: start, prompt, action" == lines[0]
    assert "reached 1 of 1, at the edit 1, outdated 0" == lines[1]
    assert "memories shown at an edit: 1, of another file 0" == lines[2]


def test_the_bench_of_actions_counts_what_is_shown_and_what_bears_on_the_action(
    environment, tmp_path
):
    freeze = {"key": "m1", "content": "Run make freeze first.", "type": "procedural"}
    queue = {"key": "m2", "content": "The queue is NATS JetStream.", "type": "semantic"}
    project = {
        "memories": [
            {**freeze, "trigger": "before a release", "files": []},
            {**queue, "trigger": "", "files": ["src/queue.py"]},
        ],
        "actions": [
            {"tool": "Bash", "command": "make release", "bears": ["m1"]},
            {"tool": "Edit", "file": "src/queue.py", "bears": []},
            {"tool": "Edit", "file": "src/other.py", "bears": ["m2"]},
        ],
    }
    path = tmp_path / "project.json"
    path.write_text(json.dumps(project))
    line = bench(environment, "bench.actions", str(path)).strip()
    assert line.endswith("related 1.000 (2 of 2), unrelated 1.000 (1 of 1), right 0.500 (1 of 2)")

    calls = [
        {"key": "m1", "arguments": {"content": freeze["content"], "trigger": "make release"}},
        {"key": "m2", "arguments": {"content": queue["content"], "anchors": ["src/queue.py"]}},
        {"key": "m3", "arguments": {"text": "a parameter that the tool does not have"}},
    ]
    stored = tmp_path / "calls.json"
    stored.write_text(json.dumps(calls))
    refused, line = bench(
        environment, "bench.actions", str(path), "--calls", str(stored)
    ).splitlines()
    assert "refused: m3: " in refused
    assert line.endswith("related 1.000 (2 of 2), unrelated 1.000 (1 of 1), right 0.500 (1 of 2)")


def test_the_bench_of_open_ends_judges_each_author_by_the_others(environment):
    lines = bench(environment, "bench.open_ends").splitlines()
    assert ["o01", "written", "sessions"] == [
        lines[1][:3],
        *(line.split()[0] for line in lines[-2:]),
    ]


def test_the_bench_of_a_week_writes_down_what_each_start_shows(environment, tmp_path):
    rule = {"user": "Always use pnpm here, never npm. Add a health endpoint."}
    edit = {"tool": "Edit", "file": "src/api.ts", "old": "a", "new": "b"}
    run = {"tool": "Bash", "command": "pnpm test", "output": "12 passed", "failed": False}
    turns = [rule, edit, run, {"assistant": "Added GET /health in src/api.ts."}]
    sessions = [
        {"day": 1, "repo": "shop", "turns": turns},
        {"day": 2, "repo": "shop", "turns": [{"user": "hi"}, {"assistant": "Hello."}]},
    ]
    path = tmp_path / "sessions.jsonl"
    path.write_text("\n".join(map(json.dumps, sessions)))
    bench(environment, "bench.week", str(path), "--out", str(tmp_path / "out"))
    first, second = sorted((tmp_path / "out").glob("session-*.md"))
    assert "pnpm" not in first.read_text().partition("## Kept of it")[0]
    shown = second.read_text().partition("## Kept of it")[0]
    assert "- Always use pnpm here, never npm" in shown
    assert "4 May: Added GET /health in src/api.ts" in shown

    played = ("bench.week", str(path), "--out", str(tmp_path / "played"), "--home", str(tmp_path))
    bench(environment, *played, "--start")
    arguments = json.dumps({"content": "The shop is packaged with pnpm only."})
    answer = bench(
        environment, *played, "--call", "store_memory", "--arguments", arguments, "--after", "2"
    )
    assert "The shop is packaged with pnpm only." in json.loads(answer)["message"]
    bench(environment, *played, "--end")
    assert "- The shop is packaged with pnpm only. [" in bench(environment, *played, "--start")
    assert "toolu_2_0" in (tmp_path / "session-00.jsonl").read_text()


def test_the_bench_of_failures_counts_what_is_found_right_and_found_again(environment, tmp_path):
    missing = "ModuleNotFoundError: No module named 'freezegun'"
    session = {
        "calls": [
            {"command": "pytest", "output": missing, "failed": True},
            {"command": "pip install freezegun", "output": "", "failed": False},
            {"command": "pytest", "output": "1 passed", "failed": False},
        ],
        "planted": [{"error": "No module named", "fix": "pip install freezegun"}],
        "again": [{"of": 0, "output": f"Traceback:\n{missing}"}],
    }
    lost = {"calls": [], "planted": [{"error": "no space left", "fix": "docker prune"}]}
    path = tmp_path / "sessions.jsonl"
    path.write_text("\n".join(map(json.dumps, (session, lost))))
    line = bench(environment, "bench.failures", str(path)).strip()
    assert line.endswith(
        "2 sessions, found 0.50 (1 of 2), right 1.00 (1 of 1), again 1.00 (1 of 1)"
    )


def test_the_bench_of_the_store_runs(environment):
    output = json.loads(
        bench(environment, "bench.store", "--sizes", "20", "--calls", "2", "--json")
    )
    assert {"recall", "store"} <= set(output["sizes"]["20"]["calls"])


@pytest.mark.skipif(os.name == "nt", reason="a POSIX signal ends a part")
def test_the_bench_of_the_viewer_runs(environment):
    output = json.loads(
        bench(environment, "bench.viewer", "--sizes", "20", "--calls", "1", "--json")
    )["sizes"]["20"]
    assert {"Today", "results while typing", "a memory"} <= set(output["pages"])
    assert all(page["bytes"] for page in output["pages"].values())


def test_the_bench_of_routes_names_the_modules_of_each(environment):
    told = json.loads(bench(environment, "bench.routes", "--json"))
    assert {"prompt", "store", "recall", "session end"} == set(told)
    assert "services/memories/writer" in told["store"]
    assert "services/recall/recall" in told["recall"]
    assert "operations/session_sweep" in told["session end"]
    assert {"operations/prompt_hook", "operations/prompt_server"} <= set(told["prompt"])


def test_the_bench_of_retrieval_says_the_same_twice(environment, labelled):
    first, second = (
        json.loads(bench(environment, "bench.retrieval", "--data", str(labelled), "--json"))
        for _ in range(2)
    )
    scores = first["sets"]["tiny"]["scores"]
    assert scores == second["sets"]["tiny"]["scores"]
    assert {"ours", "BM25", "dense", "RRF"} == set(scores["message"])
    assert 1.0 == scores["message"]["ours"]["recall@1"]


def test_the_bench_of_extraction_runs(environment):
    report = bench(environment, "bench.extraction")
    assert "planted facts in what is asked" in report
    assert "held out:" in report


def test_the_bench_of_backfill_runs(environment):
    lines = bench(environment, "bench.backfill", "--sessions", "3").splitlines()
    first, again = (json.loads(line.partition(": ")[2]) for line in lines)
    assert (3, 0, 3) == (first["digested"], again["digested"], again["known"])


def test_the_bench_of_transfer_runs_and_what_comes_back_is_equal(environment):
    output = json.loads(
        bench(environment, "bench.transfer", "--count", "40", "--markdown", "10", "--json")
    )
    assert {"after import": 1.0, "after restore": 1.0} == output["equal bytes"]


def test_the_bench_of_topics_runs(environment):
    report = bench(environment, "bench.topics")
    assert ["names, dev", "names, test"] == [
        line.partition(":")[0] for line in report.splitlines() if line.startswith("names")
    ]


def test_ways_to_fuse_can_be_compared(environment, labelled):
    report = bench(environment, "bench.retrieval.choose", "--data", str(labelled))
    assert "RRF 60" in report


def test_a_session_is_gold_where_only_it_is_named(labelled):
    first, second = read_set(str(labelled))
    assert frozenset({"S1"}) == second.queries[0].gold_sessions
    assert frozenset() == second.queries[0].gold
    assert frozenset({"S1"}) == first.queries[0].gold_sessions


def test_a_text_is_told_with_its_speaker_and_time(labelled):
    first, _ = read_set(str(labelled))
    assert "[noon] Bo: Lunch was good." == first.items[1].text


def test_pooled_corpora_keep_their_ids_apart(labelled):
    pooled = pool("all", read_set(str(labelled)))
    assert ["first/a", "first/b", "second/a"] == [item.id for item in pooled.items]
    assert frozenset({"second/S1"}) == pooled.queries[1].gold_sessions


def test_a_ranking_is_scored_by_where_its_gold_is():
    scored = score_ranking(["x", "a", "y"], frozenset({"a", "b"}))
    assert 0.0 == scored["recall@1"]
    assert 0.5 == scored["recall@5"]
    assert 1.0 == scored["hit@5"]
    assert 0.5 == scored["mrr"]
    assert 0.387 == round(scored["ndcg@10"], 3)


@pytest.fixture
def few() -> Shelf:
    """A few memories of the set, by words and small vectors, and a few of its questions."""
    memories, _ = load()
    wanted = tuple(memory.id for memory in memories if memory.id.startswith("tol-0"))
    with private_places() as folder:
        shelf = Shelf(folder, HashedEmbedder(), only=wanted)
        shelf.questions = shelf.questions[::5]
        yield shelf
        shelf.core.close()


@pytest.mark.nightly
def test_the_bench_of_agent_memories_says_the_same_twice(few):
    first, second = (score_part(few, "dev") for _ in range(2))
    assert {**first, "latency_ms": None} == {**second, "latency_ms": None}
    assert {"default", "injection floor, words only"} <= set(first["settings"])
    assert "dev part" in draw({"dev": first["calibration"]})


def test_weights_of_relevance_can_be_fitted_again():
    author = load_author(author_names()[0])
    memories = author.memories[:40]
    kept = {memory.id for memory in memories}
    questions = [one for one in author.questions if set(one.gold) <= kept]
    asked = ask_shelf(memories, questions[:80], HashedEmbedder(), words_only=False)

    fitted = relevance_bench.fit([asked], "with vectors")
    figures = relevance_bench.report(asked, fitted, "with vectors")

    assert len(WEIGHTS["with vectors"]) == len(fitted.result[1])
    assert figures["error"] < 0.1


def test_the_bench_of_prompts_says_the_same_twice(few):
    for words_only in (False, True):
        first, second = (prompts_bench.score(few, "dev", words_only=words_only) for _ in range(2))
        for kinds in (first, second):
            for figures in kinds.values():
                del figures["p50_ms"]
        assert first == second
        assert first["related, all"]["prompts"] > first["named"]["prompts"] > 0


def test_the_bench_of_prompts_fits_its_weights_again(few):
    names = tuple(prompt_relevance.WEIGHTS["words only"])
    seen = prompts_train.collect(few, "words only")
    _bias, weights = prompts_train.fit(seen, names)
    ranked = prompts_train.left_out(seen, names)
    assert weights["covered"] > 0 > weights["event"]
    assert 0.0 < prompts_train.floor_of(ranked, "words only") <= 1.0


def test_the_bench_of_authors_scores_every_author():
    for name in author_names():
        author = load_author(name)
        kept = {memory.id for memory in author.memories[:15]}
        few = Author(
            name,
            author.memories[:15],
            tuple(one for one in author.questions if one.id.rsplit("-", 2)[0] in kept),
            tuple(one for one in author.prompts if kept.issuperset(one.gold))[:200],
        )
        figures = authors_bench.score_author(few, few, HashedEmbedder())
        assert figures["ours hit@3"] >= figures["ours hit@1"] > 0
        assert 0 <= figures["calibration error"] < 1
        assert {"prompts answered", "shown, unrelated"} <= figures.keys()


def test_weights_of_replacement_can_be_fitted_again():
    embedder = HashedEmbedder()
    only = ("tol-017", "tol-018", "tol-046", "tol-047")
    pairs = [*changes.labelled(), *changes.from_answers(embedder, only)]
    signs = {pair.id: changes.signs_of(pair, embedder) for pair in pairs}
    _bias, weights = changes.fit(pairs, signs, changes.SIGNS["words only"])
    assert 2 == sum(pair.replaces for pair in pairs if pair.part == "store")
    assert dict(zip(changes.SIGNS["words only"], weights, strict=True))["cites"] > 0


def test_a_case_is_answered_by_the_one_thing_it_asks_for(tmp_path):
    case = {**cases.load()[0], "drift": 5}
    measured = cases.answer(case, str(tmp_path), HashedEmbedder())
    assert 1.0 == measured["default"]["recall"]


@pytest.mark.nightly
def test_the_bench_of_clients_runs(environment):
    output = json.loads(
        bench(environment, "bench.clients", "--turns", "1", "--rounds", "1", "--size", "5",
              "--clients", "3", "--lanes", "1", "2", "--json")
    )  # fmt: skip
    assert ([], 2) == (output["wrong"], len([name for name in output if name.endswith("lanes")]))


def test_the_bench_of_readers_tells_what_each_depth_gains(environment, labelled, tmp_path):
    folder = str(make_reranker(tmp_path / "r"))
    asked = ("--data", str(labelled), "--files-alone", "--all")
    output = json.loads(bench(environment, "bench.models.reranker", folder, *asked, "--json"))
    ways = [part["read"] for part in output["parts"].values()]
    assert {"without", "5", "10", "15", "20"} == set(ways[0])
    assert 1.0 == ways[0]["without"]["recall@1"]
    assert "processor p95" in output["ms"]["20"]


def test_pairs_to_train_a_reader_name_what_answers(environment, labelled):
    asked = ("--data", str(labelled), "--files-alone", "--all")
    lines = bench(environment, "bench.models.reranker_pairs", *asked).splitlines()
    made = [json.loads(line) for line in lines]
    assert ["which queue?", "tabs?"] == [row["query"] for row in made]
    assert "Ann: The queue is NATS." == made[0]["texts"][made[0]["answers"][0]]


@pytest.mark.nightly
def test_the_bench_of_models_runs(environment):
    output = json.loads(bench(environment, "bench.models", "--size", "20", "--real", "0"))
    large = output["large"]
    assert (20, 20) == (large["vectors"], large["vectors_equal"])
    assert large["questions"] == large["answers_equal"]


@pytest.mark.nightly
def test_the_bench_of_scale_runs(environment):
    output = json.loads(
        bench(environment, "bench.scale", "--sizes", "20", "--calls", "2", "--json")
    )
    assert 1.0 == output["sizes"]["20"]["vector_recall_at_10"]


def test_the_ranking_learns_what_tells_answers_apart(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("AFORESAID_BENCH_CACHE", str(tmp_path / "cache"))
    texts = {"a": "The queue is NATS.", "b": "The queue was long at lunch."}
    items = [{"id": key, "text": text, "session": "S"} for key, text in texts.items()]
    asked = {"id": "q", "text": "which queue is NATS?", "gold": ["a"]}
    lines = [{"corpus": name, "items": items, "queries": [asked]} for name in ("one", "two")]
    path = tmp_path / "pair.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))

    ranked = learn.read(training_set.gather_set(str(path), HashedEmbedder))
    columns = [learn.NAMES.index("coverage")]
    weights = learn.fit([ranked], columns)

    assert {0, 1} == {result.half for result in ranked}
    assert weights[0] > 0
    assert [1.0] * len(learn.SHOWN) == list(learn.score(ranked, weights, columns).mean(0))


def test_contradictions_are_labelled_and_hardly_flagged_where_both_can_hold():
    pairs = contradictions.labelled()
    flagged = contradictions.judge(pairs, None)

    assert len(pairs) >= 200
    assert {"dev", "test"} == {pair.part for pair in pairs}
    right = sum(pair.incompatible for pair in pairs if flagged[pair.id])
    assert right > 0.9 * sum(flagged.values())
    assert right > len(pairs) // 5


@pytest.mark.nightly
def test_what_was_overtaken_is_told_apart_on_authors_left_out(environment):
    everyone = bench(environment, "bench.overtaken").splitlines()[-1]
    right, wrong = re.search(r"hidden (\d+) rightly, (\d+) wrongly", everyone).groups()
    assert int(right) > 5 * int(wrong)


def test_of_what_lasts_hardly_anything_is_taken_for_a_remark_of_the_moment():
    remarks = moments.read_remarks()

    assert {"dev", "test"} == {remark["part"] for remark in remarks}
    known, of_moments = moments.taken(remarks, moments.MOMENT)
    wrong, of_lasting = moments.taken(remarks, moments.LASTING)
    assert known > of_moments // 20
    assert wrong <= of_lasting // 100


@pytest.mark.nightly
def test_a_small_year_is_lived_untended_and_tended():
    report = {}
    for name, every in (("untended", None), ("tended", 60)):
        months = year_bench.live(make_year(3, 12), HashedEmbedder(), every=every, sample=20)
        report[name] = year_bench.together([months, months], max)
        assert (12, True) == (len(months), months[-1].questions > months[0].questions)

    assert [item.text for item in make_year(3, 20).sessions[0].said] == [
        item.text for item in make_year(3, 20).sessions[0].said
    ]
    assert 2 * len(year_plot.PANELS) == year_plot.draw(report).count("<polyline")


@pytest.mark.nightly
def test_tending_is_timed_beside_a_writer(environment):
    output = json.loads(bench(environment, "bench.maintenance", "--sizes", "60", "--json"))
    figures = output["sizes"]["60"]

    assert figures["writer"]["writes"] > 0
    assert "contradictions" in figures["phases"]
