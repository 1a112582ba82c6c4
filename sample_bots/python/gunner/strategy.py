"""How the gunner thinks. One function, `choose`, answers every question of pavillon_noir from the question alone.

Everything is weighed in markers: an option is worth what it should remove from the enemy's ship, or keep on its own,
minus the cards it costs. The heart of it is `Bearings.promise`: what a target card will take off the shot in the end.
Nothing is kept between questions, and there is no luck in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from tortuga.v1.pavillon_noir_pb2 import PavillonNoir as Pb
from tortuga_bot import Question

VALUES = range(1, 11)
PATTERNS = {
    "round": ("EDCDE", "DCBCD", "CBABC", "DCBCD", "EDCDE"),
    "broad": ("FEDEF", "DCBCD", "CAAAC", "DCBCD", "FEDEF"),
    "tall": ("FDCDF", "ECACE", "DBABD", "ECACE", "FDCDF"),
    "saltire": ("CEFEC", "EADBE", "FDADF", "EBDAE", "CEFEC"),
    "cross": ("FECEF", "EDBDE", "CBABC", "EDBDE", "FECEF"),
}
TARGETS = """1 2 round, 1 5 tall, 1 6 saltire, 2 4 round, 2 7 broad, 2 10 tall, 3 1 broad, 3 3 tall, 3 6 cross,
4 1 cross, 4 5 saltire, 4 8 round, 5 4 broad, 5 7 tall, 5 10 saltire, 6 2 tall, 6 5 round, 6 9 saltire, 7 1 tall,
7 4 cross, 7 8 broad, 8 3 saltire, 8 9 cross, 8 10 broad, 9 2 cross, 9 6 round, 9 8 cross, 10 3 broad,
10 7 saltire, 10 9 round"""
"""Left centre, below centre and pattern of T01 to T30."""
SYMBOLS: dict[int, dict[str, int]] = {
    Pb.CANNON_POUNDER18: {"A": 0, "B": 1, "C": 1, "D": 1, "E": 2},
    Pb.CANNON_LONG_NINE: {"A": 0, "B": 0, "C": 2},
    Pb.CANNON_CARRONADE: {"A": 1, "B": 1, "C": 1, "D": 1, "E": 1, "F": 2},
}
HASTY, MISS = 4, 3
UNAIMED = 1.9
"""What a target card without aim cards is expected to take off: a reason to begin with it."""

FIRST_DECK, FIRST_HULL = Pb.ZONE_DECK_BOW, Pb.ZONE_HULL_BOW
TARGETS_ASKED = {1: 1, 2: 1, 3: 2, 4: 3, 5: 2, 6: 2, 7: 2, 8: 2}
"""By zone."""
EXPECTED_LOSS: dict[int, float] = {Pb.CANNON_POUNDER18: 0.9, Pb.CANNON_LONG_NINE: 0.9, Pb.CANNON_CARRONADE: 1.15}
"""What a target card takes off in the end, if one takes the time to aim."""

CARD_COST, JOKER_COST = 0.28, 0.5
DISC_WORTH: dict[int, float] = {Pb.PROJECTILE_BALL: 1.1, Pb.PROJECTILE_CHAIN: 0.6, Pb.PROJECTILE_GRAPE: 0.7}
"""What a disc of a broadside removes is worth."""
REPUTATION_RANKS = (3, 6, 1, 2, 4, 8, 5, 7, 9)
"""Reputations by number, the dearest first."""
TRICK_RANKS = (4, 12, 19, 15, 14, 8, 6, 11, 10, 23, 7, 18, 13, 1, 16, 21, 22, 3, 17, 5, 20, 2, 9, 24)
"""Dirty tricks by number, the dearest first."""


def choose(question: Question) -> int:
    """Return the index of the best option."""
    bearings = Bearings(question.observation)
    judge = JUDGES.get(question.position.decision)
    if judge is None:
        return 0
    scores = [judge(bearings, option) for option in question.options]
    best = max(range(len(scores)), key=scores.__getitem__)
    if question.position.decision == Pb.DECISION_FIRE:  # the one choice that people ask about afterwards
        fires = question.options[best].WhichOneof("action") == "fire"
        now, later = bearings.damage(), bearings.damage(final=True)
        question.note(f"{'fire' if fires else 'hold'}: worth {now:.1f} now, {later:.1f} once aimed")
    return best


class Bearings:
    """The observation with the sums that several decisions need."""

    def __init__(self, seen: Pb.Observation) -> None:
        self.seen = seen
        self.own = seen.duelists[seen.seat]
        self.foe = seen.duelists[1 - seen.seat]
        self.hand = list(seen.hand)
        self.shot = seen.shot

    @property
    def cannon(self) -> int:
        """Return the kind of the active cannon."""
        return self.own.bow_cannon if self.own.active_gun == Pb.GUN_BOW else self.own.stern_cannon

    def load(self, gun: int) -> Sequence[int]:
        """Return the discs in a gun."""
        return self.own.bow_load if gun == Pb.GUN_BOW else self.own.stern_load

    def promise(self, target: Pb.Target, hand: Sequence[int]) -> float:
        """Return what a target card will take off the shot in the end, as far as one can tell."""
        return self.reading(target.card, target.left.value, target.below.value, hand)

    def reading(self, card: int, left: int, below: int, hand: Sequence[int]) -> float:
        """Return the same for values on a card; 0 where nothing lies."""
        if left and below:
            return reduction(self.cannon, card, left, below)
        if not left and not below:
            return UNAIMED
        rows = [reduction(self.cannon, card, left or value, below or value) for value in VALUES]
        someday = sum(sorted(rows)[:4]) / 4 + 0.35
        at_hand = [rows[value_of(held) - 1] if value_of(held) else min(rows) for held in hand]
        return min([someday, *(loss + 0.15 for loss in at_hand)])

    def gain(self, card: int, value: int, target: Pb.Target, side: int) -> float:
        """Return by how much an aim lowers the promise of its target card."""
        rest = [held for held in self.hand if held != card]
        left = value if side == Pb.SIDE_LEFT else target.left.value
        below = value if side == Pb.SIDE_BELOW else target.below.value
        return self.promise(target, self.hand) - self.reading(target.card, left, below, rest)

    def need(self, card: int) -> float:
        """Return how much a card of the hand is worth keeping: the best it could still do beside a target card."""
        if card == Pb.CARD_JK:
            return 1.5
        sides = (Pb.SIDE_LEFT, Pb.SIDE_BELOW)
        gains = (self.gain(card, value_of(card), target, side) for target in self.own.targets for side in sides)
        return max(0.0, *gains) if self.own.targets else 0.0

    def damage(self, final: bool = False) -> float:
        """Return what the active gun would do now, or (final) when everything is aimed as well as can be hoped."""
        zone, load = self.own.target_zone, self.load(self.own.active_gun)
        there = markers(self.foe.ship, zone)
        losses = sum(self._hope(target) if final else self._loss(target) for target in self.own.targets)
        double = self.cannon == Pb.CANNON_CARRONADE and len(load) == 2
        removed = there - losses - self.penalty(self.own.active_gun) - (match_of(zone) not in load)
        return min(there, removed + 2 * double)

    def _loss(self, target: Pb.Target) -> float:
        if target.left.value and target.below.value:
            return self.promise(target, ())
        return MISS if target.left.value or target.below.value else HASTY

    def _hope(self, target: Pb.Target) -> float:
        if target.left.value and target.below.value:
            return self.promise(target, ())
        return min(self.promise(target, self.hand), EXPECTED_LOSS[self.cannon] + 0.3)

    def penalty(self, gun: int) -> int:
        """Return what the deck of a gun costs its shots."""
        return self.own.ship.cannon_penalties[gun - 1]


# --- The tables of the game ------------------------------------------------------------------------------


@cache
def reduction(cannon: int, card: int, left: int, below: int) -> int:
    """Return what two values on a target card take off a shot of that cannon."""
    centre_left, centre_below, pattern = TARGETS.replace("\n", " ").split(",")[card - 1].split()
    row, column = ((value - int(centre) + 4) % 10 - 2 for value, centre in ((left, centre_left), (below, centre_below)))
    if not (0 <= row <= 4 and 0 <= column <= 4):
        return MISS
    return SYMBOLS[cannon].get(PATTERNS[pattern][row][column], MISS)


def value_of(card: int) -> int:
    """Return the value of a card; 0 for a joker."""
    return 0 if card == Pb.CARD_JK else (card - 1) % 10 + 1


def match_of(zone: int) -> int:
    """Return the projectile that suits a zone."""
    return (
        Pb.PROJECTILE_CHAIN if zone < FIRST_DECK else Pb.PROJECTILE_GRAPE if zone < FIRST_HULL else Pb.PROJECTILE_BALL
    )


def markers(ship: Pb.Ship, zone: int) -> int:
    """Return the markers in a zone."""
    if zone < FIRST_DECK:
        return ship.sails[zone - 1]
    if zone >= FIRST_HULL:
        return ship.planks[zone - FIRST_HULL]
    return ship.sailors[zone - FIRST_DECK] + (ship.captain == zone) + (ship.mate == zone)


def placed(duelist: Pb.Duelist) -> int:
    """Count the aim cards beside a seat's target cards."""
    return sum(target.HasField("left") + target.HasField("below") for target in duelist.targets)


