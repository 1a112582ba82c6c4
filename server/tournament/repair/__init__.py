"""Finds damage in the folder of an event, and repairs it."""
