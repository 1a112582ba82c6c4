"""Keeping an arena: its settings, checks, deletion and export, metrics, its web process."""
