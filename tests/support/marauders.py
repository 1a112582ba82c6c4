"""Tables of marauders set up by hand, for vectors and rulings."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import Decline
from referee.games.marauders.actions.turn import End
from referee.games.marauders.data.captains import CAPTAINS
from referee.games.marauders.events import Event
from referee.games.marauders.rules import apply, ask, new
from referee.games.marauders.rules.ashore.port import BeginVisit
from referee.games.marauders.rules.fighting.aftermath import StowPlunder
from referee.games.marauders.rules.fighting.combat import AttackPlayer
from referee.games.marauders.rules.fighting.npcs import set_npc
from referee.games.marauders.rules.modifications import AskPlaceModification
from referee.games.marauders.rules.piles import set_pile
from referee.games.marauders.rules.quests import AskKeepMission, AskKeepRumor
from referee.games.marauders.rules.rounds import EndRound
from referee.games.marauders.rules.ships import new_ship
from referee.games.marauders.rules.turn_actions import NextAction
from referee.games.marauders.state import Npc, Pile, Player, Ship, State, Turn
from referee.games.marauders.terms import Modification, NpcKind, Section, ShipType, Zone
from referee.rules.agenda import Pending, SeatQuestion, Task, push, settle
from referee.rules.chance import ScriptedChance
from referee.rules.engine import Decision, Outcome, Seat
from referee.rules.parts import immutable, replace

E = TypeVar("E")

ONE, TWO, THREE, FOUR = (Seat(seat) for seat in range(4))


@immutable(frozen=True, slots=True)
class Rest(SeatQuestion[State, Decline | End]):
    """The end of a scene: nothing more happens by itself. Answered, the round ends."""

    TAG: ClassVar[str] = "Rest"
    kind: ClassVar[str] = "rest"

    def options(self, state: State) -> list[Decline | End]:
        """Two ways to go on, so that the referee would ask."""
        return [Decline(), End()]

    def choose(self, draft: State, action: Decline | End) -> None:
        """Go on."""


def dice(*faces: int) -> list[int]:
    """Faces of dice as ScriptedChance wants them."""
    return [face - 1 for face in faces]


def scripted(*draws: Sequence[int], orders: Sequence[Sequence[int]] = ()) -> ScriptedChance:
    """Luck by hand: draws in the order consumed."""
    return ScriptedChance([value for part in draws for value in part], orders)


def table(*captains: str, npc_control: str = "left", target_glory: int = 10) -> State:
    """A table in round 1 with these captains on sloops in their home ports, no gold, no cards; piles in table order."""
    state = new(max(2, len(captains)), {"target_glory": target_glory, "npc_control": npc_control}, ScriptedChance())
    state.captains = tuple(card for card in CAPTAINS if card not in captains)
    state.players = tuple(
        Player(captain=card, ship=new_ship(ShipType.SLOOP), zone=CAPTAINS[card].home) for card in captains
    )
    state.turn_order = tuple(Seat(seat) for seat in range(len(captains)))
    state.round = 1
    state.event, *event_deck = state.event_deck  # navy_es_1: no text, no modifiers
    state.event_deck = tuple(event_deck)
    state.pending = (EndRound(), Rest(ONE))
    return state


def calm(captain: str = "mary_hollis", other: str = "felipe_montoya") -> State:
    """Two captains in their home ports, and no merchants or missions to distract."""
    state = table(captain, other)
    state.merchants = (None,) * 17
    state.merchant_track = ()
    state.open_missions = ()
    return state


def with_npc(state: State, kind: NpcKind, zone: Zone, *cards: str) -> State:
    """An NPC in play; without cards a war admiral."""
    set_npc(state, kind, Npc(kind, cards, zone))
    return state


def ship(kind: ShipType, *values: int, mods: Sequence[Modification] = (), flipped: bool = False) -> Ship:
    """A ship with the values of a vector: hull, cargo, masts, crew, cannons; without values, as built."""
    built = new_ship(kind, tuple(mods), flipped)
    if not values:
        return built
    hull, cargo, masts, crew, cannons = values
    return Ship(kind, (cargo, masts, crew, cannons, hull), tuple(mods), flipped)


def values(state: State, seat: Seat) -> str:
    """A seat's ship as the vectors write it: hull/cargo/masts/crew/cannons."""
    return ship_values(state.players[seat].ship)


def ship_values(vessel: Ship | None) -> str:
    """A ship as the vectors write it."""
    assert vessel is not None
    order = (Section.HULL, Section.CARGO, Section.MASTS, Section.CREW, Section.CANNONS)
    return "/".join(str(vessel.value(section)) for section in order)


def change_player(state: State, seat: Seat, **changes: Any) -> None:
    """The seat has these instead: `change_player(state, ONE, gold=5)`. Refuses fields that do not exist."""
    state.set_player(seat, dataclasses.replace(state.players[seat], **changes))


def lay_on_deck(state: State, pile: Pile, *cards: str) -> None:
    """These cards on top of a deck, the last one uppermost."""
    set_pile(state, replace(pile, deck=pile.deck + cards))


def take_from_deck(state: State, pile: Pile, card: str) -> None:
    """One copy of a card out of a deck."""
    deck = list(pile.deck)
    deck.remove(card)
    set_pile(state, replace(pile, deck=tuple(deck)))


def to_sea(state: State, seat: Seat, zone: Zone) -> None:
    """The captain is at sea there."""
    change_player(state, seat, zone=zone, in_port=False)


