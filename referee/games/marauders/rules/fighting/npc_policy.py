"""What NPCs do by themselves (6.12): the default of their controllers, and the rule with `npc_control = policy`."""

from __future__ import annotations

from referee.games.marauders.state import Fighter, Ship
from referee.games.marauders.terms import Section, Stance


def legal_stances(fighter: Fighter, round_: int) -> tuple[Stance, ...]:
    """Return what any side may declare: only shoot in the first round or without masts; boarding takes a crew."""
    if round_ < 2 or not fighter.ship.value(Section.MASTS):
        return (Stance.SHOOT,)
    if not fighter.ship.value(Section.CREW):
        return (Stance.SHOOT, Stance.FLEE)
    return (Stance.SHOOT, Stance.BOARD, Stance.FLEE)


def npc_stances(npc: Fighter, enemy: Fighter, round_: int) -> tuple[Stance, ...]:
    """Return the stances of an NPC: those of any side, but it flees only from more Cannons or more Crew."""
    legal = legal_stances(npc, round_)
    if any(npc.ship.value(part) < enemy.ship.value(part) for part in (Section.CANNONS, Section.CREW)):
        return legal
    return tuple([stance for stance in legal if stance != Stance.FLEE])


def policy_stance(npc: Fighter, enemy: Fighter, legal: tuple[Stance, ...]) -> Stance:
    """Board the weaker crew, flee when about to sink, otherwise shoot."""
    ours = npc.ship.value(Section.CREW) * npc.leadership
    theirs = enemy.ship.value(Section.CREW) * enemy.leadership
    if Stance.BOARD in legal:
        if 5 * ours > 7 * theirs:
            return Stance.BOARD
        if not npc.ship.value(Section.CANNONS) and ours >= theirs:
            return Stance.BOARD
    if Stance.FLEE in legal and npc.ship.value(Section.HULL) <= 1 and enemy.ship.value(Section.CANNONS) >= 2:
        return Stance.FLEE
    return Stance.SHOOT


def policy_section(ship: Ship) -> Section:
    """Return where an NPC takes a skull: cargo, the strongest of its arms, a sound hull, whatever is left."""
    if ship.value(Section.CARGO):
        return Section.CARGO
    best = max((Section.MASTS, Section.CREW, Section.CANNONS), key=ship.value)
    if ship.value(best) >= 2:
        return best
    if ship.value(Section.HULL) >= 3:
        return Section.HULL
    return next(part for part in (Section.CANNONS, Section.MASTS, Section.CREW, Section.HULL) if ship.value(part))
