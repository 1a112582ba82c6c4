"""Setup, and the questions put to both seats at once (spec 4; rulings R36 to R39).

Secret choices arrive together, so nothing has to be kept hidden in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import assert_never

from referee.chance import TABLE, Chance
from referee.engine import DUEL, Seat, Variant, other_seat
from referee.errors import RulesError
from referee.games.pavillon_noir.actions import (
    Action,
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
from referee.games.pavillon_noir.pending import (
    BeginLaying,
    BeginTurn,
    BothQuestion,
    ChooseReputation,
    ChooseTrick,
    DealHands,
    DealReputations,
    DealTricks,
    Lay,
    SetupCannons,
    SetupLoad,
    SetupOfficers,
    SetupTask,
)
from referee.games.pavillon_noir.rules.asked import Asked
from referee.games.pavillon_noir.rules.piles import draw_cards, draw_discs
from referee.games.pavillon_noir.rules.reload import capacities, load, load_options
from referee.games.pavillon_noir.state import Duelist, Setting, Ship, State
from referee.games.pavillon_noir.terms import Cannon, Decks, Disaster, Reputation, Trick, Zone


def new(seats: int, variant: Variant, chance: Chance) -> State:
    """Step 1: shuffle what is shuffled, and put the whole setup on the stack."""
    if seats != len(DUEL):
        raise RulesError(f"pavillon_noir is played by 2 seats, not {seats}")
    first = str(variant["first_seat"])
    setting = Setting(
        variant=Decks(str(variant["variant"])),
        first_seat=None if first == "random" else DUEL[int(first)],
        max_rounds=int(variant["max_rounds"]),
    )
    decks = [chance.shuffle("aim_deck", seat, AIM_DECK) for seat in DUEL]
    tokens = [tuple(chance.shuffle("disasters", seat, Disaster)) for seat in DUEL]
    expert = setting.variant
    state = State(
        setting=setting,
        chance=chance,
        duelists=(Duelist(Ship(), tokens[0], decks[0]), Duelist(Ship(), tokens[1], decks[1])),
        target_deck=chance.shuffle("targets", TABLE, TARGETS),
        pending=[],
    )
    state.push(
        *(SetupOfficers(), SetupCannons(), SetupLoad(), BeginLaying()),
        *([DealReputations()] if expert in (Decks.REPUTATION, Decks.FULL) else []),
        *([DealTricks()] * TRICK_ROUNDS if expert in (Decks.TRICKS, Decks.FULL) else []),
        *(DealHands(), BeginTurn()),
    )
    return state


def ask(state: State, question: BothQuestion) -> dict[Seat, Asked]:
    """D1, D2, D3, D5, D6: both seats choose at once and unseen."""
    return {seat: _ask(state.duelists[seat], question) for seat in DUEL}


def _ask(own: Duelist, question: BothQuestion) -> Asked:
    match question:
        case SetupOfficers():
            options = _officer_options()
            return Asked("SETUP_OFFICERS", options, options.index(PlaceOfficers(Zone.DECK_MAIN, Zone.DECK_MAIN)))
        case SetupCannons():
            return Asked("SETUP_CANNONS", _cannon_options())
        case SetupLoad():
            return Asked("SETUP_LOAD", load_options(own))
        case ChooseReputation():
            return Asked("CHOOSE_REPUTATION", tuple(map(KeepReputation, own.offered_reputations)))
        case ChooseTrick():
            return Asked("CHOOSE_TRICK", tuple(map(KeepTrick, own.offered_tricks)))
        case _:
            assert_never(question)


def play(draft: State, choices: Mapping[Seat, Action]) -> None:
    """Reveal what both seats chose."""
    question = draft.pending.pop()
    for seat in DUEL:
        own = draft.duelists[seat]
        match choices[seat]:
            case PlaceOfficers(captain, mate):
                own.ship = own.ship.with_officers(captain, mate)
                draft.tell(OfficersPlaced(seat, captain, mate))
            case InstallCannons(bow, stern):
                own.cannons = (bow, stern)
                draft.tell(CannonsInstalled(seat, bow, stern))
            case LoadGuns() as action:
                load(draft, seat, action)
            case KeepReputation(reputation):
                _keep_reputation(draft, seat, reputation)
            case KeepTrick(trick):
                _keep_trick(draft, seat, trick)
            case action:
                raise RulesError(f"{action!r} does not answer {question!r}")
    if isinstance(question, SetupCannons):
        for seat in DUEL:
            draw_discs(draft, seat, sum(capacities(draft.duelists[seat].cannons)))


def run(draft: State, task: SetupTask) -> None:
    """Steps 5 to 9, as the engine's own part of them."""
    match task:
        case BeginLaying():
            drawn = draft.setting.first_seat
            first = DUEL[draft.chance.draw("first_seat", TABLE, len(DUEL))] if drawn is None else drawn
            draft.first = first
            draft.tell(FirstSeatNamed(first))
            draft.push(Lay(first), Lay(other_seat(first)))
        case DealReputations():
            cards = draft.chance.shuffle("reputations", TABLE, Reputation)
            for seat in DUEL:
                dealt = tuple(cards[seat * REPUTATIONS_DEALT : (seat + 1) * REPUTATIONS_DEALT])
                draft.duelists[seat].offered_reputations = dealt
                draft.tell(ReputationsDealt(seat, dealt))
            draft.push(ChooseReputation())
        case DealTricks():
            _deal_tricks(draft)
            draft.push(ChooseTrick())
        case DealHands():
            for seat in DUEL:
                draw_cards(draft, seat, STARTING_HAND)
        case _:
            assert_never(task)


def _deal_tricks(draft: State) -> None:
    """Three cards each; what was rejected before is never dealt again (R37)."""
    if not draft.trick_deck:
        draft.trick_deck = tuple(draft.chance.shuffle("tricks", TABLE, Trick))
    for seat in DUEL:
        dealt, draft.trick_deck = draft.trick_deck[:TRICKS_DEALT], draft.trick_deck[TRICKS_DEALT:]
        draft.duelists[seat].offered_tricks = dealt
        draft.tell(TricksDealt(seat, dealt))


def _keep_reputation(draft: State, seat: Seat, reputation: Reputation) -> None:
    own = draft.duelists[seat]
    own.reputation = reputation
    own.rejected_reputations = tuple(card for card in own.offered_reputations if card is not reputation)
    own.offered_reputations = ()
    draft.tell(ReputationChosen(seat, reputation))


def _keep_trick(draft: State, seat: Seat, trick: Trick) -> None:
    own = draft.duelists[seat]
    own.tricks = tuple(sorted((*own.tricks, trick)))
    own.rejected_tricks = (*own.rejected_tricks, *(card for card in own.offered_tricks if card is not trick))
    own.offered_tricks = ()
    draft.tell(TrickKept(seat, trick))


@lru_cache(None)
def _officer_options() -> tuple[PlaceOfficers, ...]:
    return tuple(PlaceOfficers(captain, mate) for captain, mate in product(DECKS, DECKS))


@lru_cache(None)
def _cannon_options() -> tuple[InstallCannons, ...]:
    return tuple(InstallCannons(bow, stern) for bow, stern in product(Cannon, Cannon))
