"""Teams at a real arena that speaks TLS of its own making: from a list in CSV to matches, and to a revoked token."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from server.system.invites import read_invite
from support.command import start, tortuga
from support.ladders import make_config
from support.served import PATIENCE_SECONDS, Served, wait_for, wait_for_matches

pytestmark = [
    pytest.mark.timeout(3 * PATIENCE_SECONDS),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]


def done(folder: Path, *words: str, code: int = 0) -> str:
    """What a command prints."""
    found = tortuga(folder, *words)
    assert found.returncode == code, found.stderr
    return found.stdout + found.stderr


def test_from_a_list_of_teams_to_matches_over_tls_and_to_a_revoked_token(tmp_path: Path) -> None:
    served = Served(
        tmp_path, make_config(reconnect_seconds=1.0, rest_seconds=0.1, bots_per_team=1), "--self-signed", "localhost"
    )
    bots: list[subprocess.Popen[str]] = []
    (tmp_path / "teams.csv").write_text("team,members\nann,Ann\nbob,Bob\n")
    try:
        served.start()
        here = ("--dir", str(served.path))
        assert "2 invites written" in done(tmp_path, "server", "team", "import", "teams.csv", *here)
        invite = read_invite(tmp_path / "invites" / "ann.toml")
        assert invite.tls
        assert invite.ca == (served.path / "tls" / "ca.pem").read_text()
        assert invite.bots.startswith("localhost:")
        bots = [
            start(tmp_path, "bot", "connect", "random", "--invite", f"invites/{team}.toml", "--name", name)
            for team, name in (("ann", "one"), ("bob", "two"))
        ]
        wait_for_matches(served, 2)
        account = json.loads(done(tmp_path, "client", "account", "--invite", "invites/ann.toml", "--json"))
        assert (account["team"], [bot["name"] for bot in account["bots"]]) == ("ann", ["one"])
        done(tmp_path, "server", "token", "new", "--kind", "organiser", "--label", "carol", *here)
        assert "is revoked" in done(tmp_path, "server", "token", "revoke", "ann", "--invite", "carol.toml")
        wait_for(lambda: served.status().connected == 1)
        told = done(tmp_path, "client", "account", "--invite", "invites/ann.toml", code=2)
        assert "the token is wrong" in told
        lines = json.loads(done(tmp_path, "server", "audit", "--json", "--invite", "carol.toml"))["lines"]
        whats = [(line["who"], line["what"], line["whom"]) for line in lines]
        assert whats[0] == ("token carol", "RevokeToken", "ann")
        assert ("team ann", "NewBot", "one") in whats
        assert ("admin.sock", "PutTeams", "ann bob") in whats
        for path in tmp_path.rglob("*"):
            if path.is_file() and path.suffix in (".log", ".db"):
                assert invite.token.encode() not in path.read_bytes(), path
    finally:
        for bot in bots:
            bot.send_signal(signal.SIGTERM)
            bot.communicate(timeout=PATIENCE_SECONDS)
        served.close()
