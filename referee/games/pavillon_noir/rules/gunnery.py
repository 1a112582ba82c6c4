"""Laying a gun and aiming it (spec 6.1 and 6.2; rulings R10, R18, R20, R40, R41)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar

from referee.agenda import SeatQuestion, push
from referee.engine import Seat, other_seat
from referee.games.pavillon_noir.actions import Aim, LayGun
from referee.games.pavillon_noir.data import ZONES
from referee.games.pavillon_noir.events import Aimed, GunLaid, TargetsDiscarded
from referee.games.pavillon_noir.rules.piles import discard_aim, draw_targets
from referee.games.pavillon_noir.state import Placed, State, Target
from referee.games.pavillon_noir.terms import JOKER, VALUES, Card, Cause, Gun, Side, Zone, value_of
from referee.parts import immutable


@immutable(frozen=True, slots=True)
class Lay(SeatQuestion[State, LayGun]):
    """Decision D4: which gun to train on which zone. The zone that is to be changed is barred."""

    TAG: ClassVar[str] = "Lay"
    kind: ClassVar[str] = "LAY_GUN"

    barred: Zone | None = None

    def options(self, state: State) -> tuple[LayGun, ...]:
        """Both guns with every opposing zone that still bears a marker (R20)."""
        ship = state.duelists[other_seat(self.seat)].ship
        return _lay_options(tuple(zone for zone in Zone if zone is not self.barred and ship.markers(zone)))

    def default(self, state: State, options: tuple[LayGun, ...]) -> int:
        """The gun and the zone as before, if that is allowed."""
        own = state.duelists[self.seat]
        same = [index for index, option in enumerate(options) if option.gun is own.gun and option.zone is own.zone]
        return same[0] if same else 0

    def choose(self, draft: State, action: LayGun) -> None:
        """Steps 2 and 3 of 6.1: the gun becomes active and target cards are laid out."""
        duelist = draft.duelists[self.seat]
        duelist.gun, duelist.zone = action.gun, action.zone
        cards = draw_targets(draft, self.seat, ZONES[action.zone].targets)
        duelist.targets = tuple(Target(card) for card in cards)
        draft.events.append(GunLaid(self.seat, action.gun, action.zone, cards))


def begin_laying(draft: State, seat: Seat, barred: Zone | None = None) -> None:
    """Step 1 of 6.1: the old target cards and their aim cards go; then the seat chooses."""
    duelist = draft.duelists[seat]
    if duelist.targets:
        cards = tuple(target.card for target in duelist.targets)
        aim_cards = [card for target in duelist.targets for card in target.aim_cards]
        duelist.targets = ()
        draft.target_discard.extend(cards)
        draft.events.append(TargetsDiscarded(seat, cards))
        discard_aim(draft, seat, aim_cards, Cause.LAID_ANEW)
    push(draft, Lay(seat, barred))


def aim_options(cards: Sequence[Card], targets: int) -> list[Aim]:
    """Every card on every side of every target card. J1: a joker only with values that no natural card has."""
    found: list[Aim] = []
    for card in cards:
        if card != JOKER:
            found += _aims(card, value_of(card), targets)
    if cards and cards[-1] == JOKER:
        held = {value_of(card) for card in cards}
        for value in VALUES:
            if value not in held:
                found += _aims(JOKER, value, targets)
    return found


def place(draft: State, seat: Seat, aim: Aim) -> None:
    """Lay a card, wherever it came from, beside a target card; one that lay there is discarded."""
    duelist = draft.duelists[seat]
    target = duelist.targets[aim.target]
    old = target.on(aim.side)
    new = target.having(aim.side, Placed(aim.card, aim.value))
    duelist.targets = tuple(new if index == aim.target else other for index, other in enumerate(duelist.targets))
    draft.events.append(Aimed(seat, aim.card, aim.value, aim.target, aim.side))
    if old is not None:
        discard_aim(draft, seat, (old.card,), Cause.REPLACED)


@lru_cache(None)
def _aims(card: Card, value: int, targets: int) -> tuple[Aim, ...]:
    return tuple(Aim(card, value, target, side) for target in range(targets) for side in Side)


@lru_cache(None)
def _lay_options(zones: tuple[Zone, ...]) -> tuple[LayGun, ...]:
    return tuple(LayGun(gun, zone) for gun in Gun for zone in zones)
