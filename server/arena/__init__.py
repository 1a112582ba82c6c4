"""The arena: a server that runs by itself. Bots dial in, it matches them, keeps ladders, plays events, and shows all.

serve.py        `tortuga serve`: all of it, from the first door to the last goodbye; config.py: arena.toml
hall.py         the heart: fills tables, plays, keeps, judges; lobby.py: who is there; seating.py: one match
ladder.py       the ladders as an event folder that never ends; calendar.py: the events
desk.py         what the services see of it; answers.py, metrics.py: how it is doing
errors.py       what callers are told, as exceptions
tokens.py       what bots are known by
registry.py     arena.db: bots, the calendar of events, paused ladders
views.py        what the services ask of the running arena, and how its values look on the wire
archive.py        what lies on disk: databases and records, read without holding up the loop
tables.py       the official tables, made in a process of their own
paging.py       pages that stay put while a list grows
public_api.py   the service Arena, for everybody; admin_api.py: ArenaAdmin, for the organiser
doors.py        the gRPC servers they are served on; guard.py, throttle.py: what stands in them
backup.py       a copy of the data folder while it is in use; retention.py: what may go after some time
"""
