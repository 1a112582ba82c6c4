"""Between the ships: the zones both are aiming at, a shot under way, and what was just shot away."""

from __future__ import annotations

from collections.abc import Iterator

from referee.draw.pavillon_noir.ships import PROFILES, cannon_of
from referee.draw.scene import Shape, polyline
from referee.games.pavillon_noir.data import ZONES_OF
from referee.games.pavillon_noir.terms import Gun, Marker, Zone
from tortuga.v1.pavillon_noir_pb2 import PavillonNoir as Pb

RETICLE = "M-19 0a19 19 0 1 1 38 0a19 19 0 1 1 -38 0zM-26 0h14M12 0h14M0 -26v14M0 12v14"
BURST = polyline(
    [(0, -27), (6, -16), (18, -21), (15, -9), (27, -3), (17, 4), (21, 17), (9, 14), (2, 26), (-5, 15), (-18, 20),
     (-15, 8), (-27, 2), (-17, -5), (-20, -18), (-8, -15)],
    closed=True,
)  # fmt: skip


def draw_reticles(observation: Pb.Observation) -> Iterator[Shape]:
    """Draw a ring around the zone that each seat's gun is laid on."""
    for seat, duelist in enumerate(observation.duelists):
        if duelist.target_zone:
            zone = Zone(duelist.target_zone - 1)
            x, y = PROFILES[1 - seat].zone(zone)
            title = f"A gun is laid on {zone_name(zone)}"
            yield Shape(
                id=f"reticle{seat}", x=x, y=y, path=RETICLE, classes=f"stroke thick seat{seat}", layer=7, title=title
            )


def zone_name(zone: Zone) -> str:
    """`hull main`."""
    return zone.name.lower().replace("_", " ")


def draw_shots(position: Pb.Position) -> Iterator[Shape]:
    """Draw the flight of a shot under way or just fired."""
    observation = position.observation
    fired = [event.shot_fired for event in position.events if event.WhichOneof("event") == "shot_fired"]
    flights = [(shot.seat, shot.gun, shot.zone) for shot in fired]
    if observation.HasField("shot"):
        shot = observation.shot
        flights = [(shot.attacker, shot.gun, shot.zone)]
    for place, (seat, gun_number, zone_number) in enumerate(flights):
        gun, zone = Gun(gun_number - 1), Zone(zone_number - 1)
        x, y = PROFILES[seat].muzzle(gun, cannon_of(observation.duelists[seat], gun))
        end_x, end_y = PROFILES[1 - seat].zone(zone)
        flight = polyline([(0, 0), (end_x - x, end_y - y)])
        yield Shape(id=f"shot{place}", x=x, y=y, path=flight, classes=f"wake seat{seat}", layer=7)
    if observation.HasField("shot"):
        target = PROFILES[1 - observation.shot.attacker].zone(Zone(observation.shot.zone - 1))
        yield from _burst("damage", *target, max(0, observation.shot.damage), "The damage so far")


def draw_losses(position: Pb.Position) -> Iterator[Shape]:
    """Draw a burst on every zone that lost something since the last decision."""
    lost: dict[tuple[int, Zone], int] = {}
    for event in position.events:
        if event.WhichOneof("event") == "markers_removed":
            removed = event.markers_removed
            zones = ZONES_OF[Marker(removed.marker - 1)]
            for zone, count in zip(zones, removed.counts, strict=True):
                lost[removed.seat, zone] = lost.get((removed.seat, zone), 0) + count
            # of an officer only the loss is told, not the deck he stood on
    under_way = position.observation.HasField("shot")
    for (seat, zone), count in lost.items():
        if count and not under_way:
            x, y = PROFILES[seat].zone(zone)
            yield from _burst(f"loss{seat}-{zone.name.lower()}", x, y, count, f"{count} lost")


def _burst(key: str, x: float, y: float, count: int, title: str) -> Iterator[Shape]:
    yield Shape(id=key, x=x, y=y, path=BURST, classes="warn edge", layer=8, title=title)
    yield Shape(id=f"{key}-count", x=x, y=y + 7, text=f"\u2212{count}", classes="middle on-seat bold", layer=8)
