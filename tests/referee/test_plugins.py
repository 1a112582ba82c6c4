"""Games of other packages: how they are found, and what a broken one costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.games import GAMES
from referee.rules.infos import BUILTIN
from referee.rules.lazy_table import LazyTable
from referee.rules.plugins import BUILTIN_ONLY, VARIABLE, PluginTable, content_sha256, load
from support.strangers import KUHN, TEMPLATE, install, write_plugin

OURS = [plugin.info.id for plugin in BUILTIN]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delenv(VARIABLE, raising=False)
    return folder


def test_our_games_come_first_and_are_registered_like_any_other() -> None:
    assert list(PluginTable(BUILTIN))[: len(OURS)] == OURS == list(GAMES)[: len(OURS)]
    for plugin in BUILTIN:
        assert load(plugin.game).info is plugin.info
        assert plugin.rules is not None
        assert plugin.rules.is_file()


def test_an_installed_game_is_found_with_its_package_and_version(site: Path) -> None:
    write_plugin(site, "checkers_a", "checkers")
    install(site, "some-checkers", games={"checkers": "checkers_a:PLUGIN"}, version="2.3")
    table = PluginTable(BUILTIN)
    assert "checkers" in table
    assert list(table) == [*OURS, "checkers"]
    assert (table["checkers"].package, table["checkers"].version) == ("some-checkers", "2.3")


def test_a_game_is_not_imported_before_it_is_used(site: Path) -> None:
    write_plugin(site, "checkers_b", "checkers")
    install(site, "some-checkers", games={"checkers": "checkers_b:PLUGIN"})
    script = (
        "import sys\nfrom referee.rules.infos import PLUGINS, INFOS\nassert 'broadsides' in PLUGINS\n"
        "assert 'checkers_b' not in sys.modules\nassert INFOS['checkers'].title == 'checkers'\n"
        "assert 'checkers_b_rules' not in sys.modules and 'referee.games.broadsides' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", f"import sys\nsys.path.insert(0, {str(site)!r})\n{script}"], check=True)


@pytest.mark.parametrize("setting", [BUILTIN_ONLY, f"{BUILTIN_ONLY},{KUHN}"])
def test_games_of_installed_packages_can_be_switched_off(
    site: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    write_plugin(site, "checkers_c", "checkers")
    install(site, "some-checkers", games={"checkers": "checkers_c:PLUGIN"})
    monkeypatch.setenv(VARIABLE, setting)
    assert list(PluginTable(BUILTIN)) == OURS + (["kuhn"] if "," in setting else [])


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise ImportError('no\\nnumpy')", "ImportError: no numpy"),
        ("import nothing_of_that_name", "ModuleNotFoundError"),
        ("raise SystemError", "SystemError"),
        ("x = 1", "AttributeError"),
        ("PLUGIN = 1", "int"),
        (None, "'checkers_x'"),
    ],
)
def test_a_broken_plug_in_is_one_warning_and_costs_the_others_nothing(
    site: Path, capfd: pytest.CaptureFixture[str], source: str | None, reason: str, request: pytest.FixtureRequest
) -> None:
    module = f"broken_{abs(hash(request.node.name))}"
    if source is None:
        write_plugin(site, module, "checkers_x")
    else:
        (site / f"{module}.py").write_text(source)
    write_plugin(site, f"{module}_whole", "draughts")
    install(site, "bad", games={"checkers": f"{module}:PLUGIN"})
    install(site, "good", games={"draughts": f"{module}_whole:PLUGIN"})
    table = PluginTable(BUILTIN)
    assert list(table) == list(table) == [*OURS, "draughts"]
    assert "checkers" not in table
    [line] = capfd.readouterr().err.splitlines()
    assert "checkers of bad 1.0" in line
    assert reason in line


def test_no_package_can_take_the_name_of_another_game(site: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_plugin(site, "first_d", "draughts")
    write_plugin(site, "second_d", "draughts")
    write_plugin(site, "mine_d", "broadsides")
    install(site, "a-first", games={"draughts": "first_d:PLUGIN", "broadsides": "mine_d:PLUGIN"})
    install(site, "b-second", games={"draughts": "second_d:PLUGIN"})
    table = PluginTable(BUILTIN)
    assert list(table) == [*OURS, "draughts"]
    assert table["draughts"].package == "a-first"
    assert table["broadsides"].package == ""
    assert "b-second" in capfd.readouterr().err


def test_a_game_whose_rules_cannot_be_imported_is_left_out(site: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_plugin(site, "hollow", "hollow")
    install(site, "hollow-game", games={"hollow": "hollow:PLUGIN"})
    plugins = PluginTable(BUILTIN)
    games = LazyTable(plugins, lambda plugin: load(plugin.game))
    games.load_all()
    assert list(games) == OURS
    assert "hollow of hollow-game 1.0" in capfd.readouterr().err
    with pytest.raises(KeyError):
        games["hollow"]


def test_a_file_is_registered_for_this_process_and_those_it_starts(
    site: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_plugin(tmp_path / "mine", "file_e", "checkers")
    monkeypatch.chdir(tmp_path / "mine")
    monkeypatch.setenv(VARIABLE, "")
    assert PluginTable(BUILTIN).add_file("file_e:PLUGIN").info.id == "checkers"
    monkeypatch.chdir("/")
    assert PluginTable(BUILTIN)["checkers"].package == "file_e"


@pytest.mark.parametrize("place", ["file_f", "no_such:PLUGIN", "/no/such/folder/file:PLUGIN", "file_f:OTHER", ":x"])
def test_a_file_that_holds_no_game_is_the_users_error(
    site: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str
) -> None:
    write_plugin(tmp_path, "file_f", "checkers")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="cannot be used"):
        PluginTable(BUILTIN).add_file(place)


def test_the_content_of_a_game_is_that_of_its_files(
    site: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, KUHN)
    plugin = PluginTable(BUILTIN)["kuhn"]
    assert len(content_sha256(plugin)) == 64
    assert content_sha256(BUILTIN[0]) == ""
    assert (TEMPLATE / "kuhn" / "rules.md").is_file()
