"""What the box says and the wire does not repeat: the map, captains' homes, places of rumors and missions, cargo icons.

Tables are written with the ids of marauders.proto and turned into its numbers, which is what a question holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from tortuga.v1.marauders_pb2 import Marauders


def zone(name: str) -> int:
    """Return the number of a zone id."""
    return int(Marauders.Zone.Value(f"ZONE_{name.upper()}"))


# Zone, the nation of its port, its neighbours.
_MAP = """
havana ES port_royal nassau tortuga
port_royal EN havana old_providence tortuga petit_goave cartagena
old_providence EN port_royal cartagena
nassau EN havana tortuga
tortuga FR havana port_royal nassau petit_goave santo_domingo
petit_goave FR port_royal tortuga cartagena santo_domingo caribbean_sea
cartagena ES port_royal old_providence petit_goave caribbean_sea curacao
santo_domingo ES tortuga petit_goave caribbean_sea san_juan
caribbean_sea - petit_goave cartagena santo_domingo curacao san_juan caracas basse_terre
curacao NL cartagena caribbean_sea caracas
san_juan ES santo_domingo caribbean_sea st_maarten basse_terre
caracas ES caribbean_sea curacao basse_terre trinidad
st_maarten NL san_juan basse_terre st_john
basse_terre FR caribbean_sea san_juan caracas st_maarten st_john bridgetown trinidad
st_john EN st_maarten basse_terre bridgetown
bridgetown EN basse_terre st_john trinidad
trinidad ES caracas basse_terre bridgetown
"""

# Captain and home port.
_HOMES = """
frances_wright nassau
henry_thorne port_royal
mary_hollis old_providence
edward_marsh st_john
thomas_keene bridgetown
alexandre_villon tortuga
dominique_de_richery petit_goave
blanche_moreau basse_terre
felipe_montoya havana
frederico_da_silva santo_domingo
isabel_carranza san_juan
rodrigo_salcedo cartagena
ines_villareal caracas
gaspar_ortuno trinidad
pepijn_van_avezaath curacao
anneke_de_wit st_maarten
"""

# Rumor, port or sea, zone.
_RUMORS = """
sunken_galleon sea old_providence
buried_chest sea caribbean_sea
drifting_wreck sea havana
marooned_gunner sea trinidad
hidden_cove sea nassau
castaway_surgeon sea bridgetown
treasure_map sea tortuga
ghost_ship sea san_juan
pearl_beds sea curacao
smugglers_cache sea petit_goave
powder_wreck sea cartagena
lost_pilot sea st_john
wreckers_light sea basse_terre
forged_papers port port_royal
myriad_of_goods port st_maarten
governors_secret port san_juan
corrupt_official port havana
crown_patron port santo_domingo
dutch_banker port curacao
mutinous_crew port tortuga
gunsmith port bridgetown
shipwrights_debt port st_john
plantation_heir port basse_terre
retired_captain port caracas
old_lookout port cartagena
"""

# Mission, port or sea, zone; then a good and how much of it, or the strength of a garrison (Crew x Leadership).
_ERRANDS = """
royal_dispatch port santo_domingo
governors_escort port old_providence
sugar_contract port curacao sugar 2
rum_for_the_fleet port st_john rum 2
tobacco_run port port_royal tobacco 2
spice_order port havana spice 2
missing_ship sea trinidad
lost_envoy sea caribbean_sea
chart_the_cays sea tortuga
spy_mission port cartagena
secret_letters port caracas
medicine_for_trinidad port trinidad
silver_transport port havana
raid_the_fort sea trinidad garrison 4
sack_the_town sea san_juan garrison 6
free_the_prisoners sea old_providence garrison 4
hire_the_purser port st_maarten
buy_back_honour sea old_providence
"""

# Mission, and the flag under which a merchant has to be raided for it.
_REPRISALS = """
reprisal_on_spain ES
reprisal_on_england EN
reprisal_on_france FR
reprisal_on_holland NL
"""

# Good, then its cards 1 to 8: loot, and the icon: E escape, c cargo, m masts, w crew, g cannons, h hull.
_CARGO = """
spice 1E 2c 3E 3m 3E 4w 4E 5g
cocoa 1h 2E 3c 3E 3m 4E 4w 5E
rum 1E 2g 3E 3w 3E 4m 4E 5c
tobacco 1m 2E 3h 3E 3c 4E 4g 5E
sugar 1E 2w 3E 3c 3E 4m 4E 5h
coffee 1g 2E 3m 3E 3w 4E 4c 5E
cotton 1E 2c 3E 3g 3E 4m 4E 5w
indigo 1m 2E 3c 3E 3h 4E 4g 5E
"""

ESCAPE = 0
_ICONS = {"E": ESCAPE, "c": 1, "m": 2, "w": 3, "g": 4, "h": 5}  # numbers of the enum Section


@dataclass(frozen=True, slots=True)
class Errand:
    """Where a rumor or a mission is settled, and what it takes."""

    zone: int
    in_port: bool
    good: int = 0
    count: int = 0
    garrison: int = 0


@dataclass(frozen=True, slots=True)
class CargoCard:
    """A cargo card; `icon` is ESCAPE or the section hit."""

    good: int
    loot: int
    icon: int


def _rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


def _errand(where: str, place: str, what: str = "", count: str = "0") -> Errand:
    if what == "garrison":
        return Errand(zone(place), where == "port", garrison=int(count))
    good = Marauders.Good.Value(f"GOOD_{what.upper()}") if what else 0
    return Errand(zone(place), where == "port", int(good), int(count))


NEIGHBOURS = {zone(name): tuple(map(zone, others)) for name, _, *others in _rows(_MAP)}
NATION_OF = {
    zone(name): 0 if nation == "-" else int(Marauders.Nation.Value(f"NATION_{nation}"))
    for name, nation, *_ in _rows(_MAP)
}
HOMES = {int(Marauders.Captain.Value(f"CAPTAIN_{name.upper()}")): zone(home) for name, home in _rows(_HOMES)}
RUMORS = {int(Marauders.Rumor.Value(f"RUMOR_{name.upper()}")): _errand(*rest) for name, *rest in _rows(_RUMORS)}
MISSIONS = {int(Marauders.Mission.Value(f"MISSION_{name.upper()}")): _errand(*rest) for name, *rest in _rows(_ERRANDS)}
REPRISALS = {
    int(Marauders.Mission.Value(f"MISSION_{name.upper()}")): int(Marauders.Nation.Value(f"NATION_{flag}"))
    for name, flag in _rows(_REPRISALS)
}
CARGO = {
    int(Marauders.CargoCard.Value(f"CARGO_CARD_{good.upper()}_{number}")): CargoCard(
        int(Marauders.Good.Value(f"GOOD_{good.upper()}")), int(cell[0]), _ICONS[cell[1]]
    )
    for good, *cells in _rows(_CARGO)
    for number, cell in enumerate(cells, 1)
}


def _spread(start: int) -> dict[int, int]:
    distances, edge = {start: 0}, [start]
    while edge:
        here = edge.pop(0)
        for other in NEIGHBOURS[here]:
            if other not in distances:
                distances[other] = distances[here] + 1
                edge.append(other)
    return distances


DISTANCE = {start: _spread(start) for start in NEIGHBOURS}
"""Sea moves between any two zones."""
