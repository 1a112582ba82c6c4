"""The gunner's rules of thumb for worlds: the same thoughts, on the tables of the forward model instead of messages.

A search plays hundreds of choices on in the time of one answer, and the gunner's own `strategy.py` takes, with the
messages it reads, a third of a millisecond for each. These take a tenth of that: they read the state as it lies, and
what a target card promises is worked out once per hand. Tricks are left alone, and whatever is not in JUDGES is played
as the rules' default.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

# `build` copies look_ahead.py into this folder; before that, it is found in the kit.
sys.path.append(str(Path(__file__).parents[1] / "shared"))
import look_ahead

Scores: TypeAlias = list[float]
"""What each option is worth."""
State: TypeAlias = Any
Duelist: TypeAlias = Any
Ship: TypeAlias = Any


thumb = look_ahead.load_rules_of_thumb(Path(__file__).parent, "gunner")

# The numbers of the state are those of the messages less one.
JOKER = 41
CARRONADE = 2
GRAPE, CHAIN, BALL = 2, 1, 0
FIRST_DECK, FIRST_HULL = 2, 5
MATCHING = (CHAIN, CHAIN, GRAPE, GRAPE, GRAPE, BALL, BALL, BALL)
"""By zone."""
TARGETS_ASKED = tuple(thumb.TARGETS_ASKED[zone + 1] for zone in range(8))
EXPECTED_LOSS = tuple(thumb.EXPECTED_LOSS[cannon + 1] for cannon in range(3))
DISC_WORTH = tuple(thumb.DISC_WORTH[disc + 1] for disc in range(3))
CAPACITY = tuple(thumb.capacity(cannon + 1) for cannon in range(3))
VALUES = tuple(thumb.VALUES)
CARD_COST = thumb.CARD_COST
NEVER = -100.0


def usual_choice(world: Any) -> int:
    """Return what the rules of thumb say in a world."""
    judge = JUDGES.get(world.kind)
    if judge is None:
        return int(world.default)
    scores = judge(world.state, world.seat, world.actions)
    return scores.index(max(scores))


# --- What a target card promises ---------------------------------------------------------------------------


@lru_cache(1 << 12)
def mask_of(hand: tuple[int, ...]) -> int:
    """Return the values in a hand as bits; bit 0 for a joker."""
    mask = 0
    for card in hand:
        mask |= 1 if card == JOKER else 2 << (card - 1) % 10
    return mask


@lru_cache(1 << 13)
def mask_without(hand: tuple[int, ...], card: int) -> int:
    """Return the same without a card."""
    return mask_of(tuple([held for held in hand if held != card]))


@lru_cache(1 << 16)
def reading(cannon: int, card: int, left: int, below: int, mask: int) -> float:
    """Return what a target card will take off the shot, with these values beside it (0: none) and this hand."""
    if left and below:
        return float(thumb.reduction(cannon + 1, card, left, below))
    if not left and not below:
        return float(thumb.UNAIMED)
    someday, losses, best = open_readings(cannon, card, left, below)
    least = min([someday, *[losses[value - 1] + 0.15 for value in VALUES if mask >> value & 1]])
    return float(min(least, best + 0.15) if mask & 1 else least)


@lru_cache(1 << 12)
def open_readings(cannon: int, card: int, left: int, below: int) -> tuple[float, list[int], int]:
    """Return, with one value beside it, what to hope for, the losses by the value added, and their least."""
    losses = [thumb.reduction(cannon + 1, card, left or value, below or value) for value in VALUES]
    return sum(sorted(losses)[:4]) / 4 + 0.35, losses, min(losses)


def values(target: Any) -> tuple[int, int]:
    """Return the values beside a target card; 0 where nothing lies."""
    left, below = target.left, target.below
    return (left.value if left is not None else 0), (below.value if below is not None else 0)


def placed(duelist: Duelist) -> int:
    """Count the aim cards beside a seat's target cards."""
    return sum((target.left is not None) + (target.below is not None) for target in duelist.targets)


def needs(own: Duelist) -> dict[int, float]:
    """Return how much each card of the hand is worth keeping: the best it could still do beside a target card."""
    worth = {}
    cannon, hand = own.cannons[own.gun], own.hand
    mask = mask_of(hand)
    beside = [(target.card, *values(target)) for target in own.targets]
    promised = [reading(cannon, *at, mask) for at in beside]
    for card in set(hand):
        if card == JOKER:
            worth[card] = 1.5
            continue
        rest, value, best = mask_without(hand, card), (card - 1) % 10 + 1, 0.0
        for promise, (target, left, below) in zip(promised, beside, strict=True):
            gain = promise - min(
                reading(cannon, target, value, below, rest), reading(cannon, target, left, value, rest)
            )
            best = max(best, gain)
        worth[card] = best
    return worth


