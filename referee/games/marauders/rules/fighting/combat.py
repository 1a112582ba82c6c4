"""Naval combat (6.9 steps 1 and 2, R6, R14, R20, R21, R30).

Every task pushes the next one itself, so that a combat that ends early leaves nothing behind on the stack.
"""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.cards import PlayGlory
from referee.games.marauders.actions.combat import Declare
from referee.games.marauders.data.board import COMBAT_ROUNDS
from referee.games.marauders.events.combat import CombatBegan, ContestDecided, StanceDeclared
from referee.games.marauders.rules.dice import plain_sum, skulls
from referee.games.marauders.rules.fighting.aftermath import finish
from referee.games.marauders.rules.fighting.crew_combat import begin_boarding
from referee.games.marauders.rules.fighting.fighters import (
    combat_of,
    controller,
    has_built,
    npc_fighter,
    roll_for,
    seat_fighter,
    set_dice,
    set_fighter,
    trait,
)
from referee.games.marauders.rules.fighting.npc_policy import legal_stances, npc_stances, policy_stance
from referee.games.marauders.rules.fighting.roll_window import RollWindow
from referee.games.marauders.rules.fighting.volley import fire
from referee.games.marauders.rules.glory import play, playable
from referee.games.marauders.rules.modifiers import captain_of, is_excused
from referee.games.marauders.rules.purse import change_bounty
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import Combat, Fighter, State
from referee.games.marauders.terms import CombatEnd, Modification, NpcKind, Roll, Section, Stance, Timing
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


@immutable(frozen=True, slots=True)
class AttackPlayer(Task[State]):
    """A seat engages another: a bounty of its nation unless the target is a pirate."""

    TAG: ClassVar[str] = "AttackPlayer"
    seat: Seat
    target: Seat

    def run(self, draft: State) -> None:
        """Bounty first, then the fight."""
        target = draft.players[self.target]
        nation = captain_of(target).nation
        if not any(target.bounties) and not is_excused(draft, draft.players[self.seat], nation):
            change_bounty(draft, self.seat, nation, 1)
        begin(draft, seat_fighter(draft, self.seat), seat_fighter(draft, self.target))


@immutable(frozen=True, slots=True)
class AttackNpc(Task[State]):
    """A seat engages an NPC: a bounty for naval ships, none for pirates."""

    TAG: ClassVar[str] = "AttackNpc"
    seat: Seat
    npc: NpcKind

    def run(self, draft: State) -> None:
        """Bounty first, then the fight."""
        nation = self.npc.nation
        if nation is not None and not is_excused(draft, draft.players[self.seat], nation):
            change_bounty(draft, self.seat, nation, 1)
        begin(draft, seat_fighter(draft, self.seat), npc_fighter(draft, self.npc))


@immutable(frozen=True, slots=True)
class NpcAttacks(Task[State]):
    """An NPC engages a seat, which gets no bounty for it."""

    TAG: ClassVar[str] = "NpcAttacks"
    npc: NpcKind
    seat: Seat

    def run(self, draft: State) -> None:
        """Begin the combat."""
        begin(draft, npc_fighter(draft, self.npc), seat_fighter(draft, self.seat))


def begin(draft: State, attacker: Fighter, defender: Fighter) -> None:
    """Begin a combat at sea: long guns come first."""
    draft.combat = Combat((attacker, defender))
    tell(draft, CombatBegan, attacker.side, defender.side)
    hits = [long_gun_hits(draft, index) for index in (0, 1)]
    fire(draft, (hits[0], hits[1]), AfterVolleys(NavalRound()), long_guns=True)


def long_gun_hits(draft: State, index: int) -> int:
    """Roll one die per Cannon: 1 hit per skull."""
    fighter = combat_of(draft).fighters[index]
    cannons = fighter.ship.value(Section.CANNONS)
    if not has_built(fighter, Modification.LONG_GUNS) or not cannons:
        return 0
    return skulls(roll_for(draft, index, Roll.LONG_GUNS, cannons))


@immutable(frozen=True, slots=True)
class AfterVolleys(Task[State]):
    """Look for sunk ships; if there is none, go on."""

    TAG: ClassVar[str] = "AfterVolleys"
    then: Task[State]

    def run(self, draft: State) -> None:
        """Check who is sunk. One: the other won. Both: nobody."""
        afloat = [bool(fighter.ship.value(Section.HULL)) for fighter in combat_of(draft).fighters]
        if all(afloat):
            push(draft, self.then)
        else:
            finish(draft, afloat.index(True) if any(afloat) else None, CombatEnd.SUNK)


