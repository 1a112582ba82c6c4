"""The contract only grows: generated code is fresh, everything is commented, and no field of an earlier day is gone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FileDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto
from google.protobuf.message import Message

from tortuga.v1 import arena_pb2, record_pb2, referee_pb2

ROOT = Path(__file__).parents[2]
KNOWN = Path(__file__).with_name("known_fields.json")
"""Every field and enum value ever released. `python tests/proto/test_evolution.py` adds the new ones."""


def fields() -> dict[str, str]:
    """Name of every field and enum value -> its number and type, as a wire sees them."""
    found: dict[str, str] = {}

    def walk_enum(enum: EnumDescriptor) -> None:
        for value in enum.values:
            found[f"{enum.full_name}.{value.name}"] = f"{value.number}"

    def walk(message: Descriptor) -> None:
        for field in message.fields:
            kind = field.message_type or field.enum_type
            label = "repeated " if field.is_repeated else ""
            found[field.full_name] = f"{field.number} {label}{kind.full_name if kind else field.type}"
        for nested in message.nested_types:
            walk(nested)
        for enum in message.enum_types:
            walk_enum(enum)

    for file in files():
        for message in file.message_types_by_name.values():
            walk(message)
        for enum in file.enum_types_by_name.values():
            walk_enum(enum)
    return found


def files() -> list[FileDescriptor]:
    """All our proto files: those with a service, records, and what they import."""
    found: dict[str, FileDescriptor] = {}

    def add(file: FileDescriptor) -> None:
        found[file.name] = file
        for other in file.dependencies:
            add(other)

    add(arena_pb2.DESCRIPTOR)
    add(record_pb2.DESCRIPTOR)
    add(referee_pb2.DESCRIPTOR)
    return [found[name] for name in sorted(found)]


def test_nothing_that_was_released_has_gone_or_changed() -> None:
    known, now = json.loads(KNOWN.read_text()), fields()
    changed = {name: (was, now.get(name)) for name, was in known.items() if now.get(name) != was}
    assert not changed, "reserve what goes and add a new field for what changes"


def test_what_is_new_is_written_down() -> None:
    known = json.loads(KNOWN.read_text())
    assert not sorted(set(fields()) - set(known)), f"run `python {Path(__file__).relative_to(ROOT)}`"


PROMISED: dict[type[Message], dict[int, str]] = {
    record_pb2.Record: {14: "jail_level", 15: "host", 16: "host_speed", 17: "notes"},
    record_pb2.RecordSeat: {5: "bundle_hash"},
    referee_pb2.FromBot: {7: "note"},
    referee_pb2.Hello: {11: "want_model", 12: "want_text", 14: "want_rules"},
    referee_pb2.MatchStart: {11: "rules_text"},
    referee_pb2.Question: {5: "model", 6: "text"},
}
"""Numbers kept for fields to come, so that two changes made at the same time do not take the same one."""


def test_promised_numbers_are_reserved_or_hold_their_field() -> None:
    for message, promised in PROMISED.items():
        proto = DescriptorProto()
        message.DESCRIPTOR.CopyToProto(proto)
        reserved = {number for span in proto.reserved_range for number in range(span.start, span.end)}
        fields_by_number = {field.number: field.name for field in proto.field}
        for number, name in promised.items():
            if number in fields_by_number:
                assert fields_by_number[number] == name
            else:
                assert number in reserved
                assert name in proto.reserved_name


def test_the_generated_code_is_current() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "proto/generate.py", "--check", ROOT / "proto/gen/python"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", sorted((ROOT / "proto").rglob("*.proto")), ids=lambda path: path.name)
def test_every_message_field_and_value_is_commented(path: Path) -> None:
    lines = path.read_text().splitlines()
    thing = re.compile(r"\s*(message|enum|service|rpc|oneof)\b|.*=\s*\d+\s*(\[.*\])?;")
    bare = [
        f"{path.name}:{number}: {line.strip()}"
        for number, line in enumerate(lines, start=1)
        if thing.match(line)
        and not line.strip().startswith(("//", "option", "syntax", "reserved"))
        and not lines[number - 2].strip().startswith("//")
    ]
    assert not bare


if __name__ == "__main__":
    known = json.loads(KNOWN.read_text()) if KNOWN.exists() else {}
    KNOWN.write_text(json.dumps({**fields(), **known}, indent=0, sort_keys=True) + "\n")
