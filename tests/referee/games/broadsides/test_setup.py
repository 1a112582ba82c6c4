"""Components and setup: spec sections 2 and 4."""

from __future__ import annotations

import pytest

from referee.errors import ConfigError
from referee.games.broadsides import GAME
from referee.games.broadsides.actions import Action, PlaceCaptain, PlaceCrew
from referee.games.broadsides.data import AHEAD, BEARING, CHARTS, EXPOSED, NEIGHBOURS
from referee.games.broadsides.events import Event, FigurePlaced, RoundStarted, SetupRevealed
from referee.games.broadsides.rules.round_end import water_distances
from referee.games.broadsides.terms import Figure, Place, Side, Station
from referee.rules.engine import DUEL, Seat
from support.broadsides import BLACK, STD, WHITE, crew_count, decision, new_state, options, set_hands, where

LAND = {
    "cays": "12 22 42 23 63 64 74 16 26 27 67 48 68 78",
    "ring": "12 22 23 63 64 35 45 55 26 27 67 68 78",
    "open": "",
}


def place_both(state_of: list[Action]) -> dict[Seat, Action]:
    return dict(zip(DUEL, state_of, strict=True))


@pytest.mark.parametrize("name", LAND)
def test_r2_the_small_charts_have_the_land_of_the_specification(name: str) -> None:
    points = [(int(word[0]), int(word[1])) for word in LAND[name].split()]
    assert list(CHARTS[name].land()) == points


def test_r2_the_archipelago_has_the_land_of_the_specification() -> None:
    land = (
        (4, 1), (2, 2), (3, 2), (4, 2), (9, 2), (3, 3), (9, 3), (10, 3), (5, 5), (6, 5), (1, 6), (2, 6), (6, 6),
        (10, 6), (11, 6), (6, 7), (7, 7), (2, 9), (3, 9), (9, 9), (3, 10), (8, 10), (9, 10), (10, 10), (8, 11),
    )  # fmt: skip
    assert CHARTS["archipelago"].land() == land


@pytest.mark.parametrize(
    ("name", "size", "water"),
    [("cays", (9, 11), 85), ("ring", (9, 11), 86), ("open", (9, 11), 99), ("archipelago", (13, 13), 144)],
)
def test_r2_charts_are_symmetric_and_their_water_is_one(name: str, size: tuple[int, int], water: int) -> None:
    chart = CHARTS[name]
    assert (chart.width, chart.height) == size
    assert [row[::-1] for row in chart.rows[::-1]] == list(chart.rows)
    (x, y), other = chart.starts
    assert other == (chart.width - 1 - x, chart.height - 1 - y)
    assert len(water_distances(name, chart.starts[0])) == water


@pytest.mark.parametrize("name", CHARTS)
def test_r3_three_ahead_are_safe_from_the_start(name: str) -> None:
    chart = CHARTS[name]
    for seat in DUEL:
        dx, dy = AHEAD[chart.facings[seat]]
        x, y = chart.starts[seat]
        assert all(chart.is_water((x + dx * count, y + dy * count)) for count in range(4))


def test_r11_the_gun_table_is_mirror_symmetric() -> None:
    """Spec 2.5: what bears to starboard bears to port, on the station across."""
    for bearing in range(1, 4):
        across = tuple(Station[f"{gun.name[0]}5"] for gun in BEARING[bearing])
        assert BEARING[8 - bearing] == across
        assert (EXPOSED[bearing], EXPOSED[8 - bearing]) == (Side.STARBOARD, Side.PORT)
    assert (BEARING[0], BEARING[4], EXPOSED[0], EXPOSED[4]) == ((), (), None, None)


def test_r12_decks_are_joined_by_six_ladders_only() -> None:
    """Spec 2.4: neighbours are mutual, and only ladders lead from one level to another."""
    level = dict(zip("ABCDEFGH", "10001112", strict=True))
    ladders = set()
    for station in Station:
        assert list(NEIGHBOURS[station]) == sorted(NEIGHBOURS[station])
        for neighbour in NEIGHBOURS[station]:
            assert station in NEIGHBOURS[neighbour]
            if level[station.name[0]] != level[neighbour.name[0]]:
                ladders.add("-".join(sorted((station.name, neighbour.name))))
    assert ladders == {"A4-B3", "A4-B5", "D3-E3", "D5-E5", "G3-H3", "G5-H5"}


def test_r12_on_one_level_figures_move_like_kings() -> None:
    levels = ("BCD", "EFG")
    for deck in levels:
        stations = [station for station in Station if station.name[0] in deck]
        for one in stations:
            reach = {
                two
                for two in stations
                if one != two
                and abs(ord(one.name[0]) - ord(two.name[0])) <= 1
                and abs(int(one.name[1]) - int(two.name[1])) <= 1
            }
            assert {near for near in NEIGHBOURS[one] if near.name[0] in deck} == reach


