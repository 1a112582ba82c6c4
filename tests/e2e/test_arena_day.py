"""A day of an arena in fast motion: bots join, leave, crash and change version; hosted ones are there all the time.

`make chaos` plays 2 000 matches; here it is a short day. What holds in the evening: the ladder recomputed from the
records equals the stored one, every version is linked to the one before, and nothing is left behind.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bench.arenas.arena import ArenaProcess
from bench.arenas.fleet import RemoteBot
from referee.records.record import read_record
from referee.records.verify import verify
from server.arena.config import default_config
from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.manifest import make_contests
from support import sizes
from support.events import dump
from tortuga.v1 import arena_pb2 as pb

MATCHES = sizes.pick(quick=30, ci=100, full=2000)
VERIFIED = 20

pytestmark = pytest.mark.timeout(sizes.pick(ci=300, full=3600))


async def live(arena: ArenaProcess, name: str, token: str, luck: random.Random, versions: Counter[str]) -> None:
    """A bot's day: it comes, stays a while, breaks off or is shown out, and comes again, sometimes in a new version."""
    while True:
        versions[name] += luck.random() < 0.3 or not versions[name]
        bot = RemoteBot(
            name=name,
            token=token,
            version=str(versions[name]),
            slots=luck.choice([1, 1, 2, 4]),
            crash_share=luck.choice([0.0, 0.0, 0.005]),
        )
        stay = asyncio.create_task(bot.play(arena.address))
        await asyncio.wait([stay], timeout=luck.uniform(1.0, 8.0))
        stay.cancel()
        await asyncio.gather(stay, return_exceptions=True)
        await asyncio.sleep(luck.uniform(0.0, 1.0))


async def watch_over(arena: ArenaProcess, folder: Folder) -> int:
    """The organiser: lifts suspensions until the day is over; gives how many there were.

    It is over after so many matches, and not before somebody has played in a second version.
    """
    lifted = 0
    while True:
        status = await asyncio.to_thread(arena.status)
        if status.matches >= MATCHES and any(entry.ancestor for entry in folder.require_agreement().roster):
            return lifted
        bots = await asyncio.to_thread(arena.api.ListBots, pb.ListBotsRequest(page_size=100))
        for bot in bots.bots:
            if bot.suspended:
                await asyncio.to_thread(arena.admin.LiftSuspension, pb.LiftSuspensionRequest(name=bot.name))
                lifted += 1
        await asyncio.sleep(0.5)


@sizes.sized
def test_a_day_in_fast_motion(tmp_path: Path) -> None:
    ladders = make_contests(
        [{"id": "pavillon_noir", "seats": 2, "variant": {"max_rounds": 1}}, {"id": "pirates_cove", "seats": 3}],
        "ladders",
    )
    # Nobody may be late because this machine is busy: that would be a fault the bots did not plan.
    config = replace(
        default_config(),
        ladders=ladders,
        clock="3600+60/600",
        rest_seconds=0.0,
        drain_seconds=5.0,
        suspend_faults=2,
        versions_per_day=0,
    )
    versions: Counter[str] = Counter()
    folder = Folder(tmp_path / "arena" / "ladder")

    async def day(arena: ArenaProcess) -> int:
        tokens = await asyncio.to_thread(arena.add_bots, [f"bot{number}" for number in range(10)])
        for spec in ("random", "gunner"):
            await asyncio.to_thread(arena.admin.HostBot, pb.HostBotRequest(spec=spec))
        lives = [
            asyncio.create_task(live(arena, name, token, random.Random(name), versions))
            for name, token in tokens.items()
        ]
        lifted = await watch_over(arena, folder)
        for task in lives:
            task.cancel()
        await asyncio.gather(*lives, return_exceptions=True)
        return lifted

    with ArenaProcess(tmp_path / "arena", config).run() as arena:
        lifted = asyncio.run(day(arena))
        faults = arena.status().faults
    assert arena.process.returncode == 0

    stored = dump(folder, measured=True)
    assert len(stored["match"]) >= MATCHES
    rebuild(folder)
    assert dump(folder, measured=True) == stored, "the ladder recomputed from the records is the stored one"
    sums: Counter[str] = Counter()
    for row in stored["live_elo"]:
        sums[row[0]] += row[-1]
    assert set(sums.values()) == {0}
    roster = folder.require_agreement().roster
    for name, count in versions.items():
        entries = [one for one in roster if one.bot == name]
        assert 1 <= len(entries) <= count
        assert [one.ancestor for one in entries] == ["", *(one.name for one in entries[:-1])]
    assert any(len([one for one in roster if one.bot == name]) > 1 for name in versions)
    for path in random.Random(0).sample(sorted(folder.records.iterdir()), VERIFIED):
        record, sealed = read_record(path)
        assert verify(record, sealed=sealed).decisions == len(record.answer_micros)  # raises if it does not hold
    assert faults, "nobody crashed: the day has lost its storms"
    assert lifted or sizes.SIZE is not sizes.Size.FULL
