"""The arena: a server that runs unattended. Bots connect; it plays ladders and events, and shows them to everybody.

serve.py       `tortuga serve`, from the start to the end: it puts all of the rooms together
people/        who may do what: teams, tokens, callers, the audit log
ladders/       who is there, who plays whom, seasons: hall.py fills tables, lobby.py knows the bots
events/        the calendar, an event at the arena's tables, and challenges
submissions/   bots that their authors send, from the archive to the ladder
reading/       what the arena shows: finished matches, official standings, comparisons
operations/    the organiser's changes, checks, deletion and export, metrics, the web process
api/           the gRPC services, and the servers they run on

In this folder is what all of them share:

config.py        arena.toml; zones.py: times as people write them; caller_input.py: names, remarks and page tokens
registry.py      arena.db: bots, the calendar, paused ladders; registry_schema.py: its tables and their rows
arena_state.py   what the services ask of the running arena; messages.py: bots, matches and events as messages
errors.py        errors for callers; interceptor.py: their status codes, and how calls are wrapped; rate_limits.py: too
                 many calls
news.py          the arena's news; webhooks.py and outgoing.py send them to other programs
keys.py          the organiser's key, and tokens of remote bots
backup.py        a copy of the data folder while it is in use
"""
