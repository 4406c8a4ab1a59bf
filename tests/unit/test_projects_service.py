"""Which registered project a session works in; naming, choosing, merging."""

from __future__ import annotations

import pytest

from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.model.memory import Filters, Session, Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.projects.detection import Marker, Repository, WorkspaceFacts
from factories import DAY, Services

ORIGIN = "https://github.com/acme/shop.git"


@pytest.fixture
def services(store) -> Services:
    return Services(store, words_only=True)


def repository(root: str, remote: str | None = ORIGIN, **fields) -> WorkspaceFacts:
    """Return the surroundings of a repository's own folder."""
    remotes = {} if remote is None else {"origin": remote}
    values = {"common_dir": f"{root}/.git", "git_dir": f"{root}/.git", **fields}
    return WorkspaceFacts(folder=root, repository=Repository(root=root, remotes=remotes, **values))


def folder(path: str, **fields) -> WorkspaceFacts:
    return WorkspaceFacts(folder=path, **fields)


def remember(services, context, text="something to keep") -> int:
    return services.remember.store(Statement(content=text, type="episodic"), context).memory.key


def names(services) -> list[str]:
    return sorted(project.name for project in services.store.projects.list_all())


def test_a_repository_is_registered_once_and_known_from_then_on(services) -> None:
    first = services.projects.resolve(repository("/w/shop"))
    again = services.projects.resolve(repository("/w/shop", "git@github.com:acme/shop.git"))

    assert ("acme/shop", True, False) == (
        first.project.name, first.has_project, first.project.provisional
    )  # fmt: skip
    assert first.project.key == again.project.key
    assert 1 == len(services.store.projects.list_all())


def test_a_worktree_and_a_second_clone_are_the_same_project(services) -> None:
    main = services.projects.resolve(repository("/w/shop"))
    worktree = repository(
        "/w/shop-fix", common_dir="/w/shop/.git", git_dir="/w/shop/.git/worktrees/fix"
    )

    assert main.project.key == services.projects.resolve(worktree).project.key
    assert main.project.key == services.projects.resolve(repository("/v/clone")).project.key


def test_three_projects_with_one_basename_are_three(services) -> None:
    keys = {
        services.projects.resolve(values).project.key
        for values in (
            repository("/a/shop", "https://github.com/acme/shop"),
            repository("/b/shop", "https://github.com/other/shop"),
            repository("/c/shop", None),
            folder("/d/shop"),
            folder("/e/shop", marker=Marker(folder="/e/shop", file="package.json", name="shop")),
        )
    }

    assert 5 == len(keys)


def test_a_repository_that_gains_a_remote_keeps_its_memories(services) -> None:
    before = services.projects.resolve(repository("/w/shop", None))
    key = remember(services, before)
    after = services.projects.resolve(repository("/w/shop"))

    assert before.project.key == after.project.key
    assert ("shop", ORIGIN) == (after.project.name, after.project.remote)
    assert after.project.key == services.projects.get("acme/shop").key
    assert after.project.key == services.store.memories.get([key])[0].project


def test_a_fresh_clone_in_an_old_place_does_not_take_over_what_was_there(services) -> None:
    before = services.projects.resolve(repository("/w/shop"))
    key = remember(services, before)
    other = "https://github.com/acme/bank.git"
    after = services.projects.resolve(repository("/w/shop", other, cloned_from=other))

    assert before.project.key != after.project.key
    assert before.project.key == services.store.memories.get([key])[0].project
    # and stays so, though now both were here
    again = services.projects.resolve(repository("/w/shop", other, cloned_from=other))
    assert after.project.key == again.project.key
    elsewhere = services.projects.resolve(repository("/v/shop"))
    assert before.project.key == elsewhere.project.key


def test_a_folder_that_becomes_a_repository_keeps_its_memories(services) -> None:
    before = services.projects.resolve(folder("/w/shop"))
    key = remember(services, before)
    after = services.projects.resolve(repository("/w/shop", None))

    assert before.project.provisional
    assert after.project.key == services.store.memories.get([key])[0].project


def test_a_clone_of_a_local_repository_does_not_rename_the_project(services) -> None:
    known = services.projects.resolve(repository("/w/shop")).project
    services.projects.resolve(repository("/w/copy", "/w/shop", cloned_from="/w/shop"))

    (project,) = services.store.projects.list_all()
    assert ("acme/shop", ORIGIN, known.key) == (project.name, project.remote, project.key)
    assert project == services.projects.find("acme/shop") == services.projects.find("shop")


def test_the_name_of_a_merged_project_stays_valid(services) -> None:
    target = services.projects.named("store")
    source = services.projects.named("Old Shop")
    services.store.projects.merge(source.key, target.key)
    other = services.projects.resolve(repository("/w/clerk", None)).project
    services.store.projects.merge(other.key, target.key)

    assert target.key == services.projects.get("old shop").key
    assert target.key == services.projects.get("Clerk").key


def test_two_projects_that_turn_out_to_be_one_are_merged(services) -> None:
    remote = services.projects.resolve(repository("/v/shop"))
    local = services.projects.resolve(repository("/w/shop", None))
    keys = [remember(services, remote, "one thing"), remember(services, local, "another thing")]
    joined = services.projects.resolve(repository("/w/shop"))

    assert remote.project.key == joined.project.key
    assert {joined.project.key} == {memory.project for memory in services.store.memories.get(keys)}
    assert None is services.store.projects.get(local.project.key)


