"""The verbs that rumors and missions share (cards file A.2): what a proved quest gives, reward by reward."""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.port import Pardon
from referee.games.marauders.cards.effects import (
    BecomeSpecialist,
    Cargo,
    CrewFull,
    GloryCards,
    Gold,
    Keep,
    PardonFree,
    RepairAll,
    Reward,
    Weapons,
)
from referee.games.marauders.data.board import DOUBLE_SPECIALIST_GOLD
from referee.games.marauders.data.quests import MISSIONS, RUMORS
from referee.games.marauders.events.port import (
    CardKept,
    CrewJoined,
    HullRestored,
    SectionRepaired,
    SpecialistJoined,
    WeaponTaken,
)
from referee.games.marauders.rules.glory import DrawGlory
from referee.games.marauders.rules.hold import TrimCargo
from referee.games.marauders.rules.piles import discard, draw_cards, take_cargo
from referee.games.marauders.rules.purse import change_bounty, gain
from referee.games.marauders.rules.ships import REPAIRABLE, damaged_sections, missing, repair_all, set_ship, with_value
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import Hired, Player, Ship, State
from referee.games.marauders.terms import NATIONS, WEAPONS, Section, Specialist
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


def rewards_of(card: str) -> tuple[Reward, ...]:
    """Return what a rumor or a mission gives."""
    return RUMORS[card].rewards if card in RUMORS else MISSIONS[card].rewards


def lay_down(draft: State, seat: Seat, card: str) -> None:
    """Lay down a proved quest card: on the board if it stays there, else on its discard."""
    player = draft.players[seat]
    for reward in rewards_of(card):
        if isinstance(reward, BecomeSpecialist) and not has_specialist(player, reward.specialist):
            join(draft, seat, reward.specialist, card)
            return
        if isinstance(reward, Keep):
            draft.set_player(seat, replace(player, kept=(*player.kept, card)))
            rumor, mission = (card, None) if card in RUMORS else (None, card)
            tell(draft, CardKept, seat, rumor, mission)
            return
    discard(draft, card)


@immutable(frozen=True, slots=True)
class GiveReward(Task[State]):
    """One reward of a card that was laid down."""

    TAG: ClassVar[str] = "GiveReward"
    seat: Seat
    card: str
    reward: Reward

    def run(self, draft: State) -> None:
        """Carry the verb out."""
        match self.reward:
            case Gold(gold):
                gain(draft, self.seat, gold)
            case Cargo(count):
                take_cargo(draft, self.seat, draw_cards(draft, draft.cargo, count), hidden=True)
                if not draft.players[self.seat].in_port:
                    push(draft, TrimCargo(self.seat))
            case Weapons():
                take_missing_weapons(draft, self.seat)
            case RepairAll():
                repair_everything(draft, self.seat)
            case CrewFull():
                fill_crew(draft, self.seat)
            case GloryCards(count):
                push(draft, DrawGlory(self.seat, count))
            case PardonFree(count):
                push(draft, OfferPardon(self.seat, count))
            case BecomeSpecialist():
                if all(hired.card != self.card for hired in draft.players[self.seat].specialists):
                    gain(draft, self.seat, DOUBLE_SPECIALIST_GOLD)
            case Keep():
                pass  # laid down on the board already
            case _:
                assert_never(self.reward)


@immutable(frozen=True, slots=True)
class OfferPardon(Task[State]):
    """`PARDON_FREE`: as often as said, or until no bounty is left."""

    TAG: ClassVar[str] = "OfferPardon"
    seat: Seat
    count: int

    def run(self, draft: State) -> None:
        """Ask for the next one."""
        if self.count and any(draft.players[self.seat].bounties):
            push(draft, AskPardon(self.seat), OfferPardon(self.seat, self.count - 1))


@immutable(frozen=True, slots=True)
class AskPardon(SeatQuestion[State, Pardon]):
    """`pardon`: a nation with a bounty on the seat."""

    TAG: ClassVar[str] = "AskPardon"
    kind: ClassVar[str] = "pardon"

    def options(self, state: State) -> tuple[Pardon, ...]:
        """Nations in order."""
        bounties = state.players[self.seat].bounties
        return each(Pardon, tuple([nation for nation in NATIONS if bounties[nation - 1]]))

    def choose(self, draft: State, action: Pardon) -> None:
        """Lower the bounty by one."""
        change_bounty(draft, self.seat, action.nation, -1)


def has_specialist(player: Player, specialist: Specialist) -> bool:
    """Check whether one of that kind is on the board."""
    return any(hired.specialist == specialist for hired in player.specialists)


def join(draft: State, seat: Seat, specialist: Specialist, card: str) -> None:
    """Make a card a specialist on the board."""
    player = draft.players[seat]
    draft.set_player(seat, replace(player, specialists=(*player.specialists, Hired(specialist, card))))
    tell(draft, SpecialistJoined, seat, specialist)


def take_missing_weapons(draft: State, seat: Seat) -> None:
    """Give the seat every special weapon kind it lacks."""
    player = draft.players[seat]
    for weapon in WEAPONS:
        if weapon not in player.weapons:
            tell(draft, WeaponTaken, seat, weapon)
    draft.set_player(seat, replace(player, weapons=WEAPONS))


def ship_of(player: Player) -> Ship:
    """Return the ship of a captain who has one."""
    assert player.ship is not None
    return player.ship


def needs_repair(ship: Ship) -> bool:
    """Damage outside Crew, or a flipped reinforced hull."""
    return ship.flipped or bool(damaged_sections(ship))


def repair_everything(draft: State, seat: Seat) -> None:
    """Repair all sections but Crew, and the reinforced hull."""
    ship = ship_of(draft.players[seat])
    for section in REPAIRABLE:
        if points := missing(ship, section):
            tell(draft, SectionRepaired, seat, section, points)
    if ship.flipped:
        tell(draft, HullRestored, seat)
    set_ship(draft, seat, repair_all(ship))


def set_crew(draft: State, seat: Seat, crew: int) -> None:
    """Sailors come aboard."""
    ship = ship_of(draft.players[seat])
    if joined := crew - ship.value(Section.CREW):
        tell(draft, CrewJoined, seat, joined)
    set_ship(draft, seat, with_value(ship, Section.CREW, crew))


def fill_crew(draft: State, seat: Seat) -> None:
    """Crew to its maximum."""
    set_crew(draft, seat, ship_of(draft.players[seat]).maximum(Section.CREW))
