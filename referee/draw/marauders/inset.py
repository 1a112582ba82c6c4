"""The inset at the upper right: the round's event and, under it, a combat, a raid, a port or the sea."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from referee.draw import pieces
from referee.draw.marauders.words import (
    SECTION_ICONS,
    event_words,
    goods_of,
    id_of,
    news,
    npc_flag,
    npc_name,
    of_nation,
    sentence,
    side_name,
    whereabouts,
    words_of,
)
from referee.draw.scene import Shape, fit, rectangle, seat_sign, text_width
from referee.games.marauders.data.board import ZONES
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.data.quests import MISSIONS
from referee.games.marauders.terms import SECTIONS, Nation, Zone
from referee.games.marauders.text.words import ADJECTIVES
from referee.text import plural

LEFT, TOP, WIDTH, HEIGHT = 252, 6, 462, 206
RIGHT, MIDDLE = LEFT + WIDTH, LEFT + WIDTH / 2
DIE = 24
DIE_STEP = 28
MOST_DICE, MOST_ROLLED = 9, 6
ENDS = {
    "ten": "a captain has the points to win",
    "events": "no event card is left",
    "captains": "no captain card is left",
    "cap": "too many decisions",
}
STANCES = {"shoot": "shoots", "board": "boards", "flee": "flees"}
MOST_LINES = 3
WAR_WIDTH = 100
"""The flags of two nations at war take this much of the headline."""
FAR = 12
"""From the edge of the inset to its contents."""


def draw_inset(position: Any, hands: Any, names: list[str], points: tuple[float, ...]) -> Iterator[Shape]:
    """Draw the panel, its headline, and what is going on; at the end, who has the most glory."""
    seen = position.observation
    path = rectangle(WIDTH, HEIGHT, round_by=10)
    yield Shape(id="inset", x=MIDDLE, y=TOP + HEIGHT / 2, path=path, classes="panel", layer=2)
    ended = [event.game_ended for event in position.events if event.WhichOneof("event") == "game_ended"]
    title, effect = event_words(seen.event) if seen.event else ("Setup", "captains choose their ships")
    if ended:
        title, effect = "the end", ENDS[words_of("EndReason", ended[-1].reason)]
    text = f"Round {seen.round}: {title}" if seen.round else title
    flags = WAR_WIDTH if seen.war or seen.marque else 0.0
    room = WIDTH - 2 * FAR - flags
    if seen.HasField("combat"):
        duel = _duel_words(seen.combat)
        yield Shape(id="duel", x=RIGHT - FAR - flags, y=TOP + 27, text=duel, classes="end muted", layer=3)
        room -= text_width(duel) + FAR
    yield Shape(id="event", x=LEFT + FAR, y=TOP + 27, text=fit(text, room), classes="bold", layer=3, title=effect)
    yield from _war(seen)
    if seen.HasField("combat"):
        yield from _combat(seen.combat, names)
        return
    if seen.HasField("raid"):
        yield from _raid(seen, names)
        return
    yield Shape(id="effect", x=LEFT + FAR, y=TOP + 52, text=fit(effect, WIDTH - 24), classes="muted", layer=3)
    if ended:
        best = [seat for seat, glory in enumerate(points) if glory == max(points)]
        lead = "leads" if len(best) == 1 else "and others lead"
        yield from _who(best[0], f"{fit(names[best[0]], 150)} {lead} with {max(points):g} glory", TOP + 104)
    elif seen.HasField("turn"):
        yield from _turn(seen, hands, names, news(position, names))
    if not ended:
        yield from _last_roll(position)


def _war(seen: Any) -> Iterator[Shape]:
    """Draw the flags of two nations at war, or of a letter of marque, at the upper right."""
    pair, word = (seen.war, "war") if seen.war else (seen.marque, "marque")
    for place, wire in enumerate(pair):
        title = f"{word}: {' and '.join(ADJECTIVES[Nation(nation)] for nation in pair)}"
        yield Shape(
            id=f"war{place}", x=RIGHT - 26 - 54 * (1 - place), y=TOP + 20, path=pieces.flag(Nation(wire).id, 26, 17),
            classes=pieces.FLAG, layer=3, title=title,
        )  # fmt: skip
    if pair:
        path, looks = (pieces.CROSS, "warn stroke thick") if word == "war" else (pieces.ARROW, "stroke")
        yield Shape(id="war", x=RIGHT - 53, y=TOP + 20, path=path, classes=looks, layer=3)


# --- A combat -----------------------------------------------------------------------------------------------------


def _combat(combat: Any, names: list[str]) -> Iterator[Shape]:
    """Draw both sides with their ships' sections, what they declared, and their dice."""
    for place, section in enumerate(SECTIONS):
        y = TOP + 86 + 23 * place
        yield Shape(id=f"duel-{section.id}", x=MIDDLE, y=y, text=section.id, classes="middle", layer=3)
    volley = combat.volley if combat.HasField("volley") else None
    for side, fighter in enumerate((combat.attacker, combat.defender)):
        whose = f"seat{fighter.side.seat} " if fighter.side.WhichOneof("who") == "seat" else ""
        yield from _fighter(side, fighter, whose, names)
        dice = list(fighter.dice)
        if volley is not None and volley.by_defender == bool(side):
            dice = list(volley.dice)
        yield from _side_dice(side, dice, whose)
        if volley is not None and volley.by_defender != bool(side):
            yield from _hits(side, volley.hits)


