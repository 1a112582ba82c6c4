"""The questions that dirty tricks open, D24 to D30 (spec 2.11 and 5.3; ruling R26)."""

from __future__ import annotations

from typing import ClassVar

from referee.games.pavillon_noir.actions import Aim, PickTarget, PickTrack, PickZone, Restore, ShootFigure, TakeCard
from referee.games.pavillon_noir.data import DECKS, HULLS, ZONES_OF
from referee.games.pavillon_noir.events import (
    AimTakenBack,
    MarkersRestored,
    TargetReplaced,
    TrackCleared,
    targets_discarded,
)
from referee.games.pavillon_noir.rules.damage import LosePlanks, remove, splits
from referee.games.pavillon_noir.rules.gunnery import aim_from_hand, aim_options, place
from referee.games.pavillon_noir.rules.piles import discard_aim, draw_targets, lose_cards, without
from referee.games.pavillon_noir.state import Ship, State, Target, one_at, set_duelist
from referee.games.pavillon_noir.terms import Cards, Cause, Figure, Marker, Track
from referee.rules.agenda import SeatQuestion, push
from referee.rules.engine import Seat, other_seat
from referee.rules.parts import immutable, put, replace


@immutable(frozen=True, slots=True)
class TrickAim(SeatQuestion[State, Aim]):
    """Decision D24: aim with one of the cards looked at; if there are none, with a card of the hand."""

    TAG: ClassVar[str] = "TrickAim"
    kind: ClassVar[str] = "TRICK_AIM"

    looked_at: Cards = ()

    def options(self, state: State) -> list[Aim]:
        """Return the options of the Aim action."""
        own = state.duelists[self.seat]
        return aim_options(self.looked_at or own.hand, len(own.targets))

    def choose(self, draft: State, action: Aim) -> None:
        """Aim with a card looked at, the others being discarded face up; or with a card of the hand."""
        if not self.looked_at:
            aim_from_hand(draft, self.seat, action)
            return
        place(draft, self.seat, action, draft.duelists[self.seat].hand)
        discard_aim(draft, self.seat, without(self.looked_at, (action.card,)), Cause.CROWS_NEST)


@immutable(frozen=True, slots=True)
class ChooseRestore(SeatQuestion[State, Restore]):
    """Decision D25: where the markers come back."""

    TAG: ClassVar[str] = "ChooseRestore"
    kind: ClassVar[str] = "RESTORE"

    marker: Marker
    count: int

    def options(self, state: State) -> tuple[Restore, ...]:
        """Return every way to spread the markers over their zones."""
        return tuple(map(Restore, splits(self.count, free_places(state.duelists[self.seat].ship, self.marker))))

    def choose(self, draft: State, action: Restore) -> None:
        """Put them back."""
        own = draft.duelists[self.seat]
        set_duelist(draft, self.seat, replace(own, ship=own.ship.changed(self.marker, action.counts)))
        draft.events.append(MarkersRestored(self.seat, self.marker, action.counts))


def missing(ship: Ship, marker: Marker) -> int:
    """Markers that could be put back on a ship: of the crew, sailors for whom there is a free slot."""
    free = sum(free_places(ship, marker))
    return min(free, ship.sailors_lost) if marker is Marker.CREW else free


def free_places(ship: Ship, marker: Marker) -> tuple[int, ...]:
    """Empty slots per zone of a kind of marker."""
    return tuple(ship.room(zone) for zone in ZONES_OF[marker])


@immutable(frozen=True, slots=True)
class Spy(SeatQuestion[State, TakeCard]):
    """Decision D26: the card of the spied hand that is discarded."""

    TAG: ClassVar[str] = "Spy"
    kind: ClassVar[str] = "SPYGLASS"

    def options(self, state: State) -> tuple[TakeCard, ...]:
        """Return the cards of the opposing hand."""
        return tuple(TakeCard(card) for card in dict.fromkeys(state.duelists[other_seat(self.seat)].hand))

    def choose(self, draft: State, action: TakeCard) -> None:
        """Let the opponent discard the card."""
        lose_cards(draft, other_seat(self.seat), (action.card,), Cause.SPYGLASS)


@immutable(frozen=True, slots=True)
class ChooseZone(SeatQuestion[State, PickZone]):
    """Decision D27: the opposing hull zone that loses planks."""

    TAG: ClassVar[str] = "ChooseZone"
    kind: ClassVar[str] = "PICK_ZONE"

    planks: int

    def options(self, state: State) -> tuple[PickZone, ...]:
        """Return the opposing hull zones that have planks."""
        ship = state.duelists[other_seat(self.seat)].ship
        return tuple(PickZone(zone) for zone in HULLS if ship.markers(zone))

    def choose(self, draft: State, action: PickZone) -> None:
        """Let the opponent remove the planks."""
        push(draft, LosePlanks(other_seat(self.seat), self.planks, action.zone))


