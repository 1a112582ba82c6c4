"""`make pictures`: screenshots of all boards and of the main pages, for the README and the docs.

Real bots play a small event of all four games and a knockout; what is looked at is real, too.
"""

from __future__ import annotations

import base64
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from server.web import page as page_module
from server.web.app import make_app
from server.web.folder_backend import FolderBackend
from server.web.middleware import WebSettings
from support.browser import find_browser, missing
from support.web import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

OUT = Path(__file__).parents[2] / "docs" / "pictures"
MOST_BYTES = 200_000
BOARDS = {"broadsides": 2, "pavillon_noir": 2, "pirates_cove": 4, "marauders": 3}
STRONG = {"broadsides": "privateer", "pavillon_noir": "gunner", "pirates_cove": "buccaneer", "marauders": "raider"}
EVENT = """name = "Four seas"
seed = "pictures"
rounds = 1
"""
CUP = """name = "Weekend cup"
seed = "pictures"
format = "knockout"
rounds = 1
[[games]]
id = "broadsides"
"""
CREW = ("anne-bonny", "blackbeard", "calico-jack", "kidd", "morgan", "mary-read", "roberts", "teach")


def event_text() -> str:
    """All four games, with one strong bot each and some that choose by chance."""
    games = "".join(f'[[games]]\nid = "{game}"\nseats = {seats}\n' for game, seats in BOARDS.items())
    specs = {name: name for name in (*STRONG.values(), "trader", "random")}
    specs |= dict.fromkeys(("calico-jack", "kidd"), "random")
    return EVENT + games + "".join(f'[[bots]]\nspec = "{spec}"\nname = "{name}"\n' for name, spec in specs.items())


def cup_text() -> str:
    """Eight bots, two of them strong."""
    return CUP + "".join(
        f'[[bots]]\nspec = "{"privateer" if number < 2 else "random"}"\nname = "{name}"\n'
        for number, name in enumerate(CREW)
    )


def play(path: Path, text: str) -> None:
    """Play an event with real bots."""
    path.mkdir()
    (path / "tournament.toml").write_text(text)
    command = [sys.executable, "-m", "server", "tournament", "run", str(path), "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def addresses(site: str, cup: str, browser: Browser) -> Iterator[tuple[str, str]]:
    """What is photographed, by name."""
    page = browser.new_page()
    for game, seats in BOARDS.items():
        query = f"{site}/matches.json?contest={game}-{seats}&bot={STRONG[game]}"
        matches: list[dict[str, Any]] = page.request.get(query).json()["matches"]
        longest = max(matches, key=lambda match: match["decisions"])["match_id"]
        page.request.get(f"{site}/match/{longest}/document", timeout=120_000)
        yield f"board-{game}", f"{site}/match/{longest}#s=60"
        if game == "broadsides":
            block = page.request.get(f"{site}/match/{longest}.json").json()["match"]["block_matches"]
            other = next(one for one in block if one != longest)
            page.request.get(f"{site}/match/{other}/document", timeout=120_000)
            yield "side-by-side", f"{site}/match/{longest}?beside={other}#s=20"
    page.close()
    yield "home", f"{site}/"
    yield "ladder", f"{site}/ladder/broadsides-2"
    yield "bot", f"{site}/bot/privateer"
    yield "versus", f"{site}/versus/privateer/random"
    yield "event", f"{site}/event/Four-seas"
    yield "bracket", f"{cup}/event/Weekend-cup"
    yield "matches", f"{site}/matches"


PIXELS = """async (packed) => {
  const bytes = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  canvas.drawImage(picture, 0, 0);
  const pixels = canvas.getImageData(0, 0, picture.width, picture.height).data;
  let text = "";
  for (let at = 0; at < pixels.length; at += 32768) text += String.fromCharCode(...pixels.subarray(at, at + 32768));
  return [picture.width, picture.height, btoa(text)];
}"""
"""Lets the browser unpack a picture: width, height, and its pixels as red, green, blue, alpha."""


def squeeze(png: bytes, browser: Browser) -> bytes:
    """The same picture with at most 256 colours: half the bytes, and enough for what is drawn flat."""
    page = browser.new_page()
    width, height, packed = page.evaluate(PIXELS, base64.b64encode(png).decode())
    page.close()
    pixels = np.frombuffer(base64.b64decode(packed), np.uint8).reshape(-1, 4)[:, :3]
    cells = (pixels.astype(np.uint32) >> 3) @ np.array([1 << 10, 1 << 5, 1], np.uint32)
    _, first, places, counts = np.unique(cells, return_index=True, return_inverse=True, return_counts=True)
    best = np.argsort(-counts)[:256]
    palette = pixels[first[best]]
    colours = pixels[first].astype(np.int32)
    nearest = np.abs(colours[:, None] - palette[None].astype(np.int32)).sum(axis=2).argmin(axis=1).astype(np.uint8)
    nearest[best] = np.arange(len(best))
    rows = np.zeros((height, width + 1), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = nearest[places].reshape(height, width)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", palette.tobytes()), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )


def take(browser: Browser, name: str, address: str, scheme: Any, width: int, height: int) -> None:
    """One picture."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    if "/match/" in address:
        page.locator("svg.board").last.wait_for(timeout=120_000)
        page.wait_for_timeout(800)
    out = OUT / f"{name}.png"
    out.write_bytes(squeeze(page.screenshot(), browser))
    context.close()
    assert out.stat().st_size < MOST_BYTES, f"{out} has {out.stat().st_size} bytes"
    print(f"{out}: {out.stat().st_size // 1000} kB")


def main() -> None:
    """Write all pictures."""
    if why := missing():
        sys.exit(why)
    from playwright.sync_api import sync_playwright

    OUT.mkdir(parents=True, exist_ok=True)
    page_module.PATIENCE_SECONDS = 60.0
    settings = WebSettings(pages_per_second=1e6, pages_burst=1e6)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tortuga-")))
        play(folder / "event", event_text())
        play(folder / "cup", cup_text())
        site = stack.enter_context(served(lambda: make_app(FolderBackend(folder / "event"), settings)))
        cup = stack.enter_context(served(lambda: make_app(FolderBackend(folder / "cup"), settings)))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"])
        for name, address in list(addresses(site, cup, browser)):
            dark = name in ("board-pavillon_noir", "bot")
            take(browser, name, address, "dark" if dark else "light", 1280, 900)
            if name in ("board-broadsides", "ladder"):
                take(browser, f"{name}-phone", address, "dark", 400, 860)
        browser.close()


if __name__ == "__main__":
    main()
