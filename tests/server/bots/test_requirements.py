"""What a bot's requirements.txt names is installed into the bot's own folder, and found there when it runs."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.bots.build import build_bots
from server.bots.kits import missing_files, refuse_unbuilt, state_of
from server.bots.spec import BotSpec, read_manifest
from support.command import tortuga

BOT = """\
import parrot
from tortuga_bot import play

print(parrot.WORDS)

if __name__ == "__main__":
    play(lambda question: 0)


def choose(question):
    import parrot_later

    return parrot_later.ANSWER
"""
WHEEL = {
    "parrot.py": "WORDS = 'pieces of eight'\n",
    "parrot_later.py": "ANSWER = 0\n",
    "parrot-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: parrot\nVersion: 1\n",
    "parrot-1.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "parrot-1.dist-info/RECORD": "",
}


def make_bot(folder: Path) -> BotSpec:
    """A bot that needs a package, which lies beside it: nothing is fetched."""
    package, bot = folder / "parrot-1-py3-none-any.whl", folder / "mine"
    with zipfile.ZipFile(package, "w") as archive:
        for name, text in WHEEL.items():
            archive.writestr(name, text)
    bot.mkdir()
    (bot / "bot.toml").write_text('name = "mine"\nlanguage = "python"\nrun = ["python", "{dir}/bot.py"]\n')
    (bot / "bot.py").write_text(BOT)
    (bot / "requirements.txt").write_text(f"{package}\n")
    return read_manifest(bot / "bot.toml")


@pytest.mark.system
def test_packages_are_installed_into_the_folder_and_found_there(tmp_path: Path) -> None:
    spec = make_bot(tmp_path)
    assert state_of(spec) == "not built"
    assert missing_files(spec) == [tmp_path / "mine" / "site-packages"]
    with pytest.raises(ConfigError, match=r"^mine .*build \./mine$"):
        refuse_unbuilt(spec, "./mine")
    heard: list[str] = []
    [built] = build_bots([spec], printed=heard.append)
    assert built.verdict == "built", (built, heard)
    assert any("parrot" in line for line in heard), "the tool is heard while it works"
    assert state_of(spec) == "ready"
    assert [path.name for path in (tmp_path / "mine").iterdir() if path.name.startswith(".")] == []
    for level in ("none", "auto"):
        words = (
            "play",
            "broadsides",
            "--bot",
            "mine",
            "--bot",
            "random",
            "--no-record",
            "--jail",
            level,
            "--logs",
            level,
        )
        done = tortuga(tmp_path, *words, "--fail-on-fault")
        assert done.returncode == 0, done.stdout
        assert "pieces of eight" in (tmp_path / level / "mine-1.log").read_text()
    done = tortuga(tmp_path, "simulate", "broadsides", "--bot", "mine", "--bot", "random", "--games", "2")
    assert done.returncode == 0, done.stderr


def test_a_package_that_is_not_there_fails_the_build_and_leaves_nothing(tmp_path: Path) -> None:
    spec = make_bot(tmp_path)
    (tmp_path / "mine" / "requirements.txt").write_text(f"{tmp_path}/nowhere\n")
    [built] = build_bots([spec])
    assert built.verdict == "failed"
    assert "exited with code 1" in built.detail
    assert "nowhere" in built.output
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["bot.py", "bot.toml", "requirements.txt"]
