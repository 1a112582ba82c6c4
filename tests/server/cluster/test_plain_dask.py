"""What Dask's client reads in our process: plain values and nothing else. It runs in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.clusters import need_dask

need_dask()

SCRIPT = """
import asyncio, enum, os, pickle, sys, warnings
from pathlib import Path
from distributed import client, core, protocol
from distributed.protocol import Serialize, ToPickle
from server.cluster.plain_dask import NOT_READ, refuse_pickles

class Hostile:
    def __reduce__(self):
        return Path.touch, (Path(sys.argv[1]),)

class Color(enum.Enum):
    RED = 1

content = pickle.dumps(Hostile())
messages = [{"op": "x", "what": wrap} for wrap in (Serialize(Hostile()), ToPickle(Hostile()), Hostile(), Color.RED)]
sent = [protocol.dumps(message) for message in messages]
refuse_pickles()
for frames in sent:
    print(protocol.loads(frames)["what"] == NOT_READ)
print(protocol.loads(protocol.dumps({"a": [1, "b", b"c", {2, 3}]})) == {"a": (1, "b", b"c", {2, 3})})
_, error, trace = core.clean_exception(content, content)
print(type(error) is Exception and trace is None)
state = client.FutureState("key")

async def fail():
    state.set_error(content, content)

asyncio.run(fail())
print(state.status == "error")
for event in ({"message": content}, {"message": content, "category": content}):
    try:
        client._handle_warn((0, event))
    except TypeError:
        print(True)
print(not Path(sys.argv[1]).exists())
"""


def test_no_way_of_dasks_client_unpickles_anything(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "mark")], capture_output=True, text=True, check=False
    )
    assert ran.stdout.split() == ["True"] * 10, ran.stdout + ran.stderr
