"""One match outside any event: played, simulated, told from its record, asked about."""
