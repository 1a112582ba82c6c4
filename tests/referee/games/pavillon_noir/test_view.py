"""Who knows what: spec 3. The leak test of the contract plays thousands of positions; here are the telling ones."""

from __future__ import annotations

from referee.games.pavillon_noir import GAME
from referee.games.pavillon_noir.actions import Fire, PlayTrick, SheerOff
from referee.games.pavillon_noir.events import CardsDrawn, CardsLookedAt, TrickKept, TricksDealt
from referee.games.pavillon_noir.rules.setup import DealReputations
from referee.games.pavillon_noir.state import Settings
from referee.games.pavillon_noir.terms import Decks, Projectile, Trick
from referee.games.pavillon_noir.view import View
from referee.rules.agenda import settle
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.engine import Decision
from support.pavillon_noir import A, B, Line, cards, firing, side, table


def test_a_seat_sees_its_own_hand_and_tricks_and_counts_the_other_s() -> None:
    """Spec 3."""
    state = table(side(hand="S1 S2", tricks=(Trick.K06,)), side(hand="H1", tricks=(Trick.K22, Trick.K23)))
    view = GAME.view(state, A)
    assert (view.secrets.hand, view.secrets.tricks) == (cards("S1 S2"), (Trick.K06,))
    assert [duelist.hand_size for duelist in view.duelists] == [2, 1]
    assert [duelist.trick_count for duelist in view.duelists] == [1, 2]


def test_tokens_are_hidden_until_they_are_flipped() -> None:
    """Spec 2.8: the owner does not look either."""
    state = table(b=side(flipped=(False, True, False)))
    for seat in (A, B):
        assert GAME.view(state, seat).duelists[A].disasters == (None, None, None)
        assert GAME.view(state, seat).duelists[B].disasters == (None, side().tokens[1], None)


def test_drawn_and_dealt_cards_are_shown_to_their_owner_only() -> None:
    """Spec 3."""
    drawn, looked = CardsDrawn(A, 2, cards("S1 S2")), CardsLookedAt(A, 2, cards("S1 S2"))
    dealt, kept = TricksDealt(A, (Trick.K01,)), TrickKept(A, Trick.K01)
    for event in (drawn, looked, dealt, kept):
        assert GAME.seen(event, A) == event
    assert GAME.seen(drawn, B) == CardsDrawn(A, 2, ())
    assert GAME.seen(looked, B) == CardsLookedAt(A, 2, ())
    assert GAME.seen(dealt, B) == TricksDealt(A, ())
    assert GAME.seen(kept, B) == TrickKept(A, None)


def test_offered_reputations_are_shown_to_their_owner_only() -> None:
    """Spec 3: rejected and undealt ones likewise."""
    state = table(settings=Settings(decks=Decks.REPUTATION), pending=[DealReputations()])
    settle(state)
    one, two = GAME.view(state, A).secrets, GAME.view(state, B).secrets
    assert len(one.offered_reputations) == len(two.offered_reputations) == 3
    assert not set(one.offered_reputations) & set(two.offered_reputations)


def sheered(b_tricks: tuple[Trick, ...]) -> tuple[View, list[object]]:
    """What A sees and hears when B had, or had not, the parrot to play and kept it."""
    a = side(hand="S2 H3 D9", targets="T26")
    line = Line(table(a, side(hand="H1 H4 H7", tricks=b_tricks), draws=(0, 0, 0))).play(SheerOff())
    if line.kind == "REACT":
        line.play(line.options[0])
    return GAME.view(line.state, A), [GAME.seen(event, A) for event in line.events]


def test_nobody_learns_whether_a_seat_could_have_reacted() -> None:
    """Spec 3: REACT is asked only if there is something to choose, and the opponent never knows."""
    assert sheered((Trick.K22,)) == sheered((Trick.K23,))


def test_nobody_learns_whether_a_seat_could_have_evaded() -> None:
    """Spec 3: the same for EVADE, with hands that differ in nothing public."""
    seen = []
    for hand in ("S1 S2", "S1 S7"):
        line = Line(firing(side(bow="ball", targets="T26:S9/S6 T21:S7/S8"), side(hand=hand)))
        line.play(Fire(Projectile.BALL))
        if line.kind == "EVADE":
            line.play(line.options[0])
        seen.append((GAME.view(line.state, A), [GAME.seen(event, A) for event in line.events]))
    assert seen[0] == seen[1]


def test_the_spyglass_shows_the_hand_at_its_decision_only() -> None:
    """Spec 3: sent once."""
    line = Line(table(side(hand="S1", targets="T26", tricks=(Trick.K05,)), side(hand="H2 H3")))
    line.play(PlayTrick(Trick.K05))
    assert GAME.view(line.state, A).secrets.spied_hand == cards("H2 H3")
    assert GAME.view(line.state, B).secrets.spied_hand == ()
    line.play(line.options[0])
    assert GAME.view(line.state, A).secrets.spied_hand == ()


def test_the_crows_nest_shows_cards_to_its_owner_only() -> None:
    """Spec 3."""
    line = Line(table(side(hand="S1", deck="H3 H4 H5 H6 H7 H8", targets="T26", tricks=(Trick.K02,))))
    line.play(PlayTrick(Trick.K02))
    assert GAME.view(line.state, A).secrets.looked_at == cards("H3 H4 H5 H6 H7")
    assert GAME.view(line.state, B).secrets.looked_at == ()


def test_a_twin_of_a_paying_opponent_can_pay() -> None:
    """`hide` keeps what the seat knows by reason: whoever chose to sheer off holds a run."""
    line = Line(table(side(hand="S7 H8 C9 D2", targets="T26"), side(hand="H1"))).play(SheerOff())
    for number in range(30):
        twin = GAME.hide(line.state, B, SeededChance(derive_secret(str(number))))
        decision = GAME.ask(twin)
        assert isinstance(decision, Decision)
        assert decision.kind == "PAY"
        assert decision.options[A]
        assert len(twin.duelists[A].hand) == 4
