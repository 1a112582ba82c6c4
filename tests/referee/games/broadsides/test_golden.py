"""The golden game: spec section 9.5, a whole game of 58 decisions and 44 dice, checked line by line."""

from __future__ import annotations

from referee.games.broadsides import GAME
from referee.games.broadsides.actions import Action, Cease, PlaceCaptain, PlaceCrew, ReplaceCaptain
from referee.games.broadsides.events import (
    DiceOpposed,
    Event,
    GameEnded,
    GunsBear,
    MeleeFought,
    ShipsCollided,
    ShotFired,
)
from referee.games.broadsides.state import State
from referee.games.broadsides.terms import (
    FireMode,
    HullSection,
    Mast,
    Place,
    Reason,
    RollPurpose,
    ShotEffect,
    Side,
    Station,
)
from referee.rules.course import Course
from referee.rules.engine import DUEL, Outcome
from support.broadsides import (
    BLACK,
    WHITE,
    captain_move,
    crew_count,
    crew_move,
    dice,
    dice_left,
    place,
    program,
    shot,
    where,
)

DICE = (
    4, 2, 3, 2, 6, 4, 2, 4, 5,  # R3 step 3
    1, 5, 4, 1, 4, 3,  # R4 step 1
    5, 2, 6, 3,  # R4 steps 2 and 3
    6, 3, 5, 4, 2, 3, 1, 6, 2, 5, 4,  # last salvo
    2, 6,  # first turn
    5, 6, 4, 2, 1, 1, 6, 2, 3, 4, 4, 4,  # T1 to T4
)  # fmt: skip


class Table:
    """The golden game at its table: answers in, facts out."""

    def __init__(self) -> None:
        self.course = Course(GAME, 2, GAME.info.read_variant({"map": "open"}), dice(*DICE))
        self.decisions = 0
        self.events: list[Event] = []

    @property
    def state(self) -> State:
        state = self.course.state
        assert isinstance(state, State)
        return state

    def answer(self, kind: str, *actions: Action) -> None:
        """The answers of the asked seats, in seat order."""
        assert self.course.kind == kind
        seats = list(self.course.asked)
        assert len(seats) == len(actions)
        self.course.choose(
            {seat: self.course.asked[seat].index(action) for seat, action in zip(seats, actions, strict=True)}
        )
        self.decisions += len(actions)
        self.events += self.course.events

    def sail(self, *programs: str) -> None:
        self.answer("PROGRAM", *map(program, programs))

    def fire(self, sections: str) -> str:
        """Shots of one seat; the effects as the specification tells them."""
        seen = len(self.events)
        (seat,) = self.course.asked
        for section in sections.split():
            assert list(self.course.asked) == [seat]
            self.answer("FIRE", shot(section))
        effects = [event.effect for event in self.events[seen:] if isinstance(event, ShotFired)]
        return " ".join(SHORT[effect] for effect in effects)

    def heard(self, kind: type[Event]) -> list[Event]:
        """All events of a kind since last asked; forgets the others."""
        found = [event for event in self.events if isinstance(event, kind)]
        self.events = []
        return found


SHORT = {
    ShotEffect.MISS: "miss",
    ShotEffect.HULL: "hull",
    ShotEffect.END_ON: "end-on",
    ShotEffect.HULL_SPARED: "nothing",
    ShotEffect.EMPTY_STATION: "empty",
    ShotEffect.STATION: "hit",
}


def test_golden_game() -> None:
    """Spec 9.5."""
    table = Table()
    set_up(table)
    first_rounds(table)
    third_round(table)
    fourth_round(table)
    fifth_and_sixth_round(table)
    last_salvo(table)
    boarding(table)
    assert table.course.outcome == Outcome(ranks=(1, 2), reason="CAPTAIN_SLAIN", scores=(1.0, 0.0))
    assert table.decisions == 58
    assert len(DICE) == 44
    assert dice_left(table.state) == 0


def set_up(table: Table) -> None:
    table.answer("SETUP_CAPTAIN", PlaceCaptain(Station.H4), PlaceCaptain(Station.E4))
    table.answer("SETUP_CREW", PlaceCrew(Station.A4), PlaceCrew(Station.D4))
    table.answer("SETUP_CREW", PlaceCrew(Station.H3), PlaceCrew(Station.F4))


def ships(table: Table) -> list[tuple[tuple[int, int], int]]:
    return [where(table.state, seat) for seat in DUEL]


def crews(table: Table) -> list[int]:
    return [crew_count(table.state, seat) for seat in DUEL]


def damages(table: Table) -> list[int]:
    return [ship.damage for ship in table.state.ships]


def first_rounds(table: Table) -> None:
    table.sail("ST AH AH", "ST AH AH")
    assert ships(table) == [((3, 8), 1), ((5, 2), 5)]
    assert table.state.quiet_rounds == 1
    table.sail("AH AH PO", "AH AH PO")
    assert ships(table) == [((5, 6), 0), ((3, 4), 4)]
    assert table.state.quiet_rounds == 2


