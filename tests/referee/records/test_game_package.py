"""The record of a game of another package: it names the package, and is verified with that very package only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from referee.errors import RecordError
from referee.games import find_game
from referee.match.ids import BotIdentity
from referee.match.match import Match
from referee.records.record import make_record, pack, unpack
from referee.records.shape import MAX_MOMENTS, MAX_SEATS
from referee.records.verify import verify
from referee.rules.chance import derive_secret
from referee.rules.infos import PLUGINS
from referee.rules.plugins import MOST_DECISIONS, MOST_SEATS, VARIABLE, content_sha256
from referee.wire import make_terms
from support.players import QuietHost, ScriptedPlayer
from support.strangers import use_kuhn
from support.virtual_time import run
from tortuga.v1.record_pb2 import Record

pytestmark = pytest.mark.virtual_time


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch) -> Record:
    """A match of Kuhn poker, as installed from a package."""
    use_kuhn(monkeypatch)
    plugin = replace(PLUGINS["kuhn"], package="kuhn-poker", version="1.5")
    monkeypatch.setitem(PLUGINS._loaded, "kuhn", plugin)
    return play("kuhn")


def play(game_id: str) -> Record:
    game = find_game(game_id)
    terms = make_terms(game, game.info.read_variant({}), derive_secret("packaged"), match_id="m")
    players = [ScriptedPlayer(lambda question: 0) for _ in range(2)]
    result = run(Match(terms, players, QuietHost(0.0)).play())
    bots = [BotIdentity(name="one"), BotIdentity(name="two")]
    return make_record(result, bots, server_version="0", started_unix_millis=0)


def test_a_record_names_the_package_with_its_version_and_content(record: Record) -> None:
    read, sealed = unpack(pack(record))
    assert (read.game_package.name, read.game_package.version) == ("kuhn-poker", "1.5")
    assert read.game_package.content_hash.hex() == content_sha256(PLUGINS["kuhn"])
    assert verify(read, sealed=sealed).messages_compared


def test_our_own_games_name_no_package() -> None:
    assert not play("broadsides").HasField("game_package")


def other_version(record: Record) -> None:
    record.game_package.version = "2.0"


def other_content(record: Record) -> None:
    record.game_package.content_hash = bytes(32)


def other_package(record: Record) -> None:
    record.game_package.name = "poker"


def no_package(record: Record) -> None:
    record.ClearField("game_package")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (other_version, "install kuhn-poker==2.0"),
        (other_content, "install kuhn-poker==1.5"),
        (other_package, "install poker==1.5"),
        (no_package, "a game of tortuga itself"),
    ],
)
def test_another_package_is_refused(record: Record, change: Callable[[Record], None], words: str) -> None:
    change(record)
    with pytest.raises(RecordError, match=words):
        verify(record, sealed=True)


@pytest.mark.parametrize("was_file", [True, False])
def test_a_file_and_a_package_of_the_same_content_are_the_same_game(
    record: Record, monkeypatch: pytest.MonkeyPatch, was_file: bool
) -> None:
    if was_file:
        record.game_package.name, record.game_package.version = "kuhn", ""
    else:
        plugin = replace(PLUGINS["kuhn"], package="kuhn", version="")
        monkeypatch.setitem(PLUGINS._loaded, "kuhn", plugin)
    assert verify(record, sealed=True).messages_compared
    record.game_package.content_hash = bytes(32)
    with pytest.raises(RecordError, match="kuhn"):
        verify(record, sealed=True)


def test_where_the_game_is_missing_its_package_is_named(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "builtin")
    monkeypatch.setattr(PLUGINS, "_loaded", {})
    with pytest.raises(RecordError, match=r"kuhn-poker==1\.5"):
        verify(record, sealed=True)


def test_a_plug_in_has_no_more_seats_and_decisions_than_a_record() -> None:
    assert (MOST_SEATS, MOST_DECISIONS) == (MAX_SEATS, MAX_MOMENTS)
