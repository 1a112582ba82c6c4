"""Decisions exported for learning: against the replay of their records, and what is left out."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from referee.errors import ConfigError
from referee.records.record import read_record
from referee.records.replay import Replay
from referee.rules.engine import Seat
from server.cli.main import main
from server.ratings.scores import seat_scores
from server.tournament import decision_export
from server.tournament.decision_export import DAMAGED, DELETED, RULED, UNFINISHED, export_decisions
from server.tournament.decision_rows import COLUMNS, DecisionRow, split_of
from server.tournament.folder import Folder
from server.tournament.rulings.new_rulings import annul_match
from server.tournament.store import Store
from support.events import make_event, run
from tortuga.v1 import record_pb2 as pb

ROOT = Path(__file__).parents[3]
SPLITS = ("train", "validation", "test")


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Twelve blocks, a third of them with a bot that fails at once."""
    folder = make_event(tmp_path_factory.mktemp("event"), bots=("ann", "bob", "cid", "crash"), rounds=2)
    run(folder)
    return folder


def read_rows(out: Path) -> dict[str, list[dict[str, Any]]]:
    """All rows by split, whichever form they are in."""
    found: dict[str, list[dict[str, Any]]] = {}
    for split in SPLITS:
        rows = found[split] = []
        for path in sorted((out / split).iterdir()):
            if path.suffix == ".parquet":
                rows += pq.read_table(path).to_pylist()
            else:
                rows += map(json.loads, path.read_text().splitlines())
        for row in rows:
            if isinstance(row["observation"], str):
                row.update({name: base64.b64decode(row[name]) for name in ("observation", "options")})
    return found


def replayed(folder: Folder) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Every decision as the replay of its record has it, which also checks the chain of what was sent."""
    with Store.read_only(folder.database) as store:
        for match in store.matches():
            record, _ = read_record(folder.record(match.match_id))
            for moment in Replay(record):
                for place, answer in enumerate(moment.answers):
                    if answer.source == pb.ANSWER_SOURCE_OUT:
                        continue
                    question = moment.questions[Seat(answer.seat)]
                    decision = moment.first_decision + place
                    facts = {
                        "contest": match.contest,
                        "block": match.block,
                        "seat": answer.seat,
                        "seats": 2,
                        "bot": record.seats[answer.seat].bot_name,
                        "question": question.question_id,
                        "kind": question.kind,
                        "position": question.position,
                        "option_count": len(question.actions),
                        "choice": answer.option_index,
                        "source": {1: "bot", 2: "default"}[answer.source],
                        "micros": record.answer_micros[decision - 1],
                        "rank": record.outcome.ranks[answer.seat],
                        "result": seat_scores([*record.outcome.ranks])[answer.seat],
                        "score": record.outcome.scores[answer.seat],
                    }
                    yield match.match_id, decision, facts
                assert moment.links == moment.claimed


def test_the_rows_are_the_decisions_of_the_records(
    event: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In both forms, and in however many parts."""
    advanced: list[int] = []
    whole = export_decisions(event, tmp_path / "a", "parquet", advance=advanced.append)
    monkeypatch.setattr(decision_export, "PART_DECISIONS", 40)
    monkeypatch.setattr(decision_export, "ROWS_AT_ONCE", 7)
    parted = export_decisions(event, tmp_path / "b", "jsonl")
    rows = read_rows(tmp_path / "a")
    assert rows == read_rows(tmp_path / "b")
    assert len(parted["files"]) > len(whole["files"])
    for row in (row for split in SPLITS for row in rows[split]):
        assert set(row) == set(COLUMNS) == set(DecisionRow._fields)
        row["position"] = row.pop("observation") + row.pop("options")
    shown = {(row.pop("match"), row.pop("decision")): row for split in SPLITS for row in rows[split]}
    assert shown == {(match, decision): facts for match, decision, facts in replayed(event)}
    assert whole["decisions"] == parted["decisions"] == len(shown) > 0
    with Store.read_only(event.database) as store:
        assert sum(advanced) == store.decisions("pavillon_noir-2")


def test_a_block_is_never_divided_and_the_manifest_counts_what_is_there(event: Folder, tmp_path: Path) -> None:
    manifest = export_decisions(event, tmp_path / "a", "parquet")
    assert json.loads((tmp_path / "a" / "manifest.json").read_text()) == json.loads(json.dumps(manifest))
    rows = read_rows(tmp_path / "a")
    matches = [json.loads(line) for line in (tmp_path / "a" / "matches.jsonl").read_text().splitlines()]
    for split in SPLITS:
        assert {split} == {str(split_of(row["contest"], row["block"])) for row in rows[split]} | {split}
        own = [match for match in matches if match["split"] == split]
        assert manifest["splits"][split] == {
            "blocks": len({(match["contest"], match["block"]) for match in own}),
            "matches": len(own),
            "decisions": len(rows[split]),
        }
        assert Counter(row["match"] for row in rows[split]) == Counter(
            {m["match"]: m["rows"] for m in own if m["rows"]}
        )
    for file in manifest["files"]:
        content = (tmp_path / "a" / file["name"]).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (file["bytes"], file["sha256"])
    assert {path.name for path in tmp_path.iterdir()} == {"a"}, "no draft is left"
    for match in matches:
        record, _ = read_record(event.record(match["match"]))
        assert match["secret"] == record.story.chance_secret.hex()
        assert hashlib.sha256(bytes.fromhex(match["secret"])).digest() == record.story.chance_commitment


