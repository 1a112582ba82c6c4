"""The questions that dirty tricks open, D24 to D30 (spec 2.11 and 5.3; ruling R26)."""

from __future__ import annotations

from bisect import insort
from typing import assert_never

from referee.engine import Seat, other_seat
from referee.games.pavillon_noir.actions import (
    Action,
    Aim,
    PickTarget,
    PickTrack,
    PickZone,
    Restore,
    ShootFigure,
    TakeCard,
)
from referee.games.pavillon_noir.data import DECKS, HULLS
from referee.games.pavillon_noir.events import (
    AimTakenBack,
    MarkersRestored,
    TargetReplaced,
    TargetsDiscarded,
    TrackCleared,
)
from referee.games.pavillon_noir.pending import (
    ChooseRestore,
    ChooseTrack,
    ChooseZone,
    Remove,
    Sharpshoot,
    Spy,
    StripOpposingTarget,
    SwapOwnTarget,
    TrickAim,
    TrickQuestion,
)
from referee.games.pavillon_noir.rules.asked import Asked, misplayed
from referee.games.pavillon_noir.rules.damage import remove, splits
from referee.games.pavillon_noir.rules.effects import free_places
from referee.games.pavillon_noir.rules.gunnery import aim_options, place
from referee.games.pavillon_noir.rules.piles import discard_aim, draw_targets, lose_cards
from referee.games.pavillon_noir.state import State, Target, one_at
from referee.games.pavillon_noir.terms import Cards, Cause, Figure, Marker, Track, Zone


def ask(state: State, question: TrickQuestion) -> Asked:
    """What the owner of the trick may choose."""
    own, opponent = state.duelists[question.seat], state.duelists[other_seat(question.seat)]
    match question:
        case TrickAim(_, looked_at):
            return Asked("TRICK_AIM", tuple(aim_options(looked_at or own.hand, len(own.targets))))
        case ChooseRestore(_, marker, count):
            return Asked("RESTORE", tuple(map(Restore, splits(count, free_places(own.ship, marker)))))
        case Spy():
            return Asked("SPYGLASS", tuple(TakeCard(card) for card in dict.fromkeys(opponent.hand)))
        case ChooseZone():
            return Asked("PICK_ZONE", tuple(PickZone(zone) for zone in HULLS if opponent.ship.markers(zone)))
        case Sharpshoot(_, most_figures):
            decks = [deck for deck in DECKS if 1 <= opponent.ship.markers(deck) <= most_figures]
            figures = [ShootFigure(deck, figure) for deck in decks for figure in opponent.ship.figures(deck)]
            return Asked("SHARPSHOOTER", tuple(figures))
        case ChooseTrack():
            return Asked("PICK_TRACK", tuple(PickTrack(track) for track in Track if own.tracks[track]))
        case SwapOwnTarget():
            return Asked("PICK_TARGET", tuple(PickTarget(index) for index in range(len(own.targets))))
        case StripOpposingTarget():
            bearing = [index for index, target in enumerate(opponent.targets) if target.aim_cards]
            return Asked("PICK_TARGET", tuple(map(PickTarget, bearing)))
        case _:
            assert_never(question)


def play(draft: State, question: TrickQuestion, action: Action) -> None:
    """Do what the owner of the trick chose."""
    draft.pending.pop()
    seat, opponent = question.seat, other_seat(question.seat)
    match question, action:
        case TrickAim(_, looked_at), Aim():
            _aim(draft, seat, looked_at, action)
        case ChooseRestore(_, marker, _), Restore(counts):
            own = draft.duelists[seat]
            own.ship = own.ship.changed(marker, counts)
            draft.tell(MarkersRestored(seat, marker, counts))
        case Spy(), TakeCard(card):
            lose_cards(draft, opponent, (card,), Cause.SPYGLASS)
        case ChooseZone(_, planks), PickZone(zone):
            draft.push(Remove(opponent, Marker.PLANK, planks, zone))
        case Sharpshoot(), ShootFigure(deck, figure):
            _shoot_figure(draft, opponent, deck, figure)
        case ChooseTrack(), PickTrack(track):
            own = draft.duelists[seat]
            own.tracks = tuple(() if other is track else own.tracks[other] for other in Track)
            draft.tell(TrackCleared(seat, track))
        case SwapOwnTarget(), PickTarget(index):
            _swap_target(draft, seat, index)
        case StripOpposingTarget(), PickTarget(index):
            cards = draft.duelists[opponent].targets[index].aim_cards
            _replace_target(draft, opponent, index, Target(draft.duelists[opponent].targets[index].card))
            discard_aim(draft, opponent, cards, Cause.GRAPNELS)
        case _:
            raise misplayed(question, action)


def _aim(draft: State, seat: Seat, looked_at: Cards, aim: Aim) -> None:
    """With a card looked at, the others being discarded face up; or with a card of the hand."""
    if not looked_at:
        draft.duelists[seat].hand.remove(aim.card)
        place(draft, seat, aim)
        return
    place(draft, seat, aim)
    others = list(looked_at)
    others.remove(aim.card)
    discard_aim(draft, seat, others, Cause.CROWS_NEST)


def _shoot_figure(draft: State, victim: Seat, deck: Zone, figure: Figure) -> None:
    sailors = one_at(deck, int(figure is Figure.SAILOR))
    remove(draft, victim, Marker.CREW, sailors, captain=figure is Figure.CAPTAIN, mate=figure is Figure.MATE)


def _swap_target(draft: State, seat: Seat, index: int) -> None:
    own = draft.duelists[seat]
    old = own.targets[index]
    for card in old.aim_cards:
        insort(own.hand, card)
    if old.aim_cards:
        draft.tell(AimTakenBack(seat, old.aim_cards))
    draft.target_discard.append(old.card)
    draft.tell(TargetsDiscarded(seat, (old.card,)))
    (new,) = draw_targets(draft, seat, 1)
    _replace_target(draft, seat, index, Target(new))
    draft.tell(TargetReplaced(seat, index, new))


def _replace_target(draft: State, seat: Seat, index: int, new: Target) -> None:
    duelist = draft.duelists[seat]
    duelist.targets = tuple(new if place == index else target for place, target in enumerate(duelist.targets))
