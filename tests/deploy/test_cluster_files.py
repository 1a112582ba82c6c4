"""The files that make a cluster under Kubernetes and Slurm, checked as far as a machine without either can."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from server.cluster.machine import LEAVE_SECONDS
from server.cluster.settings import PORT
from support.command import ROOT
from support.parsing import parse
from support.served import PATIENCE_SECONDS, wait_for

yaml = pytest.importorskip("yaml", reason="PyYAML comes with Dask")

DEPLOY = ROOT / "deploy"
USER = 10001
PORTS = "40000:40010"


def documents() -> dict[tuple[str, str], dict[str, Any]]:
    """The parts of the manifest, by kind and name."""
    found = [one for one in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()) if one]
    assert all(
        one["apiVersion"] == {"Deployment": "apps/v1", "DaemonSet": "apps/v1"}.get(one["kind"], "v1") for one in found
    )
    return {(one["kind"], one["metadata"]["name"]): one for one in found}


def pod(document: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A pod and its only container; its labels are those that are selected."""
    template = document["spec"]["template"]
    assert template["metadata"]["labels"] == document["spec"]["selector"]["matchLabels"]
    (container,) = template["spec"]["containers"]
    return template["spec"], container


def test_the_parts_of_the_manifest_name_each_other() -> None:
    found = documents()
    assert set(found) == {
        ("Namespace", "tortuga"),
        ("Service", "tortuga-scheduler"),
        ("Deployment", "tortuga-scheduler"),
        ("DaemonSet", "tortuga-worker"),
    }
    assert all(one["metadata"].get("namespace") == "tortuga" for (kind, _), one in found.items() if kind != "Namespace")
    service, scheduler = found["Service", "tortuga-scheduler"]["spec"], found["Deployment", "tortuga-scheduler"]
    assert service["selector"] == scheduler["spec"]["template"]["metadata"]["labels"]
    (port,) = service["ports"]
    (listening,) = pod(scheduler)[1]["ports"]
    assert (port["port"], port["targetPort"]) == (PORT, listening["name"])
    assert listening["containerPort"] == PORT
    assert scheduler["spec"]["replicas"] == 1


@pytest.mark.parametrize(
    ("kind", "name", "command"),
    [("Deployment", "tortuga-scheduler", "scheduler"), ("DaemonSet", "tortuga-worker", "worker")],
)
def test_its_pods_run_our_commands_with_certificates_and_without_rights(kind: str, name: str, command: str) -> None:
    spec, container = pod(documents()[kind, name])
    assert parse(container["args"]) == command
    folder = container["args"][container["args"].index("--certificates") + 1]
    mounts = {one["mountPath"]: one for one in container["volumeMounts"]}
    assert mounts[folder]["readOnly"] is True
    volumes = {one["name"]: one for one in spec["volumes"]}
    assert {one["name"] for one in mounts.values()} == set(volumes)
    secret = volumes[mounts[folder]["name"]]["secret"]
    assert f"create secret generic {secret['secretName']} " in (DEPLOY / "kubernetes.yaml").read_text()
    assert (secret["defaultMode"], spec["securityContext"]["fsGroup"]) == (0o440, USER), (
        "our user reads it by its group"
    )
    assert f"--uid {USER}" in (DEPLOY / "Dockerfile").read_text()
    assert spec["automountServiceAccountToken"] is False
    assert container["securityContext"] == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert container["image"] == "tortuga"


def test_a_worker_is_reached_has_time_to_go_and_is_never_slowed_down() -> None:
    spec, container = pod(documents()["DaemonSet", "tortuga-worker"])
    args = container["args"]
    assert args[2] == f"tls://tortuga-scheduler:{PORT}"
    assert args[args.index("--ports") + 1] == PORTS
    (variable,) = re.findall(r"\$\((\w+)\)", " ".join(args))
    assert [one["name"] for one in container["env"]] == [variable]
    assert container["ports"][0]["containerPort"] == int(PORTS.split(":")[0])
    assert spec["terminationGracePeriodSeconds"] > LEAVE_SECONDS
    assert container["resources"]["requests"] == container["resources"]["limits"]


def test_the_slurm_script_is_sound_and_runs_our_command() -> None:
    path = DEPLOY / "workers.sbatch"
    subprocess.run(["bash", "-n", str(path)], check=True)
    text = path.read_text()
    options = dict(re.findall(r"^#SBATCH --([a-z-]+)(?:=(\S+))?$", text, re.MULTILINE))
    assert options["ntasks-per-node"] == "1", "one worker per machine"
    assert "exclusive" in options
    name, _, seconds = options["signal"].partition("@")
    assert (name, int(seconds) > LEAVE_SECONDS) == ("B:TERM", True), "the script alone is warned: a step loses its bots"
    command = text[text.index('tortuga cluster worker "$address"') :].partition(" &\n")[0]
    words = shlex.split(command.replace('"$address"', "tls://head:8786").replace('"$certificates"', str(ROOT)))
    assert parse(words[1:]) == "worker"
    assert words[-1] == PORTS


SRUN = """#!/bin/bash
# One node: runs what comes after the options, here.
while [[ $1 == --* ]]; do shift; done
exec "$@"
"""
WORKER = """#!/bin/bash
# Waits like a worker, and goes when it is asked to.
trap 'echo asked >>"$PLACE/said"; exit 0' TERM
echo "$*" >"$PLACE/started"
while :; do sleep 0.05; done
"""


def test_a_warning_of_slurm_reaches_the_worker_alone_and_the_script_waits_for_it(tmp_path: Path) -> None:
    for name, text in (("srun", SRUN), ("tortuga", WORKER)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    job = f"test-{os.getpid()}"
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PLACE": str(tmp_path), "SLURM_JOB_ID": job}
    words = ["bash", str(DEPLOY / "workers.sbatch"), "tls://head:8786", "certs"]
    with subprocess.Popen(words, env=environment, start_new_session=True) as script:
        try:
            wait_for(lambda: (tmp_path / "started").exists())
            script.terminate()
            assert script.wait(PATIENCE_SECONDS) == 0
        finally:
            with suppress(ProcessLookupError):
                os.killpg(script.pid, signal.SIGKILL)
    started = (tmp_path / "started").read_text().split()
    assert started[:5] == ["cluster", "worker", "tls://head:8786", "--certificates", "certs"]
    assert (tmp_path / "said").read_text() == "asked\n"
    assert not Path(f"/tmp/tortuga-worker-{job}").exists()
