"""Teams and tokens: who may do what, in two tables of arena.db.

A team has members and owns bots: the `owner` of its bots is its name. A token is of one kind: an author's acts for a
team, a commentator's shows all hands after a delay, an organiser's allows the organiser's commands over TLS. Only
hashes of tokens are kept. A bot's own token stays with the bot (registry.py).

Like the registry, everything is in memory too, and a change is durable before it is visible.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from referee.door.tokens import hash_token
from referee.errors import ConfigError
from server.arena.caller_input import check_name, check_text, list_names, quote
from server.arena.errors import AlreadyExists, FailedPrecondition, NotFound
from server.arena.keys import new_token
from server.arena.registry import Registry, wall_millis
from server.arena.registry_schema import KnownBot

MAX_MEMBERS = 100
MAX_CAP = 1000
"""Most bots of one team."""
NEUTRAL = "deleted-"
"""Prefix of the names that stand for bots of deleted teams. No other name of a bot or a team begins with it."""
DELETED_OWNER = "a deleted team"
DELETED_TEAM = "team:"
"""Prefix of a deleted team's name in the table of neutral names. No bot's name has a colon."""


class TokenKind(StrEnum):
    """The kind of a token: what it allows."""

    AUTHOR = "author"
    COMMENTATOR = "commentator"
    ORGANISER = "organiser"


@dataclass(frozen=True, kw_only=True, slots=True)
class Team:
    """A team. The fields are the columns of its table."""

    name: str
    members: tuple[str, ...] = ()
    email: str = ""
    bots_cap: int = 0
    """Most bots it may have. 0: as in the setting bots_per_team."""
    added_millis: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """A token as it is stored: all but its text. The fields are the columns of its table."""

    hash: bytes
    kind: TokenKind
    team: str
    """The team of an author's token. Empty for the other kinds."""
    label: str
    """Its name for people, and in the audit log."""
    made_millis: int
    revoked_millis: int = 0
    """0: valid."""


