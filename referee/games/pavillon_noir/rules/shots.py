"""A shot from the match to the last splinter: fire, boost, evade (spec 6.8 and 6.9; rulings R19 to R25, R43)."""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.pavillon_noir.actions import DoubleShot, Evade, Fire, Give, Hold, Pass, PlayTrick, give
from referee.games.pavillon_noir.data import CANNONS, MATCHING, WEAK, ZONES
from referee.games.pavillon_noir.events import DoubleFired, ShotEvaded, fire_held, shot_fired, shot_landed
from referee.games.pavillon_noir.rules.combos import Run, flush_runs, run_values, runs, subsets
from referee.games.pavillon_noir.rules.damage import LOSSES
from referee.games.pavillon_noir.rules.gunnery import begin_laying
from referee.games.pavillon_noir.rules.piles import (
    cover,
    discard_from_hand,
    lose_cards,
    lose_random_cards,
    unload,
)
from referee.games.pavillon_noir.rules.reading import reduction
from referee.games.pavillon_noir.rules.reputations import perks, sail_penalty, use_reputation
from referee.games.pavillon_noir.rules.tricks import play_trick, shot_of, trick_options
from referee.games.pavillon_noir.state import Duelist, Shot, State, Target
from referee.games.pavillon_noir.terms import Cause, Projectile, RunKind, Timing, Track
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat, other_seat
from referee.rules.parts import immutable, replace

HOLD, PASS, DOUBLE = Hold(), Pass(), DoubleShot()
FIRE = {projectile: Fire(projectile) for projectile in Projectile}


# --- FIRE (steps 1 to 4) -------------------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class OpenFire(SeatQuestion[State, Hold | Fire]):
    """Decision D17: whether to fire, and which disc."""

    TAG: ClassVar[str] = "OpenFire"
    kind: ClassVar[str] = "FIRE"

    def options(self, state: State) -> tuple[Hold | Fire, ...]:
        """Hold, or fire one of the discs in the active cannon, if its deck lets it."""
        own = state.duelists[self.seat]
        assert own.gun is not None
        load = own.loads[own.gun]
        if not load or own.ship.is_silenced(own.gun):
            return (HOLD,)
        return (HOLD, *[FIRE[projectile] for projectile in dict.fromkeys(load)])

    def choose(self, draft: State, action: Hold | Fire) -> None:
        """Hold, or begin the shot."""
        match action:
            case Hold():
                draft.events.append(fire_held(self.seat))
            case Fire(projectile):
                _fire(draft, self.seat, projectile)
            case _:
                assert_never(action)


def _fire(draft: State, seat: Seat, projectile: Projectile) -> None:
    own, victim = draft.duelists[seat], other_seat(seat)
    gun, zone = own.gun, own.zone
    assert gun is not None
    assert zone is not None
    initial = draft.duelists[victim].ship.markers(zone)
    unload(draft, seat, gun, projectile)
    mismatched = projectile is not MATCHING[ZONES[zone].kind]
    forgiven = mismatched and ZONES[zone].kind in perks(own).forgiven_zones
    plain = tuple(reduction(own.cannons[gun], target) for target in own.targets)
    read = _read_sharper(plain, own.targets, perks(own).sharper_reading)
    damage = initial - (mismatched and not forgiven) - own.ship.cannon_penalty(gun) - sum(read)
    draft.shot = Shot(seat, gun, zone, projectile, initial, damage, read)
    draft.events.append(shot_fired(seat, gun, zone, projectile, initial, read, damage))
    if forgiven or read != plain:
        use_reputation(draft, seat)
    hasty = sum(not target.aim_cards for target in own.targets)
    push(draft, HastyDiscard(victim, hasty), Boost(seat), Dodge(victim), ShotLands(seat))


def _read_sharper(reductions: tuple[int, ...], targets: tuple[Target, ...], by: int) -> tuple[int, ...]:
    """Improve the worst weak or missed target card with two aim cards; among equals the first."""
    full = [index for index, target in enumerate(targets) if len(target.aim_cards) == 2]
    weak = [index for index in full if reductions[index] >= WEAK]
    if not by or not weak:
        return reductions
    worst = max(weak, key=lambda index: reductions[index])
    return tuple(old - by if index == worst else old for index, old in enumerate(reductions))


@immutable(frozen=True, slots=True)
class HastyDiscard(SeatQuestion[State, Give]):
    """Decision D18: the cards that the defender loses to a hasty shot."""

    TAG: ClassVar[str] = "HastyDiscard"
    kind: ClassVar[str] = "HASTY_DISCARD"

    count: int

    def is_moot(self, state: State) -> bool:
        """Check that there is no card to lose."""
        return not self.count or not state.duelists[self.seat].hand

    def options(self, state: State) -> tuple[Give, ...]:
        """Return the cards that the defender can lose to hasty target cards (R24, R25)."""
        hand = state.duelists[self.seat].hand
        return tuple(map(give, subsets(hand, min(self.count, len(hand)))))

    def choose(self, draft: State, action: Give) -> None:
        """Take the cards before anything can be evaded."""
        lose_cards(draft, self.seat, action.cards, Cause.HASTY_SHOT)


# --- BOOST (step 5) --------------------------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class Boost(SeatQuestion[State, Pass | DoubleShot | PlayTrick]):
    """Decision D19: what makes the shot stronger, until the attacker passes."""

    TAG: ClassVar[str] = "Boost"
    kind: ClassVar[str] = "BOOST"

    def options(self, state: State) -> tuple[Pass | DoubleShot | PlayTrick, ...]:
        """Pass, the double shot of a carronade, tricks."""
        tricks = trick_options(state, self.seat, (Timing.BOOST,))
        return (PASS, DOUBLE, *tricks) if _can_double(state, self.seat) else (PASS, *tricks)

    def choose(self, draft: State, action: Pass | DoubleShot | PlayTrick) -> None:
        """Carry out one of them and ask again."""
        match action:
            case Pass():
                pass
            case DoubleShot():
                push(draft, self)
                _double(draft, self.seat)
            case PlayTrick():
                push(draft, self)
                play_trick(draft, self.seat, action)
            case _:
                assert_never(action)


