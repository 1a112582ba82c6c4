"""Files of a folder that somebody damaged or wrote by hand: they are read, or refused in words."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.errors import ConfigError
from server.tournament.agreement import agreement_table
from server.tournament.event import open_agreement
from server.tournament.folder import Folder
from server.tournament.journal import Journal, drop_partial_line, read_journal
from server.tournament.store import Store
from support.corpus import with_saved
from support.events import make_event
from support.sizes import pick, sized

pytestmark = sized

EXAMPLES = pick(quick=60, ci=1000, full=20_000)
fuzz = settings(deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])

odd_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from(["broadsides", "round_robin", "60+0.1/1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a tree of JSON."""
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [path, *(place for key, one in inner for place in places(one, (*path, key)))]


def put(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The tree with another value at that place."""
    if not path:
        return value
    key, *rest = path
    if isinstance(tree, dict):
        return {**tree, key: put(tree[key], tuple(rest), value)}
    return [put(one, tuple(rest), value) if place == key else one for place, one in enumerate(tree)]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """An event that was agreed on; nothing is played."""
    made = make_event(tmp_path, bots=["ann", "ben"], rounds=1)
    with Store.open(made.database) as store:
        open_agreement(made, store)
    return made


@fuzz
@given(st.data())
def test_an_agreement_with_odd_values_is_read_or_refused(folder: Folder, data: st.DataObject) -> None:
    table = json.loads(json.dumps(agreement_table(folder.require_agreement())))
    original = folder.agreement.read_bytes()
    odd = put(table, data.draw(st.sampled_from(places(table))), data.draw(odd_values))
    try:
        folder.agreement.write_text(json.dumps(odd))
        with suppress(ConfigError):
            folder.read_agreement()
    finally:
        folder.agreement.write_bytes(original)


@fuzz
@with_saved("agreements")
@given(st.binary(max_size=200))
def test_an_agreement_of_any_bytes_is_refused(folder: Folder, content: bytes) -> None:
    original = folder.agreement.read_bytes()
    try:
        folder.agreement.write_bytes(content)
        with pytest.raises(ConfigError):
            folder.read_agreement()
    finally:
        folder.agreement.write_bytes(original)


@fuzz
@with_saved("journals", lambda content: ([content],))
@with_saved("journals", lambda content: ([b'{"event": "a"}\n', content, b'{"event": "a"}\n'],))
@given(st.lists(st.binary(max_size=30) | st.sampled_from([b"\n", b'{"event": "a"}\n', b'"event": "a"\n', b"["])))
def test_a_journal_of_any_bytes_is_read_and_goes_on(tmp_path: Path, pieces: list[bytes]) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"".join(pieces))
    before = list(read_journal(path))
    drop_partial_line(path)
    journal = Journal(path)
    journal.write("b")
    journal.close()
    assert [line["event"] for line in read_journal(path)] == [*(line["event"] for line in before), "b"]
