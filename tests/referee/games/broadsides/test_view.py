"""Who knows what, and how it travels: spec section 3, view.py and the wire."""

from __future__ import annotations

from google.protobuf import text_format

from referee.games.broadsides import GAME
from referee.games.broadsides.actions import Fire, PlaceCaptain, PlaceCrew
from referee.games.broadsides.events import FigurePlaced, ProgramLaid, RoundStarted
from referee.games.broadsides.terms import Card, Figure, Mast, Phase, Section, Station
from referee.games.broadsides.view import view
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.engine import DUEL
from referee.wire.broadsides import WIRE
from support.approved import Approver
from support.broadsides import BLACK, WHITE, at_sea, board, crew_move, decision, dice, fell_mast, new_state, sail
from support.broadsides import alongside as boarding_state
from tortuga.v1.broadsides_pb2 import Broadsides as Pb

FIRST_SHOT = (
    "mode: FIRE_MODE_EXCHANGE shots_left: 4 reply_shots: 5 "
    "shots { section: SECTION_C die: 5 effect: SHOT_EFFECT_STATION }"
)


def test_placements_are_hidden_until_both_have_finished_setup() -> None:
    state = GAME.apply(new_state(), {WHITE: PlaceCaptain(Station.B4), BLACK: PlaceCaptain(Station.F4)}).state
    state = GAME.apply(state, {WHITE: PlaceCrew(Station.D4), BLACK: PlaceCrew(Station.E4)}).state
    own, enemy = view(state, WHITE).crews
    assert own.captain is not None
    assert own.captain.station is Station.B4
    assert (own.hands[0][Station.D4], own.figures) == (1, 22)
    assert enemy.captain is None
    assert (enemy.hands[1][Station.E4], enemy.figures) == (0, 20)
    state = GAME.apply(state, {WHITE: PlaceCrew(Station.A4), BLACK: PlaceCrew(Station.A4)}).state
    enemy = view(state, WHITE).crews[1]
    assert enemy.captain is not None
    assert (enemy.captain.station, enemy.hands[1][Station.E4], enemy.figures) == (Station.F4, 1, 23)
    assert view(state, WHITE).phase is Phase.BROADSIDES


def test_secret_events_are_heard_by_their_owner_alone() -> None:
    for event in (FigurePlaced(WHITE, Figure.CREW, Station.A4), ProgramLaid(WHITE, (Card.AH,) * 3)):
        assert GAME.seen(event, WHITE) == event
        assert GAME.seen(event, BLACK) is None
    assert GAME.seen(RoundStarted(1), BLACK) == RoundStarted(1)


def test_face_down_cards_are_seen_by_their_owner_alone() -> None:
    """In step 1 each seat sees both first cards and its own other two."""
    state = sail(at_sea(chance=dice(6, 1)), "RE ST PO", "RE AH AH").state
    white, black = view(state, WHITE), view(state, BLACK)
    assert white.ships == black.ships
    assert [ship.cards_turned for ship in white.ships] == [(Card.RE,), (Card.RE,)]
    assert [ship.cards_face_down for ship in white.ships] == [2, 2]
    assert (white.own_cards, black.own_cards) == ((Card.ST, Card.PO), (Card.AH, Card.AH))


def test_cards_never_turned_over_stay_unseen() -> None:
    """Ruling R6: black runs on the edge with its first card; nobody ever hears of the other two."""
    step = sail(at_sea([((0, 10), 0), ((8, 0), 0)]), "RE RE RE", "AH ST PO")
    assert [GAME.seen(event, WHITE) for event in step.events if isinstance(event, ProgramLaid)][1] is None
    for seat in DUEL:
        seen = view(step.state, seat)
        assert seen.ships[BLACK].cards_turned == (Card.AH,)
        assert (seen.ships[BLACK].cards_face_down, seen.own_cards) == (0, ())


def test_hide_keeps_the_number_of_damage_cards_but_not_their_places() -> None:
    state = at_sea(chance=dice(6, 1))
    fell_mast(state, BLACK, Mast.A)
    state = sail(state, "RE RE RE", "RE DA AH").state
    programs = set()
    for number in range(100):
        twin = GAME.hide(state, WHITE, SeededChance(derive_secret(str(number))))
        assert twin.ships[BLACK].cards[0] is Card.RE
        assert twin.ships[BLACK].cards.count(Card.DA) == 1
        programs.add(twin.ships[BLACK].cards[1:])
    assert len(programs) == 8