def _can_double(state: State, seat: Seat) -> bool:
    shot, own = shot_of(state), state.duelists[seat]
    return (
        CANNONS[own.cannons[shot.gun]].double_shot
        and not shot.doubled
        and bool(own.loads[shot.gun])
        and shot.damage < shot.initial
    )


def _double(draft: State, seat: Seat) -> None:
    shot, own = shot_of(draft), draft.duelists[seat]
    projectile = own.loads[shot.gun][0]
    matches = projectile is MATCHING[ZONES[shot.zone].kind]
    forgiven = perks(own).double_always_matches and not matches
    damage = min(shot.initial, shot.damage + (2 if matches or forgiven else 1))
    unload(draft, seat, shot.gun, projectile)
    draft.shot = replace(shot, damage=damage, doubled=True)
    draft.events.append(DoubleFired(seat, projectile, damage))
    if forgiven:
        use_reputation(draft, seat)


# --- EVADE (step 6 and 6.9) -----------------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class Dodge(SeatQuestion[State, Pass | Evade | PlayTrick]):
    """Decision D20: what takes damage off the shot, until the defender passes or nothing is left of it."""

    TAG: ClassVar[str] = "Dodge"
    kind: ClassVar[str] = "EVADE"

    def is_moot(self, state: State) -> bool:
        """There is nothing to evade, or no way to."""
        shot = shot_of(state)
        return shot.damage <= 0 or shot.unevadable

    def options(self, state: State) -> list[Pass | Evade | PlayTrick]:
        """Pass, one run (R23), tricks."""
        options: list[Pass | Evade | PlayTrick] = [PASS]
        if not shot_of(state).evaded:
            options += _evasions(state.duelists[self.seat])
        options += trick_options(state, self.seat, (Timing.DEF,))
        return options

    def choose(self, draft: State, action: Pass | Evade | PlayTrick) -> None:
        """Carry out one of them and ask again."""
        match action:
            case Pass():
                pass
            case Evade():
                push(draft, self)
                _evade(draft, self.seat, action)
            case PlayTrick():
                push(draft, self)
                play_trick(draft, self.seat, action)
            case _:
                assert_never(action)


def _evasions(own: Duelist) -> list[Evade]:
    """Runs that evade something; one that is a flush run with its jokers is offered as such only."""
    covered, longest = own.tracks[Track.EVADE], len(own.hand)
    if longest < 2:
        return []
    flush = [Evade(RunKind.FLUSH, *run) for run in flush_runs(own.hand, covered, longest) if _evades(own, run, True)]
    mixed = [
        Evade(RunKind.MIXED, *run)
        for run in runs(own.hand, covered, longest)
        if _evades(own, run, False) and not run.is_flush
    ]
    return flush + mixed


def _evades(own: Duelist, run: Run, flush: bool) -> int:
    return evasion(own, RunKind.FLUSH if flush else RunKind.MIXED, len(run.cards))


def evasion(own: Duelist, kind: RunKind, length: int) -> int:
    """Return what a run takes off the damage."""
    effective = max(0, length - sail_penalty(own))
    if kind is RunKind.FLUSH:
        return effective
    return effective // 2 + (perks(own).mixed_evade_bonus if effective >= 2 else 0)


def _evade(draft: State, seat: Seat, action: Evade) -> None:
    own, shot = draft.duelists[seat], shot_of(draft)
    taken = evasion(own, action.kind, len(action.cards))
    discard_from_hand(draft, seat, action.cards)
    cover(draft, seat, Track.EVADE, run_values(action.start, len(action.cards)))
    draft.shot = replace(shot, damage=shot.damage - taken, evaded=True)
    draft.events.append(ShotEvaded(seat, action.kind, action.start, action.cards, taken, shot.damage - taken))
    relieved = sail_penalty(own) != own.ship.sail_penalty
    if relieved or (action.kind is RunKind.MIXED and perks(own).mixed_evade_bonus):
        use_reputation(draft, seat)


# --- The end of a shot (steps 7 and 8) -------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class ShotLands(Task[State]):
    """Step 7 of the seat's shot."""

    TAG: ClassVar[str] = "ShotLands"

    seat: Seat

    def run(self, draft: State) -> None:
        """Let the defender remove what is left of the damage."""
        shot = shot_of(draft)
        damage = _final_damage(shot)
        draft.events.append(shot_landed(self.seat, shot.zone, damage))
        loss = LOSSES[ZONES[shot.zone].marker](other_seat(self.seat), damage, shot.zone)
        push(draft, loss, ShotEnds(self.seat))


@immutable(frozen=True, slots=True)
class ShotEnds(Task[State]):
    """Step 8, after the seat's shot and all its consequences."""

    TAG: ClassVar[str] = "ShotEnds"

    seat: Seat

    def run(self, draft: State) -> None:
        """Go on with the game: dread, then the gun is laid anew."""
        own, victim = draft.duelists[self.seat], other_seat(self.seat)
        dread = perks(own).dread
        if dread and _final_damage(shot_of(draft)) and draft.duelists[victim].hand:
            use_reputation(draft, self.seat)
            lose_random_cards(draft, victim, dread, Cause.DREAD)
        draft.shot = None
        begin_laying(draft, self.seat)


def _final_damage(shot: Shot) -> int:
    return max(0, min(shot.damage, shot.initial))
