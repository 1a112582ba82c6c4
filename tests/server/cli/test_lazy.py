"""What commands import: `--help` nothing that is slow to import; one that plays no match only what it shows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from server.cli.common.command import LazyCommand, LazyGroup
from server.cli.main import main
from support.events import make_event, run

HEAVY = (
    "grpc",
    "numpy",
    "numpy.random",
    "rich",
    "structlog",
    "google.protobuf",
    "uvloop",
    "asyncio",
    "jinja2",
    "referee.match.match",
)
"""Each takes from 30 to 120 ms of processor time."""
GAMES = tuple(f"referee.games.{game}" for game in ("pavillon_noir", "broadsides", "pirates_cove", "marauders"))
ALL_HELP = """
import click
from click.testing import CliRunner
from server.cli.main import main

def show(command, words):
    told = CliRunner().invoke(main, [*words, "--help"])
    assert told.exit_code == 0 and told.output.startswith("Usage: "), words
    if not isinstance(command, click.Group):
        return 1
    context = click.Context(command)
    return 1 + sum(show(command.get_command(context, name), [*words, name]) for name in command.list_commands(context))

assert show(main, []) > 100
"""


def lazy_commands(group: click.Group, path: str = "tortuga") -> Iterator[tuple[str, LazyCommand]]:
    """Every lazy command of a group and of the groups in it, by its full name."""
    if isinstance(group, LazyGroup):
        yield from ((f"{path} {name}", lazy) for name, lazy in group.lazy.items())
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from lazy_commands(command, f"{path} {name}")


LAZY = dict(lazy_commands(main))


def imported(code: str, *, folder: Path | None = None) -> set[str]:
    """What is slow to import and was imported after this code ran in a fresh interpreter."""
    script = f"import sys\n{code}\nprint()\nprint(*(name for name in {HEAVY + GAMES} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def run_words(*words: str) -> str:
    """Code that runs a command."""
    return f"from server.cli.main import main\ntry: main({[*words]})\nexcept SystemExit as end: assert not end.code"


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small event that was played."""
    folder = make_event(tmp_path_factory.mktemp("small") / "event")
    run(folder)
    return folder.path


def test_the_main_group_imports_nothing_heavy() -> None:
    assert imported("import server.cli.main") == set()


def test_help_of_any_command_imports_nothing_heavy() -> None:
    assert imported(ALL_HELP) == set()


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (["games"], {"rich"}),
        (["games", "--json"], set()),
        (["bot", "list"], {"rich"}),
        (["bot", "new", "mine", "--language", "python", "--game", "broadsides"], set()),
        (["tournament", "new", "next"], set()),
        (["tournament", "status", "event"], {"rich", "numpy", "numpy.random", "google.protobuf"}),
        (["tournament", "status", "event", "--json"], {"numpy", "numpy.random"}),
        (["tournament", "export", "event", "--csv"], set()),
        (["tournament", "rulings", "event"], set()),
        (["ladder", "show", "event"], {"rich", "numpy", "numpy.random", "google.protobuf"}),
        (["ladder", "show", "event", "--json"], {"numpy", "numpy.random"}),
        (["ladder", "pair", "ann", "bob", "--dir", "event"], {"numpy"}),
        (["matches", "event", "--bot", "ann", "--lost"], {"rich"}),
        (["matches", "event", "--json"], set()),
    ],
)
def test_a_command_that_plays_no_match_imports_only_what_it_shows(
    words: list[str], needed: set[str], event: Path, tmp_path: Path
) -> None:
    (tmp_path / "event").symlink_to(event)
    assert imported(run_words(*words), folder=tmp_path) <= needed


@pytest.mark.few(1)
@pytest.mark.parametrize("words", [["show"], ["show", "--seat", "0"], ["verify"], ["json"]])
def test_replay_imports_the_game_of_the_record_and_no_event_loop(words: list[str], event: Path) -> None:
    record = next((event / "records").glob("*.tortuga"))
    found = imported(run_words("replay", words[0], str(record), *words[1:]))
    assert found <= {"google.protobuf", "referee.match.match", "referee.games.pavillon_noir"}


@pytest.mark.parametrize("name", LAZY)
def test_the_help_in_the_table_is_that_of_the_command(name: str) -> None:
    command = LAZY[name].load()
    assert command.help is not None
    assert " ".join(command.help.partition("\n\n")[0].split()) == LAZY[name].help
    assert not command.hidden


def test_groups_list_lazy_commands_among_the_others() -> None:
    told = CliRunner().invoke(main, ["bot", "--help"]).output
    names = [line.split()[0] for line in told.partition("Commands:\n")[2].splitlines() if line[:3].strip()]
    assert names == ["build", "check", "connect", "list", "new"]


def test_a_command_that_does_not_exist_is_refused() -> None:
    done = CliRunner().invoke(main, ["bot", "swim"])
    assert done.exit_code == 2
    assert "No such command 'swim'" in done.output
    assert main.get_command(click.Context(main), "swim") is None
