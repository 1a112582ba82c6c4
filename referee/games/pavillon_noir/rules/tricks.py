"""Dirty tricks: the one interpreter of their verbs in cards.py (spec 2.11; ruling R43).

A trick either works at once or pushes its question (rules/trick_questions.py). No rule asks which card it was: the
rows of data.py say it all in verbs.
"""

from __future__ import annotations

from typing import assert_never

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
from referee.games.pavillon_noir.data import CANNONS, DECKS, TRICKS
from referee.games.pavillon_noir.events import CardsLookedAt, HandSpied, TrickPlayed
from referee.games.pavillon_noir.rules.damage import LOSSES
from referee.games.pavillon_noir.rules.piles import draw_cards, load_gun, return_discs, take_top, without
from referee.games.pavillon_noir.rules.reload import WHOLE_BATTERY, ChooseReturn
from referee.games.pavillon_noir.rules.threats import BroadsideHits, LoseCards, cancel, is_threatened_by
from referee.games.pavillon_noir.rules.trick_questions import (
    ChooseRestore,
    ChooseTrack,
    ChooseZone,
    Sharpshoot,
    Spy,
    StripOpposingTarget,
    SwapOwnTarget,
    TrickAim,
    missing,
)
from referee.games.pavillon_noir.state import Shot, State, set_duelist
from referee.games.pavillon_noir.terms import Timing, Trick
from referee.rules.agenda import push
from referee.rules.engine import Seat, other_seat
from referee.rules.parts import interned, replace

_playing = interned(PlayTrick)


def trick_options(state: State, seat: Seat, timings: tuple[Timing, ...]) -> list[PlayTrick]:
    """Return the tricks a seat holds that may be played now, by id."""
    options: list[PlayTrick] = []
    for trick in state.duelists[seat].tricks:
        row = TRICKS[trick]
        if row.when in timings:
            if isinstance(row.effect, Straighten):
                options += [_playing(trick, index) for index in crooked_targets(state, seat)]
            elif is_playable(state, seat, row.effect):
                options.append(_playing(trick))
    return options


def is_playable(state: State, seat: Seat, effect: TrickEffect) -> bool:
    """Check the column "playable if" of spec 2.11; the timing is checked elsewhere."""
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
            return shot_of(state).zone in zones
        case Straighten():
            return bool(crooked_targets(state, seat))
        case Overcharge():
            return shot_of(state).damage < shot_of(state).initial
        case ForbidEvasion():
            return shot_of(state).damage > 0
        case ShrugOffSheer():
            return is_threatened_by(state, LoseCards)
        case ShrugOffBroadside():
            return is_threatened_by(state, BroadsideHits)
        case _:
            assert_never(effect)


def play_trick(draft: State, seat: Seat, action: PlayTrick) -> None:
    """Show a trick, put it out of the game, and do what it says."""
    own = draft.duelists[seat]
    held, played = without(own.tricks, (action.trick,)), (*own.played_tricks, action.trick)
    set_duelist(draft, seat, replace(own, tricks=held, played_tricks=played))
    draft.events.append(TrickPlayed(seat, action.trick, action.target))
    _perform(draft, seat, TRICKS[action.trick].effect, action)


def _perform(draft: State, seat: Seat, effect: TrickEffect, action: PlayTrick) -> None:
    own, opponent = draft.duelists[seat], other_seat(seat)
    match effect:
        case ReloadBattery():
            push(draft, ChooseReturn(seat, WHOLE_BATTERY))
        case LookAndAim(cards):
            looked_at = take_top(draft, seat, cards)
            draft.events.append(CardsLookedAt(seat, len(looked_at), looked_at))
            push(draft, TrickAim(seat, looked_at))
        case AimFromHand(cards):
            push(draft, *[TrickAim(seat)] * cards)
        case PutBack(marker, count):
            push(draft, ChooseRestore(seat, marker, min(count, missing(own.ship, marker))))
        case SpyOut():
            draft.events.append(HandSpied(seat, draft.duelists[opponent].hand))
            push(draft, Spy(seat))
        case Hurt(marker, count, _):
            push(draft, LOSSES[marker](opponent, count))
        case Sabotage(planks):
            push(draft, ChooseZone(seat, planks))
        case Snipe(most_figures):
            push(draft, Sharpshoot(seat, most_figures))
        case DrawCards(count):
            draw_cards(draft, seat, count)
        case GainActions(count):
            draft.actions += count
        case ClearTrack():
            push(draft, ChooseTrack(seat))
        case SwapTarget():
            push(draft, SwapOwnTarget(seat))
        case StripTarget():
            push(draft, StripOpposingTarget(seat))
        case Soften(by, _):
            _change_shot(draft, action.trick, -by)
        case Straighten():
            _straighten(draft, seat, action)
        case Overcharge(by):
            _change_shot(draft, action.trick, by)
            _empty_active_cannon(draft, seat)
        case ForbidEvasion():
            _change_shot(draft, action.trick, 0)
            draft.shot = replace(shot_of(draft), unevadable=True)
        case ShrugOffSheer():
            cancel(draft, LoseCards)
        case ShrugOffBroadside():
            cancel(draft, BroadsideHits)
        case _:
            assert_never(effect)


def crooked_targets(state: State, seat: Seat) -> list[int]:
    """Target cards of the shot under way with an aim card that are not read as well as the cannon can."""
    shot, own = shot_of(state), state.duelists[seat]
    best = CANNONS[own.cannons[shot.gun]].best
    return [index for index, target in enumerate(own.targets) if target.aim_cards and shot.reductions[index] > best]


def shot_of(state: State) -> Shot:
    """Return the shot under way."""
    assert state.shot is not None
    return state.shot


def _change_shot(draft: State, trick: Trick, change: int) -> None:
    """Note a trick on the shot and change its damage, which never rises above the initial potential (R22)."""
    shot = shot_of(draft)
    draft.shot = replace(shot, damage=min(shot.initial, shot.damage + change), tricks=(*shot.tricks, trick))


def _straighten(draft: State, seat: Seat, action: PlayTrick) -> None:
    shot = shot_of(draft)
    assert action.target is not None
    best = CANNONS[draft.duelists[seat].cannons[shot.gun]].best
    gain = shot.reductions[action.target] - best
    read = tuple(best if index == action.target else old for index, old in enumerate(shot.reductions))
    draft.shot = replace(shot, reductions=read)
    _change_shot(draft, action.trick, gain)


def _empty_active_cannon(draft: State, seat: Seat) -> None:
    gun = shot_of(draft).gun
    return_discs(draft, draft.duelists[seat].loads[gun])
    load_gun(draft, seat, gun, ())
