"""Tavern cards: how a card may be played (`ways`) and what happens when it is (`play`).

Spec section 2.5 and the lists of 5.2; rulings R14, R21 to R28. Both read the verbs of a card's row in data.py; no card
is known here by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import assert_never

from referee.errors import RulesError
from referee.games.pirates_cove.actions import PlayCard, play_card
from referee.games.pirates_cove.cards import (
    AttachArtisan,
    Becalm,
    Blast,
    DiceFrom,
    FameAtEnd,
    HitFrom,
    Jettison,
    MarkTreasure,
    OpenNavigation,
    Perch,
    Raise,
    Recoil,
    RedirectNavy,
    Reload,
    SendNavy,
    ShakeOff,
    Shroud,
    SlipAway,
    Speed,
    Spread,
    TakeHalf,
    Verb,
)
from referee.games.pirates_cove.data import CARDS, TOP_LEVEL, WINDOW_CARDS
from referee.games.pirates_cove.events import FreebooterEnded, MapRolled, card_played
from referee.games.pirates_cove.rules.dice import roll
from referee.games.pirates_cove.rules.ships import discard_artisan
from referee.games.pirates_cove.state import Freebooter, Navy, Salvo, State, TreasureMap, combat_of, pairs
from referee.games.pirates_cove.terms import (
    ALL_SECTIONS,
    OUTER_ISLANDS,
    TREASURE_ISLAND,
    Card,
    Place,
    Window,
)
from referee.rules.engine import Seat
from referee.rules.parts import put, replace


def playable(state: State, seat: Seat, window: Window) -> list[PlayCard]:
    """Return every way in which a seat can play a card of its hand in that window, in the specification's order."""
    cards = held_for(state.ships[seat].hand, window)
    if not cards or (state.combat is not None and state.combat.becalmed):
        return []
    return [way for card in cards for way in ways(state, seat, card)]


@lru_cache(1 << 12)
def held_for(hand: tuple[Card, ...], window: Window) -> tuple[Card, ...]:
    """Return the cards of a hand that belong to a window, each once."""
    return tuple([card for card in WINDOW_CARDS[window] if card in hand])


def ways(state: State, seat: Seat, card: Card) -> Iterator[PlayCard]:
    """Yield every way in which that card could be played now."""
    combat = state.combat
    ship = state.ships[seat]
    verb = CARDS[card].effect[0]
    match verb:
        case TakeHalf():
            yield from (play_card(card, seat=Seat(other)) for other in range(len(state.ships)) if other != seat)
        case OpenNavigation():
            yield from (play_card(card, seat=Seat(first)) for first in range(len(state.ships)))
        case SendNavy():
            if state.navy is None:
                yield from (play_card(card, place=island) for island in OUTER_ISLANDS)
        case RedirectNavy():
            if state.navy is not None:
                yield from (play_card(card, place=x) for x in OUTER_ISLANDS if x != state.navy.place)
        case SlipAway():
            yield from (play_card(card, place=island) for island in refuges(state, seat))
        case DiceFrom(section=section):
            if combat is not None and combat.dice_from is not section:
                yield play_card(card)
        case Shroud():
            if combat is not None and seat not in dict(combat.shrouds):
                yield play_card(card)
        case Jettison():
            yield from (play_card(card, chests=count) for count in range(1, ship.chests + 1))
        case HitFrom() | Blast() | Spread():
            if combat is not None and card not in combat.salvo.cards:  # R14: no two of a name in one volley
                yield play_card(card)
        case AttachArtisan():
            yield from (play_card(card, section=section) for section in ALL_SECTIONS)
        case Raise():
            yield from (play_card(card, section=x) for x in ALL_SECTIONS if ship.levels[x] < TOP_LEVEL)
        case Becalm() | Speed() | MarkTreasure():
            yield play_card(card)
        case Perch() | FameAtEnd() | ShakeOff() | Recoil() | Reload():
            raise RulesError(f"{card} cannot be played by its first verb, {verb}")
        case _:
            assert_never(verb)


def refuges(state: State, seat: Seat) -> Iterator[Place]:
    """Yield where a ship can slip to: unoccupied outer islands and Treasure Island, never its own place (R22)."""
    own = state.ships[seat].place
    taken = {ship.place for ship in state.ships} | {ship.place for ship in state.black_ships}
    if state.navy is not None:
        taken.add(state.navy.place)
    yield from (island for island in OUTER_ISLANDS if island not in taken)
    if own != TREASURE_ISLAND:
        yield TREASURE_ISLAND


