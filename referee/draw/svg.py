"""Writes a scene as an SVG file, for a paper, a chat or a link preview."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from referee.draw.scene import Scene, Shape, number

STYLE = Path(__file__).with_name("board.css")


def to_svg(scene: Scene) -> str:
    """A whole SVG document, with its style inside."""
    shapes = sorted(scene.shapes, key=lambda shape: shape.layer)
    size = f'viewBox="0 0 {number(scene.width)} {number(scene.height)}" width="{number(scene.width)}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" {size} role="img" aria-label={quoteattr(scene.label)}>'
    )
    return "\n".join([head, f"<style>{STYLE.read_text()}</style>", *map(_element, shapes), "</svg>", ""])


def _element(shape: Shape) -> str:
    turned = f" rotate({number(shape.turn)})" if shape.turn else ""
    place = f'transform="translate({number(shape.x)} {number(shape.y)}){turned}"'
    title = f"<title>{escape(shape.title)}</title>" if shape.title else ""
    if shape.path:
        return f"<path class={quoteattr(shape.classes)} {place} d={quoteattr(shape.path)}>{title}</path>"
    return f"<text class={quoteattr(shape.classes)} {place}>{escape(shape.text)}{title}</text>"
