"""Crew combat, on deck or in a town (6.9 step 3)."""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.cards import DECLINE, Decline, PlayGlory, WindowAction
from referee.games.marauders.cards.effects import CrewDice, CrewHeal
from referee.games.marauders.data.board import COMBAT_ROUNDS
from referee.games.marauders.data.glory import CREW_CARDS
from referee.games.marauders.events.combat import Boarded
from referee.games.marauders.rules.dice import plain_sum, skulls
from referee.games.marauders.rules.fighting.aftermath import finish
from referee.games.marauders.rules.fighting.fighters import (
    combat_of,
    has_built,
    lose_crew,
    player_of,
    roll_for,
    set_dice,
    set_fighter,
    trait,
)
from referee.games.marauders.rules.fighting.roll_window import RollWindow
from referee.games.marauders.rules.glory import play, playable
from referee.games.marauders.rules.rewards import set_crew, ship_of
from referee.games.marauders.rules.ships import missing
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.rules.windows import Window
from referee.games.marauders.state import Fighter, State
from referee.games.marauders.terms import CombatEnd, Modification, Roll, Section, Side, Timing
from referee.rules.agenda import Task, push
from referee.rules.parts import immutable, replace

SWIVEL_DICE = 2


def begin_boarding(draft: State, side: Side) -> None:
    """Over the rail: cards of both sides, swivel guns, then round by round."""
    draft.combat = replace(combat_of(draft), boarding=True)
    tell(draft, Boarded, side)
    push(draft, OfferCrewStart(0), OfferCrewStart(1), SwivelGuns(), CrewRound())


def crew_of(fighter: Fighter) -> int:
    """Return the Crew that is left."""
    return fighter.ship.value(Section.CREW)


@immutable(frozen=True, slots=True)
class OfferCrewStart(Task[State]):
    """Cards before the first round, as long as one is playable."""

    TAG: ClassVar[str] = "OfferCrewStart"
    index: int

    def run(self, draft: State) -> None:
        """Ask if the side has a playable card."""
        seat = combat_of(draft).fighters[self.index].side.seat
        if seat is not None and start_cards(draft, self.index):
            push(draft, AskCrewStart(seat, self.index))


def start_cards(state: State, index: int) -> tuple[str, ...]:
    """Playable cards; healing only a crew that is not full."""
    fighter = combat_of(state).fighters[index]
    player = player_of(state, fighter)
    if player is None:
        return ()
    wounded = missing(fighter.ship, Section.CREW) > 0
    cards = playable(player, Timing.CREW_START)
    return tuple([card for card in cards if wounded or not isinstance(CREW_CARDS[card], CrewHeal)])


@immutable(frozen=True, slots=True)
class AskCrewStart(Window[WindowAction]):
    """`w_crew_start`, repeated."""

    TAG: ClassVar[str] = "AskCrewStart"
    kind: ClassVar[str] = "w_crew_start"
    index: int

    def options(self, state: State) -> list[WindowAction]:
        """Decline, or a card."""
        return [DECLINE, *each(PlayGlory, start_cards(state, self.index))]

    def choose(self, draft: State, action: WindowAction) -> None:
        """Play the card, and ask again."""
        if isinstance(action, Decline):
            return
        play(draft, self.seat, action)
        fighter = combat_of(draft).fighters[self.index]
        effect = CREW_CARDS[action.card]
        match effect:
            case CrewDice(count):
                set_fighter(draft, self.index, replace(fighter, crew_dice=fighter.crew_dice + count))
            case CrewHeal(count):
                most = fighter.ship.maximum(Section.CREW)
                set_crew(draft, self.seat, min(most, crew_of(fighter) + count))
                set_fighter(draft, self.index, replace(fighter, ship=ship_of(draft.players[self.seat])))
            case _:
                assert_never(effect)
        push(draft, OfferCrewStart(self.index))


@immutable(frozen=True, slots=True)
class SwivelGuns(Task[State]):
    """Both sides' swivel guns at once, at sea only: any skull costs the enemy 1 Crew."""

    TAG: ClassVar[str] = "SwivelGuns"

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
        for index in (0, 1):
            lose_crew(draft, index, int(fired[1 - index]))


@immutable(frozen=True, slots=True)
class CrewRound(Task[State]):
    """a. Whoever has no Crew has lost; b. both roll."""

    TAG: ClassVar[str] = "CrewRound"

    def run(self, draft: State) -> None:
        """After 20 rounds nobody has won."""
        combat = combat_of(draft)
        alive = [crew_of(fighter) > 0 for fighter in combat.fighters]
        if not all(alive):
            finish(draft, alive.index(True) if any(alive) else None, CombatEnd.CREW)
        elif combat.crew_round == COMBAT_ROUNDS:
            finish(draft, None, CombatEnd.NOBODY)
        else:
            draft.combat = replace(combat, crew_round=combat.crew_round + 1)
            pools = [crew_pool(draft, fighter) for fighter in combat.fighters]
            set_dice(draft, *[roll_for(draft, index, Roll.CREW, pool) for index, pool in enumerate(pools)])
            push(draft, RollWindow(Timing.CREW, DecideCrewRound()))


def crew_pool(state: State, fighter: Fighter) -> int:
    """Leadership, modifiers, and card dice in the first round."""
    dice = fighter.leadership + trait(state, fighter, "dice.crew")
    if combat_of(state).crew_round == 1:
        dice += fighter.crew_dice
    return max(1, dice)


@immutable(frozen=True, slots=True)
class DecideCrewRound(Task[State]):
    """c. Losses at once; d. if both crews are gone, skulls and then sums decide."""

    TAG: ClassVar[str] = "DecideCrewRound"

    def run(self, draft: State) -> None:
        """Take the losses: each side loses at most as many men as fought against it."""
        fighters = combat_of(draft).fighters
        losses = [min(skulls(enemy.dice), crew_of(enemy)) for enemy in reversed(fighters)]
        for index, loss in enumerate(losses):
            lose_crew(draft, index, loss)
        fighters = combat_of(draft).fighters
        if any(crew_of(fighter) for fighter in fighters):
            push(draft, CrewRound())
            return
        keys = [(skulls(fighter.dice), plain_sum(fighter.dice)) for fighter in fighters]
        winner = None if keys[0] == keys[1] else int(keys[1] > keys[0])
        finish(draft, winner, CombatEnd.CREW)
