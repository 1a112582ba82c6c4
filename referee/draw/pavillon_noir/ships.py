"""Two ships in profile, bow to bow: sails, crew, cannons, planks, and what was shot away as something missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from referee.draw.pavillon_noir.pieces import disc
from referee.draw.pieces import box, dot
from referee.draw.scene import BOARD_WIDTH, Shape, circle, number, polyline, rectangle, seat_sign
from referee.games.pavillon_noir.data import CANNONS, DECKS, HULLS, SAIL_ZONES, ZONES
from referee.games.pavillon_noir.terms import Cannon, Disaster, Gun, Projectile, Zone
from tortuga.v1.pavillon_noir_pb2 import PavillonNoir as Pb

TOP, BOTTOM = 74.0, 470.0
WATERLINE = 404.0
HULL_TOP, PLANK = 322.0, 16.0
"""Where the upper rows of planks begin, and their height."""
WAIST = 1
"""The main deck lies one row lower than the decks at bow and stern."""

CENTRES: dict[Zone, tuple[float, float]] = {
    Zone.SAIL_BOW: (60, 184),
    Zone.SAIL_STERN: (-66, 184),
    Zone.DECK_BOW: (92, 308),
    Zone.DECK_MAIN: (0, 324),
    Zone.DECK_STERN: (-126, 308),
    Zone.HULL_BOW: (106, 362),
    Zone.HULL_MAIN: (0, 370),
    Zone.HULL_STERN: (-110, 362),
}
"""The middle of each zone, from the middle of a ship that points to the right."""

HULL_ENDS: dict[Zone, tuple[tuple[float, float], tuple[float, float]]] = {
    Zone.HULL_BOW: ((56, 168), (56, 140)),
    Zone.HULL_MAIN: ((-54, 54), (-54, 54)),
    Zone.HULL_STERN: ((-166, -56), (-152, -56)),
}
"""From where to where the top and the bottom row of planks run."""

CREW_X: dict[Zone, tuple[float, float]] = {
    Zone.DECK_BOW: (66, 17),
    Zone.DECK_MAIN: (-42.5, 17),
    Zone.DECK_STERN: (-158, 17),
}
"""The place of the first figure of a deck, and the pitch of the others."""

GUN_X = {Gun.BOW: 134.0, Gun.STERN: -92.0}
LABEL_X = {Gun.BOW: 112.0, Gun.STERN: -124.0}
BARRELS: dict[Cannon, tuple[float, float, float]] = {  # length, half the breech, half the muzzle
    Cannon.POUNDER18: (38, 6.5, 4.5),
    Cannon.LONG_NINE: (46, 5, 3),
    Cannon.CARRONADE: (28, 8, 7),
}
CANNON_LABELS = {Cannon.POUNDER18: "18 lb", Cannon.LONG_NINE: "Long 9", Cannon.CARRONADE: "Carr."}
CANNON_NAMES = {Cannon.POUNDER18: "18-pounder", Cannon.LONG_NINE: "Long Nine", Cannon.CARRONADE: "carronade"}

SAILS = ((229, 94, 46), (182, 80, 42), (140, 62, 36))
"""Middle, width and height of the three sails of a mast, from the lowest."""

DISASTER_SIGNS = {
    Disaster.LOSE_SAILS: "M-6 8V-9Q9 -6 7 8z",
    Disaster.LOSE_CREW: dot(0, -5, 4) + "M-7 9Q-7 1 0 1Q7 1 7 9z",
    Disaster.LOSE_PLANKS: box(-9, -5, 18, 4) + box(-9, 2, 18, 4),
}
DISASTER_WORDS = {
    Disaster.LOSE_SAILS: "lose three sails",
    Disaster.LOSE_CREW: "lose three crew",
    Disaster.LOSE_PLANKS: "lose two planks",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """Where a ship lies; seat 0 points to the right, seat 1 to the left."""

    seat: int

    @property
    def ahead(self) -> int:
        """1: to the right."""
        return 1 if self.seat == 0 else -1

    def x(self, along: float) -> float:
        """Return a place along the ship, on the board."""
        return (172.0 if self.seat == 0 else BOARD_WIDTH - 172.0) + self.ahead * along

    def zone(self, zone: Zone) -> tuple[float, float]:
        """Return the middle of a zone, on the board."""
        along, y = CENTRES[zone]
        return self.x(along), y

    def muzzle(self, gun: Gun, cannon: Cannon | None) -> tuple[float, float]:
        """Return where the shots of a gun begin."""
        return self.x(GUN_X[gun] + (BARRELS[cannon][0] if cannon is not None else 0)), HULL_TOP - 14


PROFILES = (Profile(seat=0), Profile(seat=1))


def draw_sea() -> Iterator[Shape]:
    """Sky and water."""
    middle, height = (TOP + BOTTOM) / 2, BOTTOM - TOP
    sky = rectangle(BOARD_WIDTH, height, round_by=12)
    yield Shape(id="sky", x=BOARD_WIDTH / 2, y=middle, path=sky, classes="sea", layer=0)
    waves = "M0 0" + "q20 -9 40 0" * 18 + f"v{number(BOTTOM - WATERLINE - 12)}q0 12 -12 12h-696q-12 0 -12 -12z"
    yield Shape(id="water", x=0, y=WATERLINE, path=waves, classes="water", layer=5)


def is_manned(observation: Pb.Observation, seat: int) -> bool:
    """Check whether the crew has come aboard: during setup it waits until the officers have their decks."""
    return observation.phase != Pb.PHASE_SETUP or any(observation.duelists[seat].ship.sailors)


def draw_ship(profile: Profile, observation: Pb.Observation) -> Iterator[Shape]:
    """Draw a ship with everything that is left of it."""
    duelist = observation.duelists[profile.seat]
    yield from _rigging(profile)
    yield from _sails(profile, duelist.ship)
    yield from _planks(profile, duelist.ship)
    if is_manned(observation, profile.seat):
        yield from _crew(profile, duelist.ship)
    yield from _guns(profile, duelist)
    yield from _disasters(profile, duelist)


def _rigging(profile: Profile) -> Iterator[Shape]:
    seat, ahead = profile.seat, profile.ahead
    fore, aft = (ahead * CENTRES[zone][0] for zone in SAIL_ZONES)
    deck, waist, bow = HULL_TOP, HULL_TOP + PLANK * WAIST, ahead * 168
    lines = (
        f"M{number(fore)} 104V{number(deck)}M{number(aft)} 84V{number(deck)}"
        f"M{bow} {number(deck + 8)}L{ahead * 178} {number(deck - 20)}"
    )
    yield Shape(id=f"masts{seat}", x=profile.x(0), y=0, path=lines, classes="stroke thick", layer=2)
    hold = polyline(
        [
            (ahead * -168, deck - 2),
            (ahead * -55, deck - 2),
            (ahead * -55, waist - 2),
            (ahead * 55, waist - 2),
            (ahead * 55, deck - 2),
            (ahead * 170, deck - 2),
            (ahead * 136, HULL_TOP + 5 * PLANK + 18),
            (ahead * -146, HULL_TOP + 5 * PLANK + 18),
        ],
        closed=True,
    )
    yield Shape(id=f"hold{seat}", x=profile.x(0), y=0, path=hold, classes="land", layer=2)
    flag = f"M0 -13q{-ahead * 10} -5 {-ahead * 20} 0t{-ahead * 20} 0v24q{ahead * 10} 5 {ahead * 20} 0t{ahead * 20} 0z"
    yield Shape(
        id=f"flag{seat}",
        x=profile.x(CENTRES[Zone.SAIL_STERN][0]),
        y=100,
        path=flag,
        classes=f"fill seat{seat}",
        layer=3,
    )
    yield Shape(
        id=f"flag{seat}-sign",
        x=profile.x(CENTRES[Zone.SAIL_STERN][0] - 20),
        y=99,
        path=seat_sign(seat, 7),
        classes="on-seat",
        layer=3,
    )


def _sails(profile: Profile, ship: Pb.Ship) -> Iterator[Shape]:
    for zone, left in zip(SAIL_ZONES, ship.sails, strict=True):
        for place, (y, width, height) in enumerate(SAILS):
            is_set = place < left
            yield Shape(
                id=f"sail{profile.seat}-{zone.name[5:].lower()}-{place}",
                x=profile.x(CENTRES[zone][0]),
                y=y,
                path=_sail(width, height, profile.ahead),
                classes=f"{'outline' if is_set else 'lost'} seat{profile.seat}",
                layer=3,
                title="" if is_set else "A sail shot away",
            )
    if ship.sail_penalty:
        yield Shape(
            id=f"sails{profile.seat}-penalty",
            x=profile.x(-3),
            y=280,
            text=f"sails \u2212{ship.sail_penalty}",
            classes="middle warn",
            layer=6,
            title="Runs for sheering off and evading count that many cards less",
        )


@cache
def _sail(width: float, height: float, ahead: int) -> str:
    """Draw a square sail full of wind."""
    w, h, bulge = width / 2, height / 2, ahead * 0.16 * width
    top = 0.86 * w
    return (
        f"M{number(-top)} {number(-h)}H{number(top)}Q{number(w + bulge)} 0 {number(w)} {number(h)}"
        f"Q{number(bulge / 2)} {number(h - 9)} {number(-w)} {number(h)}"
        f"Q{number(-0.8 * w + bulge)} 0 {number(-top)} {number(-h)}z"
    )


def _planks(profile: Profile, ship: Pb.Ship) -> Iterator[Shape]:
    for zone, left in zip(HULLS, ship.planks, strict=True):
        slots = ZONES[zone].slots
        for place in range(slots):
            row = 4 - place  # the lowest is lost last
            is_left = place < left
            yield Shape(
                id=f"plank{profile.seat}-{zone.name[5:].lower()}-{place}",
                x=profile.x(0),
                y=HULL_TOP + PLANK * row,
                path=_plank(zone, row, profile.ahead),
                classes=f"{'fill' if is_left else 'lost'} seat{profile.seat}",
                layer=3,
                title="" if is_left else "A plank shot away",
            )


@cache
def _plank(zone: Zone, row: int, ahead: int) -> str:
    top, bottom = HULL_ENDS[zone]

    def ends(share: float) -> tuple[float, float]:
        return tuple(ahead * (a + (b - a) * share) for a, b in zip(top, bottom, strict=True))  # type: ignore[return-value]

    (left, right), (low_left, low_right) = ends(row / 5), ends((row + 0.8) / 5)
    return polyline([(left, 1), (right, 1), (low_right, PLANK - 2), (low_left, PLANK - 2)], closed=True)


def _crew(profile: Profile, ship: Pb.Ship) -> Iterator[Shape]:
    for deck, sailors in zip(DECKS, ship.sailors, strict=True):
        officers = [name for name, at in (("captain", ship.captain), ("mate", ship.mate)) if at == deck + 1]
        start, pitch = CREW_X[deck]
        y = HULL_TOP - 12 + (PLANK * WAIST if deck is Zone.DECK_MAIN else 0)
        name = deck.name[5:].lower()
        for place in range(max(ZONES[deck].slots, sailors + len(officers))):
            x = profile.x(start + pitch * place)
            if place < sailors:
                yield _figure(f"sailor{profile.seat}-{name}-{place}", profile.seat, x, y, "fill edge", "A sailor")
            elif place < sailors + len(officers):
                yield from _officer(officers[place - sailors], profile.seat, x, y)
            else:
                yield _figure(
                    f"lost{profile.seat}-{name}-{place}", profile.seat, x, y, "lost", "Nobody stands here any more"
                )


def _figure(key: str, seat: int, x: float, y: float, classes: str, title: str, *, layer: int = 4) -> Shape:
    sign = seat_sign(seat, 7.5 if seat == 0 else 8.5)
    return Shape(id=key, x=x, y=y, path=sign, classes=f"{classes} seat{seat}", layer=layer, title=title)


def _officer(name: str, seat: int, x: float, y: float) -> Iterator[Shape]:
    """Draw an officer: the captain has a hat with a wide brim, the mate a flat cap."""
    yield _figure(f"{name}{seat}", seat, x, y, "fill edge", f"The {name}", layer=5)
    hat = "M-11 -5Q0 -10 11 -5Q7 -15 0 -15Q-7 -15 -11 -5z" if name == "captain" else "M-8 -5v-6h16v6z"
    yield Shape(id=f"{name}{seat}-hat", x=x, y=y, path=hat, classes="ink edge", layer=5)


def cannon_of(duelist: Pb.Duelist, gun: Gun) -> Cannon | None:
    """Return the kind of a gun; None before it is installed."""
    kind = duelist.bow_cannon if gun is Gun.BOW else duelist.stern_cannon
    return Cannon(kind - 1) if kind else None


def load_of(duelist: Pb.Duelist, gun: Gun) -> list[Projectile]:
    """Return the discs in a gun."""
    return [Projectile(wire - 1) for wire in (duelist.bow_load if gun is Gun.BOW else duelist.stern_load)]


def _guns(profile: Profile, duelist: Pb.Duelist) -> Iterator[Shape]:
    for gun in Gun:
        cannon = cannon_of(duelist, gun)
        if cannon is None:
            continue
        name, ship = gun.name.lower(), duelist.ship
        is_active, is_silent = duelist.active_gun == gun + 1, ship.silenced[gun]
        load = load_of(duelist, gun)
        penalty = ship.cannon_penalties[gun]
        yield Shape(
            id=f"gun{profile.seat}-{name}",
            x=profile.x(GUN_X[gun]),
            y=HULL_TOP - 14,
            path=_barrel(cannon, profile.ahead),
            classes=f"lost seat{profile.seat}"
            if is_silent
            else f"fill edge seat{profile.seat}"
            if is_active
            else "ink edge",
            layer=5,
            title=f"The {name} gun, a {CANNON_NAMES[cannon]}" + (", silenced" if is_silent else ""),
        )
        text = CANNON_LABELS[cannon] + (f" \u2212{penalty}" if penalty and not is_silent else "")
        yield Shape(
            id=f"gun{profile.seat}-{name}-kind",
            x=profile.x(LABEL_X[gun]),
            y=268,
            text=text,
            classes=f"middle {'seat' if is_active else 'muted'} seat{profile.seat}",
            layer=6,
        )
        places = max(CANNONS[cannon].capacity, len(load))
        for place in range(places):
            x = profile.x(LABEL_X[gun] + 22 * (place - (places - 1) / 2))
            yield disc(f"load{profile.seat}-{name}-{place}", x, 281, load[place] if place < len(load) else None)


@cache
def _barrel(cannon: Cannon, ahead: int) -> str:
    length, breech, muzzle = BARRELS[cannon]
    points = [(-5, -breech), (length, -muzzle), (length, muzzle), (-5, breech)]
    return polyline([(ahead * x, y) for x, y in points], closed=True) + dot(ahead * 7, 9, 5)


def _disasters(profile: Profile, duelist: Pb.Duelist) -> Iterator[Shape]:
    for zone, token in zip(HULLS, duelist.disasters, strict=True):
        x, y = profile.x(CENTRES[zone][0]), 430.0
        key = f"disaster{profile.seat}-{zone.name[5:].lower()}"
        if token == Pb.DISASTER_FACE_DOWN:
            yield Shape(id=key, x=x, y=y, path=circle(14), classes="back", layer=6, title="A disaster, face down")
            yield Shape(id=f"{key}-sign", x=x, y=y + 7, text="?", classes="middle", layer=6)
        else:
            disaster = Disaster(token - 1)
            title = f"Disaster: {DISASTER_WORDS[disaster]}"
            yield Shape(id=key, x=x, y=y, path=circle(14), classes="warn", layer=6, title=title)
            yield Shape(id=f"{key}-sign", x=x, y=y, path=DISASTER_SIGNS[disaster], classes="on-seat", layer=6)
