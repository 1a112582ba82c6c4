"""The wheel holds all that a checkout can do."""

from __future__ import annotations

import tomllib

from support.command import ROOT


def test_every_sample_bot_goes_into_the_wheel() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    folders = {f"sample_bots/{path.parent.name}" for path in (ROOT / "sample_bots").glob("*/bot.toml")}
    assert folders <= set(wheel["packages"])
