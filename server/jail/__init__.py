"""Confines untrusted processes: levels, limits, and what they may see. Used for every bot we start and build."""
