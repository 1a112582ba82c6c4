"""Hosted bots that take all that their limits grant while others think: processor, caches, memory and log."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.jail.level import JailLevel
from support.bystanders import Bystanders
from support.jail import need, public_folder
from support.served import wait_for
from support.sizes import pick
from tortuga.v1 import arena_pb2 as pb

BURNERS = pick(ci=3, full=12)
MANIFEST = 'name = "burner"\nversion = "1"\nlanguage = "python"\nrun = ["python", "{dir}/bot.py"]\n'
BOT = """\
import os, threading
from tortuga_bot import play

def burn():
    lump = bytearray(1 << 24)
    while True:
        lump[:] = lump[::-1]  # larger than any cache
        os.write(1, b"x" * 16)

if __name__ == "__main__":
    threading.Thread(target=burn, daemon=True).start()
    play(lambda question: 0)
"""


@pytest.fixture
def burner() -> Iterator[Path]:
    """The folder of such a bot."""
    need(JailLevel.JAIL)
    with public_folder() as folder:
        (folder / "bot.toml").write_text(MANIFEST)
        (folder / "bot.py").write_text(BOT)
        for path in folder.iterdir():
            path.chmod(0o644)
        yield folder


def test_bots_that_use_all_they_may_make_nobody_late(bystanders: Bystanders, burner: Path, tmp_path: Path) -> None:
    served = bystanders.served
    names = [f"burner-{number}" for number in range(BURNERS)]
    with bystanders.unharmed("starving within the limits"):
        for name in names:
            folder = shutil.copytree(burner, burner / name, ignore=shutil.ignore_patterns("burner-*"))
            served.admin.HostBot(pb.HostBotRequest(spec=str(folder), name=name), timeout=600)
        requests = [pb.ListMatchesRequest(bot=name, state=pb.MATCH_STATE_FINISHED) for name in names]
        wait_for(lambda: all(served.api.ListMatches(request).matches for request in requests))
    for name in names:
        served.admin.RevokeBot(pb.RevokeBotRequest(name=name))
