"""Asks a language model what to play: rules and question go out in words, a number in one line of JSON comes back.

The address, the model and the key come from the environment (endpoint.py). An answer that cannot be read is asked for
again, BOT_CHAT_ATTEMPTS times in all; then the match is resigned. It never plays anything that the model did not say.
Every note tells how many attempts an answer took, and what was wrong with those before.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping

from endpoint import Endpoint, Trouble

from tortuga_bot import Question, play

ORDERS = """\
You play a board game against other players. You get its rules, then one question at a time: the table as you know it,
what happened, and your options, each with its number. Think as briefly as you like. Then end with one line of JSON:
{"choice": NUMBER, "why": "A FEW WORDS"}"""
RESERVE_SECONDS = 0.5
"""Left for the way back to the referee."""
MOST_WAIT_SECONDS = 60.0
MOST_SHOWN = 2000
"""Characters of an answer that could not be read, as the model is shown it again."""


class Unreadable(Exception):
    """An answer in which there is no choice, and why."""


class Chat:
    """The bot: a question goes to the model until an answer can be read, so many times at most."""

    def __init__(self, endpoint: Endpoint, attempts: int, wait: Callable[[float], None] = time.sleep) -> None:
        self._endpoint = endpoint
        self._attempts = attempts
        self._wait = wait

    def choose(self, question: Question) -> int | None:
        """Return the model's choice, or None to resign when it gave none."""
        messages = [
            {"role": "system", "content": f"{ORDERS}\n\nThe rules:\n{question.match.rules_text}"},
            {"role": "user", "content": question.text},
        ]
        failures: list[str] = []
        while len(failures) < self._attempts:
            seconds = question.time_left() - RESERVE_SECONDS
            if seconds <= 0:
                failures.append("no time left")
                break
            try:
                answer = self._endpoint.ask(messages, seconds)
                index, why = read_choice(answer, question.option_count)
            except Trouble as trouble:
                failures.append(str(trouble))
                left = question.time_left() - RESERVE_SECONDS
                if len(failures) < self._attempts:
                    self._wait(max(0.0, min(trouble.wait_seconds, MOST_WAIT_SECONDS, left)))
            except Unreadable as error:
                failures.append(str(error))
                correction = f"That cannot be played: {error}. End with one line of JSON as you were told."
                messages[2:] = [
                    {"role": "assistant", "content": answer[-MOST_SHOWN:]},
                    {"role": "user", "content": correction},
                ]
            else:
                question.note(f"attempt {len(failures) + 1}{told(failures)}: {why}")
                return index
        question.note(f"resigned, attempts {len(failures)}{told(failures)}")
        return None


def told(failures: list[str]) -> str:
    """Return what went wrong, shortened so that a note has room for all of it."""
    return f" ({'; '.join(failure[:50] for failure in failures)})" if failures else ""


def read_choice(answer: str, option_count: int) -> tuple[int, str]:
    """Return the option in the only line of JSON that names one, and the reason given there."""
    choices: dict[int, str] = {}
    for line in answer.splitlines():
        try:
            parsed = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(parsed, dict) or "choice" not in parsed:
            continue
        number = parsed["choice"]
        if type(number) is not int:
            raise Unreadable(f"the choice is {json.dumps(number)[:20]}, not a whole number")
        if not 0 <= number < option_count:
            raise Unreadable(f"option {str(number)[:12]} of {option_count}")
        choices[number] = str(parsed.get("why", ""))
    if not choices:
        raise Unreadable("no line of JSON with a choice")
    if len(choices) > 1:
        raise Unreadable(f"{len(choices)} different choices")
    [(index, why)] = choices.items()
    return index, why


def read_attempts(environment: Mapping[str, str]) -> int:
    """Return how often the model is asked one question, at most."""
    text = environment.get("BOT_CHAT_ATTEMPTS", "3")
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 20):
        sys.exit(f"BOT_CHAT_ATTEMPTS is {text!r}, expected a number from 1 to 20")
    return int(text)


if __name__ == "__main__":
    chat = Chat(Endpoint.read(os.environ), read_attempts(os.environ))
    play(chat.choose, name="chat", slots=1, want_text=True, want_rules=True)
