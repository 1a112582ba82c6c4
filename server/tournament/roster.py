"""Who takes part: from the manifest to the roster, when play begins and each time it is resumed.

A partly played event refuses a changed manifest. A ladder's bots may come, go and change version.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from referee.errors import ConfigError
from server.bots.kits import refuse_unbuilt
from server.bots.spec import BotSpec, content_sha256
from server.tournament.agreement import Agreement, Entry
from server.tournament.anchors import check_contents
from server.tournament.folder import Folder
from server.tournament.manifest import RUNTIME_KEYS, Manifest, as_table, differences, find_bots, read_manifest

_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
"""What a version may contain and a name may not."""


def current_agreement(
    folder: Folder, stages: Mapping[str, int] | None = None, *, remote: bool = False
) -> tuple[Agreement, dict[str, BotSpec]]:
    """What the event is played under now, and its bots. Refuses a manifest changed while its event is partly played.

    `stages` gives per contest the first stage not yet drawn: where bots join a ladder or leave it.
    `remote`: bots that dial in can take part.
    """
    manifest, agreed = read_manifest(folder.manifest), folder.read_agreement()
    bots = find_bots(manifest, folder.path)
    for spec in bots.values():
        if not (remote and spec.remote):
            check_startable(spec)
    if agreed is None:
        return first_agreement(manifest, bots), bots
    check_unchanged(folder, agreed, manifest, bots)
    if manifest.format == "ladder":
        teams = {name: bot.team for name, bot in zip(bots, manifest.bots, strict=True)}
        roster = update_roster(agreed.roster, bots, stages or {}, teams)
        found = Agreement(manifest=manifest, roster=roster)
    else:
        found = replace(agreed, manifest=manifest)
    present = {one.name: replace(bots[one.bot], name=one.name) for one in found.roster if is_present(one, bots)}
    check_contents(found, present)
    return found, present


def first_agreement(manifest: Manifest, bots: Mapping[str, BotSpec]) -> Agreement:
    """What is agreed when play begins."""
    entered = zip(bots.items(), manifest.bots, strict=True)
    roster = tuple(new_entry(name, spec, hero=bot.hero, team=bot.team) for (name, spec), bot in entered)
    return Agreement(manifest=manifest, roster=roster)


def new_entry(name: str, spec: BotSpec, *, hero: bool = False, team: str = "") -> Entry:
    """The entry of a bot in its present version."""
    return Entry(
        name=name,
        bot=name,
        version=spec.version,
        games=spec.games,
        hero=hero,
        team=team,
        sha256=content_sha256(spec),
    )


def is_present(entry: Entry, bots: Mapping[str, BotSpec]) -> bool:
    """Whether the manifest still has this bot in this version."""
    spec = bots.get(entry.bot)
    return spec is not None and spec.version == entry.version


def check_startable(spec: BotSpec) -> None:
    """Refuse a bot that was never built: before the event, not by its forfeits."""
    if spec.remote:
        raise ConfigError(f"the bot {spec.name} connects by itself: an arena (`tortuga serve`) can run this event")
    refuse_unbuilt(spec)
    if shutil.which(spec.run[0]) is None and not spec.run[0].startswith("python"):
        raise ConfigError(f"the bot {spec.name} cannot be started: there is no {spec.run[0]}")


def check_unchanged(folder: Folder, agreed: Agreement, manifest: Manifest, bots: Mapping[str, BotSpec]) -> None:
    """Refuse changes that would make it another event, and list them."""
    ignore = RUNTIME_KEYS | ({"bots", "rounds"} if manifest.format == "ladder" else set())
    changed = differences(as_table(agreed.manifest), as_table(manifest), ignore)
    if manifest.format != "ladder":
        changed += [
            f"bot {one.name}: was version {one.version or '-'}, is now {bots[one.bot].version or '-'}"
            for one in agreed.roster
            if one.bot in bots and not is_present(one, bots)
        ]
    if changed:
        raise ConfigError(
            f"{folder.manifest} was changed while its event is partly played: {'; '.join(changed)}. "
            "Change it back, or start a new event in another folder"
        )


def update_roster(
    roster: Sequence[Entry], bots: Mapping[str, BotSpec], stages: Mapping[str, int], teams: Mapping[str, str]
) -> tuple[Entry, ...]:
    """A ladder's roster after bots came, went, or changed version."""
    found = [one if one.left or is_present(one, bots) else replace(one, left=dict(stages)) for one in roster]
    for name, spec in bots.items():
        versions = [one for one in found if one.bot == name]
        if any(one.version == spec.version and not one.left for one in versions):
            continue
        label = new_name(name, spec.version if versions else "", {one.name for one in found})
        ancestor = versions[-1].name if versions else ""
        entry = new_entry(name, spec, team=teams.get(name, ""))
        found.append(replace(entry, name=label, ancestor=ancestor, joined=dict(stages)))
    return tuple(found)


def new_name(bot: str, version: str, taken: Collection[str]) -> str:
    """The name of a later version: `bot-2`, or with a number added if that is taken. A version may be any text."""
    stem = f"{bot[:40]}-{_UNFIT.sub('-', version)[:16]}" if version else bot
    label, number = stem, 2
    while label in taken:
        label, number = f"{stem[:57]}-{number}", number + 1
    return label
