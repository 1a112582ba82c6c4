"""The reports of `tortuga bench` as tables for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rich.table import Table

from bench import ladders, long_event, scale
from bench.bare_server import YARDSTICK
from bench.referee import SHORT_GAME
from server.cli.common.output import console
from server.ratings.distributions import Z95


def show_bots(report: dict[str, Any]) -> None:
    """Show the bots side by side."""
    table = Table(
        "bot", "language", "start", "memory", "CPU/decision, 1 table", "8 tables", "decisions/s, 1 table", "8"
    )
    for bot in report["bots"]:
        table.add_row(
            bot["bot"],
            bot["language"],
            f"{bot['start_seconds'] * 1000:.0f} ms",
            f"{bot['memory_bytes'] / 1e6:.0f} MB",
            f"{bot['one_table_bot_cpu_micros']:.0f} µs",
            f"{bot['eight_tables_bot_cpu_micros']:.0f} µs",
            f"{bot['one_table_decisions_per_second']:.0f}",
            f"{bot['eight_tables_decisions_per_second']:.0f}",
        )
    out = console()
    out.print(table)
    out.print(
        f"each bot against itself in {report['game']}; medians of {report['rounds']} interleaved runs of "
        f"{report['seconds']:g} s; start: process to Hello",
        markup=False,
    )


def show_levels(report: dict[str, Any]) -> None:
    """Show what confinement costs."""
    table = Table("level", "start to Hello", "more than none", "decisions/s, 1 table", "of none", "event", "of none")
    base = report["levels"][0]["start_seconds"]
    for row in report["levels"]:
        table.add_row(
            row["level"],
            f"{row['start_seconds'] * 1000:.0f} ms",
            f"{(row['start_seconds'] - base) * 1000:+.0f} ms",
            f"{row['decisions_per_second']:.0f}",
            f"{row['decisions_over_none']:.2f}",
            f"{row['event_seconds']:.2f} s",
            f"{row['event_over_none']:.3f}",
        )
    out = console()
    out.print(table)
    out.print(f"medians of {report['rounds']} interleaved rounds; ratios within each round", markup=False)


LUCK = ("luck", "luck_single")
"""What taking luck off saves in mirrored blocks, and in games with a secret each."""


def show_mirrors(rows: Sequence[dict[str, Any]]) -> None:
    """Show what mirrored blocks save."""
    table = Table("game", "seats", "ours", "theirs", "blocks", "score")
    for name in ("variance, mirrored", "independent", "times fewer games (95 %)", "and less luck", "less luck alone"):
        table.add_column(name, justify="right")
    for row in rows:
        luck = ["-" if row[name] is None else "{:.2f} ({:.2f} to {:.2f})".format(*row[name]) for name in LUCK]
        doubt = f"{row['ratio']:.2f} ({row['low']:.2f} to {row['high']:.2f})" if row["ratio"] is not None else "-"
        score = f"{row['mean']:.1%} ± {100 * Z95 * math.sqrt(row['mirrored'] / row['blocks']):.1f}"
        numbers = (score, f"{row['mirrored']:.4f}", f"{row['independent']:.4f}", doubt, *luck)
        table.add_row(row["game"], str(row["seats"]), row["ours"], row["theirs"], str(row["blocks"]), *numbers)
    out = console()
    out.print(table)
    cpu = sum(row["cpu_seconds"] for row in rows)
    out.print(f"variance of the mean of a block; {cpu:.0f} s of CPU", markup=False)


def show_statistics(report: dict[str, Any]) -> None:
    """Show how often what the tables say is right."""

    def share(row: dict[str, float]) -> str:
        return f"{row['share']:.1%} ± {100 * row['plus_minus']:.1f}"

    out = console()
    title = "± contains the true Elo: 95 % is right"
    table = Table("pool", "relative to", "seats", "blocks", "covered", "mean ±", title=title)
    for row in report["coverage"]:
        words = [row["pool"], row["scale"], str(row["seats"]), str(row["blocks"])]
        table.add_row(*words, share(row["covered"]), f"{row['mean_plus_minus']:.0f}")
    out.print(table)
    table = Table("bots", "seats", "blocks", "events", title="some bot surely better among equals: 5 % is right")
    for row in report["false_claims"]:
        table.add_row(str(row["bots"]), str(row["seats"]), str(row["blocks"]), share(row["claimed"]))
    out.print(table)
    title = "probability that the one of a pair named beforehand is better"
    table = Table("field", "said", "mean", "pairs", "right", title=title)
    for row in report["calibration"]:
        table.add_row(row["field"], row["said"], f"{row['mean_said']:.1%}", str(row["pairs"]), f"{row['right']:.1%}")
    out.print(table)
    title = "estimate after a sequential test of 0 against H1 at 5 % and 5 %: its 95 % intervals hold the truth"
    heads = ("H1", "seats", "draws", "limit", "true nElo", "accepted", "blocks", "too high", "Elo held", "nElo held")
    table = Table(*heads, title=title)
    for row in report["sprt"]:
        pool = [f"{row[name]:g}" for name in ("elo1", "seats", "draws", "limit")]
        numbers = [f"{row['true_normalized']:.0f}", f"{row['accepted']:.1%}", f"{row['blocks']:.0f}"]
        table.add_row(*pool, *numbers, *(share(row[name]) for name in ("too_high", "covered", "covered_normalized")))
    out.print(table)
    title = "duel line: 95 % intervals hold the truth, and LOS beyond 97.5 % (5 % is right among equals)"
    table = Table("Elo", "seats", "draws", "blocks", "held", "beyond", title=title)
    for row in report["duels"]:
        pool = [f"{row[name]:g}" for name in ("gap", "seats", "draws", "blocks")]
        table.add_row(*pool, share(row["covered"]), share(row["certain"]))
    out.print(table)
    title = "one bot far from six near equals: at least 95 % is right"
    far = ("Elo above", "seats", "blocks", "± of two ends held", "printed held", "one-sided", "of the others held")
    table = Table(*far, title=title)
    for row in report["extremes"]:
        pool = [f"{row[name]:g}" for name in ("gap", "seats", "blocks")]
        held = [share(row[name]) for name in ("plus_minus", "printed")]
        table.add_row(*pool, *held, f"{row['one_sided']:.0%}", share(row["others"]))
    out.print(table)
    title = "three bots that are a cycle: how often it is seen, and 'surely better' said of them without a ?"
    table = Table("bots", "edge", "blocks", "by triads", "by chi-square", "without ?", title=title)
    for row in report["trios"]:
        pool = [f"{row[name]:g}" for name in ("bots", "edge", "blocks")]
        table.add_row(*pool, *(share(row[name]) for name in ("by_triads", "by_chi_square", "unqualified")))
    out.print(table)
    table = Table("blocks", "surely better", "without ?", title="two equal versions that met disjoint opponents")
    for row in report["disjoint"]:
        table.add_row(f"{row['blocks']}", share(row["claimed"]), share(row["unqualified"]))
    out.print(table)
    title = "'between … and … more blocks would tell': 80 % is right"
    table = Table("field", "blocks", "events", "clear", "not said", "rightly", "held", title=title)
    for row in report["forecasts"]:
        said = [f"{row[name]:.0%}" for name in ("clear", "unsaid", "unsaid_rightly")]
        table.add_row(row["field"], str(row["blocks"]), str(row["events"]), *said, share(row["held"]))
    out.print(table)
    columns = ("Elo", "events", "± held (95 %)", "mean ±", "some claim wrong (5 % at most)")
    table = Table(*columns, title="one table over three games")
    for row in report["overall"]:
        texts = [f"{row[name]:.0f}" for name in ("spread", "events")]
        table.add_row(*texts, share(row["covered"]), f"{row['mean_plus_minus']:.0f}", share(row["false_claims"]))
    out.print(table)
    title = "a gap that should be told in so many events: half of the bots are better by it"
    table = Table("bots", "seats", "blocks", "gap", "should be told", "told", "blocks for 50 Elo", title=title)
    for row in report["power"]:
        texts = [f"{row[name]:.0f}" for name in ("bots", "seats", "blocks", "gap")]
        table.add_row(*texts, f"{row['said']:.0%}", share(row["told"]), str(row["for_goal"]))
    out.print(table)
    title = "pairing: matches for the same error, relative to a round-robin"
    table = Table("bots", "seats", "Elo", "runs", "matches", "ratio (95 %)", "bound", "most met", title=title)
    for row in report["pairing"]:
        ratio = f"{row['ratio']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
        texts = [f"{row[name]:g}" for name in ("bots", "seats", "spread", "runs", "matches")]
        table.add_row(*texts, ratio, f"{row['bound']:.2f}", f"{row['most_met']:.1f}")
    out.print(table)
    title = "matches until a newcomer is known within ± 60 Elo"
    table = Table("bots", "Elo", "its own", "of the ladder", "if it played one table in a wave", title=title)
    for row in report["newcomers"]:
        table.add_row(*(f"{row[name]:.0f}" for name in ("bots", "spread", "own", "ladder", "ladder_of_one")))
    out.print(table)
    out.print(f"{report['events']} simulated events per row; {report['seconds']:.0f} s", markup=False)


def show_scale(report: dict[str, Any]) -> None:
    """Show large events."""
    out = console()
    out.print(f"load of the machine at the start: {report['load']:.1f}\n", markup=False)
    out.print(schedule_table(report["schedules"]))
    for event in report["events"]:
        out.print(event_table(event["parts"]))
        out.print(f"{event['matches']} matches, {event['faults']} faults, {event['void']} void", markup=False)
    out.print(reads_table(report["events"], report["ladders"]))
    out.print(chooser_table(report["chooser"]))


def schedule_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Return the schedules."""
    title = f"(a) schedules of {scale.ENTRANTS} bots, CPU milliseconds"
    table = Table("format", "seats", "rounds", "blocks", title=title, title_justify="left")
    for name in ("to open", "draws", "slowest", "in all"):
        table.add_column(name, justify="right")
    for row in rows:
        plan = [str(row[name]) for name in ("format", "seats", "rounds", "blocks")]
        opened, slowest, whole = (
            f"{1e3 * row[name]:.0f}" for name in ("open_cpu_seconds", "slowest_cpu_seconds", "cpu_seconds")
        )
        table.add_row(*plan, opened, str(row["draws"]), slowest, whole)
    return table


