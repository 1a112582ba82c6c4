"""A shot from the match to the last splinter: fire, boost, evade (spec 6.8 and 6.9; rulings R19 to R25, R43)."""

from __future__ import annotations

from dataclasses import replace

from referee.engine import Seat, other_seat
from referee.games.pavillon_noir.actions import Action, DoubleShot, Evade, Fire, Give, Hold, Pass, PlayTrick
from referee.games.pavillon_noir.data import CANNONS, MATCHING, WEAK, ZONES
from referee.games.pavillon_noir.events import DoubleFired, FireHeld, ShotEvaded, ShotFired, ShotLanded
from referee.games.pavillon_noir.pending import Boost, Dodge, HastyDiscard, OpenFire, Remove, ShotEnds, ShotLands
from referee.games.pavillon_noir.rules import effects
from referee.games.pavillon_noir.rules.asked import Asked, misplayed
from referee.games.pavillon_noir.rules.combos import Run, flush_runs, run_values, runs, subsets
from referee.games.pavillon_noir.rules.gunnery import begin_laying
from referee.games.pavillon_noir.rules.piles import (
    cover,
    discard_from_hand,
    lose_cards,
    lose_random_cards,
    unload,
)
from referee.games.pavillon_noir.rules.reading import reduction
from referee.games.pavillon_noir.state import Duelist, Shot, State, Target
from referee.games.pavillon_noir.terms import Cause, Projectile, RunKind, Timing, Track

HOLD, PASS, DOUBLE = Hold(), Pass(), DoubleShot()
FIRE = {projectile: Fire(projectile) for projectile in Projectile}


# --- FIRE (steps 1 to 4) -------------------------------------------------------------------------------


def ask_fire(state: State, question: OpenFire) -> Asked:
    """D17: hold, or fire one of the discs in the active cannon, if its deck lets it."""
    own = state.duelists[question.seat]
    assert own.gun is not None
    load = () if own.ship.is_silenced(own.gun) else own.loads[own.gun]
    return Asked("FIRE", (HOLD, *(FIRE[projectile] for projectile in dict.fromkeys(load))))


def play_fire(draft: State, question: OpenFire, action: Action) -> None:
    """Hold, or begin the shot."""
    draft.pending.pop()
    match action:
        case Hold():
            draft.tell(FireHeld(question.seat))
        case Fire(projectile):
            _fire(draft, question.seat, projectile)
        case _:
            raise misplayed(question, action)


def _fire(draft: State, seat: Seat, projectile: Projectile) -> None:
    own, victim = draft.duelists[seat], other_seat(seat)
    gun, zone = own.gun, own.zone
    assert gun is not None
    assert zone is not None
    initial = draft.duelists[victim].ship.markers(zone)
    unload(draft, seat, gun, projectile)
    mismatched = projectile is not MATCHING[ZONES[zone].kind]
    forgiven = mismatched and ZONES[zone].kind in effects.perks(own).forgiven_zones
    plain = tuple(reduction(own.cannons[gun], target) for target in own.targets)
    read = _read_sharper(plain, own.targets, effects.perks(own).sharper_reading)
    damage = initial - (mismatched and not forgiven) - own.ship.cannon_penalty(gun) - sum(read)
    draft.shot = Shot(seat, gun, zone, projectile, initial, damage, read)
    draft.tell(ShotFired(seat, gun, zone, projectile, initial, read, damage))
    if forgiven or read != plain:
        effects.use_reputation(draft, seat)
    hasty = sum(not target.aim_cards for target in own.targets)
    draft.push(HastyDiscard(victim, hasty), Boost(seat), Dodge(victim), ShotLands(seat))


def _read_sharper(reductions: tuple[int, ...], targets: tuple[Target, ...], by: int) -> tuple[int, ...]:
    """Better the worst weak or missed target card that bears two aim cards; among equals the first."""
    full = [index for index, target in enumerate(targets) if len(target.aim_cards) == 2]
    weak = [index for index in full if reductions[index] >= WEAK]
    if not by or not weak:
        return reductions
    worst = max(weak, key=lambda index: reductions[index])
    return tuple(old - by if index == worst else old for index, old in enumerate(reductions))


def ask_hasty(state: State, question: HastyDiscard) -> Asked:
    """D18: the defender chooses the cards lost to hasty target cards (R24, R25)."""
    hand = state.duelists[question.seat].hand
    return Asked("HASTY_DISCARD", tuple(map(Give, subsets(hand, min(question.count, len(hand))))))


