"""What reputation and trick cards do: the one interpreter of the verbs in cards.py (spec 2.10 and 2.11; R43).

A trick either works at once or puts its follow-up question on the stack (rules/followups.py). Which card it was is
asked nowhere: the rows of data.py say it all in verbs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from referee.engine import Seat, other_seat
from referee.games.pavillon_noir.actions import PlayTrick
from referee.games.pavillon_noir.cards import (
    AimFromHand,
    ClearTrack,
    DrawCards,
    ForbidEvasion,
    GainActions,
    Hurt,
    LookAndAim,
    Overcharge,
    Perks,
    PutBack,
    ReloadBattery,
    Sabotage,
    ShrugOffBroadside,
    ShrugOffSheer,
    Snipe,
    Soften,
    SpyOut,
    Straighten,
    StripTarget,
    SwapTarget,
    TrickEffect,
)
from referee.games.pavillon_noir.data import CANNONS, DECKS, REPUTATIONS, TRICKS, ZONES_OF
from referee.games.pavillon_noir.events import CardsLookedAt, HandSpied, ReputationUsed, TrickPlayed
from referee.games.pavillon_noir.pending import (
    BroadsideHits,
    ChooseRestore,
    ChooseReturn,
    ChooseTrack,
    ChooseZone,
    LoseCards,
    React,
    Remove,
    Sharpshoot,
    Spy,
    StripOpposingTarget,
    SwapOwnTarget,
    TrickAim,
)
from referee.games.pavillon_noir.rules.piles import draw_cards, return_discs, take_top
from referee.games.pavillon_noir.state import Duelist, Ship, Shot, State
from referee.games.pavillon_noir.terms import Marker, Timing, Trick

WHOLE_BATTERY = 4
"""More discs than this never fit into two cannons."""

_PLAIN_RULES = Perks()
_PERKS = {reputation: row.perks for reputation, row in REPUTATIONS.items()}


def perks(duelist: Duelist) -> Perks:
    """The standing advantages of a seat."""
    return _PLAIN_RULES if duelist.reputation is None else _PERKS[duelist.reputation]


def use_reputation(draft: State, seat: Seat) -> None:
    """Tell that a seat's reputation made a difference."""
    reputation = draft.duelists[seat].reputation
    assert reputation is not None
    draft.tell(ReputationUsed(seat, reputation))


def sail_penalty(duelist: Duelist) -> int:
    """Cards by which a seat's runs are shortened, its reputation considered."""
    return max(0, duelist.ship.sail_penalty - perks(duelist).sail_relief)


def trick_options(state: State, seat: Seat, timings: tuple[Timing, ...]) -> list[PlayTrick]:
    """The tricks a seat holds that may be played now, by id."""
    found: list[PlayTrick] = []
    for trick in state.duelists[seat].tricks:
        row = TRICKS[trick]
        if row.when in timings:
            if isinstance(row.effect, Straighten):
                found += [PlayTrick(trick, index) for index in crooked_targets(state, seat)]
            elif is_playable(state, seat, row.effect):
                found.append(PlayTrick(trick))
    return found


def is_playable(state: State, seat: Seat, effect: TrickEffect) -> bool:
    """The column "playable if" of spec 2.11; the timing is checked elsewhere."""
    own, opponent = state.duelists[seat], state.duelists[other_seat(seat)]
    match effect:
        case ReloadBattery() | Sabotage() | DrawCards() | GainActions() | SwapTarget():
            return True
        case LookAndAim():
            return bool(own.deck or own.discard)
        case AimFromHand(cards):
            return len(own.hand) >= cards
        case PutBack(marker, _):
            return missing(own.ship, marker) > 0
        case SpyOut():
            return bool(opponent.hand)
        case Hurt(marker, _, needs_one):
            return not needs_one or opponent.ship.count(marker) > 0
        case Snipe(most_figures):
            return any(1 <= opponent.ship.markers(deck) <= most_figures for deck in DECKS)
        case ClearTrack():
            return any(own.tracks)
        case StripTarget():
            return any(target.aim_cards for target in opponent.targets)
        case Soften(_, zones):
            return _shot(state).zone in zones
        case Straighten():
            return bool(crooked_targets(state, seat))
        case Overcharge():
            return _shot(state).damage < _shot(state).initial
        case ForbidEvasion():
            return _shot(state).damage > 0
        case ShrugOffSheer():
            return _threatened_by(state, LoseCards)
        case ShrugOffBroadside():
            return _threatened_by(state, BroadsideHits)
        case _:
            assert_never(effect)