def _duel_words(combat: Any) -> str:
    """Say how far a combat is."""
    if combat.boarding:
        return f"boarding {combat.crew_round or ''}".strip()
    return f"round {combat.round}" if combat.round else "contact"


def _fighter(side: int, fighter: Any, whose: str, names: list[str]) -> Iterator[Shape]:
    """Draw a side's sign, name, stance and sections; side 0 is on the left."""
    turn = -1 if side == 0 else 1
    edge = LEFT + FAR if side == 0 else RIGHT - FAR
    if whose:
        sign, looks = seat_sign(fighter.side.seat, 9), whose + "fill"
    else:
        nation = npc_flag(fighter.side.npc) if fighter.side.WhichOneof("who") == "npc" else "EN"
        sign, looks = pieces.flag(nation, 22, 15), pieces.FLAG
    yield Shape(id=f"side{side}-sign", x=edge - turn * 10, y=TOP + 49, path=sign, classes=looks, layer=3)
    text = fit(side_name(fighter.side, names), WIDTH / 2 - FAR - 36)
    anchor = "end bold" if side else "bold"
    yield Shape(id=f"side{side}", x=edge - turn * 26, y=TOP + 56, text=text, classes=anchor, layer=3)
    ship = words_of("ShipType", fighter.ship.type)
    stance = STANCES[words_of("Stance", fighter.stance)] if fighter.stance else ""
    text = sentence(f"{ship} {stance}".strip())
    yield Shape(
        id=f"side{side}-ship",
        x=edge,
        y=TOP + HEIGHT - 8,
        text=fit(text, WIDTH / 2 - FAR - 4),
        classes="end muted" if side else "muted",
        layer=3,
    )
    for section, value, most in zip(SECTIONS, fighter.ship.sections, fighter.ship.maxima, strict=False):
        x, y = MIDDLE + turn * 54, TOP + 79 + 23 * (section - 1)
        full, lost = pieces.pips(value, most, 16 * turn, 6)
        if full:
            yield Shape(id=f"side{side}-{section.id}", x=x, y=y, path=full, classes=whose + "fill", layer=3)
        if lost:
            yield Shape(id=f"side{side}-{section.id}-lost", x=x, y=y, path=lost, classes=whose + "lost", layer=3)


