"""One match outside any event: played, simulated, told from its record, asked about.

play.py        one match between bot processes, and its record
match_setup.py what it is played under
simulate.py    many games in this process, without gRPC
narrate.py     a match told as lines of text
replay.py      a record told, shown and proved
ask.py         a bot of today before a question of a record
"""
