"""Marauders on the wire.

Options and events go through the generated classes, see values.py. Observations are joined from pieces, and a piece
keeps its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from referee.games.marauders.actions import Action
from referee.games.marauders.data.board import AMMUNITION
from referee.games.marauders.data.quests import RUMORS
from referee.games.marauders.events import Event
from referee.games.marauders.state import Ship, Volley
from referee.games.marauders.terms import (
    ZONES_IN_ORDER,
    Good,
    Modification,
    Nation,
    ShipType,
    Side,
    Specialist,
    Weapon,
    Zone,
)
from referee.games.marauders.view import View
from referee.games.marauders.view.parts import (
    BoardView,
    CombatView,
    FighterView,
    NpcView,
    OwnView,
    PileView,
    RaidView,
    SeatView,
    VisitView,
)
from referee.rules.parts import kept
from referee.wire.codec import PIECES, nested, number, packed, pair, present, signed
from referee.wire.game import GameWire
from referee.wire.values import encode_one, fill, numbers
from tortuga.v1.marauders_pb2 import Marauders

_ENUMS = {name: numbers(enum) for name, enum in Marauders.DESCRIPTOR.enum_types_by_name.items()}
CAPTAINS = _ENUMS["Captain"]
EVENTS = _ENUMS["EventCard"]
RUMOR_NUMBERS = _ENUMS["Rumor"]
MISSIONS = _ENUMS["Mission"]


def option(action: Action) -> bytes:
    """Encode the message Option."""
    return encode_one(Marauders.Option(), action)


def event(event: Event) -> bytes:
    """Encode the message Event."""
    return encode_one(Marauders.Event(), event)


# --- The observation --------------------------------------------------------------------------------------------------


def observation(view: View) -> bytes:
    """Encode the message Observation."""
    cargo, glory, rumors, missions = view.piles
    return b"".join(
        (
            _round(view.round, view.event, view.turn_order),
            b"" if view.turn is None else _turn(*view.turn),
            *map(_seat, view.seats),
            nested(6, number(1, view.seat) + _own(view.own)),
            _board(view.board),
            *map(_npc, view.npcs),
            _affairs(
                view.returning,
                view.war,
                view.marque,
                view.closed,
                view.merchant_track,
                view.open_missions,
                view.supply,
            ),
            _decks(view.event_deck, view.captains, cargo.deck, glory.deck, rumors.deck, missions.deck),
            *map(_discard, view.piles),
            _cards(21, "Captain", view.used_captains),
            b"" if view.combat is None else _combat(view.combat),
            b"" if view.raid is None else _raid(view.raid),
            b"" if view.visit is None else _visit(view.visit),
            _dice(25, view.dice),
            number(26, view.target_glory),
            number(27, view.found or 0),
            _cards(28, "EventCard", view.event_discard),
            _cards(29, "GloryCard", view.port_cards),
        )
    )


@lru_cache(PIECES)
def _round(round_: int, event: str | None, turn_order: tuple[int, ...]) -> bytes:
    return number(1, round_) + number(2, EVENTS[event] if event else 0) + packed(3, turn_order)


@lru_cache(PIECES)
def _turn(seat: int, actions: int, free_moves: int) -> bytes:
    return nested(4, number(1, seat) + number(2, actions) + number(3, free_moves))


@lru_cache(PIECES)
def _affairs(
    returning: tuple[str, ...],
    war: tuple[Nation, ...],
    marque: tuple[Nation, ...],
    closed: tuple[Zone, ...],
    merchant_track: int,
    open_missions: tuple[str, ...],
    supply: tuple[Good, ...],
) -> bytes:
    """Encode all that concerns the whole sea and rarely changes."""
    return b"".join(
        (
            _cards(9, "EventCard", returning),
            packed(10, war),
            packed(11, marque),
            packed(12, closed),
            number(13, merchant_track),
            _cards(14, "Mission", open_missions),
            packed(15, supply),
        )
    )


@lru_cache(PIECES)
def _cards(field: int, enum: str, cards: tuple[str, ...]) -> bytes:
    """Encode a row of cards, named by their enum."""
    return packed(field, map(_ENUMS[enum].__getitem__, cards))


DISCARDS = {
    "cargo": (17, "CargoCard"),
    "glory": (18, "GloryCard"),
    "rumors": (19, "Rumor"),
    "missions": (20, "Mission"),
}
"""The field of each pile's discard and the enum of its cards."""


@kept
def _discard(pile: PileView) -> bytes:
    return _cards(*DISCARDS[pile.name], pile.discard)


@lru_cache(PIECES)
def _dice(field: int, dice: tuple[int, ...]) -> bytes:
    return packed(field, dice)


@kept
def _seat(seat: SeatView) -> bytes:
    payload = (
        number(1, CAPTAINS[seat.captain] if seat.captain else 0),
        b"" if seat.ship is None else nested(2, _ship(seat.ship)),
        _place(seat.zone, seat.in_port),
        _belongings(
            seat.bounties,
            seat.cargo_count,
            seat.glory_count,
            seat.has_rumor,
            seat.mission,
            seat.weapons,
            seat.specialists,
            seat.kept,
        ),
        _glory(seat.track, seat.stash_count, seat.retirements, seat.declared, seat.chest),
        signed(19, seat.last_gold),
        number(20, seat.had_big_ship_glory),
    )
    return nested(5, b"".join(payload))


@lru_cache(PIECES)
def _place(zone: Zone | None, in_port: bool) -> bytes:
    return number(3, zone or 0) + number(4, in_port)


