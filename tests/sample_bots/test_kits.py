"""Every kit keeps its promises: its bots build, need nothing but their folder and pass the check, a new bot does so at
once, and the language does not show in a record.

A kit whose tools are missing is skipped, with a line that says which; on CI (CI=true) that is a failure. What a build
makes is kept, so a second run is quick.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bench.arenas.arena import ArenaProcess
from referee.games import GAMES as ENGINES
from referee.match.clock import TimeControl
from referee.match.match import MatchResult
from referee.records.record import read_record
from referee.records.replay import Replay
from server.arena.config import default_config
from server.bots.build import build
from server.bots.kits import find_kit, find_kits, missing_tools, on_ci, state_of
from server.bots.scaffold import new_bot
from server.bots.spec import SAMPLE_BOTS, BotSpec, find_bot, sample_bots
from server.conformance.check import Verdict, check
from server.hosting.bot_host import BotHost
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.play.match_setup import MatchSetup
from server.tournament.manifest import make_contests
from support import sizes
from support.certificates import make_certificate
from support.command import ATTEMPTS, ROOT, environment, play_json
from support.jail import FENCE_AND_JAIL, need
from tortuga.v1 import arena_pb2 as pb

KITS = sorted(find_kits())
COMPILED = [kit for kit in KITS if kit != "python"]
SLOTS = 8
GAMES = ["pavillon_noir", "broadsides", "pirates_cove", "marauders"]
TRIED = sizes.pick(ci=1, full=len(GAMES))
PATIENT = ("--clock", "600+1/60")
"""For tests that are not about time: other tests compile meanwhile."""


def some_games(language: str) -> list[str]:
    """One game, or all: what languages do differently hardly depends on the game. Together they try each."""
    first = KITS.index(language)
    return [GAMES[(first + step) % len(GAMES)] for step in range(TRIED)]


pytestmark = pytest.mark.timeout(900)  # a first build fetches and compiles a world


@contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """Workers of one test run share the checkout: no two of them build a kit at the same time."""
    folder = ROOT / ".pytest_cache"
    folder.mkdir(exist_ok=True)
    with (folder / f"build-{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def need_tools(language: str) -> None:
    """Skip a test of a language whose tools are not there; fail on CI, which has them all."""
    missing = missing_tools(language)
    if missing:
        message = f"the kit for {language} needs {', '.join(missing)}, which cannot be found"
        pytest.fail(message) if on_ci() else pytest.skip(message)


@cache
def built(language: str) -> tuple[BotSpec, ...]:
    """The bots of a kit, ready to start."""
    need_tools(language)
    specs = [find_bot(name) for name in sample_bots()]
    found = tuple(spec for spec in specs if spec.language == language)
    done = ROOT / ".pytest_cache" / f"built-{language}-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"
    with one_at_a_time(language):
        for spec in found if not done.exists() else ():  # once for all workers of a run
            if spec.build:
                result = build(spec)
                assert result.usable, f"{result.detail}\n{result.output}"
        done.touch()
    return found


def copy_libraries(language: str, folder: Path) -> None:
    """Cargo compiles every library anew for every folder: minutes that prove nothing. Start from the kit's."""
    compiled = SAMPLE_BOTS / language / "target"
    if language == "rust" and compiled.is_dir():
        shutil.copytree(compiled, folder / "target", ignore=shutil.ignore_patterns("debug", "incremental"))


def assert_sound(spec: BotSpec, games: Sequence[str] = ()) -> None:
    findings = asyncio.run(check(spec, games))
    assert [found for found in findings if found.verdict is Verdict.FAIL] == []


@pytest.mark.parametrize("language", COMPILED)
def test_the_bots_of_a_kit_build_and_pass_the_check(language: str) -> None:
    bots = built(language)
    assert f"random-{language}" in [bot.name for bot in bots]
    assert len(bots) >= 2
    for bot in bots:  # the random bot in all games; a bot that thinks would take a minute for what is the SDK's
        assert_sound(bot, () if bot.name.startswith("random") else bot.games[:1] or some_games(language))


