"""Broadside and sheer-off, and the tricks against them (spec 6.4 and 6.5; rulings R1 to R8, R28)."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, product

from referee.engine import Seat, other_seat
from referee.games.pavillon_noir.actions import (
    Action,
    Broadside,
    FireBroadside,
    Give,
    GiveRun,
    LoseAim,
    Pass,
    PlayTrick,
)
from referee.games.pavillon_noir.events import BroadsideFired, SheeredOff
from referee.games.pavillon_noir.pending import (
    BroadsideHits,
    ChooseShot,
    GiveUpAim,
    LoseCards,
    PayBroadside,
    PaySheerOff,
    React,
    Remove,
)
from referee.games.pavillon_noir.rules import effects
from referee.games.pavillon_noir.rules.asked import Asked, misplayed
from referee.games.pavillon_noir.rules.combos import flushes, has_run, longest_flush, run_values, runs
from referee.games.pavillon_noir.rules.piles import cover, discard_aim, discard_from_hand, lose_random_cards, unload
from referee.games.pavillon_noir.state import Duelist, Ship, State
from referee.games.pavillon_noir.terms import Cause, Discs, Gun, Marker, Projectile, Side, Suit, Timing, Track

PASS = Pass()
BROADSIDE = {suit: Broadside(suit) for suit in Suit}
FLUSH_SIZES = (2, 3, 4)


# --- BROADSIDE -------------------------------------------------------------------------------------------


def broadsides(own: Duelist, keep: int) -> list[Broadside]:
    """The suits that can be fired: not covered, and with a payment that leaves `keep` cards."""
    longest = len(own.hand) - keep
    sizes = [size for size in FLUSH_SIZES if size <= longest and shot_sets(own, size)]
    if not sizes:
        return []
    return [
        BROADSIDE[suit]
        for suit in Suit
        if suit not in own.tracks[Track.BROADSIDE] and longest_flush(own.hand, suit) >= sizes[0]
    ]


def shot_sets(own: Duelist, cards: int) -> tuple[FireBroadside, ...]:
    """Step 2 of 6.4: the discs that so many cards can fire, over all postures of the two gun decks (R8)."""
    return _shot_sets(own.ship, own.loads, effects.perks(own).steady_broadside, cards)


@lru_cache(4096)
def _shot_sets(ship: Ship, loads: tuple[Discs, Discs], steady: bool, cards: int) -> tuple[FireBroadside, ...]:
    found: set[tuple[tuple[Gun, Projectile], ...]] = set()
    for postures in product(ship.postures(Gun.BOW), ship.postures(Gun.STERN)):
        discs = [
            (gun, disc)
            for gun, posture in zip(Gun, postures, strict=True)
            if not posture.silenced
            for disc in loads[gun]
        ]
        spent = cards - (0 if steady else sum(posture.penalty for posture in postures))
        if cards <= len(discs) and spent >= 1:
            found.update(combinations(discs, spent))
    return tuple(FireBroadside(discs) for discs in sorted(found, key=lambda discs: (len(discs), discs)))


def ask_broadside_payment(state: State, question: PayBroadside, keep: int) -> Asked:
    """D8: flushes for which there is a shot."""
    own = state.duelists[question.seat]
    options = [
        Give(cards)
        for size in FLUSH_SIZES
        if size <= len(own.hand) - keep and shot_sets(own, size)
        for cards in flushes(own.hand, question.suit, size)
    ]
    return Asked("PAY", tuple(options))


def play_broadside_payment(draft: State, question: PayBroadside, action: Action) -> None:
    """The flush is paid; its discs are chosen next."""
    if not isinstance(action, Give):
        raise misplayed(question, action)
    draft.pending.pop()
    discard_from_hand(draft, question.seat, action.cards)
    draft.push(ChooseShot(question.seat, question.suit, action.cards))


def ask_shot(state: State, question: ChooseShot) -> Asked:
    """D9."""
    return Asked("BROADSIDE_SHOT", shot_sets(state.duelists[question.seat], len(question.cards)))


def play_shot(draft: State, question: ChooseShot, action: Action) -> None:
    """Steps 3 to 6 of 6.4; E is the number of discs spent (R2)."""
    if not isinstance(action, FireBroadside):
        raise misplayed(question, action)
    draft.pending.pop()
    seat, victim = question.seat, other_seat(question.seat)
    for gun, projectile in action.discs:
        unload(draft, seat, gun, projectile)
    cover(draft, seat, Track.BROADSIDE, (question.suit,))
    draft.tell(BroadsideFired(seat, question.suit, question.cards, action.discs))
    projectiles = [projectile for _, projectile in action.discs]
    hits = BroadsideHits(victim, *(projectiles.count(projectile) for projectile in Projectile))
    draft.push(React(victim, hits), GiveUpAim(victim, _aim_loss(draft, seat, len(action.discs))), hits)


def _aim_loss(draft: State, seat: Seat, discs: int) -> int:
    """Placed aim cards the victim gives up: as many as discs were spent, if there are so many."""
    own = draft.duelists[seat]
    placed = len(placed_aim(draft.duelists[other_seat(seat)]))
    loss = min(discs + effects.perks(own).extra_aim_loss, placed)
    hampered = own.ship.cannon_penalty(Gun.BOW) + own.ship.cannon_penalty(Gun.STERN)
    if loss > discs or (hampered and effects.perks(own).steady_broadside):
        effects.use_reputation(draft, seat)
    return loss


def placed_aim(duelist: Duelist) -> list[tuple[int, Side]]:
    """The places of a seat's aim cards."""
    return [(index, side) for index, target in enumerate(duelist.targets) for side in Side if target.on(side)]