def reads_table(events: Sequence[dict[str, Any]], synthetic: Sequence[dict[str, Any]]) -> Table:
    """Return what reading an event costs, by the number of its matches: of those that were played, then synthetic
    ones."""
    title = "(d) reading an event: CPU seconds, most memory"
    table = Table("matches", "seats", "database, MB", title=title, title_justify="left")
    for name in ladders.READS:
        table.add_column(name, justify="right")
    played = [(f"{event['matches']:,} played", 2, event["reads"]) for event in events]
    for matches, seats, row in [
        *played,
        *((f"{ladder['results']:,}", ladder["seats"], ladder) for ladder in synthetic),
    ]:
        costs = [f"{row[name]['cpu_seconds']:.2f}, {row[name]['peak_bytes'] / 1e6:.0f} MB" for name in ladders.READS]
        table.add_row(matches, str(seats), f"{row['database_bytes'] / 1e6:.1f}", *costs)
    return table


def chooser_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Return what choosing tables costs an arena."""
    title = "(e) choosing the next table, longest CPU milliseconds; only the fit is not in the referee's loop"
    table = Table("bots", "seats", title=title, title_justify="left")
    for name in ("choose", "begin", "add", "prepare", "fit, in a thread"):
        table.add_column(name, justify="right")
    for row in rows:
        bots, seats, *times = row.values()
        table.add_row(str(bots), str(seats), *(f"{millis:.1f}" for millis in times))
    return table


def event_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Return the event, part by part."""
    title = f"(c) one event: {SHORT_GAME}, one round, {long_event.BOTS} x {YARDSTICK}"
    table = Table(title=title, title_justify="left")
    for name in ("up to match", "matches/s", "parent, ms of CPU a match", "workers", "parent, MB", "workers, MB"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            str(row["matches"]),
            f"{row['matches_per_second']:.0f}",
            f"{row['parent_cpu_millis_per_match']:.2f}",
            f"{row['worker_cpu_millis_per_match']:.2f}",
            f"{row['parent_bytes'] / 1e6:.0f}",
            " ".join(f"{memory / 1e6:.0f}" for memory in row["worker_bytes"]),
        )
    return table