def to_port(state: State, seat: Seat, zone: Zone) -> None:
    """The captain is in that port."""
    change_player(state, seat, zone=zone, in_port=True)


def turn(
    state: State, seat: Seat, *, actions: int = 3, free_moves: int = 0, chance: ScriptedChance | None = None
) -> State:
    """The seat's turn, at its next action."""
    state.turn = Turn(seat, actions, free_moves)
    return happen(state, NextAction(seat), chance=chance)


def port_action(state: State, seat: Seat, chance: ScriptedChance | None = None) -> State:
    """The seat inside a Port action."""
    state.turn = Turn(seat, 2, 0, acted=True)
    return happen(state, BeginVisit(seat), NextAction(seat), chance=chance)


def happen(state: State, *tasks: Task[State], chance: ScriptedChance | None = None) -> State:
    """These tasks happen, up to the next question; their events stay in the state until the next choice."""
    draft = state.copy()
    draft.chance = chance or ScriptedChance()
    draft.events.clear()
    push(draft, *tasks)
    settle(draft)
    return draft


def duel(attacker: str = "edward_marsh", defender: str = "henry_thorne") -> State:
    """Two plain captains at sea off Trinidad; both have Seamanship 3 and Leadership 2."""
    state = table(attacker, defender)
    for seat in (ONE, TWO):
        to_sea(state, seat, Zone.TRINIDAD)
    return state


def fight(state: State, *rolls: list[int]) -> State:
    """Seat 0 attacks seat 1."""
    return happen(state, AttackPlayer(ONE, TWO), chance=scripted(*rolls))


def broadside(state: State, *locations: int) -> State:
    """Round 1 won by seat 0 with as many hits as location dice."""
    return fight(state, dice(5, 6, 5, 1, 1, 1), dice(*locations))


def second_round(state: State, *rolls: list[int]) -> State:
    """A fight whose first round has no skull at all."""
    return fight(state, dice(1, 1, 1, 1, 1), *rolls)


def asked(state: State) -> Decision[Action]:
    """The present decision."""
    decision = ask(state)
    assert isinstance(decision, Decision), decision
    return decision


def ended(state: State) -> Outcome:
    """How it ended."""
    outcome = ask(state)
    assert isinstance(outcome, Outcome), outcome
    return outcome


def options(state: State, kind: str, seat: Seat) -> list[Action]:
    """The list of a decision, which has to be of that kind and put to that seat alone."""
    decision = asked(state)
    assert (decision.kind, list(decision.options)) == (kind, [seat])
    return list(decision.options[seat])


def choose(state: State, *moves: tuple[Seat, Action]) -> State:
    """The moves one after the other, single options being played in between as the referee does."""
    events: list[Event] = list(state.events)
    state.events.clear()
    for seat, action in moves:
        state = unforced(state, events)
        decision = asked(state)
        assert list(decision.options) == [seat], f"{decision.kind} is put to {list(decision.options)}, not {seat}"
        assert action in decision.options[seat], f"{decision.kind}: {action} not in {decision.options[seat]}"
        step = apply(state, {seat: action})
        events += step.events
        state = step.state
    state = unforced(state, events)
    state.events.extend(events)
    return state


def unforced(state: State, events: list[Event]) -> State:
    """Play single options until there is something to choose, or the end."""
    while state.ended is None:
        decision = asked(state)
        if any(len(entries) > 1 for entries in decision.options.values()):
            break
        step = apply(state, {seat: entries[0] for seat, entries in decision.options.items()})
        events += step.events
        state = step.state
    return state


def events_of(state: State, kind: type[E]) -> list[E]:
    """The events of one kind since the state was set up by hand."""
    return [event for event in state.events if isinstance(event, kind)]


def left(state: State) -> int:
    """Scripted draws not consumed: 0 in a vector that names every roll."""
    assert isinstance(state.chance, ScriptedChance)
    return state.chance.left()


def cards_in(state: State) -> Counter[str]:
    """Every card of every deck wherever it lies, to check that none is lost or doubled."""
    found: Counter[str] = Counter()
    for pile in (state.cargo, state.glory, state.rumors, state.missions):
        found.update([*pile.deck, *pile.discard])
    found.update([*state.captains, *state.used_captains, *state.open_missions])
    for player in state.players:
        found.update([*player.cargo, *player.glory, *player.kept])
        found.update(card for card in (player.captain, player.rumor, player.mission) if card is not None)
        found.update(hired.card for hired in player.specialists)
    found.update(() if state.visit is None else state.visit.offer)
    found.update(() if state.raid is None else state.raid.table)
    for frame in state.pending:
        found.update(cards_under_way(state, frame))
    return found


def cards_under_way(state: State, frame: Pending) -> list[str]:
    """Cards that lie between two places."""
    match frame:
        case AskKeepRumor(seat, cards):
            return [card for card in cards if card != state.players[seat].rumor]
        case AskKeepMission(seat, cards):
            return [card for card in cards if card != state.players[seat].mission]
        case StowPlunder(cards=cards):
            return list(cards)
        case _:
            return []


def modifications_in(state: State) -> Counter[Modification]:
    """Every modification token: on ports, on ships, on its way."""
    found = Counter(token.kind for token in state.mods if token is not None)
    for player in state.players:
        found.update(() if player.ship is None else player.ship.mods)
    found.update(frame.token for frame in state.pending if isinstance(frame, AskPlaceModification))
    return found
