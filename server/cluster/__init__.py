"""Past one machine: the blocks of an event, carried to other machines by Dask (the extra `cluster`).

Our schedule decides, Dask carries. A Dask worker stands for a machine and runs our local pool; one task is one block.

pool.py         in the process that runs the event: gives blocks to machines and takes them back
machine.py      in the Dask worker of a machine: our local pool, and who it plays for
messages.py     what the two say to each other
settings.py     Dask as we want it: TLS on both sides, no stealing, no retries

Nothing outside this room imports Dask, and nothing here is imported unless a cluster is used.
"""
