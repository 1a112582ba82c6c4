"""Broadside and sheer-off, and the tricks against them (spec 6.4 and 6.5; rulings R1 to R8, R28)."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, product
from typing import ClassVar, assert_never

from referee.games.pavillon_noir.actions import (
    Broadside,
    FireBroadside,
    Give,
    GiveRun,
    LoseAim,
    Pass,
    PlayTrick,
    give,
)
from referee.games.pavillon_noir.events import BroadsideFired, SheeredOff
from referee.games.pavillon_noir.rules.combos import flushes, has_run, longest_flush, run_values, runs
from referee.games.pavillon_noir.rules.piles import (
    cards_to_keep,
    cover,
    discard_aim,
    discard_from_hand,
    unload,
)
from referee.games.pavillon_noir.rules.reputations import perks, sail_penalty, use_reputation
from referee.games.pavillon_noir.rules.threats import BroadsideHits, LoseCards
from referee.games.pavillon_noir.rules.tricks import play_trick, trick_options
from referee.games.pavillon_noir.state import Duelist, Ship, State, set_duelist
from referee.games.pavillon_noir.terms import Cards, Cause, Discs, Gun, Projectile, Side, Suit, Timing, Track
from referee.rules.agenda import SeatQuestion, push
from referee.rules.engine import Seat, other_seat
from referee.rules.parts import immutable, replace

PASS = Pass()
BROADSIDE = {suit: Broadside(suit) for suit in Suit}
FLUSH_SIZES = (2, 3, 4)


# --- BROADSIDE -------------------------------------------------------------------------------------------


def broadsides(own: Duelist, keep: int) -> list[Broadside]:
    """Return the suits that can be fired: not covered, and with a payment that leaves `keep` cards."""
    bow, stern = own.loads
    longest = min(len(own.hand) - keep, len(bow) + len(stern))
    if longest < FLUSH_SIZES[0]:
        return []
    sizes = [size for size in FLUSH_SIZES if size <= longest and shot_sets(own, size)]
    if not sizes:
        return []
    return [
        BROADSIDE[suit]
        for suit in Suit
        if suit not in own.tracks[Track.BROADSIDE] and longest_flush(own.hand, suit) >= sizes[0]
    ]


def shot_sets(own: Duelist, cards: int) -> tuple[FireBroadside, ...]:
    """Step 2 of 6.4: the discs that a flush of that size can fire, over all postures of the two gun decks (R8)."""
    return _shot_sets(own.ship, own.loads, perks(own).steady_broadside, cards)


@lru_cache(4096)
def _shot_sets(ship: Ship, loads: tuple[Discs, Discs], steady: bool, cards: int) -> tuple[FireBroadside, ...]:
    shot_sets: set[tuple[tuple[Gun, Projectile], ...]] = set()
    for postures in product(ship.postures(Gun.BOW), ship.postures(Gun.STERN)):
        discs = [
            (gun, disc)
            for gun, posture in zip(Gun, postures, strict=True)
            if not posture.silenced
            for disc in loads[gun]
        ]
        spent = cards - (0 if steady else sum(posture.penalty for posture in postures))
        if cards <= len(discs) and spent >= 1:
            shot_sets.update(combinations(discs, spent))
    return tuple(FireBroadside(discs) for discs in sorted(shot_sets, key=lambda discs: (len(discs), discs)))


@immutable(frozen=True, slots=True)
class PayBroadside(SeatQuestion[State, Give]):
    """Decision D8 for a broadside of the suit."""

    TAG: ClassVar[str] = "PayBroadside"
    kind: ClassVar[str] = "PAY"

    suit: Suit

    def options(self, state: State) -> tuple[Give, ...]:
        """Flushes for which there is a shot."""
        own = state.duelists[self.seat]
        longest = len(own.hand) - cards_to_keep(state)
        return tuple(
            give(cards)
            for size in FLUSH_SIZES
            if size <= longest and shot_sets(own, size)
            for cards in flushes(own.hand, self.suit, size)
        )

    def choose(self, draft: State, action: Give) -> None:
        """Pay the flush; its discs are chosen next."""
        discard_from_hand(draft, self.seat, action.cards)
        push(draft, ChooseShot(self.seat, self.suit, action.cards))


@immutable(frozen=True, slots=True)
class ChooseShot(SeatQuestion[State, FireBroadside]):
    """Decision D9: the discs to fire, for the flush already paid."""

    TAG: ClassVar[str] = "ChooseShot"
    kind: ClassVar[str] = "BROADSIDE_SHOT"

    suit: Suit
    cards: Cards

    def options(self, state: State) -> tuple[FireBroadside, ...]:
        """Return the discs that the flush can fire."""
        return shot_sets(state.duelists[self.seat], len(self.cards))

    def choose(self, draft: State, action: FireBroadside) -> None:
        """Steps 3 to 6 of 6.4; E is the number of discs spent (R2)."""
        seat, victim = self.seat, other_seat(self.seat)
        for gun, projectile in action.discs:
            unload(draft, seat, gun, projectile)
        cover(draft, seat, Track.BROADSIDE, (self.suit,))
        draft.events.append(BroadsideFired(seat, self.suit, self.cards, action.discs))
        projectiles = [projectile for _, projectile in action.discs]
        hits = BroadsideHits(victim, *(projectiles.count(projectile) for projectile in Projectile))
        push(draft, React(victim), GiveUpAim(victim, _aim_loss(draft, seat, len(action.discs))), hits)


def _aim_loss(draft: State, seat: Seat, discs: int) -> int:
    """Placed aim cards the victim gives up: one for each disc spent, but no more than there are."""
    own = draft.duelists[seat]
    placed = len(placed_aim(draft.duelists[other_seat(seat)]))
    loss = min(discs + perks(own).extra_aim_loss, placed)
    hampered = own.ship.cannon_penalty(Gun.BOW) + own.ship.cannon_penalty(Gun.STERN)
    if loss > discs or (hampered and perks(own).steady_broadside):
        use_reputation(draft, seat)
    return loss


def placed_aim(duelist: Duelist) -> list[tuple[int, Side]]:
    """Return the places of a seat's aim cards."""
    return [(index, side) for index, target in enumerate(duelist.targets) for side in Side if target.on(side)]