def play(draft: State, seat: Seat, action: PlayCard) -> None:
    """Lay the card down and do what it says. Battle cards stay on the table till the end of the combat."""
    ship = draft.ships[seat]
    at = ship.hand.index(action.card)
    draft.set_ship(seat, replace(ship, hand=ship.hand[:at] + ship.hand[at + 1 :]))
    row = CARDS[action.card]
    if row.window is Window.BOARDING:
        combat = combat_of(draft)
        draft.combat = replace(combat, laid=(*combat.laid, action.card))
    elif row.window is Window.VOLLEY:
        draft.tavern_discard += (action.card,)
        combat = combat_of(draft)
        salvo = replace(combat.salvo, cards=(*combat.salvo.cards, action.card))
        draft.combat = replace(combat, salvo=salvo)
    elif AttachArtisan() not in row.effect:  # an Artisan stays aboard
        draft.tavern_discard += (action.card,)
    draft.events.append(card_played(seat, action.card, action.seat, action.place, action.section, action.chests))
    for verb in row.effect:
        carry_out(draft, seat, verb, action)


def carry_out(draft: State, seat: Seat, verb: Verb, action: PlayCard) -> None:
    """Carry out one verb of a card that was played."""
    ship = draft.ships[seat]
    match verb:
        case TakeHalf():
            assert action.seat is not None
            draft.freebooter = Freebooter(seat, action.seat)
        case MarkTreasure(chest_factor=factor):
            draft.treasure_map = TreasureMap(seat, roll_island(draft, seat), factor)
        case OpenNavigation():
            draft.lookout = action.seat
        case SendNavy() | RedirectNavy():
            assert action.place is not None
            draft.navy = Navy(action.place, seat)
        case SlipAway():
            assert action.place is not None
            draft.set_ship(seat, replace(ship, place=action.place))
        case ShakeOff():
            if draft.freebooter is not None and draft.freebooter.victim == seat:
                draft.events.append(FreebooterEnded(draft.freebooter.seat, seat))
                draft.freebooter = None
        case Becalm():
            draft.combat = replace(combat_of(draft), becalmed=True)
        case Speed(bonus=bonus):
            add_speed(draft, seat, bonus)
        case DiceFrom(section=section):
            draft.combat = replace(combat_of(draft), dice_from=section)
        case Shroud(face=face):
            combat = combat_of(draft)
            draft.combat = replace(combat, shrouds=pairs({**dict(combat.shrouds), seat: face}))
        case Jettison(speed_per_chest=bonus):
            draft.set_ship(seat, replace(ship, chests=ship.chests - action.chests))
            draft.chests += action.chests
            add_speed(draft, seat, bonus * action.chests)
        case HitFrom() | Blast() | Spread() | Recoil() | Reload():
            combat = combat_of(draft)
            draft.combat = replace(combat, salvo=load(combat.salvo, verb))
        case AttachArtisan():
            if ship.artisan is not None:  # R28: one aboard at most
                discard_artisan(draft, seat)
            draft.set_ship(seat, replace(ship, artisan=action.section, artisan_damaged=False))
        case Raise(levels=levels):
            assert action.section is not None
            level = ship.levels[action.section] + levels
            draft.set_ship(seat, replace(ship, levels=put(ship.levels, action.section, level)))
        case Perch() | FameAtEnd():
            raise RulesError(f"seat {seat} played {action.card}, which is never played")
        case _:
            assert_never(verb)


def load(salvo: Salvo, verb: HitFrom | Blast | Spread | Recoil | Reload) -> Salvo:
    """Return what a verb makes of the volley to come."""
    match verb:
        case HitFrom(face=face):
            return replace(salvo, hit_from=face)
        case Blast(section=section):
            return replace(salvo, blast=section)
        case Spread(sections=sections):
            return replace(salvo, sections=sections)
        case Recoil(section=section, hits=hits):
            return replace(salvo, recoil=(section,) * hits)
        case Reload():
            return replace(salvo, reload=True)
        case _:
            assert_never(verb)


def add_speed(draft: State, seat: Seat, bonus: int) -> None:
    """Bonuses add up until the end of the combat."""
    combat = combat_of(draft)
    speed = dict(combat.speed)
    draft.combat = replace(combat, speed=pairs({**speed, seat: speed.get(seat, 0) + bonus}))


def roll_island(draft: State, seat: Seat) -> Place:
    """Roll a die for an outer island; a six is thrown again (R24)."""
    dice: list[int] = []
    while not dice or dice[-1] not in OUTER_ISLANDS:
        dice.append(roll(draft, "map", seat))
    draft.events.append(MapRolled(seat, tuple(dice)))
    return dice[-1]