def damage_now(own: Duelist, foe: Duelist) -> float:
    """Return what the active gun would do now."""
    losses = 0
    cannon = own.cannons[own.gun]
    for target in own.targets:
        left, below = values(target)
        losses += thumb.reduction(cannon + 1, target.card, left, below) if left and below else 3 if left or below else 4
    return damage(own, foe, losses)


def damage_hoped(own: Duelist, foe: Duelist) -> float:
    """Return what the active gun would do when everything is aimed as well as can be hoped."""
    cannon, mask, losses = own.cannons[own.gun], mask_of(own.hand), 0.0
    for target in own.targets:
        left, below = values(target)
        loss = reading(cannon, target.card, left, below, mask)
        losses += loss if left and below else min(loss, EXPECTED_LOSS[cannon] + 0.3)
    return damage(own, foe, losses)


def damage(own: Duelist, foe: Duelist, losses: float) -> float:
    """Return what a shot of the active gun does after what its target cards take off."""
    zone, load = own.zone, own.loads[own.gun]
    there = foe.ship.markers(zone)
    double = own.cannons[own.gun] == CARRONADE and len(load) == 2
    markers = there - losses - own.ship.cannon_penalty(own.gun) - (MATCHING[zone] not in load)
    return float(min(there, markers + 2 * double))


def disc_count(own: Duelist) -> int:
    """Count the discs in both guns."""
    return len(own.loads[0]) + len(own.loads[1])


def room(own: Duelist) -> int:
    """Count the free places in both guns."""
    return int(CAPACITY[own.cannons[0]] + CAPACITY[own.cannons[1]] - disc_count(own))


def spare_sailors(ship: Ship) -> int:
    """Count the sailors whose leaving lays nothing bare."""
    return sum(max(0, min(ship.markers(deck) - 3, ship.sailors[deck - FIRST_DECK])) for deck in (2, 3, 4))


# --- Laying, loading, acting -------------------------------------------------------------------------------


