"""What a match leaves behind: the file format, and a record played again."""
