"""A whole contest, as an organiser runs it from the command line: six teams from a list to the archive of a season.

Everything is real: the server with TLS of its own making, builds in the jail, bots that dial in, `kill -9` in the
middle of an event. At the end all tables follow from the records and the rulings alone, and nothing is left behind.
"""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from server.arena.api.answer_cache import ANSWER_SECONDS
from server.bots.kits import missing_tools, on_ci
from server.cli.common.arena_client import as_plain
from server.jail.level import JailLevel
from server.standings.messages import make_listing
from server.tournament.folder import Folder
from server.tournament.standings import read_standings
from support import sizes
from support.command import assert_nothing_left, start, tortuga
from support.events import dump
from support.jail import need
from support.ladders import LADDER, make_config
from support.served import PATIENCE_SECONDS, Served, wait_for, wait_for_matches

TEAMS = ("ann", "bob", "cid", "dot", "eve", "fay")
REMOTE = {"cid": "random", "dot": "random", "eve": "gunner", "fay": "gunner"}
"""Teams whose bots dial in, with what they play."""
OTHER_LANGUAGES = sizes.pick(quick=(), ci=(), full=("go", "cpp"))
NIGHT = sizes.pick(quick=30, ci=60, full=500)
BUILD_SECONDS = sizes.pick(quick=100, ci=600)
"""How long to wait for a submission: far more than it takes."""

pytestmark = pytest.mark.timeout(6 * PATIENCE_SECONDS + len(OTHER_LANGUAGES) * BUILD_SECONDS)

BOT = """\
from part import choose
from tortuga_bot import play

if __name__ == "__main__":
    play(choose, slots=4)
"""
PLACINGS = ("champion", "placing", "placing_goes_by", "tie_breaks", "placing_notes", "bracket")
FIRST, LAST = "0", "question.option_count - 1"
EVENT = """\
name = "{name}"
seed = "drawn by lot"
format = "{format}"
rounds = {rounds}
concurrency = 1
clock = "3600+60/600"
start_seconds = 600
[[games]]
id = "pavillon_noir"
"""


class Contest:
    """An arena and the two kinds of people around it: the organiser, and teams with their invites."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        config = make_config(
            anchor="", rest_seconds=0.3, matches_per_bot=1, start_seconds=600.0, drain_seconds=5.0, build_seconds=600
        )
        with socket.socket() as one, socket.socket() as two:  # invites name the doors, which have to survive a kill
            for door in (one, two):
                door.bind(("127.0.0.1", 0))
            doors = [f"127.0.0.1:{door.getsockname()[1]}" for door in (one, two)]
        flags = ["--listen", doors[0], "--public", doors[1]]
        if shutil.which("openssl"):
            flags += ["--self-signed", "localhost"]
        self.served = Served(folder, config, *flags)
        self.bots: dict[str, subprocess.Popen[str]] = {}

    def organiser(self, *words: str, code: int = 0) -> Any:
        """`tortuga server … --json`."""
        return self._run("server", *words, "--dir", "arena", code=code)

    def team(self, team: str, *words: str, code: int = 0) -> Any:
        """`tortuga client … --json` with a team's invite."""
        return self._run("client", *words, "--invite", f"invites/{team}.toml", code=code)

    def _run(self, *words: str, code: int) -> Any:
        done = tortuga(self.folder, *words, "--json")
        assert done.returncode == code, (words, done.stdout, done.stderr, self.served.log()[-2000:])
        return json.loads(done.stdout) if done.stdout else done.stderr

    def submit(self, team: str, source: Path, bot: str) -> dict[str, Any]:
        """Send a bot, and wait for what becomes of it."""
        sent = self.team(team, "submit", str(source), "--bot", bot)
        end = time.monotonic() + BUILD_SECONDS
        while True:
            found: dict[str, Any] = self.team(team, "submission", sent["id"])
            if found["state"] in ("playing", "failed", "replaced"):
                return found
            assert time.monotonic() < end, found
            time.sleep(0.2)

    def table(self, event: str) -> dict[str, Any]:
        """The placings of an event, as everybody sees them."""
        time.sleep(1.1 * ANSWER_SECONDS)  # the public door may give an answer that is so old
        [found] = self.team("bob", "event", event)["tables"]
        return {key: found[key] for key in PLACINGS}

    def finished(self, event: str) -> bool:
        """Whether an event is over."""
        return bool(self.team("bob", "event", event)["event"]["state"] == "finished")

    def dial_in(self) -> None:
        """The bots that their teams run themselves."""
        for team, spec in REMOTE.items():
            self.bots[team] = start(
                self.folder, "bot", "connect", spec, "--invite", f"invites/{team}.toml", "--name", team
            )

    def close(self) -> None:
        """Whatever happened, nobody is there afterwards."""
        for bot in self.bots.values():
            bot.send_signal(signal.SIGTERM)
        for bot in self.bots.values():
            bot.communicate(timeout=PATIENCE_SECONDS)
        self.served.close()