def test_splits_have_their_shares() -> None:
    counts = Counter(str(split_of("pavillon_noir-2", block)) for block in range(10_000))
    assert (counts["train"], counts["validation"], counts["test"]) == (8007, 977, 1016), "as ever"


def test_what_is_left_out_is_counted_with_its_reason(tmp_path: Path) -> None:
    """Of a block that is not finished nothing is told, above all not its secret."""
    folder = make_event(tmp_path / "event", rounds=2)
    run(folder)
    with Store.open(folder.database) as store:
        ids = {(match.block, match.rotation): match.match_id for match in store.matches()}
        store.remove_matches([ids[0, 1]])
        store.release_records([ids[1, 0]])
    folder.record(ids[2, 0]).write_bytes(folder.record(ids[3, 0]).read_bytes())
    folder.record(ids[2, 1]).unlink()
    annul_match(folder, ids[4, 0], by="judge", reason="power cut")
    manifest = export_decisions(folder, tmp_path / "a", "jsonl")
    assert manifest["left_out"] == {UNFINISHED: 1, DELETED: 1, RULED: 1, DAMAGED: 2}
    assert {problem["match"] for problem in manifest["problems"]} == {ids[2, 0], ids[2, 1]}
    assert manifest["matches"] == 12 - 6
    unfinished, _ = read_record(folder.record(ids[0, 0]))
    for path in (tmp_path / "a").rglob("*.json*"):
        assert unfinished.story.chance_secret.hex() not in path.read_text()
        assert ids[0, 0] not in path.read_text()


def test_what_cannot_be_done_is_refused_before_anything_is_written(
    event: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    for out in (tmp_path / "full", tmp_path / "full" / "file", tmp_path / "full" / "file" / "below"):
        with pytest.raises(ConfigError, match="full"):
            export_decisions(event, out, "jsonl")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"tortuga-arena\[data\].*jsonl"):
        export_decisions(event, tmp_path / "a", "parquet")
    assert {path.name for path in tmp_path.iterdir()} == {"full"}


def test_an_export_that_fails_leaves_nothing(event: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(part: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(decision_export, "export_part", fail)
    with pytest.raises(OSError, match="No space"):
        export_decisions(event, tmp_path / "a", "jsonl")
    assert not [*tmp_path.iterdir()]


def test_the_command(event: Folder, tmp_path: Path) -> None:
    def export(*words: object) -> Any:
        return CliRunner().invoke(main, ["export", *map(str, words)])

    done = export(event.path, "--decisions", tmp_path / "a", "--jobs", 1)
    assert done.exit_code == 0, done.output
    manifest = json.loads((tmp_path / "a" / "manifest.json").read_text())
    assert f"{manifest['decisions']} decisions of 24 matches" in done.stdout
    assert export(event.path, "--decisions", tmp_path / "a").exit_code == 2
    told = export(event.path, "--decisions", tmp_path / "b", "--format", "jsonl", "--jobs", 1, "--json")
    assert json.loads(told.stdout)["splits"] == manifest["splits"]
    assert export(tmp_path, "--decisions", tmp_path / "c").exit_code == 2
    make_event(tmp_path / "new")
    assert export(tmp_path / "new", "--decisions", tmp_path / "c").exit_code == 2
    assert not (tmp_path / "c").exists()


class Frame(NamedTuple):
    """The little of a data frame that the page needs: pandas is not installed here."""

    rows: list[dict[str, Any]]

    def itertuples(self) -> Iterator[SimpleNamespace]:
        return (SimpleNamespace(**row) for row in self.rows)


def test_the_page_reads_it_in_ten_lines(event: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export_decisions(event, tmp_path / "data", "parquet")
    [code] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "data.md").read_text(), re.DOTALL)
    lines = [line for line in code.splitlines() if line and not line.startswith(("import", "from"))]
    assert len(lines) <= 10
    pandas, torch = ModuleType("pandas"), ModuleType("torch")
    pandas.__dict__["read_parquet"] = lambda path: Frame(pq.read_table(path).to_pylist())
    torch.__dict__["from_numpy"] = lambda array: array
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(code, names)
    rows, features = read_rows(tmp_path / "data")["train"], names["features"]
    assert len(names["samples"]) == len(rows) > 0
    for (seen, options, choice, result), row in zip(names["samples"], rows, strict=True):
        assert seen.shape == (features.observation_size,)
        assert options.shape == (row["option_count"], features.option_size)
        assert (choice, result) == (row["choice"], row["result"])
        assert seen.dtype == options.dtype == np.float32
