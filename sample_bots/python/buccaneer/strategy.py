"""Rules of thumb for Pirate's Cove: sail where treasure outweighs trouble, shoot at the weakest spot, bury in time.

`choose` is a function of the question alone: it keeps nothing between questions, so it can play any number of matches
at once. Where it mixes its play (a predictable pirate is hunted) it draws from the match, seat and question number.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from typing import TypeAlias

from tortuga.v1.pirates_cove_pb2 import PiratesCove as PB
from tortuga_bot import Question

Options: TypeAlias = Iterable[PB.Option]

# --- What is printed on the components ----------------------------------------------------------------------------

ROOM = (4, 5, 6, 7, 8, 9, 10, 12)  # value of hull and sails at levels 0 to 7
HANDS = (2, 2, 3, 3, 4, 4, 5, 5)  # value of cannons and crew
HULL, SAILS, CANNONS, CREW = range(4)
TREASURE_ISLAND, COVE = 6, 7
YARDS = {2: HULL, 3: SAILS, 4: CANNONS, 5: CREW}
LOOT = (  # fame, gold, chests, cards of the Treasure cards t01 to t30
    (0, 2, 5, 1), (0, 3, 6, 0), (0, 5, 5, 0), (0, 6, 4, 0), (0, 7, 4, 0), (0, 8, 3, 0), (0, 9, 2, 0), (0, 9, 3, 0),
    (1, 1, 4, 1), (1, 2, 5, 0), (1, 4, 4, 0), (1, 5, 3, 0), (1, 6, 3, 0), (1, 7, 2, 0), (1, 8, 2, 0), (1, 9, 1, 0),
    (2, 2, 2, 1), (2, 2, 3, 0), (2, 4, 2, 0), (2, 5, 2, 0), (2, 6, 1, 0), (2, 7, 1, 0), (2, 8, 0, 0), (2, 9, 0, 0),
    (3, 1, 1, 1), (3, 2, 2, 0), (3, 3, 1, 0), (3, 5, 0, 0), (4, 0, 0, 1), (4, 2, 0, 0),
)  # fmt: skip
LEGENDS: dict[int, tuple[int, tuple[int, ...], int, int, int]] = {  # dice, sections struck, hull points, speed, fame
    PB.CAPTAIN_BLACKBEARD: (6, (HULL,), 8, 24, 6),
    PB.CAPTAIN_DUTCHMAN: (4, (CREW,), 5, 16, 6),
    PB.CAPTAIN_HOOK: (3, (HULL,), 5, 18, 3),
    PB.CAPTAIN_BONNYREAD: (3, (HULL, SAILS, CANNONS, CREW), 5, 22, 6),
    PB.CAPTAIN_NAVY: (4, (HULL, SAILS, CANNONS, CREW), 4, 20, 4),
}
PARROT_SECTIONS: dict[int, int] = {
    PB.TAVERN_CARD_FLINT: HULL,
    PB.TAVERN_CARD_SILVER: CANNONS,
    PB.TAVERN_CARD_BONES: CREW,
    PB.TAVERN_CARD_TRELAWNEY: SAILS,
}
PARROT_WORTH: dict[int, float] = {
    PB.TAVERN_CARD_FLINT: 2.0,
    PB.TAVERN_CARD_SILVER: 6.0,
    PB.TAVERN_CARD_BONES: 2.0,
    PB.TAVERN_CARD_TRELAWNEY: 3.0,
}
LAST_MONTH = 12
HIT = 1 / 3  # of a die, without cards


# --- Reading a ship -----------------------------------------------------------------------------------------------


def hold_room(ship: PB.Ship) -> int:
    """Return how many chests still find room."""
    if ship.parrot == PB.TAVERN_CARD_FLINT:
        return 50
    return ROOM[max(ship.levels[HULL], 0)] - ship.chests


def dice_of(ship: PB.Ship) -> int:
    """Return how many dice it throws."""
    cannons, crew = HANDS[max(ship.levels[CANNONS], 0)], HANDS[max(ship.levels[CREW], 0)]
    if ship.parrot == PB.TAVERN_CARD_SILVER:
        return 6
    return cannons if ship.parrot == PB.TAVERN_CARD_BONES else min(cannons, crew)


def speed_of(ship: PB.Ship) -> int:
    """Return its speed outside of combat."""
    return ROOM[max(ship.levels[SAILS], 0)] + 20 * (ship.parrot == PB.TAVERN_CARD_TRELAWNEY)


def toughness(ship: PB.Ship, section: int) -> int:
    """Return the hits until that section is destroyed."""
    hits = ship.levels[section] + 1
    if ship.artisan == section + 1:
        hits += 1 if ship.artisan_damaged else 2
    if PARROT_SECTIONS.get(ship.parrot) == section:
        hits += 1 if ship.parrot_wounded else 2
    return hits


def weakest(ship: PB.Ship, sections: Iterable[int] = range(4)) -> int:
    """Return the hits until some section is destroyed, if the enemy aims well."""
    return min(toughness(ship, section) for section in sections)


def odds(ours: float, theirs: float, first: bool) -> float:
    """Return the chance to be the one who needs fewer exchanges, when each side needs so many."""
    return 1 / (1 + math.exp(1.6 * (ours - theirs - (0.4 if first else -0.4))))


def odds_against(mine: PB.Ship, other: PB.Ship) -> float:
    """Return the chance to drive another player's ship away."""
    return odds(
        weakest(other) / (dice_of(mine) * HIT),
        weakest(mine) / (dice_of(other) * HIT),
        speed_of(mine) > speed_of(other),
    )


