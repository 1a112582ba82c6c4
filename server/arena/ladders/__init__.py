"""The ladders of an arena: who is there, who plays whom, seasons."""