class Teams:
    """The teams and tokens of an arena. Methods that change something may be called from any thread."""

    def __init__(self, registry: Registry, bots_per_team: int = 5, clock: Callable[[], int] = wall_millis) -> None:
        self._registry, self._bots_per_team, self._clock = registry, bots_per_team, clock
        teams, tokens, neutral = (registry.rows(table) for table in ("team", "token", "neutral"))
        self._neutral: dict[str, str] = {row["name"]: row["shown"] for row in neutral if ":" not in row["name"]}
        self._deleted = {row["name"].removeprefix(DELETED_TEAM) for row in neutral if ":" in row["name"]}
        """In lower case. Nobody may take the name of a deleted team and inherit what is stored under it."""
        self._teams = {row["name"]: Team(**{**row, "members": tuple(json.loads(row["members"]))}) for row in teams}
        self._tokens = {row["hash"]: Token(**{**row, "kind": TokenKind(row["kind"])}) for row in tokens}

    # Teams

    def teams(self) -> list[Team]:
        """Return all teams, by name."""
        return sorted(self._teams.values(), key=lambda team: team.name.lower())

    def team(self, name: str) -> Team:
        """Return the team of this name."""
        team = self._teams.get(name)
        if team is None:
            names = list_names(known.name for known in self.teams())
            raise NotFound(f"there is no team {quote(name)}; there is {names}")
        return team

    def cap(self, team: Team) -> int:
        """Return how many bots a team may have."""
        return team.bots_cap or self._bots_per_team

    def bots(self, team: str) -> list[KnownBot]:
        """Return the bots of a team, by name."""
        return [bot for bot in self._registry.bots() if bot.owner == team]

    def neutral_names(self) -> Mapping[str, str]:
        """Return the names of deleted bots, and the neutral name of each."""
        return self._neutral

    def put(self, teams: Sequence[Team], *, with_tokens: bool = False) -> dict[str, str]:
        """Add teams, or change existing ones: all of them or none.

        Returns the tokens that were made for teams without one, by team.
        """
        for team in teams:
            check_team(team)
        now = self._clock()
        texts: dict[str, str] = {}
        tokens: list[Token] = []
        with self._registry.transaction() as db:
            self._refuse_lookalikes(teams)
            stored = [
                replace(team, added_millis=self._teams[team.name].added_millis if team.name in self._teams else now)
                for team in teams
            ]
            have = {token.team for token in self._tokens.values() if not token.revoked_millis}
            for team in stored if with_tokens else ():
                if team.name not in have:
                    texts[team.name] = text = new_token()
                    taken = [token.label for token in tokens]
                    tokens.append(self._make(text, TokenKind.AUTHOR, self._free_label(team.name, taken), team.name))
            db.executemany(
                "INSERT INTO team (name, members, email, bots_cap, added_millis) VALUES (?, ?, ?, ?, ?) ON CONFLICT "
                "(name) DO UPDATE SET members = excluded.members, email = excluded.email, bots_cap = excluded.bots_cap",
                [(row.name, json.dumps(row.members), row.email, row.bots_cap, row.added_millis) for row in stored],
            )
            self._insert(db, tokens)
        self._teams |= {team.name: team for team in stored}
        self._tokens |= {token.hash: token for token in tokens}
        return texts

    def delete(self, team: Team, entries: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """Delete a team. `entries` are its bots' names in standings, by bot; returns the neutral name of each."""
        others = {bot.name for bot in self._registry.bots()} - set(entries)
        first = 1 + sum(name.removeprefix(NEUTRAL).isdecimal() for name in self._neutral.values())
        shown: dict[str, str] = {}
        for number, names in enumerate(entries.values(), start=first):
            mine = [name for name in names if name not in shown and name not in others]
            shown |= {
                name: f"{NEUTRAL}{number}" + (f"-{place}" if place > 1 else "") for place, name in enumerate(mine, 1)
            }
        with self._registry.transaction() as db:
            db.executemany("INSERT INTO neutral (name, shown) VALUES (?, ?)", shown.items())
            gone = (f"{DELETED_TEAM}{team.name.lower()}", f"{NEUTRAL}team-{len(self._deleted) + 1}")
            db.execute("INSERT INTO neutral (name, shown) VALUES (?, ?)", gone)
            db.execute("DELETE FROM token WHERE team = ?", (team.name,))
            db.execute("DELETE FROM team WHERE name = ?", (team.name,))
        self._registry.give_away([*entries], DELETED_OWNER)
        self._tokens = {key: token for key, token in self._tokens.items() if token.team != team.name}
        self._teams.pop(team.name, None)
        self._deleted.add(team.name.lower())
        self._neutral |= shown
        return shown

    def _refuse_lookalikes(self, teams: Sequence[Team]) -> None:
        known = {name.lower(): name for name in self._teams}
        for team in teams:
            like = known.setdefault(team.name.lower(), team.name)
            if team.name.lower() in self._deleted:
                raise AlreadyExists(f"a team {team.name} was deleted, and its name is not given away: choose another")
            if like != team.name:
                raise AlreadyExists(f"the team {like} exists already; names must differ by more than case")

    # Tokens

    def tokens(self) -> list[Token]:
        """Return all tokens, the oldest first; revoked ones too."""
        return sorted(self._tokens.values(), key=lambda token: (token.made_millis, token.label))

    def find(self, token_hash: bytes) -> Token | None:
        """Return a valid token by its hash, so that the time this takes reveals nothing."""
        token = self._tokens.get(token_hash)
        return token if token is not None and not token.revoked_millis else None

    def new_token(self, kind: TokenKind, label: str = "", team: str = "") -> tuple[str, Token]:
        """Make a token. Returns its text, this once, and what is stored of it."""
        if (kind is TokenKind.AUTHOR) != bool(team):
            raise ConfigError("an author's token needs a team (--team); the other kinds must not have one")
        if team:
            team = self.team(team).name
        text = new_token()
        with self._registry.transaction() as db:
            label = check_name(label, "token") if label else self._free_label(team or str(kind))
            if any(token.label == label for token in self._tokens.values()):
                raise AlreadyExists(f"there is a token with the label {quote(label)} already: choose another")
            stored = self._make(text, kind, label, team)
            self._insert(db, [stored])
        self._tokens[stored.hash] = stored
        return text, stored

    def _make(self, text: str, kind: TokenKind, label: str, team: str) -> Token:
        return Token(hash=hash_token(text), kind=kind, team=team, label=label, made_millis=self._clock())

    def _insert(self, db: sqlite3.Connection, tokens: Sequence[Token]) -> None:
        db.executemany(
            "INSERT INTO token (hash, kind, team, label, made_millis, revoked_millis) VALUES (?, ?, ?, ?, ?, 0)",
            [(token.hash, token.kind, token.team, token.label, token.made_millis) for token in tokens],
        )

    def revoke(self, label: str) -> Token:
        """Revoke the token with this label, so that it is no longer valid."""
        token = next((token for token in self._tokens.values() if token.label == label), None)
        if token is None:
            raise NotFound(f"there is no token with the label {quote(label)}; `tortuga server token list` lists them")
        if token.revoked_millis:
            raise FailedPrecondition(f"the token {quote(label)} was revoked before")
        revoked = replace(token, revoked_millis=self._clock())
        with self._registry.transaction() as db:
            db.execute("UPDATE token SET revoked_millis = ? WHERE hash = ?", (revoked.revoked_millis, revoked.hash))
        self._tokens[revoked.hash] = revoked
        return revoked

    def _free_label(self, base: str, others: Sequence[str] = ()) -> str:
        """Return a label that no token has: the base, or the base with a number."""
        taken = {*others, *(token.label for token in self._tokens.values())}
        numbered = (f"{base}-{number}" for number in range(2, len(taken) + 3))
        return base if base not in taken else next(label for label in numbered if label not in taken)


def check_team(team: Team) -> None:
    """Refuse a team whose texts are not plain."""
    check_name(team.name, "team")
    refuse_neutral(team.name)
    if len(team.members) > MAX_MEMBERS:
        raise ConfigError(f"the team {team.name} has {len(team.members)} members; {MAX_MEMBERS} are allowed")
    for member in team.members:
        if not check_text(member, "name of a member"):
            raise ConfigError(f"a member of the team {team.name} has no name")
    if team.email and (check_text(team.email, "email").count("@") != 1 or " " in team.email):
        raise ConfigError(f"the email of the team {team.name} is {quote(team.email)}, expected NAME@HOST")
    if not 0 <= team.bots_cap <= MAX_CAP:
        raise ConfigError(f"the cap of the team {team.name} is {team.bots_cap}; it can be 1 to {MAX_CAP}")


def refuse_neutral(name: str) -> None:
    """Refuse a name that could be taken for that of a deleted bot."""
    if name.lower().startswith(NEUTRAL):
        raise ConfigError(
            f"names that begin with {NEUTRAL!r} stand for deleted bots: choose a name other than {quote(name)}"
        )