LOOK_AHEAD = {"admiral", "commodore", "corsair", "quartermaster", "dreamer-go"}
"""These need the rules of the games, too (`referee`), which every machine that hosts bots has."""
NETWORKED = {"chat"}
"""These need a network: test_chat.py."""


@pytest.mark.parametrize("language", KITS)
def test_a_built_bot_needs_nothing_but_its_folder(language: str, tmp_path: Path) -> None:
    """A copy of the folder plays against itself while all sample bots are out of its reach."""
    for bot in built(language):
        if bot.name in LOOK_AHEAD | NETWORKED:
            continue
        assert bot.folder is not None
        copy = tmp_path / bot.name
        shutil.copytree(bot.folder, copy, symlinks=True)
        assert state_of(find_bot(str(copy))) == "ready"
        report = play_alone(
            tmp_path, bot.games[0] if bot.games else "broadsides", "--bot", str(copy), "--bot", str(copy)
        )
        assert [seat["faults"] for seat in report["seats"]] == [[], []], bot.name


@pytest.mark.parametrize("level", FENCE_AND_JAIL)
@pytest.mark.parametrize("language", KITS)
def test_a_confined_bot_plays_eight_matches_at_once(language: str, level: JailLevel) -> None:
    """Each runtime has its own ways to start threads, to poll and to dial: none of them is refused."""
    need(level)
    [bot] = [bot for bot in built(language) if not bot.games and bot.name.startswith("random")]
    for game in some_games(language):
        results = asyncio.run(play_confined(bot, game, Confinement(level=level)))
        assert [result.faults for result in results] == [()] * SLOTS, game


async def play_confined(bot: BotSpec, game_id: str, confinement: Confinement) -> list[MatchResult]:
    """Matches between processes of one bot, all at the same time. The clock is patient: this is not about speed."""
    game = ENGINES[game_id]
    clock = TimeControl(bank_seconds=600.0, cap_seconds=60.0, start_seconds=60.0)
    setup = MatchSetup(game=game, variant=game.info.read_variant({}), seed="confined", clock=clock)
    async with BotHost(confinement=confinement) as host:
        bots = [await host.start_bot(bot) for _ in range(game.info.min_seats)]
        return await asyncio.gather(*(host.play(setup.terms(f"match {number}"), bots) for number in range(SLOTS)))


