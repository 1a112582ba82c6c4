"""A sheet for each captain: glory, ship and damage, bounties, cards; two sheets beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from referee.draw import pieces
from referee.draw.marauders.chart import CHART_BOTTOM
from referee.draw.marauders.words import (
    SECTION_ICONS,
    glory_words,
    goods_of,
    id_of,
    sentence,
    whereabouts,
    words_of,
)
from referee.draw.scene import Shape, ViewedTable, fit, rectangle, seat_sign
from referee.games.marauders.data.board import ZONES
from referee.games.marauders.data.captains import CAPTAINS
from referee.games.marauders.data.quests import MISSIONS
from referee.games.marauders.terms import NATIONS as ALL_NATIONS
from referee.games.marauders.terms import SECTIONS
from referee.games.marauders.text.words import ADJECTIVES
from referee.text import plural

SHEET_WIDTH, SHEET_HEIGHT, SHEET_STEP = 354, 260, 266
INNER = SHEET_WIDTH - 28
SECTION_STEP = 65


def draw_sheets(table: ViewedTable, names: list[str], points: tuple[float, ...]) -> Iterator[Shape]:
    """Draw all sheets, in two columns."""
    seen = table.position.observation
    for seat, info in enumerate(seen.seats):
        left = 3 + (SHEET_WIDTH + 6) * (seat % 2)
        top = CHART_BOTTOM + 6 + SHEET_STEP * (seat // 2)
        active = seen.HasField("turn") and seen.turn.seat == seat
        looks = f"seat{seat} outline" if active else "panel"
        path = rectangle(SHEET_WIDTH, SHEET_HEIGHT, round_by=10)
        x, y = left + SHEET_WIDTH / 2, top + SHEET_HEIGHT / 2
        yield Shape(id=f"sheet{seat}", x=x, y=y, path=path, classes=looks, layer=1)
        hand = table.hands.get(seat)
        yield from _head(seat, info, names[seat], points[seat], seen.target_glory, left + 14, top)
        yield from _captain(seat, info, hand, left + 14, top)
        if info.HasField("ship"):
            yield from _ship(seat, info.ship, left + 14, top + 120)
        yield from _bounties(seat, info, left + 14, top + 167)
        yield from _cards(seat, info, left + 14, top + 194)
        yield from _purse(seat, info, hand, left + 14, top)
    if len(seen.seats) % 2:
        left, top = 3 + SHEET_WIDTH + 6, CHART_BOTTOM + 6 + SHEET_STEP * (len(seen.seats) // 2)
        yield from _harbour_office(seen, left + 14, top)


def sheets_bottom(seats: int) -> float:
    """Return where the lowest sheet ends."""
    return CHART_BOTTOM + 6 + SHEET_STEP * ((seats + 1) // 2) - (SHEET_STEP - SHEET_HEIGHT) + 4


def _head(seat: int, info: Any, name: str, points: float, target: int, x: float, top: float) -> Iterator[Shape]:
    """Draw the sign, the bot, its glory, and how far it is to the target."""
    yield Shape(id=f"who{seat}", x=x + 10, y=top + 20, path=seat_sign(seat, 10), classes=f"seat{seat} fill")
    yield Shape(id=f"bot{seat}", x=x + 30, y=top + 27, text=fit(name, 210), classes="bold", title=name)
    title = f"{points:g} of {target} glory points" + (", declared" if info.declared else "")
    yield Shape(id=f"glory{seat}", x=x + INNER, y=top + 28, text=f"{points:g}", classes="end bold size24", title=title)
    star = x + INNER - 14 - 15 * len(f"{points:g}")
    yield Shape(id=f"glory-icon{seat}", x=star, y=top + 20, path=pieces.FAME, classes="muted", title=title)
    step = INNER / max(target, 1)
    boxes = [pieces.box(step * place + 1, 0, step - 2, 7) for place in range(max(target, 1))]
    full = min(round(points), len(boxes))
    for id, part, looks in (("done", boxes[:full], f"seat{seat} fill"), ("left", boxes[full:], "line")):
        if part:
            yield Shape(id=f"glory-{id}{seat}", x=x, y=top + 38, path="".join(part), classes=looks, title=title)


def _captain(seat: int, info: Any, hand: Any, x: float, top: float) -> Iterator[Shape]:
    """Draw who commands, of which nation; the ship and where it is."""
    wire = info.captain or (hand.observation.own.captain if hand is not None else 0)
    if not wire:
        yield Shape(id=f"captain{seat}", x=x, y=top + 72, text="no captain", classes="muted")
        return
    captain = CAPTAINS[id_of("Captain", wire)]
    flag = pieces.flag(captain.nation.id, 26, 17)
    title = "seamanship {}, scouting {}, leadership {}, influence {}".format(*captain.skills)
    yield Shape(
        id=f"nation{seat}", x=x + 14, y=top + 65, path=flag, classes=pieces.FLAG, title=ADJECTIVES[captain.nation]
    )
    yield Shape(id=f"captain{seat}", x=x + 36, y=top + 72, text=fit(captain.name, INNER - 36), title=title)
    if info.HasField("ship") and info.zone:
        text = sentence(f"{words_of('ShipType', info.ship.type)} {whereabouts(info)}")
        yield Shape(id=f"where{seat}", x=x, y=top + 98, text=fit(text, INNER), classes="muted")


def _ship(seat: int, ship: Any, x: float, y: float) -> Iterator[Shape]:
    """Draw the five sections: full pips, and hollow ones for damage."""
    for section, value, most in zip(SECTIONS, ship.sections, ship.maxima, strict=False):
        left = x + SECTION_STEP * (section - 1)
        title = f"{section.id} {value} of {most}"
        looks = "warn" if most and not value else "ink"
        icon = SECTION_ICONS[section]
        yield Shape(id=f"section{seat}-{section.id}", x=left + 32, y=y, path=icon, classes=looks, title=title)
        full, lost = pieces.pips(value, most, 13, 5)
        start = left + 32 - 6.5 * (most - 1)
        if full:
            yield Shape(id=f"value{seat}-{section.id}", x=start, y=y + 20, path=full, classes=f"seat{seat} fill")
        if lost:
            yield Shape(id=f"damage{seat}-{section.id}", x=start, y=y + 20, path=lost, classes=f"seat{seat} lost")


def _bounties(seat: int, info: Any, x: float, y: float) -> Iterator[Shape]:
    """Draw what the nations pay for this captain, then what is built in, who serves, and which weapons are aboard."""
    left = x
    for nation, count in zip(ALL_NATIONS, info.bounties, strict=False):
        if count:
            title = f"{count} {ADJECTIVES[nation]} bounties"
            path = pieces.flag(nation.id, 24, 16)
            yield Shape(id=f"bounty{seat}-{nation.id}", x=left + 13, y=y, path=path, classes=pieces.FLAG, title=title)
            yield Shape(
                id=f"bounty{seat}-{nation.id}-count", x=left + 30, y=y + 7, text=str(count), classes="warn bold"
            )
            left += 50
    if left == x and info.captain:
        yield Shape(id=f"bounty{seat}", x=x, y=y + 7, text="not wanted", classes="muted")
    built = [words_of("Modification", wire) for wire in info.ship.modifications]
    served = [words_of("Specialist", wire) for wire in info.specialists]
    armed = [words_of("Weapon", wire) for wire in info.weapons]
    right = x + INNER
    for id, icon, titles in (("built", pieces.HAMMER, built), ("served", pieces.CREW, served),
                            ("armed", pieces.CANNON, armed)):  # fmt: skip
        if titles:
            yield Shape(id=f"{id}{seat}-count", x=right, y=y + 7, text=str(len(titles)), classes="end")
            yield Shape(id=f"{id}{seat}", x=right - 25, y=y, path=icon, classes="muted", title=", ".join(titles))
            right -= 46


def _cards(seat: int, info: Any, x: float, y: float) -> Iterator[Shape]:
    """Draw how many cards lie face down before this seat, and its mission, which is open."""
    left = x
    for id, icon, looks, count, title in (
        ("cargo", pieces.CRATE, "muted", info.cargo_count, "cargo cards aboard"),
        ("hand", pieces.CARD, "back", info.glory_count, "glory cards in hand"),
        ("rumor", pieces.MUG, "muted", int(info.has_rumor), "holds a rumor"),
    ):
        if count or id != "rumor":
            yield Shape(id=f"{id}{seat}", x=left + 12, y=y, path=icon, classes=looks, title=title)
            yield Shape(id=f"{id}{seat}-count", x=left + 28, y=y + 7, text=str(count))
            left += 50
    if info.mission:
        text = words_of("Mission", info.mission)
        yield Shape(id=f"quest{seat}", x=left + 10, y=y, path=pieces.SCROLL, classes="accent", title=f"mission: {text}")
        fitted = fit(text, x + INNER - left - 26)
        yield Shape(id=f"quest{seat}-name", x=left + 32, y=y + 7, text=fitted, title=text)


def _purse(seat: int, info: Any, hand: Any, x: float, top: float) -> Iterator[Shape]:
    """Two lines: gold and cargo, glory cards and rumor as far as the viewer may see them; else what all have seen."""
    if hand is not None:
        own = hand.observation.own
        chest = [f"chest {own.chest}"] if own.chest else []
        first = ", ".join([f"{own.gold} gold", *chest, *([goods_of(own.cargo)] if own.cargo else [])])
        cards = [glory_words(card) for card in own.glory]
        rumor = [f"rumor {words_of('Rumor', own.rumor)}"] if own.rumor else []
        second = ", ".join([*cards, *rumor]) or "no glory cards"
    else:
        first = (
            "" if not info.last_gold else f"last {'got' if info.last_gold > 0 else 'paid'} {abs(info.last_gold)} gold"
        )
        second = f"gold stashed {plural(info.stash_count, 'time')}" if info.stash_count else ""
        if info.HasField("chest"):
            second = f"{info.chest} gold in the chest"
    for id, text, y in (("purse", first, top + 227), ("faces", second, top + 251)):
        if text:
            looks = "" if hand is not None else "muted"
            yield Shape(id=f"{id}{seat}", x=x, y=y, text=fit(sentence(text), INNER), classes=looks, title=text)


def _harbour_office(seen: Any, x: float, top: float) -> Iterator[Shape]:
    """Draw, in the place of a missing sheet, the open missions and what lies beside the board."""
    lines = [("Open missions", "bold")]
    for wire in seen.open_missions:
        port = ZONES[MISSIONS[id_of("Mission", wire)].port].title
        lines.append((f"{words_of('Mission', wire)}, {port}", ""))
    lines += [("Beside the board", "bold"), (f"{plural(seen.decks.events, 'round')} left at most", "")]
    lines.append((f"{plural(seen.merchant_track, 'merchant')} on the track", ""))
    lines.append((f"{plural(seen.decks.captains, 'captain card')} left", ""))
    for place, (text, looks) in enumerate(lines):
        line = fit(sentence(text), INNER)
        yield Shape(id=f"office{place}", x=x, y=top + 27 + 30 * place, text=line, classes=looks or "muted", title=text)