def test_where_nothing_is_a_project_there_is_the_installs_own(services) -> None:
    context = services.projects.resolve(folder("/home/ada", excluded_reason="home folder"))

    assert (False, "default") == (context.has_project, context.project.name)
    assert context.project == services.projects.default()


def test_use_is_noted_but_not_at_every_look(services) -> None:
    first = services.projects.resolve(repository("/w/shop")).project
    services.projects.resolve(repository("/w/shop"))
    assert first.used_at == services.store.projects.get(first.key).used_at
    services.clock.at += DAY
    services.projects.resolve(repository("/w/shop"))
    assert first.used_at + DAY <= services.store.projects.get(first.key).used_at


# -- by name


def test_a_project_is_found_by_key_name_and_last_part_of_its_name(services) -> None:
    project = services.projects.resolve(repository("/w/shop")).project

    for reference in ("git:github.com/acme/shop", "acme/shop", " ACME/Shop ", "shop"):
        assert project.key == services.projects.get(reference).key


def test_a_name_that_several_have_is_asked_back_with_their_keys(services) -> None:
    services.projects.resolve(repository("/a/shop", "https://github.com/acme/shop"))
    services.projects.resolve(repository("/b/shop", "https://github.com/other/shop"))

    with pytest.raises(InvalidInputError, match=r"2 projects.*git:github.com/acme/shop"):
        services.projects.get("shop")
    assert "other/shop" == services.projects.get("other/shop").name


def test_an_unknown_name_is_told_with_the_nearest(services) -> None:
    services.projects.named("payments")
    with pytest.raises(NotFoundError, match="did you mean 'payments'"):
        services.projects.get("paymnets")
    with pytest.raises(NotFoundError, match=r"set_project\(project\) creates one"):
        services.projects.get("entirely different")


@pytest.mark.parametrize("name", ["", "  ", "\0", "x" * 121])
def test_a_name_that_cannot_be_is_refused(services, name) -> None:
    with pytest.raises(InvalidInputError, match="1 to 120"):
        services.projects.named(name)


@pytest.mark.parametrize("name", ["\ud800shop", "a\0b", "\u202eshop", "日本語", "🚀"])
def test_odd_names_are_stored_normalised(services, name) -> None:
    made = services.projects.named(name)

    assert made == services.projects.named(name)
    made.name.encode()
    assert "\0" not in made.name


def test_named_twice_is_made_once_in_any_case(services) -> None:
    assert services.projects.named("Big  Shop") == services.projects.named("big shop")


# -- set_project


def choose(services, reference, surroundings, session=None, **fields):
    context = services.projects.resolve(surroundings, session)
    return services.projects.choose(reference, context, surroundings, **fields)


def test_a_choice_holds_for_the_session_and_the_folder(services) -> None:
    session = Session(id="s", started_at=1)
    services.store.sessions.put(session)
    chosen = choose(
        services, "payments", folder("/w/x"), session, description="money", keywords=("sepa",)
    )

    assert ("payments", "money", ("sepa",)) == (chosen.name, chosen.description, chosen.keywords)
    session = services.store.sessions.get("s")
    assert (chosen.key, True) == (session.project, session.chosen_project)
    for values in ((folder("/w/x"), None), (folder("/elsewhere"), session)):
        assert chosen.key == services.projects.resolve(*values).project.key
    assert chosen.key != services.projects.resolve(folder("/elsewhere")).project.key


def test_what_a_provisional_project_held_moves_to_the_chosen_one(services) -> None:
    context = services.projects.resolve(folder("/w/x"))
    key = remember(services, context)
    chosen = choose(services, "payments", folder("/w/x"))

    assert chosen.key == services.store.memories.get([key])[0].project
    assert ["payments"] == names(services)
    assert 1 == services.store.memories.count(Visibility.of_project(chosen.key), Filters())


def test_what_a_sure_project_held_stays_its_own(services) -> None:
    shop = services.projects.resolve(repository("/w/shop"))
    key = remember(services, shop)
    choose(services, "payments", repository("/w/shop"))

    assert shop.project.key == services.store.memories.get([key])[0].project


def test_a_near_name_is_asked_about_before_a_new_project_is_made(services) -> None:
    services.projects.named("payments")
    with pytest.raises(InvalidInputError, match=r"'payments' is similar.*new=true"):
        choose(services, "payment", folder("/w/x"))
    assert "payment" not in names(services)

    assert "payment" == choose(services, "payment", folder("/w/x"), new=True).name


def test_a_refused_description_makes_no_project(services) -> None:
    with pytest.raises(InvalidInputError, match="2000 at most"):
        choose(services, "payments", folder("/w/x"), description="x" * 2_001)
    assert "payments" not in names(services)


def test_a_choice_at_home_holds_for_the_session_only(services) -> None:
    home = folder("/home/ada", excluded_reason="home folder")
    services.store.sessions.put(Session(id="s", started_at=1))
    chosen = choose(services, "payments", home, services.store.sessions.get("s"))

    assert (
        chosen.key == services.projects.resolve(home, services.store.sessions.get("s")).project.key
    )
    assert not services.projects.resolve(home).has_project
