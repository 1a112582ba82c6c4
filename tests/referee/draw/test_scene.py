"""Shapes and their helpers."""

from __future__ import annotations

import pytest

from referee.draw.scene import SEAT_SIGNS, Scene, Shape, circle, fit, polyline, rectangle, seat_sign, to_svg
from support.paths import path_points


def test_a_text_is_cut_to_its_width() -> None:
    assert fit("gunner", 200) == "gunner"
    assert fit("a very long name of a bot", 100) == "a very…"
    assert fit("abc", 1) == "…"


@pytest.mark.parametrize("path", [rectangle(40, 20), rectangle(40, 20, round_by=6), circle(20)])
def test_paths_are_centred_on_their_origin(path: str) -> None:
    xs = [x for x, _ in path_points(path)]
    assert max(xs) == -min(xs) == 20


def test_every_seat_has_a_sign_of_its_own() -> None:
    assert len({seat_sign(seat, 10) for seat in range(len(SEAT_SIGNS))}) == 5


def test_an_svg_file_escapes_what_strangers_wrote() -> None:
    shapes = (
        Shape(id="a", x=1, y=2, text="<b>&", title="</title><script>"),
        Shape(id="b", x=0, y=0, turn=90, path=polyline([(0, 0), (3, 4)]), classes="stroke", layer=1),
    )
    written = to_svg(Scene(width=720, height=400, label='"><script>', shapes=shapes))
    assert "<script" not in written
    assert "<b>" not in written
    assert written.index("rotate(90)") < written.index("&lt;b&gt;&amp;"), "layers are drawn in their order"
