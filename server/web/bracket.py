"""A knockout as a bracket, read from its matches: rounds of ties, each with the points of its bots.

The label of a block names its tie (`semi-final 2, leg 1`); its stage says when it was played.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tortuga.v1 import arena_pb2 as pb

_LEG = re.compile(r", leg \d+$")
_NUMBER = re.compile(r"(?:, (?:match|table))? \d+$")


@dataclass(slots=True)
class Tie:
    """Bots that meet for the right to go on."""

    name: str
    points: dict[str, float] = field(default_factory=dict)
    """By bot: for each seat beaten 1, for each tied with a half."""
    matches: list[pb.MatchInfo] = field(default_factory=list)

    @property
    def order(self) -> list[tuple[str, float]]:
        """The bots, most points first."""
        return sorted(self.points.items(), key=lambda item: -item[1])

    @property
    def is_level(self) -> bool:
        """Whether the first two have equal points, so that the seeding decided."""
        points = [made for _, made in self.order]
        return len(points) > 1 and points[0] == points[1]


@dataclass(slots=True)
class Round:
    """The ties of one round."""

    name: str
    ties: list[Tie]


def make_bracket(matches: Iterable[pb.MatchInfo]) -> list[Round]:
    """The rounds in the order in which they were played. The match for third place stands beside the final."""
    ties: dict[str, Tie] = {}
    first_stage: dict[str, int] = {}
    for match in sorted(matches, key=lambda one: (one.stage, one.block, one.rotation)):
        name = _LEG.sub("", match.label) or f"round {match.stage + 1}"
        tie = ties.setdefault(name, Tie(name))
        tie.matches.append(match)
        first_stage.setdefault(name, match.stage)
        for seat in match.seats:
            made = sum(
                1.0 if other.rank > seat.rank else 0.5 if other.rank == seat.rank else 0.0
                for other in match.seats
                if other is not seat
            )
            tie.points[seat.entry] = tie.points.get(seat.entry, 0.0) + (made if seat.rank else 0.0)
    rounds: dict[int, Round] = {}
    for name, tie in ties.items():
        found = rounds.setdefault(first_stage[name], Round(_NUMBER.sub("", name), []))
        found.ties.append(tie)
    for found in rounds.values():
        found.ties.sort(key=lambda tie: (tie.name == "third place", _natural(tie.name)))
        found.name = _NUMBER.sub("", found.ties[0].name)
    return [rounds[stage] for stage in sorted(rounds)]


def _natural(name: str) -> tuple[str, int]:
    """Sorts `semi-final 2` before `semi-final 10`."""
    head, _, tail = name.rpartition(" ")
    return (head, int(tail)) if tail.isdecimal() else (name, 0)
