"""An arena whose hosted bots play on a cluster of real processes, which die in the middle."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from support.clusters import need_dask

need_dask()

from referee.records.record import read_record  # noqa: E402 - what follows needs Dask
from server.bots.spec import find_bot  # noqa: E402
from server.cluster.certificates import make_certificates  # noqa: E402
from server.cluster.local import local_cluster  # noqa: E402
from server.cluster.settings import Certificates  # noqa: E402
from support.clusters import processes_of  # noqa: E402
from support.command import assert_nothing_left  # noqa: E402
from support.ladders import make_config  # noqa: E402
from support.served import PATIENCE_SECONDS, Served, check_ladder, dialled_in, wait_for  # noqa: E402
from tortuga.v1 import arena_pb2 as pb  # noqa: E402
from tortuga.v1 import record_pb2  # noqa: E402

pytestmark = pytest.mark.timeout(12 * PATIENCE_SECONDS)  # as often as it waits

CUP = """
name = "cup"
seed = "s"
rounds = 2
clock = "3600+60/600"
start_seconds = 60
games = [{ id = "pavillon_noir", variant = { max_rounds = 1 } }]
bots = [{ spec = "ann" }, { spec = "bob" }, { spec = "own" }]
"""


def records(folder: Path) -> list[record_pb2.Record]:
    """All records of an event, or of the ladders."""
    return [read_record(path)[0] for path in (folder / "records").glob("*.tortuga")]


def hosts(served: Served) -> Counter[str]:
    """How many matches were played on which machine; the empty one is the arena itself."""
    return Counter(record.host for record in records(served.path / "ladder"))


def wait_for_more(served: Served, host: str, count: int = 3) -> None:
    """Until a machine has played some matches more."""
    before = hosts(served)[host]
    wait_for(lambda: hosts(served)[host] >= before + count)


def test_hosted_bots_play_on_the_cluster_whatever_dies(tmp_path: Path) -> None:
    certificates = Certificates(make_certificates(tmp_path / "certificates"))
    here = socket.gethostname()
    with local_cluster(certificates, workers=1, log=tmp_path / "dask.log") as cluster:
        config = make_config(
            cluster=cluster.address,
            cluster_certificates=str(certificates.folder),
            cluster_min_speed=0.0,
            matches_at_once=4,
            matches_per_bot=2,
            rest_seconds=0.3,
            suspend_faults=0,
            trust_hosted=True,
        )
        served = Served(tmp_path, config).start()
        pids = {one.pid for one in cluster.workers}
        try:
            shutil.copytree(Path(str(find_bot("random").folder)), tmp_path / "own")
            for name, spec in (("ann", "random"), ("bob", "random"), ("own", str(tmp_path / "own"))):
                served.admin.HostBot(pb.HostBotRequest(spec=spec, name=name))
            wait_for_more(served, here)
            wait_for(lambda: "1 machine plays" in served.status().cluster)

            with dialled_in(served.bots, served.add("far")):  # who meets a remote bot plays at the arena's own tables
                wait_for_more(served, "")
                wait_for_more(served, here)

            kill(cluster.workers[-1])
            wait_for_more(served, "")
            pids.add(cluster.start_worker().pid)
            wait_for_more(served, here)

            kill(cluster.scheduler)
            wait_for(lambda: "is away, hosted bots play here" in served.status().cluster)
            wait_for_more(served, "")
            for worker in cluster.workers:
                worker.wait(PATIENCE_SECONDS)  # workers end with their scheduler
            cluster.start_scheduler()
            pids.add(cluster.start_worker().pid)
            wait_for_more(served, here)

            served.admin.CreateEvent(pb.CreateEventRequest(name="cup", manifest=CUP))
            served.admin.StartEvent(pb.StartEventRequest(name="cup"))
            cup = pb.GetEventRequest(name="cup")
            wait_for(lambda: served.api.GetEvent(cup).event.state == pb.EVENT_STATE_FINISHED)
            told = served.told()
            served.signal()
            assert served.end() == 0
        finally:
            served.close()
        wait_for(lambda: not processes_of(pids))  # the machine has let go of the arena's bots, and waits for others
        assert cluster.workers[-1].poll() is None
    assert served.log().count("cluster_away") == 1
    check_ladder(served.path, told)
    check_programs(served.path)
    played = Counter(record.host for record in records(served.path / "events" / "cup"))
    assert played.total() == 12
    assert played[here] > 0
    assert_nothing_left(tmp_path)


def check_programs(path: Path) -> None:
    """A record names the same program wherever it was played: the bundle that the arena has, byte for byte."""
    [bundle] = (path / "bundles").glob("??/*.tar")
    found = {
        (bool(record.host), seat.bundle_hash.hex())
        for record in records(path / "ladder")
        for seat in record.seats
        if seat.bot_name == "own"
    }
    assert found == {(False, bundle.stem), (True, bundle.stem)}


def kill(process: subprocess.Popen[bytes] | None) -> None:
    """Kill -9, and wait until it is dead."""
    assert process is not None
    process.kill()
    process.wait()