def test_the_dice_of_the_last_decision_lie_on_the_table() -> None:
    state = sail(at_sea(chance=dice(3, 3, 5, 2)), "RE RE RE", "RE RE RE").state
    assert view(state, BLACK).dice == (3, 3, 5, 2)
    after = GAME.apply(state, {WHITE: decision(state).options[WHITE][-1]}).state
    assert view(after, BLACK).dice == ()


def test_a_shot_replaces_what_it_hits_and_nothing_else_is_viewed_again() -> None:
    """The hull of black is hit: its ship is another one, everything else is the same object, in the view as well."""
    before = sail(at_sea(chance=dice(6, 1, 2)), "RE ST PO", "RE AH AH").state
    old = view(before, WHITE)
    after = GAME.apply(before, {WHITE: Fire(Section.C)}).state
    new = view(after, WHITE)
    assert after.ships[WHITE] is before.ships[WHITE]
    assert after.ships[BLACK].hull != before.ships[BLACK].hull
    assert all(crew is earlier for crew, earlier in zip(after.crews, before.crews, strict=True))
    assert new.ships[WHITE] is old.ships[WHITE]
    assert new.ships[BLACK].hull == after.ships[BLACK].hull
    assert all(crew is earlier for crew, earlier in zip(new.crews, old.crews, strict=True))


def test_an_observation_on_the_wire() -> None:
    """What a bot reads in the first FIRE question of an exchange."""
    state = sail(at_sea(chance=dice(6, 1, 5)), "RE ST PO", "RE AH AH").state
    state = GAME.apply(state, {WHITE: decision(state).options[WHITE][2]}).state
    seen = Pb.Observation.FromString(WIRE.observation(view(state, WHITE)))
    assert (seen.chart.map, seen.chart.width, seen.chart.height) == (Pb.MAP_OPEN, 9, 11)
    assert (seen.seat, seen.round, seen.step, seen.phase) == (0, 1, 1, Pb.PHASE_BROADSIDES)
    assert seen.constants.round_cap == 60
    assert list(seen.own_cards) == [Pb.CARD_ST, Pb.CARD_PO]
    assert (seen.ships[1].point.x, seen.ships[1].point.y, seen.ships[1].facing) == (5, 5, Pb.DIRECTION_N)
    assert Pb.STATION_C5 not in seen.ships[1].cannons
    assert len(seen.ships[1].hull_markers) == 16
    assert list(seen.ships[1].mast_hits_left) == [1, 2, 1, 1]
    assert seen.crews[1].figures == 21
    assert seen.crews[1].captain == Pb.Place(ship=1, station=Pb.STATION_H4)
    assert text_format.MessageToString(seen.gunfire, as_one_line=True) == FIRST_SHOT
    assert not seen.HasField("boarding")
    assert list(seen.dice) == [5]


def test_a_boarding_on_the_wire() -> None:
    state = boarding_state([{"0D3": 2}, {"1D5": 2}], ("0H4", "1H4"))
    state = board(state, crew_move("0D3", "1D5")).state
    seen = Pb.Observation.FromString(WIRE.observation(view(state, BLACK)))
    assert seen.phase == Pb.PHASE_BOARDING
    assert list(seen.boarding.sides) == [Pb.SIDE_STARBOARD, Pb.SIDE_PORT]
    assert seen.boarding.crossings[3] == Pb.Crossing(ship_0=Pb.STATION_D3, ship_1=Pb.STATION_D5)
    assert (seen.boarding.seat, seen.boarding.turn, seen.boarding.moves_left) == (0, 1, 2)
    assert list(seen.boarding.contested) == [Pb.Place(ship=1, station=Pb.STATION_D5)]
    assert [(stack.place.ship, stack.place.station, stack.crew) for stack in seen.crews[0].stacks] == [
        (0, Pb.STATION_D3, 1),
        (1, Pb.STATION_D5, 1),
    ]


def test_the_table_shows_ships_decks_and_cards(approve: Approver) -> None:
    state = sail(at_sea([((4, 5), 0), ((5, 5), 7)], dice(6, 1), map="cays"), "RE ST PO", "RE AH AH").state
    text = GAME.text.table(state)
    lines = text.splitlines()
    assert lines[0].startswith("Map cays, round 1, step 1")
    assert lines[8] == " 5 .   .   .   .   0N  1NW .   .   ."
    assert lines[15].startswith("Seahawk (seat 0): (4,5) N, ")
    assert "10 cannons, 23 figures" in lines[15]
    assert lines[19] == "      4 !s1      .        !!       .        .        .        !        !sK"
    approve("play", text)
