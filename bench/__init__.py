"""Measurements, for a checkout: the rows of `tortuga bench`. docs/bench.md explains them.

Each returns a report as plain data.

command.py        the command: parse, measure, print (row_report.py, report.py)
rows.py           the rows of the bench, measured in probes (probe.py) by run.py and compared by compare.py
referee.py        rows: the referee beside bare gRPC (bare_server.py), many tables, the engine alone, memory
in_process.py     rows: matches without gRPC, copies of states, and random games from the middle to the end
whole_event.py    rows: an event as a user runs it, by kind of process
other_tools/      other people's tools, each with its own script
workload.py       a fixed piece of work that says how fast the machine is at the moment
bots.py           what bots cost: side by side, and at each level of confinement
scale.py          large events: schedules, ladders.py, long_event.py, choosing tables
arenas/           an arena with many remote bots (fleet.py), and with readers of its pages
simulated/        how many games mirrored blocks save, what pairing saves, how often the tables are right
processes.py      processes that are measured: their time and memory, and how they are ended
"""
