"""A Python bot called as a function in this process: its folder is imported, nothing is started."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from tortuga_bot.client import Choose

PACKAGES = "site-packages"
"""The folder beside a bot's program where `tortuga bot build` puts what its requirements.txt names."""


class NoChoose(Exception):
    """A bot.py without a function `choose`."""


def load_choose(folder: Path) -> Choose:
    """The function `choose` of a folder's `bot.py`. Its modules are run anew at each call."""
    before = set(sys.modules)
    spec = importlib.util.spec_from_file_location(f"loaded_{folder.name}", folder / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    if (packages := folder / PACKAGES).is_dir() and str(packages) not in sys.path:
        sys.path.append(str(packages))  # for good: a bot may import something later
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
        # Two bots may both have a module called `strategy`: leave none of their names behind.
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(f"{folder}/"):
                del sys.modules[name]
    found: Choose | None = getattr(module, "choose", None)
    if found is None:
        raise NoChoose(f"{folder}/bot.py has no function choose(question)")
    return found
