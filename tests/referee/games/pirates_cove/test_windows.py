"""The event windows and navigation: spec 5.1 and 5.2."""

from __future__ import annotations

from collections.abc import Mapping

from referee.games.pirates_cove.actions import Pass, Sail
from referee.games.pirates_cove.events import CardPlayed, FreebooterEnded, MapRolled, Passed, Sailed
from referee.games.pirates_cove.rules.navigation import Navigate
from referee.games.pirates_cove.state import Freebooter, Navy, State, TreasureMap
from referee.games.pirates_cove.terms import Captain, Card, Window
from referee.rules.engine import Seat
from support.pirates_cove import S0, S1, S2, S3, Play, card, dice, months, ship, table

ISLANDS = tuple(Sail(island) for island in range(1, 7))


def sail(play: Play, *islands: int) -> Play:
    """All seats choose an island."""
    return play.together({Seat(seat): Sail(island) for seat, island in enumerate(islands)})


def test_the_treasure_window_goes_round_from_the_start_seat_and_each_acts_until_it_passes() -> None:
    """R26: month 3 with two seats starts at seat 0, month 4 at seat 1."""
    play = months(table(ship((1, 1, 1, 1), Card.FREEBOOTER, Card.MAP), ship(), ship(), month=2, draws=dice(3)))
    assert play.decision.kind == "TREASURE_EVENT"
    assert play.options(S0) == (
        Pass(),
        card(Card.FREEBOOTER, seat=S1),
        card(Card.FREEBOOTER, seat=S2),
        card(Card.MAP),
    )
    play.do(S0, card(Card.MAP), card(Card.FREEBOOTER, seat=S2))
    assert play.events[1:] == [
        Passed(S1, Window.TREASURE_EVENT),
        Passed(S2, Window.TREASURE_EVENT),
        CardPlayed(S0, Card.MAP, None, None, None, 0),
        MapRolled(S0, (3,)),
        CardPlayed(S0, Card.FREEBOOTER, S2, None, None, 0),
        Passed(S0, Window.TREASURE_EVENT),
        Passed(S1, Window.LOOKOUT),
        Passed(S2, Window.LOOKOUT),
        Passed(S0, Window.LOOKOUT),
    ]
    assert play.state.treasure_map == TreasureMap(S0, 3, 2)
    assert play.state.freebooter == Freebooter(S0, S2)
    assert play.state.tavern_discard == (Card.MAP, Card.FREEBOOTER)


def test_navigation_is_secret_and_all_at_once_and_any_island_may_be_chosen() -> None:
    """R37: the same island again is allowed, the Cove is not."""
    play = months(table(ship(place=2), ship(place=7)))
    assert play.decision.kind == "NAVIGATE"
    assert play.decision.options == {S0: ISLANDS, S1: ISLANDS}
    sail(play, 2, 3)
    assert play.of(Sailed) == [Sailed(S0, 2), Sailed(S1, 3)]


def test_r25_under_a_lookout_navigation_is_open_and_in_turn() -> None:
    play = months(table(ship(), ship((1, 1, 1, 1), Card.LOOKOUT), ship(), month=2))
    assert play.decision.kind == "LOOKOUT"
    assert play.options(S1) == (Pass(), *(card(Card.LOOKOUT, seat=first) for first in (S0, S1, S2)))
    play.do(S1, card(Card.LOOKOUT, seat=S2))
    assert [event for event in play.of(Passed) if event.window is Window.LOOKOUT] == [], "the window ends when played"
    for seat, island in ((S2, 1), (S0, 3), (S1, 4)):
        assert play.decision.options == {seat: ISLANDS}
        play.do(seat, Sail(island))
    assert play.of(Sailed) == [Sailed(S2, 1), Sailed(S0, 3), Sailed(S1, 4)]


