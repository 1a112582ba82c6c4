"""A trial cluster on this machine."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from support.clusters import need_dask

need_dask()

from referee.errors import ConfigError  # noqa: E402 - what follows needs Dask
from server.cluster.certificates import make_certificates  # noqa: E402
from server.cluster.local import HOST, local_cluster  # noqa: E402
from server.cluster.settings import Certificates  # noqa: E402


def test_a_port_on_which_somebody_listens_is_refused_at_once(tmp_path: Path) -> None:
    certificates = Certificates(make_certificates(tmp_path / "certificates"))
    with socket.create_server((HOST, 0)) as other:
        port = other.getsockname()[1]
        with (
            pytest.raises(ConfigError, match=f"port {port} is in use: .*--port"),
            local_cluster(certificates, workers=0, port=port, log=tmp_path / "log"),
        ):
            pass