def price(cards: Iterable[int]) -> float:
    """Return what cards cost that are spent on anything but aiming."""
    return sum(JOKER_COST if card == Pb.CARD_JK else CARD_COST for card in cards)


def hull_cost(planks: Sequence[int]) -> float:
    """Return how bad it is to have only these planks: even is better, empty zones are disasters."""
    return sum((0.0, 3.0, 1.6, 0.7, 0.2, 0.0)[min(left, 5)] if left else 5.0 for left in planks) - sum(planks)


def crew_cost(decks: Sequence[int], officers: int) -> float:
    """Return how bad it is to have only these figures on the three decks."""
    guns = sum((4.0, 2.0, 0.9, 0.1, 0.0)[min(decks[place], 4)] for place in (0, 2))
    return guns + (3.0, 1.8, 0.8, 0.2, 0.1, 0.05, 0.0)[min(decks[1], 6)] + (100.0, 4.0, 0.0)[officers]


def sail_cost(sails: Sequence[int]) -> float:
    """Return how bad it is to have only these sails."""
    return sum((2.0, 0.9, 0.1, 0.0)[left] for left in sails)


# --- Setup and laying ------------------------------------------------------------------------------------


def judge_officers(_: Bearings, option: Pb.Option) -> float:
    """Prefer both amidships: six figures to hide among."""
    places = option.place_officers
    return (places.captain == Pb.ZONE_DECK_MAIN) + (places.mate == Pb.ZONE_DECK_MAIN)