@immutable(frozen=True, slots=True)
class NavalRound(Task[State]):
    """a. The next round: declarations, attacker first."""

    TAG: ClassVar[str] = "NavalRound"

    def run(self, draft: State) -> None:
        """After round 20 it ends without winner."""
        combat = combat_of(draft)
        if combat.round == COMBAT_ROUNDS:
            finish(draft, None, CombatEnd.NOBODY)
            return
        attacker, defender = combat.fighters
        undeclared = (replace(attacker, stance=None), replace(defender, stance=None))
        draft.combat = replace(combat, round=combat.round + 1, fighters=undeclared)
        push(draft, Declaration(0))


@immutable(frozen=True, slots=True)
class Declaration(Task[State]):
    """A side declares; who decides depends on who it is."""

    TAG: ClassVar[str] = "Declaration"
    index: int

    def run(self, draft: State) -> None:
        """Nobody is asked in round 1."""
        combat = combat_of(draft)
        fighter, enemy = combat.fighters[self.index], combat.fighters[1 - self.index]
        if combat.round == 1:
            declare(draft, self.index, Stance.SHOOT)
        elif fighter.side.seat is not None:
            push(draft, AskDeclare(fighter.side.seat, self.index))
        elif draft.npc_policy:
            legal = npc_stances(fighter, enemy, combat.round)
            declare(draft, self.index, policy_stance(fighter, enemy, legal))
        else:
            push(draft, AskNpcDeclare(controller(draft), self.index))


def declare(draft: State, index: int, stance: Stance) -> None:
    """Note a declaration; then the defender declares, or the round goes on."""
    fighter = combat_of(draft).fighters[index]
    set_fighter(draft, index, replace(fighter, stance=stance))
    tell(draft, StanceDeclared, fighter.side, stance)
    push(draft, Declared() if index else Declaration(1))


@immutable(frozen=True, slots=True)
class AskDeclare(SeatQuestion[State, Declare | PlayGlory]):
    """`declare`."""

    TAG: ClassVar[str] = "AskDeclare"
    kind: ClassVar[str] = "declare"
    index: int

    def options(self, state: State) -> list[Declare | PlayGlory]:
        """Stances, then cards played instead."""
        combat = combat_of(state)
        fighter = combat.fighters[self.index]
        legal = legal_stances(fighter, combat.round)
        options: list[Declare | PlayGlory] = [*each(Declare, legal)]
        if Stance.FLEE in legal:
            options += each(PlayGlory, playable(state.players[self.seat], Timing.DECLARE))
        return options

    def choose(self, draft: State, action: Declare | PlayGlory) -> None:
        """Declare, or slip away: the combat is over."""
        match action:
            case Declare(stance):
                declare(draft, self.index, stance)
            case PlayGlory():
                play(draft, self.seat, action)
                finish(draft, None, CombatEnd.NOBODY)
            case _:
                assert_never(action)


@immutable(frozen=True, slots=True)
class AskNpcDeclare(SeatQuestion[State, Declare]):
    """`npc_declare`: by the NPC's controller; the default is the policy of 6.12."""

    TAG: ClassVar[str] = "AskNpcDeclare"
    kind: ClassVar[str] = "npc_declare"
    index: int

    def default(self, state: State, options: tuple[Declare, ...]) -> int:
        """Return what the policy declares."""
        combat = combat_of(state)
        npc, enemy = combat.fighters[self.index], combat.fighters[1 - self.index]
        stances = tuple([option.stance for option in options])
        return stances.index(policy_stance(npc, enemy, stances))

    def options(self, state: State) -> tuple[Declare, ...]:
        """Return what the NPC may declare."""
        combat = combat_of(state)
        npc, enemy = combat.fighters[self.index], combat.fighters[1 - self.index]
        return each(Declare, npc_stances(npc, enemy, combat.round))

    def choose(self, draft: State, action: Declare) -> None:
        """Declare it for the NPC."""
        declare(draft, self.index, action.stance)


