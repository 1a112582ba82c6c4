"""Packages for builds without network: fetched once, then read only; what is missing is named with what is allowed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.bots import kit_cache
from server.bots.kit_cache import KitCache
from server.bots.kits import Kit, Offline, find_kits
from server.bots.spec import BotSpec, read_manifest
from server.hosting.confined_build import build_confined, offline_tools
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.jail.machine import best_level
from support.jail import need

WHEEL = {
    "parrot.py": "WORDS = 'pieces of eight'\n",
    "parrot-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: parrot\nVersion: 1\n",
    "parrot-1.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "parrot-1.dist-info/RECORD": "",
}


def make_wheel(folder: Path) -> Path:
    path = folder / "parrot-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in WHEEL.items():
            archive.writestr(name, text)
    path.chmod(0o600)
    return path


def make_bot(folder: Path, *packages: str, build: str = "") -> BotSpec:
    folder.mkdir()
    folder.chmod(0o755)
    command = f'build = ["sh", "-c", "{build}"]\n' if build else ""
    (folder / "bot.toml").write_text(
        f'name = "mine"\nlanguage = "python"\n{command}run = ["python", "{{dir}}/bot.py"]\n'
    )
    (folder / "bot.py").write_text("import parrot\n")
    (folder / "requirements.txt").write_text("".join(f"{name}\n" for name in packages))
    return read_manifest(folder / "bot.toml")


@pytest.mark.system
async def test_python_packages_come_from_the_cache_and_only_from_there(tmp_path: Path) -> None:
    """pip works without network: `--no-index`."""
    need(JailLevel.JAIL)
    cache = KitCache(tmp_path / "kits")
    [fetched] = cache.fetch(["python"], [f"python:{make_wheel(tmp_path)}"])
    assert (fetched.language, fetched.packages, fetched.left_out) == ("python", ("parrot-1",), "")
    assert cache.packages("python") == ("parrot-1",)
    wheel = tmp_path / "kits" / "python" / "parrot-1-py3-none-any.whl"
    assert wheel.stat().st_mode & 0o777 == 0o644, "a build is a user of its own"
    level = Confinement(level=best_level())
    spec = make_bot(tmp_path / "mine", "parrot==1", build="test -f site-packages/parrot.py && touch after")
    built = await build_confined(spec, level, cache=cache)
    assert (built.verdict, built.detail) == ("built", ""), built.output
    assert (tmp_path / "mine" / "site-packages" / "parrot.py").read_text() == WHEEL["parrot.py"]
    assert (tmp_path / "mine" / "after").is_file(), "the bot's own build comes after"
    lacking = await build_confined(make_bot(tmp_path / "other", "parrot", "kraken>=3"), level, cache=cache)
    assert lacking.verdict == "failed"
    assert "kraken>=3 is not here" in lacking.detail
    assert lacking.detail.endswith("allowed: parrot-1")
    nothing = await build_confined(make_bot(tmp_path / "third", "parrot"), level)
    assert "parrot is not here" in nothing.detail
    assert "no packages for python" in nothing.detail
    assert "server kits fetch`" in nothing.detail


SAID = [
    ("python", "ERROR: No matching distribution found for numpi==1.0", "numpi==1.0"),
    (
        "go",
        "go: downloading example.org/x v1.2.3\nmain.go:2:8: module lookup disabled by GOPROXY=off",
        "example.org/x v1.2.3",
    ),
    ("go", "go: example.org/x@v1.2.3: module lookup disabled by GOPROXY=off", "example.org/x@v1.2.3"),
    ("go", "main.go:2:8: no required module provides package example.org/x; to add it:", "example.org/x"),
    ("rust", "error: no matching package named `foo` found\nlocation searched: …", "foo"),
    (
        "java",
        "in offline mode and the artifact org.x:y:jar:1 has not been downloaded from it before.",
        "org.x:y:jar:1",
    ),
    (
        "typescript",
        "npm error request to https://x.example/@a%2fb failed: cache mode is 'only-if-cached' but no cached response",
        "@a%2fb",
    ),
]


@pytest.mark.parametrize(("language", "said", "name"), SAID)
def test_each_tool_s_own_words_name_the_package(language: str, said: str, name: str, tmp_path: Path) -> None:
    cache = KitCache(tmp_path)
    assert f"the package {name} is not here" in cache.explain(language, f"first\n{said}\nlast")
    assert cache.explain(language, "syntax error in line 3") == ""
    (tmp_path / f"{language}.list").write_text("".join(f"p{number}\n" for number in range(40)))
    assert cache.explain(language, said).endswith("p28, p29 and 10 more")


def test_every_kit_with_packages_says_how_it_works_without_network() -> None:
    for language, kit in find_kits().items():
        if language == "cpp":
            continue  # its libraries are the system's
        assert kit.offline.extra, language
        assert kit.offline.packages, language
        assert kit.offline.missing, language
        assert "$CACHE" in "".join(kit.offline.shows).replace("{", ""), language


def test_without_a_cache_no_folder_of_ours_is_shown() -> None:
    tools, told = offline_tools("python")
    assert (tools, told) == ([], {"CACHE": ""})


def test_wrong_extras_are_refused_before_anything_is_fetched(tmp_path: Path) -> None:
    cache = KitCache(tmp_path / "kits")
    for extra in ("numpy", "klingon:x", "python:", "python:--index-url=x", ":x"):
        with pytest.raises(ConfigError, match="expected LANGUAGE:PACKAGE"):
            cache.fetch((), [extra])
    with pytest.raises(ConfigError, match="no kit for 'klingon'"):
        cache.fetch(["klingon"])
    assert not (tmp_path / "kits").exists()


def test_a_language_whose_tools_are_missing_is_left_out_and_a_failure_says_what_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kit"
    (folder / "scaffold").mkdir(parents=True)
    (folder / "scaffold" / "bot.toml").write_text('name = "@NAME@"\nrun = ["sh", "{dir}/bot"]\n')
    fine = Offline(
        fetch=('test -f bot.toml && mkdir -p "$CACHE/x" && echo 1 >"$CACHE/x/lib"',),
        extra='echo "no such package: $PACKAGE" >&2; exit 4',
        packages="echo b; echo a; echo b",
    )
    kits = {
        "shell": Kit(language="shell", folder=folder, offline=fine),
        "rare": Kit(language="rare", folder=folder, tools=("no-such-compiler",)),
    }
    monkeypatch.setattr(kit_cache, "find_kits", lambda: kits)
    cache = KitCache(tmp_path / "kits")
    found = {one.language: one for one in cache.fetch()}
    assert found["shell"].packages == ("a", "b")
    assert found["rare"].left_out.startswith("no-such-compiler ")
    with pytest.raises(ConfigError, match=r"^shell: .*\bfoo cannot be") as caught:
        cache.fetch(["shell"], ["shell:foo"])
    assert str(caught.value).endswith("no such package: foo")