def judge_cannons(_: Bearings, option: Pb.Option) -> float:
    """Prefer two 18-pounders: they lose least on a good aim."""
    cannons = option.install_cannons
    return (cannons.bow == Pb.CANNON_POUNDER18) + (cannons.stern == Pb.CANNON_POUNDER18)


def judge_load(at: Bearings, option: Pb.Option) -> float:
    """Prefer discs that suit the zone in the active gun, and as many as will go in."""
    loads = option.load_guns
    if not at.own.active_gun:
        return list(loads.bow).count(Pb.PROJECTILE_BALL)
    active = list(loads.bow if at.own.active_gun == Pb.GUN_BOW else loads.stern)
    return 10 * (match_of(at.own.target_zone) in active) + len(active)


def judge_laying(at: Bearings, option: Pb.Option) -> float:
    """Return what a shot from there should remove, per target card it asks for."""
    gun, zone = option.lay_gun.gun, option.lay_gun.zone
    cannon = at.own.bow_cannon if gun == Pb.GUN_BOW else at.own.stern_cannon
    load, asked, there = at.load(gun), TARGETS_ASKED[zone], markers(at.foe.ship, zone)
    removed = there - EXPECTED_LOSS[cannon] * asked - at.penalty(gun) - (match_of(zone) not in load) - 1.2 * (not load)
    removed += 0.8 * (cannon == Pb.CANNON_CARRONADE and len(load) == 2)
    if at.own.ship.silenced[gun - 1]:
        removed -= 5
    weight = 0.7 if zone < FIRST_DECK else 0.9
    if zone >= FIRST_HULL:
        weight = 1.3 + 0.12 * at.foe.ship.planks_missing
    elif zone >= FIRST_DECK and there <= 3:
        weight += 0.5 * ((at.foe.ship.captain == zone) + (at.foe.ship.mate == zone))
    return removed * weight / asked**0.8 if removed > 0 else removed


