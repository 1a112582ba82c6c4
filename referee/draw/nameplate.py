"""The first lines of a duel's board: both names with their signs, and where the game stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from referee.draw.scene import BOARD_WIDTH, Shape, fit, seat_sign
from referee.words import harmless

NAME_WIDTH = BOARD_WIDTH / 2 - 60


def draw_nameplate(names: Sequence[str], notes: Sequence[str], headline: str) -> Iterator[Shape]:
    """Seat 0 on the left and seat 1 on the right, each with a note below its name."""
    for seat, (name, note) in enumerate(zip(names, notes, strict=True)):
        edge, inwards = (0.0, 1) if seat == 0 else (float(BOARD_WIDTH), -1)
        align = "" if seat == 0 else "end "
        yield Shape(
            id=f"sign{seat}", x=edge + 16 * inwards, y=22, path=seat_sign(seat, 11), classes=f"fill seat{seat}", layer=1
        )
        yield Shape(
            id=f"name{seat}",
            x=edge + 36 * inwards,
            y=30,
            text=fit(name, NAME_WIDTH, 24) or "?",
            classes=f"{align}size24 bold seat seat{seat}",
            layer=1,
            title=name if fit(name, NAME_WIDTH, 24) != name else "",
        )
        if note:
            yield Shape(id=f"note{seat}", x=edge + 4 * inwards, y=60, text=note, classes=f"{align}muted", layer=1)
    yield Shape(id="headline", x=BOARD_WIDTH / 2, y=60, text=headline, classes="middle", layer=1)


def one_line(name: str) -> str:
    """A name in a sentence: strangers chose it, so it may hold line breaks or nothing at all."""
    return harmless(name) or "?"
