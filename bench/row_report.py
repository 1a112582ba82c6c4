"""The rows of `tortuga bench` as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from bench.rows import ROWS, Row, find_row
from bench.whole_event import BOTS, KINDS
from server.cli.common.output import console

SHOWN = {
    "echo": ("core_cpu_micros",),
    "engine": ("cpu_micros",),
    "in_process": ("cpu_micros",),
    "clones": ("cpu_micros",),
    "playouts": ("cpu_micros",),
    "memory": ("referee_bytes", "bot_bytes"),
    "event": ("decisions_per_second", "core_cpu_micros", "start_seconds", "with_start_core_cpu_micros"),
    "event_one_core": ("decisions_per_second", "core_cpu_micros"),
}
"""The figures of each row in the table of a comparison; JSON has all."""
SHOWN_OF_TABLES = ("decisions_per_second", "referee_cpu_micros", "bot_cpu_micros", "questions_per_write")

WORDS = {
    "decisions_per_second": "decisions/s",
    "referee_cpu_micros": "referee CPU",
    "bot_cpu_micros": "bot CPU",
    "core_cpu_micros": "CPU",
    "cpu_micros": "CPU",
    "questions_per_write": "questions per write",
    "start_seconds": "start-up, seconds",
    "with_start_core_cpu_micros": "CPU with start-up",
    "referee_bytes": "referee memory",
    "bot_bytes": "bot memory",
}


def show_rows(report: dict[str, Any]) -> None:
    """Show everything that was measured, and how it compares."""
    out = console()
    if any(len(game) > 1 for game in report["games"]):
        out.print(game_table(report["games"]))
    if events := [(row, report[row.name]) for row in ROWS if not row.per_game and row.name in report]:
        out.print(event_table(events))
    if others := report.get("others"):
        out.print(others_table(others))
    if report["aims"]:
        out.print(aims_table(report["aims"], with_base="base" in report))
    if comparison := report.get("comparison"):
        out.print(comparison_table(comparison["rows"]))
        out.print(explain_comparison(report), markup=False)
    for name, reason in (report["failed"] | report.get("base", {}).get("failed", {})).items():
        out.print(f"{name}: not measured: {reason}", markup=False)
    where = "referee and bots pinned to one core (events: see there)" if report["pinned"] else "unpinned"
    out.print(f"medians of {report['rounds']} interleaved rounds of {report['seconds']:g} s, {where}", markup=False)
    if growth := report.get("growth"):
        costs, memory = growth["cpu_millis_per_match"], growth["memory_bytes"]
        out.print(
            f"{growth['matches']} short matches: {costs[0]:.2f} ms of CPU each in the first thousand, "
            f"{costs[-1]:.2f} in the last ({growth['last_over_first']:.2f} times); "
            f"memory {memory[1] / 1e6:.0f} to {memory[-1] / 1e6:.0f} MB",
            markup=False,
        )


def game_table(games: Sequence[dict[str, Any]]) -> Table:
    """Return the rows that are measured for each game."""
    table = Table("game", "what", title="per decision", title_justify="left")
    for name in ("per second", "referee µs", "bot µs", "questions/write", "wait p50, p99 ms"):
        table.add_column(name, justify="right")
    table.add_column("")
    for game in games:
        for row in sorted((row for row in ROWS if row.name in game), key=lambda row: row.letter):
            table.add_row(game["game"], f"({row.letter}) {row.title}", *cells(row, game[row.name], game))
        table.add_section()
    return table


def cells(row: Row, figures: Mapping[str, float], game: Mapping[str, Any]) -> list[str]:
    """Return one row of one game."""
    if row.name == "memory":
        return ["", megabytes(figures["referee_bytes"]), megabytes(figures["bot_bytes"]), "", "", "at 64 tables"]
    rate = figures.get("decisions_per_second", figures.get("per_second"))
    cost = figures.get("referee_cpu_micros", figures.get("cpu_micros", 0.0))
    share = f" ({figures['share_of_steady_state']:.0%})" if "share_of_steady_state" in figures else ""
    notes = {
        "one_table": f"{game['one_table_over_echo']:.2f} of (a)" if "one_table_over_echo" in game else "",
        "eight_tables": f"{game['eight_tables_over_one_table']:.2f} of (b)"
        if "eight_tables_over_one_table" in game
        else "",
        "clones": "copies of a state",
        "playouts": f"games of {figures.get('steps_per_playout', 0):.0f} steps; µs of a step",
    }
    return [
        f"{rate:.0f}" if rate else "",
        f"{cost:.0f}" if cost >= 100 else f"{cost:.1f}",
        f"{figures['bot_cpu_micros']:.0f}" if "bot_cpu_micros" in figures else "",
        f"{figures['questions_per_write']:.1f}{share}" if share else "",
        f"{figures['wait_p50_micros'] / 1e3:.1f}, {figures['wait_p99_micros'] / 1e3:.1f}" if share else "",
        notes.get(row.name, ""),
    ]


def megabytes(size: float) -> str:
    """Return memory in megabytes, as text."""
    return f"{size / 1e6:.0f} MB"


def event_table(events: Sequence[tuple[Row, dict[str, Any]]]) -> Table:
    """Return the whole events."""
    title = f"(g) a whole event: {events[0][1]['game']}, {' against '.join(BOTS)}; core-µs per decision by process"
    table = Table("where", title=title, title_justify="left")
    for name in (
        "decisions/s",
        "with start-up",
        "core-µs",
        "with start-up",
        *KINDS,
        "start-up",
        "parent's CPU",
        "a worker's CPU",
    ):
        table.add_column(name, justify="right")
    for row, figures in events:
        a_worker = figures["start_workers_cpu_seconds"] / max(1, figures["workers"])
        table.add_row(
            row.title.removeprefix("event, "),
            *(f"{figures[name]:.0f}" for name in ("decisions_per_second", "with_start_decisions_per_second")),
            *(f"{figures[name]:.0f}" for name in ("core_cpu_micros", "with_start_core_cpu_micros")),
            *(f"{figures[f'{kind}_cpu_micros']:.0f}" for kind in KINDS),
            f"{figures['start_seconds']:.1f} s",
            f"{figures['start_parent_cpu_seconds']:.2f} s",
            f"{a_worker:.2f} s",
        )
    return table


def others_table(tools: Sequence[dict[str, Any]]) -> Table:
    """Return other people's tools."""
    table = Table("tool", title="(h) other tools with trivial bots", title_justify="left")
    table.add_column("moves/s", justify="right")
    table.add_column("core-µs per move", justify="right")
    table.add_column("")
    for tool in tools:
        if reason := tool.get("missing"):
            table.add_row(tool["tool"], "", "", reason.replace("[", "\\["))
        else:
            table.add_row(tool["tool"], f"{tool['moves_per_second']:.0f}", f"{tool['core_cpu_micros']:.0f}", "")
    return table


