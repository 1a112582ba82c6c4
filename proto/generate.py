"""Write the generated Python messages, or check that the committed ones are current.

python proto/generate.py proto/gen/python            writes
python proto/generate.py --check proto/gen/python    exits 1 and names what differs
"""

from __future__ import annotations

import filecmp
import os
import shutil
import sys
import tempfile
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

HERE = Path(__file__).parent

PACKAGE = '''"""`tortuga.v1` holds the messages, `tortuga.engine` is for games, `tortuga.play` plays a match.

Written by proto/generate.py."""

from importlib import import_module
from typing import Any


def play(game: str, *bots: Any, **how: Any) -> Any:
    """Play one match and return it; a notebook shows its table and its board: docs/tutorial.md. Needs the server."""
    return import_module("server.notebook").play(game, *bots, **how)
'''
"""`tortuga/__init__.py`. The import is done when it is called: bots and messages know nothing of the server."""


def generate(target: Path) -> None:
    """All messages of proto/tortuga/v1 as a package `tortuga.v1` under the target folder."""
    target.mkdir(parents=True, exist_ok=True)
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    sources = sorted(str(path.relative_to(HERE)) for path in HERE.glob("tortuga/v1/*.proto"))
    outputs = [f"--{kind}_out={target}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
    # protoc looks its plugins up in PATH; they lie beside the interpreter that runs this.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    if protoc.main(["protoc", f"-I{HERE}", f"-I{well_known}", *outputs, *sources]) != 0:
        raise SystemExit("protoc failed; its own words are above")
    for package in (target / "tortuga", target / "tortuga" / "v1"):
        (package / "__init__.py").touch()
        (package / "py.typed").touch()
    (target / "tortuga" / "__init__.py").write_text(PACKAGE)
    shutil.copyfile(HERE / "engine.py", target / "tortuga" / "engine.py")
    # The empty modules of those without a service would only be noise.
    for path in target.glob("tortuga/v1/*_pb2_grpc.py*"):
        if not path.name.startswith(("referee_", "arena_")):
            path.unlink()


def stale(committed: Path) -> list[str]:
    """The files that a fresh generation would change, add or remove."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        generate(fresh)
        names = {
            str(path.relative_to(root))
            for root in (fresh, committed)
            for path in root.rglob("*.py*")
            if path.suffix in (".py", ".pyi")
        }
        return sorted(name for name in names if not same(fresh / name, committed / name))


def same(one: Path, two: Path) -> bool:
    """Whether both files are there and equal."""
    return one.exists() and two.exists() and filecmp.cmp(one, two, shallow=False)


if __name__ == "__main__":
    *flags, folder = sys.argv[1:]
    if flags == ["--check"]:
        if differing := stale(Path(folder)):
            raise SystemExit("not current, run `make proto`: " + ", ".join(differing))
    else:
        generate(Path(folder))
