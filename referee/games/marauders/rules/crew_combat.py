"""Crew combat, on deck or in a town (6.9 step 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from referee.errors import RulesError
from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import Decline, PlayGlory
from referee.games.marauders.cards.effects import CrewDice, CrewHeal
from referee.games.marauders.data.board import COMBAT_ROUNDS
from referee.games.marauders.data.glory import GLORY
from referee.games.marauders.events.combat import Boarded
from referee.games.marauders.rules.aftermath import finish
from referee.games.marauders.rules.dice import plain_sum, skulls
from referee.games.marauders.rules.fighters import combat_of, has_built, lose_crew, player_of, roll_for, trait
from referee.games.marauders.rules.glory import play, playable
from referee.games.marauders.rules.rewards import set_crew
from referee.games.marauders.rules.roll_window import RollWindow
from referee.games.marauders.rules.ships import maximum, missing
from referee.games.marauders.state import Fighter, SeatQuestion, State, Step
from referee.games.marauders.terms import CombatEnd, Modification, Roll, Section, Side, Timing

SWIVEL_DICE = 2


def begin_boarding(draft: State, side: Side) -> None:
    """Over the rail: cards of both sides, swivel guns, then round by round."""
    combat_of(draft).boarding = True
    draft.tell(Boarded(side))
    draft.push(OfferCrewStart(0), OfferCrewStart(1), SwivelGuns(), CrewRound())


def crew_of(fighter: Fighter) -> int:
    """Men standing."""
    return fighter.ship.value(Section.CREW)


@dataclass(frozen=True, slots=True)
class OfferCrewStart(Step):
    """Cards before the first round, as long as one is playable."""

    index: int

    def run(self, draft: State) -> None:
        """Ask if there is one."""
        seat = combat_of(draft).fighters[self.index].side.seat
        if seat is not None and start_cards(draft, self.index):
            draft.push(AskCrewStart(seat, self.index))


def start_cards(state: State, index: int) -> list[str]:
    """Playable cards; healing only a crew that is not full."""
    fighter = combat_of(state).fighters[index]
    player = player_of(state, fighter)
    if player is None:
        return []
    wounded = missing(fighter.ship, Section.CREW) > 0
    cards = playable(player, Timing.CREW_START)
    return [card for card in cards if wounded or not isinstance(GLORY[card].effect, CrewHeal)]


@dataclass(frozen=True, slots=True)
class AskCrewStart(SeatQuestion):
    """`w_crew_start`, repeated."""

    kind: ClassVar[str] = "w_crew_start"
    index: int

    def options(self, state: State) -> list[Action]:
        """Decline, or a card."""
        return [Decline(), *(PlayGlory(card) for card in start_cards(state, self.index))]

    def chosen(self, draft: State, action: Action) -> None:
        """Play it, and ask again."""
        if isinstance(action, Decline):
            return
        if not isinstance(action, PlayGlory):
            raise RulesError(f"{self.kind}: {action!r}")
        play(draft, self.seat, action)
        fighter = combat_of(draft).fighters[self.index]
        match GLORY[action.card].effect:
            case CrewDice(count):
                fighter.crew_dice += count
            case CrewHeal(count):
                most = maximum(fighter.ship, Section.CREW)
                set_crew(draft, self.seat, min(most, crew_of(fighter) + count))
                ship = draft.players[self.seat].ship
                assert ship is not None
                fighter.ship = ship
            case _:
                raise RulesError(f"{action.card} does nothing here")
        draft.push(OfferCrewStart(self.index))


@dataclass(frozen=True, slots=True)
class SwivelGuns(Step):
    """Both sides' swivel guns at once, at sea only: any skull costs the enemy 1 Crew."""

    def run(self, draft: State) -> None:
        """Roll for those who have them."""
        combat = combat_of(draft)
        if not combat.at_sea:
            return
        fired = [
            has_built(fighter, Modification.SWIVEL_GUNS)
            and skulls(roll_for(draft, index, Roll.SWIVEL_GUNS, SWIVEL_DICE)) > 0
            for index, fighter in enumerate(combat.fighters)
        ]
        for index, fighter in enumerate(combat.fighters):
            lose_crew(draft, fighter, int(fired[1 - index]))


@dataclass(frozen=True, slots=True)
class CrewRound(Step):
    """a. Whoever has no Crew has lost; b. both roll."""

    def run(self, draft: State) -> None:
        """After 20 rounds nobody has won."""
        combat = combat_of(draft)
        alive = [crew_of(fighter) > 0 for fighter in combat.fighters]
        if not all(alive):
            finish(draft, alive.index(True) if any(alive) else None, CombatEnd.CREW)
        elif combat.crew_round == COMBAT_ROUNDS:
            finish(draft, None, CombatEnd.NOBODY)
        else:
            combat.crew_round += 1
            for index, fighter in enumerate(combat.fighters):
                fighter.dice = roll_for(draft, index, Roll.CREW, crew_pool(draft, fighter))
            draft.push(RollWindow(Timing.CREW, DecideCrewRound()))


def crew_pool(state: State, fighter: Fighter) -> int:
    """Leadership, modifiers, and card dice in the first round."""
    dice = fighter.leadership + trait(state, fighter, "dice.crew")
    if combat_of(state).crew_round == 1:
        dice += fighter.crew_dice
    return max(1, dice)


@dataclass(frozen=True, slots=True)
class DecideCrewRound(Step):
    """c. Losses at once; d. if both crews are gone, skulls and then sums decide."""

    def run(self, draft: State) -> None:
        """Each side loses at most as many men as fought against it."""
        fighters = combat_of(draft).fighters
        losses = [min(skulls(enemy.dice), crew_of(enemy)) for enemy in reversed(fighters)]
        for fighter, loss in zip(fighters, losses, strict=True):
            lose_crew(draft, fighter, loss)
        if any(crew_of(fighter) for fighter in fighters):
            draft.push(CrewRound())
            return
        keys = [(skulls(fighter.dice), plain_sum(fighter.dice)) for fighter in fighters]
        winner = None if keys[0] == keys[1] else int(keys[1] > keys[0])
        finish(draft, winner, CombatEnd.CREW)
