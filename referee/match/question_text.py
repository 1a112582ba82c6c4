"""A question in words: the table as its seat may know it, what happened since its last question, numbered options.

It is what bots that ask for it are sent (`Question.text`), and what `replay show --seat` prints. It is made of what the
seat is sent anyway, and of the table with everything hidden replaced, so it tells no more. Seats are numbers: names are
the words of the bots' authors, and a bot that reads this text must not take orders from them.

However much there is to tell, a text has at most MOST_CHARACTERS.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from referee.match.question import Question
from referee.rules.known_table import HIDDEN, known_table
from referee.text import harmless, plural, spaced

MOST_TABLE = 16 * 1024
MOST_HEARD = 12 * 1024
MOST_OPTIONS = 32 * 1024
MOST_CHARACTERS = 1024 + MOST_TABLE + MOST_HEARD + MOST_OPTIONS
"""Longest text of a question, in characters."""
TABLE_HEADING = f"\n\nThe table as you know it ({HIDDEN} is hidden from you):\n"
OPTIONS_HEADING = "\n\nYour options, 0 to "
FEW = 12
"""So many options of a kind have a line each. Of more, those that begin alike share one."""
LAST_PART = re.compile(r"(.*(?:, | and | to ))(.+)|(.* )(.+)")


def tell_question(question: Question, *, with_table: bool = True) -> str:
    """Return a question in words, without its clock."""
    game = question.game
    heard = [f"  {harmless(line)}" for line in game.text.tell(question.heard)]
    text = [f"{game.info.title}, seat {question.seat}: question {question.question_id}, {spaced(question.kind)}."]
    if heard:
        latest = reversed(_fit(reversed(heard), MOST_HEARD, "earlier event"))
        text += ["\n\nSince your last question:\n", "\n".join(latest)]
    if with_table:
        table = [harmless(line) for line in known_table(game, question.state, question.seat).rstrip().split("\n")]
        text += [TABLE_HEADING, "\n".join(_fit(table, MOST_TABLE, "line"))]
    options = _fit(_tell_options(question), MOST_OPTIONS, "line")
    return "".join([*text, f"{OPTIONS_HEADING}{len(question.actions) - 1}:\n", "\n".join(options)])


def split_text(text: str) -> tuple[str, str, str]:
    """Split the text of a question into what happened, the table, and the options."""
    rest, _, options = text.rpartition(OPTIONS_HEADING)
    news, _, table = rest.partition(TABLE_HEADING)
    return news, table, f"{OPTIONS_HEADING.strip()} {options}"


def _tell_options(question: Question) -> Iterator[str]:
    """Tell the options, each with its number, in groups by their kind."""
    kinds: dict[type, list[tuple[int, str]]] = {}
    for index, action in enumerate(question.actions):
        kinds.setdefault(type(action), []).append((index, harmless(question.game.text.action(action))))
    for kind, options in kinds.items():
        if len(kinds) > 1:
            yield f"{spaced(kind.__name__)}:"
        if len(options) <= FEW:
            yield from (f"  {index:>3}  {text}" for index, text in options)
        else:
            yield from _tell_many(options)


def _tell_many(options: Sequence[tuple[int, str]]) -> Iterator[str]:
    """Tell options of one kind; neighbours that differ only in their last part share a line."""
    for head, group in groupby(options, lambda option: _split(option[1])[0]):
        same = list(group)
        if len(same) == 1 or not head:
            yield from (f"  {index:>3}  {text}" for index, text in same)
        else:
            yield f"  {head.rstrip()} …  " + "  ".join(f"{index}: {_split(text)[1]}" for index, text in same)


def _split(text: str) -> tuple[str, str]:
    """Split an option before its last part: a member of a list, a target, or a word."""
    if (match := LAST_PART.fullmatch(text)) is None:
        return "", text
    return match[1] or match[3], match[2] or match[4]


def _fit(lines: Iterable[str], most: int, noun: str) -> list[str]:
    """Return the lines that fit, and how many do not."""
    kept: list[str] = []
    left_out, used = 0, 0
    for line in lines:
        used += len(line) + 1
        if used <= most:
            kept.append(line)
        else:
            left_out += 1
    return [*kept, f"  … {plural(left_out, noun)} left out"] if left_out else kept
