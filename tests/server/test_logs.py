"""Logs hold no token and no secret."""

from __future__ import annotations

import json
import logging
import warnings

import pytest
import structlog

from server.arena.keys import new_token
from server.system import logs

OLD = "Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9"


@pytest.fixture
def _logging() -> object:
    root = logging.getLogger()
    before = root.handlers[:]
    logs.configure(verbose=True)
    yield
    structlog.reset_defaults()
    root.handlers[:] = before
    logging.captureWarnings(False)


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.usefixtures("_logging")
def test_no_token_reaches_a_log(as_json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Fault 29."""
    logs.configure(verbose=True, as_json=as_json)
    token, log = new_token(), structlog.get_logger()
    log.info("a", token=token, Authorization=f"Bearer {OLD}", bot="ann")
    log.info(f"said {token}")
    log.info("b", metadata={"x": [("authorization", f"Bearer {OLD}")], "y": token.encode()})
    log.info("c", error=ValueError(f"bad {token}!"))
    log.bind(url=f"http://h/?t={token}&u=1").warning("d")
    try:
        raise RuntimeError(token)
    except RuntimeError:
        held = token  # a local variable of the traceback
        log.exception("e")
        del held
    said = capsys.readouterr().err
    lines = said.splitlines()
    assert len(lines) >= 6
    assert not as_json or all(json.loads(line)["level"] for line in lines)
    assert "ann" in said
    assert "RuntimeError" in said
    assert token not in said
    assert token[4:] not in said
    assert OLD not in said
    assert said.count("[redacted]") >= 8


@pytest.mark.usefixtures("_logging")
def test_what_is_no_token_stays(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(verbose=True)
    structlog.get_logger().info("match_over", match="pavillon_noir-2-00001-0badcafe-0", commitment="ab" * 32)
    said = capsys.readouterr().err
    assert "pavillon_noir-2-00001-0badcafe-0" in said
    assert "ab" * 32 in said


@pytest.mark.usefixtures("_logging")
def test_libraries_write_json_lines_too(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    root.handlers[:] = []  # those of pytest
    logs.configure(verbose=True, as_json=True)
    logs.configure(verbose=True, as_json=True)  # it takes over once
    token = new_token()
    logging.getLogger("grpc._cython.cygrpc").error("Unexpected [%s] raised\nby %s", "RuntimeError", token)
    logging.getLogger("asyncio").warning("%d %d", "not a number")  # a message that cannot be made
    warnings.warn("something is old", UserWarning, stacklevel=1)
    try:
        raise RuntimeError("boom")
    except RuntimeError:
        logging.getLogger("asyncio").exception("Task exception was never retrieved")
    said = capsys.readouterr().err
    lines = [json.loads(line) for line in said.splitlines()]
    assert [line["logger"] for line in lines] == ["grpc._cython.cygrpc", "asyncio", "py.warnings", "asyncio"]
    assert lines[0]["level"] == "error"
    assert "boom" in lines[-1]["exception"]
    assert token not in said
