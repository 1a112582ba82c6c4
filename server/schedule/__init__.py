"""Schedules: who meets whom, in every format. Pure: a plan and the results so far give the blocks to play."""

from server.schedule.driver import FORMATS, Schedule, Withdrawal
from server.schedule.forecast import unequal_matches
from server.schedule.plan import Block, BracketPlace, Entrant, HalfPoints, Ledger, Plan, PlayedBlock, Results

__all__ = [
    "FORMATS",
    "Block",
    "BracketPlace",
    "Entrant",
    "HalfPoints",
    "Ledger",
    "Plan",
    "PlayedBlock",
    "Results",
    "Schedule",
    "Withdrawal",
    "unequal_matches",
]
