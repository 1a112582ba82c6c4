"""Clusters of real processes on this machine: Dask's scheduler and workers with mutual TLS, and our own command."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.clusters import need_dask

need_dask()

from distributed import Client  # noqa: E402 - what follows needs Dask

from referee.records.record import read_record  # noqa: E402
from server.cluster.certificates import make_certificates  # noqa: E402
from server.cluster.local import LocalCluster, free_port, local_cluster  # noqa: E402
from server.cluster.messages import REPORTS  # noqa: E402
from server.cluster.settings import Certificates, client_security  # noqa: E402
from server.cluster.status import MachineStatus, read_status  # noqa: E402
from server.jail.level import JailLevel  # noqa: E402
from server.jail.machine import best_level  # noqa: E402
from server.tournament.folder import Folder  # noqa: E402
from server.tournament.journal import read_journal  # noqa: E402
from server.tournament.manifest import make_manifest, write_text  # noqa: E402
from support import sizes  # noqa: E402
from support.chaos import is_alive, tree_of  # noqa: E402
from support.clusters import processes_of  # noqa: E402
from support.command import TIED_TO_US  # noqa: E402
from support.events import TINY, dump  # noqa: E402

STRIKES = sizes.pick(quick=3, ci=6, full=12)
"""Times that something is killed or stopped in an event."""
ROUNDS = 20
"""Of an event that is disturbed: 60 blocks."""
EVENTS = sizes.pick(ci=1, full=17)
PATIENCE_SECONDS = 240.0
"""For what has to come, also on a machine that is busy with much else."""
LEVEL = best_level()
HOLDS_LUCK = LEVEL.holds(JailLevel.FENCE)
"""Whether a lost block keeps its luck, so that a disturbed event comes to the same as one that was not."""


pytestmark = pytest.mark.timeout(4 * PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(make_certificates(tmp_path_factory.mktemp("certificates") / "own"))


@contextmanager
def started(certificates: Certificates, tmp_path: Path, workers: int) -> Iterator[LocalCluster]:
    """A cluster; at the end, nothing of it may be left."""
    pids: set[int] = set()
    with local_cluster(certificates, workers=workers, log=tmp_path / "dask.log") as cluster:
        yield cluster
        pids = {one.pid for one in cluster.workers}
    wait_until(lambda: not processes_of(pids), "processes are left")


def make_event(path: Path, rounds: int, **more: str) -> Folder:
    """Three bots that are functions of match and seat."""
    path.mkdir()
    folder = Folder(path)
    table = {
        "name": "test",
        "seed": "s",
        "rounds": rounds,
        "concurrency": 2,
        "clock": "3600+60/600",  # a busy machine must not make a bot late
        "start_seconds": 60,
        "games": [{"id": "pavillon_noir", "variant": TINY}],
        "bots": [{"spec": "random", "name": name} for name in ("ann", "bob", "cid")],
        **more,
    }
    folder.manifest.write_text(write_text(make_manifest(table)))
    return folder


def start(folder: Folder, cluster: LocalCluster | None = None) -> subprocess.Popen[str]:
    """`tortuga tournament run`, on a cluster or here."""
    words = ["tournament", "run", str(folder.path), "--jail", str(LEVEL)]
    if cluster is not None:
        words += ["--cluster", cluster.address, "--certificates", str(cluster.certificates.folder), "--min-speed", "0"]
    return command(words)


def command(words: list[str], **environment: str) -> subprocess.Popen[str]:
    """Start `tortuga …`."""
    return subprocess.Popen(
        [*TIED_TO_US, sys.executable, "-m", "server", *words],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(running: subprocess.Popen[str], code: int = 0) -> str:
    """Wait for a command; gives what it printed."""
    out, err = running.communicate(timeout=PATIENCE_SECONDS)
    assert running.returncode == code, f"{out}\n{err}"
    return out + err


def finished(folder: Folder) -> list[str]:
    """The matches that the journal tells of as finished."""
    return [line["match"] for line in read_journal(folder.journal, ["match_finished"])]


def no_faults(folder: Folder) -> bool:
    """Whether all bots played as they should: those that crash come to the same rows everywhere, too."""
    return not list(read_journal(folder.journal, ["fault"]))


def wait_until(what: Callable[[], bool], why: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not what():
        assert time.monotonic() < end, why
        time.sleep(0.05)


def stories(folder: Folder) -> dict[str, bytes]:
    """What happened in each match, byte for byte."""
    return {path.name: read_record(path)[0].story.SerializeToString() for path in folder.records.iterdir()}


@sizes.sized
def test_the_same_rows_and_stories_as_on_one_machine(certificates: Certificates, tmp_path: Path) -> None:
    rounds = sizes.pick(quick=2, ci=3, full=6)
    here, there = make_event(tmp_path / "here", rounds), make_event(tmp_path / "there", rounds)
    finish(start(here))
    with started(certificates, tmp_path, workers=2) as cluster:
        said = finish(start(there, cluster))
        assert spans_of(cluster) == "NoSpans", "the scheduler would keep something of every block for ever"
        assert reports_kept(cluster) == 0, "the scheduler would keep the last reports of every run for ever"
    assert said.count(" plays, on ") == 2
    assert len(dump(here)["match"]) == 6 * rounds
    assert no_faults(here)
    assert dump(there) == dump(here)
    assert stories(there) == stories(here)
    records = [read_record(path)[0] for path in there.records.iterdir()]
    assert {record.host for record in records} == {socket.gethostname()}
    assert all(record.host_speed > 0 for record in records)
    assert all(seat.bundle_hash for record in records for seat in record.seats)


def spans_of(cluster: LocalCluster) -> str:
    """What the scheduler keeps of tasks that are over."""
    security = client_security(cluster.certificates)
    with Client(cluster.address, security=security, timeout=PATIENCE_SECONDS, set_as_default=False) as client:
        return str(client.run_on_scheduler(lambda dask_scheduler: type(dask_scheduler.extensions["spans"]).__name__))


def reports_kept(cluster: LocalCluster) -> int:
    """How many reports of blocks the scheduler still has."""
    security = client_security(cluster.certificates)
    with Client(cluster.address, security=security, timeout=PATIENCE_SECONDS, set_as_default=False) as client:
        return sum(len(kept) for topic, kept in client.get_events().items() if topic.startswith(REPORTS))


class Disturbed:
    """An event on a cluster in which something is killed or stopped at random moments."""

    def __init__(self, folder: Folder, cluster: LocalCluster, luck: random.Random) -> None:
        self.folder, self.cluster, self.luck = folder, cluster, luck
        self.runs = 0
        self.noted: set[int] = set()
        """Processes that have to end."""
        self.start()

    def start(self) -> None:
        """Run the event, or go on with it."""
        self.command = start(self.folder, self.cluster)
        self.runs += 1

    def is_over(self) -> bool:
        """Whether the command has ended. Until then, workers that have ended are replaced, as an organiser would do:
        on a busy machine, Dask gives up one that was not heard of for long, whoever was stopped."""
        gone = [one for one in self.cluster.workers if one.poll() is not None]
        for worker in gone:
            self.cluster.workers.remove(worker)
            self.cluster.start_worker()
        return self.command.poll() is not None

    def wait(self) -> bool:
        """Wait for some more results, and a moment. False: the event is over."""
        # A run first writes what the last one could not: such lines do not tell that it has reached the cluster.
        wait_until(lambda: self.is_over() or self.runs_begun() == self.runs, "it does not begin")
        more = len(finished(self.folder)) + self.luck.randrange(1, 5)
        wait_until(lambda: self.is_over() or len(finished(self.folder)) >= more, "nothing is played")
        time.sleep(self.luck.random() * 0.5)
        return not self.is_over()

    def runs_begun(self) -> int:
        """How many runs the journal tells of."""
        return len(list(read_journal(self.folder.journal, ["run_started"])))

    def strike(self, whom: str, how: str) -> None:
        """Kill or stop somebody, and do what an organiser would do then."""
        victim = {
            "worker": self.luck.choice(self.cluster.workers),
            "scheduler": self.cluster.scheduler,
            "parent": self.command,
        }[whom]
        assert victim is not None
        if how == "stop":
            os.kill(victim.pid, signal.SIGSTOP)
            time.sleep(self.luck.choice([0.5, 2.0, 8.0 if whom == "worker" else 1.0]))
            os.kill(victim.pid, signal.SIGCONT)
        else:
            self.noted |= tree_of(victim.pid, self.folder.path)
            victim.kill()
            victim.wait()
        self.mend(whom, how)

    def mend(self, whom: str, how: str) -> None:
        if whom == "scheduler" and how == "kill":
            out, err = self.command.communicate(timeout=PATIENCE_SECONDS)
            if self.command.returncode == 0:  # all results were in before it died
                assert len(finished(self.folder)) == 6 * ROUNDS, f"{out}\n{err}"
            else:
                assert self.command.returncode == 1, f"{out}\n{err}"
                assert "Go on with the same command" in err
            # Dask ends those that had joined; one that had not yet waits for a scheduler to come.
            deadline = time.monotonic() + 15
            while any(one.poll() is None for one in self.cluster.workers) and time.monotonic() < deadline:
                time.sleep(0.1)
            self.cluster.start_scheduler()
        elif whom == "parent" and how == "kill":
            self.command.communicate()
        if self.is_over():
            self.start()

    def finish(self) -> None:
        """Let the event come to its end."""
        wait_until(self.is_over, "it does not come to its end")
        finish(self.command)


@sizes.sized
@pytest.mark.timeout(PATIENCE_SECONDS * (2 + STRIKES))
@pytest.mark.parametrize("number", range(EVENTS))
def test_whatever_is_killed_or_stopped_nothing_is_lost_or_doubled(
    number: int, certificates: Certificates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "5s")
    luck = random.Random(number)
    strikes = [("worker", "kill"), ("scheduler", "kill"), ("parent", "kill")]
    strikes += [("worker", "stop"), ("parent", "stop"), ("scheduler", "stop")]
    whole = make_event(tmp_path / "whole", ROUNDS)
    finish(start(whole))
    struck = events = 0
    with started(certificates, tmp_path, workers=2) as cluster:
        while struck < STRIKES:
            events += 1
            assert events <= 2 * STRIKES, "events are over too soon to be disturbed"
            event = Disturbed(make_event(tmp_path / f"event{events}", ROUNDS), cluster, luck)
            while struck < STRIKES and event.wait():
                event.strike(*(strikes[struck % 3] if STRIKES <= 3 else luck.choice(strikes)))
                struck += 1
            event.finish()
            wait_until(lambda noted=event.noted: not any(map(is_alive, noted)), "processes of the killed are left")  # type: ignore[misc]
            check_exactly_once(event.folder, whole)


def check_exactly_once(folder: Folder, whole: Folder) -> None:
    """Nothing is lost, nothing is doubled, and if luck was kept it came to what it would have come to undisturbed."""
    told = finished(folder)
    assert len(told) == len(set(told)) == 6 * ROUNDS
    assert sorted(told) == sorted(row[0] for row in dump(folder)["match"])
    assert no_faults(folder)
    if HOLDS_LUCK:
        assert dump(folder) == dump(whole)
        assert stories(folder) == stories(whole)


@sizes.sized
def test_a_machine_that_is_asked_to_go_finishes_its_blocks_and_a_late_one_takes_over(
    certificates: Certificates, tmp_path: Path
) -> None:
    folder = make_event(tmp_path / "event", sizes.pick(quick=40, ci=60))  # not over before it leaves
    with started(certificates, tmp_path, workers=0) as cluster:
        run = start(folder, cluster)
        first = cluster.start_worker()
        wait_until(lambda: bool(finished(folder)), "nobody plays")
        wait_until(lambda: only_machine(cluster).busy_speed > 0, "no heartbeat tells its speed")
        machine = only_machine(cluster)
        assert (machine.state, machine.event, machine.host) == ("playing", "test", socket.gethostname())
        cluster.start_worker()
        first.terminate()
        assert first.wait(PATIENCE_SECONDS) == 0
        said = finish(run)
    assert f"{socket.gethostname()} has left" in said, "it may be gone before it is heard to be leaving"
    assert said.count(" plays, on ") == 2
    assert list(read_journal(folder.journal, ["match_void"])) == []
    assert len(finished(folder)) == len(dump(folder)["match"])


def only_machine(cluster: LocalCluster) -> MachineStatus:
    """What the one machine of a cluster said with its last heartbeat."""
    (machine,) = asyncio.run(read_status(cluster.address, cluster.certificates))
    return machine


def test_one_command_makes_a_cluster_that_a_manifest_names(certificates: Certificates, tmp_path: Path) -> None:
    port = free_port()
    words = ["cluster", "up", "--workers", "1", "--port", str(port), "--certificates", str(certificates.folder)]
    up = command(words)
    try:
        assert up.stdout is not None
        assert f"1 worker at tls://127.0.0.1:{port}" in up.stdout.readline()
        folder = make_event(tmp_path / "event", 1, cluster=f"tls://127.0.0.1:{port}")
        run = command(["tournament", "run", str(folder.path)], TORTUGA_CERTIFICATES=str(certificates.folder))
        assert finish(run).count(" plays, on ") == 1
    finally:
        up.send_signal(signal.SIGINT)
        finish(up)
    assert {read_record(path)[0].host for path in folder.records.iterdir()} == {socket.gethostname()}


def test_an_event_without_a_cluster_imports_nothing_of_it(tmp_path: Path) -> None:
    folder = make_event(tmp_path / "event", 1)
    script = (
        "import sys, click.testing, server.cli.main as cli\n"
        f"found = click.testing.CliRunner().invoke(cli.main, ['tournament', 'run', {str(folder.path)!r}])\n"
        "assert found.exit_code == 0, found.output\n"
        "print(*sys.modules)"
    )
    out = subprocess.run([*TIED_TO_US, sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert len(finished(folder)) == 6
    assert not [name for name in out.split() if name.startswith(("dask", "distributed", "server.cluster"))]


def test_whoever_has_no_certificate_of_the_cluster_is_refused(certificates: Certificates, tmp_path: Path) -> None:
    """Another authority's certificate, a certificate that signed itself, no encryption at all."""
    folder = make_event(tmp_path / "event", 1)
    other = Certificates(make_certificates(tmp_path / "other"))
    mixed = tmp_path / "mixed"  # it knows the cluster's authority, and shows a certificate of another one
    mixed.mkdir()
    for name, source in (("ca.pem", certificates), ("cert.pem", other), ("key.pem", other)):
        (mixed / name).write_bytes((source.folder / name).read_bytes())
        (mixed / name).chmod(0o600)
    with started(certificates, tmp_path, workers=0) as cluster:
        for wrong in (other, Certificates(mixed)):
            stranger = LocalCluster(wrong, cluster.port, tmp_path / "stranger.log")
            assert "cannot be reached" in finish(start(folder, stranger), 2)
            worker = stranger.start_worker()
            time.sleep(2.0)
            said = finish(status(cluster))
            assert "no machine has joined" in said
            worker.kill()
            worker.wait()
        with pytest.raises(OSError, match=r"Timed|ConnectionReset|closed"):
            Client(cluster.address.replace("tls://", "tcp://"), timeout=3)
        worker = cluster.start_worker()  # and it still serves those who belong to it
        wait_until(lambda: "idle" in finish(status(cluster)), "no machine joins")


def status(cluster: LocalCluster) -> subprocess.Popen[str]:
    """`tortuga cluster status`."""
    return command(["cluster", "status", cluster.address, "--certificates", str(cluster.certificates.folder)])
