"""A player ship's turn: `VOLLEY`, from the announced cards to the recoil.

Spec sections 5.2 and 6.5; rulings R7, R8, R11, R14 to R17.
"""

from __future__ import annotations

from referee.engine import Seat
from referee.games.pirates_cove.actions import Action, Fire, Flee, PlayCard, Wait
from referee.games.pirates_cove.events import Log, VolleyFired, Waited
from referee.games.pirates_cove.ids import AT_SEA, Captain, Section, Window
from referee.games.pirates_cove.rules.cards import play, playable
from referee.games.pirates_cove.rules.leaving import flee, retreat
from referee.games.pirates_cove.rules.legends import FIRE_AT, damage_legend, sink_legends
from referee.games.pirates_cove.rules.ships import dice_count, hit
from referee.games.pirates_cove.state import PLAIN_SALVO, Combat, State, Turn

FIRE_AT_CAPTAIN = {captain: Fire(captain, Section.HULL) for captain in Captain}


def begin_turn(draft: State, combat: Combat, seat: Seat) -> None:
    """A ship that reloads after a Cannonade loses this turn, and only this one (R17)."""
    draft.agenda.append(Turn(seat, seat in combat.reloading))
    combat.reloading -= {seat}


def turn_options(state: State, task: Turn) -> tuple[Action, ...]:
    """Fire, flee, or announce a Volley card; after a card the ship must fire (R14). No flight from the final duel."""
    combat = state.combat
    assert combat is not None
    can_flee = combat.place != AT_SEA and not combat.salvo.cards
    options: list[Action] = [Wait()] if task.reloading else targets(combat, task.seat)
    if can_flee:
        options.append(Flee())
    if not task.reloading:
        options += playable(state, task.seat, Window.VOLLEY)
    return tuple(options)


def targets(combat: Combat, seat: Seat) -> list[Action]:
    """While there are non-player ships only they may be fired at (R7)."""
    if combat.hulls:
        return [FIRE_AT_CAPTAIN[captain] for captain in combat.hulls]
    return [fire for other in combat.seats if other != seat for fire in FIRE_AT[other]]


def take_turn(draft: State, task: Turn, choice: Action, log: Log) -> None:
    """What the ship does with its turn."""
    combat = draft.combat
    assert combat is not None
    match choice:
        case Flee():
            flee(draft, combat, task.seat, log)
        case PlayCard():
            play(draft, task.seat, choice, log)
            draft.agenda.append(task)
        case Fire(target=target, section=section):
            fire(draft, combat, task.seat, target, section, log)
        case _:
            log.append(Waited(task.seat))


def fire(draft: State, combat: Combat, seat: Seat, target: Seat | Captain, section: Section, log: Log) -> None:
    """A player's volley, in the steps of spec 6.5."""
    salvo, combat.salvo = combat.salvo, PLAIN_SALVO
    threshold = combat.threshold(target) if salvo.hit_from is None else salvo.hit_from
    count = dice_count(draft.ships[seat], combat)
    dice = tuple(draft.chance.draw("volley", seat, 6) + 1 for _ in range(count))
    hits = sum(die >= threshold for die in dice)
    if isinstance(target, Captain):
        log.append(VolleyFired(seat, target, (section,), dice, hits))
        damage_legend(combat, target, hits, log)
    else:
        sections = salvo.sections or (section,)
        log.append(VolleyFired(seat, target, sections, dice, hits))
        for _ in range(hits):
            for struck in sections:
                hit(draft, target, struck, log)
    if salvo.blast is not None:
        blast(draft, combat, salvo.blast, hits, log)
    retreat(draft, combat, log)
    sink_legends(draft, combat, log)
    if seat in combat.seats:  # R15: a ship that has left neither reloads nor feels the recoil
        if salvo.reload:
            combat.reloading |= {seat}
        for struck in salvo.recoil:
            hit(draft, seat, struck, log)
        retreat(draft, combat, log)


def blast(draft: State, combat: Combat, section: Section, hits: int, log: Log) -> None:
    """The Magazine: every ship present suffers, shooter and target included; Smoke does not help (R16)."""
    for captain in combat.hulls:
        damage_legend(combat, captain, hits, log)
    for _ in range(hits):
        for seat in combat.seats:
            hit(draft, seat, section, log)
