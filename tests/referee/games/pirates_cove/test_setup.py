"""Setup and `OUTFIT`: spec sections 2 and 4."""

from __future__ import annotations

from collections import Counter

import pytest

from referee.games.pirates_cove import GAME
from referee.games.pirates_cove.actions import Outfit
from referee.games.pirates_cove.data import CARDS, LEGEND_DECK, TREASURES
from referee.games.pirates_cove.events import Outfitted
from referee.games.pirates_cove.rules.setup import outfit_price
from referee.games.pirates_cove.state import BlackShip, State
from referee.games.pirates_cove.terms import Card, Window
from referee.rules.chance import ScriptedChance, SeededChance, derive_secret
from referee.rules.engine import Decision, Seat
from support.pirates_cove import S0, S1, S2, Play


def new(seats: int, seed: str = "setup") -> State:
    return GAME.new(seats, {}, SeededChance(derive_secret(seed)))


def test_the_tavern_deck_is_that_of_the_box() -> None:
    """Spec 2.5, R3: 4 parrots, 7 Artisans, 8 Battle, 6 Volley, 8 Event and 9 Fame cards."""
    copies = {row.id: row.copies for row in CARDS.values()}
    assert sum(copies.values()) == 42
    assert sum(row.copies for row in CARDS.values() if row.window is Window.BOARDING) == 8
    assert sum(row.copies for row in CARDS.values() if row.window is Window.VOLLEY) == 6
    assert copies[Card.ARTISAN] == 7
    assert [copies[card] for card in (Card.FAME1, Card.FAME2, Card.FAME3)] == [5, 3, 1]
    assert [copies[card] for card in (Card.FLINT, Card.SILVER, Card.BONES, Card.TRELAWNEY)] == [1, 1, 1, 1]
    events = (Card.SLIP, Card.FREEBOOTER, Card.LOOKOUT, Card.SHIPWRIGHT, Card.LETTER, Card.NAVY, Card.MAP)
    assert [copies[card] for card in events] == [1, 1, 1, 1, 1, 2, 1]
    battle = (Card.BECALMED, Card.WIND, Card.GRAPPLE, Card.SMOKE, Card.OVERBOARD)
    assert [copies[card] for card in battle] == [1, 2, 2, 2, 1]


def test_the_treasure_deck_adds_up() -> None:
    """Spec 2.4, R2: sums over the deck of 60."""
    assert len(TREASURES) == 30
    sums = [2 * sum(getattr(loot, name) for loot in TREASURES) for name in ("fame", "gold", "chests", "cards")]
    assert sums == [88, 294, 142, 10]


@pytest.mark.parametrize(("seats", "places"), [(2, [1, 4]), (3, [1, 4]), (4, [1]), (5, [1])])
def test_a_table_is_laid_for_every_number_of_seats(seats: int, places: list[int]) -> None:
    """Spec 4 and R36."""
    state = new(seats)
    assert [black.place for black in state.black_ships] == places
    captains = [black.captain for black in state.black_ships]
    assert Counter([*captains, *state.legends]) == Counter(LEGEND_DECK)
    assert [len(pile) for pile in state.piles] == [12] * 5
    assert Counter(card for pile in state.piles for card in pile) == Counter(dict.fromkeys(range(1, 31), 2))
    assert (state.gold, state.chests) == (124 - 9 * seats, 50)
    for ship in state.ships:
        assert (ship.gold, ship.chests, ship.fame, ship.levels, ship.place) == (9, 0, 0, (1, 1, 1, 1), 0)
        assert len(ship.hand) + (ship.parrot is not None) == 1
    assert state.navy is None


def test_seats_draw_in_order_and_a_parrot_is_placed_at_once() -> None:
    """Spec 4, step 5: the top of the pile goes to seat 0."""
    state = GAME.new(3, {}, ScriptedChance())  # unshuffled: Fame 3 is the last card of the table
    assert [ship.hand for ship in state.ships] == [(Card.FAME3,), (Card.FAME2,), (Card.FAME2,)]
    # Flint is the first card of the unshuffled pile; the pile turned round puts him on top.
    turned = ScriptedChance(orders=[range(60), range(5), range(41, -1, -1)])
    first = GAME.new(2, {}, turned).ships[0]
    assert (first.parrot, first.hand) == (Card.FLINT, ())


def test_black_ships_take_the_first_captains_of_the_deck() -> None:
    state = GAME.new(2, {}, ScriptedChance())
    assert state.black_ships == (BlackShip(1, LEGEND_DECK[-1]), BlackShip(4, LEGEND_DECK[-2]))
    assert state.legends == LEGEND_DECK[:-2]


def test_v8_the_list_of_outfits() -> None:
    decision = GAME.ask(new(2))
    assert isinstance(decision, Decision)
    assert decision.kind == "OUTFIT"
    options = decision.options[S0]
    assert options == decision.options[S1]
    assert len(options) == 160
    assert options[0] == Outfit(0, 0, 0, 0)
    assert options[1] == Outfit(0, 0, 0, 1)
    assert options[-1] == Outfit(4, 1, 0, 0)
    rows = [(each.hull, each.sails, each.cannons, each.crew) for each in options if isinstance(each, Outfit)]
    assert rows == sorted(rows)
    assert outfit_price(Outfit(1, 1, 2, 2)) == 8
    assert outfit_price(Outfit(0, 0, 4, 1)) == 9
    assert Outfit(0, 0, 4, 1) in options
    assert outfit_price(Outfit(2, 2, 2, 1)) == 10
    assert Outfit(2, 2, 2, 1) not in options
    assert options[decision.defaults[S0]] == options[decision.defaults[S1]] == Outfit(1, 1, 2, 2)


def test_v8_outfits_are_paid_and_published_together() -> None:
    play = Play(new(3))
    play.together({S0: Outfit(1, 1, 2, 2), S1: Outfit(0, 0, 4, 1), S2: Outfit(0, 0, 0, 0)})
    first, second, third = play.state.ships
    assert (first.levels, first.gold) == ((2, 2, 3, 3), 1)
    assert (second.levels, second.gold) == ((1, 1, 5, 2), 0)
    assert (third.levels, third.gold) == ((1, 1, 1, 1), 9)
    assert play.of(Outfitted) == [
        Outfitted(S0, (2, 2, 3, 3), 8),
        Outfitted(S1, (1, 1, 5, 2), 9),
        Outfitted(S2, (1, 1, 1, 1), 0),
    ]
    assert play.state.gold == 124 - 10
    assert play.state.month == 1


@pytest.mark.parametrize(("month", "start"), [(1, 0), (2, 1), (3, 2), (4, 0), (12, 2)])
def test_r26_the_start_seat_rotates(month: int, start: int) -> None:
    state = new(3)
    state.month = month
    assert state.start_seat == Seat(start)
