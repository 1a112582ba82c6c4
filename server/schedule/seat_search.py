"""Which bots share a table: a search for the cheapest seating, by swapping bots until no swap helps.

Bots are numbers from 0 here, so that costs are rows of whole numbers. Everything is exact arithmetic in a fixed
order: the same input gives the same answer on every machine.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

Costs = Sequence[Sequence[int]]
"""The cost of seating two bots together; symmetric, zero with oneself."""


def total_cost(tables: Sequence[Sequence[int]], costs: Costs) -> int:
    """Add up the costs of all pairs that share a table."""
    return sum(costs[bot][other] for table in tables for place, bot in enumerate(table) for other in table[:place])


def take_table(waiting: list[int], seats: int, costs: Costs) -> list[int]:
    """Return the first of those waiting and the partners that cost least with it, one after the other; remove them
    from `waiting`."""
    table = [waiting.pop(0)]
    while len(table) < seats:
        partner = min(waiting, key=lambda at: sum(costs[at][other] for other in table))
        waiting.remove(partner)
        table.append(partner)
    return table


def swap_down(
    tables: list[list[int]], costs: Costs, bench: list[int] | None = None, free: Collection[int] = ()
) -> None:
    """Swap bots between tables, in place, until no swap of two bots makes the tables cheaper.

    Every bot of `costs` sits at a table or on the bench. Those on the bench cost nothing; only
    `free` bots may be swapped on to it or off it.
    """
    places = [*tables, bench or []]
    last = len(tables)
    home = [0] * len(costs)
    for number, table in enumerate(places):
        for bot in table:
            home[bot] = number
    # With a bot's cost at each table, the gain of a swap is four look-ups instead of a sum over two tables.
    load = [[sum(map(row.__getitem__, table)) for table in tables] + [0] for row in costs]
    # A table is checked again whenever it has changed: when none is left, every pair of tables has been compared.
    changed = set(range(last))
    while changed:
        here = min(changed)
        for bot in places[here]:
            other = _best_swap(bot, here, last, costs[bot], home, load, free)
            if other == bot:
                continue
            there = home[other]
            places[here][places[here].index(bot)] = other
            places[there][places[there].index(other)] = bot
            home[bot], home[other] = there, here
            for own, gone, come in zip(load, costs[bot], costs[other], strict=True):
                own[here] += come - gone
                if there != last:
                    own[there] += gone - come
            # A new bot on the bench may be useful at any table.
            changed.update(range(last) if there == last else (there,))
            break
        else:
            changed.remove(here)


def _best_swap(
    mover: int, here: int, last: int, row: Sequence[int], home: Sequence[int], load: Costs, free: Collection[int]
) -> int:
    """Return the best bot to swap with; the bot itself if no swap helps."""
    own = load[mover]
    stay = own[here]
    gain, other = 0, mover
    for bot, (there, theirs, together) in enumerate(zip(home, load, row, strict=True)):
        if there == here:
            continue
        # Both new tables still count the one that leaves them; the bench counts nobody.
        less = stay - own[there] + theirs[there] - theirs[here] + together
        if there != last:
            less += together
        elif mover not in free or bot not in free:
            continue
        if less > gain:
            gain, other = less, bot
    return other
