"""Setup, and the questions put to both seats at once (spec 4; rulings R36 to R39).

Secret choices arrive together, so nothing has to be kept hidden in between.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import ClassVar, TypeVar

from referee.errors import RulesError
from referee.games.pavillon_noir.actions import (
    InstallCannons,
    KeepReputation,
    KeepTrick,
    LoadGuns,
    PlaceOfficers,
)
from referee.games.pavillon_noir.data import (
    AIM_DECK,
    DECKS,
    REPUTATIONS_DEALT,
    STARTING_HAND,
    TARGETS,
    TRICK_ROUNDS,
    TRICKS_DEALT,
)
from referee.games.pavillon_noir.events import (
    CannonsInstalled,
    FirstSeatNamed,
    OfficersPlaced,
    ReputationChosen,
    ReputationsDealt,
    TrickKept,
    TricksDealt,
)
from referee.games.pavillon_noir.rules.gunnery import Lay
from referee.games.pavillon_noir.rules.piles import draw_cards, draw_discs, without
from referee.games.pavillon_noir.rules.reload import capacities, load, load_options
from referee.games.pavillon_noir.rules.turn import BeginTurn
from referee.games.pavillon_noir.state import Duelist, Settings, Ship, State, set_duelist
from referee.games.pavillon_noir.terms import Cannon, Decks, Disaster, Reputation, Trick, Zone
from referee.rules.agenda import AgendaQuestion, Task, push
from referee.rules.chance import TABLE, Chance
from referee.rules.engine import DUEL, Decision, Seat, Variant, other_seat
from referee.rules.parts import immutable, replace

A = TypeVar("A")


def new(seats: int, variant: Variant, chance: Chance) -> State:
    """Step 1: shuffle the piles, and put the whole setup on the stack."""
    if seats != len(DUEL):
        raise RulesError(f"pavillon_noir is played by 2 seats, not {seats}")
    first = str(variant["first_seat"])
    settings = Settings(
        decks=Decks(str(variant["variant"])),
        first_seat=None if first == "random" else DUEL[int(first)],
        max_rounds=int(variant["max_rounds"]),
    )
    decks = [tuple(chance.shuffle("aim_deck", seat, AIM_DECK)) for seat in DUEL]
    tokens = [tuple(chance.shuffle("disasters", seat, Disaster)) for seat in DUEL]
    state = State(
        settings=settings,
        chance=chance,
        duelists=(Duelist(Ship(), tokens[0], decks[0]), Duelist(Ship(), tokens[1], decks[1])),
        target_deck=tuple(chance.shuffle("targets", TABLE, TARGETS)),
        pending=(),
    )
    push(
        state,
        *(SetupOfficers(), SetupCannons(), DrawFirstDiscs(), SetupLoad(), BeginLaying()),
        *([DealReputations()] if settings.decks in (Decks.REPUTATION, Decks.FULL) else []),
        *([DealTricks()] * TRICK_ROUNDS if settings.decks in (Decks.TRICKS, Decks.FULL) else []),
        *(DealHands(), BeginTurn()),
    )
    return state


class SimultaneousQuestion(AgendaQuestion[State, A]):
    """Both seats choose at once and unseen."""

    __slots__ = ()

    def decision(self, state: State) -> Decision[A]:
        """Return the decision of each seat among its own options."""
        options = {seat: self.options(state.duelists[seat]) for seat in DUEL}
        return Decision(kind=self.kind, options=options, defaults={seat: self.default(options[seat]) for seat in DUEL})

    def answer(self, draft: State, choices: Mapping[Seat, A]) -> None:
        """Reveal what both seats chose."""
        for seat in DUEL:
            self.reveal(draft, seat, choices[seat])

    def default(self, options: tuple[A, ...]) -> int:
        """Return the index played for a bot that fails."""
        return 0

    @abstractmethod
    def options(self, own: Duelist) -> tuple[A, ...]:
        """Return the legal actions of one seat, in the specification's order."""

    @abstractmethod
    def reveal(self, draft: State, seat: Seat, action: A) -> None:
        """Carry out what one seat chose."""


# --- The ships (steps 2 to 4) ----------------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class SetupOfficers(SimultaneousQuestion[PlaceOfficers]):
    """Decision D1: the decks of captain and mate."""

    TAG: ClassVar[str] = "SetupOfficers"
    kind: ClassVar[str] = "SETUP_OFFICERS"

    def options(self, own: Duelist) -> tuple[PlaceOfficers, ...]:
        """Any two decks."""
        return _officer_options()

    def default(self, options: tuple[PlaceOfficers, ...]) -> int:
        """Both on the main deck."""
        return options.index(PlaceOfficers(Zone.DECK_MAIN, Zone.DECK_MAIN))

    def reveal(self, draft: State, seat: Seat, action: PlaceOfficers) -> None:
        """Put the officers and the crew in their places."""
        own = draft.duelists[seat]
        set_duelist(draft, seat, replace(own, ship=own.ship.with_officers(action.captain, action.mate)))
        draft.events.append(OfficersPlaced(seat, action.captain, action.mate))


@immutable(frozen=True, slots=True)
class SetupCannons(SimultaneousQuestion[InstallCannons]):
    """Decision D2: the kinds of the two cannons."""

    TAG: ClassVar[str] = "SetupCannons"
    kind: ClassVar[str] = "SETUP_CANNONS"

    def options(self, own: Duelist) -> tuple[InstallCannons, ...]:
        """Any two kinds."""
        return _cannon_options()

    def reveal(self, draft: State, seat: Seat, action: InstallCannons) -> None:
        """Show the cannons."""
        set_duelist(draft, seat, replace(draft.duelists[seat], cannons=(action.bow, action.stern)))
        draft.events.append(CannonsInstalled(seat, action.bow, action.stern))


