"""The open sea in the middle: a fight as two ships with their dice; in peace, the month in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from referee.draw import pieces
from referee.draw.pirates_cove.sea import MIDDLE, draw_ship
from referee.draw.pirates_cove.words import (
    captain_of,
    card_of,
    fighter_name,
    fighter_of,
    present,
    section_of,
    short_card,
    short_legend,
)
from referee.draw.scene import Shape, fit, rectangle, seat_sign
from referee.games.pirates_cove.data import LEGENDS, PLACE_NAMES
from referee.games.pirates_cove.terms import ALL_SECTIONS, AT_SEA, Captain, Fighter
from referee.text import listed, plural
from tortuga.v1.pirates_cove_pb2 import PiratesCove

CENTRE_X, CENTRE_Y, WIDTH, HEIGHT = MIDDLE
TOP, LEFT = CENTRE_Y - HEIGHT / 2, CENTRE_X - WIDTH / 2
SHIP = 64
SIDES = (LEFT + 66, LEFT + WIDTH - 66)
DIE_STEP = 32


def draw_fight(position: Any, names: list[str], heading: str, lead: str) -> Iterator[Shape]:
    """Draw the fight under way or just over, or where the game is; `lead` says who leads."""
    seen = position.observation
    combat, volleys = _last_fight(position)
    if combat is None:
        news = _news(seen, names) or (lead if seen.phase == PiratesCove.PHASE_FINAL else "")
        yield Shape(id="heading", x=CENTRE_X, y=CENTRE_Y - 12, text=heading, classes="middle bold size24", layer=3)
        if news:
            text = fit(news, WIDTH - 20)
            yield Shape(id="news", x=CENTRE_X, y=CENTRE_Y + 18, text=text, classes="middle muted", layer=3)
        return
    left, right = _pair(combat, volleys)
    path = rectangle(WIDTH, HEIGHT, round_by=10)
    yield Shape(id="fight", x=CENTRE_X, y=CENTRE_Y, path=path, classes="panel", layer=3)
    over = not seen.HasField("combat")
    title = fit(_title(combat) + ", over" * over, WIDTH - 120)
    yield Shape(id="fight-title", x=LEFT + 14, y=TOP + 27, text=title, classes="bold", layer=7)
    yield from _bystanders([fighter for fighter in present(combat) if fighter not in (left, right)], names)
    for fighter, x in ((left, SIDES[0]), (right, SIDES[1])):
        if fighter is not None:
            yield from _side(combat, fighter, x, names)
    yield from _dice(volleys, left, right)
    news = _result(volleys[-1]) if volleys else "next volley" if combat.exchange else "boarding"
    yield Shape(id="fight-news", x=CENTRE_X, y=TOP + HEIGHT - 12, text=news, classes="middle muted", layer=7)


def _last_fight(position: Any) -> tuple[Any | None, list[Any]]:
    """Return the combat with the volleys just fired in it. One that has just ended is put together from what
    happened."""
    over = PiratesCove.Combat()
    volleys: list[Any] = []
    for event in position.events:
        match event.WhichOneof("event"):
            case "combat_began" | "month_began":
                volleys, over = [], PiratesCove.Combat()
            case "volley_fired":
                volleys.append(event.volley_fired)
            case "legend_hit":
                over.enemies.add(captain=event.legend_hit.captain, hull=max(0, event.legend_hit.left))
            case "combat_ended":
                over.place = event.combat_ended.place
                for seat in event.combat_ended.seats:
                    over.combatants.add(seat=seat)
    if position.observation.HasField("combat"):
        return position.observation.combat, volleys
    return (over, volleys) if volleys else (None, [])


def _news(seen: Any, names: list[str]) -> str:
    """Return what the seats are about, in peace."""
    if seen.HasField("visit"):
        return f"{fit(names[seen.visit.seat], 250)} is in port"
    if seen.HasField("parrot_offer"):
        return f"{fit(names[seen.parrot_offer.seat], 200)} may swap the parrot"
    if seen.HasField("lookout"):
        return f"a Lookout: {fit(names[seen.lookout], 200)} sails first"
    return ""


def _title(combat: Any) -> str:
    parts = ["Final duel" if combat.place == AT_SEA else PLACE_NAMES[combat.place]]
    if combat.exchange:
        parts.append(f"exchange {combat.exchange}")
    parts += [short_card(card_of(card)) for card in combat.salvo or combat.laid]
    return ", ".join(parts)


def _pair(combat: Any, volleys: list[Any]) -> tuple[Fighter | None, Fighter | None]:
    """Return the two ships to show: those of the last volley, else the first two that are there."""
    here = present(combat)
    if volleys:
        pair = {fighter_of(volleys[-1].shooter), fighter_of(volleys[-1].target)}
        order = [fighter_of(wire) for wire in combat.order]
        shown = sorted(pair, key=lambda fighter: order.index(fighter) if fighter in order else len(order))
    else:
        shown = here[:2]
    return (shown[0] if shown else None), (shown[1] if len(shown) > 1 else None)


def _bystanders(others: list[Fighter], names: list[str]) -> Iterator[Shape]:
    """Draw the signs of the other ships in the fight, at the upper right."""
    x = LEFT + WIDTH - 20
    for fighter in others[:5]:
        if isinstance(fighter, Captain):
            path, looks, id = pieces.skull(9), "ink", f"also-{fighter}"
        else:
            path, looks, id = seat_sign(fighter, 9), f"seat{fighter} fill", f"also-{fighter}"
        title = f"{fighter_name(fighter, names)} fights, too"
        yield Shape(id=id, x=x, y=TOP + 20, path=path, classes=looks, layer=7, title=title)
        x -= 24


def _side(combat: Any, fighter: Fighter, x: float, names: list[str]) -> Iterator[Shape]:
    """Draw a ship in the fight with its name and how it stands."""
    y = TOP + 90
    if isinstance(fighter, Captain):
        navy = fighter is Captain.NAVY
        path, looks = (pieces.flagship("EN", SHIP), pieces.FLAG) if navy else (pieces.black_ship(SHIP), "ink edge")
        yield Shape(id=f"duel-{fighter}", x=x, y=y, path=path, classes=looks, layer=7, title=LEGENDS[fighter].name)
        state = short_legend(fighter)
        yield from _hull_points(combat, fighter, x)
    else:
        to_left, title = x > CENTRE_X, names[fighter]
        yield from draw_ship(f"duel-{fighter}", fighter, x, y, SHIP, title=title, layer=7, to_left=to_left)
        state = _marks(combat, fighter) or names[fighter]
    yield Shape(
        id=f"duel-{fighter}-state",
        x=x,
        y=TOP + HEIGHT - 12,
        text=fit(state, 156 if isinstance(fighter, Captain) else 128),
        classes="middle",
        layer=7,
    )


def _hull_points(combat: Any, captain: Captain, x: float) -> Iterator[Shape]:
    """Draw what a ship that is nobody's has left, under it."""
    known = [enemy.hull for enemy in combat.enemies if captain_of(enemy.captain) is captain]
    if not known:
        return
    most = max(known[-1], LEGENDS[captain].hull)
    full, lost = pieces.pips(known[-1], most, 13, 5)
    for id, path, looks in (("hull", full, "ink"), ("hull-lost", lost, "lost")):
        if path:
            at = x - 6.5 * (most - 1)
            yield Shape(id=f"duel-{captain}-{id}", x=at, y=TOP + 111, path=path, classes=looks, layer=7, title="hull")