def test_ships_start_with_the_load_of_the_specification() -> None:
    """Spec 2.3: ten cannons with two crew each, four masts, no hull markers, nobody else yet."""
    state = new_state(map="cays")
    assert [where(state, seat) for seat in DUEL] == [((1, 10), 0), ((7, 0), 4)]
    for seat in DUEL:
        ship, crew = state.ships[seat], state.crews[seat]
        assert " ".join(cannon.name for cannon in ship.cannons) == "B3 B5 C3 C5 D3 D5 E3 E5 F3 F5"
        assert ship.masts == (1, 2, 1, 1)
        assert ship.hull == (0,) * 16
        assert [station for station in Station if crew.hands[seat][station]] == list(ship.cannons)
        assert crew_count(state, seat) == 20
        assert crew.captain is None


def test_v39_setup_lists_shrink_as_stations_fill() -> None:
    """Vector V39, ruling R24: captain D3, extra crew B5, then E4: 22, 21 (D3 full), 20 (B5 full)."""
    state = new_state()
    sizes = [len(options(state, WHITE))]
    for white in (PlaceCaptain(Station.D3), PlaceCrew(Station.B5)):
        black = PlaceCaptain(Station.H4) if isinstance(white, PlaceCaptain) else PlaceCrew(Station.H4)
        state = GAME.apply(state, place_both([white, black])).state
        sizes.append(len(options(state, WHITE)))
    assert sizes == [22, 21, 20]
    assert options(state, WHITE) == tuple(
        PlaceCrew(station) for station in Station if station not in (Station.D3, Station.B5)
    )
    assert options(state, BLACK) == tuple(PlaceCrew(station) for station in Station)


def test_setup_asks_both_seats_for_a_captain_and_two_crew_then_reveals() -> None:
    """Spec 4: placements are told to their owner alone until both have finished."""
    state = new_state()
    kinds: list[str] = []
    told: list[Event] = []
    for names in zip(STD, ("E4", "D4", "F4"), strict=True):
        kinds.append(decision(state).kind)
        figure = PlaceCaptain if kinds[-1] == "SETUP_CAPTAIN" else PlaceCrew
        step = GAME.apply(state, place_both([figure(Station[name]) for name in names]))
        state, told = step.state, [*told, *step.events]
    assert kinds == ["SETUP_CAPTAIN", "SETUP_CREW", "SETUP_CREW"]
    assert decision(state).kind == "PROGRAM"
    assert state.placements == ((), ())
    assert told == [
        FigurePlaced(WHITE, Figure.CAPTAIN, Station.H4),
        FigurePlaced(BLACK, Figure.CAPTAIN, Station.E4),
        FigurePlaced(WHITE, Figure.CREW, Station.A4),
        FigurePlaced(BLACK, Figure.CREW, Station.D4),
        FigurePlaced(WHITE, Figure.CREW, Station.H3),
        FigurePlaced(BLACK, Figure.CREW, Station.F4),
        SetupRevealed(WHITE, Station.H4, (Station.A4, Station.H3)),
        SetupRevealed(BLACK, Station.E4, (Station.D4, Station.F4)),
        RoundStarted(1),
    ]


def test_setup_defaults_are_h4_a4_h3_or_the_first_station_with_room() -> None:
    """Spec 5.2."""
    state = new_state()
    assert decision(state).defaults == {WHITE: Station.H4, BLACK: Station.H4}
    state = GAME.apply(state, place_both([PlaceCaptain(Station.H3), PlaceCaptain(Station.B3)])).state
    assert options(state, BLACK)[decision(state).defaults[BLACK]] == PlaceCrew(Station.A4)
    state = GAME.apply(state, place_both([PlaceCrew(Station.H3), PlaceCrew(Station.C3)])).state
    assert options(state, WHITE)[decision(state).defaults[WHITE]] == PlaceCrew(Station.H3)
    assert options(state, BLACK)[decision(state).defaults[BLACK]] == PlaceCrew(Station.H3)
    set_hands(state, WHITE, Place(WHITE, Station.H3), 2)
    assert WHITE not in decision(state).defaults
    assert options(state, WHITE)[0] == PlaceCrew(Station.A4)


def test_an_unknown_map_is_refused_with_the_good_ones() -> None:
    with pytest.raises(ConfigError, match=r"map.*'nowhere'.*cays.*ring.*open.*archipelago"):
        GAME.info.read_variant({"map": "nowhere"})


def test_the_rated_options_are_those_of_the_specification() -> None:
    """Spec 2.8."""
    assert GAME.info.read_variant({}) == {
        "map": "cays",
        "drift_after": 4,
        "drift_points": 2,
        "round_cap": 60,
        "quiet_cap": 20,
        "board_turn_cap": 120,
        "board_quiet_cap": 20,
        "reroll_cap": 20,
    }