def judge_reputation(_: Bearings, option: Pb.Option) -> float:
    """Judge by experience."""
    return -REPUTATION_RANKS.index(option.keep_reputation.reputation)


def judge_trick(_: Bearings, option: Pb.Option) -> float:
    """Judge by experience."""
    return -TRICK_RANKS.index(option.keep_trick.trick)


# --- Actions ---------------------------------------------------------------------------------------------


def judge_action(at: Bearings, option: Pb.Option) -> float:
    """Score every action by what it should bring, in markers."""
    match option.WhichOneof("action"):
        case "aim":
            return judge_aim(at, option)
        case "prepare":
            return 0.18 if len(at.hand) < at.own.ship.hand_limit else 0.02
        case "broadside":
            discs = sorted((*at.own.bow_load, *at.own.stern_load), key=disc_worth, reverse=True)
            hit = sum(map(disc_worth, discs[:2])) + 0.45 * min(2, placed(at.foe)) - 2 * CARD_COST - 0.5
            return hit if placed(at.foe) >= 2 or at.foe.ship.planks_missing >= 7 else hit - 1.0
        case "sheer_off":
            return 0.3 * min(3, at.foe.hand_size) - 2 * CARD_COST + 0.5 if at.foe.hand_size >= 4 else -1.0
        case "reload_one" | "reload_battery":
            return judge_reload(at, option.WhichOneof("action") == "reload_battery")
        case "patch":
            leaking = at.own.ship.planks_missing >= 5 and min(at.own.ship.planks) < 4
            return 0.9 if leaking and spare_sailors(at) else -1.0
        case "play_trick":
            return judge_action_trick(at, option.play_trick.trick)
        case _:
            return judge_change(at)


def judge_aim(at: Bearings, option: Pb.Option) -> float:
    """Judge an aim by what it betters; a joker is worth saving."""
    aim = option.aim
    gain = at.gain(aim.card, aim.value, at.own.targets[aim.target], aim.side)
    return gain - 0.35 * (aim.card == Pb.CARD_JK)


def judge_reload(at: Bearings, battery: bool) -> float:
    """Judge a reload: urgent for an empty gun, useful for one without the right disc."""
    load = at.load(at.own.active_gun)
    discs = len(at.own.bow_load) + len(at.own.stern_load)
    room = capacity(at.own.bow_cannon) + capacity(at.own.stern_cannon) - discs
    if not room:
        return -1.0
    urgent = 1.1 if not load else 0.45 if match_of(at.own.target_zone) not in load else 0.0
    if not urgent and at.cannon == Pb.CANNON_CARRONADE and len(load) < 2:
        urgent = 0.4
    return urgent + (0.3 * (room - 1) if battery else 0.0) - 2 * CARD_COST + 0.3


def judge_change(at: Bearings) -> float:
    """Judge a change of target: good only if the present one has become hopeless."""
    hopeless = at.own.ship.silenced[at.own.active_gun - 1] or at.damage(final=True) < 0.1
    return 0.9 if hopeless and not placed(at.own) else 0.5 if hopeless else -1.0


