"""Finds what a program needs to run besides its own folder: system programs, libraries, and its interpreter.

All of it is shown read-only and at the same path. A home folder is never shown, and nothing that contains one.
"""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The folder with server/, sample_bots/ and proto/ in it, in a checkout and in an installed wheel alike."""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SETTINGS = (
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/timezone", "/etc/nsswitch.conf"),
    *("/etc/ssl/openssl.cnf", "/etc/java-*-openjdk"),
)
"""Files that libraries read at their start and that tell nobody anything."""
BOT_SITE = ROOT / "sample_bots" / "python" / "site"
"""The folder that Python imports at the start of a bot: it keeps the server's packages from it."""
OWN_PACKAGES = (
    *("sample_bots/python/sdk", "proto/gen/python"),
    "referee",  # the rules, for bots that search
    "sample_bots/python/shared",
    *(
        "sample_bots/python/privateer",
        "sample_bots/python/buccaneer",
        "sample_bots/python/gunner",
    ),  # their rules of thumb guide commodore, corsair and quartermaster
)
"""The part of a checkout that a Python bot sees: an editable install would put the rest on its path, too."""


def visible_paths(argv: Iterable[str], sees: Iterable[Path], search: str) -> list[Path]:
    """Return the files and folders that a bot may read: what it is given, and the runtime of its command. `search`:
    PATH."""
    command = list(argv)
    given = _given(command, sees)
    program = shutil.which(command[0], path=search)
    paths = [*system_paths(), *python_paths(), *given]
    if program is not None:
        paths += program_paths(Path(program), tuple(given))
    # What is given stays in the list, also below something else: what lies between may be hidden.
    return [*(path for path in outermost(paths) if path not in given), *given]


def needed_paths(argv: Iterable[str], sees: Iterable[Path], search: str) -> list[Path]:
    """Return what a bot cannot do without: what it is given, and its program."""
    command = list(argv)
    program = shutil.which(command[0], path=search)
    return [*_given(command, sees), *([Path(program)] if program else [])]


def _given(command: list[str], sees: Iterable[Path]) -> list[Path]:
    """Return a bot's own folder; where it has none, the files that its command names: `cmd: python bot.py`.

    Never both: the command of a bot with a folder stands in its manifest, and a stranger could name any file there.
    """
    return list(sees) or [Path(word) for word in command[1:] if os.path.isabs(word) and os.path.isfile(word)]


@cache
def system_paths() -> tuple[Path, ...]:
    """Return the system's programs, libraries and the few settings they read."""
    settings = [Path(file) for pattern in SETTINGS for file in sorted(glob.glob(pattern))]
    return tuple([path for path in map(Path, SYSTEM) if path.exists()] + settings)


@cache
def python_paths() -> tuple[Path, ...]:
    """Return our own interpreter, its packages and the SDK: what `python` means to every bot."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    packages = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    own = [BOT_SITE, *(ROOT / name for name in OWN_PACKAGES)]
    paths = [path for path in [*map(Path, sorted(prefixes | packages)), *own] if path.exists()]
    return tuple(paths) + links_to(Path(sys.executable))


def program_paths(program: Path, given: tuple[Path, ...]) -> list[Path]:
    """Return a program with the libraries and the runtime that belong to it."""
    real = program.resolve()
    known = [*system_paths(), *python_paths(), *given]
    paths = [path for path in links_to(program) if not is_below(path, known)]
    if is_below(real, known):
        return paths
    home = real.parent.parent
    if (home / "lib" / "modules").exists() and is_no_home(home):  # a Java runtime
        return [*paths, home]
    return [*paths, real, *libraries_of(real)]


def links_to(program: Path) -> tuple[Path, ...]:
    """Return the symbolic links by which a program is reached, each of which has to be seen."""
    links: list[Path] = []
    while program.is_symlink() and len(links) < 40:
        links.append(program)
        program = program.parent / os.readlink(program)
    return tuple(links)


@cache
def libraries_of(program: Path) -> tuple[Path, ...]:
    """Return the libraries outside of the system's folders that a runtime needs.

    Never called for a file of a bot: ldd may run the program that it is asked about.
    """
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
    files = [word for word in done.stdout.split() if word.startswith("/")]
    return tuple(path for path in map(Path, files) if path.exists() and not is_below(path.resolve(), system_paths()))


@cache
def homes() -> frozenset[Path]:
    """Return the folders where people keep their secrets."""
    folders = {Path(entry.pw_dir) for entry in pwd.getpwall() if entry.pw_uid == 0 or entry.pw_uid >= 1000}
    return frozenset({Path.home(), *folders})


def is_no_home(folder: Path) -> bool:
    """Check that a folder may be shown: it is no home and contains none."""
    return not any(home.is_relative_to(folder) for home in homes())


def is_below(path: Path, folders: Iterable[Path]) -> bool:
    """Check that a path is one of these, or inside one."""
    return any(path.is_relative_to(folder) for folder in folders)


def outermost(paths: Iterable[Path]) -> list[Path]:
    """Return each path once, and none that lies inside another one, unless through a symbolic link."""
    outer: list[Path] = []
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if not is_below(path, [folder for folder in outer if not folder.is_symlink()]):
            outer.append(path)
    return outer


def visible_search(search: str, visible: Iterable[Path]) -> str:
    """Return PATH without the folders that are not seen."""
    folders = list(visible)
    return os.pathsep.join(
        entry for entry in search.split(os.pathsep) if os.path.isabs(entry) and is_below(Path(entry), folders)
    )