def play_alone(folder: Path, *words: str) -> dict[str, Any]:
    """`tortuga play … --json` where sample_bots/ is empty but for the Python SDK, which is part of the environment.
    Without the right to mount, the sample bots stay visible."""
    kits = [path for path in SAMPLE_BOTS.iterdir() if path.name != "python"]
    bots = [path for path in (SAMPLE_BOTS / "python").iterdir() if path.name != "sdk"]
    hide = [f"mount -t tmpfs none {shlex.quote(str(path))}" for path in kits + bots if path.is_dir()]
    namespace = ["unshare", "--map-root-user", "--mount", "sh", "-c", " && ".join([*hide, 'exec "$@"']), "sh"]
    may_mount = subprocess.run([*namespace, "true"], check=False, capture_output=True).returncode == 0
    command = [sys.executable, "-m", "server", "play", *words, "--no-record", "--json"]
    for _ in range(ATTEMPTS):
        done = subprocess.run(
            [*namespace, *command] if may_mount else command,
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout, done.stderr
        report: dict[str, Any] = json.loads(done.stdout)
        if not report["void"]:
            break
    return report


@pytest.mark.parametrize("language", KITS)
def test_a_new_bot_of_a_kit_builds_passes_the_check_and_has_an_idea_for_its_game(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The starters for some games, one after the other in the same folder: libraries are compiled once."""
    need_tools(language)
    monkeypatch.setenv("CMAKE_BUILD_TYPE", "None")  # not optimised: C++ compiles in a fraction of the time
    folder = tmp_path / "bot"
    for game in some_games(language):
        fresh = tmp_path / game
        new_bot("made-by-test", find_kit(language), [game], fresh)
        is_first = not folder.exists()
        shutil.copytree(fresh, folder, dirs_exist_ok=True)
        spec = find_bot(str(folder))
        assert (spec.name, spec.language, spec.games) == ("made-by-test", language, (game,))
        if spec.build:
            with one_at_a_time(language):
                if is_first:
                    copy_libraries(language, folder)
                result = build(spec)
            assert result.usable, f"{result.detail}\n{result.output}"
        if is_first:
            assert_sound(spec)
        words = ("--bot", str(folder), "--bot", "random", "--seed", "3", "--record", f"{game}.tortuga", "--no-clock")
        report = play_json(tmp_path, game, *words)
        assert [seat["faults"] for seat in report["seats"]] == [[], []]
        record, _ = read_record(tmp_path / f"{game}.tortuga")
        assert {note.seat for note in record.notes} == {0}


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_and_choices_give_the_same_record_in_every_language(game: str, tmp_path: Path) -> None:
    """Languages whose tools are missing are left out here; the tests above say so."""
    languages = [kit for kit in COMPILED if on_ci() or not missing_tools(kit)]
    for language in languages:
        built(language)
    stories = {}
    for bot in [find_bot("random"), *(find_bot(f"random-{language}") for language in languages)]:
        words = ("--bot", f"cmd: {shlex.join(bot.run)} --fixed") * 2
        path = tmp_path / f"{bot.language}.tortuga"
        report = play_json(tmp_path, game, *words, "--seed", "fixed", "--record", str(path), *PATIENT)
        assert [seat["faults"] for seat in report["seats"]] == [[], []]
        stories[bot.language] = read_record(path)[0].story.SerializeToString(deterministic=True)
    assert {language for language, story in stories.items() if story != stories["python"]} == set()


def test_three_languages_meet_in_an_arena_over_tls(tmp_path: Path) -> None:
    """A hosted bot in Python and remote ones in Go and Java play Pirate's Cove at one table."""
    remote = {"smuggler-go": "go", "random-java": "java"}
    for language in remote.values():
        built(language)
    certificate, key = make_certificate(tmp_path)
    config = replace(
        default_config(),
        ladders=make_contests([{"id": "pirates_cove", "seats": 3}], "ladders"),
        tls_cert=str(certificate),
        tls_key=str(key),
        clock="600+10/60",  # Java compiles itself while others are busy
    )
    with ArenaProcess(tmp_path / "arena", config).run() as arena, ExitStack() as stack:
        arena.admin.HostBot(pb.HostBotRequest(spec="random"))
        for name, token in arena.add_bots(list(remote)).items():
            known = {word: os.environ[word] for word in ("PATH", "HOME") if word in os.environ}
            dial = {"TORTUGA_ADDRESS": arena.address, "TORTUGA_TOKEN": token, "TORTUGA_TLS": str(certificate)}
            bot = subprocess.Popen(find_bot(name).run, env={**known, **dial}, cwd=tmp_path)
            stack.callback(bot.wait)
            stack.callback(bot.kill)
        while not (matches := arena.api.ListMatches(pb.ListMatchesRequest(state=pb.MATCH_STATE_FINISHED)).matches):
            time.sleep(0.2)
        status, match = arena.status(), matches[0]
        assert (status.voided, status.faults) == (0, 0)
        assert {seat.entry for seat in match.seats} == {"random", *remote}
        assert match.reason != "fault"


@pytest.mark.parametrize("game", GAMES)
def test_the_bot_from_the_protocol_page_alone_plays(game: str, tmp_path: Path) -> None:
    report = play_json(tmp_path, game, "--bot", "bare", "--bot", "random", "--no-record")
    assert [seat["faults"] for seat in report["seats"]] == [[], []]
    assert report["reason"] != "fault"


def test_fixed_choices_follow_from_the_number_of_the_question(tmp_path: Path) -> None:
    run = shlex.join(find_bot("random").run)
    words = ("--bot", f"cmd: {run} --fixed", "--bot", "random", "--record", "x.tortuga")
    play_json(tmp_path, "broadsides", *words)
    record, _ = read_record(tmp_path / "x.tortuga")
    answers = [answer for moment in record.story.moments for answer in moment.answers if answer.seat == 0]
    counts = [len(scene.questions[seat].actions) for scene in Replay(record) for seat in scene.questions if seat == 0]
    expected = [(n * 2654435761 % 2**32 // 2**16) % count for n, count in enumerate(counts, start=1)]
    assert [answer.option_index for answer in answers] == expected
