"""Whatever stands in a transcript, reading it and writing its digest never fails."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.adapters.transcripts import read_conversation
from aforesaid.domain.digest import facts_of, write_digest
from aforesaid.domain.digest.outcome import OUTCOME_CHARS
from generated import examples
from transcripts import SAMPLE, Script

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = (
    "type", "uuid", "parentUuid", "timestamp", "message", "attachment", "isSidechain", "content",
    "toolUseResult", "origin", "sessionId", "cwd", "aiTitle", "forkedFrom", "logicalParentUuid",
)  # fmt: skip
KINDS = ("user", "assistant", "attachment", "system", "ai-title", "custom-title", "summary", "x")
blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result", "image"]) | scalars},
    optional={
        "name": st.sampled_from(["Bash", "TodoWrite", "Edit"]) | values,
        "text": values, "id": values,
        "input": values, "content": values, "tool_use_id": values, "is_error": values,
    },
)  # fmt: skip
lines = st.dictionaries(st.sampled_from(FIELDS), values, max_size=8).flatmap(
    lambda line: st.fixed_dictionaries(
        {
            "type": st.sampled_from(KINDS),
            "message": values | st.fixed_dictionaries({"content": st.lists(blocks, max_size=3)}),
        }
    ).map(lambda shaped: {**line, **shaped})
)
said = st.text(max_size=200) | st.lists(
    st.sampled_from(
        ["no, ", "always ", "use X ", "instead of Y. ", "A) ", "`code` ", "\n", "? ", "next: ",
         "because ", "<private>", "</private>", "<a-b>", "still open: ", "fixed: ", "- ", "```"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


def digest(path) -> str:
    results = write_digest(facts_of(read_conversation(str(path))))
    if results is None:
        return ""
    assert len(results.text) <= 350 * 4
    assert len(results.summary) <= OUTCOME_CHARS
    return f"{results.title}{results.text}{results.summary}"


@given(data=st.binary(max_size=2000))
@settings(max_examples=examples(200))
def test_arbitrary_bytes_are_read_without_failing(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("t") / "s.jsonl"
    path.write_bytes(data)
    conversation = read_conversation(str(path))
    assert data.rfind(b"\n") + 1 == conversation.bytes_read


@given(entries=st.lists(lines, max_size=6))
@settings(max_examples=examples(120))
def test_arbitrary_lines_are_read_and_digested_without_failing(tmp_path_factory, entries):
    path = tmp_path_factory.mktemp("t") / "s.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    digest(path).encode()


@given(turns=st.lists(said, max_size=8))
@settings(max_examples=examples(150))
def test_whatever_is_said_the_digest_keeps_its_bounds(tmp_path_factory, turns):
    script = Script()
    for number, text in enumerate(turns):
        if number % 3 == 0:
            script.user(text)
        elif number % 3 == 1:
            script.say(text)
        else:
            script.bash(text, text, code=number % 2)
    digest(script.write(tmp_path_factory.mktemp("t"))).encode()


@given(secret=st.from_regex(r"[A-Z]{12}", fullmatch=True), before=st.text(max_size=40))
@settings(max_examples=examples(100))
def test_nothing_private_reaches_a_digest(tmp_path_factory, secret, before):
    script = Script()
    script.user(f"fix the export {before}<private>always use {secret}</private> and the import")
    script.say(f"Fixed because <private>{secret}</private> was wrong.")
    assert secret not in digest(script.write(tmp_path_factory.mktemp("t")))


@given(cut=st.integers(min_value=0, max_value=60_000))
@settings(max_examples=examples(60))
def test_a_transcript_cut_anywhere_is_read_up_to_its_last_whole_line(tmp_path_factory, cut):
    data = SAMPLE.read_bytes()[:cut]
    path = tmp_path_factory.mktemp("t") / "s.jsonl"
    path.write_bytes(data)
    assert data.rfind(b"\n") + 1 == read_conversation(str(path)).bytes_read
    digest(path)
