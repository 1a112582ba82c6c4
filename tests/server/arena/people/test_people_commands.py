"""Teams, invites, tokens and the audit log on the command line, over real doors."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.arena.errors import AlreadyExists
from server.arena.people.neutral_names import hide_names
from server.arena.people.teams import Team, Teams, TokenKind
from server.cli.main import main
from server.system.invites import Invite, read_invite, write_invite
from support.approved import Approver
from support.arena import Arena, block, fill
from tortuga.v1 import arena_pb2 as pb

CSV = "team,members,email,cap\nann,Ann; Al,ann@example.org,2\nbob,Bob,,\n"


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Arena]:
    for name in ("TORTUGA_INVITE", "TORTUGA_TOKEN", "TORTUGA_ORGANISER", "TORTUGA_TLS"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    path = tmp_path / "arena"
    path.mkdir()
    with Arena(path) as arena:
        monkeypatch.setenv("TORTUGA_ARENA_DIR", str(path))
        monkeypatch.setenv("TORTUGA_ARENA", arena.address)
        yield arena


def run(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.output


def invite_for(arena: Arena, path: str) -> str:
    """Let an invite lead to the doors of the test."""
    invite = read_invite(Path(path))
    facts = {name: getattr(invite, name) for name in ("kind", "name", "bots", "token", "tls", "ca")}
    write_invite(Path(path), Invite(**facts, public=arena.address))
    return path


def test_teams_are_imported_once_and_invited_once(arena: Arena, approve: Approver) -> None:
    Path("teams.csv").write_text(CSV)
    told = run("server", "team", "import", "teams.csv")
    approve("server", told)
    assert "invites/ann.toml" in told
    assert "2 teams, 2 of them new" in told
    assert "2 invites" in told
    assert stat.S_IMODE(os.stat("invites").st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in Path("invites").iterdir()} == {0o600}
    invite = read_invite(Path("invites/ann.toml"))
    assert (invite.kind, invite.name, invite.bots, invite.public) == (
        "author",
        "ann",
        "127.0.0.1:7071",
        "127.0.0.1:7072",
    )
    assert invite.token not in told
    before = Path("invites/ann.toml").read_bytes()
    Path("teams.csv").write_text(CSV.replace("ann@example.org,2", "al@example.org,3") + "cid,Cid,,\n")
    rows = json.loads(run("server", "team", "import", "teams.csv", "--json"))["teams"]
    assert [(row["team"], row["state"], row["invite"]) for row in rows] == [
        ("ann", "known", None),
        ("bob", "known", None),
        ("cid", "added", "invites/cid.toml"),
    ]
    assert Path("invites/ann.toml").read_bytes() == before
    assert arena.teams.team("ann") == Team(
        name="ann",
        members=("Ann", "Al"),
        email="al@example.org",
        bots_cap=3,
        added_millis=arena.teams.team("ann").added_millis,
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "there is no team in it"),
        ("team\nann\n", "line 1: the header is"),
        ("team,members,age\nann,Ann,3\n", "line 1: the header is"),
        ("team,members\nann,Ann\na b,Al\n", "line 3: .*called 'a b'"),
        ("team,members\nann,Ann\n../x,Al\n", "line 3: .*called '../x'"),
        ("team,members\nann,Ann\nANN,Al\n", "line 3: .*ANN .*line 2"),
        ("team,members\nann,Ann\n\nbob,\x1b[31m\n", "line 4: .*member"),
        ("team,members,cap\nann,Ann,0\n", "line 2: the cap is '0'"),
        ("team,members,cap\nann,Ann,many\n", "line 2: the cap is 'many'"),
        ("team,members\nann,Ann,Al\n", "line 2: .*more cells"),
        ("team,members,email\nann,Ann,nobody\n", "line 2: the email"),
        ('team,members\nann,"Ann\n', "line 2: .*end of data"),
        ("team,members\ndeleted-3,Ann\n", "line 2: .*'deleted-'"),
        ("team,members\na b,Ann\nc d,Al\n", "line 2: .*called 'a b'"),
    ],
)
def test_bad_lines_are_named_and_nothing_is_imported(text: str, words: str, arena: Arena) -> None:
    Path("teams.csv").write_text(text)
    assert re.search(words, run("server", "team", "import", "teams.csv", code=2))
    assert not arena.teams.teams()
    assert not Path("invites").exists()


def test_an_author_uses_an_invite_for_everything(arena: Arena) -> None:
    run("server", "team", "add", "ann", "--member", "Ann", "--cap", "2")
    assert "ann exists already" in run("server", "team", "add", "ann", code=2)
    invite = invite_for(arena, "invites/ann.toml")
    arena.create_event("cup")
    assert "has no bot yet" in run("client", "enter", "cup", "--invite", invite, code=2)
    for name in ("one", "two"):
        arena.registry.add(name, "ann", b"")
    assert "(--bot): one, two" in run("client", "enter", "cup", "--invite", invite, code=2)
    assert "two" in run("client", "enter", "cup", "--invite", invite, "--bot", "two")
    assert list(arena.registry.event("cup").entries) == ["two"]
    assert "the team ann: 2 of 2 bots" in run("client", "account", "--invite", invite)
    told = run("client", "enter", "cup", "--invite", invite, "--server", arena.address, code=2)
    assert "an invite names its arena" in told
    os.environ["TORTUGA_INVITE"] = invite
    try:
        run("client", "leave", "cup", "--bot", "two")
    finally:
        del os.environ["TORTUGA_INVITE"]
    assert not arena.registry.event("cup").entries
    assert "ann" in run("server", "team", "list")
    run("server", "team", "set", "ann", "--cap", "7")
    assert (arena.teams.team("ann").bots_cap, arena.teams.team("ann").members) == (7, ("Ann",))


def test_a_wrong_token_is_called_wrong(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """Item 8 of the issue."""
    monkeypatch.setenv("TORTUGA_TOKEN", "bad")
    told = run("client", "enter", "weekend", code=2)
    assert told.startswith("tortuga: ")
    assert "token is wrong" in told
    assert "metadata" not in told


def test_an_organiser_far_away_gives_orders_until_the_token_is_revoked(arena: Arena) -> None:
    told = run("server", "token", "new", "--kind", "organiser", "--label", "carol")
    assert "its own machine only" in told
    invite = invite_for(arena, "carol.toml")
    arena.add_bots("lone")
    run("server", "bot", "suspend", "lone", "--reason", "a try", "--invite", invite)
    assert arena.registry.bot("lone").suspended == "a try"
    assert "`tortuga server bot host`" in run("server", "bot", "host", "random", "--invite", invite, code=2)
    lines = json.loads(run("server", "audit", "--json"))["lines"]
    assert [(line["who"], line["what"], line["whom"]) for line in lines] == [
        ("token carol", "SuspendBot", "lone"),
        ("admin.sock", "AddBot", "lone"),
        ("admin.sock", "NewToken", "carol"),
    ]
    assert not json.loads(run("server", "audit", "--json", "--since", "+1h"))["lines"]
    assert "carol is revoked" in run("server", "token", "revoke", "carol")
    assert "the token is wrong" in run("server", "status", "--invite", invite, code=2)
    assert "was revoked before" in run("server", "token", "revoke", "carol", code=2)
    run("server", "team", "add", "ann")
    ann = invite_for(arena, "invites/ann.toml")
    assert "an organiser's invite" in run("server", "status", "--invite", ann, code=2)
    tokens = json.loads(run("server", "token", "list", "--json"))["tokens"]
    assert [(one["label"], one["kind"], bool(one["revoked_millis"])) for one in tokens] == [
        ("carol", "organiser", True),
        ("ann", "author", False),
    ]


def test_the_audit_log_holds_changes_without_secrets_and_no_questions(arena: Arena) -> None:
    arena.teams.put([Team(name="ann")])
    token = arena.new_token(TokenKind.AUTHOR, "ann")
    arena.registry.add("mine", "ann", b"")
    arena.create_event("cup")
    metadata = [("authorization", f"Bearer {token}")]
    arena.api.ListBots(pb.ListBotsRequest())
    arena.api.EnterEvent(pb.EnterEventRequest(name="cup"), metadata=metadata)
    arena.admin.GetStatus(pb.GetStatusRequest())
    with pytest.raises(Exception, match="there is no event"):
        arena.api.EnterEvent(pb.EnterEventRequest(name="cap"), metadata=metadata)
    lines = arena.people.audit.lines()
    assert [(line.who, line.what, line.whom) for line in lines] == [
        ("team ann, bot mine", "EnterEvent", "cup"),
        ("admin.sock", "CreateEvent", "cup"),
    ]
    assert token not in str(lines)
    assert "seed" not in str(lines), "the luck of an event is a secret until it is over"
    assert all(len(line.details) < 5000 for line in lines)


def test_a_deleted_team_is_exported_first_and_leaves_neutral_names(arena: Arena) -> None:
    fill(arena.archive.ladder, [block(0, ["ann", "bob"]), block(1, ["bob", "ann-2"], [[2, 1], [1, 2]])])
    run("server", "team", "add", "crew", "--member", "Ann")
    run("server", "team", "add", "rest")
    invite = invite_for(arena, "invites/crew.toml")
    arena.registry.add("ann", "crew", b"")
    arena.registry.add("bob", "rest", b"")
    arena.create_event("cup")
    run("client", "enter", "cup", "--invite", invite)
    run("server", "team", "export", "crew")
    export = json.loads(Path("crew.json").read_text())
    assert stat.S_IMODE(os.stat("crew.json").st_mode) == 0o600
    assert export["team"]["members"] == ["Ann"]
    assert [bot["name"] for bot in export["tables"]["bot"]] == ["ann"]
    assert "token_hash" not in export["tables"]["bot"][0]
    assert [sorted(token) for token in export["tables"]["token"]] == [
        ["kind", "label", "made_millis", "revoked_millis", "team"]
    ]
    assert [entry["event"] for entry in export["tables"]["entry"]] == ["cup"]
    assert len(export["matches"]) == 4
    assert [line["what"] for line in export["audit"]] == ["PutTeams", "EnterEvent"]
    told = run("server", "team", "delete", "crew", "--yes")
    assert re.search(r"\bann .*deleted-1\b", told)
    assert "signed records" in told
    assert not arena.registry.event("cup").entries
    assert "the token is wrong" in run("client", "account", "--invite", invite, code=2)
    assert arena.registry.bot("ann").revoked
    matches = run("client", "matches")
    assert "deleted-1-2" in matches
    assert "ann" not in matches
    assert "deleted-1" in run("client", "bot", "deleted-1")
    assert "there is no bot 'ann'" in run("client", "bot", "ann", code=2)
    assert "a deleted team" in run("client", "bots")
    assert "there is no team 'crew'" in run("server", "team", "delete", "crew", "--yes", code=2)
    assert [team.name for team in arena.teams.teams()] == ["rest"]
    assert "exists already" in run("server", "bot", "add", "ann", code=2), "nobody takes the name of a deleted bot"
    for teams in (arena.teams, Teams(arena.registry)):
        with pytest.raises(AlreadyExists, match="was deleted"):
            teams.put([Team(name="Crew")])
        assert teams.neutral_names() == {"ann": "deleted-1", "ann-2": "deleted-1-2"}


def test_neutral_names_stand_in_sentences_and_leave_games_and_longer_names_alone() -> None:
    names = {"ann": "deleted-1", "ann-2": "deleted-1-2", "broadsides": "deleted-2"}
    answer = pb.GetLadderResponse(
        ladder=pb.LadderInfo(name="broadsides-2", game="broadsides"),
        rows=[pb.LadderRow(entry="ann-2", ancestor="ann"), pb.LadderRow(entry="ann-3"), pb.LadderRow(entry="joann")],
        first="first is ann.",
    )
    hide_names(answer, names)
    assert [(row.entry, row.ancestor) for row in answer.rows] == [
        ("deleted-1-2", "deleted-1"),
        ("ann-3", ""),
        ("joann", ""),
    ]
    assert answer.first == "first is deleted-1."
    assert (answer.ladder.name, answer.ladder.game) == ("broadsides-2", "broadsides")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kind = 3",
        "kind = 'author'\n",
        "\x00\xff",
        "x" * 300_000,
        "kind='king'\nname='a'\nbots='h:1'\npublic='h:2'\ntls=false\ntoken='ttg_xxxxxxxxxxxxxxxxxxxxxxxx'",
        "kind='author'\nname='a'\nbots='h'\npublic='h:2'\ntls=false\ntoken='ttg_xxxxxxxxxxxxxxxxxxxxxxxx'",
        "kind='author'\nname='a'\nbots='h:1'\npublic='h:2'\ntls=false\ntoken='a b'",
        "kind='author'\nname='a'\nbots='h:1'\npublic='h:2'\ntls='no'\ntoken='ttg_xxxxxxxxxxxxxxxxxxxxxxxx'",
        "kind='author'\nname='a'\nbots='h:1'\npublic='h:2'\ntls=true\ntoken='ttg_xxxxxxxxxxxxxxxxxxxxxxxx'\nca='no'",
        "kind='author'\nname='a'\nbots='h:1'\npublic='h:2'\ntls=true\ntoken='ttg_xxxxxxxxxxxxxxxxxxxxxxxx'\nrun='rm'",
    ],
)
def test_what_is_no_invite_is_refused_in_words(text: str, arena: Arena) -> None:
    Path("x.toml").write_text(text)
    told = run("client", "ladders", "--invite", "x.toml", code=2)
    assert told.startswith("tortuga: x.toml is ")
    assert "ttg_" not in told


def test_another_invite_and_an_arena_that_does_not_know_its_name(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    run("server", "team", "add", "ann")
    first = read_invite(Path("invites/ann.toml")).token
    run("server", "team", "invite", "ann", "--invites", "more")
    second = read_invite(Path("more/ann.toml")).token
    told = run("server", "token", "new", "--kind", "author", "--team", "ann", "--label", "ann-laptop", "-o", "l.toml")
    assert "l.toml holds" in told
    assert "ann-laptop" in told
    assert len({first, second, read_invite(Path("l.toml")).token}) == 3
    assert [token.label for token in arena.teams.tokens()] == ["ann", "ann-2", "ann-laptop"]
    assert "token needs a team" in run("server", "token", "new", "--kind", "author", code=2)
    monkeypatch.setattr(arena.hall, "doors", lambda: pb.DoorsInfo(bots_address=":7071", public_address=":7072"))
    assert "pass --host NAME" in run("server", "team", "add", "bob", code=2)
    assert [team.name for team in arena.teams.teams()] == ["ann"], "no token is made that no invite can hold"
    run("server", "team", "add", "bob", "--host", "arena.example.org")
    assert read_invite(Path("invites/bob.toml")).bots == "arena.example.org:7071"
    assert "there is no team 'cid'" in run("server", "team", "invite", "cid", "--host", "h", code=2)
    assert "NewToken" in run("server", "audit", "--since", "-2d")
