"""The people of an arena, and what each may do: teams, tokens, callers and the audit log."""
