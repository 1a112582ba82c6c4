"""One match: ask, wait, judge, apply, tell, and what a record keeps of it."""
