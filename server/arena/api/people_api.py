"""The calls of the service ArenaAdmin about people: teams, tokens and the audit log."""

from __future__ import annotations

from collections.abc import AsyncIterator

from referee.errors import ConfigError
from server.arena.caller_input import read_page
from server.arena.errors import AlreadyExists
from server.arena.interceptor import Context
from server.arena.operations.running_arena import RunningArena, change_registry
from server.arena.operations.team_data import delete_team, export_team
from server.arena.people.audit import AuditLog
from server.arena.people.teams import Team, Teams, Token, TokenKind
from server.arena.reading.archive import CHUNK_BYTES, Archive
from server.arena.registry import Registry
from tortuga.v1 import arena_pb2 as pb

KINDS = {pb.TokenKind.Value(f"TOKEN_KIND_{kind.name}"): kind for kind in TokenKind}
NUMBERS = {kind: number for number, kind in KINDS.items()}
MAX_TEAMS = 5000
"""Teams in one request."""


class PeopleCalls:
    """Teams, tokens and the audit log."""

    def __init__(self, arena: RunningArena, registry: Registry, archive: Archive, teams: Teams) -> None:
        self._arena, self._registry, self._archive, self._teams = arena, registry, archive, teams
        self._audit = AuditLog(registry)

    async def GetDoors(self, request: pb.GetDoorsRequest, context: Context) -> pb.DoorsInfo:
        """Return how others reach the arena."""
        return self._arena.doors()

    async def PutTeams(self, request: pb.PutTeamsRequest, context: Context) -> pb.PutTeamsResponse:
        """Add teams, or change teams that exist."""
        if len(request.teams) > MAX_TEAMS:
            raise ConfigError(f"{len(request.teams)} teams in one call; at most {MAX_TEAMS} are allowed")
        known = {team.name.lower() for team in self._teams.teams()}
        if request.only_new and (taken := [team.name for team in request.teams if team.name.lower() in known]):
            raise AlreadyExists(f"the team {taken[0]} exists already; `tortuga server team set` changes it")
        teams = [
            Team(name=asked.name, members=tuple(asked.members), email=asked.email, bots_cap=asked.bots_cap)
            for asked in request.teams
        ]
        tokens = await change_registry(self._teams.put, teams, with_tokens=request.with_tokens)
        results = [
            pb.TeamResult(
                team=self._team(self._teams.team(team.name)),
                added=team.name.lower() not in known,
                token=tokens.get(team.name, ""),
            )
            for team in teams
        ]
        return pb.PutTeamsResponse(results=results)

    async def ListTeams(self, request: pb.ListTeamsRequest, context: Context) -> pb.ListTeamsResponse:
        """Return the teams, by name."""
        teams, token = read_page(request, "teams", (str,)).cut(self._teams.teams(), lambda team: (team.name.lower(),))
        return pb.ListTeamsResponse(teams=map(self._team, teams), next_page_token=token)

    async def DeleteTeam(self, request: pb.DeleteTeamRequest, context: Context) -> pb.DeleteTeamResponse:
        """Delete a team; its results stay under neutral names."""
        team = self._teams.team(request.name)
        return await delete_team(team, self._arena, self._registry, self._archive, self._teams)

    async def ExportTeam(self, request: pb.ExportTeamRequest, context: Context) -> AsyncIterator[pb.RecordChunk]:
        """Send all that is stored about a team."""
        text = await export_team(self._teams.team(request.name), self._registry, self._archive, self._teams)
        for start in range(0, len(text), CHUNK_BYTES):
            yield pb.RecordChunk(data=text[start : start + CHUNK_BYTES])

    async def NewToken(self, request: pb.NewTokenRequest, context: Context) -> pb.NewTokenResponse:
        """Make a token."""
        kind = KINDS.get(request.kind)
        if kind is None:
            raise ConfigError(f"the kind of a token is one of {', '.join(TokenKind)}")
        token, info = await change_registry(self._teams.new_token, kind, request.label, request.team)
        return pb.NewTokenResponse(info=token_info(info), token=token)

    async def ListTokens(self, request: pb.ListTokensRequest, context: Context) -> pb.ListTokensResponse:
        """Return the tokens of teams, commentators and organisers."""
        page = read_page(request, "tokens", (int, str))
        tokens, token = page.cut(self._teams.tokens(), lambda row: (row.made_millis, row.label))
        return pb.ListTokensResponse(tokens=map(token_info, tokens), next_page_token=token)

    async def RevokeToken(self, request: pb.RevokeTokenRequest, context: Context) -> pb.TokenInfo:
        """Revoke a token, and disconnect the bots that came with it."""
        revoked = await change_registry(self._teams.revoke, request.label)
        self._arena.disconnect_token(revoked.label, "the token that this bot came with was revoked")
        return token_info(revoked)

    async def ListAudit(self, request: pb.ListAuditRequest, context: Context) -> pb.ListAuditResponse:
        """Return the audit log, the latest change first."""
        page = read_page(request, "audit", (int,), request.since_millis)
        before = None if page.after is None else -int(page.after[0])
        lines = await change_registry(
            self._audit.lines, since_millis=request.since_millis, before=before, limit=page.size + 1
        )
        shown, token = page.cut(lines, lambda line: (-line.number,))
        return pb.ListAuditResponse(
            lines=[
                pb.AuditLine(
                    number=line.number,
                    millis=line.millis,
                    who=line.who,
                    what=line.what,
                    whom=line.whom,
                    details=line.details,
                )
                for line in shown
            ],
            next_page_token=token,
        )

    def _team(self, team: Team) -> pb.TeamInfo:
        tokens = [token for token in self._teams.tokens() if token.team == team.name and not token.revoked_millis]
        return pb.TeamInfo(
            name=team.name,
            members=team.members,
            email=team.email,
            bots_cap=team.bots_cap,
            bots_allowed=self._teams.cap(team),
            added_millis=team.added_millis,
            bots=[bot.name for bot in self._teams.bots(team.name)],
            tokens=len(tokens),
        )


def token_info(token: Token) -> pb.TokenInfo:
    """Return a token as a message."""
    return pb.TokenInfo(
        label=token.label,
        kind=NUMBERS[token.kind],
        team=token.team,
        made_millis=token.made_millis,
        revoked_millis=token.revoked_millis,
    )
