"""What lies in deploy/, checked as far as a machine without Docker can: instructions, files, commands, users."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.command import ROOT
from support.parsing import parse

DEPLOY = ROOT / "deploy"
INSTRUCTIONS = {
    *("FROM", "RUN", "COPY", "WORKDIR", "ENV", "USER", "VOLUME", "EXPOSE", "ARG"),
    *("STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"),
}
PORTS = {"7071", "7072", "7080"}
"""Those of the default settings."""


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile: a line may go on in the next, comments are left out."""
    lines = [line for line in (DEPLOY / "Dockerfile").read_text().splitlines() if not line.lstrip().startswith("#")]
    text = re.sub(r"\\\n", " ", "\n".join(lines))
    found = [line.partition(" ") for line in text.splitlines() if line.strip()]
    return [(name, rest.strip()) for name, _, rest in found]


def stages() -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for name, rest in instructions():
        if name == "FROM":
            found.append([])
        found[-1].append((name, rest))
    return found


def test_the_dockerfile_has_two_stages_of_known_instructions() -> None:
    assert {name for name, _ in instructions()} <= INSTRUCTIONS
    build, last = stages()
    assert build[0][1].endswith(" AS build")
    assert " AS " not in last[0][1]
    for stage in (build, last):
        image = stage[0][1].split()[0]
        assert re.fullmatch(r"[a-z]+:[\w.-]+", image), "from the usual place, with a version"


def test_the_image_is_built_from_files_that_are_there_and_all_that_the_wheel_needs() -> None:
    build, last = stages()
    copied = [word for name, rest in build if name == "COPY" for word in rest.split()[:-1]]
    for path in copied:
        assert (ROOT / path).exists(), path
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    for path in [*wheel, project["project"]["readme"], "requirements.lock"]:
        assert any(path == one or path.startswith(f"{one}/") for one in copied), f"{path} is not copied"
    assert any('".[$EXTRAS]"' in rest for _, rest in build if "pip install" in rest)
    extras = next(re.fullmatch(r"EXTRAS=([a-z,]+)", rest) for name, rest in build if name == "ARG")
    assert extras is not None
    assert set(extras[1].split(",")) <= set(project["project"]["optional-dependencies"])
    [across] = [rest.split() for name, rest in last if name == "COPY"]
    assert across[0] == "--from=build"


def test_the_lock_becomes_constraints_with_every_version() -> None:
    """The sed of the Dockerfile, run on the lock."""
    [words] = [rest for name, rest in stages()[0] if name == "RUN"]
    command = words.partition(" > ")[0]
    found = subprocess.run(shlex.split(command), cwd=ROOT, check=True, capture_output=True, text=True).stdout
    lines = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if "==" in line]
    assert len(found.splitlines()) == len(lines) > 20
    assert "hash" not in found
    assert not [line for line in found.splitlines() if line.rstrip() != line or "\\" in line]


ADD_USER = "useradd --system --uid 10001 --create-home --home-dir /home/tortuga"


def test_the_container_runs_as_nobody_special_and_its_commands_are_real() -> None:
    last = stages()[-1]
    found = dict(last)
    names = [name for name, _ in last]
    assert found["USER"] not in ("root", "0")
    assert f"{ADD_USER} {found['USER']}" in found["RUN"]
    assert names.index("USER") < names.index("ENTRYPOINT")
    entry, command = json.loads(found["ENTRYPOINT"]), json.loads(found["CMD"])
    assert entry == ["tortuga"]
    assert parse(command) == "serve"
    check = re.fullmatch(r"(?:--\S+ +)+CMD (\[.*\])", found["HEALTHCHECK"])
    assert check is not None
    program, *words = json.loads(check[1])
    assert (program, parse(words)) == ("tortuga", "status")
    assert words[words.index("--dir") + 1] == command[1], "it looks at the arena that is served"
    assert command[1].startswith(found["VOLUME"])
    assert set(found["EXPOSE"].split()) == PORTS


def test_the_compose_file_is_of_one_piece_with_the_image() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    if find_spec("yaml"):
        assert set(import_module("yaml").safe_load(text)) == {"services", "volumes"}
    assert "\t" not in text
    assert all((len(line) - len(line.lstrip())) % 2 == 0 for line in text.splitlines())
    found = re.search(r"command: (\[.*\])$", text, re.MULTILINE)
    assert found is not None
    words = [re.sub(r"\$\{\w+:\?[^}]*\}", "arena.example.org", word) for word in json.loads(found[1])]
    assert parse(words) == "serve"
    assert words[1] == json.loads(dict(stages()[-1])["CMD"])[1]
    assert set(re.findall(r'- "(?:[\d.]+:)?\d+:(\d+)"', text)) == PORTS
    assert (DEPLOY / re.findall(r"context: (\S+)", text)[0] / re.findall(r"dockerfile: (\S+)", text)[0]).exists()
    for line in ("read_only: true", "- ALL", "- no-new-privileges:true", "- arena:/data"):
        assert line in text
    assert '"127.0.0.1:7080:7080"' in text, "pages speak plain HTTP"
    grace = re.search(r"stop_grace_period: (\d+)s", text)
    assert grace is not None
    assert int(grace[1]) >= 45, "matches may finish for drain_seconds"


def service() -> dict[str, list[str]]:
    lines = (DEPLOY / "tortuga.service").read_text().splitlines()
    found: dict[str, list[str]] = {}
    for name, equals, value in (line.partition("=") for line in lines if not line.startswith("#")):
        if equals:
            found.setdefault(name, []).append(value)
    return found


def test_the_service_runs_a_real_command_as_a_user_of_its_own() -> None:
    unit = service()
    program, *words = shlex.split(unit["ExecStart"][0])
    assert (Path(program).name, parse(words)) == ("tortuga", "serve")
    assert unit["User"][0] not in ("root", "0", "")
    assert Path(words[1]).is_relative_to(Path("/var/lib") / unit["StateDirectory"][0])
    assert unit["NoNewPrivileges"] == ["yes"]
    assert int(unit["TimeoutStopSec"][0]) >= 45, "matches may finish for drain_seconds"
    assert set(unit["Delegate"][0].split()) == {"cpu", "memory", "pids"}, "hosted bots are counted in groups"
    assert not {"RestrictNamespaces", "ProtectControlGroups"} & set(unit), "the jail needs them"


def test_systemd_understands_the_service(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    text = (DEPLOY / "tortuga.service").read_text()
    copy = tmp_path / "tortuga.service"
    copy.write_text(re.sub(r"(?m)^ExecStart=\S+", f"ExecStart={shutil.which('true')}", text))
    done = subprocess.run(["systemd-analyze", "verify", str(copy)], capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "tortuga" in line]
    assert not said, said
