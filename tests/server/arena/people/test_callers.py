"""Who is calling, from the metadata of a call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from referee.door.tokens import hash_token
from referee.errors import ConfigError
from server.arena.errors import AlreadyExists, FailedPrecondition, NotFound, PermissionDenied, Unauthenticated
from server.arena.people.callers import Author, Callers
from server.arena.people.teams import Team, Teams, TokenKind
from server.arena.registry import Registry, wall_millis
from server.arena.registry_schema import MIGRATIONS
from server.system.database import connect, open_to_write


class People:
    """An arena with two teams, each with a token, and a bot with a token of its own."""

    def __init__(self, registry: Registry) -> None:
        self.registry, self.teams = registry, Teams(registry, bots_per_team=2)
        self.callers = Callers(registry, self.teams)
        self.teams.put([Team(name="ann", members=("Ann", "Al")), Team(name="bob")])
        self.ann, _ = self.teams.new_token(TokenKind.AUTHOR, team="ann")
        self.bob, _ = self.teams.new_token(TokenKind.AUTHOR, team="bob")
        self.commentator, _ = self.teams.new_token(TokenKind.COMMENTATOR)
        self.organiser, _ = self.teams.new_token(TokenKind.ORGANISER, "carol")
        registry.add("mine", "ann", hash_token("a bot of ann's".replace(" ", "_")))
        registry.add("lone", "", hash_token("the_lone_bots"))


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    with Registry.open(tmp_path / "arena.db") as registry:
        yield People(registry)


def bearer(token: str) -> list[tuple[str, str]]:
    return [("authorization", f"Bearer {token}")]


def test_each_kind_of_token_is_known(people: People) -> None:
    callers = people.callers
    assert callers.author(bearer(people.ann)) == Author(owner="ann")
    assert callers.author(bearer(f"{people.ann}:mine")) == Author(owner="ann", bot="mine")
    assert callers.author(bearer("a_bot_of_ann's")) == Author(owner="ann", bot="mine")
    assert callers.author(bearer("the_lone_bots")) == Author(owner="bot lone", bot="lone")
    assert callers.commentator(people.commentator) == "commentator"
    assert callers.organiser(bearer(people.organiser)) == "carol"
    assert callers.commentator(people.organiser) == "carol"  # an organiser may comment, too


def test_a_bot_is_chosen_among_those_of_the_caller(people: People) -> None:
    callers, ann, bob = people.callers, Author(owner="ann"), Author(owner="bob")
    assert callers.choose_bot(ann) == callers.choose_bot(ann, "mine") == "mine"
    for author, name, error in (
        (ann, "lone", PermissionDenied),
        (bob, "mine", PermissionDenied),
        (bob, "", FailedPrecondition),
        (Author(owner="bot lone", bot="lone"), "mine", PermissionDenied),
    ):
        with pytest.raises(error):
            callers.choose_bot(author, name)
    people.registry.add("second", "ann", b"x")
    with pytest.raises(FailedPrecondition, match=r"say which .*mine, second"):
        callers.choose_bot(ann)


def test_new_bots_are_allowed_up_to_the_cap(people: People) -> None:
    callers, ann = people.callers, Author(owner="ann")
    assert not callers.check_bot_name(ann, "mine")
    assert callers.check_bot_name(ann, "second")
    with pytest.raises(AlreadyExists, match="belongs to another"):
        callers.check_bot_name(ann, "LONE")
    people.registry.add("second", "ann", b"x")
    with pytest.raises(FailedPrecondition, match="2 are allowed"):
        callers.check_bot_name(ann, "third")
    people.teams.put([Team(name="ann", bots_cap=3)])
    assert callers.check_bot_name(ann, "third")


def test_a_revoked_token_is_worth_nothing_also_after_a_restart(people: People) -> None:
    people.teams.revoke("ann")
    for teams in (people.teams, Teams(people.registry)):
        with pytest.raises(Unauthenticated):
            Callers(people.registry, teams).author(bearer(people.ann))
        assert Callers(people.registry, teams).author(bearer(people.bob)) == Author(owner="bob")
    with pytest.raises(NotFound):
        people.callers.author(bearer(f"{people.bob}:mine"))  # ann's


@pytest.mark.parametrize(
    "team",
    [
        Team(name="a b"),
        Team(name=""),
        Team(name="ANN"),
        Team(name="x", members=("",)),
        Team(name="x", members=("a\nb",)),
        Team(name="x", email="nobody"),
        Team(name="x", bots_cap=-1),
    ],
)
def test_all_teams_of_a_list_are_added_or_none(people: People, team: Team) -> None:
    with pytest.raises(ConfigError):
        people.teams.put([Team(name="new"), team])
    assert [one.name for one in people.teams.teams()] == ["ann", "bob"]


def test_a_file_of_an_older_version_that_is_only_read_has_no_teams(tmp_path: Path) -> None:
    with closing(open_to_write(tmp_path / "arena.db", MIGRATIONS[:1], cure="")):
        pass
    with closing(connect(tmp_path / "arena.db", read_only=True, cure="")) as database:
        teams = Teams(Registry(database, wall_millis))
    assert (teams.teams(), teams.tokens(), teams.neutral_names()) == ([], [], {})
