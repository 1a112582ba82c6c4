"""Kits, new bots and builds, with a kit made for the test: no language's tools are needed."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.rules.infos import INFOS
from server.bots import kits
from server.bots.build import Built, build_bots, exit_code, summarise
from server.bots.kits import Kit, find_kit, find_kits, missing_files, read_kit, refuse_unbuilt, state_of
from server.bots.scaffold import new_bot
from server.bots.spec import BotSpec, read_manifest
from support.kit_checks import check
from support.typed_commands import shown_commands, unknown_words

MANIFEST = """name = "@NAME@"
language = "shell"
games = [@GAMES@]
build = ["sh", "-c", "{script}"]
run = ["{{dir}}/bot"]
"""


def make_kit(folder: Path, script: str = "cat lib/part main > bot && chmod +x bot") -> Kit:
    """A kit of a language of shell scripts."""
    (folder / "lib" / "target").mkdir(parents=True)
    (folder / "lib" / "part").write_text("#!/bin/sh\n")
    (folder / "lib" / "target" / "output").touch()
    (folder / "scaffold" / "docs").mkdir(parents=True)
    (folder / "scaffold" / "main").write_text("echo @NAME@\n")
    (folder / "scaffold" / "docs" / "@NAME@.txt").write_text("about @NAME@\n")
    (folder / "scaffold" / "picture").write_bytes(b"\xff\xfe@NAME@")
    (folder / "scaffold" / ".gitignore").write_text("/bot\n")
    (folder / "scaffold" / "bot.toml").write_text(MANIFEST.format(script=script))
    (folder / "kit.toml").write_text('language = "shell"\ntools = ["sh", "cat"]\ntake = ["lib"]\n')
    return read_kit(folder / "kit.toml")


def test_a_new_bot_has_the_files_of_its_kit_its_scaffold_and_the_messages(tmp_path: Path) -> None:
    spec = new_bot("mine", make_kit(tmp_path / "kit"), ["broadsides", "marauders"], tmp_path / "deep" / "mine")
    folder = tmp_path / "deep" / "mine"
    assert (spec.name, spec.games, spec.folder) == ("mine", ("broadsides", "marauders"), folder.resolve())
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert {"bot.toml", "main", "docs/mine.txt", "picture", ".gitignore", "lib/part"} < found
    assert {"proto/tortuga/v1/referee.proto", "proto/tortuga/v1/broadsides.proto"} < found
    assert "lib/target/output" not in found  # what a build left is not copied
    assert (folder / "docs" / "mine.txt").read_text() == "about mine\n"
    assert (folder / "picture").read_bytes() == b"\xff\xfe@NAME@"
    assert [path.name for path in folder.parent.iterdir()] == ["mine"]  # no draft is left


def test_a_new_bot_says_its_games_in_hello_too(tmp_path: Path) -> None:
    """A far arena hears Hello and never sees a manifest: there a bot without games sits down at every table."""
    for name, kit in find_kits().items():
        one, every = tmp_path / f"{name}-one", tmp_path / f"{name}-every"
        new_bot("mine", kit, ["marauders"], one)
        new_bot("mine", kit, [], every)
        texts = [path.relative_to(one) for path in one.rglob("*") if path.is_file()]
        told = {str(path) for path in texts if (one / path).read_bytes() != (every / path).read_bytes()}
        assert told > {"bot.toml", "README.md"}, name  # and a program
        assert not [path for path in texts if b"@GAME" in (one / path).read_bytes()], name


def test_a_new_bot_has_a_guide_for_coding_agents_in_its_language(tmp_path: Path) -> None:
    for name, kit in find_kits().items():
        folder = tmp_path / "bots" / f"my-{name}"
        new_bot("mine", kit, ["marauders"], folder)
        guide = (folder / "AGENTS.md").read_text()
        assert re.findall(r"@[A-Z]+@", guide) == [], name
        [program] = re.findall(r"You write `choose`, in `([^`]+)`", guide)
        assert "choose" in (folder / program).read_text(), program
        for path in re.findall(r"`((?:proto|sdk|messages|parent)/[\w./]*)`", guide):
            assert (folder / path).exists(), path
        typed = list(shown_commands(guide))
        assert [command for command in typed if command.startswith("bot check")] == [f"bot check my-{name}     "]
        assert [(command, unknown_words(command)) for command in typed if unknown_words(command)] == []


def test_a_kit_that_says_nothing_for_coding_agents_writes_no_guide(tmp_path: Path) -> None:
    new_bot("mine", make_kit(tmp_path / "kit"), [], tmp_path / "mine")
    assert not (tmp_path / "mine" / "AGENTS.md").exists()


def test_a_new_bot_never_overwrites(tmp_path: Path) -> None:
    kit, target = make_kit(tmp_path / "kit"), tmp_path / "mine"
    target.mkdir()
    with pytest.raises(ConfigError, match=r"/mine already.*--dir"):
        new_bot("mine", kit, [], target)
    assert list(target.iterdir()) == []
    with pytest.raises(ConfigError, match="a bot's name has"):
        new_bot("../mine", kit, [], tmp_path / "other")


def test_a_new_bot_builds(tmp_path: Path) -> None:
    spec = new_bot("mine", make_kit(tmp_path / "kit"), [], tmp_path / "mine")
    assert state_of(spec) == "not built"
    [built] = build_bots([spec])
    assert (built.verdict, built.usable, state_of(spec)) == ("built", True, "ready")


def test_a_build_that_fails_shows_what_the_tool_printed(tmp_path: Path) -> None:
    kit = make_kit(tmp_path / "kit", "echo syntax error in line 3 >&2; exit 4")
    [built] = build_bots([new_bot("mine", kit, [], tmp_path / "mine")])
    assert (built.verdict, built.usable) == ("failed", False)
    assert "exited with code 4" in built.detail
    assert built.output == "syntax error in line 3\n"


def test_a_build_that_makes_nothing_is_a_failure(tmp_path: Path) -> None:
    [built] = build_bots([new_bot("mine", make_kit(tmp_path / "kit", "true"), [], tmp_path / "mine")])
    assert (built.verdict, built.usable) == ("failed", False)
    assert "bot does not exist" in built.detail


def test_missing_tools_are_named_before_building(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = new_bot("mine", make_kit(tmp_path / "kit"), [], tmp_path / "mine")
    needy = Kit(language="shell", folder=tmp_path, tools=("sh", "no-such-compiler"))
    monkeypatch.setattr(kits, "find_kits", lambda: {"shell": needy})
    [built] = build_bots([spec], starting=lambda _: pytest.fail("it was built"))
    assert built.verdict == "tools missing"
    assert built.detail.startswith("no-such-compiler ")
    assert state_of(spec).startswith("not built: no-such-")


def test_an_unbuilt_bot_is_told_how_to_build_it_and_which_packages_that_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = new_bot("mine", make_kit(tmp_path / "kit"), [], tmp_path / "mine")
    (tmp_path / "kit" / "kit.toml").write_text(
        'language = "shell"\ntools = ["sh", "foocc", "barcc"]\n[debian]\nfoocc = "foo-compiler"\n'
    )
    kit = read_kit(tmp_path / "kit" / "kit.toml")
    monkeypatch.setattr(kits, "find_kits", lambda: {"shell": kit})
    with pytest.raises(ConfigError, match=r"bot build \./mine;") as told:
        refuse_unbuilt(spec, "./mine")
    assert re.findall(r"\b(?:sh|foocc|foo-compiler|barcc)\b", str(told.value)) == ["foocc", "foo-compiler", "barcc"]


def test_the_package_of_every_tool_is_known() -> None:
    for kit in find_kits().values():
        assert set(kit.debian) == {*kit.tools, *kit.check_tools}, kit.language


def test_every_kit_has_an_idea_for_every_game(tmp_path: Path) -> None:
    for name, kit in find_kits().items():
        for game in INFOS:
            assert kit.idea([game]) is not None, (name, game)
            one, two = tmp_path / f"{name}-{game}", tmp_path / f"{name}-{game}-and-more"
            new_bot("mine", kit, [game], one)
            new_bot("mine", kit, [game, *(other for other in INFOS if other != game)], two)
            idea = [
                path.relative_to(kit.folder / "ideas" / game) for path in (kit.folder / "ideas" / game).rglob("*.*")
            ]
            [program] = [path for path in idea if (one / path).is_file()]
            assert (kit.scaffold / program).is_file(), program  # it takes the place of the scaffold's
            assert game in (one / program).read_text()
            assert (one / program).read_text() != (two / program).read_text()


def test_a_half_installed_toolchain_is_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All commands are there, but what the build needs besides is not: C++ without the headers of gRPC."""
    spec = new_bot("mine", make_kit(tmp_path / "kit"), [], tmp_path / "mine")
    (tmp_path / "kit" / "kit.toml").write_text(
        'language = "shell"\ntools = ["sh"]\n'
        '[needs]\n"the headers of libfoo (Debian: libfoo-dev)" = "exit 1"\n"libbar" = "exit 0"\n'
    )
    kit = read_kit(tmp_path / "kit" / "kit.toml")
    monkeypatch.setattr(kits, "find_kits", lambda: {"shell": kit})
    [built] = build_bots([spec], starting=lambda _: pytest.fail("it was built"))
    assert built.describe() == f"mine: tools missing: {built.detail}"
    assert re.findall(r"libfoo-dev|libbar|\bsh\b", built.detail) == ["libfoo-dev"]
    without_command = Kit(language="shell", folder=tmp_path, tools=("no-such-compiler",), needs={"libfoo": "exit 1"})
    assert without_command.missing_tools() == ["no-such-compiler"]  # which the line would call


