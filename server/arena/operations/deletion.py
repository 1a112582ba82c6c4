"""Deletes a team: its bots are disconnected, its tokens revoked, and its results stay under neutral names.

The results of others depend on the matches of a deleted team, so those stay. Publicly they show `deleted-7` instead of
a bot's name (neutral_names.py). The real names stay where they cannot be removed: in the
signed records of matches, in the bundles of what was hosted, in the databases and logs of the arena's folder, and in
the audit log.
"""

from __future__ import annotations

from server.arena.interface import Arena
from server.arena.operations.running_arena import change_registry
from server.arena.operations.team_export import entries_of, folders
from server.arena.people.teams import DELETED_OWNER, Team, Teams
from server.arena.reading.archive import Archive
from server.arena.registry import Registry
from server.arena.registry_values import BEFORE_START
from tortuga.v1 import arena_pb2 as pb


async def delete_team(
    team: Team, arena: Arena, registry: Registry, archive: Archive, teams: Teams
) -> pb.DeleteTeamResponse:
    """Delete a team. Its bots are ended first: nothing of it plays when its names are gone."""
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
    for _, folder in folders(registry, archive):
        for bot, names in (await entries_of(archive, folder, bots)).items():
            entries[bot] += [name for name in names if name not in entries[bot]]
    shown = await change_registry(teams.delete, team, entries)
    return pb.DeleteTeamResponse(
        neutral_name=DELETED_OWNER,
        bots=[pb.NeutralName(name=name, shown=shown[name]) for name in bots],
    )
