"""Games in one process: what is said of a bot that fails there."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.errors import TortugaError
from referee.games import find_game
from server.bots.spec import find_bot
from server.matches.simulate import simulate


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
    assert first == "the bot boom failed at question 1 of match s/0:"
    assert [line.strip() for line in story if "File" in line] == [
        f'File "{tmp_path}/bot.py", line 5, in <lambda>',
        f'File "{tmp_path}/bot.py", line 2, in aim',
    ]
    assert story[-1] == "KeyError: 'x'"


@pytest.mark.parametrize(
    ("source", "end"),
    [
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("def choose(:\n", "SyntaxError: invalid syntax"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_told_where(tmp_path: Path, source: str, end: str) -> None:
    first, *story = failure(tmp_path, source).splitlines()
    assert first == "the bot boom failed as its bot.py was loaded:"
    assert story[0] == f'  File "{tmp_path}/bot.py", line 1' + (", in <module>" if "import" in source else "")
    assert story[-1] == end


@pytest.mark.parametrize("answer", [-1, 99])
def test_an_answer_that_is_no_option_is_refused(tmp_path: Path, answer: int) -> None:
    said = failure(tmp_path, f"def choose(question):\n    return {answer}\n")
    assert said.startswith(f"the bot boom answered {answer} at question 1 of match s/0, expected an option from 0 to ")