def odds_against_legend(mine: PB.Ship, captain: int, friends: int = 0) -> float:
    """Return the chance to sink a legend, alone or with friends of about the same strength."""
    dice, sections, hull, speed, _ = LEGENDS[captain]
    ours = hull / (dice_of(mine) * HIT * (1 + friends))
    if captain == PB.CAPTAIN_DUTCHMAN:
        ours *= 1.6  # it mends
    return odds(ours, weakest(mine, sections) / (dice * HIT) * (1 + friends), speed_of(mine) > speed)


# --- Where to sail ------------------------------------------------------------------------------------------------


def navigate(seen: PB.Observation, options: Options, rng: random.Random) -> int:
    """Return the best island by value, competition and danger, with a little noise against being read."""
    crowd = {seat: guess_heading(seen, seat) for seat in range(len(seen.ships)) if seat != seen.seat}

    def worth(option: PB.Option) -> float:
        island = option.sail.island
        likely = {seat: guess[island] for seat, guess in crowd.items()}
        return worth_with_crowd(seen, island, likely) + rng.gauss(0, 0.4)

    return best(options, worth)


def has_moved(seen: PB.Observation, seat: int) -> bool:
    """Check whether that seat has navigated before us, openly under a Lookout."""
    count = len(seen.ships)
    return seen.HasField("lookout") and (seat - seen.lookout) % count < (seen.seat - seen.lookout) % count


def guess_heading(seen: PB.Observation, seat: int) -> dict[int, float]:
    """Return how likely that seat goes to each island: the tempting ones more often, or where it is already."""
    if has_moved(seen, seat):
        return {island: float(island == seen.ships[seat].place) for island in range(1, 7)}
    temptation = {island: math.exp(0.45 * island_worth(seen, seat, island)) for island in range(1, 7)}
    whole = sum(temptation.values())
    return {island: tempted / whole for island, tempted in temptation.items()}


def worth_with_crowd(seen: PB.Observation, island: int, crowd: dict[int, float]) -> float:
    """Return what an island is worth to us, given how likely each other seat goes there too."""
    worth = island_worth(seen, seen.seat, island)
    if island == TREASURE_ISLAND:
        return worth
    mine = seen.ships[seen.seat]
    for seat, likely in crowd.items():
        win = odds_against(mine, seen.ships[seat])
        worth += likely * (win * 1.0 - (1 - win) * (max(worth, 0) + 1.0))
    return worth


def island_worth(seen: PB.Observation, seat: int, island: int) -> float:
    """Return what an island is worth to a seat that has it to itself, legends included."""
    ship = seen.ships[seat]
    worth = burying_worth(seen, ship) if island == TREASURE_ISLAND else plunder_worth(seen, seat, island)
    for black in seen.black_ships:
        if black.place != island:
            continue
        if black.captain == PB.CAPTAIN_CACAFUEGO:
            worth += 1.8 if island == TREASURE_ISLAND else 3.0
        elif black.captain:
            win = odds_against_legend(ship, black.captain)
            worth = win * (worth + LEGENDS[black.captain][4]) - (1 - win) * 2.5
    return worth


