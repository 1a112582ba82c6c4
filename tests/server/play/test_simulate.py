"""Games in one process: what counts as evidence, what is recorded, and what is said of a bot that fails there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from referee.errors import ConfigError, TortugaError
from referee.games import find_game
from referee.records.record import read_record
from referee.records.verify import verify
from server.bots.spec import find_bot
from server.play.simulate import Simulation, simulate, spread_simulation
from server.play.simulation_tally import Times


def failure(folder: Path, source: str) -> str:
    """What is said of a bot with this bot.py."""
    (folder / "bot.toml").write_text('name = "boom"\nrun = ["python", "{dir}/bot.py"]\n')
    (folder / "bot.py").write_text(source)
    game = find_game("pavillon_noir")
    with pytest.raises(TortugaError) as caught:
        simulate(game, game.info.read_variant({}), seats=2, games=1, seed="s", bots=[find_bot(str(folder))] * 2)
    return str(caught.value)


def test_an_exception_of_a_bot_is_told_with_its_authors_part_of_the_traceback(tmp_path: Path) -> None:
    said = failure(
        tmp_path, "def aim(question):\n    raise KeyError('x')\n\n\nchoose = lambda question: aim(question)\n"
    )
    first, *story = said.splitlines()
    assert "boom failed at question 1" in first
    assert "match s/0" in first
    assert re.findall(r'File "(.*)", line (\d+), in (\S+)', said) == [
        (f"{tmp_path}/bot.py", "5", "<lambda>"),
        (f"{tmp_path}/bot.py", "2", "aim"),
    ]
    assert story[-1] == "KeyError: 'x'"


@pytest.mark.parametrize(
    ("source", "end"),
    [
        ("import no_such_module\n", r"ModuleNotFoundError:.*'no_such_module'"),
        ("def choose(:\n", "SyntaxError: .*"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_told_where(tmp_path: Path, source: str, end: str) -> None:
    first, *story = failure(tmp_path, source).splitlines()
    assert re.search(r"boom failed .*bot\.py", first)
    assert story[0] == f'  File "{tmp_path}/bot.py", line 1' + (", in <module>" if "import" in source else "")
    assert re.fullmatch(end, story[-1])


@pytest.mark.parametrize("answer", [-1, 99])
def test_an_answer_that_is_no_option_is_refused(tmp_path: Path, answer: int) -> None:
    said = failure(tmp_path, f"def choose(question):\n    return {answer}\n")
    for fact in (f"choose returned {answer}: ", "boom failed at question 1 ", "match s/0", "from 0 to "):
        assert fact in said


def cove(*bots: str, games: int, losses: Path | None = None) -> Simulation:
    """A run of Pirate's Cove."""
    specs = tuple(find_bot(bot) for bot in bots)
    return Simulation(
        game="pirates_cove",
        variant=find_game("pirates_cove").info.read_variant({}),
        seats=len(bots) or 2,
        games=games,
        seed="s",
        bots=specs,
        losses=losses,
    )


@pytest.mark.parametrize(
    ("bots", "rotations"),
    [
        (("buccaneer", "random"), 2),
        (("buccaneer", "buccaneer"), 1),
        (("buccaneer", "buccaneer", "random"), 3),
        (("buccaneer", "random", "buccaneer", "random"), 2),
        (("random",) * 4, 1),
        ((), 1),
    ],
)
def test_a_block_has_a_game_for_every_different_seating(bots: tuple[str, ...], rotations: int) -> None:
    assert cove(*bots, games=6).rotations == rotations


def test_a_bot_against_itself_plays_no_game_twice() -> None:
    """It used to play the same game once for every rotation, and each counted as new evidence."""
    run = cove("buccaneer", "buccaneer", games=12)
    tally = run.play_blocks(run.blocks)
    assert tally.results[None, 0].wins.blocks == 12
    games = [run.play_blocks(range(block, block + 1)) for block in run.blocks]
    courses = {
        (one.decisions[0], one.results[None, 0].points.total, one.results[None, 1].points.total) for one in games
    }
    assert len(courses) > 9


def test_the_games_of_a_block_are_one_piece_of_evidence() -> None:
    run = cove("buccaneer", "random", games=9)
    tally = run.play_blocks(run.blocks)
    assert tally.games == 9
    for key in ((0, None), (None, 0)):
        results = tally.results[key]
        assert (results.wins.blocks, results.wins.games) == (5, 9)
    assert tally.results[0, 0].wins.games + tally.results[0, 1].wins.games == 9
    assert tally.results[0, None].margin.mean == pytest.approx(-tally.results[1, None].margin.mean)
    assert set(tally.times) == {0}, "random does not think"
    assert tally.times[0].count > 100


@pytest.mark.system
def test_several_processes_find_the_same() -> None:
    run = cove("buccaneer", "random", games=20)
    alone, told = run.play_blocks(run.blocks), list[int]()
    together = spread_simulation(run, jobs=2, progress=told.append)
    assert (together.decisions, together.ends, together.fired) == (alone.decisions, alone.ends, alone.fired)
    assert together.results[0, 1].points.mean == pytest.approx(alone.results[0, 1].points.mean)
    assert together.results[0, 1].points.interval == pytest.approx(alone.results[0, 1].points.interval)
    assert sum(told) == 20


def test_lost_games_leave_records_that_hold(tmp_path: Path) -> None:
    run = cove("random", "buccaneer", games=3, losses=tmp_path)
    tally = run.play_blocks(run.blocks)
    assert len(tally.losses) == 3 - tally.results[0, None].wins.total > 0
    for name in tally.losses:
        record, sealed = read_record(tmp_path / name)
        verify(record, sealed=sealed)
        ours = [seat.bot_name for seat in record.seats].index("random")
        assert record.outcome.ranks[ours] == 2
        assert f"-{ours}." in name, "the rotation is the seat of the first bot"


def test_lost_games_need_somebody_to_lose_to(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="to record lost games"):
        cove("buccaneer", "buccaneer", games=1, losses=tmp_path)


def test_percentiles_of_times_are_known_within_a_few_percent() -> None:
    times = Times()
    for number in range(1, 1001):
        times.add(number / 1000)
    assert (times.count, times.max) == (1000, 1.0)
    assert times.mean == pytest.approx(0.5005)
    assert times.percentile(50) == pytest.approx(0.5, rel=0.05)
    assert times.percentile(100) == 1.0
    assert (Times().mean, Times().percentile(99)) == (0.0, 0.0)
