"""What lies on the table, and how it counts. No rules here.

    captain    a seat: captain, ship, purse, cards       turn      the turn, Port action or raid under way
    board      piles, tokens, NPC ships                  combat    the combat under way

Small things (a ship, an NPC, a volley) are frozen and replaced when they change, so that copies of a state share them;
only what is copied in `State.copy` is changed in place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from referee.agenda import AgendaState, Pending
from referee.chance import Chance
from referee.engine import Outcome, Seat, rank_by
from referee.games.marauders.data.board import CHEST_GOLD_PER_POINT
from referee.games.marauders.events import Event
from referee.games.marauders.state.board import Npc, Pile, PortToken
from referee.games.marauders.state.captain import Hired, Player, Ship
from referee.games.marauders.state.combat import Combat, Fighter, Volley
from referee.games.marauders.state.turn import Raid, Turn, Visit
from referee.games.marauders.terms import Good, Nation, NpcKind, ShipType, Zone

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
    """The whole table. Lists per zone are indexed by zone number - 1, `npcs` by kind - 1."""

    TAG: ClassVar[str] = "State"

    target_glory: int
    npc_policy: bool
    """True: NPCs follow the policy of 6.12; False: the left neighbour of the engaged seat plays them (R18)."""
    chance: Chance
    players: list[Player]
    turn_order: tuple[Seat, ...] = ()
    round: int = 0
    event: str | None = None
    """The event card of the round."""
    turn: Turn | None = None
    visit: Visit | None = None
    raid: Raid | None = None
    combat: Combat | None = None
    event_deck: list[str]
    """The event deck, its last card on top."""
    captains: list[str]
    """The captain deck, its last card on top."""
    used_captains: list[str] = field(default_factory=list)
    cargo: Pile
    glory: Pile
    rumors: Pile
    missions: Pile
    open_missions: list[str]
    demand: list[Good | None]
    supply: list[Good]
    """Demand tokens beside the board, in the order of the cargo table."""
    mods: list[PortToken | None]
    merchants: list[Nation | None]
    merchant_track: list[Nation]
    found: Nation | None = None
    """The nation of the merchant just found, while its finder decides."""
    npcs: list[Npc | None] = field(default_factory=lambda: [None] * len(NpcKind))
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

    def copy(self) -> State:
        """A state that can be changed apart from this one."""
        return State(
            target_glory=self.target_glory,
            npc_policy=self.npc_policy,
            chance=self.chance.copy(),
            players=[player.copy() for player in self.players],
            turn_order=self.turn_order,
            round=self.round,
            event=self.event,
            turn=self.turn and self.turn.copy(),
            visit=self.visit and self.visit.copy(),
            raid=self.raid and self.raid.copy(),
            combat=self.combat and self.combat.copy(),
            event_deck=self.event_deck.copy(),
            captains=self.captains.copy(),
            used_captains=self.used_captains.copy(),
            cargo=self.cargo.copy(),
            glory=self.glory.copy(),
            rumors=self.rumors.copy(),
            missions=self.missions.copy(),
            open_missions=self.open_missions.copy(),
            demand=self.demand.copy(),
            supply=self.supply.copy(),
            mods=self.mods.copy(),
            merchants=self.merchants.copy(),
            merchant_track=self.merchant_track.copy(),
            found=self.found,
            npcs=self.npcs.copy(),
            returning=self.returning,
            war=self.war,
            marque=self.marque,
            closed=self.closed,
            pending=self.pending,
            dice=self.dice,
            events=self.events.copy(),
            choice_count=self.choice_count,
            ended=self.ended,
        )

    @property
    def outcome(self) -> Outcome | None:
        """The ranks of 8.3 and each seat's points; None while the game goes on."""
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

    def npc_ship_type(self, kind: NpcKind) -> ShipType:
        """Pirates as named; naval ships are frigates, or men-o'-war while their nation is at war."""
        if kind == NpcKind.PIRATE_SLOOP:
            return ShipType.SLOOP
        if self.war is not None and kind.nation in self.war:
            return ShipType.MAN_O_WAR
        return ShipType.FRIGATE
