"""A player ship's turn: `VOLLEY`, from the announced cards to the recoil.

Spec sections 5.2 and 6.5; rulings R7, R8, R11, R14 to R17.
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar, assert_never

from referee.games.pirates_cove.actions import Fire, Flee, PlayCard, TurnAction, Wait
from referee.games.pirates_cove.events import VolleyFired, Waited
from referee.games.pirates_cove.rules.cards import play, playable
from referee.games.pirates_cove.rules.dice import roll_many
from referee.games.pirates_cove.rules.leaving import flee, retreat
from referee.games.pirates_cove.rules.legends import FIRE_AT, damage_legend, sink_legends
from referee.games.pirates_cove.rules.ships import dice_count, hit
from referee.games.pirates_cove.state import PLAIN_SALVO, State, combat_of
from referee.games.pirates_cove.terms import AT_SEA, Captain, Fighter, Section, Window
from referee.rules.agenda import SeatQuestion, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace

FLEE = Flee()
WAIT = Wait()
FIRE_AT_CAPTAIN = {captain: Fire(captain, Section.HULL) for captain in Captain}


@immutable(frozen=True, slots=True)
class Turn(SeatQuestion[State, TurnAction]):
    """`VOLLEY`: a player ship's turn in an exchange."""

    TAG: ClassVar[str] = "Turn"
    kind = "VOLLEY"
    reloading: bool

    def options(self, state: State) -> tuple[TurnAction, ...]:
        """Fire, flee, or announce a Volley card; after a card the ship must fire (R14). Nobody flees the final duel."""
        combat = combat_of(state)
        may_flee = combat.place != AT_SEA and not combat.salvo.cards
        if self.reloading:
            return (WAIT, FLEE) if may_flee else (WAIT,)
        fires = targets(combat.captains, combat.seats, self.seat)
        cards = playable(state, self.seat, Window.VOLLEY)
        return (*fires, FLEE, *cards) if may_flee else (*fires, *cards)

    def choose(self, draft: State, action: TurnAction) -> None:
        """Do what the ship chose for its turn."""
        match action:
            case Flee():
                flee(draft, self.seat)
            case PlayCard():
                play(draft, self.seat, action)
                push(draft, self)
            case Fire(target=target, section=section):
                fire(draft, self.seat, target, section)
            case Wait():
                draft.events.append(Waited(self.seat))
            case _:
                assert_never(action)


def begin_turn(draft: State, seat: Seat) -> None:
    """Begin a ship's turn. One that reloads after a Cannonade loses this turn, and only this one (R17)."""
    combat = combat_of(draft)
    reloading = seat in combat.reloading
    push(draft, Turn(seat, reloading))
    if reloading:
        draft.combat = replace(combat, reloading=combat.reloading - {seat})


@cache
def targets(captains: tuple[Captain, ...], seats: tuple[Seat, ...], seat: Seat) -> tuple[Fire, ...]:
    """While there are non-player ships only they may be fired at (R7)."""
    if captains:
        return tuple(FIRE_AT_CAPTAIN[captain] for captain in captains)
    return tuple(fire for other in seats if other != seat for fire in FIRE_AT[other])


def fire(draft: State, seat: Seat, target: Fighter, section: Section) -> None:
    """Fire a player's volley, in the steps of spec 6.5."""
    combat = combat_of(draft)
    salvo = combat.salvo
    if salvo.cards:
        draft.combat = replace(combat, salvo=PLAIN_SALVO)
    threshold = combat.threshold(target) if salvo.hit_from is None else salvo.hit_from
    count = dice_count(draft.ships[seat], combat)
    dice = roll_many(draft, "volley", seat, count)
    hits = sum([die >= threshold for die in dice])
    if isinstance(target, Captain):
        draft.events.append(VolleyFired(seat, target, (section,), dice, hits))
        damage_legend(draft, target, hits)
    else:
        sections = salvo.sections or (section,)
        draft.events.append(VolleyFired(seat, target, sections, dice, hits))
        for _ in range(hits):
            for struck in sections:
                hit(draft, target, struck)
    if salvo.blast is not None:
        blast(draft, salvo.blast, hits)
    retreat(draft)
    sink_legends(draft)
    combat = combat_of(draft)
    if seat in combat.seats:  # R15: a ship that has left neither reloads nor feels the recoil
        if salvo.reload:
            draft.combat = replace(combat, reloading=combat.reloading | {seat})
        if salvo.recoil:
            for struck in salvo.recoil:
                hit(draft, seat, struck)
            retreat(draft)


def blast(draft: State, section: Section, hits: int) -> None:
    """Blow up the Magazine: every ship present suffers, shooter and target included; Smoke does not help (R16)."""
    combat = combat_of(draft)
    for captain in combat.captains:
        damage_legend(draft, captain, hits)
    for _ in range(hits):
        for seat in combat.seats:
            hit(draft, seat, section)
