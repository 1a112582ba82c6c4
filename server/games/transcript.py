"""`python -m server.games.transcript GAME SEATS SEED…`: for each seed, a hash of a whole game of random choices.

`tortuga game check` runs it in processes with different hash seeds: a game whose options or events come in the order of
a set plays differently in each.
"""

from __future__ import annotations

import hashlib
import random
import sys

from referee.games import find_game
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import Seat
from referee.rules.fingerprint import fingerprint
from referee.wire import find_wire


def transcript(game_id: str, seats: int, seed: str) -> str:
    """Play one game and hash everything that its bots would be sent."""
    game, wire = find_game(game_id), find_wire(game_id)
    course = Course(game, seats, game.info.read_variant({}), SeededChance(derive_secret(seed)))
    rng, digest = random.Random(seed), hashlib.sha256()
    while course.outcome is None:
        choices = {}
        for seat, options in course.asked.items():
            digest.update(wire.position(course.kind, course.view(Seat(seat)), course.take_events(seat), options))
            choices[seat] = rng.randrange(len(options))
        digest.update(fingerprint(course.state))
        course.choose(choices)
    digest.update(repr(course.outcome.ranks).encode())
    return digest.hexdigest()


if __name__ == "__main__":
    name, seats, *seeds = sys.argv[1:]
    for seed in seeds:
        print(transcript(name, int(seats), seed))
