"""`tortuga bot check`: is a bot sound? A scripted referee plays golden and hostile scripts with it, step by step.

The check knows the protocol and no language: it starts the bot as a match would and exchanges bytes with it.

check.py               runs the steps and judges them; report.py: the findings as JSON and JUnit XML
conversation_steps.py  the steps that are played on one stream
process_steps.py       the steps about a process: how it starts, exits and reconnects
tested_bot.py          one process of the bot under test; scripted_door.py: what it dials; transcript.py: what was said
questions.py           real questions, from games played in this process
newer_referee.py       messages of a referee that does not exist yet
"""