def judge_action_trick(at: Bearings, trick: int) -> float:
    """Judge when to play the tricks that are played in one's own turn."""
    own, foe = at.own.ship, at.foe.ship
    room = capacity(at.own.bow_cannon) + capacity(at.own.stern_cannon) - len(at.own.bow_load) - len(at.own.stern_load)
    thin = [zone for zone in (3, 4, 5) if 1 <= markers(foe, zone) <= 2 and zone in (foe.captain, foe.mate)]
    covered = max(len(at.own.covered_suits) * 2, len(at.own.covered_sheer), len(at.own.covered_evade))
    ripe: dict[int, tuple[bool, float]] = {
        Pb.TRICK_K01: (room >= 2, 2.0),
        Pb.TRICK_K02: (True, 0.7),
        Pb.TRICK_K03: (12 - sum(own.sailors) >= 3, 0.8),
        Pb.TRICK_K05: (at.foe.hand_size >= 3, 0.45),
        Pb.TRICK_K06: (True, 1.1),
        Pb.TRICK_K07: (sum(foe.sails) >= 2, 0.9),
        Pb.TRICK_K08: (foe.planks_missing >= 5 or min(foe.planks) == 1, 1.3),
        Pb.TRICK_K09: (bool(thin), 2.0),
        Pb.TRICK_K10: (len(at.hand) <= 4, 2.0),
        Pb.TRICK_K11: (len(at.hand) >= 3, 1.5),
        Pb.TRICK_K17: (covered >= 5, 1.2),
        Pb.TRICK_K18: (sum(own.sails) <= 4, 1.5),
        Pb.TRICK_K19: (own.planks_missing >= 4, 1.6),
        Pb.TRICK_K21: (placed(at.foe) >= 2, 0.9),
        Pb.TRICK_K24: (len(at.hand) >= 4, 0.9),
    }
    good, worth = ripe.get(trick, (False, 0.0))
    return worth if good else -2.0


def capacity(cannon: int) -> int:
    """Return the places in a cannon."""
    return 1 if cannon == Pb.CANNON_LONG_NINE else 2


def disc_worth(disc: int) -> float:
    """Return what a disc does in a broadside."""
    return DISC_WORTH[disc]


def spare_sailors(at: Bearings) -> int:
    """Count the sailors whose leaving lays nothing bare."""
    ship = at.own.ship
    return sum(max(0, min(markers(ship, zone) - 3, ship.sailors[zone - FIRST_DECK])) for zone in (3, 4, 5))


# --- Payments and losses -----------------------------------------------------------------------------------


def judge_payment(at: Bearings, option: Pb.Option) -> float:
    """Prefer the cards least needed, and longer flushes and runs as far as they bring more."""
    run = option.WhichOneof("action") == "give_run"
    cards = option.give_run.cards if run else option.give.cards
    cost = price(cards) + sum(map(at.need, cards))
    if run:
        return 0.3 * min(len(cards) + 1, at.foe.hand_size) - cost
    return -cost if len(cards) < 3 else 0.9 * (len(cards) - 2) - cost


def judge_giving(at: Bearings, option: Pb.Option) -> float:
    """Prefer to part with the fewest cards that are least needed."""
    return -sum(at.need(card) + 0.01 for card in option.give.cards)


def judge_patch_cards(at: Bearings, option: Pb.Option) -> float:
    """Prefer a card per repair that can be made."""
    wanted = min(3, spare_sailors(at), at.own.ship.planks_missing)
    return judge_giving(at, option) + 0.9 * min(len(option.give.cards), wanted) - 0.3 * len(option.give.cards)


def judge_broadside(at: Bearings, option: Pb.Option) -> float:
    """Prefer discs that hurt, but not the one the active gun needs."""
    wanted = match_of(at.own.target_zone)
    total = 0.0
    for disc in option.fire_broadside.discs:
        needed = disc.gun == at.own.active_gun and disc.projectile == wanted
        total += disc_worth(disc.projectile) - 0.4 * needed
    return total


def judge_aim_loss(at: Bearings, option: Pb.Option) -> float:
    """Give up what is least useful."""
    lost = {(place.target, place.side) for place in option.lose_aim.places}
    total = 0.0
    for index, target in enumerate(at.own.targets):
        left = 0 if (index, Pb.SIDE_LEFT) in lost else target.left.value
        below = 0 if (index, Pb.SIDE_BELOW) in lost else target.below.value
        total -= at.reading(target.card, left, below, at.hand)
    return total


def judge_planks(at: Bearings, option: Pb.Option) -> float:
    """Prefer to lose planks evenly, and never the last one of a zone."""
    gone = option.remove_planks
    left = [there - lost for there, lost in zip(at.own.ship.planks, (gone.bow, gone.main, gone.stern), strict=True)]
    return -hull_cost(left)


def judge_sails(at: Bearings, option: Pb.Option) -> float:
    """Prefer to lose sails where no penalty shows."""
    gone = option.remove_sails
    return -sail_cost([at.own.ship.sails[0] - gone.bow, at.own.ship.sails[1] - gone.stern])


