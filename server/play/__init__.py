"""Playing matches: one by one, simulated, or as blocks of an event in worker processes; and looking into their records.

play_match.py     the road of a match: terms and a table in, a recorded match or a void one out (recorded_match.py)
single_match.py   one match outside any event; match_setup.py: its terms
simulate.py       many games in this process, without gRPC; simulation_tally.py: what they came to
block_jobs.py     what a worker is given and gives back; block_parts.py: a block split over workers
pool.py           the contract of whatever plays blocks; local_pool.py: this machine's worker processes
worker.py         such a process; frames.py: the values between it and its parent
summary.py        what the database holds of a record
replay.py         a record narrated (narrate.py), shown and verified
ask.py            today's bot asked a question from a record
"""
