"""The arena: a server that runs unattended. Bots connect; it plays ladders and events, and shows them to everybody.

serve.py            `tortuga serve`, from the start to the end; config.py: arena.toml
hall.py             fills tables, plays matches, stores results; lobby.py: the bots that can play
tables.py           one match between bots of the lobby; suspensions.py: bots that fail too often
ladder.py           the ladders: an event folder that never ends
calendar.py         the events; event_pool.py: an event played at the hall's tables
registry.py         arena.db: bots, the calendar, paused ladders; registry_values.py: its values
tokens.py           tokens of remote bots; texts.py: names and remarks from outside
interface.py        what the services ask of the running arena; running_arena.py: its answers
public_api.py       the service Arena, for everybody; admin_api.py: ArenaAdmin, for the organiser
messages.py         bots, matches and events as messages; paging.py: pages of a list
errors.py           errors for callers; error_codes.py: their status codes; rate_limits.py: too many calls
open_files.py       how many connections the doors may have
doors.py            the gRPC servers of the services; metrics.py: metrics for Prometheus
archive.py          finished matches, read from disk; rating_tables.py: the official tables
submissions.py      bots that authors submit, from the archive to the ladder; submission_api.py: their calls;
                    submission_rows.py, submission_files.py: what is kept of them
answer_times.py     how long bots took to answer lately
backup.py           a copy of the data folder while it is in use; retention.py: deleting what has expired
"""
