"""Many matches and the outside world: command line, processes, files."""

__version__ = "0.1.0"
