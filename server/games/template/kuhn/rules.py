"""The rules of Kuhn poker, as pure functions: no input, no output, no clock, and no luck but the state's own.

A match has several hands; the seats take turns to begin. In each hand both seats pay a chip and get one of three cards.
The seat that begins checks or bets a second chip. After a check the other may check or bet, too. Who faces a bet folds
or calls. The higher card wins, unless somebody folded.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import ClassVar

from kuhn import INFO
from tortuga.engine import (
    SPECTATOR,
    TABLE,
    Chance,
    Decision,
    Game,
    Outcome,
    Seat,
    Step,
    Text,
    Variant,
    immutable,
    other_seat,
    rank_by,
    shallow_copy,
)


class Card(IntEnum):
    """The three cards."""

    JACK = 1
    QUEEN = 2
    KING = 3


# What a seat can do, and what can happen: values that never change and can be compared.


@immutable(frozen=True, slots=True)
class Check:
    """Pay nothing."""


@immutable(frozen=True, slots=True)
class Bet:
    """Pay a second chip."""


@immutable(frozen=True, slots=True)
class Fold:
    """Give up the hand."""


@immutable(frozen=True, slots=True)
class Call:
    """Pay a second chip, too."""


Action = Check | Bet | Fold | Call


@immutable(frozen=True, kw_only=True, slots=True)
class Dealt:
    """A hand began. A seat sees its own card only."""

    hand: int
    cards: tuple[Card | None, Card | None]


@immutable(frozen=True, kw_only=True, slots=True)
class Acted:
    """A seat did something."""

    seat: Seat
    action: Action


@immutable(frozen=True, kw_only=True, slots=True)
class HandWon:
    """A hand is over. The cards are shown if nobody folded."""

    seat: Seat
    chips: int
    cards: tuple[Card, Card] | None


Event = Dealt | Acted | HandWon


@immutable(frozen=True, kw_only=True, slots=True)
class State:
    """All there is, known or hidden. The TAG is what records call the class: never change it."""

    TAG: ClassVar[str] = "State"

    chance: Chance
    hands: int
    hand: int
    """The present hand, from 1."""
    cards: tuple[Card, Card]
    acts: tuple[str, ...]
    """What was done in this hand."""
    chips: tuple[int, int]
    """What each seat has won so far."""
    shown: tuple[Card, Card] | None
    """The cards at the end of the hand before, if they were shown."""

    def copy(self) -> State:
        """Copy the state, to be changed: nothing else may change one."""
        draft = shallow_copy(self)
        draft.chance = self.chance.copy()  # type: ignore[misc]  # the copy is ours
        return draft


@immutable(frozen=True, kw_only=True, slots=True)
class View:
    """All that a seat may know. A spectator has no card."""

    seat: int
    hands: int
    hand: int
    card: Card | None
    acts: tuple[str, ...]
    chips: tuple[int, int]
    first_seat: Seat
    shown: tuple[Card, Card] | None


def new(seats: int, variant: Variant, chance: Chance) -> State:
    """Deal the first hand."""
    return _deal(
        State(chance=chance, hands=int(variant["hands"]), hand=0, cards=_NO_CARDS, acts=(), chips=(0, 0), shown=None)
    )


def ask(state: State) -> Decision[Action] | Outcome:
    """Return who chooses among what, or how the match ended."""
    if state.hand > state.hands:
        reason = "even" if state.chips[0] == state.chips[1] else "chips"
        scores = (float(state.chips[0]), float(state.chips[1]))
        return Outcome(ranks=rank_by(list(state.chips)), reason=reason, scores=scores)
    options: tuple[Action, ...] = (Fold(), Call()) if state.acts[-1:] == ("bet",) else (Check(), Bet())
    kind = "ANSWER_BET" if state.acts[-1:] == ("bet",) else "OPEN"
    return Decision(kind=kind, options={_to_act(state): options})


def apply(state: State, choices: Mapping[Seat, Action]) -> Step[State, Event]:
    """Carry out the choice; when the hand is over, deal the next."""
    [(seat, action)] = choices.items()
    acts = (*state.acts, _word(action))
    acted = Acted(seat=seat, action=action)
    if acts[-1] == "bet" or acts == ("check",):
        return Step(state=_changed(state, acts=acts), events=(acted,))
    folded = acts[-1] == "fold"
    winner = other_seat(seat) if folded else Seat(0 if state.cards[0] > state.cards[1] else 1)
    chips = 2 if acts[-1] == "call" else 1
    shown = None if folded else state.cards
    won = HandWon(seat=winner, chips=chips, cards=shown)
    change = (chips, -chips) if winner == 0 else (-chips, chips)
    totals = (state.chips[0] + change[0], state.chips[1] + change[1])
    after = _deal(_changed(state, acts=acts, chips=totals, shown=shown))
    dealt = (Dealt(hand=after.hand, cards=after.cards),) if after.hand <= after.hands else ()
    return Step(state=after, events=(acted, won, *dealt))


def view(state: State, seat: Seat) -> View:
    """Build what a seat may know, field by field: what is forgotten here stays hidden."""
    return View(
        seat=2 if seat == SPECTATOR else seat,
        hands=state.hands,
        hand=state.hand,
        card=None if seat == SPECTATOR or state.hand > state.hands else state.cards[seat],
        acts=state.acts,
        chips=state.chips,
        first_seat=_first_seat(state),
        shown=state.shown,
    )


def seen(event: Event, seat: Seat) -> Event | None:
    """Return an event as a seat perceived it."""
    if not isinstance(event, Dealt):
        return event
    first, second = event.cards
    return Dealt(hand=event.hand, cards=(first if seat == 0 else None, second if seat == 1 else None))


def hide(state: State, seat: Seat, chance: Chance) -> State:
    """Deal again whatever the seat cannot know: another seat's card."""
    hidden = state.copy()
    hidden.chance = chance  # type: ignore[misc]  # the copy is ours
    if seat == SPECTATOR or state.hand > state.hands:
        first, second, _ = chance.shuffle("deal", TABLE, Card)
    else:
        own = state.cards[seat]
        other, _ = chance.shuffle("deal", TABLE, [card for card in Card if card != own])
        first, second = (own, other) if seat == 0 else (other, own)
    hidden.cards = (first, second)  # type: ignore[misc]
    return hidden