@immutable(frozen=True, slots=True)
class Declared(Task[State]):
    """b. Chasers fire at the first Flee of the combat, of either side (R14)."""

    TAG: ClassVar[str] = "Declared"

    def run(self, draft: State) -> None:
        """Then the contest, unless both flee."""
        fighters = combat_of(draft).fighters
        fleeing = [fighter.stance == Stance.FLEE for fighter in fighters]
        if not any(fleeing):
            push(draft, Contest())
            return
        hits = [0, 0]
        for index, fighter in enumerate(fighters):
            if has_built(fighter, Modification.CHASERS) and not fighter.chasers_used:
                set_fighter(draft, index, replace(fighter, chasers_used=True))
                hits[index] = 1
        fire(draft, (hits[0], hits[1]), AfterVolleys(BothFled() if all(fleeing) else Contest()))


@immutable(frozen=True, slots=True)
class BothFled(Task[State]):
    """Nobody wants to fight."""

    TAG: ClassVar[str] = "BothFled"

    def run(self, draft: State) -> None:
        """End the combat without a roll."""
        finish(draft, None, CombatEnd.FLED)


@immutable(frozen=True, slots=True)
class Contest(Task[State]):
    """c. Both pools are rolled."""

    TAG: ClassVar[str] = "Contest"

    def run(self, draft: State) -> None:
        """Roll, then open the windows of d."""
        set_dice(draft, *[roll_for(draft, index, Roll.CONTEST, contest_pool(draft, index)) for index in (0, 1)])
        push(draft, RollWindow(Timing.CONTEST, DecideContest()))


def contest_pool(state: State, index: int) -> int:
    """1 die without masts; else seamanship, modifiers, and 1 for much better Manoeuvrability."""
    fighters = combat_of(state).fighters
    fighter, enemy = fighters[index], fighters[1 - index]
    if not fighter.ship.value(Section.MASTS):
        return 1
    dice = fighter.seamanship + trait(state, fighter, "dice.contest")
    if fighter.stance == Stance.BOARD:
        dice += trait(state, fighter, "dice.contest.board")
    dice += fighter.ship.manoeuvrability >= enemy.ship.manoeuvrability + 2
    return max(1, dice)


@immutable(frozen=True, slots=True)
class DecideContest(Task[State]):
    """e. Who won, f. the volleys of those who shoot."""

    TAG: ClassVar[str] = "DecideContest"

    def run(self, draft: State) -> None:
        """Let the winner fire all Cannons, others as many as they rolled skulls."""
        fighters = combat_of(draft).fighters
        winner = contest_winner(draft)
        tell(draft, ContestDecided, None if winner is None else fighters[winner].side)
        hits = [volley_hits(draft, fighter, index == winner) for index, fighter in enumerate(fighters)]
        fire(draft, (hits[0], hits[1]), AfterVolleys(AfterContest(winner)))


def contest_winner(state: State) -> int | None:
    """More skulls; then `combat.tie_win`, then the greater sum of the other dice. Nobody at 0 to 0 (R20)."""
    fighters = combat_of(state).fighters
    successes = [skulls(fighter.dice) for fighter in fighters]
    if successes[0] != successes[1]:
        return int(successes[1] > successes[0])
    if not successes[0]:
        return None
    for keys in (
        [trait(state, fighter, "combat.tie_win") for fighter in fighters],
        [plain_sum(fighter.dice) for fighter in fighters],
    ):
        if keys[0] != keys[1]:
            return int(keys[1] > keys[0])
    return None


def volley_hits(state: State, fighter: Fighter, won: bool) -> int:
    """Return how many hits a side has after the contest."""
    cannons = fighter.ship.value(Section.CANNONS)
    if fighter.stance != Stance.SHOOT:
        return 0
    if won:
        return cannons
    successes = skulls(fighter.dice)
    if successes and trait(state, fighter, "combat.loser_hit"):
        successes += 1
    return min(successes, cannons)


@immutable(frozen=True, slots=True)
class AfterContest(Task[State]):
    """g. The winner boards with a crew, h. escapes from an enemy without skulls, or the next round comes."""

    TAG: ClassVar[str] = "AfterContest"
    winner: int | None

    def run(self, draft: State) -> None:
        """Board, escape, or begin the next round."""
        fighters = combat_of(draft).fighters
        if self.winner is not None:
            winner, loser = fighters[self.winner], fighters[1 - self.winner]
            if winner.stance == Stance.BOARD and winner.ship.value(Section.CREW):
                begin_boarding(draft, winner.side)
                return
            if winner.stance == Stance.FLEE and not skulls(loser.dice):
                finish(draft, None, CombatEnd.FLED)
                return
        push(draft, NavalRound())