def plunder_worth(seen: PB.Observation, seat: int, island: int) -> float:
    """Return the worth of an outer island's treasure and of its yard."""
    ship = seen.ships[seat]
    fame, gold, chests, cards = LOOT[seen.face_up[island - 1] - 1]
    if seen.HasField("treasure_map") and (seen.treasure_map.seat, seen.treasure_map.island) == (seat, island):
        chests *= 2
    months_left = LAST_MONTH - seen.month
    chest_worth = 0.75 if months_left else 0.0
    gold_worth = 0.28 if months_left > 2 else 0.12 if months_left else 0.0
    card_worth = 1.0 if months_left else 0.6
    worth = fame + chest_worth * min(chests, max(hold_room(ship), 0)) + gold_worth * gold + card_worth * cards
    purse = ship.gold + gold
    if island == 1:
        return worth + min(purse // 2, 3) * (0.7 if months_left > 1 else 0.4) - 0.3
    if months_left > 1 and purse >= 3:
        worth += {HULL: 0.6, SAILS: 0.2, CANNONS: 1.0, CREW: 1.0}[YARDS[island]] * (ship.levels[YARDS[island]] < 6)
    return worth


def burying_worth(seen: PB.Observation, ship: PB.Ship) -> float:
    """Return what Treasure Island is worth: all aboard when the hold is full or time runs out, less before."""
    months_left = LAST_MONTH - seen.month
    gold = ship.gold // 3
    if months_left == 0:
        return ship.chests + gold
    if months_left == 1:
        return 0.8 * ship.chests + 0.5 * gold
    return ship.chests * (0.95 if hold_room(ship) <= 2 else 0.5)


# --- Event cards --------------------------------------------------------------------------------------------------


def treasure_event(seen: PB.Observation, options: Options, rng: random.Random) -> int:
    """Play a Map at once, and the Freebooter on the richest rival."""

    def worth(option: PB.Option) -> float:
        if option.play_card.card == PB.TAVERN_CARD_MAP:
            return 10.0
        if option.play_card.card == PB.TAVERN_CARD_FREEBOOTER:
            victim = seen.ships[option.play_card.seat]
            return victim.chests + victim.fame / 4 - (2 if seen.month < 10 else 0)
        return 1.0  # pass

    return best(options, worth)


def lookout(seen: PB.Observation, options: Options, rng: random.Random) -> int:
    """Navigate last, with everybody else's heading in view."""
    after = (seen.seat + 1) % len(seen.ships)
    return best(options, lambda option: float(option.HasField("play_card") and option.play_card.seat == after))


def nav_event(seen: PB.Observation, options: Options, rng: random.Random) -> int:
    """Send the Navy against the leader, never against ourselves; slip out of a bad fight."""
    here = seen.ships[seen.seat].place

    def worth(option: PB.Option) -> float:
        played = option.play_card
        if not option.HasField("play_card"):
            return 0.5
        if played.card == PB.TAVERN_CARD_SLIP:
            return island_worth(seen, seen.seat, played.place) - worth_here(seen, here) - 1.5
        there = [ship.fame + ship.chests + 1 for ship in rivals(seen) if ship.place == played.place]
        ours = 20 if played.place == here else 0
        relief = 6 if seen.HasField("navy") and seen.navy.place == here else 0
        return sum(there) / 8 + relief - ours

    return best(options, worth)


def worth_here(seen: PB.Observation, place: int) -> float:
    """Return what our place is worth now that all ships are there."""
    present = {seat: float(ship.place == place) for seat, ship in enumerate(seen.ships) if seat != seen.seat}
    worth = worth_with_crowd(seen, place, present)
    return worth - 4 if seen.HasField("navy") and seen.navy.place == place else worth


def rivals(seen: PB.Observation) -> list[PB.Ship]:
    """Return all ships but our own."""
    return [ship for seat, ship in enumerate(seen.ships) if seat != seen.seat]


# --- Combat -------------------------------------------------------------------------------------------------------


def boarding(seen: PB.Observation, options: Options, rng: random.Random) -> int:
    """Play Smoke and Grapple where they help, and wind to fire first; chests stay aboard."""
    mine = seen.ships[seen.seat]
    foes = [seen.ships[each.seat] for each in seen.combat.combatants if each.seat != seen.seat]
    enemy_speed = max([speed_of(ship) for ship in foes], default=0)
    cannons, crew = (HANDS[max(mine.levels[section], 0)] for section in (CANNONS, CREW))

    def worth(option: PB.Option) -> float:
        card = option.play_card.card
        if card == PB.TAVERN_CARD_SMOKE:
            return 2.0
        if card == PB.TAVERN_CARD_WIND:
            return 1.0 if speed_of(mine) <= enemy_speed < speed_of(mine) + 6 else -1.0
        if card == PB.TAVERN_CARD_GRAPPLE:
            gain = crew - dice_of(mine) if cannons < crew else 0
            return gain + (1.0 if not foes else 0.0) - 0.5
        return 0.0 if option.HasField("pass_window") else -1.0

    return best(options, worth)


def volley(seen: PB.Observation, options: Options, rng: random.Random) -> int:
    """Announce what pays, then fire at the spot that breaks first; flee only light and beaten."""
    mine = seen.ships[seen.seat]

    def worth(option: PB.Option) -> float:
        if option.HasField("fire"):
            return fire_worth(seen, option.fire)
        if option.HasField("flee"):
            return flee_worth(seen, mine)
        if option.HasField("play_card"):
            return 40.0 if volley_card_pays(seen, mine, option.play_card.card) else -1000.0
        return 0.0  # wait

    return best(options, worth)


def fire_worth(seen: PB.Observation, fire: PB.Fire) -> float:
    """Judge a target: few hits to destruction are good, the leader's ship is better, dice taken away are a plus."""
    if fire.target.WhichOneof("ship") == "captain":
        left = {each.captain: each.hull for each in seen.combat.enemies}
        return 20.0 - left[fire.target.captain]
    target, section = seen.ships[fire.target.seat], fire.section - 1
    disarming = 0.4 if section in (CANNONS, CREW) else 0.0
    return 20.0 - 3 * toughness(target, section) + disarming + target.fame / 20 + dice_of(target) / 4


def flee_worth(seen: PB.Observation, mine: PB.Ship) -> float:
    """Judge a flight: it costs the plunder and, one time in six, all there is aboard."""
    stay = 1.0
    for enemy in seen.combat.enemies:
        friends = len(seen.combat.combatants) - 1
        stay *= odds_against_legend(mine, enemy.captain, friends)
    for foe in seen.combat.combatants:
        if foe.seat != seen.seat and seen.combat.place != TREASURE_ISLAND:
            stay *= odds_against(mine, seen.ships[foe.seat])
    aboard = mine.chests + mine.gold / 3 + 2
    repair = 0.6  # what a forced retreat costs beyond the place itself
    return 100.0 if (1 - stay) * repair > stay * 4 + aboard / 6 else -100.0


def volley_card_pays(seen: PB.Observation, mine: PB.Ship, card: int) -> bool:
    """Check whether to announce a Volley card now."""
    foes = [seen.ships[each.seat] for each in seen.combat.combatants if each.seat != seen.seat]
    if card == PB.TAVERN_CARD_GRAPESHOT:
        return toughness(mine, CANNONS) > 2
    if card == PB.TAVERN_CARD_MAGAZINE:
        others = min([toughness(ship, HULL) for ship in foes], default=9)
        needed = max([enemy.hull for enemy in seen.combat.enemies], default=0)
        return toughness(mine, HULL) > max(others, needed // 2, dice_of(mine) // 2 + 1)
    return not seen.combat.enemies and dice_of(mine) >= 3  # Cannonade


def navy_fire(seen: PB.Observation, options: Options, rng: random.Random) -> int:
    """Let the Navy fire at rivals as we would, at ourselves only if nobody else is there."""
    return best(options, lambda option: fire_worth(seen, option.fire) - 100 * (option.fire.target.seat == seen.seat))


# --- In port ------------------------------------------------------------------------------------------------------


def port(seen: PB.Observation, options: Options, rng: random.Random) -> int:
    """Bury, then arm, then buy; keep a little gold for repairs."""
    mine = seen.ships[seen.seat]
    months_left = LAST_MONTH - seen.month
    reserve = 2 if months_left > 0 else 0

    def worth(option: PB.Option) -> float:
        match option.WhichOneof("action"):
            case "bury_chests":
                return 100.0 + option.bury_chests.count
            case "bury_gold":
                spare = mine.gold - 3 * option.bury_gold.fame >= (6 if months_left > 1 else 0)
                return 50.0 + option.bury_gold.fame if spare or months_left <= 1 else -1.0
            case "play_card":
                return 80.0 + card_in_port(mine, option.play_card)
            case "repair_artisan":
                return 20.0 if mine.gold > 1 else -1.0
            case "upgrade":
                return upgrade_worth(mine, option.upgrade, reserve) if months_left else -1.0
            case "buy":
                left = mine.gold - 2 * option.buy.count
                return 10.0 + option.buy.count if left >= reserve or not months_left else -1.0
            case "cove_cards":
                return 5.0
            case "cove_gold":
                return 6.0 if mine.gold < 3 and months_left else 4.0
            case _:
                return 0.0  # done

    return best(options, worth)


def upgrade_worth(mine: PB.Ship, upgrade: PB.Upgrade, reserve: int) -> float:
    """Judge an upgrade: more dice first, the lower of cannons and crew; then the hold; sails last."""
    section, left = upgrade.section - 1, mine.gold - upgrade.price
    if left < reserve:
        return -1.0
    appeal = {HULL: 3.0, SAILS: 2.0, CANNONS: 4.0, CREW: 4.0}[section]
    if section in (CANNONS, CREW) and mine.levels[section] <= min(mine.levels[CANNONS], mine.levels[CREW]):
        appeal += 3.0
    return appeal + upgrade.levels - (1.5 if upgrade.price / upgrade.levels > 4 else 0.0)


def card_in_port(mine: PB.Ship, played: PB.PlayCard) -> float:
    """Judge a card in port: an Artisan for the weakest gun or crew, once; a free level where dice come from."""
    section = played.section - 1
    if played.card == PB.TAVERN_CARD_ARTISAN and mine.artisan and not mine.artisan_damaged:
        return -100.0
    return (3.0 if section in (CANNONS, CREW) else 0.0) - 0.5 * toughness(mine, section)


def parrot_swap(seen: PB.Observation, options: Options, rng: random.Random) -> int:
    """Pay for a parrot that is clearly better than the one aboard."""
    mine = seen.ships[seen.seat]
    gain = PARROT_WORTH[seen.parrot_offer.parrot] - PARROT_WORTH[mine.parrot] + (1 if mine.parrot_wounded else 0)
    return best(options, lambda option: gain - 1.5 if option.HasField("swap") else 0.0)


def outfit(seen: PB.Observation, options: Options, rng: random.Random) -> int:
    """Choose three dice and a little of the rest: (1, 1, 2, 2)."""
    wanted = (1, 1, 2, 2)
    return best(
        options,
        lambda option: float(
            (option.outfit.hull, option.outfit.sails, option.outfit.cannons, option.outfit.crew) == wanted
        ),
    )


# --- Choosing -----------------------------------------------------------------------------------------------------

Thought: TypeAlias = Callable[[PB.Observation, Options, random.Random], int]

THOUGHTS: dict[int, Thought] = {
    PB.DECISION_OUTFIT: outfit,
    PB.DECISION_PARROT_SWAP: parrot_swap,
    PB.DECISION_TREASURE_EVENT: treasure_event,
    PB.DECISION_LOOKOUT: lookout,
    PB.DECISION_NAVIGATE: navigate,
    PB.DECISION_NAV_EVENT: nav_event,
    PB.DECISION_BOARDING: boarding,
    PB.DECISION_VOLLEY: volley,
    PB.DECISION_NAVY_FIRE: navy_fire,
    PB.DECISION_PORT: port,
}


def best(options: Options, worth: Callable[[PB.Option], float]) -> int:
    """Return the index of the option worth most; the first of equals."""
    values = [worth(option) for option in options]
    return values.index(max(values))


def choose(question: Question) -> int:
    """Return the answer to a question."""
    position: PB.Position = question.position
    match, message = question.match, question.message
    rng = random.Random(f"{match.match_id}/{match.seat}/{message.question_id}")
    thought = THOUGHTS.get(position.decision)
    return thought(position.observation, position.options, rng) if thought else 0  # a decision newer than this bot
