"""Tests whether any machine of a cluster played an event differently (server/ratings/hosts.py)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from referee.errors import FaultKind
from referee.text import plural
from server.ratings.hosts import ENOUGH_BLOCKS, LEVEL, HostBlocks, HostTest, RepeatedBot, judge_hosts
from server.tournament import store_queries
from server.tournament.folder import Folder
from server.tournament.journal import read_rare
from server.tournament.standings import Standings
from server.tournament.store import Store

LOCAL = "(not on a cluster)"
"""Stands for the machine that ran the event, where that played some blocks itself."""
HEADS = ("host", "speed", "blocks", "time-outs", "expected", "scores: p", "time-outs: p", "repeats", "repeats: p")


@dataclass(frozen=True, kw_only=True, slots=True)
class HostCheck:
    """The hosts of an event and what the tests say of each."""

    tests: Mapping[str, HostTest]
    speeds: Mapping[str, int]

    @property
    def verdict(self) -> str:
        """Return what follows, in a sentence."""
        different = [host for host, test in self.tests.items() if test.differs]
        if different:
            return (
                f"{', '.join(different)} played differently from the other hosts (p below {LEVEL:g}, corrected for all "
                "tests): look at its load and speed before you believe its matches"
            )
        tested = sum(test.is_tested for test in self.tests.values())
        if not tested:
            return f"not enough blocks to tell whether a host played differently ({ENOUGH_BLOCKS} on each at least)"
        few = len(self.tests) - tested
        left = f"; {plural(few, 'host')} played too few blocks to tell" if few else ""
        return f"no host played differently from the others, judging by scores, time-outs and repeats{left}"

    def cells(self) -> list[tuple[str, ...]]:
        """Return a row per host, under HEADS."""
        return [
            (
                host if not test.differs else f"{host} (differs)",
                str(self.speeds.get(host) or "-"),
                str(test.blocks),
                str(test.time_outs),
                f"{test.expected_time_outs:.1f}",
                p_cell(test.scores_p),
                p_cell(test.time_outs_p),
                f"{test.diverged} of {test.repeats} differ" if test.repeats else "-",
                p_cell(test.repeats_p),
            )
            for host, test in self.tests.items()
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the check as JSON."""
        return {
            "level": LEVEL,
            "verdict": self.verdict,
            "hosts": [
                {"host": host, "speed": self.speeds.get(host, 0), **asdict(test), "differs": test.differs}
                for host, test in self.tests.items()
            ],
        }


def p_cell(p: float | None) -> str:
    """Return a chance as text, or a dash where nothing was tested."""
    return "-" if p is None else f"{p:.2f}" if p >= 0.01 else f"{p:.1g}"


def check_hosts(folder: Folder, ladders: Sequence[Standings]) -> HostCheck | None:
    """Test the hosts of an event. None: one machine played all of it."""
    with Store.read_only(folder.database) as store:
        speeds = store_queries.hosts(store)
        if not speeds:
            return None
        contests, names = [], {host: number for number, host in enumerate(sorted(speeds))}
        for ladder in ladders:
            if (blocks := read_blocks(store, ladder, names)) is not None:
                contests.append(blocks)
    if len(names) < 2:
        return None
    tests = dict(zip(names, judge_hosts(len(names), contests, list(read_repeats(folder, names))), strict=True))
    return HostCheck(tests={host or LOCAL: test for host, test in tests.items()}, speeds=speeds)


def read_repeats(folder: Folder, names: Mapping[str, int]) -> Iterator[RepeatedBot]:
    """Yield the bots of all blocks that two of these hosts have played, as the journal tells it."""
    for line in read_rare(folder.journal, "block_repeated"):
        hosts = [names[host] for host in line.get("hosts", ()) if host in names]
        if len(hosts) == 2:
            for bot in line["bots"]:
                yield RepeatedBot(
                    hosts=(hosts[0], hosts[1]), bot=f"{line['contest']} {bot}", diverged=bot in line["diverged"]
                )


def read_blocks(store: Store, ladder: Standings, names: dict[str, int]) -> HostBlocks | None:
    """Return the whole blocks of a contest that one host played; hosts get numbers as they come."""
    seats, numbers = ladder.contest.seats, {name: number for number, name in enumerate(ladder.fitted.names)}
    parts = list(store.results(ladder.contest.id, seats))
    if not parts:
        return None
    blocks = np.concatenate([part.blocks for part in parts])
    bots = np.concatenate([np.array([numbers[name] for name in part.names])[part.bots] for part in parts])
    points = np.concatenate([part.half_points() for part in parts])
    match_ids = {match_id: row for row, match_id in enumerate(name for part in parts for name in part.match_ids)}
    hosts = np.array([names.setdefault(host, len(names)) for host in store_queries.hosts_of(store, ladder.contest.id)])
    late = np.zeros(bots.shape, dtype=np.bool_)
    for line in ladder.faults:
        if line.fault.kind == FaultKind.TIMEOUT.value:
            late[match_ids[line.match_id], line.fault.seat] = True
    # The matches of a block lie side by side; in each, its bots are put into ascending order.
    _, first, count = np.unique(blocks, return_index=True, return_counts=True)
    rows = first[count == seats][:, None] + np.arange(seats)
    rows = rows[(hosts[rows] == hosts[rows[:, :1]]).all(axis=1)]
    starts = rows[:, 0]
    order = np.argsort(bots, axis=1)
    bots, points, late = (np.take_along_axis(column, order, axis=1) for column in (bots, points, late))
    teams, others = bots[starts], seats - 1
    expected = ladder.fitted.pairs.expected[teams[:, :, None], teams[:, None, :]]
    expected[:, np.arange(seats), np.arange(seats)] = 0
    return HostBlocks(
        hosts=hosts[starts],
        bots=teams,
        scores=points[rows].sum(axis=1) / (2 * others * seats),
        expected=expected.sum(axis=2) / others,
        late=late[rows].any(axis=1),
    )
