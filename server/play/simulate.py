"""Many games in this process, without gRPC: what the engine does, how often, how fast.

Bots are functions here: `random` picks uniformly; a sample bot is loaded from its folder and gets the same messages it
would get from a referee.
"""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import dropwhile
from pathlib import Path

from referee.errors import ConfigError, TortugaError
from referee.games import find_game
from referee.match.clock import TimeControl
from referee.match.question import make_question
from referee.match.question_text import tell_question
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import AnyGame, Seat, Variant
from referee.wire import find_wire, position_member
from server.bots.spec import BotSpec
from server.play.match_setup import MatchSetup
from server.play.record_choices import record_choices
from server.play.simulation_tally import BlockResults, Sizes, Tally, Times
from server.system.processes import Workers
from tortuga.v1 import referee_pb2
from tortuga_bot import Match, Question
from tortuga_bot.bot_folder import NoChoose
from tortuga_bot.bot_folder import load_choose as load_anew
from tortuga_bot.client import Choose, check_answer

Strategy = Callable[[Course, Seat], int]
"""A bot as a function in this process: gives the index of the option it takes."""

MOST_BLOCKS_AT_ONCE = 50
"""Blocks that a process plays before it reports."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Simulation:
    """Games to play in this process, or in several."""

    game: str
    variant: Mapping[str, str | int]
    seats: int
    games: int
    seed: str
    bots: tuple[BotSpec, ...] = ()
    losses: Path | None = None
    """Where the records of games go that the first bot did not win."""

    def __post_init__(self) -> None:
        find_game(self.game).info.check_seats(self.seats)
        if self.bots and len(self.bots) != self.seats:
            raise ConfigError(f"{len(self.bots)} bots were named for {self.seats} seats")
        if self.losses and len(set(self.bots)) < 2:
            raise ConfigError("to record lost games, name a bot and an opponent")

    @property
    def rotations(self) -> int:
        """Return how many games a block has: as many as there are different seatings of these bots.

        A bot that meets only itself has one: on the same luck it would play the same game again.
        """
        bots = self.bots
        return next((turn for turn in range(1, len(bots)) if bots[turn:] + bots[:turn] == bots), len(bots) or 1)

    @property
    def blocks(self) -> range:
        """Return the numbers of all blocks. The last one may lack games."""
        return range(-(-self.games // self.rotations))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the different bots, in the order in which they were named first."""
        return tuple(bot.name for bot in dict.fromkeys(self.bots))

    def play_blocks(self, blocks: range) -> Tally:
        """Play the games of these blocks, each block under a luck of its own."""
        game = find_game(self.game)
        tally = Tally(self.game, self.seats)
        began = time.perf_counter()
        for block in blocks:
            games = range(block * self.rotations, min((block + 1) * self.rotations, self.games))
            self._play_block(game, block, games, tally)
        tally.seconds = time.perf_counter() - began
        return tally

    def _play_block(self, game: AnyGame, block: int, games: range, tally: Tally) -> None:
        secret, results = derive_secret(self.seed, str(block)), BlockResults()
        different = list(dict.fromkeys(self.bots))
        for rotation, game_number in enumerate(games):
            course = Course(game, self.seats, self.variant, SeededChance(secret))
            at = [self.bots[(seat - rotation) % self.seats] for seat in range(self.seats)] if self.bots else []
            strategies = [
                make_strategy(at[seat] if at else None, course, self.variant, Seat(seat), f"{self.seed}/{game_number}")
                for seat in range(self.seats)
            ]
            numbers = [different.index(bot) for bot in at]
            for number, strategy in zip(numbers, strategies, strict=False):
                if isinstance(strategy, InProcessBot):
                    strategy.times = tally.times.setdefault(number, Times())
            taken: list[dict[Seat, int]] = []
            play_out(course, strategies, tally, taken if self.losses else None)
            assert course.outcome is not None
            results.add(course.outcome, numbers)
            lost = all(rank > 1 for rank, number in zip(course.outcome.ranks, numbers, strict=False) if number == 0)
            if self.losses and lost:
                tally.losses.append(self._record(game, block, rotation, at, taken))
        results.count_in(tally.results)

    def _record(
        self, game: AnyGame, block: int, rotation: int, bots: Sequence[BotSpec], taken: list[dict[Seat, int]]
    ) -> str:
        assert self.losses is not None
        setup = MatchSetup(game=game, variant=self.variant, seed=self.seed, clock=TimeControl(unlimited=True))
        return record_choices(setup.terms(str(block), rotation), bots, taken, self.losses).name


def simulate(
    game: AnyGame,
    variant: Variant,
    *,
    seats: int,
    games: int,
    seed: str,
    bots: Sequence[BotSpec] = (),
) -> Tally:
    """Play that many games in this process. Bots rotate over the seats, all rotations of a block under one luck."""
    run = Simulation(game=game.info.id, variant=variant, seats=seats, games=games, seed=seed, bots=tuple(bots))
    return run.play_blocks(run.blocks)