_NO_CARDS = (Card.JACK, Card.JACK)


def _deal(state: State) -> State:
    """Begin the next hand, if there is one. Cards are the table's luck: no choice of a seat changes what comes."""
    draft = _changed(state, hand=state.hand + 1, acts=())
    if draft.hand <= draft.hands:
        first, second, _ = draft.chance.shuffle("deal", TABLE, Card)
        draft.cards = (first, second)  # type: ignore[misc]
    return draft


def _changed(state: State, **changes: object) -> State:
    draft = state.copy()
    for name, content in changes.items():
        setattr(draft, name, content)
    return draft


def _first_seat(state: State) -> Seat:
    return Seat((state.hand + 1) % 2)


def _to_act(state: State) -> Seat:
    return Seat((_first_seat(state) + len(state.acts)) % 2)


# The game in words.


def _word(action: Action) -> str:
    return type(action).__name__.lower()


def _event_text(event: Event) -> str:
    if isinstance(event, Dealt):
        shown = [f"seat {seat} has the {_card(card)}" for seat, card in enumerate(event.cards) if card is not None]
        return f"hand {event.hand} begins" + (f": {' and '.join(shown)}" if shown else "")
    if isinstance(event, Acted):
        return f"seat {event.seat} {_word(event.action)}s"
    shown = [] if event.cards is None else [f" with the {_card(event.cards[event.seat])}"]
    return f"seat {event.seat} wins {event.chips}{''.join(shown)}"


def _card(card: Card) -> str:
    return card.name.lower()


def _table(state: State) -> str:
    lines = [f"hand {min(state.hand, state.hands)} of {state.hands}: {', '.join(state.acts) or 'nothing done yet'}"]
    for seat, chips in enumerate(state.chips):
        card = "" if state.hand > state.hands else f", holds the {_card(state.cards[seat])}"
        lines.append(f"seat {seat}: {chips:+d} chips{card}")
    return "\n".join(lines)


def _fired(event: Event) -> str:
    return _word(event.action) if isinstance(event, Acted) else type(event).__name__


GAME = Game(
    info=INFO,
    new=new,
    ask=ask,
    apply=apply,
    view=view,
    seen=seen,
    fired=_fired,
    cards=("check", "bet", "fold", "call"),
    text=Text(event=_event_text, action=_word, table=_table, scenes=frozenset({Dealt})),
    hide=hide,
)
