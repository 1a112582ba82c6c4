"""A player ship's turn: `VOLLEY`, from the announced cards to the recoil.

Spec sections 5.2 and 6.5; rulings R7, R8, R11, R14 to R17.
"""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.agenda import SeatQuestion, push
from referee.engine import Seat
from referee.games.pirates_cove.actions import Fire, Flee, PlayCard, TurnAction, Wait
from referee.games.pirates_cove.events import VolleyFired, Waited
from referee.games.pirates_cove.rules.cards import play, playable
from referee.games.pirates_cove.rules.dice import roll_many
from referee.games.pirates_cove.rules.leaving import flee, retreat
from referee.games.pirates_cove.rules.legends import FIRE_AT, damage_legend, sink_legends
from referee.games.pirates_cove.rules.ships import dice_count, hit
from referee.games.pirates_cove.state import PLAIN_SALVO, Combat, State
from referee.games.pirates_cove.terms import AT_SEA, Captain, Fighter, Section, Window
from referee.parts import immutable

FIRE_AT_CAPTAIN = {captain: Fire(captain, Section.HULL) for captain in Captain}


@immutable(frozen=True, slots=True)
class Turn(SeatQuestion[State, TurnAction]):
    """`VOLLEY`: a player ship's turn in an exchange."""

    TAG: ClassVar[str] = "Turn"
    kind = "VOLLEY"
    reloading: bool

    def options(self, state: State) -> list[TurnAction]:
        """Fire, flee, or announce a Volley card; after a card the ship must fire (R14). Nobody flees the final duel."""
        combat = state.combat
        assert combat is not None
        options: list[TurnAction] = [Wait()] if self.reloading else targets(combat, self.seat)
        if combat.place != AT_SEA and not combat.salvo.cards:
            options.append(Flee())
        if not self.reloading:
            options += playable(state, self.seat, Window.VOLLEY)
        return options

    def choose(self, draft: State, action: TurnAction) -> None:
        """What the ship does with its turn."""
        combat = draft.combat
        assert combat is not None
        match action:
            case Flee():
                flee(draft, combat, self.seat)
            case PlayCard():
                play(draft, self.seat, action)
                push(draft, self)
            case Fire(target=target, section=section):
                fire(draft, combat, self.seat, target, section)
            case Wait():
                draft.events.append(Waited(self.seat))
            case _:
                assert_never(action)


def begin_turn(draft: State, combat: Combat, seat: Seat) -> None:
    """A ship that reloads after a Cannonade loses this turn, and only this one (R17)."""
    push(draft, Turn(seat, seat in combat.reloading))
    combat.reloading -= {seat}


def targets(combat: Combat, seat: Seat) -> list[TurnAction]:
    """While there are non-player ships only they may be fired at (R7)."""
    if combat.hulls:
        return [FIRE_AT_CAPTAIN[captain] for captain in combat.hulls]
    return [fire for other in combat.seats if other != seat for fire in FIRE_AT[other]]


def fire(draft: State, combat: Combat, seat: Seat, target: Fighter, section: Section) -> None:
    """A player's volley, in the steps of spec 6.5."""
    salvo, combat.salvo = combat.salvo, PLAIN_SALVO
    threshold = combat.threshold(target) if salvo.hit_from is None else salvo.hit_from
    count = dice_count(draft.ships[seat], combat)
    dice = roll_many(draft, "volley", seat, count)
    hits = sum(die >= threshold for die in dice)
    if isinstance(target, Captain):
        draft.events.append(VolleyFired(seat, target, (section,), dice, hits))
        damage_legend(draft, combat, target, hits)
    else:
        sections = salvo.sections or (section,)
        draft.events.append(VolleyFired(seat, target, sections, dice, hits))
        for _ in range(hits):
            for struck in sections:
                hit(draft, target, struck)
    if salvo.blast is not None:
        blast(draft, combat, salvo.blast, hits)
    retreat(draft, combat)
    sink_legends(draft, combat)
    if seat in combat.seats:  # R15: a ship that has left neither reloads nor feels the recoil
        if salvo.reload:
            combat.reloading |= {seat}
        for struck in salvo.recoil:
            hit(draft, seat, struck)
        retreat(draft, combat)


def blast(draft: State, combat: Combat, section: Section, hits: int) -> None:
    """The Magazine: every ship present suffers, shooter and target included; Smoke does not help (R16)."""
    for captain in combat.hulls:
        damage_legend(draft, combat, captain, hits)
    for _ in range(hits):
        for seat in combat.seats:
            hit(draft, seat, section)
