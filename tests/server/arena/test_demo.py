"""The demo: copies of the sample bots that take their time; nothing of the organiser's is overwritten."""

from __future__ import annotations

from pathlib import Path

from server.arena.config import FILE, read_config
from server.arena.demo import FOLDER, SAMPLES, host_demo, prepare_demo
from server.arena.registry import Registry
from server.bots.spec import find_bot
from server.tournament.roster import check_startable


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
