"""Single matches outside any event: playing, simulating, replaying, asking a bot about a recorded question.

play.py        one match between bot processes, and its record
match_setup.py the terms of that match
simulate.py    many games in this process, without gRPC
narrate.py     a match told as lines of text
replay.py      a record narrated, shown and verified
ask.py         today's bot asked a question from a record
"""
