"""Glory cards of the timings `act` and `port`: when they are legal and what they do (cards file A.2, A.3)."""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.cards import PlayGlory
from referee.games.marauders.cards.effects import (
    Actions,
    CrewFull,
    DrawRumor,
    FreeMod,
    Gold,
    HireSpecialist,
    MoveNpc,
    PardonPrice,
    PortMod,
    RepairAll,
    ShiftDemand,
    StashHere,
    Weapons,
)
from referee.games.marauders.data.board import ADJACENT
from referee.games.marauders.data.glory import MENU_CARDS
from referee.games.marauders.rules.ashore.market import AskDemand, draw_demand, visit_of
from referee.games.marauders.rules.fighting.npcs import move_npc
from referee.games.marauders.rules.glory import play, playable, take_from_hand, tell_played
from referee.games.marauders.rules.modifications import offered_modification, take_modification
from referee.games.marauders.rules.modifiers import bounty, pool
from referee.games.marauders.rules.purse import available, change_bounty, gain, pay
from referee.games.marauders.rules.quests import DrawRumors
from referee.games.marauders.rules.rewards import (
    fill_crew,
    has_specialist,
    join,
    needs_repair,
    repair_everything,
    ship_of,
    take_missing_weapons,
)
from referee.games.marauders.rules.ships import missing
from referee.games.marauders.rules.skill_tests import SkillTest
from referee.games.marauders.state import State
from referee.games.marauders.terms import NATIONS, WEAPONS, Section, Timing
from referee.rules.agenda import Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


def card_entries(state: State, seat: Seat) -> list[PlayGlory]:
    """Playable cards with their parameters, in the order of the card table."""
    player = state.players[seat]
    if not player.glory:
        return []
    timings = (Timing.ACT,) if state.visit is None else (Timing.ACT, Timing.PORT)
    entries: list[PlayGlory] = []
    for card in playable(player, *timings):
        entries += entries_of(state, seat, card)
    return entries


def entries_of(state: State, seat: Seat, card: str) -> list[PlayGlory]:
    """Return the ways to play one card now; none if it would be illegal."""
    player = state.players[seat]
    effect = MENU_CARDS[card]
    match effect:
        case MoveNpc():
            npcs = [npc for npc in state.npcs if npc is not None]
            return [PlayGlory(card, npc=npc.kind, zone=zone) for npc in npcs for zone in ADJACENT[npc.zone]]
        case PardonPrice(price):
            most = available(state, seat) // price
            return [
                PlayGlory(card, nation=nation, count=count)
                for nation in NATIONS
                for count in range(1, min(bounty(player, nation), most) + 1)
            ]
        case HireSpecialist(specialist, price):
            legal = not has_specialist(player, specialist) and (
                price <= available(state, seat) and card not in visit_of(state).tried_cards
            )
        case RepairAll():
            legal = needs_repair(ship_of(player))
        case CrewFull():
            legal = missing(ship_of(player), Section.CREW) > 0
        case Weapons():
            legal = len(player.weapons) < len(WEAPONS)
        case StashHere():
            legal = not visit_of(state).vault
        case FreeMod():
            legal = offered_modification(state, seat) is not None
        case Gold() | Actions() | PortMod() | DrawRumor() | ShiftDemand():
            legal = True
        case _:
            assert_never(effect)
    return [*each(PlayGlory, (card,))] if legal else []


def play_card(draft: State, seat: Seat, action: PlayGlory) -> None:
    """Play a card: it goes to the discard and takes effect; a specialist goes to the board."""
    effect = MENU_CARDS[action.card]
    if isinstance(effect, HireSpecialist):
        hire_specialist(draft, seat, action, effect)
        return
    play(draft, seat, action)
    match effect:
        case Gold(gold):
            gain(draft, seat, gold)
        case Actions(count):
            assert draft.turn is not None
            draft.turn = replace(draft.turn, actions=draft.turn.actions + count)
        case PardonPrice(price):
            assert action.nation is not None
            pay(draft, seat, price * action.count)
            change_bounty(draft, seat, action.nation, -action.count)
        case MoveNpc():
            assert action.npc is not None
            assert action.zone is not None
            move_npc(draft, action.npc, action.zone)
        case RepairAll():
            repair_everything(draft, seat)
        case CrewFull():
            fill_crew(draft, seat)
        case Weapons():
            take_missing_weapons(draft, seat)
        case StashHere():
            draft.visit = replace(visit_of(draft), vault=True)
        case PortMod():
            visit = visit_of(draft)
            draft.visit = replace(visit, played=(*visit.played, action.card))
        case FreeMod():
            take_modification(draft, seat)
        case DrawRumor(count):
            push(draft, DrawRumors(seat, count))
        case ShiftDemand(count):
            most = min(count, len(draft.supply))
            push(draft, AskDemand(seat, tuple(draw_demand(draft, seat) for _ in range(most))))
        case _:
            assert_never(effect)


def hire_specialist(draft: State, seat: Seat, action: PlayGlory, hire: HireSpecialist) -> None:
    """Against gold, or with a roll whose failure leaves the card in hand."""
    tell_played(draft, seat, action)
    pay(draft, seat, hire.price)
    joins = SpecialistHired(seat, action.card, hire)
    if hire.skill is None:
        push(draft, joins)
        return
    visit = visit_of(draft)
    draft.visit = replace(visit, tried_cards=(*visit.tried_cards, action.card))
    push(draft, SkillTest(seat=seat, skill=hire.skill, pool=pool(draft, seat, hire.skill), success=(joins,)))


@immutable(frozen=True, slots=True)
class SpecialistHired(Task[State]):
    """The card moves from the hand to the board."""

    TAG: ClassVar[str] = "SpecialistHired"
    seat: Seat
    card: str
    hire: HireSpecialist

    def run(self, draft: State) -> None:
        """Move the card."""
        take_from_hand(draft, self.seat, self.card)
        join(draft, self.seat, self.hire.specialist, self.card)
