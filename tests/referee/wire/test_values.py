"""From frozen values to messages: the table at the top of referee/wire/values.py, a row at a time."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from referee.errors import RulesError
from referee.games.broadsides.actions import Fire as FireSection
from referee.games.broadsides.actions import Program
from referee.games.broadsides.events import MeleeFought, ShipDrifted
from referee.games.broadsides.terms import Card, Figure, Place, Section, Station
from referee.games.pirates_cove.actions import Fire
from referee.games.pirates_cove.events import CardDrawn, CombatEnded, ExchangeBegan, ShipHit, VolleyFired
from referee.games.pirates_cove.events import Waited as CoveWaited
from referee.games.pirates_cove.terms import Captain, Damage
from referee.games.pirates_cove.terms import Section as ShipSection
from referee.rules.engine import Seat
from referee.wire.codec import number, pair, present, signed
from referee.wire.values import encode_one, enum_number, member
from tortuga.v1.broadsides_pb2 import Broadsides
from tortuga.v1.pirates_cove_pb2 import PiratesCove

SEAT = Seat(1)


def broadsides_event(value: object) -> Broadsides.Event:
    return Broadsides.Event.FromString(encode_one(Broadsides.Event(), value))


def test_a_dataclass_fills_the_message_of_its_name_and_none_stays_absent() -> None:
    drawn = PiratesCove.Event.FromString(encode_one(PiratesCove.Event(), CardDrawn(SEAT, None)))
    assert drawn == PiratesCove.Event(card_drawn=PiratesCove.CardDrawn(seat=1))


def test_tuples_are_repeated_fields_or_small_messages() -> None:
    drifted = broadsides_event(ShipDrifted(SEAT, (3, 4)))
    assert drifted.ship_drifted.point == Broadsides.Point(x=3, y=4)
    place = Place(0, Station.D5)
    fought = broadsides_event(MeleeFought(place, (6, 1), (7, 1), ((SEAT, Figure.CREW),))).melee_fought
    assert list(fought.totals) == [7, 1]
    assert list(fought.losses) == [Broadsides.Loss(seat=1, figure=Broadsides.FIGURE_CREW)]
    assert fought.place == Broadsides.Place(ship=0, station=Broadsides.STATION_D5)


def test_what_is_worked_out_is_not_sent() -> None:
    """A Program keeps its hash in a field that is no argument."""
    program = Program((Card.AH, Card.ST, Card.RE))
    sent = Broadsides.Option.FromString(encode_one(Broadsides.Option(), program))
    assert list(sent.program.cards) == [Broadsides.CARD_AH, Broadsides.CARD_ST, Broadsides.CARD_RE]


def test_a_member_that_is_no_message_gets_the_only_field_of_the_value() -> None:
    sent = Broadsides.Option.FromString(encode_one(Broadsides.Option(), FireSection(Section.A)))
    assert sent == Broadsides.Option(fire=Broadsides.SECTION_A)


@pytest.mark.parametrize(("target", "chosen"), [(Seat(0), "seat"), (Captain.HOOK, "captain")])
def test_a_bare_value_picks_its_alternative(target: Seat | Captain, chosen: str) -> None:
    sent = encode_one(PiratesCove.Option(), Fire(target, ShipSection.HULL))
    assert PiratesCove.Option.FromString(sent).fire.target.WhichOneof("ship") == chosen


def test_ids_are_found_by_name_whatever_their_own_numbers() -> None:
    enum = PiratesCove.Captain.DESCRIPTOR
    assert enum_number(enum, Captain.HOOK) == enum_number(enum, "hook") == PiratesCove.CAPTAIN_HOOK


@pytest.mark.parametrize(
    "value",
    [
        CardDrawn(Seat(0), None),
        ShipHit(SEAT, ShipSection.CREW, Damage.DESTROYED, -1),
        ExchangeBegan(50, (Seat(0), Captain.HOOK)),
        VolleyFired(Captain.NAVY, Seat(0), (ShipSection.HULL,), (6, 1), 300),
        CombatEnded(2, ()),
    ],
)
def test_values_are_written_as_the_generated_classes_write_them(value: object) -> None:
    sent = encode_one(PiratesCove.Event(), value)
    assert PiratesCove.Event.FromString(sent).SerializeToString(deterministic=True) == sent


def test_a_field_the_message_does_not_have_is_our_bug_unless_it_is_none() -> None:
    @dataclass(frozen=True)
    class Waited:
        seat: Seat
        reason: str | None = None

    assert encode_one(PiratesCove.Event(), Waited(SEAT)) == encode_one(PiratesCove.Event(), CoveWaited(SEAT))
    with pytest.raises(RulesError, match=r"Waited.*reason.*'storm'"):
        encode_one(PiratesCove.Event(), Waited(SEAT, "storm"))


def test_a_value_without_a_message_is_our_bug() -> None:
    @dataclass(frozen=True)
    class Unheard:
        seat: Seat

    with pytest.raises(RulesError, match="has no member for Unheard"):
        member(PiratesCove.Event.DESCRIPTOR, Unheard.__name__)


@pytest.mark.parametrize("value", [-3, -1, 0, 1, 64])
def test_small_numbers_are_written_as_the_generated_classes_write_them(value: int) -> None:
    hit = PiratesCove.ShipHit(level=value)
    assert signed(hit.DESCRIPTOR.fields_by_name["level"].number, value) == hit.SerializeToString()
    point = Broadsides.Point(x=abs(value), y=2)
    assert pair(5, abs(value), 2)[2:] == point.SerializeToString()
    assert present(5, 0) == b"\x28\x00"
    assert number(5, 0) == b""
