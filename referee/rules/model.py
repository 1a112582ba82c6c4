"""The forward model: the table as one seat may know it, sent with a question, and possible worlds to continue from.

The referee encodes the state with everything hidden replaced by filler, the same for all states that the seat cannot
tell apart; the luck is left out. A reader of the model draws worlds: complete states in which the hidden things are
dealt again, each with its own luck. A reader never has the true state.

    {"game": …, "rules": …, "layout": …, "seat": …, "state": …}

`layout` is a hash of how the state is built. docs/model.md says how exact the worlds are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Generic, TypeVar

from referee.errors import ModelError
from referee.rules.chance import Chance, FillerChance, SeededChance, derive_secret
from referee.rules.codec import decode, encode, layout
from referee.rules.engine import AnyGame, Decision, Outcome, Seat

MOST_TRIES = 1000
"""Most worlds that are drawn for one that fits what is known."""
CANDIDATES_PER_WORLD = 8
"""Worlds that are drawn for one that is taken by weight."""

FILLER = FillerChance()


def encode_model(game: AnyGame, state: Any, seat: Seat) -> bytes:
    """Encode the table as that seat may know it."""
    info = game.info
    head = json.dumps(
        {"game": info.id, "rules": info.rules_version, "layout": layout(info.id), "seat": seat}, separators=(",", ":")
    )
    return f'{head[:-1]},"state":{encode(game.hide(state, seat, FILLER))}}}'.encode()


class World:
    """One way the table may really lie, and how the game goes on from there. Seats that choose together are asked one
    after the other, at first the seat whose model this is; nothing happens before all have chosen."""

    __slots__ = ("_chosen", "_decision", "_outcome", "_viewer", "_waiting", "actions", "game", "seat", "state")

    def __init__(self, game: AnyGame, state: Any, viewer: Seat) -> None:
        self.game = game
        self.state = state
        self._viewer = viewer
        self._go_on()

    def _go_on(self) -> None:
        """Go on to the next real choice, or to the end."""
        while True:
            decision = self.game.ask(self.state)
            if isinstance(decision, Outcome):
                self._outcome: Outcome | None = decision
                self.seat: Seat | None = None
                """The seat that chooses next; None when the game is over."""
                self.actions: tuple[Any, ...] = ()
                """The options of that seat, as the rules have them."""
                return
            self._outcome = None
            self._decision: Decision[Any] = decision
            options = decision.options
            asked = sorted(seat for seat, actions in options.items() if len(actions) > 1)
            self._chosen: dict[Seat, Any] = {seat: actions[0] for seat, actions in options.items() if len(actions) == 1}
            if asked:
                if self._viewer in asked:
                    asked.remove(self._viewer)
                    asked.insert(0, self._viewer)
                self._waiting: tuple[Seat, ...] = tuple(asked[1:])
                self.seat, self.actions = asked[0], options[asked[0]]
                return
            self.state = self.game.apply(self.state, self._chosen).state

    @property
    def kind(self) -> str:
        """Return the decision's name in the specification; empty when the game is over."""
        return "" if self.seat is None else self._decision.kind

    @property
    def option_count(self) -> int:
        """Return how many options there are; 0 when the game is over."""
        return len(self.actions)

    @property
    def default(self) -> int:
        """Return the option that is played for a bot that fails here."""
        return 0 if self.seat is None else self._decision.defaults.get(self.seat, 0)

    def play(self, index: int) -> None:
        """Let the seat that chooses next take that option."""
        if self.seat is None:
            raise ModelError("the game of this world is over")
        if not 0 <= index < len(self.actions):
            raise ModelError(f"option {index} of {len(self.actions)}: expected 0 to {len(self.actions) - 1}")
        chosen = {**self._chosen, self.seat: self.actions[index]}
        if self._waiting:
            self._chosen = chosen
            self.seat, *rest = self._waiting
            self._waiting, self.actions = tuple(rest), self._decision.options[self.seat]
            return
        self.state = self.game.apply(self.state, chosen).state
        self._go_on()

    def play_out(self, rng: Random, most: int | None = None) -> int:
        """Let all seats choose at random, to the end or for that many choices. Returns how many choices were made."""
        count, pick = 0, rng.random
        while self.seat is not None and count != most:
            self.play(int(pick() * len(self.actions)))
            count += 1
        return count

    def clone(self, seed: str | None = None) -> World:
        """Return the same world, to be played on separately: with the same luck to come, or with other luck from a
        seed."""
        copied = object.__new__(type(self))
        copied.game, copied.state, copied._viewer = self.game, self.state, self._viewer
        copied._outcome, copied.seat, copied.actions = self._outcome, self.seat, self.actions
        if self.seat is not None:
            copied._decision, copied._chosen, copied._waiting = self._decision, self._chosen, self._waiting
        if seed is not None:
            copied.state = self.state.copy()
            copied.state.chance = SeededChance(derive_secret(seed))
        return copied

    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it is being played."""
        return self._outcome

    def view(self, seat: int) -> Any:
        """Return all that a seat may know in this world, as the rules have it."""
        return self.game.view(self.state, Seat(seat))


W = TypeVar("W", bound=World)


class Model(Generic[W]):
    """The table as one seat may know it. Its worlds are the same for the same seed."""

    def __init__(self, game: AnyGame, state: Any, seat: Seat, seed: str, kind: type[W]) -> None:
        self.game = game
        self.seat = seat
        self._state = state
        self._seed = seed
        self._dealt = 0
        self._kind = kind

    def worlds(
        self,
        count: int,
        *,
        known: Callable[[W], bool] | None = None,
        weight: Callable[[W], float] | None = None,
    ) -> list[W]:
        """Draw so many worlds that look to the seat like the real one.

        `known`: what you know from earlier questions; only worlds for which it is true are given. `weight`: how
        likely you hold a world to be beside others, for what others chose is dealt as if they chose at random.
        """
        if weight is None:
            return [self._draw(known) for _ in range(count)]
        candidates = [self._draw(known) for _ in range(count * CANDIDATES_PER_WORLD)]
        weights = [weight(world) for world in candidates]
        if count and not sum(weights) > 0:
            raise ModelError(f"`weight` gave none of {len(candidates)} worlds a weight above 0")
        taken = Random(f"{self._seed}/{self._dealt}").choices(candidates, weights, k=count) if count else []
        clones: list[Any] = [world.clone(f"{self._seed}/{self._dealt}/{number}") for number, world in enumerate(taken)]
        return clones

    def _draw(self, known: Callable[[W], bool] | None) -> W:
        for _ in range(MOST_TRIES):
            self._dealt += 1
            chance: Chance = SeededChance(derive_secret(self._seed, str(self._dealt)))
            world = self._kind(self.game, self.game.hide(self._state, self.seat, chance), self.seat)
            if known is None or known(world):
                return world
        raise ModelError(f"none of {MOST_TRIES} worlds fits what `known` asks for")


def open_model(data: bytes, games: Mapping[str, AnyGame], seed: str, kind: type[W]) -> Model[W]:
    """Read a model; its worlds are of that kind. ModelError if it was made under other rules than ours."""
    try:
        text = data.decode()
        head, mark, state = text.partition(',"state":')
        named = json.loads(f"{head}}}")
        game_id, rules, states, seat = named["game"], named["rules"], named["layout"], named["seat"]
    except (ValueError, KeyError, TypeError):
        raise ModelError("this is not a forward model: Question.model, sent to bots that say want_model") from None
    if game_id not in games or not mark or not isinstance(seat, int):
        raise ModelError(f"this is not a forward model of a game known here: {game_id!r}")
    game = games[game_id]
    ours = game.info.rules_version
    if rules != ours or states != layout(game_id):
        raise ModelError(
            f"the referee's {game_id} has rules version {rules} (states {states}), yours {ours} ({layout(game_id)}): "
            "install the same version of tortuga as the server's, or play without a model"
        )
    hidden = decode(game_id, state.removesuffix("}"))
    hidden.chance = FILLER
    return Model(game, hidden, Seat(seat), seed, kind)
