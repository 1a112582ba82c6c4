"""Standings and other listings, as text for a terminal, as messages, as charts and as the report."""
