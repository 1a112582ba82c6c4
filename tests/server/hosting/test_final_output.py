"""Of a crash its author sees their own part, whatever the language; of other failures the last lines."""

from __future__ import annotations

import pytest

from server.hosting.final_output import find_crash, last_words

SDK = "/opt/tortuga/sample_bots/python/sdk/tortuga_bot/client.py"
FIRST_LINE_OF_AUTHOR = 'File "/home/me/divzero/bot.py", line 6, in choose'
LAST_LINE = "ZeroDivisionError: integer division or modulo by zero"
TRACEBACK = f"""\
hello
Traceback (most recent call last):
  File "/home/me/divzero/bot.py", line 12, in <module>
    play(choose)
  File "{SDK}", line 91, in play
    _run(client.talk(address, token, hello))
  File "uvloop/loop.pyx", line 1515, in uvloop.loop.Loop.run_until_complete
  File "{SDK}", line 239, in _answer
    answer = self._choose(Question(match, question))
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  {FIRST_LINE_OF_AUTHOR}
    return best(question.option_count)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/home/me/divzero/bot.py", line 8, in best
    return count // 0
           ~~~~~~^^~~
{LAST_LINE}
"""


def test_of_a_traceback_the_authors_part_is_left() -> None:
    words = last_words(TRACEBACK)
    assert words.startswith(FIRST_LINE_OF_AUTHOR)
    assert words.endswith(LAST_LINE)
    assert "client.py" not in words
    assert "uvloop" not in words
    crash = find_crash(TRACEBACK)
    assert crash is not None
    assert crash.summary.split(" at ") == ["ZeroDivisionError", "bot.py:8"]


def test_an_error_of_the_sdk_points_to_the_line_that_called_it() -> None:
    lines = TRACEBACK.split("\n")
    wrong = "TypeError: choose returned 1.5, a float: expected a whole number from 0 to 3, or None to resign"
    crash = find_crash("\n".join([*lines[:9], wrong, ""]))
    assert crash is not None
    assert crash.summary == "TypeError at bot.py:12"
    assert crash.story.endswith(wrong)


@pytest.mark.parametrize("cut", [3, 10, 13, 16])
def test_a_traceback_that_is_cut_off_never_begins_with_marks(cut: int) -> None:
    words = last_words("\n".join(TRACEBACK.split("\n")[-cut:]))
    assert words[:1] not in ("^", "~", " ")
    assert words.endswith(LAST_LINE)


def test_without_a_traceback_the_last_lines_are_shown() -> None:
    assert last_words("one\ntwo\nthree\nfour\nfive\nsix\n") == "two\nthree\nfour\nfive\nsix"
    assert last_words("") == ""
    assert find_crash("no crash at all") is None


@pytest.mark.parametrize(
    ("printed", "summary"),
    [
        (
            "thread 'main' panicked at src/main.rs:8:5:\nattempt to divide by zero\nnote: run with RUST_BACKTRACE=1",
            "attempt to divide by zero at src/main.rs:8",
        ),
        (
            "panic: runtime error: integer divide by zero\n\ngoroutine 1 [running]:\nmain.choose(...)\n"
            "\t/home/me/bot/main.go:8 +0x1d\nmain.main()\n\t/home/me/bot/main.go:20 +0x85\nexit status 2",
            "panic at main.go:8",
        ),
        (
            'Exception in thread "main" java.lang.ArithmeticException: / by zero\n'
            "\tat bot.Bot.choose(Bot.java:8)\n\tat tortuga.bot.Client.answer(Client.java:90)",
            "java.lang.ArithmeticException at Bot.java:8",
        ),
        (
            "/home/me/bot/dist/bot.js:8\n    throw new RangeError('no');\n    ^\n\nRangeError: no\n"
            "    at choose (file:///home/me/bot/dist/bot.js:8:11)\n    at answer (file:///sdk/play.js:3:1)",
            "RangeError at bot.js:8",
        ),
    ],
)
def test_crashes_of_other_languages_are_read(printed: str, summary: str) -> None:
    crash = find_crash(printed)
    assert crash is not None
    assert crash.summary == summary
