"""Measurements, for a checkout: the rows of `tortuga bench`. docs/bench.md explains them.

Each returns a report as plain data.

command.py        the command: parse, measure, print (row_report.py, report.py)
rows.py           the rows of the bench, measured in probes (probe.py) by run.py and compared by compare.py and aims.py
referee.py        rows: the referee beside bare gRPC (bare_server.py), many tables, the engine alone, memory
in_process.py     row: matches without gRPC
search_costs.py   rows: copies of states, and random games from the middle to the end
whole_event.py    rows: an event as a user runs it, by kind of process
others/           other people's tools, each with its own script
workload.py       a fixed piece of work that says how fast the machine is at the moment
bots.py           the bots side by side: start, memory, cost of a decision
levels.py         what confining bots costs: start, decision, event
scale.py          large events: schedules.py, ladders.py, long_event.py
arenas/           an arena with many remote bots (fleet.py), and with readers of its pages
simulated/        how many games mirrored blocks save, what pairing saves, how often the tables are right
process_costs.py  time and memory of a process, as the kernel counts them
"""
