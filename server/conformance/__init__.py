"""`tortuga bot check`: a scripted referee runs well-behaved and hostile scripts against a bot, step by step.

The check depends on the protocol and on no language: it starts the bot as a match would and exchanges bytes with it.

check.py               runs the steps and judges them; report.py: the findings as JSON and JUnit XML
conversation_steps.py  the steps that are played on one stream
process_steps.py       the steps about a process: how it starts, exits and reconnects
tested_bot.py          one process of the bot under test; scripted_door.py: what it dials
step.py                a step, what it may come to, and what was said
questions.py           real questions, from games played in this process
newer_referee.py       messages of a referee that does not exist yet
"""
