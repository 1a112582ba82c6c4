"""A season from its first match to the next one, with a real server that is killed in between, and its webhook."""

from __future__ import annotations

import json
from pathlib import Path

import grpc

from server.arena.config import ArenaConfig
from server.arena.ladders.seasons import season_folder
from server.arena.operations.fsck import check_arena
from server.arena.webhooks import Webhook, sign
from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.standings import read_standings
from server.tournament.starting_ratings import read_starting_ratings
from support.ladders import LADDER, make_config
from support.receivers import Receiver, receiving
from support.served import Served, dialled_in, wait_for, wait_for_matches
from tortuga.v1 import arena_pb2 as pb

SECRET = "sixteen characters, at least"


def config(receiver: Receiver) -> ArenaConfig:
    hook = Webhook(url=receiver.url, secret=SECRET, allow_private=("127.0.0.1",))
    return make_config(anchor="", drain_seconds=5.0, rest_seconds=0.05, webhooks=(hook,))


def tables(folder: Folder) -> str:
    return json.dumps([one.as_json() for one in read_standings(folder)])


def test_a_season_ends_and_the_next_begins(tmp_path: Path) -> None:
    with receiving() as receiver:
        served = Served(tmp_path, config(receiver)).start()
        try:
            play_two_seasons(served, receiver)
        finally:
            served.close()
        kinds = [headers["Tortuga-Kind"] for _, headers, _ in receiver.got]
        assert kinds == ["ladder_frozen", "season_archived", "season_started"]
        for _, headers, body in receiver.got:
            assert headers["Tortuga-Signature"] == sign(SECRET, headers["Tortuga-Timestamp"], body)
    ladder, archive = Folder(served.path / "ladder"), season_folder(served.path, "one")
    for folder in (ladder, archive):
        before = tables(folder)
        folder.database.unlink()
        for part in ("-wal", "-shm"):
            folder.database.with_name(folder.database.name + part).unlink(missing_ok=True)
        assert not rebuild(folder).problems
        assert tables(folder) == before
    assert not check_arena(served.path)
    lines = [line for line in served.log().splitlines() if line.startswith("{")]
    assert SECRET not in served.log()
    assert all(json.loads(line) for line in lines)
    plain = [line for line in served.log().splitlines() if not line.startswith("{")]
    assert not [line for line in plain if "grpc" in line.lower() or "warning" in line.lower()], plain


def play_two_seasons(served: Served, receiver: Receiver) -> None:
    tokens = served.add("ann", "bob", "cid")
    with dialled_in(served.bots, tokens):
        wait_for_matches(served, 12)
        served.admin.FreezeLadder(pb.FreezeLadderRequest())
        wait_for(lambda: receiver.got and not served.status().running)
    served.kill()  # a frozen ladder stays frozen
    served.start()
    with dialled_in(served.bots, tokens):
        wait_for(lambda: served.status().connected == 3)
        season = wait_for(lambda: archive(served))
        assert season.matches == served.status().matches >= 12
        found = served.admin.StartSeason(pb.StartSeasonRequest(from_ratings=True, shrink=0.5), timeout=60)
        assert {one.bot for one in found.ratings} == {"ann", "bob", "cid"}
        wait_for_matches(served, 6)
        served.kill()
    assert len(read_starting_ratings(Folder(served.path / "ladder").starting_ratings)) == 3
    served.start()
    then = served.api.GetLadder(pb.GetLadderRequest(name=LADDER, season="one"))
    assert then.table_matches == season.matches
    now = served.api.GetLadder(pb.GetLadderRequest(name=LADDER))
    assert [one.name for one in now.seasons] == ["one"]
    assert now.quiet == "it needs 2 bots, and has 0"
    old = served.api.ListMatches(pb.ListMatchesRequest(season="one", page_size=1)).matches[0]
    assert b"".join(part.data for part in served.api.DownloadRecord(pb.DownloadRecordRequest(match_id=old.match_id)))
    told = [item.kind for item in served.api.ListNews(pb.ListNewsRequest()).news]
    assert told[:2] == ["season_started", "season_archived"]  # what was told before it was killed is kept


def archive(served: Served) -> pb.Season | None:
    """The archived season; None as long as something is still going on."""
    try:
        return served.admin.ArchiveSeason(pb.ArchiveSeasonRequest(name="one"), timeout=60)  # type: ignore[no-any-return]
    except grpc.RpcError as error:
        if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
            raise
        return None
