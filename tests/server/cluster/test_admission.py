"""Which machines may play, and how fast they are."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.rules.infos import PLUGINS
from server.cluster import admission, calibration, settings
from server.cluster import certificates as certificates_module
from server.cluster.admission import compare_versions, own_versions, why_no_users, why_unfit
from server.cluster.certificates import make_certificates
from server.cluster.messages import MachineOrder
from server.cluster.scratch import owner_of_scratch, scratch_name
from server.cluster.settings import Certificates, check_address, dask_environment, find_certificates
from server.jail.limits import ResourceLimits
from support.certificates import need_openssl
from support.strangers import use_kuhn

ORDER = MachineOrder(
    run="r", event="e", level="none", limits=ResourceLimits(), concurrency=1, pin=False, games=("broadsides",)
)


def test_the_same_versions_are_fit() -> None:
    versions = own_versions(["broadsides", "pavillon_noir"])
    assert {"Tortuga", "code", "Python", "rules of broadsides", "messages of pavillon_noir"} <= set(versions)
    assert compare_versions(versions) == ""


@pytest.mark.parametrize("name", ["Tortuga", "code", "Python", "rules of broadsides", "messages of broadsides"])
def test_any_other_version_is_refused_and_named(name: str) -> None:
    versions = own_versions(["broadsides"])
    reason = compare_versions({**versions, name: "7x"})
    assert reason.startswith(f"{name} is {versions[name]} here and 7x there")
    assert "the same Tortuga" in reason


def test_something_that_we_do_not_know_is_refused() -> None:
    reason = compare_versions({**own_versions(["broadsides"]), "tides": "3"})
    assert re.match(r"tides .*missing.*\b3\b", reason)


def test_a_level_that_cannot_be_had_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why_unfit(ORDER) == ""
    monkeypatch.setattr(admission, "obstacle", lambda level: "bwrap is not installed")
    reason = why_unfit(ORDER)
    assert "level none" in reason
    assert reason.endswith(": bwrap is not installed")


def test_a_full_disk_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "FREE_BYTES", 1 << 62)
    reason = why_unfit(ORDER)
    assert f" {1 << 42} MiB are needed" in reason
    assert "TMPDIR" in reason


@pytest.mark.parametrize(
    ("uid_map", "fit"),
    [
        ("         0          0 4294967295\n", True),
        ("         0       1000          1\n         1     100000      65536\n", False),
        ("         0     100000 2000000000\n", True),
    ],
)
def test_root_in_a_container_needs_user_ids_for_bots(uid_map: str, fit: bool) -> None:
    assert (why_no_users(uid_map) == "") is fit


def test_a_machine_has_a_speed() -> None:
    alone, busy = calibration.measure(1)
    assert alone > 0
    assert busy > 0


def test_scratch_folders_tell_whose_they_are() -> None:
    assert owner_of_scratch(Path("/tmp") / scratch_name(4711, "ab12")) == 4711
    assert owner_of_scratch(Path("/tmp/tortuga-m47x_ab")) is None
    assert owner_of_scratch(Path("/tmp/tortuga-ab12")) is None


@pytest.mark.parametrize(
    "address", ["tcp://h:8786", "h:8786", "tls://h", "tls://:8786", "tls://h:port", "tls://h:99999"]
)
def test_an_address_without_encryption_or_port_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="expected tls://HOST:PORT"):
        check_address(address)


def test_certificates_are_private_made_once_and_of_one_authority(tmp_path: Path) -> None:
    need_openssl()
    one, two = make_certificates(tmp_path / "certs", "one"), make_certificates(tmp_path / "certs", "two")
    assert (one / "ca.pem").read_bytes() == (two / "ca.pem").read_bytes()
    assert (one / "key.pem").read_bytes() != (two / "key.pem").read_bytes()
    assert not (one / "ca-key.pem").exists(), "who can sign can let anybody in"
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "certs").rglob("*")} == {0}
    assert find_certificates(one) == Certificates(one)
    with pytest.raises(ConfigError, match="already exists"):
        make_certificates(tmp_path / "certs", "one")
    with pytest.raises(ConfigError, match="not a name for a folder"):
        make_certificates(tmp_path / "certs", "../three")
    with pytest.raises(ConfigError, match="without its key"):
        make_certificates(one)


def test_missing_certificates_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORTUGA_CERTIFICATES", raising=False)
    with pytest.raises(ConfigError, match=r"--certificates.*TORTUGA_CERTIFICATES"):
        find_certificates(None)
    monkeypatch.setenv("TORTUGA_CERTIFICATES", str(tmp_path))
    with pytest.raises(ConfigError, match=r"ca\.pem,.*cert\.pem,.*key\.pem"):
        find_certificates(None)


def test_a_key_that_everybody_can_read_is_refused(tmp_path: Path) -> None:
    need_openssl()
    place = make_certificates(tmp_path / "certs")
    (place / "key.pem").chmod(0o440)  # as Kubernetes mounts it, for a group of its own
    find_certificates(place)
    (place / "key.pem").chmod(0o644)
    with pytest.raises(ConfigError, match=r"key\.pem.*chmod 600"):
        find_certificates(place)


def test_an_expired_certificate_is_refused_before_dask_tries_it_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_openssl()
    monkeypatch.setattr(certificates_module, "YEARS", 0)
    monkeypatch.setattr(settings, "datetime", LaterClock)
    place = make_certificates(tmp_path / "certs")
    with pytest.raises(ConfigError, match=r"ca\.pem\sexpired.*20\d\d-\d\d-\d\d.*new"):
        find_certificates(place)
    (place / "ca.pem").write_text("nonsense")
    with pytest.raises(ConfigError, match=r"ca\.pem is not a cert"):
        find_certificates(place)


class LaterClock:
    """A clock that is a minute ahead."""

    @staticmethod
    def now(zone: tzinfo) -> datetime:
        """A minute from now."""
        return datetime.now(zone) + timedelta(minutes=1)


def test_nobody_can_switch_encryption_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION", "False")
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "7s")
    found = dask_environment()
    assert found["DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION"] == "True"
    assert found["DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL"] == "7s"
    assert found["DASK_DISTRIBUTED__SCHEDULER__WORK_STEALING"] == "False"


def test_a_machine_with_another_package_of_a_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    use_kuhn(monkeypatch)
    versions = own_versions(["kuhn"])
    assert compare_versions(versions) == ""
    plugin = replace(PLUGINS["kuhn"], package="kuhn-poker", version="1.5")
    monkeypatch.setitem(PLUGINS._loaded, "kuhn", plugin)
    assert "kuhn-poker 1.5" in compare_versions(versions)


def test_a_machine_without_a_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {**own_versions([]), "rules of tides": "1"}
    assert "rules of tides" in compare_versions(versions)
