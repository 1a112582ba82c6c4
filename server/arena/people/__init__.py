"""Who may do what: teams, tokens, callers and the audit log."""