@immutable(frozen=True, slots=True)
class Sharpshoot(SeatQuestion[State, ShootFigure]):
    """Decision D28: the figure to shoot."""

    TAG: ClassVar[str] = "Sharpshoot"
    kind: ClassVar[str] = "SHARPSHOOTER"

    most_figures: int

    def options(self, state: State) -> tuple[ShootFigure, ...]:
        """Return the figures on the opposing decks that bear few."""
        ship = state.duelists[other_seat(self.seat)].ship
        decks = [deck for deck in DECKS if 1 <= ship.markers(deck) <= self.most_figures]
        return tuple(ShootFigure(deck, figure) for deck in decks for figure in ship.figures(deck))

    def choose(self, draft: State, action: ShootFigure) -> None:
        """Remove the figure."""
        figure = action.figure
        sailors = one_at(action.deck, int(figure is Figure.SAILOR))
        captain, mate = figure is Figure.CAPTAIN, figure is Figure.MATE
        remove(draft, other_seat(self.seat), Marker.CREW, sailors, captain=captain, mate=mate)


@immutable(frozen=True, slots=True)
class ChooseTrack(SeatQuestion[State, PickTrack]):
    """Decision D29: the track to uncover."""

    TAG: ClassVar[str] = "ChooseTrack"
    kind: ClassVar[str] = "PICK_TRACK"

    def options(self, state: State) -> tuple[PickTrack, ...]:
        """One's own tracks with something covered."""
        tracks = state.duelists[self.seat].tracks
        return tuple(PickTrack(track) for track in Track if tracks[track])

    def choose(self, draft: State, action: PickTrack) -> None:
        """Uncover it."""
        own = draft.duelists[self.seat]
        set_duelist(draft, self.seat, replace(own, tracks=put(own.tracks, action.track, ())))
        draft.events.append(TrackCleared(self.seat, action.track))


@immutable(frozen=True, slots=True)
class SwapOwnTarget(SeatQuestion[State, PickTarget]):
    """Decision D30: which of one's own target cards to replace."""

    TAG: ClassVar[str] = "SwapOwnTarget"
    kind: ClassVar[str] = "PICK_TARGET"

    def options(self, state: State) -> tuple[PickTarget, ...]:
        """Return all of them."""
        return tuple(PickTarget(index) for index in range(len(state.duelists[self.seat].targets)))

    def choose(self, draft: State, action: PickTarget) -> None:
        """Its aim cards come back to the hand, and a new target card takes its place."""
        own = draft.duelists[self.seat]
        old = own.targets[action.target]
        if old.aim_cards:
            set_duelist(draft, self.seat, replace(own, hand=tuple(sorted(own.hand + old.aim_cards))))
            draft.events.append(AimTakenBack(self.seat, old.aim_cards))
        draft.target_discard += (old.card,)
        draft.events.append(targets_discarded(self.seat, (old.card,)))
        (new,) = draw_targets(draft, self.seat, 1)
        _replace_target(draft, self.seat, action.target, Target(new))
        draft.events.append(TargetReplaced(self.seat, action.target, new))


@immutable(frozen=True, slots=True)
class StripOpposingTarget(SeatQuestion[State, PickTarget]):
    """Decision D30: which of the opponent's target cards to clear of aim cards."""

    TAG: ClassVar[str] = "StripOpposingTarget"
    kind: ClassVar[str] = "PICK_TARGET"

    def options(self, state: State) -> tuple[PickTarget, ...]:
        """Those that bear aim cards."""
        targets = state.duelists[other_seat(self.seat)].targets
        return tuple(PickTarget(index) for index, target in enumerate(targets) if target.aim_cards)

    def choose(self, draft: State, action: PickTarget) -> None:
        """Let the opponent discard the aim cards."""
        opponent = other_seat(self.seat)
        target = draft.duelists[opponent].targets[action.target]
        _replace_target(draft, opponent, action.target, Target(target.card))
        discard_aim(draft, opponent, target.aim_cards, Cause.GRAPNELS)


def _replace_target(draft: State, seat: Seat, index: int, new: Target) -> None:
    own = draft.duelists[seat]
    set_duelist(draft, seat, replace(own, targets=put(own.targets, index, new)))
