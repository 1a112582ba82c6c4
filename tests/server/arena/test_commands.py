"""`tortuga client` and `tortuga server` against real servers: what people see, what programs read, what goes wrong."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner, Result

from referee.door.tokens import hash_token
from referee.errors import ConfigError
from server.arena.rate_limits import RateLimiter
from server.arena.registry_schema import EventState
from server.arena.zones import read_time
from server.cli.common.arena_client import call_error
from server.cli.main import main
from server.tournament.store import Store
from support.approved import Approver
from support.arena import LADDER, MANIFEST, Arena, block, fill, running_match
from support.certificates import make_certificate
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import referee_pb2

BLOCKS = [block(number, ["ann", "bob"]) for number in range(3)]
NASTY = "\x1b[31m[bold]red[/bold]\r\n=1+1<b>"


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Arena]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TORTUGA_TLS", raising=False)
    with Arena(tmp_path) as opened:
        opened.add_bots("ann", "bob", "cid")
        fill(opened.archive.ladder, BLOCKS)
        monkeypatch.setenv("TORTUGA_ARENA", opened.address)
        monkeypatch.setenv("TORTUGA_ARENA_DIR", str(tmp_path))
        yield opened


def tortuga(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def said(*words: str) -> str:
    done = tortuga(*words)
    assert (done.exit_code, done.exception) == (0, None), done.output
    assert "\x1b" not in done.stdout
    return done.stdout


def told(*words: str) -> Any:
    return json.loads(said(*words, "--json"))


def refused(*words: str) -> tuple[int, str]:
    done = tortuga(*words)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return done.exit_code, line.removeprefix("tortuga: ")


def test_games_and_ladders(arena: Arena) -> None:
    assert "Pirate's Cove" in said("client", "games")
    assert told("client", "games")["games"][0]["id"] == "broadsides"
    assert told("client", "ladders")["ladders"][0]["name"] == LADDER
    table = said("client", "ladder", LADDER)
    assert "ann-2 (after ann, prov.)" in table
    assert "6 of 6 matches" in table
    found = told("client", "ladder", LADDER)
    assert (found["table_matches"], found["ladder"]["name"]) == (6, LADDER)
    rows = {row["entry"]: row for row in found["rows"]}
    assert (rows["cid"]["rating"], rows["cid"]["plus_minus"]) == (None, None)
    assert isinstance(rows["ann"]["matches"], int)


def test_lists_are_paged_or_whole(arena: Arena) -> None:
    first = tortuga("client", "bots", "--page-size", "2")
    assert "cid" not in first.stdout
    token = re.search(r"--page-token (\S+)", first.stderr)
    assert token
    assert "cid" in said("client", "bots", "--page-token", token[1])
    assert [bot["name"] for bot in told("client", "bots", "--page-size", "1", "--all")["bots"]] == ["ann", "bob", "cid"]
    assert told("client", "bots", "--page-size", "2")["next_page_token"] == token[1]
    assert told("client", "bots", "--connected")["bots"] == []
    assert len(told("client", "matches", "--page-size", "4", "--all")["matches"]) == 6


def test_one_bot(arena: Arena) -> None:
    assert "never" not in said("client", "bot", "ann")
    found = told("client", "bot", "ann")
    assert (found["name"], found["presence"], found["hosted"], found["games"]) == ("ann", "absent", False, [])
    code, words = refused("client", "bot", "zoe")
    assert (code, "no bot 'zoe'" in words, "`tortuga client bots`" in words) == (2, True, True)


def test_matches_and_their_filters(arena: Arena) -> None:
    arena.hall.matches = [running_match("now", 9000)]
    assert said("client", "matches").count(LADDER) == 7 + 6, "in the column of contests, and in names of matches"
    ids = [match["match_id"] for match in told("client", "matches", "--running")["matches"]]
    assert ids == ["now"]
    since = datetime.fromtimestamp(2, UTC).isoformat()
    assert len(told("client", "matches", "--since", since, "--bot", "ann", "--contest", LADDER)["matches"]) == 5
    assert refused("client", "matches", "--event", "cup")[0] == 2
    assert refused("client", "matches", "--since", "yesterday")[1].startswith("'yesterday' is not a time")


def test_one_match_and_its_record(arena: Arena) -> None:
    match_id = BLOCKS[0][0].match_id
    arena.archive.ladder.record(match_id).write_bytes(b"record" * 50_000)
    shown = said("client", "match", match_id)
    assert "seat 1: crash at decision" in shown
    assert " 1: it always does" in shown
    found = told("client", "match", match_id)
    assert (found["state"], found["record_sha256"], found["faults"][0]["kind"]) == ("finished", "00" * 32, "crash")
    said("client", "record", match_id)
    assert (arena.path / f"{match_id}.tortuga").read_bytes() == b"record" * 50_000
    assert told("client", "record", match_id, "-o", "other")["bytes"] == 300_000
    assert (arena.path / "other").stat().st_size == 300_000
    assert refused("client", "record", match_id, "-o", "no/where")[1].startswith("no/where cannot be ")
    assert refused("client", "record", "../../x")[0] == 2


def test_events_from_the_calendar_to_the_table(arena: Arena) -> None:
    Path("cup.toml").write_text(MANIFEST)
    created = told("server", "event", "create", "cup.toml", "--name", "cup", "--opens", "+1h", "--starts", "+2h")
    assert abs(created["start_millis"] - created["registration_millis"] - 3_600_000) < 60_000
    assert "swiss" in said("client", "events")
    token = arena.add_bots("dan")["dan"]
    assert "set TORTUGA_TOKEN to" in refused("client", "enter", "cup")[1]
    runner = CliRunner(env={"TORTUGA_TOKEN": token})
    assert runner.invoke(main, ["client", "enter", "cup"]).stdout == "cup (registration): dan\n"
    assert runner.invoke(main, ["client", "leave", "cup"]).stdout.startswith("cup (registration): nobody")
    assert "ann" in said("server", "event", "enter", "cup", "ann")
    assert "running" in said("server", "event", "start", "cup")
    fill(arena.archive.event("cup"), BLOCKS[:1])
    arena.registry.set_state("cup", EventState.FINISHED)
    shown = said("client", "event", "cup")
    assert "bob" in shown
    assert told("client", "event", "cup")["tables"][0]["contest"] == LADDER
    assert len(told("client", "matches", "--event", "cup")["matches"]) == 2
    said("server", "event", "create", "cup.toml", "--name", "cap")
    assert told("server", "event", "cancel", "cap", "--reason", "storm")["reason"] == "storm"
    code, words = refused("server", "event", "start", "cop")
    assert (code, "no event 'cop'" in words, words.endswith("cap, cup")) == (2, True, True)


def test_a_match_is_told_as_it_is_watched(arena: Arena, approve: Approver) -> None:
    arena.hall.matches = [running_match("now", 1)]
    arena.hall.sights = [
        pb.Sight(number=1, start=referee_pb2.MatchStart(match_id="now", game="broadsides", seat_names=["ann", "bob"])),
        pb.Sight(number=2, scene=pb.Scene(lines=["ann fires", NASTY])),
        pb.Sight(number=3, end=referee_pb2.MatchEnd(ranks=[1, 2], reason="sunk"), secrets=["bob held an ace"]),
    ]
    arena.hall.hold.set()
    shown = said("client", "watch", "now")
    approve("client", shown)
    first, fires, nasty, over, hidden = shown.splitlines()
    assert (fires, nasty) == ("ann fires", r"\x1b[31m[bold]red[/bold]\r\n=1+1<b>")
    assert first.startswith("now: broadsides")
    assert "ann: 1, bob: 2" in over
    assert "(hidden) bob held an ace" in hidden
    documents = [json.loads(line) for line in said("client", "watch", "now", "--json").splitlines()]
    assert [document["number"] for document in documents] == [1, 2, 3]
    assert documents[1]["scene"]["lines"] == ["ann fires", NASTY]
    assert "start" not in documents[1]
    code, words = refused("client", "watch", "now", "--key", "guess")
    assert code == 2
    assert "token is wrong" in words
    assert said("client", "watch", "--bot", "bob").startswith("now: broadsides")
    code, words = refused("client", "watch", "--bot", "cid")
    approve("client", words)
    assert (code, "no match with cid" in words, "--event NAME" in words) == (2, True, True)
    arena.registry.create_event("cup", MANIFEST)
    code, words = refused("client", "watch", "--event", "cup")
    approve("client", words)
    assert (code, "no match" in words, "event cup" in words) == (2, True, True), "what ladders play is none of it"
    arena.hall.matches[0].event = "cup"
    assert said("client", "watch", "--event", "cup").startswith("now: broadsides")
    arena.hall.matches[0].on_cluster = True
    code, words = refused("client", "watch", "--event", "cup", "--bot", "ann")
    approve("client", words)
    assert (code, "cluster" in words) == (2, True)


def test_whatever_came_from_far_is_harmless_on_a_terminal(arena: Arena) -> None:
    """Fault 42: words of bots are escaped, not obeyed."""
    arena.registry.note_hello("ann", version=NASTY, language=NASTY, games=[NASTY], seat_counts=[], slots=1)
    with Store.open(arena.archive.ladder.database) as store:
        bad = block(7, ["ann", "bob"])
        fault = replace(bad[0].faults[0], message=NASTY)
        store.add(
            [
                replace(
                    bad[0],
                    reason=NASTY,
                    faults=(fault,),
                    seats=tuple(replace(seat, version=NASTY) for seat in bad[0].seats),
                )
            ],
            (),
        )
    for words in (["bots"], ["bot", "ann"], ["matches"], ["match", bad[0].match_id]):
        shown = said("client", *words)
        assert r"\x1b[31m[bold]red[/bold]" in shown
        assert "\r" not in shown
    assert told("client", "bot", "ann")["version"] == NASTY


def test_a_bot_from_its_token_to_its_end(arena: Arena) -> None:
    shown = said("server", "bot", "add", "eve", "--owner", "Eve")
    token = shown.splitlines()[0]
    assert arena.registry.find(hash_token(token)) == "eve"
    assert "It is shown this once" in shown
    assert f"TORTUGA_TOKEN={token}" in shown
    assert "tortuga bot connect" in shown
    again = told("server", "bot", "rotate", "eve")
    assert (again["bot"]["name"], arena.registry.find(hash_token(again["token"]))) == ("eve", "eve")
    code, words = refused("server", "bot", "add", "Eve")
    assert (code, "eve exists already" in words, "case" in words) == (2, True, True)
    assert said("server", "bot", "suspend", "eve", "--reason", "late") == "eve: suspended: late\n"
    assert said("server", "bot", "lift", "eve") == "eve: absent\n"
    assert said("server", "bot", "revoke", "eve") == "eve: revoked\n"
    assert told("server", "bot", "host", "gunner", "--name", "house")["hosted"]
    listed = [bot["name"] for bot in told("server", "bot", "list")["bots"]]
    assert listed == ["ann", "bob", "cid", "eve", "house"]
    assert refused("server", "bot", "host", "nowhere")[0] == 2


def test_status_ladders_and_backup(arena: Arena) -> None:
    shown = said("server", "status")
    assert "server version" in shown
    assert re.search(r"draining +│ no ", shown)
    assert re.search(r"lag +│ 0.0 ms ", shown)
    assert re.search(r"memory +│ 0 MiB ", shown)
    assert told("server", "status")["connected"] == 2
    assert [one["paused"] for one in told("server", "ladder", "pause", LADDER)["ladders"]] == [True, False, False]
    assert "paused" not in said("server", "ladder", "resume")
    assert told("server", "backup", str(arena.path.parent / "copy"))["databases"] == 2
    assert "is not empty" in refused("server", "backup", str(arena.path.parent / "copy"))[1]


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("Socket closed", "set TORTUGA_TLS"),
        ("SSL routines:WRONG_VERSION_NUMBER: x", "it speaks plain text"),
        ("CERTIFICATE_VERIFY_FAILED: self-signed", "certificate is none that"),
        ("Connection refused", ""),
    ],
)
def test_a_line_that_breaks_at_tls_is_told_with_what_to_do(said: str, hint: str) -> None:
    class Broken(grpc.RpcError):
        def code(self) -> grpc.StatusCode:
            return grpc.StatusCode.UNAVAILABLE

        def details(self) -> str:
            return f"failed; last error: {said}"

    words = str(call_error("arena:1", Broken(), 5.0))
    before, _, after = words.partition(said)
    assert before.startswith("arena:1 ")
    assert (hint in after) if hint else not after


def test_a_client_of_tls_at_a_door_in_plain_text_is_told(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "any").mkdir()
    make_certificate(tmp_path / "any")
    result = CliRunner(env={"TORTUGA_TLS": str(tmp_path / "any" / "cert.pem"), "TORTUGA_INVITE": None}).invoke(
        main, ["client", "games", "--server", arena.address]
    )
    assert (result.exit_code, "it speaks plain text" in result.output) == (1, True), result.output


def test_servers_that_are_not_there_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORTUGA_TLS", raising=False)
    code, line = refused("client", "games", "--server", "localhost:1")
    assert (code, line.startswith("localhost:1 cannot be ")) == (1, True)
    code, line = refused("server", "status", "--dir", str(tmp_path))
    assert (code, f"no arena runs in {tmp_path}" in line, "--dir" in line) == (2, True, True)
    assert f"`tortuga serve {tmp_path}`" in line
    with socket.socket(socket.AF_UNIX) as killed:
        monkeypatch.chdir(tmp_path)
        killed.bind("admin.sock")
    assert refused("server", "status")[1].startswith("no arena runs in .: "), "who was killed left a socket behind"
    monkeypatch.setenv("TORTUGA_TLS", str(tmp_path / "nowhere.pem"))
    assert "its roots cannot be read" in refused("client", "games", "--server", "localhost:1")[1]


def test_the_organisers_key_is_read_from_the_folder(arena: Arena) -> None:
    key = arena.path / "admin.key"
    right = key.read_text()
    key.write_text("wrong")
    code, line = refused("server", "bot", "add", "spy")
    assert code == 2
    assert "a wrong key came" in line
    key.unlink()
    code, line = refused("server", "status")
    assert (code, f"{key} does not exist" in line, "restart it" in line) == (2, True, True)
    key.mkdir()
    assert "run this as the user" in refused("server", "status")[1]
    key.rmdir()
    key.write_text(right)
    assert told("server", "status")["connected"] == 2


def test_a_server_that_does_not_answer_is_not_waited_for(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(store: Store, *words: Any, **keys: Any) -> Any:
        store._db.execute("WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT max(n) FROM c")

    monkeypatch.setattr(Store, "latest", endless)
    code, line = refused("client", "matches", "--timeout", "0.3")
    assert (code, line.startswith(arena.address), "within 0.3 s" in line) == (1, True, True)
    assert "--timeout" in line
    monkeypatch.setenv("TORTUGA_TIMEOUT", "0.2")
    assert "within 0.2 s" in refused("client", "matches")[1]


def test_times_are_read_in_both_ways() -> None:
    now = datetime(2026, 11, 16, 12, tzinfo=UTC)
    assert read_time("", now=now) == 0
    assert read_time("+2h", now=now) - read_time("-30m", now=now) == 9_000_000
    assert read_time("2026-11-16T12:00:00+00:00") == int(now.timestamp() * 1000)
    for text in ("2h", "+2y", "++2h", "soon", "+999999999d", "2026-13-01"):
        with pytest.raises(ConfigError, match="is not a time"):
            read_time(text, now=now)


def test_a_season_is_frozen_archived_and_started(arena: Arena) -> None:
    for wrong in ((), (LADDER, "--all")):
        code, words = refused("server", "ladder", "freeze", *wrong)
        assert (code, "name a ladder" in words, "--all" in words) == (2, True, True)
    assert "no ladder 'chess-2'" in refused("server", "ladder", "freeze", "chess-2")[1]
    assert refused("server", "ladder", "freeze", "--all", "--at", "2026-03-29T02:30 Europe/Berlin")[0] == 2
    assert "frozen since" in said("server", "ladder", "freeze", LADDER)
    assert "frozen since" in said("client", "ladder", LADDER)
    assert "frozen from 2999" in said("server", "ladder", "freeze", "--all", "--at", "2999-01-01T00:00")
    found = told("server", "ladder", "unfreeze", "--all")
    assert {ladder["frozen_millis"] for ladder in found["ladders"]} == {0}
    assert "be called '../etc'" in refused("server", "ladder", "archive", "../etc")[1]
    assert said("server", "ladder", "archive", "s1").startswith("archive/s1: 7 matches")
    assert "seasons: s1 (--season" in said("client", "ladder", LADDER)
    code, words = refused("server", "ladder", "start")
    assert (code, "--from-zero" in words, "--from-ratings" in words) == (2, True, True)
    assert refused("server", "ladder", "start", "--from-zero", "--from-ratings")[0] == 2
    assert "from zero" in said("server", "ladder", "start", "--from-zero")
    assert "1050" in said("server", "ladder", "start", "--from-ratings")
    assert told("server", "ladder", "start", "--from-ratings", "--shrink", "1")["ratings"][0]["rating"] == 1100


def test_the_table_of_an_archived_season(arena: Arena) -> None:
    fill(arena.archive.season("s1"), BLOCKS[:1])
    arena.hall.archived.append(pb.Season(name="s1", archived_millis=1, matches=2, ladders=[LADDER]))
    assert "2 of 2 matches" in said("client", "ladder", LADDER, "--season", "s1")
    assert len(told("client", "matches", "--season", "s1")["matches"]) == 2
    assert "no archived season 's2'" in refused("client", "ladder", LADDER, "--season", "s2")[1]
    assert refused("client", "ladder", "broadsides-2", "--season", "s1")[1].startswith("there is no ladder")
    assert refused("client", "ladder", LADDER, "--season", "../ladder")[0] == 2
    assert refused("client", "matches", "--season", "s1", "--challenges")[0] == 2


def test_a_ladder_without_enough_bots_says_so(arena: Arena) -> None:
    quiet = told("client", "ladder", "pirates_cove-4")["quiet"]
    assert re.search(r"\b4 bots.*\b2\b", quiet)
    assert f"no match is played: {quiet}" in said("client", "ladder", "pirates_cove-4")
    assert "no match is played" not in said("client", "ladder", LADDER)


def test_an_event_that_repeats(arena: Arena) -> None:
    Path("cup.toml").write_text(MANIFEST)
    create = ("server", "event", "create", "cup.toml", "--name", "nightly")
    assert "nightly-2026-11-20" in said(*create, "--every", "day at 18:00", "--check-in", "15m", "--opens", "2h")
    assert refused(*create, "--every", "day at 18:00", "--starts", "+2h")[1].startswith("--every sets when")
    assert refused(*create, "--every", "day at 18:00", "--opens", "soon")[1].startswith("'soon' is not a duration")


def test_times_of_events_are_shown_in_their_zone(arena: Arena) -> None:
    Path("cup.toml").write_text(MANIFEST)
    create = ("server", "event", "create", "cup.toml", "--name", "once", "--starts")
    assert refused(*create, "2026-03-29T02:30 Europe/Berlin")[1].startswith("2026-03-29T02:30 does not exist")
    found = told(*create, "2026-11-20T18:00 Europe/Paris")
    assert found["start_millis"] == int(datetime(2026, 11, 20, 17, tzinfo=UTC).timestamp() * 1000)
    assert "2026-11-20 17:00 UTC" in re.sub(r"\s*│?\s+│?\s*", " ", said("client", "event", "once"))


def test_news(arena: Arena) -> None:
    arena.hall.items = [
        pb.NewsItem(
            number=number, millis=1000 * number, kind="event_opened", subject="cup", text=f"item {number} {NASTY}"
        )
        for number in (3, 2, 1)
    ]
    assert "event opened" in said("client", "news")
    assert [item["number"] for item in told("client", "news", "--page-size", "2", "--all")["news"]] == [3, 2, 1]


def test_a_long_list_goes_on_when_the_server_allows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    now = [0.0]

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        now[0] += seconds

    monkeypatch.setattr("server.cli.common.client_listings.time.sleep", sleep)
    with Arena(tmp_path, buckets=RateLimiter(2.0, 4.5, now=lambda: now[0])) as arena:  # a page costs 1.02
        monkeypatch.setenv("TORTUGA_ARENA", arena.address)
        fill(arena.archive.ladder, BLOCKS)
        found = told("client", "matches", "--page-size", "1", "--all")
    assert len(found["matches"]) == 6
    assert pauses == [1.0]