@immutable(frozen=True, slots=True)
class DrawFirstDiscs(Task[State]):
    """Discs for every place in the cannons."""

    TAG: ClassVar[str] = "DrawFirstDiscs"

    def run(self, draft: State) -> None:
        """Let each seat draw its own."""
        for seat in DUEL:
            draw_discs(draft, seat, sum(capacities(draft.duelists[seat].cannons)))


@immutable(frozen=True, slots=True)
class SetupLoad(SimultaneousQuestion[LoadGuns]):
    """Decision D3 at setup: which disc goes into which cannon."""

    TAG: ClassVar[str] = "SetupLoad"
    kind: ClassVar[str] = "SETUP_LOAD"

    def options(self, own: Duelist) -> tuple[LoadGuns, ...]:
        """Return the options as after a reload."""
        return load_options(own)

    def reveal(self, draft: State, seat: Seat, action: LoadGuns) -> None:
        """Load the cannons."""
        load(draft, seat, action)


@immutable(frozen=True, slots=True)
class BeginLaying(Task[State]):
    """Steps 5 and 6: the first seat is named and lays its gun first."""

    TAG: ClassVar[str] = "BeginLaying"

    def run(self, draft: State) -> None:
        """Name the first seat: the one in the settings, or one drawn by lot."""
        given = draft.settings.first_seat
        first = DUEL[draft.chance.draw("first_seat", TABLE, len(DUEL))] if given is None else given
        draft.first = first
        draft.events.append(FirstSeatNamed(first))
        push(draft, Lay(first), Lay(other_seat(first)))


# --- Cards (steps 7 to 9) --------------------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class DealReputations(Task[State]):
    """Step 7."""

    TAG: ClassVar[str] = "DealReputations"

    def run(self, draft: State) -> None:
        """Three cards each, of which one is kept."""
        cards = draft.chance.shuffle("reputations", TABLE, Reputation)
        for seat in DUEL:
            dealt = tuple(cards[seat * REPUTATIONS_DEALT : (seat + 1) * REPUTATIONS_DEALT])
            set_duelist(draft, seat, replace(draft.duelists[seat], offered_reputations=dealt))
            draft.events.append(ReputationsDealt(seat, dealt))
        push(draft, ChooseReputation())


@immutable(frozen=True, slots=True)
class ChooseReputation(SimultaneousQuestion[KeepReputation]):
    """Decision D5: the reputation to keep."""

    TAG: ClassVar[str] = "ChooseReputation"
    kind: ClassVar[str] = "CHOOSE_REPUTATION"

    def options(self, own: Duelist) -> tuple[KeepReputation, ...]:
        """Return the cards dealt."""
        return tuple(map(KeepReputation, own.offered_reputations))

    def reveal(self, draft: State, seat: Seat, action: KeepReputation) -> None:
        """Lay the card kept face up."""
        own = draft.duelists[seat]
        chosen = action.reputation
        rejected = without(own.offered_reputations, (chosen,))
        own = replace(own, reputation=chosen, offered_reputations=(), rejected_reputations=rejected)
        set_duelist(draft, seat, own)
        draft.events.append(ReputationChosen(seat, action.reputation))


@immutable(frozen=True, slots=True)
class DealTricks(Task[State]):
    """One of the three rounds of step 8."""

    TAG: ClassVar[str] = "DealTricks"

    def run(self, draft: State) -> None:
        """Three cards each; what was rejected before is never dealt again (R37)."""
        if not draft.trick_deck:
            draft.trick_deck = tuple(draft.chance.shuffle("tricks", TABLE, Trick))
        for seat in DUEL:
            dealt, draft.trick_deck = draft.trick_deck[:TRICKS_DEALT], draft.trick_deck[TRICKS_DEALT:]
            set_duelist(draft, seat, replace(draft.duelists[seat], offered_tricks=dealt))
            draft.events.append(TricksDealt(seat, dealt))
        push(draft, ChooseTrick())


@immutable(frozen=True, slots=True)
class ChooseTrick(SimultaneousQuestion[KeepTrick]):
    """Decision D6: the trick to keep."""

    TAG: ClassVar[str] = "ChooseTrick"
    kind: ClassVar[str] = "CHOOSE_TRICK"

    def options(self, own: Duelist) -> tuple[KeepTrick, ...]:
        """Return the cards dealt."""
        return tuple(map(KeepTrick, own.offered_tricks))

    def reveal(self, draft: State, seat: Seat, action: KeepTrick) -> None:
        """Keep the card hidden."""
        own = draft.duelists[seat]
        held = tuple(sorted((*own.tricks, action.trick)))
        rejected = own.rejected_tricks + without(own.offered_tricks, (action.trick,))
        set_duelist(draft, seat, replace(own, tricks=held, offered_tricks=(), rejected_tricks=rejected))
        draft.events.append(TrickKept(seat, action.trick))


@immutable(frozen=True, slots=True)
class DealHands(Task[State]):
    """Step 9."""

    TAG: ClassVar[str] = "DealHands"

    def run(self, draft: State) -> None:
        """Draw the first aim cards."""
        for seat in DUEL:
            draw_cards(draft, seat, STARTING_HAND)


@lru_cache(None)
def _officer_options() -> tuple[PlaceOfficers, ...]:
    return tuple(PlaceOfficers(captain, mate) for captain, mate in product(DECKS, DECKS))


@lru_cache(None)
def _cannon_options() -> tuple[InstallCannons, ...]:
    return tuple(InstallCannons(bow, stern) for bow, stern in product(Cannon, Cannon))