def spread_simulation(run: Simulation, *, jobs: int, progress: Callable[[int], None]) -> Tally:
    """Simulate in several processes, with the same result but for times. `progress` is told of games played.

    After Ctrl-C the tally has the blocks that were over by then.
    """
    tally, began = Tally(run.game, run.seats), time.perf_counter()
    size = max(1, min(len(run.blocks) // (8 * jobs), MOST_BLOCKS_AT_ONCE)) if jobs > 1 else 1
    parts = [run.blocks[first : first + size] for first in range(0, len(run.blocks), size)]
    with suppress(KeyboardInterrupt), Workers(min(jobs, len(parts))) as workers:
        for part in workers.run(run.play_blocks, parts):
            tally.merge(part)
            progress(part.games)
    tally.seconds = time.perf_counter() - began
    return tally


def play_out(
    course: Course, strategies: Sequence[Strategy], tally: Tally, taken: list[dict[Seat, int]] | None = None
) -> None:
    """Play one game and count it. The choices go into `taken`, moment by moment."""
    fired, lists, name = tally.fired, tally.lists, course.game.fired
    decisions = 0
    fired.update(map(name, course.events))
    while course.outcome is None:
        sizes = lists.get(course.kind)
        if sizes is None:
            sizes = lists[course.kind] = Sizes()
        choices = {}
        for seat, options in course.asked.items():
            sizes.add(len(options))
            choices[seat] = strategies[seat](course, seat)
        decisions += len(choices)
        if taken is not None:
            taken.append(choices)
        course.choose(choices)
        fired.update(map(name, course.events))
    tally.games += 1
    tally.decisions.append(decisions)
    tally.ends[course.outcome.reason] += 1


def make_strategy(bot: BotSpec | None, course: Course, variant: Variant, seat: Seat, match_id: str) -> Strategy:
    """Return a bot for one seat of one game; None is random."""
    if bot is not None and bot.name != "random":
        return InProcessBot(bot, course, variant, seat, match_id)
    pick = random.Random(f"{match_id}/{seat}").random
    return lambda course, seat: int(pick() * len(course.asked[seat]))


class InProcessBot:
    """A bot called as a function, with the very message it would get over the wire."""

    def __init__(
        self,
        bot: BotSpec,
        course: Course,
        variant: Variant,
        seat: Seat,
        match_id: str,
        choose: Choose | None = None,
    ) -> None:
        self._bot = bot
        self._choose = choose or load_choose(bot)
        self.times: Times | None = None
        """Where it is noted how long the bot thought."""
        self._wire = find_wire(course.game.info.id)
        self._asked = 0
        self._match = Match(
            match_id=match_id,
            game=course.game.info.id,
            seat=seat,
            seat_names=tuple(f"seat {place}" for place in range(course.seats)),
            variant={name: str(value) for name, value in variant.items()},
            rules_text=course.game.text.rules,
        )

    def __call__(self, course: Course, seat: Seat) -> int:
        """Return the bot's answer. Resigning is not for simulations: it counts as option 0."""
        actions = course.asked[seat]
        self._asked += 1
        message = referee_pb2.Question(question_id=self._asked, option_count=len(actions))
        asked = make_question(course, self._wire, seat, self._asked)
        getattr(message, position_member(self._match.game)).ParseFromString(asked.position)
        when = f"at question {self._asked} of match {self._match.match_id}"
        began = time.perf_counter()
        try:
            question = Question(self._match, message, make_model=asked.model, make_text=lambda: tell_question(asked))
            answer = self._choose(question)
        except Exception as error:
            raise blame(self._bot, when, error) from None
        if self.times is not None:
            self.times.add(time.perf_counter() - began)
        try:
            return 0 if answer is None else check_answer(answer, len(actions))
        except (TypeError, ValueError) as error:
            raise TortugaError(f"the bot {self._bot.name} failed {when}: {error}") from None


def load_choose(bot: BotSpec) -> Choose:
    """Return the `choose` function of a Python bot's folder."""
    return load_with(bot, _load)


def is_in_process(bot: BotSpec) -> bool:
    """Check whether a bot can be called as a function: it has a bot.py."""
    return bot.folder is not None and (bot.folder / "bot.py").is_file()


def load_with(bot: BotSpec, load: Callable[[Path], Choose]) -> Choose:
    """Return the `choose` of a Python bot, or raise an error that blames its author where it is due."""
    if bot.folder is None or not is_in_process(bot):
        raise ConfigError(f"only bots with a bot.py can be simulated in process; {bot.name} has none")
    try:
        return load(bot.folder)
    except NoChoose as error:
        raise ConfigError(str(error)) from None
    except SystemExit:
        raise ConfigError(
            f"the bot {bot.name} exited while {bot.folder}/bot.py was imported, which is needed to call its choose: "
            'put play(…) below a guard, `if __name__ == "__main__":`'
        ) from None
    except Exception as error:
        raise blame(bot, "as its bot.py was loaded", error) from None


def blame(bot: BotSpec, when: str, error: Exception) -> TortugaError:
    """Return what went wrong in the code of a bot, with its author's part of the traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    if bot.folder is None:
        theirs: Iterable[traceback.FrameSummary] = frames[
            1:
        ]  # a function of the caller's own: all behind our call is theirs
    else:
        theirs = dropwhile(lambda frame: not frame.filename.startswith(f"{bot.folder}/"), frames)
    story = [*traceback.format_list(list(theirs)), *traceback.format_exception_only(error)]
    return TortugaError(f"the bot {bot.name} failed {when}:\n{''.join(story).rstrip()}")


_load = cache(load_anew)
