"""What people and programs see of a check: a line per step, JSON, JUnit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from rich.console import Console
from rich.text import Text

from referee.errors import ConfigError
from server.bots.spec import BotSpec
from server.conformance.check import Finding, Verdict

COLOURS = {Verdict.PASS: "green", Verdict.FAIL: "bold red", Verdict.SKIP: "yellow"}
NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def show_finding(out: Console, found: Finding) -> None:
    """One step."""
    line = Text()
    line.append(f"{found.verdict:<5}", style=COLOURS[found.verdict])
    line.append(f"{found.id:<24}")
    said = found.title if found.verdict is Verdict.PASS and not found.detail else f"{found.title}: {found.detail}"
    line.append(said)
    if found.seconds >= 0.1:
        line.append(f"  {found.seconds:.1f} s", style="dim")
    out.print(line, soft_wrap=True)
    for words in explanation(found):
        out.print(Text(f"        {words}"), soft_wrap=True)


def explanation(found: Finding) -> list[str]:
    """All that is known of a failure."""
    return [*found.exchange, *(f"  {line}" if number else line for number, line in enumerate(after_lines(found)))]


def after_lines(found: Finding) -> list[str]:
    """The aftermath, line by line."""
    return found.aftermath.split("\n") if found.aftermath else []


def show_sum(out: Console, spec: BotSpec, findings: Sequence[Finding], seconds: float) -> None:
    """The last line."""
    counts = {verdict: sum(found.verdict is verdict for found in findings) for verdict in Verdict}
    word, style = ("sound", "green") if is_sound(findings) else ("NOT SOUND", "bold red")
    line = Text(f"{spec.name}: ")
    line.append(word, style=style)
    line.append(
        f"; {counts[Verdict.PASS]} passed, {counts[Verdict.FAIL]} failed, {counts[Verdict.SKIP]} skipped "
        f"in {seconds:.1f} s"
    )
    out.print(line, soft_wrap=True)


def is_sound(findings: Sequence[Finding]) -> bool:
    """Whether no step failed."""
    return all(found.verdict is not Verdict.FAIL for found in findings)


def as_json(spec: BotSpec, findings: Sequence[Finding]) -> dict[str, Any]:
    """A check for programs."""
    return {
        "bot": spec.name,
        "sound": is_sound(findings),
        "steps": [
            {
                "id": found.id,
                "title": found.title,
                "verdict": str(found.verdict),
                "detail": found.detail,
                "exchange": list(found.exchange),
                "aftermath": found.aftermath,
                "seconds": round(found.seconds, 3),
            }
            for found in findings
        ],
    }


def write_junit(path: Path, spec: BotSpec, findings: Sequence[Finding]) -> None:
    """A check for CI systems: one test case per step."""
    suite = ElementTree.Element(
        "testsuite",
        name=f"tortuga bot check {spec.name}",
        tests=str(len(findings)),
        failures=str(sum(found.verdict is Verdict.FAIL for found in findings)),
        errors="0",
        skipped=str(sum(found.verdict is Verdict.SKIP for found in findings)),
        time=f"{sum(found.seconds for found in findings):.3f}",
    )
    for found in findings:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"tortuga.check.{spec.name}", name=found.id, time=f"{found.seconds:.3f}"
        )
        if found.verdict is Verdict.FAIL:
            failure = ElementTree.SubElement(case, "failure", message=NO_XML.sub("?", found.detail))
            failure.text = NO_XML.sub("?", "\n".join([found.title, *explanation(found)]))
        elif found.verdict is Verdict.SKIP:
            ElementTree.SubElement(case, "skipped", message=NO_XML.sub("?", found.detail))
    tree = ElementTree.ElementTree(suite)
    ElementTree.indent(tree)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tree.write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from None
