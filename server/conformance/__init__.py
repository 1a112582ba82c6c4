"""`tortuga bot check`: is a bot sound? A scripted referee plays it golden and hostile scripts, step by step.

The check knows the protocol and no language: it starts the bot as a match would and speaks bytes with it. door.py is
the listening side, exchange.py the words that went over it, probe.py one process under test; questions.py takes real
questions from games played in this process, newer.py makes messages of a referee that does not exist yet; the steps are
in conversation.py (on one stream) and lifecycle.py (how a process comes, goes and comes back); check.py runs them.
"""
