"""Positions of Pavillon Noir by hand: the fresh state of spec section 9, and a line of play through it.

A is seat 0, the attacker whose turn it is; B is seat 1. Cards are written as in the specification: "S4 H10 JK".
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.games.pavillon_noir import GAME
from referee.games.pavillon_noir.actions import Action
from referee.games.pavillon_noir.data import AIM_DECK, DISCS_OF_EACH, TARGETS
from referee.games.pavillon_noir.events import Event
from referee.games.pavillon_noir.rules.piles import without
from referee.games.pavillon_noir.rules.shots import OpenFire
from referee.games.pavillon_noir.rules.turn import Act, BeginDraw, BeginFire, BeginTurn
from referee.games.pavillon_noir.state import Duelist, Placed, Settings, Ship, State, Target
from referee.games.pavillon_noir.terms import (
    JOKER,
    SUIT_LETTERS,
    Cannon,
    Card,
    Disaster,
    Discs,
    Gun,
    Phase,
    Projectile,
    Reputation,
    Suit,
    TargetCard,
    Trick,
    Zone,
    card_name,
    card_of,
    value_of,
)
from referee.rules.agenda import Pending, push
from referee.rules.chance import ScriptedChance
from referee.rules.engine import Decision, Outcome, Seat

A, B = Seat(0), Seat(1)
TOKENS = (Disaster.LOSE_SAILS, Disaster.LOSE_CREW, Disaster.LOSE_PLANKS)


def card(name: str) -> Card:
    """S4, H10, JK."""
    return JOKER if name == "JK" else card_of(Suit(SUIT_LETTERS.index(name[0])), int(name[1:]))


def cards(names: str) -> tuple[Card, ...]:
    """Cards separated by blanks, in the order written."""
    return tuple(map(card, names.split()))


def names(held: Sequence[Card]) -> str:
    """The other way round."""
    return " ".join(map(card_name, held))


def discs(words: str) -> Discs:
    """Discs separated by blanks."""
    return tuple(sorted(Projectile[word.upper()] for word in words.split()))


def target(text: str) -> Target:
    """T26, or with its aim cards T26:S9/H6, T05:H4/JK7, T01:-/C3."""
    name, _, aim = text.partition(":")
    left, below = (_placed(side) for side in aim.split("/")) if aim else (None, None)
    return Target(TargetCard(int(name[1:])), left, below)


def _placed(text: str) -> Placed | None:
    if text == "-":
        return None
    if text.startswith("JK"):
        return Placed(JOKER, int(text[2:]))
    return Placed(card(text), value_of(card(text)))


def side(
    *,
    hand: str = "",
    bow: str = "",
    stern: str = "",
    cannons: tuple[Cannon, Cannon] = (Cannon.POUNDER18, Cannon.POUNDER18),
    gun: Gun = Gun.BOW,
    zone: Zone = Zone.HULL_BOW,
    targets: str = "",
    sails: tuple[int, int] = (3, 3),
    planks: tuple[int, int, int] = (5, 4, 5),
    sailors: tuple[int, int, int] = (4, 4, 4),
    captain: Zone | None = Zone.DECK_MAIN,
    mate: Zone | None = Zone.DECK_MAIN,
    tokens: tuple[Disaster, ...] = TOKENS,
    flipped: tuple[bool, bool, bool] = (False, False, False),
    deck: str | None = None,
    discard: str = "",
    suits: tuple[Suit, ...] = (),
    sheer: tuple[int, ...] = (),
    evade: tuple[int, ...] = (),
    reputation: Reputation | None = None,
    tricks: tuple[Trick, ...] = (),
) -> Duelist:
    """One seat of the fresh state, changed as told. The deck holds what lies nowhere else, unless `deck` names it."""
    laid = tuple(map(target, targets.split()))
    used = [*cards(hand), *cards(discard), *(placed for spot in laid for placed in spot.aim_cards)]
    rest = without(AIM_DECK, used) if deck is None else cards(deck)[::-1]
    return Duelist(
        ship=Ship(sails, sailors, planks, captain, mate),
        tokens=tokens,
        flipped=flipped,
        deck=rest,
        cannons=cannons,
        loads=(discs(bow), discs(stern)),
        gun=gun,
        zone=zone,
        targets=laid,
        hand=tuple(sorted(cards(hand))),
        discard=cards(discard),
        tracks=(tuple(suits), sheer, evade),
        reputation=reputation,
        tricks=tricks,
    )


def table(
    a: Duelist | None = None,
    b: Duelist | None = None,
    *,
    phase: Phase = Phase.ACTIONS,
    actions: int = 2,
    aimed: bool = False,
    untouched: bool = True,
    turn: int = 1,
    draws: Sequence[int] = (),
    orders: Sequence[Sequence[int]] = (),
    first: Seat = A,
    settings: Settings | None = None,
    pending: Sequence[Pending] | None = None,
) -> State:
    """A's turn in the fresh state, at its first ACTION or at its FIRE. `pending` comes before that."""
    a, b = a or side(), b or side()
    laid = [spot.card for duelist in (a, b) for spot in duelist.targets]
    loaded = [disc for duelist in (a, b) for load in duelist.loads for disc in load]
    balls, chains, grape = (DISCS_OF_EACH - loaded.count(disc) for disc in Projectile)
    state = State(
        settings=settings or Settings(),
        chance=ScriptedChance(draws, orders),
        duelists=(a, b),
        target_deck=tuple(spot for spot in TARGETS if spot not in laid),
        pending=(),
        bag=(balls, chains, grape),
        phase=phase,
        turn=turn,
        first=first,
        active=A,
        actions=actions if phase is Phase.ACTIONS else 0,
        aimed=aimed,
        untouched=untouched,
    )
    if phase is Phase.ACTIONS:
        push(state, Act(A), BeginFire(A), BeginDraw(A), BeginTurn())
    else:
        push(state, OpenFire(A), BeginDraw(A), BeginTurn())
    push(state, *(pending or ()))
    return state