def judge_crew(at: Bearings, option: Pb.Option) -> float:
    """Prefer to lose crew where no penalty shows, and officers last."""
    gone, ship = option.remove_crew, at.own.ship
    officers = (ship.captain != 0) + (ship.mate != 0) - gone.captain - gone.mate
    decks = [
        markers(ship, zone) - lost - (gone.captain and ship.captain == zone) - (gone.mate and ship.mate == zone)
        for zone, lost in ((3, gone.bow), (4, gone.main), (5, gone.stern))
    ]
    return -crew_cost(decks, officers)


def judge_restore(at: Bearings, option: Pb.Option) -> float:
    """Prefer the zone where it lifts most."""
    counts, ship = option.restore.counts, at.own.ship
    if len(counts) == 2:
        return -sail_cost([there + back for there, back in zip(ship.sails, counts, strict=True)])
    hulls = [there + back for there, back in zip(ship.planks, counts, strict=True)]
    if all(there <= most for there, most in zip(hulls, (5, 4, 5), strict=True)) and ship.planks_missing:
        return -hull_cost(hulls)
    decks = [markers(ship, zone) + back for zone, back in zip((3, 4, 5), counts, strict=True)]
    return -crew_cost(decks, 2)


def judge_return(at: Bearings, option: Pb.Option) -> float:
    """Return as few discs as possible, and none that the active gun wants."""
    wanted = match_of(at.own.target_zone)
    return -sum(2 if disc == wanted else 1 for disc in option.return_discs.discs)


def judge_move(at: Bearings, option: Pb.Option) -> float:
    """Prefer repairs by sailors who can be spared, planks first; nobody else moves."""
    if option.WhichOneof("action") == "stop":
        return 0.0
    move, ship = option.move_figure, at.own.ship
    if move.figure != Pb.FIGURE_SAILOR or FIRST_DECK <= move.zone < FIRST_HULL:
        return -0.5
    worth = (1.5 if move.zone >= FIRST_HULL else 0.4) - 0.2 * markers(ship, move.zone)
    return worth + 0.5 if markers(ship, move.deck) > 3 else worth - 1.0


# --- Shots -----------------------------------------------------------------------------------------------


def judge_fire(at: Bearings, option: Pb.Option) -> float:
    """Fire a shot that pays and is about as good as it will get."""
    now, later = at.damage(), at.damage(final=True)
    full = all(target.HasField("left") and target.HasField("below") for target in at.own.targets)
    if option.WhichOneof("action") == "hold":
        return 0.0
    ready = now >= 1 and (full or now >= 2) and now >= 0.55 * later
    return (1.0 if ready else -1.0) + 0.5 * (option.fire.projectile == match_of(at.own.target_zone))


def judge_boost(at: Bearings, option: Pb.Option) -> float:
    """Double whatever can still hurt; tricks for what they add."""
    kind, shot = option.WhichOneof("action"), at.shot
    if kind == "pass_up":
        return 0.0
    short = shot.initial - shot.damage
    if kind == "double_shot":
        return 2.0 if shot.damage + 2 > 0 else -1.0
    match option.play_trick.trick:
        case Pb.TRICK_K12:
            gain = min(short, shot.reductions[option.play_trick.target])
            return gain - 1.2 if shot.damage + gain > 1 else -1.0
        case Pb.TRICK_K13:
            spare = len(at.load(shot.gun))
            return 1.0 if short >= 2 and shot.damage >= 0 and not spare else -1.0
        case _:
            return 0.5 if shot.damage >= 3 and at.foe.hand_size >= 3 else -1.0


def judge_evasion(at: Bearings, option: Pb.Option) -> float:
    """Score an evasion by what it saves, less the cards; against a deadly shot, anything goes."""
    kind, shot = option.WhichOneof("action"), at.shot
    if kind == "pass_up":
        return 0.0
    deadly = shot.zone >= FIRST_HULL and at.own.ship.planks_missing + shot.damage >= 9
    if kind == "play_trick":
        by = 2 if option.play_trick.trick == Pb.TRICK_K15 else 3
        return min(by, shot.damage) - (0.2 if deadly else 1.6)
    cards, penalty = option.evade.cards, at.own.ship.sail_penalty
    effective = max(1, len(cards) - penalty)
    saved = effective if option.evade.kind == Pb.RUN_KIND_FLUSH else effective // 2
    cost = CARD_COST * len(cards) + 0.2 * sum(card == Pb.CARD_JK for card in cards)
    return min(max(1, saved), shot.damage) - cost - (-0.5 if deadly else 0.35)