def aims_table(aims: Sequence[dict[str, Any]], *, with_base: bool) -> Table:
    """Return the ratios of one run beside what was aimed at."""
    table = Table("ratio", "game", title="ratios and aims", title_justify="left")
    for name in ("measured", *(["in the base"] if with_base else []), "aim", "stretch"):
        table.add_column(name, justify="right")
    for aim in aims:
        base = [f"{aim['base']:.2f}" if aim["base"] else ""] if with_base else []
        table.add_row(aim["what"], aim["game"], interval(aim), *base, f"{aim['aim']:g}", f"{aim['stretch']:g}")
    return table


def comparison_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Return the ratios to the base."""
    table = Table("game", "row", "what", title="ratio to the base", title_justify="left")
    table.add_column("ratio", justify="right")
    for ratio in rows:
        if ratio["figure"] in SHOWN.get(ratio["row"], SHOWN_OF_TABLES):
            row = find_row(ratio["row"])
            table.add_row(ratio["game"], f"({row.letter}) {row.title}", WORDS[ratio["figure"]], interval(ratio))
    return table


def interval(ratio: Mapping[str, float]) -> str:
    """Return a ratio with its interval, if there were rounds enough for one."""
    if not ratio["coverage"]:
        return f"{ratio['value']:.2f}"
    return f"{ratio['value']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})"


def explain_comparison(report: Mapping[str, Any]) -> str:
    """Return what the intervals mean."""
    comparison = report["comparison"]
    coverages = [row["coverage"] for row in comparison["rows"]]
    how = "rounds, alternating" if comparison["paired"] else "an older report"
    least = (
        f"intervals contain the true ratio in {min(coverages):.0%} of all runs" if coverages else "nothing in common"
    )
    return f"base: {report['base']['folder']}, {how}; CPU times scaled by a fixed workload; {least}"
