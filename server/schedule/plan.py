"""The values of a schedule: entrants, plan, blocks, results.

The unit is the block: as many bots as the game has seats, played in every rotation of the seats, so that seats are
balanced within each block. Blocks are drawn in stages and numbered consecutively over them; a stage follows from the
plan and the results of earlier stages alone, so an event that was killed continues with the same blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from referee.errors import RulesError

HalfPoints = tuple[int, ...]
"""Half points by bot of a block, over all its matches: 2 for each seat beaten, 1 for a tie."""

Results = Mapping[int, HalfPoints | None]
"""The results so far, by block number. None: cancelled, because a bot left before it was played."""


class Ledger(Mapping[int, HalfPoints | None]):
    """Results that are only ever added, so a schedule need not read them twice."""

    def __init__(self, *, forget: bool = False) -> None:
        """Make an empty ledger. `forget`: keep only which blocks have a result. That is all that matters where no
        stage is drawn from results (Schedule.lag is None), and takes no memory however many there are."""
        self._forget = forget
        self._below = 0
        """All blocks below this one have a result that was forgotten."""
        self._results: dict[int, HalfPoints | None] = {}
        """Results of the other blocks."""
        self.cancelled = 0
        """Number of cancelled blocks."""

    def __contains__(self, block: object) -> bool:
        return block in self._results or (isinstance(block, int) and 0 <= block < self._below)

    def __getitem__(self, block: int) -> HalfPoints | None:
        return () if 0 <= block < self._below else self._results[block]

    def __iter__(self) -> Iterator[int]:
        yield from range(self._below)
        yield from self._results

    def __len__(self) -> int:
        return self._below + len(self._results)

    def add(self, block: int, result: HalfPoints | None) -> None:
        """Add the result of a block. None: it was cancelled."""
        if block in self:
            raise RulesError(f"block {block} has a result already")
        self._results[block] = result
        self.cancelled += result is None
        while self._forget and self._below in self._results:
            del self._results[self._below]
            self._below += 1

    def add_all(self, first: int, results: Iterable[HalfPoints]) -> None:
        """Add the results of consecutive blocks."""
        for block, result in enumerate(results, first):
            self.add(block, result)


@dataclass(frozen=True, kw_only=True, slots=True)
class Entrant:
    """A bot in a contest. It plays in the stages joined <= stage < left."""

    name: str
    hero: bool = False
    """In a gauntlet: one of the bots that all challengers meet."""
    team: str = ""
    """On a ladder, bots of one team are kept apart; where a round-robin has one table, they sit side by side."""
    joined: int = 0
    left: int | None = None
    """Set when the bot was quarantined or replaced by a new version; see Schedule.withdraw."""
    away: tuple[tuple[int, int | None], ...] = ()
    """Stages in which it is not drawn, because a ruling keeps it out: the first, and the first in which it is back."""

    def plays_in(self, stage: int) -> bool:
        """Check that the bot plays in that stage."""
        if any(first <= stage and (back is None or stage < back) for first, back in self.away):
            return False
        return self.joined <= stage and (self.left is None or stage < self.left)

    @property
    def first_absence(self) -> int | None:
        """Return the first stage in which it is no longer drawn, though it was entered."""
        gone = [first for first, back in self.away if back is None or back > first]
        return min([*gone, *(() if self.left is None else (self.left,))], default=None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """One contest: a game with a fixed number of seats, its bots (in order of seeding) and its format.

    `rounds` means what users of the format expect: how often everybody meets (round-robin, gauntlet), the number of
    rounds (Swiss, league), of waves (ladder; 0 is endless), the least number of legs of a tie (knockout).
    """

    format: str
    seats: int
    entrants: tuple[Entrant, ...]
    rounds: int = 1
    seed: str = ""
    third_place: bool = True
    """Knockout with two seats: the losers of the semi-finals meet."""
    max_legs: int = 5
    """Knockout: a tie that is still level after this many blocks goes to the better seed."""

    def active(self, stage: int) -> list[str]:
        """Return the bots that play in that stage, in order of seeding."""
        return [entrant.name for entrant in self.entrants if entrant.plays_in(stage)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """Distinct bots that play one match in each rotation of the seats."""

    number: int
    stage: int
    table: int
    bots: tuple[str, ...]
    label: str = ""

    def seating(self, rotation: int) -> tuple[str, ...]:
        """Return which bot holds which seat in that rotation."""
        count = len(self.bots)
        return tuple(self.bots[(seat - rotation) % count] for seat in range(count))


@dataclass(frozen=True, kw_only=True, slots=True)
class PlayedBlock:
    """A block with its result; None: it was cancelled."""

    block: Block
    half_points: HalfPoints | None


@dataclass(frozen=True, kw_only=True, slots=True)
class BracketPlace:
    """A line of the order of a knockout; bots that went out together share a rank."""

    rank: int
    bot: str
    note: str = ""
    """The round it reached."""


class Pairing(NamedTuple):
    """Bots to meet at one table: a block that has no number yet."""

    bots: tuple[str, ...]
    label: str


Drawn = Sequence[Sequence[Block]]
History = Sequence[Sequence[PlayedBlock]]


class Format(Protocol):
    """A way to draw who meets whom, one stage after the other."""

    @property
    def lag(self) -> int | None:
        """Stage i is drawn from the results of the stages up to i - lag. None: no stage needs a result."""
        ...

    @property
    def reads_drawn(self) -> bool:
        """Tell whether stages are drawn from those drawn before. If not, their blocks need not be kept."""
        ...

    def stage(self, index: int, drawn: Drawn, history: History) -> list[Pairing] | None:
        """Return the tables of a stage, given all blocks drawn before and the results it waited for. None: it is
        over."""
        ...

    def remaining(self, index: int, drawn: Drawn, history: History) -> int | None:
        """Return how many blocks will (at least) be drawn from stage `index` on. None: there is no end."""
        ...
