"""Pavillon Noir on the wire: tortuga/v1/pavillon_noir.proto.

Options, events and the shot under way have the fields of their messages and are written by name (`values.py`). The
observation is joined from pieces that recur: the bytes of a seat's things, a ship, a target card are kept with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from referee.games.pavillon_noir.actions import Action
from referee.games.pavillon_noir.events import Event
from referee.games.pavillon_noir.state import Settings, Ship, Shot, Target
from referee.games.pavillon_noir.terms import (
    Cannon,
    Card,
    Decks,
    Disaster,
    Discs,
    Gun,
    Phase,
    Reputation,
    Term,
    Track,
    Trick,
    Zone,
)
from referee.games.pavillon_noir.view import DuelistView, View
from referee.rules.parts import kept
from referee.wire.codec import PIECES, nested, number, packed, present, varint
from referee.wire.game import GameWire
from referee.wire.values import encode_one, enum_number, fill
from tortuga.v1 import pavillon_noir_pb2, referee_pb2

PB = pavillon_noir_pb2.PavillonNoir

_DECISIONS = {name.removeprefix("DECISION_"): value for name, value in PB.Decision.items() if value}
_VARIANTS = {decks: enum_number(PB.Variant.DESCRIPTOR, decks) for decks in Decks}
_FACE_DOWN = PB.DISASTER_FACE_DOWN


def _code(term: Term | None) -> int:
    """Return a term's number on the wire, where 0 means that there is none; card ids count from 1 already."""
    if term is None:
        return 0
    return int(term) if isinstance(term, Reputation | Trick) else term + 1


# --- Options and events ----------------------------------------------------------------------------------


def option(action: Action) -> bytes:
    """Encode the message Option."""
    return encode_one(PB.Option(), action)


def event(event: Event) -> bytes:
    """Encode the message Event."""
    return encode_one(PB.Event(), event)


# --- Observation -----------------------------------------------------------------------------------------

_SMALL = [[number(field, value) for value in range(64)] for field in range(32)]
"""Ready-made fields for sizes of hands and piles, none of which goes beyond the 42 cards of a deck."""
_HEADS = [[b"", *(varint(field << 3 | 2) + varint(size) for size in range(1, 64))] for field in range(32)]
"""Beginnings of a field of so many bytes; an empty one is not written."""


def observation(view: View) -> bytes:
    """Encode the message Observation."""
    first, two = view.duelists
    secrets = view.secrets
    return b"".join(
        (
            _SMALL[1][view.seat],
            _settings(view.settings),
            _clock(view.phase, view.turn, view.round, view.first, view.active, view.actions, view.aimed),
            _duelist(first),
            _duelist(two),
            _bag(view.bag),
            _SMALL[13][view.target_deck_size],
            _ids(14, view.target_discard),
            b"" if view.shot is None else _shot(view.shot),
            _SMALL[16][view.patch_moves],
            _ids(17, secrets.hand),
            _own_cards(
                secrets.tricks,
                secrets.offered_reputations,
                secrets.rejected_reputations,
                secrets.offered_tricks,
                secrets.rejected_tricks,
                secrets.looked_at,
                secrets.spied_hand,
            ),
        )
    )


@kept
def _duelist(duelist: DuelistView) -> bytes:
    content = b"".join(
        (
            _ship(duelist.ship),
            _battery(duelist.disasters, duelist.cannons, duelist.loads, duelist.drawn, duelist.gun, duelist.zone),
            *map(_target, duelist.targets),
            _SMALL[11][duelist.hand_size],
            _SMALL[12][duelist.deck_size],
            _ids(13, duelist.discard),
            _record(duelist.tracks, duelist.reputation, duelist.trick_count, duelist.played_tricks),
        )
    )
    return nested(11, content)


def _ids(field: int, ids: Sequence[int]) -> bytes:
    """Encode a packed field of card ids: all below 128, so each is its own byte."""
    return _HEADS[field][len(ids)] + bytes(ids)