def play_hasty(draft: State, question: HastyDiscard, action: Action) -> None:
    """The cards are lost before anything can be evaded."""
    if not isinstance(action, Give):
        raise misplayed(question, action)
    draft.pending.pop()
    lose_cards(draft, question.seat, action.cards, Cause.HASTY_SHOT)


# --- BOOST (step 5) --------------------------------------------------------------------------------------


def ask_boost(state: State, question: Boost) -> Asked:
    """D19: pass, the double shot of a carronade, tricks."""
    tricks = effects.trick_options(state, question.seat, (Timing.BOOST,))
    return Asked("BOOST", (PASS, DOUBLE, *tricks) if _can_double(state, question.seat) else (PASS, *tricks))


def play_boost(draft: State, question: Boost, action: Action) -> None:
    """Asked again until the attacker passes."""
    match action:
        case Pass():
            draft.pending.pop()
        case DoubleShot():
            _double(draft, question.seat)
        case PlayTrick():
            effects.play_trick(draft, question.seat, action)
        case _:
            raise misplayed(question, action)


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
    forgiven = effects.perks(own).double_always_matches and not matches
    damage = min(shot.initial, shot.damage + (2 if matches or forgiven else 1))
    unload(draft, seat, shot.gun, projectile)
    draft.shot = replace(shot, damage=damage, doubled=True)
    draft.tell(DoubleFired(seat, projectile, damage))
    if forgiven:
        effects.use_reputation(draft, seat)


# --- EVADE (step 6 and 6.9) -----------------------------------------------------------------------------


def is_beyond_evasion(state: State) -> bool:
    """Whether there is nothing to evade, or no way to."""
    shot = shot_of(state)
    return shot.damage <= 0 or shot.unevadable


def ask_evade(state: State, question: Dodge) -> Asked:
    """D20: pass, one run (R23), tricks."""
    own = state.duelists[question.seat]
    options: list[Action] = [PASS]
    if not shot_of(state).evaded:
        options += _evasions(own)
    options += effects.trick_options(state, question.seat, (Timing.DEF,))
    return Asked("EVADE", tuple(options))


def play_evade(draft: State, question: Dodge, action: Action) -> None:
    """Asked again until the defender passes or nothing is left of the shot."""
    match action:
        case Pass():
            draft.pending.pop()
        case Evade():
            _evade(draft, question.seat, action)
        case PlayTrick():
            effects.play_trick(draft, question.seat, action)
        case _:
            raise misplayed(question, action)


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
    """What a run takes off the damage."""
    effective = max(0, length - effects.sail_penalty(own))
    if kind is RunKind.FLUSH:
        return effective
    return effective // 2 + (effects.perks(own).mixed_evade_bonus if effective >= 2 else 0)


def _evade(draft: State, seat: Seat, action: Evade) -> None:
    own, shot = draft.duelists[seat], shot_of(draft)
    taken = evasion(own, action.kind, len(action.cards))
    discard_from_hand(draft, seat, action.cards)
    cover(draft, seat, Track.EVADE, run_values(action.start, len(action.cards)))
    draft.shot = replace(shot, damage=shot.damage - taken, evaded=True)
    draft.tell(ShotEvaded(seat, action.kind, action.start, action.cards, taken, shot.damage - taken))
    relieved = effects.sail_penalty(own) != own.ship.sail_penalty
    if relieved or (action.kind is RunKind.MIXED and effects.perks(own).mixed_evade_bonus):
        effects.use_reputation(draft, seat)


# --- The end of a shot (steps 7 and 8) -------------------------------------------------------------------


def land(draft: State, task: ShotLands) -> None:
    """Step 7: the defender removes what is left of the damage."""
    shot = shot_of(draft)
    damage = _final_damage(shot)
    victim, zone = other_seat(task.seat), shot.zone
    draft.tell(ShotLanded(task.seat, zone, damage))
    draft.push(Remove(victim, ZONES[zone].marker, damage, zone), ShotEnds(task.seat))


def finish(draft: State, task: ShotEnds) -> None:
    """The game goes on: dread, then the gun is laid anew (step 8)."""
    own, victim = draft.duelists[task.seat], other_seat(task.seat)
    dread = effects.perks(own).dread
    if dread and _final_damage(shot_of(draft)) and draft.duelists[victim].hand:
        effects.use_reputation(draft, task.seat)
        lose_random_cards(draft, victim, dread, Cause.DREAD)
    draft.shot = None
    begin_laying(draft, task.seat)


def shot_of(state: State) -> Shot:
    """The shot under way."""
    assert state.shot is not None
    return state.shot


def _final_damage(shot: Shot) -> int:
    return max(0, min(shot.damage, shot.initial))