@immutable(frozen=True, slots=True)
class GiveUpAim(SeatQuestion[State, LoseAim]):
    """Decision D10: the aim cards that the victim of a broadside gives up."""

    TAG: ClassVar[str] = "GiveUpAim"
    kind: ClassVar[str] = "LOSE_AIM"

    count: int

    def is_moot(self, state: State) -> bool:
        """Nothing to give up."""
        return not self.count

    def options(self, state: State) -> tuple[LoseAim, ...]:
        """Return every set of that many aim cards."""
        return tuple(map(LoseAim, combinations(placed_aim(state.duelists[self.seat]), self.count)))

    def choose(self, draft: State, action: LoseAim) -> None:
        """Discard the aim cards."""
        own = draft.duelists[self.seat]
        gone = []
        targets = list(own.targets)
        for index, side in action.places:
            placed = targets[index].on(side)
            assert placed is not None
            gone.append(placed.card)
            targets[index] = targets[index].having(side, None)
        set_duelist(draft, self.seat, replace(own, targets=tuple(targets)))
        discard_aim(draft, self.seat, tuple(gone), Cause.BROADSIDE)


# --- SHEER_OFF -------------------------------------------------------------------------------------------


def can_sheer_off(own: Duelist, keep: int) -> bool:
    """Check whether a run is there that outlasts the sail penalty and leaves `keep` cards (R4)."""
    length = _shortest_run(own)
    return length <= len(own.hand) - keep and has_run(own.hand, own.tracks[Track.SHEER], length)


@immutable(frozen=True, slots=True)
class PaySheerOff(SeatQuestion[State, GiveRun]):
    """Decision D8 for a sheer-off."""

    TAG: ClassVar[str] = "PaySheerOff"
    kind: ClassVar[str] = "PAY"

    def options(self, state: State) -> tuple[GiveRun, ...]:
        """Runs that outlast the sail penalty."""
        own = state.duelists[self.seat]
        shortest = _shortest_run(own)
        possible = runs(own.hand, own.tracks[Track.SHEER], len(own.hand) - cards_to_keep(state))
        return tuple(GiveRun(*run) for run in possible if len(run.cards) >= shortest)

    def choose(self, draft: State, action: GiveRun) -> None:
        """Pay the run; the opponent loses one card more than its effective length (R5)."""
        seat, victim = self.seat, other_seat(self.seat)
        own, length = draft.duelists[seat], len(action.cards)
        discard_from_hand(draft, seat, action.cards)
        cover(draft, seat, Track.SHEER, run_values(action.start, length))
        draft.events.append(SheeredOff(seat, action.start, action.cards))
        if sail_penalty(own) != own.ship.sail_penalty:
            use_reputation(draft, seat)
        push(draft, React(victim), LoseCards(victim, length - sail_penalty(own) + 1))


def _shortest_run(own: Duelist) -> int:
    return max(2, sail_penalty(own) + 1)


# --- REACT -----------------------------------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class React(SeatQuestion[State, Pass | PlayTrick]):
    """Decision D21: a trick against the threat that waits further down the stack."""

    TAG: ClassVar[str] = "React"
    kind: ClassVar[str] = "REACT"

    def options(self, state: State) -> tuple[Pass | PlayTrick, ...]:
        """Pass, or a trick against what is coming."""
        return (PASS, *trick_options(state, self.seat, (Timing.REACT,)))

    def choose(self, draft: State, action: Pass | PlayTrick) -> None:
        """Play one trick at most: there is only one against each threat."""
        match action:
            case Pass():
                pass
            case PlayTrick():
                play_trick(draft, self.seat, action)
            case _:
                assert_never(action)
