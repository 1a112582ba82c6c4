"""The literals of the game, one module for each kind of card and one for the board.

    board       zones, ships, modifications, tokens and prices (2.1 to 2.3)
    captains    captain cards and specialists
    cargo, events, glory, quests    the decks

Each row has the source mark of the specification. Rows are made of the words in terms.py and cards/.
"""
