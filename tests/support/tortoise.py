"""A tiny game for tests of the referee: it has all that can trouble a match and fits on a screen.

Two to four tortoises race. Each round all seats bid secretly and at once (0 to 3, the odd rounds), or one after the
other (the even rounds); each moves by its bid plus a die of its own. After `rounds` rounds the furthest is first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from referee.match.clock import TimeControl
from referee.match.match import Terms
from referee.rules.chance import Chance, derive_secret
from referee.rules.engine import Decision, Game, GameInfo, NumberSetting, Outcome, Seat, Step, Text, Variant, rank_by
from referee.wire import GameWire
from referee.wire.codec import number


@dataclass(frozen=True, slots=True)
class Bid:
    """How many steps a tortoise wants."""

    steps: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A tortoise moved."""

    seat: int
    steps: int


@dataclass(slots=True)
class Race:
    """The state."""

    TAG: ClassVar[str] = "Race"
    chance: Chance
    rounds: int
    places: list[int]
    bids: list[int]
    round: int = 1


def new(seats: int, variant: Variant, chance: Chance) -> Race:
    """Everybody at the start."""
    return Race(chance=chance, rounds=int(variant["rounds"]), places=[0] * seats, bids=[])


def ask(race: Race) -> Decision[Bid] | Outcome:
    """Odd rounds together, even rounds in turn."""
    if race.round > race.rounds:
        return Outcome(ranks=rank_by(list(race.places)), reason="finish", scores=tuple(map(float, race.places)))
    bids = tuple(Bid(steps) for steps in range(4))
    deciding = range(len(race.places)) if race.round % 2 else [len(race.bids)]
    return Decision(
        kind="TOGETHER" if race.round % 2 else "IN_TURN",
        options={Seat(seat): bids for seat in deciding},
        defaults={Seat(seat): 1 for seat in deciding},
    )


def apply(race: Race, choices: Mapping[Seat, Bid]) -> Step[Race, Moved]:
    """Collect bids; when all are in, move."""
    draft = Race(race.chance.copy(), race.rounds, race.places[:], race.bids[:], race.round)
    draft.bids += [choices[seat].steps for seat in sorted(choices)]
    events = []
    if len(draft.bids) == len(draft.places):
        for seat, bid in enumerate(draft.bids):
            events.append(Moved(seat, bid + draft.chance.draw("step", seat, 6)))
            draft.places[seat] += events[-1].steps
        draft.bids, draft.round = [], draft.round + 1
    return Step(state=draft, events=tuple(events))


def hide(race: Race, seat: Seat, chance: Chance) -> Race:
    """Only the luck is hidden, and bids of the others in an even round, which nobody may see."""
    return Race(chance, race.rounds, race.places[:], [0] * len(race.bids), race.round)


GAME: Game[Race, Bid, Moved, tuple[int, ...]] = Game(
    info=GameInfo(
        id="tortoise",
        title="Tortoise race",
        min_seats=2,
        max_seats=4,
        rules_version=1,
        settings=(NumberSetting(name="rounds", low=1, high=99, default=4, meaning="how long the race is"),),
    ),
    new=new,
    ask=ask,
    apply=apply,
    view=lambda race, seat: (race.round, *race.places),
    seen=lambda event, seat: event,
    fired=lambda event: "moved",
    cards=("moved",),
    text=Text(
        event=lambda event: f"seat {event.seat} moves {event.steps}",
        action=lambda bid: f"bid {bid.steps}",
        table=lambda race: f"round {race.round}: {race.places}",
        scenes=frozenset({Moved}),
    ),
    hide=hide,
)

WIRE: GameWire[Bid, Moved, tuple[int, ...]] = GameWire(
    field=100,
    messages_version=1,
    decisions={"TOGETHER": 1, "IN_TURN": 2},
    observation=lambda view: b"".join(number(field, value) for field, value in enumerate(view, start=1)),
    option=lambda bid: number(1, bid.steps),
    event=lambda event: number(1, event.seat) + number(2, event.steps),
)


def terms(*, rounds: int = 4, clock: TimeControl | None = None, faults_allowed: int = 0, seed: str = "a seed") -> Terms:
    """What a race is played under."""
    return Terms(
        match_id="m",
        game=GAME,
        wire=WIRE,
        variant=GAME.info.read_variant({"rounds": str(rounds)}),
        secret=derive_secret(seed),
        clock=clock or TimeControl(),
        faults_allowed=faults_allowed,
    )
