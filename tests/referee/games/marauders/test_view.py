"""Who knows what (section 3), the wire's reading of it, and the words for people."""

from __future__ import annotations

from typing import Any

from referee.games.marauders import GAME
from referee.games.marauders.actions.cards import Decline, PlayGlory
from referee.games.marauders.actions.port import Done, Sell, Stash
from referee.games.marauders.actions.turn import ScoutNpc, ScoutRumor, VisitPort
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.events import Event
from referee.games.marauders.events.port import ModificationPlaced
from referee.games.marauders.events.quests import RumorTaken
from referee.games.marauders.events.trade import CargoTaken, GoodsBought, GoodsOffered
from referee.games.marauders.events.wealth import GloryDrawn, GoldStashed, GoldWithdrawn
from referee.games.marauders.rules.skill_tests import SkillTest
from referee.games.marauders.rules.turn import PlayTurn
from referee.games.marauders.state import Combat, Fighter, State, Turn, Volley
from referee.games.marauders.terms import Good, Modification, NpcKind, Section, Side, Skill, Zone
from referee.games.marauders.view import seen, view
from referee.rules.engine import Seat
from referee.rules.model import encode_model
from referee.rules.parts import replace
from referee.wire.marauders import WIRE
from support.marauders import (
    ONE,
    TWO,
    asked,
    calm,
    change_player,
    choose,
    dice,
    happen,
    options,
    port_action,
    scripted,
    turn,
)
from support.play import start
from tortuga.v1.marauders_pb2 import Marauders


def test_what_others_hear_of_secrets() -> None:
    """Section 3: amounts of deposits, drawn cards and bought goods are the seat's own."""
    cases: list[tuple[Event, Event | None]] = [
        (GoldStashed(ONE, 7, True), GoldStashed(ONE, 0, True)),
        (GoldStashed(ONE, 7, False), None),
        (GoldWithdrawn(ONE, 7), None),
        (GloryDrawn(ONE, "brace"), GloryDrawn(ONE, None)),
        (RumorTaken(ONE, "gunsmith"), RumorTaken(ONE, None)),
        (GoodsOffered(ONE, ("rum_1",), 1), GoodsOffered(ONE, (), 1)),
        (GoodsBought(ONE, Good.RUM, 2, 3), GoodsBought(ONE, None, 2, 3)),
        (CargoTaken(ONE, ("rum_1",), 1, True), CargoTaken(ONE, (), 1, True)),
        (CargoTaken(ONE, ("rum_1",), 1, False), CargoTaken(ONE, ("rum_1",), 1, False)),
    ]
    for event, perceived in cases:
        assert seen(event, TWO) == perceived
        assert seen(event, ONE) == event


def test_a_model_does_not_say_what_another_captain_scouted_for() -> None:
    """Only the dice of a scouting roll are told: a rumor that was looked for in vain would give its zone away."""
    looks: list[dict[str, Any]] = [
        {"tried": (ScoutRumor(),)},
        {"tried": (ScoutNpc(NpcKind.PIRATE_FRIGATE),)},
        {"tried_merchants": (Zone.CURACAO,)},
    ]
    states = []
    for look in looks:
        state = start(GAME, 2, GAME.info.read_variant({}), "scouting").state
        state.turn = Turn(seat=ONE, actions=1, free_moves=0, **look)
        states.append(state)
    assert len({encode_model(GAME, state, TWO) for state in states}) == 1
    assert len({encode_model(GAME, state, ONE) for state in states}) == 3


def test_r34_nobody_sees_which_token_is_placed() -> None:
    """Ruling R34: not even the seat that places it."""
    event = ModificationPlaced(Zone.HAVANA, Modification.CHASERS)
    assert seen(event, ONE) == seen(event, TWO) == ModificationPlaced(Zone.HAVANA, None)


def test_a_declined_window_leaves_no_trace() -> None:
    """Section 3: the other seat sees and hears the same whether a card was held and kept, or not held at all."""
    test = SkillTest(seat=ONE, skill=Skill.INFLUENCE, pool=2)
    views, events = [], []
    for card in ("lucky_star", "brace"):
        state = calm()
        change_player(state, ONE, glory=(card,))
        state = happen(state, test, chance=scripted(dice(1, 2)))
        if card == "lucky_star":
            assert asked(state).kind == "w_roll"
            before = list(state.events)
            state = choose(state, (ONE, Decline()))
            assert state.events == before
        events.append([WIRE.event(perceived) for event in state.events if (perceived := seen(event, TWO)) is not None])
        state.dice = ()
        views.append(WIRE.observation(view(state, TWO)))
    assert views[0] == views[1]
    assert events[0] == events[1]


def test_gold_of_others_is_never_shown_and_the_chest_only_once_declared() -> None:
    """Section 3, rulings R8 and R9."""
    state = calm()
    change_player(state, ONE, gold=33, chest=17)
    other = Marauders.Observation.FromString(WIRE.observation(view(state, TWO)))
    assert not other.seats[0].HasField("chest")
    assert (other.own.gold, other.own.chest) == (0, 0)
    change_player(state, ONE, track=8, gold=3)
    state = choose(port_action(state, ONE), (ONE, Stash(3)))
    other = Marauders.Observation.FromString(WIRE.observation(view(state, TWO)))
    assert (other.seats[0].declared, other.seats[0].chest) == (True, 20)