def test_the_default_heading() -> None:
    """Spec 5.2: Treasure Island with chests or in month 12, else the lowest island without a black ship."""

    def headings(state: State) -> Mapping[Seat, int]:
        return {seat: index + 1 for seat, index in Play(state).decision.defaults.items()}

    pending = [Navigate((S0, S1))]
    black = {1: Captain.HOOK, 2: Captain.DUTCHMAN}
    assert headings(table(ship(chests=1), ship(), black=black, pending=pending)) == {S0: 6, S1: 3}
    assert headings(table(ship(), ship(), black={4: Captain.HOOK}, pending=pending)) == {S0: 1, S1: 1}
    assert headings(table(ship(), ship(), month=12, pending=pending)) == {S0: 6, S1: 6}


def test_the_nav_list() -> None:
    """Spec 5.2, R21, R22."""
    hand = (Card.SLIP, Card.LETTER, Card.NAVY)
    play = months(table(ship((1, 1, 1, 1), *hand), ship(), black={3: Captain.CACAFUEGO}, month=1))
    sail(play, 2, 4)
    navies = [card(Card.NAVY, place=island) for island in (1, 2, 3, 4, 5)]
    assert play.options(S0) == (Pass(), *navies, *(card(Card.SLIP, place=place) for place in (1, 5, 6)))
    play.do(S0, card(Card.NAVY, place=5))
    assert play.state.navy == Navy(5, S0)
    letters = [card(Card.LETTER, place=island) for island in (1, 2, 3, 4)]
    assert play.options(S0) == (Pass(), *letters, card(Card.SLIP, place=1), card(Card.SLIP, place=6))


def test_r21_the_navy_is_deployed_once_a_month_and_the_letter_passes_control() -> None:
    ships = [ship((1, 1, 1, 1), Card.NAVY), ship((1, 1, 1, 1), Card.NAVY, Card.LETTER)]
    play = sail(months(table(*ships, month=1)), 2, 4)
    play.do(S0, card(Card.NAVY, place=2))
    assert play.options(S1) == (Pass(), *(card(Card.LETTER, place=island) for island in (1, 3, 4, 5)))
    play.do(S1, card(Card.LETTER, place=4))
    assert play.state.navy == Navy(4, S1)


def test_r22_slip_never_to_the_own_place() -> None:
    play = sail(months(table(ship((1, 1, 1, 1), Card.SLIP), ship(), month=1)), 6, 1)
    assert play.options(S0) == (Pass(), *(card(Card.SLIP, place=place) for place in (2, 3, 4, 5)))


def test_r22_slip_shakes_a_freebooter_off_its_own_player_only() -> None:
    for victim, ended in ((S0, [FreebooterEnded(S1, S0)]), (S2, [])):
        ships = [ship((1, 1, 1, 1), Card.SLIP), ship((1, 1, 1, 1), Card.FREEBOOTER), ship()]
        play = months(table(*ships, month=1))
        play.do(S1, card(Card.FREEBOOTER, seat=victim))
        sail(play, 2, 3, 4)
        play.do(S0, card(Card.SLIP, place=5))
        assert play.state.ships[0].place == 5
        assert play.of(FreebooterEnded) == ended
        assert play.state.freebooter == (None if ended else Freebooter(S1, S2))


def test_r26_nav_events_go_in_rounds_so_that_a_card_can_answer() -> None:
    """Month 2 with four seats starts at seat 1; seat 3 passes first and answers in the next round."""
    ships = [ship(), ship((1, 1, 1, 1), Card.NAVY), ship(), ship((1, 1, 1, 1), Card.SLIP)]
    play = sail(months(table(*ships, month=2)), 1, 2, 3, 4)
    play.do(S1, Pass())
    assert list(play.decision.options) == [S3]
    play.do(S3, card(Card.SLIP, place=5))
    assert list(play.decision.options) == [S1]
    play.do(S1, card(Card.NAVY, place=5))
    nav = [event.seat for event in play.of(Passed) if event.window is Window.NAV_EVENT]
    assert nav == [S1, S2, S0, S2, S3, S0, S1, S2, S3, S0], "two rounds with a card, and one of passes"


def test_a_pass_of_a_holder_is_told_like_any_other() -> None:
    """Spec 3."""
    holding = months(table(ship((1, 1, 1, 1), Card.FREEBOOTER), ship())).do(S0, Pass())
    bluffing = months(table(ship((1, 1, 1, 1), Card.SMOKE), ship()))
    assert holding.events == bluffing.events
