"""Tournaments: an event is a folder. server/schedule decides who meets whom, server/ratings computes the ratings.

manifest.py       tournament.toml: what the organiser wants
folder.py         where everything is in an event's folder, and the lock of the one process that runs it
agreement.py      the terms of the event, event.json; roster.py: who takes part in it; anchors.py: who fixes the scale
event.py          running an event from its first match to its last; status.py: how far it is
contest.py        one game with one number of seats: its schedule and the jobs that are open
runner.py         from open blocks to durable results; listener.py: who follows the run
results.py        storing finished matches: records, rows, journal
store.py          the database: an index of the records, and the live ladder; store_schema.py: its schema;
                  store_queries.py: what standings and reports read of it
journal.py        events.jsonl: one line for each thing that happens
live_ladder.py    live Elo and quarantine, folded over the results
rating_input.py   the results as columns of numbers; standings.py: the standings made of them
sequential.py     is A better than B: blocks until that is clear
rulings/          the organiser's decisions about bots and matches, and what follows from them
repair/           making the database agree with the records; what is wrong with a folder, and mending it
"""
