"""People and language models at the table: a seat of this process, the terminal, and tools for MCP."""
