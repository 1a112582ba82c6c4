"""`tortuga server bundle`: finding the bytes that played."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from server.arena.registry import Registry
from server.bots.bundle_store import BundleStore
from server.bots.spec import find_bot
from server.cli.main import main


def tortuga(*words: str) -> Result:
    return CliRunner().invoke(main, ["server", "bundle", *words])


def test_a_bundle_is_found_by_the_beginning_of_its_hash(tmp_path: Path) -> None:
    Registry.open(tmp_path / "arena.db").close()
    bundle = BundleStore(tmp_path / "bundles").add(find_bot("random"))
    where = ("--dir", str(tmp_path))
    listed = tortuga("list", *where)
    assert bundle.sha256 in listed.stdout
    assert listed.stdout.endswith("1 bundle\n")
    [row] = json.loads(tortuga("list", *where, "--json").stdout)["bundles"]
    assert (row["bot"], row["language"], row["bytes"]) == ("random", "python", bundle.size)
    out = tmp_path / "found.tar"
    done = tortuga("get", bundle.sha256[:8].upper(), *where, "-o", str(out))
    assert done.exit_code == 0, done.output
    assert out.read_bytes() == bundle.path.read_bytes()
    for word, verdict in {
        "abc": "give at least 6 digits",
        "abcdef0": "no bundle begins with",
        "../../x": "no bundle begins",
    }.items():
        refused = tortuga("get", word, *where)
        assert refused.exit_code == 2
        assert verdict in refused.stderr
    bundle.path.write_bytes(b"damaged")
    assert "is damaged" in tortuga("get", bundle.sha256, *where).stderr
    assert "is damaged" in tortuga("list", *where).stdout


def test_elsewhere_there_are_none(tmp_path: Path) -> None:
    assert f"{tmp_path} is not the data folder" in tortuga("list", "--dir", str(tmp_path)).stderr