def show_arena(report: dict[str, Any]) -> None:
    """Show an arena under load."""
    phases = report["phases"]
    table = Table("", *(f"{phase['tables']} tables" for phase in phases), title="an arena under load")
    add_phases(table, phases, decimals=1)
    out = console()
    out.print(table)
    out.print(f"cost of a match at {phases[1]['tables']} tables against 2: {report['cost_ratio']:.2f}")


def add_phases(table: Table, phases: Sequence[dict[str, Any]], *, decimals: int) -> None:
    """Add a row for each figure, with its value in each phase."""
    for key in phases[0]:
        values = (phase[key] for phase in phases)
        cells = (f"{value:.{decimals}f}" if isinstance(value, float) else str(value) for value in values)
        table.add_row(key.replace("_", " "), *cells)


def show_web(report: dict[str, Any]) -> None:
    """Show an arena whose pages are read."""
    phases, load = (report["without"], report["with"]), report["load"]
    table = Table("", "without readers", "with them", title=f"an arena with {report['tables']} matches at once")
    add_phases(table, phases, decimals=2)
    out = console()
    out.print(table)
    out.print(
        f"{report['readers']} readers of one live match, then of the next: {load['mean_streaming']:.0f} on average, "
        f"at least {load['least_streaming']} at any second, {load['matches_watched']} matches, "
        f"{load['events']['frame']} frames, {load['stream_mib_per_second']:.1f} MiB/s; "
        f"{load['broken_streams']} broken, refused: {load['refused_streams'] or 'none'}; "
        f"the readers used {load['cores']:.2f} of their core"
    )
    out.print(
        f"{load['pages'] / load['seconds']:.0f} pages a second: p50 {load['page_p50_millis']:.0f} ms, p95 "
        f"{load['page_p95_millis']:.0f} ms, p99 {load['page_p99_millis']:.0f} ms; errors: "
        f"{load['page_errors'] or 'none'}"
    )
    minutes = ", ".join(f"{millis:.0f}" for millis in load["p95_millis_by_minute"])
    out.print(f"p95 in ms, minute by minute: {minutes}")
    slow = sorted(load["p95_millis_by_page"].items(), key=lambda row: -row[1])
    out.print("p95 in ms: " + ", ".join(f"{page} {millis:.0f}" for page, millis in slow), markup=False)
    out.print(f"p99 of the bots' answers with readers against without: {report['answer_ratio']:.2f}")
