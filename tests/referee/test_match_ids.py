"""The names of matches: records and databases of earlier versions hold them, so their form never changes."""

from __future__ import annotations

from referee.match.ids import event_match_id, ladder_match_id, single_match_id
from referee.rules.chance import commitment, derive_secret

SECRET = derive_secret("a seed")


def test_the_three_forms() -> None:
    assert commitment(SECRET).hex().startswith("6dc8ccc56c4c")
    assert single_match_id("broadsides", SECRET) == "broadsides-6dc8ccc56c4c"
    assert single_match_id("broadsides", SECRET, 1) == "broadsides-6dc8ccc56c4c-1"
    assert event_match_id("duel", 12, SECRET, 0) == "duel-00012-6dc8ccc5-0"
    assert ladder_match_id("duel", "20240229", SECRET) == "duel-20240229-6dc8ccc56c4c"
