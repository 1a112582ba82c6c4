"""Measurements behind `tortuga bench`. Each gives a report as plain data; server/cli/bench_tables.py prints it.

referee.py        the referee side by side with bare gRPC (bare_server.py), and the engines alone
bots.py           the bots side by side: start, memory, cost of a decision
mirrors.py        how many games mirrored blocks save
scale.py          large events: schedules.py, ladders.py, long_event.py
arena.py          an arena with many remote bots (fleet.py)
process_costs.py  time and memory of a process, as the kernel counts them
"""
