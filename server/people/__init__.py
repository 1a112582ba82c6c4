"""People and language models at the table: a seat of this process, and the terminal."""
