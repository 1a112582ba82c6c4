"""How a stranger's process is confined: levels, limits, and what it may see. Used for every bot we start and build."""
