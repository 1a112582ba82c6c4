"""Matches as the tables know them, made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from server.play.summary import FaultSummary, MatchSummary, SeatSummary, half_points
from server.tournament.result_columns import ColumnReader, ResultColumns
from server.tournament.store_schema import number_list


def make_match(
    block: int,
    rotation: int,
    bots: Sequence[str],
    ranks: Sequence[int],
    *,
    failed: Sequence[str] = (),
    answers: int = 4,
    contest: str = "pavillon_noir-2",
    stage: int = 0,
) -> MatchSummary:
    """`bots` in the order of rotation 0, `ranks` in that of the seats; who failed did so once, at decision 1."""
    count = len(bots)
    seating = [bots[(seat - rotation) % count] for seat in range(count)]
    return MatchSummary(
        match_id=f"{contest}-{block:05d}-{rotation}",
        event="e",
        contest=contest,
        block=block,
        stage=stage,
        label=f"block {block}",
        bots=tuple(bots),
        rotation=rotation,
        reason="by hand",
        decisions=7,
        started_millis=0,
        record_sha256=bytes(32),
        record_bytes=1,
        seats=tuple(
            SeatSummary(
                bot=bot,
                version="",
                language="",
                rank=ranks[seat],
                score=0.5,
                half_points=half_points(ranks, seat),
                faults=int(bot in failed),
                answers=answers,
                time_micros=2000,
            )
            for seat, bot in enumerate(seating)
        ),
        faults=tuple(
            FaultSummary(seat=seat, bot=bot, decision=1, kind="crash", message="it always does", out=True)
            for seat, bot in enumerate(seating)
            if bot in failed
        ),
    )


def make_block(
    block: int,
    bots: Sequence[str],
    ranks: Sequence[Sequence[int]],
    *,
    failed: Sequence[str] = (),
    answers: int = 4,
    stage: int = 0,
) -> list[MatchSummary]:
    """A whole block: the ranks of each rotation, in seat order."""
    return [
        make_match(block, rotation, bots, ranks[rotation], failed=failed, answers=answers, stage=stage)
        for rotation in range(len(bots))
    ]


def columns_of(matches: Sequence[MatchSummary]) -> ResultColumns:
    """Matches of one contest as the database gives them."""
    return ColumnReader(matches[0].contest, len(matches[0].seats)).read(
        [
            (
                match.match_id,
                match.block,
                match.stage,
                match.rotation,
                " ".join(match.bots),
                number_list(match.ranks),
                number_list(match.faults_by_seat),
            )
            for match in matches
        ]
    )
