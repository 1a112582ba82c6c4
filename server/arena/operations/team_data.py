"""Deletes a team, and exports everything stored about it as one JSON document, for its members, who have a right to it.

A deleted team's bots are disconnected, its tokens revoked, and its results stay under neutral names: the results of
others depend on them. Publicly they show `deleted-7` instead of a bot's name (neutral_names.py). The real names stay
where they cannot be removed: in the signed records of matches, in the bundles of what was hosted, in the databases and
logs of the arena's folder, and in the audit log.

For the export, the rows of arena.db are found by the columns that name a team or a bot, so that new tables are
exported automatically. Hashes and other bytes are left out.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from server.arena.operations.running_arena import RunningArena, change_registry
from server.arena.people.teams import DELETED_OWNER, Team, Teams
from server.arena.reading.archive import Archive
from server.arena.registry import Registry
from server.arena.registry_schema import BEFORE_START
from server.tournament.folder import Folder
from server.tournament.store import Store
from tortuga.v1 import arena_pb2 as pb


async def delete_team(
    team: Team, arena: RunningArena, registry: Registry, archive: Archive, teams: Teams
) -> pb.DeleteTeamResponse:
    """Delete a team. Its bots are ended first: nothing of it plays once its names are gone."""
    bots = [bot.name for bot in teams.bots(team.name)]
    for token in teams.tokens():
        if token.team == team.name and not token.revoked_millis:
            await change_registry(teams.revoke, token.label)
    for name in bots:
        for event in registry.events():
            if event.state in BEFORE_START and name in event.entries:
                await change_registry(registry.leave, event.name, name)
        if not registry.bot(name).revoked:
            await arena.revoke(name)
    await arena.forget_submissions(team.name)
    entries: dict[str, list[str]] = {name: [name] for name in bots}
    for _, folder in match_folders(registry, archive):
        for bot, names in (await entries_of(archive, folder, bots)).items():
            entries[bot] += [name for name in names if name not in entries[bot]]
    shown = await change_registry(teams.delete, team, entries)
    return pb.DeleteTeamResponse(
        neutral_name=DELETED_OWNER,
        bots=[pb.NeutralName(name=name, shown=shown[name]) for name in bots],
    )


PAGE = 500
OWNER_COLUMNS = ("team", "owner")
BOT_COLUMNS = ("bot",)


async def export_team(team: Team, registry: Registry, archive: Archive, teams: Teams) -> bytes:
    """Return the document."""
    bots = [bot.name for bot in teams.bots(team.name)]
    labels = [token.label for token in teams.tokens() if token.team == team.name]
    document: dict[str, Any] = {"team": asdict(team)}

    def read() -> None:
        with registry.transaction() as db:
            document["tables"] = read_tables(db, team.name, bots)
            document["audit"] = read_audit(db, [team.name, *bots, *labels])

    await change_registry(read)
    document["matches"] = [
        {"event": event, **match}
        for event, folder in match_folders(registry, archive)
        for match in await matches_of(archive, folder, bots)
    ]
    document["not_here"] = (
        "the records of these matches: `tortuga client record ID` downloads each. They are signed, and name the bots"
    )
    return json.dumps(document, indent=1, ensure_ascii=False).encode()


def match_folders(registry: Registry, archive: Archive) -> list[tuple[str, Folder]]:
    """Return the folders that hold matches, each with the name of its event."""
    events = [(event.name, archive.event(event.name)) for event in registry.events()]
    return [("", archive.ladder), *events, ("", archive.challenges)]


async def entries_of(archive: Archive, folder: Folder, bots: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of bots in the standings of a folder, by bot, the oldest version first."""
    agreement = await archive.run(folder.read_agreement)
    roster = agreement.roster if agreement else ()
    return {bot: [entry.name for entry in roster if entry.bot == bot] for bot in bots}


async def matches_of(archive: Archive, folder: Folder, bots: Iterable[str]) -> list[dict[str, Any]]:
    """Return all matches of these bots in a folder, the latest first."""
    entries = sorted({name for names in (await entries_of(archive, folder, bots)).values() for name in names})
    if not entries:
        return []

    def question(store: Store) -> list[dict[str, Any]]:
        matches: list[dict[str, Any]] = []
        before: tuple[int, str] | None = None
        while page := store.latest(PAGE, before=before, bots=entries):
            matches += [_plain(asdict(match)) for match in page]
            before = page[-1].started_millis, page[-1].match_id
        return matches

    return await archive.ask(folder, question, [])


def read_tables(db: sqlite3.Connection, team: str, bots: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every table that concern a team or its bots."""
    exported = {}
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
        columns = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]
        tests = {column: [team] for column in OWNER_COLUMNS if column in columns}
        tests |= {column: bots for column in BOT_COLUMNS if column in columns and bots}
        if not tests:
            continue
        where = " OR ".join(f'"{column}" IN ({", ".join("?" * len(names))})' for column, names in tests.items())
        values = [name for names in tests.values() for name in names]
        rows = db.execute(f'SELECT * FROM "{table}" WHERE {where}', values).fetchall()
        exported[table] = [_plain(dict(zip(columns, row, strict=True))) for row in rows]
    return exported


def read_audit(db: sqlite3.Connection, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the changes that these names made, or that were about them."""
    mine = set(names)
    columns = ("number", "millis", "who", "what", "whom", "details")
    rows = db.execute(f"SELECT {', '.join(columns)} FROM audit ORDER BY number")
    changes = [dict(zip(columns, row, strict=True)) for row in rows]
    return [line for line in changes if mine & {*re.split("[, ]+", line["who"])[1:], *line["whom"].split()}]


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without its bytes: hashes of tokens are not exported."""
    return {name: value for name, value in row.items() if not isinstance(value, bytes)}