def test_the_checks_of_a_kit_may_need_more_tools_than_its_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kit = Kit(language="shell", folder=tmp_path, tools=("sh",), checks=("exit 3",), check_tools=("no-such-linter",))
    assert kit.missing_tools() == []
    monkeypatch.delenv("CI", raising=False)
    assert check(kit)
    assert re.fullmatch(r"shell:.*no-such-linter.*\n", capsys.readouterr().out)
    monkeypatch.setenv("CI", "true")
    assert not check(kit)
    assert not check(replace(kit, check_tools=()))
    assert re.search(r"exit 3: FAILED.* 3\b", capsys.readouterr().out)


def test_one_bot_that_cannot_be_built_does_not_stop_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`tortuga bot build --all`: outside of CI, what cannot be built is left out and said."""
    long = "for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo line $n; done; exit 4"
    bad = new_bot("bad", make_kit(tmp_path / "bad-kit", long), [], tmp_path / "bad")
    lost = replace(bad, name="lost", build=("no-such-command",))
    good = new_bot("good", make_kit(tmp_path / "good-kit"), [], tmp_path / "good")
    results = list(build_bots([bad, lost, good]))
    assert [built.verdict for built in results] == ["failed", "failed", "built"]
    lines = results[0].describe(whole_output=False).splitlines()
    assert lines[:-1] == [f"line {n}" for n in range(4, 16)]
    assert lines[-1].startswith(f"bad: failed: `sh -c '{long}'` in {tmp_path}/bad ")
    assert "code 4" in lines[-1]
    assert results[0].describe().startswith("line 1\n")
    assert re.findall(r"\d of \d|\w+ \(\w+\)", summarise(results)) == ["1 of 3", "bad (failed)", "lost (failed)"]
    assert summarise(results[2:]) == "1 of 1 bots are built"

    monkeypatch.delenv("CI", raising=False)
    assert exit_code(results, everything=True) == 0
    assert exit_code(results, everything=False) == 1
    monkeypatch.setenv("CI", "true")
    assert exit_code(results, everything=True) == 1
    assert exit_code(results[2:], everything=True) == 0


def test_two_bots_that_one_build_makes_are_built_once(tmp_path: Path) -> None:
    script = 'for bot in one two; do echo >> ../builds; touch "../$bot/bot"; done'
    specs = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        manifest = MANIFEST.format(script=script.replace('"', '\\"'))
        (tmp_path / name / "bot.toml").write_text(manifest.replace("@NAME@", name).replace("@GAMES@", ""))
        specs.append(read_manifest(tmp_path / name / "bot.toml"))
    assert [built.verdict for built in build_bots(specs)] == ["built", "already built"]
    assert (tmp_path / "builds").read_text() == "\n\n"
    os.utime(tmp_path / "two" / "bot", (1, 1))  # older than the build: who knows whether it is up to date
    assert [built.verdict for built in build_bots(specs[1:])] == ["built"]


def test_a_bot_without_a_build_is_ready() -> None:
    assert list(build_bots([BotSpec(name="x", run=("x",))])) == [Built(bot="x", verdict="nothing to build")]


def test_a_class_path_is_looked_at_piece_by_piece(tmp_path: Path) -> None:
    (tmp_path / "libs").mkdir()
    run = ("java", "-cp", f"{tmp_path}/a.jar:{tmp_path}/libs/*", "Main")
    spec = BotSpec(name="x", run=run, folder=tmp_path)
    assert missing_files(spec) == [tmp_path / "a.jar"]


def test_the_kits_are_there_and_whole() -> None:
    found = find_kits()
    assert "python" in found
    for language, kit in found.items():
        assert kit.folder.name == language
        assert (kit.scaffold / "bot.toml").is_file()
        assert [name for name in kit.take if not (kit.folder / name).exists()] == []
    with pytest.raises(ConfigError, match=r"no kit.*'cobol'.*python"):
        find_kit("cobol")


def test_a_kit_with_an_unknown_key_is_refused(tmp_path: Path) -> None:
    make_kit(tmp_path / "kit")
    (tmp_path / "kit" / "kit.toml").write_text('language = "shell"\ntols = []\n')
    with pytest.raises(ConfigError, match=r"kit\.toml: tols"):
        read_kit(tmp_path / "kit" / "kit.toml")
    shutil.rmtree(tmp_path / "kit")
