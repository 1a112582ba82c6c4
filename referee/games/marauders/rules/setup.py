"""Setup (section 4): piles, tokens, captains, the secret choice of a ship, the order of turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from referee.games.marauders.actions import each
from referee.games.marauders.actions.turn import ChooseShip
from referee.games.marauders.data.board import (
    DEMAND_TOKENS,
    MERCHANT_TOKENS,
    MODIFICATION_TOKENS,
    PORTS,
    START_GOLD,
    STARTING_SHIPS,
)
from referee.games.marauders.data.captains import CAPTAINS
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.data.glory import GLORY_DECK
from referee.games.marauders.data.quests import MISSIONS, RUMORS
from referee.games.marauders.events.round import TurnOrderDrawn
from referee.games.marauders.rules.death import arrive
from referee.games.marauders.rules.glory import DrawGlory
from referee.games.marauders.rules.rounds import BeginRound
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import Pile, Player, PortToken, State
from referee.games.marauders.terms import ZONES_IN_ORDER, Good
from referee.rules.agenda import AgendaQuestion, push
from referee.rules.chance import TABLE, Chance
from referee.rules.engine import Decision, Seat, Variant
from referee.rules.parts import immutable, replace


def new(seats: int, variant: Variant, chance: Chance) -> State:
    """Return the table before anybody has chosen anything."""

    def pile(name: str, cards: Mapping[str, object] | tuple[str, ...]) -> Pile:
        return Pile(name, tuple(chance.shuffle(name, TABLE, cards)))

    captains = chance.shuffle("captains", TABLE, CAPTAINS)
    cargo, glory = pile("cargo", CARGO), pile("glory", GLORY_DECK)
    rumors, missions = pile("rumors", RUMORS), pile("missions", MISSIONS)
    event_deck = chance.shuffle("events", TABLE, EVENTS)
    tokens = chance.shuffle("demand tokens", TABLE, DEMAND_TOKENS)
    demand: list[Good | None] = [None] * len(ZONES_IN_ORDER)
    kinds = chance.shuffle("modification tokens", TABLE, MODIFICATION_TOKENS)
    mods: list[PortToken | None] = [None] * len(ZONES_IN_ORDER)
    for zone in PORTS:
        demand[zone - 1] = tokens.pop()
        mods[zone - 1] = PortToken(kinds.pop())
    merchants = chance.shuffle("merchants", TABLE, MERCHANT_TOKENS)
    *closed_missions, second, first = missions.deck
    return State(
        target_glory=int(variant["target_glory"]),
        npc_policy=variant["npc_control"] == "policy",
        chance=chance,
        players=tuple([new_player(captains.pop()) for _ in range(seats)]),
        event_deck=tuple(event_deck),
        captains=tuple(captains),
        cargo=cargo,
        glory=glory,
        rumors=rumors,
        missions=replace(missions, deck=tuple(closed_missions)),
        open_missions=(first, second),
        demand=tuple(demand),
        supply=tuple(sorted(tokens)),
        mods=tuple(mods),
        merchants=tuple(merchants),
        merchant_track=(),
        pending=(ChooseShips(),),
    )


def new_player(captain: str) -> Player:
    """Return a seat with a captain and no ship yet."""
    return Player(captain=captain, zone=CAPTAINS[captain].home, gold=START_GOLD)


@immutable(frozen=True, slots=True)
class ChooseShips(AgendaQuestion[State, ChooseShip]):
    """`choose_ship` at setup: all seats at once, secretly; then everything is shown."""

    TAG: ClassVar[str] = "ChooseShips"
    kind: ClassVar[str] = "choose_ship"

    def decision(self, state: State) -> Decision[ChooseShip]:
        """Sloop or flute, for each."""
        ships = each(ChooseShip, STARTING_SHIPS)
        return Decision(kind=self.kind, options={Seat(seat): ships for seat in range(len(state.players))})

    def answer(self, draft: State, choices: Mapping[Seat, ChooseShip]) -> None:
        """Ships into the home ports, the order of turns, a glory card each, and the first round."""
        for seat, action in sorted(choices.items()):
            arrive(draft, seat, action.ship)
        seats = range(len(draft.players))
        first = draft.chance.draw("first seat", TABLE, len(seats))
        draft.turn_order = tuple(Seat(seat) for seat in (*seats[first:], *seats[:first]))
        tell(draft, TurnOrderDrawn, draft.turn_order)
        push(draft, *[DrawGlory(seat) for seat in draft.turn_order], BeginRound())
