"""The verbs that card rows are made of (cards file, part A), as plain values.

    modifiers      the keys of `mod` (A.1)
    effects        what glory cards, rumors and missions do (A.2)
    event_texts    the texts of general event cards (C)
    missions       conditions and tasks of missions (F)

A card, a captain, a zone or an event is a row made of these verbs; the rules carry them out. A card that needs
something new earns a new verb here.
"""
