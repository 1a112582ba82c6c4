"""What is said of the doors before they are opened."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from referee.match.clock import LagMeter
from server.arena.config import default_config
from server.arena.operations.running_arena import RunningArena
from server.arena.registry_schema import KnownBot
from server.arena.serve import add_hosted, check_doors
from server.cli.serve import TerminalOutput
from server.jail.level import JailLevel
from support.certificates import expire, make_certificate
from support.ladders import make_config
from support.tables import open_house


def test_a_certificate_that_has_expired_is_warned_of_and_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hosted bots play all the same, and the clock of a machine that has just started may be wrong."""
    cert, key = make_certificate(tmp_path)
    key.chmod(0o600)
    config = replace(default_config(), tls_cert=cert.name, tls_key=key.name)
    assert check_doors(tmp_path, config, TerminalOutput()) is not None
    assert capsys.readouterr().err == ""
    expire(cert, key)
    assert check_doors(tmp_path, config, TerminalOutput()) is not None
    assert "cert.pem: certificate" in capsys.readouterr().err


def test_a_key_that_everybody_can_read_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cert, key = make_certificate(tmp_path)
    config = replace(default_config(), tls_cert=cert.name, tls_key=key.name)
    for mode, warned in [(0o600, False), (0o640, False), (0o644, True)]:
        key.chmod(mode)
        check_doors(tmp_path, config, TerminalOutput())
        assert ("every user of this" in capsys.readouterr().err) is warned


async def test_a_hosted_bot_that_is_no_longer_built_does_not_play_and_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bot.toml").write_text(
        'name = "ann"\nbuild = ["make"]\nrun = ["java", "-cp", "{dir}/ann.jar", "Ann"]\n'
    )
    async with open_house(tmp_path, works=False) as house:
        arena = RunningArena(
            make_config(),
            house.registry,
            house.hall,
            house.calendar,
            house.challenges,
            LagMeter(),
            JailLevel.JAIL,
        )
        add_hosted(arena, KnownBot(name="ann", spec=str(tmp_path)), TerminalOutput())
        assert house.lobby.get("ann") is None
    [line] = capsys.readouterr().err.splitlines()
    assert "bot ann does not play: " in line
    assert f"{tmp_path}/ann.jar does not exist" in line
    assert line.endswith(f"tortuga bot build {tmp_path}")
