"""The findings of a check as JSON and as JUnit XML. The lines for people are in server/cli/bot/check.py."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from referee.errors import ConfigError
from server.bots.spec import BotSpec
from server.conformance.check import Finding, Verdict

NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def explanation(found: Finding) -> list[str]:
    """Return all that is known of a failure, line by line."""
    aftermath = found.aftermath.split("\n") if found.aftermath else []
    return [*found.exchange, *aftermath[:1], *(f"  {line}" for line in aftermath[1:])]


def is_sound(findings: Sequence[Finding]) -> bool:
    """Check whether no step failed."""
    return all(found.verdict is not Verdict.FAIL for found in findings)


def findings_json(spec: BotSpec, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return a check as JSON for programs."""
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
    """Write a check for CI systems: one test case per step."""
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
            failure = ElementTree.SubElement(case, "failure", message=NOT_XML.sub("?", found.detail))
            failure.text = NOT_XML.sub("?", "\n".join([found.title, *explanation(found)]))
        elif found.verdict is Verdict.WARN:
            ElementTree.SubElement(case, "system-out").text = NOT_XML.sub("?", f"warning: {found.detail}")
        elif found.verdict is Verdict.SKIP:
            ElementTree.SubElement(case, "skipped", message=NOT_XML.sub("?", found.detail))
    tree = ElementTree.ElementTree(suite)
    ElementTree.indent(tree)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tree.write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from None
