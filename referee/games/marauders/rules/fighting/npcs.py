"""NPC ships on the board: icons that move them, entry, replacement, removal, return (6.3, 6.13, R2)."""

from __future__ import annotations

from typing import ClassVar

from referee.games.marauders.data.board import ADJACENT, LINKS, WAR_BASES
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.events.round import NpcEntered, NpcLeft, NpcMoved
from referee.games.marauders.rules.fighting.fighters import npc_of
from referee.games.marauders.rules.modifiers import at_war, bounty, captain_of, is_hostile
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import Npc, Player, State
from referee.games.marauders.terms import NATIONS, NpcKind, Wind, Zone
from referee.rules.agenda import Task
from referee.rules.chance import TABLE
from referee.rules.engine import Seat
from referee.rules.parts import immutable, put, replace

WINDS = tuple(Wind)


def npcs_in(state: State, zone: Zone) -> tuple[NpcKind, ...]:
    """NPCs of a zone, in list order."""
    return tuple([npc.kind for npc in state.npcs if npc is not None and npc.zone == zone])


def set_npc(draft: State, kind: NpcKind, npc: Npc | None) -> None:
    """Set an NPC as it is now; None: it is not in play."""
    draft.npcs = put(draft.npcs, kind - 1, npc)


def move_npc(draft: State, kind: NpcKind, zone: Zone) -> None:
    """Let an NPC sail; scouting is never triggered by it."""
    npc = npc_of(draft, kind)
    if npc.zone != zone:
        set_npc(draft, kind, replace(npc, zone=zone))
        tell(draft, NpcMoved, kind, zone)


def follow_icon(draft: State, kind: NpcKind, wind: Wind) -> None:
    """6.3: hunt the best prey in reach, else drift."""
    if draft.npcs[kind - 1] is not None:
        prey = find_prey(draft, kind)
        move_npc(draft, kind, drift(npc_of(draft, kind).zone, wind) if prey is None else draft.players[prey].zone)


def find_prey(draft: State, kind: NpcKind) -> Seat | None:
    """Return the captain an NPC hunts among those in its zone or beside it; ties at random."""
    zone = npc_of(draft, kind).zone
    reach = (zone, *ADJACENT[zone])
    prey = [
        Seat(seat)
        for seat, player in enumerate(draft.players)
        if player.captain is not None and player.zone in reach and is_hostile(draft, kind, player)
    ]
    if not prey:
        return None
    best = max(attraction(draft, kind, draft.players[seat]) for seat in prey)
    prey = [seat for seat in prey if attraction(draft, kind, draft.players[seat]) == best]
    if len(prey) == 1:
        return prey[0]
    return prey[draft.chance.draw(f"npc {kind.id} prey", TABLE, len(prey))]


def attraction(state: State, kind: NpcKind, player: Player) -> tuple[int, ...]:
    """Return what an NPC compares: bounties and war for the navies, gold and cargo for pirates."""
    nation = kind.nation
    if nation is None:
        return player.gold, len(player.cargo)
    own = bounty(player, nation)
    return own, sum(player.bounties) - own, int(at_war(state, nation, captain_of(player).nation))


def drift(zone: Zone, wind: Wind) -> Zone:
    """Return the first link found clockwise from the wind (R2)."""
    links = LINKS[zone]
    start = WINDS.index(wind)
    return next(links[other] for other in WINDS[start:] + WINDS[:start] if other in links)


@immutable(frozen=True, slots=True)
class RemoveNpc(Task[State]):
    """A beaten NPC: its top card leaves the game, one of those beneath comes back at the end of the round."""

    TAG: ClassVar[str] = "RemoveNpc"
    kind: NpcKind

    def run(self, draft: State) -> None:
        """Take the ship off the board."""
        beneath = npc_of(draft, self.kind).cards[1:]
        set_npc(draft, self.kind, None)
        tell(draft, NpcLeft, self.kind)
        if beneath:
            place = draft.chance.draw(f"npc {self.kind.id} return", TABLE, len(beneath))
            cards = (beneath[place], *beneath[:place], *beneath[place + 1 :])
            draft.returning += (Npc(self.kind, cards, card_zone(cards[0])),)


def card_zone(card: str) -> Zone:
    """Return where an NPC card enters."""
    row = EVENTS[card].npc
    assert row is not None
    return row.zone


def bring_back(draft: State) -> None:
    """Round end (1): beaten NPCs with cards beneath return."""
    for npc in draft.returning:
        set_npc(draft, npc.kind, npc)
        tell(draft, NpcEntered, npc.kind, npc.cards[0], npc.zone)
    draft.returning = ()


def enter_card(draft: State, card: str) -> None:
    """Round end (2): the card goes on top of its ship's pile, or the ship enters; war admirals are replaced."""
    row = EVENTS[card].npc
    assert row is not None
    present = draft.npcs[row.kind - 1]
    beneath = () if present is None else present.cards
    set_npc(draft, row.kind, Npc(row.kind, (card, *beneath), row.zone))
    tell(draft, NpcEntered, row.kind, card, row.zone)


def enter_admirals(draft: State) -> None:
    """Round end (3), after `WAR`: nations at war without a ship in play get an admiral."""
    for nation in NATIONS:
        kind = NpcKind(nation.value)
        if draft.war is not None and nation in draft.war and draft.npcs[kind - 1] is None:
            set_npc(draft, kind, Npc(kind, (), WAR_BASES[nation]))
            tell(draft, NpcEntered, kind, None, WAR_BASES[nation])


def dismiss_admirals(draft: State) -> None:
    """War admirals of nations no longer at war leave at once."""
    for npc in draft.npcs:
        if npc is not None and not npc.cards and (draft.war is None or npc.kind.nation not in draft.war):
            set_npc(draft, npc.kind, None)
            tell(draft, NpcLeft, npc.kind)