def judge_reaction(at: Bearings, option: Pb.Option) -> float:
    """Save a hand of three cards; always save the ship."""
    if option.WhichOneof("action") == "pass_up":
        return 0.0
    return 1.0 if option.play_trick.trick == Pb.TRICK_K23 or len(at.hand) >= 3 else -1.0


# --- Follow-ups of tricks --------------------------------------------------------------------------------


def judge_theft(_: Bearings, option: Pb.Option) -> float:
    """Take a joker if there is one."""
    return float(option.take_card.card == Pb.CARD_JK)


def judge_zone(at: Bearings, option: Pb.Option) -> float:
    """Prefer the zone that is nearest to a disaster."""
    return -markers(at.foe.ship, option.pick_zone.zone)


def judge_figure(_: Bearings, option: Pb.Option) -> float:
    """Prefer officers."""
    return float(option.shoot_figure.figure != Pb.FIGURE_SAILOR)


def judge_track(at: Bearings, option: Pb.Option) -> float:
    """Return the track with most entries covered; a suit counts for two values."""
    covered = {
        Pb.TRACK_BROADSIDE: 2 * len(at.own.covered_suits),
        Pb.TRACK_SHEER: len(at.own.covered_sheer),
        Pb.TRACK_EVADE: len(at.own.covered_evade),
    }
    return covered[option.pick_track.track]


def judge_target(at: Bearings, option: Pb.Option) -> float:
    """Take the opponent's best aimed card (only the Grapnels are ever played)."""
    targets = at.foe.targets if option.pick_target.target < len(at.foe.targets) else at.own.targets
    target = targets[option.pick_target.target]
    return target.HasField("left") + target.HasField("below")


JUDGES: dict[int, Callable[[Bearings, Pb.Option], float]] = {
    Pb.DECISION_SETUP_OFFICERS: judge_officers,
    Pb.DECISION_SETUP_CANNONS: judge_cannons,
    Pb.DECISION_SETUP_LOAD: judge_load,
    Pb.DECISION_LOAD: judge_load,
    Pb.DECISION_LAY_GUN: judge_laying,
    Pb.DECISION_CHOOSE_REPUTATION: judge_reputation,
    Pb.DECISION_CHOOSE_TRICK: judge_trick,
    Pb.DECISION_ACTION: judge_action,
    Pb.DECISION_PAY: judge_payment,
    Pb.DECISION_BROADSIDE_SHOT: judge_broadside,
    Pb.DECISION_LOSE_AIM: judge_aim_loss,
    Pb.DECISION_REMOVE_PLANKS: judge_planks,
    Pb.DECISION_REMOVE_SAILS: judge_sails,
    Pb.DECISION_REMOVE_CREW: judge_crew,
    Pb.DECISION_RELOAD_RETURN: judge_return,
    Pb.DECISION_PATCH_CARDS: judge_patch_cards,
    Pb.DECISION_PATCH_MOVE: judge_move,
    Pb.DECISION_FIRE: judge_fire,
    Pb.DECISION_HASTY_DISCARD: judge_giving,
    Pb.DECISION_BOOST: judge_boost,
    Pb.DECISION_EVADE: judge_evasion,
    Pb.DECISION_REACT: judge_reaction,
    Pb.DECISION_DISCARD: judge_giving,
    Pb.DECISION_QM_DISCARD: judge_giving,
    Pb.DECISION_TRICK_AIM: judge_aim,
    Pb.DECISION_RESTORE: judge_restore,
    Pb.DECISION_SPYGLASS: judge_theft,
    Pb.DECISION_PICK_ZONE: judge_zone,
    Pb.DECISION_SHARPSHOOTER: judge_figure,
    Pb.DECISION_PICK_TRACK: judge_track,
    Pb.DECISION_PICK_TARGET: judge_target,
}
