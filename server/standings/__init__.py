"""Standings and other listings: as messages, as cells for every medium, as charts, and as the report of an event."""
