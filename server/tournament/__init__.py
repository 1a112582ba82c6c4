"""Tournaments: an event is a folder. server/schedule decides who meets whom, server/ratings computes the ratings.

manifest.py         tournament.toml: what the organiser wants
folder.py           where everything is in an event's folder; lock.py: one process runs it
agreement.py        the terms of the event, event.json; roster.py: who takes part in it
event.py            running an event from its first match to its last; status.py: how far it is
contest.py          one game with one number of seats: its schedule and the jobs that are open
runner.py           from open blocks to durable results; listener.py: who follows the run
block_jobs.py       what a worker is given and gives back; worker.py: a process that plays blocks
pool.py             the parent's side of the workers; frames.py: values between the two
finished_match.py   a finished match on its way to the database; results.py: records, rows, journal
summary.py          what the tables need to know of a record
store.py            the database: an index of the records, and the live ladder; store_rows.py: its tables
reconcile.py        making the database agree with the records
journal.py          events.jsonl: one line for each thing that happens
live_ladder.py      live Elo and quarantine, folded over the results
rating_input.py     the results as columns of numbers; standings.py: the tables made of them
cells.py            the texts of the tables; report.py: report.html; export.py: CSV and JSON
sequential.py       is A better than B: blocks until that is clear
"""
