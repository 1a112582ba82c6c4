"""Everything around single matches: command line, bot processes, files, events, the arena."""

__version__ = "0.1.0"