@contextmanager
def contest_in(folder: Path) -> Iterator[Contest]:
    contest = Contest(folder)
    try:
        yield contest
    finally:
        contest.close()


def write_bot(folder: Path, choice: str, version: str = "1", build: str = "") -> Path:
    folder.mkdir()
    build = build or f"printf 'def choose(question):\\n    return {choice}\\n' > part.py"
    facts = {"name": folder.name, "version": version, "language": "python", "slots": 4}
    lines = [f"{key} = {json.dumps(value)}" for key, value in facts.items()]
    lines += [f'build = ["sh", "-c", {json.dumps(build)}]', 'run = ["python", "{dir}/bot.py"]']
    (folder / "bot.toml").write_text("\n".join(lines))
    (folder / "bot.py").write_text(BOT)
    return folder


def write_bad_archive(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("bot.toml", 'name = "x"\nrun = ["python", "{dir}/bot.py"]\n')
        archive.writestr("../../arena.toml", "trust_hosted = true\n")
    return path


def languages_here() -> list[str]:
    """Of the other languages those whose tools are there; on CI all have to be."""
    found = []
    for language in OTHER_LANGUAGES:
        if missing := missing_tools(language):
            assert not on_ci(), f"{language}: {missing}"
            print(f"{language} does not take part: {', '.join(missing)} missing")
        else:
            found.append(language)
    return found


@sizes.sized
def test_a_contest_from_a_list_of_teams_to_an_archive(tmp_path: Path) -> None:
    need(JailLevel.JAIL)
    languages = languages_here()
    with contest_in(tmp_path) as contest:
        for language in languages:
            contest.organiser("kits", "fetch", "--language", language)
        contest.served.start()
        invite_teams(contest)
        submit_bots(contest, languages)
        contest.dial_in()
        play_a_night(contest, languages)
        play_a_swiss_event(contest, languages)
        told = {"swiss": rule(contest)}
        told["final"] = play_the_final(contest, told["swiss"])
        archive_the_season(contest)
        assert contest.served.status().faults == 0
        for bot in contest.bots.values():
            assert bot.poll() is None
    assert contest.served.process.returncode == 0
    check_what_is_left(contest, told)


def invite_teams(contest: Contest) -> None:
    lines = [f"{team},{team.capitalize()}; A friend,{team}@example.org,2" for team in TEAMS]
    (contest.folder / "teams.csv").write_text("\n".join(["team,members,email,cap", *lines, ""]))
    contest.organiser("team", "import", "teams.csv")
    assert sorted(path.stem for path in (contest.folder / "invites").iterdir()) == sorted(TEAMS)
    assert contest.team("ann", "account")["team"] == "ann"


def submit_bots(contest: Contest, languages: list[str]) -> None:
    """Two good ones, one bad archive, one that cannot be built; in ci also some in other languages."""
    folder = contest.folder
    for team in ("ann", "bob"):
        found = contest.submit(team, write_bot(folder / team, FIRST), team)
        assert (found["state"], found["version"]) == ("playing", "1"), found
    bad = contest.submit("cid", write_bad_archive(folder / "bad.zip"), "cid")
    assert (bad["state"], bad["step"]) == ("failed", "unpack"), bad
    broken = contest.submit("dot", write_bot(folder / "dot", FIRST, build="echo no such header >&2; exit 2"), "dot")
    assert (broken["state"], broken["step"]) == ("failed", "build"), broken
    assert "no such header" in broken["log"]
    for team, language in zip(("ann", "bob"), languages, strict=False):
        done = tortuga(folder, "bot", "new", f"in-{language}", "--language", language)
        assert done.returncode == 0, done.stderr
        found = contest.submit(team, folder / f"in-{language}", f"in-{language}")
        assert found["state"] == "playing", found["log"][-3000:]


def play_a_night(contest: Contest, languages: list[str]) -> None:
    """The ladder; in its middle a submission is replaced."""
    served = contest.served
    wait_for(lambda: served.status().connected == len(REMOTE))
    wait_for_matches(served, NIGHT // 2)
    better = contest.submit("ann", write_bot(contest.folder / "better", LAST, "2"), "ann")
    assert (better["state"], better["version"]) == ("playing", "2"), better
    everybody = {*TEAMS, "ann-2", *(f"in-{language}" for language in languages)}

    def rows() -> dict[str, dict[str, Any]]:
        table = contest.team("eve", "ladder", LADDER, "--all")["rows"]
        return {row["entry"]: row for row in table if row["matches"]}

    wait_for_matches(served, NIGHT)
    wait_for(lambda: everybody <= rows().keys())
    assert rows()["ann-2"]["ancestor"] == "ann"


def create(contest: Contest, name: str, **keys: Any) -> None:
    path = contest.folder / f"{name}.toml"
    path.write_text(EVENT.format(name=name, **keys))
    contest.organiser("event", "create", path.name, "--name", name)


def play_a_swiss_event(contest: Contest, languages: list[str]) -> None:
    """The server is killed in its middle, with a match under way, and everything goes on."""
    served = contest.served
    create(contest, "swiss", format="swiss", rounds=4)
    for team in TEAMS:
        contest.team(team, "enter", "swiss", "--bot", team)
    for language in languages:
        contest.organiser("event", "enter", "swiss", f"in-{language}")
    contest.organiser("event", "start", "swiss")
    records = served.path / "events" / "swiss" / "records"
    wait_for(lambda: records.is_dir() and len(list(records.glob("*.tortuga"))) >= 6)
    served.kill()
    kept = {path.name: path.read_bytes() for path in records.glob("*.tortuga")}
    served.start()
    assert contest.team("bob", "event", "swiss")["event"]["state"] == "running", "it was killed in the middle"
    wait_for(lambda: contest.finished("swiss"))
    after = {path.name: path.read_bytes() for path in records.glob("*.tortuga")}
    assert kept.items() < after.items(), "what was finished is not played again"
    assert len(after) == 4 * 2 * ((len(TEAMS) + len(languages)) // 2)
    entries = {line["entry"] for line in contest.table("swiss")["placing"]}
    assert entries == {*TEAMS, *(f"in-{language}" for language in languages)}


def rule(contest: Contest) -> dict[str, Any]:
    """A bot is disqualified from the start, on the ladders and in the event; a match is annulled, and not after all."""
    before = contest.table("swiss")
    reason = ("--reason", "shares code with eve")
    contest.organiser("bot", "disqualify", "fay", "--from-start", *reason)
    contest.organiser("bot", "disqualify", "fay", "--from-start", "--event", "swiss", *reason)
    ruled = contest.table("swiss")
    assert (ruled["placing"][-1]["entry"], ruled["placing"][-1]["rank"]) == ("fay", 0)
    assert possible_points(ruled) < possible_points(before), "what the others could win against it is gone"
    [row] = [one for one in contest.team("bob", "ladder", LADDER)["rows"] if one["entry"] == "fay"]
    assert (row["disqualified"], row.get("matches", 0)) == (True, 0)
    match = contest.team("bob", "matches", "--event", "swiss", "--bot", "eve")["matches"][0]["match_id"]
    contest.organiser("match", "annul", match, "--reason", "power cut")
    assert contest.table("swiss") != ruled
    contest.organiser("ruling", "withdraw", "2", "--event", "swiss", "--reason", "the power was there")
    assert contest.table("swiss") == ruled
    assert len(contest.organiser("ruling", "list")["rulings"]) == 4
    return ruled


def possible_points(table: dict[str, Any]) -> float:
    return float(sum(line["possible_points"] for line in table["placing"] if line["entry"] != "fay"))


def play_the_final(contest: Contest, table: dict[str, Any]) -> dict[str, Any]:
    """A knockout between the first four, seeded by their places."""
    first = [line["entry"] for line in table["placing"] if line["rank"]][:4]
    create(contest, "final", format="knockout", rounds=1)
    for bot in first:
        contest.organiser("event", "enter", "final", bot)
    contest.organiser("event", "start", "final")
    wait_for(lambda: contest.finished("final"))
    found = contest.table("final")
    assert sorted(line["entry"] for line in found["placing"]) == sorted(first)
    assert [line["rank"] for line in found["placing"]] == [1, 2, 3, 4]
    assert found["champion"].startswith(f"{found['placing'][0]['entry']} wins final")
    assert len(found["bracket"]) == 2
    return found


def archive_the_season(contest: Contest) -> None:
    """The ladder is frozen and archived, and the next season begins."""
    served = contest.served
    contest.organiser("ladder", "freeze", "--all")
    wait_for(lambda: served.status().running == 0)
    season = contest.organiser("ladder", "archive", "night-one")
    frozen = served.status().matches  # the last one may have been stored after its end
    assert len(list((served.path / "archive" / "night-one" / "records").iterdir())) == frozen >= NIGHT
    assert 0 < season["matches"] < frozen, "those of who was disqualified do not count"
    contest.organiser("ladder", "start", "--from-ratings", "--shrink", "0.5")
    wait_for_matches(served, 5)
    last = contest.team("cid", "ladder", LADDER, "--season", "night-one")
    assert last["rows"][0]["entry"] != "fay"
    kinds = [item["kind"] for item in contest.team("cid", "news", "--all")["news"]]
    assert kinds.count("event_finished") == 2
    assert {"ladder_frozen", "season_archived", "season_started"} <= set(kinds)


def check_what_is_left(contest: Contest, told: dict[str, dict[str, Any]]) -> None:
    """Every table is what the records and the rulings make it, the folder is sound, and nobody is there any more."""
    path = contest.served.path
    done = tortuga(contest.folder, "fsck", "arena")
    assert done.returncode == 0, done.stdout
    folders = {name: path / "events" / name for name in told}
    for name, source in {**folders, "ladder": path / "ladder", "season": path / "archive" / "night-one"}.items():
        copy = copy_of_sources(Folder(source), contest.folder / "copies" / name)
        done = tortuga(contest.folder, "ladder", "rebuild", str(copy.path))
        assert done.returncode == 0, (done.stdout, done.stderr)
        again = read_standings(copy)
        assert [one.as_json() for one in again] == [one.as_json() for one in read_standings(Folder(source))]
        assert dump(copy, measured=True) == dump(Folder(source), measured=True)
        if name in told:
            made = as_plain(make_listing(again[0]))
            assert {key: made[key] for key in PLACINGS} == told[name], "what everybody was told"
    assert [one.name for one in (path / "submissions").iterdir() if one.is_dir()] == []
    assert_nothing_left(contest.folder)


def copy_of_sources(folder: Folder, target: Path) -> Folder:
    """What tables are made from, and nothing that was made: no database, no journal, no report."""
    target.mkdir(parents=True)
    copy = Folder(target)
    shutil.copytree(folder.records, copy.records)
    for file in (folder.agreement, folder.manifest, folder.key, folder.rulings, folder.starting_ratings):
        if file.exists():
            shutil.copy(file, target)
    return copy
