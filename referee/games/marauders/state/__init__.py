"""What lies on the table, and how it counts. No rules here.

    captain    a seat: captain, ship, purse, cards       turn      the turn, Port action or raid under way
    board      piles, tokens, NPC ships                  combat    the combat under way

Everything but `State` itself is immutable: a rule replaces a part, and copies of a state share the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from referee.games.marauders.data.board import CHEST_GOLD_PER_POINT
from referee.games.marauders.events import Event
from referee.games.marauders.state.board import Npc, Pile, PortToken
from referee.games.marauders.state.captain import Hired, Player, Ship
from referee.games.marauders.state.combat import Combat, Fighter, Volley
from referee.games.marauders.state.turn import Raid, Turn, Visit
from referee.games.marauders.terms import Good, Nation, NpcKind, ShipType, Zone
from referee.rules.agenda import AgendaState, Pending
from referee.rules.chance import Chance
from referee.rules.engine import Outcome, Seat, rank_by
from referee.rules.parts import put

__all__ = [
    "Combat",
    "Fighter",
    "Hired",
    "Npc",
    "Pile",
    "Player",
    "PortToken",
    "Raid",
    "Ship",
    "State",
    "Turn",
    "Visit",
    "Volley",
]


@dataclass(slots=True, kw_only=True)
class State(AgendaState):
    """The whole table. Rows per zone are indexed by zone number - 1, `npcs` by kind - 1."""

    TAG: ClassVar[str] = "State"

    target_glory: int
    npc_policy: bool
    """True: NPCs follow the policy of 6.12; False: the left neighbour of the engaged seat plays them (R18)."""
    chance: Chance
    players: tuple[Player, ...]
    turn_order: tuple[Seat, ...] = ()
    round: int = 0
    event: str | None = None
    """The event card of the round."""
    turn: Turn | None = None
    visit: Visit | None = None
    raid: Raid | None = None
    combat: Combat | None = None
    event_deck: tuple[str, ...]
    """The event deck, its last card on top."""
    captains: tuple[str, ...]
    """The captain deck, its last card on top."""
    used_captains: tuple[str, ...] = ()
    cargo: Pile
    glory: Pile
    rumors: Pile
    missions: Pile
    open_missions: tuple[str, ...]
    demand: tuple[Good | None, ...]
    supply: tuple[Good, ...]
    """Demand tokens beside the board, in the order of the cargo table."""
    mods: tuple[PortToken | None, ...]
    merchants: tuple[Nation | None, ...]
    merchant_track: tuple[Nation, ...]
    found: Nation | None = None
    """The nation of the merchant just found, while its finder decides."""
    npcs: tuple[Npc | None, ...] = (None,) * len(NpcKind)
    returning: tuple[Npc, ...] = ()
    """NPCs that come back at the end of the round (6.13)."""
    war: tuple[Nation, Nation] | None = None
    marque: tuple[Nation, Nation] | None = None
    closed: tuple[Zone, ...] = ()
    pending: tuple[Pending, ...] = ()
    """What is still to happen, the next on top."""
    dice: tuple[int, ...] = ()
    """Every die rolled in the last step, in order: they still lie on the table."""
    events: list[Event] = field(default_factory=list)
    """The facts of the step under way; empty between steps."""
    choice_count: int = 0
    ended: str | None = None
    """Why the game ended; None while it goes on."""

    def set_player(self, seat: Seat, player: Player) -> None:
        """Put a changed seat into the place of the old one."""
        self.players = put(self.players, seat, player)

    @property
    def outcome(self) -> Outcome | None:
        """Return the ranks of 8.3 and each seat's points; None while the game goes on."""
        if self.ended is None:
            return None
        return Outcome(
            ranks=rank_by([self._rank_key(player) for player in self.players]),
            reason=self.ended,
            scores=tuple([float(self.points(player)) for player in self.players]),
        )

    def points(self, player: Player) -> int:
        """Track and chest together; the chest counts for half the target at most (6.10)."""
        return player.track + min(self.target_glory // 2, player.chest // CHEST_GOLD_PER_POINT)

    def _rank_key(self, player: Player) -> tuple[int, int, int]:
        """8.3: in a `ten` end those who reached the target come first, whatever their points above it."""
        points = self.points(player)
        if self.ended == "ten":
            points = min(points, self.target_glory)
        return points, player.track, player.chest

    def in_war(self, kind: NpcKind) -> bool:
        """Check whether it is a ship of a nation at war."""
        return self.war is not None and kind.nation in self.war

    def npc_ship_type(self, kind: NpcKind) -> ShipType:
        """Return what an NPC sails now."""
        return kind.ship_type(in_war=self.in_war(kind))