@lru_cache(PIECES)
def _belongings(
    bounties: tuple[int, ...],
    cargo_count: int,
    glory_count: int,
    has_rumor: bool,
    mission: str | None,
    weapons: tuple[Weapon, ...],
    specialists: tuple[Specialist, ...],
    kept_cards: tuple[str, ...],
) -> bytes:
    return b"".join(
        (
            packed(5, bounties),
            number(6, cargo_count),
            number(7, glory_count),
            number(8, has_rumor),
            number(9, MISSIONS[mission] if mission else 0),
            packed(10, weapons),
            packed(11, specialists),
            packed(12, [RUMOR_NUMBERS[card] for card in kept_cards if card in RUMORS]),
            packed(13, [MISSIONS[card] for card in kept_cards if card not in RUMORS]),
        )
    )


@lru_cache(PIECES)
def _glory(track: int, stash_count: int, retirements: int, declared: bool, chest: int | None) -> bytes:
    return b"".join(
        (
            number(14, track),
            number(15, stash_count),
            number(16, retirements),
            number(17, declared),
            b"" if chest is None else present(18, chest),
        )
    )


@kept
def _ship(ship: Ship) -> bytes:
    return number(1, ship.type) + packed(2, ship.sections) + _built(ship.type, ship.mods) + number(6, ship.flipped)


@lru_cache(PIECES)
def _built(type_: ShipType, mods: tuple[Modification, ...]) -> bytes:
    """Encode what a ship has as long as it is not rebuilt: maxima, manoeuvrability, modifications."""
    ship = Ship(type_, (), mods)
    return packed(3, ship.maxima) + number(4, ship.manoeuvrability) + packed(5, mods)


@kept
def _own(own: OwnView) -> bytes:
    """Encode all of one's own player but the seat."""
    return b"".join(
        (
            number(2, CAPTAINS[own.captain] if own.captain else 0),
            number(3, own.gold),
            number(4, own.chest),
            _cards(5, "CargoCard", own.cargo),
            _cards(6, "GloryCard", own.glory),
            number(7, RUMOR_NUMBERS[own.rumor] if own.rumor else 0),
            number(8, own.bought_zone or 0),
            number(9, own.bought_round),
        )
    )


@kept
def _board(board: BoardView) -> bytes:
    columns = zip(ZONES_IN_ORDER, board.demand, board.merchants, board.modifications, board.face_down, strict=True)
    return b"".join([_zone(*column) for column in columns])


@lru_cache(PIECES)
def _zone(zone: Zone, demand: Good | None, merchant: bool, modification: Modification | None, face_down: bool) -> bytes:
    payload = (
        number(1, zone),
        number(2, demand or 0),
        number(3, merchant),
        number(4, modification or 0),
        number(5, face_down),
    )
    return nested(7, b"".join(payload))


@kept
def _npc(view: NpcView) -> bytes:
    npc = view.npc
    seamanship, scouting, leadership = npc.skills
    payload = (
        number(1, npc.kind),
        _cards(2, "EventCard", npc.cards),
        number(3, npc.zone),
        number(4, view.ship),
        number(5, seamanship),
        number(6, scouting),
        number(7, leadership),
    )
    return nested(8, b"".join(payload))


@lru_cache(PIECES)
def _decks(*counts: int) -> bytes:
    return nested(16, b"".join(number(field, count) for field, count in enumerate(counts, 1)))


@kept
def _combat(combat: CombatView) -> bytes:
    payload = (
        nested(1, _fighter(combat.attacker)),
        nested(2, _fighter(combat.defender)),
        number(3, combat.round),
        number(4, combat.crew_round),
        b"" if combat.volley is None else nested(5, _volley(combat.volley)),
        number(6, combat.boarding),
    )
    return nested(22, b"".join(payload))


@kept
def _fighter(fighter: FighterView) -> bytes:
    return b"".join(
        (
            nested(1, _side(fighter.side)),
            nested(2, _ship(fighter.ship)),
            number(3, fighter.seamanship),
            number(4, fighter.leadership),
            number(5, fighter.stance or 0),
            _dice(6, fighter.dice),
            number(7, fighter.chasers_used),
            number(8, fighter.redirect_used),
            number(9, fighter.surgeon_used),
            number(10, fighter.crew_dice),
        )
    )


@lru_cache
def _side(side: Side) -> bytes:
    message = Marauders.Side()
    fill(message, side)
    return message.SerializeToString(deterministic=True)


def _volley(volley: Volley) -> bytes:
    return b"".join(
        (
            number(1, volley.shooter),
            number(2, volley.count),
            packed(3, volley.dice),
            packed(4, volley.hits),
            number(5, volley.skulls),
            number(6, LOADED[volley.lost_on]),
        )
    )


LOADED = {None: 0} | {section: weapon for weapon, section in AMMUNITION.items()}
"""The ammunition of a volley, by the section that all its skulls strike."""


@kept
def _raid(raid: RaidView) -> bytes:
    payload = (
        number(1, raid.nation),
        _cards(2, "CargoCard", raid.table),
        packed(3, raid.dice),
        number(4, raid.successes),
        number(5, raid.failures),
    )
    return nested(23, b"".join(payload))


@kept
def _visit(visit: VisitView) -> bytes:
    payload = (
        number(1, visit.open or 0),
        packed(2, visit.used),
        _cards(3, "CargoCard", visit.offer),
        _prices(visit.prices),
    )
    return nested(24, b"".join(payload))


def _prices(prices: Iterable[tuple[Good, int]]) -> bytes:
    return b"".join([pair(4, good, gold) for good, gold in prices])


WIRE: GameWire[Action, Event, View] = GameWire(
    field=19,
    messages_version=3,
    decisions=_ENUMS["Decision"],
    observation=observation,
    option=option,
    event=event,
)
