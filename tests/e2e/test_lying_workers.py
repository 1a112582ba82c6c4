"""Workers of a cluster that lie, as real processes: what they send does not count, and runs no code in the parent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.clusters import need_dask

need_dask()

from referee.records.record import read_record  # noqa: E402 - what follows needs Dask
from referee.records.verify import verify  # noqa: E402
from server.cluster.certificates import make_certificates  # noqa: E402
from server.cluster.local import LocalCluster, local_cluster  # noqa: E402
from server.cluster.settings import Certificates, dask_environment, worker_command  # noqa: E402
from server.tournament.folder import Folder  # noqa: E402
from server.tournament.journal import read_journal  # noqa: E402
from server.tournament.manifest import make_manifest, write_text  # noqa: E402
from support import sizes  # noqa: E402
from support.command import TIED_TO_US  # noqa: E402
from support.events import TINY, dump  # noqa: E402
from support.lying_worker import LIE, LIES, MARKS  # noqa: E402

PATIENCE_SECONDS = 240.0
ROUNDS = sizes.pick(ci=40, full=120)

pytestmark = pytest.mark.timeout(3 * PATIENCE_SECONDS)


def place_of(lie: str) -> str:
    """The address of the worker that lies so."""
    return f"127.0.0.{2 + LIES.index(lie)}"


def start_liar(cluster: LocalCluster, lie: str, marks: Path, log: Path) -> subprocess.Popen[bytes]:
    """A worker that lies, at an address of its own."""
    command = worker_command(cluster.certificates, cluster.address, name=lie, host=place_of(lie))
    path = os.pathsep.join(["tests", os.environ.get("PYTHONPATH", "")])
    environment = {**dask_environment(), LIE: lie, MARKS: str(marks), "PYTHONPATH": path}
    with log.open("ab") as output:
        worker = subprocess.Popen(
            [*TIED_TO_US, *command, "--preload", "support.lying_worker"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    cluster.workers.append(worker)
    return worker


@sizes.sized
def test_workers_that_lie_are_refused_and_the_others_play_the_event(tmp_path: Path) -> None:
    certificates = Certificates(make_certificates(tmp_path / "certificates"))
    folder, marks = Folder(tmp_path / "event"), tmp_path / "marks"
    folder.path.mkdir()
    marks.mkdir()
    bots = [{"spec": "random", "name": name} for name in ("ann", "bob", "cid")]
    event = {"name": "test", "seed": "s", "rounds": ROUNDS, "concurrency": 2, "clock": "3600+60/600"}
    games = [{"id": "pavillon_noir", "variant": TINY}]
    folder.manifest.write_text(write_text(make_manifest({**event, "start_seconds": 60, "games": games, "bots": bots})))
    with local_cluster(certificates, workers=1, log=tmp_path / "dask.log") as cluster:
        for lie in LIES:
            start_liar(cluster, lie, marks, tmp_path / f"{lie}.log")
        words = ["tournament", "run", str(folder.path), "--cluster", cluster.address, "--min-speed", "0"]
        run = subprocess.Popen(
            [
                *TIED_TO_US,
                sys.executable,
                "-m",
                "server",
                *words,
                "--certificates",
                str(certificates.folder),
                "--jail",
                "none",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said, _ = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == 0, said
    refused = [line for line in said.splitlines() if "does not play" in line]
    for lie in ("pickles", "winner", "path"):  # the scheduler may end the other one before we refuse it
        assert any(place_of(lie) in line for line in refused), f"{lie}\n{said}"
    assert str(run.pid) not in {path.name for path in marks.iterdir()}, "a pickle was read in the parent"
    check_bystanders(folder)
    assert not list(tmp_path.glob("*.tortuga")) + list(folder.path.glob("*.tortuga"))


def check_bystanders(folder: Folder) -> None:
    """Every match was played by the honest worker, counts, and holds; no bot had a fault."""
    records = [read_record(path) for path in folder.records.iterdir()]
    assert len(records) == len(dump(folder)["match"]) == 6 * ROUNDS
    for record, sealed in records:
        verify(record, sealed=sealed)
    hosts = {record.host for record, _ in records}
    assert len(hosts) == 1, hosts
    assert not any(place_of(lie) in host for host in hosts for lie in LIES)
    assert not list(read_journal(folder.journal, ["fault"]))
    voids = [line["reason"] for line in read_journal(folder.journal, ["match_void"])]
    assert all("the truth" in reason or "is gone" in reason for reason in voids), voids
