"""What docs/games/pirates_cove.md says of gold after `OUTFIT` and of choices under a Lookout is what a seat sees."""

from __future__ import annotations

import re
from pathlib import Path

from referee.games.pirates_cove import GAME
from referee.games.pirates_cove.actions import Outfit, Sail
from referee.games.pirates_cove.events import Sailed
from referee.games.pirates_cove.terms import Card
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.engine import Decision, Seat
from support.pirates_cove import S0, S1, S2, card, months, ship, table

DOCS = " ".join((Path(__file__).parents[2] / "docs" / "games" / "pirates_cove.md").read_text().split())


def test_what_is_not_spent_at_outfit_stays_with_the_ship() -> None:
    said = re.search(r"\((\d), (\d), (\d), (\d)\) costs (\d) and leaves (\d) gold", DOCS)
    assert said is not None
    *levels, price, left = map(int, said.groups())
    state = GAME.new(2, {}, SeededChance(derive_secret("docs")))
    decision = GAME.ask(state)
    assert isinstance(decision, Decision)
    choices = {seat: Outfit(*levels) for seat in decision.options}
    before, after = (GAME.view(one, S0).ships[0].gold for one in (state, GAME.apply(state, choices).state))
    assert (before, after) == (price + left, left)


def test_under_a_lookout_a_choice_shows_in_the_place_of_the_ship_and_as_an_event() -> None:
    said = DOCS.partition("Under a Lookout, ")[2].partition("Without a Lookout")[0]
    for fact in ("one after the other", "stands on its island", "place of last month", "`lookout` is the seat"):
        assert fact in said
    play = months(table(ship(), ship((1, 1, 1, 1), Card.LOOKOUT), ship(), month=2))
    play.do(S1, card(Card.LOOKOUT, seat=S1))
    last_month = [one.place for one in play.state.ships]
    play.do(S1, Sail(4))
    assert play.events[-1] == Sailed(S1, 4)
    for viewer in (S0, S1, S2):
        seen = GAME.view(play.state, Seat(viewer))
        assert seen.lookout == S1
        assert [one.place for one in seen.ships] == [last_month[0], 4, last_month[2]]
