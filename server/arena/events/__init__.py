"""The calendar of events, and challenges."""
