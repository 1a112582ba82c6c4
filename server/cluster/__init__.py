"""Plays the blocks of an event on other machines, through Dask (the extra `cluster`).

Our schedule decides, Dask transports. A Dask worker represents a machine and runs our local pool; one task is one
block.

pool.py             in the process that runs the event: sends blocks to machines and receives the results
machine.py          in the Dask worker of a machine: our local pool, and which processes it plays for
messages.py         the messages between the two
settings.py         our settings for Dask (TLS on both sides, no work stealing, no retries), and what begins with them
scheduler_setup.py  what Dask's scheduler loads, so that it forgets tasks that are over

Nothing outside this room imports Dask, and nothing here is imported unless a cluster is used.
"""
