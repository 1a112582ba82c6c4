"""teams.csv: the list of teams that an organiser keeps, as a spreadsheet writes it.

Columns `team` and `members`, optionally `email` and `cap`; members are separated by semicolons. If any line is
wrong, all wrong lines are reported and nothing is imported.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

from referee.errors import ConfigError
from server.arena.caller_input import quote
from server.arena.people.teams import Team, check_team

COLUMNS = ("team", "members", "email", "cap")
NEEDED = ("team", "members")
MAX_BYTES = 4 * 1024 * 1024
SHOWN = 20
"""Wrong lines to name, at most."""


def read_teams(path: Path) -> list[Team]:
    """Return the teams of a file, in its order."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8: save it as such") from None
    if len(content) > MAX_BYTES:
        raise ConfigError(f"{path} is larger than {MAX_BYTES // 1024**2} MiB: that is not a list of teams")
    try:
        return parse_teams(text)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def parse_teams(text: str) -> list[Team]:
    """Return the teams of a text. Raises one error that names every wrong line by its number."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    teams: list[Team] = []
    lines: dict[str, int] = {}
    problems: list[str] = []
    header: list[str] | None = None
    try:
        for row in reader:
            number = reader.line_num
            if not any(cell.strip() for cell in row):
                continue
            if header is None:
                header = read_head(row)
                continue
            try:
                team = read_team(dict(zip(header, row, strict=False)), len(row) - len(header))
                first = lines.setdefault(team.name.lower(), number)
                if first != number:
                    raise ConfigError(f"the team {team.name} is already in line {first}")
                teams.append(team)
            except ConfigError as error:
                problems.append(f"line {number}: {error}")
    except csv.Error as error:
        problems.append(f"line {reader.line_num}: {error}")
    if problems:
        more = f"; and {len(problems) - SHOWN} more lines" if len(problems) > SHOWN else ""
        raise ConfigError(f"nothing was imported: {'; '.join(problems[:SHOWN])}{more}")
    if not teams:
        raise ConfigError(f"there is no team in it: expected a header, {','.join(COLUMNS)}, and a line per team")
    return teams


def read_head(row: list[str]) -> list[str]:
    """Return the names of the columns."""
    header = [cell.strip().lower() for cell in row]
    if len(set(header)) != len(header) or set(header) - set(COLUMNS) or set(NEEDED) - set(header):
        raise ConfigError(
            f"nothing was imported: line 1: the header is {quote(','.join(header))}, expected {','.join(NEEDED)} and "
            f"optionally {','.join(COLUMNS[2:])}"
        )
    return header


def read_team(row: dict[str, str], too_many: int) -> Team:
    """Return the team of one line."""
    if too_many > 0:
        raise ConfigError("it has more cells than columns; members are separated by semicolons")
    cells = {name: row.get(name, "").strip() for name in COLUMNS}
    cap = cells["cap"]
    if cap and not (cap.isascii() and cap.isdecimal() and 1 <= int(cap[:6]) <= 1000):
        raise ConfigError(f"the cap is {quote(cap)}, expected a number from 1 to 1000")
    members = tuple(name.strip() for name in cells["members"].split(";") if name.strip())
    team = Team(name=cells["team"], members=members, email=cells["email"], bots_cap=int(cap or 0))
    check_team(team)
    return team
