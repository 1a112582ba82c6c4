"""The demo: copies of the sample bots that take their time; nothing of the organiser's is overwritten."""

from __future__ import annotations

from pathlib import Path

from server.arena.config import FILE, default_config, read_config
from server.arena.operations.demo import FOLDER, SAMPLES, demo_instructions, host_demo, invite_guest, prepare_demo
from server.arena.people.teams import Teams
from server.arena.registry import Registry
from server.bots.spec import find_bot
from server.system.invites import read_invite
from server.tournament.roster import check_startable
from tortuga.v1 import arena_pb2 as pb

CONNECT = "  tortuga bot connect mine --invite"


def test_a_new_folder_becomes_a_demo_with_bots_for_every_ladder(tmp_path: Path) -> None:
    prepare_demo(tmp_path)
    config = read_config(tmp_path / FILE, {})
    with Registry.open(tmp_path / "arena.db") as registry:
        host_demo(tmp_path, registry)
        host_demo(tmp_path, registry)  # at the next start they are known
        bots = list(registry.bots())
    assert {bot.name for bot in bots} == set(SAMPLES)
    for bot in bots:
        check_startable(find_bot(bot.spec))
    for ladder in config.ladders:
        able = [bot for bot in bots if not bot.games or ladder.game in bot.games]
        assert len(able) >= ladder.seats, ladder.id


def test_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("clock = '1+1/1'\n[[ladders]]\nid = 'broadsides'\n")
    prepare_demo(tmp_path)
    mine = tmp_path / FOLDER / "random" / "slow.py"
    mine.write_text("# mine\n")
    prepare_demo(tmp_path)
    assert mine.read_text() == "# mine\n"
    assert read_config(tmp_path / FILE, {}).clock == "1+1/1"


def test_a_guest_is_invited_and_the_invite_follows_the_doors(tmp_path: Path) -> None:
    with Registry.open(tmp_path / "arena.db") as registry:
        teams = Teams(registry)
        path = invite_guest(tmp_path, teams, pb.DoorsInfo(bots_address=":7071", public_address=":7072"))
        first = read_invite(path)
        assert (first.bots, first.public, first.tls) == ("127.0.0.1:7071", "127.0.0.1:7072", False)
        ca = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"
        doors = pb.DoorsInfo(bots_address="a.example:1", public_address="a.example:2", tls=True, ca=ca)
        second = read_invite(invite_guest(tmp_path, teams, doors))
        assert (second.token, second.bots, second.tls, second.ca) == (first.token, "a.example:1", True, ca)
        teams.revoke("guest")
        assert read_invite(invite_guest(tmp_path, teams, doors)).token != first.token
    words = demo_instructions(tmp_path, default_config(), path, "http://127.0.0.1:7080/")
    assert f"{CONNECT} {path}" in words
