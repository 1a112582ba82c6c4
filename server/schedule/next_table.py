"""The next table of an open ladder, where bots come and go and any free bot can be seated at once.

The table that tells most (`pair_values`) comes first, so newcomers do: of them least is known. **No bot starves**: one
that was passed over for PATIENCE tables per candidate is seated, whoever else is there.

**Waiting for a better partner.** Two bots that end a match together and are the only free ones would meet again, and
again: with four bots, two pairs once met 221 times of 225. So a table waits while that pays: if the same bots could be
worth `later` with those who are busy now, and `now` with those who are free, then after `idle` seconds, with matches
that take `usual` seconds, waiting pays while

    later / (idle + usual) > now / usual

and it never lasts longer than LONGEST_WAIT usual matches. Nobody waits where there is choice enough: with free bots for
two tables. Bots of one team never meet, where the organiser keeps teams apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from server.schedule.pair_values import APART
from server.schedule.seat_search import Costs, take_table

PATIENCE = 4
"""Tables per candidate for which a bot may be passed over."""

LONGEST_WAIT = 2.0
"""How long a table waits for better partners, in usual matches."""

MOST_FREE = 100
"""If more bots are free, only those that waited longest are compared."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A bot that plays on this ladder."""

    name: str
    is_free: bool
    """Whether it can be seated now."""
    waited: int = 0
    """Tables filled since its last match, or since it came."""
    idle_seconds: float = 0.0
    """How long it has been free."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """The bots that play next, or how long to wait."""

    table: tuple[str, ...] = ()
    """In no order of seats. Empty: nobody plays for now."""
    wait_seconds: float | None = None
    """If nobody plays: after how long to choose again, if nothing happens before. None: there are too few bots."""


def next_table(
    candidates: Sequence[Candidate],
    seats: int,
    values_of: Callable[[Sequence[str]], Costs],
    usual_seconds: float,
) -> Choice:
    """Choose the bots that play together next. `values_of` tells what each pair of some bots is worth at a table."""
    free = sorted(
        (bot for bot in candidates if bot.is_free),
        key=lambda bot: (-bot.waited, bot.name),
    )
    if len(free) < seats:
        return Choice()
    starving = free[0].waited >= PATIENCE * len(candidates)
    free = free[:MOST_FREE]
    busy = [bot for bot in candidates if not bot.is_free][:MOST_FREE]
    may_wait = not starving and bool(busy) and len(free) < 2 * seats
    field = [*free, *busy] if may_wait else free
    values = values_of([bot.name for bot in field])
    costs = [[-value for value in row] for row in values]
    here = range(len(free))
    first = 0 if starving else min(here, key=lambda at: min(costs[at][other] for other in here if other != at))
    table = take_table([first, *(at for at in here if at != first)], seats, costs)
    if _worth(table, costs) < -APART // 2:  # bots of one team: somebody else may come
        return Choice(wait_seconds=usual_seconds)
    left = _wait(table, field, costs, usual_seconds) if may_wait else 0.0
    if left > 0:
        return Choice(wait_seconds=left)
    return Choice(table=tuple(field[at].name for at in table))


def _wait(table: Sequence[int], field: Sequence[Candidate], costs: Costs, usual_seconds: float) -> float:
    """Return how much longer this table should wait for better partners; 0: not at all."""
    seats = len(table)
    now = _worth(table, costs)
    rest = range(len(field))
    later = sum(
        _worth(take_table([seated, *(at for at in rest if at != seated)], seats, costs), costs) for seated in table
    ) / len(table)
    if later <= now:
        return 0.0
    longest = LONGEST_WAIT if now <= 0 else min(LONGEST_WAIT, later / now - 1)
    return longest * usual_seconds - min(field[at].idle_seconds for at in table)


def _worth(table: Sequence[int], costs: Costs) -> int:
    return -sum(costs[bot][other] for place, bot in enumerate(table) for other in table[:place])
