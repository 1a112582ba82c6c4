"""After a combat: who dies, who takes what (6.9 "Aftermath", R3, R15, R29, R30)."""

from __future__ import annotations

from typing import ClassVar

from referee.games.marauders.actions import each
from referee.games.marauders.actions.combat import KEEP_SHIP, KeepShip, TakeShip
from referee.games.marauders.cards.missions import DefeatNavy, DefeatPirate
from referee.games.marauders.data.board import BOUNTY_REWARD, PIRATE_REWARDS, RAID_CARDS
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.events.combat import CombatEnded
from referee.games.marauders.events.port import ShipTaken, SpecialistJoined, WeaponTaken
from referee.games.marauders.rules.death import Die
from referee.games.marauders.rules.fighting.fighters import combat_of
from referee.games.marauders.rules.fighting.npcs import RemoveNpc
from referee.games.marauders.rules.glory import ScorePoint, TrimHand
from referee.games.marauders.rules.hold import TrimCargo
from referee.games.marauders.rules.modifications import place_modifications
from referee.games.marauders.rules.modifiers import at_war, bounty, captain_of
from referee.games.marauders.rules.piles import discard_cargo, draw_cards, take_cargo
from referee.games.marauders.rules.purse import change_bounty, gain, pay
from referee.games.marauders.rules.quests import CheckTask, CompleteMission, offer_rumors
from referee.games.marauders.rules.rewards import has_specialist, ship_of
from referee.games.marauders.rules.ships import missing, set_ship, with_value
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import Fighter, Player, Ship, State
from referee.games.marauders.terms import NATIONS, WEAPONS, CombatEnd, Feat, Nation, NpcKind, Section
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


def finish(draft: State, winner: int | None, end: CombatEnd) -> None:
    """End a combat: `winner` is 0 for the attacker, 1 for the defender. What is due follows."""
    fighters = combat_of(draft).fighters
    tell(draft, CombatEnded, None if winner is None else fighters[winner].side, end)
    push(draft, CloseCombat())
    if winner is None:
        if end == CombatEnd.SUNK:
            push(draft, *[_lost(fighter) for fighter in fighters])
        return
    won, lost = fighters[winner].side, fighters[1 - winner]
    if won.seat is None:
        push(draft, _lost(lost))
    elif lost.side.seat is not None:
        push(draft, *spoils_of_player(draft, won.seat, lost.side.seat, end))
    elif lost.side.npc is None:
        push(draft, CompleteMission(won.seat))
    elif lost.side.npc.nation is not None:
        push(draft, *spoils_of_navy(draft, won.seat, lost.side.npc, lost.side.npc.nation, lost.ship, end))
    else:
        push(draft, *spoils_of_pirate(draft, won.seat, lost.side.npc, lost.ship, end))


def _lost(fighter: Fighter) -> Task[State]:
    """Return what becomes of a loser: a captain dies, an NPC that sank is gone."""
    if fighter.side.seat is not None:
        return Die(fighter.side.seat)
    assert fighter.side.npc is not None
    return RemoveNpc(fighter.side.npc)


@immutable(frozen=True, slots=True)
class CloseCombat(Task[State]):
    """The combat is over and its spoils are shared out."""

    TAG: ClassVar[str] = "CloseCombat"

    def run(self, draft: State) -> None:
        """Clear it from the table."""
        draft.combat = None


def spoils_of_navy(
    draft: State, seat: Seat, npc: NpcKind, nation: Nation, prize: Ship, end: CombatEnd
) -> list[Task[State]]:
    """Return the spoils of a naval ship: a bounty always; boarded, its cargo and the ship itself."""
    change_bounty(draft, seat, nation, 1)
    tasks: list[Task[State]] = [RemoveNpc(npc), ScorePoint(seat, Feat.NAVY), CheckTask(seat, DefeatNavy())]
    if end == CombatEnd.CREW:
        cards = plunder(draft, seat, prize)
        tasks = [OfferPrize(seat, prize), StowPlunder(seat, cards), *tasks]
    return tasks


def plunder(draft: State, seat: Seat, prize: Ship) -> tuple[str, ...]:
    """3 cargo cards: their loot in gold, and the cards but one per damage to the prize's Cargo."""
    cards = draw_cards(draft, draft.cargo, RAID_CARDS)
    gain(draft, seat, sum(CARGO[card].loot for card in cards))
    spoiled = []
    for _ in range(min(len(cards), missing(prize, Section.CARGO))):
        spoiled.append(cards.pop(draft.chance.draw("plunder", seat, len(cards))))
    discard_cargo(draft, seat, spoiled)
    return tuple(cards)


def spoils_of_pirate(draft: State, seat: Seat, npc: NpcKind, prize: Ship, end: CombatEnd) -> list[Task[State]]:
    """Return the spoils of a pirate NPC: a reward for captains without bounty; boarded, the ship."""
    if not any(draft.players[seat].bounties):
        gain(draft, seat, PIRATE_REWARDS[prize.type])
    tasks: list[Task[State]] = [RemoveNpc(npc), ScorePoint(seat, Feat.PIRATE), CheckTask(seat, DefeatPirate())]
    if end == CombatEnd.CREW:
        tasks = [OfferPrize(seat, prize), TrimCargo(seat), *tasks]
    return tasks


