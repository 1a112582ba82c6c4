"""What a bot's program needs is found and shown, and no home, no checkout and no file of a stranger's choice is."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from server.jail import runtime
from server.jail.runtime import (
    ROOT,
    links_to,
    needed_paths,
    outermost,
    program_paths,
    python_paths,
    system_paths,
    visible_paths,
    visible_search,
)


def test_our_own_python_is_shown_with_the_sdk_and_nothing_else_of_the_checkout() -> None:
    paths = python_paths()
    assert {Path(sys.prefix), Path(sys.base_prefix), ROOT / "sample_bots/python/sdk", ROOT / "proto/gen/python"} <= {
        *paths
    }
    assert not [path for path in paths if ROOT.is_relative_to(path)]
    assert not [path for path in paths if path.is_relative_to(ROOT / "server")]
    assert ROOT / "referee" in paths  # the rules, for bots that search


def test_a_manifest_cannot_name_a_file_to_be_shown(tmp_path: Path) -> None:
    secret, folder = tmp_path / "arena.db", tmp_path / "bot"
    secret.touch()
    folder.mkdir()
    command = ("sh", str(secret))
    assert secret not in visible_paths(command, [folder], os.defpath)
    assert folder in visible_paths(command, [folder], os.defpath)
    assert secret in visible_paths(command, [], os.defpath)  # as in `cmd: sh FILE`, which the organiser types
    assert tmp_path not in visible_paths(command, [], os.defpath)


def test_a_program_elsewhere_is_shown_by_itself_and_not_with_its_folder(tmp_path: Path) -> None:
    program, link = tmp_path / "tools" / "runner", tmp_path / "bin" / "run"
    for path in (program, link):
        path.parent.mkdir()
    shutil.copy("/bin/true", program)
    link.symlink_to("../tools/runner")
    assert program_paths(link, ()) == [link, program.resolve()]
    assert needed_paths(("run",), [], str(link.parent)) == [link]
    assert links_to(link) == (link,)


def test_a_java_runtime_is_shown_whole_unless_it_is_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    shutil.copy("/bin/true", java)
    (tmp_path / "jdk" / "lib").mkdir()
    (tmp_path / "jdk" / "lib" / "modules").touch()
    assert program_paths(java, ()) == [tmp_path / "jdk"]
    monkeypatch.setattr(runtime, "homes", lambda: frozenset({tmp_path / "jdk"}))
    assert program_paths(java, ()) == [java]


def test_what_the_system_and_the_bots_folder_have_is_not_shown_twice(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "bot"
    program.parent.mkdir()
    shutil.copy("/bin/true", program)
    assert program_paths(Path("/usr/bin/true"), ()) == []
    assert program_paths(program, (tmp_path,)) == []
    assert Path("/usr") in system_paths()


def test_only_outermost_folders_are_kept() -> None:
    assert outermost([Path("/a/b"), Path("/a"), Path("/c/d"), Path("/a")]) == [Path("/a"), Path("/c/d")]


def test_the_search_path_has_only_folders_that_are_seen() -> None:
    assert visible_search("/usr/bin:/root/bin:relative::/usr/sbin", [Path("/usr")]) == "/usr/bin:/usr/sbin"
