"""Tournaments: an event is a folder; who meets whom is server/schedule, how good they are is server/ratings.

manifest.py   tournament.toml: what the organiser wants
folder.py     the event's folder: its lock, its roster, where everything lies
contest.py    one game with one number of seats: its schedule and the terms of each match
summary.py    what the tables need to know of a record
store.py      the database: an index of the records, and the live ladder
worker.py     a process that plays blocks; pool.py: the parent's side of it
runner.py     from open blocks to durable results, until the event is over or interrupted
journal.py    events.jsonl: one line for each thing that happens
standings.py  the tables, as values; show.py and report.py print them
"""
