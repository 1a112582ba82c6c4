"""A match as a document: offline replays, and the code that shows a match in a browser."""
