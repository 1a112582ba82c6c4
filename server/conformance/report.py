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


def explanation(finding: Finding) -> list[str]:
    """Return all that is known of a failure, line by line."""
    aftermath = finding.aftermath.split("\n") if finding.aftermath else []
    return [*finding.exchange, *aftermath[:1], *(f"  {line}" for line in aftermath[1:])]


def is_sound(findings: Sequence[Finding]) -> bool:
    """Check whether no step failed."""
    return all(finding.verdict is not Verdict.FAIL for finding in findings)


def findings_json(spec: BotSpec, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return a check as JSON for programs."""
    return {
        "bot": spec.name,
        "sound": is_sound(findings),
        "steps": [
            {
                "id": finding.id,
                "title": finding.title,
                "verdict": str(finding.verdict),
                "detail": finding.detail,
                "exchange": list(finding.exchange),
                "aftermath": finding.aftermath,
                "seconds": round(finding.seconds, 3),
            }
            for finding in findings
        ],
    }


def write_junit(path: Path, spec: BotSpec, findings: Sequence[Finding]) -> None:
    """Write a check for CI systems: one test case per step."""
    suite = ElementTree.Element(
        "testsuite",
        name=f"tortuga bot check {spec.name}",
        tests=str(len(findings)),
        failures=str(sum(finding.verdict is Verdict.FAIL for finding in findings)),
        errors="0",
        skipped=str(sum(finding.verdict is Verdict.SKIP for finding in findings)),
        time=f"{sum(finding.seconds for finding in findings):.3f}",
    )
    for finding in findings:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"tortuga.check.{spec.name}", name=finding.id, time=f"{finding.seconds:.3f}"
        )
        if finding.verdict is Verdict.FAIL:
            failure = ElementTree.SubElement(case, "failure", message=NOT_XML.sub("?", finding.detail))
            failure.text = NOT_XML.sub("?", "\n".join([finding.title, *explanation(finding)]))
        elif finding.verdict is Verdict.WARN:
            ElementTree.SubElement(case, "system-out").text = NOT_XML.sub("?", f"warning: {finding.detail}")
        elif finding.verdict is Verdict.SKIP:
            ElementTree.SubElement(case, "skipped", message=NOT_XML.sub("?", finding.detail))
    tree = ElementTree.ElementTree(suite)
    ElementTree.indent(tree)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tree.write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from None
