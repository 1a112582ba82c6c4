"""Commands are imported when they are run; `tortuga --help` imports none of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from server.cli.lazy import LazyCommand, LazyGroup
from server.cli.main import main

HEAVY = ("grpc", "numpy", "rich", "structlog", "google.protobuf", "uvloop", "referee.games")


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


def imported(code: str) -> list[str]:
    """The heavy packages that are imported after this code ran in a fresh interpreter."""
    script = f"import sys\n{code}\nprint(*(name for name in {HEAVY} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


def test_the_main_group_imports_nothing_heavy() -> None:
    assert imported("import server.cli.main") == []


def test_help_imports_nothing_heavy() -> None:
    code = "from server.cli.main import main\ntry: main(['--help'])\nexcept SystemExit as end: assert end.code == 0"
    assert imported(code) == []


@pytest.mark.parametrize(
    ("module", "unneeded"),
    [
        ("games", {"grpc", "numpy", "google.protobuf", "referee.games"}),
        ("bot", {"grpc", "numpy", "google.protobuf", "referee.games"}),
        ("replay", {"grpc", "numpy"}),
        ("client", {"numpy", "uvloop", "referee.games"}),
        ("server", {"numpy", "uvloop", "referee.games"}),
        ("tournament", {"grpc", "numpy", "rich", "uvloop"}),
        ("ladder", {"grpc", "numpy", "uvloop"}),
        ("serve", {"grpc", "numpy", "google.protobuf"}),
        ("fsck", {"grpc", "numpy"}),
    ],
)
def test_a_command_imports_only_what_it_needs(module: str, unneeded: set[str]) -> None:
    assert not unneeded.intersection(imported(f"import server.cli.{module}"))


@pytest.mark.parametrize("words", [["games"], ["games", "--json"], ["bot", "list"]])
def test_a_command_that_lists_things_imports_no_rules(words: list[str]) -> None:
    code = f"from server.cli.main import main\ntry: main({words})\nexcept SystemExit as end: assert not end.code"
    assert not {"grpc", "numpy", "google.protobuf", "referee.games", "uvloop"}.intersection(imported(code))


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
