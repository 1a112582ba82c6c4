"""Tables of Pirate's Cove laid by hand, and a way to play on from them with scripted dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from referee.games.pirates_cove.actions import Action, Fire, PlayCard
from referee.games.pirates_cove.data import CHESTS, GOLD, LEGEND_DECK, MONTHS, TREASURES, Loot
from referee.games.pirates_cove.events import Event
from referee.games.pirates_cove.rules import apply, ask
from referee.games.pirates_cove.rules.combat import EndCombat, FightAt, begin_combat
from referee.games.pirates_cove.rules.month import BeginMonth, EndMonth
from referee.games.pirates_cove.rules.plunder import PlunderAt
from referee.games.pirates_cove.rules.port import CallAt
from referee.games.pirates_cove.state import BlackShip, Ship, State, combat_of, pairs
from referee.games.pirates_cove.terms import AT_SEA, Captain, Card, Phase, Place, Section, Treasure
from referee.rules.agenda import Pending, push, settle
from referee.rules.chance import ScriptedChance
from referee.rules.engine import Decision, Outcome, Seat
from referee.rules.parts import replace

E = TypeVar("E", bound=Event)

S0, S1, S2, S3, S4 = map(Seat, range(5))
HULL, SAILS, CANNONS, CREW = Section


def treasure(fame: int, gold: int, chests: int, cards: int) -> Treasure:
    """The design of a Treasure card that gives this."""
    return TREASURES.index(Loot(fame=fame, gold=gold, chests=chests, cards=cards)) + 1


SPEC_MONTH = (
    treasure(1, 4, 4, 0),
    treasure(0, 9, 2, 0),
    treasure(2, 5, 2, 0),
    treasure(0, 5, 5, 0),
    treasure(3, 1, 1, 1),
)
"""What lies face up in the whole months of the specification, section 9.3."""


def dice(*faces: int) -> list[int]:
    """Faces of dice as a chance draws them, from 0."""
    return [face - 1 for face in faces]


def ship(levels: Sequence[int] = (1, 1, 1, 1), *hand: Card, **rest: Any) -> Ship:
    """A ship with its levels, its hand and whatever else is not zero."""
    return Ship(levels=tuple(levels), hand=hand, **rest)


def table(
    *ships: Ship,
    draws: Sequence[int] = (),
    orders: Sequence[Sequence[int]] = (),
    month: int = 3,
    phase: Phase = Phase.TREASURE,
    black: Mapping[Place, Captain | None] | None = None,
    deck: Sequence[Card] = (),
    face_up: Sequence[Treasure] = SPEC_MONTH,
    pending: Sequence[Pending] = (),
    **rest: Any,
) -> State:
    """A table in the middle of a month. `deck` is drawn from its first card on; supplies hold what the ships do not."""
    afloat = {} if black is None else dict(black)
    spare = [captain for captain in LEGEND_DECK if captain not in afloat.values()]
    return State(
        chance=ScriptedChance(draws, orders),
        ships=ships,
        pending=tuple(pending),
        month=month,
        phase=phase,
        gold=rest.pop("gold", GOLD - sum(each.gold for each in ships)),
        chests=rest.pop("chests", CHESTS - sum(each.chests for each in ships)),
        piles=tuple((treasure(4, 2, 0, 0),) * (MONTHS - month) for _ in range(5)),
        face_up=tuple(face_up),
        tavern=tuple(reversed(deck)),
        black_ships=tuple(BlackShip(place, captain) for place, captain in afloat.items()),
        legends=rest.pop("legends", tuple(spare)),
        **rest,
    )


class Play:
    """A game played on from a table. Forced decisions are taken by themselves, as the referee does."""

    def __init__(self, state: State) -> None:
        settle(state)
        self.state = state
        self.events = [*state.events]
        """All that happened so far."""
        state.events.clear()
        self._force()

    @property
    def decision(self) -> Decision[Action]:
        """What is asked now."""
        found = ask(self.state)
        assert not isinstance(found, Outcome), "the game is over"
        return found

    @property
    def outcome(self) -> Outcome:
        """How the game ended."""
        found = ask(self.state)
        assert isinstance(found, Outcome), f"the game goes on with {found.kind}"
        return found

    def options(self, seat: Seat) -> tuple[Action, ...]:
        """The list put to a seat."""
        return self.decision.options[seat]

    def do(self, seat: Seat, *actions: Action) -> Play:
        """One seat chooses, once or several times in a row."""
        for action in actions:
            self.together({seat: action})
        return self

    def together(self, choices: Mapping[Seat, Action]) -> Play:
        """All deciding seats choose."""
        options = self.decision.options
        assert choices.keys() == options.keys(), f"{self.decision.kind}: seats {sorted(options)} decide"
        for seat, action in choices.items():
            assert action in options[seat], f"{self.decision.kind}: seat {seat} may not choose {action}"
        self._apply(choices)
        self._force()
        return self

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    def dice_left(self) -> int:
        """How many scripted draws were not consumed."""
        assert isinstance(self.state.chance, ScriptedChance)
        return self.state.chance.left()

    def _apply(self, choices: Mapping[Seat, Action]) -> None:
        step = apply(self.state, choices)
        self.state = step.state
        self.events += step.events

    def _force(self) -> None:
        while isinstance(found := ask(self.state), Decision):
            if any(len(options) > 1 for options in found.options.values()):
                return
            self._apply({seat: options[0] for seat, options in found.options.items()})


AFTER_PLUNDER = (CallAt(1), EndMonth())
AFTER_COMBAT = (PlunderAt(1), *AFTER_PLUNDER)
"""The rest of a month after phase 4, and after phase 3."""


def months(state: State) -> Play:
    """Play from the start of the month that the table is in; its cards are turned up now."""
    state.piles = tuple((*pile, card) for pile, card in zip(state.piles, state.face_up, strict=True))
    state.face_up, state.month = (), state.month - 1
    state.pending = (BeginMonth(),)
    return Play(state)


def put_at(state: State, place: Place) -> None:
    """Put the ships at sea at a place."""
    state.ships = tuple(replace(each, place=place) if each.place == AT_SEA else each for each in state.ships)


def fight(state: State, place: Place = 2) -> Play:
    """Play from the start of phase 3 at a place. Ships at sea are put there."""
    put_at(state, place)
    push(state, FightAt(place), *AFTER_COMBAT)
    return Play(state)


def plunder(state: State, island: Place = 1) -> Play:
    """Play from the start of phase 4."""
    push(state, PlunderAt(island), *AFTER_PLUNDER)
    return Play(state)


def port(state: State, place: Place) -> Play:
    """Play from phase 5 on at a place. Ships at sea are put there."""
    put_at(state, place)
    push(state, CallAt(place), EndMonth())
    return Play(state)


def wounded(state: State, place: Place, hulls: Mapping[Captain, int]) -> Play:
    """Play a combat against legends that have so many hull points left. Ships at sea are put there."""
    put_at(state, place)
    push(state, EndCombat(), *([FightAt(place + 1)] if place < 6 else []), *AFTER_COMBAT)
    begin_combat(state, place, state.seats_at(place), tuple(hulls))
    state.events.clear()
    state.combat = replace(combat_of(state), hulls=pairs(hulls))
    return Play(state)


def fire(target: Seat | Captain, section: Section = HULL) -> Fire:
    """Fire at a ship."""
    return Fire(target, section)


def card(name: Card, **aim: Any) -> PlayCard:
    """Play a card."""
    return PlayCard(name, **aim)
