"""Laying a gun and aiming it (spec 6.1 and 6.2; rulings R10, R18, R20, R40, R41)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import ClassVar

from referee.games.pavillon_noir.actions import Aim, LayGun
from referee.games.pavillon_noir.data import AIM_DECK, ALL_ZONES, ZONES
from referee.games.pavillon_noir.events import aimed, cards_discarded, gun_laid, targets_discarded
from referee.games.pavillon_noir.rules.piles import discard_aim, draw_targets, without
from referee.games.pavillon_noir.state import State, Target, placed, set_duelist
from referee.games.pavillon_noir.terms import JOKER, VALUES, Card, Cards, Cause, Gun, Side, Zone, value_of
from referee.rules.agenda import SeatQuestion, push
from referee.rules.engine import Seat, other_seat
from referee.rules.parts import immutable, put, replace


@immutable(frozen=True, slots=True)
class Lay(SeatQuestion[State, LayGun]):
    """Decision D4: which gun to train on which zone. The zone that is to be changed is barred."""

    TAG: ClassVar[str] = "Lay"
    kind: ClassVar[str] = "LAY_GUN"

    barred: Zone | None = None

    def options(self, state: State) -> tuple[LayGun, ...]:
        """Both guns with every opposing zone that still bears a marker (R20)."""
        ship = state.duelists[other_seat(self.seat)].ship
        return _lay_options(tuple([zone for zone in ALL_ZONES if ship.markers(zone) and zone is not self.barred]))

    def default(self, state: State, options: tuple[LayGun, ...]) -> int:
        """Return the gun and the zone as before, if that is allowed."""
        own = state.duelists[self.seat]
        for index, option in enumerate(options):
            if option.zone is own.zone and option.gun is own.gun:
                return index
        return 0

    def choose(self, draft: State, action: LayGun) -> None:
        """Steps 2 and 3 of 6.1: the gun becomes active and target cards are laid out."""
        own = draft.duelists[self.seat]
        cards = draw_targets(draft, self.seat, ZONES[action.zone].targets)
        targets = tuple([Target(card) for card in cards])
        set_duelist(draft, self.seat, replace(own, gun=action.gun, zone=action.zone, targets=targets))
        draft.events.append(gun_laid(self.seat, action.gun, action.zone, cards))


def begin_laying(draft: State, seat: Seat, barred: Zone | None = None) -> None:
    """Step 1 of 6.1: the old target cards and their aim cards go; then the seat chooses."""
    own = draft.duelists[seat]
    if own.targets:
        cards = tuple([target.card for target in own.targets])
        aim_cards = tuple([card for target in own.targets for card in target.aim_cards])
        set_duelist(draft, seat, replace(own, targets=()))
        draft.target_discard += cards
        draft.events.append(targets_discarded(seat, cards))
        discard_aim(draft, seat, aim_cards, Cause.LAID_ANEW)
    push(draft, Lay(seat, barred))


def aim_options(cards: Sequence[Card], targets: int) -> list[Aim]:
    """Return every card on every side of every target card. J1: a joker only with values that no natural card has."""
    aims = list(chain.from_iterable(map(_aims_by_card(targets).__getitem__, cards)))
    if cards and cards[-1] == JOKER:
        aims += _joker_aims(frozenset(map(value_of, cards)), targets)
    return aims


def aim_from_hand(draft: State, seat: Seat, aim: Aim) -> None:
    """Lay a card of the hand beside a target card."""
    place(draft, seat, aim, without(draft.duelists[seat].hand, (aim.card,)))


def place(draft: State, seat: Seat, aim: Aim, hand: Cards) -> None:
    """Lay a card beside a target card; one that lay there is discarded. `hand` is what the seat is left with."""
    own = draft.duelists[seat]
    target = own.targets[aim.target]
    old = target.on(aim.side)
    targets = put(own.targets, aim.target, target.having(aim.side, placed(aim.card, aim.value)))
    discard = own.discard if old is None else (*own.discard, old.card)
    set_duelist(draft, seat, replace(own, hand=hand, targets=targets, discard=discard))
    draft.events.append(aimed(seat, aim.card, aim.value, aim.target, aim.side))
    if old is not None:
        draft.events.append(cards_discarded(seat, (old.card,), Cause.REPLACED))


@lru_cache(None)
def _aims_by_card(targets: int) -> dict[Card, tuple[Aim, ...]]:
    """Return what each card can be used for by itself: a joker for nothing."""
    return {card: () if card == JOKER else _aims(card, value_of(card), targets) for card in AIM_DECK}


@lru_cache(None)
def _joker_aims(values_held: frozenset[int], targets: int) -> tuple[Aim, ...]:
    return tuple(aim for value in VALUES if value not in values_held for aim in _aims(JOKER, value, targets))


@lru_cache(None)
def _aims(card: Card, value: int, targets: int) -> tuple[Aim, ...]:
    return tuple(Aim(card, value, target, side) for target in range(targets) for side in Side)


@lru_cache(None)
def _lay_options(zones: tuple[Zone, ...]) -> tuple[LayGun, ...]:
    return tuple(LayGun(gun, zone) for gun in Gun for zone in zones)
