"""Pirate's Cove on the wire: every action and event has a message of its name, and values arrive as they left."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

import pytest
from google.protobuf.descriptor import Descriptor

from referee.games.pirates_cove import GAME
from referee.games.pirates_cove.actions import Action, Fire, PlayCard
from referee.games.pirates_cove.events import CardDrawn, Event, ExchangeBegan, LegendHit, Passed, ShipHit, VolleyFired
from referee.games.pirates_cove.rules.setup import FitOut
from referee.games.pirates_cove.state import Combat, Salvo
from referee.games.pirates_cove.terms import Captain, Card, Damage, Window
from referee.wire.pirates_cove import WIRE
from referee.wire.values import member
from support.pirates_cove import CREW, HULL, S0, S1, ship, table
from tortuga.v1.pirates_cove_pb2 import PiratesCove as PB


def classes(union: Any) -> list[type]:
    """The classes of a union of unions."""
    return [each for part in get_args(union) for each in (classes(part) if get_args(part) else [part])]


@pytest.mark.parametrize(("union", "descriptor"), [(Action, PB.Option.DESCRIPTOR), (Event, PB.Event.DESCRIPTOR)])
def test_every_action_and_event_has_its_message(union: Any, descriptor: Descriptor) -> None:
    assert {each.__name__ for each in classes(union)} == {
        field.message_type.name for field in descriptor.fields if field.message_type is not None
    }
    for each in classes(union):
        message = member(descriptor, each.__name__).message_type
        assert message is not None
        assert [field.name for field in fields(each)] == [field.name for field in message.fields]


def read_option(action: Action) -> PB.Option:
    return PB.Option.FromString(WIRE.option(action))


def read_event(event: Event) -> PB.Event:
    return PB.Event.FromString(WIRE.event(event))


def test_seat_zero_is_told_from_no_seat() -> None:
    aimed = read_option(PlayCard(Card.LOOKOUT, seat=S0)).play_card
    assert (aimed.card, aimed.HasField("seat"), aimed.seat) == (PB.TAVERN_CARD_LOOKOUT, True, 0)
    assert not read_option(PlayCard(Card.MAP)).play_card.HasField("seat")
    shot = read_option(Fire(S0, HULL)).fire
    assert (shot.target.WhichOneof("ship"), shot.target.seat, shot.section) == ("seat", 0, PB.SECTION_HULL)


def test_captains_and_cards_of_one_name_are_not_mixed_up() -> None:
    """`navy` is both a card and a captain."""
    assert read_option(Fire(Captain.NAVY, HULL)).fire.target.captain == PB.CAPTAIN_NAVY
    assert read_option(PlayCard(Card.NAVY, place=3)).play_card.card == PB.TAVERN_CARD_NAVY


def test_events_arrive_as_they_left() -> None:
    assert read_event(Passed(S1, Window.BOARDING)).passed.window == PB.DECISION_BOARDING
    assert read_event(CardDrawn(S1, None)).card_drawn.card == PB.TAVERN_CARD_UNSPECIFIED
    hit = read_event(ShipHit(S1, CREW, Damage.DESTROYED, -1)).ship_hit
    assert (hit.section, hit.damage, hit.level) == (PB.SECTION_CREW, PB.DAMAGE_DESTROYED, -1)
    assert read_event(LegendHit(Captain.HOOK, 2, -1)).legend_hit.left == -1
    order = read_event(ExchangeBegan(1, (Captain.HOOK, S0))).exchange_began.order
    assert [(each.captain, each.HasField("seat")) for each in order] == [(PB.CAPTAIN_HOOK, False), (0, True)]
    volley = read_event(VolleyFired(S0, Captain.NAVY, (HULL,), (5, 1), 1)).volley_fired
    assert (volley.shooter.seat, volley.target.captain, list(volley.dice)) == (0, PB.CAPTAIN_NAVY, [5, 1])


def test_a_combat_arrives_as_it_left() -> None:
    fought = Combat(
        place=2,
        seats=(S0, S1),
        hulls=((Captain.HOOK, 5), (Captain.NAVY, 4)),
        order=(Captain.HOOK, S0, S1),
        exchange=3,
        speed=((S0, 6),),
        shrouds=((S1, 6),),
        dice_from=CREW,
        touched=frozenset({S0}),
        reloading=frozenset({S1}),
        laid=(Card.SMOKE,),
        salvo=Salvo(cards=(Card.GRAPESHOT,), hit_from=3),
    )
    seen = PB.Observation.FromString(WIRE.observation(GAME.view(table(ship(), ship(), combat=fought), S0))).combat
    assert (seen.place, seen.exchange, seen.grapple, seen.becalmed) == (2, 3, True, False)
    assert [(each.captain, each.seat) for each in seen.order] == [(PB.CAPTAIN_HOOK, 0), (0, 0), (0, 1)]
    assert [(each.seat, each.speed_bonus, each.smoke, each.touched, each.reloading) for each in seen.combatants] == [
        (0, 6, False, True, False),
        (1, 0, True, False, True),
    ]
    assert [(each.captain, each.hull) for each in seen.enemies] == [(PB.CAPTAIN_HOOK, 5), (PB.CAPTAIN_NAVY, 4)]
    assert (list(seen.laid), list(seen.salvo)) == ([PB.TAVERN_CARD_SMOKE], [PB.TAVERN_CARD_GRAPESHOT])


def test_an_observation_arrives_as_it_left() -> None:
    first = ship((-1, 0, 7, 3), Card.FAME3, fame=300, gold=5, chests=2, place=7, artisan=HULL, artisan_damaged=True)
    second = ship(parrot=Card.FLINT, parrot_wounded=True)
    state = table(first, second, black={2: Captain.HOOK, 5: None}, lookout=S0, pending=[FitOut()])
    seen = PB.Observation.FromString(WIRE.observation(GAME.view(state, S0)))
    ours, theirs = seen.ships
    assert list(ours.levels) == [-1, 0, 7, 3]
    assert (ours.place, ours.fame, ours.gold, ours.chests, ours.hand_count) == (7, 300, 5, 2, 1)
    assert (ours.artisan, ours.artisan_damaged, ours.parrot) == (PB.SECTION_HULL, True, PB.TAVERN_CARD_UNSPECIFIED)
    assert (theirs.parrot, theirs.parrot_wounded, theirs.artisan) == (PB.TAVERN_CARD_FLINT, True, 0)
    assert list(seen.hand) == [PB.TAVERN_CARD_FAME3]
    assert [(each.place, each.captain) for each in seen.black_ships] == [(2, PB.CAPTAIN_HOOK), (5, 0)]
    assert (seen.HasField("lookout"), seen.lookout) == (True, 0)
    assert list(seen.deciding) == [S0, S1]
    assert list(seen.face_up) == [11, 7, 20, 3, 25]
    assert (seen.month, seen.pile_count, seen.gold_supply, seen.chest_supply) == (3, 9, 119, 48)