def _side_dice(side: int, dice: Sequence[int], whose: str) -> Iterator[Shape]:
    """Draw a side's dice, three in a row, near its edge."""
    edge, turn = (LEFT + FAR + DIE / 2, 1) if side == 0 else (RIGHT - FAR - DIE / 2, -1)
    for place, face in enumerate(dice[:MOST_DICE]):
        x, y = edge + turn * DIE_STEP * (place % 3), TOP + 84 + DIE_STEP * (place // 3)
        yield _die(f"die{side}-{place}", face, x, y, whose)


def _hits(side: int, hits: Sequence[int]) -> Iterator[Shape]:
    """Mark where a volley strikes a side, at the label of each section."""
    for place, section in enumerate(sorted(set(hits))):
        x = MIDDLE + (-44 if side == 0 else 44)
        y = TOP + 79 + 23 * (section - 1)
        yield Shape(
            id=f"hit{side}-{place}", x=x, y=y, path="M-5 -5l10 10M5 -5l-10 10", classes="warn stroke thick", layer=4
        )


def _die(id: str, face: int, x: float, y: float, whose: str = "") -> Shape:
    path = pieces.die(face, DIE, counts=face >= pieces.SKULL_FROM, skulls=True)
    return Shape(id=id, x=x, y=y, path=path, classes=whose + pieces.DIE, layer=3)


# --- A raid -------------------------------------------------------------------------------------------------------


def _raid(seen: Any, names: list[str]) -> Iterator[Shape]:
    """Draw the merchant's flag, the dice, and the cargo cards on the table."""
    raid, seat = seen.raid, seen.turn.seat
    whose, flag = f"seat{seat} ", pieces.flag(Nation(raid.nation).id, 28, 19)
    yield from _who(seat, f"{fit(names[seat], 170)} raids a merchant", TOP + 56)
    title = of_nation(raid.nation, "merchant")
    yield Shape(id="found", x=RIGHT - 26, y=TOP + 50, path=flag, classes=pieces.FLAG, layer=3, title=title)
    for place, face in enumerate(raid.dice[:MOST_DICE]):
        yield _die(f"die0-{place}", face, LEFT + FAR + 12 + DIE_STEP * place, TOP + 78, whose)
    text = f"{raid.successes} to spend"
    yield Shape(id="successes", x=RIGHT - FAR, y=TOP + 85, text=text, classes="end muted", layer=3)
    for place, wire in enumerate(raid.table[:10]):
        card = CARGO[id_of("CargoCard", wire)]
        x, y = LEFT + 51 + 90 * (place % 5), TOP + 122 + 54 * (place // 5)
        icon = "escapes" if card.hit is None else f"hits {card.hit.id}"
        yield Shape(
            id=f"table{place}", x=x, y=y, path=rectangle(86, 50, round_by=5), classes="card", layer=3,
            title=f"{card.good.id}, loot {card.loot}, {icon}",
        )  # fmt: skip
        yield Shape(id=f"table{place}-good", x=x, y=y - 3, text=card.good.id, classes="middle", layer=4)
        yield Shape(id=f"table{place}-loot", x=x - 34, y=y + 18, text=str(card.loot), classes="bold", layer=4)
        path, looks = (pieces.ARROW, "stroke") if card.hit is None else (SECTION_ICONS[card.hit], "warn")
        yield Shape(id=f"table{place}-icon", x=x + 24, y=y + 12, path=path, classes=looks, layer=4, title=icon)


# --- A turn -------------------------------------------------------------------------------------------------------


def _turn(seen: Any, hands: Any, names: list[str], events: list[str]) -> Iterator[Shape]:
    """Draw the captain whose turn it is, what has just happened, and the port or the sea around the ship."""
    seat, turn = seen.turn.seat, seen.turn
    info = seen.seats[seat]
    if not info.zone:
        yield from _who(seat, f"{fit(names[seat], 250)} gets a new captain", TOP + 90)
        yield from _lines(events, LEFT + FAR)
        return
    yield from _who(seat, f"{fit(names[seat], 190)} {whereabouts(info)}", TOP + 90)
    title = f"{plural(turn.actions, 'action')} and {plural(turn.free_moves, 'free move')} left"
    text = plural(turn.actions, "action")
    yield Shape(id="actions", x=RIGHT - FAR, y=TOP + 193, text=text, classes="end muted", layer=3, title=title)
    if seen.found:
        nation = Nation(seen.found)
        yield Shape(
            id="found", x=LEFT + 26, y=TOP + 117, path=pieces.flag(nation.id, 28, 19), classes=pieces.FLAG, layer=3
        )
        yield Shape(id="found-words", x=LEFT + 50, y=TOP + 124, text=f"{ADJECTIVES[nation]} merchant found", layer=3)
    elif events:
        yield from _lines(events, LEFT + FAR)
    elif info.in_port:
        yield from _port(seen, Zone(info.zone), hands.get(seat))
    else:
        yield from _lines(_in_sight(seen, seat, names), LEFT + FAR)


def _who(seat: int, sentence: str, y: float) -> Iterator[Shape]:
    sign = seat_sign(seat, 10)
    yield Shape(id="turn-sign", x=LEFT + FAR + 10, y=y - 7, path=sign, classes=f"seat{seat} fill", layer=3)
    text = fit(sentence, WIDTH - 2 * FAR - 30)
    yield Shape(id="turn", x=LEFT + FAR + 30, y=y, text=text, classes="bold", layer=3, title=sentence)


def _port(seen: Any, zone: Zone, hand: Any) -> Iterator[Shape]:
    """Draw the port in use: flag, demand, shipyard, missions; with a seat's eyes also what it is offered."""
    info = next(candidate for candidate in seen.zones if candidate.zone == zone)
    nation = ZONES[zone].nation
    if nation is None:
        return
    yield Shape(
        id="port-flag", x=LEFT + 34, y=TOP + 126, path=pieces.flag(nation.id, 42, 30), classes=pieces.FLAG, layer=3
    )
    lines = [f"wants {words_of('Good', info.demand)}"] if info.demand else []
    if info.modification:
        lines[-1:] = [", ".join([*lines, f"builds {words_of('Modification', info.modification)}"])]
    visit = hand.observation.visit if hand is not None and hand.observation.HasField("visit") else None
    missions = [wire for wire in seen.open_missions if MISSIONS[id_of("Mission", wire)].port is zone]
    if visit is not None and visit.offer:
        lines.append(f"offers {goods_of(visit.offer)}")
    elif missions:
        lines.append("mission " + ", ".join(words_of("Mission", wire) for wire in missions))
    elif visit is not None and visit.open:
        lines.append(f"{words_of('Activity', visit.open)} under way")
    yield from _lines(lines, LEFT + 66)


def _in_sight(seen: Any, seat: int, names: list[str]) -> list[str]:
    """Name who else is at sea in the zone of a captain."""
    zone = seen.seats[seat].zone
    others = [
        fit(names[other], 150)
        for other, info in enumerate(seen.seats)
        if info.zone == zone and other != seat and not info.in_port
    ]
    others += [npc_name(npc.npc) for npc in seen.npcs if npc.zone == zone]
    others += ["a merchant" for info in seen.zones if info.zone == zone and info.merchant]
    return ["in sight: " + ", ".join(others)] if others else ["nobody in sight"]


def _lines(lines: list[str], left: float) -> Iterator[Shape]:
    """Draw words below the captain's line; each line may fill two, if there is room."""
    room, place = RIGHT - FAR - left, 0
    for line in lines:
        for part in _broken(line, room):
            if part and place < MOST_LINES:
                text = fit(part, room)
                yield Shape(id=f"line{place}", x=left, y=TOP + 118 + 23 * place, text=text, layer=3, title=line)
                place += 1


def _broken(line: str, room: float) -> tuple[str, str]:
    """Break a line in two; the second part is empty if it fits into one."""
    if fit(line, room) == line:
        return line, ""
    at = line.rfind(" ", 0, len(fit(line, room)))
    return (line[:at], line[at + 1 :]) if at > 0 else (line, "")


def _last_roll(position: Any) -> Iterator[Shape]:
    """Draw the dice of the last test, along the lower edge."""
    rolls = [event.dice_rolled for event in position.events if event.WhichOneof("event") == "dice_rolled"]
    if not rolls:
        return
    last = rolls[-1]
    whose = f"seat{last.side.seat} " if last.side.WhichOneof("who") == "seat" else ""
    word = words_of("Roll", last.roll)
    yield Shape(id="roll", x=LEFT + FAR, y=TOP + 193, text=sentence(word), classes="muted", layer=3)
    left = LEFT + FAR + text_width(word) + 28
    for place, face in enumerate(last.dice[:MOST_ROLLED]):
        yield _die(f"die0-{place}", face, left + DIE_STEP * place, TOP + 186, whose)