def _codes(field: int, terms: Iterable[Term | None]) -> bytes:
    return packed(field, map(_code, terms))


@kept
def _settings(settings: Settings) -> bytes:
    return number(2, _VARIANTS[settings.decks]) + number(3, settings.max_rounds)


@lru_cache(PIECES)
def _clock(
    phase: Phase, turn: int, round_: int, first: int | None, active: int | None, actions: int, aimed: bool
) -> bytes:
    return b"".join(
        (
            number(4, _code(phase)),
            number(5, turn),
            number(6, round_),
            _seat(7, first),
            _seat(8, active),
            number(9, actions),
            number(10, aimed),
        )
    )


@lru_cache(PIECES)
def _own_cards(*piles: tuple[int, ...]) -> bytes:
    return b"".join(_ids(field, pile) for field, pile in enumerate(piles, 18))


def _seat(field: int, seat: int | None) -> bytes:
    """Encode an optional field: seat 0 is written, no seat is not."""
    return b"" if seat is None else present(field, seat)


@kept
def _ship(ship: Ship) -> bytes:
    markers = b"".join(
        (
            packed(1, ship.planks),
            packed(2, ship.sails),
            packed(3, ship.sailors),
            number(4, _code(ship.captain)),
            number(5, _code(ship.mate)),
            number(6, ship.sail_penalty),
            number(7, ship.hand_limit),
            number(8, ship.planks_missing),
            packed(9, map(ship.cannon_penalty, Gun)),
            packed(10, map(ship.is_silenced, Gun)),
        )
    )
    return nested(1, markers)


@lru_cache(PIECES)
def _battery(
    disasters: tuple[Disaster | None, ...],
    cannons: tuple[Cannon, ...],
    loads: tuple[Discs, Discs],
    drawn: Discs,
    gun: Gun | None,
    zone: Zone | None,
) -> bytes:
    bow, stern = cannons or (None, None)
    return b"".join(
        (
            packed(2, (_FACE_DOWN if token is None else _code(token) for token in disasters)),
            number(3, _code(bow)),
            number(4, _code(stern)),
            _codes(5, loads[Gun.BOW]),
            _codes(6, loads[Gun.STERN]),
            _codes(7, drawn),
            number(8, _code(gun)),
            number(9, _code(zone)),
        )
    )


@kept
def _target(target: Target) -> bytes:
    left = b"" if target.left is None else _placed(2, target.left.card, target.left.value)
    below = b"" if target.below is None else _placed(3, target.below.card, target.below.value)
    return nested(10, _SMALL[1][target.card] + left + below)


@lru_cache(PIECES)
def _placed(field: int, card: Card, value: int) -> bytes:
    return nested(field, number(1, card) + number(2, value))


@lru_cache(PIECES)
def _record(
    tracks: tuple[tuple[int, ...], ...],
    reputation: Reputation | None,
    trick_count: int,
    played_tricks: tuple[Trick, ...],
) -> bytes:
    return b"".join(
        (
            packed(14, (suit + 1 for suit in tracks[Track.BROADSIDE])),
            packed(15, tracks[Track.SHEER]),
            packed(16, tracks[Track.EVADE]),
            number(17, _code(reputation)),
            number(18, trick_count),
            _codes(19, played_tricks),
        )
    )


@lru_cache(PIECES)
def _bag(bag: tuple[int, int, int]) -> bytes:
    return nested(12, b"".join(number(field, count) for field, count in enumerate(bag, 1)))


@kept
def _shot(shot: Shot) -> bytes:
    message = PB.Shot()
    fill(message, shot)
    return nested(15, message.SerializeToString(deterministic=True))


WIRE: GameWire[Action, Event, View] = GameWire(
    field=referee_pb2.Question.PAVILLON_NOIR_FIELD_NUMBER,
    messages_version=2,
    decisions=_DECISIONS,
    observation=observation,
    option=option,
    event=event,
)