def play_trick(draft: State, seat: Seat, action: PlayTrick) -> None:
    """Show a trick, put it out of the game, and do what it says."""
    own = draft.duelists[seat]
    own.tricks = tuple(trick for trick in own.tricks if trick is not action.trick)
    own.played_tricks = (*own.played_tricks, action.trick)
    draft.tell(TrickPlayed(seat, action.trick, action.target))
    _perform(draft, seat, TRICKS[action.trick].effect, action)


def _perform(draft: State, seat: Seat, effect: TrickEffect, action: PlayTrick) -> None:
    own, opponent = draft.duelists[seat], other_seat(seat)
    match effect:
        case ReloadBattery():
            draft.push(ChooseReturn(seat, WHOLE_BATTERY))
        case LookAndAim(cards):
            looked_at = tuple(sorted(take_top(draft, seat, cards)))
            draft.tell(CardsLookedAt(seat, len(looked_at), looked_at))
            draft.push(TrickAim(seat, looked_at))
        case AimFromHand(cards):
            draft.push(*[TrickAim(seat)] * cards)
        case PutBack(marker, count):
            draft.push(ChooseRestore(seat, marker, min(count, missing(own.ship, marker))))
        case SpyOut():
            draft.tell(HandSpied(seat, tuple(draft.duelists[opponent].hand)))
            draft.push(Spy(seat))
        case Hurt(marker, count, _):
            draft.push(Remove(opponent, marker, count))
        case Sabotage(planks):
            draft.push(ChooseZone(seat, planks))
        case Snipe(most_figures):
            draft.push(Sharpshoot(seat, most_figures))
        case DrawCards(count):
            draw_cards(draft, seat, count)
        case GainActions(count):
            draft.actions += count
        case ClearTrack():
            draft.push(ChooseTrack(seat))
        case SwapTarget():
            draft.push(SwapOwnTarget(seat))
        case StripTarget():
            draft.push(StripOpposingTarget(seat))
        case Soften(by, _):
            _change_shot(draft, action.trick, -by)
        case Straighten():
            _straighten(draft, seat, action)
        case Overcharge(by):
            _change_shot(draft, action.trick, by)
            _empty_active_cannon(draft, seat)
        case ForbidEvasion():
            _change_shot(draft, action.trick, 0)
            draft.shot = replace(_shot(draft), unevadable=True)
        case ShrugOffSheer():
            _cancel(draft, LoseCards)
        case ShrugOffBroadside():
            _cancel(draft, BroadsideHits)
        case _:
            assert_never(effect)


def crooked_targets(state: State, seat: Seat) -> list[int]:
    """Target cards of the shot under way with an aim card that are not read as well as the cannon can."""
    shot, own = _shot(state), state.duelists[seat]
    best = CANNONS[own.cannons[shot.gun]].best
    return [index for index, target in enumerate(own.targets) if target.aim_cards and shot.reductions[index] > best]


def missing(ship: Ship, marker: Marker) -> int:
    """Markers that could be put back on a ship: of the crew, sailors for whom there is a free slot."""
    free = sum(free_places(ship, marker))
    return min(free, ship.sailors_lost) if marker is Marker.CREW else free


def free_places(ship: Ship, marker: Marker) -> tuple[int, ...]:
    """Empty slots per zone of a kind of marker."""
    return tuple(ship.room(zone) for zone in ZONES_OF[marker])


def _shot(state: State) -> Shot:
    assert state.shot is not None
    return state.shot


def _change_shot(draft: State, trick: Trick, change: int) -> None:
    """Note a trick on the shot and change its damage, which never rises above the initial potential (R22)."""
    shot = _shot(draft)
    draft.shot = replace(shot, damage=min(shot.initial, shot.damage + change), tricks=(*shot.tricks, trick))


def _straighten(draft: State, seat: Seat, action: PlayTrick) -> None:
    shot = _shot(draft)
    assert action.target is not None
    best = CANNONS[draft.duelists[seat].cannons[shot.gun]].best
    gain = shot.reductions[action.target] - best
    read = tuple(best if index == action.target else old for index, old in enumerate(shot.reductions))
    draft.shot = replace(shot, reductions=read)
    _change_shot(draft, action.trick, gain)


def _empty_active_cannon(draft: State, seat: Seat) -> None:
    own, gun = draft.duelists[seat], _shot(draft).gun
    return_discs(draft, own.loads[gun])
    bow, stern = own.loads
    own.loads = (bow, ()) if gun else ((), stern)


def _threatened_by(state: State, threat: type[LoseCards | BroadsideHits]) -> bool:
    top = state.pending[-1]
    return isinstance(top, React) and isinstance(top.threat, threat)


def _cancel(draft: State, threat: type[LoseCards | BroadsideHits]) -> None:
    """Take the threat off the stack; there is never more than one."""
    draft.pending[:] = [step for step in draft.pending if not isinstance(step, threat)]
