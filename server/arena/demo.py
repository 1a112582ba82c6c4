"""`tortuga serve DIR --demo`: an arena to look at. Sample bots play all games, slowly enough for people to watch.

Copies of the sample bots are in DIR/demo_bots: each thinks for a moment before it answers. Nothing here is special
otherwise: more bots can be added, and a later start without --demo runs the same arena.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from referee.records.files import write_atomically
from server.arena.config import FILE, default_config, write_text
from server.arena.registry import Registry
from server.bots.spec import SAMPLE_BOTS, find_bot, sample_manifests
from server.setting_files import toml

FOLDER = "demo_bots"
OWNER = "demo"
SAMPLES = {
    "random": "random",
    "castaway": "random",
    "deckhand": "random",
    "gunner": "gunner",
    "privateer": "privateer",
    "buccaneer": "buccaneer",
    "raider": "raider",
    "trader": "trader",
}
"""By its name in the demo the sample bot that plays."""
SHARED = SAMPLE_BOTS / "python" / "shared" / "marauders_tactics"
SLOW = '''"""Plays as the sample bot beside it, after a moment of thought, so that people can watch."""

import importlib.util
import time

from tortuga_bot import Question, play

NAME = "strategy" if importlib.util.find_spec("strategy") else "bot"
plays = importlib.import_module(NAME).choose


def choose(question: Question) -> int | None:
    """What the sample bot chooses."""
    if question.option_count > 1:
        time.sleep(0.4)
    return plays(question)


if __name__ == "__main__":
    play(choose, slots=2)
'''


def prepare_demo(directory: Path) -> None:
    """The settings of a demo, unless the folder has some, and its bots."""
    path = directory / FILE
    if not path.exists():
        config = replace(
            default_config(),
            clock="600+1/10",
            matches_per_bot=2,
            rest_seconds=3.0,
            drain_seconds=0.0,
            trust_hosted=True,
        )
        write_atomically(path, write_text(config).encode(), private=True)
    for name, sample in SAMPLES.items():
        folder = directory / FOLDER / name
        if folder.exists():
            continue
        spec = find_bot(sample)
        draft = folder.with_name(f"{name}.draft")
        shutil.rmtree(draft, ignore_errors=True)
        shutil.copytree(sample_manifests()[sample].parent, draft, ignore=shutil.ignore_patterns("__pycache__"))
        if "marauders" in spec.games:  # what `build` in their bot.toml does
            shutil.copytree(SHARED, draft / SHARED.name, dirs_exist_ok=True)
        (draft / "slow.py").write_text(SLOW)
        facts = {
            "name": name,
            "version": spec.version,
            "language": "python",
            "games": list(spec.games),
            "slots": 2,
            "run": ["python", "{dir}/slow.py"],
        }
        (draft / "bot.toml").write_text("".join(f"{key} = {toml(value)}\n" for key, value in facts.items()))
        draft.rename(folder)


def host_demo(directory: Path, registry: Registry) -> None:
    """Register the bots of the demo as hosted ones. They are ours: they need no check."""
    known = {bot.name for bot in registry.bots()}
    for name in SAMPLES:
        if name not in known:
            spec = find_bot(str(directory / FOLDER / name))
            registry.host(
                name,
                OWNER,
                str(directory / FOLDER / name),
                version=spec.version,
                language=spec.language,
                games=spec.games,
                slots=2,
            )
