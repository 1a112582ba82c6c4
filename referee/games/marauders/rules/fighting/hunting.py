"""NPCs that look for a captain at sea (6.4, R19)."""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.cards import DECLINE, Decline, PlayGlory, WindowAction
from referee.games.marauders.data.board import ZONES
from referee.games.marauders.rules.dice import roll, skulls
from referee.games.marauders.rules.fighting.combat import NpcAttacks
from referee.games.marauders.rules.fighting.fighters import npc_of
from referee.games.marauders.rules.fighting.npcs import npcs_in
from referee.games.marauders.rules.glory import holds, play, playable
from referee.games.marauders.rules.modifiers import bounty, is_hostile, round_mod
from referee.games.marauders.rules.windows import Window
from referee.games.marauders.state import Player, State
from referee.games.marauders.terms import NpcKind, Roll, ShipType, Side, Timing
from referee.rules.agenda import Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable


@immutable(frozen=True, slots=True)
class ArriveAtSea(Task[State]):
    """A captain moved to, came out into or begins its turn in a sea zone: hostile NPCs scout."""

    TAG: ClassVar[str] = "ArriveAtSea"
    seat: Seat

    def run(self, draft: State) -> None:
        """Let all roll first; those who found the captain attack in random order."""
        player = draft.players[self.seat]
        if player.captain is None or player.in_port:
            return
        finders = []
        for kind in hunters(draft, player):
            dice = roll(draft, Side(npc=kind), Roll.SCOUTING, npc_scouting(draft, kind, player), meets=self.seat)
            if skulls(dice):
                finders.append(kind)
        order = draft.chance.shuffle("npc order", self.seat, finders) if len(finders) > 1 else finders
        push(draft, *[Found(self.seat, NpcAttacks(kind, self.seat)) for kind in order])


def hunters(state: State, player: Player) -> list[NpcKind]:
    """Hostile NPCs of the captain's zone that are not busy with each other."""
    present = npcs_in(state, player.zone)
    return [kind for kind in present if is_hostile(state, kind, player) and not is_busy(state, kind, present)]


def is_busy(state: State, kind: NpcKind, present: tuple[NpcKind, ...]) -> bool:
    """Pirates beside a naval ship, and men-o'-war beside each other, do not scout."""
    if kind.nation is None:
        return any(other.nation is not None for other in present)
    warships = [other for other in present if state.npc_ship_type(other) == ShipType.MAN_O_WAR]
    return kind in warships and len(warships) > 1


def npc_scouting(state: State, kind: NpcKind, player: Player) -> int:
    """Dice of an NPC's Scouting roll."""
    _, dice, _ = npc_of(state, kind).skills
    modifiers = ZONES[player.zone].modifiers
    if kind.nation is not None:
        dice = max(dice, bounty(player, kind.nation))
        dice += modifiers.get("dice.npc_scout.navy", 0) + round_mod(state, "dice.npc_scout.navy")
    dice += modifiers.get("dice.npc_scout", 0) + round_mod(state, "dice.npc_scout")
    return max(1, dice)


@immutable(frozen=True, slots=True)
class Found(Task[State]):
    """A player's or NPC's scouting found a captain, who may evade; otherwise it is attacked."""

    TAG: ClassVar[str] = "Found"
    seat: Seat
    attack: Task[State]

    def run(self, draft: State) -> None:
        """Ask only a captain who lives and holds a card."""
        player = draft.players[self.seat]
        if player.captain is None:
            return
        push(draft, AskEvade(self.seat, self.attack) if holds(player, Timing.SCOUTED) else self.attack)


@immutable(frozen=True, slots=True)
class AskEvade(Window[WindowAction]):
    """`w_scouted`."""

    TAG: ClassVar[str] = "AskEvade"
    kind: ClassVar[str] = "w_scouted"
    attack: Task[State]

    def options(self, state: State) -> list[WindowAction]:
        """Decline, or a card."""
        return [DECLINE, *each(PlayGlory, playable(state.players[self.seat], Timing.SCOUTED))]

    def choose(self, draft: State, action: WindowAction) -> None:
        """Evade by a card; otherwise the attack follows."""
        match action:
            case PlayGlory():
                play(draft, self.seat, action)
            case Decline():
                push(draft, self.attack)
            case _:
                assert_never(action)