def third_round(table: Table) -> None:
    table.sail("AH PO AH", "AH RE RE")
    assert table.state.step == 3
    assert ships(table) == [((4, 4), 7), ((3, 5), 4)]
    assert table.heard(GunsBear) == [GunsBear(FireMode.EXCHANGE, (5, 2))]
    assert table.fire("C C D G G") == "hit hull miss hit hull"
    black = table.state.ships[BLACK]
    assert Station.C3 not in black.cannons
    assert (black.hull[HullSection.C5], black.hull[HullSection.G5], sum(black.hull)) == (1, 1, 2)
    assert black.masts == (1, 2, 0, 1)
    assert table.fire("A H") == "hit empty"
    assert table.state.ships[WHITE].masts[Mast.A] == 0
    assert damages(table) == [1, 1]
    assert crews(table) == [21, 20]


def fourth_round(table: Table) -> None:
    table.sail("PO PO DA", "RE DA RE")
    assert (table.state.step, ships(table)[0]) == (1, ((4, 4), 6))
    assert table.heard(DiceOpposed)[-1] == DiceOpposed(RollPurpose.FIRST_FIRE, (1, 5), BLACK)
    assert table.fire("H C") == "hit miss"
    assert table.state.crews[WHITE].captain is None
    assert table.state.ships[WHITE].masts == (0, 2, 1, 0)
    assert table.fire("E H") == "hit empty"
    assert table.state.crews[BLACK].captain is None
    assert (table.state.step, ships(table)[0]) == (2, ((4, 4), 5))
    assert table.fire("C D") == "hit end-on"
    assert table.state.step == 3
    assert table.fire("E E") == "miss hit"
    assert {Station.C5, Station.E3}.isdisjoint(table.state.ships[WHITE].cannons)
    table.answer("REPLACE_CAPTAIN", ReplaceCaptain(Station.B3), ReplaceCaptain(Station.D4))
    assert crews(table) == [16, 19]
    assert damages(table) == [2, 1]


def fifth_and_sixth_round(table: Table) -> None:
    assert table.state.round == 5  # nobody programs
    for step in (1, 2, 3):
        assert table.state.step == step
        assert list(table.course.asked) == [BLACK]
        table.answer("FIRE", Cease())
    assert (table.state.round, table.state.quiet_rounds) == (6, 1)
    table.heard(ShipsCollided)
    table.sail("AH DA DA", "RE RE DA")
    collision = ShipsCollided((3, 5), BLACK, False, 5, (Side.STARBOARD, Side.PORT), False)
    assert collision in table.events
    assert table.heard(GunsBear) == [GunsBear(FireMode.LAST_SALVO, (4, 5))]


def last_salvo(table: Table) -> None:
    assert table.fire("D D E B") == "hit hit nothing hit"
    assert table.state.crews[BLACK].captain is None
    assert table.fire("C H D E F") == "miss miss nothing hit empty"
    table.answer("REPLACE_CAPTAIN", ReplaceCaptain(Station.E5))
    assert crews(table) == [14, 14]
    assert [crew.captain for crew in table.state.crews] == [Place(0, Station.B3), Place(1, Station.E5)]
    assert table.heard(DiceOpposed)[-1] == DiceOpposed(RollPurpose.FIRST_TURN, (2, 6), BLACK)


def boarding(table: Table) -> None:
    for move in (crew_move("1F5", "0F3"), crew_move("1F5", "0F3"), captain_move("1E5", "1E4")):
        table.answer("BOARD_MOVE", move)
    assert len(table.heard(MeleeFought)) == 3
    assert [crew.figures_on(0, Station.F3) for crew in table.state.crews] == [0, 0]
    for move in (crew_move("0D3", "1D5"), crew_move("1D5", "1E5"), crew_move("0D3", "1D5")):
        table.answer("BOARD_MOVE", move)
    assert len(table.heard(MeleeFought)) == 1
    assert [crew.figures_on(1, Station.E5) for crew in table.state.crews] == [1, 0]
    for move in (crew_move("1F4", "1E5"), crew_move("1F3", "1F4"), crew_move("1F3", "1F4")):
        table.answer("BOARD_MOVE", move)
    assert len(table.heard(MeleeFought)) == 1
    assert [crew.figures_on(1, Station.E5) for crew in table.state.crews] == [1, 0]
    for move in (crew_move("1E5", "1E4"), crew_move("1D5", "1E5"), crew_move("1E5", "1E4")):
        table.answer("BOARD_MOVE", move)
    melee = table.events[-2]
    assert isinstance(melee, MeleeFought)
    assert (melee.place, melee.dice, melee.totals) == (place("1E4"), (4, 4), (5, 5))
    assert table.events[-1] == GameEnded(WHITE, Reason.CAPTAIN_SLAIN)
    assert crews(table) == [11, 10]
    assert table.state.crews[WHITE].captain == Place(0, Station.B3)
    assert table.state.crews[WHITE].hands[1][Station.E4] == 1