def test_captains_are_secret_until_all_ships_are_chosen() -> None:
    """Section 4, steps 6 and 7."""
    course = start(GAME, 3, GAME.info.read_variant({}), "secret captains")
    first = view(course.state, ONE)
    assert first.seats[0].captain == first.own.captain == course.state.players[0].captain
    assert [seat.captain for seat in first.seats[1:]] == [None, None]
    assert [seat.zone for seat in first.seats[1:]] == [None, None]
    course.choose(dict.fromkeys(course.asked, 0))
    assert None not in [seat.captain for seat in view(course.state, ONE).seats]


def test_the_offer_of_a_port_is_the_buyers_secret() -> None:
    """Section 3: only the active seat sees its Port action."""
    state = calm()
    change_player(state, ONE, gold=5)
    state = choose(turn(state, ONE), (ONE, VisitPort()))
    assert view(state, ONE).visit is not None
    assert view(state, TWO).visit is None


def test_a_played_window_card_is_public() -> None:
    """Section 3: a played card is logged."""
    state = calm()
    change_player(state, TWO, glory=("sabotage",))
    state = choose(happen(state, PlayTurn(ONE)), (TWO, PlayGlory("sabotage")))
    assert view(state, ONE).piles[1].discard == ("sabotage",)


def test_the_table_names_zones_and_seats() -> None:
    table = GAME.text.table(start(GAME, 4, GAME.info.read_variant({}), "words").state)
    assert all(word in table for word in ("Havana", "Trinidad", "seat 0", "seat 3"))


def observed(state: State, seat: Seat) -> Marauders.Observation:
    """What a seat is sent."""
    return Marauders.Observation.FromString(WIRE.observation(view(state, seat)))


def test_discarded_events_lie_open() -> None:
    """All that is neither in the deck, in force nor an NPC's: no card is missing, none is there twice."""
    state = calm()
    seen_events = observed(state, TWO).event_discard
    elsewhere = len(state.event_deck) + (state.event is not None)
    elsewhere += sum(len(npc.cards) for npc in (*state.npcs, *state.returning) if npc is not None)
    assert len(seen_events) == len(EVENTS) - elsewhere
    gone, state.event_deck = state.event_deck[-3:], state.event_deck[:-3]
    assert {Marauders.EventCard.Name(card) for card in observed(state, TWO).event_discard} >= {
        f"EVENT_CARD_{card.upper()}" for card in gone
    }


def test_a_captain_that_had_its_point_for_a_big_ship_shows_it() -> None:
    state = calm()
    assert not observed(state, TWO).seats[ONE].had_big_ship_glory
    change_player(state, ONE, bought_big_ship=True)
    assert observed(state, TWO).seats[ONE].had_big_ship_glory
    assert not observed(state, TWO).seats[TWO].had_big_ship_glory


def test_what_is_used_up_in_a_combat_lies_open() -> None:
    state = calm()
    ships = [player.ship for player in state.players]
    assert ships[0] is not None
    assert ships[1] is not None
    used = Fighter(
        Side(seat=ONE), ships[0], 3, 3, crew_dice=2, chasers_used=True, surgeon_used=True, redirect_used=True
    )
    fresh = Fighter(Side(seat=TWO), ships[1], 2, 2)
    state.combat = Combat((used, fresh), volley=Volley(0, 2, hits=(Section.CREW,), lost_on=Section.CREW))
    combat = observed(state, TWO).combat
    told = [
        (side.chasers_used, side.redirect_used, side.surgeon_used, side.crew_dice)
        for side in (combat.attacker, combat.defender)
    ]
    assert told == [(True, True, True, 2), (False, False, False, 0)]
    assert combat.volley.ammunition == Marauders.WEAPON_GRAPE
    state.combat = replace(state.combat, volley=Volley(0, 2))
    assert observed(state, TWO).combat.volley.ammunition == Marauders.WEAPON_UNSPECIFIED


def test_cards_that_hold_for_a_port_action_lie_open_until_it_is_over() -> None:
    state = calm()
    change_player(state, ONE, glory=("grateful_buyer", "secret_vault"), gold=20, cargo=("rum_1",))
    state = choose(port_action(state, ONE), (ONE, PlayGlory("grateful_buyer")), (ONE, PlayGlory("secret_vault")))
    for seat in (ONE, TWO):
        assert list(observed(state, seat).port_cards) == [
            Marauders.GLORY_CARD_GRATEFUL_BUYER,
            Marauders.GLORY_CARD_SECRET_VAULT,
        ]
    sales = [action for action in options(state, "port", ONE) if isinstance(action, Sell)]
    assert [Marauders.Option.FromString(WIRE.option(sale)).sell.gold for sale in sales] == [sale.gold for sale in sales]
    assert sales[0].gold >= 5  # 3, and 2 by the card; more if rum is in demand
    state = choose(state, (ONE, Done()))
    assert list(observed(state, TWO).port_cards) == []
