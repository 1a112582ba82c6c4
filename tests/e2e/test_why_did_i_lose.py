"""From an event to the match, from the match to the question, and to what the bot would do today."""

from __future__ import annotations

import json
from pathlib import Path

from support.command import assert_nothing_left, tortuga

DIVZERO = """\
from tortuga_bot import play


def choose(question):
    print("options:", question.option_count)
    if question.message.question_id == 5:
        return 1 // 0
    return 0


if __name__ == "__main__":
    play(choose)
"""


def write_bot(folder: Path, name: str, program: str) -> None:
    (folder / name).mkdir()
    (folder / name / "bot.toml").write_text(
        f'name = "{name}"\nversion = "1"\nslots = 1\nrun = ["python", "{{dir}}/bot.py"]\n'
    )
    (folder / name / "bot.py").write_text(program)


def test_crashes_of_an_event_are_grouped_and_lead_to_the_match(tmp_path: Path) -> None:
    write_bot(tmp_path, "divzero", DIVZERO)
    words = ("--game", "pavillon_noir", "--bot", "divzero", "--bot", "random", "--rounds", "3", "--seed", "why")
    done = tortuga(tmp_path, "tournament", "run", "ev", *words, "--fail-on-fault")
    assert done.returncode == 1
    assert "6 faults: " in done.stderr
    assert "matches ev --faults`" in done.stderr
    [line] = [line for line in done.stdout.splitlines() if "divzero: 6 of 6 crashed" in line]
    assert "DivisionError at bot.py:7" in line
    assert "log ev/logs/" in line
    assert done.stdout.count("ZeroDivisionError: ") == 1
    assert "client.py" not in done.stdout
    report = (tmp_path / "ev" / "report.html").read_text()
    assert "6 of 6 crashed" in report
    assert "DivisionError at bot.py:7" in report
    assert "tortuga matches" in report
    listed = tortuga(tmp_path, "matches", "ev", "--bot", "divzero", "--lost", "--json")
    found = json.loads(listed.stdout)
    assert len(found) == 6
    for match in found:
        assert (tmp_path / match["record"]).is_file()
        assert match["seats"][match["seat"]] == {"bot": "divzero", "rank": 2, "score": 0.0}
    assert json.loads(tortuga(tmp_path, "matches", "ev", "--bot", "divzero", "--won", "--json").stdout) == []
    short = tortuga(tmp_path, "matches", "ev", "--bot", "divzero", "--lost", "--limit", "2").stdout
    assert "2 of 6 matches" in short
    assert f"tortuga replay show {found[-1]['record']} --seat {found[-1]['seat']}" in short
    # with what it printed for that question
    last = found[-1]
    shown = tortuga(
        tmp_path, "replay", "show", last["record"], "--seat", str(last["seat"]), "--logs", "ev/logs", "--json"
    )
    questions = json.loads(shown.stdout)
    assert questions[1]["printed"] == [f"options: {questions[1]['question']['option_count']}"]
    # the question at which it crashed was never answered, and can be looked at all the same
    assert [answer["source"] for answer in questions[-1]["answers"]] == ["nobody"]
    assert len(questions[-1]["answers"][0]["options"]) == questions[-1]["question"]["option_count"]
    crashed_at = questions[-1]["answers"][0]["decision"]
    look = ("replay", "show", last["record"], "--seat", str(last["seat"]), "--at")
    assert "never answered: " in tortuga(tmp_path, *look, str(crashed_at)).stdout
    past = tortuga(tmp_path, *look, str(crashed_at + 1))
    assert (past.returncode, f"has decisions 1 to {crashed_at - 1}" in past.stderr) == (2, True)
    wrong = tortuga(tmp_path, "matches", "ev", "--bot", "nobody")
    assert (wrong.returncode, "it has divzero, random" in wrong.stderr) == (2, True)
    assert tortuga(tmp_path, "matches", "ev", "--lost").returncode == 2
    assert_nothing_left(tmp_path)


def test_a_fault_is_a_failure_only_where_one_asks_for_it(tmp_path: Path) -> None:
    write_bot(tmp_path, "divzero", DIVZERO)
    words = ("play", "broadsides", "--bot", "divzero", "--bot", "random", "--no-record")
    assert tortuga(tmp_path, *words).returncode == 0
    assert tortuga(tmp_path, *words, "--fail-on-fault").returncode == 1
    fine = ("play", "broadsides", "--bot", "random", "--bot", "random", "--no-record", "--fail-on-fault")
    assert tortuga(tmp_path, *fine).returncode == 0


def test_a_seat_is_shown_its_table_and_its_options_in_words(tmp_path: Path) -> None:
    write_bot(tmp_path, "talker", DIVZERO.replace("== 5", "== 0"))
    words = ("--bot", "talker", "--bot", "gunner", "--record", "m.tortuga", "--logs", "logs", "--seed", "show")
    assert tortuga(tmp_path, "play", "pavillon_noir", *words).returncode == 0
    shown = tortuga(tmp_path, "replay", "show", "m.tortuga", "--seat", "0", "--at", "5", "--logs", "logs")
    assert shown.returncode == 0, shown.stderr
    assert "{" not in shown.stdout
    assert "SETUP_LOAD, question 3" in shown.stdout
    assert "      >   0  " in shown.stdout
    assert "      | options: " in shown.stdout
    assert "gunner: sails" in shown.stdout
    sent = json.loads(tortuga(tmp_path, "replay", "show", "m.tortuga", "--seat", "0", "--at", "5", "--json").stdout)
    assert sent["question"]["pavillon_noir"]["decision"] == "DECISION_SETUP_LOAD"


def test_every_question_that_would_be_answered_differently_is_listed(tmp_path: Path) -> None:
    words = ("--bot", "gunner", "--bot", "random", "--record", "m.tortuga", "--seed", "all")
    assert tortuga(tmp_path, "play", "pavillon_noir", *words).returncode == 0
    same = tortuga(tmp_path, "replay", "ask", "m.tortuga", "--all", "--bot", "gunner")
    assert same.returncode == 0, same.stdout
    assert ": 0 of " in same.stdout
    write_bot(tmp_path, "first", DIVZERO.replace("== 5", "== 0"))
    other = tortuga(tmp_path, "replay", "ask", "m.tortuga", "--all", "--bot", "first", "--seat", "0", "--json")
    assert other.returncode == 1
    found = json.loads(other.stdout)
    assert found["asked"] == found["questions"]
    assert 0 < len(found["differences"]) <= found["asked"]
    assert all(one["now"] not in (None, one["then"]) for one in found["differences"])
    unclear = tortuga(tmp_path, "replay", "ask", "m.tortuga", "--all", "--bot", "first")
    assert (unclear.returncode, "0 gunner, 1 random" in unclear.stderr) == (2, True)
    assert tortuga(tmp_path, "replay", "ask", "m.tortuga", "--bot", "gunner").returncode == 2
    write_bot(tmp_path, "dies", DIVZERO)
    dying = tortuga(tmp_path, "replay", "ask", "m.tortuga", "--all", "--bot", "dies", "--seat", "0")
    assert dying.returncode == 1
    assert "not be asked any more" in dying.stdout
    assert "ZeroDivisionError" in dying.stdout