def ask_aim_loss(state: State, question: GiveUpAim) -> Asked:
    """D10: the victim of a broadside chooses."""
    places = placed_aim(state.duelists[question.seat])
    return Asked("LOSE_AIM", tuple(map(LoseAim, combinations(places, question.count))))


def play_aim_loss(draft: State, question: GiveUpAim, action: Action) -> None:
    """The aim cards are discarded."""
    if not isinstance(action, LoseAim):
        raise misplayed(question, action)
    draft.pending.pop()
    duelist = draft.duelists[question.seat]
    gone = []
    targets = list(duelist.targets)
    for index, side in action.places:
        placed = targets[index].on(side)
        assert placed is not None
        gone.append(placed.card)
        targets[index] = targets[index].having(side, None)
    duelist.targets = tuple(targets)
    discard_aim(draft, question.seat, gone, Cause.BROADSIDE)


def strike(draft: State, hits: BroadsideHits) -> None:
    """Step 6 of 6.4: planks, sails, crew, each with its consequences before the next (R28)."""
    draft.push(
        Remove(hits.seat, Marker.PLANK, hits.balls),
        Remove(hits.seat, Marker.SAIL, hits.chains),
        Remove(hits.seat, Marker.CREW, hits.grape),
    )


# --- SHEER_OFF -------------------------------------------------------------------------------------------


def can_sheer_off(own: Duelist, keep: int) -> bool:
    """Whether a run is there that outlasts the sail penalty and leaves `keep` cards (R4)."""
    length = _shortest_run(own)
    return length <= len(own.hand) - keep and has_run(own.hand, own.tracks[Track.SHEER], length)


def ask_sheer_payment(state: State, question: PaySheerOff, keep: int) -> Asked:
    """D8: runs."""
    own = state.duelists[question.seat]
    shortest = _shortest_run(own)
    found = runs(own.hand, own.tracks[Track.SHEER], len(own.hand) - keep)
    return Asked("PAY", tuple(GiveRun(*run) for run in found if len(run.cards) >= shortest))


def play_sheer_payment(draft: State, question: PaySheerOff, action: Action) -> None:
    """The run is paid; the opponent loses one card more than its effective length (R5)."""
    if not isinstance(action, GiveRun):
        raise misplayed(question, action)
    draft.pending.pop()
    seat, victim = question.seat, other_seat(question.seat)
    own, length = draft.duelists[seat], len(action.cards)
    discard_from_hand(draft, seat, action.cards)
    cover(draft, seat, Track.SHEER, run_values(action.start, length))
    draft.tell(SheeredOff(seat, action.start, action.cards))
    if effects.sail_penalty(own) != own.ship.sail_penalty:
        effects.use_reputation(draft, seat)
    loss = LoseCards(victim, length - effects.sail_penalty(own) + 1)
    draft.push(React(victim, loss), loss)


def shake(draft: State, task: LoseCards) -> None:
    """Step 3 of 6.5."""
    lose_random_cards(draft, task.seat, task.count, Cause.SHEERED_OFF)


def _shortest_run(own: Duelist) -> int:
    return max(2, effects.sail_penalty(own) + 1)


# --- REACT -----------------------------------------------------------------------------------------------


def ask_react(state: State, question: React) -> Asked:
    """D21: pass, or a trick against what is coming."""
    return Asked("REACT", (PASS, *effects.trick_options(state, question.seat, (Timing.REACT,))))


def play_react(draft: State, question: React, action: Action) -> None:
    """One trick at most: there is only one against each threat."""
    draft.pending.pop()
    match action:
        case Pass():
            pass
        case PlayTrick():
            effects.play_trick(draft, question.seat, action)
        case _:
            raise misplayed(question, action)
