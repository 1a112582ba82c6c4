"""Who knows what (section 3), the wire's reading of it, and the words for people."""

from __future__ import annotations

from referee.games.marauders import GAME
from referee.games.marauders.actions.cards import Decline, PlayGlory
from referee.games.marauders.actions.port import Stash
from referee.games.marauders.actions.turn import VisitPort
from referee.games.marauders.events import Event
from referee.games.marauders.events.port import ModificationPlaced
from referee.games.marauders.events.quests import RumorTaken
from referee.games.marauders.events.trade import CargoTaken, GoodsBought, GoodsOffered
from referee.games.marauders.events.wealth import GloryDrawn, GoldStashed, GoldWithdrawn
from referee.games.marauders.rules.skill_tests import SkillTest
from referee.games.marauders.rules.turn import PlayTurn
from referee.games.marauders.terms import Good, Modification, Skill, Zone
from referee.games.marauders.view import seen, view
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
