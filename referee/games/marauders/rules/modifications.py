"""Modification tokens on the move: from a port to a ship and back (6.6, 6.9 `capture`, R15, R24, R34)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from referee.games.marauders.actions import each
from referee.games.marauders.actions.port import PlaceModification
from referee.games.marauders.data.board import PORTS
from referee.games.marauders.events.port import ModificationBuilt, ModificationPlaced
from referee.games.marauders.rules.ships import add_modification, set_ship
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import PortToken, State
from referee.games.marauders.terms import Modification
from referee.rules.agenda import SeatQuestion, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, put


def offered_modification(state: State, seat: Seat) -> Modification | None:
    """Return the token of the port the seat is in, if its ship lacks that kind."""
    player = state.players[seat]
    token = state.mods[player.zone - 1]
    assert player.ship is not None
    return None if token is None or token.kind in player.ship.mods else token.kind


def take_modification(draft: State, seat: Seat) -> None:
    """Make the port's token part of the ship."""
    player = draft.players[seat]
    kind = offered_modification(draft, seat)
    assert kind is not None
    assert player.ship is not None
    set_ship(draft, seat, add_modification(player.ship, kind))
    draft.mods = put(draft.mods, player.zone - 1, None)
    tell(draft, ModificationBuilt, seat, kind)


def place_modifications(draft: State, seat: Seat, mods: Iterable[Modification]) -> None:
    """Tokens of a ship that is gone, in random order, each to a port of the former owner's choice (R24)."""
    tokens = draft.chance.shuffle("modifications placed", seat, mods)
    push(draft, *[AskPlaceModification(seat, token) for token in tokens])


@immutable(frozen=True, slots=True)
class AskPlaceModification(SeatQuestion[State, PlaceModification]):
    """`place_mod`: a port without a token; which token it is stays hidden (R34)."""

    TAG: ClassVar[str] = "AskPlaceModification"
    kind: ClassVar[str] = "place_mod"
    token: Modification

    def options(self, state: State) -> tuple[PlaceModification, ...]:
        """Ports without a token."""
        return each(PlaceModification, tuple([zone for zone in PORTS if state.mods[zone - 1] is None]))

    def choose(self, draft: State, action: PlaceModification) -> None:
        """Lay the token face down on the port."""
        draft.mods = put(draft.mods, action.zone - 1, PortToken(self.token))
        tell(draft, ModificationPlaced, action.zone, self.token)