def judge_laying(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Return what a shot from there should remove, per target card it asks for."""
    own, foe = state.duelists[seat], state.duelists[1 - seat]
    return [lay_worth(own, foe.ship, option.gun, option.zone) for option in actions]


def lay_worth(own: Duelist, enemy: Ship, gun: int, zone: int) -> float:
    """Return the same for one gun and zone."""
    cannon, load = own.cannons[gun], own.loads[gun]
    asked, there = TARGETS_ASKED[zone], enemy.markers(zone)
    markers = there - EXPECTED_LOSS[cannon] * asked - own.ship.cannon_penalty(gun) - (MATCHING[zone] not in load)
    markers += 0.8 * (cannon == CARRONADE and len(load) == 2) - 1.2 * (not load) - 5 * own.ship.is_silenced(gun)
    if markers <= 0:
        return float(markers)
    weight = 0.7 if zone < FIRST_DECK else 0.9
    if zone >= FIRST_HULL:
        weight = 1.3 + 0.12 * enemy.planks_missing
    elif zone >= FIRST_DECK and there <= 3:
        weight += 0.5 * ((enemy.captain == zone) + (enemy.mate == zone))
    return float(markers * weight / asked**0.8)


def judge_load(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Prefer discs that suit the zone in the active gun, and as many as will go in."""
    own = state.duelists[seat]
    if own.gun is None:
        return [float(option.bow.count(BALL)) for option in actions]
    wanted = MATCHING[own.zone]
    active = [option.stern if own.gun else option.bow for option in actions]
    return [10.0 * (wanted in load) + len(load) for load in active]


def judge_return(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Return as few discs as possible, and none that the active gun wants."""
    wanted = MATCHING[state.duelists[seat].zone]
    return [-float(sum(2 if disc == wanted else 1 for disc in option.discs)) for option in actions]


def judge_action(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Score every action by what it should bring, in markers."""
    own, foe = state.duelists[seat], state.duelists[1 - seat]
    cannon, hand = own.cannons[own.gun], own.hand
    mask = mask_of(hand)
    beside = [(target.card, *values(target)) for target in own.targets]
    promised = [reading(cannon, *at, mask) for at in beside]
    scores: Scores = []
    for action in actions:
        name = type(action).__name__
        if name == "Aim":
            card, value, index = action.card, action.value, action.target
            target, left, below = beside[index]
            rest = mask_without(hand, card)
            aimed = (
                reading(cannon, target, left, value, rest)
                if action.side
                else reading(cannon, target, value, below, rest)
            )
            scores.append(promised[index] - aimed - (0.35 if card == JOKER else 0.0))
        else:
            scores.append(OTHER_ACTIONS[name](own, foe))
    return scores


def judge_prepare(own: Duelist, _: Duelist) -> float:
    """Judge a card more: good, unless it would have to be discarded."""
    return 0.18 if len(own.hand) < own.ship.hand_limit else 0.02


def judge_broadside(own: Duelist, foe: Duelist) -> float:
    """Judge a broadside by its best two discs and the aim cards it costs the enemy."""
    discs = sorted([DISC_WORTH[disc] for load in own.loads for disc in load], reverse=True)
    aimed = placed(foe)
    hit = sum(discs[:2]) + 0.45 * min(2, aimed) - 2 * CARD_COST - 0.5
    return float(hit if aimed >= 2 or foe.ship.planks_missing >= 7 else hit - 1.0)


def judge_sheer_off(_: Duelist, foe: Duelist) -> float:
    """Judge cards taken off a full hand."""
    held = len(foe.hand)
    return float(0.3 * min(3, held) - 2 * CARD_COST + 0.5 if held >= 4 else -1.0)


def judge_reload(own: Duelist, _: Duelist, battery: bool = False) -> float:
    """Judge a reload: urgent for an empty gun, useful for one without the right disc."""
    load, free = own.loads[own.gun], room(own)
    if not free:
        return -1.0
    urgent = 1.1 if not load else 0.45 if MATCHING[own.zone] not in load else 0.0
    if not urgent and own.cannons[own.gun] == CARRONADE and len(load) < 2:
        urgent = 0.4
    return float(urgent + (0.3 * (free - 1) if battery else 0.0) - 2 * CARD_COST + 0.3)


def judge_patch(own: Duelist, _: Duelist) -> float:
    """Judge repairs: good when the hull leaks and there are sailors to spare."""
    ship = own.ship
    leaking = ship.planks_missing >= 5 and min(ship.planks) < 4
    return 0.9 if leaking and spare_sailors(ship) else -1.0


def judge_change(own: Duelist, foe: Duelist) -> float:
    """Judge a change of target: good only if the present one has become hopeless."""
    hopeless = own.ship.is_silenced(own.gun) or damage_hoped(own, foe) < 0.1
    return 0.9 if hopeless and not placed(own) else 0.5 if hopeless else -1.0


OTHER_ACTIONS: dict[str, Callable[[Duelist, Duelist], float]] = {
    "Prepare": judge_prepare,
    "Broadside": judge_broadside,
    "SheerOff": judge_sheer_off,
    "ReloadOne": judge_reload,
    "ReloadBattery": lambda own, foe: judge_reload(own, foe, battery=True),
    "Patch": judge_patch,
    "ChangeTarget": judge_change,
    "PlayTrick": lambda own, foe: NEVER,
}


# --- Payments and losses -----------------------------------------------------------------------------------


def judge_payment(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Prefer the cards least needed, and longer flushes and runs as far as they bring more."""
    own, held = state.duelists[seat], len(state.duelists[1 - seat].hand)
    costs = {card: need + (thumb.JOKER_COST if card == JOKER else CARD_COST) for card, need in needs(own).items()}
    scores: Scores = []
    for option in actions:
        cards = option.cards
        cost = sum([costs[card] for card in cards])
        if hasattr(option, "start"):
            scores.append(0.3 * min(len(cards) + 1, held) - cost)
        else:
            scores.append(-cost if len(cards) < 3 else 0.9 * (len(cards) - 2) - cost)
    return scores


def judge_giving(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Prefer to part with the fewest cards that are least needed."""
    costs = needs(state.duelists[seat])
    return [-sum([costs[card] + 0.01 for card in option.cards]) for option in actions]


def judge_patch_cards(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Prefer a card per repair that can be made."""
    ship = state.duelists[seat].ship
    wanted = min(3, spare_sailors(ship), ship.planks_missing)
    costs = needs(state.duelists[seat])
    return [
        0.9 * min(len(option.cards), wanted) - sum([costs[card] + 0.31 for card in option.cards]) for option in actions
    ]


def judge_discs(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Prefer the discs of a broadside that hurt, but not the one the active gun needs."""
    own = state.duelists[seat]
    needed = (own.gun, MATCHING[own.zone])
    return [sum([DISC_WORTH[disc[1]] - 0.4 * (disc == needed) for disc in option.discs]) for option in actions]


def judge_aim_loss(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Give up what is least useful."""
    own = state.duelists[seat]
    cannon, mask = own.cannons[own.gun], mask_of(own.hand)
    scores: Scores = []
    for option in actions:
        total = 0.0
        for index, target in enumerate(own.targets):
            left, below = values(target)
            left = 0 if (index, 0) in option.places else left
            below = 0 if (index, 1) in option.places else below
            total -= reading(cannon, target.card, left, below, mask)
        scores.append(total)
    return scores


def judge_planks(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Prefer to lose planks evenly, and never the last one of a zone."""
    bow, main, stern = state.duelists[seat].ship.planks
    return [-thumb.hull_cost((bow - gone.bow, main - gone.main, stern - gone.stern)) for gone in actions]


def judge_sails(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Prefer to lose sails where no penalty shows."""
    bow, stern = state.duelists[seat].ship.sails
    return [-thumb.sail_cost((bow - gone.bow, stern - gone.stern)) for gone in actions]


def judge_crew(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Prefer to lose crew where no penalty shows, and officers last."""
    ship = state.duelists[seat].ship
    scores: Scores = []
    for gone in actions:
        decks = [ship.markers(2) - gone.bow, ship.markers(3) - gone.main, ship.markers(4) - gone.stern]
        if gone.captain:
            decks[ship.captain - FIRST_DECK] -= 1
        if gone.mate:
            decks[ship.mate - FIRST_DECK] -= 1
        scores.append(-thumb.crew_cost(decks, ship.officers - gone.captain - gone.mate))
    return scores


def judge_move(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Prefer repairs by sailors who can be spared, planks first; nobody else moves."""
    ship = state.duelists[seat].ship
    scores: Scores = []
    for move in actions:
        zone = getattr(move, "zone", None)
        if zone is None:
            scores.append(0.0)
        elif move.figure or FIRST_DECK <= zone < FIRST_HULL:
            scores.append(-0.5)
        else:
            worth = (1.5 if zone >= FIRST_HULL else 0.4) - 0.2 * ship.markers(zone)
            scores.append(worth + 0.5 if ship.markers(move.deck) > 3 else worth - 1.0)
    return scores


# --- Shots -------------------------------------------------------------------------------------------------


def judge_fire(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Fire a shot that pays and is about as good as it will get."""
    own, foe = state.duelists[seat], state.duelists[1 - seat]
    now = damage_now(own, foe)
    ready = -1.0
    if now >= 1 and (now >= 2 or placed(own) == 2 * len(own.targets)) and now >= 0.55 * damage_hoped(own, foe):
        ready = 1.0
    wanted = MATCHING[own.zone]
    return [0.0, *[ready + 0.5 * (option.projectile == wanted) for option in actions[1:]]]


def judge_boost(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Double whatever can still hurt."""
    pays = 2.0 if state.shot.damage + 2 > 0 else -1.0
    return [pays if type(option).__name__ == "DoubleShot" else 0.0 for option in actions]


def judge_evasion(state: State, seat: int, actions: Sequence[Any]) -> Scores:
    """Score an evasion by what it saves, less the cards; against a deadly shot, anything goes."""
    shot, ship = state.shot, state.duelists[seat].ship
    deadly = shot.zone >= FIRST_HULL and ship.planks_missing + shot.damage >= 9
    scores: Scores = []
    for option in actions:
        cards = getattr(option, "cards", None)
        if cards is None:
            scores.append(0.0)
            continue
        effective = max(1, len(cards) - ship.sail_penalty)
        saved = effective // 2 if option.kind else effective
        cost = CARD_COST * len(cards) + 0.2 * cards.count(JOKER)
        scores.append(min(max(1, saved), shot.damage) - cost - (-0.5 if deadly else 0.35))
    return scores


JUDGES: dict[str, Callable[[State, int, Sequence[Any]], Scores]] = {
    "SETUP_LOAD": judge_load,
    "LOAD": judge_load,
    "LAY_GUN": judge_laying,
    "ACTION": judge_action,
    "PAY": judge_payment,
    "BROADSIDE_SHOT": judge_discs,
    "LOSE_AIM": judge_aim_loss,
    "REMOVE_PLANKS": judge_planks,
    "REMOVE_SAILS": judge_sails,
    "REMOVE_CREW": judge_crew,
    "RELOAD_RETURN": judge_return,
    "PATCH_CARDS": judge_patch_cards,
    "PATCH_MOVE": judge_move,
    "FIRE": judge_fire,
    "HASTY_DISCARD": judge_giving,
    "BOOST": judge_boost,
    "EVADE": judge_evasion,
    "DISCARD": judge_giving,
    "QM_DISCARD": judge_giving,
}
