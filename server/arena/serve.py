"""`tortuga serve`: an arena from its start to its end. The folder is all its state.

arena.toml        its settings; the organiser's to edit
arena.db          bots, tokens (their hashes), the calendar
ladder/           all ladders: an event folder that never ends
events/NAME/      an event folder each
archive/SEASON/   the ladders of a season that is over: an event folder each
challenges/       unrated matches: an event folder, too
submissions/      bots that authors sent: their logs, and what is being built
bundles/          the programs of hosted bots, byte for byte, by hash
kits/             packages for builds, which have no network (`tortuga server kits fetch`)
tls/              with --self-signed: the arena's own authority and certificate
invites/          with --demo: the invite of a guest
admin.sock        the organiser's door
admin.key         the key of that door, new at each start
web.sock          the door of the pages: the public API without rate limits
lock              held by the one process that serves the folder
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import stat
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import grpc
import grpc.aio

from referee.door.service import Door, connection_limit
from referee.door.tls import is_loopback, server_credentials, why_not_valid_now
from referee.errors import ConfigError, TortugaError
from referee.games import GAMES
from referee.records.files import write_atomically
from referee.wire import WIRES
from server import __version__
from server.arena.api.doors import WEB_DOOR, People, open_doors
from server.arena.config import FILE, ArenaConfig, default_config, write_text
from server.arena.events.calendar import Calendar
from server.arena.events.challenges import FOLDER as CHALLENGES
from server.arena.events.challenges import Challenges
from server.arena.ladders.cluster_matches import Cluster, ClusterTables
from server.arena.ladders.hall import Hall
from server.arena.ladders.ladder import OpenLadder, open_ladder
from server.arena.ladders.lobby import Lobby
from server.arena.ladders.retention import RetentionPolicy
from server.arena.ladders.season_keeper import SeasonKeeper
from server.arena.ladders.seasons import Seasons, finish_start
from server.arena.ladders.tables import Tables
from server.arena.news import News
from server.arena.operations.demo import demo_instructions, host_demo, invite_guest
from server.arena.operations.running_arena import RunningArena
from server.arena.operations.web_process import PagesUnavailable, WebProcess
from server.arena.people.audit import AuditLog
from server.arena.people.callers import Callers
from server.arena.people.teams import Teams
from server.arena.registry import Registry
from server.arena.registry_schema import KnownBot
from server.arena.submissions.submission_store import FOLDER as SUBMISSIONS
from server.arena.submissions.submission_store import SubmissionFiles, SubmissionRows
from server.arena.submissions.submissions import Submissions
from server.bots.bundle_store import FOLDER as BUNDLES
from server.bots.bundle_store import PREFIX, BundleStore
from server.bots.kit_cache import FOLDER as KITS
from server.bots.kit_cache import KitCache
from server.hosting.bot_host import BotHost
from server.hosting.bot_pool import BotPool
from server.hosting.memory import keep_within_budget, limit_gc_pauses
from server.jail.confinement import Confinement
from server.jail.level import AUTO, read_level
from server.jail.machine import choose_level, describe_level
from server.system.files import make_private
from server.system.logs import get_logger
from server.system.processes import connections_per_door, raise_open_files_limit
from server.tournament.folder import Folder, lock_folder

IDLE_BOTS = 64
"""Idle processes of hosted bots to keep."""
CLEAN_SECONDS = 3600.0
STOPPING = "the server is stopping; try again later"

log = get_logger()


class Output(Protocol):
    """Where an arena prints. Logs are something else: they go to stderr as they are."""

    def say(self, text: str) -> None:
        """Print a fact."""
        ...

    def warn(self, text: str) -> None:
        """Print a warning."""
        ...


def prepare(directory: Path, output: Output) -> Path:
    """Return the path of arena.toml. A new folder gets one with all defaults and comments."""
    path = directory / FILE
    for warning in make_private(directory, (path, directory / "arena.db")):
        output.warn(f"tortuga: {warning}")
    if not path.exists():
        write_atomically(path, write_text(default_config()).encode(), private=True)
        output.say(f"{path} is new: it holds every setting")
    return path


def go_public(config: ArenaConfig, flags: Mapping[str, object]) -> ArenaConfig:
    """With a certificate of its own, an arena whose addresses nobody chose listens on all of its machine."""
    default = default_config()
    doors = {
        name: f"0.0.0.0:{getattr(default, name).rpartition(':')[2]}"
        for name in ("listen", "public")
        if flags.get(name) is None and getattr(config, name) == getattr(default, name)
    }
    return replace(config, **doors)  # type: ignore[arg-type]


async def serve(
    directory: Path, config: ArenaConfig, output: Output, *, demo: bool = False, cluster: Cluster | None = None
) -> None:
    """Run an arena until it is told to stop."""
    for table in (GAMES, WIRES):
        table.load_all()  # imports all games now: later, matches would be held up
    credentials = check_doors(directory, config, output)
    hidden = (directory, cluster.certificates.resolve()) if cluster is not None else (directory,)
    confinement = Confinement(level=choose_level(read_level(config.jail)), hidden=hidden)
    max_connections = connections_per_door(raise_open_files_limit())
    stop, now = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop_or_hurry() -> None:
        (now if stop.is_set() else stop).set()

    def warn(text: str) -> None:
        log.warning("ladder", what=text)
        output.warn(f"tortuga: {text}")

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop_or_hurry)
    async with AsyncExitStack() as stack:
        lock = stack.enter_context(lock_folder(Folder(directory)))
        registry = stack.enter_context(Registry.open(directory / "arena.db"))
        news = News(registry, config.webhooks)
        stack.callback(news.close)
        seasons = Seasons(registry)
        finish_start(directory, seasons, warn)
        ladder = stack.enter_context(open_ladder(Folder(directory / "ladder"), config, warn))
        host = await stack.enter_async_context(BotHost(folder=lock.new_scratch(), confinement=confinement))
        pool = BotPool(host, tables=1_000_000, idle_limit=IDLE_BOTS)
        people = People(callers=Callers(registry, Teams(registry, config.bots_per_team)), audit=AuditLog(registry))
        lobby = Lobby(
            registry,
            reconnect_seconds=config.reconnect_seconds,
            versions_per_day=config.versions_per_day,
            callers=people.callers,
        )
        stack.callback(lobby.close)
        door = Door(__version__, lobby)
        bundles = BundleStore(directory / BUNDLES)
        bundles.sweep({bot.spec.removeprefix(PREFIX) for bot in registry.bots()})
        tables = Tables(host, pool)
        machines = None
        if cluster is not None:
            machines = ClusterTables(cluster, confinement=confinement, games=list(GAMES))
        hall = Hall(
            config,
            registry,
            ladder,
            lobby,
            tables,
            door,
            bundles,
            seasons=seasons,
            publish=news.publish,
            cluster=machines,
        )
        calendar = Calendar(registry, hall, directory / "events", confinement)
        made = stack.enter_context(open_ladder(Folder(directory / CHALLENGES), config, warn))
        challenges = Challenges(config, hall, made)
        submissions = Submissions(
            config,
            SubmissionFiles(directory / SUBMISSIONS),
            SubmissionRows(registry),
            hall,
            calendar,
            people.callers,
            confinement,
            packages=KitCache(directory / KITS),
        )
        keeper = SeasonKeeper(hall, directory)
        arena = RunningArena(
            config, registry, hall, calendar, challenges, host.lag, confinement.level, keeper=keeper, news=news
        )
        arena.submissions = submissions
        stack.push_async_callback(door.close, STOPPING)  # also if something goes wrong from here on
        await door.open(config.listen, credentials, dict(connection_limit(max_connections)))
        arena.bots_address = door.address
        arena.ca = read_ca(directory, config)
        await stack.enter_async_context(
            open_doors(directory, config, credentials, arena, registry, people, max_connections)
        )
        if demo:
            host_demo(directory, registry)
        for bot in registry.bots():
            if bot.hosted and bot.may_play:
                add_hosted(arena, bot, output)
        limit_gc_pauses()
        pages = await start_pages(stack, directory, config, output)
        announce(directory, config, arena, pages, output)
        output.say(f"  {describe_level(confinement.level, chosen=config.jail == AUTO)}")
        if demo:
            for line in demo_instructions(
                directory, config, invite_guest(directory, people.callers.teams, arena.doors()), pages
            ):
                output.say(line)
        cleaning = clean([ladder, made, submissions], config)
        works = [hall.run(), calendar.run(), keeper.run(), submissions.run(), cleaning, keep_within_budget()]
        if machines is not None:
            hall.enforce_bans()
            works.append(machines.run())
        tasks = [asyncio.create_task(work) for work in works]
        waits = [asyncio.create_task(stop.wait())]
        await asyncio.wait([*tasks, *waits], return_when=asyncio.FIRST_COMPLETED)
        broken = next((task for task in tasks if task.done()), None)
        if broken is None:
            output.say("stopping: running matches may finish; Ctrl-C again stops at once")
            log.info("draining", running=len(hall.running))
            drains = [hall.drain, calendar.drain, challenges.drain]
            await drain(drains, 0.0 if now.is_set() else config.drain_seconds, now)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await door.close(STOPPING)
        await pool.close()
        if broken is not None:
            broken.result()


Drain: TypeAlias = "Callable[[float], Coroutine[Any, Any, None]]"


async def drain(drains: Sequence[Drain], seconds: float, now: asyncio.Event) -> None:
    """Let running matches of ladders, events and challenges finish within that time, or until `now` is set."""
    hurry = asyncio.create_task(now.wait())
    work = asyncio.create_task(gather_drains(drains, seconds))
    await asyncio.wait([hurry, work], return_when=asyncio.FIRST_COMPLETED)
    hurry.cancel()
    if not work.done():
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        await gather_drains(drains, 0.0)


async def gather_drains(drains: Sequence[Drain], seconds: float) -> None:
    """Drain everything at the same time."""
    await asyncio.gather(*(drain(seconds) for drain in drains))


def check_doors(directory: Path, config: ArenaConfig, output: Output) -> grpc.ServerCredentials | None:
    """Return the credentials of the doors. Tokens pass through them, so plain text is for this machine only."""
    if config.tls_cert:
        cert, key = directory / config.tls_cert, directory / config.tls_key
        credentials = server_credentials(cert, key)
        if key.stat().st_mode & stat.S_IRWXO:
            output.warn(f"WARNING: every user of this machine can read {key}; close it: chmod o= {key}")
        if why := why_not_valid_now(cert, key):  # hosted bots can still play, and this machine's clock may be wrong
            output.warn(f"WARNING: {cert}: {why}; every client will refuse it. Renew it and restart")
        return credentials
    for address in filter(None, (config.listen, config.public)):
        if is_loopback(address):
            continue
        if not config.insecure:
            raise ConfigError(
                f"{address} can be reached from elsewhere, and without TLS everybody on the way can read the tokens: "
                "pass --tls-cert and --tls-key (docs/operating.md), listen on 127.0.0.1, or pass --insecure"
            )
        output.warn(f"WARNING: {address} speaks plain text: everybody on the way can read tokens and hands")
    return None


def read_ca(directory: Path, config: ArenaConfig) -> str:
    """Read the certificate authority that callers must trust, PEM. Empty: they need none of ours."""
    if not config.tls_ca:
        return ""
    path = directory / config.tls_ca
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the certificate authority {path} cannot be read: {error}") from None
    if "-----BEGIN CERTIFICATE-----" not in text or "PRIVATE KEY" in text:
        raise ConfigError(f"{path} (tls_ca) must contain the certificate of an authority, and no private key")
    return text


async def start_pages(stack: AsyncExitStack, directory: Path, config: ArenaConfig, output: Output) -> str:
    """Start `tortuga web`; returns its address. If that fails, the arena continues without pages."""
    if not config.web:
        return ""
    try:
        web = WebProcess(config.web, (directory / WEB_DOOR).resolve())
    except PagesUnavailable as error:
        log.warning("no_pages", reason=str(error))
        output.warn(f"tortuga: {error}")
        return ""
    stack.push_async_callback(web.close)
    return web.url


def add_hosted(arena: RunningArena, bot: KnownBot, output: Output) -> None:
    """Add a hosted bot. If its folder is gone, print a warning; the others play."""
    try:
        arena.add_hosted(bot)
    except ConfigError as error:
        log.error("hosted_bot_missing", bot=bot.name, reason=str(error))
        output.warn(f"tortuga: the hosted bot {bot.name} does not play: {error}")


def announce(directory: Path, config: ArenaConfig, arena: RunningArena, pages: str, output: Output) -> None:
    """Print where the doors are."""
    tls = "TLS" if config.tls_cert else "plain text"
    output.say(f"arena in {directory}, process {os.getpid()}")
    output.say(f"  bots     {arena.bots_address} ({tls})")
    if arena.public_address:
        look = how_to_look(directory, config, arena.doors().public_address)
        output.say(f"  public   {arena.public_address} ({tls}): {look}")
    if pages:
        output.say(f"  web      {pages}")
    output.say(f"  admin    {directory / config.admin}: tortuga server status --dir {directory}")
    log.info("serving", bots=arena.bots_address, public=arena.public_address, web=pages)


def how_to_look(directory: Path, config: ArenaConfig, address: str) -> str:
    """Say what to type on this machine to see the ladders."""
    trust = ""
    if config.tls_cert:
        trust = f"TORTUGA_TLS={directory / config.tls_ca if config.tls_ca else 'system'} "
    return f"{trust}tortuga client ladders --server {'localhost' if address.startswith(':') else ''}{address}"


async def clean(ladders: Sequence[OpenLadder | Submissions], config: ArenaConfig) -> None:
    """Delete expired logs and records, once in a while."""
    policy = RetentionPolicy(logs=config.keep_logs_days, records=config.keep_records_days)
    while True:
        try:
            for ladder in ladders:
                await ladder.delete_expired(policy)
        except (OSError, sqlite3.Error, TortugaError) as error:  # no space, or locked: the next round tries again
            log.error("cleanup_failed", reason=str(error))
        await asyncio.sleep(CLEAN_SECONDS)
