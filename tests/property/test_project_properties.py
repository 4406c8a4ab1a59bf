"""Whatever stands in a config or an address, reading it ends in an answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aforesaid.adapters.git_reader.git_files import parse_config
from aforesaid.domain.projects.detection import (
    Marker,
    Repository,
    WorkspaceFacts,
    chosen_keys,
    identify,
)
from aforesaid.domain.projects.git_remote import name_remote, normalise_remote, strip_credentials
from aforesaid.domain.projects.hint_matching import ProjectCandidate, choose_hint, match_hint

ANY = st.text(st.characters(), max_size=200)  # lone surrogates and control characters too
ADDRESSES = st.lists(
    st.sampled_from(
        ["https", "ssh", "file", "://", "::", ":", "/", "//", "@", "git", ".git", "host.org", "..",
         "[", "]", "%2F", "%zz", "?", "#", "a b", "é", "\x00", "\udcff", "8443", "~"]
    ),
    max_size=14,
).map("".join)  # fmt: skip
PART = st.text("abcXYZ019-_", min_size=1, max_size=12)


@given(ANY | ADDRESSES)
def test_any_address_is_read(url: str) -> None:
    key = normalise_remote(url)
    name_remote(url)
    strip_credentials(url)
    assert key is None or (key.encode() and key == key.strip("/") and "\n" not in key)


@given(ANY)
def test_any_config_is_read(text: str) -> None:
    for section, _, key, _ in parse_config(text):
        assert section == section.lower()
        assert key == key.lower()


@given(st.text('[]"\\=#;\n\r\t abc-.', max_size=300))
def test_any_config_made_of_its_own_marks_is_read(text: str) -> None:
    assert isinstance(parse_config(text), list)


@given(owner=PART, name=PART, user=PART, secret=st.text("abc0123456789", min_size=12, max_size=20))
def test_all_forms_of_an_address_share_a_key_and_hide_the_secret(
    owner: str, name: str, user: str, secret: str
) -> None:
    forms = (
        f"https://git.example.org/{owner}/{name}.git",
        f"https://{user}:{secret}@git.example.org/{owner}/{name}",
        f"ssh://git@git.example.org:22/{owner}/{name}/",
        f"git@git.example.org:{owner}/{name}.git",
    )
    assert {f"git.example.org/{owner}/{name}"} == {normalise_remote(form) for form in forms}
    assert all(f"{secret}@" not in strip_credentials(form) for form in forms)


@given(ANY, ANY, ANY, st.booleans())
def test_any_facts_make_an_identity_that_can_be_stored(
    folder: str, url: str, name: str, bare: bool
) -> None:
    repository = Repository(
        root=folder,
        common_dir=folder,
        git_dir=folder,
        is_bare=bare,
        branch=name,
        remotes={name: url},
    )
    marker = Marker(folder=folder, file=name, name=name)
    for facts in (
        WorkspaceFacts(folder=folder, repository=repository),
        WorkspaceFacts(folder=folder, marker=marker),
        WorkspaceFacts(folder=folder),
        WorkspaceFacts(folder=folder, asked=name, mapped=url),
    ):
        identity = identify(facts)
        assert identity is None or repr(identity.as_dict()).encode()
        assert identity is None or all(
            key.encode() for key in (*identity.keys, *identity.former_keys)
        )
        assert all(key.encode() for key in chosen_keys(facts))


@given(
    ANY, st.lists(st.builds(ProjectCandidate, project=st.integers(1, 9), name=ANY, description=ANY))
)
def test_any_text_is_matched_within_bounds_best_first(
    text: str, candidates: list[ProjectCandidate]
) -> None:
    results = match_hint(text, candidates)
    assert all(0 < match.score <= 1 for match in results)
    assert sorted(results, key=lambda match: (-match.score, match.project)) == results
    choice = choose_hint(results, title=False)
    assert choice.chosen is None or choice.chosen.score >= 0.85
