"""The bots that take part: from the manifest to the roster, when play begins and each time it is resumed.

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
"""Characters that a version may contain and a name may not."""


def current_agreement(
    folder: Folder, stages: Mapping[str, int] | None = None, *, remote: bool = False
) -> tuple[Agreement, dict[str, BotSpec]]:
    """Return the terms that the event is played under now, and its bots.

    Refuses a manifest that was changed while its event is partly played.

    `stages` gives the first stage not yet drawn, by contest: bots join a ladder or leave it there.
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
        agreement = Agreement(manifest=manifest, roster=roster)
    else:
        agreement = replace(agreed, manifest=manifest)
    staying = [entry for entry in agreement.roster if is_present(entry, bots)]
    present = {entry.name: replace(bots[entry.bot], name=entry.name) for entry in staying}
    check_contents(agreement, present)
    return agreement, present


def first_agreement(manifest: Manifest, bots: Mapping[str, BotSpec]) -> Agreement:
    """Return the agreement when play begins."""
    entered = zip(bots.items(), manifest.bots, strict=True)
    roster = tuple(new_entry(name, spec, hero=bot.hero, team=bot.team) for (name, spec), bot in entered)
    return Agreement(manifest=manifest, roster=roster)


def new_entry(name: str, spec: BotSpec, *, hero: bool = False, team: str = "") -> Entry:
    """Return the entry of a bot in its present version."""
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
    """Return whether the manifest still has this bot in this version."""
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
            f"bot {entry.name}: was version {entry.version or '-'}, is now {bots[entry.bot].version or '-'}"
            for entry in agreed.roster
            if entry.bot in bots and not is_present(entry, bots)
        ]
    if changed:
        raise ConfigError(
            f"{folder.manifest} was changed while its event is partly played: {'; '.join(changed)}. "
            "Change it back, or start a new event in another folder"
        )


def update_roster(
    roster: Sequence[Entry], bots: Mapping[str, BotSpec], stages: Mapping[str, int], teams: Mapping[str, str]
) -> tuple[Entry, ...]:
    """Return a ladder's roster after bots came, left, or changed version."""
    entries = [
        entry if entry.left or is_present(entry, bots) else replace(entry, left=dict(stages)) for entry in roster
    ]
    for name, spec in bots.items():
        versions = [entry for entry in entries if entry.bot == name]
        if any(known.version == spec.version and not known.left for known in versions):
            continue
        label = new_name(name, spec.version if versions else "", {known.name for known in entries})
        ancestor = versions[-1].name if versions else ""
        entry = new_entry(name, spec, team=teams.get(name, ""))
        entries.append(replace(entry, name=label, ancestor=ancestor, joined=dict(stages)))
    return tuple(entries)


def new_name(bot: str, version: str, taken: Collection[str]) -> str:
    """Return the name of a later version: `bot-2`, or with a number added if that is taken.

    A version may be any text.
    """
    stem = f"{bot[:40]}-{_UNFIT.sub('-', version)[:16]}" if version else bot
    label, number = stem, 2
    while label in taken:
        label, number = f"{stem[:57]}-{number}", number + 1
    return label
