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

config.py      arena.toml; zones.py: times as people write them; texts.py: names and remarks from outside
registry.py    arena.db: bots, the calendar, paused ladders; registry_schema.py: its tables
interface.py   what the services ask of the running arena; messages.py: bots, matches and events as messages
errors.py      errors for callers; error_codes.py: their status codes; rate_limits.py: too many calls; paging.py
news.py        the arena's news; webhooks.py and outgoing.py send them to other programs
admin_key.py   the organiser's key, and keyed_channel.py a channel that sends it; tokens.py: tokens of remote bots
backup.py      a copy of the data folder while it is in use
"""
