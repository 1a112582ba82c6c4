"""Builds of strangers' bots: they get their folder and the tools, and nothing else."""

from __future__ import annotations

import io
import re
import tarfile
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.bots.spec import BotSpec
from server.hosting.confined_build import build_confined
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.jail.machine import best_level
from server.jail.workplace import Workplace
from support.jail import need


def make_bot(folder: Path, build: str) -> BotSpec:
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "bot.py").write_text("print('hello')\n")
    return BotSpec(name="built", run=(str(folder / "bin" / "bot"),), build=("sh", "-c", build), folder=folder.resolve())


async def test_a_build_makes_what_it_is_to_make_and_nothing_else(tmp_path: Path) -> None:
    need(JailLevel.JAIL)
    spec = make_bot(tmp_path / "bot", "mkdir bin && cp bot.py bin/bot && chmod +x bin/bot; echo x > /scratch/y")
    built = await build_confined(spec, Confinement(level=best_level()))
    assert (built.verdict, built.detail) == ("built", "")
    assert sorted(path.name for path in (tmp_path / "bot").rglob("*")) == ["bin", "bot", "bot.py"]


async def test_a_hostile_build_finds_nothing_and_its_words_are_kept(tmp_path: Path) -> None:
    need(JailLevel.JAIL)
    (tmp_path / "seed").write_text("secret")
    attempts = f"cat {tmp_path}/seed; cat /etc/shadow; ls {Path.home()}; touch {tmp_path}/bot/x; echo done; exit 3"
    spec = make_bot(tmp_path / "bot", attempts)
    built = await build_confined(spec, Confinement(level=best_level()))
    assert built.verdict == "failed"
    assert "exited with code 3" in built.detail
    assert "done" in built.output
    assert "secret" not in built.output
    assert "root:" not in built.output
    assert not (tmp_path / "bot" / "x").exists()


async def test_a_build_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    need(JailLevel.JAIL)
    built = await build_confined(make_bot(tmp_path / "bot", "sleep 1000"), Confinement(level=best_level()), seconds=0.5)
    assert "was stopped after 0.5 s" in built.detail


async def test_without_a_jail_no_stranger_s_bot_is_built(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"\bbuilt\b.*\bjail\b.*\bprocess\b"):
        await build_confined(make_bot(tmp_path / "bot", "true"), Confinement(level=JailLevel.PROCESS))


def member(name: str, *, link: str = "", kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


@pytest.mark.parametrize(
    "info",
    [
        member("../outside"),
        member("/etc/passwd"),
        member("a/../../b"),
        member("link", link="/etc/passwd", kind=tarfile.SYMTYPE),
        member("a/link", link="../../outside", kind=tarfile.SYMTYPE),
    ],
    ids=lambda info: f"{info.name}>{info.linkname}",
)
def test_an_archive_that_leads_out_is_refused(info: tarfile.TarInfo, tmp_path: Path) -> None:
    folder, archive = tmp_path / "bot", tmp_path / "built.tar"
    folder.mkdir()
    with tarfile.open(archive, "w") as file:
        file.addfile(info, io.BytesIO())
    with pytest.raises(ConfigError, match=f"'{re.escape(info.name)}'.*leads out"):
        Workplace(folder=folder, archive=archive).fetch()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bot", "built.tar"]


@pytest.mark.parametrize("behind", [[], [member("d/out/precious", kind=tarfile.DIRTYPE)]], ids=["link", "behind it"])
def test_a_chain_of_links_that_leads_out_is_refused(behind: list[tarfile.TarInfo], tmp_path: Path) -> None:
    """Each link by itself looks as if it stayed inside: d/here is the folder itself, and d/here/.. is not."""
    folder, archive = tmp_path / "bot", tmp_path / "built.tar"
    folder.mkdir()
    (tmp_path / "precious").write_text("as it was")
    links = [
        member("d", kind=tarfile.DIRTYPE),
        member("d/here", link="..", kind=tarfile.SYMTYPE),
        member("d/out", link="here/..", kind=tarfile.SYMTYPE),
    ]
    with tarfile.open(archive, "w") as file:
        for info in [*links, *behind]:
            file.addfile(info, io.BytesIO())
    with pytest.raises(ConfigError, match=r"'d/out'.*leads out"):
        Workplace(folder=folder, archive=archive).fetch()
    assert (tmp_path / "precious").read_text() == "as it was"


def test_nothing_is_written_through_a_link_that_lies_in_the_folder(tmp_path: Path) -> None:
    folder, archive = tmp_path / "bot", tmp_path / "built.tar"
    folder.mkdir()
    (tmp_path / "precious").write_text("as it was")
    (folder / "out").symlink_to(tmp_path / "precious")
    with tarfile.open(archive, "w") as file:
        info = member("out")
        info.size = 3
        file.addfile(info, io.BytesIO(b"new"))
    Workplace(folder=folder, archive=archive).fetch()
    assert (tmp_path / "precious").read_text() == "as it was"
    assert (folder / "out").read_text() == "new"