def firing(a: Duelist, b: Duelist | None = None, **others: Sequence[int]) -> State:
    """A's turn at its FIRE decision."""
    return table(a, b, phase=Phase.FIRE, **others)  # type: ignore[arg-type]


class Line:
    """A line of play: forced choices are made by themselves, as the referee would, and noted in `forced`."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[Event] = []
        self.forced: list[str] = []
        self.kind = ""
        self.seat = Seat(-1)
        self.options: tuple[Action, ...] = ()
        self.default: Action | None = None
        self.outcome: Outcome | None = None
        self._settle()

    def play(self, *actions: Action) -> Line:
        """Choose; each action has to be one of the options."""
        for action in actions:
            assert action in self.options, f"{self.kind} of seat {self.seat} offers {self.options}, not {action}"
            self._apply({self.seat: action})
            self._settle()
        return self

    def expect(self, kind: str, seat: Seat) -> tuple[Action, ...]:
        """The options, after checking what is asked of whom."""
        assert (self.kind, self.seat) == (kind, seat), f"seat {self.seat} is asked {self.kind}"
        return self.options

    def heard(self, *kinds: type) -> list[Event]:
        """The events of these classes."""
        return [event for event in self.events if isinstance(event, kinds)]

    def script_left(self) -> int:
        """Scripted draws not consumed."""
        assert isinstance(self.state.chance, ScriptedChance)
        return self.state.chance.left()

    def _apply(self, choices: dict[Seat, Action]) -> None:
        step = GAME.apply(self.state, choices)
        self.state = step.state
        self.events += step.events

    def _settle(self) -> None:
        while True:
            decision = GAME.ask(self.state)
            if isinstance(decision, Outcome):
                self.kind, self.options, self.default, self.outcome = "", (), None, decision
                return
            assert isinstance(decision, Decision)
            ((seat, options),) = decision.options.items()
            if len(options) > 1:
                self.kind, self.seat, self.options = decision.kind, seat, options
                self.default = options[decision.defaults.get(seat, 0)]
                return
            self.forced.append(decision.kind)
            self._apply({seat: options[0]})