def spoils_of_player(draft: State, seat: Seat, loser: Seat, end: CombatEnd) -> list[Task[State]]:
    """Another captain: the reward for its head; boarded, everything useful (R29). The loser dies last."""
    gain(draft, seat, head_money(draft, draft.players[seat], draft.players[loser]))
    tasks: list[Task[State]] = [ScorePoint(seat, Feat.PLAYER), Die(loser)]
    if end == CombatEnd.CREW:
        loot_purse_and_men(draft, seat, loser)
        prize = ship_of(draft.players[loser])
        tasks = [OfferPrize(seat, prize, loser), LootCargo(seat, loser), LootCards(seat, loser), *tasks]
    return tasks


def head_money(state: State, winner: Player, loser: Player) -> int:
    """5 gold per bounty of one nation, the best that neither wants the winner nor is at war with its nation (R3)."""
    payers = [
        nation
        for nation in NATIONS
        if not bounty(winner, nation) and not at_war(state, nation, captain_of(winner).nation)
    ]
    return BOUNTY_REWARD * max((bounty(loser, nation) for nation in payers), default=0)


def loot_purse_and_men(draft: State, seat: Seat, loser: Seat) -> None:
    """Gold aboard, weapons and specialists the winner lacks."""
    gold = draft.players[loser].gold
    pay(draft, loser, gold)
    gain(draft, seat, gold)
    player, beaten = draft.players[seat], draft.players[loser]
    for weapon in beaten.weapons:
        if weapon not in player.weapons:
            tell(draft, WeaponTaken, seat, weapon)
    weapons = tuple([weapon for weapon in WEAPONS if weapon in player.weapons + beaten.weapons])
    joining = tuple([hired for hired in beaten.specialists if not has_specialist(player, hired.specialist)])
    for hired in joining:
        tell(draft, SpecialistJoined, seat, hired.specialist)
    staying = tuple([hired for hired in beaten.specialists if hired not in joining])
    draft.set_player(seat, replace(player, weapons=weapons, specialists=player.specialists + joining))
    draft.set_player(loser, replace(beaten, weapons=(), specialists=staying))


@immutable(frozen=True, slots=True)
class LootCargo(Task[State]):
    """All cargo of a beaten captain, then down to the limit."""

    TAG: ClassVar[str] = "LootCargo"
    seat: Seat
    loser: Seat

    def run(self, draft: State) -> None:
        """Move the cards from hold to hold."""
        beaten = draft.players[self.loser]
        take_cargo(draft, self.seat, beaten.cargo, hidden=True)
        draft.set_player(self.loser, replace(beaten, cargo=()))
        push(draft, TrimCargo(self.seat))


@immutable(frozen=True, slots=True)
class LootCards(Task[State]):
    """All glory cards of a beaten captain, then its rumor."""

    TAG: ClassVar[str] = "LootCards"
    seat: Seat
    loser: Seat

    def run(self, draft: State) -> None:
        """Move the cards from hand to hand."""
        player, beaten = draft.players[self.seat], draft.players[self.loser]
        draft.set_player(self.seat, replace(player, glory=player.glory + beaten.glory))
        draft.set_player(self.loser, replace(beaten, glory=()))
        push(draft, TrimHand(self.seat), LootRumor(self.seat, self.loser))


@immutable(frozen=True, slots=True)
class LootRumor(Task[State]):
    """The rumor of a beaten captain."""

    TAG: ClassVar[str] = "LootRumor"
    seat: Seat
    loser: Seat

    def run(self, draft: State) -> None:
        """Let the winner keep one of the two rumors."""
        beaten = draft.players[self.loser]
        if beaten.rumor is not None:
            draft.set_player(self.loser, replace(beaten, rumor=None))
            offer_rumors(draft, self.seat, (beaten.rumor,))


@immutable(frozen=True, slots=True)
class OfferPrize(Task[State]):
    """The winner of a crew combat at sea may change ships; `loser` is the prize's former seat."""

    TAG: ClassVar[str] = "OfferPrize"
    seat: Seat
    prize: Ship
    loser: Seat | None = None

    def run(self, draft: State) -> None:
        """Ask the winner."""
        push(draft, AskCapture(self.seat, self))


@immutable(frozen=True, slots=True)
class AskCapture(SeatQuestion[State, KeepShip | TakeShip]):
    """`capture`: keep one's own ship, or take the prize as it is."""

    TAG: ClassVar[str] = "AskCapture"
    kind: ClassVar[str] = "capture"
    offer: OfferPrize

    def options(self, state: State) -> list[KeepShip | TakeShip]:
        """Keep the own ship, or take the prize."""
        return [KEEP_SHIP, *each(TakeShip, (self.offer.prize.type,))]

    def choose(self, draft: State, action: KeepShip | TakeShip) -> None:
        """Take the ship: the crew comes along as far as there is room; the old ship's modifications go back to
        ports."""
        if isinstance(action, KeepShip):
            return
        old, prize = ship_of(draft.players[self.seat]), self.offer.prize
        crew = min(old.value(Section.CREW), prize.maximum(Section.CREW))
        set_ship(draft, self.seat, with_value(prize, Section.CREW, crew))
        loser = self.offer.loser
        if loser is not None:
            draft.set_player(loser, replace(draft.players[loser], ship=None))
        tell(draft, ShipTaken, self.seat, prize.type, True)
        place_modifications(draft, self.seat, old.mods)


@immutable(frozen=True, slots=True)
class StowPlunder(Task[State]):
    """The cards of a naval ship join the hold."""

    TAG: ClassVar[str] = "StowPlunder"
    seat: Seat
    cards: tuple[str, ...]

    def run(self, draft: State) -> None:
        """Take them aboard, then throw the excess overboard."""
        take_cargo(draft, self.seat, self.cards, hidden=False)
        push(draft, TrimCargo(self.seat))
