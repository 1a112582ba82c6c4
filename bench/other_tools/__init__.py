"""Other people's tools, and the bots they play with."""
