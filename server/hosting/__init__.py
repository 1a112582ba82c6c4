"""Runs bots as processes: starts them, watches them, seats them at tables and ends them. No other package does that."""