def _marks(combat: Any, seat: int) -> str:
    """Return what holds for a player ship in this fight. Empty: nothing."""
    for combatant in combat.combatants:
        if combatant.seat == seat:
            marks = ["smoke"] * combatant.smoke + ["reloads"] * combatant.reloading
            return (marks + [f"+{combatant.speed_bonus} speed"] * bool(combatant.speed_bonus) + [""])[0]
    return "left"


def _dice(volleys: list[Any], left: Fighter | None, right: Fighter | None) -> Iterator[Shape]:
    """Draw the last volley of each of the two ships: the left one's dice above, the right one's below."""
    for row, shooter in enumerate((left, right)):
        volley = next((fired for fired in reversed(volleys) if fighter_of(fired.shooter) == shooter), None)
        if volley is None or shooter is None:
            continue
        y = TOP + 54 + 36 * row
        whose = "" if isinstance(shooter, Captain) else f"seat{shooter} "
        dice = sorted(volley.dice, reverse=True)
        for place, face in enumerate(dice):
            yield Shape(
                id=f"die{row}-{place}",
                x=CENTRE_X + DIE_STEP * (place - (len(dice) - 1) / 2),
                y=y,
                path=pieces.die(face, 26, counts=place < volley.hits),
                classes=whose + pieces.DIE,
                layer=7,
            )
        tip = CENTRE_X + (1 - 2 * row) * (DIE_STEP * len(dice) / 2 + 14)
        yield Shape(
            id=f"die{row}-at",
            x=tip,
            y=y,
            turn=180.0 * row,
            path="M-6 -7l10 7l-10 7z",
            classes=whose + "fill",
            layer=7,
        )


def _result(volley: Any) -> str:
    """Return what the last volley did."""
    struck = [section_of(section).name.lower() for section in volley.sections]
    where = "" if not volley.hits else " on all" if len(struck) == len(ALL_SECTIONS) else f" on {listed(struck)}"
    return plural(volley.hits, "hit") + where if volley.hits else "no hit"
