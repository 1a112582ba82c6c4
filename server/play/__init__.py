"""Playing matches: one by one, simulated, or as blocks of an event in worker processes; and looking into their records.

single_match.py   one match between bot processes, and its record; match_setup.py: its terms
simulate.py       many games in this process, without gRPC; simulation_tally.py: what they came to
block_jobs.py     what a worker is given and gives back; block_parts.py: a block split over workers
worker.py         a process that plays blocks; pool.py: the parent's side; frames.py: values between the two
finished_match.py a finished match on its way to the database; summary.py: what the tables need to know of a record
replay.py         a record narrated (narrate.py), shown and verified
ask.py            today's bot asked a question from a record
"""
